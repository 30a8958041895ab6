//! Random programs have every instruction of the supported subset, with each of its qualifiers.
#![allow(clippy::print_stdout, reason = "what was found, for whoever looks")]

use crate::programs::{large, sketch};
use crate::support::parse;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::ptx::names::is_hint;
use ptxmc::testing::ptx::operation::Operation;
use std::collections::BTreeSet;
use std::path::Path;

/// An opcode with one of its qualifiers; all hints are one.
type Word = (String, String);

/// The words of an instruction without guard and operands.
fn words(instruction: &str) -> Vec<Word> {
    let text = instruction.trim().trim_end_matches(';');
    let guarded = text.strip_prefix('@').and_then(|t| t.trim_start().split_once(' '));
    let text = guarded.map_or(text, |(_, behind)| behind);
    let head = text.split_whitespace().next().unwrap_or_default();
    let mut parts = head.split('.');
    let opcode = parts.next().unwrap_or_default().to_owned();
    let name = |part: &str| if is_hint(part) { "a hint".to_owned() } else { part.to_owned() };
    std::iter::once(String::new())
        .chain(parts.map(name))
        .map(|qualifier| (opcode.clone(), qualifier))
        .collect()
}

/// What programs need not have: words that the tables of the assembler have for other contexts, or
/// that mean what another one means.
const ELSEWHERE: &[(&str, &str)] = &[
    // Parameters of functions: a litmus test has none.
    ("ld", "param::func"),
    ("st", "param::func"),
    ("st", "param"),
    // What PTX ISA 9.4 adds stands in tests of its own.
    ("fence", "sync_restrict::shared::cluster::read"),
];

/// A test with this one instruction, if it is in the subset.
fn supported(form: &str) -> Option<Test> {
    let test = format!(
        "PTX form\n.global .align 128 .b8 gx[256];\n.global .align 8 .b64 gm;\n\
         .const .align 128 .b8 cx[256];\n.shared .align 128 .b8 sx[256];\n\
         .shared .align 8 .b64 sm;\n.local .align 128 .b8 lx[256];\n.param .align 128 .b8 px[256];\n\
         P0 @ gpu 0, cluster 0, cta 0, warp 0 {{ {form}; }}\nexists (true)\n"
    );
    parse("form", test.as_bytes()).ok()
}

/// The tables of asynchronous operations, of which `pipelines.rs` makes programs.
const ASYNCHRONOUS: [&str; 10] = [
    "bulk",
    "bulk_reduce",
    "cp_async",
    "launch_control",
    "red_async",
    "st_async",
    "tcgen05",
    "tensor",
    "tensormap",
    "wgmma",
];

/// The words of all instructions that the assembler accepts and the checker understands, but for
/// asynchronous ones.
fn subset() -> BTreeSet<Word> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptxas");
    let mut out = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let is_asynchronous =
            path.file_stem().is_some_and(|stem| ASYNCHRONOUS.iter().any(|name| stem == *name));
        if path.extension().is_none_or(|e| e != "txt") || is_asynchronous {
            continue;
        }
        for line in std::fs::read_to_string(path).expect("a readable table").lines() {
            let Some(form) = line.strip_prefix("+ ") else { continue };
            let new = words(form);
            if new.iter().all(|word| out.contains(word)) {
                continue;
            }
            // Registers have to be written before they are read.
            let Some(test) = supported(&initialized(form)) else { continue };
            let known = |s: &ptxmc::testing::ptx::operation::Statement| {
                !matches!(s.operation, Operation::Unknown { .. })
            };
            if test.threads.iter().flat_map(|t| &t.statements).all(known) {
                out.extend(new);
            }
        }
    }
    out
}

/// The instruction behind moves to every register that it mentions.
fn initialized(form: &str) -> String {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '%');
    let mut moves = String::new();
    let registers: BTreeSet<&str> = form.split(word).filter(|w| w.starts_with('%')).collect();
    for register in registers {
        let kind: String = register[1..].chars().take_while(char::is_ascii_alphabetic).collect();
        moves += &match kind.as_str() {
            "p" => format!("setp.eq.u32 {register}, 0, 0; "),
            "rs" | "us" | "ss" | "h" | "rc" => format!("mov.b16 {register}, 0; "),
            "rd" | "ud" | "sd" | "fd" => format!("mov.b64 {register}, 0; "),
            "rq" => format!("mov.b128 {register}, 0; "),
            "r" | "f" | "u" | "s" => format!("mov.b32 {register}, 0; "),
            _ => String::new(),
        };
    }
    moves + form
}

#[test]
fn programs_have_every_supported_instruction() {
    let subset = subset();
    assert!(subset.len() > 400, "only {} words of the subset", subset.len());
    let mut runner = TestRunner::deterministic();
    let strategy = sketch(large());
    let mut missing: BTreeSet<Word> = subset.clone();
    let mut drawn = 0;
    while drawn < 60_000 && !missing.is_empty() {
        drawn += 1;
        let text = strategy.new_tree(&mut runner).expect("a program").current().text();
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            let line = line.rsplit(": ").next().unwrap_or(line);
            for word in words(line) {
                missing.remove(&word);
            }
        }
    }
    println!("{} words, all but {} within {drawn} programs", subset.len(), missing.len());
    for (opcode, qualifier) in ELSEWHERE {
        let word = ((*opcode).to_owned(), (*qualifier).to_owned());
        assert!(subset.contains(&word), "{word:?} is not in the subset");
        assert!(missing.remove(&word), "{word:?} is generated");
    }
    let missing: Vec<String> = missing.iter().map(|(o, q)| format!("{o}.{q}")).collect();
    assert!(missing.is_empty(), "no program has {}", missing.join(" "));
}
