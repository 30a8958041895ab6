//! Programs: threads of micro-operations over a laid-out memory.

use super::layout::Layout;
use super::reading::AsyncReadings;
use super::term::Term;
use crate::litmus::ast::{Condition, Quantifier, ThreadPlace};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::{FenceRestriction, Order, Proxy, ProxyFenceKind, Scope, Space, Type};
use crate::ptx::warp::WarpOp;
use crate::rule::Rule;
use crate::source::Span;

/// A test, resolved: what the unfolding executes symbolically.
#[derive(Clone, Debug)]
pub struct Program {
    /// The threads.
    pub threads: Vec<ThreadCode>,
    /// Variables and their addresses.
    pub layout: Layout,
    /// The quantifier of the condition.
    pub quantifier: Quantifier,
    /// The condition's proposition.
    pub condition: Condition,
    /// The filter, if any.
    pub filter: Option<Condition>,
    /// Terms shown besides those in the condition.
    pub shown: Vec<crate::litmus::ast::Term>,
    /// How the tasks of the API follow each other.
    pub tasks: Tasks,
    /// How asynchronous operations are read.
    pub asynchronous: AsyncReadings,
}

/// The tasks of the API (PTX-8.9.4); one may have no threads and still come between others.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// How many there are.
    pub count: usize,
    /// For every thread, its task.
    pub of_thread: Vec<Option<usize>>,
    /// Edges between them: all of the first before all of the second.
    pub edges: Vec<TaskOrder>,
}

impl Tasks {
    /// For each task, those that are complete before it starts.
    fn earlier(&self) -> Vec<Vec<bool>> {
        let mut before = vec![vec![false; self.count]; self.count];
        for order in self.edges.iter().filter(|order| !order.programmatic) {
            before[order.to][order.from] = true;
        }
        for middle in 0..self.count {
            for later in 0..self.count {
                if before[later][middle] {
                    let more = before[middle].clone();
                    before[later].iter_mut().zip(more).for_each(|(known, new)| *known |= new);
                }
            }
        }
        before
    }

    /// For each thread, those whose tasks are complete before its task starts.
    #[must_use]
    pub fn earlier_threads(&self) -> Vec<Vec<bool>> {
        let before = self.earlier();
        self.by_threads(|late, early| before[late][early])
    }

    /// For each thread, those whose tasks are complete behind its `griddepcontrol.wait`, which waits
    /// for the tasks that it was launched beside and for all before these.
    #[must_use]
    pub fn awaited_threads(&self) -> Vec<Vec<bool>> {
        let before = self.earlier();
        let mut awaited = vec![vec![false; self.count]; self.count];
        for order in self.edges.iter().filter(|order| order.programmatic) {
            let own = &mut awaited[order.to];
            own[order.from] = true;
            own.iter_mut().zip(&before[order.from]).for_each(|(known, &new)| *known |= new);
        }
        self.by_threads(|late, early| awaited[late][early])
    }

    fn by_threads(&self, related: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
        let pair = |late: Option<usize>, early: &Option<usize>| {
            late.zip(*early).is_some_and(|(late, early)| related(late, early))
        };
        let threads = &self.of_thread;
        threads
            .iter()
            .map(|&late| threads.iter().map(|early| pair(late, early)).collect())
            .collect()
    }
}

/// Order between two tasks, by number.
#[derive(Clone, Debug)]
pub struct TaskOrder {
    /// The earlier task.
    pub from: usize,
    /// The later task.
    pub to: usize,
    /// Whether the later task may start early and only `griddepcontrol.wait` orders it.
    pub programmatic: bool,
}

/// A register of one thread.
#[derive(Clone, Debug)]
pub struct RegisterInfo {
    /// Its name without `%`.
    pub name: String,
    /// Its type; the width is what counts.
    pub ty: Type,
    /// Its initial value; zero where the dialect zeroes registers, else nothing reads it.
    pub initial: u128,
}

