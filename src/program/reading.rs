//! Readings of the standard that concern programs instead of models. They cover the effects of
//! instructions, the consequences of a program's races, and undefined accesses.

/// The readings for a program; the default is the tool's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readings {
    /// The elements of a vector access (reading V1).
    pub vector: VectorReading,
    /// The orders of the elements of a vector with too many elements for all orders. No reading of
    /// the standard, but a part of the checking method.
    pub long_vectors: LongVectors,
    /// The results of uninterpreted instructions; no reading of the standard, but a part of how a
    /// verdict is found.
    pub results: UnknownResults,
    /// 128-bit loads and stores (reading V2).
    pub wide: WideReading,
    /// A compare-and-swap that fails (reading V5).
    pub failing_cas: FailingCas,
    /// An `atom` whose destination is `_`.
    pub sink_atom: SinkAtom,
    /// The effect of a mixed-size race (reading V24).
    pub mixed_race: MixedRace,
    /// An arrival at an mbarrier before any wait for the preceding phase has succeeded.
    pub early_arrival: EarlyArrival,
    /// Asynchronous operations.
    pub asynchronous: AsyncReadings,
    /// The version of the ISA whose instructions the model is about; no reading of the standard.
    pub edition: Edition,
}

/// A version of the ISA, as far as instructions of one form do different things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// Elements of bulk reductions have the scope of the device, and the last arrival that an mbarrier
    /// expects may be dropped.
    #[default]
    Ptx92,
    /// Elements of bulk reductions without a scope have that of the system (from 9.3 on), and an mbarrier
    /// expects an arrival at least (from 9.4 on).
    Ptx94,
}

/// The readings for asynchronous operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsyncReadings {
    /// The CTA that performs signals (reading V30).
    pub signals: Performer,
    /// The CTA that performs other accesses (reading V39).
    pub accesses: Performer,
    /// The completion that a signal of a multicast reports (reading V36).
    pub multicast: MulticastSignal,
    /// Whether the end of reads is a proxy fence for them (reading V43).
    pub reads: ReadCompletion,
    /// The memory that proxy fences for a state space cover (reading V40).
    pub spaces: FenceSpace,
    /// The order of the signal of `st.async` (reading V47).
    pub stored: StoreSignal,
    /// Whether the completion of an operation of the tensor cores is a proxy fence for its reads of shared
    /// memory (reading V45).
    pub tensor: TensorCompletion,
}

/// The CTA to which an asynchronous access to shared memory belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Performer {
    /// Both the CTA of the issuing thread and the owner of the memory.
    #[default]
    Owner,
    /// Only the CTA of the issuing thread.
    Issuer,
}

/// The completion that the signal at one destination of a multicast reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MulticastSignal {
    /// The completion of the signal's own destination.
    #[default]
    Part,
    /// The completion of all destinations.
    Whole,
}

/// Whether the end of an operation's reads is a proxy fence for those reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadCompletion {
    /// The end is a proxy fence.
    #[default]
    Fence,
    /// The end is no proxy fence.
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

/// The memory that a proxy fence for `.shared::cluster` covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FenceSpace {
    /// The memory of all CTAs of the cluster.
    #[default]
    Object,
    /// The memory of the other CTAs of the cluster.
    Literal,
}

/// The order of the signal of `st.async`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreSignal {
    /// A release.
    #[default]
    Release,
    /// Relaxed.
    Relaxed,
}

/// The relation between the elements of a vector.
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

/// The results of instructions outside the subset that only compute registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownResults {
    /// Unknown values: the program leaves the model if they matter.
    #[default]
    Opaque,
    /// Any value that the execution chooses: an over-approximation of the program.
    Any,
}

/// The orders that are explored for vectors with too many elements for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongVectors {
    /// One order.
    #[default]
    OneOrder,
    /// None: the elements are unordered.
    NoOrder,
}

/// The accesses of a 128-bit load or store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WideReading {
    /// One operation.
    #[default]
    Whole,
    /// A vector of two 64-bit operations.
    Halves,
}

/// The write of a compare-and-swap that fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailingCas {
    /// Nothing.
    #[default]
    Nothing,
    /// The value that it has read.
    Old,
}

/// The kind of an `atom` without a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SinkAtom {
    /// An `atom`.
    #[default]
    Atom,
    /// A `red`.
    Red,
}

/// The consequence of a mixed-size race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MixedRace {
    /// The race voids the axioms for the whole program.
    #[default]
    Program,
    /// The race makes only the executions with the race undefined.
    Execution,
}

/// An arrival at an mbarrier in a phase before which no wait has succeeded.
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
        ("early-arrival", &["undefined", "unchecked"]),
        ("async-agent", &["owner", "issuer"]),
        ("async-block", &["owner", "issuer"]),
        ("multicast", &["part", "whole"]),
        ("read-completion", &["fence", "no-fence"]),
        ("fence-space", &["object", "literal"]),
        ("st-async-signal", &["release", "relaxed"]),
        ("tcgen05-completion", &["fence", "no-fence"]),
    ];

    /// Chooses a reading; `None` if no reading has this name and value.
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
