//! Barriers, most with thread counts, against a machine that takes one step of one thread after the
//! other: it marks arrivals, resets a barrier when the count is reached, and sees a thread come
//! back to a barrier at which its arrival still counts (PTX-9.7.13.1).
//!
//! The machine shares nothing with the tool but the text of programs. `PTXMC_BARRIERS_CASES` and
//! `PTXMC_BARRIERS_SEED` make the random part longer or another one.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::support;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use ptxmc::Progress;
use ptxmc::testing::check::{HangKind, Settings, check, hang, states};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Engine;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::verdict::{Kind, Undecided, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What a thread does; barriers 0 and 1 have counts, barrier 2 is for all threads. Number 3 is barrier
/// 0 with a count of one warp more, number 5 is barrier 2 with the count of all warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Sync(usize),
    Arrive(usize),
    /// A reduction over the predicates of threads; its result is the new predicate.
    Reduce(Reduction, usize),
    ClusterArrive,
    ClusterWait,
    /// Stores a flag.
    Set,
    /// Waits for the flag.
    Wait,
    /// Loads the flag as the new predicate.
    Look,
    /// Loads a variable with this value, that nobody stores to, as the new predicate.
    Load(bool),
    /// Loads at an odd address if the predicate holds.
    Odd,
}

impl Act {
    /// Whether it has to do with memory alone, and waits for nothing.
    fn is_access(self) -> bool {
        matches!(self, Self::Set | Self::Look | Self::Load(_) | Self::Odd)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reduction {
    /// Whether so many predicates hold.
    Count(usize),
    And,
    Or,
}

/// What a thread does if its predicate has some value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    act: Act,
    when: Option<bool>,
}

impl From<Act> for Step {
    fn from(act: Act) -> Self {
        Self { act, when: None }
    }
}

#[derive(Clone, Debug)]
struct Program {
    threads: Vec<Vec<Step>>,
    /// How many warps the barriers with counts are for.
    counts: [usize; 2],
    /// Whether the first two threads are one warp; else every thread is one.
    mates: bool,
}

impl Program {
    fn text(&self) -> String {
        let mut out = String::from(
            "PTX barriers\n.shared .u32 x = 0;\n.shared .u32 y = 0;\n.shared .u32 one = 1;\n",
        );
        for (thread, steps) in self.threads.iter().enumerate() {
            let warp = self.warp(thread);
            writeln!(out, "P{thread} @ gpu 0, cluster 0, cta 0, warp {warp} {{").unwrap();
            let predicates = self.has_predicates();
            if predicates {
                out += "  setp.ne.u32 %p2, 0, 0;\n";
            }
            for (at, step) in steps.iter().enumerate() {
                let guard = match step.when {
                    None => "",
                    Some(true) => "@%p2 ",
                    Some(false) => "@!%p2 ",
                };
                for part in self.instructions(step.act, at).split_inclusive("; ") {
                    let (label, part) = part.split_once(": ").unwrap_or(("", part));
                    let colon = if label.is_empty() { "" } else { ": " };
                    writeln!(out, "  {label}{colon}{guard}{}", part.trim_end()).unwrap();
                }
            }
            if predicates {
                out += "  selp.u32 %r9, 1, 0, %p2;\n";
            }
            out += "}\n";
        }
        if !self.has_predicates() {
            return out + "exists (y == 0)\n";
        }
        let all: Vec<String> =
            (0..self.threads.len()).map(|thread| format!("P{thread}:%r9 <= 1")).collect();
        out + &format!("exists ({})\n", all.join(" /\\ "))
    }

    fn instructions(&self, act: Act, at: usize) -> String {
        let count = |barrier: usize| match self.count_of(barrier) {
            Some(warps) => format!("{}, {}", barrier % 3, 32 * warps),
            None => barrier.to_string(),
        };
        match act {
            Act::Sync(b) => format!("barrier.sync {};", count(b)),
            Act::Arrive(b) => format!("barrier.arrive {};", count(b)),
            Act::Reduce(Reduction::Count(n), b) => {
                let at = count(b);
                format!("barrier.red.popc.u32 %r3, {at}, %p2; setp.eq.u32 %p2, %r3, {n};")
            }
            Act::Reduce(Reduction::And, b) => {
                format!("barrier.red.and.pred %p2, {}, %p2;", count(b))
            }
            Act::Reduce(Reduction::Or, b) => format!("barrier.red.or.pred %p2, {}, %p2;", count(b)),
            Act::ClusterArrive => "barrier.cluster.arrive;".to_owned(),
            Act::ClusterWait => "barrier.cluster.wait;".to_owned(),
            Act::Set => "st.release.cta.u32 [x], 1;".to_owned(),
            Act::Wait => format!(
                "L{at}: ld.acquire.cta.u32 %r1, [x]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L{at};"
            ),
            Act::Look => "ld.acquire.cta.u32 %r2, [x]; setp.ne.u32 %p2, %r2, 0;".to_owned(),
            Act::Load(value) => {
                let name = if value { "one" } else { "y" };
                format!("ld.u32 %r2, [{name}]; setp.ne.u32 %p2, %r2, 0;")
            }
            Act::Odd => "selp.u64 %rd1, 1, 0, %p2; mov.u64 %rd2, y; add.u64 %rd2, %rd2, %rd1; \
                         ld.shared.u32 %r4, [%rd2];"
                .to_owned(),
        }
    }

