//! The geometry of one launch, computed from a plan and parameters: sizes, permutations, addresses,
//! and initial memory.
//!
//! Units are clusters, or CTAs if the test needs no clusters. Each unit that runs instances plays
//! one cluster of the test for one group, and a group has as many units as the test has clusters. A
//! group has a slot for each instance that fits into its CTAs. Permutations determine the unit,
//! slot and group of each instance. Threads of one instance share a CTA, cluster or warp exactly if
//! the test says so, and nothing else is fixed.

use super::argument::Argument;
use super::parameters::{Order, Parameters, Spread};
use super::plan::{Arrangement, LANES, Plan};
use crate::collections::Permutation;
use crate::litmus::ast::{Test, Variable};
use crate::ptx::bits::mask;

/// The most instances of a launch.
const MOST_INSTANCES: u64 = 1 << 20;
/// The most bytes that the variables of a launch take.
const MOST_BYTES: u64 = 1 << 29;
/// Shared memory that a CTA has on every device without asking.
const MOST_SHARED: u64 = 48 << 10;
/// Between the regions of variables that lie apart, so that not all lie alike in the caches.
const BETWEEN: u64 = 1152;

/// The CTAs of a launch, as far as needed to compute how many run concurrently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Warps.
    pub warps: u64,
    /// How many warps play the same part.
    pub warp_groups: u64,
    /// The number of instances in which the threads participate.
    pub slots: u64,
    /// Bytes from one instance's shared memory to the next one's.
    pub shared_stride: u64,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u64,
}

impl Block {
    /// The CTAs of a launch with these parameters.
    #[must_use]
    pub fn new(plan: &Plan, parameters: &Parameters) -> Self {
        let needed = plan.warps as u64;
        let warp_groups = match plan.arrangement {
            Arrangement::Dense => (u64::from(parameters.warps).min(32) / needed).max(1),
            Arrangement::Exclusive => 1,
        };
        let room = warp_groups * plan.per_warp() as u64;
        let slots = match plan.shared_bytes {
            0 => room,
            bytes => room.min(MOST_SHARED / bytes).max(1),
        };
        Self {
            warps: warp_groups * needed,
            warp_groups,
            slots,
            shared_stride: plan.shared_bytes,
            shared_bytes: plan.shared_bytes * slots,
        }
    }

    /// Threads.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.warps * LANES as u64
    }
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Its CTAs.
    pub block: Block,
    /// The number of clusters, or of CTAs in a launch without clusters.
    pub units: u64,
    /// The number of units that run instances.
    pub test_units: u64,
    /// Groups.
    pub groups: u64,
    /// Instances that a thread runs.
    pub rounds: u64,
    /// The permutation of units.
    pub unit_order: Permutation,
    /// For each warp of the test, the permutation of slots.
    pub slot_orders: Vec<Permutation>,
    /// For each cluster of the test, how groups are mixed.
    pub mixes: Vec<u64>,
    /// Bytes between instances.
    pub stride: u64,
    /// Where each global variable of instance 0 is.
    pub offsets: Vec<u64>,
    /// Bytes of all global variables.
    pub memory_bytes: u64,
    /// The remaining parameters of the launch.
    pub parameters: Parameters,
}

/// The base addresses of the buffers of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// The global variables.
    pub memory: u64,
    /// How far behind the same memory is mapped again, where a test has second addresses.
    pub distance: u64,
    /// The results.
    pub results: u64,
    /// The counters by which instances begin together.
    pub starts: u64,
    /// Memory that is accessed to load the memory system.
    pub scratch: u64,
    /// The initial bytes of an instance's shared memory.
    pub image: u64,
}

