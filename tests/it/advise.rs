//! Advice: what it suggests does what it says, nothing cheaper would, and it comes as a test that reads.

use crate::programs::{cyclic, sketch};
use crate::support::command::{path, ptxmc};
use crate::support::{litmus_files, model, parse, read};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ptxmc::batch::Case;
use ptxmc::testing::advise::cost::{CostError, Costs};
use ptxmc::testing::advise::hitting::cost;
use ptxmc::testing::advise::program::changed;
use ptxmc::testing::advise::property::Probe;
use ptxmc::testing::advise::rewrite::rewritten;
use ptxmc::testing::advise::site::{Site, stronger};
use ptxmc::testing::advise::{Advice, Limits, Question, Sets, Wish, advise};
use ptxmc::testing::check::{Settings, check, races};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::report::{About, render};
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Answer, Engine, Goal, Problem, States, Why};
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::{Kind, Undecided};
use ptxmc::{Budget, Clock, Unsupported};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const FEW: Limits = Limits { within: 0, answers: 3 };

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus").join(name)
}

fn engine() -> Box<dyn Engine> {
    Choice::Auto.engine()
}

fn advice(test: &Test, model: &Model, wish: Wish, limits: Limits) -> Advice {
    let (engine, costs) = (engine(), Costs::default());
    let (tests, settings) = (std::slice::from_ref(test), Settings::default());
    advise(Question {
        tests,
        model,
        engine: engine.as_ref(),
        settings,
        wish,
        costs: &costs,
        limits,
    })
}

fn verdict(test: &Test, model: &Model) -> Kind {
    check(test, model, engine().as_ref(), Settings::default()).verdict.kind()
}

/// How much the cheapest set costs.
fn least(advice: &Advice) -> Option<u32> {
    match advice {
        Advice::Sets(sets) => sets.sets.first().map(|set| set.cost),
        _ => None,
    }
}

/// Calls `look` with all levels that cost less than a limit, up to so many of them; says whether these
/// were all.
fn cheaper(sites: &[Site], limit: u32, most: usize, look: &mut dyn FnMut(&[u8])) -> bool {
    fn go(
        sites: &[Site],
        levels: &mut Vec<u8>,
        limit: u32,
        left: &mut usize,
        look: &mut dyn FnMut(&[u8]),
    ) {
        if *left == 0 {
            return;
        }
        let Some(site) = sites.get(levels.len()) else {
            *left -= 1;
            return look(levels);
        };
        let spent = cost(sites, levels);
        for (level, price) in site.costs.iter().enumerate() {
            if spent + price < limit {
                levels.push(u8::try_from(level).expect("few levels"));
                go(sites, levels, limit, left, look);
                levels.pop();
            }
        }
    }
    let mut left = most;
    go(sites, &mut Vec::new(), limit, &mut left, look);
    left > 0
}

/// Each set of an advice excludes the outcome, and so does the text that it is written as; with less of
/// a change the outcome is there. Gives how many sets there were.
fn holds(test: &Test, text: &str, model: &Model, sets: &Sets) -> usize {
    for set in &sets.sets {
        assert_eq!(verdict(&set.tests[0], model), Kind::Forbidden, "{}", test.name);
        let expect = Some("Expect[ptx-9.2]=forbidden");
        let again = rewritten(test, 0, &sets.sites, set, expect, text);
        let again = again.unwrap_or_else(|why| panic!("{}: {why}", test.name));
        let again =
            parse("again.litmus", again.as_bytes()).unwrap_or_else(|why| panic!("{why}\n{again}"));
        assert_eq!(verdict(&again, model), Kind::Forbidden, "{}", test.name);
        for change in &set.changes {
            assert!(!change.weaker.is_empty(), "{}: nothing is below a change", test.name);
            let all = change.weaker.iter().all(|(_, probe)| matches!(probe, Probe::Fails(_)));
            assert!(all, "{}: a change is stronger than needed", test.name);
        }
    }
    sets.sets.len()
}

