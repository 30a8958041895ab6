//! Data races of small programs: which pairs, and why they are not ordered.

use crate::support;
use ptxmc::Unsupported;
use ptxmc::batch::expectation;
use ptxmc::testing::check::{Settings, graph_of};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::id::AccessId;
use ptxmc::testing::race::{Gap, Missing, Race, Races, describe, explained, find, races};
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Answer, Budget, Engine, Goal, Pairs, Problem, States, Why};
use ptxmc::testing::verdict::Kind;
use ptxmc::testing::{cat, litmus, source::Files};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The races of a test in words, with what is missing.
fn races_of(text: &str) -> Vec<String> {
    races_under("ptx-9.2", text)
}

/// As [`races_of`], under a model.
fn races_under(model: &str, text: &str) -> Vec<String> {
    let mut files = Files::default();
    let model = cat::parse_builtin(
        &mut files,
        cat::library::builtin(model).expect("a built-in model"),
        &cat::Options::default(),
    )
    .model;
    let parsed = litmus::parse::parse_bytes(&mut files, "test.litmus", text.as_bytes());
    let graph = graph_of(&parsed.tests[0], &model, Settings::default());
    let problem = Problem { graph: &graph, model: &model };
    let engines = Choice::All.engines();
    let mut answers = engines.iter().map(|engine| {
        races(problem, engine.as_ref(), Budget::default()).and_then(Races::all).expect("an answer")
    });
    let found = answers.next().expect("an engine");
    let word = |race: &Race| {
        let own = explained(problem, vec![race.clone()]);
        let missing: Vec<&str> = own[0]
            .missing
            .iter()
            .map(|m| match m {
                Missing::Weak(_) => "weak",
                Missing::Scope(..) => "scope",
                Missing::Overlap => "overlap",
                Missing::Address => "address",
                Missing::Proxy { .. } => "proxy",
                Missing::Ends(..) => "ends",
                Missing::Link { gap: Gap::WeakWrite | Gap::WeakRead, .. } => "weak-link",
                Missing::Link { gap: Gap::ScopeOfWrite | Gap::ScopeOfRead, .. } => "narrow-link",
                Missing::Link { gap: Gap::Release, .. } => "release",
                Missing::Link { gap: Gap::Acquire, .. } => "acquire",
                Missing::Link { gap: Gap::Reduction, .. } => "reduction",
                Missing::Link { gap: Gap::Arrival, .. } => "arrival",
                Missing::Link { gap: Gap::Unread, .. } => "unread",
                Missing::Link { gap: Gap::Uncovered { .. }, .. } => "uncovered",
                Missing::Early(_) => "early",
                Missing::After { .. } => "after",
                Missing::NotBefore { .. } => "not-before",
                Missing::NotBehind { .. } => "not-behind",
                Missing::Synchronization => "synchronization",
            })
            .collect();
        let (a, b) = race.accesses;
        format!("{} / {}: {}", describe(&graph, a), describe(&graph, b), missing.join(" "))
    };
    let words: Vec<String> = found.iter().map(word).collect();
    for (other, engine) in answers.zip(&engines[1..]) {
        let other: Vec<String> = other.iter().map(word).collect();
        assert_eq!(other, words, "{}", engine.name());
    }
    words
}

fn message_passing(store: &str, load: &str) -> String {
    format!(
        "PTX MP\n.global .u32 x = 0;\n.global .u32 f = 0;\n\
         P0 @ cta 0 {{ st.weak.global.u32 [x], 1; {store} [f], 1; }}\n\
         P1 @ cta 1 {{ {load} %r1, [f]; setp.ne.u32 %p1, %r1, 1; @%p1 bra DONE;\n\
         ld.weak.global.u32 %r2, [x]; DONE: }}\nexists (P1:%r2 == 0)\n"
    )
}

#[test]
fn synchronized_accesses_do_not_race() {
    let text = message_passing("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32");
    assert_eq!(races_of(&text), Vec::<String>::new());
}

#[test]
fn a_scope_that_is_too_narrow_leaves_ends_apart() {
    let text = message_passing("st.release.cta.global.u32", "ld.acquire.gpu.global.u32");
    assert_eq!(
        races_of(&text),
        [
            "the 4-byte write to x by P0 / the 4-byte read of x by P1: weak weak narrow-link",
            "the 4-byte write to f by P0 / the 4-byte read of f by P1: scope synchronization",
        ]
    );
}

