//! Programs: threads of micro-operations over a laid-out memory.

use super::layout::Layout;
use super::reading::AsyncReadings;
use super::term::Term;
use crate::litmus::ast::{Condition, Quantifier, Term as LitmusTerm, ThreadPlace};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::matrix::MatrixShape;
use crate::ptx::operation::{FenceRestriction, Order, Proxy, ProxyFenceKind, Scope, Space, Type};
use crate::ptx::warp::WarpOp;
use crate::rule::Rule;
use crate::source::Span;

/// A test, resolved: the input of symbolic execution.
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
    pub shown: Vec<LitmusTerm>,
    /// The order of the tasks of the API.
    pub tasks: Tasks,
    /// The readings for asynchronous operations.
    pub asynchronous: AsyncReadings,
}

impl Program {
    /// The name of a register or variable in final states; `None` of other terms.
    #[must_use]
    pub fn name_of(&self, term: &LitmusTerm) -> Option<String> {
        let of = |thread: &usize, name: &str| format!("{}:{name}", self.threads[*thread].name);
        match term {
            LitmusTerm::Register { thread, register, .. } => Some(of(thread, register)),
            LitmusTerm::Memory { variable, index, instance, .. } => {
                let info = &self.layout.variables[self.layout.variable(variable)?];
                let name = match info.elements > 1 {
                    true => format!("{variable}[{index}]"),
                    false => variable.clone(),
                };
                Some(instance.as_ref().map_or_else(|| name.clone(), |thread| of(thread, &name)))
            }
            LitmusTerm::Number(_) | LitmusTerm::Float(_) | LitmusTerm::AddressOf(_) => None,
        }
    }

    /// The type of a register or variable; `None` of other terms.
    #[must_use]
    pub fn type_of(&self, term: &LitmusTerm) -> Option<Type> {
        match term {
            LitmusTerm::Register { thread, register, .. } => {
                let registers = &self.threads[*thread].registers;
                registers.iter().find(|info| info.name == *register).map(|info| info.ty)
            }
            LitmusTerm::Memory { variable, .. } => {
                let found = self.layout.variable(variable);
                found.map(|found| self.layout.variables[found].ty)
            }
            LitmusTerm::Number(_) | LitmusTerm::Float(_) | LitmusTerm::AddressOf(_) => None,
        }
    }
}

/// The tasks of the API (PTX-8.9.4). A task may have no threads and still come between others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// The number of tasks.
    pub count: usize,
    /// For every thread, its task.
    pub of_thread: Vec<Option<usize>>,
    /// Edges between tasks: all of the first before all of the second.
    pub edges: Vec<TaskOrder>,
}

impl Tasks {
    /// For each task, the tasks that are complete before it starts.
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

    /// For each thread, the threads whose tasks are complete before its task starts.
    #[must_use]
    pub fn earlier_threads(&self) -> Vec<Vec<bool>> {
        let before = self.earlier();
        self.by_threads(|late, early| before[late][early])
    }

    /// For each thread, the threads whose tasks are complete after its `griddepcontrol.wait`. The
    /// instruction waits for the tasks that overlap the thread's early-launched task, and for all
    /// earlier tasks.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOrder {
    /// The earlier task.
    pub from: usize,
    /// The later task.
    pub to: usize,
    /// Whether the later task may start early and only `griddepcontrol.wait` orders it.
    pub programmatic: bool,
}

/// A register of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterInfo {
    /// Its name without `%`.
    pub name: String,
    /// Its type, of which the width matters.
    pub ty: Type,
    /// Its initial value; zero if the dialect zeroes registers, otherwise unread.
    pub initial: u128,
}

/// One thread's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadCode {
    /// Its name.
    pub name: String,
    /// The place where it runs.
    pub place: ThreadPlace,
    /// Its registers.
    pub registers: Vec<RegisterInfo>,
    /// Its statements; jumps go to indices of this list, one past the end is the exit.
    pub steps: Vec<Step>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The predicate under which the statement is executed.
    pub guard: Option<Term>,
    /// Its micro-operations, in order.
    pub micros: Vec<Micro>,
    /// Its place in the source.
    pub span: Span,
}

