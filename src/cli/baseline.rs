//! Baselines: verdicts of an earlier run, as lines of verdict, model and path with tabs between.

use super::inputs::real;
use crate::batch::Case;
use crate::relation::expr::Model;
use crate::report::summary::Stated;
use crate::verdict::Kind;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// Verdicts by path and model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    verdicts: BTreeMap<(String, String), Kind>,
}

impl Baseline {
    /// Reads a baseline.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
        let mut baseline = Self::default();
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

    /// Makes tests expect what the baseline says; gives the number of verdicts that it lacks.
    pub(super) fn apply(&self, cases: &mut [Case], models: &[Model]) -> usize {
        let mut missing = 0;
        for case in cases {
            for (expected, model) in case.expected.iter_mut().zip(models) {
                match self.verdicts.get(&(known_as(&case.path), model.name.clone())) {
                    Some(&kind) => *expected = Some(kind),
                    None => missing += 1,
                }
            }
        }
        missing
    }

    /// Records the verdicts on a test.
    pub(super) fn record(&mut self, case: &Case, verdicts: &[Stated], models: &[Model]) {
        for (stated, model) in verdicts.iter().zip(models) {
            self.verdicts.insert((known_as(&case.path), model.name.clone()), stated.kind);
        }
    }

    /// Writes the baseline, sorted by path.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from("# verdict, model, path; written by `ptxmc check --bless`\n");
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
