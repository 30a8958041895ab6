//! Spin loops: the rounds that only wait and are left out, and the cut at the bound.

use super::condition_uses::positive;
use super::disjuncts::MOST_LITERALS;
use super::graph::{Ahead, Cut, CutKind};
use super::liveness::Live;
use super::loop_nest::LoopId;
use super::must_dependence::sure_sources;
use super::relevance::feeding;
use super::symbolic::{Cell, EffectKind, State, SymbolicThread};
use crate::id::{AccessId, ExprId};
use crate::program::expr::{Binary, Expr};
use crate::program::micro::Micro;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The effects by which a round differs from one that changes nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effects {
    /// All but idempotent updates whose readers may as well read from where they read.
    All,
    /// All effects except atomic operations that write the value read.
    Changes,
}

/// The rounds that an execution leaves out.
enum Omitted {
    /// The rounds of a thread that waits in a loop. Given are the loop, the first repeating round,
    /// and the copy of the step that ends the last round.
    Spin((LoopId, u8, usize)),
    /// The rounds without which the execution is another one.
    Idle,
}

/// The actions that a thread repeats while it waits in a loop.
#[derive(Default)]
struct Repeated {
    /// The reads of the repeated rounds.
    polls: Vec<AccessId>,
    /// The conditions that waits of these rounds do not time out.
    patience: Vec<ExprId>,
    /// What clocks show in these rounds.
    clocks: Vec<ExprId>,
}

/// A register at the head of a loop: its value at the beginning of some round, and its value now.
pub(super) struct Carried {
    register: usize,
    pub(super) old: Cell,
    pub(super) new: Cell,
}

impl SymbolicThread<'_, '_> {
    /// Goes back to the head of a loop. A round that surely had no effect waits and is left out; if
    /// values decide that, it stays up to the bound. A round beyond the bound is cut.
    pub(super) fn go_again(
        &mut self,
        from: usize,
        id: LoopId,
        head: Option<usize>,
        mut state: State,
        span: Span,
    ) {
        let back = state.guard;
        let skips = self.skips(id);
        if skips {
            if head.is_some() {
                state = self.skip(id, from, state);
            } else if !self.is_lockstep(id) {
                let busy = self.is_busy(id, from);
                let others = self.exprs().not(busy);
                let fewer = self.exprs().and(back, others);
                self.leave_out(fewer, back, &mut state, span, Omitted::Idle);
            }
        } else if self.spin_loops {
            let spins = self.without_effect(from, id, &state, Effects::All);
            let has_effect = self.exprs().not(spins);
            let acts = self.exprs().and(back, has_effect);
            let merges = head.is_some() && self.merges(id);
            if head.is_none() || self.builder.exprs.is_false(acts) && !merges {
                let rounds = (id, self.flow.round(id, from), from);
                self.leave_out(spins, back, &mut state, span, Omitted::Spin(rounds));
            } else {
                // If a guard mentioned the effect or the path of the round, later events would
                // depend on the values that decide the guard.
                state.idle = self.exprs().or(state.idle, spins);
            }
        }
        if head.is_none() && !self.builder.exprs.is_false(state.idle) {
            for round in (1..=self.flow.round(id, from)).rev() {
                let waits = self.as_before(from, id, round, &state);
                self.leave_out(waits, back, &mut state, span, Omitted::Spin((id, round, from)));
            }
            let idle = self.exprs().and(state.guard, state.idle);
            self.leave_out(idle, back, &mut state, span, Omitted::Idle);
        }
        if self.builder.exprs.is_false(state.guard) {
            return;
        }
        match head {
            Some(head) => self.arrive(head, state),
            None => {
                let steady = match self.spin_loops {
                    true => self.without_effect(from, id, &state, Effects::Changes),
                    false => self.exprs().truth(false),
                };
                let counts = self.ask_for_rounds(from, id, &state);
                let ahead = match (self.flow.loops.is_endless(id), counts) {
                    (true, _) => Ahead::Endless,
                    (false, true) => Ahead::Counts,
                    (false, false) => Ahead::Open,
                };
                let (agent, _) = self.builder.at(self.index);
                let (guard, kind) = (state.guard, CutKind::Bound);
                self.write_beyond_bound(id, &state);
                let Repeated { polls, patience, clocks } = Repeated::default();
                self.builder.cuts.list.push(Cut {
                    agent,
                    guard,
                    back,
                    steady,
                    ahead,
                    polls,
                    patience,
                    clocks,
                    span,
                    kind,
                });
                if skips {
                    self.note_lockstep(id, from, self.builder.cuts.list.len() - 1);
                }
            }
        }
    }

