//! `ptxmc advise`: changes for incorrect programs, and redundant parts of correct ones.

use super::args::{AdviseArguments, SingleFormat};
use super::inputs::{Inputs, Wanted};
use super::models::{Setup, any_error};
use super::output::{Console, print, write_file};
use super::status::Status;
use crate::advise::cost::Costs;
use crate::advise::rewrite::rewritten;
use crate::advise::{Advice, Limits, Question, Sets, Wish, advise, natural_wish};
use crate::batch::{Case, guarded, together};
use crate::check;
use crate::litmus::ast::Test;
use crate::litmus::print::print_blocks;
use crate::report::advise::{About, render};
use crate::report::{json, json_advise};
use crate::solve::Cores;
use crate::verdict::{Kind, Verdict};
use anyhow::{Context, Result, bail};

pub(super) fn run(arguments: &AdviseArguments, console: &Console) -> Result<Status> {
    let costs = match &arguments.cost {
        None => Costs::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
            Costs::parse(&text).with_context(|| format!("`{}`", path.display()))?
        }
    };
    let checking = &arguments.checking;
    let setup = Setup::load(arguments.model.as_slice(), checking, Cores::FirstProof, console)?;
    let Setup { mut files, models, engines, settings, variants } = setup;
    let wanted = Wanted::under(&models, &variants, checking);
    let inputs = Inputs::read(&arguments.paths, wanted, &mut files);
    console.diagnostics(&inputs.diagnostics, &files);
    if !inputs.bugs.is_empty() || any_error(&inputs.diagnostics) {
        bail!("some tests cannot be used");
    }
    let mut cases = inputs.cases;
    if let Some(name) = &arguments.name {
        cases.retain(|case| case.test.name == *name);
    }
    if cases.is_empty() {
        bail!("there is no test in {}", arguments.paths.join(", "));
    }
    let groups: Vec<&[Case]> = match arguments.all {
        true => vec![&cases],
        false => cases.chunks(1).collect(),
    };
    if arguments.all {
        same_program(&cases)?;
    }
    if arguments.apply.is_some() && groups.len() > 1 {
        bail!(
            "--apply writes one program; choose a test with --name, or give tests of one program --all"
        );
    }
    let model = &models[0];
    let mut worst = Status::Expected;
    let many = groups.len() > 1 && arguments.format == SingleFormat::Json;
    let mut before = json::DOCUMENTS;
    for group in groups {
        let (engine, settings) = together(&engines, settings);
        let tests: Vec<Test> = group.iter().map(|case| case.test.clone()).collect();
        let answer = guarded(|| {
            let verdict = |test: &Test| check::check(test, model, &engine, settings).verdict;
            let wish = match wished(arguments, &tests, verdict) {
                Ok(wish) => wish,
                Err(advice) => return (Wish::ExcludeOutcome, advice),
            };
            let within = arguments.within.unwrap_or(if wish == Wish::Relax { u32::MAX } else { 0 });
            let limits = Limits { within, answers: usize::from(arguments.sets) };
            let (tests, engine, costs) = (&tests[..], &engine, &costs);
            let question = Question { tests, model, engine, settings, wish, costs, limits };
            (wish, advise(question))
        });
        let (wish, advice) = match (engine.disagreement(), answer) {
            (Some(message), _) | (None, Err(message)) => {
                console.complain(&format!("{}: {message}", group[0].path));
                worst = worst.max(Status::Bug);
                continue;
            }
            (None, Ok(answer)) => answer,
        };
        let about = About { cases: group, model, wish, costs: &costs, files: &files };
        if many {
            print(std::mem::replace(&mut before, json::SEPARATOR))?;
        }
        print(&match arguments.format {
            SingleFormat::Text => render(about, &advice),
            SingleFormat::Json => json_advise::render(about, &advice),
        })?;
        worst = worst.max(status(&advice));
        let Some(path) = &arguments.apply else { continue };
        if let Advice::Sets(sets) = &advice {
            let text = applied(arguments, group, sets, &model.name, |case| {
                files.get(case.test.span.file).map_or("", |file| file.text.as_str())
            })?;
            write_file(path, &text)?;
        } else {
            let path = path.display();
            console.remark(&format!("nothing is written to `{path}`: there is no set to apply"));
        }
    }
    if many {
        let nothing = if before == json::DOCUMENTS { before } else { "" };
        print(&format!("{nothing}{}", json::END_OF_DOCUMENTS))?;
    }
    Ok(worst)
}

