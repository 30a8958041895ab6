//! The verdicts on a test under alternative readings of the standard.

use super::args::{Checking, Color, Single};
use super::models::{Chosen, Models, program_readings, program_settings};
use super::output::{Console, Messages};
use super::unaffected::CheckInputs;
use crate::batch::{Case, Judgement, verdict_kind};
use crate::check::{Settings, graph_of};
use crate::engines::{Choice, Memory};
use crate::event::graph::{EventGraph, Violation};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::relation::thin_air::thin_air;
use crate::solve::{Budget, Cores};
use crate::source::Files;
use crate::verdict::{Kind, Verdict};
use anyhow::Result;
use std::collections::BTreeSet;
use std::time::Instant;

/// A test whose verdict is known under the chosen readings.
pub(super) struct KnownVerdict<'a> {
    pub(super) single: &'a Single,
    pub(super) case: &'a Case,
    pub(super) judgement: &'a Judgement,
    /// The models under the chosen readings, and the readings that they ask about.
    pub(super) models: &'a [Model],
    pub(super) variants: &'a BTreeSet<String>,
    pub(super) settings: Settings,
    /// The engines' answers under the chosen readings, which the engines recall.
    pub(super) memories: &'a [Memory],
}

/// The readings that change the verdict if each replaces the chosen reading of its name, with the
/// new verdict. Readings whose check takes too long are left out.
///
/// # Errors
/// When the model cannot be read any more.
pub(super) fn alternatives(known: &KnownVerdict<'_>) -> Result<Vec<(String, Kind)>> {
    // Messages about the model have already been printed.
    let silent = Console::new(Color::Never, Messages::Errors);
    let Checking { engine, readings: chosen, without, .. } = &known.single.checking;
    let engines = Choice::named(engine)?.engines_with(Cores::FirstProof);
    let engines = Memory::behind(known.memories, engines);
    let mut out = Vec::new();
    let end = Instant::now() + Budget::ASIDE_TOGETHER;
    let of_programs = program_readings();
    let undefined = known.undefined();
    let KnownVerdict { case, judgement, memories, .. } = *known;
    let inputs = CheckInputs::new(&case.test, judgement, memories, known.settings);
    for reading in others(chosen, known.variants) {
        if Instant::now() > end {
            break;
        }
        let readings = instead(chosen, &reading);
        let mut settings = program_settings(&readings, known.settings)?;
        settings.budget = settings.budget.aside().at_most(STEPS / inputs.growth(settings));
        let is_of_programs = of_programs.contains(&reading);
        if is_of_programs && inputs.is_unaffected_by_settings(&case.test, settings) {
            continue;
        }
        // Readings of programs leave the models as they are.
        let loaded = match is_of_programs {
            true => None,
            false => {
                let names = known.single.model.as_slice();
                let chosen = Chosen { readings: &readings, without };
                Some(Models::load(names, chosen, &mut Files::default(), &silent)?.models)
            }
        };
        let models = loaded.as_deref().unwrap_or(known.models).iter();
        let is_as_before = |model: &Model| {
            known.models.iter().any(|before| inputs.is_unaffected_by_model(before, model))
        };
        let models = models.filter(|model| is_of_programs || !is_as_before(model));
        let open = models.filter(|model| {
            !undefined
                .as_ref()
                .is_some_and(|shown| shown.is_undefined_under(&known.case.test, model, settings))
        });
        let kinds = open.map(|model| {
            let settings = settings.with_budget(known.budget(model, settings.budget));
            verdict_kind(known.case, model, &engines, settings)
        });
        let decided = kinds.filter(|kind| !matches!(kind, Kind::Unknown | Kind::Error));
        let others = decided.filter(|kind| *kind != known.judgement.verdict.kind());
        out.extend(others.map(|kind| (reading.clone(), kind)));
    }
    Ok(out)
}

/// The most steps of an engine per question, for a program with as many events as under the chosen
/// readings.
const STEPS: u64 = 1_000;

/// The most steps of an engine per question if only the alternative reading permits out-of-thin-air values.
/// For most programs, only an engine with a long start-up time can exclude these.
const STEPS_WITH_THIN_AIR: u64 = 1_000;

impl KnownVerdict<'_> {
    fn budget(&self, model: &Model, budget: Budget) -> Budget {
        let grounded = self.models.iter().all(|before| thin_air(before).is_some());
        match grounded && thin_air(model).is_none() {
            true => budget.at_most(STEPS_WITH_THIN_AIR),
            false => budget,
        }
    }

    /// The execution of an undefined-behaviour verdict, if the verdict has one.
    fn undefined(&self) -> Option<ShownUndefined<'_>> {
        let Judgement { verdict, graph: Some(graph), .. } = self.judgement else { return None };
        let (Verdict::Undefined(reason), [model, ..]) = (verdict, self.models) else { return None };
        let choices = reason.choices.as_deref()?;
        let program = graph_of(&self.case.test, model, self.settings);
        Some(ShownUndefined { program, graph, choices })
    }
}

/// An execution that shows undefined behaviour under the chosen readings.
struct ShownUndefined<'a> {
    /// The events of the test.
    program: EventGraph,
    /// The events of the execution.
    graph: &'a EventGraph,
    choices: &'a Choices,
}

impl ShownUndefined<'_> {
    /// Whether the behaviour of the execution is also undefined under another model with the same events.
    fn is_undefined_under(&self, test: &Test, model: &Model, settings: Settings) -> bool {
        let is_outside =
            |graph: &EventGraph| graph.violations.iter().any(Violation::is_out_of_model);
        let own = graph_of(test, model, settings);
        if is_outside(&own) || is_outside(self.graph) || own != self.program {
            return false;
        }
        Execution::build(self.graph, self.choices.clone()).is_ok_and(|execution| {
            let happens = |violation: &Violation| execution.holds(violation.guard);
            let checked = recheck(model, &execution);
            checked.is_consistent()
                && (!checked.undefined.is_empty() || self.graph.violations.iter().any(happens))
        })
    }
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
