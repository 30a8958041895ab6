//! Near misses: the path that comes closest to ordering one access before another, with the defects
//! of each link.
//!
//! Links that hold are program order and synchronization, as the model defines them. A link does
//! not hold if a release or an acquire is missing beside a flag that was read, if the flag is weak
//! or its scope too narrow, if threads meet without an order, and the like. A path never leads
//! against an order that the execution has.

use crate::defect::Defect;
use crate::event::graph::EventGraph;
use crate::id::EventId;
use std::collections::BTreeSet;

/// A path from one access to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// The access that should come first.
    pub first: EventId,
    /// The access that should come after it.
    pub last: EventId,
    /// The links between them, in order.
    pub links: Vec<Link>,
}

/// A link of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The event where the link starts.
    pub from: EventId,
    /// The event where the link ends.
    pub to: EventId,
    /// The kind of the link.
    pub how: How,
    /// The defects of the link; none if the link holds.
    pub missing: Vec<Defect>,
}

/// The kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Program order (PTX-8.9.1).
    ProgramOrder,
    /// Synchronization (PTX-8.9.4).
    Synchronizes,
    /// A meeting at a barrier (PTX-9.7.13.1 to PTX-9.7.13.3) or in an exchange of a warp's threads,
    /// existing or missing.
    Meets,
    /// Another part of base causality (PTX-8.9.5): issue, completion, or a wait for a task.
    Causality,
    /// A release of the events before a write (PTX-8.8).
    Releases,
    /// A read of that write, or of one that updates it (PTX-8.9.2).
    Observes,
    /// From the read of a read-modify-write to its write, through which observation goes on (PTX-8.9.2).
    Updates,
    /// An acquire for the events after a read (PTX-8.8).
    Acquires,
    /// From a read to a write that overwrites what was read (PTX-8.9.7), which orders the two threads only by
    /// fences in Fence-SC order.
    Overwrites,
    /// From one `fence.sc` to another that would follow it in Fence-SC order (PTX-8.9.3), since a read behind
    /// the first takes a value that is overwritten before the second.
    FenceOrder,
    /// The completion of an asynchronous operation (PTX-8.9.1.1).
    Completes,
    /// The way from one proxy or virtual address to another (PTX-8.9.5).
    ChangesProxy,
    /// The fence of the tensor cores before a synchronization, for what comes before it (PTX-9.7.16.6.3).
    TensorBefore,
    /// The order in which threads execute, relaxed synchronization included (PTX-9.7.16.6.3).
    Executes,
    /// The fence of the tensor cores behind a synchronization, for what comes behind it (PTX-9.7.16.6.3).
    TensorAfter,
}

impl How {
    /// A name that is stable across versions.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ProgramOrder => "program-order",
            Self::Synchronizes => "synchronizes",
            Self::Meets => "meets",
            Self::Causality => "base-causality",
            Self::Releases => "releases",
            Self::Observes => "observes",
            Self::Updates => "updates",
            Self::Acquires => "acquires",
            Self::Overwrites => "overwrites",
            Self::FenceOrder => "fence-order",
            Self::Completes => "completes",
            Self::ChangesProxy => "changes-proxy",
            Self::TensorBefore => "tensor-fence-before",
            Self::Executes => "executes",
            Self::TensorAfter => "tensor-fence-after",
        }
    }

    /// The section of the standard for the link; for meetings, that of threads of a CTA.
    fn clause(self) -> &'static str {
        match self {
            Self::ProgramOrder => "PTX-8.9.1",
            Self::Synchronizes => "PTX-8.9.4",
            Self::Meets => "PTX-9.7.13.1",
            Self::Causality | Self::ChangesProxy => "PTX-8.9.5",
            Self::Releases | Self::Acquires => "PTX-8.8",
            Self::Observes | Self::Updates => "PTX-8.9.2",
            Self::Overwrites => "PTX-8.9.7",
            Self::FenceOrder => "PTX-8.9.3",
            Self::Completes => "PTX-8.9.1.1",
            Self::TensorBefore | Self::Executes | Self::TensorAfter => "PTX-9.7.16.6.3",
        }
    }
}

