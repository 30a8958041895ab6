//! The rendering of a single test's part of a report, which does not depend on other tests.

use super::args::{CheckFormat, WitnessForm};
use super::gate;
use super::page::{self, BACK, Checker};
use super::status::Status;
use crate::batch::{Case, Judgement, Listing, Refusal, Unlisted, guarded, judge, list, together};
use crate::check::{self, Settings};
use crate::relation::expr::Model;
use crate::report::summary::Stated;
use crate::report::witness::{Picture, dot, text as drawing};
use crate::report::{herd, json, text};
use crate::solve::Engine;
use crate::source::Files;
use crate::verdict::{Kind, Verdict};

/// The report on one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rendered {
    /// The verdicts under each model.
    pub(super) verdicts: Vec<Stated>,
    /// The part of the report that is about the test.
    pub(super) text: String,
    /// The messages for standard error.
    pub(super) complaints: Vec<String>,
    /// The page about the test, where pages are wanted.
    pub(super) page: Option<String>,
    /// Whether all final states of the report could be listed.
    pub(super) listed: Listed,
}

/// The completeness of the final states of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listed {
    /// The report has all states, or is not about states.
    #[default]
    Wholly,
    /// Some states may be missing.
    Partly,
    /// The tool failed.
    Broken,
}

impl Listed {
    const ALL: [Self; 3] = [Self::Wholly, Self::Partly, Self::Broken];

    /// The word of the message between processes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Wholly => "wholly",
            Self::Partly => "partly",
            Self::Broken => "broken",
        }
    }

    /// The value of a word.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|listed| listed.name() == name)
    }
}

impl From<Listed> for Status {
    fn from(listed: Listed) -> Self {
        match listed {
            Listed::Wholly => Self::Expected,
            Listed::Partly => Self::Unknown,
            Listed::Broken => Self::Bug,
        }
    }
}

/// Checks tests and renders their results.
pub(super) struct Renderer<'a> {
    pub(super) models: &'a [Model],
    pub(super) engines: &'a [Box<dyn Engine>],
    pub(super) settings: Settings,
    /// The judgements that the user refuses.
    pub(super) fail_on: &'a [Refusal],
    pub(super) form: Form,
    pub(super) table: text::Table<'a>,
    pub(super) pages: Pages,
}

/// Whether tests have pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    Written,
    None,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) format: CheckFormat,
    pub(super) witness: Option<WitnessForm>,
}

