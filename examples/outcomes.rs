//! Lists all final states of a test, and marks those that its condition asks about.
//!
//! `cargo run --example outcomes`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::error::Error;

const TEXT: &str = r"PTX store-buffering
.global .u32 x = 0;
.global .u32 y = 0;
P0 @ gpu 0, cta 0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 %r1, [y]; }
P1 @ gpu 0, cta 1 { st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 %r1, [x]; }
exists (P0:%r1 == 0 /\ P1:%r1 == 0)";

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = ptxmc::Files::default();
    let test = ptxmc::parse_tests(&mut files, "sb.litmus", TEXT).tests.remove(0);
    let model = ptxmc::builtin_model(&mut files, "ptx-9.2").ok_or("no such model")?;
    let states = ptxmc::Checker::new(&model).outcomes(&test)?;
    for state in states.iter() {
        println!("{} {state}", if state.matches { '*' } else { ' ' });
    }
    println!("{}", if states.is_complete() { "these are all" } else { "there may be more" });
    Ok(())
}
