//! The selection of launch threads for a test: all of them, or representatives.
//!
//! Threads whose residual programs go through the same statements have one role. The first thread
//! of each role is selected. If not all its addresses are known, the next thread of the role in the
//! same CTA and the first one in its last CTA are selected as well. For each role, threads of the
//! same and of another CTA are added that conflict with a selected thread, that is, access the same
//! bytes, with at least one write. Threads with other dependencies stay together: the lanes of a
//! warp that exchange values, the threads of a CTA that barriers count, and the CTAs of a cluster.

use super::geometry::{Geometry, Index, WARP};
use super::launch::{Launch, Launches};
use crate::litmus::ast::{Launched, Role, Thread};
use crate::litmus::error::LitmusError;
use crate::ptx::operation::{AccessForm, MbarrierOp, Operation, Statement, Value};
use crate::ptx::row::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Launches with more threads in all are checked by representatives, unless the user says otherwise.
const MOST_THREADS: u64 = 256;

/// How many threads may be checked as a whole where the user asks for that.
const MOST_ASKED: u64 = 4096;

/// How many threads stand for others at most.
const MOST_REPRESENTATIVES: usize = 128;

/// The threads that the user wants to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command lets users choose"))]
pub(crate) enum Selection {
    /// All, where that is affordable, else representatives.
    #[default]
    Affordable,
    /// All.
    All,
    /// Selected threads, by the first and last CTA and the first and last thread of each CTA.
    Some(Vec<[RangeInclusive<u32>; 2]>),
}

/// The threads of each launch that a test has.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// All.
    All,
    /// Selected threads.
    Some(BTreeSet<Index>),
    /// Some that are looked at to find representatives.
    Sample,
}

impl Choice {
    /// The threads of a launch, in order.
    pub(super) fn of(&self, geometry: &Geometry) -> Vec<Index> {
        match self {
            Self::All => all(geometry).collect(),
            Self::Some(indices) => indices.iter().copied().collect(),
            Self::Sample => sample(geometry),
        }
    }
}

/// How many threads the launches have.
pub(super) fn count(launches: &Launches) -> u64 {
    let size = |sizes: [u32; 3]| sizes.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
    let threads = |launch: &Launch| size(launch.grid).saturating_mul(size(launch.block));
    launches.list.iter().map(threads).fold(0, u64::saturating_add)
}

/// Whether representatives have to be found.
///
/// # Errors
/// When a complete check is requested and there are too many threads for it.
pub(super) fn wants_sample(
    launches: &Launches,
    selection: &Selection,
) -> Result<bool, LitmusError> {
    let threads = count(launches);
    match selection {
        Selection::Affordable => Ok(threads > MOST_THREADS),
        Selection::Some(_) => Ok(true),
        Selection::All if threads <= MOST_ASKED => Ok(false),
        Selection::All => {
            let message = format!("{threads} threads are too many to be checked as a whole");
            Err(too_many(message, &launches.list[0]))
        }
    }
}

fn too_many(message: String, launch: &Launch) -> LitmusError {
    LitmusError::Other {
        code: "launch-size",
        message,
        help: format!(
            "up to {MOST_ASKED} are; choose some with --threads, or launch fewer: few CTAs and warps \
             show most of what many do"
        ),
        span: launch.span,
    }
}

fn all(geometry: &Geometry) -> impl Iterator<Item = Index> {
    let (ctas, threads) = sizes(geometry);
    (0..ctas).flat_map(move |cta| (0..threads).map(move |thread| Index { cta, thread }))
}

fn sizes(geometry: &Geometry) -> (u32, u32) {
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    (small(geometry.ctas()), small(geometry.threads()))
}

