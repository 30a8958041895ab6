//! What an access of an instruction is to memory, whatever it reads or writes: where, how wide, how strong,
//! and by which marks clauses know it.

use super::term::Term;
use crate::ptx::operation::{Order, Proxy, Scope, Space};
use crate::rule::Rule;

/// What the accesses of one micro-operation have in common.
#[derive(Clone, Debug)]
pub struct Target {
    /// The address of the first byte, 64 bits wide, in `space`.
    pub address: Term,
    /// The state space that the address is meant in.
    pub space: Space,
    /// Bytes.
    pub bytes: u32,
    /// Bytes of the whole instruction's access, which is what has to be aligned (PTX-6.4.1).
    pub whole: u32,
    /// Where this element begins in it.
    pub within: u32,
    /// The order qualifier.
    pub order: Order,
    /// The scope of strong accesses.
    pub scope: Option<Scope>,
    /// The proxy.
    pub proxy: Proxy,
    /// Marks of the events.
    pub marks: Marks,
    /// Which replica of a multimem address; `None` where the instruction is no `multimem` one.
    pub replica: Option<usize>,
    /// Where the instruction has to find its address, if it says.
    pub confined: Option<Confined>,
}

/// Memory that an instruction is for, whatever its address says; elsewhere it is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confined {
    /// An mbarrier operation that is not for objects of other CTAs: the CTA's `.shared`.
    OwnShared,
    /// `st.bulk`: `.shared`.
    Shared,
    /// `.global`, by a rule of the instruction.
    Global(Rule),
    /// The CTA's `.shared`, by a rule of the instruction.
    Own(Rule),
    /// `.shared` of any CTA of the cluster, by a rule of the instruction.
    AnyShared(Rule),
    /// The `.shared` of another CTA of the cluster, by a rule of the instruction.
    Other(Rule),
}

/// Marks that some clauses look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// A half of a read-modify-write.
    pub rmw: bool,
    /// A half of a `red`.
    pub red: bool,
    /// The read of a `cas` with release semantics, which may be all there is of it.
    pub releasing_read: bool,
    /// An operation on an mbarrier object, or the fence that stands for what a wait acquires.
    pub mbarrier: bool,
    /// Of an `mbarrier.init`.
    pub mbarrier_init: bool,
    /// Of a thread's `expect_tx` or `complete_tx`, which is no arrival.
    pub mbarrier_tx: bool,
    /// A `multimem` operation.
    pub multimem: bool,
    /// `.mmio`
    pub mmio: bool,
    /// `.volatile`
    pub volatile: bool,
    /// `ld.global.nc`, `ldu`: for data that nothing writes meanwhile.
    pub non_coherent: bool,
    /// A read that the program does not have, by which is seen what a store overwrites.
    pub looks: bool,
}