    /// How many warps the barrier is for.
    fn count_of(&self, barrier: usize) -> Option<usize> {
        match barrier {
            2 => None,
            3 => Some(self.counts[0] + 1),
            5 => Some((0..self.threads.len()).map(|t| self.warp(t)).collect::<BTreeSet<_>>().len()),
            counted => Some(self.counts[counted]),
        }
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.threads.iter().flatten()
    }

    /// Whether a thread comes to a barrier, or stores the flag, behind a load of the flag that decides
    /// nothing but loads. The load may happen when the thread has ended, or when another one has ended that has
    /// seen the flag, where nobody who waits comes to know of it: that a thread ends orders nothing.
    fn loads_late(&self) -> bool {
        let loads = |step: &Step| matches!(step.act, Act::Look | Act::Load(_));
        let idle = |step: &Step| {
            (step.when.is_none() || loads(step)) && !matches!(step.act, Act::Reduce(..))
        };
        let meets = |step: &Step| !step.act.is_access() || step.act == Act::Set;
        self.threads.iter().any(|steps| {
            let looks = (0..steps.len()).filter(|&at| steps[at].act == Act::Look);
            let mut behind = looks.map(|at| &steps[at + 1..]);
            behind.any(|rest| rest.iter().all(idle) && rest.iter().any(meets))
        })
    }

    /// Whether it may not be found that threads wait at a barrier: operations there ask for something
    /// in different words or numbers, or a thread goes on from there when the others of its warp have
    /// come.
    fn may_hide_a_wait(&self) -> bool {
        if self.mates && self.steps().any(|step| matches!(step.act, Act::Arrive(_))) {
            return true;
        }
        let numbers: BTreeSet<usize> = self
            .steps()
            .filter_map(|step| match step.act {
                Act::Sync(b) | Act::Arrive(b) | Act::Reduce(_, b) => Some(b),
                _ => None,
            })
            .collect();
        numbers.iter().any(|&b| numbers.contains(&(b + 3)))
    }

    fn has_predicates(&self) -> bool {
        let sets = |act| matches!(act, Act::Look | Act::Load(_) | Act::Reduce(..) | Act::Odd);
        self.steps().any(|step| step.when.is_some() || sets(step.act))
    }
}

/// What a thread does that has come to a barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stay {
    /// Waits for the others of its warp, with which it arrives.
    Arrives,
    /// It has gone on.
    Arrived,
    /// Waits for the barrier to be complete.
    Waits,
}

/// A thread at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    stay: Stay,
    /// The number that it came with.
    number: usize,
    reduction: Option<Reduction>,
    /// Its predicate.
    vote: bool,
    /// Whether the flag was stored before it came.
    saw: bool,
}

/// What the machine knows between two steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The next instruction of each thread.
    at: Vec<usize>,
    /// The predicate of each thread.
    predicates: Vec<bool>,
    /// Arrivals that the accesses behind them overtake, with whether the flag was stored before.
    late: Vec<Vec<(Act, bool)>>,
    /// The threads that have come to each barrier since it was reset.
    here: [BTreeMap<usize, Visit>; 3],
    /// Threads that have arrived at a barrier that nobody waited at when it was complete, so that
    /// nothing says that it has been reset; with the number that they came with.
    unnoticed: BTreeSet<(usize, usize, usize)>,
    /// How often each thread has come to arrive and to wait at the barrier of the cluster.
    cluster: Vec<(u32, u32)>,
    /// Whether it is still at the last of these.
    at_cluster: Vec<bool>,
    /// How often that barrier was complete.
    phases: u32,
    /// Whether the flag was stored before the arrivals of its last phase, and of this one.
    cluster_saw: [bool; 2],
    /// Whether the flag has been stored.
    flag: bool,
    /// The threads before whose next step it was stored, so that they cannot load the old value.
    saw: Vec<bool>,
}

#[derive(Default)]
struct Runs {
    undefined: bool,
    /// Whether threads come to one barrier with different counts.
    differ: bool,
    /// Whether one comes with another count than those had whose reset nobody noticed.
    unnoticed: bool,
    /// The predicates of threads in the end.
    complete: BTreeSet<Vec<bool>>,
    /// Whether threads wait at barriers for ever, and whether they do so while nobody stays in a loop.
    stuck: [bool; 2],
}

impl State {
    /// Whether a thread stays at a barrier.
    fn stays(&self, thread: usize) -> bool {
        let stays = |visit: &Visit| visit.stay != Stay::Arrived;
        self.at_cluster[thread] || self.here.iter().any(|here| here.get(&thread).is_some_and(stays))
    }

