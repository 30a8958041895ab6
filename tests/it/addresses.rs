//! Computed addresses: the places that are left out because no value that is read leads there, against
//! graphs with all places (PTX-8.10.4, and the argument in `event::meant`).
//!
//! `PTXMC_ADDRESSES_CASES` and `PTXMC_ADDRESSES_SEED` make a run longer or another one.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::support;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use ptxmc::testing::cat::BUILTIN;
use ptxmc::testing::check::{Settings, graph_of};
use ptxmc::testing::event::graph::EventGraph;
use ptxmc::testing::event::unfold::{Unfolding, unfold};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::program::lower::lower;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Answer, Budget, Engine, Goal, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Some instructions, with `{n}` for a new 32-bit register, `{a}` for a new address, `{v}` and `{p}` for
/// the last ones of these, and `{w}` for the 32-bit register before the last.
type Act = &'static str;

/// Numbers, and pointers to them, which no torn access tells apart.
const VARIABLES: &str = "\
.global .u32 x = 0;
.global .u32 y = 1;
.global .u32 i = 0;
.global .u32 u;
.global .u32 t[3] = {1, 2, 0};
.global .u64 p = x;
.global .u64 q = y;
";

/// What is observed besides registers.
const SHOWN: &str = "x; y; i; t[0]; t[1]; t[2]; p; q;";

fn act() -> impl Strategy<Value = Act> {
    let pointers = select(
        &[
            "ld.weak.global.u64 {a}, [p];",
            "ld.weak.global.u64 {a}, [q];",
            "ld.acquire.gpu.global.u64 {a}, [p];",
            "st.weak.global.u64 [p], {p};",
            "st.weak.global.u64 [q], {p};",
            "st.release.gpu.global.u64 [p], {p};",
            "atom.relaxed.gpu.global.exch.b64 {a}, [p], {p};",
            "atom.acq_rel.gpu.global.cas.b64 {a}, [q], %rd0, {p};",
            "mov.u64 {a}, x;",
            "mov.u64 {a}, t;",
            "mov.u64 {a}, i;",
            "add.u64 {a}, {p}, 0;",
            "setp.eq.u32 %p0, {v}, 2; mov.u64 %rd98, x; selp.b64 {a}, %rd98, %rd0, %p0;",
        ][..],
    );
    let through = select(
        &[
            "ld.weak.global.u32 {n}, [{p}];",
            "ld.relaxed.gpu.global.u32 {n}, [{p}];",
            "st.weak.global.u32 [{p}], {v};",
            "st.relaxed.gpu.global.u32 [{p}], 1;",
            "atom.relaxed.gpu.global.exch.b32 {n}, [{p}], {v};",
        ][..],
    );
    let indices = select(
        &[
            "ld.weak.global.u32 {n}, [i];",
            "ld.relaxed.gpu.global.u32 {n}, [t];",
            "ld.weak.global.u32 {n}, [u];",
            "st.weak.global.u32 [i], {v};",
            "st.relaxed.gpu.global.u32 [i], 2;",
            "st.relaxed.gpu.global.u32 [i], {v};",
            "ld.relaxed.gpu.global.u32 {n}, [i];",
            "st.relaxed.gpu.global.u32 [x], {v};",
            "ld.relaxed.gpu.global.u32 {n}, [x];",
            "atom.relaxed.gpu.global.add.u32 {n}, [i], 1;",
            "mov.u32 {n}, 1;",
            "and.b32 {n}, {v}, 1;",
            "xor.b32 %r99, {v}, {w}; and.b32 {n}, %r99, 1;",
            "mov.u64 %rd99, t; mad.wide.u32 {a}, {v}, 4, %rd99;",
            "setp.lt.u32 %p0, {v}, 2; @%p0 st.weak.global.u32 [x], {v};",
            "setp.eq.u64 %p0, {p}, %rd0; @%p0 st.weak.global.u64 [q], {p};",
        ][..],
    );
    prop_oneof![4 => pointers, 4 => through, 3 => indices]
}

