//! Symbolic execution of one thread within a loop bound.
//!
//! Branches do not fork the state: the two sides run under complementary guards, and their register
//! values join as choices. A symbolic address becomes one access per place that it may point to.

use super::access::union;
use super::builder::GraphBuilder;
use super::entry::DraftKind;
use super::graph::{Symbol, SymbolOrigin, Violation};
use super::in_flight::ProductRegisters;
use super::liveness::Live;
use super::loop_nest::{LoopId, Loops};
use super::uninterpreted::Opaque;
use super::unroll::{ControlFlow, Edge};
use crate::id::{AccessId, BarrierId, ExprId};
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::program::micro::{Micro, ThreadCode};
use crate::program::term::{Extension, Term};
use crate::rule::Rule;
use crate::source::Span;
use std::cell::OnceCell;

/// A register's value and the reads that it was computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) value: ExprId,
    pub(super) reads: Vec<AccessId>,
}

/// The state of a thread before a step.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) guard: ExprId,
    pub(super) cells: Vec<Cell>,
    pub(super) control: Vec<AccessId>,
    /// The condition that an iteration on the path was idle and could have been left out.
    pub(super) idle: ExprId,
}

/// An effect of a loop iteration that other threads can see.
pub(super) struct Effect {
    pub(super) node: usize,
    pub(super) guard: ExprId,
    pub(super) kind: EffectKind,
}

/// The kind of an effect, by whether repeating it changes anything.
pub(super) enum EffectKind {
    /// Any change.
    Change,
    /// An atomic operation; no change if it writes the value read.
    Update {
        /// Whether the update is idempotent, so that its readers may read from its source instead.
        transparent: bool,
        /// The value that it read.
        old: ExprId,
        /// The value that it wrote.
        new: ExprId,
    },
}

/// A thread that is executed symbolically.
pub(super) struct SymbolicThread<'d, 'p> {
    pub(super) builder: &'d mut GraphBuilder<'p>,
    pub(super) code: &'p ThreadCode,
    pub(super) index: usize,
    /// The copy of a step that is being executed.
    pub(super) node: usize,
    pub(super) spin_loops: bool,
    /// Whether the current access is an element of a vector.
    pub(super) in_elements: bool,
    pub(super) flow: ControlFlow,
    /// Registers that are observed at the end.
    pub(super) observed: &'d [usize],
    /// Computed when a loop asks for it.
    pub(super) live: OnceCell<Live>,
    /// As `live`: the registers that writes may depend on.
    pub(super) feeding: OnceCell<Option<Vec<Vec<bool>>>>,
    pub(super) entries: Vec<Option<State>>,
    pub(super) effects: Vec<Effect>,
    /// For waits that may time out, by their copies of steps, the conditions that they do not.
    pub(super) patience: Vec<(usize, ExprId)>,
    /// What clocks show where the thread reads them, with the copy of the step that does.
    pub(super) clocks: Vec<(usize, ExprId)>,
    /// Barrier operations, with their copies of steps.
    pub(super) met: Vec<(usize, BarrierId)>,
    /// Loops with the steps whose constant conditions may leave them.
    pub(super) counting: Vec<(LoopId, usize)>,
    pub(super) exits: Vec<State>,
    pub(super) position: u32,
    /// The registers that products of matrices use.
    pub(super) products: ProductRegisters,
}

impl<'d, 'p> SymbolicThread<'d, 'p> {
    /// A thread before its first step; `observed` are the registers that are shown at the end.
    pub(super) fn new(
        builder: &'d mut GraphBuilder<'p>,
        index: usize,
        observed: &'d [usize],
    ) -> Self {
        let code = &builder.program.threads[index];
        let bound = builder.unfolding.bound.max(1);
        let loops = Loops::of(code);
        let rounds = builder.trip_counts.of(index, loops.ids(), bound);
        let counted = rounds.and_then(|rounds| ControlFlow::unroll(code, &loops, rounds, bound));
        let flow = counted.unwrap_or_else(|| {
            builder.trip_counts.give_up_thread(index);
            let (flow, bound) = ControlFlow::unroll_evenly(code, &loops, bound);
            builder.cuts.bound = builder.cuts.bound.min(bound);
            flow
        });
        let entries = vec![None; flow.nodes.len()];
        Self {
            observed,
            live: OnceCell::new(),
            feeding: OnceCell::new(),
            spin_loops: builder.unfolding.spin_loops,
            in_elements: false,
            builder,
            code,
            index,
            node: 0,
            flow,
            entries,
            effects: Vec::new(),
            patience: Vec::new(),
            clocks: Vec::new(),
            met: Vec::new(),
            counting: Vec::new(),
            exits: Vec::new(),
            position: 0,
            products: ProductRegisters::of(code),
        }
    }

