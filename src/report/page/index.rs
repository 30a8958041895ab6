//! Tests with their verdicts into a page that lists them.

use super::html::{el, page};
use crate::batch::Standing;
use crate::check::HangKind;
use crate::collections::IndexSet;
use crate::relation::expr::Model;
use crate::report::summary::{Stated, Tally};
use crate::verdict::Kind;
use serde_json::{Value, json};

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of the test in reports.
    pub path: String,
    /// The address of the test's page.
    pub page: String,
    /// The verdict on the test under each model.
    pub verdicts: Vec<Stated>,
}

const SCRIPT: &str = include_str!("index.js");

/// A complete HTML document.
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
    let table = el("table").class("tests").add(el("thead").add(head)).add(el("tbody"));
    let count = el("p").class("faint").with("id", "count").with("aria-live", "polite");
    let bare = "The list is made by a script of this page; the pages of the tests are in the folder beside it.";
    let content = el("main")
        .class("wide")
        .add(el("h1").text("Tests"))
        .add(el("p").text(tally.line()))
        .add(el("noscript").text(bare))
        .add(el("div").class("filters").add(search).add(verdicts).add(standings))
        .add(count.text(format!("{0} of {0} tests", entries.len())))
        .add(table);
    let script = format!("const data = {};\n{SCRIPT}", data(entries));
    page("ptxmc: tests", &script, content)
}

/// The rows in the form that the script expects: `folders`, `reasons` and `verdicts`, each without
/// duplicates, and for each test the folder, the name, the page, the standing, the reason and the verdicts.
/// Folders, reasons and verdicts of a test are indices into the lists.
fn data(entries: &[Entry]) -> String {
    let (mut folders, mut reasons, mut verdicts) =
        (Words::default(), Words::default(), Words::default());
    let row = |(at, entry): (usize, &Entry)| -> Vec<Value> {
        let (folder, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        let standing =
            entry.verdicts.iter().map(Stated::standing).max().unwrap_or(Standing::Unasked);
        let standing = STANDINGS.iter().position(|(known, _)| *known == standing).unwrap_or(0);
        let stated = entry.verdicts.iter().map(|stated| verdicts.index(&verdict(stated)).into());
        let page = page_of(entry, at, name);
        let folder = folders.index(folder);
        let reason = reasons.index(&reason(entry));
        let row = [folder.into(), name.into(), page.into(), standing.into(), reason.into()];
        row.into_iter().chain(stated).collect()
    };
    let rows: Vec<Vec<Value>> = entries.iter().enumerate().map(row).collect();
    let data = json!({
        "folders": folders.0,
        "reasons": reasons.0,
        "verdicts": verdicts.0,
        "standings": STANDINGS.map(|(_, name)| name),
        "rows": rows,
    });
    // A `<` in the text of a test could end the script element.
    data.to_string().replace('<', "\\u003c")
}

/// The address of a test's page, unless the script can derive the address from the test's name.
fn page_of(entry: &Entry, at: usize, name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match entry.page == format!("tests/{:04}-{stem}.html", at + 1) {
        true => String::new(),
        false => entry.page.clone(),
    }
}

/// A verdict: kind, marking and text.
fn verdict(stated: &Stated) -> String {
    let class = match stated.standing() {
        Standing::Expected => "good",
        Standing::Unexpected | Standing::Broken => "bad",
        Standing::Unasked | Standing::Unknown => "",
    };
    let word = stated.word(stated.kind);
    let missed = stated.missed().map_or_else(String::new, |missed| format!(" ({missed})"));
    format!("{}|{class}|{word}{missed}", stated.kind.name())
}

/// The reasons of the verdicts. A position within the test is given by its line only.
fn reason(entry: &Entry) -> String {
    let own = format!("{}:", entry.path);
    let reasons_of_verdicts =
        entry.verdicts.iter().map(|stated| stated.reason.replace(&own, "line "));
    let hangs = entry.verdicts.iter().filter_map(|stated| match stated.hang? {
        HangKind::Possible => Some("may hang".to_owned()),
        HangKind::Unknown => Some("whether it may hang is unknown".to_owned()),
        HangKind::Never => None,
    });
    let mut reasons: Vec<String> =
        reasons_of_verdicts.filter(|reason| !reason.is_empty()).collect();
    reasons.extend(hangs);
    reasons.dedup();
    reasons.join("; ")
}

/// Distinct words, addressed by index.
#[derive(Default)]
struct Words(IndexSet<String>);

impl Words {
    fn index(&mut self, word: &str) -> usize {
        self.0.insert_full(word.to_owned()).0
    }
}

const STANDINGS: [(Standing, &str); 5] = [
    (Standing::Unexpected, "unexpected"),
    (Standing::Expected, "as expected"),
    (Standing::Unasked, "nothing expected"),
    (Standing::Unknown, "unknown"),
    (Standing::Broken, "error"),
];
