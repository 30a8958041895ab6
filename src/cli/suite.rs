//! `ptxmc suite`: the tests that pin a model.

use super::args::{SuiteArguments, SuiteFormat};
use super::check::jobs;
use super::models::Setup;
use super::output::{Console, print};
use super::status::Status;
use crate::report::suite::{json, table, text};
use crate::solve::Cores;
use crate::workbench::suite::{Order, Suite, suite};
use anyhow::{Context, Result, bail};
use std::path::Path;

pub(super) fn run(arguments: &SuiteArguments, console: &Console) -> Result<Status> {
    let names = std::slice::from_ref(&arguments.model);
    let setup = Setup::load(names, &arguments.checking, Cores::Minimal, console)?;
    let ([model], [engine]) = (&setup.models[..], &setup.engines[..]) else {
        bail!("`suite` asks one engine; choose one with --engine");
    };
    let sizes = &arguments.sizes;
    let kinds = sizes.kinds();
    let found = suite(&Order {
        model,
        engine: engine.as_ref(),
        settings: setup.settings,
        events: sizes.events.into(),
        special_events: sizes.special_events.map(usize::from),
        kinds: &kinds,
        threads: sizes.threads.into(),
        jobs: jobs(sizes.jobs),
    });
    if let Some(folder) = &arguments.output {
        write(&found, folder)?;
    }
    print(&match arguments.format {
        SuiteFormat::Table => table(&found, &model.name),
        SuiteFormat::Text => text(&found, &model.name),
        SuiteFormat::Json => json(&found, &model.name),
    })?;
    Ok(if found.tests.is_empty() { Status::Unknown } else { Status::Expected })
}

/// Writes each test to a separate file.
fn write(suite: &Suite, folder: &Path) -> Result<()> {
    let failed = || format!("cannot write to `{}`", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    for pin in &suite.tests {
        let path = folder.join(format!("{}.litmus", pin.name));
        std::fs::write(path, &pin.text).with_context(failed)?;
    }
    Ok(())
}
