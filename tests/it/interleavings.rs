//! Under sequential consistency, the final states of a program are those of its interleavings.
//!
//! Random programs of basic blocks in any order are interpreted here, one instruction of one
//! thread after the other, with nothing of the tool but its text format in common. The engines have
//! to find the same final states under the model `sc`: each of theirs is one of these, and, where
//! the loop bound cut no execution, each of these is one of theirs.
//!
//! `PTXMC_INTERLEAVINGS_CASES` and `PTXMC_INTERLEAVINGS_SEED` make a run longer or another one:
//! `PTXMC_INTERLEAVINGS_CASES=100000 cargo test --release --test it interleavings:: -- --nocapture`.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::programs::blocks::{Act, Blocks, End, Guarded, Source, blocks};
use crate::support;
use crate::support::parse;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use ptxmc::Progress;
use ptxmc::testing::check::{Hang, HangKind, Settings, Stop, check, cut, graph_of, hang};
use ptxmc::testing::event::graph::CutKind;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Cores;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Budget, Engine, Problem};
use ptxmc::testing::verdict::{Undecided, Verdict};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::time::Instant;

type State = Vec<u128>;

/// States of the machine beyond which a program is left out.
const MACHINE_STATES: usize = 30_000;

/// Programs with more events are left out.
const MOST_EVENTS: usize = 60;

/// Steps after which a thread that touches no memory never will.
const LOCAL_STEPS: usize = 300;

/// An instruction of the machine: what blocks and their ends are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Act(Act),
    Jump(usize),
    Exit,
}

/// A thread's instructions, each under a predicate or always.
pub(crate) type Code = Vec<(Option<bool>, Step)>;

