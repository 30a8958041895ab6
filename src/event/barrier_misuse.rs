//! Uses of barriers that the ISA leaves undefined, as violations of an event graph.

use super::graph::{Conditional, EventGraph, Violation};
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::rule::Rule;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule};
use crate::waiting::numbering::Numbering;
use crate::waiting::reading::Reading;
use crate::waiting::{cluster, phase};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The misuses of barriers that some execution may commit.
pub(super) fn violations(graph: &mut EventGraph) -> Vec<Violation> {
    let mut out = Vec::new();
    let numbering = Arc::clone(graph.numbering());
    for index in numbering.operations() {
        if matches!(graph.barriers[index].key, BarrierKey::Cluster(_)) {
            let wrong = out_of_turn(graph, &numbering, index);
            let arrives = graph.barriers[index].arrives;
            let rule = if arrives { Rule::ClusterArrival } else { Rule::ClusterWait };
            push(graph, &mut out, &[index], wrong, rule);
        }
        for other in index.earlier() {
            // If values decide thread counts, the ordinal of an operation does not decide its generation.
            if mixes(&graph.barriers[index], &graph.barriers[other])
                && graph.knows_counts_at(&graph.barriers[index].key)
                && agent(graph, index) != agent(graph, other)
            {
                let together = together(graph, &numbering, index, other);
                push(graph, &mut out, &[index, other], together, Rule::BarrierMixture);
            }
        }
    }
    out
}

/// The pairs of operations of two threads at one barrier with different counts, in both directions.
pub(super) fn other_counts(graph: &mut EventGraph) -> Vec<Conditional> {
    let mut out = Vec::new();
    for b in graph.barriers.keys() {
        for a in b.earlier() {
            if !graph.counts_may_differ(&graph.barriers[a], &graph.barriers[b]) {
                continue;
            }
            let mut exprs = std::mem::take(&mut graph.exprs);
            let when = graph.counts_differ(&mut exprs, &graph.barriers[a], &graph.barriers[b]);
            graph.exprs = exprs;
            if !graph.exprs.is_false(when) {
                let [from, to] = [a, b].map(|op| graph.barriers[op].event);
                out.push(Conditional { from, to, when });
                out.push(Conditional { from: to, to: from, when });
            }
        }
    }
    out
}

/// Records a misuse by the first of some operations. It happens only if threads reach all of them.
fn push(graph: &EventGraph, out: &mut Vec<Violation>, of: &[BarrierId], guard: ExprId, rule: Rule) {
    if !graph.exprs.is_false(guard) {
        let span = graph.event(graph.barriers[of[0]].event).span;
        let behind = of.iter().map(|&index| (agent(graph, index), index.index())).collect();
        let ended = ended_before(graph, of);
        let rule = Some(rule);
        out.push(Violation { guard, span, rule, behind, ended, position: None });
    }
}

/// The threads whose tasks are complete before some of these operations.
fn ended_before(graph: &EventGraph, of: &[BarrierId]) -> Vec<AgentId> {
    let follows = |&later: &EventId| {
        let mut events = of.iter().map(|&index| graph.barriers[index].event);
        events.any(|event| later <= event && graph.event(later).agent == graph.event(event).agent)
    };
    let edges = graph.api_edges.iter().filter(|(_, later)| follows(later));
    let ended: BTreeSet<AgentId> = edges.map(|&(earlier, _)| graph.event(earlier).agent).collect();
    ended.into_iter().collect()
}

fn agent(graph: &EventGraph, index: BarrierId) -> AgentId {
    graph.event(graph.barriers[index].event).agent
}

/// The condition that a thread arrives at the cluster's barrier twice in a phase, or waits before
/// arriving.
fn out_of_turn(graph: &mut EventGraph, numbering: &Numbering, index: BarrierId) -> ExprId {
    let (mut terms, barriers) = graph.terms(&[]);
    let in_turn = cluster::is_in_turn(&mut terms, numbering, index, &barriers[index]);
    let not = terms.negated(in_turn);
    let happens = terms.occurs(index);
    terms.conjunction(&[happens, not])
}

/// The condition that two operations of different threads are in one phase, where the phase of an
/// operation is its ordinal.
fn together(graph: &mut EventGraph, numbering: &Numbering, a: BarrierId, b: BarrierId) -> ExprId {
    let (mut terms, _) = graph.terms(&[]);
    let [x, y] = [a, b].map(|op| phase::ordinal(&mut terms, numbering, op));
    let same = terms.equal(x, y);
    let [x, y] = [a, b].map(|op| terms.occurs(op));
    terms.conjunction(&[x, y, same])
}

/// Whether PTX forbids two operations in one generation: a barrier with a reduction and one without.
fn mixes(a: &BarrierOp, b: &BarrierOp) -> bool {
    a.key == b.key
        && matches!(a.key, BarrierKey::Cta(..))
        && a.rule == BarrierRule::AllLive
        && b.rule == BarrierRule::AllLive
        && a.reduction.is_some() != b.reduction.is_some()
}
