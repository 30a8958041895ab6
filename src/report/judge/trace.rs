//! Verdicts on traces as text, Markdown, JSON and JUnit XML.

use crate::judge::trace::{Trace, Verdict};
use crate::report::json::SCHEMA;
use crate::report::junit::{Ended, Ending, document};
use crate::report::paint::Paint;
use crate::source::Files;
use serde_json::{Value, json};

/// A trace with its verdict.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The name of the file.
    pub name: String,
    /// The trace.
    pub trace: Trace,
    /// The verdict.
    pub verdict: Verdict,
    /// The minimal inconsistent part of an inconsistent trace.
    pub part: Option<Part>,
}

/// An inconsistent part of a trace such that every smaller part is consistent.
#[derive(Clone, Debug)]
pub struct Part {
    /// The lines of the part, with line numbers in the trace.
    pub lines: Vec<(usize, String)>,
    /// The part as a litmus test; `None` if the part has no such form.
    pub test: Option<String>,
    /// The reason why the model forbids the part.
    pub explanation: String,
}

/// The verdicts as text.
#[must_use]
pub fn text(traces: &[Judged], model: &str, paint: Paint) -> String {
    let mut out = String::new();
    for judged in traces {
        let verdict = match &judged.verdict {
            Verdict::Consistent => "consistent".to_owned(),
            Verdict::Inconsistent => paint.bad("INCONSISTENT"),
            Verdict::Unknown(_) => paint.doubtful("unknown"),
        };
        out.push_str(&format!(
            "{}: {verdict} under {model} ({})\n",
            judged.name,
            size(&judged.trace)
        ));
        if let Verdict::Unknown(why) = &judged.verdict {
            out.push_str(&format!("  {why}\n"));
        }
        if let Some(part) = &judged.part {
            out.push_str(&part_text(part, judged));
        }
    }
    out
}

fn size(trace: &Trace) -> String {
    let plural = |count: usize, what: &str| {
        if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
    };
    format!(
        "{} of {} at {}",
        plural(trace.ops.len(), "operation"),
        plural(trace.threads.len(), "thread"),
        plural(trace.cells.len(), "location"),
    )
}

fn part_text(part: &Part, judged: &Judged) -> String {
    let count = part.lines.len();
    let mut out = match count {
        1 => "\nThis operation alone is inconsistent:\n".to_owned(),
        _ => format!(
            "\nThese {count} operations are inconsistent, and no fewer of them ({} in all):\n",
            judged.trace.ops.len()
        ),
    };
    let width = part.lines.iter().map(|(line, _)| line.to_string().len()).max().unwrap_or(0);
    for (line, text) in &part.lines {
        out.push_str(&format!("  {line:>width$}  {text}\n"));
    }
    out.push_str(&format!("\n{}\n", part.explanation.trim_end()));
    out
}

/// The verdicts as a bug report in Markdown.
#[must_use]
pub fn markdown(traces: &[Judged], model: &str) -> String {
    let mut out = format!("# Traces against {model}\n");
    for judged in traces {
        let verdict = word(&judged.verdict);
        out.push_str(&format!(
            "\n## {}\n\nIt is {verdict} ({}).\n",
            judged.name,
            size(&judged.trace)
        ));
        if let Verdict::Unknown(why) = &judged.verdict {
            out.push_str(&format!("\n{why}\n"));
        }
        let Some(part) = &judged.part else { continue };
        out.push_str(&format!("\n```text\n{}\n```\n", part_text(part, judged).trim()));
        if let Some(test) = &part.test {
            out.push_str(&format!("\nAs a litmus test:\n\n```\n{}\n```\n", test.trim()));
        }
    }
    out
}

/// The verdicts as JSON.
#[must_use]
pub fn json(traces: &[Judged], model: &str) -> String {
    let traces: Vec<Value> = traces.iter().map(value).collect();
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "model": model,
        "traces": traces,
    });
    format!("{value:#}\n")
}

fn value(judged: &Judged) -> Value {
    let reason = match &judged.verdict {
        Verdict::Unknown(why) => why.as_str(),
        Verdict::Consistent | Verdict::Inconsistent => "",
    };
    let part = judged.part.as_ref().map(|part| {
        let line = |(line, text): &(usize, String)| json!({ "line": line, "text": text });
        json!({
            "operations": part.lines.iter().map(line).collect::<Vec<_>>(),
            "test": part.test,
            "explanation": part.explanation,
        })
    });
    json!({
        "name": judged.name,
        "verdict": word(&judged.verdict),
        "reason": reason,
        "operations": judged.trace.ops.len(),
        "threads": judged.trace.threads.len(),
        "locations": judged.trace.cells.len(),
        "part": part,
    })
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Consistent => "consistent",
        Verdict::Inconsistent => "inconsistent",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The verdicts as JUnit XML.
#[must_use]
pub fn junit(traces: &[Judged], model: &str) -> String {
    let child = |judged: &Judged| match &judged.verdict {
        Verdict::Consistent => None,
        Verdict::Unknown(why) => Some((Ended::Skipped, why.clone())),
        Verdict::Inconsistent => {
            let lines = judged.part.iter().flat_map(|part| &part.lines);
            let said: Vec<String> = lines.map(|(line, text)| format!("{line}: {text}")).collect();
            Some((Ended::Failed, format!("inconsistent: {}", said.join("; "))))
        }
    };
    let cases: Vec<Ending> = traces.iter().map(|t| (t.name.clone(), child(t))).collect();
    document(model, &cases)
}

/// The number and the text of an operation's line.
#[must_use]
pub fn line(span: crate::source::Span, files: &Files) -> (usize, String) {
    let line = files.get(span.file).map_or(0, |file| file.position(span.start as usize).line);
    (line, files.text(span).to_owned())
}
