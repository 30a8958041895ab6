//! Arrivals at mbarriers before any thread has waited for the preceding phase. Each phase needs a
//! successful wait before an arrival in the next one (PTX-9.7.13.15.4).
//!
//! "Before" is an order in time. A wait counts unless it follows the arrival in the same thread: if
//! no wait is left, none precedes the arrival, however the threads are timed.

use super::builder::GraphBuilder;
use super::graph::Violation;
use super::mbarrier_uses::{InPhase, Part};
use super::symbolic::{State, SymbolicThread};
use crate::id::{AccessId, ExprId};
use crate::program::expr::{Binary, Expr};
use crate::program::mbarrier::OBJECT_BITS;
use crate::program::micro::PhaseUse;
use crate::rule::Rule;
use crate::source::Span;

impl SymbolicThread<'_, '_> {
    /// Records an arrival or a wait at an mbarrier, right after its access is unfolded.
    pub(super) fn note_mbarrier_use(&mut self, what: &PhaseUse, state: &State, span: Span) {
        let reads = std::mem::take(&mut self.builder.mbarriers.last_reads);
        let what = match what {
            PhaseUse::Arrival => {
                Part::Arrival(self.violation(state.guard, span, Rule::EarlyArrival))
            }
            PhaseUse::Wait { done, .. } => {
                let done = self.term(done, state, None);
                self.builder
                    .mbarriers
                    .successes
                    .extend(reads.iter().map(|&(_, read)| (read, done)));
                Part::Wait(done)
            }
        };
        self.builder.mbarriers.in_phases.push(InPhase { thread: self.index, reads, what });
    }
}

impl GraphBuilder<'_> {
    /// Reports arrivals in a phase without a successful wait for the preceding phase.
    pub(super) fn check_early_arrivals(&mut self) {
        let all = std::mem::take(&mut self.mbarriers.in_phases);
        for (at, arrival) in all.iter().enumerate() {
            let Part::Arrival(violation) = &arrival.what else { continue };
            let mut wrong = self.exprs.truth(false);
            for &(guard, read) in &arrival.reads {
                let mut waited = self.is_in_first_phase(read);
                for (other, wait) in all.iter().enumerate() {
                    if wait.thread != arrival.thread || other < at {
                        let succeeds = self.waits_for_the_phase_before(wait, read);
                        waited = self.exprs.or(waited, succeeds);
                    }
                }
                let nobody = self.exprs.not(waited);
                let here = self.exprs.and(guard, nobody);
                wrong = self.exprs.or(wrong, here);
            }
            if !self.exprs.is_false(wrong) {
                self.violations.push(Violation { guard: wrong, ..violation.clone() });
            }
        }
    }

    /// The condition that a wait succeeds for the phase before that of an arrival at the same object.
    fn waits_for_the_phase_before(&mut self, wait: &InPhase, arrival: AccessId) -> ExprId {
        let mut any = self.exprs.truth(false);
        let Part::Wait(done) = wait.what else { return any };
        let place = |id: AccessId| {
            let access = &self.accesses[id.index()];
            (access.object, access.offset)
        };
        let here: Vec<_> =
            wait.reads.iter().copied().filter(|&(_, r)| place(r) == place(arrival)).collect();
        for (guard, read) in here {
            let (found, own) = (self.phase(read), self.phase(arrival));
            let same = self.exprs.binary(Binary::Eq, found, own);
            let succeeds = self.exprs.and(guard, done);
            let both = self.exprs.and(succeeds, same);
            any = self.exprs.or(any, both);
        }
        any
    }

    /// The condition that an access finds an object in its first phase.
    fn is_in_first_phase(&mut self, read: AccessId) -> ExprId {
        let phase = self.phase(read);
        let none = self.exprs.number(0, self.program.layout.mbarriers.phase_bits());
        self.exprs.binary(Binary::Eq, phase, none)
    }

    fn phase(&mut self, read: AccessId) -> ExprId {
        let object = self.exprs.leaf(Expr::Read(read), OBJECT_BITS);
        self.program.layout.mbarriers.phase_in(&mut self.exprs, object)
    }
}