    /// Ends the thread in some of the executions that go back to the head of a loop.
    fn leave_out(
        &mut self,
        guard: ExprId,
        back: ExprId,
        state: &mut State,
        span: Span,
        omitted: Omitted,
    ) {
        if !self.builder.exprs.is_false(guard) {
            let (kind, Repeated { polls, patience, clocks }) = match omitted {
                Omitted::Spin((id, round, last)) => (CutKind::Spin, self.repeated(id, round, last)),
                Omitted::Idle => (CutKind::Idle, Repeated::default()),
            };
            let steady = self.exprs().truth(false);
            let (agent, _) = self.builder.at(self.index);
            self.builder.cuts.list.push(Cut {
                agent,
                guard,
                back,
                steady,
                ahead: Ahead::Open,
                polls,
                patience,
                clocks,
                span,
                kind,
            });
            let others = self.exprs().not(guard);
            state.guard = self.exprs().and(state.guard, others);
        }
    }

    /// When the thread has returned to the start of a round with the same registers and without an
    /// effect, so that it may loop for ever. If the thread leaves the loop after all, later events
    /// may depend on no more reads than after that round.
    fn as_before(&mut self, node: usize, id: LoopId, round: u8, now: &State) -> ExprId {
        let never = self.exprs().truth(false);
        let Some(before) = self.beginning(id, node, round) else { return never };
        let used = self.used_at(id, &before, now);
        if self.makes_a_difference(id, &used, now) {
            return never;
        }
        let same = self.same_values(&used, now.guard);
        self.unless_acted(same, id, round, node, Effects::All)
    }

    /// The repeated actions of a loop since a round began, up to the copy of a step that ends the
    /// last round.
    fn repeated(&self, id: LoopId, round: u8, last: usize) -> Repeated {
        let accesses = self.builder.accesses.iter().enumerate();
        let own = accesses.filter(|(_, access)| access.thread == self.index && !access.write);
        let since = own.filter(|(_, access)| self.flow.is_since(id, round, access.node, last));
        let polls = since.map(|(index, _)| AccessId::new(index)).collect();
        let chosen = |all: &[(usize, ExprId)]| {
            let since = all.iter().filter(|(at, _)| self.flow.is_since(id, round, *at, last));
            since.map(|&(_, value)| value).collect()
        };
        Repeated { polls, patience: chosen(&self.patience), clocks: chosen(&self.clocks) }
    }

    /// When the round that ends here has changed nothing. No live register differs from the round's
    /// start, and the round wrote nothing and passed no barrier, as far as `telling` distinguishes.
    ///
    /// Leaving the round out must not add dependencies, or No-Thin-Air would forbid executions that
    /// it allows with the round. The round is therefore kept if a live register gets its value from
    /// other reads than at the start, unless later events depend on those reads anyway. The round
    /// is also kept if a register with a value from before the loop chooses between equivalent
    /// ways.
    fn without_effect(&mut self, node: usize, id: LoopId, now: &State, telling: Effects) -> ExprId {
        let round = self.flow.round(id, node);
        let Some(before) = self.beginning(id, node, round) else {
            return self.exprs().truth(false);
        };
        let at = self.flow.loops.head(id);
        let live = self.live.get_or_init(|| Live::of(self.code, self.observed));
        let mut others = before.cells.iter().enumerate();
        let loose = self.builder.unfolding.loose;
        if !loose
            && others.any(|(register, old)| live.only_chooses(at, register) && !self.is_own(old))
        {
            return self.builder.exprs.truth(false);
        }
        let used = self.used_at(id, &before, now);
        if self.makes_a_difference(id, &used, now) {
            return self.builder.exprs.truth(false);
        }
        let spins = self.same_values(&used, now.guard);
        self.unless_acted(spins, id, round, node, telling)
    }

    /// The state at the beginning of a round, at most the round of the given copy. In a loop with
    /// several entries, no round is known to begin at the head.
    pub(super) fn beginning(&self, id: LoopId, node: usize, round: u8) -> Option<State> {
        let head = self.flow.head(id, node, round).filter(|_| self.flow.loops.is_natural(id))?;
        self.entries[head].clone()
    }

