//! Commands about one test, as a user meets them.

#[path = "support/command.rs"]
mod runs;

use runs::ptxmc;

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
