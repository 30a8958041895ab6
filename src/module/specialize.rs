//! Specialization: the residual program of each thread under a given launch.
//!
//! A thread knows its indices and arguments, so that most of its branches and addresses are
//! constant. Constant branches are followed, loops controlled only by registers are unrolled, and
//! accesses get the variable and the offset of their address. The remaining statements form the
//! residual program of the thread, without computations of dead registers. Statements keep their
//! source positions.
//!
//! A place of the program is visited once for each round of the loops around it. If several paths
//! reach the place, the visit keeps only the register values on which all paths agree. Therefore no
//! statement behind a branch on memory is duplicated, and no store gets a dependency on a load that
//! it lacks in the source. A visit with the same known values as an earlier visit is merged with
//! it. If a branch out of a loop depends on memory, the values that differ from one round to the
//! next are forgotten, so that the residual program keeps the loop.

use super::choices::choices;
use super::fold::{Registers, value};
use super::residual::{Block, End, Residual};
use super::trace::{Moment, Trace, depends_on_place};
use crate::litmus::ast::{Condition, DeclaredSpace, Dialect, Term, Test, Variable};
use crate::program::layout::Layout;
use crate::program::lower::unrotated;
use crate::program::micro::{Micro, Step, Target, ThreadCode};
use crate::program::reading::Readings;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{AccessForm, Operation, Order, Statement, Type, TypeKind, Value};
use crate::source::Spanned;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of statements of a thread's residual program before dead code is removed.
/// Code that needs more statements is not specialized.
const MOST_STATEMENTS: usize = 100_000;

/// The number of unrolled rounds of a loop with one exit that depends on memory and another exit
/// that is constant.
const ROUNDS_OF_TWO_WAYS: u32 = 8;

/// The test with the residual program of each thread. A test in columns, whose branches compare,
/// stays unchanged.
#[must_use]
pub fn specialized(mut test: Test) -> Test {
    if test.dialect != Dialect::Blocks {
        return test;
    }
    for thread in &mut test.threads {
        one_label_each(&mut thread.statements);
    }
    let keeps_parameters = addresses_parameters(&test);
    let program = unrotated(&test, Readings::default());
    let kept = registers_of_conditions(&test);
    let mut threads = Vec::with_capacity(test.threads.len());
    for (index, code) in program.threads.iter().enumerate() {
        let statements = &test.threads[index].statements;
        let kept = kept.get(&index).cloned().unwrap_or_default();
        let residual = Specializer::new(statements, code, &program.layout).residual();
        threads.push(residual.map(|residual| residual.statements(&kept)));
    }
    for (thread, statements) in test.threads.iter_mut().zip(threads) {
        if let Some(statements) = statements {
            thread.statements = statements;
        }
        let used: FxHashSet<String> = thread
            .statements
            .iter()
            .flat_map(|statement| {
                let Mentions { reads, writes, .. } = Mentions::of(statement);
                reads.into_iter().chain(writes).map(|r| r.value.clone()).collect::<Vec<_>>()
            })
            .collect();
        let mut known = FxHashSet::default();
        thread.registers.retain(|(register, _)| {
            used.contains(&register.value) && known.insert(register.value.clone())
        });
    }
    if !keeps_parameters {
        without_unused(&mut test);
    }
    test
}

/// Whether some thread computes with the address of a parameter. Residual programs may then hold
/// addresses as numbers, which have to stay those of the same parameters.
fn addresses_parameters(test: &Test) -> bool {
    let parameters = test.variables.iter().filter(|v| v.space == DeclaredSpace::Param);
    let parameters: FxHashSet<&str> = parameters.map(|v| v.name.value.as_str()).collect();
    let mut statements = test.threads.iter().flat_map(|thread| &thread.statements);
    statements.any(|statement| {
        !matches!(statement.operation, Operation::Load { .. })
            && Mentions::of(statement)
                .variables
                .iter()
                .any(|n| parameters.contains(n.value.as_str()))
    })
}