/// A micro-operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Micro {
    /// A register gets a value.
    Assign {
        /// The register.
        register: usize,
        /// The value, as wide as the register.
        value: Term,
    },
    /// Registers get the results of an uninterpreted instruction.
    Opaque {
        /// The registers that it writes.
        results: Vec<usize>,
        /// The registers that it reads.
        operands: Vec<usize>,
        /// The instruction, with its qualifiers.
        name: String,
        /// The rule to report if a result matters.
        rule: Rule,
    },
    /// A read; the register gets the value, extended to its width.
    Load {
        /// The place read.
        target: Target,
        /// The register of the value, with its extension.
        destination: Option<(usize, super::term::Extension)>,
    },
    /// A write.
    Store {
        /// The place written.
        target: Target,
        /// The value, as wide as the access.
        value: Term,
    },
    /// A read and, where `writes` holds of [`Term::Old`], a write.
    Rmw {
        /// The place read and written.
        target: Target,
        /// The order of the write half.
        write_order: Order,
        /// The register of the old value, with its extension.
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
        /// The order among the elements.
        order: ElementOrder,
    },
    /// The address that a thread gives to its warp, of a row of a matrix.
    Supply {
        /// The row; `None` if there are fewer rows than lanes, and the thread is not asked.
        row: Option<Target>,
        /// What the warp does with the rows.
        how: Supplied,
        /// The matrices, by which the threads of the warp know each other's instructions.
        shape: MatrixShape,
    },
    /// A thread fence.
    Fence {
        /// Acquire, Release, AcqRel or Sc.
        order: Order,
        /// The scope.
        scope: Scope,
        /// The restriction to some accesses.
        restriction: Restriction,
        /// The condition under which it is executed; `None` always.
        when: Option<Term>,
    },
    /// A proxy fence.
    ProxyFence {
        /// The kind of fence.
        kind: ProxyFenceKind,
        /// The address of the tensor map that it names, if any, with its state space.
        map: Option<(Term, Space)>,
    },
    /// A barrier operation.
    Barrier(BarrierMicro),
    /// Orders the rest of the statement after its preceding part; otherwise the accesses of a
    /// statement are unordered.
    Then,
    /// The use of an object's phases by the preceding mbarrier operation.
    Phase(PhaseUse),
    /// The issue of an asynchronous operation.
    Issue(Box<AsyncMicro>),
    /// Makes a group of the open operations of a kind.
    Commit(GroupKind),
    /// Waits for groups.
    Await(AwaitMicro),
    /// A fence of the tensor cores.
    TensorFence(TensorFence),
    /// `griddepcontrol.wait`.
    GridWait,
    /// `griddepcontrol.launch_dependents`.
    Launch,
    /// Branches to a step if the condition holds.
    Branch {
        /// The step.
        target: usize,
        /// The condition; `None` always.
        condition: Option<Term>,
    },
    /// Ends the thread.
    Exit,
    /// Breaks a rule unless the condition holds.
    Require {
        /// The condition.
        condition: Term,
        /// The rule.
        rule: Rule,
    },
}

/// What a warp does with rows whose addresses threads give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supplied {
    /// They are read.
    Read,
    /// They are written.
    Written,
}

/// The fences that products of matrices have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorFence {
    /// `wgmma.fence`: of registers and what a product of the warpgroup is issued behind.
    Warpgroup,
    /// `tcgen05.fence::before_thread_sync`
    Before,
    /// `tcgen05.fence::after_thread_sync`
    After,
}

/// The use of an mbarrier object's phases by an operation (PTX-9.7.13.15.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhaseUse {
    /// An arrival, which requires that a wait for the preceding phase has succeeded.
    Arrival,
    /// A wait.
    Wait {
        /// Whether it succeeds.
        done: Term,
        /// Whether it counts as such a wait.
        counts: bool,
    },
}

/// The order among the elements of a vector, which the standard leaves unspecified (PTX-8.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    /// None: enough if no element acquires or releases, since program order then has no consequence
    /// between different bytes.
    Unordered,
    /// An order that the execution chooses (reading V1).
    Chosen,
    /// As `Chosen`, with so many elements that only one order is explored: an under-approximation.
    OneOfMany,
}

