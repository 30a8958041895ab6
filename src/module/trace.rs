//! What a thread of a launch does, as far as other threads depend on it: its path, its accesses.

use super::fold::{Registers, value};
use crate::litmus::ast::DeclaredSpace;
use crate::litmus::tensor::TensorMap;
use crate::program::layout::Layout;
use crate::program::mbarrier::OBJECT_BITS;
use crate::program::micro::{
    Align, AsyncEffect, AsyncMicro, BarrierGroup, Direction, Micro, Range, Step, Supplied, Target,
};
use crate::program::term::Term;
use crate::ptx::operation::{BarrierMode, MbarrierOp, Operation, Reach, Space};
use crate::ptx::row::Op;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The behaviour of a thread, as far as other threads depend on it.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// The steps of the code that have effects or decide what control does, in order.
    pub(super) path: Vec<u32>,
    /// Between which values the thread chooses, in order.
    pub(super) choices: Vec<u32>,
    /// The accesses to memory that other threads may share.
    pub(super) touches: Vec<Touch>,
    /// Whether some address is unknown, or one that other threads' values may decide.
    pub(super) computes_addresses: bool,
    /// Whether it is unknown where some access goes.
    pub(super) is_unplaced: bool,
    /// Accesses to unknown parts of known variables: the variable, and whether the access may write.
    pub(super) parts: Vec<(usize, bool)>,
    /// Whether the thread exchanges values within its warp.
    pub(super) exchanges: bool,
    /// Whether the thread uses barriers that count threads.
    pub(super) counts: bool,
    /// Whether the thread comes to a branch that is not decided.
    pub(super) divides: bool,
    /// Whether the thread comes to a barrier that all of its warp have to execute.
    pub(super) aligned: bool,
    /// How many steps were evaluated.
    pub(super) steps: usize,
}

/// An access at a known address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The variable, by its number in the layout.
    pub(super) variable: usize,
    /// Whether each CTA has an instance.
    pub(super) is_shared: bool,
    /// The first byte.
    pub(super) offset: u64,
    /// How many.
    pub(super) bytes: u64,
    /// Whether it may write.
    pub(super) writes: bool,
    /// Whether it is strong, or of an mbarrier, so that threads may synchronize by it.
    pub(super) is_strong: bool,
    /// The step.
    pub(super) at: u32,
}

/// Whether a statement has results that depend on the lanes beside a thread or on its place in the
/// cluster: code that is lowered once for all threads does not know them.
pub(super) fn depends_on_place(operation: &Operation) -> bool {
    let Operation::Form(written) = operation else { return false };
    matches!(written.op(), Op::Warp(_) | Op::CtaRank | Op::IsSpace | Op::MapAddress)
}

/// Whether a statement exchanges something with the other lanes of the warp.
fn exchanges(operation: &Operation) -> bool {
    match operation {
        Operation::WarpBarrier { .. } => true,
        Operation::Form(written) => {
            let op = written.op();
            matches!(op, Op::Warp(_) | Op::LoadMatrix | Op::StoreMatrix)
                || matches!(op, Op::LoadFragment | Op::StoreFragment)
        }
        _ => false,
    }
}

/// The bytes that stand for a range of unknown size.
const BEGINNING: u64 = 16;

/// The entry of a path that says that an access is misaligned or outside of all variables.
const OUTSIDE: u32 = u32::MAX;

/// Where a thread is when it executes a step.
pub(super) struct Moment<'m> {
    /// The number of the step.
    pub(super) at: usize,
    /// The step.
    pub(super) step: &'m Step,
    /// Whether the step chooses a value that decides something.
    pub(super) chooses: bool,
    /// The statement that the step was made of.
    pub(super) operation: &'m Operation,
    /// The registers before the step, and their widths.
    pub(super) registers: &'m Registers,
    pub(super) widths: &'m [u32],
    /// The variables.
    pub(super) layout: &'m Layout,
}

impl Trace {
    /// Notes a step that is executed.
    pub(super) fn observe(&mut self, moment: &Moment<'_>) {
        self.steps += 1;
        self.exchanges |= exchanges(moment.operation);
        if moment.step.micros.iter().all(|micro| matches!(micro, Micro::Assign { .. })) {
            if moment.chooses {
                self.choose(moment);
            }
            return;
        }
        self.path.push(place(moment.at));
        for micro in &moment.step.micros {
            self.sign(micro, moment);
            match micro {
                Micro::Elements { list, .. } => {
                    list.iter().for_each(|one| self.touch(one, moment));
                }
                other => self.touch(other, moment),
            }
        }
        match moment.operation {
            // The count of an object that one thread initializes for one arrival needs no others.
            Operation::Mbarrier { op: MbarrierOp::Init { .. }, .. } => {
                self.counts |= !moment.initializes_for_one();
            }
            Operation::CtaBarrier { mode, count, aligned, .. } => {
                let reduces = !matches!(mode, BarrierMode::Sync | BarrierMode::Arrive);
                self.counts |= count.is_some() || reduces;
                self.aligned |= *aligned;
            }
            Operation::ClusterArrive { aligned, .. } | Operation::ClusterWait { aligned } => {
                self.aligned |= *aligned;
            }
            Operation::Form(written) => {
                self.computes_addresses |= written.accesses().next().is_some();
            }
            Operation::Unknown { reach: Reach::Anything, .. } => self.lose(),
            _ => {}
        }
    }

