//! The decoder against the tables of what NVIDIA's assembler accepts (`tests/ptxas`).

#![allow(clippy::print_stdout, reason = "tests say what they skip and count")]

use ptxmc::testing::diagnostic::Diagnostic;
use ptxmc::testing::litmus::parse::{Parsed, parse_bytes};
use ptxmc::testing::program::lower::lower;
use ptxmc::testing::program::micro::Micro;
use ptxmc::testing::program::reading::Readings;
use ptxmc::testing::program::term::Term;
use ptxmc::testing::ptx::cursor::Cursor;
use ptxmc::testing::ptx::decode::{Dialect, Names, decode};
use ptxmc::testing::ptx::instruction::{guard, instruction};
use ptxmc::testing::ptx::names;
use ptxmc::testing::ptx::operation::Operation;
use ptxmc::testing::ptx::token::lex;
use ptxmc::testing::source::{Files, Span};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// What became of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Decoded,
    Outside,
    Rejected,
}

/// The variables of the tables' context, and no registers: their widths are not the decoder's.
fn context() -> Names {
    let mut context = Names::default();
    for (variable, ty) in [
        ("gx", "b8"),
        ("gm", "b64"),
        ("cx", "b8"),
        ("sx", "b8"),
        ("sm", "b64"),
        ("lx", "b8"),
        ("px", "b8"),
        ("fx", "b8"),
        ("k", "b64"),
    ] {
        context.variables.insert(variable.to_owned(), names::ty(ty).unwrap());
    }
    context
}

fn fate(form: &str, context: &Names) -> (Fate, String) {
    let mut files = Files::default();
    let file = files.add("form", form);
    let whole = Span::new(file, 0, form.len());
    let (tokens, errors) = lex(form, whole);
    if let Some(error) = errors.first() {
        return (Fate::Rejected, error.to_string());
    }
    let mut cursor = Cursor::new(form, &tokens, whole);
    let read = guard(&mut cursor).and_then(|_| instruction(&mut cursor));
    let instruction = match read {
        Ok(instruction) if cursor.is_at_end() => instruction,
        Ok(_) => return (Fate::Rejected, "more than an instruction".to_owned()),
        Err(error) => return (Fate::Rejected, error.to_string()),
    };
    match decode(&instruction, context, Dialect::Ptx, &mut Vec::new()) {
        Ok(Operation::Unknown { .. }) => (Fate::Outside, String::new()),
        Ok(_) => (Fate::Decoded, String::new()),
        Err(error) => (Fate::Rejected, error.to_string()),
    }
}

/// The lines of a list beside the tables, without comments.
fn listed(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(tables().join(name)).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(str::to_owned).collect()
}

/// The forms of `tests/ptxas/REJECTED`: the assembler accepts them and the decoder does not.
fn known_rejections() -> BTreeSet<String> {
    listed("REJECTED").into_iter().collect()
}

/// A pattern of `tests/ptxas/ACCEPTED`: `*` stands for any text, `<a,b>` for `a` or `b`.
fn pattern(text: &str) -> Regex {
    let mut regex = regex::escape(text).replace(r"\*", ".*");
    while let Some((before, (choice, after))) =
        regex.split_once('<').and_then(|(before, rest)| Some((before, rest.split_once('>')?)))
    {
        regex = format!("{before}(?:{}){after}", choice.replace(',', "|"));
    }
    Regex::new(&format!("^{regex}$")).unwrap()
}

/// Every table: its name, and its forms with the verdict of the assembler.
fn forms() -> Vec<(String, Vec<(char, String)>)> {
    let mut paths: Vec<_> =
        std::fs::read_dir(tables()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let forms = text.lines().filter_map(|line| match line.split_once(' ') {
            Some((verdict @ ("+" | "-" | "!"), form)) => {
                Some((verdict.chars().next()?, form.trim_end_matches(';').trim().to_owned()))
            }
            _ => None,
        });
        (name, forms.collect())
    };
    paths.iter().filter(|path| path.extension().is_some_and(|e| e == "txt")).map(read).collect()
}

/// The tables, or the folder in `PTXAS_TABLES`.
fn tables() -> PathBuf {
    std::env::var_os("PTXAS_TABLES")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptxas"), PathBuf::from)
}

