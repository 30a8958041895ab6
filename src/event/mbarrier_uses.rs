//! The operations on mbarriers of a program that is being unfolded.

use super::graph::Violation;
use crate::id::{AccessId, ExprId};
use rustc_hash::FxHashMap;

/// Operations on mbarriers, and what they read.
#[derive(Debug, Default)]
pub(super) struct MbarrierUses {
    /// The accesses, each with its guard, of which one is the last operation's read of its object.
    pub(super) looked_at: Vec<(ExprId, AccessId)>,
    /// Arrivals and waits, each thread's in program order.
    pub(super) in_phases: Vec<InPhase>,
    /// When waits succeed, by the access that reads the object.
    pub(super) successes: FxHashMap<AccessId, ExprId>,
}

/// An arrival or a wait at an mbarrier.
#[derive(Clone, Debug)]
pub(super) struct InPhase {
    pub(super) thread: usize,
    /// The accesses, each with its guard, of which one reads the object.
    pub(super) reads: Vec<(ExprId, AccessId)>,
    pub(super) what: Part,
}

/// What an operation does in its phase.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// An arrival, with the violation to report if no thread has waited.
    Arrival(Violation),
    /// A wait, with the condition of its success.
    Wait(ExprId),
}
