//! Matching of an instruction's words and operands against the forms of its opcode.
//!
//! Qualifiers come in any order, except types among each other, state spaces among each other and words
//! that belong to the opcode; the nearest form is taken. Anything that does not fit the form is an error.

use super::Decoder;
use super::slot::{in_words, need};
use crate::ptx::error::DecodeError;
use crate::ptx::filling::Filling;
use crate::ptx::form::{Choices, Filled, Form, OperandForm, Role, Slot};
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::qualifiers::is_classified;
use crate::ptx::row::{Asks, Implied, Op, Strictness, Takes};
use crate::ptx::value::Register;
use crate::ptx::words::Words;
use crate::ptx::written::Written;

impl Decoder<'_> {
    /// The instruction as one of some forms, the nearest.
    ///
    /// # Errors The error in the first qualifier or operand that does not fit.
    pub(super) fn read(
        &self,
        forms: impl IntoIterator<Item = &'static Form>,
    ) -> Result<Written, DecodeError> {
        let (form, filling) = self.nearest(forms).ok_or_else(|| self.unknown_opcode())?;
        self.check_demands(form)?;
        self.check_words(form, &filling)?;
        let (there, least) = form.operands_with(&filling.words);
        let most = there.iter().filter(|there| **there).count();
        let mut operands = self.operands(least, most, form.row.shape)?.iter();
        let mut written = Written {
            form,
            words: Words(filling.words),
            operands: Vec::new(),
            implied: self.implied(form),
        };
        if !matches!(form.row.op, Op::Nothing | Op::Outside) {
            let there = form.written_down(there, operands.len() - least);
            for (form, there) in form.operands.iter().zip(there) {
                let operand = if there { operands.next() } else { None };
                let read = |operand| self.argument(operand, &written, form);
                let argument = operand.map(read).transpose()?;
                written.operands.push(argument);
            }
        }
        Ok(written)
    }

    /// The registers that are no operands, each at the word that says so.
    fn implied(&self, form: &Form) -> Vec<Register> {
        let place = |implied: Implied| match implied {
            Implied::Read => self.instruction.opcode.span,
            Implied::Written(by) => self.word_span(|word| word == by),
        };
        let implied = form.row.implied.iter();
        implied.map(|(name, role)| Register::new((*name).to_owned(), place(*role))).collect()
    }

    /// The form that the fewest words, braces and brackets have to be changed for; the first of several.
    fn nearest(
        &self,
        forms: impl IntoIterator<Item = &'static Form>,
    ) -> Option<(&'static Form, Filling)> {
        let words: Vec<&str> =
            self.instruction.qualifiers.iter().map(|word| word.value.as_str()).collect();
        let operands = &self.instruction.operands;
        let mut nearest = None;
        let mut least = (usize::MAX, true);
        for form in forms {
            let Some(filling) = form.fill(&words, self.in_columns(), least.0) else { continue };
            let (there, fewest) = form.operands_with(&filling.words);
            let most = there.iter().filter(|there| **there).count();
            let miscounted = !(fewest..=most).contains(&operands.len());
            let distance = (filling.distance + shape_distance(form, &there, operands), miscounted);
            if distance < least {
                (least, nearest) = (distance, Some((form, filling)));
            }
            // No later form is nearer.
            if distance == (0, false) {
                break;
            }
        }
        nearest
    }

    /// Rejects words without a slot, and required slots without a word.
    fn check_words(&self, form: &'static Form, filling: &Filling) -> Result<(), DecodeError> {
        if let Some((slot, word)) = filling.illegal {
            let slot = &form.slots[slot];
            return Err(match slot.choices {
                Choices::Words(_) if !slot.is_type() => self.superfluous(form, filling, word),
                _ => self.illegal_word(form, slot, word),
            });
        }
        let extra = filling.extra().next();
        let lacking = filling.lacking.map(|at| (at, &form.slots[at]));
        // An unknown word may have been meant for the slot, unless the slot belongs to the opcode.
        let meant = |(at, slot): (usize, &Slot)| {
            matches!(slot.choices, Choices::Words(_) | Choices::Scopes(_)) && at >= form.row.leading
        };
        match (lacking, extra) {
            (None, None) => Ok(()),
            (Some((_, Slot { asks: Some(asks), .. })), Some(_)) if !asks.choices.is_empty() => {
                Err(self.other_word(form, filling, asks))
            }
            (Some(lacking), Some(extra))
                if form.row.strictness == Strictness::Form || meant(lacking) =>
            {
                Err(self.superfluous(form, filling, extra))
            }
            (Some((at, slot)), _) => Err(self.missing_word(form, at, slot)),
            (None, Some(extra)) => Err(self.superfluous(form, filling, extra)),
        }
    }

    fn illegal_word(&self, form: &'static Form, slot: &Slot, word: usize) -> DecodeError {
        let found = self.instruction.qualifiers[word].clone();
        let section = form.row.section;
        let form_text = self.form();
        let (spaces, scopes) = (form.row.spaces, form.row.scopes);
        match slot.choices {
            Choices::Spaces(_) => {
                return DecodeError::Space { form: form_text, found, legal: spaces, section };
            }
            Choices::Scopes(_) => {
                let opcode = form.opcode;
                return DecodeError::Scope { opcode, found, legal: scopes, section };
            }
            Choices::Words(_) | Choices::Types(_) => {}
        }
        let legal = match (slot.asks, &slot.choices) {
            (Some(asks), _) if !asks.legal.is_empty() => asks.legal.to_owned(),
            (_, Choices::Words(words)) => in_words(words),
            _ => form.row.types.to_owned(),
        };
        DecodeError::Type { form: form_text, found, legal, section }
    }

    fn missing_word(&self, form: &'static Form, at: usize, slot: &Slot) -> DecodeError {
        let row = form.row;
        match (slot.asks, &slot.choices) {
            (Some(asks), _) if !asks.missing.is_empty() => {
                self.missing_of(asks.missing, asks.choices.to_owned(), row.section)
            }
            (Some(asks), Choices::Types(_)) if !asks.legal.is_empty() => {
                self.missing_type(asks.legal, row.section)
            }
            (_, Choices::Types(_)) => self.missing_type(row.types, row.section),
            (_, Choices::Spaces(_)) => {
                let choices = format!("the state spaces are {}", row.spaces);
                self.missing_of("a state space", choices, row.section)
            }
            (_, Choices::Scopes(_)) => self.missing_scope(row.section),
            (_, Choices::Words(words)) => self.missing(need(words, at < row.leading), row.section),
        }
    }

    /// The error that a slot is empty, or that an unknown word was meant for it.
    fn other_word(&self, form: &'static Form, filling: &Filling, asks: &Asks) -> DecodeError {
        let words = &self.instruction.qualifiers;
        let unknown = |at: &usize| !is_classified(&words[*at].value);
        let Some(word) = filling.extra().find(unknown).map(|at| &words[at]) else {
            return self.missing_of(asks.missing, asks.choices.to_owned(), form.row.section);
        };
        let opcode: Vec<&str> =
            [form.opcode, form.row.marker].into_iter().filter(|word| !word.is_empty()).collect();
        DecodeError::Rule {
            message: format!("`{}` has no `.{}`", opcode.join("."), word.value),
            help: asks.choices,
            section: form.row.section,
            span: word.span,
        }
    }

    fn superfluous(&self, form: &'static Form, filling: &Filling, at: usize) -> DecodeError {
        let words = &self.instruction.qualifiers;
        let (row, qualifier) = (form.row, words[at].clone());
        if let Some(first) = words[..at].iter().find(|word| word.value == qualifier.value) {
            return DecodeError::Duplicate { first: first.span, second: qualifier };
        }
        if row.strictness == Strictness::Form {
            let (form, takes, section) = (self.form(), row.text, row.section);
            return DecodeError::Form { form, qualifier, takes, section };
        }
        let rival = (0..words.len()).find(|other| {
            let slot = filling.slots[*other].map(|slot| &form.slots[slot]);
            slot.is_some_and(|slot| slot.wants(&qualifier.value))
        });
        if let Some(rival) = rival {
            let (first, second) = (rival.min(at), rival.max(at));
            let (first, second) = (words[first].clone(), words[second].clone());
            return DecodeError::Conflict { first, second };
        }
        let strong = |slot: &Slot| matches!(slot.filled, Filled::Beside(_));
        let accesses = form.slots.iter().any(strong)
            || matches!(row.op, Op::LoadIncoherent | Op::PendingCount)
            || row.op.is_of_mbarrier();
        if accesses && names::scope(&qualifier.value).is_some() {
            return self.superfluous_scope(&qualifier, row.section);
        }
        let form = self.instruction.opcode.value.clone();
        DecodeError::Qualifier { form, qualifier, takes: row.takes }
    }
}

