//! Constant memory, which no thread writes, such as kernel parameters and tables of pointers.
//! Addresses from constant memory are known before execution.
//!
//! Variables in `.const` and `.param` are read-only (PTX-5.1). For other variables, the absence of
//! writes is assumed first and then checked: with their initial values read, the addresses of all
//! writes are computed, and none may point there. The check is sound under models that exclude
//! values out of thin air: the first write to such a variable would have an address computed from
//! the initial values.

use super::builder::GraphBuilder;
use super::entry::Entry;
use super::symbolic::SymbolicThread;
use crate::id::{AccessId, ExprId, ObjectId};
use crate::litmus::ast::DeclaredSpace;
use crate::program::expr::{Expr, ExprArena};
use crate::program::layout::{Layout, VariableInfo};
use crate::waiting::barrier::BarrierRule;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Initialized variables of `.global` from which addresses are computed and to which no instruction
/// writes by name.
pub(super) fn pointers(builder: &GraphBuilder<'_>) -> BTreeSet<ObjectId> {
    let read = builder.accesses.iter().flat_map(|access| &access.address_reads);
    let mut out: BTreeSet<ObjectId> =
        read.map(|&read| builder.accesses[read.index()].object).collect();
    let layout = &builder.program.layout;
    let global = |object: &ObjectId| variable(layout, *object).space == DeclaredSpace::Global;
    out.retain(|object| global(object) && variable(layout, *object).initial.is_some());
    let named = builder.accesses.iter().filter(|a| a.write && a.address_reads.is_empty());
    named.for_each(|write| {
        out.remove(&write.object);
    });
    out
}

fn variable(layout: &Layout, object: ObjectId) -> &VariableInfo {
    &layout.variables[layout.objects[object.index()].variable]
}

impl SymbolicThread<'_, '_> {
    /// The given initial value of some bytes of constant memory.
    pub(super) fn fixed(&self, object: ObjectId, offset: u64, bytes: u32) -> Option<u128> {
        let variable = variable(&self.builder.program.layout, object);
        let read_only = matches!(variable.space, DeclaredSpace::Const | DeclaredSpace::Param);
        if !read_only && !self.builder.facts.tables.contains(&object) {
            return None;
        }
        self.builder.given(object, offset, bytes)
    }

    /// An address with the values of reads from constant memory substituted.
    ///
    /// Other values keep the read, since everything computed from a read depends on it and on its
    /// other operands (PTX-8.10.4).
    pub(super) fn with_tables(&mut self, address: ExprId) -> ExprId {
        with_tables(&mut self.builder.exprs, &self.builder.fixed, address)
    }
}

fn with_tables(exprs: &mut ExprArena, fixed: &FxHashMap<AccessId, u128>, x: ExprId) -> ExprId {
    if fixed.is_empty() || exprs.constant(x).is_some() {
        return x;
    }
    exprs.replace(x, |exprs, part| {
        let Expr::Read(read) = exprs.get(part) else { return None };
        fixed.get(&read).map(|&bits| exprs.number(bits, exprs.width(part)))
    })
}

impl GraphBuilder<'_> {
    /// Substitutes the values of constant memory in thread counts and in guards of cuts, violations
    /// and events other than accesses. No store depends on these.
    pub(super) fn settle_guards(&mut self) {
        let Self { exprs, fixed, entries, barriers, cuts, violations, .. } = self;
        let mut settle = |x: &mut ExprId| *x = with_tables(exprs, fixed, *x);
        for entry in entries {
            if let Entry::Other { guard, .. } = entry {
                settle(guard);
            }
        }
        for op in &mut barriers.list {
            if let BarrierRule::Count(count) | BarrierRule::Quorum(count) = &mut op.rule {
                settle(count);
            }
        }
        for cut in &mut cuts.list {
            settle(&mut cut.guard);
            settle(&mut cut.steady);
        }
        violations.iter_mut().for_each(|violation| settle(&mut violation.guard));
        cuts.list.retain(|cut| !exprs.is_false(cut.guard));
        violations.retain(|violation| !exprs.is_false(violation.guard));
    }
}
