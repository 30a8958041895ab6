//! Baselines: the verdicts of an earlier run. Each line has a verdict, a model and a path with tabs
//! between; the name of the model is followed by the chosen readings with spaces between.

use super::inputs::real;
use super::models::is_default;
use super::output::write_file;
use crate::batch::Case;
use crate::litmus::ast::Quantifier;
use crate::relation::expr::Model;
use crate::report::summary::Stated;
use crate::verdict::Kind;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Verdicts by path and model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    /// The verdicts by test and by model with readings, as written in the file.
    verdicts: BTreeMap<(String, String), Written>,
    /// The readings of this run, as they appear behind the name of a model.
    readings: String,
}

/// A verdict in the form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    kind: Kind,
    /// The word for the verdict; for a `forall`, whether the condition holds.
    word: &'static str,
}

impl Written {
    fn of(kind: Kind, quantifier: Quantifier) -> Self {
        Self { kind, word: kind.word(quantifier) }
    }

    /// The verdict with the given word. For a `forall`, the name of the kind is accepted, too.
    fn named(word: &str) -> Option<Self> {
        let plain = Kind::named(word).map(|kind| Self::of(kind, Quantifier::Exists));
        plain.or_else(|| {
            let kind = Kind::worded(word, Quantifier::Forall)?;
            Some(Self::of(kind, Quantifier::Forall))
        })
    }
}

/// The agreement between the tests of a baseline and the tests of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    /// The number of verdicts of this run that the baseline contains.
    known: usize,
    /// The number of verdicts that the baseline lacks.
    lacking: usize,
    /// The readings under which the baseline has some of the missing verdicts.
    elsewhere: BTreeSet<String>,
    /// The tests of the baseline that no longer exist, under the models and readings of this run.
    stale: BTreeSet<String>,
}

/// The most stale lines that are named.
const MOST_STALE: usize = 5;

impl Comparison {
    /// Whether the baseline guards nothing, or guards tests that are gone. After a folder was moved
    /// or a test deleted, a successful comparison would mean nothing.
    pub(super) fn is_vacuous(&self) -> bool {
        self.known == 0 && self.lacking > 0 || !self.stale.is_empty()
    }

    /// The messages for the user, one per line.
    pub(super) fn messages(&self) -> Vec<String> {
        let lacking = (self.lacking > 0).then(|| self.message_on_lacking());
        let nothing = (self.known == 0 && self.lacking > 0)
            .then(|| "the baseline has no verdict on any of these tests".to_owned());
        let stale = self.stale.iter().take(MOST_STALE);
        let stale =
            stale.map(|test| format!("the baseline has a verdict on `{test}`, which is gone"));
        let more = self.stale.len().saturating_sub(MOST_STALE);
        let more = (more > 0).then(|| format!("... and on {more} more tests that are gone"));
        lacking.into_iter().chain(nothing).chain(stale).chain(more).collect()
    }

    fn message_on_lacking(&self) -> String {
        let mut text = format!("verdicts that the baseline lacks: {}", self.lacking);
        let options = |readings: &String| {
            let options = readings.split_whitespace().map(|one| format!("`--reading {one}`"));
            let options = options.collect::<Vec<_>>().join(" ");
            if options.is_empty() { "the default readings".to_owned() } else { options }
        };
        let elsewhere: Vec<String> = self.elsewhere.iter().map(options).collect();
        if !elsewhere.is_empty() {
            text.push_str(&format!(" (it has verdicts under {})", elsewhere.join(", and under ")));
        }
        text
    }
}

impl Baseline {
    /// An empty baseline for a run with these readings.
    pub(super) fn new(readings: &[String]) -> Self {
        let chosen: BTreeSet<_> = readings.iter().filter(|reading| !is_default(reading)).collect();
        let readings = chosen.into_iter().map(|reading| format!(" {reading}")).collect();
        Self { verdicts: BTreeMap::new(), readings }
    }

