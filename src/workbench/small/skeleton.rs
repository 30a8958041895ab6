//! Programs of which only the kinds of instructions and the number of locations are known, and the
//! shapes with these.
//!
//! Every shape is listed once up to names of threads and locations. Threads are sorted by
//! descending length, then by kinds. Locations are numbered in order of first occurrence. Among the
//! orders of threads with the same kinds, the order with the least code is chosen.

use super::rows::MOST;
use super::shape::{Alphabet, Kind, Op, Shape};

/// What is known of a program before its instructions have locations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Skeleton {
    /// The kinds of the instructions of each thread; no thread is empty.
    pub threads: Vec<Vec<Kind>>,
    /// How many locations there are.
    pub locations: usize,
}

impl Skeleton {
    /// Whether its programs have no more events than can be evaluated, initial writes included.
    #[must_use]
    pub fn fits(&self) -> bool {
        let kinds = self.threads.iter().flatten();
        self.locations + kinds.map(|kind| kind.events()).sum::<usize>() <= MOST
    }

    /// Whether some location of each of its shapes has a single access.
    #[must_use]
    pub fn has_lone_access(&self) -> bool {
        let kinds = self.threads.iter().flatten();
        2 * self.locations > kinds.filter(|kind| kind.is_access()).count()
    }

    /// Some shape with these kinds, with all accesses at one location.
    #[must_use]
    pub fn merged(&self) -> Shape {
        let op = |&kind: &Kind| Op { kind, loc: 0, alias: false, copies: None };
        Shape { threads: self.threads.iter().map(|ops| ops.iter().map(op).collect()).collect() }
    }

    /// The locations that each access may have, as sets of bits, in the order of instructions; none
    /// for other instructions.
    ///
    /// Locations are numbered in order of first occurrence, so that an access behind `n` others has
    /// one of the first `n + 1`.
    #[must_use]
    pub fn reach(&self) -> Vec<u8> {
        let kinds = self.threads.iter().flatten();
        let accesses = kinds.clone().filter(|kind| kind.is_access()).count();
        let mut before = 0;
        let mut reach = |&kind: &Kind| {
            if !kind.is_access() {
                return 0;
            }
            let own = before;
            before += 1;
            match self.locations == accesses {
                true => 1 << own,
                false => u8::MAX >> (8 - (own + 1).min(self.locations)),
            }
        };
        kinds.map(&mut reach).collect()
    }

    /// The shapes of the skeleton, each once.
    #[must_use]
    pub fn shapes(&self, alphabet: &Alphabet) -> Vec<Shape> {
        let mut found = Vec::new();
        let orders = orders(&self.threads);
        let shape = vec![Vec::new()];
        let mut lister = Lister { skeleton: self, alphabet, orders, shape, found: &mut found };
        lister.extend(0);
        found
    }
}

/// The permutations that keep a list.
fn orders<T: PartialEq>(list: &[T]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for one in list {
        let extended = all.iter().flat_map(|order: &Vec<usize>| {
            let fits = |&next: &usize| list[next] == *one && !order.contains(&next);
            (0..list.len()).filter(fits).map(|next| [&order[..], &[next]].concat())
        });
        all = extended.collect();
    }
    all
}

/// All skeletons of so many instructions in so many threads, each once up to the order of threads.
#[must_use]
pub fn skeletons(events: usize, threads: usize, alphabet: &Alphabet) -> Vec<Skeleton> {
    let mut found = Vec::new();
    for lengths in partitions(events, threads, events) {
        let mut lists: Vec<Vec<Vec<Kind>>> = vec![Vec::new()];
        for length in lengths {
            let words = words(length, &alphabet.kinds);
            let longer = lists.iter().flat_map(|list| {
                let follows = |word: &&Vec<Kind>| {
                    list.last().is_none_or(|last| last.len() > word.len() || last <= *word)
                };
                words
                    .iter()
                    .filter(follows)
                    .map(|word| [&list[..], std::slice::from_ref(word)].concat())
            });
            lists = longer.collect();
        }
        for threads in lists {
            let accesses = threads.iter().flatten().filter(|kind| kind.is_access()).count();
            for locations in accesses.min(1)..=accesses {
                found.push(Skeleton { threads: threads.clone(), locations });
            }
        }
    }
    found
}

/// All shapes of so many instructions in so many threads, each once.
#[must_use]
pub fn shapes(events: usize, threads: usize, alphabet: &Alphabet) -> Vec<Shape> {
    let all = skeletons(events, threads, alphabet);
    all.iter().flat_map(|skeleton| skeleton.shapes(alphabet)).collect()
}