    pub(super) fn exprs(&mut self) -> &mut ExprArena {
        &mut self.builder.exprs
    }

    /// Runs all copies of all steps; gives the registers' final values.
    pub(super) fn run(mut self) -> Vec<ExprId> {
        let start = self.start();
        if self.flow.nodes.is_empty() {
            self.exits.push(start);
        } else {
            self.entries[0] = Some(start);
        }
        for node in 0..self.flow.nodes.len() {
            // Only the state at the head of a loop is used again.
            let state = match self.flow.loops.headed_by(self.flow.nodes[node]) {
                Some(_) => self.entries[node].clone(),
                None => self.entries[node].take(),
            };
            if let Some(state) = state {
                self.step(node, state);
            }
        }
        let mut exits = std::mem::take(&mut self.exits).into_iter();
        let Some(mut last) = exits.next() else {
            // The thread never ends within the bound; its registers are irrelevant.
            let never = self.exprs().truth(false);
            self.builder.ends.push(never);
            return self
                .code
                .registers
                .iter()
                .map(|r| self.builder.exprs.number(0, r.ty.bits))
                .collect();
        };
        for state in exits {
            last = self.merge(last, state);
        }
        self.builder.ends.push(last.guard);
        self.check_observed_products(&last);
        last.cells.into_iter().map(|c| c.value).collect()
    }

    fn start(&mut self) -> State {
        let cells = self
            .code
            .registers
            .iter()
            .map(|r| Cell {
                value: self.builder.exprs.number(r.initial, r.ty.bits),
                reads: Vec::new(),
            })
            .collect();
        let (guard, idle) = (self.builder.exprs.truth(true), self.builder.exprs.truth(false));
        State { guard, cells, control: Vec::new(), idle }
    }

    /// The state where two paths join.
    fn merge(&mut self, a: State, b: State) -> State {
        let guard = self.exprs().or(a.guard, b.guard);
        let cells = a
            .cells
            .into_iter()
            .zip(b.cells)
            .map(|(x, y)| {
                let value = if x.value == y.value {
                    x.value
                } else {
                    self.builder.exprs.ite(a.guard, x.value, y.value)
                };
                Cell { value, reads: union(&x.reads, &y.reads) }
            })
            .collect();
        let idle = match a.idle == b.idle {
            true => a.idle,
            false => self.builder.exprs.ite(a.guard, a.idle, b.idle),
        };
        State { guard, cells, control: union(&a.control, &b.control), idle }
    }

    /// The one cell where a condition holds, else the other.
    pub(super) fn choose_cell(&mut self, condition: ExprId, then: Cell, otherwise: &Cell) -> Cell {
        let value = self.exprs().ite(condition, then.value, otherwise.value);
        Cell { value, reads: union(&then.reads, &otherwise.reads) }
    }

    pub(super) fn arrive(&mut self, node: usize, state: State) {
        let merged = match self.entries[node].take() {
            None => state,
            Some(there) => self.merge(there, state),
        };
        self.entries[node] = Some(merged);
    }

    /// Leaves a copy of a step by one of its edges.
    fn go(&mut self, from: usize, edge: Edge, state: State, span: Span) {
        if self.builder.exprs.is_false(state.guard) {
            return;
        }
        match edge {
            Edge::Nowhere => unreachable!("every step leads somewhere"),
            Edge::End => self.exits.push(state),
            Edge::To(node) => self.arrive(node, state),
            Edge::Again(id, head) => self.go_again(from, id, head, state, span),
        }
    }

    fn step(&mut self, node: usize, mut state: State) {
        self.node = node;
        let step = &self.code.steps[self.flow.nodes[node]];
        let entry_guard = state.guard;
        let mut skipped = None;
        if let Some(guard) = &step.guard {
            let condition = self.term(guard, &state, None);
            self.builder.note_use(condition);
            self.note_counting(node, condition);
            let not = self.exprs().not(condition);
            let skip = self.exprs().and(entry_guard, not);
            if !self.builder.exprs.is_false(skip) {
                skipped = Some(State { guard: skip, ..state.clone() });
            }
            state.guard = self.exprs().and(entry_guard, condition);
            let reads = self.term_reads(guard, &state);
            state.control = union(&state.control, &reads);
            if let Some(skipped) = &mut skipped {
                skipped.control.clone_from(&state.control);
            }
        }
        let mut ended = self.builder.exprs.is_false(state.guard);
        if !ended {
            if self.builder.unfolding.skips {
                self.builder.reached.insert((self.index, self.flow.nodes[node]));
            }
            for micro in &step.micros {
                ended |= self.micro(node, micro, &mut state, step.span);
            }
        }
        let next = self.flow.successors[node].next;
        if !ended {
            self.go(node, next, state, step.span);
        }
        if let Some(skipped) = skipped {
            self.go(node, next, skipped, step.span);
        }
        self.position += 2;
    }

