//! `ptxmc diff`: the changes of verdicts from one model to another.

use super::args::{DiffArguments, DiffFormat};
use super::baseline::Baseline;
use super::check::jobs;
use super::inputs::{Inputs, Wanted};
use super::models::Setup;
use super::output::{Console, print};
use super::status::Status;
use crate::batch::{Case, Judgement, guarded, judge, list, watched};
use crate::check::{self, Settings};
use crate::relation::expr::Model;
use crate::report::diff::{self as render, Report};
use crate::report::summary::Stated;
use crate::report::witness::observed_value;
use crate::solve::{Cores, Engine};
use crate::source::Files;
use crate::verdict::Kind;
use crate::workbench::diff::{Compared, Exchange, Said, states};
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

pub(super) fn run(arguments: &DiffArguments, console: &Console) -> Result<Status> {
    let written = Path::new(&arguments.old);
    let mut baseline = match Baseline::is_one(written) {
        true => Some(Baseline::read(written, &arguments.checking.readings)?),
        false => None,
    };
    if arguments.bless && baseline.is_none() {
        bail!("--bless writes the verdicts to a baseline, which `{}` is not", arguments.old);
    }
    if baseline.is_some() && (arguments.states || arguments.races) {
        bail!("a baseline has verdicts only; --states and --races compare two models");
    }
    let names = match &baseline {
        Some(_) => vec![arguments.new.clone()],
        None => vec![arguments.old.clone(), arguments.new.clone()],
    };
    let setup = Setup::load(&names, &arguments.checking, Cores::Minimal, console)?;
    let Setup { mut files, models, engines, settings, variants } = setup;
    let wanted = Wanted::under(&models, &variants, &arguments.checking);
    let inputs = Inputs::read(&arguments.paths, wanted, &mut files);
    console.diagnostics(&inputs.diagnostics, &files);
    inputs.bugs.iter().for_each(|name| console.complain(&format!("bug: cannot parse `{name}`")));
    let of = match &baseline {
        Some(baseline) => Some(baseline.chosen(arguments.of.as_deref(), models.last())?),
        None => None,
    };
    let comparison =
        Comparison { arguments, models: &models, engines: &engines, settings, files: &files };
    let old = |case: &Case| {
        baseline.as_ref().zip(of.as_ref()).map(|(baseline, of)| baseline.verdict(&case.path, of))
    };
    let compared = comparison.all(&inputs.cases, old, console);
    let gone = match (&baseline, &of) {
        (Some(baseline), Some(of)) => baseline.others(&inputs.cases, of),
        _ => Vec::new(),
    };
    let old_name = of.clone().unwrap_or_else(|| models[0].name.clone());
    let new = models.last().unwrap_or(&models[0]);
    let report = Report {
        names: [&old_name, &new.name],
        cases: &inputs.cases,
        compared: &compared,
        gone: &gone,
        all: arguments.all,
    };
    print(&match arguments.format {
        DiffFormat::Text => render::text(&report),
        DiffFormat::Markdown => render::markdown(&report),
        DiffFormat::Json => render::json(&report),
        DiffFormat::Junit => render::junit(&report, new),
    })?;
    if let (true, Some(baseline)) = (arguments.bless, &mut baseline) {
        for (case, one) in inputs.cases.iter().zip(&compared) {
            let quantifier = case.test.quantifier;
            let stated = Stated { quantifier, ..Stated::bare(one.new.kind) };
            baseline.record(case, &[stated], std::slice::from_ref(new));
        }
        baseline.write(written)?;
    }
    let parsed = inputs.status();
    Ok(status(&compared, arguments).max(parsed))
}

fn status(compared: &[Compared], arguments: &DiffArguments) -> Status {
    if compared.iter().any(Compared::is_broken) {
        Status::Bug
    } else if arguments.bless {
        Status::Expected
    } else if compared.iter().any(Compared::differs) {
        Status::Differs
    } else if compared.iter().any(Compared::is_open) {
        Status::Unknown
    } else {
        Status::Expected
    }
}