    /// The live registers at the head of a loop, with their values at the start of some round and
    /// now. Values are simplified by the literals that hold on the back edge.
    pub(super) fn used_at(&mut self, id: LoopId, before: &State, now: &State) -> Vec<Carried> {
        let at = self.flow.loops.head(id);
        let live = self.live.get_or_init(|| Live::of(self.code, self.observed));
        let used = (0..now.cells.len()).filter(|&register| live.is_used(at, register));
        let cell = |register: usize| {
            let (old, new) = (before.cells[register].clone(), now.cells[register].clone());
            Carried { register, old, new }
        };
        let mut kept: Vec<Carried> = used.map(cell).collect();
        if kept.iter().any(|cell| cell.old.value != cell.new.value) {
            let literals = self.lasting(id, now);
            let exprs = &mut self.builder.exprs;
            let held: Vec<(ExprId, bool)> =
                literals.into_iter().map(|literal| positive(exprs, literal)).collect();
            for cell in kept.iter_mut().filter(|cell| cell.old.value != cell.new.value) {
                cell.new.value = exprs.decided(cell.new.value, &held);
            }
        }
        kept
    }

    /// Whether several ways back join at the head of a loop, in a way that matters.
    fn merges(&self, id: LoopId) -> bool {
        !self.builder.unfolding.loose && self.flow.loops.has_several_ways_back(id)
    }

    /// The literals that surely hold after a back edge. Empty if several back edges join at the
    /// head, so that the taken one may not matter, or if only values make dependencies.
    fn lasting(&self, id: LoopId, now: &State) -> Vec<ExprId> {
        let unfolding = &self.builder.unfolding;
        if self.merges(id) || unfolding.by_values && !unfolding.loose {
            return Vec::new();
        }
        self.builder.exprs.literals(now.guard, MOST_LITERALS).unwrap_or_default().to_vec()
    }

    /// When `holds` is true and the registers have their former values.
    fn same_values(&mut self, used: &[Carried], mut holds: ExprId) -> ExprId {
        for cell in used {
            let same = self.builder.exprs.equal(cell.old.value, cell.new.value);
            holds = self.builder.exprs.and(holds, same);
        }
        holds
    }

    /// When `holds` is true and nothing was written and no barrier passed since a round of a loop
    /// began, as far as `telling` distinguishes.
    fn unless_acted(
        &mut self,
        mut holds: ExprId,
        id: LoopId,
        round: u8,
        node: usize,
        telling: Effects,
    ) -> ExprId {
        for effect in &self.effects {
            if self.flow.is_since(id, round, effect.node, node) {
                let mut not = self.builder.exprs.not(effect.guard);
                match effect.kind {
                    EffectKind::Update { transparent, old, new }
                        if transparent || telling == Effects::Changes =>
                    {
                        let same = self.builder.exprs.equal(old, new);
                        not = self.builder.exprs.or(not, same);
                    }
                    EffectKind::Change | EffectKind::Update { .. } => {}
                }
                holds = self.builder.exprs.and(holds, not);
            }
        }
        holds
    }

    /// Whether later events may depend on less with the new cells than with the old ones, given
    /// that their values agree.
    ///
    /// In program text, dependencies are the reads behind the cells. A computed value depends on
    /// the reads that do not cancel out ([`super::disjuncts`]), and in further rounds some may
    /// cancel: a value is shifted out bit by bit, or is the difference to another one. A changed
    /// cell therefore has to act as a variable that no other cell contains.
    fn makes_a_difference(&self, id: LoopId, used: &[Carried], now: &State) -> bool {
        if self.builder.unfolding.loose {
            return false;
        }
        let control = !self.builder.unfolding.by_values;
        let known = |cell: &Carried, read| {
            cell.new.reads.contains(read) || control && now.control.contains(read)
        };
        if used.iter().any(|cell| !cell.old.reads.iter().all(|read| known(cell, read))) {
            return true;
        }
        let at = self.flow.loops.head(id);
        let feeding = self.feeding.get_or_init(|| self.may_feed());
        let feeds = |register: usize| feeding.as_ref().is_none_or(|feeds| feeds[at][register]);
        let used = used.iter().filter(|cell| feeds(cell.register));
        let mut values: Vec<(ExprId, ExprId)> =
            used.map(|cell| (cell.old.value, cell.new.value)).collect();
        values.sort_unstable();
        values.dedup();
        if values.iter().all(|(old, new)| old == new) {
            return false;
        }
        let sure: Vec<Expr> = self
            .lasting(id, now)
            .into_iter()
            .flat_map(|x| sure_sources(&self.builder.exprs, x))
            .collect();
        values.iter().filter(|(old, new)| old != new).any(|&(old, new)| {
            let others = values.iter().filter(|&&other| other != (old, new));
            let others: Vec<ExprId> = others.map(|other| other.1).collect();
            let is_variable = self.is_variable(old, new, &others);
            let own = if is_variable { self.sources(new) } else { Vec::new() };
            let depends = |source: &Expr| sure.contains(source) || own.contains(source);
            // A truth value is decided where it is used.
            let is_decided = self.builder.exprs.width(new) == 1;
            !(is_variable || is_decided) || !self.sources(old).iter().all(depends)
        })
    }