/// What the assembler accepts is decoded or kept as outside the subset, but for the forms that are
/// listed one by one with the section that lacks them. What it rejects may be accepted: register
/// widths, for one, are not the decoder's business.
#[test]
fn the_decoder_accepts_what_the_assembler_accepts() {
    let context = context();
    let mut entries: Vec<_> =
        std::fs::read_dir(tables()).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let mut counts: BTreeMap<(char, Fate), usize> = BTreeMap::new();
    let mut surprises = Vec::new();
    let mut known = known_rejections();
    for path in entries.iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let Some((verdict @ ("+" | "-"), form)) = line.split_once(' ') else { continue };
            let form = form.trim_end_matches(';').trim();
            let (fate, why) = fate(form, &context);
            let verdict = if verdict == "+" { '+' } else { '-' };
            *counts.entry((verdict, fate)).or_default() += 1;
            if verdict == '+' && fate == Fate::Rejected && !known.remove(form) {
                surprises.push(format!("{form}   // {why}\n"));
            }
            if std::env::var_os("PTXAS_SHOW").is_some() && verdict == '-' && fate == Fate::Decoded {
                println!("accepted: {form}");
            }
        }
    }
    println!("{counts:?}");
    let decoded = counts.get(&('+', Fate::Decoded)).copied().unwrap_or(0);
    let rejected = counts.get(&('-', Fate::Rejected)).copied().unwrap_or(0);
    assert!(decoded > 1000 && rejected > 10 * 1000, "too few forms: {counts:?}");
    assert!(surprises.is_empty(), "{}", surprises.concat());
    assert!(known.is_empty(), "listed as rejected, and accepted or in no table: {known:#?}");
}

/// The variables of the tables' context, as far as a test has them.
const VARIABLES: &str = "PTX registers
.global .align 128 .b8 gx[256];
.global .align 8 .b64 gm;
.const .align 128 .b8 cx[256];
.shared .align 128 .b8 sx[256];
.shared .align 8 .b64 sm;
.local .align 128 .b8 lx[256];
.param .align 128 .b8 px[256];
";

/// The registers of the tables' context: their types, names and numbers.
const REGISTERS: &[(&str, &str, usize)] = &[
    ("pred", "p", 10),
    ("b8", "rc", 20),
    ("b16", "rs", 20),
    ("b32", "r", 20),
    ("b32", "t", 128),
    ("b64", "rd", 20),
    ("b128", "rq", 20),
    ("f32", "f", 20),
    ("f64", "fd", 20),
    ("u16", "us", 4),
    ("s16", "ss", 4),
    ("f16", "h", 4),
    ("u32", "u", 4),
    ("s32", "s", 4),
    ("u64", "ud", 4),
    ("s64", "sd", 4),
];

/// What stands before a form in a test: all registers have values, and so has the carry, as something
/// before the form would have set them.
static BEFORE: LazyLock<String> = LazyLock::new(|| {
    let (mut declared, mut initial) = (String::new(), String::new());
    for (ty, name, count) in REGISTERS {
        declared += &format!(".reg .{ty} %{name}<{count}>;\n");
        let zero = if ["f32", "f64"].contains(ty) { "0.0" } else { "0" };
        for number in 0..*count {
            initial += &format!("P0:%{name}{number} = {zero};");
        }
    }
    format!(
        "{VARIABLES}{{ {initial} }}\nP0 @ cta 0 {{\n{declared}.param .align 16 .b8 fx[256];\n\
         add.cc.u32 %r19, %r19, 0;\n"
    )
});

/// A test of one form.
fn read(form: &str) -> Parsed {
    let text = format!("{}{form};\nLEND: ret;\n}}\nexists (true)\n", *BEFORE);
    parse_bytes(&mut Files::default(), "form.litmus", text.as_bytes())
}

