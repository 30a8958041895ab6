//! What comes closest to an order: its links, what is missing of them, and the kinds that reports begin
//! with.

use crate::support::command::{path, ptxmc};
use crate::support::{litmus_files, model, read};
use ptxmc::Defect;
use ptxmc::testing::check::{Settings, races};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::execution::build::Execution;
use ptxmc::testing::id::EventId;
use ptxmc::testing::race::near::{How, Link};
use ptxmc::testing::race::{defects, explained};
use ptxmc::testing::relation::eval::{Interpretation, evaluate};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Problem;
use ptxmc::testing::vocabulary::BaseRel;
use std::collections::BTreeSet;
use std::path::Path;

fn shipped(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus").join(name)
}

/// The kinds of what is wrong with the races of a test, by code, and how each way leads.
fn kinds(name: &str) -> (BTreeSet<&'static str>, Vec<Vec<How>>) {
    let test = read(&shipped(name)).expect("a test");
    let engine = Choice::Auto.engine();
    let model = model("ptx-9.2");
    let (found, graph) =
        races(&test, &model, engine.as_ref(), Settings::default()).expect("races are known");
    assert!(!found.list.is_empty(), "{name} has a race");
    let found = explained(Problem { graph: &graph, model: &model }, found.list);
    let codes = found.iter().flat_map(defects).map(Defect::code).collect();
    let ways = found.iter().filter_map(|race| race.near.as_ref());
    let ways = ways.map(|near| near.links.iter().map(|link| link.how).collect()).collect();
    (codes, ways)
}

#[test]
fn races_begin_with_what_is_wrong() {
    for (name, wanted) in [
        ("realworld/R01-volatile-flag.litmus", &["no-acquire", "no-release"][..]),
        ("realworld/R01-gpu-scope.litmus", &["scope-too-narrow"]),
        ("realworld/R12-volatile-receiver.litmus", &["no-acquire"]),
        ("realworld/R22-one-lane-fences.litmus", &["no-release"]),
        ("realworld/R38-weak-first-load.litmus", &["weak-access"]),
        ("realworld/R53-relaxed-cluster-arrive.litmus", &["barrier-does-not-order"]),
        ("realworld/R54-no-sync.litmus", &["no-barrier", "wrong-side"]),
        ("warp/shfl-is-no-barrier.litmus", &["barrier-does-not-order"]),
        ("async-copy/no-wait.litmus", &["not-waited-for"]),
        ("bulk/load+relaxed-wait.litmus", &["no-acquire"]),
        ("bulk/polled+no-proxy-fence.litmus", &["no-proxy-fence"]),
        ("bulk-store/copied-in-by-another-CTA+no-proxy-fence.litmus", &["no-proxy-fence"]),
        ("proxy/MP+alias+bar+no-fence.litmus", &["no-alias-fence"]),
        ("realworld/R32-plain-block-fence-one-side.litmus", &["no-acquire"]),
        ("realworld/R06-block-missing-acquire-fence.litmus", &["no-acquire", "no-release"]),
        ("tcgen05/load-product+no-wait.litmus", &["not-waited-for"]),
        ("tcgen05/load-product+no-before-fence.litmus", &["no-tensor-fence"]),
        ("tcgen05/pipeline-of-two-threads+no-after-fence.litmus", &["no-tensor-fence"]),
    ] {
        assert_eq!(kinds(name).0, wanted.iter().copied().collect(), "{name}");
    }
}

#[test]
fn ways_go_link_by_link() {
    use How::{Acquires, Meets, Observes, ProgramOrder, Releases};
    let flag = [Releases, Observes, Acquires].to_vec();
    assert_eq!(kinds("realworld/R01-volatile-flag.litmus").1, std::slice::from_ref(&flag));
    let (_, ways) = kinds("realworld/R22-one-lane-fences.litmus");
    assert_eq!(ways, [[&[ProgramOrder, Meets][..], &flag].concat()]);
    let (_, ways) = kinds("warp/shfl-is-no-barrier.litmus");
    assert_eq!(ways, [[ProgramOrder, Meets, ProgramOrder]]);
}