#[test]
fn the_read_of_a_reduction_acquires_nothing() {
    let text = "PTX red\n.global .u32 f = 0;\n.global .u32 x = 0;\n\
                P0 @ cta 0 { st.global.u32 [x], 1; red.release.gpu.global.add.u32 [f], 1; }\n\
                P1 @ cta 1 { red.relaxed.gpu.global.add.u32 [f], 1; fence.acq_rel.gpu;\n\
                ld.global.u32 %r2, [x]; }\nfilter (f == 2)\nexists (P1:%r2 == 0)\n";
    let race = "the 4-byte write to x by P0 / the 4-byte read of x by P1: weak weak reduction";
    assert_eq!(races_of(text), [race]);
}

/// The text of 8.7 lets such a read start a pattern: there a fence is missing.
#[test]
fn the_read_of_a_reduction_may_acquire_in_an_older_text() {
    let text = "PTX red\n.global .u32 f = 0;\n.global .u32 x = 0;\n\
                P0 @ cta 0 { st.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; }\n\
                P1 @ cta 1 { red.relaxed.gpu.global.add.u32 [f], 1; ld.global.u32 %r1, [x]; }\n\
                exists (P1:%r1 == 0)\n";
    let race =
        |gap| format!("the 4-byte write to x by P0 / the 4-byte read of x by P1: weak weak {gap}");
    assert_eq!(races_under("ptx-8.7", text), [race("acquire")]);
    assert_eq!(races_of(text), [race("reduction")]);
}

#[test]
fn the_read_of_an_arrival_acquires_nothing() {
    let text = "PTX arrival\n.shared .align 8 .b64 m;\n.global .u32 x = 0;\n\
                P0 @ cta 0, warp 0 { mbarrier.init.shared::cta.b64 [m], 2; bar.sync 0;\n\
                st.global.u32 [x], 1; mbarrier.arrive.shared::cta.b64 _, [m]; }\n\
                P1 @ cta 0, warp 1 { bar.sync 0; mbarrier.arrive.shared::cta.b64 _, [m];\n\
                fence.acquire.cta; ld.global.u32 %r1, [x]; }\nexists (P1:%r1 == 0)\n";
    let race = "the 4-byte write to x by P0 / the 4-byte read of x by P1: weak weak arrival";
    assert_eq!(races_of(text), [race]);
}

#[test]
fn accesses_before_the_wait_for_a_task_are_early() {
    let text = "PTX early\n.global .u32 x = 0;\ntask K1, K2;\npdl K1 -> K2;\n\
                P1 @ task K1 { st.global.u32 [x], 2; }\n\
                P2 @ task K2 { ld.global.u32 %r1, [x]; griddepcontrol.wait;\n\
                ld.global.u32 %r2, [x]; }\nexists (P2:%r1 == 0 /\\ P2:%r2 == 2)\n";
    let race = "the 4-byte write to x by P1 / the 4-byte read of x by P2: weak weak early";
    assert_eq!(races_of(text), [race]);
}

#[test]
fn a_restricted_fence_does_not_cover_everything() {
    let fences = [
        (
            "st.release.gpu",
            "ld.relaxed.gpu",
            "",
            "fence.acquire.sync_restrict::shared::cluster.cluster;",
        ),
        (
            "st.relaxed.gpu",
            "ld.acquire.gpu",
            "fence.release.sync_restrict::shared::cta.cluster;",
            "",
        ),
    ];
    for (store, load, released, acquired) in fences {
        let text = format!(
            "PTX restricted\n.global .u32 x = 0;\n.global .u32 f = 0;\n\
             P0 @ cta 0 {{ st.global.u32 [x], 1; {released} {store}.global.u32 [f], 1; }}\n\
             P1 @ cta 0 {{ {load}.global.u32 %r1, [f]; {acquired} ld.global.u32 %r2, [x]; }}\n\
             filter (P1:%r1 == 1)\nexists (P1:%r2 == 0)\n"
        );
        let race = "the 4-byte write to x by P0 / the 4-byte read of x by P1: weak weak uncovered";
        assert_eq!(races_of(&text), [race]);
    }
}