/// The restriction of a fence to some accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restriction {
    /// No restriction.
    None,
    /// An acquire fence for later accesses to `.shared::cluster`.
    AcquireSharedCluster,
    /// A release fence for earlier accesses to `.shared::cta`.
    ReleaseSharedCta,
    /// A release fence for initializations of mbarriers.
    MbarrierInit,
    /// An acquire fence only for the preceding wait on an mbarrier: the effect of a successful
    /// acquiring wait beyond its read.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarrierMicro {
    /// The kind of barrier.
    pub group: BarrierGroup,
    /// Whether it counts as an arrival.
    pub arrives: bool,
    /// Whether it waits.
    pub waits: bool,
    /// Whether all threads of a warp have to execute it together.
    pub aligned: bool,
    /// The number of threads, if given.
    pub count: Option<Term>,
    /// Whether the operands are legal. With illegal operands, the operation does nothing, so that
    /// the execution goes on to its end and shows the violation.
    pub legal: Term,
    /// The order of a cluster arrival.
    pub order: Option<Order>,
    /// The operand of each thread: the predicate of `bar.red`, or the value for an exchange within
    /// a warp.
    pub operand: Option<Term>,
    /// The reduction of `bar.red`, with the register of its result.
    pub reduction: Option<(Reduction, Option<usize>)>,
    /// The exchange within a warp, if the operation is one.
    pub exchange: Option<ExchangeMicro>,
}

/// An exchange of register values within a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeMicro {
    /// The instruction.
    pub op: WarpOp,
    /// The lane of the thread.
    pub lane: Term,
    /// The lane that `shfl.sync` asks for.
    pub source: Option<Term>,
    /// The register that gets the result.
    pub register: usize,
}

/// The barrier of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The reduction of a `bar.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The number of participants whose predicate holds.
    Popc,
    /// Whether all hold.
    And,
    /// Whether one holds.
    Or,
}

/// The common parts of the accesses of one micro-operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The address of the first byte, 64 bits wide, in `space`.
    pub address: Term,
    /// The state space in which the address is resolved.
    pub space: Space,
    /// Bytes.
    pub bytes: u32,
    /// Bytes of the whole instruction's access, which determine its alignment (PTX-6.4.1).
    pub whole: u32,
    /// The offset of this element in the whole access.
    pub within: u32,
    /// The order qualifier.
    pub order: Order,
    /// The scope of strong accesses.
    pub scope: Option<Scope>,
    /// The proxy.
    pub proxy: Proxy,
    /// Marks of the events.
    pub marks: Marks,
    /// The replica of a multimem address; `None` if the instruction is no `multimem` one.
    pub replica: Option<usize>,
    /// The memory to which the instruction is confined, if any.
    pub confined: Option<Confined>,
    /// The lane of the warp that gives the address of which `within` is counted, by the
    /// [`Micro::Supply`] before; `None` if `address` is the thread's own.
    pub lane: Option<u32>,
}

impl Target {
    /// Whether threads may synchronize by the access: it is strong, or of an mbarrier.
    #[must_use]
    pub fn synchronizes(&self) -> bool {
        self.order != Order::Weak || self.marks.mbarrier
    }

    /// A weak access of so many bytes, with no marks: its alignment is its size.
    #[must_use]
    pub fn weak(
        address: Term,
        space: Space,
        bytes: u32,
        proxy: Proxy,
        confined: Option<Confined>,
    ) -> Self {
        Self {
            address,
            space,
            bytes,
            whole: bytes,
            within: 0,
            order: Order::Weak,
            scope: None,
            proxy,
            marks: Marks::default(),
            replica: None,
            confined,
            lane: None,
        }
    }
}

/// Memory to which an instruction is confined; elsewhere its access is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confined {
    /// The CTA's `.shared`, for an mbarrier operation that does not accept objects of other CTAs.
    OwnShared,
    /// `.shared`, for `st.bulk`.
    Shared,
    /// `.global`, by a rule of the instruction.
    Global(Rule),
    /// The CTA's `.shared`, by a rule of the instruction.
    Own(Rule),
    /// `.global` or the CTA's `.shared`, by a rule of the instruction.
    GlobalOrShared(Rule),
    /// `.shared` of any CTA of the cluster, by a rule of the instruction.
    AnyShared(Rule),
    /// The `.shared` of another CTA of the cluster, by a rule of the instruction.
    Other(Rule),
    /// `.shared`, where a descriptor of a matrix says; another descriptor is not understood.
    Matrix,
    /// Tensor Memory.
    TensorMemory,
}

