//! Readings of the standard into one-line descriptions, as listed by `ptxmc model`, with weights.

use Weight::{Default, Letter, Open, Remote};

/// The support in the standard for a reading other than the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The default reading.
    Default,
    /// The text supports the reading as well as the default.
    Open,
    /// The wording of a sentence supports the reading; other text, examples or devices contradict it.
    Letter,
    /// The text hardly supports the reading; other models choose it.
    Remote,
}

impl Weight {
    /// The word for the weight in reports and in `paper-notes/readings.md`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Default => "default",
            Open => "open",
            Letter => "letter",
            Remote => "remote",
        }
    }
}

/// The choice that a reading makes; `None` for readings of user-defined models. Descriptions of readings
/// for programs name the default.
#[must_use]
pub fn description(reading: &str) -> Option<&'static str> {
    LINES.iter().find(|(name, ..)| *name == reading).map(|(.., line)| *line)
}

/// The weight of a reading; [`Open`] for readings of user-defined models.
#[must_use]
pub fn weight(reading: &str) -> Weight {
    LINES.iter().find(|(name, ..)| *name == reading).map_or(Open, |(_, weight, _)| *weight)
}

/// All readings; `paper-notes/readings.md` has the arguments under the numbers.
const LINES: &[(&str, Weight, &str)] = &[
    ("acq-fence=acquire-only", Letter, "only acquire fences end acquire patterns (V21)"),
    ("alias-overlap=virtual", Letter, "races are between accesses that overlap virtually (V3)"),
    (
        "async-release=own",
        Remote,
        "an asynchronous release covers what its own operation does only (V16)",
    ),
    (
        "async-ub=causality",
        Letter,
        "what causality orders is apart from a copy, whatever happened (V52)",
    ),
    ("barrier=own-accesses", Letter, "barriers order only what their participants access (V13)"),
    ("co=total", Remote, "coherence relates all writes to a location (V8)"),
    ("commit-release=history", Open, "`tcgen05.commit` releases what its thread did before (V37)"),
    (
        "commit-reuse=none",
        Letter,
        "waits promise nothing of what precedes a `tcgen05.commit` (V58)",
    ),
    ("dsmem=unchecked", Remote, "the shared memory of every CTA of a cluster is always there"),
    ("fence-proxy=required", Remote, "a fence is morally strong with nothing (V4)"),
    (
        "fence-sc=causality",
        Letter,
        "Fence-SC speaks of causality order, not of base causality (V6)",
    ),
    (
        "mbarrier-arrive=acquires",
        Remote,
        "the read of an arrival may start an acquire pattern (V34)",
    ),
    (
        "mbarrier-reuse=any-proxy",
        Letter,
        "waits on mbarriers hold back accesses through every proxy (V38)",
    ),
    (
        "mbarrier-reuse=cta",
        Open,
        "waits on mbarriers hold back what is behind them in their CTA only",
    ),
    ("nta=syntactic", Letter, "dependencies are what the registers mention (V9)"),
    ("nta=value", Remote, "dependencies are the flow of values only (V9)"),
    ("observation=no-red", Remote, "no `red` carries an observation on (V11)"),
    ("observes=any-byte", Remote, "one byte of a write is enough to observe it (V25)"),
    ("one-way=alone", Letter, "a one-way proxy fence counts without its partner, too (V44)"),
    ("pattern-ends=any", Remote, "the ends of patterns need not be morally strong (V19)"),
    ("pdl-fence=none", Letter, "a release fence before launch_dependents orders nothing (V51)"),
    ("pattern-location=physical", Letter, "a pattern may go through an alias (V20)"),
    ("proxy-fence-cta=any", Open, "a proxy fence counts in any CTA (V14)"),
    ("red-acq=yes", Remote, "the read of a `red` may start an acquire pattern"),
    ("restricted-fence=path", Open, "a fence's restriction speaks of the last access only (V27)"),
    ("rmw=8.10.3", Remote, "only the axiom of atomicity speaks of atomics of one size (V33)"),
    ("sc-fence=not-acq-rel", Letter, "`fence.sc` heads and ends no patterns (V18)"),
    ("scloc=pairwise", Open, "SC-per-location concerns pairwise morally strong sets (V7)"),
    (
        "tensormap-acquire=alone",
        Open,
        "the acquire fence of a tensor map needs no release fence (V56)",
    ),
    (
        "tcgen-fence=text",
        Letter,
        "a before-fence of the tensor cores orders all operations before it (V49)",
    ),
    (
        "tcgen05-sync=fences",
        Open,
        "operations of the tensor cores are ordered by their own fences alone (V48)",
    ),
    ("warp-sync=none", Letter, "`bar.warp.sync` orders no memory accesses (V12)"),
    (
        "wgmma-issue=ordered",
        Open,
        "a product of a warpgroup comes behind all that its threads did before (V55)",
    ),
    ("tearing=overlap", Default, "accesses tear only where one overlaps them in part (V10)"),
    ("tearing=byte", Letter, "every access may tear at every byte (V10)"),
    ("vector=ordered", Default, "the execution orders the elements of a vector (V1)"),
    ("vector=unordered", Open, "the elements of a vector have no order (V1)"),
    ("vector=whole", Remote, "a vector of up to 16 bytes is one operation (V1)"),
    ("b128=whole", Default, "a 128-bit access is one operation (V2)"),
    ("b128=halves", Letter, "a 128-bit load or store is two operations (V2)"),
    ("failing-cas=nothing", Default, "a compare-and-swap that fails writes nothing (V5)"),
    ("failing-cas=writes", Letter, "a compare-and-swap that fails writes the old value (V5)"),
    ("sink-atom=atom", Default, "`atom` without a destination is an atomic"),
    ("sink-atom=red", Open, "`atom` without a destination is a `red`"),
    ("mixed-race=program", Default, "a mixed-size race voids the program (V24)"),
    ("mixed-race=execution", Remote, "a mixed-size race voids the executions that have it (V24)"),
    (
        "early-arrival=undefined",
        Default,
        "an arrival needs a wait that has succeeded for the phase before",
    ),
    ("early-arrival=unchecked", Open, "it needs none"),
    ("async-agent=owner", Default, "the owner of an mbarrier performs signals on it"),
    (
        "async-agent=issuer",
        Letter,
        "the thread that issues an operation performs its signals (V30)",
    ),
    ("async-block=owner", Default, "the CTA that owns memory performs asynchronous accesses to it"),
    (
        "async-block=issuer",
        Letter,
        "the CTA of the thread that issues an operation performs its accesses (V30)",
    ),
    ("multicast=part", Default, "each copy of a multicast completes by itself"),
    ("multicast=whole", Remote, "a multicast completes as a whole (V36)"),
    ("read-completion=fence", Default, "the end of its reads implies a proxy fence, too"),
    ("read-completion=no-fence", Letter, "the end of its reads implies no proxy fence (V43)"),
    ("fence-space=object", Default, "a proxy fence for a space is one for what lies there"),
    (
        "fence-space=literal",
        Letter,
        "a proxy fence for `.shared::cluster` is none for memory of its own CTA (V40)",
    ),
    ("st-async-signal=release", Default, "the signal of `st.async` releases"),
    ("st-async-signal=relaxed", Remote, "the signal of `st.async` is relaxed (V47)"),
    ("tcgen05-completion=fence", Default, "the completion of a product is a proxy fence, too"),
    (
        "tcgen05-completion=no-fence",
        Letter,
        "the completion of a product of the fifth generation is no proxy fence (V45)",
    ),
];
