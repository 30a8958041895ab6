//! Which accesses act on an mbarrier object (PTX-9.7.13.15).
//!
//! There is an object where an mbarrier operation has left one: this is a matter of who wrote what is
//! read, not of its bits, since ordinary data may have any.

use super::access::DraftAccess;
use super::builder::{Entry, GraphBuilder};
use super::graph::{EventGraph, EventKind, Violation};
use super::unfold::ThreadRun;
use crate::id::{AccessId, AgentId, ExprId};
use crate::program::expr::Expr;
use crate::program::mbarrier::VALID_AT;
use crate::program::micro::Marks;
use crate::ptx::operation::Order;
use crate::rule::Rule;
use crate::source::Span;

impl ThreadRun<'_, '_> {
    /// Notes where an mbarrier operation finds no object, or an initialization one; it reads the
    /// object by one of these accesses, each under its guard.
    pub(super) fn asks_for_object(
        &mut self,
        marks: Marks,
        reads: &[(ExprId, AccessId)],
        span: Span,
    ) {
        if !marks.mbarrier {
            return;
        }
        self.builder.looked_at = reads.to_vec();
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
    /// Notes ordinary accesses to initialized mbarriers. A store sees none of what it overwrites, so
    /// a hidden read stands before it where that is asked for.
    ///
    /// The misuse of mbarrier operations comes first: what follows from it is not worth a word.
    pub(super) fn look_at_objects(&mut self) {
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
                    self.look_at_object(id, passed[id.index()]);
                }
            }
            self.entries.push(entry);
        }
    }

    /// Notes an ordinary access that may meet an object, before so many barrier operations.
    fn look_at_object(&mut self, id: AccessId, barriers: usize) {
        let access = self.accesses[id.index()].clone();
        let (read, rule) = match (access.write, access.marks.rmw) {
            (false, false) => (id, Rule::MbarrierLoaded),
            (false, true) => (id, Rule::MbarrierUpdated),
            (true, false) if self.unfolding.looks => {
                (self.look_before(&access), Rule::MbarrierStored)
            }
            (true, _) => return,
        };
        let object = self.exprs.leaf(Expr::Mbarrier(read), 1);
        let ended = self.ended_before(access.thread, access.guard);
        self.violations.push(Violation {
            guard: self.exprs.and(access.guard, object),
            span: access.span,
            rule,
            behind: vec![(AgentId::new(access.thread + 1), barriers)],
            ended,
        });
    }

    /// Adds a read of what a store is about to overwrite. It is weak and its value goes nowhere, so
    /// that it orders nothing.
    fn look_before(&mut self, store: &DraftAccess) -> AccessId {
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
    /// Whether an ordinary store may be at the place of an mbarrier object.
    #[must_use]
    pub fn may_overwrite_mbarriers(&self) -> bool {
        let mut objects = vec![false; self.locations.len()];
        let writes = || self.events.iter().filter(|e| e.kind == EventKind::Write);
        let place = |e: &super::graph::Event| e.loc.expect("a write has a location").index();
        writes().filter(|e| e.marks.mbarrier).for_each(|e| objects[place(e)] = true);
        writes().any(|e| !e.marks.mbarrier && !e.marks.rmw && objects[place(e)])
    }
}
