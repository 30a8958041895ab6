//! The operands of an operation in the order written, each with its role: read, written or accessed.
//! Printing is derived from this list, and so are the registers and variables of a statement; the
//! types that registers have to have follow from the form that says the operation.

use super::form::OperandForm;
use super::need::Need;
use super::operation::{BarrierMode, MbarrierOp, Operation, Statement, WaitPhase};
use super::row::{Implied, Takes};
use super::value::{Address, Destination, Register, Value};
use super::written::Arg;
use crate::source::Spanned;
use smallvec::{SmallVec, smallvec};

/// An operand of an operation.
pub(crate) enum Operand<'o> {
    /// Registers that are written, several in braces.
    Into(&'o [Destination]),
    /// A register and a predicate that are written, `d|p`.
    Both([&'o Destination; 2]),
    /// Values that are read, several in braces.
    From(&'o [Value]),
    /// An address that is accessed.
    At(&'o Address),
    /// Registers that are written, in braces however many they are.
    Registers(&'o [Destination]),
    /// Values that are read, in braces however many they are.
    Elements(&'o [Value]),
    /// The box of a tensor: the map's address and coordinates.
    Box(&'o Address, &'o [Value]),
    /// A label that is jumped to.
    Label(&'o str),
    /// A number that all instructions of the form have.
    Constant(i128),
    /// A constant byte.
    Table(i128),
    /// A register that is read and not written down as an operand.
    Reads(&'o Register),
    /// A register that is written and not written down as an operand.
    Writes(&'o Register),
}

pub(crate) type Operands<'o> = SmallVec<[Operand<'o>; 6]>;

fn into(destination: &Destination) -> Operand<'_> {
    Operand::Into(std::slice::from_ref(destination))
}

fn from(value: &Value) -> Operand<'_> {
    Operand::From(std::slice::from_ref(value))
}

impl Operation {
    /// The operands, in the order written.
    pub(crate) fn operands(&self) -> Operands<'_> {
        use Operand::{At, Both, From, Into};
        match self {
            Self::Load { access, destinations, .. }
            | Self::MultimemLoadReduce { access, destinations, .. } => {
                smallvec![Into(destinations), At(&access.address)]
            }
            Self::Store { access, sources: operands }
            | Self::Reduce { access, operands, .. }
            | Self::MultimemStore { access, sources: operands }
            | Self::MultimemReduce { access, operands, .. } => {
                smallvec![At(&access.address), From(operands)]
            }
            Self::Atomic { access, destinations, operands, swap, .. } => {
                // A vector of sinks alone is one sink.
                let unused = destinations.iter().all(Option::is_none);
                let written = &destinations[..if unused { 1 } else { destinations.len() }];
                let first = [Into(written), At(&access.address), From(operands)];
                first.into_iter().chain(swap.iter().map(from)).collect()
            }
            Self::ProxyFence { address, .. } => {
                let acquired = |address| [At(address), Operand::Constant(128)];
                address.iter().flat_map(acquired).collect()
            }
            Self::CtaBarrier { mode, barrier, resource, count, .. } => {
                let (result, predicate) = match mode {
                    BarrierMode::Sync | BarrierMode::Arrive => (None, None),
                    BarrierMode::RedPopc(d, p) | BarrierMode::RedBool(d, _, p) => {
                        (Some(d), Some(p))
                    }
                };
                let values = std::iter::once(barrier).chain(resource).chain(count).chain(predicate);
                result.into_iter().map(into).chain(values.map(from)).collect()
            }
            Self::WarpBarrier { mask } => smallvec![from(mask)],
            Self::Mbarrier { access, op } => mbarrier(At(&access.address), op),
            Self::Move { destination, source, .. } => smallvec![into(destination), from(source)],
            Self::Compare { destination, complement, sources, combine, .. } => {
                let values = sources.iter().chain(combine.iter().map(|(_, predicate)| predicate));
                let written = Both([destination, complement]);
                std::iter::once(written).chain(values.map(from)).collect()
            }
            Self::Form(written) => {
                let implied = written.implied().map(|(register, role)| match role {
                    Implied::Read => Operand::Reads(register),
                    Implied::Written(_) => Operand::Writes(register),
                });
                written.parts().map(|(form, arg)| of_form(form, arg)).chain(implied).collect()
            }
            Self::Branch { target, condition } => {
                let compared = condition.iter().flat_map(|(_, left, right)| [left, right]);
                compared.map(from).chain([Operand::Label(&target.value)]).collect()
            }
            Self::Unknown { definitions, uses, .. } => {
                let written = definitions.iter().map(Operand::Writes);
                written.chain(uses.iter().map(Operand::Reads)).collect()
            }
            Self::Nothing => smallvec![Operand::Constant(0)],
            Self::Fence { .. }
            | Self::ClusterArrive { .. }
            | Self::ClusterWait { .. }
            | Self::GridDependencyWait
            | Self::LaunchDependents
            | Self::Exit => SmallVec::new(),
        }
    }
}

fn of_form<'o>(form: &OperandForm, operand: &'o Arg) -> Operand<'o> {
    match operand {
        Arg::Destination(destination) => into(destination),
        Arg::Pair(destination, predicate) => Operand::Both([destination, predicate]),
        Arg::Value(value) => from(value),
        Arg::Memory(address) => Operand::At(address),
        Arg::Tensor(map, coordinates) => Operand::Box(map, coordinates),
        Arg::Into(list) => Operand::Registers(list),
        Arg::Elements(list) => match (&list[..], form.takes) {
            // A scalar needs no braces.
            ([value], Takes::Data(_)) => from(value),
            _ => Operand::Elements(list),
        },
        Arg::Label(label) => Operand::Label(&label.value),
        Arg::Constant(number) if form.takes == Takes::Table => Operand::Table(*number),
        Arg::Constant(number) => Operand::Constant(*number),
    }
}

fn mbarrier<'o>(object: Operand<'o>, op: &'o MbarrierOp) -> Operands<'o> {
    match op {
        MbarrierOp::Inval => smallvec![object],
        MbarrierOp::Init { count: amount }
        | MbarrierOp::ExpectTx { bytes: amount }
        | MbarrierOp::CompleteTx { bytes: amount } => smallvec![object, from(amount)],
        MbarrierOp::Arrive { state, count, expect_tx, .. } => {
            smallvec![into(state), object, from(expect_tx.as_ref().unwrap_or(count))]
        }
        MbarrierOp::Wait {
            done,
            phase: WaitPhase::State(phase) | WaitPhase::Parity(phase),
            ..
        } => {
            smallvec![into(done), object, from(phase)]
        }
    }
}

/// A mention of a register or variable in a statement.
pub(crate) enum Mention<'s> {
    Reads(&'s Register, Need),
    Writes(&'s Register, Need),
    Names(&'s Spanned<String>),
}

/// Calls `see` for each register and variable in the operands of an operation: those of addresses
/// first, then in the order written.
pub(crate) fn for_each_mention<'s>(
    operands: &[Operand<'s>],
    needs: &[Need],
    see: &mut dyn FnMut(Mention<'s>),
) {
    for operand in operands {
        if let Operand::At(address) | Operand::Box(address, _) = operand {
            value(&address.base, Need::ADDRESS, see);
        }
    }
    for (at, operand) in operands.iter().enumerate() {
        let need = needs.get(at).copied().unwrap_or(Need::ANY);
        match operand {
            Operand::Into(list) | Operand::Registers(list) => {
                list.iter().flatten().for_each(|register| see(Mention::Writes(register, need)));
            }
            Operand::Both([first, second]) => {
                first.iter().for_each(|register| see(Mention::Writes(register, need)));
                let predicate = Need::PREDICATE;
                second.iter().for_each(|register| see(Mention::Writes(register, predicate)));
            }
            Operand::From(list) | Operand::Elements(list) => {
                list.iter().for_each(|from| value(from, need, see));
            }
            Operand::Box(_, list) => list.iter().for_each(|from| value(from, Need::WORD, see)),
            Operand::Reads(register) => see(Mention::Reads(register, need)),
            Operand::Writes(register) => see(Mention::Writes(register, need)),
            Operand::At(_) | Operand::Label(_) | Operand::Constant(_) | Operand::Table(_) => {}
        }
    }
}

fn value<'s>(value: &'s Value, need: Need, see: &mut dyn FnMut(Mention<'s>)) {
    match value {
        Value::Register(register) | Value::Not(register) => see(Mention::Reads(register, need)),
        Value::AddressOf(name, _) => see(Mention::Names(name)),
        Value::ElementOf(element) => {
            see(Mention::Names(&element.variable));
            // Of an index 32 bits count, whatever its width.
            see(Mention::Reads(&element.register, Need::ADDRESS));
        }
        Value::Immediate(_) | Value::Special(_) | Value::Sink { .. } => {}
    }
}

/// The names in one statement.
#[derive(Debug, Default)]
pub struct Mentions<'s> {
    /// Registers read.
    pub reads: Vec<&'s Register>,
    /// Registers written.
    pub writes: Vec<&'s Register>,
    /// Variables whose address is used as a value or as the base of an access.
    pub variables: Vec<&'s Spanned<String>>,
}

impl<'s> Mentions<'s> {
    /// The names in `statement`.
    #[must_use]
    pub fn of(statement: &'s Statement) -> Self {
        let mut mentions = Self::default();
        mentions.reads.extend(statement.guard.as_ref().map(|guard| &guard.register));
        mentions.operation(&statement.operation);
        mentions
    }

    /// Adds the names in an operation.
    pub fn operation(&mut self, operation: &'s Operation) {
        for_each_mention(&operation.operands(), &[], &mut |mention| match mention {
            Mention::Reads(register, _) => self.reads.push(register),
            Mention::Writes(register, _) => self.writes.push(register),
            Mention::Names(variable) => self.variables.push(variable),
        });
    }
}
