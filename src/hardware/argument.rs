//! The arguments of the kernel that runs instances: their names, their order, and their meaning for
//! a host program.

use super::plan::Plan;
use std::fmt::{self, Display, Formatter};

/// An argument of `ptxmc_test`, computed in [`super::geometry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "documented by their descriptions")]
pub enum Argument {
    Memory,
    Stride,
    Offset(usize),
    Distance,
    Results,
    Instances,
    Groups,
    Slots,
    WarpGroups,
    Rounds,
    Units,
    TestUnits,
    UnitFactor,
    UnitShift,
    SlotFactor(usize),
    SlotShift(usize),
    Mix(usize),
    Starts,
    StartPercent,
    StartPolls,
    Scratch,
    Lines,
    LineStride,
    StressRounds,
    StressPattern,
    PreRounds,
    PrePattern,
    Image,
    SharedStride,
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Memory => "memory",
            Self::Stride => "stride",
            Self::Offset(slot) => return write!(f, "offset_{slot}"),
            Self::Distance => "distance",
            Self::Results => "results",
            Self::Instances => "instances",
            Self::Groups => "groups",
            Self::Slots => "slots",
            Self::WarpGroups => "warp_groups",
            Self::Rounds => "rounds",
            Self::Units => "units",
            Self::TestUnits => "test_units",
            Self::UnitFactor => "unit_factor",
            Self::UnitShift => "unit_shift",
            Self::SlotFactor(warp) => return write!(f, "slot_factor_{warp}"),
            Self::SlotShift(warp) => return write!(f, "slot_shift_{warp}"),
            Self::Mix(cluster) => return write!(f, "mix_{cluster}"),
            Self::Starts => "starts",
            Self::StartPercent => "start_percent",
            Self::StartPolls => "start_polls",
            Self::Scratch => "scratch",
            Self::Lines => "lines",
            Self::LineStride => "line_stride",
            Self::StressRounds => "stress_rounds",
            Self::StressPattern => "stress_pattern",
            Self::PreRounds => "pre_rounds",
            Self::PrePattern => "pre_pattern",
            Self::Image => "image",
            Self::SharedStride => "shared_stride",
        };
        f.write_str(name)
    }
}

impl Argument {
    /// The description for authors of a host program.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Memory => "address of the global variables of all instances",
            Self::Stride => "bytes from one instance's variables to the next one's",
            Self::Offset(_) => "bytes from `memory` to the variable of instance 0",
            Self::Distance => {
                "bytes from `memory` to where the same memory is mapped again, and so on for more"
            }
            Self::Results => "address of the results, one row for each instance",
            Self::Instances => "instances of one round: groups * slots",
            Self::Groups => "groups of units that run instances together",
            Self::Slots => "instances of one group",
            Self::WarpGroups => "how many warps of a CTA play the same part",
            Self::Rounds => "how many instances each thread runs",
            Self::Units => "clusters of the grid (CTAs where there are no clusters)",
            Self::TestUnits => {
                "units that run instances: groups * clusters of the test; others load memory"
            }
            Self::UnitFactor => {
                "unit u is number (u * unit_factor + unit_shift) % units; coprime to units"
            }
            Self::UnitShift => "see unit_factor",
            Self::SlotFactor(_) => {
                "lane x of this warp's part runs slot (x * slot_factor + slot_shift) % slots; coprime to slots"
            }
            Self::SlotShift(_) => "see slot_factor",
            Self::Mix(_) => {
                "slot s of the cluster's group g belongs to group (g + s * mix) % groups"
            }
            Self::Starts => "address of a zeroed 32-bit counter for each instance",
            Self::StartPercent => "how many of a hundred instances begin together",
            Self::StartPolls => {
                "how often a thread looks whether the others are there before it begins"
            }
            Self::Scratch => "address of memory that is used to load the memory system",
            Self::Lines => "how many places in it are used",
            Self::LineStride => "bytes between these places",
            Self::StressRounds => "how often each thread of the other units accesses one",
            Self::StressPattern => "0 store store, 1 load store, 2 store load, 3 load load",
            Self::PreRounds => "how often a thread accesses one before its statements",
            Self::PrePattern => "as stress_pattern",
            Self::Image => "address of the initial bytes of an instance's shared memory in a CTA",
            Self::SharedStride => "bytes from one instance's shared memory to the next one's",
        }
    }
}

/// The arguments of the kernel of a plan, in order.
#[must_use]
pub fn arguments(plan: &Plan) -> Vec<Argument> {
    use Argument as A;
    let mut all = vec![A::Memory, A::Stride, A::Results, A::Instances, A::Groups, A::Slots];
    all.extend([A::WarpGroups, A::Rounds, A::Units, A::TestUnits, A::UnitFactor, A::UnitShift]);
    all.extend([A::Starts, A::StartPercent, A::StartPolls, A::Scratch, A::Lines, A::LineStride]);
    all.extend([A::StressRounds, A::StressPattern, A::PreRounds, A::PrePattern, A::Image]);
    all.push(A::SharedStride);
    all.extend((0..plan.globals.len()).map(A::Offset));
    if !plan.aliases.is_empty() {
        all.push(A::Distance);
    }
    all.extend((0..plan.all_warps).flat_map(|warp| [A::SlotFactor(warp), A::SlotShift(warp)]));
    all.extend((0..plan.clusters).map(A::Mix));
    all
}