pub(crate) fn code(program: &Blocks, thread: usize) -> Code {
    let blocks = &program.threads[thread];
    let mut out = Code::new();
    let mut starts = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        starts.push(out.len());
        out.extend(block.body.iter().map(|&Guarded { guard, act }| (guard, Step::Act(act))));
        let to = |target| Step::Jump(program.target(thread, target));
        match block.end {
            End::Fall => {}
            End::Jump(target) => out.push((None, to(target))),
            End::Branch(on, target) => out.push((Some(on), to(target))),
            End::Leave(on) => out.push((Some(on), Step::Exit)),
            End::Until(register, variable, number, other) => {
                out.push((None, Step::Act(Act::Load(register, variable))));
                out.push((None, Step::Act(Act::Test(false, register, number))));
                out.push((Some(true), other.map_or(Step::Jump(index), to)));
            }
        }
    }
    starts.push(out.len());
    for (_, step) in &mut out {
        if let Step::Jump(block) = step {
            *block = starts[*block];
        }
    }
    out
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Thread {
    pub(crate) at: usize,
    pub(crate) registers: [u32; 2],
    count: u32,
    predicate: bool,
    /// Whether a barrier was complete without it, so that it comes to none any more.
    past: bool,
    /// Whether it has decided, since then, where to go on: perhaps by a value that was stored behind
    /// the barrier that waited for its end, which is a deadlock.
    doubtful: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Machine {
    memory: [u32; 2],
    threads: Vec<Thread>,
}

/// What an instruction touches besides its thread.
pub(crate) fn is_local(step: Step) -> bool {
    matches!(
        step,
        Step::Jump(_)
            | Step::Exit
            | Step::Act(
                Act::Move(..)
                    | Act::Sum(..)
                    | Act::Test(..)
                    | Act::Below(..)
                    | Act::Count(_)
                    | Act::Restart(_)
                    | Act::Take(_)
            )
    )
}

impl Thread {
    fn executes(&self, guard: Option<bool>) -> bool {
        guard.is_none_or(|on| self.predicate == on)
    }

    fn value(&self, source: Source) -> u32 {
        match source {
            Source::Number(n) => n,
            Source::Register(r) => self.registers[r],
        }
    }

    /// One instruction.
    pub(crate) fn step(&mut self, code: &Code, memory: &mut [u32; 2]) {
        let (guard, step) = code[self.at];
        self.at += 1;
        let decides = guard.is_some() && matches!(step, Step::Jump(_) | Step::Exit);
        self.doubtful |= self.past && decides;
        if !self.executes(guard) {
            return;
        }
        match step {
            Step::Jump(to) => self.at = to,
            Step::Exit => self.at = code.len(),
            Step::Act(act) => match act {
                Act::Load(r, v) => self.registers[r] = memory[v],
                Act::Store(v, s) => memory[v] = self.value(s),
                Act::Exchange(r, v, n) => {
                    self.registers[r] = std::mem::replace(&mut memory[v], n);
                }
                Act::Add(r, v, n) => {
                    self.registers[r] = memory[v];
                    memory[v] = memory[v].wrapping_add(n);
                }
                Act::Swap(r, v, old, new) => {
                    self.registers[r] = memory[v];
                    if memory[v] == old {
                        memory[v] = new;
                    }
                }
                Act::Move(r, s) => self.registers[r] = self.value(s),
                Act::Sum(r, a, n) => self.registers[r] = self.registers[a].wrapping_add(n),
                Act::Test(is, r, n) => self.predicate = (self.registers[r] == n) == is,
                Act::Below(is, n) => self.predicate = (self.count < n) == is,
                Act::Count(n) => self.count = (self.count + n) % 4,
                Act::Restart(n) => self.count = n,
                Act::Take(r) => self.registers[r] = self.count,
                Act::Barrier(_) | Act::Vote(_) => {}
            },
        }
    }

    /// Goes on to the next instruction that others may notice; `false` if it never comes there.
    pub(crate) fn settle(&mut self, code: &Code) -> bool {
        let mut unused = [0; 2];
        for _ in 0..LOCAL_STEPS {
            match code.get(self.at) {
                Some(&(guard, step)) if is_local(step) || !self.executes(guard) => {
                    self.step(code, &mut unused);
                }
                _ => return true,
            }
        }
        false
    }
}

/// What all interleavings come to.
#[derive(Default)]
struct Ends {
    /// The final states.
    finals: BTreeSet<State>,
    /// Those of them that are surely reached.
    sure: BTreeSet<State>,
    /// Whether threads wait at barriers for each other in the end of some, and whether surely so.
    deadlock: [bool; 2],
    /// Whether a thread waits at a barrier in some.
    waits: bool,
}

/// What comes of trying all interleavings; `None` where there are too many.
fn interleavings(program: &Blocks) -> Option<Ends> {
    let codes: Vec<Code> = (0..program.threads.len()).map(|t| code(program, t)).collect();
    let thread = Thread {
        at: 0,
        registers: [0; 2],
        count: 0,
        predicate: false,
        past: false,
        doubtful: false,
    };
    let mut start = Machine { memory: [0; 2], threads: vec![thread; codes.len()] };
    let mut ends = Ends::default();
    if !start.threads.iter_mut().zip(&codes).all(|(thread, code)| thread.settle(code)) {
        // What the others do is not looked at.
        ends.waits = true;
        return Some(ends);
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut stack = vec![start];
    while let Some(machine) = stack.pop() {
        let waits_at = |t: usize| match codes[t].get(machine.threads[t].at) {
            Some((_, Step::Act(Act::Barrier(id)))) => Some(*id),
            Some((_, Step::Act(Act::Vote(all)))) => Some(2 + usize::from(*all)),
            _ => None,
        };
        let waits = |t: usize| waits_at(t).is_some();
        let ended = |t: usize| machine.threads[t].at >= codes[t].len();
        let all = 0..codes.len();
        if all.clone().all(ended) {
            let registers = machine.threads.iter().flat_map(|t| t.registers);
            let state: State = registers.chain(machine.memory).map(u128::from).collect();
            if !machine.threads.iter().any(|thread| thread.doubtful) {
                ends.sure.insert(state.clone());
            }
            ends.finals.insert(state);
            continue;
        }
        ends.waits |= all.clone().any(waits);
        let mut moves: Vec<Vec<usize>> =
            all.clone().filter(|&t| !waits(t) && !ended(t)).map(|t| vec![t]).collect();
        match program.together {
            // Who waits at another barrier has not ended, and comes too late for this one.
            true => {
                let waiting: Vec<usize> = all.filter(|&t| waits(t)).collect();
                let same = waiting.iter().all(|&t| waits_at(t) == waits_at(waiting[0]));
                // Barrier 1 waits for a number of threads, which those that have ended do not lower.
                let enough = program.warp
                    || waiting.len() == codes.len()
                    || waiting.first().is_none_or(|&t| waits_at(t) != Some(1));
                moves.extend(Some(waiting).filter(|_| same && enough));
            }
            // In different CTAs each is alone.
            false => moves.extend(all.filter(|&t| waits(t)).map(|t| vec![t])),
        }
        moves.retain(|who| !who.is_empty());
        if moves.is_empty() && !(0..codes.len()).any(|t| waits(t) && machine.threads[t].past) {
            let sure = !machine.threads.iter().any(|thread| thread.doubtful);
            ends.deadlock = [true, ends.deadlock[1] || sure];
        }
        for who in moves {
            let mut next = machine.clone();
            // A barrier is complete without threads that end: what these still do before is not
            // ordered by it.
            if program.together && waits(who[0]) {
                let others = (0..codes.len()).filter(|t| !who.contains(t));
                others.for_each(|t| next.threads[t].past = true);
            }
            if let Some((_, Step::Act(Act::Vote(all)))) =
                codes[who[0]].get(machine.threads[who[0]].at)
            {
                let mut votes = who.iter().map(|&t| machine.threads[t].predicate);
                let result = if *all { votes.all(|vote| vote) } else { votes.any(|vote| vote) };
                who.iter().for_each(|&t| next.threads[t].predicate = result);
            }
            // In a warp, barrier 1 is a sum of all who come there.
            if program.warp && waits_at(who[0]) == Some(1) {
                let values = who.iter().map(|&t| machine.threads[t].registers[0]);
                let sum = values.fold(0, u32::wrapping_add);
                who.iter().for_each(|&t| next.threads[t].registers[1] = sum);
            }
            let mut goes_on = true;
            for t in who {
                goes_on &= !(waits(t) && next.threads[t].past);
                next.threads[t].step(&codes[t], &mut next.memory);
                goes_on &= next.threads[t].settle(&codes[t]);
            }
            if goes_on && seen.insert(next.clone()) {
                if seen.len() > MACHINE_STATES {
                    return None;
                }
                stack.push(next);
            }
        }
    }
    Some(ends)
}

/// What an engine finds: the final states, and whether there may be more.
fn found(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<(BTreeSet<State>, bool), &'static str> {
    let graph = graph_of(test, model, settings);
    let problem = Problem { graph: &graph, model };
    if graph.events.len() > MOST_EVENTS {
        return Err("too large");
    }
    let states = engine.states(problem, settings.budget).map_err(|_| "unsupported")?;
    let bound = cut(test, problem, engine, settings).is_some();
    let more = bound || states.incomplete.is_some();
    let names = observed(test.threads.len());
    let place = |name: &String| graph.observed.iter().position(|o| o.name == *name);
    let places: Vec<usize> = names.iter().map(|n| place(n).expect("it is observed")).collect();
    let in_order = |state: &State| places.iter().map(|&at| state[at]).collect();
    Ok((states.states.iter().map(|(state, _)| in_order(state)).collect(), more))
}

/// The names of what a final state consists of.
fn observed(threads: usize) -> Vec<String> {
    let registers = (0..threads).flat_map(|t| [format!("P{t}:r0"), format!("P{t}:r1")]);
    registers.chain(["x".to_owned(), "y".to_owned()]).collect()
}

/// Counts what came of the programs.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

/// Whether the search finds the interleavings of a program.
fn same_states(program: &Blocks, bound: u8, sc: &Model, tally: &mut Tally) -> Result<(), String> {
    let test = parse("blocks.litmus", program.text().as_bytes())?;
    let Some(Ends { finals: all, sure, .. }) = interleavings(program) else {
        tally.count("too many interleavings");
        return Ok(());
    };
    let budget = support::limit(Some(20_000), 500);
    let settings = Settings::default().with_bound(bound).with_budget(budget);
    let (states, more) = match found(&test, sc, &SearchEngine::default(), settings) {
        Ok(found) => found,
        Err(why) => {
            tally.count(why);
            return Ok(());
        }
    };
    tally.count(if more { "cut" } else { "whole" });
    if let Some(state) = states.difference(&all).next() {
        return Err(format!("bound {bound}: {state:?} is of no interleaving"));
    }
    match sure.difference(&states).next() {
        Some(state) if !more => Err(format!("bound {bound}: {state:?} is missing")),
        _ => Ok(()),
    }
}

/// Whether the deadlocks that are found beside executions that end are some of interleavings.
fn same_deadlocks(
    program: &Blocks,
    bound: u8,
    sc: &Model,
    tally: &mut Tally,
) -> Result<(), String> {
    let test = parse("blocks.litmus", program.text().as_bytes())?;
    let Some(Ends { deadlock: [some, sure], .. }) = interleavings(program) else {
        tally.count("too many interleavings");
        return Ok(());
    };
    let graph = graph_of(&test, sc, Settings::default().with_bound(bound));
    if graph.events.len() > MOST_EVENTS {
        tally.count("too large");
        return Ok(());
    }
    let cut = graph.cuts.iter().any(|cut| cut.kind != CutKind::Spin);
    for (engine, budget) in engines(true) {
        let settings = Settings::default().with_bound(bound).with_budget(budget);
        let settings = settings.with_progress(Progress::Fair);
        let outcome = check(&test, sc, engine.as_ref(), settings);
        let answer = hang(&test, sc, engine.as_ref(), settings, &outcome);
        // Of executions that hang, those in which threads wait at barriers alone.
        let at_barrier = |stop: &Stop| matches!(stop, Stop::Ended | Stop::AtBarrier(_));
        let found = matches!(&answer, Hang::Possible(hanging)
            if !hanging.threads.is_empty() && hanging.threads.iter().all(|t| at_barrier(&t.stop)));
        tally.count(if found { "found" } else { "none" });
        if found && !some {
            return Err(format!(
                "bound {bound}: {} finds a deadlock of no interleaving",
                engine.name()
            ));
        }
        if answer.kind() == HangKind::Never && sure && !cut {
            return Err(format!("bound {bound}: a deadlock is missing"));
        }
    }
    Ok(())
}

/// Whether a program that no interleaving ends is said to wait at barriers only if it does, and for ever
/// in loops only if it does not wait at barriers.
fn same_waits(program: &Blocks, bound: u8, sc: &Model, tally: &mut Tally) -> Result<(), String> {
    let test = parse("blocks.litmus", program.text().as_bytes())?;
    let ends = match interleavings(program) {
        Some(ends) if ends.finals.is_empty() => ends,
        Some(_) => {
            tally.count("ends");
            return Ok(());
        }
        None => {
            tally.count("too many interleavings");
            return Ok(());
        }
    };
    for (engine, budget) in engines(false) {
        let settings = Settings::default().with_bound(bound).with_budget(budget);
        let verdict = check(&test, sc, engine.as_ref(), settings).verdict;
        tally.count(verdict.kind().name());
        let wrong = match verdict {
            Verdict::Deadlock(_) => !ends.waits,
            Verdict::Forbidden(_) => ends.deadlock[1],
            Verdict::Allowed(_) => true,
            _ => false,
        };
        if wrong {
            return Err(format!("bound {bound}: {} says {verdict:?}", engine.name()));
        }
    }
    Ok(())
}

/// The engines, each with its budget; the solver, which is slow, for some programs.
fn engines(with_solver: bool) -> Vec<(Box<dyn Engine>, Budget)> {
    let limit = support::limit;
    #[allow(unused_mut, reason = "there may be no solver")]
    let mut out: Vec<(Box<dyn Engine>, Budget)> = vec![
        (Box::<SearchEngine>::default(), limit(Some(5_000), 300)),
        (Box::new(Enumerate { cores: Cores::FirstProof }), limit(Some(1_000), 300)),
    ];
    #[cfg(feature = "z3")]
    if with_solver {
        out.push((Box::<ptxmc::testing::solve::z3::Z3Engine>::default(), limit(None, 500)));
    }
    let _ = with_solver;
    out
}

/// Whether engines find the same final states and give the same verdict.
fn engines_agree(
    program: &Blocks,
    bound: u8,
    model: &Model,
    tally: &mut Tally,
) -> Result<(), String> {
    let test = parse("blocks.litmus", program.text().as_bytes())?;
    let mut known: Option<(&'static str, BTreeSet<State>, bool)> = None;
    let mut verdicts: Vec<(&'static str, &'static str)> = Vec::new();
    for (engine, budget) in engines(bound == 2) {
        let (engine, settings) =
            (engine.as_ref(), Settings::default().with_bound(bound).with_budget(budget));
        if let Ok((states, more)) = found(&test, model, engine, settings) {
            match &known {
                None => known = Some((engine.name(), states, more)),
                Some((other, all, other_more)) => {
                    tally.count(if more || *other_more { "cut" } else { "whole" });
                    let mine = states.difference(all).next().filter(|_| !other_more);
                    let theirs = all.difference(&states).next().filter(|_| !more);
                    if let Some(state) = mine.or(theirs) {
                        let name = engine.name();
                        return Err(format!("bound {bound}: {other}, {name}: {state:?}"));
                    }
                }
            }
        }
        match check(&test, model, engine, settings).verdict {
            Verdict::Unknown(Undecided::Engine(_) | Undecided::Unsupported(_)) => {
                tally.count("undecided");
            }
            verdict => verdicts.push((engine.name(), verdict.kind().name())),
        }
    }
    verdicts.iter().for_each(|(_, verdict)| tally.count(verdict));
    match verdicts.iter().all(|(_, verdict)| *verdict == verdicts[0].1) {
        true => Ok(()),
        false => Err(format!("bound {bound}: {verdicts:?}")),
    }
}

fn parameter(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Checks random programs; the one that fails is made small and kept.
fn run(
    title: &str,
    cases: u64,
    compared: &str,
    check: impl Fn(&Blocks, u8, &mut Tally) -> Result<(), String>,
) {
    let seed = parameter("PTXMC_INTERLEAVINGS_SEED").unwrap_or(1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases).expect("fewer cases"),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let tally = RefCell::new(Tally::default());
    let start = Instant::now();
    let programs = (blocks(), 1..5_u8);
    let result = TestRunner::new_with_rng(config, rng).run(&programs, |(program, bound)| {
        check(&program, bound, &mut tally.borrow_mut()).map_err(TestCaseError::fail)
    });
    let time = start.elapsed().as_secs_f64();
    println!("{title}: seed {seed}, {cases} programs, {time:.1} s: {:?}", tally.borrow().0);
    match result {
        Ok(()) => assert!(tally.borrow().0.contains_key(compared), "nothing was compared"),
        Err(TestError::Fail(reason, (program, _))) => {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/interleavings");
            std::fs::create_dir_all(&folder).expect("a folder for the program");
            let path = folder.join(format!("{title}-{seed}.litmus"));
            std::fs::write(&path, program.text()).expect("a file for the program");
            panic!("{}\n{}\n{reason}", path.display(), program.text());
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn final_states_are_those_of_interleavings() {
    let cases = parameter("PTXMC_INTERLEAVINGS_CASES").unwrap_or(1_000);
    let sc = support::model("sc");
    run("interleavings", cases, "whole", |program, bound, tally| {
        same_states(program, bound, &sc, tally)
    });
}

#[test]
fn deadlocks_are_those_of_interleavings() {
    let cases = parameter("PTXMC_INTERLEAVINGS_CASES").map_or(150, |cases| cases.div_ceil(5));
    let sc = support::model("sc");
    run("deadlocks", cases, "found", |program, bound, tally| {
        same_deadlocks(program, bound, &sc, tally)
    });
}

#[test]
fn waits_for_ever_are_those_of_interleavings() {
    let cases = parameter("PTXMC_INTERLEAVINGS_CASES").unwrap_or(500);
    let sc = support::model("sc");
    run("waits", cases, "deadlock", |program, bound, tally| same_waits(program, bound, &sc, tally));
}

#[test]
fn engines_agree_on_unstructured_programs() {
    let cases = parameter("PTXMC_INTERLEAVINGS_CASES").map_or(200, |cases| cases.div_ceil(5));
    let model = support::model("ptx-9.2");
    run("engines", cases, "whole", |program, bound, tally| {
        engines_agree(program, bound, &model, tally)
    });
}
