//! Instructions whose qualifiers are checked against the forms that the standard writes down, as
//! data: floating-point arithmetic, comparisons and reductions, and hints.
//!
//! A form reads as in the standard: `{.a|.b}` may be left out, `.{a|b}` and `.a` may not. Qualifiers
//! come in any order, except those of the same class among each other, such as two types.

use super::Decoder;
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::Operand;
use crate::ptx::names;
use crate::source::Spanned;

/// The forms of an opcode and the section that has them.
pub(super) struct Grammar {
    pub(super) section: &'static str,
    pub(super) forms: &'static [&'static str],
}

/// A place of a form for one of several qualifiers.
struct Slot<'a> {
    /// As written, `.{a|b}`.
    text: &'a str,
    /// What may stand there; `xorsign.abs` is two words that go together.
    choices: Vec<&'a str>,
    needed: bool,
}

/// How the qualifiers of an instruction compare with a form.
struct Comparison {
    /// Indices of the qualifiers that have no slot.
    extra: Vec<usize>,
    /// The first needed slot without a qualifier.
    lacking: Option<&'static str>,
}

impl Decoder<'_> {
    /// Checks the qualifiers and the number of operands; gives the operands and the form.
    ///
    /// # Errors
    /// What is wrong with the nearest form.
    pub(super) fn check_form(&self, grammar: &Grammar) -> Result<&[Operand], DecodeError> {
        let words: Vec<&str> =
            self.instruction.qualifiers.iter().map(|word| word.value.as_str()).collect();
        let found = self.instruction.operands.len();
        let distance = |form: &&&'static str| {
            let comparison = compare(form, &words);
            let other_count = usize::from(!operand_counts(form).contains(&found));
            (comparison.extra.len() + usize::from(comparison.lacking.is_some()), other_count)
        };
        let Some(&form) = grammar.forms.iter().min_by_key(distance) else {
            return Err(self.unknown_opcode());
        };
        let comparison = compare(form, &words);
        if let Some(extra) = comparison.extra.first() {
            let qualifier = &self.instruction.qualifiers[*extra];
            return Err(self.superfluous(form, qualifier, grammar));
        }
        if let Some(lacking) = comparison.lacking {
            return Err(self.missing(need(lacking), grammar.section));
        }
        let counts = operand_counts(form);
        let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
        self.operands(least.unwrap_or(0), most.unwrap_or(0), form)
    }

    fn superfluous(
        &self,
        form: &'static str,
        qualifier: &Spanned<String>,
        grammar: &Grammar,
    ) -> DecodeError {
        let earlier = self
            .instruction
            .qualifiers
            .iter()
            .find(|word| word.span < qualifier.span && word.value == qualifier.value);
        match earlier {
            Some(first) => DecodeError::Duplicate { first: first.span, second: qualifier.clone() },
            None => DecodeError::Form {
                form: self.form(),
                qualifier: qualifier.clone(),
                takes: form,
                section: grammar.section,
            },
        }
    }
}

