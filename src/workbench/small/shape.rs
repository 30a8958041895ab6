//! Programs without orders, scopes and places: only the accesses of each thread and their order.
//!
//! Shapes that differ only in the names of threads and locations are one. Of these,
//! [`skeleton`](super::skeleton) lists the shape whose threads are sorted by descending length, then by
//! the kinds of their instructions, then by locations in order of first occurrence.

use itertools::Itertools;

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
    /// `fence.proxy.alias` with an order
    OrderedAliasFence,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Load,
        Self::Store,
        Self::Atom,
        Self::Red,
        Self::Fence,
        Self::CtaBarrier,
        Self::ClusterBarrier,
        Self::AliasFence,
        Self::OrderedAliasFence,
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

    /// How many events the instruction has.
    #[must_use]
    pub fn events(self) -> usize {
        match self {
            Self::Atom | Self::Red | Self::ClusterBarrier => 2,
            Self::Load
            | Self::Store
            | Self::Fence
            | Self::CtaBarrier
            | Self::AliasFence
            | Self::OrderedAliasFence => 1,
        }
    }

    /// Whether the instruction is only relevant to some questions.
    #[must_use]
    pub fn is_special(self) -> bool {
        matches!(self, Self::CtaBarrier | Self::ClusterBarrier) || self.is_alias_fence()
    }

    /// Whether the instruction is a fence between the addresses of a location.
    #[must_use]
    pub fn is_alias_fence(self) -> bool {
        matches!(self, Self::AliasFence | Self::OrderedAliasFence)
    }

    /// Whether the instruction has one scope, which is part of its name.
    #[must_use]
    pub fn has_one_scope(self) -> bool {
        matches!(self, Self::ClusterBarrier | Self::OrderedAliasFence)
    }

    /// The words that begin the instruction.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "ld",
            Self::Store => "st",
            Self::Atom => "atom",
            Self::Red => "red",
            Self::Fence => "fence",
            Self::CtaBarrier => "bar.sync",
            Self::ClusterBarrier => "barrier.cluster.arrive",
            Self::AliasFence | Self::OrderedAliasFence => "fence.proxy.alias",
        }
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

    /// The orders of threads that keep the shape, the order as it is first.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Vec<usize>> {
        let threads = self.threads.len();
        let orders = (0..threads).permutations(threads);
        orders.filter(|order| self.reordered(order) == *self).collect()
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

    /// The kinds of the instructions of each thread.
    #[must_use]
    pub fn kinds(&self) -> Vec<Vec<Kind>> {
        let of = |ops: &Vec<Op>| ops.iter().map(|op| op.kind).collect();
        self.threads.iter().map(of).collect()
    }
}