    /// Executes one micro-operation; gives whether control has left the step for good.
    pub(super) fn micro(
        &mut self,
        node: usize,
        micro: &'p Micro,
        state: &mut State,
        span: Span,
    ) -> bool {
        self.touch_registers(micro, state, span);
        match micro {
            Micro::Assign { register, value: term } => {
                let reads = self.term_reads(term, state);
                let value = self.term(term, state, None);
                let value = self.blurred(term, value);
                state.cells[*register] = Cell { value, reads };
            }
            Micro::Opaque { results, operands, name, rule } => {
                self.opaque(results, operands, name, rule, state, span);
            }
            Micro::Load { target, destination } => self.load(target, *destination, state, span),
            Micro::Store { target, value } => {
                let reads = self.term_reads(value, state);
                let value = self.term(value, state, None);
                self.store(node, target, value, &reads, state, span);
            }
            Micro::Rmw { .. } => self.rmw(node, micro, state, span),
            Micro::Elements { list, order } => {
                self.in_elements = true;
                self.elements(node, list, *order, state, span);
                self.in_elements = false;
            }
            Micro::Supply { row, how, shape } => {
                self.supply(row.as_ref(), (*how, *shape), state);
            }
            Micro::Fence { order, scope, restriction, when } => {
                let (order, scope, restriction) = (*order, *scope, *restriction);
                let kind = DraftKind::Fence { order, scope, restriction };
                let mut guard = state.guard;
                if let Some(when) = when {
                    let holds = self.term(when, state, None);
                    guard = self.exprs().and(guard, holds);
                    self.position += 1;
                }
                if !self.builder.exprs.is_false(guard) {
                    self.push_other(kind, guard, span);
                }
            }
            Micro::ProxyFence { kind, map } => {
                let map = map.as_ref().and_then(|map| self.fenced_map(map, state, span));
                self.push_other(DraftKind::ProxyFence(*kind, map), state.guard, span);
            }
            Micro::Phase(what) => self.note_mbarrier_use(what, state, span),
            Micro::Then => self.position += 2,
            Micro::Issue(operation) => self.issue(node, operation, state, span),
            Micro::Commit(kind) => self.commit(*kind, state.guard),
            Micro::TensorFence(kind) => self.tensor_fence(*kind, state, span),
            Micro::Await(wait) => self.wait_for_groups(*wait, state.guard, span),
            Micro::Launch => {
                if self.builder.lets_start(self.index).next().is_some() {
                    self.push_other(DraftKind::Launch, state.guard, span);
                }
            }
            Micro::GridWait => self.push_other(DraftKind::GridWait, state.guard, span),
            Micro::Barrier(barrier) => self.barrier(node, barrier, state, span),
            Micro::Branch { condition, .. } => {
                return self.branch(node, condition.as_ref(), state, span);
            }
            Micro::Exit => {
                self.go(node, Edge::End, state.clone(), span);
                return true;
            }
            Micro::Require { condition, rule } => {
                let holds = self.term(condition, state, None);
                let fails = self.exprs().not(holds);
                let guard = self.exprs().and(state.guard, fails);
                if !self.builder.exprs.is_false(guard) {
                    self.violate(guard, span, rule.clone());
                }
            }
        }
        false
    }

    /// Notes a violation by the thread.
    pub(super) fn violate(&mut self, guard: ExprId, span: Span, rule: Rule) {
        let violation = self.violation(guard, span, rule);
        self.builder.violations.push(violation);
    }

    pub(super) fn violation(&mut self, guard: ExprId, span: Span, rule: Rule) -> Violation {
        let behind = vec![self.builder.at(self.index)];
        let ended = self.builder.ended_before(self.index, guard);
        let position = Some(self.position);
        Violation { guard, span, rule: Some(rule), behind, ended, position }
    }

    pub(super) fn push_other(&mut self, kind: DraftKind, guard: ExprId, span: Span) {
        self.builder.push_event(self.index, kind, guard, self.position, span);
    }

    fn branch(
        &mut self,
        node: usize,
        condition: Option<&Term>,
        state: &mut State,
        span: Span,
    ) -> bool {
        let mut taken = state.clone();
        let mut falls = None;
        if let Some(condition) = condition {
            let holds = self.term(condition, state, None);
            self.builder.note_use(holds);
            self.note_counting(node, holds);
            let reads = self.term_reads(condition, state);
            let not = self.exprs().not(holds);
            taken.guard = self.exprs().and(state.guard, holds);
            taken.control = union(&state.control, &reads);
            let guard = self.exprs().and(state.guard, not);
            let (cells, control) = (state.cells.clone(), taken.control.clone());
            falls = Some(State { guard, cells, control, idle: state.idle });
        }
        let edge = self.flow.successors[node].taken;
        self.go(node, edge, taken, span);
        match falls {
            Some(falls) if !self.builder.exprs.is_false(falls.guard) => {
                *state = falls;
                false
            }
            _ => true,
        }
    }