/// Repairs of the tests of folders whose names pass, each checked once more, as a text; gives how many sets
/// there were.
fn repaired(folders: &[&str], passes: impl Fn(&str) -> bool) -> usize {
    let model = model("ptx-9.2");
    let mut sets_in_all = 0;
    for path in folders.iter().flat_map(|folder| litmus_files(&shipped(folder))) {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let test = read(&path).expect("a test");
        if !passes(name) || verdict(&test, &model) != Kind::Allowed {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a test");
        match advice(&test, &model, Wish::ExcludeOutcome, FEW) {
            Advice::Sets(sets) => sets_in_all += holds(&test, &text, &model, &sets),
            Advice::None(..) | Advice::Unknown(_) => {}
            other => panic!("{name}: {other:?}"),
        }
    }
    sets_in_all
}

/// Reports in which something is said to be missing.
#[test]
fn repairs_exclude_the_outcome() {
    let sets = repaired(&["realworld"], |name| name.contains("-no-"));
    assert!(sets > 15, "{sets}");
}

/// All reports and locks, and whatever else has a fence in it.
#[test]
#[ignore = "minutes: part of the nightly run"]
fn all_repairs_exclude_the_outcome() {
    let folders =
        ["realworld", "locks", "mp", "isa2", "wrc", "proxy", "bulk", "bulk-store", "dsmem"];
    let sets = repaired(&folders, |_| true);
    assert!(sets > 100, "{sets}");
}

/// No levels that cost less exclude the outcome: looked at one by one, without any law.
#[test]
fn nothing_cheaper_excludes_the_outcome() {
    let model = model("ptx-9.2");
    let mut looked_at = 0;
    for name in [
        "realworld/R01-volatile-flag.litmus",
        "realworld/R09a.litmus",
        "realworld/R28-relaxed-status.litmus",
        "realworld/R54-no-sync.litmus",
        "realworld/R53-relaxed-cluster-arrive.litmus",
        "locks/once+relaxed.litmus",
        "proxy/MP+alias+no-fence.litmus",
        "mp/MP+fence.acq_rel+weak-flag.litmus",
        "mp/MP+two-gpus+gpu.litmus",
        "locks/dekker+acq_rel.litmus",
    ] {
        let test = read(&shipped(name)).expect("a test");
        let found = advice(&test, &model, Wish::ExcludeOutcome, FEW);
        let least = least(&found).unwrap_or_else(|| panic!("{name} has a repair"));
        let sites = stronger(&test, &Costs::default()).expect("few sites");
        let mut look = |levels: &[u8]| {
            looked_at += 1;
            let kind = verdict(&changed(&test, &sites, levels), &model);
            assert_ne!(kind, Kind::Forbidden, "{name}: {levels:?} is cheaper");
        };
        assert!(cheaper(&sites, least, 2_000, &mut look), "{name}: too many to look at");
    }
    assert!(looked_at > 30, "{looked_at}");
}

/// The same of random programs, each with the outcomes that it allows: `PTXMC_ADVISE_CASES` and
/// `PTXMC_ADVISE_SEED` make a run longer or another one.
#[test]
fn random_programs_have_no_cheaper_repair() {
    let parameter = |name: &str, default: u64| {
        std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
    };
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&parameter("PTXMC_ADVISE_SEED", 1).to_le_bytes());
    let cases = u32::try_from(parameter("PTXMC_ADVISE_CASES", 40)).expect("fewer cases");
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let model = model("ptx-9.2");
    let (repaired, none, looked_at) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let result =
        runner.run(&(sketch(cyclic()), any::<prop::sample::Index>()), |(sketch, which)| {
            let sketch = sketch.flat();
            let plain = parse("random.litmus", sketch.text().as_bytes()).expect("it reads");
            let checker = ptxmc::Checker::new(&model);
            let Ok(states) = checker.outcomes(&plain) else { return Ok(()) };
            let all: Vec<Vec<(String, String)>> = states.iter().map(|state| state.values).collect();
            if all.is_empty() {
                return Ok(());
            }
            let values: Vec<(String, u128)> = which
                .get(&all)
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), value.parse().ok()?)))
                .collect();
            let text = sketch.asking_for(&values);
            let Ok(test) = parse("random.litmus", text.as_bytes()) else { return Ok(()) };
            if verdict(&test, &model) != Kind::Allowed {
                return Ok(());
            }
            let sites = stronger(&test, &Costs::default()).expect("few sites");
            let limit = match advice(&test, &model, Wish::ExcludeOutcome, FEW) {
                Advice::Sets(sets) => {
                    repaired.set(repaired.get() + holds(&test, &text, &model, &sets));
                    sets.sets[0].cost
                }
                Advice::None(..) => {
                    none.set(none.get() + 1);
                    5
                }
                Advice::Unknown(_) => return Ok(()),
                other => panic!("{other:?}\n{text}"),
            };
            cheaper(&sites, limit, 60, &mut |levels| {
                looked_at.set(looked_at.get() + 1);
                let kind = verdict(&changed(&test, &sites, levels), &model);
                assert_ne!(kind, Kind::Forbidden, "{levels:?} is cheaper\n{text}");
            });
            Ok(())
        });
    result.unwrap_or_else(|why| panic!("{why}"));
    let found = [repaired.get(), none.get(), looked_at.get()];
    assert!(found.iter().all(|number| *number > 3), "{found:?}");
}

