//! What logs show, as Markdown for bug reports: each forbidden state with its test and the reason.

use super::{Subject, question, reason, state, text, times};
use crate::judge::verdicts::Finding;

/// The whole document.
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
    out
}

/// Text in a fence that is longer than any within it.
fn fenced(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{text}\n{fence}\n")
}
