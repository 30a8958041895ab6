//! The Z3 engine: formulas to SMT, and models back to choices.
//!
//! A context lives for one question, so that no answer depends on an earlier one. The solver is
//! `QF_FD`, bit-blasting to SAT: all variables are finite.

mod float;
mod terms;

use super::{Answer, Budget, Core, Cores, Engine, Goal, Problem, States, Why};
use crate::bounds::Precision;
use crate::budget::Deadline;
use crate::encode::formula::{Formula, Stopped};
use crate::encode::meetings::Attendance;
use crate::encode::{EncodeError, Encoding};
use crate::execution::barriers::Barriers;
use crate::execution::build::{Choices, Execution};
use crate::id::{AccessId, EventId, ExprId};
use crate::program::expr::Expr;
use crate::rule::Unsupported;
use rustc_hash::FxHashMap;
use std::time::Duration;
use terms::{Term, Translation, number};
use typed_index_collections::TiVec;
use z3::ast::Bool;
use z3::{Config, Params, SatResult, Solver};

/// The SMT engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Z3Engine {
    precision: Precision,
    cores: Cores,
}

impl Z3Engine {
    /// An engine that starts from bounds of this precision.
    #[must_use]
    pub fn with_bounds(precision: Precision) -> Self {
        Self { precision, ..Self::default() }
    }

    /// An engine that puts this much work into cores.
    #[must_use]
    pub fn with_cores(cores: Cores) -> Self {
        Self { cores, ..Self::default() }
    }
}

/// The version of the Z3 library in use.
#[must_use]
pub fn version() -> String {
    z3::full_version().to_owned()
}

impl Engine for Z3Engine {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        let end = budget.end();
        let mut encoding = match Encoding::new(problem, goal, self.precision, end) {
            Ok(encoding) => encoding,
            Err(EncodeError::Time) => return Answer::Unknown(Why::Timeout),
            Err(EncodeError::Unsupported(why)) => return Answer::Unsupported(why),
        };
        let wanted = encoding.goal(goal);
        z3::with_z3_config(&Config::new(), || {
            let cores = goal.wants_core().then_some(self.cores);
            Session::new(&mut encoding, budget, end).find(wanted, cores)
        })
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        let end = budget.end();
        let mut encoding = match Encoding::new(problem, Goal::Complete, self.precision, end) {
            Ok(encoding) => encoding,
            Err(EncodeError::Time) => {
                return Ok(States { incomplete: Some(Why::Timeout), ..States::default() });
            }
            Err(EncodeError::Unsupported(why)) => return Err(why),
        };
        let sides = [true, false].map(|holds| encoding.goal(Goal::Condition(holds)));
        Ok(z3::with_z3_config(&Config::new(), || {
            Session::new(&mut encoding, budget, end).states(sides)
        }))
    }
}

/// The solver's resource units for one step: some ten thousand steps take seconds.
const UNITS_OF_A_STEP: u64 = 4_000;

/// The most final states that are listed.
const MOST_STATES: usize = 10_000;

/// The most final states that are listed as examples, if an unknown value has too many values to be
/// of use in full.
const MOST_EXAMPLES: usize = 256;

/// The fewest unknown bits that have many values.
const MANY_VALUES: u32 = 8;

/// The most control flows for which the ways to meet at barriers are listed.
const MOST_LISTED: usize = 4096;

/// The most control flows that are left out: finding that one has too many ways takes a while.
const MOST_LEFT_OUT: usize = 32;

/// How much earlier than the deadline the solver's own clock may end.
const NEARLY_OVER: Duration = Duration::from_millis(5);

/// A solver over one encoding.
struct Session<'e, 'a> {
    encoding: &'e mut Encoding<'a>,
    solver: Solver,
    translation: Translation,
    /// The deadline of all checks together.
    end: Option<Deadline>,
    /// The step budget of one check.
    steps: Option<u64>,
    /// The number of control flows whose ways to meet at barriers have been listed.
    listed: usize,
    /// The number of control flows left out because threads may meet in too many ways.
    left_out: usize,
}