impl Geometry {
    /// A launch of at most `resident` units at one time; permutations are drawn at random.
    #[must_use]
    pub fn new(
        plan: &Plan,
        parameters: &Parameters,
        resident: u64,
        random: &mut fastrand::Rng,
    ) -> Self {
        let block = Block::new(plan, parameters);
        let clusters = plan.clusters as u64;
        // Where nobody waits, units may come one after the other; more of them where an instance is in one
        // unit, so that its threads run at the same time however many there are.
        let times = match (plan.waits || plan.arrangement == Arrangement::Dense, clusters) {
            (true, _) => 1,
            (false, 1) => 64,
            (false, _) => 4,
        };
        let units = (resident * times).max(clusters);
        let share = units * u64::from(parameters.test_percent.clamp(1, 100)) / 100;
        let (stride, spread) = stride(plan, parameters);
        let each =
            stride * if spread == Spread::Apart { plan.globals.len().max(1) as u64 } else { 1 };
        let most = (MOST_BYTES / each).clamp(1, MOST_INSTANCES);
        let groups = (share / clusters).clamp(1, (most / block.slots).max(1));
        let rounds = match plan.has_rounds() {
            true => u64::from(parameters.rounds).clamp(1, (most / (groups * block.slots)).max(1)),
            false => 1,
        };
        let instances = groups * block.slots * rounds;
        let (offsets, memory_bytes) = offsets(plan, stride, spread, instances);
        let mut orders = |order, count| permutation(order, count, random);
        let unit_order = orders(parameters.units, units);
        let slot_orders =
            (0..plan.all_warps).map(|_| orders(parameters.lanes, block.slots)).collect();
        let mixes = (0..clusters)
            .map(|cluster| match parameters.groups {
                Order::Shuffled if cluster > 0 => random.u64(..groups),
                _ => 0,
            })
            .collect();
        Self {
            block,
            units,
            test_units: groups * clusters,
            groups,
            rounds,
            unit_order,
            slot_orders,
            mixes,
            stride,
            offsets,
            memory_bytes,
            parameters: *parameters,
        }
    }

    /// Instances of one round.
    #[must_use]
    pub fn instances_of_a_round(&self) -> u64 {
        self.groups * self.block.slots
    }

    /// Instances of the launch.
    #[must_use]
    pub fn instances(&self) -> u64 {
        self.instances_of_a_round() * self.rounds
    }

    /// The CTAs of the grid.
    #[must_use]
    pub fn ctas(&self, plan: &Plan) -> u64 {
        self.units * plan.cluster_size as u64
    }

    /// The value of an argument of the kernel.
    #[must_use]
    pub fn argument(&self, argument: Argument, bases: &Bases) -> u64 {
        let parameters = &self.parameters;
        match argument {
            Argument::Memory => bases.memory,
            Argument::Stride => self.stride,
            Argument::Offset(slot) => self.offsets[slot],
            Argument::Distance => bases.distance,
            Argument::Results => bases.results,
            Argument::Instances => self.instances_of_a_round(),
            Argument::Groups => self.groups,
            Argument::Slots => self.block.slots,
            Argument::WarpGroups => self.block.warp_groups,
            Argument::Rounds => self.rounds,
            Argument::Units => self.units,
            Argument::TestUnits => self.test_units,
            Argument::UnitFactor => self.unit_order.factor,
            Argument::UnitShift => self.unit_order.shift,
            Argument::SlotFactor(warp) => self.slot_orders[warp].factor,
            Argument::SlotShift(warp) => self.slot_orders[warp].shift,
            Argument::Mix(cluster) => self.mixes[cluster],
            Argument::Starts => bases.starts,
            Argument::StartPercent => parameters.start_percent.into(),
            Argument::StartPolls => parameters.start_polls.into(),
            Argument::Scratch => bases.scratch,
            Argument::Lines => parameters.places(),
            Argument::LineStride => u64::from(parameters.line_stride) / 4 * 4,
            Argument::StressRounds => parameters.stress_rounds.into(),
            Argument::StressPattern => parameters.stress_pattern.into(),
            Argument::PreRounds => parameters.pre_rounds.into(),
            Argument::PrePattern => parameters.pre_pattern.into(),
            Argument::Image => bases.image,
            Argument::SharedStride => self.block.shared_stride,
        }
    }

    /// The role of a lane, as an index into the roles of the plan, and its instance in the first
    /// round; `None` for an idle lane. The kernel computes the same.
    #[must_use]
    pub fn part(
        &self,
        plan: &Plan,
        unit: u64,
        rank: u64,
        warp: u64,
        lane: u64,
    ) -> Option<(usize, u64)> {
        let number = self.unit_order.at(unit, self.units);
        if number >= self.test_units {
            return None;
        }
        let (group, cluster) = (number / plan.clusters as u64, number % plan.clusters as u64);
        let (row, warp) = (warp / plan.warps as u64, warp % plan.warps as u64);
        let (column, member) = (lane / plan.lanes as u64, lane % plan.lanes as u64);
        let x = row * plan.per_warp() as u64 + column;
        if row >= self.block.warp_groups
            || column >= plan.per_warp() as u64
            || x >= self.block.slots
        {
            return None;
        }
        let role = plan.roles.iter().position(|role| {
            [role.cluster, role.rank, role.warp, role.lane].map(|n| n as u64)
                == [cluster, rank, warp, member]
        })?;
        let slot = self.slot_orders[plan.roles[role].any_warp].at(x, self.block.slots);
        let group = (group + slot * self.mixes[plan.roles[role].cluster]) % self.groups;
        Some((role, group * self.block.slots + slot))
    }

