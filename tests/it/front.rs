//! Reading and writing tests: the corpus, every diagnostic, print-parse round trips.

#![allow(clippy::print_stdout, reason = "tests say what they skip and count")]

use crate::strategies;
use crate::support::corpus;
use proptest::prelude::*;
use ptxmc::testing::diagnostic::{Diagnostic, Severity};
use ptxmc::testing::litmus::ast::{Dialect, Test};
use ptxmc::testing::litmus::parse::{Parsed, parse_bytes};
use ptxmc::testing::litmus::print::{print_blocks, print_columns};
use ptxmc::testing::ptx::print::word;
use ptxmc::testing::source::Files;
use std::path::{Path, PathBuf};

fn files_under(folder: &Path, extension: &str, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_under(&path, extension, into);
        } else if path.extension().is_some_and(|found| found == extension) {
            into.push(path);
        }
    }
}

fn read(path: &Path) -> (Files, Parsed) {
    let mut files = Files::default();
    let parsed = parse_bytes(&mut files, &path.to_string_lossy(), &std::fs::read(path).unwrap());
    (files, parsed)
}

/// A diagnostic in plain text.
fn render(files: &Files, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.as_ref().map_or(String::new(), |l| files.location(l.span));
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut text = format!("{place}: {severity}[{}]: {}\n", diagnostic.code, diagnostic.message);
    if let Some(label) = diagnostic.primary.as_ref() {
        let quoted = files.text(label.span).lines().next().unwrap_or("").to_owned();
        text += &format!("  | {quoted}");
        if !label.text.is_empty() {
            text += &format!("  <- {}", label.text);
        }
        text += "\n";
    }
    for label in &diagnostic.secondary {
        text += &format!("  also {}: {}\n", files.location(label.span), label.text);
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("  help: {help}\n");
    }
    text
}

