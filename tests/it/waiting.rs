//! Loops that wait, against loops of which no round is left out: the rounds that the tool does not
//! look at must add no final state (PTX-8.9.2, and the argument in `check::transparent`).
//!
//! `PTXMC_WAITING_CASES` and `PTXMC_WAITING_SEED` make a run longer or another one.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::support;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use ptxmc::testing::cat::BUILTIN;
use ptxmc::testing::check::{Settings, check, cut, graph_of};
use ptxmc::testing::event::graph::EventGraph;
use ptxmc::testing::event::unfold::{Unfolding, unfold};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::program::lower::lower;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Budget, Engine, Problem};
use ptxmc::testing::verdict::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A thread: something, a loop, something; and the CTA that it is in.
#[derive(Clone, Debug)]
struct Thread {
    before: Vec<Act>,
    loops: Vec<Loop>,
    after: Vec<Act>,
    cta: u32,
}

/// Repeats its acts until the result of the last one has some value, or has no longer.
#[derive(Clone, Debug)]
struct Loop {
    acts: Vec<Act>,
    until: bool,
    value: u32,
    /// Whether all acts but the last happen only if the thread has read 1 at first.
    guarded: bool,
}

/// An instruction, with `{r}` for a new register and `{v}` for the result before it.
type Act = String;

fn scope() -> impl Strategy<Value = &'static str> {
    select(&["gpu", "gpu", "gpu", "cta"][..])
}

fn variable() -> impl Strategy<Value = &'static str> {
    select(&["x", "x", "y"][..])
}

fn operand() -> impl Strategy<Value = &'static str> {
    select(&["0", "1", "1", "2", "{v}"][..])
}

/// What a thread may wait with; most of it writes what it reads at times.
fn update() -> impl Strategy<Value = Act> {
    let form = select(
        &[
            "exch.b32 {r}, [V], 1",
            "exch.b32 {r}, [V], O",
            "add.u32 {r}, [V], 0",
            "or.b32 {r}, [V], O",
            "max.u32 {r}, [V], O",
            "cas.b32 {r}, [V], 0, 1",
            "inc.u32 {r}, [V], 1",
        ][..],
    );
    let order = select(&["relaxed", "acquire", "release", "acq_rel"][..]);
    (form, order, scope(), variable(), operand()).prop_map(|(form, order, scope, at, value)| {
        format!("atom.{order}.{scope}.global.{}", form.replace('V', at).replace('O', value))
    })
}

fn act() -> impl Strategy<Value = Act> {
    let load = select(&["weak", "relaxed.gpu", "relaxed.cta", "acquire.gpu"][..]);
    let store = select(&["weak", "relaxed.gpu", "relaxed.gpu", "relaxed.cta", "release.gpu"][..]);
    let order = select(&["acq_rel", "acquire", "release", "sc"][..]);
    prop_oneof![
        3 => (load, variable()).prop_map(|(q, at)| format!("ld.{q}.global.u32 {{r}}, [{at}]")),
        5 => (store, variable(), operand())
            .prop_map(|(q, at, value)| format!("st.{q}.global.u32 [{at}], {value}")),
        3 => update(),
        1 => (scope(), variable(), operand())
            .prop_map(|(s, at, value)| format!("red.relaxed.{s}.global.or.b32 [{at}], {value}")),
        2 => (order, scope()).prop_map(|(order, scope)| format!("fence.{order}.{scope}")),
    ]
}

fn threads() -> impl Strategy<Value = Vec<Thread>> {
    let acts = (vec(act(), 0..=1), prop_oneof![4 => update(), 1 => act()]);
    let guarded = prop::bool::weighted(0.3);
    let turns = (acts, any::<bool>(), 0..3_u32, guarded).prop_map(
        |((mut acts, last), until, value, guarded)| {
            acts.push(last);
            Loop { acts, until, value, guarded }
        },
    );
    let loops =
        proptest::option::weighted(0.8, turns).prop_map(|turns| turns.into_iter().collect());
    let thread = (vec(act(), 0..=2), loops, vec(act(), 0..=2), 0..2_u32)
        .prop_map(|(before, loops, after, cta)| Thread { before, loops, after, cta });
    vec(thread, 2..=3)
}