    /// The initial bytes of global memory; `None` if all are zero.
    #[must_use]
    pub fn initial_memory(&self, test: &Test, plan: &Plan, base: u64) -> Option<Vec<u8>> {
        let is_zero = |v: &Variable| {
            v.initial_addresses.is_empty() && v.initial.iter().flatten().all(|value| *value == 0)
        };
        if plan.globals.iter().all(|slot| is_zero(&test.variables[slot.variable])) {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(self.memory_bytes).ok()?];
        for (slot, &offset) in plan.globals.iter().zip(&self.offsets) {
            let variable = &test.variables[slot.variable];
            let constant = initial_bytes(variable);
            for instance in 0..self.instances() {
                let at = usize::try_from(offset + instance * self.stride).ok()?;
                bytes[at..at + constant.len()].copy_from_slice(&constant);
                for init in &variable.initial_addresses {
                    let target = plan.globals.iter().position(|g| g.name == init.name.value)?;
                    let address = base + self.offsets[target] + instance * self.stride;
                    let value = init.bits.of(address.wrapping_add_signed(init.offset));
                    let size = variable.ty.bytes() as usize;
                    let at = at + init.element * size;
                    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
        }
        Some(bytes)
    }
}

/// The initial bytes of the shared memory of an instance in a CTA.
#[must_use]
pub fn shared_image(test: &Test, plan: &Plan) -> Vec<u8> {
    let mut image = vec![0; usize::try_from(plan.shared_bytes).unwrap_or(0)];
    for slot in &plan.shared {
        let bytes = initial_bytes(&test.variables[slot.variable]);
        let at = usize::try_from(slot.offset).unwrap_or(0);
        image[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    image
}

/// The initial values of a variable, without addresses.
fn initial_bytes(variable: &Variable) -> Vec<u8> {
    let size = variable.ty.bytes() as usize;
    let mut bytes = Vec::new();
    for element in 0..variable.elements {
        let at = usize::try_from(element).unwrap_or(usize::MAX);
        let value = variable.initial.as_deref().and_then(|values| values.get(at)).copied();
        let value = value.unwrap_or(0) as u128 & mask(variable.ty.bits);
        bytes.extend_from_slice(&value.to_le_bytes()[..size]);
    }
    bytes
}

/// Bytes between instances, which keep all variables aligned.
fn stride(plan: &Plan, parameters: &Parameters) -> (u64, Spread) {
    let align = plan.globals.iter().map(|slot| slot.align).max().unwrap_or(4);
    let least = match parameters.spread {
        Spread::Together => plan.global_bytes,
        Spread::Apart => plan.globals.iter().map(|slot| slot.bytes).max().unwrap_or(0),
    };
    let stride = least.max(parameters.stride.into()).max(4).next_multiple_of(align);
    (stride, parameters.spread)
}

/// Where the variables of instance 0 are, and the bytes of all.
fn offsets(plan: &Plan, stride: u64, spread: Spread, instances: u64) -> (Vec<u64>, u64) {
    let region = match spread {
        Spread::Together => {
            return (plan.globals.iter().map(|s| s.offset).collect(), (stride * instances).max(16));
        }
        Spread::Apart => {
            let align = plan.globals.iter().map(|slot| slot.align).max().unwrap_or(4).max(128);
            (stride * instances + BETWEEN).next_multiple_of(align)
        }
    };
    let count = plan.globals.len() as u64;
    ((0..count).map(|number| number * region).collect(), (count * region).max(16))
}

/// A permutation of so many numbers.
fn permutation(order: Order, count: u64, random: &mut fastrand::Rng) -> Permutation {
    match order {
        Order::Kept => Permutation::NONE,
        Order::Shuffled => Permutation::draw(count, random),
    }
}
