//! Kernels of tests: what is read back from them, how instances are laid out, what results mean.

#![allow(clippy::print_stdout, reason = "tests say what they count")]

use crate::schema::fitting;
use crate::support::command::ptxmc;
use crate::support::{litmus_files, model, parse, read};
use ptxmc::batch::Case;
use ptxmc::hardware::fields::Source;
use ptxmc::hardware::geometry::{Block, Geometry, shared_image};
use ptxmc::hardware::kernel::{Kernel, kernel};
use ptxmc::hardware::plan::{Arrangement, Ending};
use ptxmc::hardware::readback::read_back;
use ptxmc::hardware::states::{Histogram, decimal, holds};
use ptxmc::hardware::{Parameters, Plan, Refusal};
use ptxmc::testing::check::{Settings, check, states};
use ptxmc::testing::litmus::ast::{Test, ThreadPlace};
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::report::runs::{self, Extent, InterimResult, Setting, TestRun};
use ptxmc::{Budget, Rule};

use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Cores, Engine};
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::{Kind, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn engine() -> impl Engine {
    SearchEngine::with_cores(Cores::FirstProof)
}

fn settings() -> Settings {
    Settings::default().with_budget(Budget::default().at_most(100_000))
}

fn shipped() -> Vec<PathBuf> {
    let files = litmus_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"));
    assert!(files.len() > 1000, "found only {} tests", files.len());
    files
}

fn emitted(test: &Test) -> Result<(Plan, Kernel), Refusal> {
    let plan = Plan::new(test)?;
    let kernel = kernel(test, &plan, None)?;
    Ok((plan, kernel))
}

fn small(text: &str) -> Test {
    parse("small.litmus", text.as_bytes()).expect("a test")
}

/// Every `step`th shipped test that has a kernel: what is read back has its verdict.
fn kernels_mean_their_tests(step: usize) {
    let model = model("ptx-9.2");
    let (mut same, mut refused, mut wrong) = (0, 0, Vec::new());
    for path in shipped().into_iter().step_by(step) {
        let Ok(test) = read(&path) else { continue };
        let Ok((_, kernel)) = emitted(&test) else {
            refused += 1;
            continue;
        };
        let text = read_back(&test, &kernel.ptx).expect("all threads are there");
        let again = match parse(&path.to_string_lossy(), text.as_bytes()) {
            Ok(again) => again,
            Err(why) => {
                wrong.push(format!("{}: {why}\n{text}", path.display()));
                continue;
            }
        };
        let verdict = |test| check(test, &model, &engine(), settings()).verdict;
        let (before, after) = (verdict(&test), verdict(&again));
        // Barriers of kernels are not aligned: lanes of a warp run instances of different tests.
        if matches!(&before, Verdict::Undefined(reason) if reason.rule == Rule::AlignedBarrier) {
            refused += 1;
            continue;
        }
        let (before, after) = (before.kind(), after.kind());
        // What is not decided says nothing about the kernel.
        match before == after || before == Kind::Unknown || after == Kind::Unknown {
            true => same += 1,
            false => wrong.push(format!("{}: {before:?}, not {after:?}\n{text}", path.display())),
        }
    }
    println!("{same} alike, {refused} refused");
    assert!(same > 1000 / step, "only {same} tests were compared");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn kernels_have_the_verdicts_of_their_tests() {
    kernels_mean_their_tests(11);
}

#[test]
#[ignore = "takes minutes"]
fn all_kernels_have_the_verdicts_of_their_tests() {
    kernels_mean_their_tests(1);
}

/// States, observed names and the truth of conditions are those of the checker.
#[test]
fn conditions_hold_where_the_checker_says() {
    let model = model("ptx-9.2");
    let mut seen = BTreeMap::from([(true, 0), (false, 0)]);
    for path in shipped().into_iter().step_by(5) {
        let Ok(test) = read(&path) else { continue };
        let Ok(plan) = Plan::new(&test) else { continue };
        let Ok((found, graph)) = states(&test, &model, &engine(), settings()) else { continue };
        let names: Vec<&str> = graph.observed.iter().map(|o| o.name.as_str()).collect();
        let fields: Vec<&str> = plan.fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, fields, "{}", path.display());
        for (state, choices) in &found.states {
            let execution =
                ptxmc::testing::execution::build::Execution::build(&graph, choices.clone())
                    .expect("it is one");
            let Some(truth) = execution.truth(graph.condition) else { continue };
            let ours = holds(&test.condition, &test, &plan.fields, state);
            assert_eq!(ours, truth, "{}: {state:?}", path.display());
            *seen.entry(truth).or_default() += 1;
        }
    }
    assert!(seen.values().all(|&count| count > 100), "{seen:?}");
}

const PLACES: [&str; 6] = [
    "P0 @ cluster 0, cta 0 { st.relaxed.gpu.u32 [x], 1; }
     P1 @ cluster 1, cta 1 { ld.relaxed.gpu.u32 %r1, [x]; }",
    "P0 @ cta 0 { st.relaxed.gpu.u32 [x], 1; } P1 @ cta 0 { ld.relaxed.gpu.u32 %r1, [x]; }
     P2 @ cta 1 { ld.relaxed.gpu.u32 %r1, [x]; }",
    "P0 @ cta 0, warp 3 { st.relaxed.gpu.u32 [x], 1; } P1 @ cta 0, warp 3 { ld.u32 %r1, [x]; }
     P2 @ cta 0, warp 1 { ld.relaxed.gpu.u32 %r1, [x]; }",
    "P0 @ cluster 0, cta 0 { st.relaxed.gpu.u32 [x], 1; }
     P1 @ cluster 0, cta 1 { ld.u32 %r1, [x]; } P2 @ cluster 1, cta 2 { ld.u32 %r1, [x]; }",
    "P0 @ cta 0, warp 0 { st.u32 [x], 1; bar.sync 0; } P1 @ cta 0, warp 1 { bar.sync 0; }
     P2 @ cta 1 { ld.u32 %r1, [x]; }",
    "P0 @ cta 0, warp 0 { st.u32 [x], 1; } P1 @ cta 0, warp 0 { ld.u32 %r1, [x]; }
     P2 @ cta 0, warp 0 { ld.u32 %r1, [x]; } P3 @ cta 2, warp 0 { ld.u32 %r1, [x]; }",
];

/// Each instance has each thread once, and its threads are in one CTA, cluster and warp exactly where
/// those of the test are.
#[test]
fn instances_are_placed_as_their_tests() {
    let mut random = fastrand::Rng::with_seed(7);
    for places in PLACES {
        let test = small(&format!("PTX t\n.global .u32 x = 0;\n{places}\nexists (x == 1)\n"));
        let plan = Plan::new(&test).expect("a plan");
        for _ in 0..40 {
            let parameters = Parameters::draw(&mut random);
            let units = random.u64(1..60);
            let geometry = Geometry::new(&plan, &parameters, units, &mut random);
            placed(&test, &plan, &geometry);
        }
    }
}

/// Where a thread of a launch is: unit, CTA of it, warp.
type Spot = (u64, u64, u64);

fn placed(test: &Test, plan: &Plan, geometry: &Geometry) {
    let mut instances: BTreeMap<u64, BTreeMap<usize, Spot>> = BTreeMap::new();
    for unit in 0..geometry.units {
        for rank in 0..plan.cluster_size as u64 {
            for warp in 0..geometry.block.warps {
                for lane in 0..32 {
                    let Some((role, instance)) = geometry.part(plan, unit, rank, warp, lane) else {
                        continue;
                    };
                    let threads = instances.entry(instance).or_default();
                    let other = threads.insert(role, (unit, rank, warp));
                    assert_eq!(other, None, "two threads for one of instance {instance}");
                }
            }
        }
    }
    assert_eq!(instances.len() as u64, geometry.instances_of_a_round());
    let place = |role: usize| match test.threads[plan.roles[role].thread].place {
        ThreadPlace::Device(place) => place,
        ThreadPlace::Host => unreachable!("it has a plan"),
    };
    for (instance, threads) in &instances {
        assert_eq!(threads.len(), test.threads.len(), "instance {instance} lacks threads");
        for (&a, &spot) in threads {
            for (&b, &other) in threads.iter().filter(|(b, _)| **b != a) {
                let (p, q) = (place(a), place(b));
                assert_eq!(spot.0 == other.0, p.cluster == q.cluster, "clusters");
                let same_cta = (spot.0, spot.1) == (other.0, other.1);
                assert_eq!(same_cta, p.cta == q.cta, "CTAs");
                let declared = p.warp.is_some() && p.warp == q.warp && p.cta == q.cta;
                assert_eq!(spot == other, declared, "warps");
            }
        }
    }
}

/// Variables of different instances do not overlap, and are aligned.
#[test]
fn variables_of_instances_do_not_overlap() {
    let test = small(
        "PTX t\n.global .u32 x = 0;\n.global .align 16 .u64 y[3] = {1, 2, 3};\n.global .u8 z = 9;\n\
         .global .u64 p = y+8;\n\
         P0 @ cta 0 { st.u32 [x], 1; st.u64 [y], 1; st.u8 [z], 1; ld.u64 %rd1, [p]; }\n\
         exists (x == 1)\n",
    );
    let plan = Plan::new(&test).expect("a plan");
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..60 {
        let parameters = Parameters::draw(&mut random);
        let geometry = Geometry::new(&plan, &parameters, 3, &mut random);
        let mut ranges = Vec::new();
        for (slot, &offset) in plan.globals.iter().zip(&geometry.offsets) {
            for instance in 0..geometry.instances() {
                let at = offset + instance * geometry.stride;
                assert_eq!(at % slot.align, 0, "{} is not aligned", slot.name);
                ranges.push((at, at + slot.bytes));
            }
        }
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{parameters:?}");
        let last = ranges.last().expect("there are variables").1;
        assert!(last <= geometry.memory_bytes);
        let base = 0x7000_0000;
        let memory = geometry.initial_memory(&test, &plan, base).expect("not all is zero");
        for instance in 0..geometry.instances() {
            let read = |slot: usize, skip: u64| {
                let at = (geometry.offsets[slot] + instance * geometry.stride + skip) as usize;
                u64::from_le_bytes(memory[at..at + 8].try_into().expect("eight bytes"))
            };
            assert_eq!([read(1, 0), read(1, 8), read(1, 16)], [1, 2, 3]);
            let y = base + geometry.offsets[1] + instance * geometry.stride;
            assert_eq!(read(3, 0), y + 8, "an address of the instance's own variable");
        }
    }
}

/// What a test asks for decides how its instances share CTAs and how they end.
#[test]
fn arrangements_follow_from_what_tests_do() {
    let plan = |threads: &str| {
        let declared = ".global .u32 x = 0;\n.shared .u32 s = 7;\n";
        Plan::new(&small(&format!("PTX t\n{declared}{threads}\nexists (P0:s == 1)\n")))
    };
    let two = |a: &str, b: &str, places: [&str; 2]| {
        plan(&format!("P0 @ {} {{ {a} }}\nP1 @ {} {{ {b} }}\n", places[0], places[1]))
    };
    let one_cta = ["cta 0, warp 0", "cta 0, warp 1"];
    let cluster = ["cluster 0, cta 0, warp 0", "cluster 0, cta 1, warp 0"];
    let shapes = |plan: Result<Plan, Refusal>| plan.map(|p| (p.arrangement, p.ending, p.waits));
    let store = "st.shared.u32 [s], 1;";
    assert_eq!(
        shapes(two(store, store, one_cta)),
        Ok((Arrangement::Dense, Ending::CtaBarrier, false))
    );
    assert_eq!(
        shapes(two("bar.sync 0;", store, one_cta)),
        Ok((Arrangement::Exclusive, Ending::LastThread, false))
    );
    assert_eq!(
        shapes(two(
            store,
            "L: ld.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 7; @%p1 bra L;",
            one_cta
        )),
        Ok((Arrangement::Dense, Ending::CtaBarrier, true))
    );
    assert_eq!(
        shapes(two(store, store, cluster)),
        Ok((Arrangement::Dense, Ending::ClusterBarrier, false))
    );
    let both = "barrier.cluster.arrive; barrier.cluster.wait;";
    assert_eq!(
        shapes(two(both, both, cluster)),
        Ok((Arrangement::Exclusive, Ending::ClusterBarrier, false))
    );
    assert_eq!(two(both, store, cluster).map(|_| ()), Err(Refusal::UnevenBarriers));
    let plan = two(store, store, one_cta).expect("a plan");
    let Source::Shared { cluster, rank, .. } = plan.fields[0].source else { panic!("a variable") };
    assert_eq!((cluster, rank), (0, 0));
}

#[test]
fn tests_without_kernels_are_refused_by_name() {
    let refusal = |text: &str| {
        let test = small(&format!("PTX t\n{text}\nexists (x == 1)\n"));
        emitted(&test).map(|_| ()).expect_err(text).to_string()
    };
    for (text, why) in [
        (".global .u32 x;\nP0 @ host { st.relaxed.sys.u32 [x], 1; }", "host"),
        (
            ".global .u32 x;\nP0 @ gpu 0 { st.u32 [x], 1; }\nP1 @ gpu 1 { st.u32 [x], 1; }",
            "several devices",
        ),
        (".global .u32 x;\n.shared .u32 s;\n.alias y = s;\nP0 @ cta 0 { st.u32 [y], 1; }", "`y`"),
        (".global .u32 x;\ntask A;\nP0 @ task A { st.u32 [x], 1; }", "tasks"),
        (".multimem .u32 m;\n.global .u32 x;\nP0 @ cta 0 { st.u32 [x], 1; }", "multimem"),
        (
            ".global .u32 x;\nP0 @ cta 0 { ld.u32 %r1, [x]; add.u32 %r2, %r1, 1; add.u64 %r3, %r1, 1; }",
            "%r1",
        ),
        (".global .u32 x;\n{ %ntid.x = 64; }\nP0 @ cta 0 { st.u32 [x], 1; }", "launch"),
    ] {
        let found = refusal(text);
        assert!(found.contains(why), "{text}: {found}");
    }
    let address =
        small("PTX t\n.global .u64 x;\nP0 @ cta 0 { mov.u64 %rd1, x; }\nexists (P0:%rd1 == &x)\n");
    assert!(matches!(Plan::new(&address), Err(Refusal::Address(_))));
}

/// Rows of results become states, whatever the width of a value.
#[test]
fn rows_are_read_as_states() {
    let test = small(
        "PTX t\n.global .u32 x;\n.global .s16 h;\n.global .u64 w;\n\
         P0 @ cta 0 { ld.s16 %rs1, [h]; ld.u64 %rd1, [w]; st.u32 [x], 1; }\n\
         exists (P0:%rs1 == -2 /\\ P0:%rd1 == 0xffffffffffffffff /\\ x == 1)\n",
    );
    let plan = Plan::new(&test).expect("a plan");
    let bytes = plan.row_bytes as usize;
    let row = |values: [(&str, u128); 3]| {
        let mut row = vec![0xee; bytes];
        for (name, value) in values {
            let field = plan.fields.iter().find(|f| f.name == name).expect("observed");
            let (at, size) = (field.offset as usize, field.bytes as usize);
            row[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
        row
    };
    let weak = row([("P0:rs1", 0xfffe), ("P0:rd1", u64::MAX.into()), ("x", 1)]);
    let other = row([("P0:rs1", 1), ("P0:rd1", 2), ("x", 0)]);
    let rows = [weak.clone(), weak, other.clone(), other.clone(), other].concat();
    let mut histogram = Histogram::default();
    histogram.add_rows(&plan.fields, &rows, bytes);
    assert_eq!((histogram.runs(), histogram.sorted().len()), (5, 2));
    assert_eq!(histogram.split(&test, &plan.fields), (2, 3));
    let (state, _) = *histogram
        .sorted()
        .iter()
        .find(|(state, _)| holds(&test.condition, &test, &plan.fields, state))
        .expect("it was seen");
    let shown: Vec<String> =
        plan.fields.iter().zip(state).map(|(f, &bits)| decimal(f, bits)).collect();
    assert_eq!(shown, ["18446744073709551615", "-2", "1"]);
}

/// Shared memory of all instances of a CTA fits, and begins as the test says.
#[test]
fn shared_memory_fits() {
    let test = small(
        "PTX t\n.shared .u32 s[300] = {1, 2};\n.shared .b64 bar;\n\
         P0 @ cta 0 { st.shared.u32 [s+4], 5; }\nP1 @ cta 0 { ld.shared.u32 %r1, [s]; }\n\
         exists (P0:s == 1)\n",
    );
    let plan = Plan::new(&test).expect("a plan");
    let block = Block::new(&plan, &Parameters { warps: 32, ..Parameters::default() });
    assert!(block.shared_bytes <= 48 << 10 && block.slots >= 1, "{block:?}");
    let image = shared_image(&test, &plan);
    let at = plan.shared[0].offset as usize;
    assert_eq!(image[at..at + 12], [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    assert!(image[..at].iter().all(|byte| *byte == 0), "what the kernel counts in begins with 0");
}

/// The same seed draws the same parameters, and all can be named and set.
#[test]
fn parameters_are_drawn_and_named() {
    let mut one = fastrand::Rng::with_seed(5);
    let mut two = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        let drawn = Parameters::draw(&mut one);
        assert_eq!(drawn, Parameters::draw(&mut two));
        let mut again = Parameters::default();
        for (name, value) in drawn.named() {
            again.set(name, value).unwrap_or_else(|why| panic!("{why}"));
        }
        assert_eq!(drawn, again);
    }
    assert!(Parameters::default().set("warps", 33).is_err());
    assert!(Parameters::default().set("wraps", 3).expect_err("none").contains("warps"));
}

/// What a log says of a histogram, in litmus7's words.
#[test]
fn logs_are_those_of_litmus7() {
    let mut files = Files::default();
    let text = "PTX MP\n.global .u32 x = 0;\n.global .s32 y = 0;\n\
                P0 @ cta 0 { ld.relaxed.gpu.u32 %r1, [x]; ld.relaxed.gpu.s32 %r2, [y]; st.u32 [x], 1; }\n\
                ~exists (P0:%r1 == 1 /\\ y == -1)\n";
    let test = parse_bytes(&mut files, "MP.litmus", text.as_bytes()).tests.remove(0);
    let plan = Plan::new(&test).expect("a plan");
    let case = Case { path: "MP.litmus".to_owned(), test, expected: Vec::new() };
    let mut histogram = Histogram::default();
    histogram.add(vec![0, 0], 7);
    histogram.add(vec![1, 0xffff_ffff], 2);
    histogram.add(vec![1, 0], 1_000_000_000);
    let shown = TestRun { case: &case, fields: &plan.fields, histogram: &histogram, seconds: 0.5 };
    insta::assert_snapshot!(runs::entry(&shown, &files));
    let json: serde_json::Value = serde_json::from_str(&runs::test(&shown, &files)).expect("JSON");
    assert_eq!(json["weak"], 2);
    assert_eq!(json["runs"], 1_000_000_009_u64);
    assert_eq!(json["states"][2]["state"]["y"], -1);
    let setting = Setting { device: "a device", driver: 13000, seed: 1, parameters: &[] };
    let omitted = [("tests/no.litmus".to_owned(), "undefined under ptx-9.2".to_owned())];
    let report = runs::head(&setting) + &runs::test(&shown, &files) + &runs::tail(&omitted);
    assert_eq!(fitting(&report)["driver"], "13.0", "{report}");
    let kept = InterimResult {
        histogram,
        seconds: 0.5,
        launches: 3,
        first: Some(0.25),
        extent: Extent::Complete,
    };
    let line = runs::record("a test", &kept);
    assert_eq!(runs::parse_record(line.trim_end()), Some(("a test".to_owned(), kept)));
    assert_eq!(runs::parse_record(&line[..line.len() / 2]), None, "a line that was cut off");
}

#[test]
fn kernels_are_written_with_a_manifest() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernels");
    let output = path.to_str().expect("a plain name");
    let run = ptxmc(&["emit", "tests/cli/MP.litmus", "litmus/barrier/SB+bar.litmus", "-o", output]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{}", run.out);
    let manifest = std::fs::read_to_string(path.join("manifest.json")).expect("it is written");
    let manifest = fitting(&manifest);
    let tests = manifest["tests"].as_array().expect("a list");
    assert_eq!(tests.len(), 2);
    for test in tests {
        let file = path.join(test["ptx"].as_str().expect("a name"));
        let ptx = std::fs::read_to_string(file).expect("it is written");
        let (grid, instances) = (&test["launch"]["grid"], &test["launch"]["instances"]);
        assert!(grid.as_u64() > Some(1) && instances.as_u64() > Some(1), "{test}");
        for argument in test["kernel"]["arguments"].as_array().expect("a list") {
            let name = argument["name"].as_str().expect("a name");
            assert!(ptx.contains(&format!(".param .u64 ptxmc_{name}")), "{name}");
            let given = &test["launch"]["arguments"][name];
            let buffer = &test["launch"]["buffers"][name];
            assert!(given.is_u64() != buffer.is_u64(), "{name}: a number, or a buffer");
        }
    }
    let refused = ptxmc(&["emit", "litmus/api/host-flag.litmus", "-o", output]);
    assert_eq!(refused.status, 3);
    assert!(refused.err.contains("host-flag.litmus: no kernel: "), "{}", refused.err);
    assert_eq!(ptxmc(&["emit", "tests/cli/MP.litmus", "-o", output, "--arch", "sm_60"]).status, 2);
    assert_eq!(
        ptxmc(&["emit", "tests/cli/MP.litmus", "-o", output, "--set", "warps=99"]).status,
        2
    );
}

/// Whoever launches kernels learns what a device should not run, as from `ptxmc run`.
#[test]
fn kernels_of_what_may_hang_or_do_anything_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("a plain name");
    for (test, why) in [
        ("tests/cli/waits-for-ever.litmus", "deadlock under ptx-9.2"),
        ("litmus/mixed-size/one-after-the-other.litmus", "undefined under ptx-9.2"),
        ("tests/cli/sometimes-stuck.litmus", "it may hang"),
    ] {
        let run = ptxmc(&["emit", test, "-o", output]);
        assert_eq!(run.status, 3, "{test}: {}", run.err);
        assert!(run.err.contains(why) && run.err.contains("--any"), "{test}: {}", run.err);
        let manifest = std::fs::read_to_string(folder.path().join("manifest.json"));
        let manifest = fitting(&manifest.expect("it is written"));
        assert_eq!(manifest["tests"], serde_json::json!([]));
        assert!(manifest["refused"][0]["why"].as_str().is_some_and(|told| told.contains(why)));
        let run = ptxmc(&["emit", test, "-o", output, "--any"]);
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{test}");
    }
}

/// Nobody has that many GPUs.
#[test]
fn without_a_gpu_nothing_is_run() {
    let run = ptxmc(&["run", "tests/cli/MP.litmus", "--device", "4096"]);
    assert_eq!((run.status, run.out.as_str()), (3, ""), "{}", run.err);
    assert!(run.err.contains("NVIDIA") || run.err.contains("gpu"), "{}", run.err);
}
