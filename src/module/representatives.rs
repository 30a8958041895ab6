//! The threads that represent a launch with too many threads for a complete check.
//!
//! All threads are followed ([`Tracer`](super::tracer::Tracer)). Threads that go through the same
//! steps, with the same operands of barriers, have one role. The first thread of each role is chosen. If
//! not all its addresses are known, the next thread of the role in the same CTA and the first one in its
//! last CTA are chosen as well. Then, for each pair of accesses of roles that meet somewhere, that is,
//! access the same bytes, at least one of them writing, and each [`Kinship`] of threads that do, two
//! threads; and for each set of roles that some CTA has, one thread of each in one such CTA. Threads with
//! other dependencies stay together: the lanes of a warp that exchange values, the threads of a CTA that
//! barriers count, and the CTAs of a cluster.

use super::geometry::{Geometry, Index, WARP};
use super::kinship::{Kinship, Nearness, Relative, StrongAccess, strong};
use super::launch::Launches;
use super::threads::{Choice, MOST_ASKED, Selection, all, count, sample, sizes, too_many};
use super::trace::{Touch, Trace};
use super::tracer::Templates;
use crate::litmus::ast::{Followed, Launched, Role};
use crate::litmus::error::LitmusError;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Launches with more threads are followed by a sample.
const MOST_FOLLOWED: u64 = 1 << 18;

/// The number of steps that are evaluated to follow all threads; launches with more are followed by
/// a sample.
const MOST_STEPS: usize = 20_000_000;

/// How many roles have representatives at most.
const MOST_ROLES: usize = 64;

/// How many accesses to one place are paired where there are more roles.
const MOST_PAIRED: usize = 256;

/// How many threads stand for others at most.
const MOST_REPRESENTATIVES: usize = 128;

/// How many threads there are at most once those are added that show another pair of accesses of
/// roles of which some pair is shown already.
const MOST_WITH_EVERY_PAIR: usize = 32;

/// How often those are looked for whom the threads meet that choose other values than most: a thread that
/// hands on what it has from the wrong one puts those apart to whom and from whom it hands on.
const PARTNERS_OF_PARTNERS: usize = 2;

/// The representatives of launches.
pub(super) struct Representatives {
    /// The threads of each launch.
    pub(super) choices: Vec<Choice>,
    /// The name of each role, with its representatives by launch and index.
    roles: Vec<(String, Vec<(usize, Index)>)>,
    followed: Followed,
}

/// Finds representatives of the launches, or the threads that the user selects.
///
/// # Errors
/// When threads that have to stay together are too many, or a selected thread does not exist.
pub(super) fn representatives(
    launches: &Launches,
    geometries: &[Geometry],
    templates: &Templates,
    selection: &Selection,
) -> Result<Representatives, LitmusError> {
    let follow = Follow::of(launches, geometries, templates);
    let meetings = follow.meetings();
    let mut chosen: Vec<BTreeSet<Index>> = match selection {
        Selection::Some(ranges) => selected(launches, geometries, ranges)?,
        _ => follow.standing(&meetings, geometries),
    };
    for (number, geometry) in geometries.iter().enumerate() {
        follow.keep_together(&mut chosen[number], number, geometry);
        if chosen[number].len() as u64 > MOST_ASKED {
            let message = "the threads that have to be looked at together are too many".to_owned();
            return Err(too_many(message, &launches.list[number]));
        }
    }
    let roles = match selection {
        Selection::Some(_) => Vec::new(),
        _ => follow.named_roles(&chosen, geometries),
    };
    let followed = follow.followed(&meetings);
    let choices = chosen.into_iter().map(Choice::Some).collect();
    Ok(Representatives { choices, roles, followed })
}

/// The threads of each launch that the user selects.
fn selected(
    launches: &Launches,
    geometries: &[Geometry],
    ranges: &[[RangeInclusive<u32>; 2]],
) -> Result<Vec<BTreeSet<Index>>, LitmusError> {
    let inside = |[ctas, threads]: &[RangeInclusive<u32>; 2], geometry: &Geometry| {
        let (most_ctas, most_threads) = sizes(geometry);
        *ctas.end() < most_ctas && *threads.end() < most_threads
    };
    let exists = |range: &&[RangeInclusive<u32>; 2]| geometries.iter().any(|g| inside(range, g));
    if let Some([ctas, threads]) = ranges.iter().find(|range| !exists(range)) {
        let message = format!(
            "no launch has the threads {}-{} of the CTAs {}-{}",
            threads.start(),
            threads.end(),
            ctas.start(),
            ctas.end()
        );
        let sizes = geometries.iter().map(sizes).map(|(c, t)| format!("{c} CTAs of {t} threads"));
        let help = format!("there are {}", sizes.collect::<Vec<_>>().join("; "));
        let span = launches.list[0].span;
        return Err(LitmusError::Other { code: "launch-threads", message, help, span });
    }
    let of = |geometry: &Geometry| {
        let wanted = |index: &Index| {
            ranges.iter().any(|[c, t]| c.contains(&index.cta) && t.contains(&index.thread))
        };
        all(geometry).filter(wanted).collect()
    };
    Ok(geometries.iter().map(of).collect())
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
    Launched {
        threads: count(launches),
        roles: roles.collect(),
        followed: representatives.map_or(Followed::All, |found| found.followed),
    }
}

