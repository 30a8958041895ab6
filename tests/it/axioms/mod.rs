//! The axioms of PTX 9.2 written out over the events of one execution: a second opinion on the
//! model `ptx-9.2`, without cat.
//!
//! Only what an execution chooses is taken from it: reads-from, coherence, the Fence-SC order and
//! who meets at barriers. Everything else is read off the event graph again, loop by loop, as
//! chapter 8 defines it.

mod asynchronous;
mod definedness;
mod derived;

pub use asynchronous::knows;

use derived::Derived;
use ptxmc::testing::event::graph::EventKind;
use ptxmc::testing::execution::build::Execution;
use ptxmc::testing::id::{EventId, ExprId};
use ptxmc::testing::program::expr::Expr;
use ptxmc::testing::waiting::barrier::BarrierOp;

/// An axiom of chapter 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axiom {
    /// PTX-8.9.6: morally strong writes are ordered.
    CoherenceTotal,
    /// PTX-8.10.1
    Coherence,
    /// PTX-8.10.2
    FenceSc,
    /// PTX-8.10.3, first part.
    SingleCopyAtomicity,
    /// PTX-8.10.3, second part.
    Atomicity,
    /// PTX-8.7.2: overlapping atomics are performed one after the other.
    RmwSerial,
    /// PTX-9.7.13.15: operations on an mbarrier object are ordered, whatever their scopes.
    MbarrierOrder,
    /// PTX-9.7.13.15: and take effect one at a time.
    MbarrierAtomicity,
    /// PTX-9.7.13.15: and find nothing that comes after a later one of their thread.
    MbarrierCoherence,
    /// PTX-9.7.13.15: what is stored behind a wait on one comes after what is stored before arrivals.
    MbarrierOverwrite,
    /// PTX-9.7.13.15: and is not visible before them.
    MbarrierReuse,
    /// PTX-9.7.13.15: waits are not satisfied by what comes because of them.
    Time,
    /// PTX-9.7.13.1: threads at one barrier ask for one number of threads; else the program is undefined, as
    /// where the four behind this do not hold.
    BarrierCounts,
    /// PTX-9.7.13.1: threads come back to barriers that have been reset.
    BarrierReset,
    /// PTX-2.2.2: a CTA whose shared memory is accessed has started.
    CtaStarted,
    /// PTX-2.2.2: and has not exited.
    CtaAlive,
    /// PTX-8.7.2: no accesses race that overlap in part.
    MixedSize,
    /// PTX-9.7.9.25.1: the destination of a copy is not read before it is complete; else the program is
    /// undefined.
    CopyDestination,
    /// PTX-9.7.9.25.1: nor is its source written.
    CopySource,
    /// PTX-9.7.9.25.3.2: copies of one group write different places.
    CopyGroup,
    /// PTX-8.10.4
    NoThinAir,
    /// PTX-8.10.5
    ScPerLocation,
    /// PTX-8.10.6
    Causality,
}

impl Axiom {
    /// All axioms, in the order of the text.
    pub const ALL: [Self; 23] = [
        Self::CoherenceTotal,
        Self::Coherence,
        Self::FenceSc,
        Self::SingleCopyAtomicity,
        Self::Atomicity,
        Self::RmwSerial,
        Self::MbarrierOrder,
        Self::MbarrierAtomicity,
        Self::MbarrierCoherence,
        Self::MbarrierOverwrite,
        Self::MbarrierReuse,
        Self::Time,
        Self::BarrierCounts,
        Self::BarrierReset,
        Self::CtaStarted,
        Self::CtaAlive,
        Self::MixedSize,
        Self::CopyDestination,
        Self::CopySource,
        Self::CopyGroup,
        Self::NoThinAir,
        Self::ScPerLocation,
        Self::Causality,
    ];

    /// The name of the axiom in `models/ptx-9.2.cat`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CoherenceTotal => "Coherence-Total",
            Self::Coherence => "Coherence",
            Self::FenceSc => "Fence-SC",
            Self::SingleCopyAtomicity => "Single-Copy-Atomicity",
            Self::Atomicity => "Atomicity",
            Self::RmwSerial => "RMW-Serial",
            Self::MbarrierOrder => "Mbarrier-Order",
            Self::MbarrierAtomicity => "Mbarrier-Atomicity",
            Self::MbarrierCoherence => "Mbarrier-Coherence",
            Self::MbarrierOverwrite => "Mbarrier-Overwrite",
            Self::MbarrierReuse => "Mbarrier-Reuse",
            Self::Time => "Time",
            Self::BarrierCounts => "Barrier-Counts",
            Self::BarrierReset => "Barrier-Reset",
            Self::CtaStarted => "CTA-Started",
            Self::CtaAlive => "CTA-Alive",
            Self::MixedSize => "Mixed-Size",
            Self::CopyDestination => "Copy-Destination",
            Self::CopySource => "Copy-Source",
            Self::CopyGroup => "Copy-Group",
            Self::NoThinAir => "No-Thin-Air",
            Self::ScPerLocation => "SC-per-Location",
            Self::Causality => "Causality",
        }
    }
}