impl<'e, 'a> Session<'e, 'a> {
    fn new(encoding: &'e mut Encoding<'a>, budget: Budget, end: Option<Deadline>) -> Self {
        let solver = Solver::new_for_logic("QF_FD").unwrap_or_default();
        let mut session = Self {
            translation: Translation::new(encoding),
            encoding,
            solver,
            listed: 0,
            left_out: 0,
            end,
            steps: budget.steps,
        };
        session.set_limits();
        let hard = session.encoding.hard.clone();
        session.assert(&hard);
        session
    }

    fn assert(&mut self, formulas: &[Formula]) {
        for &formula in formulas {
            let formula = self.formula(formula);
            self.solver.assert(&formula);
        }
    }

    fn formula(&mut self, id: Formula) -> Bool {
        self.translation.formula(self.encoding, id)
    }

    /// One Boolean per axiom that has demands; assuming it asserts them.
    fn switches(&mut self) -> Vec<(usize, Bool)> {
        let mut switches = Vec::new();
        for (index, demands) in self.encoding.axioms.clone().into_iter().enumerate() {
            if demands.iter().all(|&d| self.encoding.formulas.known(d) == Some(true)) {
                continue;
            }
            let switch = Bool::new_const(format!("axiom{index}"));
            for demand in demands {
                let demand = self.formula(demand);
                self.solver.assert(switch.implies(&demand));
            }
            switches.push((index, switch));
        }
        switches
    }

    fn find(mut self, goal: Formula, cores: Option<Cores>) -> Answer {
        self.assert(&[goal]);
        let switches = self.switches();
        let all: Vec<Bool> = switches.iter().map(|(_, b)| b.clone()).collect();
        match self.check(&all) {
            Ok(true) => Answer::Yes(Box::new(self.choices())),
            Ok(false) => Answer::No(match cores {
                Some(cores) => self.core(switches, cores),
                None => Core::default(),
            }),
            Err(why) => Answer::Unknown(why),
        }
    }

    /// Sets the limits of the solver's next check.
    fn set_limits(&self) {
        let mut params = Params::new();
        // Without this setting, Z3 handles Ctrl-C itself, once per question.
        params.set_bool("ctrl_c", false);
        if let Some(end) = self.end {
            // A check that is cut off ends after the deadline, not before.
            let left = end.left().as_millis() + 1;
            params.set_u32("timeout", u32::try_from(left).unwrap_or(u32::MAX));
        }
        if let Some(steps) = self.steps {
            let units = steps.saturating_mul(UNITS_OF_A_STEP);
            params.set_u32("rlimit", u32::try_from(units).unwrap_or(u32::MAX));
        }
        self.solver.set_params(&params);
    }

    /// Whether an execution satisfies these assumptions; then the solver's model is one.
    fn check(&mut self, assumed: &[Bool]) -> Result<bool, Why> {
        loop {
            match self.encoding.stopped() {
                None => {}
                Some(Stopped::Time) => return Err(Why::Timeout),
                Some(Stopped::Size) => return Err(Why::Memory),
            }
            if self.end.is_some() {
                self.set_limits();
            }
            match self.solver.check_assumptions(assumed) {
                SatResult::Sat if !self.encoding.has_open_meetings() => return Ok(true),
                SatResult::Sat if self.ways_are_listed()? => return Ok(true),
                SatResult::Sat => {}
                SatResult::Unsat if self.left_out > 0 => return Err(Why::Steps),
                SatResult::Unsat => return Ok(false),
                SatResult::Unknown => return Err(self.why()),
            }
        }
    }

    /// Whether the ways to meet of the solver's model's participants were listed before; otherwise
    /// lists them.
    fn ways_are_listed(&mut self) -> Result<bool, Why> {
        let who = self.attendance();
        match self.encoding.add_meetings(&who) {
            Ok(None) => return Ok(true),
            Ok(Some(formulas)) => self.assert(&formulas),
            Err(condition) => {
                // Other executions may still be found without these.
                let condition = self.formula(condition);
                self.solver.assert(condition.not());
                self.left_out += 1;
            }
        }
        self.listed += 1;
        if self.end.is_some_and(Deadline::is_over) {
            return Err(Why::Timeout);
        }
        let too_many = self.listed > MOST_LISTED || self.left_out > MOST_LEFT_OUT;
        if too_many { Err(Why::Steps) } else { Ok(false) }
    }