/// Where races are to be excluded, none is left.
#[test]
fn repairs_exclude_races() {
    let model = model("ptx-9.2");
    for name in [
        "realworld/R01-volatile-flag.litmus",
        "realworld/R38-weak-first-load.litmus",
        "realworld/R26-no-fences.litmus",
        "bulk/polled+no-proxy-fence.litmus",
    ] {
        let test = read(&shipped(name)).expect("a test");
        let Advice::Sets(sets) = advice(&test, &model, Wish::ExcludeRaces, FEW) else {
            panic!("{name} has a repair")
        };
        for set in &sets.sets {
            let found = races(&set.tests[0], &model, engine().as_ref(), Settings::default());
            let (found, _) = found.expect("races are known");
            assert!(found.list.is_empty() && found.open.is_none(), "{name}");
        }
    }
}

/// What a relaxation leaves is needed: one step less, and the outcome or a race is there.
#[test]
fn relaxed_programs_are_as_weak_as_they_may_be() {
    let model = model("ptx-9.2");
    let all = Limits { within: u32::MAX, answers: 3 };
    let mut weakened = 0;
    for name in [
        "realworld/R08-leader-only-fence.litmus",
        "realworld/R09c.litmus",
        "realworld/R15-three-fences.litmus",
        "locks/once.litmus",
        "mp/MP+acquire+ctrl.litmus",
    ] {
        let test = read(&shipped(name)).expect("a test");
        let Advice::Sets(sets) = advice(&test, &model, Wish::Relax, all) else {
            panic!("{name} is relaxed")
        };
        for set in &sets.sets {
            weakened += set.changes.len();
            assert_eq!(verdict(&set.tests[0], &model), Kind::Forbidden, "{name}");
            for left in set.needed.iter().chain(set.changes.iter().filter(|change| change.to > 0)) {
                let broken = left.weaker.iter().all(|(_, probe)| matches!(probe, Probe::Fails(_)));
                assert!(broken && !left.weaker.is_empty(), "{name}: something is redundant");
            }
        }
    }
    assert!(weakened >= 8, "{weakened}");
}

/// The broken tests of the page about disputes, each with what the page says its repair costs.
fn disputes() -> Vec<(String, u32)> {
    let page = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes/disputes.md"),
    );
    let page = page.expect("the page is there");
    let rows = page.lines().take_while(|line| !line.starts_with("## What is redundant"));
    let number = regex::Regex::new(r"\((\d+)\)").expect("a pattern");
    let mut out = Vec::new();
    for row in rows.filter(|line| line.starts_with("| R")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, tests, _, repair, _] = cells[..] else { panic!("five cells: {row}") };
        let Some(cost) = number.captures(repair) else { continue };
        let cost = cost[1].parse().expect("a number");
        let names = tests.split('`').skip(1).step_by(2);
        out.extend(names.filter(|name| name.starts_with('R')).map(|name| (name.to_owned(), cost)));
    }
    out
}

/// Of so many disputes, one is looked at.
fn disputes_are_repaired(one_of: usize) {
    let (model, mut looked_at) = (model("ptx-9.2"), 0);
    for (name, cost) in disputes().into_iter().step_by(one_of) {
        let test = read(&shipped(&format!("realworld/{name}.litmus"))).expect("a test");
        if verdict(&test, &model) != Kind::Allowed {
            continue;
        }
        let advice = advice(&test, &model, Wish::ExcludeOutcome, FEW);
        assert_eq!(least(&advice), Some(cost), "{name}");
        looked_at += 1;
    }
    assert!(looked_at * one_of > 35, "{looked_at} disputes");
}