    /// Whether a thread is at a barrier with another count than those had whose reset nobody noticed.
    fn has_unnoticed_count(&self) -> bool {
        self.unnoticed.iter().any(|&(other, barrier, number)| {
            let mut here = self.here[barrier].iter();
            barrier != 2 && here.any(|(&t, visit)| t != other && visit.number != number)
        })
    }
}

/// What is undefined about a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    DifferentCounts,
    Other,
}

/// A step leads to other states or is undefined.
type Next = Result<State, Wrong>;

impl Program {
    fn warp(&self, thread: usize) -> usize {
        if self.mates { thread.saturating_sub(1) } else { thread }
    }

    fn runs(&self) -> Runs {
        let count = self.threads.len();
        let start = State {
            at: vec![0; count],
            predicates: vec![false; count],
            late: vec![Vec::new(); count],
            here: Default::default(),
            unnoticed: BTreeSet::new(),
            cluster: vec![(0, 0); count],
            at_cluster: vec![false; count],
            phases: 0,
            cluster_saw: [false; 2],
            flag: false,
            saw: vec![false; count],
        };
        let (mut runs, mut known, mut open) = (Runs::default(), BTreeSet::new(), vec![start]);
        while let Some(state) = open.pop() {
            if !known.insert(state.clone()) {
                continue;
            }
            if (0..count).all(|t| self.has_ended(&state, t)) {
                runs.complete.insert(state.predicates.clone());
            }
            let mut is_last = true;
            for thread in 0..count {
                for next in self.next(&state, thread) {
                    is_last = false;
                    match next {
                        Ok(mut next) => {
                            runs.unnoticed |= next.has_unnoticed_count();
                            self.complete(&mut next);
                            open.push(next);
                        }
                        Err(wrong) => {
                            runs.undefined = true;
                            runs.differ |= wrong == Wrong::DifferentCounts;
                        }
                    }
                }
            }
            if is_last && (0..count).any(|t| state.stays(t)) {
                let waits = |t: usize| state.stays(t) || self.has_ended(&state, t);
                runs.stuck = [true, runs.stuck[1] || (0..count).all(waits)];
            }
        }
        runs
    }

    fn has_ended(&self, state: &State, thread: usize) -> bool {
        !state.stays(thread)
            && state.late[thread].is_empty()
            && state.at[thread] == self.threads[thread].len()
    }

    /// Whether barriers do without a thread. What is left to it may be accesses that nothing keeps
    /// from happening later.
    fn is_gone(&self, state: &State, thread: usize) -> bool {
        let is_access = |step: &Step| step.act.is_access();
        !state.stays(thread)
            && state.late[thread].is_empty()
            && self.threads[thread][state.at[thread]..].iter().all(is_access)
    }

    /// The next steps that a thread can take.
    fn next(&self, state: &State, thread: usize) -> Vec<Next> {
        if state.stays(thread) {
            return Vec::new();
        }
        let mut out = Vec::new();
        if let Some(&(act, saw)) = state.late[thread].first() {
            let mut next = state.clone();
            next.late[thread].remove(0);
            out.push(Self::arrive_or_wait(next, thread, act, saw));
        }
        let Some(step) = self.threads[thread].get(state.at[thread]) else { return out };
        let mut next = state.clone();
        next.at[thread] += 1;
        if step.when.is_some_and(|value| value != state.predicates[thread]) {
            out.push(Ok(next));
            return out;
        }
        let loads = |value: bool| {
            let mut next = next.clone();
            next.predicates[thread] = value;
            next.saw[thread] |= value;
            Ok(next)
        };
        let saw = state.saw[thread];
        match step.act {
            Act::Set => {
                next.flag = true;
                next.saw[thread] = true;
                out.push(Ok(next));
            }
            Act::Wait if state.flag => {
                next.saw[thread] = true;
                out.push(Ok(next));
            }
            Act::Wait => {}
            Act::Look => {
                out.extend((!saw).then(|| loads(false)));
                out.extend(state.flag.then(|| loads(true)));
            }
            Act::Odd if next.predicates[thread] => out.push(Err(Wrong::Other)),
            Act::Odd => out.push(Ok(next)),
            Act::Load(value) => {
                next.predicates[thread] = value;
                out.push(Ok(next));
            }
            // Nothing keeps accesses behind an arrival back, but a thread stays until the others of
            // its warp arrive too.
            Act::ClusterArrive | Act::Arrive(_) if !self.mates || thread > 1 => {
                next.late[thread].push((step.act, saw));
                out.push(Ok(next));
            }
            act if state.late[thread].is_empty() => {
                out.push(Self::arrive_or_wait(next, thread, act, saw));
            }
            _ => {}
        }
        out
    }

