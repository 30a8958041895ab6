//! Under sequential consistency, a program may hang if and only if a machine of explicit states does.
//!
//! The machine executes one instruction of one thread after the other. It hangs where it comes to a
//! state in which nobody can make a step though some thread has not ended, or to states that it can go
//! round for ever while every thread that is owed progress either makes steps there or, somewhere on the
//! way, cannot make one. What threads are owed depends on the model of progress.
//!
//! `PTXMC_HANGS_CASES` and `PTXMC_HANGS_SEED` make a run longer or another one.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::interleavings::{Code, Step, Thread, code};
use crate::programs::blocks::{Act, Blocks, Source, blocks};
use crate::support::command::ptxmc_reading;
use crate::support::{self, parse};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use ptxmc::testing::check::{Hang, HangKind, Settings, check, hang};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Engine;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::{Kind, Progress};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// States of the machine beyond which a program is left out.
const MACHINE_STATES: usize = 20_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    memory: [u32; 2],
    threads: Vec<Thread>,
    /// Threads that have made a step.
    started: Vec<bool>,
    /// Threads that go round for ever without a step that others could notice.
    lost: Vec<bool>,
}

/// The threads of a program, and whether they share a CTA.
struct Machine {
    codes: Vec<Code>,
    together: bool,
}

impl Machine {
    fn start(&self) -> State {
        let threads = vec![Thread::default(); self.codes.len()];
        let none = vec![false; threads.len()];
        let mut state = State { memory: [0; 2], threads, started: none.clone(), lost: none };
        (0..self.codes.len()).for_each(|t| self.settle(&mut state, t));
        state
    }

    fn settle(&self, state: &mut State, t: usize) {
        state.lost[t] = !state.threads[t].settle(&self.codes[t]);
        if state.lost[t] {
            // Where it goes round does not matter.
            state.threads[t] = Thread::default();
        }
    }

    fn ended(&self, state: &State, t: usize) -> bool {
        !state.lost[t] && state.threads[t].at >= self.codes[t].len()
    }

    fn waits(&self, state: &State, t: usize) -> bool {
        let next = self.codes[t].get(state.threads[t].at);
        !state.lost[t] && matches!(next, Some((_, Step::Act(Act::Barrier(_)))))
    }

    /// The threads that may make a step, those together that pass a barrier.
    fn moves(&self, state: &State) -> Vec<Vec<usize>> {
        let all = || 0..self.codes.len();
        let waiting: Vec<usize> = all().filter(|&t| self.waits(state, t)).collect();
        let live = all().filter(|&t| !self.ended(state, t)).count();
        let free = all().filter(|&t| !self.ended(state, t) && !self.waits(state, t));
        let mut moves: Vec<Vec<usize>> = free.map(|t| vec![t]).collect();
        if !self.together {
            moves.extend(waiting.into_iter().map(|t| vec![t]));
        } else if !waiting.is_empty() && waiting.len() == live {
            moves.push(waiting);
        }
        moves
    }

    fn next(&self, state: &State, who: &[usize]) -> State {
        let mut next = state.clone();
        for &t in who {
            next.started[t] = true;
            if !state.lost[t] {
                next.threads[t].step(&self.codes[t], &mut next.memory);
                self.settle(&mut next, t);
            }
        }
        next
    }

    /// Whether a thread is owed progress in a state.
    fn is_owed(&self, progress: Progress, state: &State, t: usize) -> bool {
        let first = || (0..t).all(|other| self.ended(state, other));
        match progress {
            Progress::Fair => true,
            Progress::Cuda if self.together => state.started.contains(&true),
            Progress::Cuda | Progress::Obe => state.started[t],
            Progress::Lobe => state.started[t..].contains(&true),
            Progress::Hsa => first(),
            Progress::HsaObe => state.started[t] || first(),
            _ => false,
        }
    }