/// A sample of threads that hopefully covers each role. It consists of the first two and the last
/// two CTAs, with the CTAs of their clusters. Each CTA contributes its first two warps, its last
/// warp, and the first and last lanes of the other warps.
fn sample(geometry: &Geometry) -> Vec<Index> {
    let (ctas, threads) = sizes(geometry);
    let ends = |count: u32| [0, 1, count.saturating_sub(2), count - 1];
    let chosen = ends(ctas).into_iter().filter(|&cta| cta < ctas);
    let chosen: BTreeSet<u32> = chosen.flat_map(|cta| geometry.cluster_of(cta)).collect();
    let last = (threads - 1) / WARP;
    let wanted = |thread: &u32| {
        let (warp, lane) = (thread / WARP, thread % WARP);
        warp < 2 || warp == last || lane == 0 || lane == WARP - 1
    };
    let in_cta: Vec<u32> = (0..threads).filter(wanted).collect();
    let of_cta = |cta: u32| in_cta.iter().map(move |&thread| Index { cta, thread });
    chosen.into_iter().flat_map(of_cta).collect()
}

/// The behaviour of a thread, as far as other threads depend on it.
#[derive(Debug, Default)]
struct Trace {
    /// The source positions of the executed statements.
    path: Vec<u32>,
    /// The accessed bytes by variable, CTA (for `.shared`) and offset; `true` for writes.
    accesses: BTreeMap<(String, Option<u32>, i64), bool>,
    /// Whether some address is unknown.
    computes_addresses: bool,
    /// Whether the thread exchanges values within its warp.
    exchanges: bool,
    /// Whether the thread uses barriers that count threads.
    counts: bool,
}

/// The representatives of launches, by their threads in a sample.
pub(super) struct Representatives {
    /// The threads of each launch.
    pub(super) choices: Vec<Choice>,
    /// The name of each role, with its representatives by launch and index.
    roles: Vec<(String, Vec<(usize, Index)>)>,
}

/// Finds representatives of the launches.
///
/// # Errors
/// When threads that have to stay together are too many.
pub(super) fn representatives(
    launches: &Launches,
    geometries: &[Geometry],
    sample: &[Thread],
    indices: &[(usize, Index)],
    selection: &Selection,
) -> Result<Representatives, LitmusError> {
    let traces: Vec<Trace> = sample.iter().zip(indices).map(|(t, &(_, at))| trace(t, at)).collect();
    let mut out = Representatives { choices: Vec::new(), roles: Vec::new() };
    for (number, geometry) in geometries.iter().enumerate() {
        let of_launch = indices.iter().zip(&traces).filter(|((launch, _), _)| *launch == number);
        let threads: Vec<(Index, &Trace)> =
            of_launch.map(|((_, at), trace)| (*at, trace)).collect();
        let roles = roles(&threads);
        let mut chosen: BTreeSet<Index> = match selection {
            Selection::Some(ranges) => {
                let wanted = |index: &Index| {
                    let inside = |[c, t]: &[RangeInclusive<u32>; 2]| {
                        c.contains(&index.cta) && t.contains(&index.thread)
                    };
                    ranges.iter().any(inside)
                };
                all(geometry).filter(wanted).collect()
            }
            _ => standing(&threads, &roles),
        };
        keep_together(&mut chosen, geometry, &threads);
        if chosen.len() as u64 > MOST_ASKED {
            let message = "the threads that have to be looked at together are too many".to_owned();
            return Err(too_many(message, &launches.list[number]));
        }
        if !matches!(selection, Selection::Some(_)) {
            for role in &roles {
                let of_role: FxHashSet<Index> = role.iter().map(|&at| threads[at].0).collect();
                let shown = chosen.iter().filter(|index| of_role.contains(index));
                let shown: Vec<(usize, Index)> = shown.map(|&index| (number, index)).collect();
                if !shown.is_empty() {
                    out.roles.push((role_name(&threads, &of_role, geometry), shown));
                }
            }
        }
        out.choices.push(Choice::Some(chosen));
    }
    Ok(out)
}

/// The threads of the sample grouped by their paths, in the order of their first threads.
fn roles(threads: &[(Index, &Trace)]) -> Vec<Vec<usize>> {
    let mut known: FxHashMap<&[u32], usize> = FxHashMap::default();
    let mut roles: Vec<Vec<usize>> = Vec::new();
    for (at, (_, trace)) in threads.iter().enumerate() {
        let role = *known.entry(&trace.path).or_insert(roles.len());
        if role == roles.len() {
            roles.push(Vec::new());
        }
        roles[role].push(at);
    }
    roles
}