/// Marks that some clauses depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// A half of a read-modify-write.
    pub rmw: bool,
    /// A half of a `red`.
    pub red: bool,
    /// The read of a `cas` with release semantics, which may have no write.
    pub releasing_read: bool,
    /// An operation on an mbarrier object, or the fence by which a wait acquires.
    pub mbarrier: bool,
    /// Part of an `mbarrier.init`.
    pub mbarrier_init: bool,
    /// Part of a thread's `expect_tx` or `complete_tx`, which is no arrival.
    pub mbarrier_tx: bool,
    /// A `multimem` operation.
    pub multimem: bool,
    /// `.mmio`
    pub mmio: bool,
    /// `.volatile`
    pub volatile: bool,
    /// `ld.global.nc`, `ldu`: for data that no thread writes meanwhile.
    pub non_coherent: bool,
    /// A hidden read, which the program does not have, of the bytes that a store overwrites.
    pub looks: bool,
    /// Part of a copy whose accesses are strong, in elements of 16 bytes.
    pub strong_copy: bool,
    /// A read or change of a tensor map, whose bytes are opaque to other accesses.
    pub tensor_map: bool,
}

/// An asynchronous operation before unfolding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncMicro {
    /// Its instruction without most qualifiers: `cp.async.bulk`.
    pub name: &'static str,
    /// Its effect on memory.
    pub effect: AsyncEffect,
    /// The signals of its completion.
    pub signals: Vec<Signal>,
    /// The kind of the thread's groups that it joins.
    pub group: Option<GroupKind>,
    /// The part of it that waits for its group cover.
    pub tracked: Tracked,
    /// The proxy of its accesses; signals are generic (PTX-9.7.9.25.4.1).
    pub proxy: Proxy,
    /// Whether PTX-9.7.9.25.1, a section about copies, forbids accesses to the operands before
    /// completion.
    pub is_copy: bool,
    /// The CTA of its mbarriers.
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

/// The part of an operation that the waits for its group cover (PTX-9.7.9.25.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// The whole operation.
    Whole,
    /// Its read of the tensor map; an mbarrier reports the rest.
    Map,
}

/// The CTA in which the mbarriers of an asynchronous operation have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalPlace {
    /// In the CTA of the destination.
    Destination,
    /// In the CTA of the destination or the other one of its pair, as the instruction computes.
    Pair,
}

/// The effect of an asynchronous operation on memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsyncEffect {
    /// Bytes are copied, or reduced one element after the other.
    Transfer(Box<Transfer>),
    /// The box of a tensor is copied or reduced.
    Tensor(Box<TensorTransfer>),
    /// Registers are stored, each to an element of memory.
    Store(Vec<(Target, Term)>),
    /// An answer is written, to each CTA that receives it.
    Answer(Vec<Range>, Term),
    /// A register is reduced into memory: the place, the order of the write, and its value, over
    /// [`Term::Old`].
    Update(Target, Order, Term),
    /// Matrices are multiplied.
    Product(Box<Product>),
    /// Words of Tensor Memory are loaded into registers.
    LoadColumns(Vec<(Target, usize)>),
    /// Words are stored to Tensor Memory.
    StoreColumns(Vec<(Target, Term)>),
    /// None: it reports the completion of earlier operations of the thread.
    Behind(Behind),
}

/// Bytes of one place that are copied to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The source.
    pub source: Range,
    /// The destinations, CTA by CTA.
    pub destinations: Vec<Range>,
    /// The number of bytes written.
    pub bytes: Term,
    /// The number of them from the source; the others are zero.
    pub copied: Term,
    /// The bytes of every 16 that are copied, lowest bit first.
    pub mask: Option<Term>,
    /// The number of bytes at the beginning and at the end with unknown values.
    pub open: [Term; 2],
    /// The combination of elements with those in memory, instead of a plain write.
    pub reduction: Option<Combination>,
    /// The scope of its accesses if they are strong, each of 16 bytes.
    pub strong: Option<Scope>,
}

/// The box of a tensor that an asynchronous operation copies between global and shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorTransfer {
    /// The read of the tensor map.
    pub map: Target,
    /// The place of the box.
    pub at: BoxPlace,
    /// The direction of the copy.
    pub direction: Direction,
    /// Its place in shared memory; several for a multicast.
    pub shared: Vec<Range>,
    /// The combination of elements with those of the tensor, instead of a plain write.
    pub reduction: Option<Combination>,
}

