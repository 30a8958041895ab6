//! Def-use: the registers that the steps of a thread read and write, and control flow between
//! steps.

use super::micro::{BarrierGroup, BarrierMicro, Micro, PhaseUse, Step};
use super::term::Term;

impl Step {
    /// The target of the step's branch, if it has one.
    #[must_use]
    pub(crate) fn branch_target(&self) -> Option<usize> {
        self.micros.iter().find_map(|micro| match micro {
            Micro::Branch { target, .. } => Some(*target),
            _ => None,
        })
    }

    /// Whether control may go on to the next step.
    #[must_use]
    pub(crate) fn falls_through(&self) -> bool {
        let leaves = |m: &Micro| matches!(m, Micro::Exit | Micro::Branch { condition: None, .. });
        self.guard.is_some() || !self.micros.iter().any(leaves)
    }

    /// The guard of the step and the condition of its branch.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Term> {
        let of_branch = self.micros.iter().find_map(|micro| match micro {
            Micro::Branch { condition, .. } => condition.as_ref(),
            _ => None,
        });
        self.guard.iter().chain(of_branch)
    }

    /// The registers that the step reads.
    pub(crate) fn read(&self) -> Vec<usize> {
        let mut read: Vec<usize> = self.micros.iter().flat_map(|micro| micro.effects().0).collect();
        self.conditions().for_each(|term| term.registers(&mut read));
        read
    }

    /// The registers that the step writes.
    pub(crate) fn written(&self) -> Vec<usize> {
        self.micros.iter().flat_map(Micro::written).collect()
    }
}

impl BarrierMicro {
    /// Whether all threads of the CTA pass the barrier together.
    #[must_use]
    pub(crate) fn meets_whole_cta(&self) -> bool {
        let cta = matches!(self.group, BarrierGroup::Cta(_));
        cta && self.arrives && self.waits && self.count.is_none()
    }
}

impl Micro {
    /// Whether the operation is a barrier that all threads of the CTA pass together.
    #[must_use]
    pub(crate) fn meets_whole_cta(&self) -> bool {
        matches!(self, Self::Barrier(barrier) if barrier.meets_whole_cta())
    }

    /// Whether the operation, or one of its elements, is of a kind.
    fn has(&self, is_such: fn(&Self) -> bool) -> bool {
        match self {
            Self::Elements { list, .. } => list.iter().any(|element| element.has(is_such)),
            other => is_such(other),
        }
    }

    /// Whether the operation may read memory.
    #[must_use]
    pub(crate) fn may_read(&self) -> bool {
        self.has(|micro| matches!(micro, Self::Load { .. } | Self::Rmw { .. } | Self::Issue(_)))
    }

    /// Whether the operation may write memory.
    #[must_use]
    pub(crate) fn may_write(&self) -> bool {
        self.has(|micro| matches!(micro, Self::Store { .. } | Self::Rmw { .. } | Self::Issue(_)))
    }

    /// The registers that the operation writes.
    #[must_use]
    pub(crate) fn written(&self) -> Vec<usize> {
        self.effects().1
    }

    /// The registers that the operation reads, and those that it writes.
    #[must_use]
    pub(crate) fn effects(&self) -> (Vec<usize>, Vec<usize>) {
        let mut reads = Vec::new();
        let written = match self {
            Self::Opaque { results, operands, .. } => return (operands.clone(), results.clone()),
            Self::Elements { list, .. } => {
                let (all, written): (Vec<_>, Vec<_>) = list.iter().map(Self::effects).unzip();
                return (all.concat(), written.concat());
            }
            Self::Assign { register, value } => {
                value.registers(&mut reads);
                Some(*register)
            }
            Self::Load { target, destination } => {
                target.address.registers(&mut reads);
                destination.map(|d| d.0)
            }
            Self::Supply { row, .. } => {
                row.iter().for_each(|row| row.address.registers(&mut reads));
                None
            }
            Self::Store { target, value } => {
                target.address.registers(&mut reads);
                value.registers(&mut reads);
                None
            }
            Self::Rmw { target, destination, writes, value, .. } => {
                [&target.address, writes, value].into_iter().for_each(|t| t.registers(&mut reads));
                destination.map(|d| d.0)
            }
            Self::Barrier(barrier) => {
                let terms = barrier.count.iter().chain(&barrier.operand).chain([&barrier.legal]);
                terms.for_each(|t| t.registers(&mut reads));
                match &barrier.group {
                    BarrierGroup::Cta(a) | BarrierGroup::Warp(a) | BarrierGroup::Exchange(a, _) => {
                        a.registers(&mut reads);
                    }
                    BarrierGroup::Instance(a, b) => {
                        a.registers(&mut reads);
                        b.registers(&mut reads);
                    }
                    BarrierGroup::Cluster => {}
                }
                let exchange = barrier.exchange.as_ref();
                let lanes = exchange.into_iter().flat_map(|e| e.source.iter().chain([&e.lane]));
                lanes.for_each(|t| t.registers(&mut reads));
                exchange.map(|e| e.register).or(barrier.reduction.and_then(|(_, r)| r))
            }
            Self::Branch { condition, .. } => {
                condition.iter().for_each(|t| t.registers(&mut reads));
                None
            }
            Self::Require { condition, .. } => {
                condition.registers(&mut reads);
                None
            }
            Self::Phase(PhaseUse::Wait { done, .. }) => {
                done.registers(&mut reads);
                None
            }
            Self::Phase(PhaseUse::Arrival) => None,
            Self::Fence { when, .. } => {
                when.iter().for_each(|t| t.registers(&mut reads));
                None
            }
            Self::Issue(operation) => {
                operation.terms().for_each(|t| t.registers(&mut reads));
                let written = operation.written();
                reads.extend(&written);
                return (reads, written);
            }
            Self::ProxyFence { map, .. } => {
                map.iter().for_each(|(address, _)| address.registers(&mut reads));
                None
            }
            Self::Commit(_)
            | Self::Await(_)
            | Self::TensorFence(_)
            | Self::Then
            | Self::GridWait
            | Self::Launch
            | Self::Exit => None,
        };
        (reads, written.into_iter().collect())
    }
}