/// The threads that stand for the roles.
fn standing(threads: &[(Index, &Trace)], roles: &[Vec<usize>]) -> BTreeSet<Index> {
    let mut role_of = vec![0; threads.len()];
    let mut leaders = Vec::new();
    for (role, members) in roles.iter().enumerate() {
        members.iter().for_each(|&at| role_of[at] = role);
        let first = members[0];
        let same_cta = |&&at: &&usize| threads[at].0.cta == threads[first].0.cta && at != first;
        let last_cta = members.iter().map(|&at| threads[at].0.cta).max();
        let last = members.iter().find(|&&at| Some(threads[at].0.cta) == last_cta);
        leaders.push(first);
        if threads[first].1.computes_addresses {
            leaders.extend(members.iter().find(same_cta));
            leaders.extend(last);
        }
    }
    let mut by_location: FxHashMap<_, Vec<(usize, bool)>> = FxHashMap::default();
    for (at, (_, trace)) in threads.iter().enumerate() {
        for (location, &writes) in &trace.accesses {
            by_location.entry(location).or_default().push((at, writes));
        }
    }
    let mut chosen: BTreeSet<Index> = leaders.iter().map(|&at| threads[at].0).collect();
    let mut pairs: FxHashSet<(usize, usize, bool)> = FxHashSet::default();
    for &leader in &leaders {
        for (location, &writes) in &threads[leader].1.accesses {
            for &(other, also) in &by_location[location] {
                let together = threads[leader].0.cta == threads[other].0.cta;
                let pair = (role_of[leader], role_of[other], together);
                if other != leader
                    && (writes || also)
                    && chosen.len() < MOST_REPRESENTATIVES
                    && pairs.insert(pair)
                {
                    chosen.insert(threads[other].0);
                }
            }
        }
    }
    chosen
}

/// Adds the threads that the behaviour of the chosen threads depends on.
fn keep_together(chosen: &mut BTreeSet<Index>, geometry: &Geometry, threads: &[(Index, &Trace)]) {
    let (_, in_cta) = sizes(geometry);
    let ctas: BTreeSet<u32> = chosen.iter().map(|index| index.cta).collect();
    // Ranks in a cluster count the CTAs that are there.
    for cta in ctas.iter().flat_map(|&cta| geometry.cluster_of(cta)) {
        if !ctas.contains(&cta) {
            chosen.insert(Index { cta, thread: 0 });
        }
    }
    if threads.iter().any(|(_, trace)| trace.counts) {
        let ctas: BTreeSet<u32> = chosen.iter().map(|index| index.cta).collect();
        let whole = |cta: u32| (0..in_cta).map(move |thread| Index { cta, thread });
        chosen.extend(ctas.into_iter().flat_map(whole));
    } else if threads.iter().any(|(_, trace)| trace.exchanges) {
        let warps: BTreeSet<(u32, u32)> =
            chosen.iter().map(|index| (index.cta, index.thread / WARP)).collect();
        for (cta, warp) in warps {
            let lanes = (warp * WARP..(warp + 1) * WARP).filter(|&thread| thread < in_cta);
            chosen.extend(lanes.map(|thread| Index { cta, thread }));
        }
    }
}

