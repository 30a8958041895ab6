//! Reads-from: the write from which each read that happens takes its value.
//!
//! A read with one possible write gets it at once. Then the search branches on the read with the
//! fewest possible writes, or on a write: which read-modify-write takes its value? Branching on
//! writes keeps threads with the same program interchangeable, and only one of them is tried. When
//! every read has its write, barriers get results. Then symbols with dependents get values, one
//! after the other.

use super::state::{Flow, Search, Visit};
use super::well_founded::Open;
use crate::id::{AccessId, AgentId, EventId};

/// The most reads of a program that is searched without look-ahead.
pub(super) const SMALL: usize = 6;

/// A point in the trails to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    reads: usize,
    known: usize,
    closed: usize,
    returned: usize,
}

/// The next branch of a search.
enum Branch {
    /// Every read that happens has its write.
    Done,
    /// The writes that one piece of a read may take.
    Read(EventId, Vec<EventId>),
    /// The reads that may take a write's value.
    Write(EventId, Vec<EventId>),
}

impl<'g> Search<'g, '_> {
    /// Decides forced choices, judges the result, and branches on the rest.
    pub(super) fn choose(&mut self, visit: &mut Visit<'_>) -> Flow {
        self.step()?;
        let mark = self.mark();
        let orders = self.save_orders();
        let result = if self.infer() { self.branch(visit) } else { Ok(()) };
        self.restore_orders(orders);
        self.undo(mark);
        result
    }

    fn branch(&mut self, visit: &mut Visit<'_>) -> Flow {
        if let Some(symbol) = self.ripe_symbol() {
            return self.branch_on_symbol(symbol, visit);
        }
        match self.next_branch() {
            Branch::Done => match (self.open_result(), self.open_symbol()) {
                (Some(barrier), _) => self.branch_on_result(barrier, visit),
                (None, Some(symbol)) => self.branch_on_symbol(symbol, visit),
                (None, None) => self.decided(visit),
            },
            Branch::Read(read, writes) => self.branch_on_read(read, &writes, visit),
            Branch::Write(write, reads) => self.branch_on_write(write, &reads, visit),
        }
    }

    /// Infers the consequences of the choices so far; gives whether they may still succeed.
    fn infer(&mut self) -> bool {
        let mut looked_at = None;
        loop {
            if !self.propagate() || !self.holds_so_far() || !self.well_founded() {
                return false;
            }
            if self.space.reads.len() <= SMALL {
                return true;
            }
            if self.close_by_value() {
                continue;
            }
            // Axioms give the same result again for the same bounds.
            if looked_at.replace(self.slots.version()) == Some(self.slots.version()) {
                return true;
            }
            self.exclude_from_axioms();
            let closed = self.close_by_axioms();
            let Some(forced) = self.force() else { return false };
            if !closed && !forced {
                return true;
            }
        }
    }

    /// Rules out writes that alone would break an axiom, by `exclude_from_axioms`; gives whether
    /// there were any.
    fn close_by_axioms(&mut self) -> bool {
        let Some(slot) = self.rules.rf else { return false };
        let Some(out) = self.excluded.of(slot) else { return false };
        let mut found = Vec::new();
        for &access in &self.space.reads {
            for &piece in self.pieces(access) {
                if self.rf[piece.index()].is_none() && self.executed.contains(piece) {
                    found.extend(
                        self.viable(piece).filter(|&w| out.contains(w, piece)).map(|w| (w, piece)),
                    );
                }
            }
        }
        for &(write, read) in &found {
            self.close(write, read);
        }
        self.looked_ahead |= !found.is_empty();
        !found.is_empty()
    }

    pub(super) fn close(&mut self, write: EventId, read: EventId) {
        if self.closed.insert(write, read) {
            self.closed_trail.push((write, read));
        }
    }

    /// Evaluates, and gives every read with one possible write that write; gives whether the goal
    /// is still possible.
    fn propagate(&mut self) -> bool {
        loop {
            if !self.evaluate() {
                return false;
            }
            let mut assigned = false;
            for at in 0..self.space.reads.len() {
                for &piece in self.pieces(self.space.reads[at]) {
                    if self.rf[piece.index()].is_some() || !self.executed.contains(piece) {
                        continue;
                    }
                    let mut possible = self.viable(piece);
                    match (possible.next(), possible.next()) {
                        (None, _) => return false,
                        (Some(only), None) => {
                            drop(possible);
                            self.assign(piece, only);
                            assigned = true;
                        }
                        _ => {}
                    }
                }
            }
            if !assigned {
                return true;
            }
        }
    }

    pub(super) fn pieces(&self, access: AccessId) -> &'g [EventId] {
        let graph = self.space.graph;
        &graph.access(access).pieces
    }

    /// The writes that a read may still take its value from.
    pub(super) fn viable(&self, read: EventId) -> impl Iterator<Item = EventId> + '_ {
        let sources = self.space.sources[read.index()].iter().copied();
        sources.filter(move |&write| self.may_take(read, write))
    }

    /// Whether a read may still take a write that it takes in some execution.
    pub(super) fn may_take(&self, read: EventId, write: EventId) -> bool {
        if !self.possible.contains(write) || self.closed.contains(write, read) {
            return false;
        }
        let graph = self.space.graph;
        let access = graph.event(read).access;
        let Some(demand) = self.space.demands[access.index()] else { return true };
        match self.values.get(graph.access_of(write).value) {
            Some(value) if graph.access(access).pieces.len() == 1 => {
                demand.admits(graph.piece_of(write, value))
            }
            _ => true,
        }
    }

    fn assign(&mut self, read: EventId, write: EventId) {
        self.rf[read.index()] = Some(write);
        self.trail.push(read);
        self.stale |= self.space.asks_for_mbarriers;
        let graph = self.space.graph;
        self.touched[graph.event(read).agent.index()] += 1;
        self.touched[graph.event(write).agent.index()] += 1;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            reads: self.trail.len(),
            known: self.known_trail.len(),
            closed: self.closed_trail.len(),
            returned: self.returned_trail.len(),
        }
    }

    pub(super) fn undo(&mut self, mark: Mark) {
        let graph = self.space.graph;
        let unassigned = self.trail.len() > mark.reads;
        for read in self.trail.drain(mark.reads..) {
            let write = self.rf[read.index()].take().expect("what is on the trail was assigned");
            self.touched[graph.event(read).agent.index()] -= 1;
            self.touched[graph.event(write).agent.index()] -= 1;
        }
        self.stale |= self.known_trail.len() > mark.known;
        self.stale |= self.returned_trail.len() > mark.returned;
        self.stale |= self.space.asks_for_mbarriers && unassigned;
        for access in self.known_trail.drain(mark.known..) {
            self.known[access.index()] = None;
        }
        for index in self.returned_trail.drain(mark.returned..) {
            self.returned[index] = None;
        }
        for (write, read) in self.closed_trail.drain(mark.closed..) {
            self.closed.remove(write, read);
        }
    }

    /// The next branch: the read that failed last, else reads that matter to the goal first.
    fn next_branch(&self) -> Branch {
        // A read that failed with every write often fails for the same reason here.
        if let Some(read) = self.conflict
            && self.rf[read.index()].is_none()
            && self.executed.contains(read)
        {
            return Branch::Read(read, self.viable(read).collect());
        }
        let mut best: Option<(EventId, usize, bool)> = None;
        for &access in &self.space.reads {
            let matters = self.space.matters[access.index()];
            for &piece in self.pieces(access) {
                if self.rf[piece.index()].is_some() || !self.executed.contains(piece) {
                    continue;
                }
                let count = self.viable(piece).count();
                if best.is_none_or(|(_, least, important)| (!matters, count) < (!important, least))
                {
                    best = Some((piece, count, matters));
                }
            }
        }
        let Some((read, count, _)) = best else { return Branch::Done };
        if count > 1
            && let Some((write, reads)) = self.taken_write()
        {
            return Branch::Write(write, reads);
        }
        Branch::Read(read, self.viable(read).collect())
    }

    /// A write that several read-modify-writes may take, with those; distinguished threads come
    /// first, interchangeable ones last.
    ///
    /// The write depends on no open read, so that a chain of read-modify-writes is decided from its
    /// start to its end. The write with the fewest possible readers goes first.
    fn taken_write(&self) -> Option<(EventId, Vec<EventId>)> {
        let graph = self.space.graph;
        let mut founded = None;
        let mut best: Option<(EventId, Vec<EventId>)> = None;
        for (takers, writes) in self.space.takers.iter().zip(&self.space.writes) {
            let open: Vec<EventId> = takers
                .iter()
                .copied()
                .filter(|&r| self.rf[r.index()].is_none() && self.executed.contains(r))
                .collect();
            if open.len() < 2 {
                continue;
            }
            let founded = founded.get_or_insert_with(|| self.founded(Open::Unfounded));
            for &write in writes {
                let taken = takers.iter().any(|&r| self.rf[r.index()] == Some(write));
                if taken || !self.executed.contains(write) || !founded.contains(write) {
                    continue;
                }
                let reads: Vec<EventId> = open
                    .iter()
                    .copied()
                    .filter(|&r| {
                        self.space.readers[write.index()].contains(&r) && self.may_take(r, write)
                    })
                    .collect();
                if reads.len() > 1 && best.as_ref().is_none_or(|(_, b)| reads.len() < b.len()) {
                    best = Some((write, reads));
                }
            }
        }
        let (write, mut reads) = best?;
        reads.sort_by_key(|&r| (self.fresh_class(graph.event(r).agent).is_some(), r));
        Some((write, reads))
    }

    /// The class of interchangeable threads that an agent belongs to, while nothing has been
    /// decided about the agent.
    fn fresh_class(&self, agent: AgentId) -> Option<u32> {
        self.space.classes[agent.index()].filter(|_| self.touched[agent.index()] == 0)
    }

    fn branch_on_read(&mut self, read: EventId, writes: &[EventId], visit: &mut Visit<'_>) -> Flow {
        let graph = self.space.graph;
        let mut tried: Vec<(u32, usize)> = Vec::new();
        for &write in writes {
            if let Some(class) = self.fresh_class(graph.event(write).agent) {
                let own = graph.event(write).agent == graph.event(read).agent;
                // Interchangeable threads offer the same write; one of them stands for all.
                let alike = (class, self.space.number_in_thread(write));
                if !own && tried.contains(&alike) {
                    continue;
                }
                if !own {
                    tried.push(alike);
                }
            }
            let mark = self.mark();
            self.assign(read, write);
            let result = self.choose(visit);
            self.undo(mark);
            result?;
        }
        self.conflict = Some(read);
        Ok(())
    }

    /// Branches: the first of `reads` takes the write's value; or the second and not the first;
    /// ...; or none.
    fn branch_on_write(
        &mut self,
        write: EventId,
        reads: &[EventId],
        visit: &mut Visit<'_>,
    ) -> Flow {
        let graph = self.space.graph;
        let mut tried: Vec<(u32, usize)> = Vec::new();
        let mut result = Ok(());
        let outer = self.mark();
        for &read in reads {
            let class = self.fresh_class(graph.event(read).agent);
            let alike = class.map(|class| (class, self.space.number_in_thread(read)));
            if alike.is_none_or(|a| !tried.contains(&a)) {
                tried.extend(alike);
                let mark = self.mark();
                self.assign(read, write);
                result = self.choose(visit);
                self.undo(mark);
            }
            if result.is_err() {
                break;
            }
            self.close(write, read);
        }
        if result.is_ok() {
            result = self.choose(visit);
        }
        self.undo(outer);
        result
    }
}
