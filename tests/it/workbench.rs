//! The workbench for models: edits, comparisons, and the search for tests that tell models apart.

use crate::support::command::{path, ptxmc};
use crate::support::mutants::{model_of, mutants};
use crate::support::table::{assert_current, some};
use crate::support::{litmus_files, load, model, parse, read};
use ptxmc::Checker;
use ptxmc::testing::bitrel::Rel;
use ptxmc::testing::cat::edit::EditFile;
use ptxmc::testing::cat::{Loaded, NoFiles, Options, builtin, parse_model};
use ptxmc::testing::check::{Settings, check, graph_of};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::event::base::{base_relation, base_set};
use ptxmc::testing::id::EventId;
use ptxmc::testing::ptx::operation::Order;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::Kind as Verdict;
use ptxmc::testing::vocabulary::{BaseRel, BaseSet};
use ptxmc::testing::workbench::distinguish::{Answer, Question, distinguish};
use ptxmc::testing::workbench::small::cell::{Cell, Frame, Part, events};
use ptxmc::testing::workbench::small::difference::Difference;
use ptxmc::testing::workbench::small::label::{Label, labels};
use ptxmc::testing::workbench::small::pair::Pair;
use ptxmc::testing::workbench::small::place::{Asked, Level, Placement, told_apart};
use ptxmc::testing::workbench::small::realise::{Wording, contested, text};
use ptxmc::testing::workbench::small::rows::bits;
use ptxmc::testing::workbench::small::search::{Space, allowed};
use ptxmc::testing::workbench::small::shape::{Alphabet, Kind, Shape};
use ptxmc::testing::workbench::small::skeleton::shapes;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const MODELS_PAGE: &str = include_str!("../../paper-notes/models.md");

/// A model from its text, or the codes of what is wrong with it.
fn loaded(text: &str) -> Result<Loaded, Vec<String>> {
    let mut files = Files::default();
    let file = files.add("mine.cat", text);
    parse_model(&mut files, file, &NoFiles, &Options::default())
        .map_err(|errors| errors.iter().map(|e| e.code.to_owned()).collect())
}

fn from_text(text: &str) -> Model {
    loaded(text).unwrap_or_else(|codes| panic!("{codes:?}")).model
}

/// The blocks of a page in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    let starts = page.match_indices(&fence).map(|(at, _)| at + fence.len());
    starts.map(|at| &page[at..at + page[at..].find("```").expect("it is closed")]).collect()
}

#[test]
fn models_on_the_page_are_models() {
    let cat = blocks(MODELS_PAGE, "cat");
    assert!(cat.len() >= 5, "{}", cat.len());
    for text in cat {
        let loaded = loaded(text).unwrap_or_else(|codes| panic!("{codes:?}\n{text}"));
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    }
    let original = builtin("ptx-9.2").expect("it is built in").text;
    for text in blocks(MODELS_PAGE, "edit") {
        let edited = EditFile::parse(text).and_then(|file| file.apply(original));
        from_text(&edited.unwrap_or_else(|why| panic!("{why}")));
    }
}

#[test]
fn the_page_has_every_base_name() {
    let row = |name: &str, aliases: &[&str], section: &str| {
        let names: Vec<String> =
            [name].iter().chain(aliases).map(|name| format!("`{name}`")).collect();
        let start = format!("| {} |", names.join(", "));
        let line = MODELS_PAGE.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("no row {start}"));
        assert!(line.ends_with(&format!(" {section} |")), "{line}");
    };
    BaseSet::ALL.iter().for_each(|s| row(s.name(), s.aliases(), s.section()));
    BaseRel::ALL.iter().for_each(|r| row(r.name(), r.aliases(), r.section()));
}

