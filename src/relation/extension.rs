//! Extensions of executions: whether the members that an expression has among the events of a
//! prefix are its members among these events when threads go on.
//!
//! What follows a prefix may come last: in time, in coherence and in Fence-SC order, and its reads
//! may take the last writes. So a pair of program order, of reads-from or of a barrier never leads
//! from an event that follows to an event of the prefix. An expression is settled if, with this,
//! its members among the events of the prefix rest on events of the prefix alone.

use super::expr::{Arena, Node};
use super::plan::{dependencies, fixpoint};
use crate::id::NodeId;
use crate::vocabulary::BaseRel;

/// What holds of the members of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Members {
    /// Whether those among the events of a prefix neither come nor go.
    settled: bool,
    /// Whether no pair leads from an event that follows the prefix into the prefix.
    never_back: bool,
    /// Whether no pair leads from an event of the prefix to an event that follows the prefix.
    never_on: bool,
}

impl Members {
    const fn new(never_back: bool, never_on: bool) -> Self {
        Self { settled: true, never_back, never_on }
    }

    fn both(self, other: Self) -> Self {
        Self {
            settled: self.settled && other.settled,
            never_back: self.never_back && other.never_back,
            never_on: self.never_on && other.never_on,
        }
    }
}

/// Whether the members of an expression among the events of a prefix stay members, and no others
/// come, when threads go on. The condition is syntactic and sufficient.
#[must_use]
pub fn is_settled(arena: &Arena, node: NodeId) -> bool {
    let known = fixpoint(arena, Members::new(true, true), |id, known| {
        members(arena, id, known).both(known[id.index()])
    });
    known[node.index()].settled
}

fn members(arena: &Arena, id: NodeId, known: &[Members]) -> Members {
    let get = |id: NodeId| known[id.index()];
    let settled = dependencies(arena, id).into_iter().all(|id| get(id).settled);
    let both_within = Members { settled, never_back: true, never_on: true };
    match arena.node(id) {
        Node::Rel(relation) => of_base(relation),
        Node::Empty(_) | Node::Set(_) | Node::ToId(_) => both_within,
        Node::Union(a, b) => get(a).both(get(b)),
        Node::Inter(a, b) => Members {
            settled,
            never_back: get(a).never_back || get(b).never_back,
            never_on: get(a).never_on || get(b).never_on,
        },
        Node::Diff(a, _) => Members { settled, ..get(a) },
        Node::Cross(..) => Members { settled, never_back: false, never_on: false },
        Node::Comp(a, b) if is_from_reads(arena, a, b) => Members::new(true, false),
        Node::Comp(a, b) => {
            let within = get(a).never_on || get(b).never_back;
            Members { settled: settled && within, ..get(a).both(get(b)) }
        }
        Node::Plus(a) => {
            let within = get(a).never_on || get(a).never_back;
            Members { settled: settled && within, ..get(a) }
        }
        Node::Inverse(a) => {
            let Members { never_back, never_on, .. } = get(a);
            Members { settled, never_back: never_on, never_on: never_back }
        }
        Node::Domain(a) => Members { settled: settled && get(a).never_on, ..both_within },
        Node::Range(a) => Members { settled: settled && get(a).never_back, ..both_within },
        Node::Rec(_) => {
            dependencies(arena, id).into_iter().map(get).fold(both_within, Members::both)
        }
    }
}

/// Whether a composition is `rf^-1 ; co`: no read that follows is from before a write of the prefix.
fn is_from_reads(arena: &Arena, a: NodeId, b: NodeId) -> bool {
    let Node::Inverse(read) = arena.node(a) else { return false };
    arena.node(read) == Node::Rel(BaseRel::Rf) && arena.node(b) == Node::Rel(BaseRel::Co)
}

fn of_base(relation: BaseRel) -> Members {
    match relation {
        // Events of one access, of one read-modify-write and of one asynchronous operation, which
        // goes on when it has been issued, are in a prefix together.
        BaseRel::Id
        | BaseRel::SameAccess
        | BaseRel::Rmw
        | BaseRel::SameOperation
        | BaseRel::Issue => Members::new(true, true),
        BaseRel::Po
        | BaseRel::Addr
        | BaseRel::Data
        | BaseRel::Ctrl
        | BaseRel::Dep
        | BaseRel::ValueDep
        | BaseRel::JointIssue
        | BaseRel::Pipe
        | BaseRel::Intra
        | BaseRel::Done
        | BaseRel::ClusterSync
        | BaseRel::Phase
        | BaseRel::PhaseAny
        | BaseRel::WarpSync
        | BaseRel::Exchange
        | BaseRel::BarrierSync
        | BaseRel::Awaited
        | BaseRel::Begun
        | BaseRel::Returns
        | BaseRel::Ended
        | BaseRel::Api
        | BaseRel::Launch
        | BaseRel::Rf
        | BaseRel::Co
        | BaseRel::FenceSc => Members::new(true, false),
        BaseRel::Loc
        | BaseRel::Vloc
        | BaseRel::Same
        | BaseRel::Partial
        | BaseRel::OtherCount
        | BaseRel::Internal
        | BaseRel::External
        | BaseRel::Includes
        | BaseRel::SameScope
        | BaseRel::SameCta
        | BaseRel::SameCluster
        | BaseRel::SameGpu
        | BaseRel::Uncovered
        | BaseRel::Pipelinable
        | BaseRel::SameGroup
        | BaseRel::Covers
        | BaseRel::Peer => Members::new(false, false),
    }
}
