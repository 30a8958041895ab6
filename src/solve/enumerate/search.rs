//! The search: candidates, then barrier generations, then orders, then final writes.
//!
//! Orders start empty and grow. Edges that the axioms demand are added until there are none; if an
//! axiom demands that a pair be ordered, both directions are tried. For a model whose axioms are
//! all prohibitions, productions and choices ([`classify`](crate::relation::classify)) this loses
//! no outcome: take any consistent execution and follow its orders at every choice. Edges demanded
//! of smaller orders are also demanded of the execution's orders, since demands only grow.
//! Therefore the orders of the search stay inside those of the execution. They break no prohibition
//! that the execution keeps, and every coherence-maximal write of the execution stays maximal.
//! Fences of mutual scope are a choice in every model, pairs of writes in a model with total
//! coherence. For any other model, every partial order is tried: each pair of writes one way, the
//! other way, and not at all.

use super::candidates::{self, Candidate, Visitor};
use super::free::{Free, assignments};
use super::known::Known;
use super::rules::{Coherence, Demand, Rules};
use crate::budget::Deadline;
use crate::event::graph::EventGraph;
use crate::execution::barriers::{Barriers, Generations};
use crate::execution::build::{Choices, Execution, Inconsistency, sc_pairs};
use crate::execution::phase::TooMany;
use crate::execution::recheck::recheck;
use crate::id::{BarrierId, EventId, ExprId, LocId};
use crate::program::expr::{Expr, ExprArena};
use crate::relation::eval::{Evaluator, Interpretation};
use crate::relation::expr::Model;
use crate::solve::symbols;
use crate::solve::{Budget, Goal, Why};
use crate::vocabulary::BaseRel;
use std::ops::ControlFlow;
use typed_index_collections::TiVec;

/// The reason why a search ends before it has seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The caller has seen enough.
    Enough,
    /// A limit.
    Limit(Why),
}

type Flow = ControlFlow<Stop>;
type Pair = (EventId, EventId);

/// A search for executions that reach a goal and satisfy a model.
pub(super) struct Search<'a, F> {
    graph: &'a EventGraph,
    model: &'a Model,
    rules: &'a Rules,
    goal: Goal,
    evaluator: Evaluator<'a>,
    steps_left: Option<u64>,
    deadline: Option<Deadline>,
    /// Pairs that stay unordered, if every partial order is tried.
    apart: Vec<Pair>,
    /// Whether values that justify themselves were met; they are left out.
    pub self_justified: bool,
    /// The barrier results of the current candidate.
    barriers: TiVec<BarrierId, u128>,
    /// Whether the values tried for symbols stand for all others.
    symbols_are_enough: bool,
    /// Whether an execution was found on which other values of symbols might have another effect.
    pub symbols_matter: bool,
    found: F,
}

