//! The vocabulary between programs and models: base sets and base relations over events.
//!
//! Programs define them, models refer to them, and neither depends on the other. Every entry tells
//! whether a program *gives* the set or relation, an execution *chooses* it, or values decide it.

/// Whether an expression denotes a set of events or a relation over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A set of events.
    Set,
    /// A binary relation over events.
    Relation,
}

/// The origin of the contents of a base relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Fixed by the program (its edges hold whenever both ends execute, or under a guard).
    Given,
    /// Part of an execution's choices.
    Chosen,
    /// Given for some pairs by the program; the execution's values decide others.
    Conditional,
}

macro_rules! base_sets {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $(| $alias:literal)* @ $section:literal),* $(,)?) => {
        /// A base set of events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BaseSet { $($(#[$doc])* $variant),* }

        impl BaseSet {
            /// All base sets, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// The main name in models.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
            /// Other names in models.
            #[must_use]
            pub fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($alias),*]),* }
            }
            /// The section of the standard that defines the set; empty for names of a dialect.
            #[must_use]
            pub fn section(self) -> &'static str {
                match self { $(Self::$variant => $section),* }
            }
            /// The index in [`Self::ALL`].
            #[must_use]
            pub fn index(self) -> usize { self as usize }
            /// The set known under `name`, aliases included.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|s| s.name() == name || s.aliases().contains(&name))
            }
        }
    };
}

macro_rules! base_relations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $(| $alias:literal)* , $origin:ident @ $section:literal),* $(,)?) => {
        /// A base relation over events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BaseRel { $($(#[$doc])* $variant),* }

        impl BaseRel {
            /// All base relations, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// The main name in models.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
            /// Other names in models.
            #[must_use]
            pub fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($alias),*]),* }
            }
            /// The origin of the relation's contents.
            #[must_use]
            pub fn origin(self) -> Origin {
                match self { $(Self::$variant => Origin::$origin),* }
            }
            /// The section of the standard that defines the relation; empty for names of a dialect.
            #[must_use]
            pub fn section(self) -> &'static str {
                match self { $(Self::$variant => $section),* }
            }
            /// The index in [`Self::ALL`].
            #[must_use]
            pub fn index(self) -> usize { self as usize }
            /// The relation known under `name`, aliases included.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|r| r.name() == name || r.aliases().contains(&name))
            }
        }
    };
}

