//! Value sets: the values that open reads may still return, and the writes that these rule out.
//!
//! A value that is read was written, and dependencies have no cycles: so a value is reached in at
//! most as many steps as there are open reads. A set that grows too large becomes unknown.

use super::state::Search;
use crate::event::graph::EventGraph;
use crate::id::{AccessId, EventId, ExprId};
use crate::program::expr::Expr;
use crate::program::value::Slice;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most values that are kept of one read.
const LIMIT: u32 = 24;

/// The possible values of a write or a read, as a set of bits; `None` for any value.
type Domain = Option<u64>;

/// The values of the bits, in order of appearance.
#[derive(Debug, Default)]
struct Table {
    values: Vec<u128>,
    bits: FxHashMap<u128, u8>,
}

impl Table {
    /// The bit of a value; `None` if all are taken.
    fn bit(&mut self, value: u128) -> Option<u8> {
        if let Some(&bit) = self.bits.get(&value) {
            return Some(bit);
        }
        let bit = u8::try_from(self.values.len()).ok().filter(|&bit| u32::from(bit) < u64::BITS)?;
        self.values.push(value);
        self.bits.insert(value, bit);
        Some(bit)
    }

    /// The bits in a set, with their values.
    fn members(&self, set: u64) -> impl Iterator<Item = (u8, u128)> + '_ {
        let all = self.values.iter().enumerate();
        all.filter(move |(bit, _)| set >> bit & 1 == 1)
            .map(|(bit, &value)| (u8::try_from(bit).expect("one of 64"), value))
    }
}

/// The slices behind the values of accesses, and the facts that the goal fixes.
#[derive(Debug, Default)]
pub(super) struct Slices {
    /// For every access, its written value, unless that is a constant.
    written: Vec<Option<Written>>,
    /// Expressions whose truth the goal fixes.
    facts: Vec<(Slice, bool)>,
    /// For every access, the facts that its value is part of.
    facts_of: Vec<Vec<u32>>,
}

/// A value that is computed from reads.
#[derive(Debug)]
struct Written {
    slice: Slice,
    reads: SmallVec<[AccessId; 2]>,
    /// Whether it has leaves that are no reads.
    others: bool,
}

impl Slices {
    /// Analyses a graph in which `facts` are true or false as given.
    pub(super) fn new(graph: &EventGraph, facts: &[(ExprId, bool)]) -> Self {
        let reads = |slice: &Slice| -> SmallVec<[AccessId; 2]> {
            let leaves = slice.leaves(&graph.exprs);
            leaves.filter_map(|l| if let Expr::Read(a) = l { Some(a) } else { None }).collect()
        };
        let written = graph.accesses.iter().map(|access| {
            if graph.exprs.constant(access.value).is_some() {
                return None;
            }
            let slice = Slice::new(&graph.exprs, access.value);
            let reads = reads(&slice);
            let others = slice.leaves(&graph.exprs).count() > reads.len();
            Some(Written { slice, reads, others })
        });
        let mut out = Self {
            written: written.collect(),
            facts: facts.iter().map(|&(x, t)| (Slice::new(&graph.exprs, x), t)).collect(),
            facts_of: vec![Vec::new(); graph.accesses.len()],
        };
        for (index, (slice, _)) in out.facts.iter().enumerate() {
            for access in reads(slice) {
                let index = u32::try_from(index).expect("few facts");
                out.facts_of[access.index()].push(index);
            }
        }
        out
    }
}

/// The value sets, and the memory for computing them, kept from one use to the next.
#[derive(Debug, Default)]
pub(super) struct Domains {
    /// For every access, the values that an open read may return.
    reads: Vec<Domain>,
    /// For every event, the values that a write may write.
    writes: Vec<Domain>,
    table: Table,
    /// The image of a write that depends on one read only, by event and the bit of the value read.
    images: Vec<Option<u8>>,
    scratch: Vec<Option<u128>>,
}

impl Search<'_, '_> {
    /// Rules out writes all of whose values contradict a fact; gives whether there were any.
    pub(super) fn close_by_value(&mut self) -> bool {
        let Some(axiom) = self.thin_air() else { return false };
        let mut domains = std::mem::take(&mut self.domains);
        self.grow(&mut domains);
        let mut found = Vec::new();
        for &access in &self.space.reads {
            let [piece] = *self.pieces(access) else { continue };
            let open = self.rf[piece.index()].is_none() && self.executed.contains(piece);
            if !open || self.space.slices.facts_of[access.index()].is_empty() {
                continue;
            }
            let Domains { writes, table, scratch, .. } = &mut domains;
            let offered = self.viable(piece).filter_map(|w| writes[w.index()]);
            let offered = offered.fold(0, |all, more| all | more);
            let possible = table
                .members(offered)
                .filter(|&(_, value)| self.may_return(access, value, scratch))
                .fold(0, |all, (bit, _)| all | 1 << bit);
            let useless = |w: EventId| writes[w.index()].is_some_and(|v| v & possible == 0);
            found.extend(self.viable(piece).filter(|&w| useless(w)).map(|w| (w, piece)));
        }
        self.domains = domains;
        for &(write, read) in &found {
            self.close(write, read);
        }
        self.blamed[axiom] |= !found.is_empty();
        !found.is_empty()
    }