/// A meeting is told by the section of the instructions that meet.
#[test]
fn meetings_cite_their_own_clauses() {
    for (name, clause) in [
        ("realworld/R53-relaxed-cluster-arrive.litmus", "PTX-9.7.13.3"),
        ("warp/shfl-is-no-barrier.litmus", "PTX-9.7.9.6"),
    ] {
        let file = format!("litmus/{name}");
        let run = ptxmc(&["races", &file]);
        let wrong = format!("barrier that does not order accesses ({clause})");
        assert!(run.out.contains(&format!("wrong: {wrong}")), "{}", run.transcript());
        assert!(run.out.contains(&format!("MISSING: {wrong}")), "{}", run.transcript());
        let run = ptxmc(&["races", "--format", "json", &file]);
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(value["races"][0]["defects"][0]["clause"], clause, "{}", run.transcript());
    }
}

/// Whether a link is one under the model.
fn links(model: &Model, execution: &Execution<'_>, link: &Link) -> bool {
    let holds = |name: &str, from: EventId, to: EventId| {
        let node = model.definition(name).expect("the model has it");
        evaluate(&model.arena, &[node], execution).relation(node).contains(from, to)
    };
    let po = |from: EventId, to: EventId| {
        from == to || execution.relation(BaseRel::Po).contains(from, to)
    };
    let (from, to) = (link.from, link.to);
    let mut events = execution.graph.ids();
    match link.how {
        How::ProgramOrder => from != to && po(from, to),
        How::Synchronizes | How::Meets => holds("synchronizes", from, to),
        How::Causality => holds("base-causality", from, to),
        How::Observes => holds("observation", from, to),
        How::Releases => events.any(|at| po(from, at) && holds("release-pattern", at, to)),
        How::Acquires => events.any(|at| po(at, to) && holds("acquire-pattern", from, at)),
        How::Updates => execution.relation(BaseRel::Rmw).contains(from, to),
        // The wait of an execution that is cut before it is over.
        How::Completes => {
            let marks = execution.graph.event(to).marks;
            marks.mbarrier && execution.graph.event(to).is_read() && !marks.rmw
        }
        How::Executes => holds("execution", from, to),
        How::TensorBefore => from == to || po(from, to),
        How::TensorAfter => po(from, to),
        How::Overwrites | How::FenceOrder | How::ChangesProxy => {
            panic!("{:?} is never there", link.how)
        }
    }
}

/// A link that is said to hold holds under the model, of the races that shipped tests have.
#[test]
fn what_is_missing_is_missing_and_no_more() {
    let (model, engine) = (model("ptx-9.2"), Choice::Auto.engine());
    let (mut looked_at, mut held) = (0, 0);
    for file in litmus_files(&shipped("realworld")).into_iter().step_by(3) {
        let test = read(&file).expect("a test");
        let Ok((found, graph)) = races(&test, &model, engine.as_ref(), Settings::default()) else {
            continue;
        };
        for race in explained(Problem { graph: &graph, model: &model }, found.list) {
            let Some(near) = &race.near else { continue };
            let choices = (*race.race.choices).clone();
            let execution = Execution::build(&graph, choices).expect("a consistent execution");
            looked_at += 1;
            assert!(near.distance() > 0, "{}: they would be ordered", file.display());
            let mut at = near.first;
            for link in near.links.iter().filter(|link| link.how != How::ChangesProxy) {
                assert_eq!(link.from, at, "{}: the way is broken", file.display());
                at = link.to;
                if link.missing.is_empty() {
                    held += 1;
                    let holds = links(&model, &execution, link);
                    assert!(holds, "{}: {link:?} does not hold", file.display());
                }
            }
            assert_eq!(at, near.last, "{}: the way ends elsewhere", file.display());
        }
    }
    assert!(looked_at > 15 && held > 30, "{looked_at}, {held}");
}

