//! Findings of logs as text.

use super::{Row, Subject, coverage, reason, state, times, versions};
use crate::batch::Case;
use crate::judge::compare::{Change, ChangeKind, State};
use crate::judge::verdicts::{Allowance, Finding, TestReport};
use crate::report::paint::Paint;

/// The most names in a list; longer lists end with the number of the remaining names.
const MOST_LISTED: usize = 20;

/// The complete report.
#[must_use]
pub fn render(subject: &Subject<'_>, paint: Paint) -> String {
    let mut out = tests(subject, paint);
    for explanation in subject.explanations {
        out.push_str(&format!("\n{}", explanation.text.trim_end()));
        out.push('\n');
    }
    for (title, rows) in subject.facets() {
        out.push_str(&table(title, &rows));
    }
    out.push_str(&unmatched(subject));
    if let Some(comparison) = subject.changes {
        out.push_str(&changes(&comparison.changes, comparison.same));
    }
    if let Some(kills) = subject.kills {
        out.push_str(&coverage::text(kills, subject.cases));
    }
    out.push_str(&next(subject));
    out.push_str(&format!("\n{}\n", summary(subject)));
    out
}

/// The number of tests with each finding, in one line.
#[must_use]
pub fn summary(subject: &Subject<'_>) -> String {
    let counts = subject.counts();
    let parts: Vec<String> = Finding::ALL
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(finding, count)| match finding {
            Finding::ForbiddenSeen => format!("{count} FORBIDDEN AND SEEN"),
            _ => format!("{count} {}", finding.name()),
        })
        .collect();
    let tests = subject.cases.len();
    let tests = if tests == 1 { "1 test".to_owned() } else { format!("{tests} tests") };
    let mut line = tests;
    if !parts.is_empty() {
        line.push_str(&format!(" under {}: {}", subject.model.name, parts.join(", ")));
    }
    match subject.assigned.unknown.len() + subject.assigned.ambiguous.len() {
        0 => line,
        1 => line + "; 1 name in the logs is of no known test",
        names => format!("{line}; {names} names in the logs are of no known test"),
    }
}

