//! Final states as a table.

use super::caveat::Caveat;
use super::reason;
use super::witness::{self, Picture, observed_value};
use crate::batch::{Case, Listing};
use crate::execution::build::Execution;
use crate::relation::expr::Model;
use crate::source::Files;
use std::collections::{BTreeMap, BTreeSet};

/// Whether the table has witnesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witnesses {
    /// A witness below each state.
    Shown,
    /// No witnesses.
    Hidden,
}

/// All final states. States that satisfy the condition come first, marked by `*`; states that differ only
/// in values that the program does not determine share a line. `caveat` is a verdict that limits the
/// meaning of states; a caveat that leaves states without meaning comes first.
#[must_use]
pub fn render(
    case: &Case,
    listing: &Listing,
    model: &Model,
    witnesses: Witnesses,
    caveat: Option<&Caveat>,
    files: &Files,
) -> String {
    let states = &listing.states.states;
    let count = if states.len() == 1 { "state" } else { "states" };
    let (void, caveat) = match caveat {
        Some(caveat) if caveat.is_void() => (Some(caveat), None),
        other => (None, other),
    };
    let mut out = match void {
        Some(Caveat { kind, text }) => {
            format!("{}: {} under {}\n{text}\n", case.path, kind.name(), model.name)
        }
        None => format!("{}: {} final {count} under {}\n", case.path, states.len(), model.name),
    };
    for shape in shapes(listing, model) {
        let mark = if shape.matching { '*' } else { ' ' };
        out.push_str(format!("{mark} {}", shape.text(listing)).trim_end());
        if witnesses == Witnesses::Hidden && !shape.flags.is_empty() {
            out.push_str(&format!("  (flag {})", shape.flags.join(", ")));
        }
        out.push('\n');
        if witnesses == Witnesses::Shown {
            let (_, choices) = &states[shape.first];
            out.push_str(&match Picture::of(&case.test.name, &listing.graph, choices, model) {
                Ok(picture) => witness::text::render(&picture),
                Err(message) => format!("  {message}\n"),
            });
        }
    }
    let matching = listing.matching.iter().filter(|m| **m).count();
    let these = if listing.is_complete() { "" } else { "these " };
    let all = states.len();
    out.push_str(&match void {
        Some(_) => {
            format!("{matching} of {these}{all} final {count} found satisfy the condition (*)\n")
        }
        None => format!("{matching} of {these}{all} satisfy the condition (*)\n"),
    });
    if let Some(caveat) = caveat {
        out.push_str(&format!("{}\n", caveat.text));
    }
    if let Some(why) = listing.states.incomplete {
        out.push_str(&format!("there may be more: {}\n", reason::limit(why)));
    }
    if let Some(why) = &listing.cut {
        out.push_str(&format!("there may be more: {}\n", reason::undecided(why, files)));
    }
    out
}

/// The most undetermined values of a name that are listed as separate states.
const FEW_VALUES: usize = 4;

/// States that differ only in values that the program does not determine.
struct Shape {
    matching: bool,
    flags: Vec<String>,
    /// The value of each observed name; `None` for an undetermined value.
    values: Vec<Option<u128>>,
    /// The index of the first of the states.
    first: usize,
    count: usize,
}

impl Shape {
    /// The states as `P0:r1=0; x=1;`, with an example for undetermined values.
    fn text(&self, listing: &Listing) -> String {
        let example = &listing.states.states[self.first].0;
        if self.count == 1 {
            return state(listing, example);
        }
        let named = |value: &dyn Fn(usize) -> Option<String>| {
            let observed = listing.graph.observed.iter().enumerate();
            let parts = observed.filter_map(|(i, o)| Some(format!("{}={};", o.name, value(i)?)));
            parts.collect::<Vec<_>>().join(" ")
        };
        let shown = |i: usize, value| observed_value(&listing.graph, i, value);
        let all = named(&|i| Some(self.values[i].map_or("?".to_owned(), |value| shown(i, value))));
        let one = named(&|i| self.values[i].is_none().then(|| shown(i, example[i])));
        format!("{all}  ({} states, such as {one})", self.count)
    }
}

/// The shapes of the states; shapes that satisfy the condition come first.
fn shapes(listing: &Listing, model: &Model) -> Vec<Shape> {
    let states = &listing.states.states;
    let observed = &listing.graph.observed;
    let mut open = vec![BTreeSet::new(); observed.len()];
    let mut shapes = Vec::new();
    for (first, ((values, choices), &matching)) in states.iter().zip(&listing.matching).enumerate()
    {
        let mut shape = Shape {
            matching,
            flags: Vec::new(),
            values: values.iter().copied().map(Some).collect(),
            first,
            count: 1,
        };
        if let Ok(execution) = Execution::build(&listing.graph, choices.clone()) {
            shape.flags = witness::flags(&execution, model);
            for (i, o) in observed.iter().enumerate() {
                if execution.is_open(o.value) {
                    open[i].insert(values[i]);
                    shape.values[i] = None;
                }
            }
        }
        shapes.push(shape);
    }
    let mut kept: Vec<Shape> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for mut shape in shapes {
        let all = &states[shape.first].0;
        for (i, value) in shape.values.iter_mut().enumerate() {
            if open[i].len() <= FEW_VALUES {
                *value = Some(all[i]);
            }
        }
        let key = (shape.matching, shape.flags.clone(), shape.values.clone());
        match known.get(&key) {
            Some(&index) => kept[index].count += 1,
            None => {
                known.insert(key, kept.len());
                kept.push(shape);
            }
        }
    }
    kept.sort_by_key(|shape| !shape.matching);
    kept
}

/// A state: `P0:r1=0; x=1;`.
fn state(listing: &Listing, values: &[u128]) -> String {
    if values.is_empty() {
        return "(nothing is observed)".to_owned();
    }
    let named = listing.graph.observed.iter().zip(values).enumerate();
    let parts: Vec<String> = named
        .map(|(i, (o, &value))| format!("{}={};", o.name, observed_value(&listing.graph, i, value)))
        .collect();
    parts.join(" ")
}