/// An outcome that is allowed and should not be is explained by the way that comes closest, also where
/// no accesses race.
#[test]
fn unwanted_outcomes_are_explained_by_what_is_missing() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("strong.litmus");
    let text = "PTX strong\nExpect=forbidden\n.global .u32 x = 0;\n.global .u32 f = 0;\n\
                P0 @ gpu 0, cta 0 {\n  st.relaxed.gpu.global.u32 [x], 1;\n  st.relaxed.gpu.global.u32 [f], 1;\n}\n\
                P1 @ gpu 0, cta 1 {\n  ld.acquire.gpu.global.u32 %r1, [f];\n  ld.relaxed.gpu.global.u32 %r2, [x];\n}\n\
                exists (P1:%r1 == 1 /\\ P1:%r2 == 0)\n";
    std::fs::write(&file, text).expect("there is room");
    let run = ptxmc(&["explain", path(&file)]);
    let told = run.out.replace(path(&file), "strong.litmus");
    insta::assert_snapshot!(told);
    assert_eq!(run.status, 1);
    let run = ptxmc(&["explain", "--format", "json", path(&file)]);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["near"]["links"][0]["missing"][0]["code"], "no-release", "{value}");
    std::fs::write(&file, text.replace("Expect=forbidden", "Expect=allowed")).expect("room");
    let run = ptxmc(&["explain", path(&file)]);
    let told = run.out.contains("closest") && !run.out.contains("\n  wrong: ");
    assert!(run.status == 0 && told, "{}", run.transcript());
}

/// What `explain` says of a test with these declarations, threads and condition.
fn told(lines: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("test.litmus");
    std::fs::write(&file, format!("PTX test\n{}\n", lines.join("\n"))).expect("there is room");
    ptxmc(&["explain", path(&file)]).out
}

/// An atomic operation that lacks one half of an order keeps the half that it has.
#[test]
fn the_half_of_an_atomic_operation_is_kept() {
    for (own, first, second) in [
        ("release", "ld.weak.global.u32 %r2, [x]", "no acquire"),
        ("acquire", "st.weak.global.u32 [y], 1", "no release"),
    ] {
        let exchange = format!("atom.{own}.gpu.global.exch.b32 %r1, [f], 2;");
        let (middle, last, outcome) = match own {
            "release" => (
                format!("{exchange} {first};"),
                "P2 @ cta 2 { ld.acquire.gpu.global.u32 %r1, [f]; }",
                "exists (P1:%r1 == 1 /\\ P1:%r2 == 0)",
            ),
            _ => (
                format!("{first}; {exchange}"),
                "P2 @ cta 2 { ld.acquire.gpu.global.u32 %r3, [f]; ld.weak.global.u32 %r4, [y]; }",
                "exists (P2:%r3 == 2 /\\ P2:%r4 == 0)",
            ),
        };
        let told = told(&[
            ".global .u32 x = 0; .global .u32 y = 0; .global .u32 f = 0;",
            "P0 @ cta 0 { st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; }",
            &format!("P1 @ cta 1 {{ {middle} }}"),
            last,
            outcome,
        ]);
        let cure = format!("MISSING: {second} (PTX-8.8): make it `.acq_rel.gpu`, or put");
        assert!(told.contains(&cure), "{told}");
    }
}

