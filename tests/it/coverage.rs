//! Every clause of chapter 8 has a place in the model and tests that exercise it: the table in
//! `paper-notes/coverage.md`, which `PTXMC_BLESS=1` writes anew.

use crate::support::clauses::{Clause, clauses, ids};
use crate::support::command::ptxmc;
use crate::support::mutants::{ORIGINAL, mutants};
use crate::support::table::{assert_current, some};
use crate::support::{litmus_files, read};
use ptxmc::testing::cat::{Options, builtin, parse_builtin};
use ptxmc::testing::source::Files;
use ptxmc::testing::vocabulary::{BaseRel, BaseSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Names of things, by the clauses that they name.
type Index = BTreeMap<String, Vec<String>>;

fn list<'i>(index: &'i Index, clause: &str) -> Vec<&'i str> {
    index.get(clause).map(|names| names.iter().map(String::as_str).collect()).unwrap_or_default()
}

/// The shipped tests, without the family.
fn tests() -> Index {
    let mut index = Index::new();
    for path in litmus_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus")) {
        let test = read(&path).expect("shipped tests are free of errors");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let line = test.metadata("Clause").unwrap_or_else(|| panic!("{name} names no clause"));
        for id in ids(line) {
            index.entry(id.to_owned()).or_default().push(name.clone());
        }
    }
    index
}

/// The definitions and axioms of the model, with their lines, and what the tool supplies to it.
fn places() -> Index {
    let mut files = Files::default();
    let original = builtin(ORIGINAL).expect("it is built in");
    let model = parse_builtin(&mut files, original, &Options::default()).model;
    let mut lines: BTreeMap<(String, usize), String> = BTreeMap::new();
    let mut add = |clauses: &[String], span, name: &str| {
        let place = files.location(span);
        let mut parts = place.split(':');
        let (file, line) = (parts.next(), parts.next());
        if file == Some("ptx-9.2.cat") {
            let line = line.and_then(|l| l.parse().ok()).expect("file:line:column");
            for id in clauses {
                lines.entry((id.clone(), line)).or_insert_with(|| name.to_owned());
            }
        }
    };
    for definition in &model.definitions {
        add(&definition.clauses, definition.span, &definition.name);
    }
    for axiom in &model.axioms {
        add(&axiom.clauses, axiom.span, &axiom.name);
    }
    let mut index = Index::new();
    for ((id, line), name) in lines {
        index.entry(id).or_default().push(format!("`{name}` ({line})"));
    }
    let sets = BaseSet::ALL.iter().map(|s| (s.section(), s.name()));
    let relations = BaseRel::ALL.iter().map(|r| (r.section(), r.name()));
    let mut supplied: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (section, name) in sets.chain(relations).filter(|(section, _)| !section.is_empty()) {
        supplied.entry(section).or_default().push(format!("`{name}`"));
    }
    for (section, names) in supplied {
        let entry = index.entry(section.to_owned()).or_default();
        entry.push(format!("given: {}", names.join(" ")));
    }
    index
}

fn mutants_by_clause() -> Index {
    let mut index = Index::new();
    for mutant in mutants() {
        index.entry(mutant.clause).or_default().push(mutant.name);
    }
    index
}

#[test]
fn clause_ids_are_real() {
    let known: BTreeSet<String> = clauses().into_iter().map(|c| c.id).collect();
    let mut complaints = String::new();
    for (what, index) in [("tests", tests()), ("mutants", mutants_by_clause()), ("model", places())]
    {
        for (id, names) in index.iter().filter(|(id, _)| !known.contains(*id)) {
            let _ = writeln!(complaints, "{what}: {id} is no clause, named by {}", names[0]);
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

const INTRODUCTION: &str = "# Clauses

What becomes of each section of the standard: the definitions and axioms of [ptx-9.2.cat](../models/ptx-9.2.cat) that say it, with their lines, and the sets and relations that the tool gives to the model because of it; the shipped tests that name it in `Clause=`; the [mutants](mutants.md) that change it. Sections of chapter 8 are those of PTX ISA 9.2, of which none is left out; instructions are numbered as in 8.7, where a test or the model names them. The table is generated.

| clause | title | model | tests | mutants |
|---|---|---|---|---|
";

/// Whether anything names a clause.
fn row(clause: &Clause, places: &Index, tests: &Index, mutants: &Index) -> Option<String> {
    let [at, by, changed] = [places, tests, mutants].map(|index| list(index, &clause.id));
    let chapter_8 = clause.id.starts_with("PTX-8");
    if !chapter_8 && at.is_empty() && by.is_empty() && changed.is_empty() {
        return None;
    }
    let tests = match &clause.unobservable {
        Some(why) if by.is_empty() => why.clone(),
        _ => some(&by),
    };
    Some(format!(
        "| {} | {} | {} | {tests} | {} |\n",
        clause.id,
        clause.title,
        if at.is_empty() { "-".to_owned() } else { at.join(", ") },
        if changed.is_empty() { "-".to_owned() } else { some(&changed) },
    ))
}

#[test]
fn every_clause_has_tests() {
    let (places, tests, mutants) = (places(), tests(), mutants_by_clause());
    let mut complaints = String::new();
    let mut table = INTRODUCTION.to_owned();
    for clause in clauses() {
        let tested = tests.contains_key(&clause.id);
        match &clause.unobservable {
            None if !tested && clause.id.starts_with("PTX-8") => {
                let _ = writeln!(complaints, "{} ({}): no test", clause.id, clause.title);
            }
            Some(why) if tested => {
                let _ = writeln!(complaints, "{}: has tests, although {why}", clause.id);
            }
            _ => {}
        }
        table += &row(&clause, &places, &tests, &mutants).unwrap_or_default();
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    assert_current("coverage.md", &table);
}

/// Every clause of chapter 8 that has a text is explained: what it says, and where the model says it.
#[test]
fn clauses_are_explained() {
    let (mut explained, mut in_the_model) = (0, 0);
    for clause in clauses().iter().filter(|clause| clause.id.starts_with("PTX-8.")) {
        if ["PTX-8.9", "PTX-8.10", "PTX-8.11"].contains(&clause.id.as_str()) {
            continue;
        }
        let run = ptxmc(&["explain", "--clause", &clause.id]);
        assert!(run.status == 0 && run.out.starts_with(&clause.id), "{}", run.transcript());
        in_the_model += usize::from(run.out.contains("ptx-9.2.cat:"));
        explained += 1;
    }
    assert!(explained > 30 && in_the_model > 15, "{explained} {in_the_model}");
    let run = ptxmc(&["explain", "--clause", "PTX-8.10.9"]);
    assert!(run.status == 2 && run.err.contains("did you mean"), "{}", run.transcript());
}
