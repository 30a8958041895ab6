//! Inputs of absurd size or depth: each gets an answer or an error with a place, before long.
//!
//! The inputs are large enough that work by the square of their size would not end within the time
//! that is allowed for any of them, and that recursion over them would exhaust the stack.

use crate::support::process::Started;
use ptxmc::testing::cat::{NoFiles, Options, parse_model};
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::litmus::print::print_condition;
use ptxmc::testing::source::Files;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// No input takes longer, not on a slow machine with little optimization; a hang does.
const PATIENCE: Duration = Duration::from_secs(120);

/// How deep things are nested that must not be.
const DEEP: usize = 100_000;

/// The memory that a run may use, in KiB of address space.
const MEMORY: usize = 4 << 20;

/// What a run of the command gave.
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

/// Runs the command in bounded memory with `input` on standard input, for a bounded time.
fn ptxmc(arguments: &str, input: &str) -> Run {
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" {arguments}");
    let mut command = Command::new("sh");
    command
        .args(["-c", &limited, env!("CARGO_BIN_EXE_ptxmc")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped());
    let mut child = Started::new(&mut command);
    let mut pipe = child.stdin.take().expect("it is piped");
    let input = input.to_owned();
    // A run may end before it has read everything.
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let Some((status, out, err)) = child.output(PATIENCE) else {
        panic!("it has not ended after {PATIENCE:?}");
    };
    let _ = writer.join();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { status: status.code(), out: text(&out), err: text(&err) }
}

fn brief(text: &str) -> String {
    text.chars().take(300).collect()
}

/// The test is refused with this code, at a place in it.
fn refused(name: &str, text: &str, code: &str) {
    let run = ptxmc("check -j1 -", text);
    let place = run.err.contains("--> <stdin>:");
    let told = format!("{name}: status {:?}\n{}", run.status, brief(&run.err));
    assert!(run.status == Some(2) && run.err.contains(&format!("[{code}]")) && place, "{told}");
}

/// The test has this verdict.
fn decided(name: &str, text: &str, options: &str, verdict: &str) {
    let run = ptxmc(&format!("check -q -j1 {options} -"), text);
    let told = format!("{name}: status {:?}\n{}\n{}", run.status, brief(&run.out), brief(&run.err));
    assert!(matches!(run.status, Some(0 | 3)) && run.out.contains(verdict), "{told}");
}

/// A test in blocks: declarations, one thread, a condition.
fn blocks(declarations: &str, thread: &str, condition: &str) -> String {
    format!(
        "PTX limits\n.global .u32 x = 0;\n{declarations}\nP0 @ gpu 0, cta 0, warp 0 {{ {thread} }}\n\
         exists ({condition})\n"
    )
}

const STORE: &str = "st.relaxed.sys.global.u32 [x], 1;";

fn repeated(count: usize, item: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for index in 0..count {
        let _ = writeln!(text, "{}", item(index));
    }
    text
}

#[test]
fn nesting_in_tests_is_limited() {
    let (open, close) = ("(".repeat(DEEP), ")".repeat(DEEP));
    let condition = |text: &str| blocks("", STORE, text);
    refused("parentheses", &condition(&format!("{open}x == 1{close}")), "syntax-depth");
    refused("negations", &condition(&format!("{} x == 1", "~".repeat(DEEP))), "syntax-depth");
    let implications = "x == 1 => ".repeat(DEEP);
    refused("implications", &condition(&format!("{implications} x == 1")), "syntax-depth");
    decided("or", &condition(&format!("{} x == 1", "x == 2 \\/ ".repeat(DEEP))), "", "allowed");
    decided("and", &condition(&format!("{} x == 1", "x != 2 /\\ ".repeat(DEEP))), "", "allowed");
    let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
    refused(
        "brackets",
        &blocks("", &format!("ld.u32 %r1, {open}x{close};"), "x == 1"),
        "syntax-depth",
    );
    let (open, close) = ("{".repeat(DEEP), "}".repeat(DEEP));
    refused(
        "vectors",
        &blocks("", &format!("ld.u32 {open}a{close}, [x];"), "x == 1"),
        "syntax-depth",
    );
    decided("blocks", &blocks("", &format!("{open}{close}{STORE}"), "x == 1"), "", "allowed");
    let comments = format!("PTX t\n{}\nP0 @ gpu 0 {{ }}\n", "(* ".repeat(DEEP));
    refused("comments", &comments, "litmus-header-line");
}