#[test]
fn amendments_reach_all_that_use_a_name() {
    let written = builtin("ptx-9.2").expect("it is built in").text;
    let by_hand = written
        .replace("let observation = observes ; (links ; observes)*", "let observation = observes");
    assert_ne!(written, by_hand);
    let amended = from_text(
        "include \"ptx-9.2.cat\" with\n redefine observation = observes\n \
         drop Mbarrier-Reuse\n replace Causality with irreflexive (rf ; causality)\nend",
    );
    let names = |model: &Model| model.axioms.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
    let mut expected = names(&model("ptx-9.2"));
    expected.retain(|name| name != "Mbarrier-Reuse");
    assert_eq!(names(&amended), expected);
    let by_hand = from_text(
        &by_hand
            .replace("irreflexive (co? ; rf ; reused) as Mbarrier-Reuse", "")
            .replace("irreflexive ((rf | fr) ; causality)", "irreflexive (rf ; causality)"),
    );
    assert!(are_one(&amended, &by_hand));
    assert!(!are_one(&amended, &model("ptx-9.2")));
}

/// Whether two models give the same verdicts on the standard's tests and on those of some families.
fn are_one(one: &Model, other: &Model) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let families = ["standard", "mp", "isa2", "coherence", "mbarrier"];
    let files: Vec<_> =
        families.iter().flat_map(|family| litmus_files(&root.join(family))).collect();
    assert!(files.len() > 100, "only {} tests", files.len());
    let checkers = [one, other].map(Checker::new);
    files.iter().all(|path| {
        let test = read(path).expect("shipped tests are free of errors");
        let [one, other] = checkers.each_ref().map(|checker| checker.check(&test).verdict.kind());
        one == other
    })
}

#[test]
fn the_old_definition_is_known_to_the_new_one() {
    let plain = from_text("let a = po\nlet a = a | rf\nacyclic a as A");
    let file = "include \"ptx-8.7.cat\" with\n redefine causality = causality | po\nend\nshow fr";
    let amended = loaded(file).expect("a model");
    assert!(amended.flat.to_string().contains("let causality = causality | po"));
    // The text without includes is the same model.
    let again = from_text(&amended.flat.to_string());
    assert!(are_one(&again, &amended.model));
    assert_eq!(plain.axioms.len(), 1);
}

#[test]
fn wrong_amendments_are_errors() {
    let with = |body: &str| loaded(&format!("include \"ptx-9.2.cat\" with\n{body}\nend"));
    let codes = |body: &str| with(body).err().unwrap_or_default();
    assert_eq!(codes("redefine observatio = po"), ["cat-nothing-to-amend"]);
    assert_eq!(codes("drop Causality, Causal"), ["cat-nothing-to-amend"]);
    assert_eq!(codes("replace Nothing with acyclic po"), ["cat-nothing-to-amend"]);
    assert_eq!(codes("redefine strong = po"), ["cat-redefined-sort"]);
    assert_eq!(codes("redefine x ="), ["cat-syntax"]);
    assert_eq!(codes("let x = po"), ["cat-syntax"]);
    let late = "include \"ptx-9.2.cat\"\ninclude \"ptx-9.2.cat\" with drop Causality end";
    assert_eq!(loaded(late).expect_err("too late"), ["cat-amended-too-late"]);
    let library = "include \"stdlib.cat\" with redefine fr = rf end";
    assert_eq!(loaded(library).expect_err("the library's"), ["cat-unsupported"]);
}

#[test]
fn a_definition_that_hides_another_in_vain_is_warned_of() {
    let warnings = |text: &str| -> Vec<String> {
        let loaded = loaded(text).expect("a model");
        loaded.warnings.iter().map(|w| w.code.to_owned()).collect()
    };
    assert_eq!(warnings("include \"ptx-9.2.cat\"\nlet strong = M"), ["cat-hides-in-vain"]);
    let used = "include \"ptx-9.2.cat\"\nlet strong = M\nempty [strong] ; 0 as Used";
    assert!(warnings(used).is_empty());
    for name in ["ptx-9.2", "ptx-8.7", "ptx-7.5", "ptx-6.0", "sc"] {
        assert!(warnings(builtin(name).expect("it is built in").text).is_empty(), "{name}");
    }
}

