//! Writes beyond the bound: an over-approximation of the further writes of cut threads.
//!
//! A thread whose loop the bound cuts may write in further rounds or after the loop. Only
//! dependencies and synchronization keep other threads from reading such a write early, and the
//! unrolled rounds from reading resulting writes of those threads (PTX-8.10.4). Therefore the
//! question whether some execution exceeds the bound is asked on a graph in which all these writes
//! may happen. A write has the value computed by its instruction, or any value if the value depends
//! on registers that the rounds change.

use super::access::DraftAccess;
use super::builder::GraphBuilder;
use super::facts::Readers;
use super::graph::CutKind;
use super::loop_nest::{LoopId, reached_from};
use super::memory::Does;
use super::symbolic::{Cell, State, SymbolicThread};
use crate::id::{ExprId, ObjectId};
use crate::program::micro::{Marks, Micro, Target};
use crate::ptx::operation::Order;
use crate::source::Span;

/// The most copies of one write beyond the bound: one for each read of another thread that may take
/// its value.
const MOST_READ: usize = 4;

impl SymbolicThread<'_, '_> {
    /// Adds the writes that may follow when the thread goes on from a loop's head, if writes beyond
    /// the bound are requested.
    pub(super) fn write_beyond_bound(&mut self, id: LoopId, state: &State) {
        // Readers are known if and only if writes beyond the bound are requested.
        if self.builder.facts.readers.is_none() {
            return;
        }
        let cut = state.guard;
        // The writes do not depend on the values by which the thread is cut.
        let mut state = State { guard: self.exprs().truth(true), ..state.clone() };
        let steps = reached_from(self.code, self.flow.loops.head(id));
        for register in steps.iter().flat_map(|&at| self.code.steps[at].written()) {
            let value = self.any_value(self.code.registers[register].ty.bits);
            state.cells[register] = Cell { value, reads: Vec::new() };
        }
        let violations = self.builder.violations.len();
        let mut writes: Vec<DraftAccess> = Vec::new();
        for at in steps {
            let step = &self.code.steps[at];
            for micro in &step.micros {
                self.writes_of(micro, &state, step.span, &mut writes);
            }
        }
        // An address of unknown value is no violation here.
        self.builder.violations.truncate(violations);
        for write in writes {
            for _ in 0..self.read_by_others(write.object) {
                let happens = self.any_value(1);
                let allowed = self.exprs().implies(happens, cut);
                let only = self.builder.cuts.only_cut_threads_write;
                self.builder.cuts.only_cut_threads_write = self.exprs().and(only, allowed);
                let guard = self.exprs().and(write.guard, happens);
                let value = self.value_of_copy(write.value);
                self.position += 2;
                let position = self.position;
                self.builder.push_access(DraftAccess { guard, value, position, ..write.clone() });
            }
        }
    }

    /// The value of one copy of a write. A value computed from open values becomes a new open
    /// value, since copies may differ.
    fn value_of_copy(&mut self, value: ExprId) -> ExprId {
        match self.builder.exprs.leaves(value).iter().any(|leaf| self.open_width(leaf).is_some()) {
            true => self.any_value(self.builder.exprs.width(value)),
            false => value,
        }
    }

    /// How many reads of other threads may see a write of this thread, at most [`MOST_READ`].
    fn read_by_others(&self, object: ObjectId) -> usize {
        let readers = self.builder.facts.readers.iter().flatten();
        let others = readers.filter(|((read, thread), _)| *read == object && *thread != self.index);
        others.map(|(_, count)| count).sum::<usize>().min(MOST_READ)
    }

    /// Collects the writes that a micro-operation may perform, at all places of its address, each
    /// form once.
    fn writes_of(
        &mut self,
        micro: &Micro,
        state: &State,
        span: Span,
        writes: &mut Vec<DraftAccess>,
    ) {
        match micro {
            Micro::Store { target, value } => {
                let value = self.term(value, state, None);
                self.writes_to(target, target.order, value, state, span, writes);
            }
            Micro::Rmw { target, write_order, writes: happens, value, .. } => {
                let old = self.any_value(target.bytes * 8);
                let happens = self.term(happens, state, Some(old));
                let value = self.term(value, state, Some(old));
                // A write of the old value is left out, since its readers may read from the source
                // of the old value.
                if value != old && !self.builder.exprs.is_false(happens) {
                    self.writes_to(target, *write_order, value, state, span, writes);
                }
            }
            Micro::Elements { list, .. } => {
                list.iter().for_each(|element| self.writes_of(element, state, span, writes));
            }
            _ => {}
        }
    }

    fn writes_to(
        &mut self,
        target: &Target,
        order: Order,
        value: ExprId,
        state: &State,
        span: Span,
        writes: &mut Vec<DraftAccess>,
    ) {
        let value = self.exprs().resize(value, target.bytes * 8, false);
        // Which row another lane gives beyond the bound is not known.
        let places = match target.lane {
            None => self.places(target, Does::Write, state, span),
            Some(_) => {
                let anywhere = self.any_value(64);
                self.places_at(anywhere, target, Does::Write, state, span)
            }
        };
        for (guard, resolved) in places.list {
            let access = self.access(target, &resolved, state, guard, span);
            let marks = Marks { multimem: target.marks.multimem, ..Marks::default() };
            let write = DraftAccess {
                write: true,
                order,
                value,
                marks,
                control_reads: Vec::new(),
                address_reads: Vec::new(),
                ..access
            };
            let is_same = |other: &DraftAccess| {
                other.guard == guard && other.value == value && other.is_like(&write)
            };
            if !writes.iter().any(is_same) {
                writes.push(write);
            }
        }
    }
}

impl GraphBuilder<'_> {
    /// How often each thread reads each object, if writes beyond the bound are requested and these
    /// numbers are not yet known.
    pub(super) fn new_readers(&self) -> Option<Readers> {
        if !self.unfolding.ahead || self.facts.readers.is_some() {
            return None;
        }
        let mut readers = Readers::default();
        for access in self.accesses.iter().filter(|access| !access.write) {
            *readers.entry((access.object, access.thread)).or_default() += 1;
        }
        Some(readers)
    }

    /// Restricts cuts by the bound to executions in which only cut threads write beyond the bound.
    pub(super) fn settle_writes_beyond_bound(&mut self) {
        for cut in self.cuts.list.iter_mut().filter(|cut| cut.kind == CutKind::Bound) {
            for when in [&mut cut.guard, &mut cut.steady] {
                *when = self.exprs.and(*when, self.cuts.only_cut_threads_write);
            }
        }
    }
}