#[test]
fn numbers_are_limited() {
    let long = "9".repeat(10_000);
    let (most, least) = (i64::MAX, i64::MIN);
    let refuse = |name: &str, declarations: &str, thread: &str, code: &str| {
        refused(name, &blocks(declarations, thread, "x == 1"), code);
    };
    refuse("literal", "", &format!("st.global.u32 [x], {long};"), "syntax-range");
    refuse("offset", "", &format!("st.global.u32 [x+{most}], 1;"), "litmus-out-of-range");
    refuse("negative offset", "", &format!("st.global.u32 [x+{least}], 1;"), "litmus-out-of-range");
    refuse("barrier", "", &format!("barrier.sync {most};"), "ptx-operand-range");
    refuse("thread count", "", "barrier.sync 0, 4294967295;", "ptx-operand-range");
    refuse("array", ".global .u32 a[9223372036854775808];", STORE, "syntax-range");
    let dimensions = "[1048576]".repeat(100);
    refuse("dimensions", &format!(".global .u32 a{dimensions};"), STORE, "syntax-range");
    refuse("alignment", ".global .align 9223372036854775808 .u32 a;", STORE, "syntax-range");
    let registers = repeated(100, |n| format!(".reg .b32 %q{n}_<65536>;"));
    refuse("registers", "", &format!("{registers}{STORE}"), "syntax-range");
    let place = blocks("", STORE, "x == 1").replace("gpu 0", &format!("gpu {long}"));
    refused("place", &place, "syntax-range");
    refused("condition", &blocks("", STORE, &format!("x == {long}")), "syntax-range");
    let arrays = repeated(2000, |n| format!(".global .u32 a{n}[1048576];"));
    decided("arrays", &blocks(&arrays, STORE, "x == 1"), "", "allowed");
}

#[test]
#[ignore = "nightly: megabytes of text"]
fn long_texts_are_read() {
    refused(
        "word",
        &blocks("", &format!("st.u32 [{}], 1;", "y".repeat(10 << 20)), "x == 1"),
        "litmus-undeclared",
    );
    decided("line", &blocks("", &STORE.repeat(300_000), "x == 1"), "", "unknown");
    let docs = format!("PTX t\n{}{}", "\"a\n".repeat(200_000), "P0 @ gpu 0 { }\n");
    refused("doc strings", &docs, "litmus-header-line");
    let metadata = blocks("", STORE, "x == 1")
        .replace("limits\n", &format!("limits\n{}", "A=b\n".repeat(300_000)));
    decided("metadata", &metadata, "", "allowed");
    refused(
        "control characters",
        &format!("PTX t\n{}", "\u{1}".repeat(1 << 20)),
        "litmus-header-line",
    );
    refused(
        "cells",
        &format!(
            "PTX t\n{{ x=0; }}\nP0@cta 0,gpu 0 ;\n{};\nexists (x == 1)\n",
            "|".repeat(1 << 20)
        ),
        "syntax-expected",
    );
}

#[test]
fn many_errors_are_many_and_no_more() {
    refused(
        "instructions",
        &blocks("", &"foo.bar; ".repeat(20_000), "x == 1"),
        "ptx-unknown-opcode",
    );
    let labels = repeated(5_000, |n| format!("L{n}: bra M{n};"));
    refused("labels", &blocks("", &labels, "x == 1"), "litmus-unknown-label");
    let variables = repeated(20_000, |n| format!(".global .u32 v{n};"));
    let stores = repeated(3_000, |n| format!("st.global.u32 [w{n}], 1;"));
    refused("variables", &blocks(&variables, &stores, "x == 1"), "litmus-undeclared");
    let run = ptxmc("check -", &blocks("", &"foo.bar; ".repeat(2_000), "x == 1"));
    assert!(run.err.ends_with("... and 1500 more errors and warnings\n"), "{}", brief(&run.err));
}

#[test]
fn large_programs_are_decided_or_unknown() {
    let thread = |n: usize| format!("P{n} @ gpu 0, cta {n}, warp 0 {{ {STORE} }}");
    let threads = repeated(10_000, thread);
    let text = format!("PTX t\n.global .u32 x = 0;\n{threads}exists (x == 1)\n");
    decided("threads", &text, "", "events");
    let cells =
        |cell: &dyn Fn(usize) -> String| (0..10_000).map(cell).collect::<Vec<_>>().join("|");
    let (head, row) =
        (cells(&|n| format!("P{n}@cta {n},gpu 0")), cells(&|_| "st.relaxed.sys x, 1".into()));
    decided(
        "columns",
        &format!("PTX t\n{{ x=0; }}\n{head};\n{row};\nexists (x == 1)\n"),
        "",
        "events",
    );
    let stores = blocks("", &STORE.repeat(10_000), "x == 1");
    decided("stores", &stores, "", "events");
    for command in ["races", "outcomes"] {
        let run = ptxmc(&format!("{command} -"), &stores);
        assert!(run.status == Some(3) && run.err.contains("events"), "{command}: {}", run.err);
    }
    let moves = repeated(10_000, |n| format!("mov.u32 %r{n}, 1;"));
    decided("registers", &blocks("", &format!("{moves}{STORE}"), "x == 1"), "", "allowed");
}

