//! Programs without orders, scopes and places: only the accesses of each thread and their order.
//!
//! Every shape is listed once up to names of threads and locations. Threads are sorted by
//! descending length, and locations are numbered in order of first occurrence. Among the orders of
//! threads with equal length, the order with the least code is chosen.

/// The kind of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `ld`
    Load,
    /// `st`
    Store,
    /// `atom.exch`
    Atom,
    /// `red.add`
    Red,
    /// `fence` of any order
    Fence,
    /// `bar.sync 0`
    CtaBarrier,
    /// `barrier.cluster.arrive` and `barrier.cluster.wait`
    ClusterBarrier,
    /// `fence.proxy.alias`
    AliasFence,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Load,
        Self::Store,
        Self::Atom,
        Self::Red,
        Self::Fence,
        Self::CtaBarrier,
        Self::ClusterBarrier,
        Self::AliasFence,
    ];

    /// Whether the instruction accesses memory.
    #[must_use]
    pub fn is_access(self) -> bool {
        matches!(self, Self::Load | Self::Store | Self::Atom | Self::Red)
    }

    /// Whether the instruction reads memory.
    #[must_use]
    pub fn reads(self) -> bool {
        matches!(self, Self::Load | Self::Atom | Self::Red)
    }

    /// Whether the instruction writes memory.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Store | Self::Atom | Self::Red)
    }

    /// Whether the instruction is only relevant to some questions.
    #[must_use]
    pub fn is_special(self) -> bool {
        matches!(self, Self::CtaBarrier | Self::ClusterBarrier | Self::AliasFence)
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op {
    /// The kind.
    pub kind: Kind,
    /// The location of an access; 0 for others.
    pub loc: u8,
    /// Whether the instruction uses the second address of its location.
    pub alias: bool,
    /// For a store, the instruction of its thread whose value is stored, by position in the thread.
    pub copies: Option<u8>,
}

/// A program without orders, scopes and places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// The instructions of each thread; no thread is empty.
    pub threads: Vec<Vec<Op>>,
}

/// Which instructions programs are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    /// The kinds, in the order in which shapes are listed.
    pub kinds: Vec<Kind>,
    /// Whether locations have a second address.
    pub aliases: bool,
    /// Whether stores may store read values.
    pub copies: bool,
}

impl Shape {
    /// All instructions, thread by thread, each with its thread.
    pub fn ops(&self) -> impl Iterator<Item = (usize, Op)> + '_ {
        let thread = |(index, ops): (usize, &'_ Vec<Op>)| -> Vec<(usize, Op)> {
            ops.iter().map(|&op| (index, op)).collect()
        };
        self.threads.iter().enumerate().flat_map(thread)
    }

    /// How many locations there are.
    #[must_use]
    pub fn locations(&self) -> usize {
        let accesses = self.ops().filter(|(_, op)| op.kind.is_access());
        accesses.map(|(_, op)| usize::from(op.loc) + 1).max().unwrap_or(0)
    }

    /// Whether the shape needs more than loads, stores, atomics, reductions and fences.
    #[must_use]
    pub fn is_special(&self) -> bool {
        self.ops().any(|(_, op)| op.kind.is_special() || op.alias || op.copies.is_some())
    }

    /// The shape with its threads in another order, and with locations numbered in order of first
    /// occurrence.
    #[must_use]
    pub fn reordered(&self, order: &[usize]) -> Self {
        let mut names: Vec<u8> = Vec::new();
        let mut rename = |loc: u8| {
            let known = names.iter().position(|&name| name == loc).unwrap_or_else(|| {
                names.push(loc);
                names.len() - 1
            });
            u8::try_from(known).unwrap_or(u8::MAX)
        };
        let mut op = |&op: &Op| match op.kind.is_access() {
            true => Op { loc: rename(op.loc), ..op },
            false => op,
        };
        let thread = |&index: &usize| self.threads[index].iter().map(&mut op).collect();
        Self { threads: order.iter().map(thread).collect() }
    }

    /// Whether the shape represents all shapes that only differ in the order of threads and the
    /// names of locations.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        let lengths: Vec<usize> = self.threads.iter().map(Vec::len).collect();
        lengths.is_sorted_by(|a, b| a >= b)
            && orders(&lengths).iter().all(|order| *self <= self.reordered(order))
    }
}

/// The permutations of threads that keep the list of lengths.
fn orders(lengths: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &length in lengths {
        let extended = all.iter().flat_map(|order: &Vec<usize>| {
            let fits = |&next: &usize| lengths[next] == length && !order.contains(&next);
            (0..lengths.len()).filter(fits).map(|next| [&order[..], &[next]].concat())
        });
        all = extended.collect();
    }
    all
}

/// All shapes of so many instructions in so many threads, each once.
#[must_use]
pub fn shapes(events: usize, threads: usize, alphabet: &Alphabet) -> Vec<Shape> {
    let mut found = Vec::new();
    for lengths in partitions(events, threads, events) {
        let mut lister =
            Lister { alphabet, lengths: &lengths, shape: vec![Vec::new()], found: &mut found };
        lister.extend(0);
    }
    found
}

