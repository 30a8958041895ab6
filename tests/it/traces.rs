//! Traces of values: the algorithms for large traces agree with the cat models on small ones, and with
//! machines that execute one operation after the other.
//!
//! `PTXMC_TRACES_CASES` and `PTXMC_TRACES_SEED` draw other traces.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::support::{self, random::drawn};
use proptest::prelude::Rng;
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::id::{FileId, OpId};
use ptxmc::testing::judge::trace::lines::parse;
use ptxmc::testing::judge::trace::{Axioms, Trace, Verdict, interleaving, judge, part, whole};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The trace of a text.
fn trace(text: &str) -> Trace {
    let (trace, errors) = parse(text, FileId::new(0));
    assert!(errors.is_empty(), "{errors:?} in\n{text}");
    trace
}

/// Random numbers.
struct Dice<'r>(&'r mut dyn Rng);

impl Dice<'_> {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }

    /// Whether something happens that does so many times in a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What kinds of operations a random trace has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mix {
    /// Accesses and fences of all orders and scopes.
    All,
    /// As [`Mix::All`], with barriers of CTAs, one behind the other.
    Barriers,
    /// Shapes that synchronize: mostly strong, few locations.
    Strong,
}

/// A random trace of a few operations; most values are read where they may have been written.
fn random(rng: &mut Dice<'_>, mix: Mix) -> String {
    let threads = 2 + rng.below(2);
    let cells = ["x", "y"];
    let mut out = String::new();
    let same = rng.chance(40);
    for thread in 0..threads {
        let gpu = usize::from(!same && rng.chance(10));
        let cta = if mix == Mix::Barriers || rng.chance(40) { 0 } else { thread };
        let cluster = if rng.chance(50) { 9 } else { cta };
        let cluster = if cta == 0 { 0 } else { cluster };
        let _ = writeln!(out, "thread {thread} @ gpu {gpu}, cluster {cluster}, cta {cta}");
    }
    let scopes: &[&str] = match rng.below(4) {
        0 => &["cta", "cluster", "gpu", "sys"],
        1 => &["cta", "gpu"],
        _ => &["gpu"],
    };
    // What is written comes first, so that reads can choose among it.
    let count = 4 + rng.below(6);
    let kinds: Vec<usize> = (0..count).map(|_| rng.below(10)).collect();
    let mut written: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut next = 1;
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut current: BTreeMap<&str, usize> = BTreeMap::new();
    let places: Vec<(usize, &str)> =
        kinds.iter().map(|_| (rng.below(threads), cells[rng.below(2)])).collect();
    let repeats = rng.chance(15);
    let values: Vec<usize> = kinds
        .iter()
        .zip(&places)
        .map(|(kind, (_, cell))| {
            if !matches!(kind, 0..=5) {
                return 0;
            }
            // Some values are written twice, or are the initial one.
            let value = if repeats && rng.chance(30) { rng.below(2) } else { next };
            next += 1;
            written.entry(cell).or_default().push(value);
            value
        })
        .collect();
    for ((kind, (thread, cell)), value) in kinds.iter().zip(&places).zip(values) {
        let scope = scopes[rng.below(scopes.len())];
        let weak = mix != Mix::Strong && rng.chance(35);
        let pick = |rng: &mut Dice<'_>, of: &[&str]| of[rng.below(of.len())].to_owned();
        // Mostly what stands before in the text, so that several reads have to be wrong together.
        let before = current.get(cell).copied().unwrap_or(0);
        let known = written.get(cell).cloned().unwrap_or_default();
        let read = match rng.below(known.len() + 1) {
            _ if rng.chance(65) => before,
            0 => 0,
            at => known[at - 1],
        };
        if *kind <= 5 {
            current.insert(cell, value);
        }
        lines.push((
            *thread,
            match kind {
                0..=2 if weak => format!("st.weak {cell} := {value}"),
                0..=2 => {
                    format!("st.{}.{scope} {cell} := {value}", pick(rng, &["relaxed", "release"]))
                }
                3..=5 if *kind == 3 || mix == Mix::Strong => {
                    let order = pick(rng, &["relaxed", "acquire", "release", "acq_rel"]);
                    format!("atom.{order}.{scope} {{ {cell} == {read}; {cell} := {value} }}")
                }
                3..=5 if weak => format!("st.weak {cell} := {value}"),
                3..=5 => format!("st.relaxed.{scope} {cell} := {value}"),
                6 => {
                    let order = pick(rng, &["sc", "sc", "acq_rel", "acquire", "release"]);
                    format!("fence.{order}.{scope}")
                }
                7 if rng.chance(20) => {
                    let order = pick(rng, &["relaxed", "acquire", "release", "acq_rel"]);
                    format!("atom.{order}.{scope} {cell} == {read}")
                }
                _ if weak => format!("ld.weak {cell} == {read}"),
                _ => format!("ld.{}.{scope} {cell} == {read}", pick(rng, &["relaxed", "acquire"])),
            },
        ));
    }
    if mix == Mix::Barriers {
        // Every thread comes, somewhere among its operations.
        for thread in 0..threads {
            let at = rng.below(lines.len() + 1);
            lines.insert(at, (thread, "bar.sync 0".to_owned()));
        }
    }
    for (thread, line) in lines {
        let _ = writeln!(out, "{thread}: {line}");
    }
    out
}

