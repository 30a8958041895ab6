//! An execution that hangs into a circle of threads each of which waits for the next one.
//!
//! A thread in a loop waits for the threads that would write, further on, what it polls; a thread at a
//! barrier for those that it has to meet there.

use super::{Hanging, Stop};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::{AgentId, BarrierId, EventId};
use crate::waiting::phase::{is_missing, ordinal};
use crate::waiting::reading::Concrete;
use std::collections::VecDeque;

/// A thread that waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitFor {
    /// The thread that waits.
    pub thread: AgentId,
    /// The thread that it waits for.
    pub other: AgentId,
    /// What it waits for.
    pub what: WaitCause,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// The poll is for the other thread to give back what it has taken.
    Lock {
        /// The read that polls.
        poll: EventId,
        /// The write by which the other thread has taken the lock.
        taken: EventId,
    },
    /// The poll is for a write of the other thread, which comes further on.
    Write {
        /// The read that polls.
        poll: EventId,
        /// The write.
        write: EventId,
    },
    /// The other thread's arrival at the barrier of this operation.
    Arrival(BarrierId),
}

impl Hanging {
    /// A smallest circle of threads each of which waits for the next one, the last for the first; empty
    /// if there is none.
    #[must_use]
    pub fn circle(&self) -> Vec<WaitFor> {
        let Some(choices) = self.choices.as_deref().cloned() else { return Vec::new() };
        let Ok(execution) = Execution::build(&self.graph, choices) else { return Vec::new() };
        let waits: Vec<WaitFor> = self.waits(&execution);
        let circles = self.threads.iter().filter_map(|status| circle_of(&waits, status.agent));
        circles.min_by_key(Vec::len).unwrap_or_default()
    }

    /// Who waits for whom.
    fn waits(&self, execution: &Execution<'_>) -> Vec<WaitFor> {
        let mut out = Vec::new();
        for status in &self.threads {
            let thread = status.agent;
            match &status.stop {
                Stop::InLoop { polls, .. } => {
                    for &poll in polls {
                        let others = self.others(thread).filter(|&other| !self.polls(other, poll));
                        let waits = others.filter_map(|other| {
                            let what = awaited(&self.graph, execution, poll, other)?;
                            Some(WaitFor { thread, other, what })
                        });
                        out.extend(waits);
                    }
                }
                Stop::AtBarrier(b) => {
                    let missing = self.missing(execution, thread, *b);
                    let waiting = self.others(thread).filter(|other| missing.contains(other));
                    let what = WaitCause::Arrival(*b);
                    out.extend(waiting.map(|other| WaitFor { thread, other, what }));
                }
                Stop::Ended | Stop::BeforeTask(_) | Stop::NotStarted | Stop::Left(_) => {}
            }
        }
        out
    }

    /// The other threads that wait, too.
    fn others(&self, thread: AgentId) -> impl Iterator<Item = AgentId> + '_ {
        let waits = |stop: &Stop| matches!(stop, Stop::InLoop { .. } | Stop::AtBarrier(_));
        let others = self.threads.iter().filter(move |status| status.agent != thread);
        others.filter(move |status| waits(&status.stop)).map(|status| status.agent)
    }

    /// Whether a thread polls the location of a read, too: what it would write there comes behind its own
    /// wait for the same.
    fn polls(&self, thread: AgentId, poll: EventId) -> bool {
        let loc = self.graph.event(poll).loc;
        let same = |&own: &EventId| self.graph.event(own).loc == loc;
        let waits =
            |stop: &Stop| matches!(stop, Stop::InLoop { polls, .. } if polls.iter().any(same));
        self.threads.iter().any(|status| status.agent == thread && waits(&status.stop))
    }

    /// The threads for which a thread waits at a barrier operation: those that are missing in its phase, or
    /// of its warp. Where a count says how many come, any thread that is not there might be one of them.
    #[must_use]
    pub fn missing(
        &self,
        execution: &Execution<'_>,
        thread: AgentId,
        b: BarrierId,
    ) -> Vec<AgentId> {
        let (barriers, numbering) = (&self.graph.barriers, self.graph.numbering());
        let op = &barriers[b];
        let stop = |agent| self.threads.iter().find(|status| status.agent == agent);
        let stop = |agent| stop(agent).map(|status| &status.stop);
        let mut now = Concrete {
            happens: |o: BarrierId| {
                let passed = execution.executed.contains(barriers[o].event);
                passed || stop(numbering.thread(o)) == Some(&Stop::AtBarrier(o))
            },
            never_ends: |agent| stop(agent) != Some(&Stop::Ended),
        };
        let at = (b, ordinal(&mut now, numbering, b));
        let mates: Vec<AgentId> = self.graph.mates(thread).collect();
        let mut others = self.graph.members(&op.key);
        others.retain(|other| *other != thread);
        others.retain(|&other| match mates.contains(&other) {
            _ if op.count().is_some() => {
                !matches!(stop(other), Some(Stop::AtBarrier(o)) if barriers[*o].key == op.key)
            }
            true => is_missing(&mut now, numbering, other, at, |o| numbering.are_of_one_kind(b, o)),
            false => {
                op.waits && is_missing(&mut now, numbering, other, at, |o| barriers[o].arrives)
            }
        });
        others
    }
}

/// What a poll waits for another thread to do.
fn awaited(
    graph: &EventGraph,
    execution: &Execution<'_>,
    poll: EventId,
    other: AgentId,
) -> Option<WaitCause> {
    let of_other = |id: &EventId| {
        let event = graph.event(*id);
        event.agent == other && event.kind == EventKind::Write && event.loc == graph.event(poll).loc
    };
    let (happened, to_come): (Vec<EventId>, Vec<EventId>) =
        graph.ids().filter(of_other).partition(|&id| execution.executed.contains(id));
    let write = *to_come.first()?;
    // What the poll reads is what the other thread has taken the lock with.
    let read = execution.choices.rf.get(poll.index()).copied().flatten();
    let taken = happened.last().copied();
    let taken = taken.filter(|&id| graph.event(id).marks.rmw && read == Some(id));
    Some(taken.map_or(WaitCause::Write { poll, write }, |taken| WaitCause::Lock { poll, taken }))
}

/// A shortest circle through a thread.
fn circle_of(waits: &[WaitFor], start: AgentId) -> Option<Vec<WaitFor>> {
    let mut via: Vec<WaitFor> = Vec::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &wait in waits.iter().filter(|wait| wait.thread == at) {
            if wait.other == start {
                return Some(way_to(&via, wait, start));
            }
            if via.iter().all(|known| known.other != wait.other) {
                via.push(wait);
                queue.push_back(wait.other);
            }
        }
    }
    None
}

/// The waits that lead from a thread to the last one.
fn way_to(via: &[WaitFor], last: WaitFor, start: AgentId) -> Vec<WaitFor> {
    let mut way = vec![last];
    let mut at = last.thread;
    while at != start {
        let Some(&before) = via.iter().find(|wait| wait.other == at) else { break };
        way.push(before);
        at = before.thread;
    }
    way.reverse();
    way
}
