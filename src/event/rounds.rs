//! Rounds of loops: which of them wait and are left out, and what the bound cuts.

use super::graph::{Ahead, Cut, CutKind};
use super::live::Live;
use super::loops::LoopId;
use super::sure::sure_sources;
use super::unfold::{Cell, EffectKind, State, ThreadRun};
use super::ways::MOST_LITERALS;
use crate::id::ExprId;
use crate::program::expr::{Binary, Expr};
use crate::source::Span;

/// Which effects tell a round of a loop from one that changes nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// All but atomic operations that write what they read where that makes no difference to others.
    All,
    /// All but atomic operations that write what they read, and barriers that wait for nobody else.
    Changes,
}

impl ThreadRun<'_, '_> {
    /// Goes back to the head of a loop. An iteration that surely had no effect waits and is left out;
    /// where values decide that, it stays up to the bound. One beyond the bound is cut.
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
                self.leave_out(fewer, back, &mut state, span, CutKind::Idle);
            }
        } else if self.spin_loops {
            let spins = self.without_effect(from, id, &state, Telling::All);
            let has_effect = self.exprs().not(spins);
            let acts = self.exprs().and(back, has_effect);
            if head.is_none() || self.draft.exprs.is_false(acts) {
                self.leave_out(spins, back, &mut state, span, CutKind::Spin);
            } else {
                // If a guard said whether the round had an effect, what follows would depend on the
                // values that decide it.
                state.idle = self.exprs().or(state.idle, spins);
            }
        }
        if head.is_none() && !self.draft.exprs.is_false(state.idle) {
            let waits = self.as_before(from, id, &state);
            self.leave_out(waits, back, &mut state, span, CutKind::Spin);
            let idle = self.exprs().and(state.guard, state.idle);
            self.leave_out(idle, back, &mut state, span, CutKind::Idle);
        }
        if self.draft.exprs.is_false(state.guard) {
            return;
        }
        match head {
            Some(head) => self.arrive(head, state),
            None => {
                let steady = match self.spin_loops {
                    true => self.without_effect(from, id, &state, Telling::Changes),
                    false => self.exprs().truth(false),
                };
                let counts = self.ask_for_rounds(from, id, state.guard);
                let ahead = match (self.flow.loops.is_endless(id), counts) {
                    (true, _) => Ahead::Endless,
                    (false, true) => Ahead::Counts,
                    (false, false) => Ahead::Open,
                };
                let (agent, _) = self.draft.at(self.index);
                let (guard, kind) = (state.guard, CutKind::Bound);
                self.draft.cuts.push(Cut { agent, guard, back, steady, ahead, span, kind });
                if skips {
                    self.note_lockstep(id, from, self.draft.cuts.len() - 1);
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
        kind: CutKind,
    ) {
        if !self.draft.exprs.is_false(guard) {
            let steady = self.exprs().truth(false);
            let (agent, _) = self.draft.at(self.index);
            self.draft.cuts.push(Cut {
                agent,
                guard,
                back,
                steady,
                ahead: Ahead::Open,
                span,
                kind,
            });
            let others = self.exprs().not(guard);
            state.guard = self.exprs().and(state.guard, others);
        }
    }

    /// When the thread is where some round of the loop began, with the registers that it had there,
    /// and has done nothing since: it may go round for ever. Where it leaves the loop after all, what
    /// follows may depend on no more reads than after that round.
    fn as_before(&mut self, node: usize, id: LoopId, now: &State) -> ExprId {
        let mut waits = self.exprs().truth(false);
        if !self.flow.loops.is_natural(id) {
            return waits;
        }
        let at = self.flow.loops.head(id);
        for round in 1..=self.flow.round(id, node) {
            let head = self.flow.head(id, node, round);
            let Some(before) = head.and_then(|head| self.entries[head].clone()) else { continue };
            let mut same = now.guard;
            let live = self.live.get_or_init(|| Live::of(self.code, self.observed));
            let used = (0..now.cells.len()).filter(|&register| live.is_used(at, register));
            let used: Vec<_> =
                used.map(|register| (&before.cells[register], &now.cells[register])).collect();
            if self.makes_a_difference(&used, now) {
                continue;
            }
            for (old, new) in used {
                let equal = self.draft.exprs.eq(old.value, new.value);
                same = self.draft.exprs.and(same, equal);
            }
            same = self.unless_acted(same, id, round, node, Telling::All);
            waits = self.draft.exprs.or(waits, same);
        }
        waits
    }

    /// When the iteration that ends here has changed nothing: no live register differs from the
    /// iteration's start, and nothing was written and no barrier passed since, as far as that tells.
    ///
    /// Without the iteration, nothing may depend on more than with it, or No-Thin-Air would forbid
    /// what it does not forbid with it. So a live register that has its value from other reads than
    /// at the start keeps the iteration, unless what follows depends on those anyway; and so does
    /// one that chooses between ways that come to the same by what was read before the loop.
    fn without_effect(&mut self, node: usize, id: LoopId, now: &State, telling: Telling) -> ExprId {
        // Without a single entry, nothing says that the iteration began at the head.
        let round = self.flow.round(id, node);
        let head = self.flow.head(id, node, round).filter(|_| self.flow.loops.is_natural(id));
        let before = head.and_then(|head| self.entries[head].clone());
        let Some(before) = before else { return self.exprs().truth(false) };
        let mut spins = now.guard;
        let at = self.flow.loops.head(id);
        let live = self.live.get_or_init(|| Live::of(self.code, self.observed));
        let mut used = Vec::new();
        for (register, (old, new)) in before.cells.iter().zip(&now.cells).enumerate() {
            if live.is_used(at, register) {
                used.push((old, new));
            } else if live.only_chooses(at, register) && !self.is_own(old) {
                return self.draft.exprs.truth(false);
            }
        }
        if self.makes_a_difference(&used, now) {
            return self.draft.exprs.truth(false);
        }
        for (old, new) in used.into_iter().filter(|(old, new)| old.value != new.value) {
            let same = self.draft.exprs.eq(old.value, new.value);
            spins = self.draft.exprs.and(spins, same);
        }
        self.unless_acted(spins, id, round, node, telling)
    }

    /// When something holds and nothing was written and no barrier passed since a round of a loop
    /// began, as far as that tells.
    fn unless_acted(
        &mut self,
        mut holds: ExprId,
        id: LoopId,
        round: u8,
        node: usize,
        telling: Telling,
    ) -> ExprId {
        for effect in &self.effects {
            if self.flow.is_since(id, round, effect.node, node) {
                let mut not = self.draft.exprs.not(effect.guard);
                match effect.kind {
                    EffectKind::Update { transparent, old, new }
                        if transparent || telling == Telling::Changes =>
                    {
                        let same = self.draft.exprs.eq(old, new);
                        not = self.draft.exprs.or(not, same);
                    }
                    EffectKind::Change | EffectKind::Update { .. } => {}
                }
                holds = self.draft.exprs.and(holds, not);
            }
        }
        holds
    }

    /// Whether what follows may depend on less with the new cells than with the old ones, which have the
    /// same values.
    ///
    /// In program text, it depends on the reads behind the cells. What is computed from their values
    /// depends on what does not cancel out ([`super::ways`]), and more rounds may be to come in which
    /// something does: a value is shifted out bit by bit, or is the difference to another one. So a cell
    /// that has changed has to be as good as a variable for that, which no other cell speaks of.
    fn makes_a_difference(&self, used: &[(&Cell, &Cell)], now: &State) -> bool {
        let known = |new: &Cell, read| new.reads.contains(read) || now.control.contains(read);
        if used.iter().any(|(old, new)| old != new && !old.reads.iter().all(|r| known(new, r))) {
            return true;
        }
        let mut values: Vec<(ExprId, ExprId)> =
            used.iter().map(|(old, new)| (old.value, new.value)).collect();
        values.sort_unstable();
        values.dedup();
        if values.iter().all(|(old, new)| old == new) {
            return false;
        }
        let guard = self.draft.exprs.literals(now.guard, MOST_LITERALS).unwrap_or_default();
        let sure: Vec<Expr> =
            guard.into_iter().flat_map(|x| sure_sources(&self.draft.exprs, x)).collect();
        values.iter().filter(|(old, new)| old != new).any(|&(old, new)| {
            let others = values.iter().filter(|&&other| other != (old, new));
            let others: Vec<ExprId> = others.map(|other| other.1).collect();
            let is_variable = self.is_variable(old, new, &others);
            let own = if is_variable { self.sources(new) } else { Vec::new() };
            let depends = |source: &Expr| sure.contains(source) || own.contains(source);
            // A truth value is decided where it matters.
            let is_decided = self.draft.exprs.width(new) == 1;
            !(is_variable || is_decided) || !self.sources(old).iter().all(depends)
        })
    }

    /// Whether a value is, beside others, as good as a variable in the place of an old one: it is the
    /// value of a read that is behind no other, or the sum or difference of that and something else.
    fn is_variable(&self, old: ExprId, new: ExprId, others: &[ExprId]) -> bool {
        let exprs = &self.draft.exprs;
        // Nothing depends on less with a variable than with a number.
        if exprs.constant(old).is_some() {
            let elsewhere: Vec<Expr> = others.iter().flat_map(|&x| exprs.leaves(x)).collect();
            return exprs.leaves(new).iter().all(|leaf| !elsewhere.contains(leaf));
        }
        match (exprs.get(old), exprs.get(new)) {
            (Expr::ZeroExtend(old), Expr::ZeroExtend(new))
            | (Expr::SignExtend(old), Expr::SignExtend(new)) => {
                exprs.width(old) == exprs.width(new) && self.is_free(new, others)
            }
            _ => self.is_free(new, others),
        }
    }

    /// Whether a value takes on any bits, by a read that is behind no other value.
    fn is_free(&self, value: ExprId, others: &[ExprId]) -> bool {
        let exprs = &self.draft.exprs;
        match exprs.get(value) {
            leaf @ (Expr::Read(_) | Expr::Barrier(_)) => {
                !others.iter().any(|&other| exprs.leaves(other).contains(&leaf))
            }
            Expr::Binary(Binary::Add | Binary::Sub | Binary::Xor, a, b) => [(a, b), (b, a)]
                .into_iter()
                .any(|(variable, other)| self.is_free(variable, &[others, &[other]].concat())),
            _ => false,
        }
    }

    /// Whether a value comes from no read and no barrier.
    fn is_own(&self, cell: &Cell) -> bool {
        cell.reads.is_empty() && self.sources(cell.value).is_empty()
    }

    /// The reads and results of barriers in an expression.
    fn sources(&self, value: ExprId) -> Vec<Expr> {
        let mut leaves = self.draft.exprs.leaves(value);
        leaves.retain(|leaf| matches!(leaf, Expr::Read(_) | Expr::Barrier(_)));
        leaves
    }
}