/// Values that are computed from values, as often as a program is long.
#[test]
#[ignore = "nightly: up to the limits of time that the runs are given"]
fn long_computations_are_decided_or_unknown() {
    let start = "ld.relaxed.sys.global.u32 %r1, [x]; mov.u32 %r2, 0;";
    let choices = repeated(DEEP, |n| {
        format!("setp.eq.u32 %p1, %r1, {n}; selp.b32 %r2, {}, %r2, %p1;", n + 4)
    });
    let choices = format!("{start}{choices}setp.eq.u32 %p2, %r2, 7; @%p2 {STORE}");
    let choices = blocks("", &choices, "x == 1");
    decided("choices", &choices, "--timeout 20", "");
    let products = "mad.lo.u32 %r2, %r2, %r2, %r1;".repeat(DEEP / 2);
    let products = format!(
        "PTX limits\n.shared .u32 s;\nP0 @ cta 0 {{ ld.shared.u32 %r1, [s]; mov.u32 %r2, %r1; \
         {products} st.shared.u32 [s], %r2; }}\nexists (s == 9)\n"
    );
    decided("products", &products, "--engine z3 --timeout 20", "");
}

/// Values that are simplified, or looked through, again and again.
#[test]
fn long_sums_are_decided_or_unknown() {
    let start = "ld.relaxed.sys.global.u32 %r1, [x];";
    let peeled = "xor.b32 %r1, %r1, 5; add.u32 %r1, %r1, 3;".repeat(DEEP);
    let peeled = format!("{start}{peeled}setp.eq.u32 %p1, %r1, 7; @%p1 {STORE}");
    decided("constants on constants", &blocks("", &peeled, "x == 2"), "", "forbidden");
    // Each sum has twice as many ways to what was loaded as the one before.
    let sums = "add.u32 %r1, %r1, %r2; add.u32 %r2, %r2, %r1;".repeat(50);
    let sums = format!(
        "ld.relaxed.sys.global.u32 %r1, [x]; ld.relaxed.sys.global.u32 %r2, [x];\nL: {sums}\n\
         ld.relaxed.sys.global.u32 %r3, [x]; setp.ne.u32 %p1, %r3, %r1; @%p1 bra L;"
    );
    decided("sums in a loop", &blocks("", &sums, "x == 1"), "--bound 2 --engine search", "");
}

#[test]
fn crowds_at_barriers_are_limited() {
    let row = |cell: &dyn Fn(usize) -> String| (0..40).map(cell).collect::<Vec<_>>().join("|");
    let head = row(&|n| format!("P{n}@cta 0,gpu 0"));
    let barriers = row(&|_| "bar.cta.sync 1, 1, 20".to_owned());
    let stores = row(&|_| "st.weak x, 1".to_owned());
    let text = format!("PTX t\n{{ x=0; }}\n{head};\n{barriers};\n{stores};\nexists (x == 1)\n");
    decided("half of the threads", &text, "", "unknown");
    let all = repeated(512, |n| format!("P{n} @ cta 0 {{ bar.sync 0; bar.sync 0; }}"));
    let all = format!("PTX all\n.global .u32 x = 0;\n{all}exists (x == 1)\n");
    decided("all threads", &all, "", "forbidden");
}

/// Which operands a reduction combines is up to the execution where pairs of three warps meet; that it
/// depends on all of them proves nothing.
#[test]
fn reductions_of_changing_pairs_are_no_proof() {
    let constant = "red.popc.u32 %r3, 0, 64, %p1;";
    let text = format!(
        "PTX pairs\n.shared .u32 x = 0;\n{{ P0:%p1 = 1; P1:%p1 = 1; }}\n\
         P0 @ cta 0, warp 0 {{ barrier.{constant} barrier.{constant} }}\n\
         P1 @ cta 0, warp 1 {{ barrier.red.popc.u32 %r2, 0, 64, %p1; st.shared.u32 [x], %r2;\n\
         barrier.{constant} }}\n\
         P2 @ cta 0, warp 2 {{ ld.shared.u32 %r2, [x]; setp.eq.u32 %p1, %r2, 0;\n\
         barrier.{constant} barrier.{constant} }}\nexists (P2:%r2 == 2)\n"
    );
    decided("changing pairs", &text, "", "unknown");
    decided("changing pairs in an interleaving", &text, "--model sc", "allowed");
}