impl<'a, F: FnMut(&Execution<'a>) -> Flow> Search<'a, F> {
    /// A search that calls `found` with every execution.
    pub(super) fn new(
        graph: &'a EventGraph,
        model: &'a Model,
        rules: &'a Rules,
        goal: Goal,
        budget: Budget,
        found: F,
    ) -> Self {
        Self {
            evaluator: rules.evaluator(graph.events.len()),
            steps_left: budget.steps,
            deadline: budget.end(),
            apart: Vec::new(),
            self_justified: false,
            barriers: TiVec::new(),
            symbols_are_enough: symbols::are_enough(graph),
            symbols_matter: false,
            graph,
            model,
            rules,
            goal,
            found,
        }
    }

    /// Visits all executions.
    pub(super) fn run(&mut self) -> Flow {
        assignments(self.graph).try_for_each(|free| candidates::visit(self.graph, &free, self))
    }

    /// Counts one step.
    fn step(&mut self) -> Flow {
        if let Some(left) = &mut self.steps_left {
            if *left == 0 {
                return ControlFlow::Break(Stop::Limit(Why::Steps));
            }
            *left -= 1;
        }
        if self.deadline.is_some_and(Deadline::is_over) {
            return ControlFlow::Break(Stop::Limit(Why::Timeout));
        }
        ControlFlow::Continue(())
    }

    /// Whether the goal may still be reached, given the known values.
    fn within_reach(&self, truth: impl Fn(ExprId) -> Option<bool>) -> bool {
        self.goal.may_be_reached(self.graph, truth)
    }

    /// Records whether a relevant fact is unknown while symbols are open: the executed events, or a
    /// value that the goal asks for.
    fn note_symbols(&mut self, rf: &[Option<EventId>], free: &Free) {
        if self.symbols_are_enough || self.symbols_matter {
            return;
        }
        let graph = self.graph;
        let known = Known::of(graph, free, rf);
        let guards = graph.events.iter().map(|e| e.guard).chain(graph.cuts.iter().map(|c| c.guard));
        let mut asked = guards.chain(self.goal.asks(graph)).chain([graph.filter]);
        let unknown = |x: ExprId| known.get(x).is_none();
        let writes = |loc| graph.events.iter().filter(move |e| e.is_write() && e.loc == Some(loc));
        let is_open = |leaf: &Expr| match *leaf {
            Expr::Read(access) => unknown(graph.access(access).value),
            Expr::Final(loc) => writes(loc).any(|e| unknown(graph.access(e.access).value)),
            Expr::Symbol(symbol) => graph.symbols[symbol.index()].open_bits() > 1,
            _ => false,
        };
        self.symbols_matter =
            asked.any(|x| unknown(x) && graph.exprs.leaves(x).iter().any(is_open));
    }

    /// The ways in which threads can meet at barriers.
    fn generations(&self, candidate: &Candidate<'_>) -> Result<Vec<Generations>, TooMany> {
        // A thread that is cut may leave others waiting. Without generations, operations meet where
        // ordinals decide.
        if self.goal == Goal::BoundHit {
            return Ok(vec![TiVec::new()]);
        }
        let values = candidate.values;
        let executes = |id: EventId| values.truth(self.graph.event(id).guard) == Some(true);
        Barriers::new(self.graph, executes, |x| values.get(x)).assignments()
    }

    /// Lets the orders of an execution grow.
    fn grow(&mut self, execution: &mut Execution<'a>) -> Flow {
        self.step()?;
        loop {
            let values = self.evaluator.reevaluate(execution);
            match self.rules.demand(execution, values) {
                Demand::Hopeless => return ControlFlow::Continue(()),
                Demand::Edges(order, edges) => {
                    if !self.insert(execution, order, &edges) {
                        return ControlFlow::Continue(());
                    }
                }
                Demand::Either(order, a, b) => return self.either(execution, order, a, b),
                Demand::Nothing => break,
            }
        }
        if let Some((a, b)) = self.open_fences(execution) {
            return self.either(execution, BaseRel::FenceSc, a, b);
        }
        let Some((a, b)) = self.open_writes(execution) else { return self.ordered(execution) };
        self.either(execution, BaseRel::Co, a, b)?;
        if self.rules.coherence == Coherence::Partial {
            self.apart.push((a, b));
            self.grow(execution)?;
            self.apart.pop();
        }
        ControlFlow::Continue(())
    }

    /// Tries both directions of a pair.
    fn either(
        &mut self,
        execution: &mut Execution<'a>,
        order: BaseRel,
        a: EventId,
        b: EventId,
    ) -> Flow {
        let (co, sc) = (execution.choices.co.clone(), execution.choices.sc.clone());
        for pair in [(a, b), (b, a)] {
            if self.insert(execution, order, &[pair]) {
                self.grow(execution)?;
            }
            execution
                .set_orders(co.clone(), sc.clone())
                .expect("these orders were accepted before");
        }
        ControlFlow::Continue(())
    }

    /// Adds edges to an order; false if the order cannot hold them.
    fn insert(&self, execution: &mut Execution<'a>, order: BaseRel, edges: &[Pair]) -> bool {
        let (mut co, mut sc) = (execution.choices.co.clone(), execution.choices.sc.clone());
        if order == BaseRel::Co { &mut co } else { &mut sc }.extend(edges);
        execution.set_orders(co, sc).is_ok()
            && edges.iter().all(|&(a, b)| execution.relation(order).contains(a, b))
            && !self.apart.iter().any(|&(a, b)| {
                let co = execution.relation(BaseRel::Co);
                co.contains(a, b) || co.contains(b, a)
            })
    }

    /// A pair of executed fences that the Fence-SC order has to relate and does not (PTX-8.9.3).
    fn open_fences(&self, execution: &Execution<'_>) -> Option<Pair> {
        let sc = execution.relation(BaseRel::FenceSc);
        let executes = |id: EventId| execution.executed.contains(id);
        sc_pairs(self.graph)
            .into_iter()
            .find(|&(a, b)| executes(a) && executes(b) && !sc.contains(a, b) && !sc.contains(b, a))
    }

    /// A pair of executed writes to one location that is neither ordered nor kept apart.
    fn open_writes(&self, execution: &Execution<'_>) -> Option<Pair> {
        if self.rules.coherence == Coherence::Demanded {
            return None;
        }
        let co = execution.relation(BaseRel::Co);
        let location = |id: EventId| self.graph.event(id).loc;
        let writes: Vec<EventId> =
            execution.executed.iter().filter(|&id| self.graph.event(id).is_write()).collect();
        let pairs = writes
            .iter()
            .enumerate()
            .flat_map(|(at, &a)| writes[at + 1..].iter().map(move |&b| (a, b)));
        pairs.into_iter().find(|&(a, b)| {
            location(a) == location(b)
                && !co.contains(a, b)
                && !co.contains(b, a)
                && !self.apart.contains(&(a, b))
        })
    }

    /// Handles an execution with complete orders: the model as written decides, then final writes
    /// are chosen.
    fn ordered(&mut self, execution: &mut Execution<'a>) -> Flow {
        if !recheck(self.model, execution).is_consistent() {
            return ControlFlow::Continue(());
        }
        let symbols = execution.choices.symbols.clone();
        let barriers = self.barriers.clone();
        self.note_symbols(&execution.choices.rf, &Free { symbols, barriers });
        if self.goal == Goal::BoundHit {
            // Candidates that other values of symbols might cut are visited here too.
            return match self.goal.is_reached(self.model, execution) {
                true => (self.found)(execution),
                false => ControlFlow::Continue(()),
            };
        }
        let options = last_writes(execution);
        self.finals(execution, &options, &mut Vec::new())?;
        execution.set_finals(Vec::new()).expect("values were determined before");
        ControlFlow::Continue(())
    }

    /// Chooses the final write of every location among its options.
    fn finals(
        &mut self,
        execution: &mut Execution<'a>,
        options: &[Vec<EventId>],
        chosen: &mut Vec<Option<EventId>>,
    ) -> Flow {
        if let Some(last) = options.get(chosen.len()) {
            for &write in last {
                chosen.push(Some(write));
                self.finals(execution, options, chosen)?;
                chosen.pop();
            }
            return ControlFlow::Continue(());
        }
        self.step()?;
        let finals = execution.set_finals(chosen.clone());
        let finished = finals.and_then(|()| execution.check_finished()).is_ok();
        if finished && self.goal.is_reached(self.model, execution) {
            (self.found)(execution)?;
        }
        ControlFlow::Continue(())
    }
}

