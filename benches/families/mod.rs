//! Test families that grow with a parameter: where engines that enumerate or search blindly fail.
//!
//! Every family has a forbidden form and its allowed twin, with one fence or qualifier weakened.

use std::fmt::Write;

/// Whether the outcome is to be forbidden or, by one weaker instruction, allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The standard forbids the outcome.
    Forbidden,
    /// One fence or qualifier less: allowed.
    Allowed,
}

impl Form {
    /// The verdict's word.
    #[must_use]
    pub fn verdict(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden",
            Self::Allowed => "allowed",
        }
    }
}

/// A family: its name and the text of its member for n threads and bound k.
pub struct Family {
    /// The name in tables.
    pub name: &'static str,
    /// Writes the member for n threads.
    pub text: fn(n: usize, form: Form) -> String,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "writers", text: writers },
    Family { name: "sb+fence.sc", text: store_buffering },
    Family { name: "sb+fence.acq_rel", text: store_buffering_weakly },
    Family { name: "mp-chain", text: chain },
    Family { name: "iriw", text: iriw },
    Family { name: "ticket-lock", text: ticket_lock },
    Family { name: "cas-lock", text: cas_lock },
    Family { name: "grid-barrier", text: grid_barrier },
    Family { name: "barriers", text: barriers },
    Family { name: "pipeline", text: pipeline },
];

/// The family of this name.
#[must_use]
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.name == name)
}

fn header(name: &str, n: usize, form: Form, variables: &[String]) -> String {
    let mut text = format!("PTX {name}-{n}\nExpect={}\n", form.verdict());
    for variable in variables {
        let _ = writeln!(text, ".global .u32 {variable} = 0;");
    }
    text
}

fn thread(text: &mut String, index: usize, statements: &[String]) {
    let _ = writeln!(text, "P{index} @ gpu 0, cluster {index}, cta {index}, warp 0 {{");
    for statement in statements {
        let _ = writeln!(text, "  {statement}");
    }
    text.push_str("}\n");
}

/// n relaxed writers to one location and two reads that see them in a circle of one thread: the
/// second read may not go back to the initial value (forbidden), or to another write (allowed).
fn writers(n: usize, form: Form) -> String {
    let mut text = header("writers", n, form, &["x".into()]);
    for index in 0..n {
        thread(&mut text, index, &[format!("st.relaxed.gpu.global.u32 [x], {};", index + 1)]);
    }
    thread(
        &mut text,
        n,
        &[
            "ld.relaxed.gpu.global.u32 %r1, [x];".into(),
            "ld.relaxed.gpu.global.u32 %r2, [x];".into(),
        ],
    );
    let second = if form == Form::Forbidden { 0 } else { 1 };
    let _ = writeln!(text, "exists (P{n}:%r1 == {n} /\\ P{n}:%r2 == {second})");
    text
}

/// Each thread stores its own flag and reads its neighbour's: all read zero.
fn store_buffering(n: usize, form: Form) -> String {
    let variables: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let mut text = header("sb", n, form, &variables);
    for index in 0..n {
        let weak = form == Form::Allowed && index == 0;
        thread(
            &mut text,
            index,
            &[
                format!("st.relaxed.gpu.global.u32 [x{index}], 1;"),
                format!("fence.{}.gpu;", if weak { "acq_rel" } else { "sc" }),
                format!("ld.relaxed.gpu.global.u32 %r1, [x{}];", (index + 1) % n),
            ],
        );
    }
    let all: Vec<String> = (0..n).map(|i| format!("P{i}:%r1 == 0")).collect();
    let _ = writeln!(text, "exists ({})", all.join(" /\\ "));
    text
}

/// Each thread stores its own flag and reads its neighbour's behind a fence that orders no more than
/// acquire and release: all may read zero, but none may miss what its own thread stored.
fn store_buffering_weakly(n: usize, form: Form) -> String {
    let variables: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let mut text = header("sb-weak", n, form, &variables);
    for index in 0..n {
        let own = form == Form::Forbidden && index == 0;
        let read = if own { 0 } else { (index + 1) % n };
        thread(
            &mut text,
            index,
            &[
                format!("st.relaxed.gpu.global.u32 [x{index}], 1;"),
                "fence.acq_rel.gpu;".to_owned(),
                format!("ld.relaxed.gpu.global.u32 %r1, [x{read}];"),
            ],
        );
    }
    let all: Vec<String> = (0..n).map(|i| format!("P{i}:%r1 == 0")).collect();
    let _ = writeln!(text, "exists ({})", all.join(" /\\ "));
    text
}

