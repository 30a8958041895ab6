//! The ways in which the reads of a shape may read, in classes that no test tells apart.
//!
//! A condition asks for the values of registers and for last values. Where a reduction reads, or where
//! stores store what was read, several ways to read may give the same registers; they are one class. In
//! other shapes each way is a class of its own.

use super::cell::{Event, Part, events};
use super::orders::relation;
use super::rows::Rows;
use super::shape::{Kind, Shape};
use super::values::Values;
use std::collections::BTreeMap;

/// How many executions of a class are looked at together.
const MOST_EXECUTIONS: usize = 1 << 15;

/// A way to read.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The source of each read, in the order of reads.
    pub(super) reads: Vec<usize>,
    pub(super) rf: Rows,
    /// The last value of each location where one of its writes is the last, by index among the last
    /// values of the class; the writes are in the order of events.
    pub(super) lasts: Vec<Vec<usize>>,
}

/// Ways to read with the same values of registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    /// The ways, the first one in the order of sources first.
    pub(super) ways: Vec<Way>,
    /// How many values may be the last of each location.
    pub(super) sizes: Vec<usize>,
}

impl Class {
    /// A class of some ways; `writers` are the writes of each location.
    fn new(ways: Vec<Vec<usize>>, readers: &[usize], writers: &[Vec<usize>], v: &Values) -> Self {
        let way = |reads: Vec<usize>| {
            let rf = relation(reads.iter().copied().zip(readers.iter().copied()));
            Way { rf, reads, lasts: Vec::new() }
        };
        let mut ways: Vec<Way> = ways.into_iter().map(way).collect();
        let mut sizes = Vec::new();
        for writers in writers {
            let mut known: Vec<u64> = Vec::new();
            for way in &mut ways {
                let mut index = |&write: &usize| {
                    let value = v.written(&way.reads, write);
                    let at = known.iter().position(|&other| other == value);
                    at.unwrap_or_else(|| {
                        known.push(value);
                        known.len() - 1
                    })
                };
                let own = match v.are_shared() {
                    true => writers.iter().map(&mut index).collect(),
                    false => (0..writers.len()).collect(),
                };
                way.lasts.push(own);
            }
            let distinct = if v.are_shared() { known.len() } else { writers.len() };
            sizes.push(distinct.max(1));
        }
        Self { ways, sizes }
    }

    /// Whether its executions are few enough to be looked at together. Of a class that is not, an outcome
    /// of one way may be found that another one has as well.
    pub(super) fn is_manageable(&self, executions_of_a_way: usize) -> bool {
        self.ways.len() * executions_of_a_way <= MOST_EXECUTIONS
    }

    /// Each way by itself.
    pub(super) fn one_by_one(&self) -> Vec<Self> {
        let of = |way: &Way| Self { ways: vec![way.clone()], sizes: self.sizes.clone() };
        self.ways.iter().map(of).collect()
    }

    /// Whether two indices are of the same last values of some locations.
    pub(super) fn agree(&self, mut one: usize, mut other: usize, pinned: &[bool]) -> bool {
        self.sizes.iter().zip(pinned).all(|(size, pinned)| {
            let same = one % size == other % size;
            (one, other) = (one / size, other / size);
            same || !pinned
        })
    }

    /// The way with these reads.
    pub(super) fn position(&self, reads: &[usize]) -> Option<usize> {
        self.ways.iter().position(|way| way.reads == reads)
    }

    /// A way with writes that may be the last ones, by an index of last values.
    pub(super) fn finals(
        &self,
        index: usize,
        writers: &[Vec<usize>],
    ) -> Option<(usize, Vec<usize>)> {
        let of = |way| Some((way, self.finals_of(way, index, writers)?));
        (0..self.ways.len()).find_map(of)
    }

    /// The events of a way that write last to each location, by an index of last values; `None` where
    /// the way does not have these values.
    pub(super) fn finals_of(
        &self,
        way: usize,
        mut index: usize,
        writers: &[Vec<usize>],
    ) -> Option<Vec<usize>> {
        let mut finals = Vec::new();
        for (loc, (&size, writers)) in self.sizes.iter().zip(writers).enumerate() {
            let lasts = &self.ways[way].lasts[loc];
            finals.push(match writers.is_empty() {
                true => loc,
                false => writers[lasts.iter().position(|&last| last == index % size)?],
            });
            index /= size;
        }
        Some(finals)
    }

    /// The index of the last values of a way with certain last writes of the locations that are pinned.
    pub(super) fn index(
        &self,
        way: usize,
        (finals, pinned): (&[usize], &[bool]),
        writers: &[Vec<usize>],
    ) -> Option<usize> {
        let (mut index, mut factor) = (0, 1);
        for (loc, (&size, writers)) in self.sizes.iter().zip(writers).enumerate() {
            if pinned[loc] && !writers.is_empty() {
                let at = writers.iter().position(|write| *write == finals[loc])?;
                index += factor * self.ways[way].lasts[loc][at];
            }
            factor *= size;
        }
        Some(index)
    }
}

