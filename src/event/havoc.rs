//! Loop abstraction by havoc: executions with more rounds than the bound, represented by ones with
//! fewer rounds.
//!
//! In an execution with more rounds of a loop than the bound, rounds that write nothing and pass no
//! barrier may be left out, except the first, the last, and two that a misuse or a race is about.
//! The remaining events are those of an execution in which the loop's registers have some value at
//! each gap. The missing reads and fences only ordered events, and all axioms forbid; so the rest
//! is consistent if the whole was. Where registers may have any value at the heads of rounds, an
//! event that no abstract execution has is in none of the program's executions.

use super::loop_nest::LoopId;
use super::symbolic::{Cell, State, SymbolicThread};
use crate::id::ExprId;
use crate::program::expr::{Binary, Expr};
use crate::program::micro::{Micro, PhaseUse, Step};
use crate::program::term::Term;

/// The most rounds of a loop that one misuse or race is about.
const LOOKED_AT: u8 = 2;

/// The most rounds besides the first that must be kept although they write nothing. These are the
/// rounds of a misuse or race, and the last round. The first round is kept since it begins with the
/// values from before the loop.
pub(super) const KEPT: u8 = LOOKED_AT + 1;

impl SymbolicThread<'_, '_> {
    /// Whether a round of a loop may stand for several.
    pub(super) fn skips(&self, id: LoopId) -> bool {
        let counts = self.flow.rounds(id) > self.builder.unfolding.bound;
        self.builder.unfolding.skips
            && !counts
            && self.flow.loops.is_natural(id)
            && (!self.micros_of(id).any(counts_matter) || self.is_lockstep(id))
    }

    /// Whether all barriers of a loop are for all threads of the CTA. A round without writes can
    /// then be left out by all threads together.
    pub(super) fn is_lockstep(&self, id: LoopId) -> bool {
        let outside =
            |micro: &Micro| counts_matter(micro) && !micro.meets_whole_cta() || micro.may_write();
        self.flow.loops.is_outermost(id)
            && self.micros_of(id).any(Micro::meets_whole_cta)
            && !self.micros_of(id).any(outside)
    }

    /// The state at the next head of such a loop, where rounds may be missing. Registers that
    /// rounds change get any value.
    pub(super) fn skip(&mut self, id: LoopId, node: usize, mut state: State) -> State {
        // If all missing rounds write nothing, they may be the last ones, and the first rounds stay
        // exact.
        let is_late = self.flow.round(id, node).saturating_add(KEPT) >= self.flow.rounds(id);
        if !is_late && !self.micros_of(id).any(Micro::may_write) {
            return state;
        }
        let changed: Vec<usize> = self.reached_in(id).flat_map(Micro::written).collect();
        for register in changed {
            let value = self.any_value(self.code.registers[register].ty.bits);
            state.cells[register] = Cell { value, reads: Vec::new() };
        }
        state
    }

    /// When so many of the rounds up to the bound write that perhaps no round can be left out.
    /// Fewer than three rounds after the first write nothing, and a misuse or race may need two of
    /// these.
    pub(super) fn is_busy(&mut self, id: LoopId, node: usize) -> ExprId {
        let rounds = 2..=self.flow.round(id, node);
        let writes: Vec<ExprId> = rounds.map(|round| self.writes(id, round, node)).collect();
        let exprs = self.exprs();
        let quiet: Vec<ExprId> = writes.into_iter().map(|writes| exprs.not(writes)).collect();
        let quiet = exprs.count(quiet, u8::BITS);
        let enough = exprs.number(u128::from(LOOKED_AT + 1), u8::BITS);
        exprs.binary(Binary::ULt, quiet, enough)
    }

    /// When a round of a loop writes.
    fn writes(&mut self, id: LoopId, round: u8, node: usize) -> ExprId {
        let mut writes = self.builder.exprs.truth(false);
        for effect in &self.effects {
            if self.flow.is_in_round(id, round, effect.node, node) {
                writes = self.builder.exprs.or(writes, effect.guard);
            }
        }
        writes
    }

    fn micros_of(&self, id: LoopId) -> impl Iterator<Item = &Micro> {
        self.steps_of(id).flat_map(|(_, step)| &step.micros)
    }

    /// The micro-operations of a loop that the thread may reach.
    fn reached_in(&self, id: LoopId) -> impl Iterator<Item = &Micro> {
        let known = self.builder.facts.reached.as_ref();
        let comes = move |at| known.is_none_or(|known| known.contains(&(self.index, at)));
        self.steps_of(id).filter(move |&(at, _)| comes(at)).flat_map(|(_, step)| &step.micros)
    }

    fn steps_of(&self, id: LoopId) -> impl Iterator<Item = (usize, &Step)> {
        let steps = self.code.steps.iter().enumerate();
        steps.filter(move |&(at, _)| self.flow.loops.contains(id, at))
    }

    pub(super) fn any_value(&mut self, width: u32) -> ExprId {
        let id = self.builder.symbols.add_skipped(width);
        self.exprs().leaf(Expr::Symbol(id), width)
    }

    /// Any value, if an operand may have any: engines that try values then need no arithmetic.
    /// Copies keep their value, and so do truth values, which have two options only.
    pub(super) fn blurred(&mut self, term: &Term, value: ExprId) -> ExprId {
        if self.builder.symbols.skipped().is_empty() || matches!(term, Term::Register(_)) {
            return value;
        }
        let is_any = |leaf: &Expr| self.open_width(leaf).is_some_and(|width| width > 1);
        match self.builder.exprs.leaves(value).iter().any(is_any) {
            true => self.any_value(self.builder.exprs.width(value)),
            false => value,
        }
    }

    /// The width of a leaf, if it may have any value.
    pub(super) fn open_width(&self, leaf: &Expr) -> Option<u32> {
        match leaf {
            Expr::Symbol(id) if self.builder.symbols.skipped().contains(id) => {
                Some(self.builder.symbols.width(*id))
            }
            _ => None,
        }
    }
}

/// Whether other threads may count how often a micro-operation is executed. Waits at mbarriers are
/// not counted, but their misuse in further rounds takes too long to check.
fn counts_matter(micro: &Micro) -> bool {
    matches!(
        micro,
        Micro::Barrier(_)
            | Micro::GridWait
            | Micro::Launch
            | Micro::Phase(PhaseUse::Arrival | PhaseUse::Wait { counts: true, .. })
            | Micro::Issue(_)
            | Micro::Commit(_)
            | Micro::Await(_)
    )
}