/// A message passed on through n flags.
fn chain(n: usize, form: Form) -> String {
    let variables: Vec<String> =
        std::iter::once("d".into()).chain((0..n).map(|i| format!("f{i}"))).collect();
    let mut text = header("chain", n, form, &variables);
    thread(
        &mut text,
        0,
        &["st.weak.global.u32 [d], 1;".into(), "st.release.gpu.global.u32 [f0], 1;".into()],
    );
    for index in 1..n {
        let weak = form == Form::Allowed && index == n / 2;
        thread(
            &mut text,
            index,
            &[
                format!(
                    "ld.{}.gpu.global.u32 %r1, [f{}];",
                    if weak { "relaxed" } else { "acquire" },
                    index - 1
                ),
                format!("st.release.gpu.global.u32 [f{index}], 1;"),
            ],
        );
    }
    thread(
        &mut text,
        n,
        &[
            format!(
                "ld.{}.gpu.global.u32 %r1, [f{}];",
                if form == Form::Allowed && n == 1 { "relaxed" } else { "acquire" },
                n - 1
            ),
            "ld.weak.global.u32 %r2, [d];".into(),
        ],
    );
    let all: Vec<String> = (1..=n).map(|i| format!("P{i}:%r1 == 1")).collect();
    let _ = writeln!(text, "exists ({} /\\ P{n}:%r2 == 0)", all.join(" /\\ "));
    text
}

/// n writers, and for each pair of neighbours a reader that sees the first and not the second.
fn iriw(n: usize, form: Form) -> String {
    let variables: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let mut text = header("iriw", n, form, &variables);
    for index in 0..n {
        thread(&mut text, index, &[format!("st.relaxed.gpu.global.u32 [x{index}], 1;")]);
    }
    for index in 0..n {
        let weak = form == Form::Allowed && index == 0;
        thread(
            &mut text,
            n + index,
            &[
                format!("ld.relaxed.gpu.global.u32 %r1, [x{index}];"),
                format!("fence.{}.gpu;", if weak { "acq_rel" } else { "sc" }),
                format!("ld.relaxed.gpu.global.u32 %r2, [x{}];", (index + 1) % n),
            ],
        );
    }
    let all: Vec<String> = (n..2 * n).map(|i| format!("P{i}:%r1 == 1 /\\ P{i}:%r2 == 0")).collect();
    let _ = writeln!(text, "exists ({})", all.join(" /\\ "));
    text
}

/// Two critical sections both read the initial value: the lock does not exclude.
fn critical_section() -> Vec<String> {
    vec!["ld.weak.global.u32 %r9, [x];".into(), "st.weak.global.u32 [x], 1;".into()]
}

fn ticket_lock(n: usize, form: Form) -> String {
    let mut text = header("ticket", n, form, &["next".into(), "serving".into(), "x".into()]);
    for index in 0..n {
        let weak = form == Form::Allowed && index == 0;
        let mut code = vec![
            "atom.relaxed.gpu.global.add.u32 %r1, [next], 1;".to_owned(),
            "LOOP:".to_owned(),
            "ld.acquire.gpu.global.u32 %r2, [serving];".to_owned(),
            "setp.ne.u32 %p1, %r1, %r2;".to_owned(),
            "@%p1 bra LOOP;".to_owned(),
        ];
        code.extend(critical_section());
        code.push(format!(
            "atom.{}.gpu.global.add.u32 %r3, [serving], 1;",
            if weak { "relaxed" } else { "release" }
        ));
        thread(&mut text, index, &code);
    }
    let _ = writeln!(text, "exists (P0:%r9 == 0 /\\ P1:%r9 == 0)");
    text
}

fn cas_lock(n: usize, form: Form) -> String {
    let mut text = header("cas", n, form, &["l".into(), "x".into()]);
    for index in 0..n {
        let weak = form == Form::Allowed && index == 0;
        let mut code = vec![
            "LOOP:".to_owned(),
            "atom.acquire.gpu.global.cas.b32 %r1, [l], 0, 1;".to_owned(),
            "setp.ne.u32 %p1, %r1, 0;".to_owned(),
            "@%p1 bra LOOP;".to_owned(),
        ];
        code.extend(critical_section());
        code.push(format!(
            "st.{}.gpu.global.u32 [l], 0;",
            if weak { "relaxed" } else { "release" }
        ));
        thread(&mut text, index, &code);
    }
    let _ = writeln!(text, "exists (P0:%r9 == 0 /\\ P1:%r9 == 0)");
    text
}