/// Registers that the assembler takes fit; in the tables about registers and integer instructions, no
/// others do.
#[test]
fn declared_registers_fit_where_the_assembler_takes_them() {
    let context = context();
    let mut surprises = Vec::new();
    let mut checked = 0;
    let mut entries: Vec<_> =
        std::fs::read_dir(tables()).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries.iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let registers = path.ends_with("register.txt") || path.ends_with("integer.txt");
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let Some((verdict @ ("+" | "-"), form)) = line.split_once(' ') else { continue };
            let form = form.trim_end_matches(';').trim();
            // The name of a kernel is nothing in a test; the others leave their operands unread.
            let unread = form.ends_with(" k")
                || (verdict == "-" && ["nanosleep", "vote"].iter().any(|op| form.starts_with(op)));
            let wanted = (verdict == "+" || registers) && !unread;
            if !wanted || fate(form, &context).0 != Fate::Decoded {
                continue;
            }
            let parsed = read(form);
            let fault = parsed.diagnostics.iter().find(|d| d.code == "litmus-register");
            checked += 1;
            if fault.is_some() == (verdict == "+") {
                let why = fault.map_or("accepted", |d| d.message.as_str());
                surprises.push(format!("{line}   // {why}\n"));
            }
        }
    }
    assert!(checked > 5000, "too few forms: {checked}");
    assert!(surprises.is_empty(), "{} of {checked}:\n{}", surprises.len(), surprises.concat());
}

/// What is wrong with a form in a test.
fn fault(form: &str) -> Option<String> {
    let fault = read(form).diagnostics.into_iter().find(Diagnostic::is_error);
    fault.map(|fault| fault.message)
}

/// Whether every execution of a form is out of the model.
fn is_outside(form: &str) -> bool {
    let leaves = |micro: &Micro| match micro {
        Micro::Require { condition, rule } => {
            rule.is_out_of_model() && *condition == Term::truth(false)
        }
        _ => false,
    };
    let tests = read(form).tests;
    let programs = tests.iter().map(|test| lower(test, Readings::default()));
    let mut threads = programs.flat_map(|program| program.threads);
    threads.any(|thread| thread.steps.iter().flat_map(|step| &step.micros).any(leaves))
}

/// Forms that the patterns of a list leave unexplained, and patterns that explain no form that no other
/// does; with how many forms there are.
fn explained(list: &str, forms: impl Iterator<Item = String>) -> (Vec<String>, Vec<String>, usize) {
    let patterns: Vec<(String, Regex)> =
        listed(list).into_iter().map(|text| (text.clone(), pattern(&text))).collect();
    let mut superfluous: BTreeSet<usize> = (0..patterns.len()).collect();
    let mut unexplained = Vec::new();
    let mut count = 0;
    for form in forms {
        count += 1;
        let matching: Vec<usize> =
            (0..patterns.len()).filter(|at| patterns[*at].1.is_match(&form)).collect();
        match matching.as_slice() {
            [] => unexplained.push(format!("{form}\n")),
            [only] => _ = superfluous.remove(only),
            _ => {}
        }
    }
    let superfluous = superfluous.iter().map(|at| patterns[*at].0.clone()).collect();
    (unexplained, superfluous, count)
}

/// What the assembler takes and no execution of which is in the model is in `tests/ptxas/OUTSIDE`, each
/// with the reason and the section.
#[test]
fn what_is_outside_the_model_is_explained() {
    let context = context();
    let read = |form: &String| match fate(form, &context).0 {
        Fate::Outside => true,
        Fate::Decoded => is_outside(form),
        Fate::Rejected => false,
    };
    let accepted = forms().into_iter().flat_map(|(_, forms)| forms).filter(|form| form.0 == '+');
    let outside = accepted.map(|form| form.1).filter(read);
    let (unexplained, superfluous, count) = explained("OUTSIDE", outside);
    println!("{count} outside the model");
    assert!(count > 100, "too few forms: {count}");
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.concat());
    assert!(superfluous.is_empty(), "these patterns explain nothing: {superfluous:#?}");
}

/// What the assembler rejects is rejected, but for the forms that the patterns of
/// `tests/ptxas/ACCEPTED` explain; each of them explains a form that no other does.
#[test]
fn what_only_the_assembler_rejects_is_explained() {
    let context = context();
    let all: Vec<String> = forms()
        .into_iter()
        .flat_map(|(_, forms)| forms)
        .filter(|form| form.0 == '-')
        .map(|form| form.1)
        .collect();
    let read = |form: &&String| fate(form, &context).0 != Fate::Rejected && fault(form).is_none();
    let (unexplained, superfluous, accepted) =
        explained("ACCEPTED", all.iter().filter(read).cloned());
    let rejected = all.len() - accepted;
    println!("{rejected} rejected by both, {accepted} accepted");
    assert!(rejected > 50_000, "too few forms: {rejected}");
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.concat());
    assert!(superfluous.is_empty(), "these patterns explain nothing: {superfluous:#?}");
}

