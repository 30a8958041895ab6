//! Baselines: verdicts of an earlier run, as lines of verdict, model and path with tabs between. Behind
//! the name of the model stand the readings that were chosen, with spaces between.

use super::inputs::real;
use super::models::is_default;
use crate::batch::Case;
use crate::relation::expr::Model;
use crate::report::summary::Stated;
use crate::verdict::Kind;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Verdicts by path and model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    /// The models with their readings, as the file has them.
    verdicts: BTreeMap<(String, String), Kind>,
    /// The readings of this run, as they stand behind the name of a model.
    readings: String,
}

/// What a baseline has no verdicts on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// How many verdicts of this run it lacks.
    pub(super) verdicts: usize,
    /// The readings under which it has some of them.
    elsewhere: BTreeSet<String>,
}

impl Missing {
    /// What the user is told of it.
    pub(super) fn told(&self) -> String {
        let mut text = format!("verdicts that the baseline lacks: {}", self.verdicts);
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
    /// An empty one, for a run with these readings.
    pub(super) fn new(readings: &[String]) -> Self {
        let chosen: BTreeSet<_> = readings.iter().filter(|reading| !is_default(reading)).collect();
        let readings = chosen.into_iter().map(|reading| format!(" {reading}")).collect();
        Self { verdicts: BTreeMap::new(), readings }
    }

    /// Reads a baseline, for a run with these readings.
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
            let Some(kind) = Kind::named(verdict) else {
                bail!("{name}:{}: `{verdict}` is not a verdict", index + 1);
            };
            baseline.verdicts.insert((known_as(test), model.to_owned()), kind);
        }
        Ok(baseline)
    }

    /// Makes tests expect what the baseline says; gives what it does not say.
    pub(super) fn apply(&self, cases: &mut [Case], models: &[Model]) -> Missing {
        let mut missing = Missing::default();
        for case in cases {
            let path = known_as(&case.path);
            for (expected, model) in case.expected.iter_mut().zip(models) {
                match self.verdicts.get(&(path.clone(), self.known_model(model))) {
                    Some(&kind) => *expected = Some(kind),
                    None => {
                        missing.verdicts += 1;
                        missing.elsewhere.extend(self.readings_of(&path, model));
                    }
                }
            }
        }
        missing
    }

    /// What a baseline calls a model in this run.
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
            self.verdicts.insert((known_as(&case.path), self.known_model(model)), stated.kind);
        }
    }

    /// Writes the baseline, sorted by path.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from(
            "# verdict, model with readings, path; written by `ptxmc check --bless`\n",
        );
        for ((test, model), kind) in &self.verdicts {
            text.push_str(&format!("{}\t{model}\t{test}\n", kind.name()));
        }
        std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

/// What a baseline calls a test, however its path is spelled: by the path from the working folder,
/// if it lies below.
fn known_as(path: &str) -> String {
    // The name of a test in a file of several follows the path.
    let (file, name) = match path.rsplit_once('#') {
        Some((file, _)) if !Path::new(path).exists() => path.split_at(file.len()),
        _ => (path, ""),
    };
    let file = real(Path::new(file));
    let near = file.strip_prefix(real(Path::new("."))).unwrap_or(&file);
    format!("{}{name}", near.display())
}
