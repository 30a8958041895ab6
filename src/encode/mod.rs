//! Executions of an event graph under a model as formulas.
//!
//! The clauses of every execution are kept apart from the demands of each axiom, so that a proof
//! can name the axioms that it needs. A fact that the bounds decide gets no variable.

mod barriers;
mod choices;
pub mod formula;
pub mod meetings;
mod relations;

use crate::bounds::{Bounds, Precision};
use crate::budget::Deadline;
use crate::event::graph::EventGraph;
use crate::id::{EventId, ExprId, LocId, NodeId};
use crate::program::expr::ExprArena;
use crate::question::{Goal, Problem};
use crate::relation::expr::{AxiomRole, Model};
use crate::rule::Unsupported;
use formula::{Formula, Formulas, Stopped};
use rustc_hash::FxHashMap;

/// The encoding of a problem.
#[derive(Debug)]
pub struct Encoding<'a> {
    /// The events.
    pub graph: &'a EventGraph,
    /// The model.
    pub model: &'a Model,
    /// The graph's expressions and those the encoding added.
    pub exprs: ExprArena,
    /// All formulas.
    pub formulas: Formulas,
    /// The clauses that every execution satisfies.
    pub hard: Vec<Formula>,
    /// The demands of each axiom, by its index in the model.
    pub axioms: Vec<Vec<Formula>>,
    /// For each read piece, its possible writes, each with the formula that the piece reads from
    /// it.
    pub rf: Vec<(EventId, Vec<(EventId, Formula)>)>,
    /// The open coherence edges, by pair of events.
    pub co: FxHashMap<(EventId, EventId), Formula>,
    /// Fence-SC edges.
    pub sc: FxHashMap<(EventId, EventId), Formula>,
    /// For each location, the writes that may give its final value.
    pub finals: Vec<(LocId, Vec<(EventId, Formula)>)>,
    /// The meetings of barrier operations.
    pub barriers: barriers::BarrierEncoding,
    bounds: Bounds,
    literals: FxHashMap<(NodeId, EventId, EventId, relations::Use), Formula>,
    memberships: FxHashMap<(NodeId, EventId, relations::Use), Formula>,
    closures: Vec<bool>,
    executed: Vec<Formula>,
    related: Option<Formula>,
}

/// The reason why a problem cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A feature of the model or program.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The encoding exceeded its time.
    #[error("no time is left")]
    Time,
}

/// The most writes to one location: their orders take some gigabytes.
const MOST_WRITES: usize = 192;

impl<'a> Encoding<'a> {
    /// Encodes everything but the goal, until `end` at the latest.
    ///
    /// # Errors
    /// When the model or program is outside what can be encoded, or time is up.
    pub fn new(
        problem: Problem<'a>,
        goal: Goal,
        precision: Precision,
        end: Option<Deadline>,
    ) -> Result<Self, EncodeError> {
        let Problem { graph, model } = problem;
        let most = graph.writes_by_location().iter().map(Vec::len).max().unwrap_or(0);
        if most > MOST_WRITES {
            return Err(Unsupported::Writes(most).into());
        }
        let required: Vec<usize> = (0..model.axioms.len())
            .filter(|&i| model.axioms[i].role == AxiomRole::Required)
            .collect();
        let mut roots: Vec<NodeId> = required.iter().map(|&i| model.axioms[i].node).collect();
        let related = match goal {
            Goal::Related(pairs) => {
                let node = pairs.relation(model).map_err(Unsupported::NoDefinition)?;
                Some((pairs, node))
            }
            _ => None,
        };
        roots.extend(related.map(|(_, node)| node));
        let bounds = Bounds::new(graph, &model.arena, &roots, precision);
        let mut encoding = Self {
            graph,
            model,
            exprs: graph.exprs.clone(),
            formulas: Formulas::until(end),
            hard: Vec::new(),
            axioms: vec![Vec::new(); model.axioms.len()],
            rf: Vec::new(),
            co: FxHashMap::default(),
            sc: FxHashMap::default(),
            finals: Vec::new(),
            barriers: barriers::BarrierEncoding::default(),
            bounds,
            literals: FxHashMap::default(),
            memberships: FxHashMap::default(),
            closures: relations::closures(&model.arena),
            executed: Vec::new(),
            related: None,
        };
        encoding.executed = graph.ids().map(|id| encoding.truth(graph.event(id).guard)).collect();
        encoding.encode_rf();
        encoding.encode_co();
        encoding.encode_sc();
        encoding.encode_barriers(goal != Goal::BoundHit)?;
        encoding.encode_finals(goal);
        for index in required {
            encoding.encode_axiom(index)?;
        }
        if let Some((pairs, node)) = related {
            let found = encoding.encode_member(pairs, node)?;
            encoding.related = Some(found);
        }
        match encoding.formulas.stopped() {
            None => Ok(encoding),
            Some(Stopped::Size) => Err(Unsupported::EncodingSize.into()),
            Some(Stopped::Time) => Err(EncodeError::Time),
        }
    }

    /// The limit that stopped the formulas, if one was reached: a solver's answer about them does
    /// not count then.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.formulas.stopped()
    }

    /// The demand of the goal, valid only if the encoding has not [`stopped`](Self::stopped).
    pub fn goal(&mut self, goal: Goal) -> Formula {
        let graph = self.graph;
        if let Some(kind) = goal.needs_cut() {
            let cuts = graph.cuts.iter().filter(|c| c.kind == kind);
            let cuts: Vec<Formula> = cuts.map(|c| self.truth(c.guard)).collect();
            return self.formulas.any(cuts);
        }
        let mut parts = Vec::new();
        for cut in graph.cuts.iter().filter(|_| goal.needs_end(graph)) {
            let cut = self.truth(cut.guard);
            parts.push(self.formulas.not(cut));
        }
        parts.push(self.truth(self.graph.filter));
        match goal {
            Goal::Condition(value) => {
                let condition = self.truth(self.graph.condition);
                parts.push(if value { condition } else { self.formulas.not(condition) });
            }
            Goal::Violation(index) => parts.push(self.truth(self.graph.violations[index].guard)),
            Goal::AnyViolation => {
                let all: Vec<Formula> =
                    graph.violations.iter().map(|v| self.truth(v.guard)).collect();
                parts.push(self.formulas.any(all));
            }
            Goal::Related(_) => parts.extend(self.related),
            Goal::Complete | Goal::BoundHit | Goal::Endless => {}
        }
        self.formulas.all(parts)
    }

    /// The truth value of an expression, as a formula.
    pub(crate) fn truth(&mut self, expr: ExprId) -> Formula {
        match self.exprs.constant(expr) {
            Some(bits) => self.formulas.constant(bits != 0),
            None => self.formulas.truth(expr),
        }
    }

    /// The formula that an event happens.
    pub(crate) fn happens(&self, id: EventId) -> Formula {
        self.executed[id.index()]
    }

    fn both_happen(&mut self, a: EventId, b: EventId) -> Formula {
        let parts = [self.happens(a), self.happens(b)];
        self.formulas.all(parts)
    }
}
