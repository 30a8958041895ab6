//! Warp-wide register exchange: `shfl vote match redux elect activemask`.
//!
//! None of them touches memory; their results depend on the other lanes (PTX-9.7.13.9).

use super::operand::mismatch;
use super::{Decoded, Decoder};
use crate::ptx::instruction::OperandKind;
use crate::ptx::operation::{Operation, Register, Type};

/// An opcode's shape, its operand count, and the qualifiers of which it has one of each list.
type Form = (&'static str, usize, &'static [&'static [&'static str]]);

fn form(opcode: &str) -> Form {
    const SYNC: &[&str] = &["sync"];
    match opcode {
        "shfl" => (
            "shfl.sync.{up|down|bfly|idx}.b32 d{|p}, a, b, c, membermask",
            5,
            &[SYNC, &["up", "down", "bfly", "idx"], &["b32"]],
        ),
        "vote" => (
            "vote.sync.{all|any|uni}.pred d, {!}a, membermask",
            3,
            &[SYNC, &["all", "any", "uni", "ballot"], &["pred", "b32"]],
        ),
        "match" => (
            "match.{any|all}.sync.type d{|p}, a, membermask",
            3,
            &[SYNC, &["any", "all"], &["b32", "b64"]],
        ),
        "redux" => (
            "redux.sync.op.type d, a, membermask",
            3,
            &[SYNC, &["add", "min", "max", "and", "or", "xor"], &["u32", "s32", "b32", "f32"]],
        ),
        "elect" => ("elect.sync d|p, membermask", 2, &[SYNC]),
        _ => ("activemask.b32 d", 1, &[&["b32"]]),
    }
}

/// What a form without a word of this list needs.
fn lacking(choice: &[&str]) -> &'static str {
    match choice {
        ["sync", ..] => "`.sync`: the forms without it do not exist since sm_70",
        ["up", ..] => "a mode: `.up`, `.down`, `.bfly` or `.idx`",
        ["all", ..] => "a mode: `.all`, `.any`, `.uni` or `.ballot`",
        ["any", ..] => "a mode: `.any` or `.all`",
        ["add", ..] => "an operation: `.add`, `.min`, `.max`, `.and`, `.or` or `.xor`",
        ["pred", ..] => "the type of its result: `.pred`, or `.b32` with `.ballot`",
        ["u32", ..] => "a type: `.u32`, `.s32`, `.b32` or `.f32`",
        ["b32", "b64"] => "a type: `.b32` or `.b64`",
        _ => "the type `.b32`",
    }
}

impl Decoder<'_> {
    pub(super) fn warp_exchange(&mut self) -> Decoded {
        const SECTION: &str = "PTX-9.7.13.9";
        let opcode = self.instruction.opcode.value.as_str();
        let (shape, count, words) = form(opcode);
        for choice in words {
            if self.qualifiers.one_of(choice)?.is_none() {
                return Err(self.missing(lacking(choice), SECTION));
            }
        }
        if opcode == "redux" {
            self.qualifiers.flag("abs")?;
            self.qualifiers.flag("NaN")?;
        }
        self.finish(shape)?;
        let has = |word: &str| self.instruction.qualifiers.iter().any(|q| q.value == word);
        if opcode == "vote" && has("ballot") == has("pred") {
            return Err(self.rule(
                format!("`{}` does not exist", self.form()),
                "`.ballot` gives a mask, `.b32`; `.all`, `.any` and `.uni` give a `.pred`",
                SECTION,
            ));
        }
        let operands = self.operands(count, count, shape)?;
        let (first, second) = self.destination_pair(&operands[0])?;
        match opcode {
            "elect" if second.is_none() => {
                return Err(mismatch("a predicate that says who is elected, `d|p`", &operands[0]));
            }
            // Both may be without use where there are two.
            "elect" | "match" if second.is_some() => {}
            _ if first.is_none() => return Err(mismatch("a destination register", &operands[0])),
            _ => {}
        }
        let destinations: Vec<Register> = first.into_iter().chain(second).collect();
        let mut sources = Vec::new();
        for operand in &operands[1..] {
            sources.push(match &operand.kind {
                OperandKind::Not(_) => self.predicate(operand)?,
                _ => self.value(operand, Type::UNTYPED)?,
            });
        }
        Ok(Operation::WarpExchange { name: self.form(), destinations, sources })
    }
}