/// How many threads of one nearness that access one place in the same way are told apart by the places that
/// they share.
const MOST_KIN: usize = 2;

/// A thread of a launch.
pub(super) struct Member {
    pub(super) launch: usize,
    pub(super) index: Index,
    pub(super) role: usize,
    /// The first CTA of its cluster.
    cluster: u32,
    /// The places of its strong accesses.
    strong: Vec<StrongAccess>,
}

/// Threads that access one place in the same way: the first, and others with their kinship to it.
#[derive(Default)]
struct Kin(Vec<(usize, Option<Kinship>)>);

/// Two accesses of roles: role and step of each, and the kinship of the threads.
type Meeting = (usize, u32, usize, u32, Kinship);

/// For each meeting, two threads, as many as possible of which are the first of their roles.
type Meetings = BTreeMap<Meeting, (usize, [usize; 2])>;

/// The roles that are known: the first role of each path in a launch, and the role of each choice of
/// values on that path.
#[derive(Default)]
struct Known {
    paths: FxHashMap<(usize, Vec<u32>), usize>,
    roles: FxHashMap<(usize, Vec<u32>), usize>,
}

/// The threads of all launches, followed.
#[derive(Default)]
pub(super) struct Follow {
    pub(super) threads: Vec<Member>,
    /// The threads of each role, in order.
    pub(super) roles: Vec<Vec<usize>>,
    /// Whether threads of a role compute addresses that are not known.
    pub(super) computes: Vec<bool>,
    /// Whether threads of a role come to branches that are not decided, and to aligned barriers.
    pub(super) divides: Vec<bool>,
    /// For each role, the first one whose threads go through the same steps: they differ from these by the
    /// values that they choose.
    pub(super) siblings: Vec<usize>,
    /// The accesses, each with its thread.
    pub(super) touches: Vec<(usize, Touch)>,
    /// Whether it is unknown where some access goes.
    is_unplaced: bool,
    /// Accesses to unknown parts of variables, each once: the variable, and whether the access may write.
    parts: BTreeSet<(usize, bool)>,
    /// Whether threads of a launch exchange values within warps, whether barriers count them, and whether
    /// they come to barriers that a whole warp has to execute.
    exchanges: Vec<bool>,
    counts: Vec<bool>,
    pub(super) aligned: Vec<bool>,
    /// Whether these are all threads of the launches.
    is_whole: bool,
}

impl Follow {
    fn of(launches: &Launches, geometries: &[Geometry], templates: &Templates) -> Self {
        let whole = (count(launches) <= MOST_FOLLOWED)
            .then(|| Self::by(geometries, templates, |g| all(g).collect(), MOST_STEPS));
        match whole.flatten() {
            Some(follow) => Self { is_whole: true, ..follow },
            None => Self::by(geometries, templates, sample, usize::MAX)
                .expect("steps without a limit are not too many"),
        }
    }

    /// Follows some threads; `None` where that takes too many steps.
    fn by(
        geometries: &[Geometry],
        templates: &Templates,
        threads: fn(&Geometry) -> Vec<Index>,
        most: usize,
    ) -> Option<Self> {
        let mut out = Self {
            exchanges: vec![false; geometries.len()],
            counts: vec![false; geometries.len()],
            aligned: vec![false; geometries.len()],
            ..Self::default()
        };
        let mut known = Known::default();
        let mut steps = 0;
        for (launch, geometry) in geometries.iter().enumerate() {
            let mut tracer = templates.of(launch, *geometry);
            for index in threads(geometry) {
                let trace = tracer.trace(index);
                steps += trace.steps;
                if steps > most {
                    return None;
                }
                let cluster = geometry.cluster_of(index.cta)[0];
                out.add((launch, index, cluster), trace, &mut known);
            }
        }
        out.join_many_choices();
        Some(out)
    }