/// What excludes an outcome since nothing ends any more is no repair: of this test, a copy that is moved
/// behind the barrier of its reader would be the cheapest.
#[test]
fn what_keeps_a_program_from_ending_repairs_nothing() {
    let test = read(&shipped("realworld/R48-barrier-no-fence.litmus")).expect("a test");
    let advice = advice(&test, &model("ptx-9.2"), Wish::ExcludeOutcome, FEW);
    assert_eq!(least(&advice), Some(3));
}

/// A dearer set is found though a cheaper one is there that has nothing to do with it.
#[test]
fn dearer_repairs_are_listed_whole() {
    let test = read(&shipped("realworld/R22-one-lane-fences.litmus")).expect("a test");
    let limits = Limits { within: 6, answers: 10 };
    let Advice::Sets(sets) = advice(&test, &model("ptx-9.2"), Wish::ExcludeOutcome, limits) else {
        panic!("there are repairs")
    };
    let costs: Vec<u32> = sets.sets.iter().map(|set| set.cost).collect();
    assert!(costs[0] == 2 && costs.contains(&8), "{costs:?}");
}

#[test]
fn disputes_have_the_repairs_of_the_page() {
    disputes_are_repaired(4);
}

#[test]
#[ignore = "nightly: every dispute of the page"]
fn all_disputes_have_the_repairs_of_the_page() {
    disputes_are_repaired(1);
}

#[test]
fn repairs_are_shown_with_what_breaks_without_them() {
    let tests = ["R01-volatile-flag", "R15-no-second-fence", "R54-no-sync", "R14-flag-beside-data"];
    let told = tests
        .map(|name| ptxmc(&["advise", &format!("litmus/realworld/{name}.litmus")]).transcript());
    insta::assert_snapshot!(told.concat());
}

#[test]
fn relaxations_are_shown_with_what_is_left() {
    let told = ["R08-leader-only-fence", "R18-semaphore"]
        .map(|name| ptxmc(&["advise", &format!("litmus/realworld/{name}.litmus")]).transcript());
    insta::assert_snapshot!(told.concat());
}

#[test]
fn hangs_that_orders_cure_are_repaired() {
    let told = ["weak-flag", "narrow-poll", "two-streams"].map(|name| {
        ptxmc(&["advise", "--hangs", &format!("litmus/progress/{name}.litmus")]).transcript()
    });
    insta::assert_snapshot!(told.concat());
}

/// Locks in opposite orders are told as such, and a launch that cures is named.
#[test]
fn hangs_are_told_by_their_circle_and_their_launch() {
    let told = ["tests/cli/lock-order.litmus", "litmus/progress/ctas-poll.litmus"]
        .map(|file| ptxmc(&["advise", "--hangs", file]).transcript());
    insta::assert_snapshot!(told.concat());
}

#[test]
fn the_repaired_test_is_written_and_passes() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("new.litmus");
    for (test, set) in [
        ("litmus/realworld/R54-no-sync.litmus", "1"),
        ("litmus/realworld/R54-no-sync.litmus", "2"),
        ("litmus/realworld/R07-missing-fence.litmus", "1"),
        ("litmus/proxy/CoRR+alias.litmus", "1"),
        ("litmus/realworld/R08-leader-only-fence.litmus", "1"),
    ] {
        let run = ptxmc(&["advise", test, "--apply", path(&file), "--set", set]);
        assert_eq!(run.status, 0, "{}", run.transcript());
        let run = ptxmc(&["check", path(&file)]);
        assert!(run.status == 0 && run.out.contains("as expected"), "{}", run.transcript());
    }
    let run = ptxmc(&[
        "advise",
        "litmus/realworld/R54-no-sync.litmus",
        "--apply",
        path(&file),
        "--set",
        "9",
    ]);
    assert!(run.status == 2 && run.err.contains("there are 2"), "{}", run.transcript());
}