/// Leaves out the parameters that nothing loads any more.
fn without_unused(test: &mut Test) {
    let statements = test.threads.iter().flat_map(|thread| &thread.statements);
    let named: FxHashSet<String> = statements
        .flat_map(|statement| Mentions::of(statement).variables.into_iter())
        .map(|name| name.value.clone())
        .collect();
    let unused = |v: &Variable| v.space == DeclaredSpace::Param && !named.contains(&v.name.value);
    test.variables.retain(|variable| !unused(variable));
}

/// The registers of each thread that conditions ask about.
fn registers_of_conditions(test: &Test) -> BTreeMap<usize, FxHashSet<String>> {
    fn terms<'c>(condition: &'c Condition, out: &mut Vec<&'c Term>) {
        match condition {
            Condition::True | Condition::False => {}
            Condition::Compare(_, left, right) => out.extend([left, right]),
            Condition::Not(inner) => terms(inner, out),
            Condition::And(list) | Condition::Or(list) => {
                list.iter().for_each(|inner| terms(inner, out));
            }
            Condition::Implies(left, right) => {
                terms(left, out);
                terms(right, out);
            }
        }
    }
    let mut all: Vec<&Term> = test.locations.iter().collect();
    terms(&test.condition, &mut all);
    test.filter.iter().for_each(|filter| terms(filter, &mut all));
    let mut kept: BTreeMap<usize, FxHashSet<String>> = BTreeMap::new();
    for term in all {
        if let Term::Register { thread, register, .. } = term {
            kept.entry(*thread).or_default().insert(register.clone());
        }
    }
    kept
}

/// Leaves one label before each statement, so that each has one step of the program.
pub(super) fn one_label_each(statements: &mut [Statement]) {
    let mut renamed: FxHashMap<String, String> = FxHashMap::default();
    for statement in statements.iter_mut() {
        let Some(first) = statement.labels.first().map(|label| label.value.clone()) else {
            continue;
        };
        for other in statement.labels.drain(1..) {
            renamed.insert(other.value, first.clone());
        }
    }
    for statement in statements {
        if let Operation::Branch { target, .. } = &mut statement.operation
            && let Some(first) = renamed.get(&target.value)
        {
            target.value.clone_from(first);
        }
    }
}

/// The state at a place of a thread.
#[derive(Clone)]
struct State {
    registers: Registers,
    /// The loops that are being executed, by their first places.
    rounds: BTreeMap<usize, Round>,
}

/// A loop that is being executed.
#[derive(Clone)]
struct Round {
    /// The registers when the round began.
    registers: Registers,
    /// Whether an exit of the loop depended on memory.
    open: bool,
    /// Whether an exit of the loop was constant.
    decided: bool,
    /// How many rounds there were.
    count: u32,
}

/// The known values of the live registers at the start of a visit.
type Known = Vec<(usize, u128)>;

/// The order of visits: first by the rounds of the surrounding loops, outer loops first, then by
/// the place. A round is given by the start of its loop and its number. All visits that lead to a
/// visit therefore come before it.
type Turn = Vec<usize>;

/// A visit that is still to come.
struct Visit {
    block: usize,
    at: usize,
    state: State,
}

/// How many of the last visits of a place are compared with a new one.
const COMPARED_VISITS: usize = 8;

impl State {
    /// Keeps the values on which both states agree.
    fn meet(&mut self, other: &Self) {
        let meet = |own: &mut Registers, other: &Registers| {
            for (own, other) in own.iter_mut().zip(other) {
                if own != other {
                    *own = None;
                }
            }
        };
        meet(&mut self.registers, &other.registers);
        for (start, round) in &mut self.rounds {
            let Some(other) = other.rounds.get(start) else { continue };
            meet(&mut round.registers, &other.registers);
            round.open |= other.open;
            round.decided |= other.decided;
        }
    }
}

/// When a place is visited in a state.
fn turn(at: usize, state: &State) -> Turn {
    let rounds = state.rounds.iter().flat_map(|(&start, round)| [start, round.count as usize]);
    rounds.chain([at]).collect()
}