    fn add(
        &mut self,
        (launch, index, cluster): (usize, Index, u32),
        trace: Trace,
        known: &mut Known,
    ) {
        let new = self.roles.len();
        let sibling = *known.paths.entry((launch, trace.path)).or_insert(new);
        let role = *known.roles.entry((sibling, trace.choices)).or_insert(new);
        if role == new {
            self.roles.push(Vec::new());
            self.computes.push(false);
            self.divides.push(false);
            self.siblings.push(sibling);
        }
        let thread = self.threads.len();
        self.roles[role].push(thread);
        self.computes[role] |= trace.computes_addresses;
        self.divides[role] |= trace.divides && trace.aligned;
        self.is_unplaced |= trace.is_unplaced;
        self.parts.extend(trace.parts);
        self.exchanges[launch] |= trace.exchanges;
        self.counts[launch] |= trace.counts;
        self.aligned[launch] |= trace.aligned;
        let strong = strong(&trace.touches, (launch, index.cta));
        self.touches.extend(trace.touches.into_iter().map(|touch| (thread, touch)));
        self.threads.push(Member { launch, index, role, cluster, strong });
    }

    pub(super) fn cta(&self, thread: usize) -> (usize, u32) {
        (self.threads[thread].launch, self.threads[thread].index.cta)
    }

    fn kinship(&self, one: usize, other: usize) -> Kinship {
        let relative = |thread: usize| {
            let Member { launch, index, cluster, strong, .. } = &self.threads[thread];
            Relative { launch: *launch, index: *index, cluster: *cluster, strong }
        };
        relative(one).to(relative(other))
    }

    /// Adds a thread if it is another one than those that are known, and of another kinship to the first.
    fn extend(&self, kin: &mut Kin, thread: usize) -> bool {
        let Some(&(first, _)) = kin.0.first() else {
            kin.0.push((thread, None));
            return true;
        };
        if first == thread {
            return false;
        }
        let kinship = self.kinship(first, thread);
        let others = || kin.0.iter().filter_map(|(_, known)| *known);
        let near = others().filter(|known| known.nearness == kinship.nearness);
        let is_new = near.count() < MOST_KIN && others().all(|known| known != kinship);
        if is_new {
            kin.0.push((thread, Some(kinship)));
        }
        is_new
    }

    /// The accesses of roles that meet.
    fn meetings(&self) -> Meetings {
        let bounds = bounds(&self.touches);
        let mut at: Vec<(Cell, usize, u32, bool)> = Vec::with_capacity(self.touches.len());
        for (thread, touch) in self.different() {
            let access = |cell| (cell, thread, touch.at, touch.writes);
            at.extend(self.cells(&bounds, thread, &touch).map(access));
        }
        at.sort_unstable();
        let mut out = Meetings::new();
        for group in at.chunk_by(|a, b| a.0 == b.0) {
            if group.iter().any(|access| access.3) && group.iter().any(|a| a.1 != group[0].1) {
                self.meet(group, &mut out);
            }
        }
        out
    }

    /// The cells of an access: the parts of its variable that no access starts or ends within.
    pub(super) fn cells(
        &self,
        bounds: &FxHashMap<usize, Vec<u64>>,
        thread: usize,
        touch: &Touch,
    ) -> impl Iterator<Item = Cell> + use<> {
        let bounds = &bounds[&touch.variable];
        let [first, end] = [touch.offset, touch.offset + touch.bytes]
            .map(|byte| bounds.partition_point(|&bound| bound < byte));
        let (variable, instance) = (touch.variable, touch.is_shared.then(|| self.cta(thread)));
        (first..end).map(move |cell| (variable, instance, cell))
    }