    /// The step of a thread to a barrier; an error where that is undefined.
    fn arrive_or_wait(mut next: State, thread: usize, act: Act, saw: bool) -> Next {
        let vote = next.predicates[thread];
        let mut visit = Visit { stay: Stay::Waits, number: 0, reduction: None, vote, saw };
        let barrier = match act {
            Act::ClusterArrive | Act::ClusterWait => {
                let (arrived, waited) = &mut next.cluster[thread];
                if (act == Act::ClusterArrive) == (arrived > waited) {
                    return Err(Wrong::Other);
                }
                match act {
                    Act::ClusterArrive => {
                        *arrived += 1;
                        next.cluster_saw[1] |= saw;
                    }
                    _ => *waited += 1,
                }
                next.at_cluster[thread] = true;
                return Ok(next);
            }
            Act::Arrive(barrier) => {
                visit.stay = Stay::Arrives;
                barrier
            }
            Act::Reduce(reduction, barrier) => {
                visit.reduction = Some(reduction);
                barrier
            }
            Act::Sync(barrier) => barrier,
            _ => unreachable!("an access"),
        };
        visit.number = barrier;
        let barrier = barrier % 3;
        let differs = |(&other, at): (&usize, &Visit)| {
            other != thread && at.number != visit.number && barrier != 2
        };
        if next.here[barrier].iter().any(differs) {
            return Err(Wrong::DifferentCounts);
        }
        let mixed = |other: &Visit| other.reduction.is_some() != visit.reduction.is_some();
        if next.here[barrier].values().any(mixed) {
            return Err(Wrong::Other);
        }
        let before = next.here[barrier].insert(thread, visit);
        let mut unnoticed = next.unnoticed.iter().map(|&(thread, at, _)| (thread, at));
        if before.is_some() || unnoticed.any(|own| own == (thread, barrier)) {
            return Err(Wrong::Other);
        }
        Ok(next)
    }

    /// Completes the barriers for all, which do without the threads that have ended; who goes on
    /// may end and so complete another one.
    fn complete(&self, state: &mut State) {
        loop {
            let ended: Vec<bool> =
                (0..self.threads.len()).map(|thread| self.is_gone(state, thread)).collect();
            let all = |here: &dyn Fn(usize) -> bool| (0..ended.len()).all(|t| ended[t] || here(t));
            let uncounted = state.here[2].values().all(|visit| visit.number == 2);
            if uncounted && !state.here[2].is_empty() && all(&|t| state.here[2].contains_key(&t)) {
                let arrived: Vec<usize> = state.here[2].keys().copied().collect();
                Self::reset(state, 2, &arrived);
                continue;
            }
            let arrived = |t: usize| state.cluster[t].0 > state.phases;
            if (0..ended.len()).any(arrived) && all(&arrived) {
                state.phases += 1;
                state.cluster_saw = [state.cluster_saw[1], false];
                continue;
            }
            let leaves = (0..ended.len()).find(|&t| self.leaves_cluster(state, t, &ended));
            if let Some(thread) = leaves {
                let (arrived, waited) = state.cluster[thread];
                state.saw[thread] |= arrived == waited && state.cluster_saw[0];
                state.at_cluster[thread] = false;
                continue;
            }
            let counted = if uncounted { 0..2 } else { 0..3 };
            if !counted.into_iter().any(|barrier| self.count(state, barrier, &ended)) {
                return;
            }
        }
    }

    /// Whether a thread goes on that is at the barrier of the cluster: when the others of its warp have
    /// come to arrive or to wait there too, and if it waits, when the phase is complete.
    fn leaves_cluster(&self, state: &State, thread: usize, ended: &[bool]) -> bool {
        let (arrived, waited) = state.cluster[thread];
        let waits = arrived == waited;
        let comes = |(other_arrived, other_waited): (u32, u32)| {
            if waits { other_waited >= waited } else { other_arrived >= arrived }
        };
        let mut mates =
            (0..ended.len()).filter(|&t| t != thread && self.warp(t) == self.warp(thread));
        state.at_cluster[thread]
            && (!waits || state.phases >= waited)
            && mates.all(|t| ended[t] || comes(state.cluster[t]))
    }

    /// Lets threads go on that have met at a barrier.
    fn reset(state: &mut State, barrier: usize, threads: &[usize]) {
        let visits: Vec<Visit> =
            threads.iter().filter_map(|t| state.here[barrier].remove(t)).collect();
        let saw = visits.iter().any(|visit| visit.saw);
        let holds = visits.iter().filter(|visit| visit.vote).count();
        for (&thread, visit) in threads.iter().zip(&visits) {
            if visit.stay == Stay::Waits {
                state.saw[thread] |= saw;
            }
            match visit.reduction {
                None => {}
                Some(Reduction::Count(n)) => state.predicates[thread] = holds == n,
                Some(Reduction::And) => state.predicates[thread] = holds == visits.len(),
                Some(Reduction::Or) => state.predicates[thread] = holds > 0,
            }
        }
    }

