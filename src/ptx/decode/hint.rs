//! Eviction priorities, cache policies and prefetch sizes: irrelevant to the memory model, but
//! accepted only by some accesses (PTX-9.7.9.2).

use super::Decoder;
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::Operand;
use crate::ptx::names;
use crate::ptx::operation::{Space, Type, TypeKind};
use crate::source::Spanned;

/// The properties of an access that decide which hints it accepts.
pub(super) struct HintUse {
    pub(super) space: Space,
    /// The size of the whole access.
    pub(super) bits: u32,
    pub(super) cache_operator: bool,
    pub(super) volatile: bool,
    pub(super) mmio: bool,
    pub(super) section: &'static str,
}

/// The kinds of hints; an access has one of each at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hint {
    /// The eviction priority in the first-level cache.
    First,
    /// The eviction priority in the second-level cache.
    Second,
    Policy,
    Prefetch,
}

fn hint(word: &str) -> Option<Hint> {
    Some(match word {
        "L1::evict_normal"
        | "L1::evict_unchanged"
        | "L1::evict_first"
        | "L1::evict_last"
        | "L1::no_allocate" => Hint::First,
        "L2::evict_normal" | "L2::evict_first" | "L2::evict_last" => Hint::Second,
        "L2::cache_hint" => Hint::Policy,
        "L2::64B" | "L2::128B" | "L2::256B" => Hint::Prefetch,
        _ => return None,
    })
}

impl Decoder<'_> {
    /// Rejects the hints that an access does not take.
    pub(super) fn check_hints(&self, on: &HintUse) -> Result<(), DecodeError> {
        let words = self.instruction.qualifiers.iter().filter(|word| names::is_hint(&word.value));
        let mut earlier: Vec<(Hint, &Spanned<String>)> = Vec::new();
        for word in words {
            let kind = hint(&word.value).filter(|kind| self.lacks(*kind, on).is_none());
            let Some(kind) = kind else {
                let help = hint(&word.value).and_then(|kind| self.lacks(kind, on));
                return Err(DecodeError::Rule {
                    message: format!("this access takes no hint such as `.{}`", word.value),
                    help: help.unwrap_or(
                        "the hints are `.L1::evict_normal`, `.L1::evict_unchanged`, \
                         `.L1::evict_first`, `.L1::evict_last`, `.L1::no_allocate`, \
                         `.L2::evict_normal`, `.L2::evict_first`, `.L2::evict_last` and \
                         `.L2::cache_hint`, and of loads `.L2::64B`, `.L2::128B` and `.L2::256B`",
                    ),
                    section: on.section,
                    span: word.span,
                });
            };
            if let Some((_, first)) = earlier.iter().find(|(other, _)| *other == kind) {
                return Err(match first.value == word.value {
                    true => DecodeError::Duplicate { first: first.span, second: word.clone() },
                    false => {
                        DecodeError::Conflict { first: (*first).clone(), second: word.clone() }
                    }
                });
            }
            earlier.push((kind, word));
        }
        Ok(())
    }

    /// The property that an access lacks for this kind of hint.
    fn lacks(&self, kind: Hint, on: &HintUse) -> Option<&'static str> {
        let loads = self.instruction.opcode.value == "ld";
        match kind {
            _ if !matches!(on.space, Space::Generic | Space::Global) => {
                Some("hints go with accesses to global memory; remove it")
            }
            _ if on.mmio => Some("`.mmio` accesses have no hints; remove it"),
            Hint::Prefetch if !loads => Some("only loads prefetch; remove it"),
            Hint::Second if on.bits != 256 => {
                Some("the priority in the second cache goes with vectors of 256 bits; remove it")
            }
            Hint::First | Hint::Policy if on.volatile => {
                Some("volatile accesses have neither priority nor policy; remove it")
            }
            Hint::First if on.cache_operator => {
                Some("a cache operator and a priority in the first cache exclude each other")
            }
            _ => None,
        }
    }

    /// A cache policy is a register or a constant.
    pub(super) fn check_policies(&self, operands: &[Operand]) -> Result<(), DecodeError> {
        operands
            .iter()
            .try_for_each(|policy| self.value(policy, Type::new(TypeKind::Bits, 64)).map(|_| ()))
    }
}
