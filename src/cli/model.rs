//! `ptxmc model`: the built-in models, or the axioms of one model.

use super::args::ModelArguments;
use super::models::{Chosen, Models, program_readings, readings_of};
use super::output::{Console, print};
use super::status::Status;
use crate::cat::{BUILTIN, render::model_text};
use crate::relation::expr::Model;
#[cfg(feature = "simplify")]
use crate::relation::simplify::{cost, simplify};
use crate::report::models::axioms;
use crate::report::readings::{description, weight};
use crate::source::Files;
use anyhow::Result;
use std::collections::BTreeSet;

pub(super) fn run(arguments: &ModelArguments, console: &Console) -> Result<Status> {
    let Some(name) = &arguments.model else {
        print(&list())?;
        return Ok(Status::Expected);
    };
    let mut files = Files::default();
    let chosen = Chosen { readings: &arguments.readings, without: &arguments.without };
    let loaded = Models::load(std::slice::from_ref(name), chosen, &mut files, console)?;
    for (model, flat) in loaded.models.iter().zip(&loaded.flat) {
        print(&if arguments.show {
            expanded_text(model)
        } else {
            let readings = lines(loaded.variants.iter());
            let readings = match readings.is_empty() {
                true => String::new(),
                false => format!("Readings:\n{readings}"),
            };
            format!("{}{readings}\n{flat}", axioms(model, &files))
        })?;
    }
    Ok(Status::Expected)
}

/// A model with functions expanded.
#[cfg(not(feature = "simplify"))]
fn expanded_text(model: &Model) -> String {
    model_text(model)
}

/// A model with functions expanded, and its simplified form.
#[cfg(feature = "simplify")]
fn expanded_text(model: &Model) -> String {
    let simplified = simplify(model);
    let passes = |model: &Model| cost(model).div_ceil(10);
    format!(
        "{}\n(* Simplified: the axioms take about {} passes over a matrix to evaluate; as written, {}. *)\n\n{}",
        model_text(model),
        passes(&simplified),
        passes(model),
        model_text(&simplified)
    )
}

/// The built-in models with their readings.
fn list() -> String {
    let mut out = String::from("Models, the default first:\n");
    let mut listed: Vec<(&str, BTreeSet<String>)> = Vec::new();
    for builtin in BUILTIN {
        out.push_str(&format!("  {:8} {}\n", builtin.name, builtin.summary));
        let readings = readings_of(builtin);
        match listed.iter().find(|(_, other)| *other == readings && !other.is_empty()) {
            Some((name, _)) => out.push_str(&format!("{:11}the readings of {name}\n", "")),
            None => out.push_str(&lines(readings.iter())),
        }
        listed.push((builtin.name, readings));
    }
    out.push_str("Readings for every model:\n");
    out + &lines(program_readings().iter())
}

/// The readings with their descriptions.
fn lines<'r>(readings: impl Iterator<Item = &'r String> + Clone) -> String {
    let width = readings.clone().map(String::len).max().unwrap_or(0);
    let line = |reading: &String| {
        let what = description(reading).unwrap_or_default();
        let weight = weight(reading).name();
        format!("{:11}--reading {reading:width$}  {weight:7}  {what}", "").trim_end().to_owned()
            + "\n"
    };
    readings.map(line).collect()
}
