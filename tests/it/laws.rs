//! Laws of the models: what a change to a program does to its outcomes.
//!
//! `paper-notes/laws.md` says why each holds, or what contradicts it. `PTXMC_LAWS_CASES` and
//! `PTXMC_LAWS_SEED` make a run longer or another one:
//! `PTXMC_LAWS_CASES=100000 cargo test --release --test it laws:: -- --nocapture`.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::programs::{Instruction, Sketch, cyclic, sketch, widened, widest};
use crate::support::{model, parse};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use ptxmc::testing::cat::BUILTIN;
use ptxmc::testing::check::{Settings, states};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Cores;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Budget, Engine};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A final state: values by name.
type State = BTreeMap<String, u128>;

/// Where a change is made, and which of several.
#[derive(Clone, Copy, Debug)]
struct Picks {
    thread: usize,
    at: usize,
    which: usize,
}

/// What a change may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It takes outcomes away or none.
    NoMore,
    /// It changes nothing.
    Same,
}

/// A changed program, and which thread of the original one each of its threads is.
type Changed = (Sketch, Vec<usize>);

/// A law.
struct Law {
    name: &'static str,
    effect: Effect,
    /// The change; `None` where the law says nothing.
    change: fn(&Sketch, Picks) -> Option<Changed>,
}

fn same_names(sketch: Sketch) -> Changed {
    let threads = (0..sketch.threads.len()).collect();
    (sketch, threads)
}

const FENCES: [&str; 6] = [
    "fence.sc.sys",
    "fence.acq_rel.gpu",
    "fence.release.cta",
    "fence.acquire.cluster",
    "fence.sc.cta",
    "fence.proxy.alias",
];