/// The goal: given by the options, else by the verdicts.
///
/// # Errors
/// The advice, if a verdict leaves no goal.
fn wished(
    arguments: &AdviseArguments,
    tests: &[Test],
    verdict: impl Fn(&Test) -> Verdict,
) -> Result<Wish, Advice> {
    let AdviseArguments { repair, relax, races, hangs, .. } = *arguments;
    let said = [
        (races, Wish::ExcludeRaces),
        (hangs, Wish::ExcludeHangs),
        (repair, Wish::ExcludeOutcome),
        (relax, Wish::Relax),
    ];
    if let Some((_, wish)) = said.into_iter().find(|(is_said, _)| *is_said) {
        return Ok(wish);
    }
    let mut wishes = Vec::new();
    for test in tests {
        wishes.push(natural_wish(&verdict(test))?);
    }
    let repairs = wishes.contains(&Wish::ExcludeOutcome);
    Ok(if repairs { Wish::ExcludeOutcome } else { Wish::Relax })
}

/// How the run ends.
fn status(advice: &Advice) -> Status {
    match advice {
        Advice::Nothing | Advice::Sets(_) => Status::Expected,
        // Of programs outside of the model nothing is known, that nothing helps least of all.
        Advice::None(sets) if sets.void() == Some(Kind::OutOfModel) => Status::Unknown,
        Advice::None(..) => Status::Differs,
        Advice::Fails(_) | Advice::Void(_) | Advice::Unknown(_) | Advice::TooLarge(_) => {
            Status::Unknown
        }
    }
}

/// Tests that share a repair have one program.
fn same_program(cases: &[Case]) -> Result<()> {
    let program = |case: &Case| {
        let mut test = case.test.clone();
        test.name.clear();
        test.docs.clear();
        test.metadata.retain(|line| line.key.value == "Launch");
        test.locations.clear();
        test.filter = None;
        test.condition = crate::litmus::ast::Condition::True;
        test.quantifier = crate::litmus::ast::Quantifier::Exists;
        print_blocks(&test).ok()
    };
    let first = program(&cases[0]);
    match cases.iter().find(|case| first.is_none() || program(case) != first) {
        None => Ok(()),
        Some(other) => bail!(
            "--all takes tests of one program; `{}` has another one than `{}`",
            other.path,
            cases[0].path
        ),
    }
}

/// The text of the tests with a set of changes.
fn applied<'f>(
    arguments: &AdviseArguments,
    cases: &[Case],
    sets: &Sets,
    model: &str,
    text: impl Fn(&Case) -> &'f str,
) -> Result<String> {
    let number = usize::from(arguments.set);
    let Some(set) = sets.sets.get(number - 1) else {
        bail!("there is no set {number} to apply; there are {}", sets.sets.len());
    };
    let mut out = String::new();
    for (index, case) in cases.iter().enumerate() {
        let expect = match arguments.races || arguments.hangs {
            true => None,
            false => Some(format!(
                "Expect[{model}]={}",
                crate::verdict::Kind::Forbidden.word(case.test.quantifier)
            )),
        };
        let expect = expect.as_deref();
        let test = rewritten(&case.test, index, &sets.sites, set, expect, text(case));
        out += &test.with_context(|| case.path.clone())?;
    }
    Ok(out)
}