/// The assembler to ask again: `PTXAS`, or the one on `PATH`.
fn assembler() -> Option<PathBuf> {
    let named = std::env::var_os("PTXAS").map(PathBuf::from);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|folder| folder.join("ptxas"));
    named.into_iter().chain(found).find(|path| path.is_file())
}

/// The lines of a text that the assembler has an error on.
fn lines_with_errors(assembler: &Path, folder: &Path, text: &str, target: &str) -> BTreeSet<usize> {
    std::fs::write(folder.join("forms.ptx"), text).unwrap();
    let output = Command::new(assembler)
        .args([&format!("-arch={target}"), "-w", "forms.ptx", "-o", "forms.cubin"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    said.lines()
        .filter_map(|line| line.split_once(", line ")?.1.split_once(';')?.0.parse().ok())
        .collect()
}

/// The assembler of this machine, if it has one and it is of the tables' version, says what the tables
/// say: of every table all that it reads in one file, and of the rest a sample, each form alone.
#[test]
fn the_assembler_says_what_the_tables_say() {
    /// Of so many rejected forms, one is asked about.
    const SAMPLE: usize = 400;
    let Some(assembler) = assembler() else {
        println!("skipped: no `ptxas` on PATH or in the variable PTXAS");
        return;
    };
    let version = Command::new(&assembler).arg("--version").output().unwrap();
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let folder = tempfile::tempdir().unwrap();
    let mut asked = 0;
    let mut surprises = Vec::new();
    for (name, forms) in forms() {
        let head = std::fs::read_to_string(tables().join(format!("{name}.txt"))).unwrap();
        let mut head = head.lines().map(|line| line.trim_start_matches("# "));
        let (versions, context) = (head.next().unwrap(), head.next().unwrap());
        let word = |what: &str| {
            let rest = versions.split_once(what).unwrap().1;
            rest.split([',', ' ']).find(|word| !word.is_empty()).unwrap().to_owned()
        };
        if !version.contains(&format!("V{}", word("ptxas"))) {
            println!("skipped: the tables are of {versions}, this is {version}");
            return;
        }
        let own = word(".target");
        let target = own.replace("sm_", "compute_");
        let context = context.strip_prefix("context: ").unwrap();
        let context = std::fs::read_to_string(tables().join(context)).unwrap();
        let of_all = context.lines().find(|line| line.starts_with(".target ")).unwrap();
        let context = context.replace(of_all, &format!(".target {own}"));
        let (before, after) = context.split_once("// FORMS\n").unwrap();
        let first = before.lines().count() + 1;
        let ask = |forms: &[&str]| {
            let lines: String = forms.iter().map(|form| format!("{form};\n")).collect();
            let text = format!("{before}{lines}{after}");
            lines_with_errors(&assembler, folder.path(), &text, &target)
        };
        // What ends a block makes the assembler read no further.
        let alone = ["bra", "exit", "ret"].contains(&name.as_str());
        let read: Vec<&str> =
            forms.iter().filter(|form| form.0 != '-').map(|form| form.1.as_str()).collect();
        for part in read.chunks(if alone { 1 } else { 1000 }) {
            asked += part.len();
            let wrong = ask(part).into_iter().filter_map(|line| part.get(line - first));
            surprises.extend(wrong.map(|form| format!("rejected: {form}\n")));
        }
        let rejected = forms.iter().filter(|form| form.0 == '-').map(|form| form.1.as_str());
        for form in rejected.step_by(SAMPLE) {
            asked += 1;
            if ask(&[form]).is_empty() {
                surprises.push(format!("accepted: {form}\n"));
            }
        }
    }
    println!("{asked} forms asked about");
    assert!(asked > 10_000, "too few forms: {asked}");
    assert!(surprises.is_empty(), "{}", surprises.concat());
}
