//! Matching of an instruction's words and operands against the forms of its opcode.
//!
//! Qualifiers come in any order, except types among each other and words that belong to the opcode;
//! the nearest form is taken. Anything that does not fit the form is an error.

use super::Decoder;
use super::operand::mismatch;
use crate::ptx::error::{DecodeError, Expected, Found};
use crate::ptx::form::{Arg, Choices, Form, OperandForm, Role, Slot, Written};
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::need::Need;
use crate::ptx::row::{Columns, Op, Row, Strictness, Takes};
use crate::ptx::value::{Space, Type, Value};
use crate::ptx::words::{Word, Words, type_of};

/// How the qualifiers of an instruction fill the slots of a form.
#[derive(Default)]
struct Filling {
    /// The word in each slot.
    words: Vec<Option<Word>>,
    /// The slot that each qualifier stands in.
    slots: Vec<Option<usize>>,
    /// The first needed slot without a qualifier.
    lacking: Option<usize>,
    /// The first slot with an illegal word of its kind, and that word.
    illegal: Option<(usize, usize)>,
    /// How far the instruction is from the form.
    distance: usize,
}

impl Filling {
    fn extra(&self) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(|at| self.slots[*at].is_none())
    }
}

impl Decoder<'_> {
    /// The instruction as one of some forms, the nearest.
    ///
    /// # Errors The error in the first qualifier or operand that does not fit.
    pub(super) fn read(
        &self,
        forms: impl IntoIterator<Item = &'static Form>,
    ) -> Result<Written, DecodeError> {
        let words: Vec<&str> =
            self.instruction.qualifiers.iter().map(|word| word.value.as_str()).collect();
        let count = self.instruction.operands.len();
        let fillings = forms.into_iter().map(|form| (form, self.fill(form, &words)));
        let distance = |(form, filling): &(&Form, Filling)| {
            let (there, least) = form.operands_with(&filling.words);
            let most = there.iter().filter(|there| **there).count();
            let shape = shape_distance(form, &there, &self.instruction.operands);
            (filling.distance, !(least..=most).contains(&count), shape)
        };
        let Some((form, filling)) = fillings.min_by_key(distance) else {
            return Err(self.unknown_opcode());
        };
        self.check_words(form, &filling)?;
        let (there, least) = form.operands_with(&filling.words);
        let most = there.iter().filter(|there| **there).count();
        let mut operands = self.operands(least, most, form.row.shape)?.iter();
        let mut written = Written { form, words: Words(filling.words), operands: Vec::new() };
        let row = form.row;
        if !matches!(row.op, Op::Nothing | Op::Outside) {
            for (form, there) in form.operands.iter().zip(there) {
                let operand = if there { operands.next() } else { None };
                let read = |operand| self.argument(operand, (row, form), written.need(form));
                let argument = operand.map(read).transpose()?;
                written.operands.push(argument);
            }
        }
        Ok(written)
    }

    fn fill(&self, form: &Form, words: &[&str]) -> Filling {
        let implied = self.in_columns() && form.row.columns == Columns::Words;
        let mut filling = Filling { slots: vec![None; words.len()], ..Filling::default() };
        // Types come in the order of their slots.
        let mut next_type = 0;
        for (at, slot) in form.slots.iter().enumerate() {
            let places = match at {
                _ if at < form.row.leading => at..words.len().min(at + 1),
                _ if slot.is_type() => next_type..words.len(),
                _ => 0..words.len(),
            };
            let free: Vec<usize> = places.filter(|word| filling.slots[*word].is_none()).collect();
            let wrong = slot.wrong(words, &free);
            let wrong = wrong.filter(|_| form.row.strictness == Strictness::Word);
            let found = match (slot.find(words, &free), wrong) {
                // The first type is meant, whether it is one that the form has or not.
                (Some(found), Some(word)) if slot.is_class() && found.0[0] > word => Err(word),
                (Some(found), _) => Ok(Some(found)),
                (None, Some(word)) => Err(word),
                (None, None) => Ok(None),
            };
            let found = found.unwrap_or_else(|word| {
                filling.illegal.get_or_insert((at, word));
                // Another type of a class is nearer than a missing word, another word is farther.
                filling.distance += if slot.is_class() { 1 } else { 3 };
                Some((vec![word], slot.stand_in(words[word])))
            });
            let word = match found {
                Some((places, word)) => {
                    if slot.is_type() {
                        next_type = places.iter().max().map_or(next_type, |at| at + 1);
                    }
                    places.into_iter().for_each(|word| filling.slots[word] = Some(at));
                    Some(word)
                }
                None if slot.needed && implied => slot.untyped(),
                None => None,
            };
            if word.is_none() && slot.needed {
                filling.lacking.get_or_insert(at);
            }
            filling.words.push(word);
        }
        let lacking = usize::from(filling.lacking.is_some());
        filling.distance += 2 * (filling.extra().count() + lacking);
        filling
    }

    /// Rejects words without a slot, and required slots without a word.
    fn check_words(&self, form: &'static Form, filling: &Filling) -> Result<(), DecodeError> {
        if let Some((slot, word)) = filling.illegal {
            return Err(self.illegal_word(form, &form.slots[slot], word));
        }
        let extra = filling.extra().next();
        let lacking = filling.lacking.map(|at| (at, &form.slots[at]));
        // An unknown word may have been meant for the slot, unless the slot belongs to the opcode.
        let meant = |(at, slot): (usize, &Slot)| {
            matches!(slot.choices, Choices::Words(_) | Choices::Scopes(_)) && at >= form.row.leading
        };
        match (lacking, extra) {
            (None, None) => Ok(()),
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
            (Some(asks), _) if !asks.missing.is_empty() => self.missing(asks.missing, row.section),
            (_, Choices::Types(_)) => self.missing_type(row.types, row.section),
            (_, Choices::Spaces(_)) => {
                let choices = format!("the state spaces are {}", row.spaces);
                self.missing_of("a state space", choices, row.section)
            }
            (_, Choices::Scopes(_)) => self.missing_scope(row.section),
            (_, Choices::Words(words)) => self.missing(need(words, at < row.leading), row.section),
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
        if form.opcode == "mbarrier" && names::scope(&qualifier.value).is_some() {
            return self.superfluous_scope(&qualifier, row.section);
        }
        let form = self.instruction.opcode.value.clone();
        DecodeError::Qualifier { form, qualifier, takes: row.takes }
    }

    /// An operand, converted as its form requires.
    fn argument(
        &self,
        operand: &Operand,
        (row, form): (&Row, &OperandForm),
        need: Need,
    ) -> Result<Arg, DecodeError> {
        match form.role {
            Role::Destination | Role::Pair => self.written(operand, form),
            Role::Memory => self.address(operand).map(Arg::Memory),
            Role::Tensor => self.tensor(operand),
            Role::Into => self.registers(operand),
            Role::Matrix if matches!(operand.kind, OperandKind::Vector(_)) => {
                self.fragment(operand)
            }
            Role::Elements => self.fragment(operand),
            Role::Matrix if matches!(operand.kind, OperandKind::Bracket(_)) => {
                self.address(operand).map(Arg::Memory)
            }
            Role::Truth => self.predicate(operand).map(Arg::Value),
            Role::Constant(number) => self.constant(operand, number),
            Role::Source | Role::Matrix => self.source(operand, (row, form), need.ty),
        }
    }

    fn written(&self, operand: &Operand, form: &OperandForm) -> Result<Arg, DecodeError> {
        let is_pair = matches!(operand.kind, OperandKind::Pair(..));
        if form.role == Role::Destination {
            let destination = match form.takes {
                _ if is_pair => return Err(mismatch(Expected::OneDestination, operand)),
                Takes::Sink | Takes::Token => self.destination(operand)?,
                _ => self.real_destination(operand)?,
            };
            return Ok(Arg::Destination(destination));
        }
        let (destination, predicate) = self.destination_pair(operand)?;
        let expected = match (form.takes, &destination, &predicate) {
            (Takes::Both(what), _, None) => what,
            // One of the two may be unused.
            (Takes::Sink, None, None) if is_pair => Expected::Destination,
            (Takes::Both(_) | Takes::Sink, ..) | (_, Some(_), _) => {
                return Ok(Arg::Pair(destination, predicate));
            }
            (_, None, _) => Expected::Destination,
        };
        Err(mismatch(expected, operand))
    }

    fn source(
        &self,
        operand: &Operand,
        (row, form): (&Row, &OperandForm),
        ty: Type,
    ) -> Result<Arg, DecodeError> {
        let value = match form.takes {
            Takes::Name(_) | Takes::Descriptor | Takes::Matrix | Takes::Factor => {
                self.any_value(operand, ty)?
            }
            Takes::Amount => self.value(operand, Type::B32)?,
            Takes::Table => {
                let OperandKind::Integer(table) = operand.kind else {
                    return Err(mismatch(Expected::Table, operand));
                };
                // Larger constants are cut, as those of other instructions are.
                return Ok(Arg::Constant(table & 0xFF));
            }
            _ => self.value(operand, ty)?,
        };
        match (form.takes, &value) {
            (Takes::Register(_), Value::Register(_)) => {}
            (Takes::Register(_), _) => return Err(mismatch(Expected::Register, operand)),
            (Takes::Packed, Value::Immediate(found)) => {
                return Err(DecodeError::Rule {
                    message: format!("`{operand}` is no operand of `{}`", self.form()),
                    help: "pairs of numbers come from registers: move the bits to one first, \
                           `mov.b32 %r1, 0x00010002`",
                    section: row.section,
                    span: found.span,
                });
            }
            (Takes::Within(limits), Value::Immediate(found))
                if !(limits.least..=limits.most).contains(&found.value) =>
            {
                return Err(super::access::range(limits.what, found, limits.legal));
            }
            (Takes::Size, Value::Immediate(found)) if found.value < 0 || found.value % 8 != 0 => {
                let legal = "0 or a positive multiple of 8";
                return Err(super::access::range("the size", found, legal));
            }
            _ => {}
        }
        Ok(Arg::Value(value))
    }

    /// An operand that is one number in every instruction.
    pub(super) fn constant(&self, operand: &Operand, number: i128) -> Result<Arg, DecodeError> {
        match self.value(operand, Type::B32)? {
            Value::Immediate(found) if found.value == number => Ok(Arg::Constant(number)),
            Value::Immediate(found) if number == 0 => {
                Err(super::access::range("the initial value", &found, "0"))
            }
            Value::Immediate(found) => Err(super::access::range("the size", &found, "128")),
            other => {
                let (expected, span) = (Expected::Constant(number), other.span());
                Err(DecodeError::Operand { expected, found: Found::Register, span })
            }
        }
    }
}

