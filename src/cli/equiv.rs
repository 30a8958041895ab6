//! `ptxmc equiv`: a proof that two models are equivalent, or tests that distinguish them.

use super::args::EquivArguments;
use super::check::jobs;
use super::models::Setup;
use super::output::{Console, print};
use super::status::Status;
use crate::report::equiv::{Relationship, text};
use crate::solve::Cores;
use crate::workbench::distinguish::{Question, distinguish};
use crate::workbench::equiv::derive;
use anyhow::{Result, bail};

pub(super) fn run(arguments: &EquivArguments, console: &Console) -> Result<Status> {
    let names = [arguments.one.clone(), arguments.other.clone()];
    let setup = Setup::load(&names, &arguments.checking, Cores::Minimal, console)?;
    let ([one, other], [engine]) = (&setup.models[..], &setup.engines[..]) else {
        bail!("`equiv` asks one engine; choose one with --engine");
    };
    let derived = [derive(other, one), derive(one, other)];
    let proved = derived.iter().all(|derived| derived.is_complete());
    let sizes = &arguments.sizes;
    let kinds = sizes.kinds();
    let ask = |side: usize| {
        distinguish(&Question {
            models: [one, other],
            engine: engine.as_ref(),
            settings: setup.settings,
            events: sizes.events.into(),
            special_events: sizes.special_events.map(usize::from),
            kinds: &kinds,
            threads: sizes.threads.into(),
            count: 1,
            allowed_by: Some(side),
            jobs: jobs(sizes.jobs),
            budget: sizes.budget(),
        })
    };
    // A model whose axioms all follow from the other model allows every execution of that model.
    let found = [0, 1].map(|side| (!derived[1 - side].is_complete()).then(|| ask(side)));
    let relationship = Relationship {
        names: [&one.name, &other.name],
        derived: [&derived[0], &derived[1]],
        found: [found[0].as_ref(), found[1].as_ref()],
        steps: arguments.proof,
    };
    print(&text(&relationship, sizes.threads.into()))?;
    let differ = found.iter().flatten().any(|answer| !answer.found.is_empty());
    Ok(match (proved, differ) {
        (true, _) => Status::Expected,
        (_, true) => Status::Differs,
        _ => Status::Unknown,
    })
}