pub(super) struct Specializer<'a> {
    statements: &'a [Statement],
    code: &'a ThreadCode,
    layout: &'a Layout,
    widths: Vec<u32>,
    /// The registers by name.
    names: FxHashMap<&'a str, usize>,
    /// The registers that are live before each step.
    live: Vec<Vec<bool>>,
    /// Where control comes together: places where visits may meet.
    joins: Vec<bool>,
    /// Loops: the first place, and the last place with a back edge to it.
    loops: BTreeMap<usize, usize>,
    blocks: Vec<Block>,
    /// The visits of each place that have begun, the last ones behind.
    known: FxHashMap<usize, Vec<(Known, usize)>>,
    open: BTreeMap<Turn, Visit>,
    emitted: usize,
    /// What a thread does that is only followed, without a residual program.
    trace: Option<Trace>,
    /// For each step, whether it chooses a value that decides something; for threads that are followed.
    chooses: Vec<bool>,
}

/// Where control goes from a step.
enum Next {
    /// To a place, decided.
    Place(usize),
    /// To one of two places: the target of the branch, and the place behind the branch.
    Either(usize, usize),
    /// The thread ends; with `MayEnd` only if the step's predicate, which is unknown, holds.
    Ends,
    MayEnd,
}

impl<'a> Specializer<'a> {
    pub(super) fn new(
        statements: &'a [Statement],
        code: &'a ThreadCode,
        layout: &'a Layout,
    ) -> Self {
        debug_assert_eq!(statements.len(), code.steps.len(), "a step for each statement");
        let widths = code.registers.iter().map(|register| register.ty.bits).collect();
        let registers = code.registers.iter().enumerate();
        let names = registers.map(|(at, register)| (register.name.as_str(), at)).collect();
        let mut joins = vec![false; code.steps.len() + 1];
        let mut loops: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, step) in code.steps.iter().enumerate() {
            if let Some(target) = step.branch_target() {
                let target = target.min(code.steps.len());
                joins[target] = true;
                if target <= at {
                    let end = loops.entry(target).or_insert(at);
                    *end = (*end).max(at);
                }
            }
        }
        Self {
            statements,
            code,
            layout,
            widths,
            names,
            live: live(code),
            joins,
            loops,
            blocks: Vec::new(),
            known: FxHashMap::default(),
            open: BTreeMap::new(),
            emitted: 0,
            trace: None,
            chooses: Vec::new(),
        }
    }

    /// Executes the thread from its start; `None` where that takes too many steps.
    fn execute_all(&mut self, registers: Registers) -> Option<()> {
        self.block(0, State { registers, rounds: BTreeMap::new() });
        while let Some((_, Visit { block, at, state })) = self.open.pop_first() {
            let known = self.live_known(at, &state);
            self.known.entry(at).or_default().push((known, block));
            self.run(block, at, state)?;
        }
        Some(())
    }

    /// What a thread does that starts with these registers.
    pub(super) fn traced(&mut self, registers: Registers) -> Trace {
        if self.chooses.is_empty() {
            self.chooses = choices(&self.code.steps, self.code.registers.len());
        }
        self.trace = Some(Trace::default());
        let finished = self.execute_all(registers).is_some();
        self.blocks.clear();
        self.known.clear();
        self.open.clear();
        let mut trace = self.trace.take().unwrap_or_default();
        if !finished {
            trace.lose();
        }
        trace
    }

    /// The residual program; `None` where it grows too large.
    fn residual(mut self) -> Option<Residual> {
        self.execute_all(vec![None; self.code.registers.len()])?;
        let labels = self.statements.iter().flat_map(|statement| &statement.labels);
        let labels = labels.map(|label| label.value.clone()).collect();
        Some(Residual { blocks: self.blocks, labels })
    }

    /// The block for a visit of a place.
    fn block(&mut self, at: usize, mut state: State) -> usize {
        self.enter(at, &mut state);
        let turn = turn(at, &state);
        if let Some(visit) = self.open.get_mut(&turn) {
            visit.state.meet(&state);
            return visit.block;
        }
        let earlier = self.known.get(&at).map_or(&[][..], Vec::as_slice);
        let holds =
            |known: &Known| known.iter().all(|&(r, value)| state.registers[r] == Some(value));
        let mut last = earlier.iter().rev().take(COMPARED_VISITS);
        if let Some((_, block)) = last.find(|(known, _)| holds(known)) {
            return *block;
        }
        let block = self.blocks.len();
        let label = self.statements.get(at).and_then(|s| s.labels.first()).cloned();
        self.blocks.push(Block { label, statements: Vec::new(), end: End::Exit });
        self.open.insert(turn, Visit { block, at, state });
        block
    }

    fn live_known(&self, at: usize, state: &State) -> Known {
        let live = &self.live[at];
        let registers = state.registers.iter().enumerate().filter(|(r, _)| live[*r]);
        registers.filter_map(|(r, value)| Some((r, (*value)?))).collect()
    }

    /// Starts a round of a loop. Forgets the values that differ between rounds if the number of
    /// rounds depends on memory.
    fn enter(&self, at: usize, state: &mut State) {
        state.rounds.retain(|&start, _| start <= at && at <= self.loops[&start]);
        if !self.loops.contains_key(&at) {
            return;
        }
        let (mut forgets, mut count) = (false, 0);
        if let Some(round) = state.rounds.get(&at) {
            count = round.count + 1;
            forgets = round.open && (!round.decided || count >= ROUNDS_OF_TWO_WAYS);
        }
        if forgets {
            let before = state.rounds[&at].registers.clone();
            let pairs = state.registers.iter_mut().zip(before);
            for (now, before) in pairs {
                if *now != before {
                    *now = None;
                }
            }
        }
        let registers = state.registers.clone();
        let round = Round { registers, open: false, decided: false, count };
        state.rounds.insert(at, round);
    }

    /// Notes that control went on at a branch inside of loops.
    fn leave(&self, at: usize, targets: [usize; 2], decided: bool, state: &mut State) {
        for (&start, round) in &mut state.rounds {
            let inside = |place: usize| start <= place && place <= self.loops[&start];
            let leads_out = inside(at) && targets.iter().any(|&place| !inside(place));
            if leads_out || targets.contains(&start) && !decided {
                round.open |= !decided;
                round.decided |= decided;
            }
        }
    }

    /// Executes a block from a place up to where control divides or comes together.
    fn run(&mut self, block: usize, mut at: usize, mut state: State) -> Option<()> {
        let end = loop {
            let Some(step) = self.code.steps.get(at) else { break End::Exit };
            let (statement, next) = self.step(at, step, &mut state);
            if let Some(statement) = statement {
                self.blocks[block].statements.push(statement);
                self.emitted += 1;
                if self.emitted > MOST_STATEMENTS {
                    return None;
                }
            }
            if let Some(trace) = &mut self.trace {
                if trace.steps > MOST_STATEMENTS {
                    return None;
                }
                if matches!(next, Next::Either(..) | Next::MayEnd) {
                    trace.divide(at);
                }
            }
            match next {
                Next::Ends => break End::Exit,
                Next::Place(next) if self.joins[next] => break End::Goto(self.block(next, state)),
                Next::Place(next) => at = next,
                Next::Either(taken, other) => {
                    let branch = self.statements[at].clone();
                    let rest = self.block(other, state.clone());
                    let taken = self.block(taken, state);
                    break End::Branch { branch, taken, other: rest };
                }
                Next::MayEnd => {
                    let branch = self.statements[at].clone();
                    break End::MayExit { branch, other: self.block(at + 1, state) };
                }
            }
        };
        self.blocks[block].end = end;
        Some(())
    }

    /// Executes one step; gives the residual statement and the next place.
    fn step(&mut self, at: usize, step: &Step, state: &mut State) -> (Option<Statement>, Next) {
        let guard = step.guard.as_ref().map(|guard| value(guard, &state.registers, &self.widths));
        let last = self.code.steps.len();
        if guard == Some(Some(0)) {
            if let Some(target) = step.branch_target() {
                self.leave(at, [target, at + 1], true, state);
            }
            return (None, Next::Place(at + 1));
        }
        let sure = guard != Some(None);
        if let Some(target) = step.branch_target() {
            let target = target.min(last);
            self.leave(at, [target, at + 1], sure, state);
            // A branch has no other effect.
            return match sure {
                true => (None, Next::Place(target)),
                false => (None, Next::Either(target, at + 1)),
            };
        }
        if step.micros.iter().any(|micro| matches!(micro, Micro::Exit)) {
            return (None, if sure { Next::Ends } else { Next::MayEnd });
        }
        let before = state.registers.clone();
        let statement = match &mut self.trace {
            Some(trace) => {
                let operation = &self.statements[at].operation;
                let (registers, widths, layout) = (&before, &self.widths[..], self.layout);
                let chooses = self.chooses[at];
                let moment = Moment { at, step, chooses, operation, registers, widths, layout };
                trace.observe(&moment);
                None
            }
            None => self.statement(at, sure, &before),
        };
        for micro in &step.micros {
            self.execute(micro, &before, state);
        }
        if !sure {
            for register in step.written() {
                if state.registers[register] != before[register] {
                    state.registers[register] = None;
                }
            }
        }
        if self.trace.is_some() && depends_on_place(&self.statements[at].operation) {
            step.written().into_iter().for_each(|register| state.registers[register] = None);
        }
        let folded = statement.map(|statement| self.folded(statement, step, sure, state));
        (folded, Next::Place(at + 1))
    }

    fn execute(&self, micro: &Micro, before: &Registers, state: &mut State) {
        match micro {
            Micro::Assign { register, value: term } => {
                state.registers[*register] = value(term, &state.registers, &self.widths);
            }
            Micro::Elements { list, .. } => {
                for element in list {
                    let read = self.constant_load(element, before);
                    for register in element.written() {
                        state.registers[register] = read;
                    }
                }
            }
            other => {
                let read = self.constant_load(other, before);
                for register in other.written() {
                    state.registers[register] = read;
                }
            }
        }
    }

    /// The value of a load from memory that is never written: a kernel parameter or constant
    /// memory.
    fn constant_load(&self, micro: &Micro, registers: &Registers) -> Option<u128> {
        let Micro::Load { target, destination: Some((register, extension)) } = micro else {
            return None;
        };
        // An access that breaks rules is kept, so that executions report the violation.
        let plain = target.order == Order::Weak && !target.marks.volatile && !target.marks.mmio;
        let plain = plain && target.lane.is_none();
        if !plain {
            return None;
        }
        let (variable, offset) = self.named(target, registers)?;
        let info = &self.layout.variables[variable];
        if !matches!(info.space, DeclaredSpace::Param | DeclaredSpace::Const) {
            return None;
        }
        let size = u64::from(info.ty.bytes());
        let mut bits = 0_u128;
        for byte in 0..u64::from(target.bytes) {
            let element = info.given((offset + byte) / size)?;
            let part = element >> (8 * ((offset + byte) % size)) & 0xff;
            bits |= part << (8 * byte);
        }
        let term = crate::program::term::Term::Const(bits, 8 * target.bytes);
        let term = term.resize(self.widths[*register], *extension);
        value(&term, registers, &self.widths)
    }

    /// The variable and the byte offset of an access, if its address is known and within the
    /// variable.
    fn named(&self, target: &Target, registers: &Registers) -> Option<(usize, u64)> {
        let address = value(&target.address, registers, &self.widths)?;
        let address = u64::try_from(address).ok()?;
        self.layout.named(target.space, address, u64::from(target.bytes))
    }

    /// The statement with the known address of its access.
    fn statement(&self, at: usize, sure: bool, before: &Registers) -> Option<Statement> {
        let mut statement = self.statements[at].clone();
        statement.labels.clear();
        if sure {
            statement.guard = None;
        }
        if matches!(statement.operation, Operation::Nothing) {
            return None;
        }
        if let Some(access) = access_of(&mut statement.operation)
            && let Some(start) = self.start(access, before)
        {
            let bytes = u64::from(access.ty.bytes() * access.elements.max(1));
            if let Some((variable, offset)) = self.layout.named(access.space, start, bytes) {
                let span = access.address.span;
                let name = Spanned::new(self.layout.variables[variable].name.clone(), span);
                access.address.base = Value::AddressOf(name, 0);
                access.address.offset = i64::try_from(offset).unwrap_or(i64::MAX);
            }
        }
        Some(statement)
    }

    /// The address of an access through a register that is known.
    fn start(&self, access: &AccessForm, registers: &Registers) -> Option<u64> {
        let Value::Register(base) = &access.address.base else { return None };
        let register = *self.names.get(base.value.as_str())?;
        let base = u64::try_from(registers[register]?).ok()?;
        Some(base.wrapping_add_signed(access.address.offset))
    }

    /// A statement that computes a number, as a move of that number.
    fn folded(&self, statement: Statement, step: &Step, sure: bool, state: &State) -> Statement {
        let pure = |micro: &Micro| match micro {
            Micro::Assign { .. } => true,
            Micro::Load { .. } => self.constant_load(micro, &state.registers).is_some(),
            _ => false,
        };
        let written = step.written();
        let [register] = written[..] else { return statement };
        let Some(number) = state.registers[register] else { return statement };
        if !sure || !step.micros.iter().all(pure) {
            return statement;
        }
        let info = &self.code.registers[register];
        let ty = match info.ty.kind {
            TypeKind::Predicate => info.ty,
            _ => Type::new(TypeKind::Bits, info.ty.bits),
        };
        let span = statement.span;
        let operation = Operation::Move {
            ty,
            destination: Some(Spanned::new(info.name.clone(), span)),
            source: Value::Immediate(Spanned::new(number as i128, span)),
        };
        Statement { operation, ..statement }
    }
}