    /// For every step, the registers that writes may depend on from there on; `None` if any may
    /// matter, because barriers wait for ends of threads, which depend on all that decides about
    /// loops.
    fn may_feed(&self) -> Option<Vec<Vec<bool>>> {
        let steps = self.builder.program.threads.iter().flat_map(|thread| &thread.steps);
        let mut micros = steps.flat_map(|step| &step.micros);
        let meets = micros.any(|micro| matches!(micro, Micro::Barrier(_) | Micro::GridWait));
        (!meets).then(|| feeding(self.code))
    }

    /// Whether a value acts as a variable in the place of an old value, among other values. It is
    /// the value of a read that occurs in no other value, or the sum or difference of such a read
    /// and another value.
    fn is_variable(&self, old: ExprId, new: ExprId, others: &[ExprId]) -> bool {
        let exprs = &self.builder.exprs;
        // A variable never causes fewer dependencies than a number.
        if exprs.constant(old).is_some() {
            let elsewhere: Vec<Expr> = others.iter().flat_map(|&x| exprs.leaves(x)).collect();
            return exprs.leaves(new).iter().all(|leaf| !elsewhere.contains(leaf));
        }
        match (exprs.get(old), exprs.get(new)) {
            (Expr::ZeroExtend(old), Expr::ZeroExtend(new))
            | (Expr::SignExtend(old), Expr::SignExtend(new)) => {
                exprs.width(old) == exprs.width(new) && self.is_free(new, others)
            }
            // An OR or AND with the old value sets or clears more of its bits.
            (_, Expr::Binary(Binary::Or | Binary::And, a, b)) if a == old || b == old => {
                let added = if a == old { b } else { a };
                let leaves = exprs.leaves(old);
                let shared =
                    |other: &ExprId| exprs.leaves(*other).iter().any(|x| leaves.contains(x));
                !others.iter().any(shared) && self.is_free(added, &[others, &[old]].concat())
            }
            _ => self.is_free(new, others),
        }
    }

    /// Whether a value can take any bits through a read that is in no other value. Exactly one path
    /// leads to the read, and the path only adds or subtracts.
    fn is_free(&self, value: ExprId, others: &[ExprId]) -> bool {
        let exprs = &self.builder.exprs;
        // For every part, the number of paths from the value to the part (at most two), and whether
        // all paths are additions.
        let mut ways: FxHashMap<ExprId, (u8, bool)> = FxHashMap::from_iter([(value, (1, true))]);
        let elsewhere: FxHashSet<ExprId> = exprs.parts(others).into_iter().collect();
        exprs.parts(&[value]).into_iter().rev().any(|part| {
            let (count, only_added) = ways[&part];
            let expr = exprs.get(part);
            let adds = matches!(expr, Expr::Binary(Binary::Add | Binary::Sub | Binary::Xor, ..));
            for operand in exprs.operands(part) {
                let way = ways.entry(operand).or_insert((0, true));
                *way = ((way.0 + count).min(2), way.1 && only_added && adds);
            }
            let is_read = matches!(expr, Expr::Read(_) | Expr::Barrier(_));
            is_read && count == 1 && only_added && !elsewhere.contains(&part)
        })
    }

    /// Whether a value comes from no read and no barrier.
    fn is_own(&self, cell: &Cell) -> bool {
        cell.reads.is_empty() && self.sources(cell.value).is_empty()
    }

    /// The reads and results of barriers in an expression.
    fn sources(&self, value: ExprId) -> Vec<Expr> {
        let mut leaves = self.builder.exprs.leaves(value);
        leaves.retain(|leaf| matches!(leaf, Expr::Read(_) | Expr::Barrier(_)));
        leaves
    }
}
