//! Commands about one test: its final states, explanations and races.

use super::alternatives::{KnownVerdict, alternatives};
use super::args::{
    ExplainArguments, OutcomesArguments, OutcomesFormat, RacesArguments, Single, SingleFormat,
};
use super::clause;
use super::excluded::excluded_execution;
use super::follow_up::result_of_changes;
use super::inputs::{Inputs, Wanted};
use super::models::{Setup, any_error};
use super::output::{Console, print};
use super::page::Checker;
use super::status::Status;
use crate::batch::{Case, Judgement, Unlisted, guarded, judge, list, together};
use crate::check::{self, Hang, Settings, SoundDependence};
use crate::engines::{Choice, Memory};
use crate::event::graph::EventGraph;
use crate::explain::{Absent, Counterfactual};
use crate::race::{Races, explained};
use crate::relation::expr::Model;
use crate::report::explanation::{self, Subject};
use crate::report::{
    caveat, hang, herd, json, json_single, outcomes as table, races as table_of_races, reason,
};
use crate::solve::{Budget, Cores, Engine, Problem};
use crate::source::Files;
use crate::verdict::{Kind, Undecided, Verdict};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;

/// A test with all data needed to check it.
pub(super) struct Loaded {
    pub(super) files: Files,
    pub(super) case: Case,
    models: Vec<Model>,
    pub(super) engines: Vec<Box<dyn Engine>>,
    /// The same engines with less work on cores, for additional questions.
    aside: Vec<Box<dyn Engine>>,
    pub(super) settings: Settings,
    /// The readings that the model asks about.
    variants: BTreeSet<String>,
}

impl Loaded {
    /// The one test that the arguments select.
    pub(super) fn new(single: &Single, console: &Console) -> Result<Self> {
        Self::choosing(single, console, |cases| chosen(cases, single).map(|case| vec![case]))
            .map(|(loaded, _)| loaded)
    }

    /// The first selected test, and the others.
    fn all(single: &Single, console: &Console) -> Result<(Self, Vec<Case>)> {
        Self::choosing(single, console, |cases| match (&single.name, cases.len()) {
            (None, 2..) => Ok(cases),
            _ => chosen(cases, single).map(|case| vec![case]),
        })
    }

    fn choosing(
        single: &Single,
        console: &Console,
        choose: impl FnOnce(Vec<Case>) -> Result<Vec<Case>>,
    ) -> Result<(Self, Vec<Case>)> {
        let checking = &single.checking;
        let Setup { mut files, models, engines, settings, variants } =
            Setup::load(single.model.as_slice(), checking, Cores::Patient, console)?;
        let paths = std::slice::from_ref(&single.path);
        let launch = single.launching.asked();
        let wanted = Wanted { launch, ..Wanted::under(&models, &variants, checking) };
        let inputs = Inputs::read(paths, wanted, &mut files);
        console.diagnostics(&inputs.diagnostics, &files);
        if !inputs.bugs.is_empty() || any_error(&inputs.diagnostics) {
            bail!("`{}` cannot be used", single.path);
        }
        let mut others = choose(inputs.cases)?;
        let case = others.remove(0);
        let aside = Choice::named(&checking.engine)?.engines_with(Cores::Minimal);
        Ok((Self { files, case, models, engines, aside, settings, variants }, others))
    }

    pub(super) fn model(&self) -> &Model {
        &self.models[0]
    }

    pub(super) fn judgement(&self) -> Result<Judgement> {
        let judgements = judge(&self.case, &self.models, &self.engines, self.settings);
        judgements.into_iter().next().context("a test has a verdict under its model")
    }

    pub(super) fn checker(&self) -> Checker<'_> {
        let Self { models, aside, settings, files, .. } = self;
        Checker { models, engines: aside, settings: *settings, files }
    }

    fn judged<'a>(&'a self, judgement: &'a Judgement) -> Judged<'a> {
        let Self { case, engines, settings, .. } = self;
        Judged { case, model: self.model(), engines, settings: *settings, judgement }
    }

    /// The exit status, given the expectation of the test.
    fn status(judgement: &Judgement) -> Status {
        let is_silent =
            judgement.verdict.kind() == Kind::OutOfModel && judgement.expected.is_none();
        let found = Status::from(judgement.standing());
        if is_silent { found.max(Status::Unknown) } else { found }
    }
}

/// The one test that the arguments select.
fn chosen(cases: Vec<Case>, single: &Single) -> Result<Case> {
    let wanted = |case: &Case| single.name.as_ref().is_none_or(|name| case.test.name == *name);
    let names: Vec<String> = cases.iter().map(|c| c.test.name.clone()).collect();
    let mut found: Vec<Case> = cases.into_iter().filter(wanted).collect();
    match (found.len(), &single.name) {
        (1, _) => Ok(found.remove(0)),
        (0, None) => bail!("there is no test in `{}`", single.path),
        (0, Some(name)) => {
            bail!("`{}` has no test `{name}`; it has {}", single.path, names.join(", "))
        }
        _ => bail!(
            "`{}` holds several tests; choose one with --name: {}",
            single.path,
            names.join(", ")
        ),
    }
}