    /// Notes between which values a thread chooses, and that it executes a predicated statement. Threads
    /// that choose differently have different roles.
    fn choose(&mut self, moment: &Moment<'_>) {
        self.choices.push(place(moment.at));
        for micro in &moment.step.micros {
            let Micro::Assign { value, .. } = micro else { continue };
            let chosen = value.conditions().into_iter().filter_map(|term| moment.value(term));
            self.choices.extend(chosen.map(|condition| u32::from(condition != 0)));
        }
    }

    /// Notes the operands by which an operation waits or is undefined: numbers and counts of barriers, masks
    /// of lanes, counts of mbarriers, sizes of copies. Threads with different ones have different roles.
    fn sign(&mut self, micro: &Micro, moment: &Moment<'_>) {
        let none = Term::Const(0, OBJECT_BITS);
        let terms: Vec<Term> = match micro {
            Micro::Barrier(barrier) => {
                let own = match &barrier.group {
                    BarrierGroup::Cta(number) => Some(number),
                    BarrierGroup::Warp(mask) | BarrierGroup::Exchange(mask, _) => Some(mask),
                    BarrierGroup::Instance(..) | BarrierGroup::Cluster => None,
                };
                let reduced = barrier.operand.as_ref().filter(|_| barrier.reduction.is_some());
                let all = own.into_iter().chain(&barrier.count).chain([&barrier.legal]);
                all.chain(reduced).cloned().collect()
            }
            Micro::Rmw { target, value, .. } if target.marks.mbarrier => {
                vec![value.clone().with_old(&none)]
            }
            Micro::Store { target, value } if target.marks.mbarrier => vec![value.clone()],
            Micro::Issue(operation) => match &operation.effect {
                AsyncEffect::Transfer(transfer) => {
                    let sizes = [&transfer.bytes, &transfer.copied].into_iter();
                    sizes.chain(&transfer.mask).chain(&transfer.open).cloned().collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        for value in terms.iter().filter_map(|term| moment.value(term)) {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            self.path.push(hasher.finish() as u32);
        }
    }

    /// Notes that an access may go anywhere.
    pub(super) fn lose(&mut self) {
        self.computes_addresses = true;
        self.is_unplaced = true;
    }

    /// Notes a branch that is not decided.
    pub(super) fn divide(&mut self, at: usize) {
        self.divides = true;
        self.path.push(place(at));
    }

    fn touch(&mut self, micro: &Micro, moment: &Moment<'_>) {
        let (target, writes) = match micro {
            Micro::Supply { row: Some(row), how, .. } => (row, *how == Supplied::Written),
            // The lane that gives the address has the access.
            Micro::Load { target: Target { lane: Some(_), .. }, .. }
            | Micro::Store { target: Target { lane: Some(_), .. }, .. } => return,
            Micro::Load { target, .. } => (target, false),
            Micro::Store { target, .. } | Micro::Rmw { target, .. } => (target, true),
            Micro::Issue(operation) => {
                self.computes_addresses = true;
                return self.issued(operation, moment);
            }
            _ => return,
        };
        let address = moment.address(&target.address);
        let named = address.and_then(|a| moment.layout.named(target.space, a, target.bytes.into()));
        // Threads that leave all variables have a role of their own, so that one is looked at.
        let start = address.map(|a| a.wrapping_sub(target.within.into()));
        if start.is_some_and(|a| named.is_none() || a % u64::from(target.whole.max(1)) != 0) {
            self.path.push(OUTSIDE);
        }
        match (address, named) {
            (_, Some(place)) => self.add(place, accessed(target), writes, moment),
            (Some(_), None) => self.computes_addresses = true,
            (None, None) if is_private(target.space) => self.computes_addresses = true,
            (None, None) => self.lose(),
        }
    }

    /// Notes what an asynchronous operation accesses, as far as it is known.
    fn issued(&mut self, operation: &AsyncMicro, moment: &Moment<'_>) {
        let number = |term: &Term| u64::try_from(moment.value(term)?).ok();
        match &operation.effect {
            AsyncEffect::Transfer(transfer) => {
                self.range(&transfer.source, number(&transfer.copied), false, moment);
                for to in &transfer.destinations {
                    self.range(to, number(&transfer.bytes), true, moment);
                }
            }
            AsyncEffect::Tensor(tensor) => {
                let map = moment.address(&tensor.map.address);
                let map = map.and_then(|a| moment.layout.named(tensor.map.space, a, 1));
                let map = map.and_then(|(at, _)| moment.layout.variables[at].tensor_map.as_ref());
                let writes = tensor.direction == Direction::Load;
                let of_map = |map: &TensorMap| {
                    let mut all = moment.layout.variables.iter();
                    all.position(|variable| variable.name == map.tensor.value)
                };
                match map.and_then(of_map) {
                    Some(tensor) => self.parts.push((original(tensor, moment.layout), !writes)),
                    None => self.lose(),
                }
                for place in &tensor.shared {
                    self.range(place, map.map(TensorMap::bytes), writes, moment);
                }
            }
            AsyncEffect::Product(product) => {
                product.matrices.iter().for_each(|matrix| self.range(matrix, None, false, moment));
                product.into.iter().for_each(|columns| self.range(columns, None, true, moment));
            }
            AsyncEffect::Store(list) => {
                list.iter().for_each(|(target, _)| self.element(target, moment));
            }
            AsyncEffect::Answer(places, _) => {
                places.iter().for_each(|place| self.range(place, Some(16), true, moment));
            }
            AsyncEffect::Update(target, ..) => self.element(target, moment),
            // Tensor Memory is accessed by the warps that it belongs to.
            AsyncEffect::LoadColumns(_) | AsyncEffect::StoreColumns(_) | AsyncEffect::Behind(_) => {
            }
        }
    }

    /// Notes an access to a range, whose first bytes stand for it if its size is not known.
    fn range(&mut self, range: &Range, bytes: Option<u64>, writes: bool, moment: &Moment<'_>) {
        let Some(address) = moment.address(&range.address) else { return self.lose() };
        let alignment = match range.align {
            Align::Bytes(bytes) => bytes.into(),
            Align::Size => bytes.unwrap_or(1),
        };
        let known = bytes.unwrap_or(BEGINNING);
        let place = moment.layout.named(range.space, address, known).filter(|_| known > 0);
        let is_nowhere = bytes.is_some_and(|bytes| bytes > 0) && place.is_none();
        if is_nowhere || address % alignment.max(1) != 0 {
            self.path.push(OUTSIDE);
        }
        if let Some(place) = place {
            self.add(place, (known, false), writes, moment);
        }
    }

    fn element(&mut self, target: &Target, moment: &Moment<'_>) {
        let address = moment.address(&target.address);
        let bytes = u64::from(target.bytes);
        let Some(address) = address else { return self.lose() };
        match moment.layout.named(target.space, address, bytes) {
            Some(place) => self.add(place, accessed(target), true, moment),
            None => self.path.push(OUTSIDE),
        }
    }

    /// Notes an access to a place: variable and first byte.
    fn add(
        &mut self,
        (variable, offset): (usize, u64),
        (bytes, is_strong): (u64, bool),
        writes: bool,
        moment: &Moment<'_>,
    ) {
        let info = &moment.layout.variables[variable];
        let is_shared = match info.space {
            DeclaredSpace::Shared => true,
            DeclaredSpace::Global => false,
            DeclaredSpace::Multimem => return self.lose(),
            DeclaredSpace::Const | DeclaredSpace::Param | DeclaredSpace::Local => return,
        };
        let variable = original(variable, moment.layout);
        let at = place(moment.at);
        self.touches.push(Touch { variable, is_shared, offset, bytes, writes, is_strong, at });
    }
}

/// The bytes of an access, and whether threads may synchronize by it.
fn accessed(target: &Target) -> (u64, bool) {
    (target.bytes.into(), target.synchronizes())
}

/// Whether no other thread writes memory that this one reaches in a space.
fn is_private(space: Space) -> bool {
    matches!(space, Space::Const | Space::Local | Space::ParamEntry | Space::ParamFunc)
}

/// The variable that some memory is declared as; other names of the memory are aliases.
fn original(variable: usize, layout: &Layout) -> usize {
    layout.variables[variable].alias_of.unwrap_or(variable)
}

impl Moment<'_> {
    fn value(&self, term: &Term) -> Option<u128> {
        value(term, self.registers, self.widths)
    }

    /// The address of an access, if it is known.
    fn address(&self, address: &Term) -> Option<u64> {
        u64::try_from(self.value(address)?).ok()
    }

    fn initializes_for_one(&self) -> bool {
        let Operation::Mbarrier { op: MbarrierOp::Init { count }, .. } = self.operation else {
            return false;
        };
        matches!(count, crate::ptx::operation::Value::Immediate(number) if number.value == 1)
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
