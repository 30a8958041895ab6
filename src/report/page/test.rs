//! A test with its verdicts into an HTML page.

use super::html::{Element, el, page};
use crate::batch::{Case, Judgement, Listing, Standing};
use crate::event::graph::EventGraph;
use crate::id::EventId;
use crate::relation::expr::Model;
use crate::report::draw::svg::{self, Styles};
use crate::report::draw::{Drawing, Relations};
use crate::report::scene::Scene;
use crate::report::story::{self, ExplainedStep};
use crate::report::summary::missed;
use crate::report::witness::focus::Role;
use crate::report::witness::{Edge, observed_value};
use crate::report::{near, reason};
use crate::source::{Files, SourceFile};
use crate::verdict::Kind;
use std::collections::BTreeMap;

/// The inputs of a test's page; the picture is that of the first model.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The test.
    pub case: &'a Case,
    /// The verdict on the test under each model.
    pub judgements: &'a [Judgement],
    /// The models.
    pub models: &'a [Model],
    /// The texts of test and models.
    pub files: &'a Files,
    /// The execution of the first model's verdict, with its event graph.
    pub scene: Option<(&'a Scene, &'a EventGraph)>,
    /// The steps by which the execution breaks axioms, with proofs.
    pub steps: &'a [ExplainedStep],
    /// The explanation as text.
    pub words: &'a str,
    /// The final states, if known.
    pub states: Option<&'a Listing>,
    /// The address of the index page, if the page has one.
    pub back: Option<&'a str>,
}

const SCRIPT: &str = include_str!("test.js");

/// The largest drawing of all relations that is included, in bytes.
const LARGEST_FULL: usize = 90_000;

/// The most states that are shown.
const MOST_STATES: usize = 200;

/// The most lines of a file that are shown.
const MOST_LINES: usize = 600;

/// A complete HTML document.
#[must_use]
pub fn test(page: &Page<'_>) -> String {
    let name = &page.case.test.name;
    let mut content = el("main");
    if let Some(back) = page.back {
        content = content.add(el("p").add(el("a").with("href", back).text("all tests")));
    }
    content = content.add(el("h1").text(name)).add(el("p").class("faint").text(&*page.case.path));
    content = content.all(page.case.test.docs.iter().map(|doc| el("p").text(doc)));
    content = content.add(verdicts(page));
    if let Some((scene, graph)) = page.scene {
        content = content.add(picture(page, scene));
        content = content.all(steps(page, scene, graph));
    }
    content = content.all(states(page)).add(words(page)).all(source(page));
    self::page(name, SCRIPT, content)
}

/// The verdict under each model, with the reason.
fn verdicts(page: &Page<'_>) -> Element {
    let row = |(judgement, model): (&Judgement, &Model)| {
        let kind = judgement.verdict.kind();
        let word = kind.word(page.case.test.quantifier);
        let (class, standing) = match judgement.standing() {
            Standing::Expected => ("badge good", "as expected".to_owned()),
            Standing::Unexpected | Standing::Broken => {
                let (expected, refused) = (judgement.expected, judgement.refused);
                let missed = missed(expected, refused, page.case.test.quantifier);
                ("badge bad", missed.unwrap_or_default())
            }
            Standing::Unasked | Standing::Unknown => ("badge", String::new()),
        };
        let hang = judgement.hang.as_ref().map(|hang| hang.kind().name());
        let hang = match hang {
            Some(word @ ("possible" | "unknown")) => format!("hang: {word}"),
            _ => String::new(),
        };
        el("tr")
            .add(el("td").text(&*model.name))
            .add(el("td").add(el("span").class(class).text(word)))
            .add(el("td").text(standing))
            .add(el("td").text(reason::line(&judgement.verdict, model, page.files)))
            .add(el("td").text(hang))
    };
    let question = page.files.text(page.case.test.condition_span).split_whitespace();
    let question = question.collect::<Vec<_>>().join(" ");
    el("section")
        .with("id", "verdict")
        .add(el("p").add(el("code").text(question)))
        .add(el("table").all(page.judgements.iter().zip(page.models).map(row)))
        .all(kinds(page))
}

/// The kinds of defects in the execution of the first model's verdict.
fn kinds(page: &Page<'_>) -> Option<Element> {
    let (judgement, model) = (page.judgements.first()?, page.models.first()?);
    let kinds = near::kinds(page.case, judgement, model);
    let item = |kind: &String| el("li").text(kind);
    (!kinds.is_empty()).then(|| {
        el("div")
            .with("id", "kinds")
            .add(el("p").text("What is wrong in the execution below:"))
            .add(el("ul").all(kinds.iter().map(item)))
    })
}

/// The picture with one or two sets of relations, and controls to switch between them.
fn picture(page: &Page<'_>, scene: &Scene) -> Element {
    let drawn = |relations: &Relations| {
        let drawing = Drawing::new(&scene.picture, &scene.focus, relations);
        svg::render(&drawing, page.files, Styles::Around)
    };
    let deciding = drawn(&Relations::Deciding);
    let full = drawn(&Relations::All);
    let full = (full.len() <= LARGEST_FULL).then_some(full);
    let radio = |value: &'static str, text: &str, checked: bool| {
        let input = el("input").with("type", "radio").with("name", "view").with("value", value);
        let input = if checked { input.with("checked", "") } else { input };
        el("label").add(input).text(format!(" {text}"))
    };
    let mut section = el("section").with("id", "picture").add(el("h2").text("Execution"));
    if full.is_some() {
        section = section.add(
            el("fieldset")
                .add(el("legend").text("Show"))
                .add(radio("deciding", "what decides", true))
                .add(radio("full", "all relations", false)),
        );
        let of_focus: Vec<&str> =
            scene.focus.edges.iter().map(|(edge, _)| edge.relation.as_str()).collect();
        let known = |name: &&str| ["rf", "co", "fr"].contains(name) || of_focus.contains(name);
        let check = |name: &str| {
            let input = el("input").with("type", "checkbox").with("data-relation", name);
            let input = if known(&name) { input.with("checked", "") } else { input };
            el("label").add(input).text(format!(" {name}"))
        };
        section = section.add(
            el("fieldset")
                .with("id", "relations")
                .with("hidden", "")
                .add(el("legend").text("Relations"))
                .all(scene.relations().into_iter().map(check)),
        );
    } else {
        let all = "all relations are too many for a page: `ptxmc draw --relation all` draws them";
        section = section.add(el("p").class("faint").text(all));
    }
    section = section.add(el("div").class("scroll").with("id", "deciding").markup(deciding));
    if let Some(full) = full {
        let full = el("div").class("scroll").with("id", "full").with("hidden", "").markup(full);
        section = section.add(full);
    }
    section
}