pub(super) fn outcomes(arguments: &OutcomesArguments, console: &Console) -> Result<Status> {
    if arguments.format == OutcomesFormat::Herd && arguments.witness {
        bail!("--witness goes with the formats text and json");
    }
    let (mut loaded, others) = Loaded::all(&arguments.single, console)?;
    if others.is_empty() {
        let (text, status) = states_of(&loaded, arguments, console)?;
        print(&text)?;
        return Ok(status);
    }
    let mut worst = Status::Expected;
    let mut before = json::DOCUMENTS;
    let is_json = arguments.format == OutcomesFormat::Json;
    let first = loaded.case.clone();
    for case in std::iter::once(first).chain(others) {
        loaded.case = case;
        let (text, status) = states_of(&loaded, arguments, console)?;
        worst = worst.max(status);
        if is_json && !text.is_empty() {
            print(std::mem::replace(&mut before, json::SEPARATOR))?;
        }
        print(&text)?;
    }
    if is_json {
        let nothing = if before == json::DOCUMENTS { before } else { "" };
        print(&format!("{nothing}{}", json::END_OF_DOCUMENTS))?;
    }
    Ok(worst)
}

/// The final states of a test in the requested form, empty if they cannot be listed, and the exit
/// status.
fn states_of(
    loaded: &Loaded,
    arguments: &OutcomesArguments,
    console: &Console,
) -> Result<(String, Status)> {
    let judgement = loaded.judgement()?;
    let mut settings = judgement.settings(loaded.settings);
    if judgement.verdict.kind() == Kind::OutOfModel {
        // A program without meaning gets only a small budget.
        settings.budget = settings.budget.within(Budget::ASIDE_TOGETHER);
    }
    let listing = match list(&loaded.case, loaded.model(), &loaded.engines, settings) {
        Ok(listing) => listing,
        Err(why) => {
            console.complain(&format!("{}: the states cannot be listed: {why}", loaded.case.path));
            let status = match why {
                Unlisted::Undecided(_) => Status::Unknown,
                Unlisted::Broken(_) => Status::Bug,
            };
            return Ok((String::new(), status));
        }
    };
    let status = match judgement.verdict.kind() {
        Kind::Error => Status::Bug,
        // Final states of a program without meaning are no answer.
        Kind::OutOfModel | Kind::Undefined => Status::Unknown,
        // Final states of some threads of a launch are none of the launch.
        _ if loaded.case.test.partial_launch().is_some() => Status::Unknown,
        _ if listing.is_complete() => Status::Expected,
        _ => Status::Unknown,
    };
    let caveat = caveat::of(&judgement.verdict, &loaded.files);
    let (case, model, caveat) = (&loaded.case, loaded.model(), caveat.as_ref());
    let known = caveat.map(|caveat| caveat.text.as_str());
    let files = &loaded.files;
    // In the text form, the list of states itself mentions that loops are cut.
    let is_said =
        listing.cut.is_some() && matches!(judgement.verdict, Verdict::Unknown(Undecided::Bound(_)));
    let shown_caveat = caveat.filter(|_| !is_said);
    let text = match (arguments.format, arguments.witness) {
        (OutcomesFormat::Text, true) => {
            table::render(case, &listing, model, table::Witnesses::Shown, shown_caveat, files)
        }
        (OutcomesFormat::Text, false) => {
            table::render(case, &listing, model, table::Witnesses::Hidden, shown_caveat, files)
        }
        (OutcomesFormat::Json, true) => {
            json::states(case, &judgement, &listing, model, json::Witnesses::Included, known)
        }
        (OutcomesFormat::Json, false) => {
            json::states(case, &judgement, &listing, model, json::Witnesses::Omitted, known)
        }
        (OutcomesFormat::Herd, _) => herd::entry(case, &judgement, &listing, &loaded.files),
    };
    // Other caveats say that no execution ends, that the program has no meaning, or what is unknown.
    let hangs = matches!(judgement.hang, Some(Hang::Possible(_)));
    let is_said = caveat.is_some_and(|caveat| caveat.kind != Kind::Unknown || !hangs);
    let remark = match arguments.format {
        OutcomesFormat::Text if !is_said => {
            hang::remark(judgement.hang.as_ref(), loaded.settings.progress)
        }
        _ => String::new(),
    };
    Ok((text + &remark, status))
}