impl Link {
    /// The section of the standard for the link; for a meeting, that of the instructions that meet.
    #[must_use]
    pub fn clause(&self, graph: &EventGraph) -> &'static str {
        match (self.how, self.section(graph)) {
            (How::Meets, Some(section)) => section,
            (How::Causality, _) if self.is_of_operation(graph) => "PTX-8.9.1.1",
            (how, _) => how.clause(),
        }
    }

    /// The section for a defect; for a meeting without an order, that of the instructions that
    /// meet.
    #[must_use]
    pub fn clause_of(&self, defect: Defect, graph: &EventGraph) -> &'static str {
        match (defect, self.section(graph)) {
            (Defect::UnorderingBarrier, Some(section)) => section,
            _ => defect.clause(),
        }
    }

    /// Whether the link leads through an asynchronous operation: from its issue, or within it.
    #[must_use]
    pub fn is_of_operation(&self, graph: &EventGraph) -> bool {
        let [from, to] = [self.from, self.to].map(|id| graph.event(id).agent);
        from == to || self.is_issue(graph)
    }

    /// Whether the link leads from the issue of an asynchronous operation to a part of it.
    #[must_use]
    pub fn is_issue(&self, graph: &EventGraph) -> bool {
        graph.operation_of(self.to).is_some_and(|operation| operation.is_issued_at(self.from))
    }

    /// The section of the barrier or exchange at one of the ends.
    fn section(&self, graph: &EventGraph) -> Option<&'static str> {
        [self.from, self.to].into_iter().find_map(|id| Some(graph.barrier(id)?.key.section()))
    }
}

impl NearMiss {
    /// The section for a kind of defect on this path: that of the first link with it.
    #[must_use]
    pub fn clause_of(&self, defect: Defect, graph: &EventGraph) -> &'static str {
        let link = self.links.iter().find(|link| link.missing.contains(&defect));
        link.map_or(defect.clause(), |link| link.clause_of(defect, graph))
    }

    /// The defects on the path, each kind once.
    #[must_use]
    pub fn defects(&self) -> Vec<Defect> {
        let all: BTreeSet<Defect> = self.links.iter().flat_map(|l| l.missing.clone()).collect();
        all.into_iter().collect()
    }

    /// The kinds of defects on the path as sentences, each with its clause.
    #[must_use]
    pub fn sentences(&self, graph: &EventGraph) -> Vec<String> {
        let kinds = self.defects().into_iter();
        kinds.map(|kind| kind.about(self.clause_of(kind, graph))).collect()
    }

    /// The number of defects.
    #[must_use]
    pub fn distance(&self) -> usize {
        self.links.iter().map(|link| link.missing.len()).sum()
    }

    /// Whether another path has the same links that do not hold, for the same reasons.
    #[must_use]
    pub fn lacks_the_same(&self, other: &Self) -> bool {
        let missing = |path: &'_ Self| -> Vec<Link> {
            path.links.iter().filter(|link| !link.missing.is_empty()).cloned().collect()
        };
        missing(self) == missing(other)
    }

    pub(super) fn effort(&self) -> usize {
        self.links.iter().map(|link| effort(&link.missing)).sum()
    }
}

/// The weight of defects when paths are compared. Threads that never meet, and order expected of a
/// reduction, are further apart than threads between which a qualifier is missing, and threads that only
/// `fence.sc` orders further than those that lack a release and an acquire.
pub(super) fn effort(missing: &[Defect]) -> usize {
    let weight = |defect: &Defect| match defect {
        Defect::NoSequentialFence => 3,
        Defect::NoBarrier | Defect::ThroughReduction => 2,
        _ => 1,
    };
    missing.iter().map(weight).sum()
}
