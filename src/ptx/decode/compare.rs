//! `setp` and `set` of integers.

use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::names;
use crate::ptx::operation::{Comparison, Operation, Type, TypeKind};
use crate::source::Spanned;

impl Decoder<'_> {
    pub(super) fn compare(&mut self) -> Decoded {
        const SECTION: &str = "PTX-9.7.6.2";
        const SHAPE: &str = "setp.cmp{.bool}.type p{|q}, a, b{, {!}c}";
        if let Some(word) = self.instruction.qualifiers.iter().find(|q| is_unordered(&q.value)) {
            return Err(DecodeError::Rule {
                message: format!("`.{}` compares floating-point numbers only", word.value),
                help: "integers are always ordered: write `.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge`",
                section: SECTION,
                span: word.span,
            });
        }
        let sets = self.instruction.opcode.value == "set";
        let word =
            self.qualifiers.take(|word| names::comparison(word).map(|c| (c, is_unsigned(word))))?;
        let combine = self.qualifiers.take(names::bool_op)?;
        let word = word.ok_or_else(|| {
            let choices = "the comparisons are eq, ne, lt, le, gt and ge, and of unsigned numbers lo, ls, \
                           hi and hs";
            let opcode = &self.instruction.opcode.value;
            self.no_such_word(opcode, "a comparison such as `.eq`", choices, SECTION)
        })?;
        let (comparison, unsigned) = word.value;
        let (result, ty) = self.comparison_types(sets, comparison, unsigned, SECTION)?;
        let count = 3 + usize::from(combine.is_some());
        let operands = self.operands(count, count, SHAPE)?;
        self.finish(SHAPE)?;
        let (destination, complement) = if sets {
            (self.real_destination(&operands[0])?, None)
        } else {
            self.destination_pair(&operands[0])?
        };
        let sources = [self.value(&operands[1], ty)?, self.value(&operands[2], ty)?];
        let combine = match combine {
            Some(op) => Some((op.value, self.predicate(&operands[3])?)),
            None => None,
        };
        Ok(Operation::Compare { comparison, ty, destination, complement, sources, combine, result })
    }

    /// The type of the result and of the operands.
    fn comparison_types(
        &mut self,
        sets: bool,
        comparison: Comparison,
        unsigned: bool,
        section: &'static str,
    ) -> Result<(Type, Type), DecodeError> {
        let types = self.qualifiers.types();
        let (result, ty) = match (types.as_slice(), sets) {
            ([], _) if self.in_columns() => return Ok((Type::PREDICATE, Type::UNTYPED)),
            ([ty], false) => (Type::PREDICATE, *ty),
            ([result, ty], true) => (result.value, *ty),
            (_, true) => {
                return Err(self.missing("two types: `set.cmp.to.from d, a, b`", "PTX-9.7.6.1"));
            }
            (_, false) => return Err(self.missing("one type", section)),
        };
        let ordered = !matches!(comparison, Comparison::Eq | Comparison::Ne);
        let legal = match ty.value.kind {
            TypeKind::Unsigned => true,
            TypeKind::Signed => !unsigned,
            TypeKind::Bits => !ordered,
            _ => false,
        } && matches!(ty.value.bits, 16 | 32 | 64);
        if !legal {
            return Err(self.illegal_type(
                ty,
                ".u16 to .u64 and .s16 to .s64; eq and ne also .b16 to .b64; lo, ls, hi and hs only \
                 unsigned ones",
                section,
            ));
        }
        if sets
            && !matches!((result.kind, result.bits), (TypeKind::Unsigned | TypeKind::Signed, 32))
        {
            let found = Spanned::new(result, self.head_span());
            return Err(self.illegal_type(found, ".u32 and .s32 for the result", "PTX-9.7.6.1"));
        }
        Ok((result, ty.value))
    }
}

/// Whether a comparison is spelled for unsigned operands.
fn is_unsigned(word: &str) -> bool {
    matches!(word, "lo" | "ls" | "hi" | "hs")
}

/// Whether a comparison is unordered, or tests whether its operands are numbers.
fn is_unordered(word: &str) -> bool {
    matches!(word, "equ" | "neu" | "ltu" | "leu" | "gtu" | "geu" | "num" | "nan")
}