    /// Whether all facts stay possible if a read returns a value.
    fn may_return(&self, access: AccessId, value: u128, scratch: &mut Vec<Option<u128>>) -> bool {
        self.space.slices.facts_of[access.index()].iter().all(|&index| {
            let (slice, wanted) = &self.space.slices.facts[index as usize];
            let truth = slice.evaluate(&self.space.graph.exprs, scratch, |leaf| match leaf {
                Expr::Read(read) if read == access => Some(value),
                other => self.leaf(other),
            });
            truth.is_none_or(|v| (v != 0) == *wanted)
        })
    }

    pub(super) fn leaf(&self, leaf: Expr) -> Option<u128> {
        match leaf {
            Expr::Read(read) => self.known[read.index()],
            Expr::Mbarrier(read) => self.space.graph.reads_mbarrier(read, &self.rf).map(u128::from),
            Expr::Symbol(symbol) => self.symbols[symbol.index()],
            Expr::Barrier(index) => self.returned[index],
            _ => None,
        }
    }

    /// Computes the value sets step by step from the known values.
    fn grow(&self, domains: &mut Domains) {
        let graph = self.space.graph;
        domains.reads.clear();
        domains.reads.resize(graph.accesses.len(), None);
        domains.writes.clear();
        domains.writes.resize(graph.events.len(), None);
        domains.images.resize(graph.events.len() * u64::BITS as usize, None);
        let open = self.open_reads();
        for (access, _) in &open {
            domains.reads[access.index()] = Some(0);
        }
        let mut computed = Vec::new();
        for write in graph.ids().filter(|&w| graph.event(w).is_write()) {
            match self.values.get(graph.access_of(write).value) {
                Some(value) => {
                    let bit = domains.table.bit(graph.piece_of(write, value));
                    domains.writes[write.index()] = bit.map(|bit| 1 << bit);
                }
                None => computed.push(write),
            }
        }
        for _ in 0..=open.len() {
            for &write in &computed {
                domains.writes[write.index()] = self.image(write, domains);
            }
            let mut changed = false;
            for (access, sources) in &open {
                let sum = union(sources, &domains.writes);
                changed |= sum != domains.reads[access.index()];
                domains.reads[access.index()] = sum;
            }
            if !changed {
                break;
            }
        }
    }

    /// Reads of one piece without a known value, with the writes that they may take.
    fn open_reads(&self) -> Vec<(AccessId, SmallVec<[EventId; 8]>)> {
        let mut out = Vec::new();
        for &access in &self.space.reads {
            let [piece] = *self.pieces(access) else { continue };
            if self.known[access.index()].is_some() {
                continue;
            }
            out.push(match self.rf[piece.index()] {
                Some(write) => (access, SmallVec::from_slice(&[write])),
                None => (access, self.viable(piece).collect()),
            });
        }
        out
    }

    /// The value set of a write that is computed.
    fn image(&self, write: EventId, domains: &mut Domains) -> Domain {
        let graph = self.space.graph;
        let written = self.space.slices.written[graph.event(write).access.index()].as_ref()?;
        let mut unknown = written.reads.iter().filter(|r| self.known[r.index()].is_none());
        let (&leaf, None) = (unknown.next()?, unknown.next()) else { return None };
        let lone = written.reads.len() == 1 && !written.others;
        let Domains { reads, table, images, scratch, .. } = domains;
        let mut left = reads[leaf.index()]?;
        let mut out = 0;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            let slot = &mut images[write.index() * u64::BITS as usize + bit];
            let result = match slot.filter(|_| lone) {
                Some(result) => result,
                None => {
                    let value = table.values[bit];
                    let whole =
                        written.slice.evaluate(&graph.exprs, scratch, |expr| match expr {
                            Expr::Read(access) if access == leaf => Some(value),
                            other => self.leaf(other),
                        })?;
                    table.bit(graph.piece_of(write, whole))?
                }
            };
            *slot = Some(result);
            out |= 1 << result;
        }
        Some(out)
    }
}

/// The union of the values of some writes.
fn union(sources: &[EventId], writes: &[Domain]) -> Domain {
    let all = sources.iter().try_fold(0, |all, write| Some(all | writes[write.index()]?))?;
    (all.count_ones() <= LIMIT).then_some(all)
}