/// The deciding steps in order.
fn steps(page: &Page<'_>, scene: &Scene, graph: &EventGraph) -> Option<Element> {
    let decides = scene.focus.edges.iter().filter(|(_, role)| *role == Role::Decides);
    let step = |(edge, _): &(Edge, Role)| {
        let explained = page.steps.iter().find(|step| step.edge == *edge);
        let text = explained
            .map_or_else(|| story::sentence(edge, graph, page.files), |step| step.sentence.clone());
        let lines = story::lines(&[edge.from, edge.to], graph, page.files);
        let proved = explained.map(|step| [&step.otherwise[..], &step.proof].concat());
        let proof = proved.filter(|lines| !lines.is_empty()).map(|lines| {
            let lines = el("pre").text(lines.join("\n"));
            el("details").add(el("summary").text("why")).add(lines)
        });
        let item = el("li").add(
            el("button")
                .with("type", "button")
                .with("aria-pressed", "false")
                .with("data-from", edge.from.index().to_string())
                .with("data-to", edge.to.index().to_string())
                .with("data-lines", joined(&lines))
                .text(text),
        );
        item.all(proof)
    };
    let steps: Vec<Element> = decides.map(step).collect();
    let title = match page.judgements.first().map(|judgement| judgement.verdict.kind()) {
        Some(Kind::Forbidden) => "The way round that is forbidden",
        _ => "What happens here",
    };
    (!steps.is_empty()).then(|| {
        el("section")
            .with("id", "steps")
            .add(el("h2").text(title))
            .add(el("ol").class("steps").all(steps))
    })
}

fn joined(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The final states as a table.
fn states(page: &Page<'_>) -> Option<Element> {
    let listing = page.states?;
    let observed = &listing.graph.observed;
    if observed.is_empty() {
        return None;
    }
    let head = observed.iter().map(|name| el("th").text(&*name.name));
    let mut states: Vec<(&Vec<u128>, bool)> = listing
        .states
        .states
        .iter()
        .zip(&listing.matching)
        .map(|((values, _), &matching)| (values, matching))
        .collect();
    states.sort_by_key(|(_, matching)| !matching);
    let row = |(values, matching): &(&Vec<u128>, bool)| {
        let cells = values.iter().enumerate();
        let cells =
            cells.map(|(i, &value)| el("td").text(observed_value(&listing.graph, i, value)));
        el("tr").add(el("td").text(if *matching { "*" } else { "" })).all(cells)
    };
    let (count, matching) = (states.len(), listing.matching.iter().filter(|m| **m).count());
    let complete = if listing.is_complete() { "" } else { "; there may be more" };
    let cut = if count > MOST_STATES { ", of which the first are shown" } else { "" };
    let summary = format!("{matching} of {count} satisfy the condition (*){cut}{complete}");
    let table = el("table")
        .add(el("thead").add(el("tr").add(el("th")).all(head)))
        .add(el("tbody").all(states.iter().take(MOST_STATES).map(row)));
    Some(
        el("section")
            .with("id", "states")
            .add(el("h2").text("Final states"))
            .add(el("p").class("faint").text(summary))
            .add(el("div").class("scroll").add(table)),
    )
}

fn words(page: &Page<'_>) -> Element {
    el("section")
        .with("id", "words")
        .add(el("h2").text("In words"))
        .add(el("pre").text(page.words.trim_end()))
}

/// The source file of the test, with its statements marked.
fn source(page: &Page<'_>) -> Option<Element> {
    let file: &SourceFile = page.files.get(page.case.test.condition_span.file)?;
    let mut events: BTreeMap<usize, Vec<EventId>> = BTreeMap::new();
    if let Some((scene, _)) = page.scene {
        for node in scene.picture.columns.iter().flat_map(|column| &column.nodes) {
            if node.span.file == page.case.test.condition_span.file {
                let line = file.position(node.span.start as usize).line;
                events.entry(line).or_default().push(node.id);
            }
        }
    }
    let line = |(index, text): (usize, &str)| {
        let number = index + 1;
        let own = events.get(&number);
        let mut line = el("div")
            .with("id", format!("L{number}"))
            .with("data-line", number.to_string())
            .add(el("span").class("number").text(number.to_string()))
            .text(text);
        if let Some(own) = own {
            let ids: Vec<usize> = own.iter().map(|id| id.index()).collect();
            line = line.class("marked").with("data-events", joined(&ids));
        }
        line
    };
    let lines = file.text.lines().enumerate().take(MOST_LINES).map(line);
    Some(
        el("section")
            .with("id", "source")
            .add(el("h2").text(format!("Source: {}", file.name)))
            .add(el("div").class("source").all(lines)),
    )
}