#[test]
fn edit_files_and_ablation_go_wherever_a_model_goes() {
    let edit = "models/mutants/no-acquire-reads.edit";
    let run = ptxmc(&["check", "--model", edit, "tests/cli/MP.litmus"]);
    assert!(run.out.contains("allowed"), "{}", run.transcript());
    let run = ptxmc(&["model", edit]);
    assert!(run.out.starts_with("no-acquire-reads: PTX ISA 9.2"), "{}", run.transcript());
    let run = ptxmc(&["check", "--without", "Causality", "tests/cli/MP.litmus"]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.out.contains("NOT EXPECTED: expected forbidden"), "{}", run.transcript());
    let run = ptxmc(&["explain", "--without", "Causalty", "tests/cli/MP.litmus"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("did you mean `Causality`?"), "{}", run.transcript());
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("wrong.edit");
    fs::write(&file, "replace\nno such text\nwith\nx\n").expect("room");
    let run = ptxmc(&["model", path(&file)]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("occurs 0 times in ptx-9.2.cat"), "{}", run.transcript());
}

#[test]
fn readings_of_a_model_of_ones_own() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("own.cat");
    fs::write(&file, "if \"atomics=strong\"\nempty (rmw & (fr ; co)) as A\nend\nif \"plain\"\nacyclic po as P\nend\n")
        .expect("room");
    let own = path(&file);
    let run = ptxmc(&["model", own]);
    assert!(run.out.contains("--reading atomics=strong"), "{}", run.transcript());
    let run = ptxmc(&["model", own, "--reading", "atomics=strong", "--reading", "plain"]);
    assert!(run.out.contains("  A  empty") && run.out.contains("  P  acyclic"), "{}", run.out);
    let run = ptxmc(&["model", own, "--reading", "atomics=stronk"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("atomics"), "{}", run.transcript());
    let run = ptxmc(&["model", own, "--reading", "plane"]);
    assert_eq!(run.status, 2, "{}", run.transcript());
}

/// A reading behind the name of a model holds for this model alone.
#[test]
fn a_reading_is_held_against_the_default() {
    let run = ptxmc(&["distinguish", "ptx-9.2", "ptx-9.2+rmw=8.10.3", "--events", "3"]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.out.contains("allowed under ptx-9.2+rmw=8.10.3"), "{}", run.transcript());
    assert!(run.out.contains("Expect[ptx-9.2+rmw=8.10.3]=allowed"), "{}", run.transcript());
    let run = ptxmc(&["distinguish", "ptx-9.2", "ptx-9.2+rmw=8.10.4"]);
    assert_eq!(run.status, 2, "{}", run.transcript());
    let run = ptxmc(&["model", "ptx-9.2+co=totl"]);
    assert_eq!(run.status, 2, "{}", run.transcript());
    assert!(run.err.contains("the reading `co` is `total`"), "{}", run.transcript());
    let run = ptxmc(&["model", "ptx-9.2+tearing=byte"]);
    assert_eq!(run.status, 2, "{}", run.transcript());
    assert!(run.err.contains("`--reading tearing=byte`"), "{}", run.transcript());
}

/// A search that is over its budget says up to which size it has looked, the same at any number of
/// workers.
#[test]
fn a_search_ends_with_its_budget() {
    let of = |jobs: &str| {
        let models = ["ptx-9.2", "models/mutants/fence-sc-by-causality.edit"];
        ptxmc(&["distinguish", models[0], models[1], "--events", "6", "--budget", "2", "-j", jobs])
    };
    let (one, two) = (of("1"), of("2"));
    assert_eq!(one.status, 3, "{}", one.transcript());
    assert!(one.out.starts_with("no test found before the budget was over"), "{}", one.out);
    assert_eq!(one.out, two.out);
}

#[test]
fn a_comparison_is_grouped_by_what_decides() {
    let edit = "models/mutants/no-acquire-reads.edit";
    let of = |format: &str| {
        ptxmc(&[
            "diff",
            "ptx-9.2",
            edit,
            "tests/cli/MP.litmus",
            "litmus/sb",
            "--states",
            "--format",
            format,
        ])
    };
    let run = of("text");
    assert_eq!(run.status, 1, "{}", run.transcript());
    insta::assert_snapshot!("diff_text", run.transcript());
    insta::assert_snapshot!("diff_markdown", of("markdown").out);
    let value: serde_json::Value = serde_json::from_str(&of("json").out).expect("an object");
    assert_eq!(value["differing"], value["groups"][0]["tests"].as_array().map_or(0, Vec::len));
    assert!(of("junit").out.contains("expected forbidden, is allowed"));
    let run = ptxmc(&["diff", "ptx-9.2", "ptx-9.2", "litmus/sb", "--states", "--races"]);
    assert_eq!(run.status, 0, "{}", run.transcript());
}

#[test]
fn a_baseline_stands_for_a_model() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("verdicts.tsv");
    let baseline = path(&file);
    let all = ["tests/cli/MP.litmus", "tests/cli/MP-relaxed.litmus"];
    ptxmc(&[
        "check",
        "--model",
        "ptx-9.2",
        "--baseline",
        baseline,
        "--bless",
        all[0],
        "litmus/sb/SB+weak.litmus",
    ]);
    let edit = "models/mutants/no-acquire-reads.edit";
    let run = ptxmc(&["diff", baseline, edit, all[0], all[1]]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.out.contains("newly allowed (was forbidden)"), "{}", run.out);
    assert!(run.out.contains("new: tests/cli/MP-relaxed.litmus is allowed"), "{}", run.out);
    let run = ptxmc(&["diff", baseline, edit, all[0], all[1], "--bless"]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    let run = ptxmc(&["diff", baseline, edit, all[0], all[1]]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    let run = ptxmc(&["diff", baseline, "ptx-9.2", all[0], "--states"]);
    assert_eq!(run.status, 2, "{}", run.transcript());
}

/// Everything that programs may be made of.
fn everything() -> Alphabet {
    Alphabet { kinds: Kind::ALL.to_vec(), aliases: true, copies: true }
}

/// Numbers that look random, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("few bits") % n
    }
}