/// A thread being printed.
#[derive(Default)]
struct Printer {
    out: String,
    registers: usize,
    /// Whether loops give up after so many rounds that none of these is looked at one by one.
    gives_up: bool,
}

impl Printer {
    fn act(&mut self, act: &str, label: &str) {
        let last = self.registers.checked_sub(1);
        let text = act.replace("{v}", &last.map_or("1".to_owned(), |r| format!("%r{r}")));
        let new = text.contains("{r}");
        let text = text.replace("{r}", &format!("%r{}", self.registers));
        let _ = writeln!(self.out, "{label}  {text};");
        self.registers += usize::from(new);
    }

    fn turns(&mut self, index: usize, turns: &Loop) {
        let first = self.registers;
        let guarded = turns.guarded && first > 0;
        if guarded {
            let _ = writeln!(self.out, "  setp.eq.u32 %g{index}, %r0, 1;");
        }
        for (at, act) in turns.acts.iter().enumerate() {
            let label = if at == 0 { format!("L{index}:") } else { String::new() };
            let applies = guarded && at + 1 < turns.acts.len();
            let guard = if applies { format!("  @%g{index}") } else { String::new() };
            self.act(act, &format!("{label}{guard}"));
        }
        // What sets no register would wait for nothing.
        let Some(last) = self.registers.checked_sub(1).filter(|&r| r >= first) else { return };
        if self.gives_up {
            let _ = writeln!(self.out, "  add.u32 %c{index}, %c{index}, 1;");
            let _ = writeln!(self.out, "  setp.ge.u32 %q{index}, %c{index}, 1000;");
            let _ = writeln!(self.out, "  @%q{index} bra E{index};");
        }
        let back = if turns.until { "ne" } else { "eq" };
        let _ = writeln!(self.out, "  setp.{back}.u32 %p{index}, %r{last}, {};", turns.value);
        let _ = writeln!(self.out, "  @%p{index} bra L{index};");
        if self.gives_up {
            let _ = writeln!(self.out, "E{index}:");
        }
    }
}

/// A program, in which all accesses are morally strong if asked, and loops give up in the end.
fn text(threads: &[Thread], strong: bool, gives_up: bool) -> String {
    let mut out = "PTX waiting\n.global .u32 x = 0;\n.global .u32 y = 0;\n".to_owned();
    let mut shown = vec!["x".to_owned(), "y".to_owned()];
    for (t, thread) in threads.iter().enumerate() {
        let mut printer = Printer { gives_up, ..Printer::default() };
        if gives_up {
            (0..thread.loops.len()).for_each(|at| {
                let _ = writeln!(printer.out, "  mov.u32 %c{at}, 0;");
            });
        }
        thread.before.iter().for_each(|act| printer.act(act, ""));
        thread.loops.iter().enumerate().for_each(|(at, turns)| printer.turns(at, turns));
        thread.after.iter().for_each(|act| printer.act(act, ""));
        let _ = writeln!(out, "P{t} @ cta {}, gpu 0 {{\n{}}}", thread.cta, printer.out);
        shown.extend((0..printer.registers).map(|r| format!("P{t}:%r{r}")));
    }
    if strong {
        out = out.replace(".weak.", ".relaxed.gpu.").replace(".cta.", ".gpu.");
    }
    let _ = writeln!(out, "locations [{};]\nexists (true)", shown.join("; "));
    out
}

/// All built-in models, and PTX 9.2 in each of its readings.
fn models() -> Vec<Model> {
    let readings = support::load("ptx-9.2", BTreeSet::new()).variants;
    let others =
        readings.into_iter().map(|reading| support::load("ptx-9.2", BTreeSet::from([reading])));
    let plain = BUILTIN.iter().map(|found| support::load(found.name, BTreeSet::new()));
    plain.chain(others).map(|parsed| parsed.model).collect()
}

/// How often the rounds of a loop are looked at when none is left out.
const ROUNDS: u8 = 4;

const BUDGET: Budget = Budget::unlimited().at_most(60_000);

type States = BTreeSet<Vec<u128>>;

