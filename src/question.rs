//! Questions: the execution of a program to look for, under a model.

use crate::event::graph::{CutKind, EventGraph};
use crate::event::termination_order::awaits_cut_thread;
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::id::{AccessId, EventId, ExprId, NodeId};
use crate::relation::eval::evaluate_roots;
use crate::relation::expr::Model;
use crate::waiting::barrier::BarrierOp;

/// A program within a bound, and the model that judges it.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The events.
    pub graph: &'a EventGraph,
    /// The model.
    pub model: &'a Model,
}

/// The kind of execution to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// A complete execution in which the condition's proposition has this value.
    Condition(bool),
    /// Any complete execution.
    Complete,
    /// An execution in which a loop is cut by the bound; threads may be waiting.
    BoundHit,
    /// An execution in which a thread waits in a loop for ever. Other threads end or do the same;
    /// at barriers, threads that wait so count as ended.
    Endless,
    /// An execution in which this violation of the graph's list happens.
    Violation(usize),
    /// An execution in which any violation happens. The execution must be an answer to the question
    /// about that violation alone, so that a `No` covers every violation.
    AnyViolation,
    /// An execution in which a relation of the model has such a pair.
    Related(Pairs),
}

impl Goal {
    /// Whether an execution with these known truth values may reach the goal.
    #[must_use]
    pub fn may_be_reached(
        self,
        graph: &EventGraph,
        truth: impl Fn(ExprId) -> Option<bool>,
    ) -> bool {
        let never = |x: ExprId| truth(x) == Some(false);
        if let Some(kind) = self.needs_cut() {
            return graph.cuts.iter().any(|cut| cut.kind == kind && !never(cut.guard));
        }
        let cut = graph.cuts.iter().any(|cut| truth(cut.guard) == Some(true));
        if cut && self.needs_end(graph) || never(graph.filter) {
            return false;
        }
        match self {
            Self::Condition(wanted) => truth(graph.condition) != Some(!wanted),
            Self::Violation(index) => !never(graph.violations[index].guard),
            Self::AnyViolation => graph.violations.iter().any(|v| !never(v.guard)),
            Self::Complete | Self::BoundHit | Self::Endless | Self::Related(_) => true,
        }
    }

    /// Whether an execution counts only if every thread ends.
    ///
    /// Undefined behaviour before a cut happens however the thread goes on. But a filter is about
    /// final states; and a barrier that some thread may not reach, or an event that waits for the
    /// end of a thread, would take a cut thread as ended.
    #[must_use]
    pub fn needs_end(self, graph: &EventGraph) -> bool {
        match self {
            Self::Condition(_) | Self::Complete => true,
            Self::BoundHit | Self::Endless => false,
            Self::Related(Pairs::Member(_, Lasting::AtEnd)) => true,
            Self::Violation(_) | Self::AnyViolation | Self::Related(_) => {
                let guard = |op: &BarrierOp| graph.exprs.constant(graph.event(op.event).guard);
                !graph.barriers.iter().all(|op| guard(op).is_some())
                    || !graph.exprs.is_true(graph.filter)
                    || awaits_cut_thread(graph)
            }
        }
    }

    /// Whether an execution reaches the goal; the model has to admit it besides.
    #[must_use]
    pub fn is_reached(self, model: &Model, execution: &Execution<'_>) -> bool {
        let graph = execution.graph;
        let holds = |guard| execution.truth(guard) == Some(true);
        let reached = match self {
            Self::Condition(wanted) => execution.truth(graph.condition) == Some(wanted),
            Self::Complete => true,
            Self::BoundHit => {
                graph.cuts.iter().any(|cut| cut.kind == CutKind::Bound && holds(cut.guard))
            }
            Self::Endless => execution.waits_for_ever(),
            Self::Violation(index) => execution.holds(graph.violations[index].guard),
            Self::AnyViolation => graph.violations.iter().any(|v| execution.holds(v.guard)),
            Self::Related(pairs) => pairs.find(model, execution).is_some(),
        };
        reached && (execution.is_complete() || !self.needs_end(graph))
    }