/// A property that distinguishes the threads of a role in the sample.
fn role_name(
    threads: &[(Index, &Trace)],
    of_role: &FxHashSet<Index>,
    geometry: &Geometry,
) -> String {
    type Is = fn(Index, (u32, u32)) -> bool;
    const PROPERTIES: &[(&str, Is)] = &[
        ("all", |_, _| true),
        ("first thread of a CTA", |at, _| at.thread == 0),
        ("other threads than the first of a CTA", |at, _| at.thread != 0),
        ("last thread of a CTA", |at, (_, threads)| at.thread + 1 == threads),
        ("other threads than the last of a CTA", |at, (_, threads)| at.thread + 1 != threads),
        ("first lanes", |at, _| at.thread % WARP == 0),
        ("other lanes than the first", |at, _| at.thread % WARP != 0),
        ("first warp", |at, _| at.thread / WARP == 0),
        ("other warps than the first", |at, _| at.thread / WARP != 0),
        ("first CTA", |at, _| at.cta == 0),
        ("other CTAs than the first", |at, _| at.cta != 0),
        ("last CTA", |at, (ctas, _)| at.cta + 1 == ctas),
        ("other CTAs than the last", |at, (ctas, _)| at.cta + 1 != ctas),
        ("first thread of all", |at, _| at.cta == 0 && at.thread == 0),
        ("other threads than the first of all", |at, _| at.cta != 0 || at.thread != 0),
        ("first threads of other CTAs than the first", |at, _| at.cta != 0 && at.thread == 0),
    ];
    let sizes = sizes(geometry);
    let fits =
        |is: &dyn Fn(Index) -> bool| threads.iter().all(|(at, _)| is(*at) == of_role.contains(at));
    if let Some((name, _)) = PROPERTIES.iter().find(|(_, is)| fits(&|at| is(at, sizes))) {
        return (*name).to_owned();
    }
    let range = |number: fn(&Index) -> u32| {
        let numbers = || of_role.iter().map(number);
        numbers().min().unwrap_or(0)..=numbers().max().unwrap_or(0)
    };
    let (ctas, of_cta) = (range(|at| at.cta), range(|at| at.thread));
    let named = |range: &RangeInclusive<u32>, one: &str| match (range.start(), range.end()) {
        (first, last) if first == last => format!("{one} {first}"),
        (first, last) => format!("{one}s {first} to {last}"),
    };
    if fits(&|at| of_cta.contains(&at.thread)) {
        format!("{} of each CTA", named(&of_cta, "thread"))
    } else if fits(&|at| ctas.contains(&at.cta)) {
        named(&ctas, "CTA")
    } else if fits(&|at| of_cta.contains(&at.thread) && ctas.contains(&at.cta)) {
        format!("{} of {}", named(&of_cta, "thread"), named(&ctas, "CTA"))
    } else {
        "threads with one path".to_owned()
    }
}

/// The position of each thread of a test in its launch.
pub(super) fn launched(
    launches: &Launches,
    indices: &[(usize, Index)],
    representatives: Option<&Representatives>,
) -> Launched {
    let at = |wanted: &(usize, Index)| indices.iter().position(|known| known == wanted);
    let roles =
        representatives.into_iter().flat_map(|found| &found.roles).map(|(name, members)| Role {
            name: name.clone(),
            threads: members.iter().filter_map(at).collect(),
        });
    Launched { threads: count(launches), roles: roles.collect() }
}

/// The trace of a thread with a residual program.
fn trace(thread: &Thread, index: Index) -> Trace {
    let mut trace = Trace::default();
    for statement in &thread.statements {
        trace.path.push(statement.span.start);
        trace.note(statement, index);
    }
    trace
}

impl Trace {
    fn note(&mut self, statement: &Statement, index: Index) {
        use Operation as O;
        match &statement.operation {
            O::Load { access, .. } => self.access(access, false, index),
            O::Store { access, .. } | O::Atomic { access, .. } | O::Reduce { access, .. } => {
                self.access(access, true, index);
            }
            O::Mbarrier { access, op } => {
                self.access(access, true, index);
                if let MbarrierOp::Init { count } = op {
                    let one = matches!(count, Value::Immediate(number) if number.value == 1);
                    self.counts |= !one;
                }
            }
            O::CtaBarrier { count, .. } => self.counts |= count.is_some(),
            O::WarpBarrier { .. } => self.exchanges = true,
            O::Form(written) => {
                self.exchanges |= matches!(written.op(), Op::Warp(_));
                self.computes_addresses |= written.accesses().next().is_some();
            }
            _ => {}
        }
    }

    fn access(&mut self, access: &AccessForm, writes: bool, index: Index) {
        let Value::AddressOf(name, offset) = &access.address.base else {
            self.computes_addresses = true;
            return;
        };
        let shared = matches!(
            access.space,
            crate::ptx::operation::Space::SharedCta | crate::ptx::operation::Space::SharedCluster
        );
        let start = offset + access.address.offset;
        let bytes = i64::from(access.ty.bytes() * access.elements.max(1));
        for byte in start..start + bytes {
            let location = (name.value.clone(), shared.then_some(index.cta), byte);
            *self.accesses.entry(location).or_default() |= writes;
        }
    }
}