pub(super) fn explain(arguments: &ExplainArguments, console: &Console) -> Result<Status> {
    if let Some(id) = &arguments.clause {
        return clause::run(id, arguments, console);
    }
    let single = &arguments.single();
    let mut loaded = Loaded::new(single, console)?;
    let memories = vec![Memory::default(); loaded.engines.len()];
    loaded.engines = Memory::behind(&memories, loaded.engines);
    loaded.aside = Memory::behind(&memories, loaded.aside);
    let loaded = loaded;
    let judgement = loaded.judgement()?;
    let found = without_axioms(&loaded, &judgement);
    let Loaded { case, files, .. } = &loaded;
    let model = loaded.model();
    let unfold = arguments.depth();
    let subject = Subject { case, judgement: &judgement, model, files, unfold };
    // In the text form, each part is printed immediately, since the check of other readings may take long.
    let mut printed = String::new();
    let mut print_part = |part: String| match arguments.format {
        SingleFormat::Text => print(&part),
        SingleFormat::Json => {
            printed.push_str(&part);
            Ok(())
        }
    };
    let follow_up =
        result_of_changes((case, &judgement), model, &loaded.engines, loaded.settings, files);
    print_part(explanation::render(subject, found.as_ref(), follow_up.as_deref()))?;
    let kind = judgement.verdict.kind();
    if !matches!(kind, Kind::Undefined | Kind::Deadlock)
        && let Some(Hang::Possible(hanging)) = &judgement.hang
    {
        print_part(hang::appendix(case, hanging, model, loaded.settings.progress, files))?;
    }
    let mut others = Vec::new();
    if !matches!(kind, Kind::Unknown | Kind::Error) {
        others = alternatives(&KnownVerdict {
            single,
            case,
            judgement: &judgement,
            models: &loaded.models,
            variants: &loaded.variants,
            settings: loaded.settings,
            memories: &memories,
        })?;
    }
    match arguments.format {
        SingleFormat::Text => print(&explanation::other_readings(&others))?,
        SingleFormat::Json => {
            let text = json_single::explanation(case, &judgement, model, files, &printed, &others);
            print(&text)?;
        }
    }
    Ok(Loaded::status(&judgement))
}

/// A test with its verdict under a model, and the engines that gave it.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) case: &'a Case,
    pub(super) model: &'a Model,
    pub(super) engines: &'a [Box<dyn Engine>],
    pub(super) settings: Settings,
    pub(super) judgement: &'a Judgement,
}

/// The execution that a forbidden outcome would have.
pub(super) fn without_axioms(
    loaded: &Loaded,
    judgement: &Judgement,
) -> Option<Result<Counterfactual, Absent>> {
    let Loaded { case, aside, settings, .. } = loaded;
    excluded_execution((case, judgement), loaded.model(), aside, *settings)
}

pub(super) fn races(arguments: &RacesArguments, console: &Console) -> Result<Status> {
    let loaded = Loaded::new(&arguments.single, console)?;
    let judgement = loaded.judgement()?;
    match races_of(loaded.judged(&judgement)) {
        Ok((Races { list, open }, graph, cut)) => {
            let (case, files) = (&loaded.case, &loaded.files);
            let model = loaded.model();
            let races = explained(Problem { graph: &graph, model }, list);
            let cut = open.or(cut);
            // The table of races already mentions that loops are cut.
            let caveat = match judgement.verdict {
                Verdict::Unknown(Undecided::Bound(_))
                    if matches!(cut, Some(Undecided::Bound(_))) =>
                {
                    None
                }
                Verdict::Unknown(ref why) if cut.as_ref() == Some(why) => None,
                ref verdict => caveat::of(verdict, files),
            };
            let (caveat, cut) = (caveat.as_ref(), cut.as_ref());
            let text = match arguments.format {
                SingleFormat::Text => {
                    let races =
                        table_of_races::render(case, &races, &graph, model, files, caveat, cut);
                    races + &hang::remark(judgement.hang.as_ref(), loaded.settings.progress)
                }
                SingleFormat::Json => {
                    let caveat = caveat.map(|caveat| caveat.text.as_str());
                    json_single::races(case, &judgement, &races, &graph, model, files, caveat, cut)
                }
            };
            print(&text)?;
            Ok(match judgement.verdict.kind() {
                Kind::Error => Status::Bug,
                _ if !races.is_empty() => Status::Differs,
                Kind::Unknown | Kind::OutOfModel | Kind::Undefined => Status::Unknown,
                _ if cut.is_some() => Status::Unknown,
                _ => Status::Expected,
            })
        }
        Err(verdict) => {
            let why = reason::line(&verdict, loaded.model(), &loaded.files);
            console.complain(&format!("the races cannot be listed: {why}"));
            Ok(if verdict.kind() == Kind::Error { Status::Bug } else { Status::Unknown })
        }
    }
}

/// The races that the engines agree on, and the reason why further executions may be missing.
///
/// # Errors
///
/// A verdict without races: unknown if no engine gives an answer, an error if engines disagree.
pub(super) fn races_of(
    judged: Judged<'_>,
) -> Result<(Races, EventGraph, Option<Undecided>), Verdict> {
    let Judged { case, model, engines, judgement, .. } = judged;
    let settings = judgement.settings(judged.settings);
    let (engine, settings) = together(engines, settings);
    let test = &case.test;
    let found = guarded(|| {
        let (races, graph) = check::races(test, model, &engine, settings)?;
        let cut = judgement.graph.as_ref().and_then(|graph| {
            let problem = Problem { graph, model };
            check::cut(test, problem, &SoundDependence(&engine), settings)
        });
        Ok((races, graph, cut))
    });
    match engine.disagreement() {
        Some(message) => Err(Verdict::Error(message)),
        None => found.unwrap_or_else(|message| Err(Verdict::Error(message))),
    }
}
