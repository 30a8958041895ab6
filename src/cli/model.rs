//! `ptxmc model`: the built-in models, or what one model demands.

use super::args::ModelArguments;
use super::models::{Models, program_readings, readings_of};
use super::output::{Console, print};
use super::status::Status;
use crate::cat::{BUILTIN, render::model_text};
use crate::report::models::axioms;
use crate::source::Files;
use anyhow::Result;

pub(super) fn run(arguments: &ModelArguments, console: &Console) -> Result<Status> {
    let Some(name) = &arguments.model else {
        print(&list())?;
        return Ok(Status::Expected);
    };
    let mut files = Files::default();
    let loaded =
        Models::load(std::slice::from_ref(name), &arguments.readings, &mut files, console)?;
    for model in &loaded.models {
        print(&if arguments.show { model_text(model) } else { axioms(model, &files) })?;
    }
    Ok(Status::Expected)
}

/// Built-in models with their readings.
fn list() -> String {
    let mut out = String::from("Models, the default first:\n");
    for builtin in BUILTIN {
        out.push_str(&format!("  {:8} {}\n", builtin.name, builtin.summary));
        for reading in readings_of(builtin) {
            out.push_str(&format!("           --reading {reading}\n"));
        }
    }
    out.push_str("Readings for every model:\n");
    for reading in program_readings() {
        out.push_str(&format!("           --reading {reading}\n"));
    }
    out
}