    /// The accesses, of each that threads of one role make to the same bytes those of the first thread and of
    /// one of each kinship to it.
    fn different(&self) -> impl Iterator<Item = (usize, Touch)> + '_ {
        let mut known: FxHashMap<_, Kin> = FxHashMap::default();
        self.touches.iter().copied().filter(move |&(thread, touch)| {
            let instance = touch.is_shared.then(|| self.cta(thread));
            let bytes = (touch.variable, instance, touch.offset, touch.bytes);
            let known = known.entry((bytes, self.threads[thread].role, touch.at)).or_default();
            self.extend(known, thread)
        })
    }

    /// Notes which accesses to one place meet. Of the threads of a role that execute one access, the
    /// first one and one of each kinship to it are enough.
    fn meet(&self, group: &[(Cell, usize, u32, bool)], out: &mut Meetings) {
        let mut kinds: BTreeMap<(usize, u32), (bool, Kin)> = BTreeMap::new();
        for &(_, thread, at, writes) in group {
            let kind = kinds.entry((self.threads[thread].role, at)).or_default();
            kind.0 |= writes;
            self.extend(&mut kind.1, thread);
        }
        let mut accesses: Vec<(usize, u32, bool, usize)> = kinds
            .iter()
            .flat_map(|(&(role, at), (writes, threads))| {
                threads.0.iter().map(move |&(thread, _)| (role, at, *writes, thread))
            })
            .collect();
        // With more roles than have representatives, not every pair can be shown.
        if self.roles.len() > MOST_ROLES {
            accesses.truncate(MOST_PAIRED);
        }
        for (number, &(role, at, writes, thread)) in accesses.iter().enumerate() {
            for &(other_role, other_at, other_writes, other) in &accesses[number..] {
                if thread == other || !(writes || other_writes) {
                    continue;
                }
                let kinship = self.kinship(thread, other);
                let first = |thread: usize| self.roles[self.threads[thread].role][0] == thread;
                let score = usize::from(first(thread)) + usize::from(first(other));
                let found = (score, [thread, other]);
                let best = out.entry((role, at, other_role, other_at, kinship)).or_insert(found);
                if best.0 < score {
                    *best = found;
                }
            }
        }
    }

    /// The threads that stand for the roles, by launch.
    fn standing(&self, meetings: &Meetings, geometries: &[Geometry]) -> Vec<BTreeSet<Index>> {
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        for (role, members) in self.roles.iter().enumerate().take(MOST_ROLES) {
            let first = members[0];
            chosen.insert(first);
            if self.computes[role] || self.divides[role] {
                let same_cta = |&&thread: &&usize| self.cta(thread) == self.cta(first);
                chosen.extend(members.iter().skip(1).find(same_cta));
                let last = members.iter().map(|&thread| self.cta(thread)).max();
                chosen.extend(members.iter().find(|&&thread| Some(self.cta(thread)) == last));
            }
        }
        let mut by_score: Vec<_> = meetings.iter().collect();
        by_score.sort_by_key(|(_, (score, _))| std::cmp::Reverse(*score));
        let mut shown: FxHashSet<(usize, usize, Nearness)> = FxHashSet::default();
        let mut sharing: FxHashSet<(usize, usize, Kinship)> = FxHashSet::default();
        let (mut further, mut others) = (Vec::new(), Vec::new());
        for (&(role, _, other, _, kinship), (_, pair)) in by_score {
            let is_first = shown.insert((role, other, kinship.nearness));
            if !sharing.insert((role, other, kinship)) {
                others.push(pair);
            } else if !is_first {
                further.push(pair);
            } else if chosen.len() < MOST_REPRESENTATIVES {
                chosen.extend(pair);
            }
        }
        for neighbours in self.neighbours() {
            self.add_within(&mut chosen, &neighbours, MOST_REPRESENTATIVES, geometries);
        }
        let odd = chosen.iter().copied().filter(|&thread| self.is_odd(thread)).collect();
        let mut around: BTreeSet<usize> = odd;
        for _ in 0..PARTNERS_OF_PARTNERS {
            let partners = self.partners(&around);
            for &partner in &partners {
                self.add_within(&mut chosen, &[partner], MOST_WITH_EVERY_PAIR, geometries);
            }
            around.extend(partners);
        }
        for pair in further.into_iter().chain(others) {
            self.add_within(&mut chosen, pair, MOST_WITH_EVERY_PAIR, geometries);
        }
        self.by_launch(&chosen, geometries.len())
    }

    /// Adds threads to the chosen ones unless there are more than so many then, with those that they have to
    /// stay together with.
    fn add_within(
        &self,
        chosen: &mut BTreeSet<usize>,
        threads: &[usize],
        most: usize,
        geometries: &[Geometry],
    ) {
        let more: BTreeSet<usize> = chosen.iter().chain(threads).copied().collect();
        if more.len() == chosen.len() {
            return;
        }
        let mut closed = self.by_launch(&more, geometries.len());
        for (number, geometry) in geometries.iter().enumerate() {
            self.keep_together(&mut closed[number], number, geometry);
        }
        if closed.iter().map(BTreeSet::len).sum::<usize>() <= most {
            *chosen = more;
        }
    }

    fn by_launch(&self, threads: &BTreeSet<usize>, launches: usize) -> Vec<BTreeSet<Index>> {
        let mut out = vec![BTreeSet::new(); launches];
        for &thread in threads {
            out[self.threads[thread].launch].insert(self.threads[thread].index);
        }
        out
    }

    /// Adds the threads that the behaviour of the chosen threads depends on.
    fn keep_together(&self, chosen: &mut BTreeSet<Index>, launch: usize, geometry: &Geometry) {
        let (_, in_cta) = sizes(geometry);
        let ctas: BTreeSet<u32> = chosen.iter().map(|index| index.cta).collect();
        // Ranks in a cluster count the CTAs that are there.
        for cta in ctas.iter().flat_map(|&cta| geometry.cluster_of(cta)) {
            if !ctas.contains(&cta) {
                chosen.insert(Index { cta, thread: 0 });
            }
        }
        if self.counts[launch] {
            let ctas: BTreeSet<u32> = chosen.iter().map(|index| index.cta).collect();
            let whole = |cta: u32| (0..in_cta).map(move |thread| Index { cta, thread });
            chosen.extend(ctas.into_iter().flat_map(whole));
        } else if self.exchanges[launch] {
            let warps: BTreeSet<(u32, u32)> =
                chosen.iter().map(|index| (index.cta, index.thread / WARP)).collect();
            for (cta, warp) in warps {
                let lanes = (warp * WARP..(warp + 1) * WARP).filter(|&thread| thread < in_cta);
                chosen.extend(lanes.map(|thread| Index { cta, thread }));
            }
        }
    }

    /// The roles of the chosen threads, each with its name.
    fn named_roles(
        &self,
        chosen: &[BTreeSet<Index>],
        geometries: &[Geometry],
    ) -> Vec<(String, Vec<(usize, Index)>)> {
        let mut shown: BTreeMap<usize, Vec<(usize, Index)>> = BTreeMap::new();
        for thread in &self.threads {
            if chosen[thread.launch].contains(&thread.index) {
                shown.entry(thread.role).or_default().push((thread.launch, thread.index));
            }
        }
        let named = |(role, members): (usize, Vec<(usize, Index)>)| {
            let launch = members[0].0;
            (role_name(self, launch, role, &geometries[launch]), members)
        };
        shown.into_iter().map(named).collect()
    }

    fn followed(&self, meetings: &Meetings) -> Followed {
        let is_apart = meetings.is_empty() && !self.computes.contains(&true);
        match self.is_whole && self.roles.len() <= MOST_ROLES {
            false => Followed::Some,
            true if self.is_unplaced || self.may_meet_in_parts() => Followed::Unplaced,
            true if is_apart => Followed::Apart,
            true => Followed::All,
        }
    }

    /// Whether an access to an unknown part of a variable may meet another access to the variable, one of them
    /// writing.
    fn may_meet_in_parts(&self) -> bool {
        self.parts.iter().any(|&(variable, writes)| {
            let is_write = |touch: &Touch| touch.variable == variable && touch.writes;
            writes
                || self.parts.contains(&(variable, true))
                || self.touches.iter().any(|(_, touch)| is_write(touch))
        })
    }
}