    /// For each model of progress whether the machine may hang; `None` where there are too many states.
    fn hangs(&self) -> Option<BTreeMap<Progress, bool>> {
        let mut graph: DiGraph<State, Vec<usize>> = DiGraph::new();
        let mut known: HashMap<State, NodeIndex> = HashMap::new();
        let start = self.start();
        let mut stack = vec![graph.add_node(start.clone())];
        known.insert(start, stack[0]);
        let mut stuck = false;
        while let Some(at) = stack.pop() {
            let state = graph[at].clone();
            let moves = self.moves(&state);
            stuck |= moves.is_empty() && (0..self.codes.len()).any(|t| !self.ended(&state, t));
            for who in moves {
                let next = self.next(&state, &who);
                let to = *known.entry(next.clone()).or_insert_with(|| {
                    stack.push(graph.add_node(next));
                    *stack.last().expect("a node was pushed")
                });
                graph.add_edge(at, to, who);
                if graph.node_count() > MACHINE_STATES {
                    return None;
                }
            }
        }
        let mut hangs: BTreeMap<Progress, bool> =
            Progress::ALL.into_iter().map(|progress| (progress, stuck)).collect();
        for component in tarjan_scc(&graph) {
            let inside: BTreeSet<NodeIndex> = component.iter().copied().collect();
            let edges = component.iter().flat_map(|&at| graph.edges(at));
            let steps: Vec<usize> = edges
                .filter(|edge| inside.contains(&petgraph::visit::EdgeRef::target(edge)))
                .flat_map(|edge| edge.weight().clone())
                .collect();
            if steps.is_empty() {
                continue;
            }
            let held = |t: usize| {
                let able = |&at: &NodeIndex| self.moves(&graph[at]).iter().any(|w| w.contains(&t));
                steps.contains(&t) || !component.iter().all(able)
            };
            for (&progress, hangs) in &mut hangs {
                let owed = |t: &usize| self.is_owed(progress, &graph[component[0]], *t);
                *hangs |= (0..self.codes.len()).filter(owed).all(held);
            }
        }
        Some(hangs)
    }
}

/// What the tool says.
fn answer(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Hang {
    hang(test, model, engine, settings, &check(test, model, engine, settings))
}

/// Compares the answers for a program; gives how many were decided, by kind.
fn compare(
    machine: &Machine,
    test: &Test,
    model: &Model,
    bound: u8,
) -> Result<BTreeMap<&'static str, u64>, String> {
    let mut tally = BTreeMap::new();
    let Some(hangs) = machine.hangs() else { return Ok(tally) };
    let budget = support::limit(Some(20_000), 500);
    for (progress, hangs) in hangs {
        let settings = Settings::default().with_bound(bound).with_budget(budget);
        let settings = settings.with_progress(progress);
        let found = answer(test, model, &SearchEngine::default(), settings).kind();
        *tally.entry(found.name()).or_default() += 1;
        if found == HangKind::Never && hangs || found == HangKind::Possible && !hangs {
            return Err(format!("bound {bound}, {progress}: {found:?}, the machine {hangs}"));
        }
    }
    Ok(tally)
}

/// Whether the machine has all that a program uses.
fn is_plain(program: &Blocks) -> bool {
    let acts = program.threads.iter().flatten().flat_map(|block| &block.body);
    let plain = |act: Act| !matches!(act, Act::Vote(_) | Act::Barrier(1..));
    !program.warp && acts.into_iter().all(|guarded| plain(guarded.act))
}

/// The text of a program, with each CTA in a cluster of its own.
fn text(program: &Blocks) -> String {
    let mut text = program.text();
    for cta in 0..program.threads.len() {
        let place = |cluster: usize| format!("cluster {cluster}, cta {cta},");
        text = text.replace(&place(0), &place(cta));
    }
    text
}

