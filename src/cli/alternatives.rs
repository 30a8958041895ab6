//! What other readings of the standard make of a test.

use super::args::{Checking, Color, Single};
use super::models::{Setup, program_readings};
use super::output::Console;
use crate::batch::{Case, verdict_kind};
use crate::solve::{Budget, Cores};
use crate::verdict::Kind;
use anyhow::Result;
use std::collections::BTreeSet;
use std::time::Instant;

/// The readings, each alone in the place of the one chosen, under which the verdict is another, with
/// that verdict; those under which it takes long to find out are left out.
///
/// # Errors
/// When the model cannot be read any more.
pub(super) fn alternatives(
    single: &Single,
    case: &Case,
    verdict: Kind,
    variants: &BTreeSet<String>,
) -> Result<Vec<(String, Kind)>> {
    // What there is to say of the model has been said.
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
        let kinds = models.iter().map(|model| verdict_kind(case, model, &engines, settings));
        let told = kinds.filter(|kind| !matches!(kind, Kind::Unknown | Kind::Error));
        out.extend(told.filter(|kind| *kind != verdict).map(|kind| (reading.clone(), kind)));
    }
    Ok(out)
}

/// The readings that are not in force. That of a model is in force where none of its name is chosen;
/// of one that concerns programs the first is.
fn others(chosen: &[String], variants: &BTreeSet<String>) -> Vec<String> {
    let mut named = BTreeSet::new();
    let programs = program_readings();
    let others = programs.into_iter().filter(|reading| {
        let first = named.insert(name(reading).to_owned());
        !first || chosen.iter().any(|other| name(other) == name(reading))
    });
    variants.iter().cloned().chain(others).filter(|reading| !chosen.contains(reading)).collect()
}

/// What is chosen, with a reading in the place of that of its name.
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