/// An exchange of a warp has no arrival that could release, and a fence before it does not help.
#[test]
fn an_exchange_is_cured_by_a_barrier_alone() {
    for fence in ["", "fence.acq_rel.cta;"] {
        let told = told(&[
            ".global .u32 x = 0;",
            &format!(
                "P0 @ cta 0, warp 0 {{ mov.u32 %r9, 1; st.weak.global.u32 [x], 1; {fence} \
                 shfl.sync.idx.b32 %r1, %r9, 0, 0x1f, 3; }}"
            ),
            "P1 @ cta 0, warp 0 { mov.u32 %r9, 0; shfl.sync.idx.b32 %r1, %r9, 0, 0x1f, 3; \
             ld.weak.global.u32 %r2, [x]; }",
            "exists (P1:%r1 == 1 /\\ P1:%r2 == 0)",
        ]);
        let cure = "MISSING: barrier that does not order accesses (PTX-9.7.9.6): put `bar.warp.sync 0x3` \
                    directly behind it in each thread that takes part, or synchronize through memory";
        assert!(told.contains(cure) && !told.contains("arriv"), "{told}");
    }
}

/// Store buffering between two devices, with these fences.
fn buffering(fences: [&str; 2]) -> String {
    let thread = |at: usize, own: &str, other: &str| {
        let fence = fences[at];
        format!(
            "P{at} @ gpu {at}, cta 0 {{ st.relaxed.sys.global.u32 [{own}], 1; {fence}; \
             ld.relaxed.sys.global.u32 %r1, [{other}]; }}"
        )
    };
    told(&[
        ".global .u32 x = 0; .global .u32 y = 0;",
        &thread(0, "x", "y"),
        &thread(1, "y", "x"),
        "exists (P0:%r1 == 0 /\\ P1:%r1 == 0)",
    ])
}

/// Of two `fence.sc`, the one whose scope is too narrow is named; where one is missing, too, it is no fence
/// for both sides.
#[test]
fn the_scope_of_a_sequential_fence_is_named() {
    let missing =
        "MISSING: scope does not include the other thread (PTX-8.5): widen to `.sys` the scope of";
    let one = buffering(["fence.sc.gpu", "fence.sc.sys"]);
    assert!(one.contains(&format!("{missing} P0 `fence.sc.gpu` (line 3)\n")), "{one}");
    let both = buffering(["fence.sc.gpu", "fence.sc.gpu"]);
    let pair = "P0 `fence.sc.gpu` (line 3) and of P1 `fence.sc.gpu` (line 4)\n";
    let other = "P1 `fence.sc.gpu` (line 4) and of P0 `fence.sc.gpu` (line 3)\n";
    let is_told = [pair, other].iter().any(|pair| both.contains(&format!("{missing} {pair}")));
    assert!(is_told && both.contains("in Fence-SC order\n"), "{both}");
    for told in [&one, &both] {
        assert!(!told.contains("no fence.sc on both sides"), "{told}");
    }
    let half = buffering(["fence.sc.gpu", "fence.acq_rel.sys"]);
    assert!(half.contains("MISSING: no fence.sc on both sides (PTX-8.9.3)"), "{half}");
    let idle = "P0 `fence.sc.gpu` (line 3) is none: its scope does not include the other thread\n";
    assert!(half.contains(idle), "{half}");
}

/// The source of a bulk store is free when its reads are complete, its destination when all is.
#[test]
fn the_source_of_a_bulk_store_needs_its_reads_alone() {
    let between = |before: &str, behind: &str| {
        told(&[
            ".shared .align 16 .u32 s[4] = {0}; .global .align 16 .u32 g[4] = {7};",
            &format!(
                "P0 @ cta 0 {{ st.shared.u32 [s], 1; fence.proxy.async; \
                 cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16; \
                 cp.async.bulk.commit_group; {before} st.shared.u32 [s], 2; {behind} \
                 cp.async.bulk.wait_group 0; }}"
            ),
            "exists (g == 2)",
        ])
    };
    let cure = "put `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read 0` between\n";
    let late = between("", "cp.async.bulk.wait_group.read 0;");
    let is_late = "`cp.async.bulk.wait_group.read 0` (line 3) stands behind that: too late\n";
    assert!(late.contains(cure) && late.contains(is_late) && !late.contains("is none"), "{late}");
    let waited = between("cp.async.bulk.wait_group.read 0;", "");
    assert!(waited.contains("forbidden"), "{waited}");
}
