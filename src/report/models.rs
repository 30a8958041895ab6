//! The axioms of a model, as text.

use super::reason;
use crate::relation::expr::{AxiomKind, AxiomRole, Model};
use crate::source::Files;

/// The axioms of a model, one per line, with their clauses and places.
#[must_use]
pub fn axioms(model: &Model, files: &Files) -> String {
    let mut out = match &model.title {
        Some(title) => format!("{}: {title}\n", model.name),
        None => format!("{}\n", model.name),
    };
    let names: Vec<String> = model.axioms.iter().map(reason::named).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    for (axiom, name) in model.axioms.iter().zip(&names) {
        // A flag reports the executions on which its axiom does not hold.
        let negated = axiom.negated != (axiom.role == AxiomRole::Flag);
        let negation = if negated { "~" } else { "" };
        let kind = match axiom.kind {
            AxiomKind::Acyclic => "acyclic",
            AxiomKind::Irreflexive => "irreflexive",
            AxiomKind::Empty => "empty",
        };
        let role = match axiom.role {
            AxiomRole::Required => "",
            AxiomRole::Flag => "flag ",
            AxiomRole::UndefinedUnless => "undefined unless ",
        };
        let place = files.location(axiom.span);
        let demand = format!("{role}{negation}{kind}");
        out.push_str(&format!("  {name:width$}  {demand:11}  {place}\n"));
    }
    if model.total_co {
        out.push_str("  coherence is total\n");
    }
    out
}