/// One thread writes, everybody arrives at a counter and waits for all, the others read.
fn grid_barrier(n: usize, form: Form) -> String {
    let mut text = header("grid", n, form, &["c".into(), "x".into()]);
    for index in 0..n {
        let weak = form == Form::Allowed && index == 0;
        let mut code = Vec::new();
        if index == 0 {
            code.push("st.weak.global.u32 [x], 1;".to_owned());
        }
        code.push(format!(
            "atom.{}.gpu.global.add.u32 %r1, [c], 1;",
            if weak { "relaxed" } else { "acq_rel" }
        ));
        code.push("LOOP:".into());
        code.push("ld.acquire.gpu.global.u32 %r2, [c];".into());
        code.push(format!("setp.ne.u32 %p1, %r2, {n};"));
        code.push("@%p1 bra LOOP;".into());
        if index > 0 {
            code.push("ld.weak.global.u32 %r3, [x];".into());
        }
        thread(&mut text, index, &code);
    }
    let _ = writeln!(text, "exists (P1:%r3 == 0)");
    text
}

/// A producer and a consumer that take turns through n barriers.
fn barriers(n: usize, form: Form) -> String {
    let mut text = header("barriers", n, form, &["x".into()]);
    let place = |warp: usize| format!("gpu 0, cluster 0, cta 0, warp {warp}");
    let _ = writeln!(text, "P0 @ {} {{", place(0));
    for round in 1..=n {
        let _ = writeln!(text, "  st.weak.global.u32 [x], {round};\n  bar.sync 0;\n  bar.sync 1;");
    }
    text.push_str("}\n");
    let _ = writeln!(text, "P1 @ {} {{", place(1));
    for round in 1..=n {
        let read = format!("  ld.weak.global.u32 %r{round}, [x];");
        let last = form == Form::Allowed && round == n;
        let (before, after) = if last { (read.as_str(), "") } else { ("", read.as_str()) };
        let _ = writeln!(text, "{before}\n  bar.sync 0;\n{after}\n  bar.sync 1;");
    }
    text.push_str("}\n");
    let _ = writeln!(text, "exists (P1:%r{n} == {})", n - 1);
    text
}

/// n tiles, at least three, through two stages of a pipeline: bulk copies, mbarriers that count their
/// bytes, and a consumer that reads each tile and hands its stage back, with a proxy fence (forbidden) or
/// without one, so that the copy of a later tile may be ahead of the read (allowed).
fn pipeline(n: usize, form: Form) -> String {
    let mut text = format!("PTX pipeline-{n}\nExpect={}\n", form.verdict());
    for tile in 0..n {
        let _ = writeln!(text, ".global .align 16 .u32 g{tile}[4] = {{{}, 0, 0, 0}};", tile + 1);
    }
    for stage in 0..2 {
        let _ = writeln!(text, ".shared .align 16 .u32 s{stage}[4] = {{0, 0, 0, 0}};");
        let _ = writeln!(text, ".shared .align 8 .b64 full{stage};");
        let _ = writeln!(text, ".shared .align 8 .b64 empty{stage};");
    }
    let wait = |text: &mut String, label: &str, object: &str, stage: usize, parity: usize| {
        let _ = writeln!(
            text,
            "{label}: mbarrier.try_wait.parity.shared::cta.b64 %p1, [{object}{stage}], {parity};\n  \
             @!%p1 bra {label};"
        );
    };
    text.push_str("P0 @ cta 0, warp 0 {\n");
    for object in ["full0", "full1", "empty0", "empty1"] {
        let _ = writeln!(text, "  mbarrier.init.shared::cta.b64 [{object}], 1;");
    }
    text.push_str("  bar.sync 0;\n");
    for tile in 0..n {
        let (stage, parity) = (tile % 2, tile / 2 % 2);
        wait(&mut text, &format!("E{tile}"), "empty", stage, 1 - parity);
        let _ = writeln!(
            text,
            "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full{stage}], 16;\n  \
             cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s{stage}], [g{tile}], 16, \
             [full{stage}];"
        );
    }
    text.push_str("}\nP1 @ cta 0, warp 1 {\n  bar.sync 0;\n");
    for tile in 0..n {
        let (stage, parity) = (tile % 2, tile / 2 % 2);
        wait(&mut text, &format!("F{tile}"), "full", stage, parity);
        let _ = writeln!(text, "  ld.shared.u32 %r{tile}, [s{stage}];");
        if form == Form::Forbidden {
            text.push_str("  fence.proxy.async.shared::cta;\n");
        }
        let _ = writeln!(text, "  mbarrier.arrive.shared::cta.b64 _, [empty{stage}];");
    }
    let wrong: Vec<String> = (0..n).map(|tile| format!("P1:%r{tile} != {}", tile + 1)).collect();
    let _ = writeln!(text, "}}\nexists ({})", wrong.join(" \\/ "));
    text
}