/// The number of operands of an instruction that have other braces or brackets than those of a form.
fn shape_distance(form: &Form, there: &[bool], operands: &[Operand]) -> usize {
    let own = form.operands.iter().zip(there).filter(|(_, there)| **there);
    let pairs = own.map(|(operand, _)| operand.role).zip(operands);
    pairs.filter(|(role, found)| !has_shape(*role, &found.kind)).count()
}

/// Whether an operand may be written so, as far as braces and brackets go.
fn has_shape(role: Role, operand: &OperandKind) -> bool {
    let braces = matches!(operand, OperandKind::Vector(_));
    let brackets = matches!(operand, OperandKind::Bracket(_));
    match role {
        Role::Into | Role::Elements => braces,
        Role::Matrix => true,
        Role::Memory | Role::Tensor => brackets,
        _ => !braces && !brackets,
    }
}

impl Slot {
    /// The first word that the slot accepts among those at free places.
    fn find(&self, words: &[&str], free: &[usize]) -> Option<(Vec<usize>, Word)> {
        match &self.choices {
            Choices::Words(choices) => {
                let places = |choice: &&'static str| -> Option<(Vec<usize>, Word)> {
                    let place =
                        |part| free.iter().copied().find(|word: &usize| words[*word] == part);
                    let places: Option<Vec<usize>> = choice.split('.').map(place).collect();
                    Some((places?, Word::Plain(choice)))
                };
                choices.iter().filter_map(places).min_by(|a, b| a.0.cmp(&b.0))
            }
            Choices::Types(types) => free.iter().find_map(|&at| {
                let ty = names::ty(words[at]).filter(|ty| types.contains(ty))?;
                Some((vec![at], Word::Type(ty)))
            }),
            Choices::Spaces(spaces) => free.iter().find_map(|&at| {
                let space = names::space(words[at]).filter(|space| spaces.contains(space))?;
                Some((vec![at], Word::Space(space)))
            }),
            Choices::Scopes(scopes) => free.iter().find_map(|&at| {
                let scope = names::scope(words[at]).filter(|scope| scopes.contains(scope))?;
                Some((vec![at], Word::Scope(scope)))
            }),
        }
    }

    /// Whether the slot accepts a class of words, of which the row lists the legal ones.
    fn is_class(&self) -> bool {
        !matches!(self.choices, Choices::Words(_))
    }

    /// A word of the slot's class that is illegal there.
    fn wrong(&self, words: &[&str], free: &[usize]) -> Option<usize> {
        free.iter().copied().find(|&at| match self.choices {
            Choices::Spaces(_) => {
                names::space(words[at]).is_some_and(|space| space != Space::Generic)
            }
            Choices::Scopes(_) => names::scope(words[at]).is_some(),
            _ => self.is_type() && type_of(words[at]).is_some(),
        })
    }

    /// A stand-in for a word that is wrong there, until the error is reported.
    fn stand_in(&self, word: &str) -> Word {
        Word::Type(type_of(word).unwrap_or(Type::UNTYPED))
    }

    /// The default in columns if the slot is empty.
    fn untyped(&self) -> Option<Word> {
        match &self.choices {
            Choices::Words(words) => words.first().map(|word| Word::Plain(word)),
            Choices::Types(_) => Some(Word::Type(Type::UNTYPED)),
            Choices::Spaces(_) | Choices::Scopes(_) => None,
        }
    }

    /// Whether a word could stand in the slot.
    fn wants(&self, word: &str) -> bool {
        match &self.choices {
            Choices::Words(words) => words.contains(&word),
            Choices::Types(_) => type_of(word).is_some(),
            Choices::Spaces(_) => names::space(word).is_some(),
            Choices::Scopes(_) => names::scope(word).is_some(),
        }
    }
}

/// A list of words for messages: `.b32`, `.b32 and .b64`, `.u16, .u32 and .u64`.
fn in_words(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!(".{word}")).collect();
    match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// The requirement of a slot for some words.
fn need(words: &[&str], leads: bool) -> String {
    let what = match words {
        ["rn", "rz", "rm", "rp"] => "a rounding mode: ",
        ["up", ..] => "a mode: ",
        ["L1", "L2"] | ["cta", "gl", "sys"] => "a level: ",
        ["L1" | "L2"] => "the level ",
        ["L2::evict_normal"] => "the priority ",
        ["sync"] => return "`.sync`: the forms without it do not exist since sm_70".to_owned(),
        [word] if type_of(word).is_some() => "the type ",
        _ => "",
    };
    let words: Vec<String> = words.iter().map(|word| format!("`.{word}`")).collect();
    let list = match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    };
    format!("{what}{list}{}", if leads { " first" } else { "" })
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
    use crate::ptx::row::form;
    use crate::ptx::token::lex;
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
