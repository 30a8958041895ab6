//! An allowed outcome, with the list of changes that would exclude one of its executions, into the result
//! of these changes: other executions may need further changes.

use crate::advise::program::strengthened;
use crate::batch::{Case, Judgement, guarded, together};
use crate::check::{Settings, check};
use crate::execution::build::Execution;
use crate::litmus::ast::Test;
use crate::race::paths::{nearest_of, wanted};
use crate::relation::expr::Model;
use crate::report::{cure, near};
use crate::solve::Engine;
use crate::source::Files;
use crate::verdict::Verdict;

/// The most further lists of changes that are shown.
const MOST_LISTS: usize = 3;

/// The result of the changes of orders and scopes in a list, in lines; `None` if the result is unknown, or
/// if the list contains changes of other kinds.
pub(super) fn result_of_changes(
    (case, judgement): (&Case, &Judgement),
    model: &Model,
    engines: &[Box<dyn Engine>],
    settings: Settings,
    files: &Files,
) -> Option<String> {
    let settings = judgement.settings(settings);
    let settings = settings.with_budget(settings.budget.aside());
    let (engine, settings) = together(engines, settings);
    let mut path = near::excluding_path(judgement, model)?;
    let mut graph = judgement.graph.clone()?;
    let mut test: Test = case.test.clone();
    let mut out = String::new();
    for _ in 0..=MOST_LISTS {
        test = strengthened(&test, &cure::strengthenings(&path, &graph)?)?;
        let outcome = guarded(|| check(&test, model, &engine, settings)).ok()?;
        if engine.disagreement().is_some() {
            return None;
        }
        match outcome.verdict {
            Verdict::Forbidden(_) => {
                out += match out.is_empty() {
                    true => "  With that, no execution has the outcome.\n",
                    false => "  With all that, no execution has the outcome.\n",
                };
                return Some(out);
            }
            Verdict::Allowed(choices) => {
                graph = outcome.graph;
                let execution = Execution::build(&graph, *choices).ok()?;
                path = nearest_of(model, &execution, wanted(&execution))?;
            }
            _ => return None,
        }
        out += "  With that, another execution has the outcome still. In it:\n";
        out += &near::render(&path, &graph, files);
    }
    None
}