/// Descending lists of `parts` numbers above 0, none above `most`, that add up to `sum`.
fn partitions(sum: usize, parts: usize, most: usize) -> Vec<Vec<usize>> {
    if parts == 0 {
        return if sum == 0 { vec![Vec::new()] } else { Vec::new() };
    }
    let firsts = (1..=most.min(sum)).rev();
    firsts
        .flat_map(|first| {
            let rests = partitions(sum - first, parts - 1, first);
            rests.into_iter().map(move |rest| [&[first][..], &rest].concat())
        })
        .collect()
}

/// Lists the shapes with threads of given lengths, instruction by instruction.
struct Lister<'a> {
    alphabet: &'a Alphabet,
    lengths: &'a [usize],
    /// The threads so far; the last one may be incomplete.
    shape: Vec<Vec<Op>>,
    found: &'a mut Vec<Shape>,
}

impl Lister<'_> {
    /// Goes on with the next instruction, where `locations` are in use.
    fn extend(&mut self, locations: u8) {
        let thread = self.shape.len() - 1;
        if self.shape[thread].len() == self.lengths[thread] {
            if self.is_behind() {
                return;
            }
            if thread + 1 == self.lengths.len() {
                let shape = Shape { threads: self.shape.clone() };
                if shape.is_listed() {
                    self.found.push(shape);
                }
                return;
            }
            self.shape.push(Vec::new());
            self.extend(locations);
            self.shape.pop();
            return;
        }
        for op in self.next(locations) {
            let used = if op.kind.is_access() { locations.max(op.loc + 1) } else { locations };
            self.shape[thread].push(op);
            self.extend(used);
            self.shape[thread].pop();
        }
    }

    /// Whether the last thread is smaller than the thread before it of equal length. The shape with
    /// the two threads swapped is listed instead.
    fn is_behind(&self) -> bool {
        let [.., before, last] = &self.shape[..] else { return false };
        let kinds = |ops: &[Op]| ops.iter().map(|op| op.kind).collect::<Vec<_>>();
        before.len() == last.len() && kinds(last) < kinds(before)
    }

    /// The instructions that may come next.
    fn next(&self, locations: u8) -> Vec<Op> {
        let thread = self.shape.last().map_or(&[][..], |ops| &ops[..]);
        let mut next = Vec::new();
        for &kind in &self.alphabet.kinds {
            let plain = Op { kind, loc: 0, alias: false, copies: None };
            if !kind.is_access() {
                next.push(plain);
                continue;
            }
            let read = |(_, op): &(usize, &Op)| matches!(op.kind, Kind::Load | Kind::Atom);
            let copied =
                thread.iter().enumerate().filter(read).map(|(at, _)| u8::try_from(at).ok());
            let copied = copied.filter(|_| self.alphabet.copies && kind == Kind::Store);
            let sources: Vec<Option<u8>> = [None].into_iter().chain(copied).collect();
            for loc in 0..=locations {
                for alias in [false, true].into_iter().take(1 + usize::from(self.alphabet.aliases))
                {
                    next.extend(sources.iter().map(|&copies| Op { loc, alias, copies, ..plain }));
                }
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The shapes of [`shapes`], found by making all programs and forgetting names: for comparison.
    fn shapes_by_force(events: usize, threads: usize, alphabet: &Alphabet) -> BTreeSet<Shape> {
        let mut all: Vec<Vec<Vec<Op>>> = vec![vec![Vec::new(); threads]];
        let names = u8::try_from(events).unwrap_or(u8::MAX);
        for _ in 0..events {
            let mut longer = BTreeSet::new();
            for program in &all {
                for thread in 0..threads {
                    for &kind in &alphabet.kinds {
                        for loc in 0..if kind.is_access() { names } else { 1 } {
                            let mut program = program.clone();
                            program[thread].push(Op { kind, loc, alias: false, copies: None });
                            longer.insert(program);
                        }
                    }
                }
            }
            all = longer.into_iter().collect();
        }
        let whole = all.into_iter().filter(|program| program.iter().all(|ops| !ops.is_empty()));
        let forgotten = |program: Vec<Vec<Op>>| {
            let shape = Shape { threads: program };
            let any: Vec<usize> = vec![0; threads];
            let orders = orders(&any).into_iter();
            let sorted = |order: &Vec<usize>| {
                order.iter().map(|&t| shape.threads[t].len()).is_sorted_by(|a, b| a >= b)
            };
            let least = orders.filter(sorted).map(|order| shape.reordered(&order)).min();
            least.unwrap_or(shape)
        };
        whole.map(forgotten).collect()
    }

    #[test]
    fn every_shape_is_listed_once() {
        let kinds = vec![Kind::Load, Kind::Store, Kind::Fence];
        let alphabet = Alphabet { kinds, aliases: false, copies: false };
        for (events, threads) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3)] {
            let listed = shapes(events, threads, &alphabet);
            let set: BTreeSet<Shape> = listed.iter().cloned().collect();
            assert_eq!(set.len(), listed.len(), "{events} events in {threads} threads");
            assert_eq!(set, shapes_by_force(events, threads, &alphabet));
        }
    }

    #[test]
    fn counts_are_known() {
        let kinds = vec![Kind::Load, Kind::Store];
        let alphabet = Alphabet { kinds, aliases: false, copies: false };
        // Two accesses in two threads: to one location or to two; both read, both write, or one each.
        assert_eq!(shapes(2, 2, &alphabet).len(), 6);
        // In one thread the order counts.
        assert_eq!(shapes(2, 1, &alphabet).len(), 8);
    }
}