/// The slots of a form.
fn slots(form: &'static str) -> impl Iterator<Item = Slot<'static>> {
    let qualifiers = form.split(' ').next().unwrap_or(form);
    let mut rest = qualifiers.find(['.', '{']).map_or("", |start| &qualifiers[start..]);
    std::iter::from_fn(move || {
        let needed = !rest.starts_with('{');
        let braced = rest.starts_with('{') || rest.starts_with(".{");
        let end = match braced {
            true => rest.find('}').map(|end| end + 1),
            false => rest.get(1..).and_then(|tail| tail.find(['.', '{'])).map(|end| end + 1),
        };
        let (text, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        let choices = text.trim_start_matches(['.', '{']).trim_end_matches('}').split('|');
        let choices = choices.map(|choice| choice.trim_start_matches('.')).collect();
        (!text.is_empty()).then_some(Slot { text, choices, needed })
    })
}

/// Each slot takes the first of the words that fit it.
fn compare(form: &'static str, words: &[&str]) -> Comparison {
    let mut taken = vec![false; words.len()];
    let mut lacking = None;
    // Types come in the order of their slots.
    let mut next_type = 0;
    for slot in slots(form) {
        let is_type = slot.choices.iter().any(|choice| names::ty(choice).is_some());
        let first = if is_type { next_type } else { 0 };
        let places = |choice: &str| -> Option<Vec<usize>> {
            let free = |word| (first..words.len()).find(|at| !taken[*at] && words[*at] == word);
            choice.split('.').map(free).collect()
        };
        let found = slot.choices.iter().filter_map(|choice| places(choice)).min();
        match found {
            Some(places) => {
                if is_type {
                    next_type = places.iter().max().map_or(next_type, |at| at + 1);
                }
                places.into_iter().for_each(|at| taken[at] = true);
            }
            None if slot.needed && lacking.is_none() => lacking = Some(slot.text),
            None => {}
        }
    }
    Comparison { extra: (0..words.len()).filter(|at| !taken[*at]).collect(), lacking }
}

/// How many operands a form may have: those in braces may be left out, alternatives counted.
fn operand_counts(form: &str) -> Vec<usize> {
    let Some((_, operands)) = form.split_once(' ') else { return vec![0] };
    let most = operands.split(", ").count();
    let optional = operands.matches("{, ").count();
    (most - optional..=most).collect()
}

/// What a slot wants, in words.
fn need(slot: &'static str) -> &'static str {
    match slot {
        ".{rn|rz|rm|rp}" => "a rounding mode: `.rn`, `.rz`, `.rm` or `.rp`",
        ".{rni|rzi|rmi|rpi}" => "a rounding mode to integers: `.rni`, `.rzi`, `.rmi` or `.rpi`",
        ".{approx|full}" => "`.approx`, `.full` or a rounding mode",
        ".{L1|L2}" => "a level: `.L1` or `.L2`",
        ".L1" => "the level `.L1`",
        ".L2" => "the level `.L2`",
        ".L2::evict_normal" => "the priority `.L2::evict_normal`",
        ".u32" => "the type `.u32`",
        ".b32" => "the type `.b32`",
        _ => "another qualifier",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(form: &'static str, words: &str) -> bool {
        let words: Vec<&str> = words.split('.').filter(|word| !word.is_empty()).collect();
        let comparison = compare(form, &words);
        comparison.extra.is_empty() && comparison.lacking.is_none()
    }

    #[test]
    fn qualifiers_come_in_any_order_and_types_in_theirs() {
        const FORM: &str = "set.{eq|ne}{.ftz}.{u32|f32}.f32 d, a, b";
        assert!(
            fits(FORM, "eq.u32.f32") && fits(FORM, "u32.ftz.f32.eq") && fits(FORM, "eq.f32.f32")
        );
        assert!(!fits(FORM, "eq.f32.u32") && !fits(FORM, "eq.u32") && !fits(FORM, "u32.f32"));
        assert!(!fits(FORM, "eq.ne.u32.f32") && !fits(FORM, "eq.ftz.ftz.u32.f32"));
    }

    #[test]
    fn some_words_go_together() {
        const FORM: &str = "min{.ftz}{.xorsign.abs}.f32 d, a, b";
        assert!(
            fits(FORM, "f32") && fits(FORM, "xorsign.abs.f32") && fits(FORM, "abs.ftz.xorsign.f32")
        );
        assert!(!fits(FORM, "xorsign.f32") && !fits(FORM, "abs.f32"));
    }

    #[test]
    fn braces_leave_operands_out() {
        assert_eq!(operand_counts("add.f32 d, a, b"), [3]);
        assert_eq!(operand_counts("setp.eq.f32 p, a, b{, c}"), [3, 4]);
        assert_eq!(operand_counts("exit"), [0]);
    }
}