/// The parameters of a comparison.
struct Comparison<'a> {
    arguments: &'a DiffArguments,
    /// The old model, unless verdicts were written down, and the new one.
    models: &'a [Model],
    engines: &'a [Box<dyn Engine>],
    settings: Settings,
    files: &'a Files,
}

impl Comparison<'_> {
    /// Compares the two sides on every test; `old` gives recorded verdicts.
    fn all(
        &self,
        cases: &[Case],
        old: impl Fn(&Case) -> Option<Option<Kind>> + Sync,
        console: &Console,
    ) -> Vec<Compared> {
        let bar = console.progress(cases.len());
        let mut compared = Vec::with_capacity(cases.len());
        let work = |index: usize| self.one(&cases[index], old(&cases[index]));
        watched(cases.len(), jobs(self.arguments.jobs), work, |next| {
            if let Some((_, one)) = next {
                compared.push(one);
                bar.inc(1);
            }
            ControlFlow::Continue(())
        });
        bar.finish_and_clear();
        compared
    }

    fn one(&self, case: &Case, old: Option<Option<Kind>>) -> Compared {
        let judgements = judge(case, self.models, self.engines, self.settings);
        let quantifier = case.test.quantifier;
        let said = judgements.iter().zip(self.models).map(|(j, m)| Said::of(j, m, quantifier));
        let mut said: Vec<Said> = said.collect();
        let new = said.pop().unwrap_or_else(|| Said::bare(Kind::Error, quantifier));
        let old = match old {
            Some(written) => written.map(|kind| Said::bare(kind, quantifier)),
            None => said.pop(),
        };
        let mut compared = Compared { old, new, states: None, races: None, open: Vec::new() };
        let means_something =
            judgements.iter().all(|j| matches!(j.verdict.kind(), Kind::Allowed | Kind::Forbidden));
        if !means_something {
            return compared;
        }
        if self.arguments.states {
            let sides =
                self.sides(&judgements, |model, settings| self.states(case, model, settings));
            compared.states = settled(sides, &mut compared.open);
        }
        if self.arguments.races {
            let sides =
                self.sides(&judgements, |model, settings| self.races(case, model, settings));
            compared.races = settled(sides, &mut compared.open);
        }
        compared
    }

    fn sides(
        &self,
        judgements: &[Judgement],
        of: impl Fn(&Model, Settings) -> Result<BTreeSet<String>, String>,
    ) -> Vec<Result<BTreeSet<String>, String>> {
        let sides = self.models.iter().zip(judgements);
        sides.map(|(model, judged)| of(model, judged.settings(self.settings))).collect()
    }

    fn states(
        &self,
        case: &Case,
        model: &Model,
        settings: Settings,
    ) -> Result<BTreeSet<String>, String> {
        let listing =
            list(case, model, self.engines, settings).map_err(|why| format!("states: {why}"))?;
        let value = |index: usize, bits: u128| observed_value(&listing.graph, index, bits);
        states(&listing, value)
            .ok_or_else(|| format!("states: {} may reach more than are listed", model.name))
    }

    fn races(
        &self,
        case: &Case,
        model: &Model,
        settings: Settings,
    ) -> Result<BTreeSet<String>, String> {
        let unknown = || format!("races: {} does not tell them", model.name);
        let engine = self.engines.first().ok_or_else(unknown)?;
        let found = guarded(|| check::races(&case.test, model, engine.as_ref(), settings))?;
        let (races, graph) = found.map_err(|_| unknown())?;
        if races.open.is_some() {
            return Err(unknown());
        }
        let place = |span| self.files.location(span);
        let pair = |race| {
            let [a, b] = crate::race::spans(&graph, race);
            format!("{} and {}", place(a), place(b))
        };
        Ok(races.list.iter().map(pair).collect())
    }
}

/// The difference between two sets, if both are known.
fn settled(
    sides: Vec<Result<BTreeSet<String>, String>>,
    open: &mut Vec<String>,
) -> Option<Exchange> {
    let mut sets = Vec::new();
    for side in sides {
        match side {
            Ok(set) => sets.push(set),
            Err(why) => open.push(why),
        }
    }
    match &sets[..] {
        [old, new] => Some(Exchange::between(old, new)),
        _ => None,
    }
}
