//! A picture in plain text: threads side by side, edges by relation, the final state.

use super::{Column, Picture};

/// The longest line; only a single thread may be wider.
const WIDTH: usize = 100;
const GAP: &str = " | ";

/// The picture, every line indented by two spaces.
#[must_use]
pub fn render(picture: &Picture) -> String {
    let mut lines = Vec::new();
    let columns: Vec<Vec<String>> = picture.columns.iter().map(cells).collect();
    for group in groups(&columns) {
        lines.extend(side_by_side(group));
    }
    lines.extend(facts(picture));
    lines.iter().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}

fn cells(column: &Column) -> Vec<String> {
    let events = column.nodes.iter().map(|n| format!("{}: {}", n.label, n.text));
    let stays = column.stays.iter().map(|stays| format!("({stays})"));
    std::iter::once(column.title.clone()).chain(events).chain(stays).collect()
}

fn width(cells: &[String]) -> usize {
    cells.iter().map(|c| c.chars().count()).max().unwrap_or(0)
}

/// Neighbouring columns grouped so that each group fits on a line.
fn groups(columns: &[Vec<String>]) -> Vec<&[Vec<String>]> {
    let mut groups = Vec::new();
    let mut start = 0;
    let mut used = 0;
    for (index, column) in columns.iter().enumerate() {
        let wanted = width(column) + GAP.len();
        if used + wanted > WIDTH && index > start {
            groups.push(&columns[start..index]);
            start = index;
            used = 0;
        }
        used += wanted;
    }
    groups.push(&columns[start..]);
    groups
}

fn side_by_side(columns: &[Vec<String>]) -> Vec<String> {
    let widths: Vec<usize> = columns.iter().map(|c| width(c)).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |column: usize, row: usize| {
        let text = columns[column].get(row).map_or("", String::as_str);
        format!("{text:0$}", widths[column])
    };
    (0..rows)
        .map(|row| (0..columns.len()).map(|c| cell(c, row)).collect::<Vec<_>>().join(GAP))
        .collect()
}

/// One line per relation, and one for the final state.
fn facts(picture: &Picture) -> Vec<String> {
    let mut facts: Vec<(&str, Vec<String>)> = Vec::new();
    for edge in &picture.edges {
        let text = format!("{} -> {}", picture.label(edge.from), picture.label(edge.to));
        match facts.iter_mut().find(|(relation, _)| *relation == edge.relation) {
            Some((_, texts)) => texts.push(text),
            None => facts.push((&edge.relation, vec![text])),
        }
    }
    if !picture.chosen.is_empty() {
        let chosen = picture.chosen.iter().map(|(name, value)| format!("{name}={value}"));
        facts.push(("chosen", chosen.collect()));
    }
    if !picture.state.is_empty() {
        let state = picture.state.iter().map(|(name, value)| format!("{name}={value}"));
        facts.push(("final", state.collect()));
    }
    if !picture.flags.is_empty() {
        facts.push(("flag", picture.flags.clone()));
    }
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    facts.into_iter().map(|(name, texts)| format!("{name:width$}  {}", texts.join(", "))).collect()
}
