//! A check under the chosen readings and an alternative reading into whether a check under the alternative
//! reading would take the same steps: this is so if the reading does not concern the program.

use crate::batch::Judgement;
use crate::check::{Settings, edition, lacking_features};
use crate::engines::Memory;
use crate::event::base::cta_of;
use crate::event::graph::{Completion, EventGraph, EventKind};
use crate::id::NodeId;
use crate::litmus::ast::Test;
use crate::program::lower::lower;
use crate::program::micro::Program;
use crate::program::reading::AsyncReadings;
use crate::relation::expr::{Arena, Model, Node};
use crate::relation::specialize::import;
use crate::relation::thin_air::{no_value_from_nowhere, thin_air};
use crate::solve::search::Shape;
use crate::vocabulary::BaseRel;
use std::collections::BTreeSet;

/// The inputs of the questions that a check asked the engines.
pub(super) struct CheckInputs {
    program: Program,
    settings: Settings,
    graphs: Vec<EventGraph>,
    /// The properties common to all graphs; `None` without graphs.
    shape: Option<Shape>,
}

impl CheckInputs {
    pub(super) fn new(
        test: &Test,
        judgement: &Judgement,
        memories: &[Memory],
        settings: Settings,
    ) -> Self {
        let asked = memories.iter().flat_map(Memory::graphs);
        let graphs: Vec<EventGraph> = judgement.graph.iter().cloned().chain(asked).collect();
        let shape = graphs.iter().map(Shape::of).reduce(Shape::joined);
        Self { program: lower(test, settings.readings), settings, graphs, shape }
    }

    /// Whether another model places the same demands on the events of the check.
    pub(super) fn is_unaffected_by_model(&self, before: &Model, after: &Model) -> bool {
        let Some(shape) = self.shape else { return false };
        let mut arena = Arena::default();
        let leaf = |node| shape.replacement(node).unwrap_or(node);
        let mut demands = |model: &Model| {
            let nodes = import(&mut arena, &model.arena, leaf);
            let at = |node: NodeId| nodes[node.index()];
            let axioms = model.axioms.iter();
            let axioms: Vec<_> = axioms.map(|a| (a.kind, a.negated, a.role, at(a.node))).collect();
            let named = NAMES.map(|name| model.definition(name).map(at));
            (axioms, named, model.total_co)
        };
        let dependencies = |model: &Model| {
            let mut rule = thin_air(model)?;
            rule.dependencies.retain(|&r| shape.replacement(Node::Rel(r)).is_none());
            Some(rule)
        };
        let by_values = |model: &Model| model.mentioned().contains(&Node::Rel(BaseRel::ValueDep));
        let same_features = before.mentioned() == after.mentioned()
            || self
                .graphs
                .iter()
                .all(|graph| lacking_features(graph, before) == lacking_features(graph, after));
        demands(before) == demands(after)
            && dependencies(before) == dependencies(after)
            && no_value_from_nowhere(before) == no_value_from_nowhere(after)
            && by_values(before) == by_values(after)
            && before.forgets_reads() == after.forgets_reads()
            && edition(before) == edition(after)
            && same_features
    }

    /// Whether the program has the same events and gives rise to the same questions under other settings.
    pub(super) fn is_unaffected_by_settings(&self, test: &Test, settings: Settings) -> bool {
        let (own, other) = (self.settings.readings, settings.readings);
        let any = |holds: &dyn Fn(&EventGraph) -> bool| self.graphs.iter().any(holds);
        let narrow = |graph: &EventGraph| graph.accesses.iter().all(|a| a.bytes <= SCALAR_BYTES);
        !self.graphs.is_empty()
            && settings.tearing == self.settings.tearing
            && lower(test, other).threads == self.program.threads
            && (own.vector == other.vector || !any(&|graph| !narrow(graph)))
            && (own.mixed_race == other.mixed_race || !any(&EventGraph::has_partial_overlap))
            && !any(&|graph| concerns(graph, own.asynchronous, other.asynchronous))
    }

    /// The factor by which a step of an engine takes longer under other settings: a quotient of numbers of
    /// events.
    pub(super) fn growth(&self, settings: Settings) -> u64 {
        let grown = |graph: &EventGraph| {
            let bytes: u64 = graph.accesses.iter().map(|a| u64::from(a.bytes)).sum();
            bytes / (graph.events.len() as u64).max(1)
        };
        match settings.tearing == self.settings.tearing {
            true => 1,
            false => self.graphs.iter().map(grown).max().unwrap_or(1).max(1),
        }
    }
}

/// The definitions that checks look up by name.
const NAMES: [&str; 2] = ["race", "transparent"];

/// The bytes of the widest access that is one operation under every reading.
const SCALAR_BYTES: u32 = 8;

/// Whether the base relations of the graph's events differ between two choices of readings.
fn concerns(graph: &EventGraph, own: AsyncReadings, other: AsyncReadings) -> bool {
    let (operations, events) = (&graph.operations, &graph.events);
    let performers = |readings: AsyncReadings| (readings.signals, readings.accesses);
    let ends_of_reads = || events.iter().any(|e| e.kind == EventKind::Complete(Completion::Reads));
    let fences = || events.iter().any(|e| matches!(e.kind, EventKind::ProxyFence(_)));
    own.multicast != other.multicast && operations.iter().any(|o| o.parts.len() > 1)
        || own.tensor != other.tensor && operations.iter().any(|o| o.tensor.is_some())
        || own.reads != other.reads && ends_of_reads()
        || own.spaces != other.spaces && fences()
        || performers(own) != performers(other) && !operations.is_empty() && has_several_ctas(graph)
}

/// Whether an operation may be issued outside of the CTA whose memory the operation accesses.
fn has_several_ctas(graph: &EventGraph) -> bool {
    let threads = graph.ids().filter_map(|id| cta_of(graph, id));
    let owners = graph.objects.iter().filter_map(|object| object.shared);
    threads.chain(owners).collect::<BTreeSet<_>>().len() > 1
}