/// What a cat model says of a trace, as a litmus test.
fn by_cat(trace: &Trace, model: &Model, engine: &SearchEngine) -> Kind {
    let case = whole::test(trace, "trace", &mut Files::default()).expect("it is a test");
    check(&case.test, model, engine, Settings::default()).verdict.kind()
}

#[test]
fn traces_and_cat_models_agree() {
    let (cases, mut runner) = drawn("TRACES");
    let cases = cases * 50;
    let models = [(Axioms::Sc, support::model("sc")), (Axioms::Ptx, support::model("ptx-9.2"))];
    let engine = SearchEngine::default();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in 0..cases {
        let mix = [Mix::All, Mix::Strong, Mix::Strong, Mix::Barriers][case as usize % 4];
        let text = random(&mut Dice(runner.rng()), mix);
        let trace = trace(&text);
        for (axioms, model) in &models {
            let fast = judge(&trace, *axioms);
            let slow = by_cat(&trace, model, &engine);
            let expected = match slow {
                Kind::Allowed => Verdict::Consistent,
                Kind::Forbidden => Verdict::Inconsistent,
                other => panic!("{}: {} for\n{text}", model.name, other.name()),
            };
            let test = whole::text(&trace).expect("it is a test");
            assert_eq!(fast, expected, "case {case} under {}:\n{text}\n{test}", model.name);
            *counts.entry(format!("{} {fast:?}", model.name)).or_default() += 1;
        }
    }
    println!("{cases} traces: {counts:?}");
    for count in counts.values() {
        assert!(*count as u64 > cases / 20, "the traces are one-sided: {counts:?}");
    }
    assert_eq!(counts.len(), 4, "{counts:?}");
}

/// A machine that executes one operation of some thread after the other.
struct Machine {
    threads: usize,
    operations: usize,
    cells: usize,
    /// How many of a hundred operations are stores and updates.
    writes: usize,
}

impl Machine {
    /// The lines of a run, in the order of execution.
    fn run(&self, rng: &mut Dice<'_>) -> Vec<(usize, String)> {
        let mut memory = vec![0; self.cells];
        let mut next = 0;
        (0..self.operations)
            .map(|_| {
                let thread = rng.below(self.threads);
                let cell = rng.below(self.cells);
                let kind = rng.below(100);
                let old = memory[cell];
                if kind < self.writes {
                    next += 1;
                    memory[cell] = next;
                }
                let line = match kind {
                    k if k < self.writes / 4 => {
                        format!("atom.acq_rel.gpu {{ c{cell} == {old}; c{cell} := {next} }}")
                    }
                    k if k < self.writes => format!("st.release.gpu c{cell} := {next}"),
                    _ => format!("ld.acquire.gpu c{cell} == {old}"),
                };
                (thread, line)
            })
            .collect()
    }
}

/// The lines as a text; by thread, so that they say nothing of the order between threads.
fn by_thread(lines: &[(usize, String)]) -> String {
    let mut lines: Vec<&(usize, String)> = lines.iter().collect();
    lines.sort_by_key(|(thread, _)| *thread);
    let text: Vec<String> =
        lines.iter().map(|(thread, line)| format!("{thread}: {line}\n")).collect();
    text.concat()
}

fn in_order(lines: &[(usize, String)]) -> String {
    let text: Vec<String> =
        lines.iter().map(|(thread, line)| format!("{thread}: {line}\n")).collect();
    text.concat()
}