/// The lists of so many kinds.
fn words(length: usize, kinds: &[Kind]) -> Vec<Vec<Kind>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |word: &Vec<Kind>| {
            let word = word.clone();
            kinds.iter().map(move |&kind| [&word[..], &[kind]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
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

/// Lists the shapes of a skeleton, instruction by instruction.
struct Lister<'a> {
    skeleton: &'a Skeleton,
    alphabet: &'a Alphabet,
    /// The orders of threads that keep the skeleton.
    orders: Vec<Vec<usize>>,
    /// The threads so far; the last one may be incomplete.
    shape: Vec<Vec<Op>>,
    found: &'a mut Vec<Shape>,
}

impl Lister<'_> {
    /// Goes on with the next instruction, where `locations` are in use.
    fn extend(&mut self, locations: u8) {
        let thread = self.shape.len() - 1;
        let kinds = &self.skeleton.threads[thread];
        let Some(&kind) = kinds.get(self.shape[thread].len()) else {
            if thread + 1 < self.skeleton.threads.len() {
                self.shape.push(Vec::new());
                self.extend(locations);
                self.shape.pop();
            } else if usize::from(locations) == self.skeleton.locations {
                let shape = Shape { threads: self.shape.clone() };
                if self.orders.iter().all(|order| shape <= shape.reordered(order)) {
                    self.found.push(shape);
                }
            }
            return;
        };
        for op in self.next(kind, locations) {
            let used = if kind.is_access() { locations.max(op.loc + 1) } else { locations };
            self.shape[thread].push(op);
            self.extend(used);
            self.shape[thread].pop();
        }
    }

    /// The instructions of a kind that may come next.
    fn next(&self, kind: Kind, locations: u8) -> Vec<Op> {
        let thread = self.shape.last().map_or(&[][..], |ops| &ops[..]);
        let plain = Op { kind, loc: 0, alias: false, copies: None };
        if !kind.is_access() {
            return vec![plain];
        }
        let read = |(_, op): &(usize, &Op)| matches!(op.kind, Kind::Load | Kind::Atom);
        let copied = thread.iter().enumerate().filter(read).map(|(at, _)| u8::try_from(at).ok());
        let copied = copied.filter(|_| self.alphabet.copies && kind == Kind::Store);
        let sources: Vec<Option<u8>> = [None].into_iter().chain(copied).collect();
        let mut next = Vec::new();
        let most = u8::try_from(self.skeleton.locations - 1).unwrap_or(u8::MAX);
        for loc in 0..=locations.min(most) {
            for alias in [false, true].into_iter().take(1 + usize::from(self.alphabet.aliases)) {
                next.extend(sources.iter().map(|&copies| Op { loc, alias, copies, ..plain }));
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Lists of so many numbers, in which each new number is the least that is left.
    fn named(count: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for _ in 0..count {
            let longer = |list: &Vec<u8>| {
                let list = list.clone();
                let next = list.iter().max().map_or(0, |most| most + 1);
                (0..=next).map(move |name| [&list[..], &[name]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// All programs of threads with these lengths, with locations in order of first occurrence.
    fn programs(lengths: &[usize], kinds: &[Kind]) -> Vec<Shape> {
        let mut all = Vec::new();
        for word in words(lengths.iter().sum(), kinds) {
            let accesses = word.iter().filter(|kind| kind.is_access()).count();
            for names in named(accesses) {
                let mut names = names.into_iter();
                let mut ops = word.iter().map(|&kind| {
                    let loc = if kind.is_access() { names.next().unwrap_or(0) } else { 0 };
                    Op { kind, loc, alias: false, copies: None }
                });
                let thread = |&length: &usize| ops.by_ref().take(length).collect();
                all.push(Shape { threads: lengths.iter().map(thread).collect() });
            }
        }
        all
    }

    /// The number of programs up to names of threads and locations, by Burnside's lemma: the mean
    /// number of programs that a permutation of threads with equal length keeps.
    fn orbits(events: usize, threads: usize, kinds: &[Kind]) -> usize {
        let of = |lengths: &Vec<usize>| {
            let orders = orders(lengths);
            let all = programs(lengths, kinds);
            let kept =
                |order: &Vec<usize>| all.iter().filter(|p| p.reordered(order) == **p).count();
            let sum: usize = orders.iter().map(kept).sum();
            assert_eq!(sum % orders.len(), 0);
            sum / orders.len()
        };
        partitions(events, threads, events).iter().map(of).sum()
    }

    fn alphabet(kinds: &[Kind]) -> Alphabet {
        Alphabet { kinds: kinds.to_vec(), aliases: false, copies: false }
    }

    #[test]
    fn every_shape_is_listed_once() {
        let three = [Kind::Load, Kind::Store, Kind::Fence];
        let two = [Kind::Load, Kind::Store];
        let sizes =
            [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2), (5, 3)];
        let sizes = sizes.map(|(events, threads)| (events, threads, &three[..]));
        // Threads of three accesses each: the least kinds and the least locations may disagree.
        let larger = [(6, 2, &two[..]), (6, 3, &two[..])];
        for (events, threads, kinds) in sizes.into_iter().chain(larger) {
            let listed = shapes(events, threads, &alphabet(kinds));
            let least = |shape: &Shape| {
                let lengths: Vec<usize> = shape.threads.iter().map(Vec::len).collect();
                orders(&lengths).iter().map(|order| shape.reordered(order)).min()
            };
            let set: BTreeSet<Option<Shape>> = listed.iter().map(least).collect();
            assert_eq!(set.len(), listed.len(), "{events} events in {threads} threads");
            assert_eq!(listed.len(), orbits(events, threads, kinds), "{events}, {threads}");
        }
    }

    #[test]
    fn counts_are_known() {
        let accesses = alphabet(&[Kind::Load, Kind::Store]);
        // Two accesses in two threads: to one location or to two; both read, both write, or one each.
        assert_eq!(shapes(2, 2, &accesses).len(), 6);
        // In one thread the order counts.
        assert_eq!(shapes(2, 1, &accesses).len(), 8);
    }

    #[test]
    fn accesses_have_locations_that_their_skeleton_admits() {
        let all = alphabet(&[Kind::Load, Kind::Store, Kind::Fence]);
        for (events, threads) in [(3, 2), (4, 2), (4, 3)] {
            for skeleton in skeletons(events, threads, &all) {
                let reach = skeleton.reach();
                let mut met = vec![0; reach.len()];
                for shape in skeleton.shapes(&all) {
                    assert_eq!(shape.locations(), skeleton.locations);
                    assert_eq!(shape.kinds(), skeleton.threads);
                    for (at, (_, op)) in
                        shape.ops().enumerate().filter(|(_, (_, op))| op.kind.is_access())
                    {
                        met[at] |= 1 << op.loc;
                    }
                }
                assert!(met.iter().zip(&reach).all(|(met, reach)| met & !reach == 0));
            }
        }
    }
}