/// One thread's code.
#[derive(Clone, Debug)]
pub struct ThreadCode {
    /// Its name.
    pub name: String,
    /// Where it runs.
    pub place: ThreadPlace,
    /// Its registers.
    pub registers: Vec<RegisterInfo>,
    /// Its statements; jumps go to indices of this list, one past the end is the exit.
    pub steps: Vec<Step>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Step {
    /// The predicate it is executed under.
    pub guard: Option<Term>,
    /// What it does, in order.
    pub micros: Vec<Micro>,
    /// Where it stands.
    pub span: Span,
}

/// A micro-operation.
#[derive(Clone, Debug)]
pub enum Micro {
    /// A register gets a value.
    Assign {
        /// The register.
        register: usize,
        /// The value, as wide as the register.
        value: Term,
    },
    /// Registers get what an instruction outside the subset computes, and nobody knows what that is.
    Opaque {
        /// The registers that it writes.
        results: Vec<usize>,
        /// The registers that it reads.
        operands: Vec<usize>,
        /// The instruction, with its qualifiers.
        name: String,
        /// Why nothing can be said where a result matters.
        rule: Rule,
    },
    /// A read; the register gets the value, extended to its width.
    Load {
        /// What is read.
        target: Target,
        /// Where it goes: register and extension.
        destination: Option<(usize, super::term::Extension)>,
    },
    /// A write.
    Store {
        /// What is written.
        target: Target,
        /// The value, as wide as the access.
        value: Term,
    },
    /// A read and, where `writes` holds of [`Term::Old`], a write.
    Rmw {
        /// What is read and written.
        target: Target,
        /// The order of the write half.
        write_order: Order,
        /// Where the old value goes.
        destination: Option<(usize, super::term::Extension)>,
        /// Whether the operation results in a write.
        writes: Term,
        /// The value written.
        value: Term,
    },
    /// The elements of a vector: operations on registers as they were before any of them.
    Elements {
        /// Loads, stores or read-modify-writes, one per element.
        list: Vec<Micro>,
        /// How they are ordered among themselves.
        order: ElementOrder,
    },
    /// A thread fence.
    Fence {
        /// Acquire, Release, AcqRel or Sc.
        order: Order,
        /// The scope.
        scope: Scope,
        /// What it is limited to.
        restriction: Restriction,
        /// When it is executed; `None` always.
        when: Option<Term>,
    },
    /// A proxy fence.
    ProxyFence {
        /// Which.
        kind: ProxyFenceKind,
        /// The address of the tensor map that it is for, with its state space, if it names one.
        map: Option<(Term, Space)>,
    },
    /// A barrier operation.
    Barrier(BarrierMicro),
    /// What follows in the statement comes after what precedes it; without one, the accesses of
    /// a statement are unordered.
    Then,
    /// What the operation on an mbarrier object before it is to the object's phases.
    Phase(PhaseUse),
    /// An asynchronous operation is issued.
    Issue(Box<AsyncMicro>),
    /// The operations of a kind that are open become a group.
    Commit(GroupKind),
    /// Waits for groups.
    Await(AwaitMicro),
    /// A fence of the tensor cores.
    TensorFence(TensorFence),
    /// `griddepcontrol.wait`.
    GridWait,
    /// `griddepcontrol.launch_dependents`.
    Launch,
    /// Goes to a step when the condition holds.
    Branch {
        /// The step.
        target: usize,
        /// The condition; `None` always.
        condition: Option<Term>,
    },
    /// Ends the thread.
    Exit,
    /// The rule is broken unless the condition holds.
    Require {
        /// What must hold.
        condition: Term,
        /// The rule.
        rule: Rule,
    },
}

/// The fences that products of matrices have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorFence {
    /// `wgmma.fence`: of registers and what a product of the warpgroup is issued behind.
    Warpgroup,
    /// `tcgen05.fence::before_thread_sync`
    Before,
    /// `tcgen05.fence::after_thread_sync`
    After,
}

/// What an operation on an mbarrier object is to its phases (PTX-9.7.13.15.4).
#[derive(Clone, Debug)]
pub enum PhaseUse {
    /// An arrival, which asks for a wait that has succeeded for the phase before.
    Arrival,
    /// A wait.
    Wait {
        /// Whether it succeeds.
        done: Term,
        /// Whether arrivals ask for it.
        counts: bool,
    },
}

/// The order among the elements of a vector, which the text leaves unspecified (PTX-8.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    /// None: enough where no element acquires or releases, since program order then has no
    /// consequence between different bytes.
    Unordered,
    /// Some order, which the execution chooses (reading V1).
    Chosen,
    /// As `Chosen`, of so many elements that only one order is looked at: there are executions besides.
    OneOfMany,
}

/// What a fence is limited to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restriction {
    /// It orders everything.
    None,
    /// An acquire fence for what comes later in `.shared::cluster`.
    AcquireSharedCluster,
    /// A release fence for what came before in `.shared::cta`.
    ReleaseSharedCta,
    /// A release fence for initializations of mbarriers.
    MbarrierInit,
    /// An acquire fence for nothing but the wait on an mbarrier just before it: what an acquiring
    /// wait adds to its read where it succeeds.
    Wait,
}

impl From<FenceRestriction> for Restriction {
    fn from(written: FenceRestriction) -> Self {
        match written {
            FenceRestriction::None => Self::None,
            FenceRestriction::AcquireSharedCluster => Self::AcquireSharedCluster,
            FenceRestriction::ReleaseSharedCta => Self::ReleaseSharedCta,
            FenceRestriction::MbarrierInit => Self::MbarrierInit,
        }
    }
}