/// All final states, of the first engine that can list them.
fn outcomes(
    sketch: &Sketch,
    model: &Model,
    engines: &[(Box<dyn Engine>, Budget)],
) -> Option<BTreeSet<State>> {
    let text = sketch.text();
    let test = parse("random.litmus", text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    engines.iter().find_map(|(engine, budget)| {
        let settings = Settings::default().with_bound(2).with_budget(*budget);
        let (found, graph) = states(&test, model, engine.as_ref(), settings).ok()?;
        let named = |(state, _): &(Vec<u128>, _)| -> State {
            graph.observed.iter().map(|o| o.name.clone()).zip(state.iter().copied()).collect()
        };
        found.incomplete.is_none().then(|| found.states.iter().map(named).collect())
    })
}

fn engines() -> Vec<(Box<dyn Engine>, Budget)> {
    let budget = Budget::default().at_most(2_000);
    vec![
        (Box::<SearchEngine>::default(), budget),
        (Box::new(Enumerate { cores: Cores::FirstProof }), budget),
    ]
}

/// States of a changed program in the names of the original one; what only one of them has is left
/// out.
fn renamed(
    states: BTreeSet<State>,
    threads: &[usize],
    names: &BTreeSet<String>,
) -> BTreeSet<State> {
    let original = |name: String| -> String {
        let Some((thread, rest)) = name.strip_prefix('P').and_then(|n| n.split_once(':')) else {
            return name;
        };
        let thread: usize = thread.parse().expect("threads have numbers");
        format!("P{}:{rest}", threads.get(thread).copied().unwrap_or(thread))
    };
    let rename = |state: State| -> State {
        state
            .into_iter()
            .map(|(name, value)| (original(name), value))
            .filter(|(name, _)| names.contains(name))
            .collect()
    };
    states.into_iter().map(rename).collect()
}

fn parameter(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
}

fn runner(name: &str) -> TestRunner {
    let seed = parameter("PTXMC_LAWS_SEED", 1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&(name.len() as u64).to_le_bytes());
    let config = Config {
        cases: u32::try_from(parameter("PTXMC_LAWS_CASES", 400)).expect("fewer cases"),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Checks one law on random programs under all models but `sc`.
fn holds(law: &Law) {
    let models: Vec<Model> =
        BUILTIN.iter().filter(|b| b.name != "sc").map(|b| model(b.name)).collect();
    let engines = engines();
    let (compared, applied) = (RefCell::new(BTreeMap::new()), RefCell::new([0_u64; 2]));
    let picks = (0..12_usize, 0..12_usize, 0..12_usize).prop_map(|(thread, at, which)| Picks {
        thread,
        at,
        which,
    });
    let cases = (sketch(cyclic()), 0..models.len(), picks);
    let result = runner(law.name).run(&cases, |(sketch, judge, picks)| {
        let sketch = sketch.flat();
        let Some((changed, threads)) = (law.change)(&sketch, picks) else { return Ok(()) };
        applied.borrow_mut()[0] += 1;
        let model = &models[judge];
        let (Some(before), Some(after)) =
            (outcomes(&sketch, model, &engines), outcomes(&changed, model, &engines))
        else {
            return Ok(());
        };
        let names: BTreeSet<String> = before.iter().flat_map(|s| s.keys().cloned()).collect();
        let after = renamed(after, &threads, &names);
        *compared.borrow_mut().entry(model.name.clone()).or_insert(0_u64) += 1;
        applied.borrow_mut()[1] += u64::from(before != after);
        let new = after.difference(&before).next();
        let gone = before.difference(&after).next().filter(|_| law.effect == Effect::Same);
        match new.map(|s| ("allows", s)).or(gone.map(|s| ("lacks", s))) {
            None => Ok(()),
            Some((verb, state)) => Err(TestCaseError::fail(format!(
                "{}, {}: the changed program {verb} {state:?}\n{}",
                law.name,
                model.name,
                changed.text()
            ))),
        }
    });
    let [applied, differ] = *applied.borrow();
    println!(
        "{}: applied to {applied}, compared {:?}, {differ} lost outcomes",
        law.name,
        compared.borrow()
    );
    finish(
        law.name,
        result.map_err(|e| match e {
            TestError::Fail(reason, (sketch, ..)) => Some((reason.to_string(), sketch.flat())),
            TestError::Abort(_) => None,
        }),
    );
    assert!(compared.borrow().len() == models.len(), "nothing was compared under some model");
}

/// Writes the program that contradicts a law.
fn finish(name: &str, result: Result<(), Option<(String, Sketch)>>) {
    let Err(failure) = result else { return };
    let (reason, sketch) = failure.expect("a run ends with a program that contradicts the law");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/laws");
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let path = folder.join(format!("{name}.litmus"));
    std::fs::write(&path, sketch.text()).expect("a file for the program");
    panic!("{}\n{}\n{reason}", path.display(), sketch.text());
}

#[test]
fn a_fence_more() {
    holds(&Law {
        name: "fence",
        effect: Effect::NoMore,
        change: |sketch, picks| {
            let fence = Instruction::Plain(FENCES[picks.which % FENCES.len()].to_owned());
            Some(same_names(sketch.with(picks.thread, picks.at, fence)))
        },
    });
}

#[test]
fn a_stronger_order() {
    holds(&Law {
        name: "order",
        effect: Effect::NoMore,
        change: |sketch, picks| {
            let stronger = |i: &Instruction| i.stronger(picks.which % 2 == 1);
            sketch.changed(picks.thread, picks.at, stronger).map(same_names)
        },
    });
}

#[test]
fn a_wider_scope() {
    holds(&Law {
        name: "scope",
        effect: Effect::NoMore,
        change: |sketch, picks| {
            sketch.changed(picks.thread, picks.at, Instruction::wider).map(same_names)
        },
    });
}

#[test]
fn wider_scopes_everywhere() {
    holds(&Law {
        name: "scopes",
        effect: Effect::NoMore,
        change: |sketch, picks| {
            let change = if picks.which % 2 == 0 { widened } else { widest };
            Some(same_names(sketch.scoped(&change)))
        },
    });
}

#[test]
fn one_cta_out_of_two() {
    holds(&Law {
        name: "merge",
        effect: Effect::NoMore,
        change: |sketch, _| {
            let two = (0..2).all(|place| sketch.threads.iter().any(|t| t.place == place));
            (two && !sketch.depends_on_ctas()).then(|| same_names(sketch.merged()))
        },
    });
}

#[test]
fn a_thread_that_does_nothing() {
    holds(&Law {
        name: "idle",
        effect: Effect::Same,
        change: |sketch, picks| {
            let place = picks.which % 4;
            let alone = sketch.threads.iter().all(|t| t.place != place);
            (alone || !sketch.depends_on_ctas()).then(|| same_names(sketch.joined(place)))
        },
    });
}

#[test]
fn threads_in_another_order() {
    holds(&Law {
        name: "rotate",
        effect: Effect::Same,
        change: |sketch, picks| {
            let by = 1 + picks.which % (sketch.threads.len() - 1).max(1);
            let count = sketch.threads.len();
            let names = (0..count).map(|thread| (thread + by) % count).collect();
            (!sketch.depends_on_ctas()).then(|| (sketch.rotated(by), names))
        },
    });
}

/// What happens one after the other also happens under every PTX model.
#[test]
fn sequential_outcomes_are_allowed() {
    let sc = model("sc");
    let models: Vec<Model> =
        BUILTIN.iter().filter(|b| b.name != "sc").map(|b| model(b.name)).collect();
    let engines = engines();
    let compared = RefCell::new([0_u64; 2]);
    let result = runner("sc").run(&(sketch(cyclic()), 0..models.len()), |(sketch, judge)| {
        let model = &models[judge];
        let (Some(strict), Some(weak)) =
            (outcomes(&sketch, &sc, &engines), outcomes(&sketch, model, &engines))
        else {
            return Ok(());
        };
        compared.borrow_mut()[0] += 1;
        compared.borrow_mut()[1] += u64::from(strict != weak);
        match strict.difference(&weak).next() {
            None => Ok(()),
            Some(state) => Err(TestCaseError::fail(format!("{} forbids {state:?}", model.name))),
        }
    });
    let [compared, differ] = *compared.borrow();
    println!("sc: {compared} compared, {differ} with more outcomes");
    finish(
        "sc",
        result.map_err(|e| match e {
            TestError::Fail(reason, (sketch, _)) => Some((reason.to_string(), sketch)),
            TestError::Abort(_) => None,
        }),
    );
    assert!(compared > 0, "nothing was compared");
}
