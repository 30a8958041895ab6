//! Families of tests from cycles: shapes, names, placements, values, verdicts.

#![allow(clippy::print_stdout, reason = "tests say what they count")]

use crate::support::command::{ptxmc, ptxmc_reading};
use crate::support::{model, parse};
use ptxmc::generate::cycle::CycleError;
use ptxmc::generate::edge::{Edge, FenceOrder, Link};
use ptxmc::generate::family::{Neighbours, Places};
use ptxmc::generate::frontier::{Side, is_frontier};
use ptxmc::generate::place::{Apart, Levels, Placement, placements};
use ptxmc::generate::shape::{SHAPES, canonical, name_of, shape};
use ptxmc::generate::variation::{Memory, Through, Width};
use ptxmc::generate::{Choices, Cycle, Family, Variation, base, named};
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::ptx::operation::{Order, Scope};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::Kind;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

static MODEL: LazyLock<Model> = LazyLock::new(|| model("ptx-9.2"));

const ALL_LEVELS: Levels = Levels { ctas: Apart::May, clusters: Apart::May, gpus: Apart::May };
const CTAS: Levels = Levels { ctas: Apart::May, clusters: Apart::Never, gpus: Apart::Never };

/// Relaxed accesses of scope gpu, each thread in a cluster of its own.
fn plain() -> Choices {
    Choices {
        orders: vec![Order::Relaxed],
        scopes: vec![Scope::Gpu],
        links: vec![Link::Plain],
        names: vec![Through::Name],
        places: Places::Separate,
        widths: vec![Width::W32],
        memory: Memory::Global,
    }
}

/// Every order and fence of two scopes, all placements in CTAs.
fn rich() -> Choices {
    Choices {
        orders: vec![Order::Weak, Order::Relaxed, Order::Acquire, Order::Release],
        scopes: vec![Scope::Cta, Scope::Gpu],
        links: vec![
            Link::Plain,
            Link::Fence(FenceOrder::AcqRel, Scope::Gpu),
            Link::Fence(FenceOrder::Sc, Scope::Cta),
        ],
        places: Places::All(CTAS),
        ..plain()
    }
}

fn family(spec: &str, choices: &Choices) -> Family {
    let cycle = shape(spec).unwrap_or_else(|| Cycle::parse(spec).expect("a cycle"));
    Family::new(canonical(cycle), choices)
}

fn kind(variation: &Variation<'_>) -> Kind {
    let test = parse(&variation.to_string(), variation.text().as_bytes()).expect("a test");
    check(&test, &MODEL, &SearchEngine::default(), Settings::default()).verdict.kind()
}

fn only(family: &Family) -> Variation<'_> {
    assert_eq!(family.len(), 1);
    family.get(0).expect("there is one")
}

/// Relaxed accesses leave everything open but what coherence of one location excludes.
#[test]
fn shapes_have_the_conditions_of_their_cycles() {
    let mut shown = String::new();
    for (name, text) in SHAPES {
        let family = family(name, &plain());
        assert_eq!(&family.cycle.to_string(), text, "{name} is the cycle of the table");
        let variation = only(&family);
        let text = variation.text();
        let condition = text.lines().last().expect("a condition");
        let kind = kind(&variation);
        shown += &format!("{name}: {condition} {}\n", kind.name());
        let expected = if name.starts_with("Co") { Kind::Forbidden } else { Kind::Allowed };
        assert_eq!(kind, expected, "{name}");
    }
    insta::assert_snapshot!(shown);
}

/// The classic families come out of the enumeration of all cycles of their edges, and nothing that is
/// named is missing.
#[test]
fn classic_families_are_rediscovered() {
    let pool: Vec<Edge> = ["Rfe", "Fre", "Coe", "PodWW", "PodWR", "PodRW", "PodRR"]
        .iter()
        .map(|word| Edge::named(word).expect("an edge"))
        .collect();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut cycles = HashSet::new();
    for length in 2..=6 {
        let mut numbers = vec![0; length];
        loop {
            let edges: Vec<Edge> = numbers.iter().map(|&at: &usize| pool[at]).collect();
            // No two edges of one kind side by side, as in diy's families.
            let mixed = (0..length)
                .all(|at| edges[at].leaves_thread() || edges[(at + 1) % length].leaves_thread());
            let twice = (0..length)
                .any(|at| edges[at].leaves_thread() && edges[(at + 1) % length].leaves_thread());
            let externals = edges.iter().filter(|edge| edge.leaves_thread()).count();
            let fits = mixed && (2..=4).contains(&externals) && (!twice || length > 2);
            if fits && let Ok(cycle) = Cycle::new(edges, vec![None; length]) {
                let cycle = canonical(cycle);
                let new = cycles.insert(cycle.to_string());
                if let Some(name) = name_of(&cycle).filter(|_| new) {
                    *found.entry(name.to_owned()).or_default() += 1;
                }
            }
            let Some(at) = numbers.iter().rposition(|&digit| digit + 1 < pool.len()) else { break };
            numbers[at] += 1;
            numbers[at + 1..].fill(0);
        }
    }
    println!("{} cycles", cycles.len());
    let missing: Vec<&str> = SHAPES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !name.starts_with("Co") && !found.contains_key(*name))
        .collect();
    assert!(missing.is_empty(), "not found: {missing:?}");
    assert!(found.values().all(|&count| count == 1), "one cycle each, however it is turned");
}

