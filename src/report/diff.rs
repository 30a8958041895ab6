//! The differences between the verdicts of two models as text, Markdown, JSON and JUnit XML.

use super::json::SCHEMA;
use super::junit::Suites;
use super::summary::Stated;
use crate::batch::Case;
use crate::litmus::print::print_blocks;
use crate::relation::expr::Model;
use crate::rule::Rule;
use crate::verdict::Kind;
use crate::workbench::diff::{Cause, Compared, Exchange, Group, Said, Side, counts, groups};
use serde_json::{Value, json};
use std::fmt::Write;

/// The most tests of a group that are named, unless the user asks for all.
const FEW: usize = 8;
/// The most states or races of a test that are named.
const FEW_MEMBERS: usize = 4;

/// Two models compared on tests.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The names of the old and the new side.
    pub names: [&'a str; 2],
    /// The tests.
    pub cases: &'a [Case],
    /// The comparison of each test, in the same order.
    pub compared: &'a [Compared],
    /// The tests that only the old side has.
    pub gone: &'a [String],
    /// Whether every test of a group is named.
    pub all: bool,
}

impl Report<'_> {
    fn name(&self, side: Side) -> &str {
        match side {
            Side::Old => self.names[0],
            Side::New => self.names[1],
        }
    }

    /// The tests that only the new side has.
    fn unknown(&self) -> impl Iterator<Item = usize> {
        (0..self.compared.len()).filter(|&at| self.compared[at].old.is_none())
    }

    fn differing(&self) -> usize {
        self.compared.iter().filter(|one| one.differs()).count()
    }

    /// The words for the verdicts that occur, and the counts of both sides.
    fn table(&self) -> (Vec<&'static str>, [Vec<usize>; 2]) {
        let old: Vec<&Said> = self.compared.iter().filter_map(|one| one.old.as_ref()).collect();
        let sides = [counts(old.into_iter()), counts(self.compared.iter().map(|one| &one.new))];
        let used = |at: &usize| sides.iter().any(|side| side[*at] > 0);
        let words = Kind::words();
        let shown: Vec<usize> = (0..words.len()).filter(used).collect();
        let names = shown.iter().map(|&at| words[at]).collect();
        (names, sides.map(|side| shown.iter().map(|&at| side[at]).collect()))
    }

    /// The common property of a group's tests, such as `newly forbidden (was allowed), by Causality of
    /// ptx-9.2`.
    fn title(&self, group: &Group) -> String {
        let key = &group.key;
        let [new, old] = key.words;
        let verdict = match key.new == key.old {
            true => format!("both {new}"),
            false => {
                let newly = match key.new {
                    Kind::Deadlock => "newly hanging",
                    Kind::Unknown => "not decided any more",
                    _ => &format!("newly {new}"),
                };
                format!("{newly} (was {old})")
            }
        };
        let cause = match &key.cause {
            Cause::Axioms { side, names } => {
                format!(", by {} of {}", names.join(", "), self.name(*side))
            }
            Cause::Reason { side, rule } => format!(", {}: {rule}", self.name(*side)),
            Cause::States => ", other final states".to_owned(),
            Cause::Races => ", other races".to_owned(),
            Cause::Unnamed => String::new(),
        };
        verdict + &cause
    }

    /// The example of a group: the shortest test.
    fn example(&self, group: &Group) -> usize {
        let length = |&&at: &&usize| {
            let test = &self.cases[at].test;
            let statements: usize = test.threads.iter().map(|t| t.statements.len()).sum();
            (statements, test.threads.len())
        };
        group.tests.iter().min_by_key(length).copied().unwrap_or_default()
    }
}

/// The text of a test.
fn source(case: &Case) -> String {
    print_blocks(&case.test).unwrap_or_else(|why| format!("({why})\n"))
}

