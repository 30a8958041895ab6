//! Verdicts as text: one line per test, one column per model.

use super::paint::Paint;
use super::reason;
use super::summary::missed;
use crate::batch::{Case, Judgement, Refusal, Standing};
use crate::check::HangKind;
use crate::relation::expr::Model;
use crate::source::Files;
use crate::verdict::{Kind, Verdict};

/// The columns of a report.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    models: &'a [Model],
    paint: Paint,
    path_width: usize,
}

impl<'a> Table<'a> {
    /// The columns for paths of at most `path_width` characters and for `models`.
    #[must_use]
    pub fn new(path_width: usize, models: &'a [Model], paint: Paint) -> Self {
        Self { models, paint, path_width }
    }

    /// The length of the longest path, in characters.
    #[must_use]
    pub fn path_width(cases: &[Case]) -> usize {
        cases.iter().map(|c| c.path.chars().count()).max().unwrap_or(0)
    }

    /// The line with the names of the models; `None` for a single model.
    #[must_use]
    pub fn header(&self) -> Option<String> {
        if self.models.len() < 2 {
            return None;
        }
        let mut line = " ".repeat(self.path_width);
        for model in self.models {
            line.push_str("  ");
            line.push_str(&pad(&model.name, self.cell_width(model)));
        }
        Some(line.trim_end().to_owned())
    }

    /// The line of a test; the spans of the verdicts refer to `files`.
    #[must_use]
    pub fn line(&self, case: &Case, judgements: &[Judgement], files: &Files) -> String {
        let mut line = pad(&case.path, self.path_width);
        for (model, judgement) in self.models.iter().zip(judgements) {
            let kind = judgement.verdict.kind();
            let cell = pad(kind.word(case.test.quantifier), self.cell_width(model));
            line.push_str("  ");
            line.push_str(&self.paint.verdict(kind, &cell));
        }
        line.push_str("  ");
        line.push_str(&self.remark(case, judgements, files));
        line.trim_end().to_owned()
    }

    fn cell_width(&self, model: &Model) -> usize {
        if self.models.len() < 2 {
            return Kind::Forbidden.name().len();
        }
        // The width is the same for all verdicts, so that later columns are aligned.
        let verdicts = Kind::ALL.map(|kind| kind.name().len());
        verdicts.into_iter().max().unwrap_or(0).max(model.name.chars().count())
    }

    /// The comparison with expectations, and the reasons of the verdicts.
    fn remark(&self, case: &Case, judgements: &[Judgement], files: &Files) -> String {
        let standings: Vec<Standing> = judgements.iter().map(Judgement::standing).collect();
        let worst = standings.iter().copied().max().unwrap_or(Standing::Unasked);
        let standing = match worst {
            Standing::Unexpected => self.paint.bad(&self.unexpected(case, judgements)),
            Standing::Expected | Standing::Unasked if standings.contains(&Standing::Expected) => {
                "as expected".to_owned()
            }
            _ => pad("", "as expected".len()),
        };
        let reasons = self.reasons(judgements, worst, files);
        format!("{standing}  {}", self.paint.faint(&reasons))
    }

    fn unexpected(&self, case: &Case, judgements: &[Judgement]) -> String {
        let mut wrong = Vec::new();
        for (model, judgement) in self.models.iter().zip(judgements) {
            if judgement.standing() != Standing::Unexpected {
                continue;
            }
            let (expected, refused) = (judgement.expected, judgement.refused);
            let Some(what) = missed(expected, refused, case.test.quantifier) else { continue };
            let several = self.models.len() > 1;
            wrong.push(if several { format!("{} {what}", model.name) } else { what });
        }
        format!("NOT EXPECTED: {}", wrong.join(", "))
    }

    /// The reason of the only verdict; of several verdicts, the reasons of those with the worst standing.
    fn reasons(&self, judgements: &[Judgement], worst: Standing, files: &Files) -> String {
        let several = self.models.len() > 1;
        let mut reasons = Vec::new();
        for (model, judgement) in self.models.iter().zip(judgements) {
            if several && (worst <= Standing::Unasked || judgement.standing() != worst) {
                continue;
            }
            let reason = reason::line(&judgement.verdict, model, files);
            let reason = with_silent(qualified(reason, judgement), judgement);
            if !reason.is_empty() {
                reasons.push(if several { format!("{}: {reason}", model.name) } else { reason });
            }
        }
        if judgements.iter().any(|judgement| judgement.refused == Some(Refusal::RaceUnknown)) {
            reasons.push("whether there is a data race is unknown".to_owned());
        }
        // These verdicts already state that threads wait forever, or leave hangs without meaning.
        let settles_hangs = |verdict: &Verdict| match verdict {
            Verdict::Forbidden(core) => !core.endless.is_empty(),
            other => matches!(other.kind(), Kind::Deadlock | Kind::Undefined | Kind::Unknown),
        };
        let some_hang = |kind| {
            let others = judgements.iter().filter(|judgement| !settles_hangs(&judgement.verdict));
            let mut answers = others.filter_map(|judgement| judgement.hang.as_ref());
            answers.any(|hang| hang.kind() == kind)
        };
        if some_hang(HangKind::Possible) {
            reasons.push("may hang".to_owned());
        } else if some_hang(HangKind::Unknown) {
            reasons.push("whether it may hang is unknown".to_owned());
        }
        reasons.join("; ")
    }
}

/// A reason; for a verdict outside of the model with a note whether the standard or the tool is silent.
fn qualified(reason: String, judgement: &Judgement) -> String {
    match judgement.verdict.silence() {
        Some(silence) => format!("{}: {reason}", silence.words()),
        None => reason,
    }
}

/// A reason, with the engines that gave no answer.
fn with_silent(reason: String, judgement: &Judgement) -> String {
    if judgement.silent.is_empty() {
        return reason;
    }
    let silent = format!("no answer from {}", judgement.silent.join(", "));
    if reason.is_empty() { silent } else { format!("{reason}; {silent}") }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text:width$}")
}
