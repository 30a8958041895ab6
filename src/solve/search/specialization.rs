//! The shape of a program: its missing features, by which a model is specialized.

use crate::event::base::{base_relation, base_set};
use crate::event::graph::{AgentKind, EventGraph, EventKind};
use crate::execution::build::sc_pairs;
use crate::relation::expr::Node;
use crate::vocabulary::{BaseRel, BaseSet, Sort};

/// The base names that are empty in a program, or equal to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    sets: u64,
    relations: u64,
    /// Whether every access is one piece.
    whole: bool,
    /// Whether no location has two virtual addresses.
    plain: bool,
}

impl Shape {
    /// The shape of a program.
    pub(crate) fn of(graph: &EventGraph) -> Self {
        let mut sets = 0;
        for &set in BaseSet::ALL {
            if !base_set(graph, set).is_empty() {
                sets |= 1 << set.index();
            }
        }
        let mut relations = u64::MAX;
        let mut lacks = |relation: BaseRel, lacking: bool| {
            if lacking {
                relations &= !(1 << relation.index());
            }
        };
        let accesses = || graph.accesses.iter();
        let no_rmw = accesses().all(|a| a.rmw_read.is_none());
        lacks(BaseRel::Rmw, no_rmw);
        lacks(BaseRel::Addr, accesses().all(|a| a.address_reads.is_empty()));
        lacks(BaseRel::Data, accesses().all(|a| a.data_reads.is_empty()));
        lacks(BaseRel::Ctrl, accesses().all(|a| a.control_reads.is_empty()));
        let independent = no_rmw
            && graph.ids().all(|id| {
                let event = graph.event(id);
                event.kind != EventKind::Write
                    || (graph.exprs.constant(event.guard).is_some()
                        && graph.exprs.constant(graph.access_of(id).value).is_some())
            });
        lacks(BaseRel::Dep, independent);
        lacks(BaseRel::ValueDep, independent);
        let restricted = |kind: &EventKind| matches!(kind, EventKind::Fence(r) if *r != crate::program::micro::Restriction::None);
        lacks(BaseRel::Uncovered, !graph.events.iter().any(|e| restricted(&e.kind)));
        let operations = [
            BaseRel::Issue,
            BaseRel::SameOperation,
            BaseRel::SameGroup,
            BaseRel::Intra,
            BaseRel::Done,
        ];
        operations.into_iter().for_each(|r| lacks(r, graph.operations.is_empty()));
        lacks(BaseRel::SameGroup, graph.groups.is_empty());
        let joint = graph.operations.iter().any(|operation| operation.is_joint);
        lacks(BaseRel::JointIssue, !joint);
        let cores = graph.operations.iter().any(|operation| operation.tensor.is_some());
        lacks(BaseRel::Pipe, !cores);
        lacks(BaseRel::Pipelinable, !cores);
        let waits = graph.events.iter().any(|e| matches!(e.kind, EventKind::Await(_)));
        lacks(BaseRel::Done, !waits);
        let fences = !base_set(graph, BaseSet::ProxyFence).is_empty();
        lacks(BaseRel::Covers, !fences && graph.operations.is_empty());
        lacks(BaseRel::PhaseAny, graph.any_phases.is_empty());
        let barriers = graph.barriers.is_empty();
        BaseRel::BARRIERS.into_iter().for_each(|r| lacks(r, barriers));
        lacks(BaseRel::Phase, graph.phases.is_empty());
        let nobody = graph.awaited.is_empty() && base_relation(graph, BaseRel::Awaited).is_empty();
        lacks(BaseRel::Awaited, nobody);
        lacks(BaseRel::Returns, base_relation(graph, BaseRel::Returns).is_empty());
        lacks(BaseRel::OtherCount, graph.other_counts.is_empty());
        lacks(BaseRel::Begun, base_relation(graph, BaseRel::Begun).is_empty());
        lacks(BaseRel::Peer, base_set(graph, BaseSet::Peer).is_empty());
        lacks(BaseRel::Api, graph.api_edges.is_empty());
        lacks(BaseRel::FenceSc, sc_pairs(graph).is_empty());
        let whole = accesses().all(|a| a.pieces.len() == 1);
        lacks(BaseRel::Partial, whole);
        let plain = graph.ids().filter(|&id| graph.event(id).is_memory()).all(|id| {
            let first = graph.locations[graph.event(id).loc.expect("a memory event").index()].init;
            graph.access_of(id).virt == graph.access_of(first).virt
        });
        debug_assert!(graph.agents.iter().any(|a| a.kind == AgentKind::Init));
        Self { sets, relations, whole, plain }
    }

    /// What programs of both shapes lack.
    #[cfg(feature = "cli")]
    pub(crate) fn joined(self, other: Self) -> Self {
        Self {
            sets: self.sets | other.sets,
            relations: self.relations | other.relations,
            whole: self.whole && other.whole,
            plain: self.plain && other.plain,
        }
    }

    /// The simpler expression that a base name equals in such a program.
    pub(crate) fn replacement(self, node: Node) -> Option<Node> {
        match node {
            Node::Set(set) if self.sets & (1 << set.index()) == 0 => Some(Node::Empty(Sort::Set)),
            Node::Rel(relation) if self.relations & (1 << relation.index()) == 0 => {
                Some(Node::Empty(Sort::Relation))
            }
            Node::Rel(BaseRel::SameAccess) if self.whole => Some(Node::Rel(BaseRel::Id)),
            Node::Rel(BaseRel::Vloc) if self.plain => Some(Node::Rel(BaseRel::Loc)),
            Node::Rel(BaseRel::Same) if self.whole && self.plain => Some(Node::Rel(BaseRel::Loc)),
            Node::Rel(BaseRel::Same) if self.whole => Some(Node::Rel(BaseRel::Vloc)),
            _ => None,
        }
    }
}
