//! Asynchronous operations: engines against each other on generated pipelines, how much a copy costs,
//! and what a phase that nothing completes is called.
//!
//! `PTXMC_ASYNC_CASES` makes the run longer; the cases are drawn from one seed.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::support;
use crate::support::{limit, litmus_files, model, parse, read};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use ptxmc::testing::check::{Settings, check, graph_of};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Cores, Engine};
use ptxmc::testing::verdict::Kind;
use std::collections::BTreeMap;
use std::path::Path;

/// The families of shipped tests that are about asynchronous operations.
const FAMILIES: [&str; 6] =
    ["async-copy", "bulk", "bulk-store", "bulk-reduce", "buffers", "async-cluster"];

/// A load into shared memory with the steps around it, any of which may be missing or wrong.
#[derive(Clone, Debug)]
struct Load {
    stored_before: bool,
    fence_before: &'static str,
    expected: u32,
    wait: &'static str,
    waits: bool,
    fence_behind: &'static str,
    reader: &'static str,
}

fn load() -> impl Strategy<Value = Load> {
    let fences =
        &["", "fence.proxy.async;", "fence.proxy.async.shared::cta;", "fence.proxy.async.global;"]
            [..];
    let waits = &["", ".acquire.cta", ".relaxed.cta"][..];
    let behind = &["", "fence.acq_rel.cta;", "fence.proxy.async;"][..];
    let readers = &["ld.shared.u32 %r1, [s];", "ld.relaxed.cta.shared.u32 %r1, [s];"][..];
    (
        any::<bool>(),
        select(fences),
        select(&[16_u32, 16, 16, 32][..]),
        select(waits),
        proptest::bool::weighted(0.8),
        select(behind),
        select(readers),
    )
        .prop_map(
            |(stored_before, fence_before, expected, wait, waits, fence_behind, reader)| Load {
                stored_before,
                fence_before,
                expected,
                wait,
                waits,
                fence_behind,
                reader,
            },
        )
}

impl Load {
    fn text(&self) -> String {
        let Self { fence_before, expected, wait, fence_behind, reader, .. } = self;
        let store = if self.stored_before { "st.shared.u32 [s], 1;" } else { "" };
        let waits = if self.waits {
            format!(
                "W: mbarrier.try_wait.parity{wait}.shared::cta.b64 %p1, [full], 0;\n  @!%p1 bra W;"
            )
        } else {
            String::new()
        };
        format!(
            "PTX load\n\
             .global .align 16 .u32 g[4] = {{5, 5, 5, 5}};\n\
             .shared .align 16 .u32 s[4] = {{0, 0, 0, 0}};\n\
             .shared .align 8 .b64 full;\n\
             P0 @ cta 0, warp 0 {{\n  mbarrier.init.shared::cta.b64 [full], 1;\n  {store}\n  \
             {fence_before}\n  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {expected};\n  \
             cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [full];\n  \
             {waits}\n  {fence_behind}\n  {reader}\n}}\nexists (P0:%r1 != 5)\n"
        )
    }
}

/// A store out of shared memory, group by group, with a source that is used again.
#[derive(Clone, Debug)]
struct Store {
    fence: &'static str,
    commits: bool,
    wait: &'static str,
    again: bool,
}

fn store() -> impl Strategy<Value = Store> {
    let fences = &["", "fence.proxy.async.shared::cta;", "fence.proxy.async.global;"][..];
    let waits = &[
        "",
        "cp.async.bulk.wait_group 0;",
        "cp.async.bulk.wait_group.read 0;",
        "cp.async.bulk.wait_group 1;",
    ][..];
    (select(fences), proptest::bool::weighted(0.8), select(waits), any::<bool>())
        .prop_map(|(fence, commits, wait, again)| Store { fence, commits, wait, again })
}

impl Store {
    fn text(&self) -> String {
        let Self { fence, wait, .. } = self;
        let commit = if self.commits { "cp.async.bulk.commit_group;" } else { "" };
        let again = if self.again { "st.shared.u32 [s], 9;" } else { "" };
        format!(
            "PTX store\n\
             .global .align 16 .u32 out[4] = {{0, 0, 0, 0}};\n\
             .shared .align 16 .u32 s[4] = {{1, 1, 1, 1}};\n\
             P0 @ cta 0, warp 0 {{\n  st.shared.u32 [s], 7;\n  {fence}\n  \
             cp.async.bulk.global.shared::cta.bulk_group [out], [s], 16;\n  {commit}\n  {wait}\n  \
             {again}\n}}\nexists (out[0] != 7)\n"
        )
    }
}

fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::<SearchEngine>::default(),
        Box::new(Enumerate { cores: Cores::FirstProof }),
        #[cfg(feature = "z3")]
        Box::<ptxmc::testing::solve::z3::Z3Engine>::default(),
    ]
}

/// The verdicts of all engines that have one; a program that only one of them decides says nothing.
fn verdicts(test: &Test, milliseconds: u64) -> Vec<(&'static str, Kind)> {
    let (model, mut found) = (model("ptx-9.2"), Vec::new());
    for engine in engines() {
        let settings = Settings::default().with_budget(limit(None, milliseconds));
        let kind = check(test, &model, engine.as_ref(), settings).verdict.kind();
        if kind != Kind::Unknown {
            found.push((engine.name(), kind));
        }
    }
    found
}

#[test]
fn engines_agree_on_generated_copies() {
    let cases: usize =
        std::env::var("PTXMC_ASYNC_CASES").map_or(24, |n| n.parse().expect("a number of cases"));
    let mut runner = TestRunner::deterministic();
    let texts = prop_oneof![load().prop_map(|l| l.text()), store().prop_map(|s| s.text())];
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..cases {
        let text = texts.new_tree(&mut runner).expect("a text").current();
        let test = parse("generated", text.as_bytes()).expect("generated tests are correct");
        let found = verdicts(&test, 15_000);
        assert!(found.len() > 1, "fewer than two engines decide\n{text}");
        for (engine, kind) in &found {
            assert_eq!(*kind, found[0].1, "{engine} differs on\n{text}");
        }
        *seen.entry(found[0].1.name()).or_default() += 1;
    }
    println!("{seen:?}");
    assert!(seen.len() > 2, "the cases are too much alike: {seen:?}");
}

/// One shipped test of so many is asked of every engine in the quick run.
#[test]
fn engines_agree_on_shipped_copies() {
    let litmus = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let mut compared = 0;
    for family in FAMILIES {
        for path in litmus_files(&litmus.join(family)).iter().step_by(12) {
            let test = read(path).expect("shipped tests are free of errors");
            let found = verdicts(&test, 1_000);
            for (engine, kind) in &found {
                assert_eq!(*kind, found[0].1, "{engine} differs on {}", path.display());
            }
            compared += usize::from(found.len() > 1);
        }
    }
    println!("{compared} tests");
    assert!(compared > 4, "only {compared} tests are decided by two engines");
}

#[test]
fn a_large_copy_costs_what_is_read_of_it() {
    let text = "PTX large\n\
         .global .align 16 .u32 g[16384] = {5};\n\
         .shared .align 16 .u32 s[16384];\n\
         .shared .align 8 .b64 full;\n\
         P0 @ cta 0, warp 0 {\n  mbarrier.init.shared::cta.b64 [full], 1;\n  \
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 65536;\n  \
         cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 65536, [full];\n\
         W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;\n  @!%p1 bra W;\n  \
         ld.shared.u32 %r1, [s];\n  ld.shared.u32 %r2, [s+65532];\n}\n\
         exists (P0:%r1 != 5 \\/ P0:%r2 != 0)\n";
    let test = parse("large", text.as_bytes()).expect("it is correct");
    let graph = graph_of(&test, &model("ptx-9.2"), Settings::default());
    assert!(graph.events.len() < 32, "{} events", graph.events.len());
    let engine = SearchEngine::default();
    let kind = check(&test, &model("ptx-9.2"), &engine, Settings::default()).verdict.kind();
    assert_eq!(kind, Kind::Forbidden);
}

#[test]
fn a_phase_that_nothing_completes_is_waited_for_in_vain() {
    let load = Load {
        stored_before: false,
        fence_before: "",
        expected: 32,
        wait: "",
        waits: true,
        fence_behind: "",
        reader: "ld.shared.u32 %r1, [s];",
    };
    let test = support::parse("hang", load.text().as_bytes()).expect("it is correct");
    let engine = SearchEngine::default();
    let outcome = check(&test, &model("ptx-9.2"), &engine, Settings::default());
    let ptxmc::testing::verdict::Verdict::Forbidden(core) = &outcome.verdict else {
        panic!("{:?}", outcome.verdict.kind());
    };
    assert_eq!(core.endless.len(), 1, "the loop that waits is named");
}