/// The number of operands of an instruction that have other braces or brackets than those of a form.
fn shape_distance(form: &Form, there: &[bool], operands: &[Operand]) -> usize {
    let own = form.operands.iter().zip(there).filter(|(_, there)| **there);
    own.zip(operands).filter(|((operand, _), found)| !has_shape(operand, found)).count()
}

/// Whether an operand may be written so, as far as braces and brackets go.
fn has_shape(form: &OperandForm, operand: &Operand) -> bool {
    let braces = matches!(operand.kind, OperandKind::Vector(_));
    let brackets = matches!(operand.kind, OperandKind::Bracket(_));
    match form.role {
        Role::Destination | Role::Source if matches!(form.takes, Takes::Vector(_)) => {
            braces || operand.is_sink()
        }
        Role::Destination | Role::Source
            if matches!(form.takes, Takes::Data(_) | Takes::Lanes(_)) =>
        {
            !brackets
        }
        Role::Into | Role::Elements => braces,
        Role::Matrix => true,
        Role::Memory | Role::Tensor => brackets,
        _ => !braces && !brackets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::cursor::Cursor;
    use crate::ptx::decode::{Dialect, Names};
    use crate::ptx::instruction::instruction;
    use crate::ptx::operands::Mentions;
    use crate::ptx::operation::{Operation, Statement};
    use crate::ptx::print::{Style, statement};
    use crate::ptx::qualifiers::Qualifiers;
    use crate::ptx::row::{Row, form};
    use crate::ptx::token::lex;
    use crate::ptx::value::Space;
    use crate::source::{Files, Span};
    use std::sync::LazyLock;

    /// A form that no instruction of the table has: two addresses of shared memory, and operands that
    /// words ask for.
    static COPY: LazyLock<Form> = LazyLock::new(|| {
        static ROW: Row = form(
            "copy.bulk.shared::cluster.global{.multicast::cluster}{.L2::cache_hint} [d], [a], size, \
             [b]{, mask}{, policy}",
            "PTX-9.7.9.25",
            [8, 0, 90],
            Op::StoreBulk,
        )
        .operands(&[
            ("d", Takes::Bytes(Space::SharedCluster, 16)),
            ("a", Takes::Bytes(Space::Global, 16)),
            ("size", Takes::Word),
            ("b", Takes::Bytes(Space::SharedCta, 8)),
            ("mask", Takes::Word),
            ("policy", Takes::Token),
        ])
        .asked(&[("mask", "multicast::cluster"), ("policy", "L2::cache_hint")]);
        Form::new(&ROW)
    });

    fn read(text: &str) -> Result<Statement, DecodeError> {
        let file = Files::default().add("line", text);
        let span = Span::new(file, 0, text.len());
        let (tokens, _) = lex(text, span);
        let instruction = instruction(&mut Cursor::new(text, &tokens, span)).expect("it is one");
        let names = Names::default();
        let qualifiers = Qualifiers::new(&instruction);
        let (dialect, warnings) = (Dialect::Ptx, &mut Vec::new());
        let decoder =
            Decoder { instruction: &instruction, names: &names, dialect, qualifiers, warnings };
        let operation = Operation::Form(decoder.read([&*COPY])?);
        Ok(Statement { labels: Vec::new(), guard: None, operation, span })
    }

    #[test]
    fn a_row_says_what_is_read_accessed_and_printed() {
        let head = "copy.bulk.shared::cluster.global";
        for (words, more) in [
            ("", ""),
            (".multicast::cluster", ", %r3"),
            (".L2::cache_hint", ", %rd9"),
            (".multicast::cluster.L2::cache_hint", ", %r3, %rd9"),
        ] {
            let text = format!("{head}{words} [%rd1], [x+16], %r2, [%rd4]{more}");
            let read = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(statement(&read, Style::Ptx).as_ref(), Ok(&text));
            let Operation::Form(written) = &read.operation else { panic!("{read:?}") };
            let spaces: Vec<Space> = written.accesses().map(|(_, space, _)| space).collect();
            assert_eq!(spaces, [Space::SharedCluster, Space::Global, Space::SharedCta]);
            let mentions = Mentions::of(&read);
            let reads: Vec<&str> = mentions.reads.iter().map(|r| r.value.as_str()).collect();
            let expected = ["rd1", "rd4", "r2"].into_iter();
            let more = more.split(", %").filter(|register| !register.is_empty());
            assert_eq!(reads, expected.chain(more).collect::<Vec<_>>());
            assert!(mentions.writes.is_empty() && mentions.variables.len() == 1);
        }
    }

    #[test]
    fn an_operand_that_no_word_asks_for_is_one_too_many() {
        let head = "copy.bulk.shared::cluster.global";
        let wrong = [
            format!("{head} [%rd1], [x], 16, [%rd4], %r3"),
            format!("{head}.L2::cache_hint [%rd1], [x], 16, [%rd4]"),
            format!("{head} [%rd1], [x], 16"),
            format!("{head}.sys [%rd1], [x], 16, [%rd4]"),
            "copy.bulk.global [%rd1], [x], 16, [%rd4]".to_owned(),
        ];
        for text in wrong {
            assert!(read(&text).is_err(), "{text}");
        }
    }
}