/// A line for each test with a log entry.
fn tests(subject: &Subject<'_>, paint: Paint) -> String {
    let run = || {
        let all = subject.cases.iter().zip(subject.reports);
        all.filter(|(_, report)| report.finding != Finding::NotRun)
    };
    let width = run().map(|(case, _)| case.path.chars().count()).max().unwrap_or(0);
    let words = Finding::ALL.iter().map(|f| f.name().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (case, report) in run() {
        let bad = matches!(report.finding, Finding::ForbiddenSeen | Finding::Broken);
        let name = report.finding.name();
        let name = if bad { name.to_uppercase() } else { name.to_owned() };
        let cell = format!("{name:words$}");
        let cell = match report.finding {
            Finding::ForbiddenSeen | Finding::Broken => paint.bad(&cell),
            Finding::OtherVersion | Finding::Unknown | Finding::OutOfModel => paint.doubtful(&cell),
            _ => cell,
        };
        let line = format!("{:width$}  {cell}  {}", case.path, remark(case, report, subject));
        out.push_str(&format!("{}\n", line.trim_end()));
        out.push_str(&notable_states(report, subject));
    }
    out
}

/// The number of occurrences of the observed states, and the covered part of the allowed states.
fn remark(case: &Case, report: &TestReport, subject: &Subject<'_>) -> String {
    let mut parts = Vec::new();
    if !report.other_versions.is_empty() {
        parts.push(versions(case, report, subject));
    }
    match report.finding {
        Finding::OutOfModel | Finding::Undefined | Finding::Broken => {
            parts.push(reason(&report.asked, subject));
        }
        Finding::AllowedSeen | Finding::AllowedNeverSeen => {
            parts.push(match (report.runs, report.positive()) {
                (Some(runs), positive) => format!("{positive} of {runs} runs"),
                (None, 0) => "not listed".to_owned(),
                (None, _) => "listed".to_owned(),
            });
        }
        Finding::OtherVersion if report.states.is_empty() => {}
        _ => parts.extend(report.runs.map(|runs| format!("{runs} runs"))),
    }
    if let Some(unseen) = &report.unseen {
        let seen = report.states.iter();
        let seen = seen.filter(|s| matches!(s.allowance, Allowance::Allowed)).count();
        let all = seen + unseen.states.len();
        let least = if unseen.complete { "" } else { "at least " };
        parts.push(format!("{seen} of {least}{all} allowed states seen"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// The states with a finding other than "allowed", below the line of the test.
fn notable_states(report: &TestReport, subject: &Subject<'_>) -> String {
    let mut out = String::new();
    for judged in &report.states {
        let what = match &judged.allowance {
            Allowance::Allowed | Allowance::Void => continue,
            Allowance::Forbidden(asked) => {
                let why = reason(&asked.1, subject);
                format!("forbidden, seen {}: {why}", times(judged))
            }
            Allowance::Unknown(why) => format!("unknown: {why}"),
            Allowance::Broken(why) => format!("error: {why}"),
        };
        out.push_str(&format!("    {}  {what}\n", state(&judged.seen.values)));
    }
    out
}

/// A table of findings; empty for a table without rows.
fn table(title: &str, rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (rows, left) = most_tests(rows);
    let used: Vec<usize> = (0..Finding::ALL.len())
        .filter(|&at| rows.iter().any(|(_, counts)| counts[at] > 0))
        .collect();
    let width = rows.iter().map(|(name, _)| name.len()).chain([title.len()]).max().unwrap_or(0);
    let mut out = format!("\n{title:width$}");
    used.iter().for_each(|&at| out.push_str(&format!("  {}", Finding::ALL[at].name())));
    out.push('\n');
    for (name, counts) in &rows {
        out.push_str(&format!("{name:width$}"));
        for &at in &used {
            let column = Finding::ALL[at].name().len();
            let cell = if counts[at] == 0 { "-".to_owned() } else { counts[at].to_string() };
            out.push_str(&format!("  {cell:>column$}"));
        }
        out.push('\n');
    }
    if left > 0 {
        out.push_str(&format!("and {left} more\n"));
    }
    out
}

/// The most rows of a table.
const MOST_ROWS: usize = 40;

/// The rows with the most tests, in the order of the table, and the number of omitted rows.
fn most_tests(rows: &[Row]) -> (Vec<Row>, usize) {
    let mut sizes: Vec<usize> = rows.iter().map(|(_, counts)| counts.iter().sum()).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let least = sizes.get(MOST_ROWS).map_or(0, |size| size + 1);
    let large = rows.iter().filter(|(_, counts)| counts.iter().sum::<usize>() >= least);
    let large: Vec<Row> = large.cloned().collect();
    let left = rows.len() - large.len();
    (large, left)
}

/// Names in logs that belong to no test, and tests without log entry.
fn unmatched(subject: &Subject<'_>) -> String {
    let mut out = String::new();
    let unknown: Vec<&str> = subject.assigned.unknown.keys().map(String::as_str).collect();
    if !unknown.is_empty() {
        out.push_str(&format!("\nIn the logs, but of no test: {}\n", listed(&unknown)));
    }
    for (name, paths) in &subject.assigned.ambiguous {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        out.push_str(&format!(
            "\n{name} in the logs may be any of {}: a log of this tool tells them apart\n",
            listed(&paths)
        ));
    }
    let all = subject.cases.iter().zip(subject.reports);
    let not_run = all.filter(|(_, report)| report.finding == Finding::NotRun);
    let not_run: Vec<&str> = not_run.map(|(case, _)| case.path.as_str()).collect();
    if !not_run.is_empty() {
        out.push_str(&format!("\nIn no log: {}\n", listed(&not_run)));
    }
    out
}

/// `a, b, c`, with the number of omitted names.
pub(super) fn listed(names: &[&str]) -> String {
    let (shown, rest) = names.split_at(names.len().min(MOST_LISTED));
    let mut out = shown.join(", ");
    if !rest.is_empty() {
        out.push_str(&format!(" and {} more", rest.len()));
    }
    out
}

/// The differences from other logs.
fn changes(changes: &[Change], same: usize) -> String {
    let tests = if same == 1 { "test" } else { "tests" };
    let mut out = format!("\nAgainst the other logs: {same} {tests} with the same states");
    let count = |wanted: &dyn Fn(&ChangeKind) -> bool| {
        changes.iter().filter(|change| wanted(&change.kind)).count()
    };
    let new = count(&|kind| matches!(kind, ChangeKind::New));
    let gone = count(&|kind| matches!(kind, ChangeKind::Gone));
    let other = changes.len() - new - gone;
    out.push_str(&format!(", {other} with others, {new} new, {gone} gone\n"));
    for Change { name, kind } in changes {
        match kind {
            ChangeKind::New => out.push_str(&format!("  {name}: new\n")),
            ChangeKind::Gone => out.push_str(&format!("  {name}: gone\n")),
            ChangeKind::States { new, gone } => {
                out.push_str(&format!("  {name}\n"));
                let line = |sign: char, (values, count): &State| {
                    let count = count.map_or(String::new(), |count| format!("  {count}"));
                    format!("    {sign} {}{count}\n", state(values))
                };
                new.iter().for_each(|state| out.push_str(&line('+', state)));
                gone.iter().for_each(|state| out.push_str(&line('-', state)));
            }
        }
    }
    out
}

/// The tests to run next.
fn next(subject: &Subject<'_>) -> String {
    if subject.next.is_empty() {
        return String::new();
    }
    let mut out =
        String::from("\nTo run next, since their outcomes are allowed and were not seen:\n");
    let (shown, rest) = subject.next.split_at(subject.next.len().min(MOST_LISTED));
    let width = shown.iter().map(|&i| subject.cases[i].path.chars().count()).max().unwrap_or(0);
    for &index in shown {
        let report = &subject.reports[index];
        let ran = match (report.finding, report.runs) {
            (Finding::OtherVersion, _) => "another version was run".to_owned(),
            (Finding::NotRun, _) => "not run".to_owned(),
            (_, Some(runs)) => format!("not in {runs} runs"),
            (_, None) => "not listed".to_owned(),
        };
        let path = &subject.cases[index].path;
        out.push_str(&format!("  {path:width$}  {ran}\n"));
    }
    if !rest.is_empty() {
        out.push_str(&format!("  and {} more\n", rest.len()));
    }
    out
}