#[test]
fn unfolding_is_limited() {
    let labels = repeated(40, |n| format!("L{n}:"));
    let jumps = repeated(40, |n| format!("@%p bra L{};", 39 - n));
    let body = "ld.relaxed.sys.global.u32 %r1, [x]; add.u32 %r2, %r1, 1;\n\
                st.relaxed.sys.global.u32 [x], %r2; setp.ne.u32 %p, %r1, 7;";
    let nested = blocks("", &format!("{labels}{body}{jumps}"), "x == 9");
    decided("nested loops", &nested, "--engine enumerate --timeout 5", "unknown");
    let count = |level: char, n: u32| {
        format!("add.u32 %c{n}, %c{n}, 1; setp.lt.u32 %p, %c{n}, 60; @%p bra {level};")
    };
    let inner = format!("C: {STORE} {} {} {}", count('C', 3), count('B', 2), count('A', 1));
    let counted = format!("mov.u32 %c1, 0; A: mov.u32 %c2, 0; B: mov.u32 %c3, 0; {inner}");
    decided("loops that count", &blocks("", &counted, "x == 9"), "--timeout 60", "unknown");
    let body = body.replace(", 7;", ", 700000;");
    let nest = format!("A: B: C: D: {body} @%p bra D; @%p bra C; @%p bra B; @%p bra A;");
    decided("loops", &blocks("", &nest, "x == 9999"), "--bound 255 --timeout 5", "unknown");
}

/// A model is refused with this code, at a place in it.
fn model_refused(name: &str, text: &str, code: &str) {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("m.cat");
    std::fs::write(&path, format!("\"limits\"\n{text}\n")).expect("there is room for files");
    let run = ptxmc(&format!("model '{}'", path.display()), "");
    let place = run.err.contains("m.cat:");
    let told = format!("{name}: status {:?}\n{}", run.status, brief(&run.err));
    assert!(run.status == Some(2) && run.err.contains(&format!("[{code}]")) && place, "{told}");
}

#[test]
fn nesting_in_models_is_limited() {
    let axiom = |relation: String| format!("acyclic {relation} as A");
    let (open, close) = ("(".repeat(DEEP), ")".repeat(DEEP));
    model_refused("parentheses", &axiom(format!("{open}po{close}")), "cat-too-deep");
    model_refused("unions", &axiom(format!("{}po", "po | ".repeat(DEEP))), "cat-too-deep");
    model_refused("differences", &axiom(format!("{}po", "po \\ ".repeat(DEEP))), "cat-too-deep");
    model_refused("applications", &axiom(" po".repeat(DEEP)), "cat-too-deep");
    model_refused("complements", &axiom(format!("{}po", "~".repeat(DEEP))), "cat-too-deep");
    model_refused(
        "definitions",
        &axiom(format!("{}b", "let b = po in ".repeat(DEEP))),
        "cat-too-deep",
    );
    model_refused("conditions", &"if \"a\" ".repeat(DEEP), "cat-too-deep");
    let chain = format!("if {}\"a\" then let r = po end $", "\"a\" || \"b\" && ".repeat(DEEP));
    model_refused("alternatives", &chain, "cat-character");
    model_refused("comments", &"(* ".repeat(DEEP), "cat-unclosed");
    model_refused("characters", &"$".repeat(1 << 20), "cat-character");
    let functions = repeated(40, |n| format!("let f{}(x) = f{n}(f{n}(x))", n + 1));
    let functions = format!("let f0(x) = x;x\n{functions}acyclic f40(po) as A");
    model_refused("functions", &functions, "cat-too-large");
}

#[test]
fn nested_includes_are_limited() {
    let folder = tempfile::tempdir().expect("there is room for files");
    for n in 0..1_000 {
        let text = format!("\"m\"\ninclude \"m{}.cat\"\n", n + 1);
        std::fs::write(folder.path().join(format!("m{n}.cat")), text).expect("there is room");
    }
    let run = ptxmc(&format!("model '{}/m0.cat'", folder.path().display()), "");
    assert!(run.status == Some(2) && run.err.contains("[cat-too-deep]"), "{}", brief(&run.err));
}

#[test]
fn templates_are_limited() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("rows.test");
    let template = "d0.b0.t0 { st x, $0; }\n".repeat(10_000);
    let rows = "1\n".repeat(10_000);
    std::fs::write(&path, format!("{template}\nassert (x == 1);\n$$\n{rows}"))
        .expect("there is room");
    let run = ptxmc(&format!("check '{}'", path.display()), "");
    assert!(run.status == Some(2) && run.err.contains("[syntax-range]"), "{}", brief(&run.err));
}