/// All final states; `None` if there are too many to list.
fn states(graph: &EventGraph, model: &Model, engine: &SearchEngine) -> Option<States> {
    let found = engine.states(Problem { graph, model }, BUDGET).ok()?;
    let all = || found.states.into_iter().map(|(state, _)| state).collect();
    found.incomplete.is_none().then(all)
}

/// What a program showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    /// The bound cuts executions that go on.
    Cut,
    /// There is too much to look at.
    TooMuch,
    /// Nothing, since no round has been left out.
    Nothing,
    /// That rounds left out add nothing.
    Same,
}

/// Compares the final states of a graph with those of one of so many rounds, of which none is left out.
fn compare(
    test: &Test,
    model: &Model,
    engine: &SearchEngine,
    settings: Settings,
    rounds: u8,
    agrees: impl Fn(&States, &States) -> bool,
) -> Result<Shown, String> {
    let short = graph_of(test, model, settings);
    let asked = settings.with_budget(BUDGET);
    if cut(test, Problem { graph: &short, model }, engine, asked).is_some() {
        return Ok(Shown::Cut);
    }
    if short.cuts.is_empty() {
        return Ok(Shown::Nothing);
    }
    let unfolding =
        Unfolding { bound: rounds, spin_loops: false, grounded: false, ..Unfolding::default() };
    let long = unfold(&lower(test, settings.readings), unfolding, &BTreeSet::new());
    let [short, long] = [&short, &long].map(|graph| states(graph, model, engine));
    let (Some(short), Some(long)) = (short, long) else { return Ok(Shown::TooMuch) };
    match agrees(&short, &long) {
        true => Ok(Shown::Same),
        false => Err(format!("{}: {short:?} with rounds left out, {long:?} with all", model.name)),
    }
}

/// Compares the final states of random programs, most of whose accesses are strong with this chance.
fn compare_all(
    strong: f64,
    gives_up: bool,
    compared: impl Fn(&Test, &Model, &SearchEngine) -> Result<Shown, String>,
) {
    let (cases, mut runner) = support::random::drawn("WAITING");
    let (models, engine) = (models(), SearchEngine::default());
    let programs = (threads(), 0..models.len(), prop::bool::weighted(strong));
    let mut tally: BTreeMap<Shown, u64> = BTreeMap::new();
    for _ in 0..cases * 5 {
        let (threads, at, strong) = programs.new_tree(&mut runner).expect("a program").current();
        let text = text(&threads, strong, gives_up);
        let test = support::parse("waiting.litmus", text.as_bytes()).expect("a program");
        let shown = compared(&test, &models[at], &engine);
        *tally.entry(shown.unwrap_or_else(|why| panic!("{text}{why}"))).or_default() += 1;
    }
    println!("{tally:?}");
    assert!(tally.get(&Shown::Same).is_some_and(|&count| count > cases / 2), "{tally:?}");
}

#[test]
fn rounds_that_are_left_out_add_nothing() {
    compare_all(0.7, false, |test, model, engine| {
        compare(test, model, engine, Settings::default().with_bound(2), ROUNDS, |short, long| {
            short == long
        })
    });
}

/// What rounds show that are looked at one by one is shown by the fewer that stand for more.
#[test]
fn rounds_that_stand_for_more_lose_nothing() {
    let settings = Settings::default().with_bound(ROUNDS - 1).with_rounds_that_stand_for_more();
    compare_all(0.5, true, |test, model, engine| {
        compare(test, model, engine, settings, ROUNDS + 1, |short, long| long.is_subset(short))
    });
}

/// The kind of verdict where the bound is raised.
fn verdict(name: &str, text: &[u8]) -> Kind {
    let model = support::load("ptx-9.2", BTreeSet::new()).model;
    let test = support::parse(name, text).expect("a program");
    let settings = Settings::default().with_bound(2);
    check(&test, &model, &SearchEngine::default(), settings).verdict.kind()
}