fn parameter(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[test]
fn programs_hang_where_the_machine_does() {
    let cases = parameter("PTXMC_HANGS_CASES").unwrap_or(150);
    let seed = parameter("PTXMC_HANGS_SEED").unwrap_or(1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases).expect("fewer cases"),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let sc = support::model("sc");
    let tally: RefCell<BTreeMap<&'static str, u64>> = RefCell::default();
    let programs = (blocks(), 1..4_u8);
    let result = TestRunner::new_with_rng(config, rng).run(&programs, |(program, bound)| {
        if !is_plain(&program) {
            return Ok(());
        }
        let codes = (0..program.threads.len()).map(|t| code(&program, t)).collect();
        let machine = Machine { codes, together: program.together };
        let text = text(&program);
        let test = parse("blocks.litmus", text.as_bytes())
            .map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        let counts = compare(&machine, &test, &sc, bound)
            .map_err(|error| TestCaseError::fail(format!("{text}\n{error}")))?;
        let mut tally = tally.borrow_mut();
        counts.into_iter().for_each(|(kind, count)| *tally.entry(kind).or_default() += count);
        Ok(())
    });
    println!("hangs: seed {seed}, {cases} programs: {:?}", tally.borrow());
    if let Err(error) = result {
        panic!("{error}");
    }
    let decided = |kind: &str| tally.borrow().get(kind).copied().unwrap_or(0);
    assert!(decided("never") > 0 && decided("possible") > 0, "nothing was compared");
}

/// The threads of a test in columns that only polls, exchanges, stores and jumps.
fn columns(text: &str) -> Machine {
    let body = text.split_once("}\n").expect("initial values end").1;
    let body = body.split("exists").next().expect("there is a body");
    let mut threads: Vec<Vec<String>> = Vec::new();
    for row in body.lines().filter(|row| row.contains('|')) {
        for (t, cell) in row.trim_end().trim_end_matches(';').split('|').enumerate() {
            threads.resize(threads.len().max(t + 1), Vec::new());
            threads[t].push(cell.trim().to_owned());
        }
    }
    let codes = threads.iter().map(|cells| column(&cells[1..])).collect();
    Machine { codes, together: true }
}

fn column(cells: &[String]) -> Code {
    let mut registers: Vec<String> = Vec::new();
    let mut register = |name: &str| {
        registers.iter().position(|known| known == name).unwrap_or_else(|| {
            registers.push(name.to_owned());
            registers.len() - 1
        })
    };
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut out: Code = Vec::new();
    let mut jumps: Vec<(usize, &str)> = Vec::new();
    for cell in cells {
        let words: Vec<&str> = cell.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let number = |word: &str| word.parse().expect("a number");
        match words[..] {
            [] => {}
            [label] => {
                labels.insert(label.trim_end_matches(':'), out.len());
            }
            ["ld.relaxed.gpu", r, "Mem0"] => {
                out.push((None, Step::Act(Act::Load(register(r), 0))));
            }
            ["st.relaxed.gpu", "Mem0", n] => {
                out.push((None, Step::Act(Act::Store(0, Source::Number(number(n))))));
            }
            ["atom.relaxed.gpu.exch", r, "Mem0", n] => {
                out.push((None, Step::Act(Act::Exchange(register(r), 0, number(n)))));
            }
            ["bne", r, n, label] => {
                out.push((None, Step::Act(Act::Test(false, register(r), number(n)))));
                jumps.push((out.len(), label));
                out.push((Some(true), Step::Jump(0)));
            }
            ["goto", label] => {
                jumps.push((out.len(), label));
                out.push((None, Step::Jump(0)));
            }
            _ => panic!("`{cell}` is none of the instructions of these programs"),
        }
    }
    for (at, label) in jumps {
        out[at].1 = Step::Jump(labels[label]);
    }
    out
}

#[test]
fn forward_progress_programs_hang_where_the_machine_does() {
    let Some(folder) = support::corpus("dat3m/CADP") else { return };
    let sc = support::model("ptx-7.5");
    let mut tally: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("an entry is readable").path())
        .filter(|path| path.is_dir())
        .flat_map(|path| std::fs::read_dir(path).expect("the folder is readable"))
        .map(|entry| entry.expect("an entry is readable").path())
        .collect();
    paths.sort();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("the test is readable");
        let test = parse("columns.litmus", text.as_bytes()).expect("the test is read");
        let found = compare(&columns(&text), &test, &sc, 2);
        let counts = found.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        counts.into_iter().for_each(|(kind, count)| *tally.entry(kind).or_default() += count);
    }
    println!("{} programs: {tally:?}", paths.len());
    assert!(paths.len() >= 29 && tally["possible"] > 50 && tally["never"] > 50, "{tally:?}");
}