/// Which classes of a shape are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of them.
    All,
    /// One of those that are each other's mirror image under the orders of threads that keep the shape.
    UpToSymmetry,
}

/// The classes of a shape.
pub(super) fn classes(
    shape: &Shape,
    events: &[Event],
    writers: &[Vec<usize>],
    wanted: Wanted,
) -> Vec<Class> {
    let readers: Vec<usize> = (0..events.len()).filter(|&e| events[e].part == Part::Read).collect();
    let values = Values::new(shape);
    let mut classes: BTreeMap<Vec<u64>, Vec<Vec<usize>>> = BTreeMap::new();
    let mut all: Vec<Vec<Vec<usize>>> = Vec::new();
    for reads in all_reads(events, &readers, writers) {
        if !has_values(shape, events, &readers, &reads) {
            continue;
        }
        match values.are_shared() {
            true => classes.entry(values.registers(&reads)).or_default().push(reads),
            false => all.push(vec![reads]),
        }
    }
    all.extend(classes.into_values());
    let mirrors = match wanted {
        Wanted::All => Vec::new(),
        Wanted::UpToSymmetry => mirrors(shape),
    };
    // Ways are listed in their order, so that the first one of a class is the least. Of classes that
    // are mirror images of each other, that with the least way of all is wanted.
    all.retain(|ways| is_first(&ways[0], &readers, &mirrors));
    all.into_iter().map(|ways| Class::new(ways, &readers, writers, &values)).collect()
}

/// All that reads may read from, in the order of sources.
fn all_reads(events: &[Event], readers: &[usize], writers: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for &reader in readers {
        let loc = usize::from(events[reader].loc);
        let others = writers[loc].iter().filter(|&&w| events[w].op != events[reader].op);
        let sources: Vec<usize> = [loc].into_iter().chain(others.copied()).collect();
        let longer = |reads: &Vec<usize>| {
            sources.iter().map(|&source| [&reads[..], &[source]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Whether no mirror image of a way is less.
fn is_first(reads: &[usize], readers: &[usize], mirrors: &[Vec<usize>]) -> bool {
    mirrors.iter().all(|mirror| {
        let source = |at: usize| {
            let reader = mirror.iter().position(|&image| image == readers[at]);
            let reader = reader.and_then(|r| readers.iter().position(|&other| other == r));
            reader.map(|reader| mirror[reads[reader]])
        };
        (0..reads.len()).map(source).ge(reads.iter().copied().map(Some))
    })
}

/// Where each event of a shape goes under the orders of threads that keep the shape, up to names of
/// locations.
fn mirrors(shape: &Shape) -> Vec<Vec<usize>> {
    let events = events(shape);
    let mut starts = vec![0];
    shape.threads.iter().for_each(|ops| starts.push(starts[starts.len() - 1] + ops.len()));
    let image = |order: &Vec<usize>| {
        let mut ops = Vec::new();
        order.iter().for_each(|&thread| ops.extend(starts[thread]..starts[thread + 1]));
        // `ops[to]` goes to `to`.
        let locs: Vec<u8> = shape.ops().map(|(_, op)| op.loc).collect();
        let is_access: Vec<bool> = shape.ops().map(|(_, op)| op.kind.is_access()).collect();
        let goes = |event: &Event| {
            let to = |op: usize| ops.iter().position(|&from| from == op);
            events.iter().position(|other| match event.part {
                Part::Init => {
                    let op = (0..locs.len()).find(|&op| is_access[op] && locs[op] == event.loc);
                    let loc = op.and_then(to).map(|op| locs[op]);
                    other.part == Part::Init && Some(other.loc) == loc
                }
                _ => other.part == event.part && Some(other.op) == to(event.op),
            })
        };
        events.iter().map(goes).collect::<Option<Vec<usize>>>()
    };
    shape.symmetries().iter().skip(1).filter_map(image).collect()
}

/// Whether every value is determined, that is, no reduction adds to its own result.
fn has_values(shape: &Shape, events: &[Event], readers: &[usize], reads: &[usize]) -> bool {
    let kinds: Vec<Kind> = shape.ops().map(|(_, op)| op.kind).collect();
    let adds =
        |write: usize| events[write].part == Part::Write && kinds[events[write].op] == Kind::Red;
    let next = |write: usize| {
        let own = readers.iter().position(|&r| events[r].op == events[write].op)?;
        Some(reads[own])
    };
    reads.iter().all(|&start| {
        let mut at = start;
        for _ in 0..events.len() {
            match next(at).filter(|_| adds(at)) {
                Some(before) => at = before,
                None => return true,
            }
        }
        false
    })
}
