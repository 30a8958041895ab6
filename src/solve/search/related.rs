//! Questions for pairs in a relation of the model into searches for executions that may have one.
//!
//! While choices are open, the upper bound of the relation tells whether an execution may still have such a pair:
//! a race is none any more once synchronization orders its accesses, whatever else is chosen.

use super::SearchEngine;
use super::candidates::Space;
use super::rules::Rules;
use super::state::{Limit, Orders, Search, Stop};
use crate::execution::build::{Execution, Inconsistency};
use crate::id::{FileId, NodeId};
use crate::relation::classify::ORDERS;
use crate::relation::expr::{Axiom, AxiomKind, AxiomRole, Model};
use crate::relation::polarity::mentions;
use crate::rule::Unsupported;
use crate::solve::{Answer, Core, Goal, Pairs, Problem};
use crate::source::Span;

/// Looks for a consistent execution with such a pair, evaluating the model's definition on each.
pub(super) fn related(
    engine: &SearchEngine,
    problem: Problem<'_>,
    pairs: Pairs,
    limit: Limit,
) -> Answer {
    let node = match pairs.relation(problem.model) {
        Ok(node) => node,
        Err(name) => return Answer::Unsupported(Unsupported::NoRelation(name)),
    };
    // Without bounds of the relation, every consistent execution is looked at.
    let demanding = with_a_pair(problem.model, node);
    let compiled = engine.rules(Problem { model: &demanding, ..problem });
    let (rules, is_bounded) = match compiled.as_ref() {
        Ok(_) => (compiled, true),
        Err(_) => (engine.rules(problem), false),
    };
    let rules: &Rules = match rules.as_ref() {
        Ok(rules) => rules,
        Err(why) => return Answer::Unsupported(why.clone()),
    };
    let space = Space::new(problem.graph, rules, Goal::Related(pairs));
    let active = vec![true; rules.demands.len()];
    let mut search = Search::new(&space, rules, &active, Goal::Related(pairs), limit);
    search.sought = is_bounded.then_some((rules.demands.len() - 1, pairs));
    // One orientation of the orders is enough for a relation that does not depend on them.
    if mentions(&problem.model.arena, node, &ORDERS) {
        search.orders = Orders::All;
    }
    found(problem, pairs, rules, search)
}

/// The axioms of a model with one more as the last: the relation has a member.
fn with_a_pair(model: &Model, node: NodeId) -> Model {
    let mut demanding = model.without_definitions();
    demanding.axioms.push(Axiom {
        kind: AxiomKind::Empty,
        negated: true,
        role: AxiomRole::Required,
        node,
        name: "a pair is looked for".to_owned(),
        clauses: Vec::new(),
        span: Span { file: FileId::new(0), start: 0, end: 0 },
    });
    demanding
}

/// The first execution of a search that has such a pair.
fn found(
    Problem { graph, model }: Problem<'_>,
    pairs: Pairs,
    rules: &Rules,
    mut search: Search<'_, '_>,
) -> Answer {
    let mut found = None;
    let result = search.run(&mut |_, choices| {
        let execution = match Execution::build(graph, choices.clone()) {
            Ok(execution) => execution,
            Err(Inconsistency::Filtered) => return Ok(()),
            Err(Inconsistency::Undetermined(_)) if rules.thin_air.is_some() => return Ok(()),
            Err(Inconsistency::Undetermined(_)) => {
                return Err(Stop::Unsupported(Unsupported::SelfJustified));
            }
            Err(other) => return Err(Stop::Unsupported(Unsupported::Choices(other.to_string()))),
        };
        if pairs.find(model, &execution).is_some() {
            found = Some(Box::new(choices));
            return Err(Stop::Found);
        }
        Ok(())
    });
    match (result, found) {
        (_, Some(choices)) => Answer::Yes(choices),
        (Err(Stop::Gave(why)), None) => Answer::Unknown(why),
        (Err(Stop::Unsupported(why)), None) => Answer::Unsupported(why),
        (_, None) if search.is_partial() => Answer::Unsupported(Unsupported::UnknownValues),
        (_, None) => Answer::No(Core::default()),
    }
}
