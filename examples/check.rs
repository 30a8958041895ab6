//! Checks a litmus test that is written in the program, and says why.
//!
//! `cargo run --example check`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

const TEXT: &str = r"PTX message-passing
.global .u32 x = 0;
.global .u32 flag = 0;
P0 @ gpu 0, cta 0 { st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 1; }
P1 @ gpu 0, cta 1 { ld.acquire.gpu.global.u32 %r1, [flag]; ld.weak.global.u32 %r2, [x]; }
exists (P1:%r1 == 1 /\ P1:%r2 == 0)";

fn main() {
    let mut files = ptxmc::Files::default();
    let parsed = ptxmc::parse_tests(&mut files, "mp.litmus", TEXT);
    parsed.diagnostics.iter().for_each(|diagnostic| eprint!("{}", diagnostic.render(&files)));
    let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    for test in &parsed.tests {
        let outcome = ptxmc::check(test, &model);
        println!("{}: {}  {}", test.name, outcome.verdict.kind(), outcome.reason(&model, &files));
    }
}
