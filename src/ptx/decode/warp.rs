//! Exchanges of register values within a warp: `shfl vote match redux elect activemask`, and
//! `stacksave stackrestore`, which have no effect on memory either.

use super::grammar::Grammar;
use super::operand::mismatch;
use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::operation::{AtomicOp, Operation, Type, TypeKind, Value};
use crate::ptx::warp::{Shuffle, Vote, WarpOp, WarpReduction};

const REDUX: Grammar = Grammar {
    section: "PTX-9.7.13.12",
    forms: &[
        "redux.sync.{add|min|max}.{u32|s32} d, a, membermask",
        "redux.sync.{and|or|xor}.b32 d, a, membermask",
        "redux.sync.{min|max}{.abs}{.NaN}.f32 d, a, membermask",
    ],
};

const STACK_SAVE: Grammar = Grammar { section: "PTX-9.7.17.1", forms: &["stacksave.{u32|u64} d"] };

const STACK_RESTORE: Grammar =
    Grammar { section: "PTX-9.7.17.2", forms: &["stackrestore.{u32|u64} a"] };

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

/// The section of the standard for an opcode.
fn section(opcode: &str) -> &'static str {
    match opcode {
        "shfl" => "PTX-9.7.9.6",
        "match" => "PTX-9.7.13.10",
        "activemask" => "PTX-9.7.13.11",
        "redux" => REDUX.section,
        "elect" => "PTX-9.7.13.14",
        _ => "PTX-9.7.13.9",
    }
}

impl Decoder<'_> {
    pub(super) fn warp_exchange(&mut self) -> Decoded {
        const SECTION: &str = "PTX-9.7.13.9";
        let opcode = self.instruction.opcode.value.as_str();
        let (shape, count, words) = form(opcode);
        for choice in words {
            if self.qualifiers.one_of(choice)?.is_none() {
                return Err(self.missing(lacking(choice), section(opcode)));
            }
        }
        if opcode == "redux" {
            self.qualifiers.flag("abs")?;
            self.qualifiers.flag("NaN")?;
        }
        self.finish(shape)?;
        if opcode == "redux" {
            self.check_form(&REDUX)?;
        }
        if opcode == "vote" && self.has("ballot") == self.has("pred") {
            return Err(self.rule(
                format!("`{}` does not exist", self.form()),
                "`.ballot` gives a mask, `.b32`; `.all`, `.any` and `.uni` give a `.pred`",
                SECTION,
            ));
        }
        let operands = self.operands(count, count, shape)?;
        let (destination, predicate) = self.destination_pair(&operands[0])?;
        let op = self.warp_op(opcode);
        match op {
            WarpOp::Elect if predicate.is_none() => {
                return Err(mismatch("a predicate that says who is elected, `d|p`", &operands[0]));
            }
            // Both may be without use where there are two, one at a time.
            WarpOp::Elect => {}
            WarpOp::MatchAll(_)
                if predicate.is_some() || !matches!(operands[0].kind, OperandKind::Pair(..)) => {}
            _ if destination.is_none() => {
                return Err(mismatch("a destination register", &operands[0]));
            }
            WarpOp::Shuffle(_) | WarpOp::MatchAll(_) => {}
            _ if matches!(operands[0].kind, OperandKind::Pair(..)) => {
                return Err(mismatch("one destination register", &operands[0]));
            }
            _ => {}
        }
        let sources = self.exchanged(op, &operands[1..])?;
        Ok(Operation::WarpExchange { op, destination, predicate, sources })
    }

    /// The operands that are read: the one that is exchanged has a type, others are words.
    fn exchanged(&self, op: WarpOp, operands: &[Operand]) -> Result<Vec<Value>, DecodeError> {
        const WORD: Type = Type::new(TypeKind::Unsigned, 32);
        let value = |(at, operand): (usize, &Operand)| match op.operand().filter(|_| at == 0) {
            Some(Type::PREDICATE) => self.predicate(operand),
            ty => self.value(operand, ty.unwrap_or(WORD)),
        };
        operands.iter().enumerate().map(value).collect()
    }

    fn has(&self, word: &str) -> bool {
        self.instruction.qualifiers.iter().any(|q| q.value == word)
    }

    /// The instruction that the qualifiers say, which have been checked.
    fn warp_op(&self, opcode: &str) -> WarpOp {
        let has = |word: &str| self.has(word);
        let width = if has("b64") { 64 } else { 32 };
        match opcode {
            "shfl" if has("up") => WarpOp::Shuffle(Shuffle::Up),
            "shfl" if has("down") => WarpOp::Shuffle(Shuffle::Down),
            "shfl" if has("bfly") => WarpOp::Shuffle(Shuffle::Butterfly),
            "shfl" => WarpOp::Shuffle(Shuffle::Index),
            "vote" if has("ballot") => WarpOp::Ballot,
            "vote" if has("all") => WarpOp::Vote(Vote::All),
            "vote" if has("any") => WarpOp::Vote(Vote::Any),
            "vote" => WarpOp::Vote(Vote::Uniform),
            "match" if has("all") => WarpOp::MatchAll(width),
            "match" => WarpOp::MatchAny(width),
            "redux" => WarpOp::Reduce(self.warp_reduction()),
            "elect" => WarpOp::Elect,
            _ => WarpOp::ActiveMask,
        }
    }

    fn warp_reduction(&self) -> WarpReduction {
        let has = |word: &str| self.has(word);
        let first =
            |words: &[(&str, AtomicOp)]| words.iter().find(|(word, _)| has(word)).map(|w| w.1);
        let op = first(&[
            ("add", AtomicOp::Add),
            ("min", AtomicOp::Min),
            ("max", AtomicOp::Max),
            ("and", AtomicOp::And),
            ("or", AtomicOp::Or),
        ]);
        let kind = match () {
            () if has("u32") => TypeKind::Unsigned,
            () if has("s32") => TypeKind::Signed,
            () if has("f32") => TypeKind::Float,
            () => TypeKind::Bits,
        };
        WarpReduction {
            op: op.unwrap_or(AtomicOp::Xor),
            ty: Type::new(kind, 32),
            magnitudes: has("abs"),
            nan: has("NaN"),
        }
    }

    /// `stacksave` and `stackrestore`
    pub(super) fn stack(&mut self) -> Decoded {
        let saves = self.instruction.opcode.value == "stacksave";
        let grammar = if saves { &STACK_SAVE } else { &STACK_RESTORE };
        let operands = self.check_form(grammar)?;
        let ty = Type::new(TypeKind::Unsigned, if self.has("u64") { 64 } else { 32 });
        if saves {
            return Ok(Operation::StackSave {
                ty,
                destination: self.real_destination(&operands[0])?,
            });
        }
        match self.value(&operands[0], ty)? {
            source @ Value::Register(_) => Ok(Operation::StackRestore { ty, source }),
            _ => Err(mismatch("a register", &operands[0])),
        }
    }
}