/// The stack of the thread that parses; the command has eight times as much.
const SMALL_STACK: usize = 1 << 20;

/// Nothing that is read exhausts a small stack, neither at the limits of nesting nor beyond: with
/// `--isolate` the parent reads every file, and nobody would catch its fall.
#[test]
fn parsers_need_little_stack() {
    let parse = || {
        let (mut read, mut refused) = (0, 0);
        for depth in [1, 10, 30, 60, 63, 64, 65, 90, 127, 128, 129, 200, 255, 256, 257, 299]
            .into_iter()
            .chain([300, 301, 400, 500, 512, 1_000, 1_024, 2_000, 10_000, DEEP])
        {
            for (at, text) in nested_tests(depth).into_iter().enumerate() {
                // The ending tells NVIDIA's format from the others.
                let name = if text.starts_with("PTX") { "nested.litmus" } else { "nested.test" };
                let parsed = parse_bytes(&mut Files::default(), name, text.as_bytes());
                let errors = parsed.diagnostics.iter().any(|d| d.is_error());
                // The first are conditions, in which a little nesting is fine.
                assert!(depth > 1 || at >= 3 * 7 || !errors, "{text}: {:?}", parsed.diagnostics);
                *if errors { &mut refused } else { &mut read } += 1;
                for test in &parsed.tests {
                    let _ = print_condition(test, &test.condition);
                }
            }
            for text in nested_models(depth) {
                let mut files = Files::default();
                let file = files.add("nested.cat", text.as_str());
                match parse_model(&mut files, file, &NoFiles, &Options::default()) {
                    Ok(_) => read += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        (read, refused)
    };
    let thread = std::thread::Builder::new().stack_size(SMALL_STACK).spawn(parse);
    let (read, refused) = thread.expect("a thread").join().expect("it has enough stack");
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}

/// Tests in three formats whose conditions, operands or comments are nested so deep.
fn nested_tests(depth: usize) -> Vec<String> {
    let conditions = [
        format!("{}x == 1{}", "(".repeat(depth), ")".repeat(depth)),
        format!("{} x == 1", "~".repeat(depth)),
        format!("{}x == 1{}", "~(".repeat(depth), ")".repeat(depth)),
        format!("{} x == 1", "x == 1 => ".repeat(depth)),
        format!("{} x == 1", "x == 2 \\/ ".repeat(depth)),
        format!("{}x == 1{}", "(x == 2 \\/ ".repeat(depth), ")".repeat(depth)),
        format!("{}x == 1{}", "(x == 2 /\\ ~".repeat(depth), ")".repeat(depth)),
    ];
    let mut out = Vec::new();
    for condition in conditions {
        out.push(blocks("", STORE, &condition));
        out.push(format!(
            "PTX nested\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists ({condition})\n"
        ));
        out.push(format!(
            ".global x;\nd0.b0.t0 {{\n  st.weak [x], 1;\n}}\npermit({condition}) as c;\n"
        ));
    }
    for (open, close) in [("[", "]"), ("{", "}"), ("(", ")")] {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        out.push(blocks("", &format!("ld.u32 {open}%r1{close}, [x];"), "x == 1"));
        out.push(blocks("", &format!("ld.u32 %r1, {open}x{close};"), "x == 1"));
        out.push(blocks("", &format!("{open}{STORE}{close}"), "x == 1"));
    }
    out.push(blocks("", &format!("{}{}{STORE}", "(* ".repeat(depth), " *)".repeat(depth)), "true"));
    out
}

/// Models whose expressions are nested so deep.
fn nested_models(depth: usize) -> Vec<String> {
    let (open, close) = ("(".repeat(depth), ")".repeat(depth));
    let mut out = vec![format!("let r = {open}po{close}"), "if \"a\" ".repeat(depth)];
    for step in ["po | ", "po ; ", "po \\ ", "po & ", "~", "po ", "[R] ; (po | ", "let a = "] {
        let close = if step.contains('(') { ")".repeat(depth) } else { String::new() };
        out.push(format!("acyclic {}po{close} as nested", step.repeat(depth)));
    }
    for step in ["^-1", "+", "?", "*"] {
        out.push(format!("acyclic po{} as nested", step.repeat(depth)));
    }
    out.push(format!("{}acyclic po", "(* ".repeat(depth)));
    let chain = repeated(depth.min(5_000), |n| format!("let r{} = r{n} | po", n + 1));
    out.push(format!("let r0 = po\n{chain}\nacyclic r{} as nested", depth.min(5_000)));
    out
}