/// A product of matrices. What it gives is a stand-in for the numbers of a matrix: the sum of the
/// first words of its operands, so that it tells which of their contents were read.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The elements of a tensor in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoxPlace {
    /// The coordinates of its first element, innermost first; 32 bits, signed.
    Tile(Vec<Term>),
    /// The column where four rows begin, and the number of each row (`.tile::gather4`,
    /// `.tile::scatter4`).
    Rows(Vec<Term>),
}

impl BoxPlace {
    /// Its coordinates as written.
    #[must_use]
    pub fn coordinates(&self) -> &[Term] {
        match self {
            Self::Tile(list) | Self::Rows(list) => list,
        }
    }
}

/// The direction of the copy of a tensor's box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into shared memory.
    Load,
    /// Out of shared memory.
    Store,
}

/// The combination of an element of a reduction with the element in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Bytes of an element.
    pub bytes: u32,
    /// The value written, over [`Term::Old`] and the source's element as [`Combination::ELEMENT`].
    pub value: Term,
    /// The scope of each of the atomic operations.
    pub scope: Scope,
}

impl Combination {
    /// The register that stands for the element of the source; no thread has this many registers.
    pub const ELEMENT: usize = usize::MAX;
}

/// The first byte that an operation accesses, in a state space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The address, 64 bits wide.
    pub address: Term,
    /// The state space in which the address is resolved.
    pub space: Space,
    /// The memory to which the instruction is confined.
    pub confined: Confined,
    /// The alignment of the address.
    pub align: Align,
    /// Whether the operation accesses this range.
    pub when: Term,
    /// The replica of a multimem address; `None` if the instruction is no `multimem` one.
    pub replica: Option<usize>,
}

impl Range {
    /// A weak access to its first bytes.
    #[must_use]
    pub fn target(&self, bytes: u32, proxy: Proxy) -> Target {
        let confined = Some(self.confined.clone());
        let target = Target::weak(self.address.clone(), self.space, bytes, proxy, confined);
        let marks = Marks { multimem: self.replica.is_some(), ..target.marks };
        Target { replica: self.replica, marks, ..target }
    }
}

/// The alignment of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Align {
    /// The given number of bytes.
    Bytes(u32),
    /// The number of bytes written.
    Size,
}

/// A wait for groups of asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwaitMicro {
    /// The kind of groups.
    pub kind: GroupKind,
    /// The number of youngest groups that it does not wait for.
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

    /// The terms in it, except for those of [`Combination`].
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let mut terms = Vec::new();
        match &self.effect {
            AsyncEffect::Transfer(transfer) => {
                terms.extend([&transfer.source.address, &transfer.bytes, &transfer.copied]);
                terms.extend(transfer.destinations.iter().flat_map(|to| [&to.address, &to.when]));
                terms.extend(&transfer.mask);
                terms.extend(&transfer.open);
            }
            AsyncEffect::Update(target, _, value) => terms.extend([&target.address, value]),
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
            AsyncEffect::Answer(places, answer) => {
                terms.push(answer);
                terms.extend(places.iter().flat_map(|place| [&place.address, &place.when]));
            }
            AsyncEffect::LoadColumns(list) => {
                terms.extend(list.iter().map(|(target, _)| &target.address));
            }
            AsyncEffect::Store(list) | AsyncEffect::StoreColumns(list) => {
                terms.extend(list.iter().flat_map(|(target, value)| [&target.address, value]));
            }
            AsyncEffect::Behind(_) => {}
        }
        terms.extend(self.signals.iter().flat_map(Signal::terms));
        terms.into_iter()
    }
}

/// The update of an mbarrier by a complete asynchronous operation (PTX-8.9.1.1): one step, with no
/// event of its thread in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The object.
    pub target: Target,
    /// The new value, over the old one as [`Term::Old`].
    pub value: Term,
    /// Release, except under a reading of `st.async`.
    pub order: Order,
    /// The requirements on the old value.
    pub requires: Vec<(Term, Rule)>,
    /// Whether a wait for the preceding phase is required, as for an arrival; a transaction
    /// requires none.
    pub needs_wait: bool,
    /// The index of the operation's destination that it reports.
    pub destination: usize,
    /// Whether the operation accesses that destination.
    pub when: Term,
}

/// The kinds of [`Signal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// `complete_tx` of so many bytes.
    Bytes(Term),
    /// An arrival.
    Arrival,
}

impl Signal {
    /// The terms in it.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let required = self.requires.iter().map(|(term, _)| term);
        [&self.target.address, &self.value, &self.when].into_iter().chain(required)
    }
}