/// A program of a shape, with labels, places, reads and last writes by chance; `None` where the threads
/// of a CTA come to its barrier differently often.
fn program(shape: &Shape, dice: &mut Dice) -> Option<Difference> {
    let asked = Asked { clusters: true, gpus: true, scopes: true, has_clusters: true };
    let placements = told_apart(shape.threads.len(), asked);
    let placement = placements[dice.below(placements.len())].clone();
    let ops: Vec<_> = shape.ops().collect();
    let chosen = |dice: &mut Dice, kind: Kind| {
        let all = labels(kind, true, |_, _| true);
        all[dice.below(all.len())]
    };
    let labels: Vec<Label> = ops.iter().map(|(_, op)| chosen(dice, op.kind)).collect();
    let events = events(shape);
    let writers = |loc: u8| -> Vec<usize> {
        let own = |at: &usize| events[*at].part == Part::Write && events[*at].loc == loc;
        (0..events.len()).filter(own).collect()
    };
    let mut reads = Vec::new();
    for event in events.iter().filter(|event| event.part == Part::Read) {
        let mut sources = writers(event.loc);
        sources.retain(|&write| events[write].op != event.op);
        sources.push(usize::from(event.loc));
        reads.push(sources[dice.below(sources.len())]);
    }
    let last = |dice: &mut Dice, loc: usize| {
        let own = writers(u8::try_from(loc).expect("few locations"));
        if own.is_empty() { loc } else { own[dice.below(own.len())] }
    };
    let finals = (0..shape.locations()).map(|loc| last(dice, loc)).collect();
    let count = |thread: usize, kind: Kind| {
        shape.threads[thread].iter().filter(|op| op.kind == kind).count()
    };
    let threads = 0..shape.threads.len();
    let meets = threads.clone().all(|a| {
        threads.clone().all(|b| {
            let level = placement.level(a, b);
            (level > Level::Cta || count(a, Kind::CtaBarrier) == count(b, Kind::CtaBarrier))
                && (level > Level::Cluster
                    || count(a, Kind::ClusterBarrier) == count(b, Kind::ClusterBarrier))
        })
    });
    meets.then(|| Difference {
        shape: shape.clone(),
        placement,
        labels,
        reads,
        finals,
        allowed_by: 0,
    })
}