    /// Marks the arrivals of warps at a barrier with a count, and resets it when there are enough.
    fn count(&self, state: &mut State, barrier: usize, ended: &[bool]) -> bool {
        let here = &mut state.here[barrier];
        let mut warps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for thread in 0..ended.len() {
            warps.entry(self.warp(thread)).or_default().push(thread);
        }
        warps.retain(|_, mates| {
            mates.iter().any(|t| here.contains_key(t))
                && mates.iter().all(|t| here.contains_key(t) || ended[*t])
        });
        let threads = warps.values().flatten().copied();
        let arrived: Vec<usize> = threads.filter(|t| here.contains_key(t)).collect();
        let number = here.values().map(|visit| visit.number).max().unwrap_or(barrier);
        if Some(warps.len()) == self.count_of(number) {
            let waited = arrived.iter().any(|t| here[t].stay == Stay::Waits);
            // A warp that comes alone knows that it has completed the barrier.
            let unnoticed = arrived.iter().filter(|_| !waited && warps.len() > 1);
            let unnoticed = unnoticed.map(|&thread| (thread, barrier, here[&thread].number));
            state.unnoticed.extend(unnoticed);
            Self::reset(state, barrier, &arrived);
            return true;
        }
        let mut changed = false;
        for thread in arrived {
            let visit = here.get_mut(&thread).expect("it has arrived");
            if visit.stay == Stay::Arrives {
                visit.stay = Stay::Arrived;
                changed = true;
            }
        }
        changed
    }
}

/// What was found of random programs.
#[derive(Debug, Default)]
struct Tally {
    /// Verdicts that take a reset which nobody notices for none.
    unnoticed: usize,
    verdicts: BTreeMap<Kind, usize>,
    /// Programs with predicates.
    branching: usize,
    /// Whose predicates an engine listed, and how many there were.
    listed: usize,
    outcomes: usize,
    /// Answers of engines that leave such programs to others.
    unsupported: usize,
    /// Answers that lack something of the machine's, where reductions depend on too much.
    lacking: usize,
    /// Answers that have more, by loads that the machine makes too early.
    late: usize,
}

fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(SearchEngine::default()),
        Box::new(Enumerate::default()),
        #[cfg(feature = "z3")]
        Box::new(ptxmc::testing::solve::z3::Z3Engine::default()),
    ]
}

/// Whether the tool says of a program what the machine says.
fn agrees(
    program: &Program,
    model: &Model,
    engines: &[Box<dyn Engine>],
    tally: &mut Tally,
) -> Result<(), String> {
    let test = support::parse("barriers.litmus", program.text().as_bytes())?;
    let runs = program.runs();
    let complete = !runs.complete.is_empty();
    let behind = program.steps().any(|step| step.when.is_some());
    // What a reduction at a barrier with a count returns is taken to depend on whatever any other
    // thread votes there, so that executions are missing in which it votes in another turn.
    let counted = |step: &Step| matches!(step.act, Act::Reduce(_, 0 | 1));
    let lacks = program.steps().any(counted);
    let wrong = |engine: &dyn Engine, says: &str| {
        let (undefined, complete) = (runs.undefined, &runs.complete);
        let text = program.text();
        let name = engine.name();
        Err(format!(
            "{text}\n{name}: {says}, but some run is undefined: {undefined}, complete: {complete:?}"
        ))
    };
    // Where loops and branches decide who comes with different counts, some are left undecided.
    let other_count = |step: &Step| matches!(step.act, Act::Sync(3) | Act::Arrive(3));
    let waits = program.steps().any(|step| step.act == Act::Wait);
    let differ = (behind || waits) && program.steps().any(other_count);
    // So are some where a thread waits in a loop for which others of its warp wait at a barrier.
    let open = program.has_predicates() || differ || (waits && program.mates);
    let mut seen = None;
    let settings = Settings::default().with_bound(2).with_progress(Progress::Fair);
    let outcome = check(&test, model, engines[0].as_ref(), settings);
    let answer = hang(&test, model, engines[0].as_ref(), settings, &outcome).kind();
    let differs = match answer {
        // A thread that waits in a loop may hang though nobody waits at a barrier.
        HangKind::Possible => !runs.stuck[0] && !waits,
        HangKind::Never => runs.stuck[1],
        HangKind::Unknown => false,
    };
    if differs && !runs.undefined {
        return wrong(engines[0].as_ref(), &format!("a hang is {}", answer.name()));
    }
    for engine in engines {
        let engine = engine.as_ref();
        let verdict = check(&test, model, engine, Settings::default().with_bound(2)).verdict;
        let right = match &verdict {
            Verdict::Undefined(_) if !runs.undefined && program.loads_late() => {
                tally.late += 1;
                continue;
            }
            // Where values decide who comes, only what somebody notices makes sure of a reset.
            Verdict::Undefined(_) if !runs.undefined && runs.unnoticed => {
                tally.unnoticed += 1;
                continue;
            }
            Verdict::Undefined(_) => runs.undefined,
            Verdict::Allowed(_) => complete && !runs.undefined,
            Verdict::Deadlock(_) => !complete && !runs.undefined && runs.stuck[0],
            Verdict::Forbidden(_) => {
                !complete && !runs.undefined && (!runs.stuck[1] || program.may_hide_a_wait())
            }
            Verdict::Unknown(Undecided::Unsupported(_)) if open => {
                tally.unsupported += 1;
                continue;
            }
            _ => false,
        };
        let less = match &verdict {
            Verdict::Allowed(_) => complete,
            other => !matches!(other, Verdict::Undefined(_) | Verdict::Error(_)),
        };
        if !right && lacks && less {
            tally.lacking += 1;
            continue;
        }
        if !right {
            return wrong(engine, verdict.kind().name());
        }
        seen = Some(verdict.kind());
        if program.has_predicates() && matches!(verdict, Verdict::Allowed(_)) {
            let Ok((found, _)) = states(&test, model, engine, Settings::default().with_bound(2))
            else {
                continue;
            };
            let found = found.states.into_iter().map(|(state, _)| state);
            let found: BTreeSet<Vec<bool>> =
                found.map(|state| state.iter().map(|&bit| bit != 0).collect()).collect();
            if found != runs.complete && lacks && found.is_subset(&runs.complete) {
                tally.lacking += 1;
                continue;
            }
            if found != runs.complete && program.loads_late() && found.is_superset(&runs.complete) {
                tally.late += 1;
                continue;
            }
            if found != runs.complete {
                return wrong(engine, &format!("{found:?}"));
            }
            tally.listed += 1;
            tally.outcomes += found.len();
        }
    }
    tally.branching += usize::from(program.has_predicates());
    if let Some(kind) = seen {
        *tally.verdicts.entry(kind).or_default() += 1;
    }
    Ok(())
}

