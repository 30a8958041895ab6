//! Well-foundedness of reads and writes. Without cycles of dependencies and reads-from, every value
//! goes back to writes that depend on no open read.

use super::state::Search;
use crate::bitrel::EventSet;
use crate::id::EventId;

/// How an open read counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// The read is founded as soon as one of its candidate writes is founded.
    Hopeful,
    /// The read is not founded.
    Unfounded,
}

impl Search<'_, '_> {
    /// Whether every open read can still be given a write without a cycle of dependencies and
    /// reads-from.
    pub(super) fn well_founded(&mut self) -> bool {
        let Some(axiom) = self.thin_air() else { return true };
        // Then every write is founded, and every open read has a write that it may take.
        if self.space.independent {
            return true;
        }
        let founded = self.founded(Open::Hopeful);
        let fine = self.space.reads.iter().all(|&access| {
            self.pieces(access).iter().all(|&p| !self.executed.contains(p) || founded.contains(p))
        });
        self.blamed[axiom] |= !fine;
        fine
    }

    /// The axiom that excludes values that justify themselves, if it is active.
    pub(super) fn thin_air(&self) -> Option<usize> {
        self.rules.thin_air.as_ref().map(|rule| rule.axiom).filter(|&axiom| self.active[axiom])
    }

    /// The least set of founded events. An event that may or may not happen counts without its
    /// dependencies on events that may not happen either.
    pub(super) fn founded(&self, open: Open) -> EventSet {
        let n = self.space.graph.events.len();
        let mut state = State {
            founded: EventSet::empty(n),
            missing: vec![0; n],
            sourced: EventSet::empty(n),
            ready: Vec::new(),
        };
        for event in self.space.graph.ids().filter(|&e| self.possible.contains(e)) {
            let on = &self.space.depends[event.index()];
            let missing = on.iter().filter(|&&e| self.executed.contains(e)).count();
            state.missing[event.index()] = u32::try_from(missing).expect("few events");
            if missing == 0 && !self.space.graph.event(event).is_read() {
                state.mark_founded(event);
            }
        }
        while let Some(event) = state.ready.pop() {
            if self.executed.contains(event) {
                for &user in &self.space.dependents[event.index()] {
                    self.without(user, &mut state);
                }
            }
            for &read in &self.space.readers[event.index()] {
                self.offer(event, read, open, &mut state);
            }
        }
        state.founded
    }

    /// Notes that a dependency of an event is founded.
    fn without(&self, user: EventId, state: &mut State) {
        let missing = &mut state.missing[user.index()];
        *missing -= u32::from(self.possible.contains(user));
        let sourced = !self.space.graph.event(user).is_read() || state.sourced.contains(user);
        if *missing == 0 && sourced && self.possible.contains(user) {
            state.mark_founded(user);
        }
    }

    /// Offers a founded write to a read.
    fn offer(&self, write: EventId, read: EventId, open: Open, state: &mut State) {
        if state.sourced.contains(read) || !self.possible.contains(read) {
            return;
        }
        let takes = match self.rf[read.index()] {
            Some(taken) => taken == write,
            None => open == Open::Hopeful && self.may_take(read, write),
        };
        if takes {
            state.sourced.insert(read);
            if state.missing[read.index()] == 0 {
                state.mark_founded(read);
            }
        }
    }
}

/// The state of the fixpoint computation.
struct State {
    founded: EventSet,
    /// For every event, the number of its dependencies that are not founded yet.
    missing: Vec<u32>,
    /// Reads with a founded write.
    sourced: EventSet,
    /// Founded events whose consequences are pending.
    ready: Vec<EventId>,
}

impl State {
    fn mark_founded(&mut self, event: EventId) {
        if self.founded.insert(event) {
            self.ready.push(event);
        }
    }
}