/// Two outcomes of store buffering with a flag: one repair for both costs more than that of either.
#[test]
fn one_repair_excludes_several_outcomes() {
    let folder = tempfile::tempdir().expect("there is room");
    let program = ".global .u32 x = 0;\n.global .u32 y = 0;\n\
                   P0 @ gpu 0, cta 0 { st.weak.global.u32 [x], 1; st.relaxed.gpu.global.u32 [y], 1; }\n\
                   P1 @ gpu 0, cta 1 { ld.relaxed.gpu.global.u32 %r1, [y]; ld.weak.global.u32 %r2, [x]; }\n\
                   P2 @ gpu 0, cta 2 { ld.relaxed.gpu.global.u32 %r1, [y]; ld.weak.global.u32 %r2, [x]; }\n";
    let write = |name: &str, condition: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, format!("PTX {name}\n{program}exists ({condition})\n"))
            .expect("room");
        path(&file).to_owned()
    };
    let one = write("one.litmus", r"P1:%r1 == 1 /\ P1:%r2 == 0");
    let other = write("other.litmus", r"P2:%r1 == 1 /\ P2:%r2 == 0");
    let cost = |arguments: &[&str]| -> u64 {
        let run = ptxmc(&[&["advise", "--format", "json"], arguments].concat());
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        value["sets"][0]["cost"].as_u64().unwrap_or_else(|| panic!("{}", run.transcript()))
    };
    assert_eq!((cost(&[&one]), cost(&[&other])), (4, 4));
    assert_eq!(cost(&["--all", &one, &other]), 6);
    let run = ptxmc(&["advise", "--all", &one, "tests/cli/MP.litmus"]);
    assert!(run.status == 2 && run.err.contains("another one"), "{}", run.transcript());
}

#[test]
fn statuses_say_what_was_found() {
    let status = |arguments: &[&str]| ptxmc(&[&["advise"], arguments].concat()).status;
    assert_eq!(status(&["litmus/realworld/R01-volatile-flag.litmus"]), 0);
    assert_eq!(status(&["--repair", "litmus/realworld/R01-fixed.litmus"]), 0);
    assert_eq!(status(&["litmus/realworld/R14-flag-beside-data.litmus"]), 1);
    assert_eq!(status(&["--relax", "litmus/realworld/R01-volatile-flag.litmus"]), 3);
    assert_eq!(status(&["--relax", "--races", "litmus/realworld/R01-fixed.litmus"]), 2);
    assert_eq!(status(&["no-such-file.litmus"]), 2);
}

/// What goes wrong without a change has a code that programs can rely on.
#[test]
fn faults_have_codes() {
    let fault = |arguments: &[&str]| -> String {
        let run = ptxmc(&[&["advise", "--format", "json"], arguments].concat());
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let change = &value["sets"][0]["changes"][0]["weaker"][0]["fault"];
        change.as_str().unwrap_or_else(|| panic!("{}", run.transcript())).to_owned()
    };
    assert_eq!(fault(&["litmus/realworld/R54-no-sync.litmus"]), "outcome");
    assert_eq!(fault(&["--races", "litmus/realworld/R01-volatile-flag.litmus"]), "race");
    let run = ptxmc(&[
        "advise",
        "--relax",
        "--format",
        "json",
        "litmus/realworld/R01-volatile-flag.litmus",
    ]);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["failure"]["fault"], "outcome", "{}", run.transcript());
}

/// Store buffering, of which the second thread has something else than two lines: the sets that cure it.
fn store_buffering(second: &str, condition: &str) -> Sets {
    let text = format!(
        "PTX SB\n.global .u32 x = 0;\n.global .u32 y = 0;\n\
         P0 @ gpu 0, cta 0 {{\n  st.relaxed.gpu.global.u32 [x], 1;\n  fence.sc.gpu;\n  \
         ld.relaxed.gpu.global.u32 %r1, [y];\n}}\nP1 @ gpu 0, cta 1 {{\n{second}}}\n\
         exists (P0:%r1 == 0 /\\ {condition})\n"
    );
    let test = parse("sb.litmus", text.as_bytes()).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let model = model("ptx-9.2");
    assert_eq!(verdict(&test, &model), Kind::Allowed, "{text}");
    match advice(&test, &model, Wish::ExcludeOutcome, FEW) {
        Advice::Sets(sets) => {
            assert_eq!(verdict(&sets.sets[0].tests[0], &model), Kind::Forbidden, "{text}");
            *sets
        }
        other => panic!("{other:?}\n{text}"),
    }
}