/// The tests of which another tool says whether every fair execution ends.
#[test]
fn fair_executions_end_where_another_tool_says_so() {
    let Some(folder) = support::corpus("dat3m") else { return };
    let table = std::fs::read_to_string(folder.join("PTXv6_0-Liveness-expected.csv"));
    let (model, engine) = (support::model("ptx-6.0"), SearchEngine::default());
    let settings = Settings::default().with_progress(Progress::Fair);
    let mut ends = 0;
    for row in table.expect("the table is readable").lines() {
        let (path, expected) = row.split_once(',').expect("a path and an answer");
        let test = support::read(&folder.join(path)).expect("the test is read");
        let found = answer(&test, &model, &engine, settings).kind();
        let expected = if expected == "1" { HangKind::Never } else { HangKind::Possible };
        assert_eq!(found, expected, "{path}");
        ends += usize::from(found == HangKind::Never);
    }
    assert!(ends > 20, "{ends} tests end");
}

/// The answer for a shipped test under a model of progress.
fn shipped(path: &str, progress: Progress) -> (Kind, HangKind) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let test = support::read(&path).expect("the test is read");
    let (model, engine) = (support::model("ptx-9.2"), SearchEngine::default());
    let settings = Settings::default().with_progress(progress);
    let outcome = check(&test, &model, &engine, settings);
    let answer = hang(&test, &model, &engine, settings, &outcome);
    (outcome.verdict.kind(), answer.kind())
}

#[test]
fn a_lock_across_ctas_is_safe_once_its_holder_has_begun() {
    let lock = |progress| shipped("litmus/locks/cas-lock.litmus", progress).1;
    assert_eq!(lock(Progress::Cuda), HangKind::Never);
    assert_eq!(lock(Progress::Obe), HangKind::Never);
    assert_eq!(lock(Progress::Hsa), HangKind::Possible);
    assert_eq!(lock(Progress::Unfair), HangKind::Possible);
}

/// What the command says of a thread with this loop.
fn of_loop(body: &str) -> String {
    let text = format!(
        "PTX loop\n.global .u32 flag = 0;\nP0 @ cta 0, warp 0 {{\n  mov.u64 %rd1, %clock64;\n\
         L:\n{body}\n}}\nexists (flag == 0)\n"
    );
    ptxmc_reading(&["hangs", "-"], &text).out
}

#[test]
fn loops_end_that_wait_for_a_clock() {
    const NEVER: &str = ": never hangs";
    const MAYBE: &str = ": may hang";
    const UNKNOWN: &str = " is unknown";
    let loops = [
        // A deadline, a time by a signed comparison, and a time in larger units.
        ("mov.u64 %rd2, %globaltimer; setp.gt.u64 %p1, 1000, %rd2;", NEVER),
        ("mov.u64 %rd2, %clock64; sub.s64 %rd3, %rd1, %rd2; setp.gt.s64 %p1, %rd3, -9;", NEVER),
        ("mov.u64 %rd2, %clock64; shr.u64 %rd2, %rd2, 10; setp.lt.u64 %p1, %rd2, 9;", NEVER),
        ("mov.u32 %r2, %clock_hi; setp.lt.u32 %p1, %r2, 9;", NEVER),
        // Never again, once the clock has come so far.
        ("mov.u64 %rd2, %clock64; setp.gt.u64 %p1, %rd2, 1000;", MAYBE),
        // One bit, or one number, may be missed each time; so may a time below zero that wraps.
        ("mov.u64 %rd2, %clock64; and.b64 %rd2, %rd2, 64; setp.eq.u64 %p1, %rd2, 0;", UNKNOWN),
        ("mov.u64 %rd2, %clock64; setp.ne.u64 %p1, %rd2, 77;", UNKNOWN),
        ("mov.u64 %rd2, %clock64; sub.u64 %rd3, %rd1, %rd2; setp.gt.u64 %p1, %rd3, 9;", UNKNOWN),
        // A register that is no clock.
        ("mov.u32 %r2, %smid; setp.lt.u32 %p1, %r2, 9;", MAYBE),
    ];
    for (body, expected) in loops {
        let said = of_loop(&format!("  {body} @%p1 bra L;"));
        assert!(said.contains(expected), "{body}: {said}");
    }
}