fn written(program: &Difference, finals: &[bool]) -> String {
    text(program, &Wording { name: "small", about: "", metadata: &[], finals })
}

/// What the search takes for the base sets and relations of a program is what its test has.
#[test]
fn small_programs_have_the_events_of_their_tests() {
    let model = model("ptx-9.4");
    let (mut dice, mut compared) = (Dice(1), 0);
    for (size, threads) in [(2, 1), (2, 2), (3, 2), (3, 3)] {
        for shape in shapes(size, threads, &everything()) {
            if dice.below(if size == 2 { 1 } else { 24 }) > 0 {
                continue;
            }
            let Some(program) = program(&shape, &mut dice) else { continue };
            compared += 1;
            same_base(&program, &model);
        }
    }
    assert!(compared > 400, "{compared}");
}

fn same_base(program: &Difference, model: &Model) {
    let text = written(program, &contested(&program.shape));
    let test = parse("small.litmus", text.as_bytes()).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let graph = graph_of(&test, model, Settings::default());
    let alphabet = everything();
    let pair = Pair::new([model, model], &alphabet, true);
    let frame = Frame::new(&pair, &program.shape);
    let n = frame.events.len();
    assert_eq!(n, graph.events.len(), "{text}");
    let labels = program.labels.iter().map(|&label| vec![label]).collect();
    let cell = Cell { labels, placements: vec![&program.placement] };
    for &set in BaseSet::ALL {
        let expected = base_set(&graph, set).iter().map(|e| 1_u32 << e.index()).sum::<u32>();
        for upper in [false, true] {
            assert_eq!(frame.set(set, &cell, upper), expected, "{set:?} of\n{text}");
        }
    }
    for &relation in BaseRel::ALL {
        // What executions choose is compared by verdicts.
        let is_chosen = [
            BaseRel::Rf,
            BaseRel::Co,
            BaseRel::FenceSc,
            BaseRel::BarrierSync,
            BaseRel::ClusterSync,
            BaseRel::Awaited,
            BaseRel::Begun,
            BaseRel::Ended,
        ];
        if is_chosen.contains(&relation) {
            continue;
        }
        for upper in [false, true] {
            let rows = frame.relation(relation, &cell, upper);
            let pairs = (0..n).flat_map(|a| bits(rows[a]).map(move |b| (a, b)));
            let found = Rel::from_pairs(n, pairs.map(|(a, b)| (EventId::new(a), EventId::new(b))));
            let expected = base_relation(&graph, relation);
            assert_eq!(&found, expected, "{relation:?} of\n{text}");
        }
    }
}

