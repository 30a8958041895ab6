//! What logs show, as JUnit's XML: a case for each test.

use super::{Subject, reason, state, times};
use crate::judge::verdicts::{Allowance, Finding, TestReport};
use crate::report::junit::{Ended, Ending, document};

/// The whole document.
#[must_use]
pub fn render(subject: &Subject<'_>) -> String {
    let mut cases: Vec<Ending> = Vec::new();
    for (case, report) in subject.cases.iter().zip(subject.reports) {
        cases.push((case.path.clone(), child(report, subject)));
    }
    for name in subject.assigned.unknown.keys() {
        cases.push((name.clone(), Some((Ended::Skipped, "no test has this name".to_owned()))));
    }
    for (name, paths) in &subject.assigned.ambiguous {
        let message = format!("several tests have this name: {}", paths.join(", "));
        cases.push((name.clone(), Some((Ended::Skipped, message))));
    }
    document(&subject.model.name, &cases)
}

fn child(report: &TestReport, subject: &Subject<'_>) -> Option<(Ended, String)> {
    let mut said = Vec::new();
    for judged in &report.states {
        let seen = state(&judged.seen.values);
        match &judged.allowance {
            Allowance::Forbidden(asked) => {
                let why = reason(&asked.1, subject);
                said.push(format!("{seen} is forbidden, seen {}: {why}", times(judged)));
            }
            Allowance::Unknown(why) | Allowance::Broken(why) => said.push(format!("{seen} {why}")),
            Allowance::Allowed | Allowance::Void => {}
        }
    }
    let said = if said.is_empty() { reason(&report.asked, subject) } else { said.join("; ") };
    let name = report.finding.name();
    match report.finding {
        Finding::ForbiddenSeen => Some((Ended::Failed, said)),
        Finding::Broken => Some((Ended::Broken, said)),
        Finding::Unknown | Finding::OutOfModel => Some((Ended::Skipped, format!("{name}: {said}"))),
        Finding::NotRun => Some((Ended::Skipped, "no log has it".to_owned())),
        Finding::Undefined
        | Finding::AllowedNeverSeen
        | Finding::AllowedSeen
        | Finding::Consistent => None,
    }
}
