//! Misuses of mbarrier objects (PTX-9.7.13.15): mbarrier operations without an object, and ordinary
//! accesses to an object.
//!
//! Whether memory holds an mbarrier object depends on the write that a read takes its value from, not
//! on the bits: a write of an mbarrier operation leaves an object, and ordinary data may have any bits.

use super::access::DraftAccess;
use super::builder::GraphBuilder;
use super::entry::Entry;
use super::graph::{EventGraph, EventKind, Violation};
use super::symbolic::SymbolicThread;
use crate::id::{AccessId, AgentId, ExprId};
use crate::program::expr::Expr;
use crate::program::mbarrier::VALID_AT;
use crate::program::micro::Marks;
use crate::ptx::operation::Order;
use crate::rule::Rule;
use crate::source::Span;

impl SymbolicThread<'_, '_> {
    /// Reports an mbarrier operation that finds no object, and an initialization that finds one. The
    /// object is read by one of the given accesses, each under its guard.
    pub(super) fn check_object(&mut self, marks: Marks, reads: &[(ExprId, AccessId)], span: Span) {
        if !marks.mbarrier {
            return;
        }
        self.builder.mbarriers.last_reads = reads.to_vec();
        let mut wrong = self.exprs().truth(false);
        for &(guard, read) in reads {
            let exprs = self.exprs();
            let object = exprs.leaf(Expr::Mbarrier(read), 1);
            let state = exprs.leaf(Expr::Read(read), VALID_AT + 1);
            let valid = exprs.extract(state, VALID_AT, 1);
            let mut fails = exprs.and(object, valid);
            if !marks.mbarrier_init {
                fails = exprs.not(fails);
            }
            let here = exprs.and(guard, fails);
            wrong = exprs.or(wrong, here);
        }
        let rule = match marks.mbarrier_init {
            true => Rule::MbarrierInitialized,
            false => Rule::MbarrierUninitialized,
        };
        if !self.builder.exprs.is_false(wrong) {
            self.violate(wrong, span, rule);
        }
    }
}

impl GraphBuilder<'_> {
    /// Reports ordinary accesses to initialized mbarriers. Since a store reads nothing, a hidden read
    /// is added before it, if [`super::settings::Unfolding::looks`] asks for this.
    ///
    /// Misuses by mbarrier operations are reported before these: an ordinary access that only happens
    /// because of such a misuse is not worth reporting.
    pub(super) fn check_ordinary_accesses(&mut self) {
        let written = |a: &&DraftAccess| a.marks.mbarrier && a.write;
        let mut objects: Vec<DraftAccess> = Vec::new();
        for access in self.accesses.iter().filter(written) {
            if !objects.iter().any(|o| (o.object, o.offset) == (access.object, access.offset)) {
                objects.push(access.clone());
            }
        }
        if objects.is_empty() {
            return;
        }
        let passed = self.barriers_before_accesses();
        for entry in std::mem::take(&mut self.entries) {
            if let Entry::Access(id) = entry {
                let access = &self.accesses[id.index()];
                if !access.marks.mbarrier && objects.iter().any(|o| o.overlaps(access)) {
                    self.check_ordinary_access(id, passed[id.index()]);
                }
            }
            self.entries.push(entry);
        }
    }

    /// Reports an ordinary access that may hit an object; its thread has entered `barriers` barrier
    /// operations before.
    fn check_ordinary_access(&mut self, id: AccessId, barriers: usize) {
        let access = self.accesses[id.index()].clone();
        let (read, rule) = match (access.write, access.marks.rmw) {
            (false, false) => (id, Rule::MbarrierLoaded),
            (false, true) => (id, Rule::MbarrierUpdated),
            (true, false) if self.unfolding.looks => {
                (self.push_hidden_read(&access), Rule::MbarrierStored)
            }
            (true, _) => return,
        };
        let object = self.exprs.leaf(Expr::Mbarrier(read), 1);
        let ended = self.ended_before(access.thread, access.guard);
        self.violations.push(Violation {
            guard: self.exprs.and(access.guard, object),
            span: access.span,
            rule: Some(rule),
            behind: vec![(AgentId::new(access.thread + 1), barriers)],
            ended,
            position: None,
        });
    }

    /// Adds a hidden read of the bytes that a store overwrites. The read is weak and its value is
    /// unused, so that it orders nothing.
    fn push_hidden_read(&mut self, store: &DraftAccess) -> AccessId {
        let id = AccessId::new(self.accesses.len());
        self.accesses.push(DraftAccess {
            write: false,
            order: Order::Weak,
            scope: None,
            marks: Marks { looks: true, ..Marks::default() },
            data_reads: Vec::new(),
            alone: false,
            position: store.position.saturating_sub(1),
            ..store.clone()
        });
        self.entries.push(Entry::Access(id));
        id
    }
}

impl EventGraph {
    /// Whether an ordinary store may hit an mbarrier object.
    #[must_use]
    pub fn may_overwrite_mbarriers(&self) -> bool {
        let mut objects = vec![false; self.locations.len()];
        let writes = || self.events.iter().filter(|e| e.kind == EventKind::Write);
        let place = |e: &super::graph::Event| e.loc.expect("a write has a location").index();
        writes().filter(|e| e.marks.mbarrier).for_each(|e| objects[place(e)] = true);
        writes().any(|e| !e.marks.mbarrier && !e.marks.rmw && objects[place(e)])
    }
}