base_sets! {
    /// Every event.
    All = "_" | "E" @ "PTX-8.2",
    /// Reads: loads and the read half of read-modify-writes.
    Read = "R" @ "PTX-8.4",
    /// Writes that happen, initial writes included; a failing compare-and-swap has none.
    Write = "W" @ "PTX-8.4",
    /// Memory accesses.
    Memory = "M" @ "PTX-8.4",
    /// Initial writes.
    InitialWrite = "IW" | "I" @ "PTX-8.2.6",
    /// Events other than memory accesses: fences, barriers, and the issues, waits and completions
    /// of asynchronous operations and tasks.
    Fence = "F" @ "PTX-8.4",
    /// Proxy fences, completions of asynchronous operations that act as one included.
    ProxyFence = "PF" @ "PTX-8.6",
    /// Barrier operations of CTAs, clusters and warps.
    Barrier = "B" | "BAR" @ "PTX-9.7.13.1",
    /// Barrier operations that only arrive.
    Arrive = "ARRIVE" @ "PTX-9.7.13.1",
    /// Operations that only arrive, at barriers of CTAs that their own warp completes.
    Lone = "LONE" @ "PTX-9.7.13.1",
    /// Both halves of read-modify-writes.
    Rmw = "RMW" @ "PTX-8.4",
    /// Both halves of `red` operations.
    Red = "RED" @ "PTX-8.8",
    /// Weak accesses (initial writes have no order tag at all).
    Weak = "WEAK" @ "PTX-8.4",
    /// Relaxed accesses, and the relaxed half of a read-modify-write.
    Relaxed = "RLX" @ "PTX-8.4",
    /// Acquire reads and `fence.acquire`; the read of `atom.acquire` and `atom.acq_rel`.
    Acquire = "ACQ" @ "PTX-8.4",
    /// Release writes and `fence.release`; the write of `atom.release` and `atom.acq_rel`; the read
    /// of a `cas` with `.release` or `.acq_rel`, which may have no write.
    Release = "REL" @ "PTX-8.4",
    /// `fence.acq_rel`.
    AcqRel = "ACQ_REL" @ "PTX-8.4",
    /// `fence.sc`.
    Sc = "SC" @ "PTX-8.4",
    /// Operations of scope `.cta`.
    ScopeCta = "CTA" @ "PTX-8.5",
    /// Operations of scope `.cluster`.
    ScopeCluster = "CLUSTER" @ "PTX-8.5",
    /// Operations of scope `.gpu`.
    ScopeGpu = "GPU" @ "PTX-8.5",
    /// Operations of scope `.sys`.
    ScopeSys = "SYS" @ "PTX-8.5",
    /// Generic-proxy operations; thread fences count as generic.
    Generic = "GEN" @ "PTX-8.6",
    /// Texture-proxy operations and their proxy fences (research models).
    Texture = "TEX" @ "PTX-8.6",
    /// Surface-proxy operations and their proxy fences (research models).
    Surface = "SUR" @ "PTX-8.6",
    /// Constant-proxy operations and their proxy fences (research models).
    Constant = "CON" @ "PTX-8.6",
    /// Accesses through the async proxy.
    Async = "ASYNC" @ "PTX-8.6",
    /// Reads of tensor maps by tensor copies.
    Tensormap = "TMAP" @ "PTX-8.6",
    /// `fence.proxy.alias`.
    Alias = "ALIAS" @ "PTX-8.6",
    /// Operations of host threads.
    Host = "HOST" @ "PTX-8.5",
    /// Operations on mbarrier objects, and the fence by which a wait on one acquires.
    Mbarrier = "MBAR" @ "PTX-9.7.13.15",
    /// Accesses to the shared memory of another CTA.
    Peer = "PEER" @ "PTX-2.2.2",
    /// Events of asynchronous operations, which belong to no thread.
    Agent = "AGENT" @ "PTX-8.9.1.1",
    /// The issue of asynchronous operations.
    Issue = "ISSUE" @ "PTX-8.9.1.1",
    /// Waits for groups of asynchronous operations.
    Await = "AWAIT" @ "PTX-9.7.9.25.2.1",
    /// Operations on mbarriers by which asynchronous operations report their completion.
    Signal = "SIGNAL" @ "PTX-8.9.1.1",
    /// Completions of asynchronous operations, or of parts of them.
    Complete = "COMPLETE" @ "PTX-8.9.1.1",
    /// Accesses of copies, whose operands no other access may touch meanwhile.
    Copy = "COPY" @ "PTX-9.7.9.25.1",
    /// Proxy fences from the generic to the async proxy.
    ToAsync = "G2A" @ "PTX-9.7.13.4",
    /// One-way proxy fences from the generic to the async proxy for reads of their thread alone.
    ForReads = "READS" @ "PTX-9.7.13.4",
    /// Proxy fences from the async to the generic proxy, those that completions imply included.
    FromAsync = "A2G" @ "PTX-9.7.13.4",
    /// Proxy fences from the generic to the tensormap proxy.
    ToTensormap = "G2T" @ "PTX-9.7.13.4",
    /// `wgmma.fence`, behind which products of the warpgroup are performed.
    WarpgroupFence = "WGFENCE" @ "PTX-9.7.15.7",
    /// Accesses to Tensor Memory.
    TensorMemory = "TMEM" @ "PTX-9.7.16.1",
    /// `tcgen05.fence::before_thread_sync`.
    BeforeThreadSync = "TCBEFORE" @ "PTX-9.7.16.11",
    /// `tcgen05.fence::after_thread_sync`.
    AfterThreadSync = "TCAFTER" @ "PTX-9.7.16.11",
    /// The arrivals of `tcgen05.commit`.
    Committed = "TCCOMMIT" @ "PTX-9.7.16.12",
    /// What `tcgen05.dealloc` does to columns of Tensor Memory.
    Freed = "FREED" @ "PTX-9.7.16.7",
}

