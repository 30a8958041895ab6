//! Readings of the standard that decide what an instruction does, what a program's race voids or
//! which of its accesses are undefined, and so concern programs, not models.

/// How the accesses of a program are read; the default is the tool's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// The elements of a vector access (reading V1).
    pub vector: VectorReading,
    /// The orders of the elements of a vector that are looked at where there are too many for all; no
    /// reading of the standard, but part of how a verdict is found.
    pub long_vectors: LongVectors,
    /// The results of instructions that are not followed; no reading of the standard, but part of how a
    /// verdict is found.
    pub results: UnknownResults,
    /// 128-bit loads and stores (reading V2).
    pub wide: WideReading,
    /// A compare-and-swap that fails (reading V5).
    pub failing_cas: FailingCas,
    /// An `atom` whose destination is `_`.
    pub sink_atom: SinkAtom,
    /// What a mixed-size race voids (reading V24).
    pub mixed_race: MixedRace,
    /// Whether accesses to the shared memory of other CTAs are checked.
    pub dsmem: Dsmem,
    /// What an arrival at an mbarrier is before anybody has waited for the phase before.
    pub early_arrival: EarlyArrival,
    /// Asynchronous operations.
    pub asynchronous: AsyncReadings,
}

/// How asynchronous operations are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsyncReadings {
    /// Who performs signals (reading V30).
    pub signals: Performer,
    /// Who performs other accesses (reading V39).
    pub accesses: Performer,
    /// What a signal of a multicast tells of (reading V36).
    pub multicast: MulticastSignal,
    /// Whether the end of reads is a proxy fence for them (reading V43).
    pub reads: ReadCompletion,
    /// What proxy fences for a state space cover (reading V40).
    pub spaces: FenceSpace,
    /// What the signal of `st.async` releases (reading V47).
    pub stored: StoreSignal,
    /// Whether the completion of an operation of the tensor cores is a proxy fence for its reads of shared
    /// memory (reading V45).
    pub tensor: TensorCompletion,
}

/// Which CTA an asynchronous access to shared memory belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Performer {
    /// That of the issuing thread, and the owner of the memory.
    #[default]
    Owner,
    /// That of the issuing thread alone.
    Issuer,
}

/// What the signal at one destination of a multicast tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MulticastSignal {
    /// That destination.
    #[default]
    Part,
    /// All of them.
    Whole,
}

/// Whether the end of an operation's reads is a proxy fence for these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadCompletion {
    /// It is.
    #[default]
    Fence,
    /// It is none.
    NoFence,
}

/// Whether the completion of an operation of the tensor cores of the fifth generation is a proxy fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TensorCompletion {
    /// It is, for what the operation reads of shared memory.
    #[default]
    Fence,
    /// It is none.
    NoFence,
}

/// What a proxy fence for `.shared::cluster` covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FenceSpace {
    /// The memory of all CTAs of the cluster.
    #[default]
    Object,
    /// That of the others.
    Literal,
}

/// What the signal of `st.async` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreSignal {
    /// A release.
    #[default]
    Release,
    /// Relaxed.
    Relaxed,
}

/// What the elements of a vector are to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VectorReading {
    /// Operations in an order that the execution chooses.
    #[default]
    Ordered,
    /// Operations without any order.
    Unordered,
    /// One operation, for vectors of up to 16 bytes that are loaded or stored.
    Whole,
}

/// What instructions give that only compute registers and are outside of the subset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownResults {
    /// What nobody knows: the program leaves the model where it matters.
    #[default]
    Opaque,
    /// Whatever the execution chooses: what no such execution does, none of the program does.
    Any,
}

/// The orders that are looked at among more elements than all orders can be looked at of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongVectors {
    /// One order.
    #[default]
    OneOrder,
    /// None at all.
    NoOrder,
}

/// What a 128-bit load or store is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WideReading {
    /// One operation.
    #[default]
    Whole,
    /// A vector of two 64-bit operations.
    Halves,
}

/// What a compare-and-swap that fails writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailingCas {
    /// Nothing.
    #[default]
    Nothing,
    /// The value that it has read.
    Old,
}

/// What an `atom` without a destination is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SinkAtom {
    /// An `atom`.
    #[default]
    Atom,
    /// A `red`.
    Red,
}

/// What a mixed-size race voids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MixedRace {
    /// The axioms for the whole program.
    #[default]
    Program,
    /// The executions in which it happens.
    Execution,
}