/// The search and the pipeline give one verdict, be it that several ways to read have the same values.
#[test]
fn small_programs_have_the_verdicts_of_their_tests() {
    let engine = Choice::named("search").expect("it is built in").engines().remove(0);
    let (mut dice, mut compared) = (Dice(7), [0; 2]);
    let pairs = [
        ["ptx-9.2", "ptx-8.7"],
        ["ptx-9.2", "sc"],
        ["ptx-7.5", "ptx-6.0"],
        ["ptx-9.4", "ptx-9.4+pattern-location=physical"],
    ];
    for names in pairs {
        let models = names.map(model_in_reading);
        let old = names.contains(&"ptx-6.0");
        let aliases = names.contains(&"ptx-9.4");
        let fits =
            |k: &Kind| !(old && k.is_special()) && (aliases || *k != Kind::OrderedAliasFence);
        let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(fits).collect();
        let alphabet = Alphabet { kinds, aliases, copies: true };
        let pair = Pair::new([&models[0], &models[1]], &alphabet, !old);
        let space = Space { pair: &pair, placements: &[], labels: &[] };
        for (size, threads) in [(2, 2), (3, 2), (3, 3), (4, 2)] {
            for shape in shapes(size, threads, &alphabet) {
                let rare = [1, 1, 8, 120][size - 1];
                if dice.below(rare) > 0 {
                    continue;
                }
                let Some(program) = program(&shape, &mut dice) else { continue };
                let clusters = program.labels.iter().any(|l| l.scope == Some(Level::Cluster));
                if old && clusters {
                    continue;
                }
                let text = written(&program, &contested(&shape));
                let test = parse("small.litmus", text.as_bytes()).unwrap_or_else(|w| panic!("{w}"));
                for (model, allowed) in
                    models.iter().zip(allowed(&space, &program, &contested(&shape)))
                {
                    let kind =
                        check(&test, model, engine.as_ref(), Settings::default()).verdict.kind();
                    let expected = if allowed { Verdict::Allowed } else { Verdict::Forbidden };
                    assert_eq!(kind, expected, "{} on\n{text}", model.name);
                    compared[usize::from(allowed)] += 1;
                }
            }
        }
    }
    assert!(compared[0] > 60 && compared[1] > 200, "{compared:?}");
}

/// A built-in model, perhaps with a reading behind its name.
fn model_in_reading(name: &str) -> Model {
    match name.split_once('+') {
        Some((name, reading)) => load(name, BTreeSet::from([reading.to_owned()])).model,
        None => model(name),
    }
}

/// The answer for two models, of programs of so many instructions.
fn told_apart_by(one: &Model, other: &Model, events: usize, special_events: usize) -> Answer {
    answer(one, other, (events, special_events), u64::MAX)
}

/// The same, of so many sets of programs.
fn answer(
    one: &Model,
    other: &Model,
    (events, special_events): (usize, usize),
    budget: u64,
) -> Answer {
    let engine = Choice::named("auto").expect("it is built in").engines().remove(0);
    distinguish(&Question {
        models: [one, other],
        engine: engine.as_ref(),
        settings: Settings::default(),
        events,
        special_events: Some(special_events),
        kinds: &[],
        threads: 3,
        count: 1,
        allowed_by: None,
        jobs: 2,
        budget,
    })
}

#[test]
fn built_in_models_are_told_apart() {
    for (one, other, events) in
        [("ptx-9.2", "ptx-7.5", 3), ("ptx-9.2", "sc", 2), ("ptx-7.5", "sc", 2)]
    {
        let answer = told_apart_by(&model(one), &model(other), 3, 3);
        let found = answer.found.first().unwrap_or_else(|| panic!("{one} and {other} agree"));
        assert_eq!(found.events, events, "{one} and {other}:\n{}", found.text);
        assert_ne!(found.said[0].kind, found.said[1].kind);
    }
}

/// That the read of a reduction acquires takes two stores, a reduction, a fence and a load to show.
#[test]
fn models_agree_up_to_a_size() {
    let answer = told_apart_by(&model("ptx-9.2"), &model("ptx-8.7"), 3, 2);
    assert!(answer.found.is_empty() && !answer.same_axioms);
    let covered: Vec<usize> = answer.covered.iter().map(|covered| covered.events).collect();
    assert_eq!(covered, [3, 2, 2, 2]);
}

#[test]
fn models_with_the_same_axioms_agree_at_once() {
    let one = model("ptx-9.2");
    let copy = from_text("include \"ptx-9.2.cat\" with\n drop Mbarrier-Reuse\nend");
    let answer = told_apart_by(&one, &copy, 5, 4);
    assert!(answer.found.is_empty() && answer.same_axioms);
    assert_eq!(answer.effort.candidates, 0);
}