base_relations! {
    /// Program order: total over the events of one thread, empty within one access.
    Po = "po", Given @ "PTX-8.9.1",
    /// Identity.
    Id = "id", Given @ "",
    /// Physical overlap of two accesses' pieces (memory events only; reflexive).
    Loc = "loc" | "ovl", Given @ "PTX-8.2.1",
    /// Overlap at the same virtual addresses.
    Vloc = "vloc" | "vovl", Given @ "PTX-8.2.2",
    /// Complete overlap of two accesses: the same virtual and physical bytes.
    Same = "same", Given @ "PTX-8.2.1",
    /// Overlap of a write and another access that do not cover the same bytes; initial writes are in
    /// no pair.
    Partial = "partial", Given @ "PTX-8.2.1",
    /// Same access: pieces of one access, reflexive on all events.
    SameAccess = "sa", Given @ "PTX-8.2.4",
    /// Same thread (reflexive; initial writes are each on their own).
    Internal = "int", Given @ "",
    /// Different threads.
    External = "ext", Given @ "",
    /// From the read to the write of one read-modify-write.
    Rmw = "rmw" | "amo", Given @ "PTX-8.4",
    /// Address dependency, syntactic.
    Addr = "addr", Given @ "PTX-8.10.4",
    /// Data dependency, syntactic.
    Data = "data", Given @ "PTX-8.10.4",
    /// Control dependency, syntactic.
    Ctrl = "ctrl", Given @ "PTX-8.10.4",
    /// Dependency that survives simplification, read-modify-writes included.
    Dep = "dep", Given @ "PTX-8.10.4",
    /// The value part of `dep` alone.
    ValueDep = "valuedep", Given @ "PTX-8.10.4",
    /// The scope of the first operation includes the second's thread.
    Includes = "incl", Given @ "PTX-8.5",
    /// Each operation's scope includes the other's thread.
    SameScope = "sr", Given @ "PTX-8.5",
    /// Both in one CTA.
    SameCta = "scta", Given @ "PTX-8.5",
    /// Both in one cluster.
    SameCluster = "scluster", Given @ "PTX-8.5",
    /// Both on one GPU.
    SameGpu = "sgpu", Given @ "PTX-8.5",
    /// Program order between a restricted fence and the accesses that it does not cover, on either
    /// side.
    Uncovered = "uncovered", Given @ "PTX-9.7.13.4",
    /// From the issue of an asynchronous operation to its events.
    Issue = "issue", Given @ "PTX-8.9.1.1",
    /// From the events of a warpgroup's threads that issue a product to its accesses, which come behind
    /// fences and not behind these.
    JointIssue = "joint-issue", Given @ "PTX-8.9.1.1",
    /// Between accesses to Tensor Memory of operations that one thread issues in this order and that make a
    /// pipeline.
    Pipe = "pipe", Given @ "PTX-9.7.16.6.2",
    /// As `pipe`, of any threads in any order.
    Pipelinable = "pipelinable", Given @ "PTX-9.7.16.6.2",
    /// Same asynchronous operation: its events and its issue (reflexive).
    SameOperation = "sop", Given @ "PTX-8.9.1.1",
    /// Accesses of two `cp.async` of one group.
    SameGroup = "same-group", Given @ "PTX-9.7.9.25.3.2",
    /// From proxy fences and completions to the accesses that they cover.
    Covers = "covers", Given @ "PTX-9.7.13.4",
    /// Order inside one asynchronous operation, and between operations of which one waits for
    /// another.
    Intra = "intra", Given @ "PTX-8.9.1.1",
    /// From the completion of an asynchronous operation, or of its reads, to a wait for its group.
    Done = "done", Conditional @ "PTX-8.9.1.1",
    /// From `barrier.cluster.arrive` to the matching waits.
    ClusterSync = "clustersync", Chosen @ "PTX-8.9.4",
    /// From an arrival on an mbarrier with release semantics to another thread's wait that finds
    /// the arrival's phase complete.
    Phase = "phase", Conditional @ "PTX-9.7.13.15",
    /// As `phase`, from all arrivals and signals to waits that return true.
    PhaseAny = "phase-any", Conditional @ "PTX-9.7.13.15",
    /// Between the participants of one `bar.warp.sync`.
    WarpSync = "warpsync", Chosen @ "PTX-9.7.13.2",
    /// Between the participants of one exchange of register values within a warp, which wait for
    /// each other. This order in time orders no memory operations.
    Exchange = "exchange", Chosen @ "PTX-9.7.13.9",
    /// To barrier operations that wait for a thread, from the reads that decide whether the thread
    /// arrives. To operations, and events of tasks, that wait for the end of the thread, also from
    /// the thread's barrier operations, and from the reads that decide whether the thread reaches
    /// these or leaves a loop.
    Awaited = "awaited", Conditional @ "PTX-9.7.13.1",
    /// To a barrier operation that waits for its warp, from the participating operation of another
    /// thread of the warp. The latter has begun, but need not be complete.
    Begun = "begun", Given @ "PTX-9.7.13.1",
    /// To a barrier operation that waits for the end of a thread, from all events of the thread.
    /// The thread's end orders nothing else in this order in time.
    Ended = "ended", Given @ "PTX-9.7.13.1",
    /// From an operation that only arrives, at a barrier of a CTA that other warps have to complete, to
    /// later operations of its thread there.
    Returns = "returns", Given @ "PTX-9.7.13.1",
    /// Between operations of two threads at one barrier of a CTA that ask for different numbers of
    /// threads.
    OtherCount = "other-count", Conditional @ "PTX-9.7.13.1",
    /// API synchronization: streams, events, kernel boundaries, programmatic dependent launch.
    Api = "api", Given @ "PTX-8.9.4",
    /// From `griddepcontrol.launch_dependents` to the events of tasks that it lets start early.
    Launch = "launch", Given @ "PTX-9.7.13.13",
    /// To accesses to the shared memory of another CTA, from the events of that CTA's threads.
    Peer = "peer", Given @ "PTX-2.2.2",
    /// Reads-from: each executed read piece from one write piece.
    Rf = "rf", Chosen @ "PTX-8.9.2",
    /// Coherence: a strict partial order of the writes of each location, initial write first.
    Co = "co", Chosen @ "PTX-8.9.6",
    /// Fence-SC order: acyclic; holds every pair of `fence.sc` with mutual scope, in one direction,
    /// and no other pair.
    FenceSc = "sc" | "sync_fence", Chosen @ "PTX-8.9.3",
    /// From each arrival to each waiting participant of one completed barrier generation.
    BarrierSync = "syncbar", Chosen @ "PTX-8.9.4",
}

impl BaseRel {
    /// The relations between operations that meet at barriers: those of CTAs, of warps and of
    /// clusters, and exchanges within warps.
    pub const BARRIERS: [Self; 4] =
        [Self::BarrierSync, Self::WarpSync, Self::ClusterSync, Self::Exchange];

    /// The relations some of whose pairs depend on values.
    pub const CONDITIONAL: [Self; 5] =
        [Self::Phase, Self::PhaseAny, Self::Awaited, Self::OtherCount, Self::Done];

    /// The index of the relation in [`Self::BARRIERS`].
    #[must_use]
    pub fn kind_of_barrier(self) -> Option<usize> {
        Self::BARRIERS.iter().position(|&kind| kind == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = Vec::new();
        names.extend(
            BaseSet::ALL
                .iter()
                .flat_map(|s| [s.name()].into_iter().chain(s.aliases().iter().copied())),
        );
        names.extend(
            BaseRel::ALL
                .iter()
                .flat_map(|r| [r.name()].into_iter().chain(r.aliases().iter().copied())),
        );
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