/// A fence that stands next to a place in the text, and that a branch leads past, is none at the place; a
/// loop has a place between its rounds.
#[test]
fn fences_that_a_branch_leads_past_are_no_fences() {
    let sets = store_buffering(
        "  st.relaxed.gpu.global.u32 [y], 1;\n  mov.u32 %r3, 0;\n  setp.eq.u32 %p1, %r3, 0;\n  \
         @%p1 bra M;\n  fence.sc.gpu;\nM: ld.relaxed.gpu.global.u32 %r2, [x];\n",
        "P1:%r2 == 0",
    );
    assert_eq!(sets.sets[0].changes.len(), 1);
    let sets = store_buffering(
        "  mov.u32 %r3, 0;\n  fence.sc.gpu;\nM: ld.relaxed.gpu.global.u32 %r2, [x];\n  \
         st.relaxed.gpu.global.u32 [y], 1;\n  add.u32 %r3, %r3, 1;\n  \
         setp.lt.u32 %p1, %r3, 2;\n  @%p1 bra M;\n",
        "P1:%r2 == 0",
    );
    assert_eq!(sets.sets[0].changes.len(), 1);
}

/// Barriers that might be added in too many ways are not looked at, and that is said.
#[test]
fn barriers_that_are_passed_over_are_told() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("long.litmus");
    let thread = |name: &str, lines: &str| {
        format!("{name} @ cta 0, warp {} {{\n  barrier.sync 0;\n{lines}}}\n", &name[1..])
    };
    let loads: String = (1..9).map(|n| format!("  ld.weak.global.u32 %r{n}, [x];\n")).collect();
    let write = |stores: usize| {
        let stores = "  st.weak.global.u32 [x], 1;\n".repeat(stores);
        let [one, other] = [thread("P0", &stores), thread("P1", &loads)];
        let text = format!("PTX long\n.global .u32 x = 0;\n{one}{other}exists (P1:%r8 == 0)\n");
        std::fs::write(&file, text).expect("room");
    };
    let told = "1 barrier might be added in more ways than are looked at";
    write(8);
    let run = ptxmc(&["advise", path(&file)]);
    assert!(run.out.contains(told), "{}", run.transcript());
    let run = ptxmc(&["advise", "--format", "json", path(&file)]);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["passed_over"], 1, "{}", run.transcript());
    write(1);
    let run = ptxmc(&["advise", path(&file)]);
    assert!(!run.out.contains("more ways"), "{}", run.transcript());
}

/// Where there is nothing to write, that is said, and nothing is.
#[test]
fn what_is_not_applied_is_told() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("new.litmus");
    for (arguments, status) in [
        (&["--repair", "litmus/realworld/R01-fixed.litmus"][..], 0),
        (&["litmus/realworld/R14-flag-beside-data.litmus"], 1),
        (&["--timeout", "0.001", "litmus/locks/try-lock+relaxed.litmus"], 3),
    ] {
        let run = ptxmc(&[&["advise", "--apply", path(&file)], arguments].concat());
        assert_eq!(run.status, status, "{}", run.transcript());
        assert!(run.err.contains("nothing is written to"), "{}", run.transcript());
        assert!(!file.exists(), "{}", run.transcript());
    }
}

/// An engine by whose clock each question takes a hundredth of a second.
struct Tired {
    engine: SearchEngine,
    /// The latest moment until which it was told to take its time.
    until: AtomicU64,
}

/// The time, in milliseconds.
static NOW: AtomicU64 = AtomicU64::new(0);

fn now() -> Duration {
    Duration::from_millis(NOW.load(Relaxed))
}

impl Engine for Tired {
    fn name(&self) -> &'static str {
        "tired"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        if let Some(end) = budget.end() {
            let until = u64::try_from((now() + end.left()).as_millis()).expect("not so long");
            self.until.fetch_max(until, Relaxed);
            NOW.fetch_add(10, Relaxed);
        }
        self.engine.find(problem, goal, Budget::default())
    }

    fn states(&self, _: Problem<'_>, _: Budget) -> Result<States, Unsupported> {
        Err(Unsupported::NoEngine)
    }
}