/// What is said of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// The axioms that it breaks, in the order of the text.
    pub broken: Vec<Axiom>,
    /// Its races, where it breaks none (PTX-8.7.1).
    pub races: Vec<(EventId, EventId)>,
}

/// What the axioms say of an execution.
#[must_use]
pub fn opinion(execution: &Execution<'_>) -> Opinion {
    let d = Derived::new(execution);
    let broken: Vec<Axiom> = Axiom::ALL.into_iter().filter(|&axiom| !holds(&d, axiom)).collect();
    let races = match broken.is_empty() {
        true => d.pairs().filter(|&(a, b)| d.races(a, b)).collect(),
        false => Vec::new(),
    };
    Opinion { broken, races }
}

fn holds(d: &Derived<'_>, axiom: Axiom) -> bool {
    match axiom {
        Axiom::CoherenceTotal => d.pairs().all(|(a, b)| {
            let related = d.co(a, b) || d.co(b, a);
            !(d.writes(a) && d.writes(b) && d.overlap(a, b) && d.morally_strong(a, b)) || related
        }),
        Axiom::Coherence => d.pairs().all(|(a, b)| {
            !(d.writes(a) && d.writes(b) && d.overlap(a, b) && d.cause(a, b)) || d.co(a, b)
        }),
        Axiom::FenceSc => d.pairs().all(|(a, b)| !(d.sc(a, b) && d.base_cause(b, a))),
        Axiom::SingleCopyAtomicity => d.pairs().all(|(r, w)| !tears(d, r, w)),
        Axiom::Atomicity => d.pairs().all(|(r, a)| {
            !(d.rmw(r, a) && is_interrupted(d, r, a, |_, x, y| d.morally_strong(x, y)))
        }),
        Axiom::MbarrierOrder => d.pairs().all(|(a, b)| {
            let both = d.writes_mbarrier(a) && d.writes_mbarrier(b) && !d.same_access(a, b);
            !(both && d.overlap(a, b)) || d.co(a, b) || d.co(b, a)
        }),
        Axiom::MbarrierAtomicity => d.pairs().all(|(r, a)| {
            let own = d.rmw(r, a) && d.writes_mbarrier(a);
            !(own && is_interrupted(d, r, a, |w, _, _| d.writes_mbarrier(w)))
        }),
        Axiom::MbarrierCoherence => d.pairs().all(|(r, w)| {
            let earlier = d.po(r, w)
                || d.steps.issue.contains(r, w)
                || (d.is_of_mbarrier(w) && d.steps.intra.contains(r, w));
            let own = d.is_of_mbarrier(r) && d.writes_mbarrier(w) && earlier;
            !(own && d.events.iter().any(|&later| d.co(w, later) && d.rf(later, r)))
        }),
        Axiom::MbarrierOverwrite => d.pairs().all(|(a, b)| {
            let ordered = d.writes(a) && d.writes(b) && d.reuses(a, b);
            !ordered || d.co(a, b)
        }),
        Axiom::MbarrierReuse => d.pairs().all(|(r, w)| {
            let sees = |&source: &EventId| d.rf(source, r) && (source == w || d.co(w, source));
            !(d.reuses(r, w) && d.events.iter().any(sees))
        }),
        Axiom::Time => is_acyclic(d, |a, b| comes_before(d, a, b)),
        Axiom::BarrierCounts => definedness::counts_agree(d),
        Axiom::BarrierReset => definedness::barriers_are_reset(d),
        Axiom::CtaStarted => definedness::ctas_live(d)[0],
        Axiom::CtaAlive => definedness::ctas_live(d)[1],
        Axiom::MixedSize => definedness::sizes_agree(d),
        Axiom::CopyDestination => d.copies_are_undisturbed()[0],
        Axiom::CopySource => d.copies_are_undisturbed()[1],
        Axiom::CopyGroup => d.groups_are_apart(),
        Axiom::RmwSerial => is_acyclic(d, |a, b| {
            let contend = d.is_atomic_read(a) && d.is_atomic_read(b) && !d.same_access(a, b);
            let mutual = d.includes(a, b) && d.includes(b, a);
            contend && mutual && d.accesses_overlap(a, b) && !performed_before(d, b, a)
        }),
        Axiom::NoThinAir => {
            let step = |a, b| d.rf(a, b) || depends(d, a, b) || is_held_back(d, a, b);
            is_acyclic(d, step)
        }
        Axiom::ScPerLocation => is_acyclic(d, |a, b| {
            d.pieces(a).iter().any(|&p| d.pieces(b).iter().any(|&q| follows_at_a_place(d, p, q)))
        }),
        Axiom::Causality => d.pairs().all(|(a, b)| !((d.rf(a, b) || d.fr(a, b)) && d.cause(b, a))),
    }
}

