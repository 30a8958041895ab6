//! Asynchronous operations (PTX-8.9.1.1) before unfolding: what they do to memory, which mbarriers they
//! signal, which groups they join.

use super::target::{Confined, Target};
use super::term::Term;
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::{Proxy, Scope, Space};
use crate::rule::Rule;

/// An asynchronous operation before unfolding.
#[derive(Clone, Debug)]
pub struct AsyncMicro {
    /// Its instruction without what says how: `cp.async.bulk`.
    pub name: &'static str,
    /// What it does to memory.
    pub effect: AsyncEffect,
    /// What tells others that it is complete.
    pub signals: Vec<Signal>,
    /// Which of the thread's groups it joins.
    pub group: Option<GroupKind>,
    /// The proxy of its accesses; signals are generic (PTX-9.7.9.25.4.1).
    pub proxy: Proxy,
    /// Whether 9.7.9.25.1 forbids to touch its operands before it is complete: the section speaks of
    /// copies.
    pub is_copy: bool,
}

/// What an asynchronous operation does to memory.
#[derive(Clone, Debug)]
pub enum AsyncEffect {
    /// Bytes are copied, or reduced one element after the other.
    Transfer(Transfer),
    /// An element of a register is stored.
    Store(Target, Term),
    /// A register is reduced into memory: where, and the value of [`Term::Old`].
    Update(Target, Term),
    /// Nothing; it tells when earlier `cp.async` of the thread are complete.
    Behind,
}

/// Bytes of one place that are written to others.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Where from.
    pub source: Range,
    /// Where to, CTA by CTA.
    pub destinations: Vec<Range>,
    /// How many bytes are written.
    pub bytes: Term,
    /// How many of them come from the source; the others are zero.
    pub copied: Term,
    /// Which bytes of every 16 are copied, lowest bit first.
    pub mask: Option<u16>,
    /// How many bytes at the beginning and at the end have no value that anybody knows.
    pub open: [Term; 2],
    /// How elements are combined with what is there, instead of written.
    pub reduction: Option<Combination>,
}

/// How an element of a reduction is combined with what it finds.
#[derive(Clone, Debug)]
pub struct Combination {
    /// Bytes of an element.
    pub bytes: u32,
    /// What is written: of [`Term::Old`], and of the source's element as [`Combination::ELEMENT`].
    pub value: Term,
    /// The scope of each of the atomic operations.
    pub scope: Scope,
}

impl Combination {
    /// The register that stands for the element of the source; no thread has so many.
    pub const ELEMENT: usize = usize::MAX;
}

/// The first byte of what an operation accesses, in a state space.
#[derive(Clone, Debug)]
pub struct Range {
    /// The address, 64 bits wide.
    pub address: Term,
    /// The state space that it is meant in.
    pub space: Space,
    /// Which memory the instruction is for.
    pub confined: Confined,
    /// What divides the address, in bytes.
    pub align: Align,
}

/// What divides an address.
#[derive(Clone, Debug)]
pub enum Align {
    /// This number.
    Bytes(u32),
    /// The number of bytes that are written.
    Size,
}

/// A wait for groups of asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwaitMicro {
    /// Which groups.
    pub kind: GroupKind,
    /// How many of the youngest groups it does not wait for.
    pub but: u32,
    /// Whether it waits only until sources have been read.
    pub reads: bool,
}

impl AsyncMicro {
    /// The terms that it is made of, but for those of [`Combination`].
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let mut terms = Vec::new();
        match &self.effect {
            AsyncEffect::Transfer(transfer) => {
                terms.extend([&transfer.source.address, &transfer.bytes, &transfer.copied]);
                terms.extend(transfer.destinations.iter().map(|to| &to.address));
                terms.extend(&transfer.open);
            }
            AsyncEffect::Store(target, value) | AsyncEffect::Update(target, value) => {
                terms.extend([&target.address, value]);
            }
            AsyncEffect::Behind => {}
        }
        terms.extend(self.signals.iter().flat_map(Signal::terms));
        terms.into_iter()
    }
}

/// What an asynchronous operation does to an mbarrier when it is complete (PTX-8.9.1.1): one step that
/// nothing of its thread comes between.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The object.
    pub target: Target,
    /// Its value, of the value before as [`Term::Old`].
    pub value: Term,
    /// What has to hold of the value before.
    pub requires: Vec<(Term, Rule)>,
    /// Whether it is an arrival; a transaction is none.
    pub arrives: bool,
    /// Which of the operation's destinations it tells of.
    pub destination: usize,
}

/// The kinds of [`Signal`].
#[derive(Clone, Debug)]
pub enum SignalKind {
    /// `complete_tx` of so many bytes.
    Bytes(Term),
    /// An arrival.
    Arrival,
}

impl Signal {
    /// The terms that it is made of.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let required = self.requires.iter().map(|(term, _)| term);
        [&self.target.address, &self.value].into_iter().chain(required)
    }
}