    /// The barrier operations of the solver's model, with their counts.
    fn attendance(&mut self) -> Attendance {
        let graph = self.encoding.graph;
        let mut terms = |expr| self.translation.term(self.encoding, expr);
        let guards: Vec<Term> =
            graph.barriers.iter().map(|op| terms(graph.event(op.event).guard)).collect();
        let counts: Vec<Option<Term>> =
            graph.barriers.iter().map(|op| op.count().map(&mut terms)).collect();
        let happens = guards.iter().map(|guard| self.value(guard) == 1).collect();
        let counts = counts.iter().map(|count| Some(self.value(count.as_ref()?))).collect();
        Attendance { happens, counts }
    }

    fn why(&self) -> Why {
        match self.solver.get_reason_unknown() {
            Some(reason) if reason.contains("timeout") || reason.contains("canceled") => {
                // The solver reports all limits but memory by one word, and its own clock may end a
                // little before the deadline.
                let late = self.end.is_some_and(|end| end.left() <= NEARLY_OVER);
                match (late, self.steps) {
                    (true, _) => Why::Timeout,
                    (false, Some(_)) => Why::Steps,
                    (false, None) => Why::GaveUp,
                }
            }
            Some(reason) if reason.contains("memory") => Why::Memory,
            _ => Why::GaveUp,
        }
    }