#[test]
fn the_missing_half_of_a_synchronization_is_told() {
    let found = |store, load| {
        let races = races_of(&message_passing(store, load));
        let data = races.into_iter().find(|race| race.contains("write to x")).expect("a race");
        data.split_once(": ").expect("reasons").1.to_owned()
    };
    let (release, acquire) = ("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32");
    let (relaxed, reads) = ("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32");
    assert_eq!(found(relaxed, acquire), "weak weak release");
    assert_eq!(found(release, reads), "weak weak acquire");
    assert_eq!(found(relaxed, reads), "weak weak release acquire");
    assert_eq!(found("st.weak.global.u32", acquire), "weak weak weak-link");
    assert_eq!(found(release, "ld.acquire.cta.global.u32"), "weak weak narrow-link");
}

#[test]
fn a_release_sequence_may_end_in_too_narrow_a_scope() {
    let text = "PTX MP\n.global .u32 x = 0;\n.global .u32 f = 0;\n\
         P0 @ cta 0 { st.weak.global.u32 [x], 1; st.release.cta.global.u32 [f], 1;\n\
         st.relaxed.gpu.global.u32 [f], 2; }\n\
         P1 @ cta 1 { ld.acquire.gpu.global.u32 %r1, [f]; setp.ne.u32 %p1, %r1, 2;\n\
         @%p1 bra DONE; ld.weak.global.u32 %r2, [x]; DONE: }\nexists (P1:%r2 == 0)\n";
    let found = races_of(text);
    assert!(
        found.contains(
            &"the 4-byte write to x by P0 / the 4-byte read of x by P1: weak weak ends scope"
                .to_owned()
        ),
        "{found:?}"
    );
}

#[test]
fn sizes_and_names_keep_accesses_apart() {
    let text = "PTX mixed\n.global .u32 x = 0;\n\
         P0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; }\n\
         P1 @ cta 1 { ld.relaxed.gpu.global.u8 %r1, [x+1]; }\nexists (P1:%r1 == 0)\n";
    assert_eq!(
        races_of(text),
        ["the 4-byte write to x by P0 / the 1-byte read of x+1 by P1: overlap synchronization"]
    );
    let text = "PTX alias\n.global .u32 x = 0;\n.alias y = x;\n\
         P0 @ cta 0 { st.weak.global.u32 [x], 1; ld.weak.global.u32 %r1, [y]; }\n\
         exists (P0:%r1 == 0)\n";
    assert_eq!(
        races_of(text),
        ["the 4-byte write to x by P0 / the 4-byte read of x by P0: address proxy"]
    );
    let text = "PTX flag\n.global .u32 x = 0;\n.alias y = x;\n\
         P0 @ cta 0 { st.release.sys.global.u32 [x], 1; }\n\
         P1 @ cta 1 { ld.acquire.sys.global.u32 %r1, [y]; }\nexists (P1:%r1 == 1)\n";
    assert_eq!(
        races_of(text),
        ["the 4-byte write to x by P0 / the 4-byte read of x by P1: address synchronization"]
    );
}

/// Tests of real code whose outcome is allowed without a race: all their accesses are strong.
const STALE: &[&str] = &[
    "R06-volatile-data",
    "R32-block-fence-one-side",
    "R32-device-fence-one-side",
    "R32-indirect",
    "R32-indirect-narrow-second-hop",
    "R32-lanes-no-fence",
    "R32-lock-no-start-fence",
    "R32-lock-no-tail-fence",
    "R32-no-fence",
    "R32-reader-fence-only",
    "R32-unequal-fences-across-blocks",
    "R32-war-fence-one-side",
    "R32-war-no-fence",
    "R32-waw-fence-one-side",
    "R32-waw-no-fence",
];

#[test]
fn a_store_of_a_chosen_value_is_one_access() {
    let races = races_of(
        "PTX chosen\n.global .u32 x = 0;\n.global .u32 z = 0;\n.global .u32 y = 0;\n\
         P0 @ cta 0 {\nld.weak.global.u32 %r0, [x];\nld.weak.global.u32 %r1, [z];\n\
         ld.weak.global.u32 %r2, [z];\nsetp.eq.u32 %p0, %r2, 1;\n\
         selp.b32 %r3, %r0, %r1, %p0;\nst.weak.global.u32 [y], %r3;\n}\n\
         P1 @ cta 1 { st.weak.global.u32 [y], 1; }\nexists (true)\n",
    );
    assert_eq!(races.len(), 1, "{races:?}");
}