/// The time of the budget is that of the whole advice: nobody is asked for an answer later than that.
#[test]
fn no_question_takes_longer_than_the_whole_advice() {
    let (model, costs) = (model("ptx-9.2"), Costs::default());
    let file = shipped("realworld/R15-three-fences.litmus");
    let tests = [read(&file).expect("a test")];
    for time in [20, 100, 300, 3_000] {
        let engine = Tired { engine: SearchEngine::default(), until: AtomicU64::new(0) };
        let begin = NOW.load(Relaxed);
        let budget = Budget::default().timed(Clock::new(now), Duration::from_millis(time));
        let settings = Settings::default().with_budget(budget);
        let limits = Limits { within: u32::MAX, answers: 2 };
        let (tests, model, engine) = (&tests[..], &model, &engine);
        let wish = Wish::Relax;
        let _ = advise(Question { tests, model, engine, settings, wish, costs: &costs, limits });
        let until = engine.until.load(Relaxed);
        // Who is asked when the time is over is given a thousandth of a second to say so.
        let end = (begin + time).max(NOW.load(Relaxed)) + 1;
        assert!(until > begin && until <= end, "{time}: {} ms too long", until.abs_diff(end));
        assert!(NOW.load(Relaxed) - begin < time + 3_000, "{time}");
    }
}

/// That nobody knows whether something less would do is said in the place of what goes wrong.
#[test]
fn what_is_not_decided_is_not_said_to_be_needed() {
    let (model, costs, mut files) = (model("ptx-9.2"), Costs::default(), Files::default());
    let file = shipped("realworld/R15-three-fences.litmus");
    let text = std::fs::read(&file).expect("a test");
    let test = parse_bytes(&mut files, "R15.litmus", &text).tests.remove(0);
    let wish = Wish::Relax;
    let mut answer = advice(&test, &model, wish, Limits { within: 0, answers: 1 });
    let cases = [Case::of(test.clone())];
    let about = About { cases: &cases, model: &model, wish, costs: &costs, files: &files };
    let heading = "What is left is needed";
    let told = render(about, &answer);
    assert!(told.contains(&format!("{heading}:")) && !told.contains("not decided"), "{told}");
    let Advice::Sets(sets) = &mut answer else { panic!("it is relaxed") };
    sets.sets[0].needed[0].weaker[0].1 = Probe::Unknown(Undecided::Engine(Why::Timeout));
    let told = render(about, &answer);
    assert!(told.contains(&format!("{heading}, as far as")), "{told}");
    assert!(told.contains(": not decided: "), "{told}");
}

/// What is not decided is no success: with hardly any time there is no repair, and that is said.
#[test]
fn a_budget_that_runs_out_is_no_success() {
    let test = "litmus/locks/try-lock+relaxed.litmus";
    let run = ptxmc(&["advise", "--timeout", "0.001", test]);
    assert_eq!(run.status, 3, "{}", run.transcript());
    assert!(!run.out.contains("Repair 1"), "{}", run.transcript());
}

#[test]
fn costs_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("costs");
    let advise = |costs: &str| {
        std::fs::write(&file, costs).expect("there is room");
        ptxmc(&["advise", "--cost", path(&file), "litmus/realworld/R54-no-sync.litmus"])
    };
    // Whoever cannot move statements gets the barrier alone.
    let run = advise("move = 50\n");
    assert!(
        run.out.contains("1 repair,") && run.out.contains("bar.warp.sync 3"),
        "{}",
        run.transcript()
    );
    let run = advise("fence.sc = cheap\n");
    assert_eq!(run.status, 2, "{}", run.transcript());
    assert!(run.err.contains("line 1"), "{}", run.transcript());
    let falls = CostError::Falls { weak: "gpu", strong: "sys" };
    assert_eq!(Costs::parse("gpu = 9"), Err(falls));
}

/// Where a program is undefined or outside of the model, the first line says so.
#[test]
fn programs_that_mean_nothing_are_not_possible() {
    let ways = [
        ("litmus/async-copy/no-wait.litmus", "ptx-6.0", "the program is outside of the model", 3),
        ("litmus/barrier/number-in-a-register.litmus", "ptx-9.2", "the program is undefined", 1),
    ];
    for (test, model, fault, status) in ways {
        let run = ptxmc(&["advise", "--repair", test, "--model", model]);
        assert_eq!(run.status, status, "{}", run.transcript());
        let first = format!("{test}: {fault} under {model}, and none of ");
        assert!(run.out.starts_with(&first), "{}", run.transcript());
    }
}