/// Mutants that are proved to be no other model are not told apart from the model; the smallest tests
/// that tell the others apart are those of the table, which `PTXMC_BLESS=1` writes anew.
#[test]
#[ignore = "takes minutes; a nightly run does it"]
fn mutants_agree_with_their_table() {
    let original = model("ptx-9.2");
    let mut rows = String::new();
    let mut found = 0;
    let mut wrong = Vec::new();
    let all = mutants();
    for mutant in &all {
        let answer = answer(&original, &model_of(mutant), (4, 3), MUTANT_CELLS);
        let excuse = mutant.excuse.as_deref();
        if let (Some(_), [test, ..]) = (excuse, &answer.found[..]) {
            wrong.push(format!("{}:\n{}", mutant.name, test.text));
        }
        found += usize::from(!answer.found.is_empty());
        let known =
            excuse.map_or("killed", |why| &why[..why.find([' ', '.', ':']).unwrap_or(why.len())]);
        let _ =
            writeln!(rows, "| `{}` | {} | {} |", mutant.name, size(&answer), known.to_lowercase());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_current(
        "sizes.md",
        &format!(
            "{SIZES}Of {} mutants, {found} are told apart by such a test.\n\n| mutant | smallest test | in mutants.md |\n|---|---|---|\n{rows}",
            all.len()
        ),
    );
}

/// What the other side of each reading of ptx-9.2 takes to show; `PTXMC_BLESS=1` writes the table anew.
#[test]
#[ignore = "takes minutes; a nightly run does it"]
fn readings_agree_with_their_table() {
    let Loaded { model: original, variants: known, .. } = load("ptx-9.2", BTreeSet::new());
    let listed = ptxmc(&["model"]).out;
    let mut rows = String::new();
    for line in listed.lines().filter_map(|line| line.trim_start().strip_prefix("--reading ")) {
        let (name, rest) = line.split_once(' ').expect("a name and what it says");
        let what = rest.trim_start().split_once(' ').expect("its side").1.trim_start();
        let is_default = rest.trim_start().starts_with("default");
        if is_default {
            continue;
        }
        let found = match known.contains(name) {
            true => {
                let other = load("ptx-9.2", BTreeSet::from([name.to_owned()])).model;
                size(&answer(&original, &other, (4, 3), MUTANT_CELLS))
            }
            false => "a reading of programs, not of the model".to_owned(),
        };
        let _ = writeln!(rows, "| `{name}` | {what} | {found} | {} |", shipped_for(name));
    }
    assert_current("reading-sizes.md", &format!("{READING_SIZES}{rows}"));
}

/// The shipped tests that a reading decides otherwise.
fn shipped_for(reading: &str) -> String {
    let expects = format!("Expect[{reading}]=");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = litmus_files(&root.join("litmus"));
    let names: Vec<String> = files
        .iter()
        .filter(|file| fs::read_to_string(file).expect("a test").contains(&expects))
        .filter_map(|file| file.strip_prefix(root.join("litmus")).ok())
        .map(|file| file.with_extension("").to_string_lossy().into_owned())
        .collect();
    some(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What stands before the table of readings.
const READING_SIZES: &str = "# How large tests of readings have to be

For the other side of every [reading](readings.md), what `ptxmc distinguish ptx-9.2 ptx-9.2+NAME=VALUE` finds \
among programs of up to four instructions (three where barriers, aliases or copied values are among them) in \
three threads, over all placements, in 2,000 thousand sets of orders, scopes and places; and the shipped \
tests that it decides otherwise. Where the axioms are the same for these programs, the reading speaks of \
instructions that the search does not have, such as mbarriers and asynchronous operations. A reading of \
programs, such as the elements of a vector, changes no model, so that there are no two models to tell apart. \
The table is generated.

| reading | what it says | smallest test | shipped tests |
|---|---|---|---|
";

/// How many sets of programs are looked at for a mutant.
const MUTANT_CELLS: u64 = 2_000_000;

/// What stands before the table of mutants.
const SIZES: &str = "# How large tests have to be

For every [mutant](mutants.md) of ptx-9.2, what `ptxmc distinguish ptx-9.2 MUTANT` finds among programs of \
up to four instructions (three where barriers, aliases or copied values are among them) in three threads, \
over all placements, in 2,000 thousand sets of orders, scopes and places. A mutant that is killed and agrees \
with the model up to this size needs more instructions, or those that the search does not have, such as \
mbarriers and asynchronous operations. One that is equivalent is told apart by nothing. The table is \
generated.

";

/// The size of the smallest test, or up to which size there is none.
fn size(answer: &Answer) -> String {
    match (&answer.found[..], &answer.covered[..]) {
        ([test, ..], _) if test.threads == 1 => format!("{} in a thread", test.events),
        ([test, ..], _) => format!("{} in {} threads", test.events, test.threads),
        _ if answer.same_axioms => {
            "none of any size: the axioms are the same for these programs".to_owned()
        }
        (_, [plain, ..]) => {
            let why = if answer.is_cut { ", where the budget was over" } else { "" };
            format!("none up to {}{why}", plain.events)
        }
        _ => "none".to_owned(),
    }
}

/// Weak, relaxed and acquire, in this order of strength.
#[test]
fn labels_begin_with_the_strongest() {
    let of = |kind| labels(kind, true, |_, _| true);
    assert_eq!(
        of(Kind::Load)[0],
        Label { order: Some(Order::Acquire), scope: Some(Level::System) }
    );
    assert_eq!(of(Kind::Store).last().and_then(|l| l.order), Some(Order::Weak));
    assert_eq!(of(Kind::Fence)[0].order, Some(Order::Sc));
    let place = Placement { of: vec![[0, 0, 0], [1, 0, 0]] };
    assert_eq!(place.level(0, 1), Level::Cluster);
}

#[test]
fn a_sketch_is_fitted_to_tests() {
    let run = ptxmc(&["fit", "tests/fit/sketch.cat", "tests/fit", "--events", "1"]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    assert!(run.out.starts_with("3 of 4 fillings agree with 2 tests"), "{}", run.out);
    assert!(
        run.out.contains("between = 0: tests/fit/overwritten-flag.litmus is allowed"),
        "{}",
        run.out
    );
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("never.cat");
    fs::write(&file, "hole h = po | (po | rf)\nacyclic h | po as A\n").expect("room");
    let run = ptxmc(&["fit", path(&file), "tests/cli/MP.litmus"]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.out.contains("0 of 2 fillings agree"), "{}", run.out);
}

#[test]
fn a_suite_pins_a_model() {
    let run =
        ptxmc(&["suite", "ptx-9.2", "--events", "3", "--special-events", "0", "--threads", "2"]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    assert!(run.out.contains("CoWW (2 events"), "{}", run.out);
    let folder = tempfile::tempdir().expect("there is room");
    let arguments = ["suite", "sc", "--events", "2", "--special-events", "0", "--output"];
    let run = ptxmc(&[&arguments[..], &[path(folder.path())]].concat());
    assert_eq!(run.status, 0, "{}", run.transcript());
    let check = ptxmc(&["check", "--model", "sc", path(folder.path())]);
    assert_eq!(check.status, 0, "{}", check.transcript());
    assert!(check.out.contains("forbidden") && !check.out.contains("allowed"), "{}", check.out);
}

/// No test of a suite is there twice under two names, and tests of coherence are among them.
#[test]
fn a_suite_has_each_test_once() {
    let folder = tempfile::tempdir().expect("there is room");
    let arguments =
        ["suite", "ptx-9.2", "--events", "3", "--special-events", "1", "--threads", "2"];
    let run = ptxmc(&[&arguments[..], &["--output", path(folder.path())]].concat());
    assert_eq!(run.status, 0, "{}", run.transcript());
    let mut bodies = BTreeSet::new();
    let mut names = Vec::new();
    for file in litmus_files(folder.path()) {
        let text = std::fs::read_to_string(&file).expect("a test");
        let body = text.split_once(".global").expect("declarations").1.to_owned();
        assert!(bodies.insert(body), "{} is there twice", file.display());
        names.extend(file.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
    assert!(names.iter().any(|name| name.starts_with("CoRR+")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("CoWW+")), "{names:?}");
}
