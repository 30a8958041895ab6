//! Issues of asynchronous operations (PTX-8.9.1.1) into accesses, signals to mbarriers, and the waits
//! for groups that each operation precedes.

use super::access::{DraftAccess, OfOperation, Role, union};
use super::builder::GraphBuilder;
use super::entry::DraftKind;
use super::graph::Violation;
use super::issued::{DoneBefore, DraftOperation, GroupStep, Moves};
use super::memory::Does;
use super::symbolic::{Effect, EffectKind, State, SymbolicThread};
use crate::id::{AgentId, ExprId, ObjectId};
use crate::program::expr::Expr;
use crate::program::layout::InstanceKey;
use crate::program::mbarrier::OBJECT_BITS;
use crate::program::micro::{
    AsyncEffect, AsyncMicro, AwaitMicro, Behind, Direction, PhaseUse, Signal, SignalPlace, Target,
};
use crate::program::term::Term;
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::Order;
use crate::rule::Rule;
use crate::source::Span;

impl<'p> SymbolicThread<'_, 'p> {
    /// Issues an asynchronous operation.
    pub(super) fn issue(
        &mut self,
        node: usize,
        micro: &'p AsyncMicro,
        state: &mut State,
        span: Span,
    ) {
        if let AsyncEffect::Product(product) = &micro.effect {
            return match product.into.is_empty() {
                true => self.multiply(node, micro, product, state, span),
                false => self.multiply_in_memory(node, micro, product, state, span),
            };
        }
        let guard = state.guard;
        let operation = self.open(node, micro, state, span);
        match &micro.effect {
            AsyncEffect::Transfer(transfer) => {
                let parts = transfer.destinations.iter().map(|to| {
                    let when = self.term(&to.when, state, None);
                    self.exprs().and(guard, when)
                });
                self.builder.issued.operations[operation].parts = parts.collect();
                let moves = self.moves(transfer, micro.proxy, state, span);
                self.builder.issued.operations[operation].moves = moves;
            }
            AsyncEffect::Tensor(tensor) => {
                if tensor.direction == Direction::Load {
                    let parts = tensor.shared.iter().map(|to| {
                        let when = self.term(&to.when, state, None);
                        self.exprs().and(guard, when)
                    });
                    self.builder.issued.operations[operation].parts = parts.collect();
                }
                let moves = self.tensor(operation, tensor, state, span);
                self.builder.issued.operations[operation].moves = moves;
            }
            AsyncEffect::Store(list) => {
                for (target, value) in list {
                    self.issue_store(operation, target, value, state, span);
                }
            }
            AsyncEffect::Answer(places, answer) => {
                self.builder.issued.operations[operation].parts = vec![guard; places.len()];
                let moves = self.answer((places, answer), micro.proxy, state, span);
                self.builder.issued.operations[operation].moves = vec![moves];
            }
            AsyncEffect::Update(target, order, value) => {
                self.issue_update(operation, target, (*order, value), state, span);
            }
            AsyncEffect::LoadColumns(list) => self.load_columns(operation, list, state, span),
            AsyncEffect::StoreColumns(list) => {
                for (target, value) in list {
                    self.issue_store(operation, target, value, state, span);
                }
            }
            AsyncEffect::Behind(_) => {
                let parts = micro.signals.iter().map(|signal| {
                    let when = self.term(&signal.when, state, None);
                    self.exprs().and(guard, when)
                });
                self.builder.issued.operations[operation].parts = parts.collect();
            }
            AsyncEffect::Product(_) => {}
        }
        for signal in &micro.signals {
            self.signal(operation, signal, state, span);
        }
        self.check_places_of_signals(operation, span);
    }

    /// Adds an operation without accesses; gives its number.
    pub(super) fn open(
        &mut self,
        node: usize,
        micro: &'p AsyncMicro,
        state: &State,
        span: Span,
    ) -> usize {
        let operation = self.builder.issued.operations.len();
        let guard = state.guard;
        let own = |is_such: &dyn Fn(&AsyncMicro) -> bool| {
            let all = self.builder.issued.operations.iter().enumerate();
            let own = all.filter(|(_, other)| other.thread == self.index && is_such(other.micro));
            own.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let behind = match micro.effect {
            AsyncEffect::Behind(Behind::Copies) => {
                own(&|other| other.group == Some(GroupKind::Copy))
            }
            AsyncEffect::Behind(Behind::Tensor { pair }) => own(&|other| {
                other.tensor.is_some_and(|kind| kind.pair == pair && kind.is_tracked())
            }),
            _ => Vec::new(),
        };
        self.builder.issued.operations.push(DraftOperation {
            micro,
            thread: self.index,
            guard,
            span,
            barriers: self.builder.barriers.list.len(),
            parts: vec![guard],
            moves: Vec::new(),
            behind,
        });
        self.announce(node, operation, micro.group, state, span);
        operation
    }

    /// Adds the event by which the thread issues an operation, alone or together with other threads.
    pub(super) fn announce(
        &mut self,
        node: usize,
        operation: usize,
        group: Option<GroupKind>,
        state: &State,
        span: Span,
    ) {
        let (thread, guard) = (self.index, state.guard);
        self.push_other(DraftKind::Issue(operation), guard, span);
        self.effects.push(Effect { node, guard, kind: EffectKind::Change });
        if group.is_some() {
            self.builder.issued.steps.push(GroupStep::Issue { thread, operation, guard });
        }
    }

    pub(super) fn commit(&mut self, kind: GroupKind, guard: ExprId) {
        self.builder.issued.steps.push(GroupStep::Commit { thread: self.index, kind, guard });
    }

    pub(super) fn wait_for_groups(&mut self, wait: AwaitMicro, guard: ExprId, span: Span) {
        let number = self.builder.issued.number_wait();
        self.push_other(DraftKind::Await(wait.kind), guard, span);
        self.builder.issued.steps.push(GroupStep::Wait { thread: self.index, wait, guard, number });
        if wait.kind == GroupKind::Warpgroup {
            self.forget_products();
        }
    }

    pub(super) fn issue_store(
        &mut self,
        operation: usize,
        target: &Target,
        value: &Term,
        state: &State,
        span: Span,
    ) {
        let reads = self.term_reads(value, state);
        let value = self.term(value, state, None);
        let value = self.exprs().resize(value, target.bytes * 8, false);
        for (guard, place) in self.places(target, Does::Write, state, span).list {
            let access = self.access(target, &place, state, guard, span);
            let part = Some(OfOperation { operation, role: Role::Destination(0) });
            let data_reads = reads.clone();
            self.builder.push_access(DraftAccess {
                write: true,
                value,
                data_reads,
                part,
                ..access
            });
        }
    }

    fn issue_update(
        &mut self,
        operation: usize,
        target: &Target,
        (order, value): (Order, &Term),
        state: &State,
        span: Span,
    ) {
        let role = Role::Destination(0);
        for (guard, place) in self.places(target, Does::Update, state, span).list {
            let access = self.access(target, &place, state, guard, span);
            self.update(OfOperation { operation, role }, access, order, value, state);
        }
    }

    /// Adds both accesses of an atomic operation that belongs to an asynchronous one; gives the value
    /// read.
    fn update(
        &mut self,
        part: OfOperation,
        access: DraftAccess,
        order: Order,
        value: &Term,
        state: &State,
    ) -> ExprId {
        let width = access.bytes * 8;
        let write = DraftAccess { order, write: true, part: Some(part), ..access.clone() };
        let read = self.builder.push_access(DraftAccess { part: Some(part), ..access });
        let old = self.exprs().leaf(Expr::Read(read), width);
        let new = self.term(value, state, Some(old));
        let value_reads = self.term_reads(value, state);
        let value = self.exprs().resize(new, width, false);
        self.builder.push_access(DraftAccess {
            value,
            data_reads: union(&value_reads, &[read]),
            rmw_read: Some(read),
            position: write.position + 1,
            ..write
        });
        old
    }

    /// Adds the signal of an operation to an mbarrier object.
    fn signal(&mut self, operation: usize, signal: &'p Signal, state: &State, span: Span) {
        let part = OfOperation { operation, role: Role::Signal(signal.destination) };
        let when = self.term(&signal.when, state, None);
        let guard = self.exprs().and(state.guard, when);
        if self.builder.exprs.is_false(guard) {
            return;
        }
        let state = &State { guard, ..state.clone() };
        let (mut found, mut misuses) = (Vec::new(), Vec::new());
        for (guard, place) in self.places(&signal.target, Does::Update, state, span).list {
            let access = self.access(&signal.target, &place, state, guard, span);
            let old = self.update(part, access, signal.order, &signal.value, state);
            let Expr::Read(read) = self.builder.exprs.get(old) else { continue };
            found.push((guard, read));
            for (condition, rule) in &signal.requires {
                let holds = self.term(condition, state, Some(old));
                let fails = self.exprs().not(holds);
                misuses.push((self.exprs().and(guard, fails), rule));
            }
        }
        debug_assert_eq!(signal.target.bytes * 8, OBJECT_BITS);
        // Counts of what is no object mean nothing.
        self.check_object(signal.target.marks, &found, span);
        for (wrong, rule) in misuses {
            if !self.builder.exprs.is_false(wrong) {
                self.violate(wrong, span, rule.clone());
            }
        }
        match signal.needs_wait {
            true => self.note_mbarrier_use(&PhaseUse::Arrival, state, span),
            false => self.builder.mbarriers.last_reads.clear(),
        }
    }

    /// Reports signals to objects of another CTA than the destination whose completion they signal.
    fn check_places_of_signals(&mut self, operation: usize, span: Span) {
        let cta =
            |builder: &GraphBuilder<'_>, object: ObjectId| match builder.program.layout.objects
                [object.index()]
            .key
            {
                InstanceKey::Cta(gpu, grid, cta) => Some((gpu, grid, cta)),
                _ => None,
            };
        let of = |builder: &GraphBuilder<'_>, wanted: Role| -> Vec<(ExprId, ObjectId)> {
            let part = Some(OfOperation { operation, role: wanted });
            let own = builder.accesses.iter().filter(|a| a.part == part && a.write);
            let own = own.map(|a| (a.guard, a.object));
            let to = |moves: &'_ Moves<'_>| match wanted {
                Role::Destination(at) => moves.destinations.get(at).cloned().unwrap_or_default(),
                Role::Map | Role::Source | Role::Signal(_) => Vec::new(),
            };
            let moved = builder.issued.operations[operation].moves.iter().flat_map(to);
            let mut found: Vec<_> = own.chain(moved.map(|a| (a.guard, a.object))).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        if self.builder.issued.operations[operation].micro.signals_at == SignalPlace::Pair {
            return;
        }
        let count = self.builder.issued.operations[operation].micro.signals.len();
        for at in 0..count {
            let signals = of(self.builder, Role::Signal(at));
            for (here, to) in of(self.builder, Role::Destination(at)) {
                for &(there, object) in &signals {
                    if cta(self.builder, to) != cta(self.builder, object) {
                        let both = self.exprs().and(here, there);
                        if !self.builder.exprs.is_false(both) {
                            self.violate(both, span, Rule::SignalOfAnotherCta);
                        }
                    }
                }
            }
        }
    }
}

