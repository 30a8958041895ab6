//! A minimal inconsistent part of an inconsistent trace.
//!
//! Leaving out operations of a consistent trace keeps it consistent, as long as each kept read is
//! kept together with every candidate source. Minimal parts are therefore found like minimal sets,
//! first over threads and then over operations.

use super::sources::{Source, Sources};
use super::{Axioms, Trace, Verdict, judge};
use crate::id::OpId;
use std::collections::BTreeSet;

/// The operations of such a part, in the order of the trace; `is_inconsistent` says so of a trace.
pub fn smallest(trace: &Trace, is_inconsistent: &mut dyn FnMut(&Trace) -> bool) -> Vec<OpId> {
    let sources = Sources::by_value(trace);
    let readless = trace.ids().find(|&id| trace.op(id).read.is_some() && sources.of(id).is_empty());
    if let Some(read) = readless {
        // No operation wrote the value of the read.
        return vec![read];
    }
    let mut search = Search { trace, sources, is_inconsistent };
    let threads: Vec<Vec<OpId>> = trace.by_thread();
    let needed = search.needed(&[], false, &threads);
    let mut ops: Vec<OpId> = needed.concat();
    ops.sort();
    ops = search.closed(&ops);
    let single: Vec<Vec<OpId>> = ops.into_iter().map(|id| vec![id]).collect();
    let mut part = search.needed(&[], false, &single).concat();
    part.sort();
    part
}

/// As [`smallest`], for a model with a specialized algorithm.
#[must_use]
pub fn of(trace: &Trace, axioms: Axioms) -> Vec<OpId> {
    smallest(trace, &mut |part| judge(part, axioms) == Verdict::Inconsistent)
}

struct Search<'a> {
    trace: &'a Trace,
    sources: Sources,
    is_inconsistent: &'a mut dyn FnMut(&Trace) -> bool,
}

impl Search<'_> {
    /// The groups of operations that are needed, together with a background, for inconsistency.
    /// Halving keeps the number of checks small if few groups are needed.
    fn needed(&mut self, background: &[OpId], grown: bool, groups: &[Vec<OpId>]) -> Vec<Vec<OpId>> {
        if grown && self.holds(background) {
            return Vec::new();
        }
        if groups.len() <= 1 {
            return groups.to_vec();
        }
        let (left, right) = groups.split_at(groups.len() / 2);
        let with = |part: &[Vec<OpId>]| [background, &part.concat()].concat();
        let of_right = self.needed(&with(left), true, right);
        let of_left = self.needed(&with(&of_right), !of_right.is_empty(), left);
        [of_left, of_right].concat()
    }

    fn holds(&mut self, ops: &[OpId]) -> bool {
        let mut ops = ops.to_vec();
        ops.sort();
        let kept = self.closed(&ops);
        !kept.is_empty() && (self.is_inconsistent)(&self.trace.restricted(&kept))
    }

    /// The operations without reads that miss a candidate source.
    fn closed(&self, ops: &[OpId]) -> Vec<OpId> {
        let mut kept: BTreeSet<OpId> = ops.iter().copied().collect();
        loop {
            let present = |source: &Source| match source {
                Source::Initial => true,
                Source::Write(write) => kept.contains(write),
            };
            let reads = |id: &OpId| self.trace.op(*id).read.is_some();
            let whole = |id: &&OpId| !reads(id) || self.sources.of(**id).iter().all(present);
            let next: BTreeSet<OpId> = kept.iter().filter(whole).copied().collect();
            if next.len() == kept.len() {
                return next.into_iter().collect();
            }
            kept = next;
        }
    }
}
