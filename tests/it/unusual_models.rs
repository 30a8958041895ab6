//! Models that ask of chosen relations what no built-in one does: every engine gives the verdict
//! that the definitions call for.

use crate::support::{parse, read};
use ptxmc::testing::cat::{NoFiles, Options, library, parse_model};
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::relation::expr::{AxiomRole, Model};
use ptxmc::testing::relation::extension::is_settled;
use ptxmc::testing::solve::Engine;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::z3::Z3Engine;
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::Kind;
use std::path::Path;

fn model(text: &str) -> Model {
    let mut files = Files::default();
    let file = files.add("test.cat".to_owned(), text);
    match parse_model(&mut files, file, &NoFiles, &Options::default()) {
        Ok(loaded) => loaded.model,
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

/// Every engine gives the verdict.
fn judged(cat: &str, test: &str, expected: &str) {
    let model = model(cat);
    let test = parse("test", test.as_bytes()).expect("a test");
    let engines: [&dyn Engine; 3] =
        [&SearchEngine::default(), &Z3Engine::default(), &Enumerate::default()];
    for engine in engines {
        let outcome = check(&test, &model, engine, Settings::default().with_bound(2));
        assert_eq!(outcome.verdict.kind().name(), expected, "{}", engine.name());
    }
}

/// Whether two threads come to a barrier depends on what they read; where both do, they meet.
const MEETING: &str = "PTX meeting
.global .u32 x = 0;
P0 @ gpu 0, cluster 0, cta 0, warp 0 {
  ld.relaxed.gpu.global.u32 %r1, [x];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  bar.sync 0;
DONE:
  ret;
}
P1 @ gpu 0, cluster 0, cta 0, warp 1 {
  ld.relaxed.gpu.global.u32 %r1, [x];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  bar.sync 0;
DONE:
  ret;
}
P2 @ gpu 0, cluster 1, cta 1, warp 0 { st.relaxed.gpu.global.u32 [x], 1; }
exists (P0:%r1 == 0 /\\ P1:%r1 == 0)
";

#[test]
fn barriers_that_have_not_met_yet_may_still_do_so() {
    let cat = "\"Operations on barriers meet\"
empty ((B * B) & ext) \\ (syncbar | syncbar^-1) as Meet
acyclic po | rf as No-Thin-Air
";
    judged(cat, MEETING, "allowed");
}

/// Fences of CTA scope in two CTAs, with a value passed from one to the other.
const FENCES_APART: &str = "PTX fences-apart
.global .u32 x = 0;
P0 @ gpu 0, cluster 0, cta 0, warp 0 {
  fence.sc.cta;
  st.relaxed.gpu.global.u32 [x], 1;
}
P1 @ gpu 0, cluster 1, cta 1, warp 0 {
  ld.relaxed.gpu.global.u32 %r1, [x];
  fence.sc.cta;
}
P2 @ gpu 0, cluster 2, cta 2, warp 0 { fence.sc.sys; }
P3 @ gpu 0, cluster 3, cta 3, warp 0 { fence.sc.sys; }
exists (P1:%r1 == 1)
";

#[test]
fn fence_sc_order_holds_morally_strong_pairs_only() {
    let cat = "\"Fence-SC order agrees with what is passed on\"
empty (([F & SC] ; (po | rf)+ ; [F & SC]) & ext) \\ sc as Passed-On
acyclic po | rf as No-Thin-Air
";
    judged(cat, FENCES_APART, "forbidden");
    let near = FENCES_APART.replace("fence.sc.cta", "fence.sc.gpu");
    judged(cat, &near, "allowed");
}

/// Two stores of one thread to two locations.
const TWO_LOCATIONS: &str = "PTX two-locations
.global .u32 x = 0;
.global .u32 y = 0;
P0 @ gpu 0, cluster 0, cta 0, warp 0 {
  st.relaxed.gpu.global.u32 [x], 1;
  st.relaxed.gpu.global.u32 [y], 1;
}
exists (x == 1 /\\ y == 1)
";

#[test]
fn coherence_holds_pairs_of_one_location_only() {
    let cat = "\"Coherence across locations\"
empty ([W \\ IW] ; po ; [W]) \\ co as Across
acyclic po | rf as No-Thin-Air
";
    judged(cat, TWO_LOCATIONS, "forbidden");
    judged(cat, &TWO_LOCATIONS.replace("[y]", "[x]").replace("y == 1", "x != 0"), "allowed");
}

/// A round that only waits is left out of no execution where a model calls programs undefined: it may be
/// the one that races.
#[test]
fn rounds_that_wait_count_where_a_model_asks_for_what_is_undefined() {
    let text = "PTX poll\n.global .u32 f = 0;\n.global .u32 d = 0;\nP0 @ gpu 0, cta 0 {\nL:\n\
        ld.acquire.gpu.global.u32 %r1, [f];\nld.weak.global.u32 %r2, [d];\n\
        setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n}\nP1 @ gpu 0, cta 1 {\n\
        st.weak.global.u32 [d], 1;\nst.release.gpu.global.u32 [f], 1;\n}\nexists (P0:%r2 == 0)\n";
    let ptx = library::builtin("ptx-9.2").expect("a built-in model").text;
    judged(ptx, text, "forbidden");
    let asking = model(&format!("{ptx}\nundefined_unless empty race as DRF\n"));
    let test = parse("test", text.as_bytes()).expect("a test");
    // The search takes no test for what there has to be.
    let engines: [&dyn Engine; 2] = [&Z3Engine::default(), &Enumerate::default()];
    for engine in engines {
        let outcome = check(&test, &asking, engine, Settings::default().with_bound(2));
        assert_eq!(outcome.verdict.kind().name(), "undefined", "{}", engine.name());
    }
}

/// Undefined behaviour is what the model calls so: without the condition, a program that fails it has
/// another verdict.
#[test]
fn without_its_condition_a_program_is_not_undefined() {
    for (condition, path) in [
        ("CTA-Started", "dsmem/no-first-barrier.litmus"),
        ("CTA-Alive", "dsmem/no-last-barrier.litmus"),
        ("Mixed-Size", "mixed-size/race-then-wait-then-barrier.litmus"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus").join(path);
        let test = read(&path).expect("a shipped test");
        let whole = model(library::builtin("ptx-9.2").expect("a built-in model").text);
        let index = whole.axioms.iter().position(|axiom| axiom.name == condition);
        let part = whole.without_axioms(&[index.expect("a condition of the model")]);
        let is_undefined = |model| {
            let outcome = check(&test, model, &SearchEngine::default(), Settings::default());
            outcome.verdict.kind() == Kind::Undefined
        };
        assert!(is_undefined(&whole) && !is_undefined(&part), "{condition}");
    }
}

/// Conditions whose pairs last are asked about in prefixes of executions, too.
#[test]
fn only_what_follows_an_access_may_keep_a_cta_alive() {
    let model = model(library::builtin("ptx-9.2").expect("a built-in model").text);
    let conditions = model.axioms.iter().filter(|axiom| axiom.role == AxiomRole::UndefinedUnless);
    let mended: Vec<&str> = conditions
        .filter(|axiom| !is_settled(&model.arena, axiom.node))
        .map(|axiom| axiom.name.as_str())
        .collect();
    assert_eq!(mended, ["CTA-Alive"]);
}
