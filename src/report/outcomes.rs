//! Final states as a table for people.

use super::reason::{self, Caveat};
use super::witness::{self, Picture, observed_value};
use crate::batch::{Case, Listing};
use crate::execution::build::Execution;
use crate::relation::expr::Model;
use crate::source::Files;

/// Whether witnesses are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witnesses {
    /// One below each state.
    Shown,
    /// None.
    Hidden,
}

/// All final states, those that satisfy the condition first and marked by `*`; `caveat` is what has to be
/// known of them, and comes first where it leaves them without meaning.
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
    let mut shown: Vec<_> = states.iter().zip(&listing.matching).collect();
    shown.sort_by_key(|(_, matching)| !**matching);
    for ((values, choices), matching) in shown {
        let mark = if *matching { '*' } else { ' ' };
        out.push_str(format!("{mark} {}", state(listing, values)).trim_end());
        let raised = match Execution::build(&listing.graph, choices.clone()) {
            Ok(execution) if witnesses == Witnesses::Hidden => witness::flags(&execution, model),
            _ => Vec::new(),
        };
        if !raised.is_empty() {
            out.push_str(&format!("  (flag {})", raised.join(", ")));
        }
        out.push('\n');
        if witnesses == Witnesses::Shown {
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

/// One state: `P0:r1=0; x=1;`.
#[must_use]
pub fn state(listing: &Listing, values: &[u128]) -> String {
    let named = listing.graph.observed.iter().zip(values).enumerate();
    let parts: Vec<String> = named
        .map(|(i, (o, &value))| format!("{}={};", o.name, observed_value(&listing.graph, i, value)))
        .collect();
    parts.join(" ")
}