/// Whether an event was there before another one: a wait or a barrier before what its thread does at
/// objects and barriers or issues, an operation behind its issue and before what waits for its completion,
/// an arrival before those that leave with it, and operations on one object in their order.
fn comes_before(d: &Derived<'_>, a: EventId, b: EventId) -> bool {
    let at_object = |e: EventId| d.event(e).marks.mbarrier;
    let awaits = |e: EventId| matches!(d.event(e).kind, EventKind::Await(_));
    let goes_on = (d.is_barrier(a) || d.is_satisfied(a) || awaits(a))
        && d.po(a, b)
        && (at_object(b) || d.is_barrier(b) || awaits(b) || d.event(b).kind == EventKind::Issue);
    let at_one = at_object(a) && at_object(b) && (d.co(a, b) || d.rf(a, b) || d.fr(a, b));
    let steps = [&d.steps.issue, &d.steps.intra, &d.steps.done];
    goes_on || at_one || d.leaves_with(a, b) || steps.iter().any(|steps| steps.contains(a, b))
}

/// Whether one piece overlaps another and comes before it in program order, or in communication order
/// that is morally strong.
fn follows_at_a_place(d: &Derived<'_>, a: EventId, b: EventId) -> bool {
    let communicates = d.rf(a, b) || d.co(a, b) || d.fr(a, b);
    (d.po(a, b) && d.virtual_overlap(a, b)) || (d.morally_strong(a, b) && communicates)
}

/// Whether `r` reads one piece from the morally strong write of which `w` is a piece, and another
/// from a write that is before it in coherence.
fn tears(d: &Derived<'_>, r: EventId, w: EventId) -> bool {
    let takes_a_piece = d.rf(w, r) && d.morally_strong(w, r);
    takes_a_piece
        && d.pieces(r).iter().any(|&other| d.pieces(w).iter().any(|&piece| d.fr(other, piece)))
}

/// Whether a write comes between the halves of a read-modify-write that `counts` with both: it is
/// asked of the write and each pair of pieces that follow one another.
fn is_interrupted(
    d: &Derived<'_>,
    r: EventId,
    a: EventId,
    counts: impl Fn(EventId, EventId, EventId) -> bool,
) -> bool {
    let follow = |first: EventId, second: EventId, step: &dyn Fn(EventId, EventId) -> bool, w| {
        d.pieces(first)
            .iter()
            .any(|&p| d.pieces(second).iter().any(|&q| step(p, q) && counts(w, p, q)))
    };
    d.events
        .iter()
        .any(|&w| follow(r, w, &|p, q| d.fr(p, q), w) && follow(w, a, &|p, q| d.co(p, q), w))
}

/// Whether the atomic that reads with `first` may be performed before the one that reads with
/// `second`: it reads nothing that the second wrote, and the second reads no byte that the first
/// overwrote from where the first read it.
fn performed_before(d: &Derived<'_>, first: EventId, second: EventId) -> bool {
    let reads_later_one = d.pieces(first).iter().any(|&r| {
        d.events.iter().any(|&w| d.rf(w, r) && d.pieces(second).iter().any(|&s| d.rmw(s, w)))
    });
    let first_writes = d.events.iter().any(|&w| d.rmw(first, w));
    let shares_source = d.pieces(first).iter().any(|&r| {
        d.pieces(second).iter().any(|&s| d.events.iter().any(|&w| d.rf(w, r) && d.rf(w, s)))
    });
    !(reads_later_one || (first_writes && shares_source))
}