impl<'a, F: FnMut(&Execution<'a>) -> Flow> Visitor for Search<'a, F> {
    type Stop = Stop;

    fn is_promising(&mut self, candidate: &Candidate<'_>) -> ControlFlow<Stop, bool> {
        if let ControlFlow::Break(stop) = self.step() {
            return ControlFlow::Break(stop);
        }
        if self.symbols_are_enough {
            return ControlFlow::Continue(self.within_reach(|x| candidate.values.truth(x)));
        }
        // A candidate that other values of symbols might complete is followed, to see whether it is
        // consistent.
        let known = Known::of(self.graph, candidate.free, candidate.rf);
        ControlFlow::Continue(self.within_reach(|x| known.truth(x)))
    }

    fn candidate(&mut self, candidate: &Candidate<'_>) -> Flow {
        self.barriers.clone_from(&candidate.free.barriers);
        let Ok(meetings) = self.generations(candidate) else {
            return ControlFlow::Break(Stop::Limit(Why::Steps));
        };
        for generations in meetings {
            let choices = Choices {
                rf: candidate.rf.to_vec(),
                symbols: candidate.free.symbols.clone(),
                generations,
                returned: candidate.free.barriers.iter().copied().map(Some).collect(),
                ..Choices::default()
            };
            let mut execution = match Execution::assemble(self.graph, choices) {
                Ok(execution) => execution,
                // The assumed result of a barrier may justify only itself.
                Err(Inconsistency::Undetermined(_)) => {
                    self.self_justified = true;
                    continue;
                }
                // A barrier whose result differs from the assumed one makes no execution.
                Err(
                    Inconsistency::Barriers
                    | Inconsistency::ReadsFromNowhere(_)
                    | Inconsistency::WrongValue(_),
                ) => continue,
                Err(_) => unreachable!("neither orders nor final values have been chosen"),
            };
            self.evaluator.evaluate(&execution);
            self.grow(&mut execution)?;
        }
        ControlFlow::Continue(())
    }

    fn self_justified(&mut self, _rf: &[Option<EventId>]) {
        self.self_justified = true;
    }
}

/// For every location, the possible final writes, which have no coherence successor. Only one of
/// them if no expression depends on the choice.
fn last_writes(execution: &Execution<'_>) -> Vec<Vec<EventId>> {
    let graph = execution.graph;
    let co = execution.relation(BaseRel::Co);
    let mut out = Vec::new();
    for index in 0..graph.locations.len() {
        let loc = LocId::new(index);
        let mut last: Vec<EventId> = execution
            .executed
            .iter()
            .filter(|&id| graph.event(id).is_write() && graph.event(id).loc == Some(loc))
            .filter(|&id| co.row(id).next().is_none())
            .collect();
        if !asks_for(&graph.exprs, loc) {
            last.truncate(1);
        }
        out.push(last);
    }
    out
}

/// Whether some expression mentions the final value of a location.
fn asks_for(exprs: &ExprArena, loc: LocId) -> bool {
    (0..exprs.len()).any(|x| exprs.get(ExprId::new(x)) == Expr::Final(loc))
}
