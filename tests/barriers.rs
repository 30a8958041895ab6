//! Barriers, most with thread counts, against a machine that takes one step of one thread after the
//! other: it marks arrivals, resets a barrier when the count is reached, and sees a thread come
//! back to a barrier at which its arrival still counts (PTX-9.7.13.1).
//!
//! The machine shares nothing with the tool but the text of programs. `PTXMC_BARRIERS_CASES` and
//! `PTXMC_BARRIERS_SEED` make the random part longer or another one.

mod support;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use ptxmc::check::{Settings, check};
use ptxmc::relation::expr::Model;
use ptxmc::solve::Engine;
use ptxmc::solve::enumerate::Enumerate;
use ptxmc::solve::search::SearchEngine;
use ptxmc::verdict::{Kind, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What a thread does; barriers 0 and 1 have counts, barrier 2 is for all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Sync(usize),
    Arrive(usize),
    ClusterArrive,
    ClusterWait,
    /// Stores a flag.
    Set,
    /// Waits for the flag.
    Wait,
}

#[derive(Clone, Debug)]
struct Program {
    threads: Vec<Vec<Act>>,
    /// How many warps the barriers with counts are for.
    counts: [usize; 2],
    /// Whether the first two threads are one warp; else every thread is one.
    mates: bool,
}

impl Program {
    fn text(&self) -> String {
        let mut out = String::from("PTX barriers\n.shared .u32 x = 0;\n.shared .u32 y = 0;\n");
        for (thread, acts) in self.threads.iter().enumerate() {
            let warp = self.warp(thread);
            writeln!(out, "P{thread} @ gpu 0, cluster 0, cta 0, warp {warp} {{").unwrap();
            for (at, act) in acts.iter().enumerate() {
                let line = match *act {
                    Act::Sync(2) => "barrier.sync 2;".to_owned(),
                    Act::Sync(b) => format!("barrier.sync {b}, {};", 32 * self.counts[b]),
                    Act::Arrive(b) => format!("barrier.arrive {b}, {};", 32 * self.counts[b]),
                    Act::ClusterArrive => "barrier.cluster.arrive;".to_owned(),
                    Act::ClusterWait => "barrier.cluster.wait;".to_owned(),
                    Act::Set => "st.release.cta.u32 [x], 1;".to_owned(),
                    Act::Wait => format!(
                        "L{at}: ld.acquire.cta.u32 %r1, [x]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L{at};"
                    ),
                };
                writeln!(out, "  {line}").unwrap();
            }
            out += "}\n";
        }
        out + "exists (y == 0)\n"
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

/// What the machine knows between two steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The next instruction of each thread.
    at: Vec<usize>,
    /// The threads that have come to each barrier since it was reset.
    here: [BTreeMap<usize, Stay>; 3],
    /// Threads that have arrived at a barrier that nobody waited at when it was complete, so that
    /// nothing says that it has been reset.
    unnoticed: BTreeSet<(usize, usize)>,
    /// How often each thread has arrived and waited at the barrier of the cluster.
    cluster: Vec<(u32, u32)>,
    /// How often that barrier was complete.
    phases: u32,
    flag: bool,
}

#[derive(Default)]
struct Runs {
    undefined: bool,
    complete: bool,
}

impl State {
    /// Whether a thread stays at a barrier.
    fn stays(&self, thread: usize) -> bool {
        self.here.iter().any(|here| here.get(&thread).is_some_and(|&stay| stay != Stay::Arrived))
    }
}

impl Program {
    fn warp(&self, thread: usize) -> usize {
        if self.mates { thread.saturating_sub(1) } else { thread }
    }

    fn runs(&self) -> Runs {
        let count = self.threads.len();
        let start = State {
            at: vec![0; count],
            here: Default::default(),
            unnoticed: BTreeSet::new(),
            cluster: vec![(0, 0); count],
            phases: 0,
            flag: false,
        };
        let (mut runs, mut known, mut open) = (Runs::default(), BTreeSet::new(), vec![start]);
        while let Some(state) = open.pop() {
            if !known.insert(state.clone()) {
                continue;
            }
            runs.complete |= (0..self.threads.len()).all(|t| self.has_ended(&state, t));
            for thread in 0..self.threads.len() {
                if self.sets_early(&state, thread) {
                    open.push(State { flag: true, ..state.clone() });
                }
                match self.step(&state, thread) {
                    Some(Ok(next)) => open.push(next),
                    Some(Err(())) => runs.undefined = true,
                    None => {}
                }
            }
        }
        runs
    }

    /// Whether a thread may store before it arrives: nothing keeps accesses behind an arrival back.
    fn sets_early(&self, state: &State, thread: usize) -> bool {
        let alone = !self.mates || thread > 1;
        let mut rest = self.threads[thread][state.at[thread]..].iter();
        let passes = |act: &Act| match act {
            Act::Arrive(_) => alone,
            other => *other == Act::ClusterArrive,
        };
        let next = rest.find(|act| !passes(act));
        !state.stays(thread) && next == Some(&Act::Set)
    }

    fn has_ended(&self, state: &State, thread: usize) -> bool {
        !state.stays(thread) && state.at[thread] == self.threads[thread].len()
    }

