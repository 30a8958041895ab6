//! Tests with their verdicts into a page that lists them.

use super::html::{Element, el, page};
use crate::batch::Standing;
use crate::relation::expr::Model;
use crate::report::summary::{Stated, Tally};
use crate::verdict::Kind;

/// A test of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How it is called.
    pub path: String,
    /// Where its page is.
    pub page: String,
    /// Its verdict under each model.
    pub verdicts: Vec<Stated>,
}

const SCRIPT: &str = include_str!("index.js");

/// The page, as a whole document.
#[must_use]
pub fn index(entries: &[Entry], models: &[Model], tally: &Tally) -> String {
    let option = |value: &str, text: &str| el("option").with("value", value).text(text);
    let found = |kind: &Kind| entries.iter().flat_map(|e| &e.verdicts).any(|v| v.kind == *kind);
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(found).collect();
    let verdicts = el("select")
        .with("id", "verdict")
        .with("aria-label", "verdict")
        .add(option("", "any verdict"))
        .all(kinds.iter().map(|kind| option(kind.name(), kind.name())));
    let standings = el("select")
        .with("id", "standing")
        .with("aria-label", "expectation")
        .add(option("", "expected or not"))
        .all(STANDINGS.iter().map(|(_, name)| option(name, name)));
    let search = el("input")
        .with("type", "search")
        .with("id", "search")
        .with("placeholder", "words of a path, a verdict, a reason  (/)")
        .with("aria-label", "search");
    let head = el("tr")
        .add(el("th").text("test"))
        .all(models.iter().map(|model| el("th").text(&*model.name)))
        .add(el("th").text("why"));
    let table = el("table")
        .class("tests")
        .add(el("thead").add(head))
        .add(el("tbody").all(entries.iter().map(row)));
    let count = el("p").class("faint").with("id", "count").with("aria-live", "polite");
    let content = el("main")
        .class("wide")
        .add(el("h1").text("Tests"))
        .add(el("p").text(tally.line()))
        .add(el("div").class("filters").add(search).add(verdicts).add(standings))
        .add(count.text(format!("{0} of {0} tests", entries.len())))
        .add(table);
    page("ptxmc: tests", SCRIPT, content)
}

const STANDINGS: [(Standing, &str); 5] = [
    (Standing::Unexpected, "unexpected"),
    (Standing::Expected, "as expected"),
    (Standing::Unasked, "nothing expected"),
    (Standing::Unknown, "unknown"),
    (Standing::Broken, "error"),
];

fn row(entry: &Entry) -> Element {
    let standing = entry.verdicts.iter().map(Stated::standing).max().unwrap_or(Standing::Unasked);
    let name = STANDINGS.iter().find(|(known, _)| *known == standing).map_or("", |(_, name)| name);
    let kinds: Vec<&str> = entry.verdicts.iter().map(|stated| stated.kind.name()).collect();
    let cell = |stated: &Stated| {
        let class = match stated.standing() {
            Standing::Expected => "good",
            Standing::Unexpected | Standing::Broken => "bad",
            Standing::Unasked | Standing::Unknown => "",
        };
        let mut cell =
            el("td").add(el("span").class(class).text(stated.kind.word(stated.quantifier)));
        if let (Standing::Unexpected, Some(expected)) = (stated.standing(), stated.expected) {
            cell = cell.text(format!(" (expected {})", expected.word(stated.quantifier)));
        }
        cell
    };
    let mut reasons: Vec<&str> = entry
        .verdicts
        .iter()
        .map(|stated| stated.reason.as_str())
        .filter(|r| !r.is_empty())
        .collect();
    reasons.dedup();
    let link = el("a").with("href", &*entry.page).text(&*entry.path);
    el("tr")
        .with("data-verdicts", kinds.join(" "))
        .with("data-standing", name)
        .add(el("td").add(link))
        .all(entry.verdicts.iter().map(cell))
        .add(el("td").class("faint").text(reasons.join("; ")))
}
