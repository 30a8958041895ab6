//! Memory that nothing writes, such as kernel parameters and tables of pointers: addresses that come
//! from there are known before anything is executed.
//!
//! Variables in `.const` and `.param` are read-only (PTX-5.1). That nothing writes some other
//! variable is assumed first and then looked at: with what is read there, the addresses of all writes
//! are computed, and none may be there. This shows it under models that exclude values out of thin
//! air: of the writes to such variables, the first would have an address computed from what is there
//! initially.

use super::barrier::BarrierRule;
use super::builder::{Entry, Facts, GraphBuilder};
use super::unfold::{ThreadRun, Unfolding, settled};
use crate::id::{AccessId, ExprId, ObjectId};
use crate::litmus::ast::DeclaredSpace;
use crate::program::expr::{Expr, ExprArena};
use crate::program::layout::{Layout, VariableInfo};
use crate::program::micro::Program;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// All threads executed, with what they read from variables that are never written.
pub(super) fn settled_with_tables(
    program: &Program,
    unfolding: Unfolding,
    facts: Facts,
) -> GraphBuilder<'_> {
    let plain = settled(program, unfolding, facts.clone());
    let mut tables = pointers(&plain);
    while !tables.is_empty() {
        let facts = Facts { tables: tables.clone(), ..facts.clone() };
        let builder = settled(program, unfolding, facts);
        let count = tables.len();
        builder.accesses.iter().filter(|a| a.write).for_each(|a| {
            tables.remove(&a.object);
        });
        if tables.len() == count {
            return builder;
        }
    }
    plain
}

/// Initialized variables of `.global` from which addresses are computed and which no instruction
/// names to write to them.
fn pointers(builder: &GraphBuilder<'_>) -> BTreeSet<ObjectId> {
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

impl ThreadRun<'_, '_> {
    /// What is read from some bytes that nothing writes, if it is given.
    pub(super) fn fixed(&self, object: ObjectId, offset: u64, bytes: u32) -> Option<u128> {
        let variable = variable(&self.builder.program.layout, object);
        let read_only = matches!(variable.space, DeclaredSpace::Const | DeclaredSpace::Param);
        if !read_only && !self.builder.facts.tables.contains(&object) {
            return None;
        }
        self.builder.given(object, offset, bytes)
    }

    /// An address with what is read from such memory put in.
    ///
    /// Other values keep the read, since what is computed from them depends on it and on what else
    /// they are computed from (PTX-8.10.4).
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
    /// Puts what is read from such memory into what decides where threads end, what they misuse, and
    /// which of them meet at barriers: nothing is stored that would depend on it.
    pub(super) fn settle_guards(&mut self) {
        let Self { exprs, fixed, entries, barriers, cuts, violations, .. } = self;
        let mut settle = |x: &mut ExprId| *x = with_tables(exprs, fixed, *x);
        for entry in entries {
            if let Entry::Other { guard, .. } = entry {
                settle(guard);
            }
        }
        for op in barriers {
            if let BarrierRule::Count(count) | BarrierRule::Quorum(count) = &mut op.rule {
                settle(count);
            }
        }
        for cut in cuts.iter_mut() {
            settle(&mut cut.guard);
            settle(&mut cut.steady);
        }
        violations.iter_mut().for_each(|violation| settle(&mut violation.guard));
        cuts.retain(|cut| !exprs.is_false(cut.guard));
        violations.retain(|violation| !exprs.is_false(violation.guard));
    }
}
