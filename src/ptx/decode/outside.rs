//! Instructions of the ISA outside the subset: kept, with the registers and memory that they may
//! read and write.

use super::{Decoded, Decoder, Dialect};
use crate::ptx::instruction::{Instruction, Operand, OperandKind, without_percent};
use crate::ptx::names::special_register;
use crate::ptx::operation::{Operation, Reach, Register};
use crate::ptx::row::Op;
use crate::ptx::table;
use crate::source::Spanned;

/// Opcodes all of whose forms compute registers from registers, except those with a carry or with an
/// address.
const COMPUTING: &[&str] = &[
    "abs",
    "add",
    "copysign",
    "cos",
    "createpolicy",
    "cvt",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "istypep",
    "lg2",
    "mad",
    "max",
    "min",
    "mma",
    "movmatrix",
    "mul",
    "neg",
    "rcp",
    "rsqrt",
    "set",
    "setp",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "tanh",
    "testp",
    "wmma",
];

/// Opcodes that ask what a texture or surface is, in brackets, and access no memory of it.
const QUERIES: &[&str] = &["suq", "txq"];

/// Whether the instruction belongs to the ISA and not to the subset.
pub(super) fn is_outside(instruction: &Instruction) -> bool {
    let first = instruction.qualifiers.first().map(|word| word.value.as_str());
    match (instruction.opcode.value.as_str(), first) {
        ("wmma", Some("mma")) => true,
        ("cvt", _) if has(instruction, is_format) => true,
        (opcode, _) => table::outside().any(|outside| outside == opcode),
    }
}

fn has(instruction: &Instruction, is: fn(&str) -> bool) -> bool {
    instruction.qualifiers.iter().any(|word| is(&word.value))
}

/// Eight-bit floating point.
fn is_narrow(word: &str) -> bool {
    word.starts_with("e4m3") || word.starts_with("e5m2")
}

/// Number formats and modes of conversions other than those of single numbers of 16 to 64 bits.
fn is_format(word: &str) -> bool {
    let packed = word.strip_suffix("x2").or_else(|| word.strip_suffix("x4"));
    let modes = ["rna", "rs", "tf32", "scaled::n2::ue8m0"];
    packed.is_some_and(|of| !is_integer(of)) || is_narrow(word) || modes.contains(&word)
}

/// Whether a word is an integer type, such as `u16`, unlike `ue8m0` and `s2f6`.
fn is_integer(word: &str) -> bool {
    word.strip_prefix(['u', 's']).is_some_and(|bits| bits.bytes().all(|b| b.is_ascii_digit()))
}

impl Decoder<'_> {
    /// An instruction outside the subset; its form is checked if the table has forms of the opcode.
    pub(super) fn outside(&self) -> Decoded {
        let forms = table::forms(&self.instruction.opcode.value).iter();
        let mut outside = forms.filter(|form| matches!(form.row.op, Op::Outside)).peekable();
        if outside.peek().is_some() && !has(self.instruction, is_format) {
            self.read(outside)?;
        }
        Ok(unknown(self))
    }
}

/// The instruction as an uninterpreted operation.
pub(super) fn unknown(decoder: &Decoder<'_>) -> Operation {
    let instruction = decoder.instruction;
    let mut definitions = Vec::new();
    let mut uses = Vec::new();
    for (at, operand) in instruction.operands.iter().enumerate() {
        let into = match (&operand.kind, at) {
            (OperandKind::Bracket(_), _) | (_, 1..) => &mut uses,
            _ => &mut definitions,
        };
        registers(decoder, operand, into);
    }
    let operands = instruction.operands.iter().map(ToString::to_string).collect();
    let opcode = instruction.opcode.value.as_str();
    let is_address = |operand: &Operand| matches!(operand.kind, OperandKind::Bracket(_));
    let has_address = instruction.operands.iter().any(is_address);
    let computes = (QUERIES.contains(&opcode) || COMPUTING.contains(&opcode) && !has_address)
        && !has(instruction, |word| word == "cc")
        && has_result(&instruction.operands, &definitions);
    let reach = if computes { Reach::Registers } else { Reach::Anything };
    Operation::Unknown { name: instruction.full_name(), operands, definitions, uses, reach }
}

/// Whether the first operand is a result, one or two registers, a sink or registers in braces, and
/// other operands follow.
fn has_result(operands: &[Operand], definitions: &[Register]) -> bool {
    let [first, _, ..] = operands else { return false };
    let wanted = match &first.kind {
        OperandKind::Name(name, 0) if name == "_" => 0,
        OperandKind::Name(_, 0) => 1,
        OperandKind::Pair(first, second) => {
            [first, second].into_iter().filter(|name| name.value != "_").count()
        }
        OperandKind::Vector(list) => list.len(),
        _ => return false,
    };
    definitions.len() == wanted
}

fn registers(decoder: &Decoder<'_>, operand: &Operand, into: &mut Vec<Register>) {
    let mut add = |name: &Spanned<String>| {
        let named = decoder.is_register(&name.value)
            || (decoder.dialect == Dialect::Ptx && name.value.starts_with('%'));
        if named && special_register(&name.value).is_none() && name.value != "_" {
            into.push(without_percent(name.clone()));
        }
    };
    match &operand.kind {
        OperandKind::Name(name, _) | OperandKind::Not(name) | OperandKind::Element(name, _) => {
            add(&Spanned::new(name.clone(), operand.span));
        }
        OperandKind::Pair(first, second) => {
            add(first);
            add(second);
        }
        OperandKind::Indexed(_, register, _) => add(register),
        OperandKind::Bracket(list) | OperandKind::Vector(list) => {
            for inner in list {
                registers(decoder, inner, into);
            }
        }
        OperandKind::Integer(_) | OperandKind::Float(_) => {}
    }
}