/// All sequences of at most so many of these.
fn sequences(acts: &[Act], most: usize) -> Vec<Vec<Step>> {
    let mut out = vec![Vec::new()];
    let mut last = out.clone();
    for _ in 0..most {
        let longer = |sequence: &Vec<Step>| {
            let sequence = sequence.clone();
            acts.iter().map(move |&act| [&sequence[..], &[act.into()]].concat())
        };
        last = last.iter().flat_map(longer).collect();
        out.extend(last.iter().cloned());
    }
    out
}

#[test]
fn two_threads_at_one_barrier() {
    let model = support::model("ptx-9.2");
    let all = sequences(&[Act::Sync(0), Act::Arrive(0)], 4);
    let mut tally = Tally::default();
    for first in &all {
        for second in &all {
            let threads = vec![first.clone(), second.clone()];
            let program = Program { threads, counts: [2, 2], mates: false };
            agrees(&program, &model, &engines()[..2], &mut tally)
                .unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }
}

const PLAIN: &[Act] = &[
    Act::Sync(0),
    Act::Arrive(0),
    Act::Sync(1),
    Act::Arrive(1),
    Act::Sync(2),
    Act::ClusterArrive,
    Act::ClusterWait,
    Act::Set,
    Act::Wait,
];

/// Programs in which predicates decide who comes to a barrier.
fn branching() -> impl Strategy<Value = Program> {
    let reduction = prop_oneof![
        (0..3_usize).prop_map(Reduction::Count),
        Just(Reduction::And),
        Just(Reduction::Or)
    ];
    let values = select(&[Act::Look, Act::Load(true), Act::Load(false), Act::Set, Act::Look][..]);
    let act = prop_oneof![
        4 => select(PLAIN),
        3 => values,
        2 => (reduction, 0..3_usize).prop_map(|(reduction, at)| Act::Reduce(reduction, at)),
    ];
    let step = (act, prop::option::weighted(0.35, any::<bool>())).prop_map(|(act, when)| Step {
        act,
        // A loop is not one instruction.
        when: when.filter(|_| act != Act::Wait),
    });
    let threads = (2..4_usize, 1..4_usize).prop_flat_map(move |(count, most)| {
        prop::collection::vec(prop::collection::vec(step.clone(), 0..=most), count)
    });
    // At most barriers either all operations are reductions or none is.
    let pure = [any::<bool>(), any::<bool>(), any::<bool>()];
    let pure = (pure, prop::bool::weighted(0.15));
    (threads, [1..4_usize, 1..4_usize], any::<bool>(), pure).prop_map(
        |(mut threads, counts, mates, (reduces, mixed))| {
            for step in threads.iter_mut().flatten().filter(|_| !mixed) {
                step.act = match step.act {
                    Act::Sync(b) if reduces[b] => Act::Reduce(Reduction::Or, b),
                    Act::Arrive(b) if reduces[b] => Act::Reduce(Reduction::Count(1), b),
                    Act::Reduce(_, b) if !reduces[b] => Act::Sync(b),
                    other => other,
                };
            }
            Program { threads, counts, mates }
        },
    )
}

fn compare(programs: &impl Strategy<Value = Program>, factor: u64) -> Tally {
    let model = support::model("ptx-9.2");
    let (cases, mut runner) = support::random::drawn("BARRIERS");
    let (mut tally, engines) = (Tally::default(), engines());
    for case in 0..cases * factor {
        let program = programs.new_tree(&mut runner).expect("a program").current();
        // The solver takes several times as long as the others together.
        let solver = case.is_multiple_of(3);
        let engines = if solver { &engines[..] } else { &engines[..2] };
        agrees(&program, &model, engines, &mut tally).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    println!("{tally:?}");
    for kind in [Kind::Undefined, Kind::Allowed, Kind::Deadlock] {
        assert!(tally.verdicts.contains_key(&kind), "no program is {}: {tally:?}", kind.name());
    }
    tally
}

#[test]
fn random_programs_at_several_barriers() {
    let act = select(PLAIN).prop_map(Step::from);
    let threads = (2..4_usize, 1..4_usize).prop_flat_map(move |(count, most)| {
        prop::collection::vec(prop::collection::vec(act.clone(), 0..=most), count)
    });
    let programs = (threads, [1..4_usize, 1..4_usize], any::<bool>())
        .prop_map(|(threads, counts, mates)| Program { threads, counts, mates });
    compare(&programs, 20);
}

#[test]
fn random_programs_with_branches_and_reductions() {
    let tally = compare(&branching(), 20);
    assert!(tally.listed > 0 && tally.branching > 0, "{tally:?}");
    let known = tally.lacking + tally.late;
    assert!(known * 100 <= tally.branching, "what is known to be inexact is rare: {tally:?}");
}

/// What is undefined if a thread has seen something, before others wait for ever or for it.
#[test]
fn random_programs_with_odd_addresses() {
    let barriers = [
        Act::Sync(0),
        Act::Sync(0),
        Act::Arrive(0),
        Act::Sync(1),
        Act::Sync(2),
        Act::ClusterArrive,
        Act::ClusterWait,
    ];
    let act = prop_oneof![
        5 => select(barriers.to_vec()),
        5 => select(&[Act::Set, Act::Look, Act::Load(true), Act::Odd, Act::Odd][..]),
        1 => Just(Act::Wait),
    ];
    let act = act.prop_map(Step::from);
    let threads = (2..5_usize, 1..5_usize).prop_flat_map(move |(count, most)| {
        prop::collection::vec(prop::collection::vec(act.clone(), 0..=most), count)
    });
    let programs = (threads, [1..4_usize, 1..4_usize], any::<bool>())
        .prop_map(|(threads, counts, mates)| Program { threads, counts, mates });
    compare(&programs, 20);
}

#[test]
fn random_programs_with_different_counts() {
    let act = prop_oneof![
        3 => select(&[Act::Sync(0), Act::Arrive(0), Act::Sync(3), Act::Arrive(3)][..]),
        1 => select(&[Act::Sync(1), Act::Sync(2)][..]),
        2 => select(&[Act::Set, Act::Look, Act::Look, Act::Wait, Act::Load(true)][..]),
    ];
    let step = (act, prop::option::weighted(0.5, any::<bool>()))
        .prop_map(|(act, when)| Step { act, when: when.filter(|_| act != Act::Wait) });
    let threads = (2..4_usize, 1..4_usize).prop_flat_map(move |(count, most)| {
        prop::collection::vec(prop::collection::vec(step.clone(), 0..=most), count)
    });
    let programs = (threads, 1..3_usize, any::<bool>())
        .prop_map(|(threads, warps, mates)| Program { threads, counts: [warps, 2], mates });
    compare(&programs, 20);
}

/// A barrier that threads come to without a count and with that of all threads: without, they wait for
/// those that have not ended.
#[test]
fn random_programs_with_the_count_of_all() {
    let act = prop_oneof![
        3 => select(&[Act::Sync(2), Act::Sync(2), Act::Sync(5), Act::Arrive(5)][..]),
        1 => select(&[Act::Set, Act::Look, Act::Wait, Act::Load(true)][..]),
    ];
    let step = (act, prop::option::weighted(0.2, any::<bool>()))
        .prop_map(|(act, when)| Step { act, when: when.filter(|_| act != Act::Wait) });
    let threads = (2..4_usize, 1..4_usize).prop_flat_map(move |(count, most)| {
        prop::collection::vec(prop::collection::vec(step.clone(), 0..=most), count)
    });
    let programs = (threads, any::<bool>()).prop_map(|(threads, mates)| Program {
        threads,
        counts: [2, 2],
        mates,
    });
    compare(&programs, 20);
}

/// Threads with different counts, of which values decide whether they meet: behind a loop that one of
/// them leaves, or where nobody goes on who has met. Nobody says that they do not.
#[test]
fn counts_that_may_meet_are_not_called_fine() {
    let behind_a_wait = ".global .u32 flag = 0;\n\
        P0 @ cta 0, warp 0 { st.relaxed.gpu.global.u32 [flag], 1; }\n\
        P1 @ cta 0, warp 1 {\nWAIT:\nld.relaxed.gpu.global.u32 %r1, [flag];\n\
        setp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nbarrier.sync 0, 32;\nbarrier.arrive 0, 64;\n}\n\
        P2 @ cta 0, warp 2 { barrier.sync 0, 64; }\nexists (true)\n";
    let in_memory = ".global .u32 n = 64;\n\
        P0 @ cta 0, warp 0 { ld.relaxed.gpu.global.u32 %r1, [n]; barrier.sync 1, %r1; }\n\
        P1 @ cta 0, warp 1 { barrier.sync 1, 64; }\n\
        P2 @ cta 1, warp 0 { st.relaxed.gpu.global.u32 [n], 96; }\nexists (P0:%r1 == 64)\n";
    let behind_branches = ".shared .u32 y = 0;\n\
        P0 @ cta 0, warp 0 { ld.relaxed.cta.shared.u32 %r1, [y]; setp.eq.u32 %p1, %r1, 0;\n\
        @%p1 bar.sync 1, 64; }\n\
        P1 @ cta 0, warp 1 { ld.relaxed.cta.shared.u32 %r1, [y]; setp.eq.u32 %p1, %r1, 0;\n\
        @%p1 bar.sync 1, 96; }\n\
        P2 @ cta 0, warp 2 { st.relaxed.cta.shared.u32 [y], 1; }\nexists (true)\n";
    let model = support::model("ptx-9.2");
    for program in [behind_a_wait, in_memory, behind_branches] {
        let text = format!("PTX counts\n{program}");
        let test = support::parse("counts", text.as_bytes()).expect("it is well formed");
        for engine in engines() {
            let kind =
                check(&test, &model, &*engine, Settings::default().with_bound(2)).verdict.kind();
            let name = engine.name();
            assert!(matches!(kind, Kind::Unknown | Kind::Undefined), "{name}: {kind:?}\n{text}");
        }
    }
}

/// A thread that has waited comes back with another count, when an arrival in either arm of a branch has
/// completed the barrier.
#[test]
fn counts_one_after_the_other_are_no_misuse() {
    let text = "PTX counts\n.global .u32 x = 0;\n\
        P0 @ cta 0, warp 0 { ld.relaxed.gpu.global.u32 %r1, [x]; setp.eq.u32 %p1, %r1, 0;\n\
        @%p1 bra OTHER; bar.arrive 0, 64; bra END; OTHER: bar.arrive 0, 64; END: }\n\
        P1 @ cta 0, warp 1 { st.relaxed.gpu.global.u32 [x], 1;\n\
        bar.sync 0, 64; bar.sync 0, 32; }\nexists (true)\n";
    let test = support::parse("counts", text.as_bytes()).expect("it is well formed");
    let model = support::model("ptx-9.2");
    for engine in engines() {
        let kind = check(&test, &model, &*engine, Settings::default().with_bound(2)).verdict.kind();
        assert!(matches!(kind, Kind::Unknown | Kind::Allowed), "{}: {kind:?}", engine.name());
    }
}

/// A thread that the bound cuts would come to a barrier with a count again, and another one may meet it
/// there: what the barrier orders up to the bound does not show that no loop is cut.
#[test]
fn meetings_beyond_the_bound_are_left_open() {
    let text = "PTX again\n.global .u32 x = 0;\n\
         P0 @ gpu 0, cta 0, warp 0 { mov.u32 %r5, 0; mov.u32 %r9, 7;\n\
         L: bar.sync 0, 64; setp.eq.u32 %p3, %r5, 0; @%p3 ld.relaxed.gpu.global.u32 %r9, [x];\n\
         add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 2; @%p1 bra L;\n\
         setp.eq.u32 %p2, %r9, 0; setp.lt.u32 %p1, %r5, 4; and.pred %p1, %p1, %p2; @%p1 bra L; }\n\
         P1 @ gpu 0, cta 0, warp 1 { bar.sync 0, 64; }\n\
         P2 @ gpu 0, cta 0, warp 2 { st.relaxed.gpu.global.u32 [x], 1; bar.sync 0, 64;\n\
         bar.sync 0, 64; bar.sync 0, 64; }\nexists (P0:%r9 == 0)\n";
    let test = support::parse("again.litmus", text.as_bytes()).expect("a program");
    let model = support::model("ptx-9.2");
    let verdict = |engine: &dyn Engine, bound| {
        check(&test, &model, engine, Settings::default().with_bound(bound)).verdict
    };
    for engine in engines() {
        let engine = engine.as_ref();
        let short = verdict(engine, 2);
        assert!(matches!(short, Verdict::Unknown(Undecided::Bound(_))), "{short:?}");
        assert_eq!(verdict(engine, 4).kind(), Kind::Allowed);
    }
}

#[test]
fn a_loop_that_a_vote_ends_is_cut_by_the_bound() {
    let text = "PTX votes\n.global .u32 x = 0;\n\
         P0 @ gpu 0, cta 0, warp 0 { L: atom.relaxed.gpu.global.add.u32 %r0, [x], 1;\n\
         setp.lt.u32 %p0, %r0, 4; bar.red.or.pred %p1, 0, %p0; @%p1 bra L; }\n\
         P1 @ gpu 0, cta 0, warp 1 { L: atom.relaxed.gpu.global.add.u32 %r0, [x], 1;\n\
         setp.lt.u32 %p0, %r0, 4; bar.red.or.pred %p1, 0, %p0; @%p1 bra L; }\n\
         exists (P0:%r0 == 5)\n";
    let test = support::parse("votes.litmus", text.as_bytes()).expect("a program");
    let model = support::model("ptx-9.2");
    for engine in engines() {
        let settings = Settings::default().with_bound(2);
        let verdict = check(&test, &model, engine.as_ref(), settings).verdict;
        assert!(matches!(verdict, Verdict::Unknown(Undecided::Bound(_))), "{verdict:?}");
    }
}
