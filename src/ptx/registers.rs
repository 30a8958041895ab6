//! Which registers a statement reads and writes, and which variables it names.

use crate::ptx::operation::{
    AccessForm, Address, BarrierMode, MbarrierOp, Operation, Register, Statement, Value, WaitPhase,
};

/// The names in one statement, in order of occurrence.
#[derive(Debug, Default)]
pub struct Mentions<'s> {
    /// Registers read.
    pub reads: Vec<&'s Register>,
    /// Registers written.
    pub writes: Vec<&'s Register>,
    /// Variables whose address is used as a value or as the base of an access.
    pub variables: Vec<&'s crate::source::Spanned<String>>,
}

impl<'s> Mentions<'s> {
    /// The names in `statement`.
    #[must_use]
    pub fn of(statement: &'s Statement) -> Self {
        let mut mentions = Self::default();
        if let Some(guard) = &statement.guard {
            mentions.reads.push(&guard.register);
        }
        mentions.operation(&statement.operation);
        mentions
    }

    /// Adds the names in an operation.
    pub fn operation(&mut self, operation: &'s Operation) {
        use Operation as O;
        match operation {
            O::Load { access, destinations, .. }
            | O::MultimemLoadReduce { access, destinations, .. } => {
                self.access(access);
                self.writes.extend(destinations.iter().flatten());
            }
            O::Store { access, sources } | O::MultimemStore { access, sources } => {
                self.access(access);
                self.values(sources);
            }
            O::Atomic { access, destinations, operands, swap, .. } => {
                self.access(access);
                self.values(operands);
                self.values(swap);
                self.writes.extend(destinations.iter().flatten());
            }
            O::Reduce { access, operands, .. } | O::MultimemReduce { access, operands, .. } => {
                self.access(access);
                self.values(operands);
            }
            O::ProxyFence { address, .. } => address.iter().for_each(|at| self.address(at)),
            O::CtaBarrier { mode, barrier, resource, count } => {
                self.barrier_mode(mode);
                self.value(barrier);
                self.values(resource);
                self.values(count);
            }
            O::WarpBarrier { mask } => self.value(mask),
            O::Mbarrier { access, op } => {
                self.access(access);
                self.mbarrier(op);
            }
            O::MbarrierPendingCount { destination, state: source }
            | O::Move { destination, source, .. }
            | O::Convert { destination, source, .. }
            | O::IsSpace { destination, address: source, .. }
            | O::ConvertAddress { destination, source, .. }
            | O::CtaRank { destination, address: source, .. } => {
                self.value(source);
                self.writes.extend(destination);
            }
            O::StoreBulk { address, size, .. } | O::Discard { address, size } => {
                self.address(address);
                self.value(size);
            }
            O::Arithmetic { destination, sources, .. } | O::Float { destination, sources, .. } => {
                self.values(sources);
                self.writes.extend(destination);
            }
            O::MoveVector { destinations, sources, .. } => {
                self.values(sources);
                self.writes.extend(destinations.iter().flatten());
            }
            O::Pack { destination, parts, .. } => {
                self.values(parts);
                self.writes.extend(destination);
            }
            O::Unpack { destinations, source, .. } => {
                self.value(source);
                self.writes.extend(destinations.iter().flatten());
            }
            O::MultiplyAdd { destination, sources, .. } => {
                self.values(sources);
                self.writes.extend(destination);
            }
            O::Integer { destination, sources, test, .. } => {
                self.values(sources);
                self.writes.extend(destination);
                if let Some(test) = test {
                    self.value(&test.with);
                    self.writes.push(&test.predicate);
                }
            }
            O::Carry { destination, sources, carry_in, carry_out, .. } => {
                self.values(sources);
                self.reads.extend(carry_in);
                self.writes.extend(destination.iter().chain(carry_out));
            }
            O::Compare { destination, complement, sources, combine, .. } => {
                self.values(sources);
                combine.iter().for_each(|(_, predicate)| self.value(predicate));
                self.writes.extend(destination.iter().chain(complement));
            }
            O::Select { destination, then, otherwise, condition, .. } => {
                self.value(then);
                self.value(otherwise);
                self.value(condition);
                self.writes.extend(destination);
            }
            O::MapAddress { destination, source, rank, .. } => {
                self.value(source);
                self.value(rank);
                self.writes.extend(destination);
            }
            O::WarpExchange { destination, predicate, sources, .. } => {
                self.values(sources);
                self.writes.extend(destination.iter().chain(predicate));
            }
            O::StackSave { destination, .. } => self.writes.extend(destination),
            O::StackRestore { source, .. } => self.value(source),
            O::Branch { condition, .. } => {
                if let Some((_, left, right)) = condition {
                    self.value(left);
                    self.value(right);
                }
            }
            O::Unknown { definitions, uses, .. } => {
                self.reads.extend(uses);
                self.writes.extend(definitions);
            }
            O::Fence { .. }
            | O::ClusterArrive { .. }
            | O::ClusterWait
            | O::GridDependencyWait
            | O::LaunchDependents
            | O::Exit
            | O::Nothing => {}
        }
    }

    fn access(&mut self, access: &'s AccessForm) {
        self.address(&access.address);
    }

    fn address(&mut self, address: &'s Address) {
        self.value(&address.base);
    }

    fn values(&mut self, values: impl IntoIterator<Item = &'s Value>) {
        values.into_iter().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &'s Value) {
        match value {
            Value::Register(register) | Value::Not(register) => self.reads.push(register),
            Value::AddressOf(name, _) => self.variables.push(name),
            Value::ElementOf(element) => {
                self.variables.push(&element.variable);
                self.reads.push(&element.register);
            }
            Value::Immediate(_) | Value::Special(_) => {}
        }
    }

    fn barrier_mode(&mut self, mode: &'s BarrierMode) {
        match mode {
            BarrierMode::Sync | BarrierMode::Arrive => {}
            BarrierMode::RedPopc(destination, predicate)
            | BarrierMode::RedBool(destination, _, predicate) => {
                self.value(predicate);
                self.writes.extend(destination);
            }
        }
    }

    fn mbarrier(&mut self, op: &'s MbarrierOp) {
        match op {
            MbarrierOp::Init { count } => self.value(count),
            MbarrierOp::Inval => {}
            MbarrierOp::ExpectTx { bytes } | MbarrierOp::CompleteTx { bytes } => self.value(bytes),
            MbarrierOp::Arrive { state, count, expect_tx, .. } => {
                self.value(count);
                self.values(expect_tx);
                self.writes.extend(state);
            }
            MbarrierOp::Wait { done, phase, .. } => {
                let (WaitPhase::State(value) | WaitPhase::Parity(value)) = phase;
                self.value(value);
                self.writes.extend(done);
            }
        }
    }
}