/// Whether every read sees the last write when operations are executed in this order, which is one of
/// all of them and keeps program order.
fn replays(trace: &Trace, order: &[OpId]) -> bool {
    let mut memory: Vec<i128> = trace.cells.iter().map(|cell| cell.initial).collect();
    let mut last: BTreeMap<usize, OpId> = BTreeMap::new();
    let all: BTreeSet<OpId> = order.iter().copied().collect();
    all.len() == trace.ops.len()
        && order.len() == all.len()
        && order.iter().all(|&id| {
            let op = trace.op(id);
            let before = last.insert(op.thread.index(), id);
            let Some(cell) = op.cell else { return before.is_none_or(|before| before < id) };
            let sees = op.read.is_none_or(|value| value == memory[cell.index()]);
            if let Some(value) = op.write {
                memory[cell.index()] = value;
            }
            sees && before.is_none_or(|before| before < id)
        })
}

/// Whether some order of a few operations replays, by trying all.
fn some_order_replays(trace: &Trace) -> bool {
    fn go(
        trace: &Trace,
        threads: &[Vec<OpId>],
        at: &mut Vec<usize>,
        memory: &mut Vec<i128>,
        known: &mut BTreeSet<(Vec<usize>, Vec<i128>)>,
    ) -> bool {
        if at.iter().zip(threads).all(|(at, ops)| *at == ops.len()) {
            return true;
        }
        if !known.insert((at.clone(), memory.clone())) {
            return false;
        }
        for (thread, ops) in threads.iter().enumerate() {
            let Some(&id) = ops.get(at[thread]) else { continue };
            let op = trace.op(id);
            let Some(cell) = op.cell.map(|cell| cell.index()) else {
                at[thread] += 1;
                if go(trace, threads, at, memory, known) {
                    return true;
                }
                at[thread] -= 1;
                continue;
            };
            let old = memory[cell];
            if op.read.is_some_and(|value| value != old) {
                continue;
            }
            memory[cell] = op.write.unwrap_or(old);
            at[thread] += 1;
            if go(trace, threads, at, memory, known) {
                return true;
            }
            at[thread] -= 1;
            memory[cell] = old;
        }
        false
    }
    let mut threads = vec![Vec::new(); trace.threads.len()];
    trace.ids().for_each(|id| threads[trace.op(id).thread.index()].push(id));
    let mut memory = trace.cells.iter().map(|cell| cell.initial).collect();
    go(trace, &threads, &mut vec![0; threads.len()], &mut memory, &mut BTreeSet::new())
}

/// A run of the machine is consistent, in whatever order its lines stand; with a read value changed,
/// the verdict is that of a machine: where it is consistent an order replays, and where it is not, the
/// part that is told has none, and nothing of it can be left out.
fn machine_agrees(machine: &Machine, changes: usize, seed: u64) {
    let (_, mut runner) = drawn("TRACES");
    let rng = &mut Dice(runner.rng());
    (0..seed).for_each(|_| {
        rng.below(2);
    });
    let lines = machine.run(rng);
    for text in [in_order(&lines), by_thread(&lines)] {
        let trace = trace(&text);
        let order = interleaving(&trace).expect("the machine had an order");
        assert!(replays(&trace, &order));
        assert_eq!(judge(&trace, Axioms::Sc), Verdict::Consistent);
        assert_eq!(judge(&trace, Axioms::Ptx), Verdict::Consistent);
    }
    let (mut wrong, mut right) = (0, 0);
    let text = by_thread(&lines);
    let original = trace(&text);
    for _ in 0..changes {
        let mut changed = original.clone();
        let reads: Vec<OpId> = changed.ids().filter(|&id| changed.op(id).read.is_some()).collect();
        let read = reads[rng.below(reads.len())];
        let cell = changed.op(read).cell;
        let own = changed.op(read).write;
        let writes = changed.ops.iter().filter(|op| op.cell == cell).filter_map(|op| op.write);
        let mut values: Vec<i128> = writes.filter(|&value| Some(value) != own).collect();
        values.extend([0, -1]);
        changed.ops[read.index()].read = Some(values[rng.below(values.len())]);
        match judge(&changed, Axioms::Sc) {
            Verdict::Consistent => {
                let order = interleaving(&changed).expect("it is consistent");
                assert!(replays(&changed, &order), "what is called consistent does not replay");
                right += 1;
            }
            Verdict::Inconsistent => {
                let ops = part::of(&changed, Axioms::Sc);
                let part = changed.restricted(&ops);
                assert!(part.ops.len() <= 40, "a part of {} operations", part.ops.len());
                assert!(!some_order_replays(&part), "a part that is consistent");
                wrong += 1;
            }
            Verdict::Unknown(why) => panic!("unknown: {why}"),
        }
    }
    println!("{} operations: {wrong} changes are wrong, {right} are not", machine.operations);
    assert!(wrong > 0, "no change was wrong");
}