    /// The next step of a thread, if it can take one; an error where that is undefined.
    fn step(&self, state: &State, thread: usize) -> Option<Result<State, ()>> {
        let act = *self.threads[thread].get(state.at[thread]).filter(|_| !state.stays(thread))?;
        let mut next = state.clone();
        next.at[thread] += 1;
        match act {
            Act::Set => next.flag = true,
            Act::Wait if !state.flag => return None,
            Act::Wait => {}
            Act::ClusterArrive | Act::ClusterWait => {
                let (arrived, waited) = &mut next.cluster[thread];
                if (act == Act::ClusterArrive) == (arrived > waited) {
                    return Some(Err(()));
                }
                match act {
                    Act::ClusterArrive => *arrived += 1,
                    _ if next.phases == *waited => return None,
                    _ => *waited += 1,
                }
            }
            Act::Sync(barrier) | Act::Arrive(barrier) => {
                let stay = if act == Act::Sync(barrier) { Stay::Waits } else { Stay::Arrives };
                let before = next.here[barrier].insert(thread, stay);
                if before.is_some() || next.unnoticed.contains(&(thread, barrier)) {
                    return Some(Err(()));
                }
            }
        }
        self.complete(&mut next);
        Some(Ok(next))
    }

    /// Completes the barriers for all, which do without the threads that have ended; who goes on
    /// may end and so complete another one.
    fn complete(&self, state: &mut State) {
        loop {
            let ended: Vec<bool> =
                (0..self.threads.len()).map(|thread| self.has_ended(state, thread)).collect();
            let all = |here: &dyn Fn(usize) -> bool| (0..ended.len()).all(|t| ended[t] || here(t));
            if !state.here[2].is_empty() && all(&|t| state.here[2].contains_key(&t)) {
                state.here[2].clear();
                continue;
            }
            let arrived = |t: usize| state.cluster[t].0 > state.phases;
            if (0..ended.len()).any(arrived) && all(&arrived) {
                state.phases += 1;
                continue;
            }
            if !(0..2).any(|barrier| self.count(state, barrier, &ended)) {
                return;
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
        if warps.len() == self.counts[barrier] {
            let waited = arrived.iter().any(|t| here[t] == Stay::Waits);
            let unnoticed = arrived.iter().filter(|_| !waited);
            state.unnoticed.extend(unnoticed.map(|&thread| (thread, barrier)));
            arrived.iter().for_each(|t| _ = here.remove(t));
            return true;
        }
        let mut changed = false;
        for thread in arrived {
            if here[&thread] == Stay::Arrives {
                here.insert(thread, Stay::Arrived);
                changed = true;
            }
        }
        changed
    }
}

/// Whether the tool says of a program what the machine says.
fn agrees(program: &Program, model: &Model) -> Result<Kind, String> {
    let test = support::parse("barriers.litmus", program.text().as_bytes())?;
    let runs = program.runs();
    // A misuse behind a wait for the flag is not looked for where no execution ends.
    let behind = program.threads.iter().flatten().any(|act| *act == Act::Wait);
    let mut seen = None;
    let engines: [&dyn Engine; 2] = [&SearchEngine::default(), &Enumerate::default()];
    for engine in engines {
        let verdict = check(&test, model, engine, Settings::default()).verdict;
        let right = match &verdict {
            Verdict::Undefined(_) => runs.undefined,
            Verdict::Allowed(_) => runs.complete && !runs.undefined,
            Verdict::Deadlock(_) | Verdict::Forbidden(_) => {
                !runs.complete && (!runs.undefined || behind)
            }
            _ => false,
        };
        if !right {
            let (undefined, complete) = (runs.undefined, runs.complete);
            return Err(format!(
                "{}\n{}: {}, but some run is undefined: {undefined}, complete: {complete}",
                program.text(),
                engine.name(),
                verdict.kind().name(),
            ));
        }
        seen = Some(verdict.kind());
    }
    Ok(seen.expect("an engine"))
}

/// All sequences of at most so many of these.
fn sequences(acts: &[Act], most: usize) -> Vec<Vec<Act>> {
    let mut out = vec![Vec::new()];
    let mut last = out.clone();
    for _ in 0..most {
        let longer = |sequence: &Vec<Act>| {
            let sequence = sequence.clone();
            acts.iter().map(move |&act| [&sequence[..], &[act]].concat())
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
    for first in &all {
        for second in &all {
            let threads = vec![first.clone(), second.clone()];
            let program = Program { threads, counts: [2, 2], mates: false };
            agrees(&program, &model).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }
}

#[test]
fn random_programs_at_several_barriers() {
    let model = support::model("ptx-9.2");
    let act = select(
        &[
            Act::Sync(0),
            Act::Arrive(0),
            Act::Sync(1),
            Act::Arrive(1),
            Act::Sync(2),
            Act::ClusterArrive,
            Act::ClusterWait,
            Act::Set,
            Act::Wait,
        ][..],
    );
    let threads = (2..4_usize, 1..4_usize).prop_flat_map(move |(count, most)| {
        prop::collection::vec(prop::collection::vec(act.clone(), 0..=most), count)
    });
    let programs = (threads, [1..4_usize, 1..4_usize], any::<bool>())
        .prop_map(|(threads, counts, mates)| Program { threads, counts, mates });
    let (cases, mut runner) = support::random::drawn("BARRIERS");
    let mut tally: BTreeMap<Kind, usize> = BTreeMap::new();
    for _ in 0..cases * 20 {
        let program = programs.new_tree(&mut runner).expect("a program").current();
        match agrees(&program, &model) {
            Ok(verdict) => *tally.entry(verdict).or_default() += 1,
            Err(wrong) => panic!("{wrong}"),
        }
    }
    for kind in [Kind::Undefined, Kind::Allowed, Kind::Deadlock] {
        assert!(tally.contains_key(&kind), "no program is {}: {tally:?}", kind.name());
    }
}
