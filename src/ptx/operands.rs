//! The operands of an operation in the order written, each with its role: read, written or
//! accessed, at a type. Printing is derived from this list, and so are the registers and variables
//! of a statement.

use super::need::{Fit, Need};
use super::operation::{AccessForm, BarrierMode, MbarrierOp, Operation, Statement, WaitPhase};
use super::row::Takes;
use super::value::{Address, ArithmeticOp, Destination, Register, Type, Value};
use super::written::Arg;
use crate::source::Spanned;
use smallvec::{SmallVec, smallvec};

/// An operand of an operation.
pub(crate) enum Operand<'o> {
    /// Registers that are written, several in braces.
    Into(&'o [Destination], Need),
    /// A register and a predicate that are written, `d|p`.
    Both([&'o Destination; 2], Need),
    /// Values that are read, several in braces.
    From(&'o [Value], Need),
    /// An address that is accessed.
    At(&'o Address),
    /// Registers that are written, in braces however many they are.
    Registers(&'o [Destination], Need),
    /// Values that are read, in braces however many they are.
    Elements(&'o [Value], Need),
    /// The box of a tensor: the map's address and coordinates.
    Box(&'o Address, &'o [Value]),
    /// A label that is jumped to.
    Label(&'o str),
    /// A number that all instructions of the form have.
    Constant(i128),
    /// A constant byte.
    Table(i128),
    /// A register that is read and not written down as an operand.
    Reads(&'o Register, Need),
    /// A register that is written and not written down as an operand.
    Writes(&'o Register, Need),
}

type Operands<'o> = SmallVec<[Operand<'o>; 6]>;

fn into(destination: &Destination, need: Need) -> Operand<'_> {
    Operand::Into(std::slice::from_ref(destination), need)
}

fn from(value: &Value, need: Need) -> Operand<'_> {
    Operand::From(std::slice::from_ref(value), need)
}

fn at(access: &AccessForm) -> Operand<'_> {
    Operand::At(&access.address)
}

/// The fit of registers for an atomic or multimem operation: exact, except that only the width of
/// vector elements matters.
fn of_elements(access: &AccessForm) -> Need {
    Need::new(access.ty, if access.elements > 1 { Fit::Width } else { Fit::Exact })
}

impl Operation {
    /// The operands, in the order written.
    pub(crate) fn operands(&self) -> Operands<'_> {
        use Operand::{At, Both, From, Into};
        match self {
            Self::Load { access, destinations, .. } => {
                let fit = if access.elements > 1 { Fit::Element } else { Fit::Wider };
                smallvec![Into(destinations, Need::new(access.ty, fit)), at(access)]
            }
            Self::Store { access, sources } => {
                smallvec![at(access), From(sources, Need::new(access.ty, Fit::Wider))]
            }
            Self::Atomic { access, destinations, operands, swap, .. } => {
                let need = of_elements(access);
                // A vector of sinks alone is one sink.
                let unused = destinations.iter().all(Option::is_none);
                let written = &destinations[..if unused { 1 } else { destinations.len() }];
                let mut all: Operands<'_> =
                    smallvec![Into(written, need), at(access), From(operands, need)];
                all.extend(swap.iter().map(|value| from(value, need)));
                all
            }
            Self::Reduce { access, operands, .. }
            | Self::MultimemStore { access, sources: operands }
            | Self::MultimemReduce { access, operands, .. } => {
                smallvec![at(access), From(operands, of_elements(access))]
            }
            Self::MultimemLoadReduce { access, destinations, .. } => {
                smallvec![Into(destinations, Need::exact(access.ty)), at(access)]
            }
            Self::ProxyFence { address, .. } => {
                let acquired = |address| [At(address), Operand::Constant(128)];
                address.iter().flat_map(acquired).collect()
            }
            Self::CtaBarrier { mode, barrier, resource, count } => {
                let (result, predicate) = match mode {
                    BarrierMode::Sync | BarrierMode::Arrive => (None, None),
                    BarrierMode::RedPopc(d, p) => (Some(into(d, Need::WORD)), Some(p)),
                    BarrierMode::RedBool(d, _, p) => (Some(into(d, Need::PREDICATE)), Some(p)),
                };
                let numbers = std::iter::once(barrier).chain(resource).chain(count);
                let numbers = numbers.map(|number| from(number, Need::WORD));
                let predicate = predicate.map(|predicate| from(predicate, Need::PREDICATE));
                result.into_iter().chain(numbers).chain(predicate).collect()
            }
            Self::WarpBarrier { mask } => smallvec![from(mask, Need::WORD)],
            Self::Mbarrier { access, op } => mbarrier(access, op),
            Self::Move { ty, destination, source } => {
                let need = Need::exact(*ty);
                smallvec![into(destination, need), from(source, need)]
            }
            Self::MoveVector { ty, destinations, sources } => {
                let need = Need::exact(*ty);
                smallvec![Into(destinations, need), From(sources, need)]
            }
            Self::Pack { ty, destination, parts } => {
                let part = Need::exact(ty.part(parts.len()));
                smallvec![into(destination, Need::exact(*ty)), From(parts, part)]
            }
            Self::Unpack { ty, destinations, source } => {
                let part = Need::exact(ty.part(destinations.len()));
                smallvec![Into(destinations, part), from(source, Need::exact(*ty))]
            }
            Self::Convert { to, from: ty, destination, source, .. } => smallvec![
                into(destination, Need::new(*to, Fit::Wider)),
                from(source, Need::new(*ty, Fit::Wider)),
            ],
            Self::Arithmetic { op, ty, destination, sources } => {
                let amount = matches!(op, ArithmeticOp::Shl | ArithmeticOp::Shr);
                let need = |at| if amount && at == 1 { Need::WORD } else { Need::exact(*ty) };
                let sources = sources.iter().enumerate().map(|(at, value)| from(value, need(at)));
                std::iter::once(into(destination, product(*op, *ty))).chain(sources).collect()
            }
            Self::MultiplyAdd { op, ty, destination, sources: [a, b, c] } => {
                let (need, whole) = (Need::exact(*ty), product(*op, *ty));
                smallvec![into(destination, whole), from(a, need), from(b, need), from(c, whole)]
            }
            Self::Carry { ty, destination, sources, carry_in, carry_out, .. } => {
                let need = Need::exact(*ty);
                let sources = sources.iter().map(|source| from(source, need));
                let taken = carry_in.iter().map(|carry| Operand::Reads(carry, Need::PREDICATE));
                let given = carry_out.iter().map(|carry| Operand::Writes(carry, Need::PREDICATE));
                let operands = std::iter::once(into(destination, need)).chain(sources);
                operands.chain(taken).chain(given).collect()
            }
            Self::Compare { ty, destination, complement, sources, combine, result, .. } => {
                let written = Both([destination, complement], Need::exact(*result));
                let compared = sources.iter().map(|source| from(source, Need::exact(*ty)));
                let combined = combine.iter().map(|(_, p)| from(p, Need::PREDICATE));
                std::iter::once(written).chain(compared).chain(combined).collect()
            }
            Self::Form(written) => written
                .parts()
                .map(|(form, operand)| {
                    let need = written.need(form);
                    match operand {
                        Arg::Destination(destination) => into(destination, need),
                        Arg::Pair(destination, predicate) => Both([destination, predicate], need),
                        Arg::Value(value) => from(value, need),
                        Arg::Memory(address) => At(address),
                        Arg::Tensor(map, coordinates) => Operand::Box(map, coordinates),
                        Arg::Into(list) => Operand::Registers(list, Need::ELEMENT),
                        Arg::Elements(list) => Operand::Elements(list, Need::ELEMENT),
                        Arg::Label(label) => Operand::Label(&label.value),
                        Arg::Constant(number) if form.takes == Takes::Table => {
                            Operand::Table(*number)
                        }
                        Arg::Constant(number) => Operand::Constant(*number),
                    }
                })
                .collect(),
            Self::Branch { target, condition } => {
                let compared = condition.iter().flat_map(|(_, left, right)| [left, right]);
                let compared = compared.map(|value| from(value, Need::exact(Type::UNTYPED)));
                compared.chain([Operand::Label(&target.value)]).collect()
            }
            Self::Unknown { definitions, uses, .. } => {
                let written = definitions.iter().map(|r| Operand::Writes(r, Need::ANY));
                written.chain(uses.iter().map(|r| Operand::Reads(r, Need::ANY))).collect()
            }
            Self::Fence { .. }
            | Self::ClusterArrive { .. }
            | Self::ClusterWait
            | Self::GridDependencyWait
            | Self::LaunchDependents
            | Self::Exit
            | Self::Nothing => SmallVec::new(),
        }
    }
}

/// The type of the result of an arithmetic operation, which is wider for a wide product.
fn product(op: ArithmeticOp, ty: Type) -> Need {
    Need::exact(if op == ArithmeticOp::MulWide { ty.times(2) } else { ty })
}

fn mbarrier<'o>(access: &'o AccessForm, op: &'o MbarrierOp) -> Operands<'o> {
    match op {
        MbarrierOp::Init { count } => smallvec![at(access), from(count, Need::WORD)],
        MbarrierOp::Inval => smallvec![at(access)],
        MbarrierOp::ExpectTx { bytes } | MbarrierOp::CompleteTx { bytes } => {
            smallvec![at(access), from(bytes, Need::WORD)]
        }
        MbarrierOp::Arrive { state, count, expect_tx, .. } => {
            let amount = expect_tx.as_ref().unwrap_or(count);
            smallvec![into(state, Need::TOKEN), at(access), from(amount, Need::WORD)]
        }
        MbarrierOp::Wait { done, phase, .. } => {
            let (phase, need) = match phase {
                WaitPhase::State(token) => (token, Need::TOKEN),
                WaitPhase::Parity(parity) => (parity, Need::WORD),
            };
            smallvec![into(done, Need::PREDICATE), at(access), from(phase, need)]
        }
    }
}

/// A mention of a register or variable in a statement.
enum Mention<'s> {
    Reads(&'s Register, Need),
    Writes(&'s Register, Need),
    Names(&'s Spanned<String>),
}

/// Calls `see` for each register and variable in an operation: those of addresses first, then in
/// the order written.
fn for_each_mention<'s>(operation: &'s Operation, see: &mut dyn FnMut(Mention<'s>)) {
    let operands = operation.operands();
    for operand in &operands {
        if let Operand::At(address) | Operand::Box(address, _) = operand {
            value(&address.base, Need::ADDRESS, see);
        }
    }
    for operand in &operands {
        match operand {
            Operand::Into(list, need) | Operand::Registers(list, need) => {
                list.iter().flatten().for_each(|register| see(Mention::Writes(register, *need)));
            }
            Operand::Both([first, second], need) => {
                first.iter().for_each(|register| see(Mention::Writes(register, *need)));
                let predicate = Need::PREDICATE;
                second.iter().for_each(|register| see(Mention::Writes(register, predicate)));
            }
            Operand::From(list, need) | Operand::Elements(list, need) => {
                list.iter().for_each(|from| value(from, *need, see));
            }
            Operand::Box(_, list) => list.iter().for_each(|from| value(from, Need::WORD, see)),
            Operand::Reads(register, need) => see(Mention::Reads(register, *need)),
            Operand::Writes(register, need) => see(Mention::Writes(register, *need)),
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
        Value::Immediate(_) | Value::Special(_) => {}
    }
}

/// Calls `see` for every register in a statement, with the requirement on it.
pub(crate) fn for_each_register(statement: &Statement, see: &mut dyn FnMut(&Register, Need)) {
    if let Some(guard) = &statement.guard {
        see(&guard.register, Need::PREDICATE);
    }
    for_each_mention(&statement.operation, &mut |mention| match mention {
        Mention::Reads(register, need) | Mention::Writes(register, need) => see(register, need),
        Mention::Names(_) => {}
    });
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
        for_each_mention(operation, &mut |mention| match mention {
            Mention::Reads(register, _) => self.reads.push(register),
            Mention::Writes(register, _) => self.writes.push(register),
            Mention::Names(variable) => self.variables.push(variable),
        });
    }
}
