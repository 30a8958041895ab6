//! The decoder against the tables of what NVIDIA's assembler accepts (`tests/ptxas`).

#![allow(clippy::print_stdout, reason = "tests say what they skip and count")]

use ptxmc::litmus::parse::parse_bytes;
use ptxmc::ptx::cursor::Cursor;
use ptxmc::ptx::decode::{Dialect, Names, decode};
use ptxmc::ptx::instruction::{guard, instruction};
use ptxmc::ptx::names;
use ptxmc::ptx::operation::Operation;
use ptxmc::ptx::token::lex;
use ptxmc::source::{Files, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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

/// The forms of `tests/ptxas/REJECTED`: the assembler accepts them and the decoder does not.
fn known_rejections() -> BTreeSet<String> {
    let text = std::fs::read_to_string(tables().join("REJECTED")).unwrap_or_default();
    let forms = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    forms.map(str::to_owned).collect()
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

/// The registers of the tables' context, and its variables as far as a test has them.
const DECLARATIONS: &str = "PTX registers
.global .align 128 .b8 gx[256];
.global .align 8 .b64 gm;
.const .align 128 .b8 cx[256];
.shared .align 128 .b8 sx[256];
.shared .align 8 .b64 sm;
.local .align 128 .b8 lx[256];
.param .align 128 .b8 px[256];
P0 @ cta 0 {
.reg .pred %p<10>;
.reg .b8 %rc<20>;
.reg .b16 %rs<20>;
.reg .b32 %r<20>;
.reg .b64 %rd<20>;
.reg .b128 %rq<20>;
.reg .f32 %f<20>;
.reg .f64 %fd<20>;
.reg .u16 %us<4>;
.reg .s16 %ss<4>;
.reg .f16 %h<4>;
.reg .u32 %u<4>;
.reg .s32 %s<4>;
.reg .u64 %ud<4>;
.reg .s64 %sd<4>;
";

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
            let text = format!("{DECLARATIONS}{form};\nLEND: ret;\n}}\nexists (true)\n");
            let parsed = parse_bytes(&mut Files::default(), "form.litmus", text.as_bytes());
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