/// The same cycle however it is turned.
#[test]
fn cycles_may_begin_anywhere() {
    for (name, text) in SHAPES {
        let words: Vec<&str> = text.split(' ').collect();
        for first in 0..words.len() {
            let turned: Vec<&str> =
                (0..words.len()).map(|at| words[(at + first) % words.len()]).collect();
            let cycle = canonical(Cycle::parse(&turned.join(" ")).expect("a cycle"));
            assert_eq!(base(&cycle), *name, "{turned:?}");
        }
    }
}

#[test]
fn annotations_fix_what_is_not_multiplied() {
    let cycle = Cycle::parse("PodWW RelGpu Rfe AcqCta FenceScGpudRR Weak Fre").expect("a cycle");
    let again = Cycle::parse(&cycle.to_string()).expect("it is printed as a cycle");
    assert_eq!(cycle, again);
    let family = Family::new(cycle, &rich());
    let text = family.get(family.len() - 1).expect("the last").text();
    for statement in [
        "st.release.gpu.global.u32 [y], 1",
        "ld.acquire.cta.global.u32 %r1, [y]",
        "fence.sc.gpu",
        "ld.weak.global.u32 %r2, [x]",
    ] {
        assert!(text.contains(statement), "{statement} in\n{text}");
    }
    let texts: BTreeSet<String> =
        (0..family.len()).filter_map(|n| family.get(n)).map(|v| v.text()).collect();
    assert!(texts.iter().all(|text| text.contains("fence.sc.gpu")));
    // The first write, and what stands behind it, are open.
    assert_eq!(texts.len(), 5 * 3 * 2);
}

#[test]
fn what_is_no_cycle_is_refused() {
    let error = |text: &str| Cycle::parse(text).expect_err(text);
    assert_eq!(error(""), CycleError::Empty);
    assert_eq!(error("PodWW PodWW"), CycleError::OneThread);
    assert!(matches!(error("PodWW Rfe Fre Pod"), CycleError::NoEdge(word) if word == "Pod"));
    assert!(matches!(error("PodWW Fre"), CycleError::Mismatch { .. }));
    assert_eq!(error("PodWW Coe"), CycleError::OneLocation);
    assert_eq!(error("Coe Coe"), CycleError::CoherenceCycle);
    assert_eq!(error("Coe PosWW Coe PosWW"), CycleError::ManyWrites(4));
    assert!(matches!(error("PodWW AcqGpu Rfe PodRR Fre"), CycleError::Annotation("write", _)));
    assert!(matches!(error("Rfe DpDatadRR Fre"), CycleError::NoEdge(_)));
    let seven = ["PodWR Fre"; 7].join(" ");
    assert_eq!(error(&seven), CycleError::ManyThreads(7));
}

