//! Programs that are undefined because some execution does not satisfy an `undefined_unless` of the
//! model.
//!
//! Such an execution counts however it goes on, as for other undefined behaviour, even if threads
//! wait for ever.

use super::asked::{Asked, Found, undecided_before_waits};
use super::condition::{verify, witnessed};
use super::events::{waits, with_rounds};
use super::limits::too_large;
use super::prefix;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{Cut, CutKind, EventGraph, Violation};
use crate::execution::build::{Choices, Execution};
use crate::id::{EventId, NodeId};
use crate::relation::eval::evaluate_roots;
use crate::relation::expr::{Arena, Axiom, AxiomKind, AxiomRole, Model, Node};
use crate::rule::Rule;
use crate::solve::{Goal, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Reason, Verdict};
use crate::vocabulary::Sort;

/// The verdict if some execution fails such a condition, or if the engine cannot exclude this.
/// Includes the events of the verdict if these differ from the problem's.
pub(super) fn broken(asked: Asked<'_>) -> Option<Found> {
    let Asked { test, problem: Problem { graph, model }, settings, .. } = asked;
    let conditions: Vec<usize> = model
        .axioms
        .iter()
        .enumerate()
        .filter(|(_, axiom)| axiom.role == AxiomRole::UndefinedUnless)
        .filter(|(_, axiom)| !is_vacuous(graph, model, axiom))
        .map(|(index, _)| index)
        .collect();
    if conditions.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let find =
        |graph: &EventGraph| conditions.iter().find_map(|&index| fails(asked.on(graph), index));
    if let Some(verdict) = find(graph) {
        return Some(Found::here(verdict));
    }
    // Rounds of loops that only wait are left out of the graph, but their reads may fail a
    // condition.
    let may_read = waits(graph) && !waits_at_mbarriers(graph);
    let rounds = may_read.then(|| with_rounds(test, model, settings));
    let rounds = rounds.filter(|rounds| plain_accesses(rounds) > plain_accesses(graph));
    if let Some(rounds) = rounds
        && let Some(verdict) = find(&rounds)
    {
        return Some(Found::elsewhere((verdict, rounds)));
    }
    if graph.barriers.is_empty() && graph.api_edges.is_empty() {
        return None;
    }
    prefix::first_found(prefix::before_waits(graph), find, undecided_before_waits)
        .map(Found::elsewhere)
}

/// Whether each cut thread waits in a loop that only reads mbarriers, so that further rounds have no
/// other accesses.
fn waits_at_mbarriers(graph: &EventGraph) -> bool {
    let is_mbarrier = |piece: EventId| graph.event(piece).marks.mbarrier;
    let polls = |cut: &Cut| cut.kind == CutKind::Spin && graph.polls(cut).all(is_mbarrier);
    graph.cuts.iter().all(polls)
}

/// The number of accesses other than operations on mbarriers, which conditions do not mention.
fn plain_accesses(graph: &EventGraph) -> usize {
    graph.events.iter().filter(|event| event.is_memory() && !event.marks.mbarrier).count()
}

/// The verdict if some execution does not satisfy the condition with this index.
fn fails(asked: Asked<'_>, index: usize) -> Option<Verdict> {
    let Problem { graph, model } = asked.problem;
    let axiom = &model.axioms[index];
    let mut broken = model.clone();
    broken.axioms[index].role = AxiomRole::Required;
    broken.axioms[index].negated = !axiom.negated;
    // Executions count as for undefined behaviour: a question about a violation that always
    // happens.
    let mut always_violated = graph.clone();
    let always = always_violated.exprs.truth(true);
    always_violated.violations = vec![Violation::asked(always, axiom.span)];
    let goal = Goal::AnyViolation;
    let asked = asked.on(&always_violated).under(&broken);
    match asked.find(goal) {
        Ok(Decided::Yes(choices)) => match verify(asked.problem, goal, &choices) {
            Ok(result) if result.is_consistent() => {
                Some(Verdict::Undefined(reason(graph, model, index, choices)))
            }
            _ => Some(witnessed(asked.problem, goal, *choices)),
        },
        Ok(Decided::No(_)) => None,
        Err(why) => Some(Verdict::Unknown(why)),
    }
}

/// The reason why an execution of these choices is undefined, with the statements of a pair that
/// the condition excludes.
fn reason(graph: &EventGraph, model: &Model, index: usize, choices: Box<Choices>) -> Reason {
    let axiom = &model.axioms[index];
    let spans = pair(graph, model, axiom.node, &choices).map_or_else(Vec::new, |(a, b)| {
        let mut spans: Vec<Span> = [a, b].map(|id| graph.event(id).span).to_vec();
        spans.dedup();
        spans
    });
    let (name, clauses) = (axiom.name.clone(), axiom.clauses.clone());
    Reason { rule: Rule::ModelCondition { name, clauses }, spans, choices: Some(choices) }
}

fn pair(
    graph: &EventGraph,
    model: &Model,
    node: NodeId,
    choices: &Choices,
) -> Option<(EventId, EventId)> {
    if model.arena.sort(node) != Sort::Relation {
        return None;
    }
    let execution = Execution::build(graph, choices.clone()).ok()?;
    let values = evaluate_roots(&model.arena, &[node], &execution);
    values.relation(node).iter_pairs().next()
}

/// Whether no execution of a program can fail a condition, because a base set or relation in it is
/// empty there.
pub(super) fn is_vacuous(graph: &EventGraph, model: &Model, axiom: &Axiom) -> bool {
    axiom.kind == AxiomKind::Empty && !axiom.negated && is_empty(graph, &model.arena, axiom.node)
}

/// Whether an expression is empty in every execution, by its base sets and given relations.
fn is_empty(graph: &EventGraph, arena: &Arena, node: NodeId) -> bool {
    let empty = |node| is_empty(graph, arena, node);
    match arena.node(node) {
        Node::Empty(_) => true,
        Node::Set(set) => base_set(graph, set).is_empty(),
        Node::Rel(relation) => {
            let given = relation.origin() == crate::vocabulary::Origin::Given;
            given && base_relation(graph, relation).iter_pairs().next().is_none()
        }
        Node::Comp(a, b) | Node::Inter(a, b) | Node::Cross(a, b) => empty(a) || empty(b),
        Node::Union(a, b) => empty(a) && empty(b),
        Node::Diff(a, _)
        | Node::ToId(a)
        | Node::Domain(a)
        | Node::Range(a)
        | Node::Inverse(a)
        | Node::Plus(a) => empty(a),
        Node::Rec(_) => false,
    }
}