impl Renderer<'_> {
    /// Checks a test; its spans refer to `files`.
    pub(super) fn check(&self, case: &Case, files: &Files) -> Rendered {
        let rendered = guarded(|| {
            let mut judgements = judge(case, self.models, self.engines, self.settings);
            for (judgement, model) in judgements.iter_mut().zip(self.models) {
                let has_race = || self.has_race(case, judgement, model);
                judgement.refused = judgement.refused.or_else(|| {
                    gate::refusal(self.fail_on, case.test.quantifier, judgement, has_race)
                });
            }
            // herd's log needs all states besides the verdict.
            let first = judgements.first().filter(|_| self.form.format == CheckFormat::Herd);
            let listing = first.map(|judgement| {
                list(case, &self.models[0], self.engines, judgement.settings(self.settings))
            });
            let mut rendered = self.render(case, &judgements, listing, files);
            if self.pages == Pages::Written {
                rendered.page =
                    Some(page::of_test(self.checker(files), case, &judgements, Some(BACK)));
            }
            rendered
        });
        rendered.unwrap_or_else(|message| self.failed(case, &message, files))
    }

    fn checker<'f>(&'f self, files: &'f Files) -> Checker<'f> {
        let Self { models, engines, settings, .. } = *self;
        Checker { models, engines, settings, files }
    }

    /// Whether a test has a data race; `None` if this is unknown, because the model does not define
    /// races, the program is outside of the model, or executions are missing.
    fn has_race(&self, case: &Case, judgement: &Judgement, model: &Model) -> Option<bool> {
        let (engine, settings) = together(self.engines, judgement.settings(self.settings));
        let (races, _) = check::races(&case.test, model, &engine, settings).ok()?;
        let is_void = judgement.verdict.kind() == Kind::OutOfModel;
        match races.list.is_empty() {
            false => Some(true),
            true if case.test.partial_launch().is_some() => None,
            true => (races.open.is_none() && !is_void).then_some(false),
        }
    }

    /// The report on a test on which the tool failed.
    pub(super) fn failed(&self, case: &Case, message: &str, files: &Files) -> Rendered {
        let judgements: Vec<Judgement> = (0..self.models.len())
            .map(|model| {
                let expected = case.expected.get(model).copied().flatten();
                Judgement::failed(message.to_owned(), expected)
            })
            .collect();
        let listing = (self.form.format == CheckFormat::Herd)
            .then(|| Err(Unlisted::Broken(message.to_owned())));
        self.render(case, &judgements, listing, files)
    }

    fn render(
        &self,
        case: &Case,
        judgements: &[Judgement],
        listing: Option<Result<Listing, Unlisted>>,
        files: &Files,
    ) -> Rendered {
        let stated =
            |(judgement, model): (&Judgement, &Model)| Stated::of(judgement, case, model, files);
        let mut rendered = Rendered {
            verdicts: judgements.iter().zip(self.models).map(stated).collect(),
            ..Rendered::default()
        };
        match self.form.format {
            CheckFormat::Text => {
                rendered.text = self.table.line(case, judgements, files) + "\n";
                for (judgement, model) in judgements.iter().zip(self.models) {
                    rendered.text.push_str(&execution_text(
                        case,
                        judgement,
                        model,
                        self.form.witness,
                    ));
                }
            }
            CheckFormat::Json => {
                let witnesses = match self.form.witness {
                    Some(_) => json::Witnesses::Included,
                    None => json::Witnesses::Omitted,
                };
                rendered.text = json::test(case, judgements, self.models, files, witnesses);
            }
            CheckFormat::Herd => {
                if let (Some(judgement), Some(listing)) = (judgements.first(), listing) {
                    log(&mut rendered, case, judgement, listing, files);
                }
            }
            CheckFormat::Junit => {}
        }
        rendered
    }
}

/// The entry of herd's log.
fn log(
    rendered: &mut Rendered,
    case: &Case,
    judged: &Judgement,
    listing: Result<Listing, Unlisted>,
    files: &Files,
) {
    match listing {
        Ok(listing) => {
            if let Verdict::Error(message) = &judged.verdict {
                rendered.complaints.push(format!("{}: {message}", case.path));
            }
            if !listing.is_complete() {
                rendered.listed = Listed::Partly;
            }
            if listing.states.incomplete.is_some() {
                rendered
                    .complaints
                    .push(format!("{}: the list of states is incomplete", case.path));
            }
            rendered.text = herd::entry(case, judged, &listing, files);
        }
        Err(why) => {
            rendered.listed = match why {
                Unlisted::Undecided(_) => Listed::Partly,
                Unlisted::Broken(_) => Listed::Broken,
            };
            rendered.complaints.push(format!("{}: no states: {why}", case.path));
        }
    }
}

/// The execution of a verdict, if there is one and the user requests it.
fn execution_text(
    case: &Case,
    judgement: &Judgement,
    model: &Model,
    witness: Option<WitnessForm>,
) -> String {
    let (Some(form), Some(graph)) = (witness, &judgement.graph) else { return String::new() };
    let Some(choices) = judgement.verdict.choices() else { return String::new() };
    let title = format!("{} ({})", case.test.name, judgement.verdict.kind().name());
    match (Picture::of(&title, graph, choices, model), form) {
        (Ok(picture), WitnessForm::Text) => drawing::render(&picture),
        (Ok(picture), WitnessForm::Dot) => dot::render(&picture),
        (Err(message), _) => format!("  {message}\n"),
    }
}
