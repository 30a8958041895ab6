//! Commands about one test, as a user meets them.

use crate::support::command::{path, ptxmc, ptxmc_reading};

/// Three rounds decide the verdict, and then the lists are complete.
#[test]
fn lists_have_the_bound_of_the_verdict() {
    let raised = "tests/cli/raised.litmus";
    let told = ["check", "outcomes", "races"].map(|command| ptxmc(&[command, raised]).transcript());
    insta::assert_snapshot!(told.concat());
    let log = ptxmc(&["check", "--format", "herd", raised]).out;
    assert!(log.contains("\nNo\nWitnesses\nPositive: 0 Negative: 3\n"), "{log}");
    for command in ["outcomes", "races"] {
        let run = ptxmc(&[command, "--bound", "2", raised]);
        assert!(run.out.contains("was cut after 2 rounds"), "{}", run.transcript());
        assert_eq!(run.status, 3, "{}", run.transcript());
    }
}

/// What nobody has initialized has 16 values here, most of them alike.
#[test]
fn states_of_unknown_values_are_told_together() {
    let text = "PTX unknown\n.shared .u8 s;\n.global .u32 x = 0;\n\
                P0 @ cta 0 { ld.shared.u8 %r0, [s]; and.b32 %r1, %r0, 15; ld.relaxed.gpu.u32 %r2, [x]; \
                add.u32 %r3, %r1, %r2; setp.eq.u32 %p1, %r1, 7; selp.u32 %r4, 1, 0, %p1; }\n\
                P1 @ cta 1 { st.relaxed.gpu.u32 [x], 1; }\n\
                exists (P0:%r2 == 1 /\\ P0:%r1 == 3 /\\ P0:%r3 == 4 /\\ P0:%r4 == 0)\n";
    insta::assert_snapshot!(ptxmc_reading(&["outcomes", "-"], text).transcript());
    let run = ptxmc_reading(&["outcomes", "--witness", "-"], text);
    assert_eq!(run.out.matches("  chosen ").count(), 5, "{}", run.transcript());
    let run = ptxmc_reading(&["outcomes", "--format", "json", "-"], text);
    assert_eq!(run.out.matches("\"matches\"").count(), 32, "JSON has every state");
}

#[test]
fn a_test_may_have_no_condition() {
    let text = "PTX t\n.global .u32 x = 0;\nP0 @ cta 0 { st.relaxed.gpu.u32 [x], 1; }\n";
    let run = ptxmc_reading(&["outcomes", "--quiet", "-"], text);
    assert!(run.out.contains("\n* (nothing is observed)\n"), "{}", run.transcript());
    let run = ptxmc_reading(&["explain", "--quiet", "-"], text);
    let question = "\n\n  forall (true), since the test has no condition\n\n";
    assert!(run.out.contains(question), "{}", run.transcript());
}

#[test]
fn titles_name_the_verdict_and_what_cannot_be_drawn_is_explained() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("picture.dot");
    let draw = |test: &str| ptxmc(&["draw", test, "-o", path(&file)]);
    for (test, title) in [
        ("tests/cli/MP-relaxed.litmus", "MP-relaxed (allowed)"),
        ("tests/cli/MP.litmus", "MP (forbidden: breaks Causality)"),
    ] {
        let run = draw(test);
        assert_eq!(run.status, 0, "{}", run.transcript());
        let text = std::fs::read_to_string(&file).expect("the picture is there");
        assert!(text.contains(title), "{text}");
    }
    let shown = ptxmc(&["check", "--witness=dot", "tests/cli/MP-relaxed.litmus"]).out;
    assert!(shown.contains("MP-relaxed (allowed)"), "{shown}");
    for test in ["litmus/control/endless-wait.litmus", "tests/cli/waits-for-ever.litmus"] {
        let run = ptxmc(&["draw", test, "-o", "-", "--format", "text"]);
        assert_eq!(run.status, 0, "{}", run.transcript());
        assert!(run.out.contains("(waits for ever "), "{}", run.transcript());
    }
    let undrawn = ["litmus/addresses/initial-address.litmus", "tests/cli/count-to-five.litmus"];
    let told = undrawn.map(|test| format!("{test}: {}", draw(test).transcript()));
    insta::assert_snapshot!(told.concat());
}