    pub(super) fn term(&mut self, term: &Term, state: &State, old: Option<ExprId>) -> ExprId {
        match term {
            Term::Const(bits, width) => self.exprs().number(*bits, *width),
            Term::Register(r) => state.cells[*r].value,
            Term::Old(width) => old.unwrap_or_else(|| self.builder.exprs.number(0, *width)),
            Term::Free(name, width) => {
                let id = self.builder.symbols.add_free(name.clone(), *width);
                self.exprs().leaf(Expr::Symbol(id), *width)
            }
            Term::Patience => {
                let id = self.builder.symbols.add_free("whether the wait times out".to_owned(), 1);
                let patience = self.exprs().leaf(Expr::Symbol(id), 1);
                self.patience.push((self.node, patience));
                patience
            }
            Term::Clock(name, width) => {
                let id = self.builder.symbols.add_free(name.clone(), *width);
                let clock = self.exprs().leaf(Expr::Symbol(id), *width);
                self.clocks.push((self.node, clock));
                clock
            }
            Term::Fixed(name, width) => {
                let id = self.builder.symbols.named(name, *width);
                self.exprs().leaf(Expr::Symbol(id), *width)
            }
            Term::Unary(op, a) => {
                let a = self.term(a, state, old);
                self.exprs().unary(*op, a)
            }
            Term::Binary(op, a, b) => self.binary(*op, a, b, state, old),
            Term::Ite(c, t, e) => {
                let c = self.term(c, state, old);
                self.builder.note_use(c);
                let t = self.term(t, state, old);
                let e = self.term(e, state, old);
                self.exprs().ite(c, t, e)
            }
            Term::Extract(a, low, width) => {
                let a = self.term(a, state, old);
                self.exprs().extract(a, *low, *width)
            }
            Term::Concat(a, b) => {
                let a = self.term(a, state, old);
                let b = self.term(b, state, old);
                self.exprs().concat(a, b)
            }
            Term::Resize(a, width, extension) => {
                let a = self.term(a, state, old);
                self.exprs().resize(a, *width, *extension == Extension::Sign)
            }
        }
    }

    /// Executes an instruction that computes registers by an unknown function.
    pub(super) fn opaque(
        &mut self,
        results: &[usize],
        operands: &[usize],
        name: &str,
        rule: &Rule,
        state: &mut State,
        span: Span,
    ) {
        let reads = operands.iter().fold(Vec::new(), |all, &r| union(&all, &state.cells[r].reads));
        let mut symbols = Vec::new();
        for &register in results {
            let width = self.code.registers[register].ty.bits;
            let origin = SymbolOrigin::Computed(reads.clone());
            let name = format!("result of `{name}`");
            let id = self.builder.symbols.add(Symbol { name, width, origin });
            let value = self.exprs().leaf(Expr::Symbol(id), width);
            state.cells[register] = Cell { value, reads: reads.clone() };
            symbols.push(id);
        }
        let violation = self.violation(state.guard, span, rule.clone());
        self.builder.opaque.push(Opaque { violation, results: symbols });
    }

    fn binary(
        &mut self,
        op: Binary,
        a: &Term,
        b: &Term,
        state: &State,
        old: Option<ExprId>,
    ) -> ExprId {
        let a = self.term(a, state, old);
        let b = self.term(b, state, old);
        self.exprs().binary(op, a, b)
    }

    /// The reads that a term's registers were computed from, syntactically.
    pub(super) fn term_reads(&self, term: &Term, state: &State) -> Vec<AccessId> {
        let mut registers = Vec::new();
        term.registers(&mut registers);
        registers.into_iter().fold(Vec::new(), |all, r| union(&all, &state.cells[r].reads))
    }
}

pub(super) fn mentions_old(term: &Term) -> bool {
    match term {
        Term::Old(_) => true,
        Term::Const(..)
        | Term::Register(_)
        | Term::Free(..)
        | Term::Patience
        | Term::Clock(..)
        | Term::Fixed(..) => false,
        Term::Unary(_, a) | Term::Extract(a, ..) | Term::Resize(a, ..) => mentions_old(a),
        Term::Binary(_, a, b) | Term::Concat(a, b) => mentions_old(a) || mentions_old(b),
        Term::Ite(a, b, c) => mentions_old(a) || mentions_old(b) || mentions_old(c),
    }
}