/// The access of a statement that has one.
fn access_of(operation: &mut Operation) -> Option<&mut AccessForm> {
    use Operation as O;
    match operation {
        O::Load { access, .. }
        | O::Store { access, .. }
        | O::Atomic { access, .. }
        | O::Reduce { access, .. }
        | O::Mbarrier { access, .. } => Some(access),
        _ => None,
    }
}

/// The registers that are live before each step.
fn live(code: &ThreadCode) -> Vec<Vec<bool>> {
    let (steps, count) = (&code.steps, code.registers.len());
    let mut live = vec![vec![false; count]; steps.len() + 1];
    let effects: Vec<(Vec<usize>, Vec<usize>)> =
        steps.iter().map(|step| (step.read(), step.written())).collect();
    let mut open: BTreeSet<usize> = (0..steps.len()).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); steps.len() + 1];
    for (at, step) in steps.iter().enumerate() {
        if step.falls_through() {
            before[at + 1].push(at);
        }
        if let Some(target) = step.branch_target() {
            before[target.min(steps.len())].push(at);
        }
    }
    while let Some(at) = open.pop_last() {
        let step = &steps[at];
        let mut now = vec![false; count];
        let mut add = |next: &[bool]| now.iter_mut().zip(next).for_each(|(a, b)| *a |= b);
        if step.falls_through() {
            add(&live[at + 1]);
        }
        if let Some(target) = step.branch_target() {
            add(&live[target.min(steps.len())]);
        }
        let (read, written) = &effects[at];
        if step.guard.is_none() {
            written.iter().for_each(|&register| now[register] = false);
        }
        read.iter().for_each(|&register| now[register] = true);
        if now != live[at] {
            live[at] = now;
            open.extend(&before[at]);
        }
    }
    live
}