/// Names say all of a test, and only one test has a name.
#[test]
fn names_are_read_back() {
    let everything = Choices {
        scopes: vec![Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys],
        links: vec![
            Link::Plain,
            Link::Fence(FenceOrder::AcqRel, Scope::Cluster),
            Link::Fence(FenceOrder::Sc, Scope::Sys),
            Link::Alias,
            Link::Data,
            Link::Control,
        ],
        names: vec![Through::Name, Through::Alias],
        places: Places::All(ALL_LEVELS),
        widths: Width::ALL.to_vec(),
        ..rich()
    };
    let shared =
        Choices { memory: Memory::Shared, names: vec![Through::Name], ..everything.clone() };
    let (mut names, mut random) = (BTreeMap::new(), fastrand::Rng::with_seed(11));
    let specs = SHAPES.iter().map(|(name, _)| *name);
    for spec in specs.chain(["BarsWR Fre", "PodWR Fri PodWR Fre"]) {
        for choices in [&everything, &shared] {
            let Ok(cycle) = shape(spec).map_or_else(|| Cycle::parse(spec), Ok) else {
                panic!("{spec} is no cycle")
            };
            let family = Family::new(canonical(cycle), choices);
            for _ in 0..60 {
                let Some(variation) = family.get(random.u64(..family.len())) else { continue };
                let (name, text) = (variation.to_string(), variation.text());
                let again = named(&name).unwrap_or_else(|why| panic!("{name}: {why}"));
                assert_eq!(again.variation().text(), text, "{name}");
                let other = names.insert(name.clone(), text.clone());
                assert!(other.is_none_or(|other| other == text), "{name} names two tests");
                let parsed = parse_bytes(&mut Files::default(), &name, text.as_bytes());
                assert_eq!(parsed.tests.first().map(|t| t.name.as_str()), Some(name.as_str()));
                assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
            }
        }
    }
    assert!(names.len() > 1000, "only {} names", names.len());
    for wrong in [
        "MP",
        "XX+weak.weak+weak.weak+0-1",
        "MP+weak.weak+weak.weak",
        "MP+weak.weak+weak.weak+1-0",
        "MP+weak.weak+weak.weak+0-2",
        "MP+weak+weak.weak+0-1",
        "MP+weak.acq-gpu+weak.weak+0-1",
        "MP+weak.weak.fsc-gpu+weak.weak+0-1",
        "MP+weak.weak+weak.weak+weak+0-1",
        "MP+weak.weak+weak.weak+u32+0-1",
    ] {
        assert!(named(wrong).is_err(), "{wrong}");
    }
}

/// All partitions of so many threads, each as the number of the part of every thread.
fn partitions(threads: usize) -> Vec<Vec<usize>> {
    (0..threads.pow(u32::try_from(threads).expect("a few")))
        .map(|mut code| {
            let digits = (0..threads).map(|_| {
                let digit = code % threads;
                code /= threads;
                digit
            });
            digits.collect::<Vec<usize>>()
        })
        .filter(|parts| {
            let mut next = 0;
            parts.iter().all(|&part| {
                let fits = part <= next;
                next = next.max(part + 1);
                fits
            })
        })
        .collect()
}

/// Whether each part of the first lies within one of the second.
fn refines(fine: &[usize], coarse: &[usize]) -> bool {
    (0..fine.len()).all(|a| (0..fine.len()).all(|b| fine[a] != fine[b] || coarse[a] == coarse[b]))
}

/// Placements are the chains of partitions into CTAs, clusters and devices, each once.
#[test]
fn placements_are_nested_partitions() {
    for threads in 1..=5 {
        let all = partitions(threads);
        let bell = [1, 1, 2, 5, 15, 52][threads];
        assert_eq!(all.len(), bell, "all partitions of {threads}");
        let mut chains = 0;
        for ctas in &all {
            for clusters in all.iter().filter(|clusters| refines(ctas, clusters)) {
                chains += all.iter().filter(|gpus| refines(clusters, gpus)).count();
            }
        }
        let found = placements(threads, ALL_LEVELS);
        assert_eq!(found.len(), chains, "{threads} threads");
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), chains, "each once");
        assert_eq!(placements(threads, CTAS).len(), bell);
        for placement in &found {
            let word = placement.to_string();
            assert_eq!(Placement::named(&word).as_ref(), Some(placement), "{word}");
        }
    }
}

/// Of variations that are the same but for the numbers of threads there is one, and none is lost: the
/// count is that of orbits.
#[test]
fn variations_are_counted_up_to_symmetry() {
    for (spec, order) in [("MP", 1), ("SB", 2), ("2+2W", 2), ("IRIW", 2), ("3.2W", 3), ("3.SB", 3)]
    {
        let choices = Choices {
            orders: vec![Order::Weak, Order::Relaxed],
            scopes: vec![Scope::Gpu],
            places: Places::All(ALL_LEVELS),
            ..plain()
        };
        let family = family(spec, &choices);
        assert_eq!(family.cycle.symmetries().len(), order, "{spec}");
        let mut orbits: HashSet<Vec<String>> = HashSet::new();
        let mut kept = 0;
        for number in 0..family.len() {
            let variation = family.any(number).expect("all fit");
            kept += usize::from(family.get(number).is_some());
            // The threads by the code that they run and where, from each that may be the first.
            let mut turned: Vec<String> = family
                .cycle
                .symmetries()
                .iter()
                .map(|&first| {
                    let events = family.cycle.events.len();
                    let at = |event: usize| (event + family.cycle.first_of(first)) % events;
                    let codes: Vec<String> = (0..events)
                        .map(|event| variation.annotations[at(event)].to_string())
                        .collect();
                    format!("{codes:?} {}", variation.placement.turned(first))
                })
                .collect();
            turned.sort();
            orbits.insert(turned);
        }
        assert_eq!(kept, orbits.len(), "{spec}");
        assert!(order == 1 || (kept as u64) < family.len());
    }
}

