//! Loads that require unchanging data: `ld.global.nc` and `ldu` (PTX-9.7.9.9, PTX-8.1).
//!
//! The model covers such a load only if no write can overlap it in time. Every write to the
//! location has to belong to a task that is complete before the load's task starts, or before a
//! `griddepcontrol.wait` that surely precedes the load, or to a task that starts after the load's
//! task is complete.

use super::builder::GraphBuilder;
use super::entry::Entry;
use super::graph::Violation;
use crate::id::{AccessId, AgentId};
use crate::rule::Rule;

impl GraphBuilder<'_> {
    /// Reports non-coherent loads that may overlap in time with a write.
    pub(super) fn check_non_coherent_loads(&mut self) {
        let ids = || (0..self.accesses.len()).map(AccessId::new);
        let access = |id: AccessId| &self.accesses[id.index()];
        let mut loads = ids().filter(|&id| access(id).marks.non_coherent).peekable();
        if loads.peek().is_none() {
            return;
        }
        let (before, awaited) =
            (self.program.tasks.earlier_threads(), self.program.tasks.awaited_threads());
        let apart = |a: usize, b: usize| !before[a][b] && !before[b][a];
        let mut meetings = Vec::new();
        for load in loads {
            let meets = |&write: &AccessId| {
                let (load, write) = (access(load), access(write));
                write.write && apart(load.thread, write.thread) && write.overlaps(load)
            };
            meetings.extend(ids().filter(meets).map(|write| (load, write)));
        }
        let passed = self.barriers_before_accesses();
        for (load, write) in meetings {
            let [reader, writer] = [load, write].map(|id| self.accesses[id.index()].thread);
            if awaited[reader][writer] && self.waits_before(load) {
                continue;
            }
            let both = [load, write].map(|id| {
                let access = &self.accesses[id.index()];
                (access.thread, access.guard, passed[id.index()])
            });
            let guard = self.exprs.and(both[0].1, both[1].1);
            if self.exprs.is_false(guard) {
                continue;
            }
            let behind = both.map(|(thread, _, count)| (AgentId::new(thread + 1), count)).to_vec();
            let ended = both.map(|(thread, guard, _)| self.ended_before(thread, guard)).concat();
            self.violations.push(Violation {
                guard,
                span: self.accesses[load.index()].span,
                rule: Some(Rule::NonCoherentLoad),
                behind,
                ended,
                position: None,
            });
        }
    }

    /// Whether a thread surely passes a `griddepcontrol.wait` before an access.
    fn waits_before(&mut self, id: AccessId) -> bool {
        let (thread, guard) = (self.accesses[id.index()].thread, self.accesses[id.index()].guard);
        let is_it = |entry: &Entry| matches!(entry, Entry::Access(access) if *access == id);
        let before = self.entries.iter().position(is_it).expect("an access has an entry");
        self.waits_for_tasks(thread, guard, before)
    }
}