/// Rounds that write stand for themselves: a verdict is not found out by fewer.
#[test]
fn a_write_in_a_late_round_is_not_lost() {
    let text = "PTX late\n.global .u32 f;\n.global .u32 y;\nP0 @ gpu 0, cta 0 {\n  mov.u32 %r9, 0;\n\
                L:\n  ld.relaxed.gpu.global.u32 %r1, [f];\n  add.s32 %r9, %r9, 1;\n  \
                setp.eq.u32 %p2, %r9, 5000;\n  @%p2 st.relaxed.gpu.global.u32 [y], 1;\n  \
                setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n}\nP1 @ gpu 0, cta 1 {\n  \
                st.relaxed.gpu.global.u32 [f], 1;\n}\nexists (y == 1)\n";
    assert_eq!(verdict("late.litmus", text.as_bytes()), Kind::Unknown);
}

/// Rounds that matter in loops that go round more often than is looked at: what they lead to is not
/// called forbidden.
#[test]
fn rounds_beyond_the_bound_are_not_lost() {
    for name in [
        "round-behind-shuffles",
        "round-behind-barriers",
        "round-around-a-count",
        "misuse-before-a-filter",
        "access-to-an-exited-cta",
        "opaque-result",
        "opaque-result-in-lockstep",
        "reset-behind-a-mixed-size-race",
        "misuse-behind-many-barriers",
        "barrier-behind-a-count",
        "choice-without-a-dependency",
        "store-without-a-dependency",
        "address-without-a-dependency",
        "rounds-behind-a-shed-dependency",
    ] {
        let path = format!("{}/tests/cli/late-{name}.litmus", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(&path).expect("a test");
        assert_eq!(verdict(&path, &text), Kind::Unknown, "{name}");
    }
}

/// Where a write has more ways than are told apart, that its value comes from nowhere is not said: in the
/// way taken, it may depend on less. Nor is it said of what an execution with such a value would come to.
#[test]
fn ways_that_are_not_told_apart_exclude_nothing() {
    for name in
        ["many-ways", "many-ways-and-a-misuse", "many-ways-and-a-barrier", "many-ways-and-a-bound"]
    {
        let path = format!("{}/tests/cli/{name}.litmus", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(&path).expect("a test");
        assert_eq!(verdict(&path, &text), Kind::Unknown, "{name}");
    }
}

/// What decides a store's value may itself be decided by less: the store depends on that alone.
#[test]
fn what_decides_may_be_decided() {
    let text = "PTX decided\n.global .u32 c = 1; .global .u32 x; .global .u32 y;\nP0 @ cta 0 {\n  \
                ld.relaxed.gpu.global.u32 %r1, [c];\n  setp.eq.u32 %p2, %r1, 1;\n  \
                ld.relaxed.gpu.global.u32 %r3, [x];\n  setp.eq.or.u32 %p2, %r3, 1, %p2;\n  \
                selp.b32 %r8, 1, 5, %p2;\n  @%p2 st.relaxed.gpu.global.u32 [y], %r8;\n}\n\
                P1 @ cta 1 {\n  ld.relaxed.gpu.global.u32 %r1, [y];\n  \
                st.relaxed.gpu.global.u32 [x], %r1;\n}\nexists (P0:%r3 == 1)\n";
    assert_eq!(verdict("decided.litmus", text.as_bytes()), Kind::Allowed);
}

/// Only registers that some way leaves unwritten are warned of.
#[test]
fn counted_loops_and_complements_write_registers() {
    let text = "PTX written\n.global .u32 x; .global .u32 y;\nP0 @ cta 0 {\n  mov.u32 %r1, 0;\nL:\n  \
                setp.ge.u32 %p1, %r1, 4;\n  @%p1 bra E;\n  ld.global.u32 %r2, [x];\n  \
                add.u32 %r1, %r1, 1;\n  bra L;\nE:\n  setp.eq.u32 %p2|%p3, %r2, 0;\n  \
                @%p2 mov.u32 %r3, 1;\n  @%p3 mov.u32 %r3, 2;\n  st.global.u32 [y], %r3;\n  \
                @%p2 mov.u32 %r4, 1;\n  st.global.u32 [y], %r4;\n}\nexists (y == 1)\n";
    let mut files = ptxmc::testing::source::Files::default();
    let parsed =
        ptxmc::testing::litmus::parse::parse_bytes(&mut files, "written.litmus", text.as_bytes());
    let messages: Vec<&str> = parsed.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("`r4`"), "{messages:?}");
}
