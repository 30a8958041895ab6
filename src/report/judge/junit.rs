//! Findings of logs as JUnit XML: a case per test, and a case per error in a file.

use super::{Subject, reason, state, times, versions};
use crate::batch::Case;
use crate::judge::verdicts::{Allowance, Finding, TestReport};
use crate::report::junit::{Ended, Ending, document};

/// The case of a file that could not be read at all.
const UNREAD: &str = "files";

/// The complete document.
#[must_use]
pub fn render(subject: &Subject<'_>) -> String {
    let mut cases: Vec<Ending> = Vec::new();
    for (case, report) in subject.cases.iter().zip(subject.reports) {
        cases.push((case.path.clone(), child(case, report, subject)));
    }
    for name in subject.assigned.unknown.keys() {
        cases.push((name.clone(), Some((Ended::Skipped, "no test has this name".to_owned()))));
    }
    for (name, paths) in &subject.assigned.ambiguous {
        let message = format!("several tests have this name: {}", paths.join(", "));
        cases.push((name.clone(), Some((Ended::Skipped, message))));
    }
    for diagnostic in subject.broken {
        let place = diagnostic.primary.as_ref().map(|label| subject.files.location(label.span));
        let place = place.unwrap_or_else(|| UNREAD.to_owned());
        let message = format!("{}: {}", diagnostic.code, diagnostic.message);
        cases.push((place, Some((Ended::Broken, message))));
    }
    document(&subject.model.name, &cases)
}

fn child(case: &Case, report: &TestReport, subject: &Subject<'_>) -> Option<(Ended, String)> {
    let mut said = Vec::new();
    if !report.other_versions.is_empty() {
        said.push(versions(case, report, subject));
    }
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
        Finding::OtherVersion | Finding::Unknown | Finding::OutOfModel => {
            Some((Ended::Skipped, format!("{name}: {said}")))
        }
        Finding::NotRun => Some((Ended::Skipped, "no log has it".to_owned())),
        Finding::Undefined
        | Finding::AllowedNeverSeen
        | Finding::AllowedSeen
        | Finding::Consistent => None,
    }
}
