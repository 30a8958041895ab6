//! `ptxmc distinguish`: the smallest tests that tell two models apart.

use super::args::{DistinguishArguments, FoundFormat};
use super::check::jobs;
use super::models::Setup;
use super::output::{Console, print};
use super::status::Status;
use crate::report::distinguish::{json, text};
use crate::solve::Cores;
use crate::workbench::distinguish::{Answer, Question, distinguish};
use anyhow::{Context, Result, bail};
use std::path::Path;

pub(super) fn run(arguments: &DistinguishArguments, console: &Console) -> Result<Status> {
    let names = [arguments.one.clone(), arguments.other.clone()];
    let setup = Setup::load(&names, &arguments.checking, Cores::Minimal, console)?;
    let ([one, other], [engine]) = (&setup.models[..], &setup.engines[..]) else {
        bail!("`distinguish` asks one engine; choose one with --engine");
    };
    let sizes = &arguments.sizes;
    let kinds = sizes.kinds();
    let question = Question {
        models: [one, other],
        engine: engine.as_ref(),
        settings: setup.settings,
        events: sizes.events.into(),
        special_events: sizes.special_events.map(usize::from),
        kinds: &kinds,
        threads: sizes.threads.into(),
        count: arguments.count.into(),
        allowed_by: None,
        jobs: jobs(sizes.jobs),
        budget: sizes.budget(),
    };
    let answer = distinguish(&question);
    if let Some(folder) = &arguments.output {
        write(&answer, folder)?;
    }
    let names = [one.name.as_str(), other.name.as_str()];
    print(&match arguments.format {
        FoundFormat::Text => text(&answer, names, question.threads),
        FoundFormat::Json => json(&answer, names, question.threads),
    })?;
    Ok(match (answer.found.is_empty(), answer.is_cut) {
        (false, _) => Status::Differs,
        (true, false) => Status::Expected,
        (true, true) => Status::Unknown,
    })
}

/// Writes each test to a separate file.
fn write(answer: &Answer, folder: &Path) -> Result<()> {
    let failed = || format!("cannot write to `{}`", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    for (index, one) in answer.found.iter().enumerate() {
        let name = format!("difference-{}", index + 1);
        let text = one.text.replacen("PTX difference\n", &format!("PTX {name}\n"), 1);
        let path = folder.join(format!("{name}.litmus"));
        std::fs::write(&path, text).with_context(failed)?;
    }
    Ok(())
}