#[test]
fn the_corpus_parses_without_errors() {
    let Some(corpus) = corpus("") else { return };
    let mut failures = Vec::new();
    for (folder, extension, expected) in
        [("dat3m", "litmus", 167), ("reference", "litmus", 598), ("nvlitmus", "test", 3)]
    {
        let mut paths = Vec::new();
        files_under(&corpus.join(folder), extension, &mut paths);
        assert_eq!(paths.len(), expected, "{folder}");
        for path in paths {
            let (files, parsed) = read(&path);
            let errors = parsed.diagnostics.iter().filter(|d| d.is_error());
            failures.extend(errors.map(|error| render(&files, error)));
            if parsed.tests.is_empty() {
                failures.push(format!("{} has no test", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.concat());
}

/// The tests of this repository and of the corpus.
fn all_test_files() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    files_under(&own, "litmus", &mut paths);
    assert!(!paths.is_empty(), "{} has no tests", own.display());
    if let Some(corpus) = corpus("") {
        files_under(&corpus, "litmus", &mut paths);
    }
    paths
}

#[test]
fn own_tests_parse_without_diagnostics() {
    let mut paths = Vec::new();
    files_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"), "litmus", &mut paths);
    let mut failures = String::new();
    for path in &paths {
        let (files, parsed) = read(path);
        // Tests of PTX 1.4 and of the research proxies cannot be written without these remarks.
        let meant =
            |d: &&Diagnostic| !d.code.starts_with("legacy-") && d.code != "columns-research-proxy";
        failures.extend(parsed.diagnostics.iter().filter(meant).map(|d| render(&files, d)));
        assert_eq!(parsed.tests.len(), usize::from(failures.is_empty()), "{failures}");
    }
}

/// A test as text without its spans.
fn without_spans(test: &Test) -> String {
    let text = format!("{test:?}");
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("pan: f") {
        let (before, after) = rest.split_at(at);
        kept.push_str(before);
        let end = after.find([',', ' ', '}']).map_or(after.len(), |space| {
            space + after[space + 1..].find([',', '}']).map_or(0, |end| end + 1)
        });
        rest = &after[end..];
    }
    kept + rest
}

fn reparsed(text: &str) -> (Files, Parsed) {
    let mut files = Files::default();
    let parsed = parse_bytes(&mut files, "printed.litmus", text.as_bytes());
    (files, parsed)
}

fn assert_same(test: &Test, text: &str) {
    let (files, again) = reparsed(text);
    let errors: String =
        again.diagnostics.iter().filter(|d| d.is_error()).map(|d| render(&files, d)).collect();
    assert!(errors.is_empty(), "{errors}\n{text}");
    // What is local to a block is printed without the block, under a name of its own.
    let mut kept = without_spans(test);
    let labels = test.threads.iter().flat_map(|t| &t.statements).flat_map(|s| &s.labels);
    let registers = test.threads.iter().flat_map(|t| &t.registers).map(|(name, _)| name);
    for local in labels.chain(registers).filter(|name| name.value.contains('.')) {
        kept = kept.replace(&format!("{:?}", local.value), &format!("{:?}", word(&local.value)));
    }
    similar(&kept, &without_spans(&again.tests[0]), text);
}

fn similar(left: &str, right: &str, text: &str) {
    if left != right {
        let at = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
        let from = at.saturating_sub(80);
        let show = |s: &str| s.chars().skip(from).take(200).collect::<String>();
        panic!("differs:\n {}\n {}\nin\n{text}", show(left), show(right));
    }
}

#[test]
fn printing_and_reading_gives_the_same_test() {
    let (mut converted, mut columns) = (0, 0);
    for path in all_test_files() {
        let (_, parsed) = read(&path);
        for test in &parsed.tests {
            if test.dialect == Dialect::Columns {
                columns += 1;
                // Locations without a declaration get one when they are printed.
                assert_same(test, &print_columns(test).unwrap());
                if let Ok(text) = print_blocks(test) {
                    converted += 1;
                    let (files, again) = reparsed(&text);
                    let errors = again.diagnostics.iter().filter(|d| d.is_error());
                    let errors: String = errors.map(|d| render(&files, d)).collect();
                    assert!(errors.is_empty(), "{}\n{errors}\n{text}", path.display());
                }
            } else {
                // Statements of PTX 1.4 are printed in the forms that they are short for.
                let mut test = test.clone();
                test.version = test.version.filter(|version| version.0 > 1);
                assert_same(&test, &print_blocks(&test).unwrap());
            }
        }
    }
    assert!(columns > 100, "only {columns} tests are in columns");
    assert!(converted * 2 > columns, "{converted} of {columns} can be written in blocks");
}

/// Every way to be wrong that has a file in `tests/bad`, and what a user is told.
#[test]
fn bad_inputs_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut paths = Vec::new();
    files_under(&folder, "litmus", &mut paths);
    let mut report = String::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut files = Files::default();
        let parsed = parse_bytes(&mut files, &name, &std::fs::read(path).unwrap());
        assert!(!parsed.diagnostics.is_empty(), "{name} is not bad");
        assert_eq!(parsed.tests.is_empty(), parsed.diagnostics.iter().any(Diagnostic::is_error));
        report.extend(parsed.diagnostics.iter().map(|d| render(&files, d)));
        report += "\n";
    }
    insta::assert_snapshot!("bad_inputs", report);
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("(", ")"), ("~", ""), ("x == 0 => ", "x == 0")] {
        let condition = format!("{}true{}", open.repeat(100_000), close.repeat(100_000));
        let text = format!(
            "PTX deep\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists {condition}\n"
        );
        let (_, parsed) = reparsed(&text);
        assert!(parsed.diagnostics.iter().any(|d| d.code == "syntax-depth"), "{open}");
    }
    let text = format!(
        "PTX deep\n.global .u32 x;\nP0 @ cta 0 {{ st.weak.u32 {}x; }}\n",
        "[".repeat(100_000)
    );
    let (_, parsed) = reparsed(&text);
    assert!(parsed.diagnostics.iter().any(|d| d.code == "syntax-depth"));
}