/// The frontier separates: what is stronger than a forbidden test of it is forbidden, what is weaker than
/// an allowed one is allowed, and there are both.
#[test]
fn the_frontier_separates_allowed_from_forbidden() {
    let choices = Choices {
        scopes: vec![Scope::Gpu],
        links: vec![Link::Plain, Link::Fence(FenceOrder::Sc, Scope::Gpu)],
        places: Places::Separate,
        ..rich()
    };
    for spec in ["MP", "SB", "LB"] {
        let family = family(spec, &choices);
        let side = |number| match kind(&family.any(number).expect("all fit")) {
            Kind::Allowed => Side::Allowed,
            Kind::Forbidden => Side::Forbidden,
            _ => Side::Other,
        };
        let sides: Vec<Side> = (0..family.class_len()).map(side).collect();
        let border = |wanted: Side| {
            let numbers = 0..family.class_len();
            numbers
                .filter(|&n| sides[n as usize] == wanted && is_frontier(&family, n, &sides))
                .collect::<Vec<u64>>()
        };
        let (forbidden, allowed) = (border(Side::Forbidden), border(Side::Allowed));
        assert!(!forbidden.is_empty() && !allowed.is_empty(), "{spec}");
        let reached = |from: &[u64], which| {
            let mut seen: BTreeSet<u64> = from.iter().copied().collect();
            let mut open: Vec<u64> = from.to_vec();
            while let Some(number) = open.pop() {
                let next = family.neighbours(number, which);
                open.extend(next.into_iter().filter(|&other| seen.insert(other)));
            }
            seen
        };
        let above = reached(&forbidden, Neighbours::Stronger);
        let below = reached(&allowed, Neighbours::Weaker);
        for (number, side) in (0_u64..).zip(&sides) {
            assert_eq!(above.contains(&number), *side == Side::Forbidden, "{spec} {number}");
            assert_eq!(below.contains(&number), *side == Side::Allowed, "{spec} {number}");
        }
    }
}

/// Barriers are within a CTA and order what they separate; shared memory is that of one cluster.
#[test]
fn barriers_and_shared_memory_need_their_places() {
    let choices = Choices { places: Places::All(ALL_LEVELS), ..plain() };
    let with_barrier = family("BardWR Fre PodWW Rfe PosRR Fre", &choices);
    assert!(with_barrier.len() > 1);
    let barrier = family("BarsWR Fre", &choices);
    let tests: Vec<_> = (0..barrier.len()).filter_map(|n| barrier.get(n)).collect();
    assert_eq!(tests.len(), 1, "both threads in one CTA");
    assert!(tests[0].text().contains("bar.sync 0, 64;"));
    assert_eq!(kind(&tests[0]), Kind::Forbidden);
    let shared = family("MP", &Choices { memory: Memory::Shared, ..choices });
    let tests: Vec<_> = (0..shared.len()).filter_map(|n| shared.get(n)).collect();
    let places: Vec<String> = tests.iter().map(|test| test.placement.to_string()).collect();
    assert_eq!(places, ["01", "0.1"]);
    assert!(tests.iter().all(|test| kind(test) == Kind::Allowed));
    assert!(tests[1].text().contains("mapa.shared::cluster.u32 %a0, x, 0;"), "{}", tests[1].text());
}

#[test]
fn the_command_makes_what_is_asked_for() {
    let mp = ptxmc(&["generate", "MP", "--quiet"]);
    assert_eq!((mp.status, mp.err.as_str()), (0, ""));
    insta::assert_snapshot!(mp.out);
    let by_name = ptxmc(&["generate", "-q", "MP+rlx-gpu.rlx-gpu+rlx-gpu.rlx-gpu+0-1"]);
    assert!(mp.out.ends_with(&by_name.out), "a test is found by its name");
    let by_cycle = ptxmc(&["generate", "-q", "PodRR", "Fre", "PodWW", "Rfe"]);
    assert_eq!(by_cycle.out, mp.out, "a cycle may begin anywhere");
    let rich = ["generate", "SB", "--orders", "weak,relaxed", "--fences", "none,sc", "--seed", "3"];
    let drawn = ptxmc(&[&rich[..], &["--limit", "6", "-j", "1"]].concat());
    assert_eq!(drawn.out, ptxmc(&[&rich[..], &["--limit", "6", "-j", "3"]].concat()).out);
    assert_eq!(drawn.out.matches("PTX SB+").count(), 6);
    let forbidden = ptxmc(&[&rich[..], &["--forbidden"]].concat());
    assert!(forbidden.out.contains("Expect=forbidden"));
    assert!(!forbidden.out.contains("Expect=allowed"));
}