/// A barrier operation before unfolding.
#[derive(Clone, Debug)]
pub struct BarrierMicro {
    /// Which kind of barrier.
    pub group: BarrierGroup,
    /// Whether it counts as an arrival.
    pub arrives: bool,
    /// Whether it waits.
    pub waits: bool,
    /// The number of threads, if given.
    pub count: Option<Term>,
    /// Whether the operands are legal. Where they are not, the operation does nothing, so that the
    /// execution goes on to its end and shows the violation.
    pub legal: Term,
    /// The order of a cluster arrival.
    pub order: Option<Order>,
    /// The operand that the threads bring: the predicate of `bar.red`, what an exchange within a
    /// warp is about.
    pub operand: Option<Term>,
    /// What `bar.red` returns, and where.
    pub reduction: Option<(Reduction, Option<usize>)>,
    /// What an exchange within a warp returns.
    pub exchange: Option<ExchangeMicro>,
}

/// An exchange of register values within a warp.
#[derive(Clone, Debug)]
pub struct ExchangeMicro {
    /// Which.
    pub op: WarpOp,
    /// The lane of the thread.
    pub lane: Term,
    /// The lane that `shfl.sync` asks for.
    pub source: Option<Term>,
    /// The register that gets the result.
    pub register: usize,
}

/// What a barrier operation synchronizes with.
#[derive(Clone, Debug)]
pub enum BarrierGroup {
    /// A CTA barrier resource.
    Cta(Term),
    /// The column dialect's instance and resource.
    Instance(Term, Term),
    /// The cluster.
    Cluster,
    /// The warp, with a lane mask.
    Warp(Term),
    /// The threads of a warp that execute the same exchange, with a lane mask.
    Exchange(Term, WarpOp),
}

/// What a `bar.red` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The number of participants whose predicate holds.
    Popc,
    /// Whether all hold.
    And,
    /// Whether one holds.
    Or,
}

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
    /// `.shared`, where a descriptor of a matrix says; another descriptor is not understood.
    Matrix,
    /// Tensor Memory.
    TensorMemory,
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
    /// Of a copy whose accesses are strong, in elements of 16 bytes.
    pub strong_copy: bool,
    /// A read or change of a tensor map, which other accesses do not understand.
    pub tensor_map: bool,
}

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
    /// What of it the groups are waited for.
    pub tracked: Tracked,
    /// The proxy of its accesses; signals are generic (PTX-9.7.9.25.4.1).
    pub proxy: Proxy,
    /// Whether 9.7.9.25.1 forbids to touch its operands before it is complete: the section speaks of
    /// copies.
    pub is_copy: bool,
    /// Where its mbarriers are.
    pub signals_at: SignalPlace,
    /// What it is to the tensor cores of the fifth generation, if it is one of theirs.
    pub tensor: Option<TensorKind>,
}

/// What an operation is to the pipelines of the tensor cores (PTX-9.7.16.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorKind {
    /// What it does.
    pub op: TensorOp,
    /// Whether it is one of a pair of CTAs.
    pub pair: bool,
}

/// The operations of the tensor cores of the fifth generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorOp {
    /// `tcgen05.mma`
    Multiply,
    /// `tcgen05.cp`
    Move {
        /// Of the shape `.4x256b`, which comes behind a shift.
        small: bool,
    },
    /// `tcgen05.shift`
    Shift,
    /// `tcgen05.ld`
    Load,
    /// `tcgen05.st`
    Store,
    /// `tcgen05.dealloc`
    Free,
}

/// Which earlier operations of its thread an operation is complete behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// `cp.async`
    Copies,
    /// Products, copies and shifts of the tensor cores, of one CTA or of a pair.
    Tensor {
        /// Whether of a pair.
        pair: bool,
    },
}

/// What of an operation the waits for its group wait for (PTX-9.7.9.25.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// All of it.
    Whole,
    /// Its read of the tensor map: an mbarrier tells of the rest.
    Map,
}

/// Where the mbarriers of an asynchronous operation have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalPlace {
    /// In the CTA of the destination.
    Destination,
    /// In the CTA of the destination or the other one of its pair, as the instruction computes.
    Pair,
}

/// What an asynchronous operation does to memory.
#[derive(Clone, Debug)]
pub enum AsyncEffect {
    /// Bytes are copied, or reduced one element after the other.
    Transfer(Box<Transfer>),
    /// The box of a tensor is copied or reduced.
    Tensor(Box<TensorTransfer>),
    /// An element of a register is stored.
    Store(Target, Term),
    /// A register is reduced into memory: where, the order of the write, and its value, of
    /// [`Term::Old`].
    Update(Target, Order, Term),
    /// Matrices are multiplied.
    Product(Box<Product>),
    /// Words of Tensor Memory are loaded into registers.
    LoadColumns(Vec<(Target, usize)>),
    /// Words are stored to Tensor Memory.
    StoreColumns(Vec<(Target, Term)>),
    /// Nothing; it tells when earlier operations of the thread are complete.
    Behind(Behind),
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
    pub mask: Option<Term>,
    /// How many bytes at the beginning and at the end have no value that anybody knows.
    pub open: [Term; 2],
    /// How elements are combined with what is there, instead of written.
    pub reduction: Option<Combination>,
    /// The scope of its accesses where they are strong, each of 16 bytes.
    pub strong: Option<Scope>,
}

