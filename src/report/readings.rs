//! Readings of the standard in a line each, as `ptxmc model` lists them.

/// What a reading chooses; `None` for one that no built-in model or program has. The default of a
/// reading that concerns programs says so.
#[must_use]
pub fn description(reading: &str) -> Option<&'static str> {
    LINES.iter().find(|(name, _)| *name == reading).map(|(_, line)| *line)
}

/// Each reading; `paper-notes/readings.md` has the reasons under the numbers.
const LINES: &[(&str, &str)] = &[
    ("acq-fence=acquire-only", "only acquire fences end acquire patterns (V21)"),
    ("alias-overlap=virtual", "races are between accesses that overlap virtually (V3)"),
    ("async-release=own", "an asynchronous release covers what its own operation does only (V45)"),
    ("async-ub=causality", "what causality orders is apart from a copy, whatever happened (V44)"),
    ("barrier=own-accesses", "barriers order only what their participants access (V13)"),
    ("co=total", "coherence relates all writes to a location (V8)"),
    ("fence-proxy=required", "a fence is morally strong with nothing (V4)"),
    ("fence-sc=causality", "Fence-SC speaks of causality order, not of base causality (V6)"),
    ("mbarrier-arrive=acquires", "the read of an arrival may start an acquire pattern (V34)"),
    ("mbarrier-reuse=any-proxy", "waits on mbarriers hold back accesses through every proxy"),
    ("mbarrier-reuse=cta", "waits on mbarriers hold back what is behind them in their CTA only"),
    ("nta=syntactic", "dependencies are what the registers mention (V9)"),
    ("nta=value", "dependencies are the flow of values only (V9)"),
    ("observation=no-red", "no `red` carries an observation on (V11)"),
    ("observes=any-byte", "one byte of a write is enough to observe it (V25)"),
    ("one-way=pair", "a one-way proxy fence counts beside its partner only"),
    ("pattern-ends=any", "the ends of patterns need not be morally strong (V19)"),
    ("pattern-location=physical", "a pattern may go through an alias (V20)"),
    ("proxy-fence-cta=any", "a proxy fence counts in any CTA (V14)"),
    ("red-acq=yes", "the read of a `red` may start an acquire pattern"),
    ("restricted-fence=path", "a fence's restriction speaks of the last access only (V27)"),
    ("rmw=8.10.3", "only the axiom of atomicity speaks of atomics of one size (V33)"),
    ("sc-fence=not-acq-rel", "`fence.sc` heads and ends no patterns (V18)"),
    ("scloc=pairwise", "SC-per-location concerns pairwise morally strong sets (V7)"),
    ("tensormap-acquire=alone", "the acquire fence of a tensor map needs no release fence"),
    ("warp-sync=none", "`bar.warp.sync` orders no memory accesses (V12)"),
    ("tearing=overlap", "accesses tear only where one overlaps them in part (V10); the default"),
    ("tearing=byte", "every access may tear at every byte (V10)"),
    ("vector=ordered", "the execution orders the elements of a vector (V1); the default"),
    ("vector=unordered", "the elements of a vector have no order (V1)"),
    ("vector=whole", "a vector of up to 16 bytes is one operation (V1)"),
    ("b128=whole", "a 128-bit access is one operation (V2); the default"),
    ("b128=halves", "a 128-bit load or store is two operations (V2)"),
    ("failing-cas=nothing", "a compare-and-swap that fails writes nothing (V5); the default"),
    ("failing-cas=writes", "a compare-and-swap that fails writes the old value (V5)"),
    ("sink-atom=atom", "`atom` without a destination is an atomic; the default"),
    ("sink-atom=red", "`atom` without a destination is a `red`"),
    ("mixed-race=program", "a mixed-size race voids the program (V24); the default"),
    ("mixed-race=execution", "a mixed-size race voids the executions that have it (V24)"),
    ("dsmem=live", "another CTA's memory needs that CTA alive; the default"),
    ("dsmem=unchecked", "the shared memory of every CTA of a cluster is always there"),
    (
        "early-arrival=undefined",
        "an arrival needs a wait that has succeeded for the phase before; the default",
    ),
    ("early-arrival=unchecked", "it needs none"),
    ("async-agent=owner", "the owner of an mbarrier performs signals on it; the default"),
    ("async-agent=issuer", "the thread that issues an operation performs its signals"),
    (
        "async-block=owner",
        "the CTA that owns memory performs asynchronous accesses to it; the default",
    ),
    ("async-block=issuer", "the CTA of the thread that issues an operation performs its accesses"),
    ("multicast=part", "each copy of a multicast completes by itself; the default"),
    ("multicast=whole", "a multicast completes as a whole"),
    ("read-completion=fence", "the end of its reads implies a proxy fence, too; the default"),
    ("read-completion=no-fence", "the end of its reads implies no proxy fence"),
    ("fence-space=object", "a proxy fence for a space is one for what lies there; the default"),
    ("fence-space=literal", "a proxy fence for `.shared::cta` is not one for memory of other CTAs"),
    ("st-async-signal=release", "the signal of `st.async` releases; the default"),
    ("st-async-signal=relaxed", "the signal of `st.async` is relaxed"),
];
