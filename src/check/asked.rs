//! A question about a test, and a verdict that ends the list of questions.

use super::Settings;
use super::cut::cut;
use crate::event::graph::EventGraph;
use crate::execution::build::Choices;
use crate::id::ExprId;
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::solve::{Engine, Goal, Problem};
use crate::verdict::{Decided, Undecided, Verdict};

/// A test under a model, and the events that a question is about.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The test.
    pub(super) test: &'a Test,
    /// The events, the model and the engine.
    pub(super) problem: Problem<'a>,
    /// Who answers.
    pub(super) engine: &'a dyn Engine,
    /// Bounds, budgets and readings.
    pub(super) settings: Settings,
}

impl<'a> Asked<'a> {
    /// The same question about other events.
    pub(super) fn on<'b>(self, graph: &'b EventGraph) -> Asked<'b>
    where
        'a: 'b,
    {
        Asked { problem: Problem { graph, ..self.problem }, ..self }
    }

    /// The same question under another model.
    pub(super) fn under<'b>(self, model: &'b Model) -> Asked<'b>
    where
        'a: 'b,
    {
        Asked { problem: Problem { model, ..self.problem }, ..self }
    }

    /// Whether an execution reaches a goal.
    ///
    /// # Errors
    /// The reason if the engine cannot tell.
    pub(super) fn find(self, goal: Goal) -> Result<Decided, Undecided> {
        self.engine.find(self.problem, goal, self.settings.budget).decided()
    }

    /// The choices of an execution that satisfies a condition, whether or not threads stay in loops.
    ///
    /// # Errors
    /// The reason if the engine cannot tell.
    pub(super) fn satisfying(self, holds: ExprId) -> Result<Option<Box<Choices>>, Undecided> {
        let program = self.problem.graph;
        if program.exprs.is_false(holds) {
            return Ok(None);
        }
        let mut graph = program.clone();
        graph.forget_cuts();
        graph.violations.clear();
        graph.observed.clear();
        graph.filter = holds;
        match self.on(&graph).find(Goal::Complete)? {
            Decided::Yes(choices) => Ok(Some(choices)),
            Decided::No(_) => Ok(None),
        }
    }

    /// The reason why executions may be missing because the bound cuts loops ([`cut`]).
    pub(super) fn cut(self) -> Option<Undecided> {
        cut(self.test, self.problem, self.engine, self.settings)
    }
}

/// A verdict that ends the list of questions.
pub(super) struct Found {
    /// The verdict.
    pub(super) verdict: Verdict,
    /// The events of the verdict, if they are not those of the question.
    pub(super) graph: Option<EventGraph>,
}

impl Found {
    /// A verdict about the events of the question.
    pub(super) fn here(verdict: Verdict) -> Self {
        Self { verdict, graph: None }
    }

    /// A verdict about other events.
    pub(super) fn elsewhere((verdict, graph): (Verdict, EventGraph)) -> Self {
        Self { verdict, graph: Some(graph) }
    }
}

/// The verdict if undefined behaviour before a wait may or may not happen.
pub(super) fn undecided_before_waits() -> Verdict {
    Verdict::Unknown(Undecided::Unsupported(Unsupported::BeforeWaits))
}