/// The box of a tensor that an asynchronous operation copies between global and shared memory.
#[derive(Clone, Debug)]
pub struct TensorTransfer {
    /// The read of the tensor map.
    pub map: Target,
    /// Where the box is.
    pub at: BoxPlace,
    /// Which way it goes.
    pub direction: Direction,
    /// Where it is, or goes to, in shared memory; several where it is multicast.
    pub shared: Vec<Range>,
    /// How elements are combined with those of the tensor, instead of written.
    pub reduction: Option<Combination>,
}

/// A product of matrices. What it gives is a stand-in for the numbers of a matrix: the sum of the
/// first words of its operands, so that it tells which of their contents were read.
#[derive(Clone, Debug)]
pub struct Product {
    /// Operands in memory: where each begins.
    pub matrices: Vec<Range>,
    /// What operands in registers add, of 32 bits.
    pub addend: Term,
    /// The registers of the accumulator.
    pub accumulator: Vec<usize>,
    /// Whether what is in the accumulator is added to, or overwritten.
    pub accumulates: Term,
    /// The registers that hold an operand.
    pub fragments: Vec<usize>,
    /// Products of one shape have their accumulators ordered among themselves.
    pub shape: String,
    /// Where the result goes in Tensor Memory, if not to registers.
    pub into: Vec<Range>,
}

/// Which elements of a tensor a box is.
#[derive(Clone, Debug)]
pub enum BoxPlace {
    /// The coordinates of its first element, innermost first; 32 bits with a sign.
    Tile(Vec<Term>),
    /// The column where four rows begin, and the number of each (`.tile::gather4`, `.tile::scatter4`).
    Rows(Vec<Term>),
}

impl BoxPlace {
    /// Its coordinates as they are written.
    #[must_use]
    pub fn coordinates(&self) -> &[Term] {
        match self {
            Self::Tile(list) | Self::Rows(list) => list,
        }
    }
}

/// Which way the box of a tensor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into shared memory.
    Load,
    /// Out of shared memory.
    Store,
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
    /// Whether the operation goes there.
    pub when: Term,
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
    /// The registers that it writes.
    pub(crate) fn written(&self) -> Vec<usize> {
        match &self.effect {
            AsyncEffect::Product(product) => product.accumulator.clone(),
            AsyncEffect::LoadColumns(list) => list.iter().map(|(_, register)| *register).collect(),
            _ => Vec::new(),
        }
    }

    /// The terms that it is made of, but for those of [`Combination`].
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let mut terms = Vec::new();
        match &self.effect {
            AsyncEffect::Transfer(transfer) => {
                terms.extend([&transfer.source.address, &transfer.bytes, &transfer.copied]);
                terms.extend(transfer.destinations.iter().flat_map(|to| [&to.address, &to.when]));
                terms.extend(&transfer.mask);
                terms.extend(&transfer.open);
            }
            AsyncEffect::Store(target, value) | AsyncEffect::Update(target, _, value) => {
                terms.extend([&target.address, value]);
            }
            AsyncEffect::Tensor(tensor) => {
                terms.push(&tensor.map.address);
                terms.extend(tensor.at.coordinates());
                terms.extend(tensor.shared.iter().flat_map(|place| [&place.address, &place.when]));
            }
            AsyncEffect::Product(product) => {
                let ranges = product.matrices.iter().chain(&product.into);
                terms.extend(ranges.flat_map(|range| [&range.address, &range.when]));
                terms.extend([&product.addend, &product.accumulates]);
            }
            AsyncEffect::LoadColumns(list) => {
                terms.extend(list.iter().map(|(target, _)| &target.address));
            }
            AsyncEffect::StoreColumns(list) => {
                terms.extend(list.iter().flat_map(|(target, value)| [&target.address, value]));
            }
            AsyncEffect::Behind(_) => {}
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
    /// Release, but for a reading of `st.async`.
    pub order: Order,
    /// What has to hold of the value before.
    pub requires: Vec<(Term, Rule)>,
    /// Whether somebody has to have waited for the phase before, as for an arrival; a transaction is none.
    pub needs_wait: bool,
    /// Which of the operation's destinations it tells of.
    pub destination: usize,
    /// Whether the operation goes there.
    pub when: Term,
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
        [&self.target.address, &self.value, &self.when].into_iter().chain(required)
    }
}