/// What is asked of an access to the shared memory of another CTA of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dsmem {
    /// That the CTA surely lives.
    #[default]
    Live,
    /// Nothing.
    Unchecked,
}

/// What an arrival at an mbarrier is in a phase before which no wait has succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EarlyArrival {
    /// Undefined.
    #[default]
    Undefined,
    /// An arrival as any other.
    Unchecked,
}

impl Readings {
    /// The names of the readings, each with its values; the first is the default.
    pub const NAMES: &[(&str, &[&str])] = &[
        ("vector", &["ordered", "unordered", "whole"]),
        ("b128", &["whole", "halves"]),
        ("failing-cas", &["nothing", "writes"]),
        ("sink-atom", &["atom", "red"]),
        ("mixed-race", &["program", "execution"]),
        ("dsmem", &["live", "unchecked"]),
        ("early-arrival", &["undefined", "unchecked"]),
        ("async-agent", &["owner", "issuer"]),
        ("async-block", &["owner", "issuer"]),
        ("multicast", &["part", "whole"]),
        ("read-completion", &["fence", "no-fence"]),
        ("fence-space", &["object", "literal"]),
        ("st-async-signal", &["release", "relaxed"]),
        ("tcgen05-completion", &["fence", "no-fence"]),
    ];

    /// Chooses a reading; `None` when no reading has this name and value.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Option<Self> {
        match (name, value) {
            ("vector", "ordered") => self.vector = VectorReading::Ordered,
            ("vector", "unordered") => self.vector = VectorReading::Unordered,
            ("vector", "whole") => self.vector = VectorReading::Whole,
            ("b128", "whole") => self.wide = WideReading::Whole,
            ("b128", "halves") => self.wide = WideReading::Halves,
            ("failing-cas", "nothing") => self.failing_cas = FailingCas::Nothing,
            ("failing-cas", "writes") => self.failing_cas = FailingCas::Old,
            ("sink-atom", "atom") => self.sink_atom = SinkAtom::Atom,
            ("sink-atom", "red") => self.sink_atom = SinkAtom::Red,
            ("mixed-race", "program") => self.mixed_race = MixedRace::Program,
            ("mixed-race", "execution") => self.mixed_race = MixedRace::Execution,
            ("dsmem", "live") => self.dsmem = Dsmem::Live,
            ("dsmem", "unchecked") => self.dsmem = Dsmem::Unchecked,
            ("early-arrival", "undefined") => self.early_arrival = EarlyArrival::Undefined,
            ("early-arrival", "unchecked") => self.early_arrival = EarlyArrival::Unchecked,
            _ => self.asynchronous = self.asynchronous.with(name, value)?,
        }
        Some(self)
    }
}

impl AsyncReadings {
    fn with(mut self, name: &str, value: &str) -> Option<Self> {
        match (name, value) {
            ("async-agent", "owner") => self.signals = Performer::Owner,
            ("async-agent", "issuer") => self.signals = Performer::Issuer,
            ("async-block", "owner") => self.accesses = Performer::Owner,
            ("async-block", "issuer") => self.accesses = Performer::Issuer,
            ("multicast", "part") => self.multicast = MulticastSignal::Part,
            ("multicast", "whole") => self.multicast = MulticastSignal::Whole,
            ("read-completion", "fence") => self.reads = ReadCompletion::Fence,
            ("read-completion", "no-fence") => self.reads = ReadCompletion::NoFence,
            ("fence-space", "object") => self.spaces = FenceSpace::Object,
            ("fence-space", "literal") => self.spaces = FenceSpace::Literal,
            ("st-async-signal", "release") => self.stored = StoreSignal::Release,
            ("st-async-signal", "relaxed") => self.stored = StoreSignal::Relaxed,
            ("tcgen05-completion", "fence") => self.tensor = TensorCompletion::Fence,
            ("tcgen05-completion", "no-fence") => self.tensor = TensorCompletion::NoFence,
            _ => return None,
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_reading_can_be_chosen() {
        for (name, values) in Readings::NAMES {
            let chosen: Vec<_> =
                values.iter().map(|value| Readings::default().with(name, value)).collect();
            assert_eq!(chosen[0], Some(Readings::default()), "{name}");
            assert!(chosen[1..].iter().all(|c| c.is_some_and(|c| c != Readings::default())));
        }
        assert_eq!(Readings::default().with("vector", "sideways"), None);
    }
}