    /// Reads a baseline for a run with these readings.
    pub(super) fn read(path: &Path, readings: &[String]) -> Result<Self> {
        let name = path.display();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
        let mut baseline = Self::new(readings);
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.splitn(3, '\t');
            let (Some(verdict), Some(model), Some(test)) =
                (words.next(), words.next(), words.next())
            else {
                bail!("{name}:{}: a line is verdict, model and path with tabs between", index + 1);
            };
            let Some(verdict) = Written::named(verdict) else {
                bail!("{name}:{}: `{verdict}` is not a verdict", index + 1);
            };
            let before = baseline.verdicts.insert((known_as(test), model.to_owned()), verdict);
            if let Some(before) = before.filter(|before| before.kind != verdict.kind) {
                bail!(
                    "{name}:{}: `{test}` is {} under {model} here, and {} in a line above",
                    index + 1,
                    verdict.word,
                    before.word
                );
            }
        }
        Ok(baseline)
    }

    /// Whether a file is a baseline, that is, whether its first line that is not a comment starts
    /// with a verdict and a tab.
    pub(super) fn is_one(path: &Path) -> bool {
        let Ok(text) = std::fs::read_to_string(path) else { return false };
        let mut lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
        let first = lines.next().and_then(|line| line.split_once('\t'));
        first.is_some_and(|(verdict, _)| Written::named(verdict).is_some())
    }

    /// The model whose verdicts count: `wanted`, else the new model, else the only one.
    pub(super) fn chosen(&self, wanted: Option<&str>, new: Option<&Model>) -> Result<String> {
        let models: BTreeSet<&str> =
            self.verdicts.keys().map(|(_, model)| model.as_str()).collect();
        let own = new.map(|model| self.known_model(model));
        let found = match wanted {
            Some(wanted) => models.get(wanted).copied(),
            None => {
                own.as_deref().and_then(|own| models.get(own).copied()).or(match models.len() {
                    1 => models.first().copied(),
                    _ => None,
                })
            }
        };
        let names = || models.iter().map(|m| format!("`{m}`")).collect::<Vec<_>>().join(", ");
        match (found, wanted) {
            (Some(found), _) => Ok(found.to_owned()),
            (None, Some(wanted)) => {
                bail!("the baseline has no verdicts of `{wanted}`; it has those of {}", names())
            }
            (None, None) => bail!("--of chooses among the baseline's models {}", names()),
        }
    }

    /// The verdict of a model on a test.
    pub(super) fn verdict(&self, path: &str, model: &str) -> Option<Kind> {
        self.verdicts.get(&(known_as(path), model.to_owned())).map(|known| known.kind)
    }

    /// The tests with a verdict of a model in the baseline that are not among the given ones.
    pub(super) fn others(&self, cases: &[Case], model: &str) -> Vec<String> {
        let known: BTreeSet<String> = cases.iter().map(|case| known_as(&case.path)).collect();
        let own = self.verdicts.keys().filter(|(_, of)| of == model);
        own.filter(|(path, _)| !known.contains(path)).map(|(path, _)| path.clone()).collect()
    }

    /// Sets the expectations of tests from the baseline; gives how far the two match.
    pub(super) fn apply(&self, cases: &mut [Case], models: &[Model]) -> Comparison {
        let mut comparison = Comparison::default();
        let mut tests = BTreeSet::new();
        for case in cases {
            let path = known_as(&case.path);
            for (expected, model) in case.expected.iter_mut().zip(models) {
                match self.verdicts.get(&(path.clone(), self.known_model(model))) {
                    Some(written) => {
                        comparison.known += 1;
                        *expected = Some(written.kind);
                    }
                    None => {
                        comparison.lacking += 1;
                        comparison.elsewhere.extend(self.readings_of(&path, model));
                    }
                }
            }
            tests.insert(path);
        }
        let models: BTreeSet<String> = models.iter().map(|model| self.known_model(model)).collect();
        let of_run = self.verdicts.keys().filter(|(_, model)| models.contains(model));
        let stale = of_run.map(|(test, _)| test).filter(|test| is_gone(test, &tests));
        comparison.stale = stale.cloned().collect();
        comparison
    }

    /// Forgets tests that are gone.
    pub(super) fn prune(&mut self, cases: &[Case]) {
        let tests: BTreeSet<String> = cases.iter().map(|case| known_as(&case.path)).collect();
        self.verdicts.retain(|(test, _), _| !is_gone(test, &tests));
    }

    /// The name of a model of this run in the baseline.
    fn known_model(&self, model: &Model) -> String {
        format!("{}{}", model.name, self.readings)
    }

    /// The readings under which there is a verdict on a test.
    fn readings_of(&self, path: &str, model: &Model) -> impl Iterator<Item = String> {
        let verdicts = self.verdicts.range((path.to_owned(), String::new())..);
        let own = verdicts.take_while(move |((test, _), _)| test == path);
        let readings = own.filter_map(|((_, known), _)| known.strip_prefix(&model.name));
        readings.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map(str::to_owned)
    }

    /// Records the verdicts on a test.
    pub(super) fn record(&mut self, case: &Case, verdicts: &[Stated], models: &[Model]) {
        for (stated, model) in verdicts.iter().zip(models) {
            let verdict = Written::of(stated.kind, stated.quantifier);
            self.verdicts.insert((known_as(&case.path), self.known_model(model)), verdict);
        }
    }

    /// Writes the baseline, sorted by path.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from(
            "# verdict, model with readings, path; written by `ptxmc check --bless`\n",
        );
        for ((test, model), Written { word, .. }) in &self.verdicts {
            text.push_str(&format!("{word}\t{model}\t{test}\n"));
        }
        write_file(path, &text)
    }
}

/// Whether a test of a baseline is gone: its file is gone, or the file was read and lacks the test.
/// `tests` are the tests of the run, under their names in baselines.
fn is_gone(test: &str, tests: &BTreeSet<String>) -> bool {
    if tests.contains(test) {
        return false;
    }
    let (own, _) = split(test);
    let is_other = |other: &String| split(other).0 == own;
    own != "<stdin>" && (!Path::new(own).exists() || tests.iter().any(is_other))
}

/// The file of a test, and the name of the test if the file contains several.
fn split(test: &str) -> (&str, &str) {
    match test.rsplit_once('#') {
        Some((file, _)) if !Path::new(test).exists() => test.split_at(file.len()),
        _ => (test, ""),
    }
}

/// The name of a test in baselines, independent of the spelling of its path: the path from the
/// working folder, if the file lies below.
fn known_as(path: &str) -> String {
    let (file, name) = split(path);
    let file = real(Path::new(file));
    let near = file.strip_prefix(real(Path::new("."))).unwrap_or(&file);
    format!("{}{name}", near.display())
}