/// The states or races that only one side reaches, a line each.
fn members(what: &str, exchange: Option<&Exchange>) -> Vec<String> {
    let Some(exchange) = exchange else { return Vec::new() };
    let list = |sign: &str, members: &[String]| -> Vec<String> {
        let more = members.len().saturating_sub(FEW_MEMBERS);
        let shown = members.iter().take(FEW_MEMBERS).map(|m| format!("{sign} {what} {m}"));
        let rest = (more > 0).then(|| format!("{sign} {more} more"));
        shown.chain(rest).collect()
    };
    [list("+", &exchange.gained), list("-", &exchange.lost)].concat()
}

/// The comparison as text.
#[must_use]
pub fn text(report: &Report<'_>) -> String {
    let mut out = String::new();
    let (kinds, sides) = report.table();
    let width = report.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let _ = write!(out, "{:width$}", "");
    kinds.iter().for_each(|kind| {
        let _ = write!(out, "  {kind:>9}");
    });
    out.push('\n');
    for (name, side) in report.names.iter().zip(&sides) {
        let _ = write!(out, "{name:width$}");
        for (kind, count) in kinds.iter().zip(side) {
            let column = kind.len().max(9);
            let _ = write!(out, "  {count:>column$}");
        }
        out.push('\n');
    }
    for group in groups(report.compared) {
        let _ = writeln!(out, "\n{}: {}", report.title(&group), tests(group.tests.len()));
        for Item { level, text } in listed(report, &group) {
            let _ = writeln!(out, "  {}{text}", level.indent());
        }
        let shown = report.example(&group);
        let _ = writeln!(out, "  for example {}:", report.cases[shown].path);
        source(&report.cases[shown]).lines().for_each(|line| {
            let _ = writeln!(out, "  | {line}");
        });
    }
    out.push('\n');
    out + &closing(report)
}

/// An item of the list of a group's tests.
struct Item {
    level: Level,
    text: String,
}

/// The level of an item in the list of a group's tests.
#[derive(Clone, Copy)]
enum Level {
    /// A test.
    Test,
    /// A state or race of the test before.
    Member,
}

impl Level {
    fn indent(self) -> &'static str {
        match self {
            Self::Test => "",
            Self::Member => "  ",
        }
    }
}

/// The tests of a group, with differing states and races.
fn listed(report: &Report<'_>, group: &Group) -> Vec<Item> {
    let most = if report.all { usize::MAX } else { FEW };
    let mut items = Vec::new();
    for &at in group.tests.iter().take(most) {
        items.push(Item { level: Level::Test, text: report.cases[at].path.clone() });
        let one = &report.compared[at];
        let states = members("state", one.states.as_ref());
        let members = states.into_iter().chain(members("race", one.races.as_ref()));
        items.extend(members.map(|text| Item { level: Level::Member, text }));
    }
    let more = group.tests.len().saturating_sub(most);
    let rest = (more > 0).then(|| format!("and {more} more (--all names them)"));
    items.extend(rest.map(|text| Item { level: Level::Test, text }));
    items
}

fn tests(count: usize) -> String {
    if count == 1 { "1 test".to_owned() } else { format!("{count} tests") }
}

/// New, missing and undecided tests, and the number of differing tests.
fn closing(report: &Report<'_>) -> String {
    let mut out = String::new();
    for at in report.unknown() {
        let (path, word) = (&report.cases[at].path, report.compared[at].new.word);
        let _ = writeln!(out, "new: {path} is {word}");
    }
    for path in report.gone {
        let _ = writeln!(out, "gone: {path}");
    }
    for (case, one) in report.cases.iter().zip(report.compared) {
        for open in &one.open {
            let _ = writeln!(out, "not compared: {}: {open}", case.path);
        }
    }
    let (differing, all) = (report.differing(), report.compared.len());
    let [old, new] = report.names;
    let _ = writeln!(out, "{old} -> {new}: {differing} of {} differ", tests(all));
    out
}