/// A program, and whether there is something to say about it: some address is computed.
fn text(threads: &[Vec<Act>]) -> (String, bool) {
    let mut out = format!("PTX addresses\n{VARIABLES}");
    let (mut shown, mut read) = (SHOWN.to_owned(), false);
    for (t, acts) in threads.iter().enumerate() {
        let _ = writeln!(out, "P{t} @ cta {t}, gpu 0 {{\n  mov.u64 %rd0, y;");
        let (mut values, mut pointers) = (0, 1);
        for act in acts {
            let value = |back| match values >= back {
                true => format!("%r{}", values - back),
                false => "0".to_owned(),
            };
            let pointer = format!("%rd{}", pointers - 1);
            read |= pointers > 1 && act.contains("[{p}]");
            let text = act.replace("{v}", &value(1)).replace("{w}", &value(2));
            let text = text.replace("{p}", &pointer).replace("{n}", &format!("%r{values}"));
            let _ = writeln!(out, "  {}", text.replace("{a}", &format!("%rd{pointers}")));
            values += usize::from(act.contains("{n}"));
            pointers += usize::from(act.contains("{a}"));
        }
        let _ = writeln!(out, "}}");
        (0..values).for_each(|r| shown.push_str(&format!(" P{t}:%r{r};")));
    }
    let _ = writeln!(out, "locations [{shown}]\nexists (true)");
    (out, read)
}

/// The models that exclude values out of thin air.
fn models() -> Vec<Model> {
    let syntactic = support::load("ptx-9.2", BTreeSet::from(["nta=syntactic".to_owned()]));
    BUILTIN.iter().map(|found| support::model(found.name)).chain([syntactic.model]).collect()
}

const BUDGET: Budget = Budget::unlimited().at_most(60_000);

type States = BTreeSet<Vec<u128>>;

/// All final states, and whether something is misused; `None` where that is not found out.
fn shown(graph: &EventGraph, model: &Model, engine: &SearchEngine) -> Option<(States, bool)> {
    let problem = Problem { graph, model };
    let misused = match engine.find(problem, Goal::AnyViolation, BUDGET) {
        Answer::Yes(_) => true,
        Answer::No(_) => false,
        _ => return None,
    };
    let found = engine.states(problem, BUDGET).ok()?;
    let states = || found.states.into_iter().map(|(state, _)| state).collect();
    found.incomplete.is_none().then(|| (states(), misused))
}

/// What a program showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    /// There is too much to look at.
    TooMuch,
    /// No place has been left out.
    Nothing,
    /// That places left out change nothing.
    Same,
}

/// Compares the final states and whether there are misuses.
fn compare(test: &Test, model: &Model, engine: &SearchEngine) -> Result<Shown, String> {
    let settings = Settings::default().with_bound(2);
    let small = graph_of(test, model, settings);
    let unfolding =
        Unfolding { spin_loops: model.forgets_reads(), grounded: false, ..Unfolding::default() };
    let large = unfold(&lower(test, settings.readings), unfolding, &BTreeSet::new());
    if small.events.len() == large.events.len() {
        return Ok(Shown::Nothing);
    }
    let [small, large] = [&small, &large].map(|graph| shown(graph, model, engine));
    let (Some(small), Some(large)) = (small, large) else { return Ok(Shown::TooMuch) };
    match small == large {
        true => Ok(Shown::Same),
        false => Err(format!("{}: {small:?} with places left out, {large:?} with all", model.name)),
    }
}

#[test]
fn places_that_are_left_out_add_nothing() {
    let (cases, mut runner) = support::random::drawn("ADDRESSES");
    let (models, engine) = (models(), SearchEngine::default());
    let programs = (vec(vec(act(), 1..=5), 2..=3), 0..models.len());
    let mut tally: BTreeMap<Shown, u64> = BTreeMap::new();
    let mut drawn = 0;
    while drawn < cases * 5 {
        let (threads, at) = programs.new_tree(&mut runner).expect("a program").current();
        let (text, read) = text(&threads);
        if !read {
            continue;
        }
        drawn += 1;
        let test = support::parse("addresses.litmus", text.as_bytes()).expect("a program");
        let shown = compare(&test, &models[at], &engine);
        let shown = shown.unwrap_or_else(|why| panic!("{text}{why}"));
        *tally.entry(shown).or_default() += 1;
    }
    println!("{tally:?}");
    assert!(tally.get(&Shown::Same).is_some_and(|&count| count > cases), "{tally:?}");
}
