//! Findings of logs as Markdown for bug reports: each forbidden state with its test and the reason, and the
//! tests without verdict.

use super::{Subject, question, reason, state, text, times, versions};
use crate::judge::verdicts::{Allowance, Finding};

/// A complete Markdown document.
#[must_use]
pub fn render(subject: &Subject<'_>) -> String {
    let mut out = format!("# Logs against {}\n\n{}.\n", subject.model.name, text::summary(subject));
    for (index, (case, report)) in subject.cases.iter().zip(subject.reports).enumerate() {
        if report.finding != Finding::ForbiddenSeen {
            continue;
        }
        out.push_str(&format!("\n## {}\n\n", case.path));
        for (judged, asked, judgement) in report.forbidden() {
            let runs = report.runs.map_or(String::new(), |runs| format!(" in {runs} runs"));
            out.push_str(&format!(
                "The state `{}` was seen {}{runs}. It is {}: {}.\n\n",
                state(&judged.seen.values),
                times(judged),
                judgement.verdict.kind().name(),
                reason(judgement, subject),
            ));
            out.push_str(&format!("As a question: `{}`\n\n", question(asked)));
        }
        out.push_str(&fenced("", subject.files.text(case.test.span).trim()));
        for explanation in subject.explanations.iter().filter(|found| found.test == index) {
            out.push('\n');
            out.push_str(&fenced("text", explanation.text.trim()));
        }
    }
    out.push_str(&doubtful(subject));
    for (title, listed) in unmatched(subject) {
        out.push_str(&format!("\n## {title}\n\n{listed}"));
    }
    out
}

/// The tests with unknown results, with reasons.
fn doubtful(subject: &Subject<'_>) -> String {
    let mut out = String::new();
    for (case, report) in subject.cases.iter().zip(subject.reports) {
        let mut lines: Vec<String> = Vec::new();
        if !report.other_versions.is_empty() {
            lines.push(format!("{}.", versions(case, report, subject)));
        }
        if matches!(report.finding, Finding::OutOfModel | Finding::Broken) {
            lines.extend(Some(reason(&report.asked, subject)).filter(|why| !why.is_empty()));
        }
        for judged in &report.states {
            let (Allowance::Unknown(why) | Allowance::Broken(why)) = &judged.allowance else {
                continue;
            };
            let seen = state(&judged.seen.values);
            lines.push(format!("`{seen}`, seen {}: {why}.", times(judged)));
        }
        if !lines.is_empty() {
            out.push_str(&format!("- {}: {}\n", case.path, report.finding.name()));
            lines.iter().for_each(|line| out.push_str(&format!("  - {line}\n")));
        }
    }
    if out.is_empty() { out } else { format!("\n## Not judged\n\n{out}") }
}

/// Titles and lists: entries of logs without a test, and tests without an entry.
fn unmatched(subject: &Subject<'_>) -> Vec<(&'static str, String)> {
    let all = subject.cases.iter().zip(subject.reports);
    let not_run = all.filter(|(_, report)| report.finding == Finding::NotRun);
    let assigned = subject.assigned;
    let lists = [
        (
            "In the logs, but of no test",
            assigned.unknown.keys().map(|name| format!("- {name}\n")).collect(),
        ),
        (
            "In the logs, but of any of several tests",
            assigned
                .ambiguous
                .iter()
                .map(|(name, of)| format!("- {name}: {}\n", of.join(", ")))
                .collect(),
        ),
        ("In no log", not_run.map(|(case, _)| format!("- {}\n", case.path)).collect::<String>()),
    ];
    lists.into_iter().filter(|(_, listed)| !listed.is_empty()).collect()
}

/// Text in a code fence that is longer than all fences within the text.
fn fenced(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{text}\n{fence}\n")
}