/// The comparison as Markdown for a pull request.
#[must_use]
pub fn markdown(report: &Report<'_>) -> String {
    let [old, new] = report.names;
    let (differing, all) = (report.differing(), report.compared.len());
    let mut out = format!("### `{old}` → `{new}`: {differing} of {} differ\n\n", tests(all));
    let (kinds, sides) = report.table();
    let _ = writeln!(out, "| model | {} |", kinds.join(" | "));
    let _ = writeln!(out, "|---|{}", "---:|".repeat(kinds.len()));
    for (name, side) in report.names.iter().zip(&sides) {
        let counts: Vec<String> = side.iter().map(usize::to_string).collect();
        let _ = writeln!(out, "| `{name}` | {} |", counts.join(" | "));
    }
    for group in groups(report.compared) {
        let (title, count) = (report.title(&group), tests(group.tests.len()));
        let _ = writeln!(out, "\n<details><summary>{title}: {count}</summary>\n");
        for Item { level, text } in listed(report, &group) {
            let _ = writeln!(out, "{}- `{text}`", level.indent());
        }
        let shown = &report.cases[report.example(&group)];
        let _ = writeln!(out, "\n`{}`:\n\n```\n{}```\n\n</details>", shown.path, source(shown));
    }
    let lines = closing(report);
    let others: Vec<&str> = lines.lines().collect();
    let others = others.split_last().map_or(&[][..], |(_, others)| others);
    if !others.is_empty() {
        let _ = writeln!(out);
        others.iter().for_each(|line| {
            let _ = writeln!(out, "- {line}");
        });
    }
    out
}

/// The comparison as one JSON object.
#[must_use]
pub fn json(report: &Report<'_>) -> String {
    let said = |said: &Said| json!({"verdict": said.kind.name(), "axioms": said.axioms, "rule": said.rule.as_ref().map(Rule::to_string)});
    let exchange =
        |e: &Option<Exchange>| e.as_ref().map(|e| json!({"gained": e.gained, "lost": e.lost}));
    let tests: Vec<Value> = (report.cases.iter().zip(report.compared))
        .map(|(case, one)| {
            json!({
                "path": case.path,
                "name": case.test.name,
                "old": one.old.as_ref().map(said),
                "new": said(&one.new),
                "differs": one.differs(),
                "states": exchange(&one.states),
                "races": exchange(&one.races),
                "open": one.open,
            })
        })
        .collect();
    let groups: Vec<Value> = groups(report.compared)
        .iter()
        .map(|group| {
            let paths: Vec<&str> =
                group.tests.iter().map(|&at| report.cases[at].path.as_str()).collect();
            json!({
                "title": report.title(group),
                "old": group.key.old.name(),
                "new": group.key.new.name(),
                "tests": paths,
                "shown": report.cases[report.example(group)].path,
            })
        })
        .collect();
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "old": report.names[0],
        "new": report.names[1],
        "tests": tests,
        "groups": groups,
        "gone": report.gone,
        "differing": report.differing(),
    });
    format!("{value:#}\n")
}

/// The comparison as JUnit XML: a case per test, which fails if the test differs.
#[must_use]
pub fn junit(report: &Report<'_>, new: &Model) -> String {
    let models = std::slice::from_ref(new);
    let mut suites = Suites::new(models);
    for (case, one) in report.cases.iter().zip(report.compared) {
        let kind = one.new.kind;
        let expected = one.old.as_ref().map(|old| old.kind);
        let why =
            one.new.rule.as_ref().map(Rule::to_string).unwrap_or_else(|| one.new.axioms.join(", "));
        let stated = Stated {
            kind,
            quantifier: case.test.quantifier,
            expected,
            reason: why,
            ..Stated::bare(kind)
        };
        if one.differs() && expected == Some(kind) {
            let states = members("state", one.states.as_ref());
            let races = members("race", one.races.as_ref());
            suites.fail(case, &[states, races].concat().join("; "));
        } else {
            suites.add(case, &[stated]);
        }
    }
    suites.render(&[])
}