/// The tests of real code that filter on what the code waits for: a forbidden outcome has no race
/// behind it, an allowed one comes of a race.
#[test]
fn real_code_races_where_it_is_broken() {
    let model = support::model("ptx-9.2");
    let engine = Choice::Auto.engines().swap_remove(0);
    let mut checked = 0;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus/realworld");
    for path in support::litmus_files(&folder) {
        let test = support::read(&path).expect("shipped tests are free of errors");
        if test.filter.is_none() {
            continue;
        }
        let expected =
            expectation(&test, "ptx-9.2", &[]).expect("a verdict").expect("they expect one");
        let graph = graph_of(&test, &model, Settings::default());
        let problem = Problem { graph: &graph, model: &model };
        let found = races(problem, engine.as_ref(), Budget::default())
            .and_then(Races::all)
            .expect("an answer");
        let racy = expected == Kind::Allowed && !STALE.contains(&test.name.as_str());
        assert_eq!(!found.is_empty(), racy, "{}: {} races", test.name, found.len());
        checked += 1;
    }
    assert!(checked > 80, "only {checked} tests");
}

#[test]
fn an_access_behind_its_release_is_named() {
    // The consumer gives the buffer back before it has read it.
    let early = "PTX early\n.global .u32 buf = 0;\n.global .u32 empty = 0;\n\
        P0 @ gpu 0, cta 0 {\nW: ld.acquire.gpu.global.u32 %r1, [empty];\n\
        setp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\nst.weak.global.u32 [buf], 1;\n}\n\
        P1 @ gpu 0, cta 1 {\nst.release.gpu.global.u32 [empty], 1;\n\
        ld.weak.global.u32 %r2, [buf];\n}\nexists (P1:%r2 == 1)\n";
    assert_eq!(
        races_of(early),
        ["the 4-byte write to buf by P0 / the 4-byte read of buf by P1: weak weak after"]
    );
    // And a barrier between two uses of it is missing.
    let one = "PTX once\n.shared .u32 buf = 0;\nP0 @ gpu 0, cta 0, warp 0 {\nbar.sync 0;\n\
        ld.weak.shared.u32 %r1, [buf];\n}\nP1 @ gpu 0, cta 0, warp 1 {\nbar.sync 0;\n\
        st.weak.shared.u32 [buf], 1;\n}\nexists (P0:%r1 == 1)\n";
    assert_eq!(
        races_of(one),
        ["the 4-byte read of buf by P0 / the 4-byte write to buf by P1: weak weak after"]
    );
}

#[test]
fn what_another_thread_of_the_cta_has_synchronized_is_named() {
    let released = "PTX released-by-another\n.global .u32 x = 0;\n.global .u32 f = 0;\n\
         P0 @ cta 0, warp 0 { st.release.gpu.global.u32 [f], 1; }\n\
         P1 @ cta 0, warp 1 { st.global.u32 [x], 1; }\n\
         P2 @ cta 1 { ld.acquire.gpu.global.u32 %r1, [f]; ld.global.u32 %r2, [x]; }\n\
         filter (P2:%r1 == 1)\nexists (true)\n";
    assert_eq!(
        races_of(released),
        ["the 4-byte write to x by P1 / the 4-byte read of x by P2: weak weak not-before"]
    );
    let waited = "PTX waited-by-another\n.global .u32 x = 0;\ntask K1, K2;\npdl K1 -> K2;\n\
         P0 @ task K1 { st.global.u32 [x], 1; }\n\
         P1 @ cta 0, warp 0, task K2 { griddepcontrol.wait; }\n\
         P2 @ cta 0, warp 1, task K2 { ld.global.u32 %r2, [x]; }\nexists (true)\n";
    assert_eq!(
        races_of(waited),
        ["the 4-byte write to x by P0 / the 4-byte read of x by P2: weak weak not-behind"]
    );
    let handed_on = "PTX fence-of-another\n.global .u32 x = 0;\n.global .u32 f = 0;\n\
         P0 @ cta 0, warp 0 { st.global.u32 [x], 1; fence.acq_rel.gpu; bar.sync 0; }\n\
         P1 @ cta 0, warp 1 { bar.sync 0; st.relaxed.gpu.global.u32 [f], 1; }\n\
         P2 @ cta 1 { ld.acquire.gpu.global.u32 %r1, [f]; ld.global.u32 %r2, [x]; }\n\
         filter (P2:%r1 == 1)\nexists (true)\n";
    assert_eq!(
        races_of(handed_on),
        ["the 4-byte write to x by P0 / the 4-byte read of x by P2: weak weak release"]
    );
}