    /// The solver's core, minimized if asked: axioms are dropped one by one as long as it stays
    /// unsatisfiable.
    fn core(&mut self, switches: Vec<(usize, Bool)>, cores: Cores) -> Core {
        let first = self.solver.get_unsat_core();
        let mut kept: Vec<(usize, Bool)> =
            switches.into_iter().filter(|(_, b)| first.contains(b)).collect();
        let indices = |kept: Vec<(usize, Bool)>| kept.into_iter().map(|(index, _)| index).collect();
        if cores == Cores::FirstProof {
            return Core { axioms: indices(kept), ..Core::default() };
        }
        let mut minimal = true;
        let mut at = 0;
        while at < kept.len() {
            let rest: Vec<Bool> = kept
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != at)
                .map(|(_, (_, b))| b.clone())
                .collect();
            match self.check(&rest) {
                Ok(false) => {
                    kept.remove(at);
                }
                Ok(true) => at += 1,
                Err(_) => {
                    minimal = false;
                    at += 1;
                }
            }
        }
        Core { axioms: indices(kept), minimal, ..Core::default() }
    }

    /// The final states of two kinds, listed first kind first.
    fn states(mut self, sides: [Formula; 2]) -> States {
        let demands = self.encoding.axioms.concat();
        self.assert(&demands);
        let observed: Vec<ExprId> = self.encoding.graph.observed.iter().map(|o| o.value).collect();
        let terms: Vec<Term> =
            observed.iter().map(|&x| self.translation.term(self.encoding, x)).collect();
        let mut states = States::default();
        // Unknown words have many values together; an unknown bit is a choice.
        let widths = self.encoding.graph.symbols.iter().map(|s| s.width);
        let unknown: u32 = widths.filter(|&width| width > 1).sum();
        let most = if unknown > MANY_VALUES { MOST_EXAMPLES } else { MOST_STATES };
        // The states of the first kind leave room for those of the second.
        for (side, most) in sides.into_iter().zip([most / 2, most]) {
            let side = self.formula(side);
            if let Some(why) = self.add_states(&side, &terms, most, &mut states) {
                states.incomplete = Some(why);
            }
        }
        states.states.sort_by(|a, b| a.0.cmp(&b.0));
        states
    }

    /// Adds states of one kind until there are no more, or `most` in all; gives the reason if some
    /// may be missing.
    fn add_states(
        &mut self,
        side: &Bool,
        terms: &[Term],
        most: usize,
        states: &mut States,
    ) -> Option<Why> {
        loop {
            if self.end.is_some_and(Deadline::is_over) {
                return Some(Why::Timeout);
            }
            match self.check(std::slice::from_ref(side)) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(why) => return Some(why),
            }
            if states.states.len() == most {
                return Some(Why::States);
            }
            let choices = self.choices();
            let values: Vec<u128> = terms.iter().map(|t| self.value(t)).collect();
            let differs: Vec<Bool> =
                terms.iter().zip(&values).map(|(t, &v)| differs(t, v)).collect();
            states.states.push((values, choices));
            self.solver.assert(Bool::or(&differs));
        }
    }

    /// The value of a term in the solver's model.
    fn value(&self, term: &Term) -> u128 {
        let Some(model) = self.solver.get_model() else { return 0 };
        match term {
            Term::Bool(b) => {
                u128::from(model.eval(b, true).and_then(|b| b.as_bool()) == Some(true))
            }
            Term::Bits(bits) => {
                let width = bits.get_size();
                let mut value = 0;
                let mut low = 0;
                while low < width {
                    let high = (low + 63).min(width - 1);
                    let part = model
                        .eval(&bits.extract(high, low), true)
                        .and_then(|v| v.as_u64())
                        .unwrap_or(0);
                    value |= u128::from(part) << low;
                    low += 64;
                }
                value
            }
        }
    }

    fn holds(&self, formula: Formula) -> bool {
        match self.encoding.formulas.known(formula) {
            Some(value) => value,
            None => {
                let known = self.translation.known_formula(formula);
                known.is_some_and(|b| self.value(&Term::Bool(b.clone())) == 1)
            }
        }
    }

    /// The choices of the solver's model.
    fn choices(&self) -> Choices {
        let graph = self.encoding.graph;
        let mut choices = Choices {
            rf: vec![None; graph.events.len()],
            finals: vec![None; graph.locations.len()],
            generations: TiVec::from(vec![None; graph.barriers.len()]),
            returned: TiVec::from(vec![None; graph.barriers.len()]),
            symbols: vec![0; graph.symbols.len()],
            ..Choices::default()
        };
        for (read, sources) in &self.encoding.rf {
            choices.rf[read.index()] =
                sources.iter().find(|(_, f)| self.holds(*f)).map(|(w, _)| *w);
        }
        let chosen = |edges: &FxHashMap<(EventId, EventId), Formula>| {
            let mut out: Vec<_> =
                edges.iter().filter(|(_, f)| self.holds(**f)).map(|(e, _)| *e).collect();
            out.sort_unstable();
            out
        };
        choices.co = chosen(&self.encoding.co);
        choices.sc = chosen(&self.encoding.sc);
        for (loc, writes) in &self.encoding.finals {
            choices.finals[loc.index()] =
                writes.iter().find(|(_, f)| self.holds(*f)).map(|(w, _)| *w);
        }
        for (expr, term) in self.translation.exprs() {
            match self.encoding.exprs.get(expr) {
                Expr::Symbol(symbol) => choices.symbols[symbol.index()] = self.value(term),
                Expr::Read(access) => self.justify(access, term, &mut choices),
                Expr::Barrier(index) => choices.returned[index] = Some(self.value(term)),
                _ => {}
            }
        }
        choices.self_justified.sort_unstable();
        self.generations(&mut choices);
        choices
    }

    /// Records the value of a read that happens; only values that justify themselves need it.
    fn justify(&self, access: AccessId, term: &Term, choices: &mut Choices) {
        let graph = self.encoding.graph;
        let happens = graph.access(access).pieces.iter().all(|p| choices.rf[p.index()].is_some());
        if happens {
            choices.self_justified.push((access, self.value(term)));
        }
    }

    fn generations(&self, choices: &mut Choices) {
        if let Some((generations, _)) =
            self.encoding.barriers.options.iter().find(|(_, f)| self.holds(*f))
        {
            choices.generations.clone_from(generations);
            return;
        }
        let graph = self.encoding.graph;
        // A guard that no constraint mentions has no value in the solver's model; it follows from
        // the other choices.
        let rest = Choices { generations: TiVec::new(), ..choices.clone() };
        let execution = Execution::assemble(graph, rest);
        let happened = |event: EventId| {
            let guard = graph.event(event).guard;
            match (graph.exprs.constant(guard), self.translation.known_expr(guard)) {
                (Some(bits), _) => bits != 0,
                (None, Some(term)) => self.value(term) == 1,
                (None, None) => execution.as_ref().is_ok_and(|e| e.executed.contains(event)),
            }
        };
        choices.generations = Barriers::new(graph, happened, |_| None).by_ordinal();
    }
}

fn differs(term: &Term, value: u128) -> Bool {
    match term {
        Term::Bool(b) if value == 1 => b.not(),
        Term::Bool(b) => b.clone(),
        Term::Bits(bits) => bits.eq(number(value, bits.get_size())).not(),
    }
}
