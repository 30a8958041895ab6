//! The reference engine on tests that others wrote, with the verdicts that they expect.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

mod support;

use ptxmc::check::{Settings, check};
use ptxmc::relation::expr::Model;
use ptxmc::solve::Budget;
use ptxmc::solve::enumerate::{Cores, Enumerate};
use ptxmc::verdict::{Undecided, Verdict};
use std::collections::BTreeMap;
use std::path::Path;
use support::{corpus, litmus_files, model, read};

const ENGINE: Enumerate = Enumerate { cores: Cores::All };

/// Fails with all complaints at once.
fn report(what: &str, asked: usize, complaints: &[String]) {
    assert!(asked > 0, "{what}: nothing to do");
    println!("{what}: {asked} tests, {} complaints", complaints.len());
    assert!(complaints.is_empty(), "{what}:\n{}", complaints.join("\n"));
}

/// The suite in `litmus/` under ptx-9.2; what is too large for brute force is counted.
#[test]
fn suite() {
    let model = model("ptx-9.2");
    let budget = Budget { steps: Some(30_000), ..Budget::default() };
    let settings = Settings { budget, ..Settings::default() };
    let files = litmus_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"));
    let (mut complaints, mut decided) = (Vec::new(), 0);
    for path in &files {
        let test = read(path).unwrap_or_else(|error| panic!("{error}"));
        let expected = test.metadata("Expect[ptx-9.2]").or(test.metadata("Expect"));
        let Some(expected) = expected else { continue };
        let verdict = check(&test, &model, &ENGINE, settings).verdict;
        if matches!(verdict, Verdict::Unknown(Undecided::Engine(_))) {
            println!("too large: {}", path.display());
            continue;
        }
        decided += 1;
        if verdict.kind().name() != expected {
            complaints.push(format!("{}: {verdict:?}, expected {expected}", path.display()));
        }
    }
    report("suite", decided, &complaints);
}

/// `Expect=` of each file of `reference/` under ptx-9.2.
#[test]
fn brute_force_reference() {
    let Some(folder) = corpus("reference") else { return };
    let model = model("ptx-9.2");
    let files = litmus_files(&folder);
    let complaints: Vec<String> =
        files.iter().filter_map(|path| unexpected(path, &model).err()).collect();
    report("reference", files.len(), &complaints);
}

fn unexpected(path: &Path, model: &Model) -> Result<(), String> {
    let test = read(path)?;
    let expected = test.metadata("Expect").ok_or(format!("{}: no Expect", path.display()))?;
    let outcome = check(&test, model, &ENGINE, Settings::default());
    let found = outcome.verdict.kind().name();
    if found == expected {
        return Ok(());
    }
    Err(format!("{}: {found}, expected {expected} ({:?})", path.display(), outcome.verdict))
}

/// Dartagnan's tests under its model of PTX 6.0.
#[test]
fn dartagnan_6_0() {
    dartagnan("ptx-6.0", "PTXv6_0-expected.csv", include_str!("expected/dat3m-ptx-6.0.csv"));
}

/// Dartagnan's tests under its model of PTX 7.5.
#[test]
fn dartagnan_7_5() {
    dartagnan("ptx-7.5", "PTXv7_5-expected.csv", include_str!("expected/dat3m-ptx-7.5.csv"));
}

/// Lines of `test,holds,...`: what is said of the quantified condition of a test.
fn table(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let mut cells = line.splitn(3, ',');
            let mut cell = || cells.next().unwrap_or("").trim().to_owned();
            (cell(), cell())
        })
        .collect()
}

/// Each test's condition holds or fails as in `expected`, except where `deviations` argues for
/// something else.
fn dartagnan(model_name: &str, expected: &str, deviations: &str) {
    let Some(folder) = corpus("dat3m") else { return };
    let model = model(model_name);
    let text = std::fs::read_to_string(folder.join(expected)).expect("the table of results");
    let (expected, deviations) = (table(&text), table(deviations));
    let mut complaints = Vec::new();
    for (name, theirs) in &expected {
        let wanted = deviations.get(name).unwrap_or(theirs);
        let found = match read(&folder.join(name)) {
            Ok(test) => {
                let outcome = check(&test, &model, &ENGINE, Settings::default());
                match outcome.holds {
                    Some(holds) => u8::from(holds).to_string(),
                    None => outcome.verdict.kind().name().to_owned(),
                }
            }
            Err(message) => message,
        };
        if found != *wanted {
            complaints.push(format!("{name}: {found}, expected {wanted}"));
        }
        if deviations.get(name) == Some(theirs) {
            complaints.push(format!("{name}: listed as a deviation and is none"));
        }
    }
    let unknown = deviations.keys().filter(|name| !expected.contains_key(*name));
    complaints.extend(unknown.map(|name| format!("{name}: listed as a deviation and no test")));
    report(model_name, expected.len(), &complaints);
}