impl GraphBuilder<'_> {
    /// The operations that are complete before waits for groups. A wait leaves out some of the youngest
    /// groups, so it is for an operation if at least one commit more than this number follows the
    /// operation.
    pub(super) fn done_before(&mut self) -> Vec<DoneBefore> {
        let mut out = Vec::new();
        let steps = std::mem::take(&mut self.issued.steps);
        for (at, step) in steps.iter().enumerate() {
            let GroupStep::Wait { thread, wait, guard, number } = *step else { continue };
            let mut commits: Vec<ExprId> = Vec::new();
            for step in steps[..at].iter().rev() {
                match *step {
                    GroupStep::Commit { thread: of, kind, guard: closes }
                        if of == thread && kind == wait.kind =>
                    {
                        commits.push(closes);
                    }
                    GroupStep::Issue { thread: of, operation, guard: issued } => {
                        let group = self.issued.operations[operation].micro.group;
                        if of != thread || group != Some(wait.kind) {
                            continue;
                        }
                        let both = self.exprs.and(issued, guard);
                        let when = self.closes_more(both, &commits, wait.but);
                        if self.exprs.is_false(when) {
                            continue;
                        }
                        let when = Some(when).filter(|&when| !self.exprs.is_true(when));
                        let reads = wait.reads;
                        out.push(DoneBefore { operation, wait: number, reads, when });
                    }
                    _ => {}
                }
            }
        }
        self.issued.steps = steps;
        out
    }

    /// The groups of two or more `cp.async` operations that a commit surely makes.
    pub(super) fn groups_of_copies(&mut self) -> Vec<Vec<usize>> {
        let mut open: Vec<Vec<usize>> = vec![Vec::new(); self.program.threads.len()];
        let mut out = Vec::new();
        for step in &self.issued.steps {
            match *step {
                GroupStep::Issue { operation, .. } => {
                    let issued = &self.issued.operations[operation];
                    if issued.micro.group == Some(GroupKind::Copy) {
                        open[issued.thread].push(operation);
                    }
                }
                GroupStep::Commit { thread, kind: GroupKind::Copy, .. } => {
                    let group = std::mem::take(&mut open[thread]);
                    if group.len() > 1 {
                        out.push(group);
                    }
                }
                GroupStep::Commit { .. } | GroupStep::Wait { .. } => {}
            }
        }
        out
    }

    /// The condition that more than `than` of some commits happen, given `both`.
    pub(super) fn closes_more(&mut self, both: ExprId, commits: &[ExprId], than: u32) -> ExprId {
        if self.exprs.is_false(both) {
            return both;
        }
        let (mut sure, mut open) = (0, Vec::new());
        for &guard in commits {
            if self.exprs.implied(both, guard) {
                sure += 1;
            } else if !self.exprs.clash(both, guard) {
                open.push(guard);
            }
        }
        let than = than as usize;
        if sure > than {
            return self.exprs.truth(true);
        }
        if sure + open.len() <= than {
            return self.exprs.truth(false);
        }
        let needed = self.exprs.number((than - sure) as u128, COUNT_BITS);
        let count = self.exprs.count(open, COUNT_BITS);
        self.exprs.binary(crate::program::expr::Binary::ULt, needed, count)
    }

    /// The agent of an asynchronous operation.
    pub(super) fn agent_of(&self, operation: usize) -> AgentId {
        AgentId::new(1 + self.program.threads.len() + operation)
    }

    /// Reports a misuse by an operation, which follows the barrier operations before its issue.
    pub(super) fn violated_by(&mut self, operation: usize, guard: ExprId, rule: Rule) {
        let op = &self.issued.operations[operation];
        let (thread, span, barriers) = (op.thread, op.span, op.barriers);
        let ended = self.ended_before(thread, guard);
        let behind = vec![(AgentId::new(thread + 1), barriers)];
        let rule = Some(rule);
        self.violations.push(Violation { guard, span, rule, behind, ended, position: None });
    }
}

/// The width of numbers of groups, in bits.
const COUNT_BITS: u32 = 32;
