//! Accesses: an address becomes the places that it may point to, each access under its guard.

use super::draft::DraftAccess;
use super::graph::Violation;
use super::unfold::{Cell, Effect, State, ThreadRun, mentions_old, union};
use crate::id::{AccessId, ExprId};
use crate::litmus::ast::DeclaredSpace;
use crate::program::expr::Expr;
use crate::program::layout::Resolved;
use crate::program::micro::{Micro, Target};
use crate::program::term::Extension;
use crate::source::Span;

impl<'p> ThreadRun<'_, 'p> {
    /// The places that an address may point to: each with its guard.
    pub(super) fn places(
        &mut self,
        target: &Target,
        state: &State,
        span: Span,
    ) -> Vec<(ExprId, Resolved)> {
        let address = self.term(&target.address, state, None);
        let place = self.code.place;
        let bytes = u64::from(target.bytes);
        let layout = &self.draft.program.layout;
        if let Some(at) = self.draft.exprs.constant(address) {
            let at = at as u64;
            let found = layout.resolve(target.space, at, bytes, self.index, place);
            let aligned = is_aligned(target, at, found.as_ref());
            let reached = found.as_ref().is_none_or(|place| is_reached(target, place));
            return match found.filter(|_| aligned && reached) {
                Some(resolved) => vec![(state.guard, resolved)],
                None => {
                    let rule = if !reached {
                        "a multimem address used by another instruction, or another address by a \
                         multimem instruction (PTX-9.7.9.14)"
                    } else if aligned {
                        "an access outside every variable of its state space"
                    } else {
                        "an access that is not aligned to its size (PTX-6.4.1.3)"
                    };
                    self.bad_address(state.guard, rule, span);
                    Vec::new()
                }
            };
        }
        let candidates = layout.candidates(target.space, bytes, place);
        let mut out = Vec::new();
        let mut elsewhere = state.guard;
        for at in candidates {
            let number = self.exprs().number(u128::from(at), 64);
            let here = self.exprs().eq(address, number);
            let guard = self.exprs().and(state.guard, here);
            if self.draft.exprs.is_false(guard) {
                continue;
            }
            let layout = &self.draft.program.layout;
            let resolved = layout.resolve(target.space, at, bytes, self.index, place);
            let aligned = is_aligned(target, at, resolved.as_ref());
            if let Some(resolved) = resolved.filter(|r| aligned && is_reached(target, r)) {
                out.push((guard, resolved));
                let not = self.exprs().not(here);
                elsewhere = self.exprs().and(elsewhere, not);
            }
        }
        if !self.draft.exprs.is_false(elsewhere) {
            let rule = "an access that is misaligned or outside every variable of its state space \
                        (PTX-6.4.1.3)";
            self.bad_address(elsewhere, rule, span);
        }
        out
    }

    /// Reports an address once, though it may concern several elements of one access.
    fn bad_address(&mut self, guard: ExprId, rule: &str, span: Span) {
        let violations = &mut self.draft.violations;
        let same = |v: &Violation| v.span == span && v.guard == guard && v.rule == rule;
        if !violations.last().is_some_and(same) {
            let rule = rule.to_owned();
            violations.push(Violation { guard, span, rule, out_of_model: false });
        }
    }

    pub(super) fn access(
        &mut self,
        target: &Target,
        resolved: &Resolved,
        state: &State,
        guard: ExprId,
        span: Span,
    ) -> DraftAccess {
        DraftAccess {
            thread: self.index,
            guard,
            object: resolved.objects[target.replica.unwrap_or(0).min(resolved.objects.len() - 1)],
            virt: resolved.virt,
            offset: resolved.offset,
            bytes: target.bytes,
            order: target.order,
            scope: target.scope,
            proxy: target.proxy,
            marks: target.marks,
            write: false,
            value: guard,
            address_reads: self.term_reads(&target.address, state),
            control_reads: state.control.clone(),
            data_reads: Vec::new(),
            rmw_read: None,
            position: self.position,
            span,
        }
    }

    pub(super) fn load(
        &mut self,
        target: &Target,
        destination: Option<(usize, Extension)>,
        state: &mut State,
        span: Span,
    ) {
        let width = target.bytes * 8;
        let (mut value, mut reads) = (None, Vec::new());
        for (guard, resolved) in self.places(target, state, span) {
            let access = self.access(target, &resolved, state, guard, span);
            let id = self.draft.push_access(access);
            let read = self.exprs().leaf(Expr::Read(id), width);
            reads.push(id);
            value = Some(match value {
                None => read,
                Some(other) => self.exprs().ite(guard, read, other),
            });
        }
        let Some((register, extension)) = destination else { return };
        let value = value.unwrap_or_else(|| self.draft.exprs.number(0, width));
        let wide = self.code.registers[register].ty.bits;
        let value = self.exprs().resize(value, wide, extension == Extension::Sign);
        let reads = union(&reads, &self.term_reads(&target.address, state));
        state.cells[register] = Cell { value, reads };
    }

    pub(super) fn store(
        &mut self,
        node: usize,
        target: &Target,
        value: ExprId,
        reads: &[AccessId],
        state: &State,
        span: Span,
    ) {
        let value = self.exprs().resize(value, target.bytes * 8, false);
        for (guard, resolved) in self.places(target, state, span) {
            let mut access = self.access(target, &resolved, state, guard, span);
            access.write = true;
            access.value = value;
            access.data_reads = reads.to_vec();
            self.draft.push_access(access);
            self.effects.push(Effect { node, guard });
        }
    }

    pub(super) fn rmw(&mut self, node: usize, micro: &Micro, state: &mut State, span: Span) {
        let Micro::Rmw { target, write_order, destination, writes, value } = micro else { return };
        let width = target.bytes * 8;
        let (mut result, mut reads) = (None, Vec::new());
        let places = self.places(target, state, span);
        for (guard, resolved) in &places {
            let access = self.access(target, resolved, state, *guard, span);
            let read = self.draft.push_access(access);
            let old = self.exprs().leaf(Expr::Read(read), width);
            let happens = self.term(writes, state, Some(old));
            let happens = self.exprs().and(*guard, happens);
            let new = self.term(value, state, Some(old));
            if !self.draft.exprs.is_false(happens) {
                let mut write = self.access(target, resolved, state, happens, span);
                write.position += 1;
                write.order = *write_order;
                write.marks.releasing_read = false;
                write.write = true;
                write.value = self.exprs().resize(new, width, false);
                write.data_reads = self.term_reads(value, state);
                if mentions_old(value) || mentions_old(writes) {
                    write.data_reads = union(&write.data_reads, &[read]);
                }
                write.rmw_read = Some(read);
                self.draft.push_access(write);
                self.effects.push(Effect { node, guard: happens });
            }
            reads.push(read);
            result = Some(match result {
                None => old,
                Some(other) => self.exprs().ite(*guard, old, other),
            });
        }
        let Some((register, extension)) = destination else { return };
        let result = result.unwrap_or_else(|| self.draft.exprs.number(0, width));
        let wide = self.code.registers[*register].ty.bits;
        let result = self.exprs().resize(result, wide, *extension == Extension::Sign);
        let reads = union(&reads, &self.term_reads(&target.address, state));
        state.cells[*register] = Cell { value: result, reads };
    }
}

/// Whether an access whose element lies at `at` is aligned to its size, as far as the declaration of
/// what it accesses says.
fn is_aligned(target: &Target, at: u64, found: Option<&Resolved>) -> bool {
    let whole = u64::from(target.whole.max(1));
    let start = at.wrapping_sub(u64::from(target.within));
    start.is_multiple_of(whole) && found.is_none_or(|place| place.align.is_multiple_of(whole))
}

/// Whether the instruction is one that accesses such a variable: multimem addresses are for multimem
/// instructions, and these for nothing else.
fn is_reached(target: &Target, place: &Resolved) -> bool {
    (place.space == DeclaredSpace::Multimem) == target.replica.is_some()
}
