//! `ptxmc fit`: the fillings of a sketch that agree with tests.

use super::args::FitArguments;
use super::check::jobs;
use super::inputs::{Inputs, Wanted};
use super::models::{Setup, Sketch, any_error};
use super::output::{Console, print};
use super::status::Status;
use crate::relation::expr::Model;
use crate::report::fit::{Filled, text};
use crate::solve::Cores;
use crate::workbench::distinguish::{Question, distinguish};
use crate::workbench::fit::misfits;
use anyhow::{Result, bail};
use std::collections::BTreeSet;

pub(super) fn run(arguments: &FitArguments, console: &Console) -> Result<Status> {
    let checking = &arguments.checking;
    if !checking.without.is_empty() {
        bail!("an axiom is left out of a sketch by a hole: `hole h = r | 0` and `empty h`");
    }
    // This setup supplies the engine and its settings; the fillings of the sketch are loaded one by one.
    let readings: Vec<String> = Vec::new();
    let plain = super::args::Checking { readings, ..checking.clone() };
    let setup = Setup::load(&[], &plain, Cores::Minimal, console)?;
    let Setup { mut files, engines, settings, .. } = setup;
    let [engine] = &engines[..] else {
        bail!("`fit` asks one engine; choose one with --engine");
    };
    let sketch = Sketch::load(&arguments.sketch, &checking.readings, &mut files, console)?;
    if sketch.holes.is_empty() {
        console.remark("the sketch has no holes: `hole h = a | b` makes one");
    }
    let Some((_, first)) = sketch.fillings.first() else { bail!("a hole has no alternatives") };
    let variants = BTreeSet::new();
    let wanted = Wanted::under(std::slice::from_ref(first), &variants, checking);
    let inputs = Inputs::read(&arguments.paths, wanted, &mut files);
    console.diagnostics(&inputs.diagnostics, &files);
    let models: Vec<&Model> = sketch.fillings.iter().map(|(_, model)| model).collect();
    let jobs = jobs(arguments.sizes.jobs);
    let found = misfits(&models, &inputs.cases, engine.as_ref(), settings, jobs);
    let fillings: Vec<Filled<'_>> = sketch
        .fillings
        .iter()
        .zip(&found)
        .map(|((choice, _), misfit)| Filled { choice, misfit: *misfit })
        .collect();
    let left: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
    let sizes = &arguments.sizes;
    let kinds = sizes.kinds();
    let apart = left.split_first().map(|(&one, others)| {
        let against = |&other: &usize| {
            let question = Question {
                models: [models[one], models[other]],
                engine: engine.as_ref(),
                settings,
                events: sizes.events.into(),
                special_events: sizes.special_events.map(usize::from),
                kinds: &kinds,
                threads: sizes.threads.into(),
                count: 1,
                allowed_by: None,
                jobs,
                budget: sizes.budget(),
            };
            (one, other, distinguish(&question).found.into_iter().next())
        };
        others.iter().map(against).collect::<Vec<_>>()
    });
    print(&text(&sketch.holes, &fillings, &inputs.cases, &apart.unwrap_or_default()))?;
    let read = if any_error(&inputs.diagnostics) { Status::Unusable } else { Status::Expected };
    Ok(read.max(if left.is_empty() { Status::Differs } else { Status::Expected }))
}
