//! The verdicts on a test under alternative readings of the standard.

use super::args::{Checking, Color, Single};
use super::models::{Setup, program_readings};
use super::output::Console;
use crate::batch::{Case, judge};
use crate::solve::{Budget, Cores};
use crate::verdict::Kind;
use anyhow::Result;
use std::collections::BTreeSet;
use std::time::Instant;

/// The readings that change the verdict if each replaces the chosen reading of its name, with the
/// new verdict. Readings whose check takes too long are left out.
///
/// # Errors
/// When the model cannot be read any more.
pub(super) fn alternatives(
    single: &Single,
    case: &Case,
    verdict: Kind,
    variants: &BTreeSet<String>,
) -> Result<Vec<(String, Kind)>> {
    // Messages about the model have already been printed.
    let silent = Console::new(Color::Never, true);
    let mut out = Vec::new();
    let end = Instant::now() + Budget::ASIDE_TOGETHER;
    for reading in others(&single.checking.readings, variants) {
        if Instant::now() > end {
            break;
        }
        let readings = instead(&single.checking.readings, &reading);
        let checking = Checking { readings, ..single.checking.clone() };
        let Setup { models, engines, mut settings, .. } =
            Setup::load(single.model.as_slice(), &checking, Cores::FirstProof, &silent)?;
        settings.budget = settings.budget.aside();
        let kinds = judge(case, &models, &engines, settings).into_iter();
        let told = kinds.map(|judgement| judgement.verdict.kind());
        let told = told.filter(|kind| !matches!(kind, Kind::Unknown | Kind::Error));
        out.extend(told.filter(|kind| *kind != verdict).map(|kind| (reading.clone(), kind)));
    }
    Ok(out)
}

/// The readings that are not in force. A reading of a model is in force only if it is chosen. Of
/// the readings for programs, the first one of each name is in force by default.
fn others(chosen: &[String], variants: &BTreeSet<String>) -> Vec<String> {
    let mut named = BTreeSet::new();
    let programs = program_readings();
    let others = programs.into_iter().filter(|reading| {
        let first = named.insert(name(reading).to_owned());
        !first || chosen.iter().any(|other| name(other) == name(reading))
    });
    variants.iter().cloned().chain(others).filter(|reading| !chosen.contains(reading)).collect()
}

/// The chosen readings, with the given reading instead of the one of the same name.
fn instead(chosen: &[String], reading: &str) -> Vec<String> {
    let kept = chosen.iter().filter(|other| name(other) != name(reading)).cloned();
    kept.chain([reading.to_owned()]).collect()
}

fn name(reading: &str) -> &str {
    reading.split_once('=').map_or(reading, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_in_force_are_no_others() {
        let variants = ["nta=syntactic", "nta=value"].map(str::to_owned);
        let all = others(&[], &BTreeSet::from(variants.clone()));
        let has = |reading: &str| all.iter().any(|other| other == reading);
        assert!(has("nta=syntactic") && has("tearing=byte") && has("vector=whole"));
        assert!(!has("tearing=overlap") && !has("vector=ordered"));
        let chosen = ["nta=value", "vector=whole"].map(str::to_owned);
        let all = others(&chosen, &BTreeSet::from(variants));
        let has = |reading: &str| all.iter().any(|other| other == reading);
        assert!(has("nta=syntactic") && has("vector=ordered"));
        assert!(!has("nta=value") && !has("vector=whole"));
        assert_eq!(instead(&chosen, "nta=syntactic"), ["vector=whole", "nta=syntactic"]);
    }
}
