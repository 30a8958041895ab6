//! Kinds of waits into the conditions that they never end.

use super::super::deadlock::is_held;
use super::super::prefix::Blocked;
use super::super::waits::{Awaited, Precision};
use super::polls;
use crate::event::graph::CutKind;
use crate::id::{EventId, ExprId};

/// When a wait never ends.
pub(crate) struct Endless {
    /// The condition implies that the wait never ends.
    pub(crate) surely: ExprId,
    /// The condition holds whenever the wait never ends.
    pub(crate) perhaps: ExprId,
}

/// When a wait never ends, given that all threads that wait stay where they are. `writes` are those of
/// each location.
pub(crate) fn endless(stays: &mut Blocked, writes: &[Vec<EventId>], what: Awaited) -> Endless {
    let [never, always] = [false, true].map(|value| stays.graph.exprs.truth(value));
    let (surely, perhaps) = match what {
        Awaited::Phase(b) => {
            // Nobody arrives later, from wherever.
            let elsewhere = vec![never; stays.held.len()];
            match is_held(stays, b, &elsewhere) {
                (held, Precision::Exact) => (held, held),
                (held, Precision::Sufficient) => (held, always),
            }
        }
        Awaited::Value(cut) => {
            let cut = stays.graph.cuts[cut].clone();
            match cut.kind {
                CutKind::Spin => (
                    polls::last(&mut stays.graph, writes, &cut, Precision::Exact),
                    polls::last(&mut stays.graph, writes, &cut, Precision::Sufficient),
                ),
                // The thread's further steps are unknown; an execution with one more round shows them
                // if a round without effect was cut.
                CutKind::Bound | CutKind::Idle => (never, never),
            }
        }
        // The threads of the task stay as well, and the scheduler's duty is one for all threads.
        Awaited::Task(_) | Awaited::Step(_) => (always, always),
    };
    Endless { surely, perhaps }
}
