//! The relation between two models, with its proof, as text.

use crate::workbench::distinguish::Answer;
use crate::workbench::equiv::{BASIC_LAWS, Derived};
use std::fmt::Write;

/// The known facts about two models.
#[derive(Clone, Debug)]
pub struct Relationship<'a> {
    /// The names of the models.
    pub names: [&'a str; 2],
    /// The axioms of each model that follow from the other model.
    pub derived: [&'a Derived; 2],
    /// The executions that each model allows and the other forbids, if the search ran.
    pub found: [Option<&'a Answer>; 2],
    /// Whether the report shows every step of the proofs.
    pub steps: bool,
}

impl Relationship<'_> {
    /// Whether a test shows that a model allows what the other forbids.
    fn allows_more(&self, model: usize) -> bool {
        self.found[model].is_some_and(|answer| !answer.found.is_empty())
    }

    /// The sizes up to which the searches in both directions found no test.
    fn sizes(&self) -> String {
        let answers = self.found.iter().flatten();
        let covered = answers.filter_map(|answer| answer.covered.first());
        match covered.map(|covered| covered.events).min().unwrap_or(0) {
            1 => "1 event".to_owned(),
            events => format!("{events} events"),
        }
    }

    /// The relation as one line.
    #[must_use]
    pub fn line(&self) -> String {
        let [a, b] = self.names;
        // A model whose axioms all follow from the other model allows every execution of that model.
        let within = [0, 1].map(|model| self.derived[1 - model].is_complete());
        let more = [self.allows_more(0), self.allows_more(1)];
        match (within, more) {
            ([true, true], _) => format!("{a} and {b} are equivalent, by proof"),
            (_, [true, true]) => format!("{a} and {b} are incomparable, by tests"),
            ([true, _], [_, true]) => format!("{a} is stronger than {b}, by proof and a test"),
            ([_, true], [true, _]) => format!("{a} is weaker than {b}, by proof and a test"),
            (_, [true, false]) => format!(
                "{a} is weaker than {b} or incomparable: a test that {a} allows, none found that only {b} does"
            ),
            (_, [false, true]) => format!(
                "{a} is stronger than {b} or incomparable: a test that {b} allows, none found that only {a} does"
            ),
            ([true, _], _) => format!(
                "{a} is at least as strong as {b}, by proof; no test shows that it is stronger"
            ),
            ([_, true], _) => format!(
                "{b} is at least as strong as {a}, by proof; no test shows that it is stronger"
            ),
            _ => format!(
                "no difference between {a} and {b} up to {}, and no proof that they are equivalent",
                self.sizes()
            ),
        }
    }
}

/// The relation with proofs and tests.
#[must_use]
pub fn text(relationship: &Relationship<'_>, threads: usize) -> String {
    let mut out = format!("{}\n", relationship.line());
    for (model, derived) in relationship.derived.iter().enumerate() {
        let (own, other) = (relationship.names[model], relationship.names[1 - model]);
        let _ = writeln!(out, "\naxioms of {own} from those of {other}:");
        for follows in &derived.follows {
            let steps: usize = follows.proofs.iter().map(|proof| proof.steps()).sum();
            let from = match &follows.from[..] {
                [] => "is about nothing".to_owned(),
                from => format!("from {}", from.join(", ")),
            };
            let how = match steps {
                0 => "up to order and grouping".to_owned(),
                1 => "in 1 step".to_owned(),
                steps => format!("in {steps} steps"),
            };
            let _ = writeln!(out, "  {} {from}, {how}", follows.axiom);
            if relationship.steps {
                for step in follows.proofs.iter().flat_map(|p| p.chains.iter().flatten()) {
                    let arrow = if step.backwards { "<-" } else { "->" };
                    let _ = writeln!(out, "    {arrow} {}: {}", step.law, step.after);
                }
            }
        }
        for axiom in &derived.open {
            let _ = writeln!(out, "  {axiom}: no proof");
        }
        let laws = derived.laws();
        if !laws.is_empty() {
            let _ = writeln!(out, "  laws: {}", laws.join(", "));
        }
    }
    if relationship.steps {
        let _ = writeln!(out, "\nall comparisons are up to these:");
        BASIC_LAWS.iter().for_each(|law| {
            let _ = writeln!(out, "  {law}");
        });
    }
    for (model, answer) in relationship.found.iter().enumerate() {
        let Some(answer) = answer else { continue };
        let (own, other) = (relationship.names[model], relationship.names[1 - model]);
        match answer.found.first() {
            Some(test) => {
                let _ = writeln!(out, "\nallowed by {own} and forbidden by {other}:");
                test.text.lines().for_each(|line| {
                    let _ = writeln!(out, "  {line}");
                });
            }
            None => {
                let sizes: Vec<String> = answer
                    .covered
                    .iter()
                    .filter(|covered| covered.events > 0)
                    .map(|c| format!("{} events ({})", c.events, c.family.describe()))
                    .collect();
                let _ = writeln!(
                    out,
                    "\nnothing is allowed by {own} and forbidden by {other} up to {threads} threads and {}",
                    sizes.join(", ")
                );
                if answer.is_cut {
                    out.push_str("the budget was over then; --budget looks at more\n");
                }
            }
        }
    }
    out
}