/// What small inputs mean, as the printer says it.
#[test]
fn readings_of_the_formats() {
    let columns =
        |init: &str, threads: &str, rest: &str| format!("PTX t\n{{ {init} }}\n{threads}\n{rest}\n");
    let inputs = [
        ("`y=x` and `y=&x` copy the initial value, in any order", columns(
            "z=&y; y=x; x=7; w=w; P0:r0=&x; 1:%r1=-3; a[3]={1,2};",
            " P0@cta 0,gpu 0 | P1@cta 0, gpu 0 ;\n ld.weak r0, x | ld.weak r1, x ;",
            "exists 0==0",
        )),
        ("columns belong to the thread that their header names", columns(
            "x=0;",
            " P1@cta 1,gpu 0 | P0@sys 0,gpu 0,cluster 1,cta 0 ;\n ld.weak r1, x | st.weak x, 0x10 ;",
            "exists 1:r1 = 1 /\\ P1: r1 <> 2",
        )),
        ("implication binds tighter than conjunction", columns(
            "x=0;",
            " P0@cta 0,gpu 0 ;\n ld.weak r0, x ;",
            "forall (not P0:r0=1 /\\ x=1 => x=2 => [x]=3 \\/ x >= &x)",
        )),
        ("columns take PTX statements and the dialect's own", columns(
            "x=0; s @ surface aliases x;",
            " P0@cta 0,gpu 0 ;\n ld r0, 3 ;\n ld r1, r0 ;\n ld.relaxed.gpu.u32 %r2, [x] ;\n \
             atom.add r3, x, 1 ;\n membar.gl ;\n suld.weak r4, s ;\n LC0: beq r0, -1, LC0 ;\n \
             bar.cta.sync r0, 1, 2 ;\n atom.inc r5, x ;\n red.acq_rel.cta.sub x, r0 ;\n \
             @!%p0 st.volatile [x], 1 ;\n st.mmio.relaxed.sys.global.u32 [x], 1 ;\n LC1: ;",
            "~exists (x == 1)",
        )),
        ("blocks: qualifiers in any order, types of variables, nested scopes, tasks",
            "PTX b\n.version 8.5\n.target sm_90\n.address_size 64\n.visible .global .u32 x = 1, y;\n\
             .shared .align 8 .b64 bar;\n.global .align 16 .v2 .b32 v[2];\n.param .u64 p = x;\n\
             .alias .generic s = x;\npdl K1 -> K2;\ntask K1, K2;\n\
             P0 @ task K1 { .reg .b32 %r<2>; .reg .b64 %rd1; .reg .pred p; ld.global.relaxed.sys.u32 r1, [x];\n\
             L: { atom.sys.inc.u32 %r0, [x], 5; } // comment\n /* another */ setp.lo.u32 p, %r1, 3;\n\
             @!p bra L; st.u32 [x], %r1; ld.v2.b32 {%r0, _}, [v+8]; mov.u64 %rd1, v[1];\n\
             mov.u32 %r1, %tid.x; add.u32 %r1, %r1, WARP_SZ; st.b32 [y], 0f3F800000;\n\
             wgmma.fence.sync.aligned; cp.async.ca.shared.global [bar], [%rd1], 8;\n\
             mbarrier.try_wait.cluster.acquire.b64 p, [bar], %rd1; fence.gpu; ret; }\n\
             H @ host { st.relaxed.sys.u32 [x], 2; }\nP2 @ task K2, cta 4, warp 1 { exit; }\n\
             locations [x; P0:bar; v[1]]\nfilter (x != 3)\nexists (P0:%r1 == 1 /\\ P0:bar == 0)\n"
                .to_owned(),
        ),
    ];
    let mut report = String::new();
    for (title, input) in inputs {
        let (files, parsed) = reparsed(&input);
        report += &format!("## {title}\n");
        report.extend(parsed.diagnostics.iter().map(|d| render(&files, d)));
        for test in &parsed.tests {
            let printed = match test.dialect {
                Dialect::Blocks => print_blocks(test).unwrap(),
                _ => print_columns(test).unwrap(),
            };
            report += &printed;
        }
    }
    insta::assert_snapshot!("readings", report);
}

#[test]
fn template_rows_become_tests() {
    let Some(corpus) = corpus("") else { return };
    let mut paths = Vec::new();
    files_under(&corpus.join("nvlitmus"), "test", &mut paths);
    let mut report = String::new();
    for path in &paths {
        let (_, parsed) = read(path);
        for test in &parsed.tests {
            let text = print_columns(test).unwrap();
            let lines = text.lines().filter(|line| !line.contains(';'));
            report += &lines.collect::<Vec<_>>().join(" ");
            report += "\n";
        }
    }
    insta::assert_snapshot!("template_rows", report);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_columns_survive_printing(test in strategies::test(Dialect::Columns)) {
        assert_same(&test, &print_columns(&test).unwrap());
    }

    #[test]
    fn random_blocks_survive_printing(test in strategies::test(Dialect::Blocks)) {
        assert_same(&test, &print_blocks(&test).unwrap());
    }

    /// Whatever the bytes, reading them ends, without a panic.
    #[test]
    fn mangled_tests_are_read_or_rejected(
        test in strategies::test(Dialect::Columns),
        other in strategies::test(Dialect::Blocks),
        cuts in proptest::collection::vec((any::<u16>(), any::<u16>(), any::<u8>()), 1..6),
    ) {
        for text in [print_columns(&test).unwrap(), print_blocks(&other).unwrap()] {
            let mut bytes = text.into_bytes();
            for (from, to, new) in &cuts {
                let (from, to) = (*from as usize % bytes.len(), *to as usize % bytes.len());
                if from < to && to - from < 40 {
                    bytes.drain(from..to);
                } else {
                    bytes[from] = *new;
                }
            }
            for name in ["mangled.litmus", "mangled.test"] {
                let mut files = Files::default();
                let parsed = parse_bytes(&mut files, name, &bytes);
                let failed = parsed.diagnostics.iter().any(Diagnostic::is_error);
                prop_assert!(failed || !parsed.tests.is_empty());
                for diagnostic in &parsed.diagnostics {
                    render(&files, diagnostic);
                }
            }
        }
    }
}
