//! Where threads may wait for ever: one row for each kind of wait, with what is waited for.

use crate::id::{AgentId, BarrierId, EventId, ExprId};

/// A thread that may wait for ever at some place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// The thread.
    pub(super) agent: AgentId,
    /// What the thread waits for, and where.
    pub(super) what: Awaited,
    /// When the thread gets there and no further. Of the waits of a thread, at most one holds.
    pub(super) when: ExprId,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Awaited {
    /// That the phase of this operation is complete, or that the warp has come.
    Phase(BarrierId),
    /// That a value ends the loop of this cut, an index into the graph's cuts.
    Value(usize),
    /// Before this event, that the threads of an earlier task end.
    Task(EventId),
    /// Before this event, that the scheduler lets the thread make a step.
    Step(EventId),
}

/// The precision of a condition for a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// The condition holds exactly if the fact does.
    Exact,
    /// The condition implies the fact.
    Sufficient,
}