/// An engine that answers only so many questions.
struct Tired {
    engine: SearchEngine,
    left: AtomicU32,
}

impl Engine for Tired {
    fn name(&self) -> &'static str {
        "tired"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        match self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
            Ok(_) => self.engine.find(problem, goal, budget),
            Err(_) => Answer::Unknown(Why::Timeout),
        }
    }

    fn states(&self, _: Problem<'_>, _: Budget) -> Result<States, Unsupported> {
        Err(Unsupported::NoEngine)
    }
}

/// What has been found until then is not lost.
#[test]
fn races_found_before_an_engine_gives_up_are_given() {
    let model = support::model("ptx-9.2");
    // No execution has both races.
    let text = "PTX either\n.global .u32 x = 0;\n.global .u32 y = 0;\n.global .u32 f = 0;\n\
         P0 @ cta 0 { st.global.u32 [x], 1; st.global.u32 [y], 1; }\n\
         P1 @ cta 1 { ld.relaxed.gpu.global.u32 %r1, [f]; setp.eq.u32 %p1, %r1, 0;\n\
         @%p1 st.global.u32 [x], 2; @!%p1 st.global.u32 [y], 2; }\n\
         P2 @ cta 2 { st.relaxed.gpu.global.u32 [f], 1; }\n\
         exists (true)\n";
    let test = support::parse("either.litmus", text.as_bytes()).expect("a test");
    let graph = graph_of(&test, &model, Settings::default());
    let problem = Problem { graph: &graph, model: &model };
    let mut numbers = Vec::new();
    for questions in 0..10 {
        let engine = Tired { engine: SearchEngine::default(), left: AtomicU32::new(questions) };
        match races(problem, &engine, Budget::default()) {
            Ok(found) => {
                numbers.push(found.list.len());
                assert!(found.open.is_some() || found.list.len() == 2, "{questions} questions");
            }
            Err(verdict) => assert!(questions == 0 && verdict.kind() == Kind::Unknown),
        }
    }
    assert!(
        numbers.is_sorted() && numbers.starts_with(&[1]) && numbers.ends_with(&[2]),
        "{numbers:?}"
    );
}

/// Pairs are asked about together; each for itself, the same race.
#[test]
fn races_are_those_of_each_pair() {
    let model = support::model("ptx-9.2");
    let engine = SearchEngine::default();
    let (mut asked, mut several) = (0, 0);
    let folders = ["mp", "isa2", "dsmem", "mixed-size"].map(|folder| format!("litmus/{folder}"));
    for path in folders.iter().flat_map(|folder| support::litmus_files(Path::new(folder))) {
        let test = support::read(&path).expect("a shipped test");
        let graph = graph_of(&test, &model, Settings::default());
        if graph.accesses.len() > 12 {
            continue;
        }
        let problem = Problem { graph: &graph, model: &model };
        let place = |id: AccessId| {
            let event = graph.event(graph.access(id).pieces[0]);
            (event.agent, event.span)
        };
        let pair = |a, b| BTreeSet::from([place(a), place(b)]);
        // Programs with values of which nobody knows anything are another engine's.
        let Ok(found) = races(problem, &engine, Budget::default()).and_then(Races::all) else {
            continue;
        };
        let found: BTreeSet<_> =
            found.iter().map(|race| pair(race.accesses.0, race.accesses.1)).collect();
        let mut alone = BTreeSet::new();
        let all: Vec<AccessId> = (0..graph.accesses.len()).map(AccessId::new).collect();
        for (at, &a) in all.iter().enumerate() {
            for &b in &all[at + 1..] {
                let kind = Pairs::RaceBetween(a, b);
                if let Ok(Some(_)) = find(problem, kind, &engine, Budget::default()) {
                    alone.insert(pair(a, b));
                }
            }
        }
        assert_eq!(found, alone, "{}", path.display());
        asked += 1;
        several += usize::from(found.len() > 1);
    }
    assert!(asked > 50 && several > 5, "{asked} tests, {several} with several races");
}