    /// The expressions that the goal asks for, besides guards and the filter.
    pub(crate) fn asks(self, graph: &EventGraph) -> Vec<ExprId> {
        match self {
            Self::Condition(_) => vec![graph.condition],
            Self::Violation(index) => vec![graph.violations[index].guard],
            Self::AnyViolation => graph.violations.iter().map(|v| v.guard).collect(),
            Self::Complete => graph.observed.iter().map(|o| o.value).collect(),
            Self::BoundHit | Self::Endless | Self::Related(_) => Vec::new(),
        }
    }

    /// The kind of cut that an execution has to have.
    #[must_use]
    pub fn needs_cut(self) -> Option<CutKind> {
        match self {
            Self::BoundHit => Some(CutKind::Bound),
            Self::Endless => Some(CutKind::Spin),
            Self::Condition(_)
            | Self::Complete
            | Self::Violation(_)
            | Self::AnyViolation
            | Self::Related(_) => None,
        }
    }

    /// Whether the axioms that exclude the goal are needed. Such a core is reported only for
    /// outcomes, and its computation may take longer than the answer.
    #[must_use]
    pub fn wants_core(self) -> bool {
        matches!(self, Self::Condition(_))
    }
}

/// The pairs of events to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pairs {
    /// Any race (PTX-8.7.1).
    Race,
    /// A race of these two accesses.
    RaceBetween(AccessId, AccessId),
    /// A race of two accesses that are no [settled](EventGraph::settled) pair.
    FurtherRace,
    /// A pair in this relation of the model.
    Member(NodeId, Lasting),
}

/// Whether a pair stays in a relation when threads go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lasting {
    /// It does: a prefix of an execution shows it.
    Always,
    /// It may not: only an execution in which all threads end shows it.
    AtEnd,
}

impl Pairs {
    /// The definition that models have for races.
    pub const RACE: &'static str = "race";

    /// What the relation is called in a model.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Race | Self::RaceBetween(..) | Self::FurtherRace => Self::RACE,
            Self::Member(..) => "undefined_unless",
        }
    }

    /// The relation of the pairs.
    ///
    /// # Errors
    /// The name of the definition that the model lacks.
    pub fn relation(self, model: &Model) -> Result<NodeId, &'static str> {
        match self {
            Self::Member(node, _) => Ok(node),
            _ => model.definition(self.name()).ok_or(self.name()),
        }
    }

    /// Such a pair of an execution, if the model has the relation and the execution has a pair.
    #[must_use]
    pub fn find(self, model: &Model, execution: &Execution<'_>) -> Option<(EventId, EventId)> {
        let node = self.relation(model).ok()?;
        let values = evaluate_roots(&model.arena, &[node], execution);
        let mut pairs = values.relation(node).iter_pairs();
        pairs.find(|&(a, b)| self.counts(execution.graph, a, b))
    }

    /// As [`Self::find`], in the execution of an engine's choices, which the model has to admit.
    ///
    /// # Errors
    /// The fault of the execution.
    pub(crate) fn confirm<'g>(
        self,
        problem: Problem<'g>,
        choices: &Choices,
    ) -> Result<(Execution<'g>, (EventId, EventId)), String> {
        let Problem { graph, model } = problem;
        let execution = Execution::build(graph, choices.clone()).map_err(|e| e.describe(graph))?;
        if !recheck(model, &execution).is_consistent() {
            return Err("the model does not admit the execution".to_owned());
        }
        let pair = self.find(model, &execution).ok_or("its execution has none")?;
        Ok((execution, pair))
    }

    /// Whether two events in the relation are such a pair.
    #[must_use]
    pub fn counts(self, graph: &EventGraph, a: EventId, b: EventId) -> bool {
        let ends = || (graph.event(a).access, graph.event(b).access);
        match self {
            Self::Race | Self::Member(..) => true,
            Self::RaceBetween(x, y) => {
                let (a, b) = ends();
                let ends = (graph.one_of_all_ways(a), graph.one_of_all_ways(b));
                ends == (x, y) || ends == (y, x)
            }
            Self::FurtherRace => {
                let (a, b) = ends();
                let [a, b] = [a, b].map(|access| graph.one_of_all_ways(access));
                a != b && graph.settled.binary_search(&(a.min(b), a.max(b))).is_err()
            }
        }
    }
}