/// A place in memory: the variable, the CTA that it belongs to, and the number of a stretch of bytes in which
/// no access begins or ends.
pub(super) type Cell = (usize, Option<(usize, u32)>, usize);

/// Where accesses to each variable begin and end, in order.
pub(super) fn bounds(touches: &[(usize, Touch)]) -> FxHashMap<usize, Vec<u64>> {
    let mut bounds: FxHashMap<usize, Vec<u64>> = FxHashMap::default();
    for (_, touch) in touches {
        let own = bounds.entry(touch.variable).or_default();
        own.extend([touch.offset, touch.offset + touch.bytes]);
    }
    for own in bounds.values_mut() {
        own.sort_unstable();
        own.dedup();
    }
    bounds
}

/// A property that distinguishes the threads of a role from the other followed threads.
fn role_name(follow: &Follow, launch: usize, role: usize, geometry: &Geometry) -> String {
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
    let of_launch = || follow.threads.iter().filter(|thread| thread.launch == launch);
    let fits = |is: &dyn Fn(Index) -> bool| of_launch().all(|t| is(t.index) == (t.role == role));
    if let Some((name, _)) = PROPERTIES.iter().find(|(_, is)| fits(&|at| is(at, sizes))) {
        return (*name).to_owned();
    }
    let range = |number: fn(&Index) -> u32| {
        let of_role = || of_launch().filter(|thread| thread.role == role);
        let numbers = || of_role().map(|thread| number(&thread.index));
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
