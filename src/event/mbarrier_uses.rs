//! The operations on mbarriers of a program that is being unfolded.

use super::graph::Violation;
use crate::id::{AccessId, ExprId};
use rustc_hash::FxHashMap;

/// Operations on mbarriers, with the accesses by which they read their objects.
#[derive(Debug, Default)]
pub(super) struct MbarrierUses {
    /// The accesses by which the last operation may have read its object, each with its guard.
    pub(super) last_reads: Vec<(ExprId, AccessId)>,
    /// Arrivals and waits, in the program order of each thread.
    pub(super) in_phases: Vec<InPhase>,
    /// The condition that a wait succeeds, by the access that reads the object.
    pub(super) successes: FxHashMap<AccessId, ExprId>,
}

/// An arrival or a wait at an mbarrier.
#[derive(Clone, Debug)]
pub(super) struct InPhase {
    pub(super) thread: usize,
    /// The accesses by which the operation may read the object, each with its guard.
    pub(super) reads: Vec<(ExprId, AccessId)>,
    pub(super) what: Part,
}

/// Whether an operation arrives or waits.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// An arrival, with the violation to report if no thread has waited.
    Arrival(Violation),
    /// A wait, with the condition of its success.
    Wait(ExprId),
}