/// Whether the value of `w`, or whether it happens, is computed from what `r` reads (PTX-8.10.4).
fn depends(d: &Derived<'_>, r: EventId, w: EventId) -> bool {
    let (read, write) = (d.graph.event(r), d.graph.event(w));
    if !read.is_read() || !d.writes(w) {
        return false;
    }
    let leaf = Expr::Read(read.access);
    d.rmw(r, w)
        || is_made_of(d, d.graph.access_of(w).value, leaf)
        || is_made_of(d, write.guard, leaf)
}

/// Whether an expression is made of a leaf, also through what barriers return and instructions compute
/// of which nobody knows how.
fn is_made_of(d: &Derived<'_>, expr: ExprId, leaf: Expr) -> bool {
    let mut seen = Vec::new();
    let mut next = d.graph.exprs.leaves(expr);
    while let Some(x) = next.pop() {
        if x == leaf {
            return true;
        }
        match x {
            Expr::Symbol(symbol) => {
                let reads = d.graph.symbol(symbol).computed_from();
                next.extend(reads.iter().map(|&read| Expr::Read(read)));
            }
            Expr::Barrier(index) if !seen.contains(&index) => {
                seen.push(index);
                let op = &d.graph.barriers[index];
                let meets = |other: &&BarrierOp| {
                    other.event == op.event || d.meets_at_barrier(other.event, op.event)
                };
                let votes = d.graph.barriers.iter().filter(meets).filter_map(|met| met.operand);
                let values: Vec<ExprId> = match op.exchanged() {
                    Some(value) => vec![value],
                    None => votes.collect(),
                };
                next.extend(values.into_iter().flat_map(|value| d.graph.exprs.leaves(value)));
            }
            _ => {}
        }
    }
    false
}

/// Whether `e` waits at barriers, directly or through other threads there, for the thread of `r`: for
/// its end, where it goes round in a loop until `r` reads something, or comes to some barrier or not,
/// or votes there, by what `r` reads; or for its arrival or end, where `r` decides which it is
/// (PTX-9.7.13.1). Tasks wait for such ends, too (PTX-8.9.4).
fn is_held_back(d: &Derived<'_>, r: EventId, e: EventId) -> bool {
    let thread = d.graph.event(r).agent;
    let leaf = Expr::Read(d.graph.event(r).access);
    let mut cuts = d.graph.cuts.iter().filter(|cut| cut.agent == thread);
    let loops = cuts.any(|cut| d.graph.exprs.leaves(cut.back).contains(&leaf));
    let leads = |expr| d.graph.exprs.leaves(expr).contains(&leaf);
    let ends = loops
        || d.graph.barriers.iter().any(|op| {
            let event = d.graph.event(op.event);
            let mut needed = [Some(event.guard), op.operand, op.count()].into_iter().flatten();
            event.agent == thread && needed.any(leads)
        });
    let first = |x: &EventId| {
        let waits = d.waits_without(*x, thread) || d.waits_for_task(*x, thread);
        (ends && waits) || d.waits_for_decision(*x, thread, &leaf)
    };
    let mut passed: Vec<EventId> = Vec::new();
    let mut next: Vec<EventId> = d.events.iter().copied().filter(first).collect();
    while let Some(x) = next.pop() {
        // At a barrier, only what comes behind it waits; in a later task, all.
        if d.po(x, e) || (x == e && !d.is_barrier(x)) {
            return true;
        }
        passed.push(x);
        let waits = |y: EventId, z: EventId| {
            let thread = d.graph.event(y).agent;
            d.meets_at_barrier(y, z)
                || d.waits_without(z, thread)
                || d.waits_for_task(z, thread)
                // Of another thread of the warp it is enough that it has come to the barrier.
                || (d.po(x, y) && d.arrives_with(y, z))
        };
        let later = d.events.iter().filter(|&&y| y == x || d.stops(y) && d.po(x, y));
        let held = later.flat_map(|&y| d.events.iter().filter(move |&&z| waits(y, z)));
        next.extend(held.copied().filter(|z| !passed.contains(z)).collect::<Vec<_>>());
    }
    false
}

/// Whether no event reaches itself: events without a step to a remaining one are taken away until
/// none is left or none can be.
fn is_acyclic(d: &Derived<'_>, step: impl Fn(EventId, EventId) -> bool) -> bool {
    let mut rest = d.events.clone();
    loop {
        let stays = |&a: &EventId| rest.iter().any(|&b| step(a, b));
        let next: Vec<EventId> = rest.iter().copied().filter(stays).collect();
        if next.is_empty() {
            return true;
        }
        if next.len() == rest.len() {
            return false;
        }
        rest = next;
    }
}
