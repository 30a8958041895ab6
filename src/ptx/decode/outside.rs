//! Instructions of the ISA that are known and outside the subset: kept, with what they may read
//! and write.

use super::{Decoder, Dialect};
use crate::ptx::instruction::{Instruction, Operand, OperandKind, without_percent};
use crate::ptx::names::special_register;
use crate::ptx::operation::{Operation, Register};
use crate::source::Spanned;

/// Opcodes that are never decoded.
pub(super) const OPCODES: &[&str] = &[
    "alloca",
    "brx",
    "call",
    "clusterlaunchcontrol",
    "copysign",
    "cos",
    "cp",
    "ex2",
    "fma",
    "fns",
    "istypep",
    "ldmatrix",
    "lg2",
    "mma",
    "movmatrix",
    "rcp",
    "rsqrt",
    "sin",
    "sqrt",
    "stacksave",
    "stackrestore",
    "stmatrix",
    "suld",
    "suq",
    "sured",
    "sust",
    "tanh",
    "tcgen05",
    "tensormap",
    "testp",
    "tex",
    "tld4",
    "txq",
    "vabsdiff",
    "vadd",
    "vmad",
    "vmax",
    "vmin",
    "vset",
    "vshl",
    "vshr",
    "vsub",
    "wgmma",
    "wmma",
];

/// Whether the instruction belongs to the ISA and not to the subset.
pub(super) fn is_outside(instruction: &Instruction) -> bool {
    let first = instruction.qualifiers.first().map(|word| word.value.as_str());
    match (instruction.opcode.value.as_str(), first) {
        ("st" | "red", Some("async")) => true,
        _ if instruction.qualifiers.iter().any(|word| is_outside_word(&word.value)) => true,
        (opcode, _) => OPCODES.contains(&opcode),
    }
}

/// Eight-bit floating point, and fences newer than the text that this crate follows.
fn is_outside_word(word: &str) -> bool {
    word.starts_with("e4m3") || word.starts_with("e5m2") || word.ends_with("::cluster::read")
}

/// The instruction as something that nobody understands.
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
    Operation::Unknown { name: instruction.full_name(), operands, definitions, uses }
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
        OperandKind::Bracket(list) | OperandKind::Vector(list) => {
            for inner in list {
                registers(decoder, inner, into);
            }
        }
        OperandKind::Integer(_) | OperandKind::Float(_) => {}
    }
}