#[test]
fn machines_agree() {
    for (seed, (threads, operations, cells, writes)) in
        [(3, 40, 3, 50), (8, 300, 4, 40), (30, 2000, 10, 30), (20, 1000, 40, 70)]
            .into_iter()
            .enumerate()
    {
        let machine = Machine { threads, operations, cells, writes };
        machine_agrees(&machine, 25, seed as u64);
    }
}

/// As large as traces of simulators are; that the order of execution is not told makes no difference
/// under PTX.
#[test]
#[ignore = "takes a minute"]
fn large_runs_are_consistent() {
    let (_, mut runner) = drawn("TRACES");
    for (threads, cells) in [(1000, 64), (1000, 1000), (100, 16)] {
        let machine = Machine { threads, operations: 100_000, cells, writes: 40 };
        let lines = machine.run(&mut Dice(runner.rng()));
        let ordered = trace(&in_order(&lines));
        let order = interleaving(&ordered).expect("the machine had an order");
        assert!(replays(&ordered, &order));
        assert_eq!(judge(&ordered, Axioms::Ptx), Verdict::Consistent);
        assert_eq!(judge(&trace(&by_thread(&lines)), Axioms::Ptx), Verdict::Consistent);
    }
}

/// Nothing can be left out of a part.
#[test]
fn parts_are_irreducible() {
    let (cases, mut runner) = drawn("TRACES");
    let mut sizes = BTreeMap::new();
    for case in 0..cases * 5 {
        let mix = if case % 2 == 0 { Mix::All } else { Mix::Strong };
        let trace = trace(&random(&mut Dice(runner.rng()), mix));
        for axioms in [Axioms::Sc, Axioms::Ptx] {
            if judge(&trace, axioms) != Verdict::Inconsistent {
                continue;
            }
            let ops = part::of(&trace, axioms);
            *sizes.entry(ops.len()).or_insert(0) += 1;
            let small = trace.restricted(&ops);
            assert!(judge(&small, axioms) == Verdict::Inconsistent || ops.len() == 1);
            for left_out in 0..ops.len() {
                let mut fewer = ops.clone();
                fewer.remove(left_out);
                let dependent = small.ids().any(|id| {
                    let (of, op) = (small.op(OpId::new(left_out)), small.op(id));
                    op.read.is_some() && op.read == of.write && op.cell == of.cell
                });
                // Without what it reads from, a read goes too, and that is looked at by itself.
                if !dependent && !fewer.is_empty() {
                    let fewer = trace.restricted(&fewer);
                    assert_eq!(judge(&fewer, axioms), Verdict::Consistent, "{ops:?}");
                }
            }
        }
    }
    println!("parts by size: {sizes:?}");
    assert!(sizes.len() > 3, "{sizes:?}");
}

/// The examples with which the format is introduced elsewhere: store buffering without and with fences,
/// message passing, and an update that is not atomic.
#[test]
fn known_examples() {
    for (text, sc, ptx) in [
        (
            "0: M[1] := 1\n0: M[0] == 0\n1: M[0] := 1\n1: M[1] == 0\n",
            Verdict::Inconsistent,
            Verdict::Consistent,
        ),
        (
            "0: M[1] := 1\n0: sync\n0: M[0] == 0\n1: M[0] := 1\n1: sync\n1: M[1] == 0\n",
            Verdict::Inconsistent,
            Verdict::Inconsistent,
        ),
        (
            "0: M[0] := 1 @ 10:20\n0: sync\n0: M[1] := 1 @ 30:\n1: M[1] == 1 @ 40:50\n1: sync\n\
             1: M[0] == 1 @ 60:70\n",
            Verdict::Consistent,
            Verdict::Consistent,
        ),
        (
            "0: M[0] := 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] == 0\n",
            Verdict::Inconsistent,
            Verdict::Consistent,
        ),
        (
            "0: { M[0] == 0; M[0] := 1 }\n1: { M[0] == 0; M[0] := 2 }\n",
            Verdict::Inconsistent,
            Verdict::Inconsistent,
        ),
        (
            "0: M[0] := 1\n0: M[0] := 2\n1: M[0] == 2\n1: M[0] == 1\n",
            Verdict::Inconsistent,
            Verdict::Consistent,
        ),
    ] {
        let trace = trace(text);
        assert_eq!(judge(&trace, Axioms::Sc), sc, "{text}");
        assert_eq!(judge(&trace, Axioms::Ptx), ptx, "{text}");
    }
}