#[test]
fn the_command_says_what_is_wrong() {
    for (arguments, why) in [
        (&["generate", "XY"][..], "shapes are MP"),
        (&["generate", "PodWW", "Fre"], "begins with R"),
        (&["generate", "MP+weak+0-1"], "parts behind the shape"),
        (&["generate", "MP", "--unchecked", "--frontier"], "cannot be used with"),
        (
            &["generate", "MP+weak.rel-gpu+acq-gpu.weak"],
            "the placement is missing behind `acq-gpu.weak`",
        ),
        (&["generate", "MP+weak.weak+weak.weak+u64+shared"], "the placement is missing"),
        (&["generate", "MP+weak.weak+weak.weak+xy"], "`xy` is no part of a name"),
        (&["generate", "no-such-file.txt"], "`no-such-file.txt`: no such file"),
        (&["generate", "no/such/file"], "`no/such/file`: no such file"),
    ] {
        let run = ptxmc(arguments);
        assert_eq!(run.status, 2, "{arguments:?}");
        assert!(run.err.contains(why), "{arguments:?}: {}", run.err);
    }
}

/// What is named twice is made once.
#[test]
fn the_command_makes_each_test_once() {
    let tests = |arguments: &[&str]| {
        let run = ptxmc(&[&["generate", "-q", "--unchecked"], arguments].concat());
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{arguments:?}");
        run.out
    };
    let once = ["MP", "--orders", "weak,relaxed", "--scopes", "cta", "--fences", "none,sc"];
    for twice in [
        &["MP", "MP", "--orders", "weak,relaxed", "--scopes", "cta", "--fences", "none,sc"][..],
        &["MP", "--orders", "weak,relaxed,weak", "--scopes", "cta,cta", "--fences", "none,sc,sc"],
        &[
            "MP",
            "--orders",
            "weak,relaxed",
            "--scopes",
            "cta",
            "--fences",
            "none,sc",
            "--fence-scopes",
            "cta,cta",
            "--widths",
            "32,32",
        ],
    ] {
        assert_eq!(tests(twice), tests(&once), "{twice:?}");
    }
    let name = "MP+weak.weak+weak.weak+01";
    assert_eq!(tests(&[name, name]), tests(&[name]));
    assert_eq!(tests(&["MP", "SB", "MP"]), tests(&["MP", "SB"]));
    let read = ptxmc_reading(&["generate", "-q", "--unchecked", "-"], "# both\nMP\nSB # behind\n");
    assert_eq!(read.out, tests(&["MP", "SB"]));
}

/// An option that makes no difference is told, and why there is nothing.
#[test]
fn the_command_says_which_options_fit_nowhere() {
    for (arguments, status, says) in [
        (
            &["MP+weak.weak+weak.weak+01", "--orders", "acquire"][..],
            0,
            "a name says all of its test: --orders",
        ),
        (
            &["SB", "--fences", "none,data"],
            0,
            "--fences data fits nowhere: a dependency leads from a read",
        ),
        (
            &["CoWW", "--orders", "relaxed,acquire"],
            0,
            "--orders acquire fits nowhere: it is for reads",
        ),
        (&["MP", "--space", "shared", "--places", "separate"], 3, "--places cluster has"),
        (&["BardWR Fre BardWR Fre", "--places", "separate"], 3, "--places cta has"),
        (&["CoRR", "--allowed"], 3, "none has the verdict that is wanted"),
    ] {
        let run = ptxmc(&[&["generate"], arguments].concat());
        assert_eq!(run.status, status, "{arguments:?}: {}", run.err);
        assert_eq!(run.err.matches(says).count(), 1, "{arguments:?}: {}", run.err);
    }
    let run = ptxmc(&["generate", "LB", "--fences", "data", "--orders", "relaxed,acquire"]);
    assert!(!run.err.contains("fits nowhere"), "{}", run.err);
}

/// Files of tests that the command writes are checked by it as they say.
#[test]
fn generated_tests_give_what_they_expect() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("a plain name");
    let made = ptxmc(&["generate", "SB", "WRC", "--frontier", "--scopes", "gpu", "-o", output]);
    assert_eq!(made.status, 0, "{}", made.err);
    let checked = ptxmc(&["check", output]);
    assert_eq!(checked.status, 0, "{}", checked.out);
    let last = checked.out.lines().last().expect("a summary");
    assert!(last.contains("allowed") && last.contains("forbidden"), "{last}");
}
