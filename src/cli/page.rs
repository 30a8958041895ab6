//! Pages: `ptxmc draw -o F.html`, and the folder that `ptxmc check --report` writes.

use super::excluded::excluded_execution;
use super::output::write_file;
use crate::batch::{Case, Judgement, list};
use crate::check::Settings;
use crate::event::graph::EventGraph;
use crate::relation::expr::Model;
use crate::report::explanation::{self, Subject};
use crate::report::page::{self, Entry, Page};
use crate::report::proof::Depth;
use crate::report::scene::{self, Scene};
use crate::report::story;
use crate::report::summary::{Stated, Tally};
use crate::solve::{Budget, Engine};
use crate::source::Files;
use crate::verdict::Kind;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The models, engines and settings of the verdicts on pages.
#[derive(Clone, Copy)]
pub(super) struct Checker<'a> {
    pub(super) models: &'a [Model],
    pub(super) engines: &'a [Box<dyn Engine>],
    pub(super) settings: Settings,
    pub(super) files: &'a Files,
}

/// The page of a test with its verdicts; `back` is the address of the index page.
pub(super) fn of_test(
    checker: Checker<'_>,
    case: &Case,
    judgements: &[Judgement],
    back: Option<&str>,
) -> String {
    let Checker { models, engines, settings, files } = checker;
    let (judgement, model) = (&judgements[0], &models[0]);
    let excluded = excluded_execution((case, judgement), model, engines, settings);
    let found = excluded.as_ref().and_then(|excluded| excluded.as_ref().ok());
    let scene = scene::of_verdict(case, judgement, model, found).ok().flatten();
    let subject = Subject { case, judgement, model, files, unfold: Depth::Folded };
    let words = explanation::render(subject, excluded.as_ref(), None);
    let mut asking = judgement.settings(settings);
    asking.budget =
        asking.budget.at_most(steps_for_states(judgement)).within(Budget::ASIDE_TOGETHER);
    let has_states = !matches!(judgement.verdict.kind(), Kind::OutOfModel | Kind::Error);
    let states = has_states.then(|| list(case, model, engines, asking).ok()).flatten();
    let shown = scene.as_ref().and_then(|scene| Some((scene, graph_of(scene, judgement)?)));
    let proved = Subject { unfold: Depth::Base, ..subject };
    let steps = match (found, shown) {
        (Some(found), Some((scene, graph))) => {
            story::steps_of(proved, graph, found, &scene.picture)
        }
        _ => Vec::new(),
    };
    page::test(&Page {
        case,
        judgements,
        models,
        files,
        scene: shown,
        steps: &steps,
        words: &words,
        states: states.as_ref(),
        back,
    })
}

/// The most steps for the final states of a page. The limit decreases with the number of events and
/// corresponds to some milliseconds.
fn steps_for_states(judgement: &Judgement) -> u64 {
    const WITH_ONE_EVENT: u64 = 50_000;
    let events = judgement.graph.as_ref().map_or(1, |graph| graph.events.len().max(1));
    WITH_ONE_EVENT / events as u64
}

/// The event graph of a scene: the graph of the verdict, or of the execution that hangs.
fn graph_of<'a>(scene: &Scene, judgement: &'a Judgement) -> Option<&'a EventGraph> {
    match scene.is_hang {
        true => judgement.hanging().map(|hanging| &hanging.graph),
        false => judgement.graph.as_ref(),
    }
}

/// A folder of pages.
pub(super) struct Folder {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Folder {
    /// Creates the folder.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let pages = path.join(PAGES);
        fs::create_dir_all(&pages).with_context(|| format!("cannot make `{}`", pages.display()))?;
        Ok(Self { path: path.to_owned(), entries: Vec::new() })
    }

    /// Writes the page of a test.
    pub(super) fn add(&mut self, case: &Case, verdicts: &[Stated], text: &str) -> Result<()> {
        let page = format!("{PAGES}/{:04}-{}.html", self.entries.len() + 1, plain(&case.test.name));
        write_file(&self.path.join(&page), text)?;
        let (path, verdicts) = (case.path.clone(), verdicts.to_vec());
        self.entries.push(Entry { path, page, verdicts });
        Ok(())
    }

    /// Writes the index page.
    pub(super) fn finish(&self, models: &[Model], tally: &Tally) -> Result<()> {
        write_file(&self.path.join("index.html"), &page::index(&self.entries, models, tally))
    }
}

/// The subfolder for the pages of tests.
const PAGES: &str = "tests";

/// The address of the index page relative to the page of a test.
pub(super) const BACK: &str = "../index.html";

/// A name with characters that file names permit on every system.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
    name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(80).collect()
}
