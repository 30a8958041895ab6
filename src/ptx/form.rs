//! Forms: rows of the table with qualifiers as slots and operands with roles.

use super::names;
use super::need::{Fit, Need};
use super::row::{Asks, Row, Takes};
use super::since::Since;
use super::value::{Scope, Space, Type};
use super::words::{Word, Words, type_of};

/// A row, parsed.
pub struct Form {
    /// The row.
    pub row: &'static Row,
    /// The first word.
    pub opcode: &'static str,
    /// Its qualifiers.
    pub slots: Vec<Slot>,
    /// Its operands.
    pub operands: Vec<OperandForm>,
}

/// A place of a form for one of several qualifiers.
#[derive(Debug)]
pub struct Slot {
    /// When a word stands in the slot.
    pub filled: Filled,
    /// The legal words.
    pub choices: Choices,
    /// The messages about the slot, if the row has some.
    pub(crate) asks: Option<Asks>,
}

/// When a word stands in a slot.
#[derive(Debug, PartialEq, Eq)]
pub enum Filled {
    /// In every instruction.
    Always,
    /// Where it is written.
    Optionally,
    /// Exactly in instructions with one of these words.
    Beside(Vec<&'static str>),
}

/// The legal words of a slot.
#[derive(Debug)]
pub enum Choices {
    /// One of these words; `xorsign.abs` stands for two words together.
    Words(Vec<&'static str>),
    /// One of these types.
    Types(Vec<Type>),
    /// One of these state spaces.
    Spaces(Vec<Space>),
    /// One of these scopes.
    Scopes(Vec<Scope>),
}

impl Slot {
    /// Whether an instruction with these words needs a word in the slot; `None` if that is optional.
    #[must_use]
    pub fn needs(&self, has: impl Fn(&str) -> bool) -> Option<bool> {
        match &self.filled {
            Filled::Always => Some(true),
            Filled::Optionally => None,
            Filled::Beside(words) => Some(words.iter().any(|word| has(word))),
        }
    }

    /// The words that may stand in the slot.
    fn words(&self) -> Vec<String> {
        match &self.choices {
            Choices::Words(words) => {
                words.iter().flat_map(|words| words.split('.')).map(str::to_owned).collect()
            }
            Choices::Types(types) => types.iter().map(ToString::to_string).collect(),
            Choices::Spaces(spaces) => {
                let both = |space: &Space| [space.short(), space.word()];
                spaces.iter().flat_map(both).map(str::to_owned).collect()
            }
            Choices::Scopes(scopes) => scopes.iter().map(ToString::to_string).collect(),
        }
    }

    /// Whether the slot holds a type: types come in the order of their slots.
    pub(crate) fn is_type(&self) -> bool {
        match &self.choices {
            Choices::Types(_) => true,
            Choices::Words(words) => words.iter().any(|word| type_of(word).is_some()),
            Choices::Spaces(_) | Choices::Scopes(_) => false,
        }
    }

    /// Whether the slot holds a state space of several that an instruction names.
    pub(crate) fn is_space(&self) -> bool {
        match &self.choices {
            Choices::Words(words) => words.iter().all(|word| names::space(word).is_some()),
            Choices::Spaces(_) | Choices::Types(_) | Choices::Scopes(_) => false,
        }
    }

    /// Whether the slot may hold a floating-point type.
    pub(crate) fn takes_floats(&self) -> bool {
        match &self.choices {
            Choices::Types(types) => types.iter().any(|ty| ty.is_float()),
            Choices::Words(words) => {
                words.iter().filter_map(|word| type_of(word)).any(Type::is_float)
            }
            Choices::Spaces(_) | Choices::Scopes(_) => false,
        }
    }
}

/// An operand of a form.
#[derive(Debug)]
pub struct OperandForm {
    /// Its name in the text.
    pub name: &'static str,
    /// The role of the operand.
    pub role: Role,
    /// The legal operands.
    pub takes: Takes,
    /// Whether the operand may be omitted.
    pub presence: Presence,
}

/// Whether an operand may be omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The operand is required.
    Needed,
    /// The operand may be omitted, together with all later ones of this kind.
    Optional,
    /// The operand is present exactly if this qualifier is.
    With(&'static str),
}

/// The role of an operand in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Writes the register.
    Destination,
    /// Writes the register and a predicate behind `|`.
    Pair,
    /// Reads the value.
    Source,
    /// Reads the predicate, which may be negated.
    Truth,
    /// Accesses memory there.
    Memory,
    /// Accesses the box of a tensor: a map and coordinates.
    Tensor,
    /// Writes registers in braces.
    Into,
    /// Reads registers in braces.
    Elements,
    /// Jumps there.
    Label,
    /// Reads a matrix: a descriptor, registers in braces, or what is at an address in Tensor Memory.
    Matrix,
    /// The operand is this number.
    Constant(i128),
}

impl OperandForm {
    /// The type at which the operand is read or written, in an instruction with these types.
    #[must_use]
    pub fn ty(&self, types: &[Type]) -> Type {
        self.need_of(|at| types[at], 1).ty
    }

    /// The operand's requirement on each register of several, in an instruction with these words.
    pub(crate) fn need_of_each(&self, words: &Words) -> Need {
        match self.takes {
            Takes::Matrix | Takes::Factor => Need::ELEMENT,
            _ => self.need(words),
        }
    }

    /// The operand's requirement on a register, in an instruction with these words.
    pub(crate) fn need(&self, words: &Words) -> Need {
        self.need_of(|at| words.type_at(at), words.elements())
    }

    fn need_of(&self, ty: impl Fn(usize) -> Type, elements: u32) -> Need {
        let is_vector = elements > 1;
        match (self.role, self.takes) {
            (Role::Truth, _) => Need::PREDICATE,
            (Role::Memory | Role::Tensor | Role::Constant(_) | Role::Label, _) => Need::ADDRESS,
            (_, Takes::Type(at) | Takes::Name(at) | Takes::Register(at)) => Need::exact(ty(at)),
            (_, Takes::Special(at) | Takes::Moved(at) | Takes::Unused(at)) => Need::exact(ty(at)),
            (Role::Destination | Role::Source, Takes::Vector(at)) => Need::new(ty(at), Fit::Width),
            (_, Takes::Vector(at) | Takes::Parts(at) | Takes::Components(at)) => {
                Need::exact(ty(at))
            }
            (Role::Destination, Takes::Data(at)) if is_vector => Need::new(ty(at), Fit::Element),
            (_, Takes::Data(at) | Takes::Converted(at)) => Need::new(ty(at), Fit::Wider),
            (Role::Source, Takes::Lanes(at)) if is_vector => Need::new(ty(at), Fit::Width),
            (_, Takes::Lanes(at)) => Need::exact(ty(at)),
            (_, Takes::Wide(at)) => Need::exact(ty(at).times(2)),
            (_, Takes::Fixed(ty)) => Need::exact(ty),
            (_, Takes::Sink | Takes::Both(_)) => Need::exact(Type::B32),
            (_, Takes::Word | Takes::Within(_) | Takes::Table) => Need::WORD,
            (_, Takes::Amount) => Need::AMOUNT,
            (_, Takes::Token) => Need::TOKEN,
            (_, Takes::Size) => Need::new(Type::B32, Fit::Count),
            (_, Takes::Packed) => Need::new(Type::B32, Fit::Bits),
            (_, Takes::Pointer | Takes::Bytes(..)) => Need::ADDRESS,
            (_, Takes::Fragment) => Need::ELEMENT,
            (_, Takes::Descriptor | Takes::Matrix | Takes::Factor) => Need::TOKEN,
            (_, Takes::Columns) => Need::ADDRESS,
        }
    }
}

impl Form {
    /// Takes the text of a row apart.
    pub(crate) fn new(row: &'static Row) -> Self {
        let (head, operands) = row.text.split_once(' ').unwrap_or((row.text, ""));
        let end = head.find(['.', '{']).unwrap_or(head.len());
        Self {
            row,
            opcode: &head[..end],
            slots: slots(row, &head[end..]),
            operands: operands_of(row, operands),
        }
    }

    /// The first version and target with an instruction of the form.
    #[must_use]
    pub fn since(&self) -> Since {
        let only = |slot: &Slot| match &slot.choices {
            Choices::Words(words) if words.len() == 1 => Some(words[0].to_owned()),
            Choices::Types(types) if types.len() == 1 => Some(types[0].to_string()),
            _ => None,
        };
        let needed = self.slots.iter().filter(|slot| slot.filled == Filled::Always);
        let words: Vec<String> = needed.filter_map(only).collect();
        self.since_with(&words.iter().flat_map(|words| words.split('.')).collect::<Vec<_>>())
    }

    /// The first version and target with an instruction of the form that has these words, whatever
    /// others it has.
    pub(crate) fn since_with(&self, words: &[&str]) -> Since {
        let later = self.row.later().filter(|later| later.needs_words());
        later.filter_map(|later| later.since(words)).fold(self.row.since, Since::and)
    }

    /// All words that an instruction may have.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.slots.iter().flat_map(Slot::words)
    }

    /// Whether an instruction may have a word, or an optional operand, named as in `{b}`.
    #[must_use]
    pub fn may_have(&self, word: &str) -> bool {
        let named = |operand: &OperandForm| {
            operand.presence == Presence::Optional && word.trim_matches(['{', '}']) == operand.name
        };
        match word.starts_with('{') {
            true => self.operands.iter().any(named),
            false => self.words().any(|found| found == word),
        }
    }

    /// The operands beside some qualifiers, and their least number.
    pub(crate) fn operands_with(&self, words: &[Option<Word>]) -> (Vec<bool>, usize) {
        let has = |word| words.contains(&Some(Word::Plain(word)));
        let there = self.operands.iter().map(|operand| match operand.presence {
            Presence::Needed | Presence::Optional => true,
            Presence::With(word) => has(word),
        });
        let there: Vec<bool> = there.collect();
        let needed = |(operand, there): &(&OperandForm, &bool)| {
            **there && operand.presence != Presence::Optional
        };
        let least = self.operands.iter().zip(&there).filter(needed).count();
        (there, least)
    }

    /// The operands of an instruction that may have some, and has so many of those that may be left
    /// out.
    pub(crate) fn written_down(&self, there: Vec<bool>, mut optional: usize) -> Vec<bool> {
        let written = self.operands.iter().zip(there).map(|(operand, there)| {
            let may_lack = operand.presence == Presence::Optional;
            let is_written = there && (!may_lack || optional > 0);
            optional -= usize::from(is_written && may_lack);
            is_written
        });
        written.collect()
    }
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Form {}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.row.text)
    }
}

fn slots(row: &'static Row, mut rest: &'static str) -> Vec<Slot> {
    let mut slots = Vec::new();
    while !rest.is_empty() {
        let braced = rest.starts_with('{') || rest.starts_with(".{");
        let end = match braced {
            true => rest.find('}').map(|end| end + 1),
            false => rest[1..].find(['.', '{']).map(|end| end + 1),
        };
        let (text, after) = rest.split_at(end.unwrap_or(rest.len()));
        let words = text.trim_start_matches(['.', '{']).trim_end_matches('}');
        let choices = match words {
            "type" => Choices::Types(types(row.types)),
            "space" => Choices::Spaces(listed(row.spaces).filter_map(names::space).collect()),
            "scope" => Choices::Scopes(scopes(row.scopes)),
            words => Choices::Words(alternatives(row, words).map(unscoped).collect()),
        };
        let asks = row.slots.iter().find(|(slot, _)| *slot == text).map(|(_, asks)| *asks);
        let optional = rest.starts_with('{');
        let filled = if optional { Filled::Optionally } else { Filled::Always };
        slots.push(Slot { filled, choices, asks });
        let scoped = alternatives(row, words).filter_map(|word| word.strip_suffix(".scope"));
        let scoped: Vec<_> = scoped.collect();
        if !scoped.is_empty() {
            let choices = Choices::Scopes(scopes(row.scopes));
            slots.push(Slot { filled: Filled::Beside(scoped), choices, asks: None });
        }
        rest = after;
    }
    slots
}

/// The words between `|`, some with a scope behind them; names of lists stand for theirs.
fn alternatives(row: &'static Row, words: &'static str) -> impl Iterator<Item = &'static str> {
    let list = |word| row.lists.iter().find(|(name, _)| *name == word).map(|(_, list)| *list);
    let words = words.split('|').map(|word| word.trim_start_matches('.'));
    words.flat_map(move |word| list(word).map_or_else(|| vec![word], <[_]>::to_vec))
}

fn unscoped(word: &'static str) -> &'static str {
    word.strip_suffix(".scope").unwrap_or(word)
}

fn operands_of(row: &'static Row, text: &'static str) -> Vec<OperandForm> {
    let mut optional = false;
    let tokens = apart(text).into_iter().filter(|token| !token.is_empty()).enumerate();
    tokens
        .map(|(at, token)| {
            let (written, next) = match token.strip_suffix('{') {
                Some(written) => (written, true),
                None => (token, false),
            };
            let written = if optional { written.trim_end_matches('}') } else { written };
            let this = std::mem::replace(&mut optional, next);
            operand(row, at, written, this)
        })
        .collect()
}

/// The operands of a list; commas within brackets are part of one.
fn apart(text: &'static str) -> Vec<&'static str> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(", ") {
        let before = &text[start..at];
        if before.matches('[').count() == before.matches(']').count() {
            out.push(before);
            start = at + 2;
        }
    }
    out.push(&text[start..]);
    out
}

fn operand(row: &'static Row, at: usize, text: &'static str, optional: bool) -> OperandForm {
    let (role, name) = match text {
        _ if text.starts_with('[') => match text.trim_matches(['[', ']']).split_once(", ") {
            Some((map, _)) => (Role::Tensor, map),
            None => (Role::Memory, text.trim_matches(['[', ']'])),
        },
        _ if text.starts_with("{!}") => (Role::Truth, &text[3..]),
        _ if text.starts_with('{') => {
            let role = if at == 0 { Role::Into } else { Role::Elements };
            (role, text.trim_matches(['{', '}']))
        }
        _ if text.contains('|') => (Role::Pair, text.split(['{', '|']).next().unwrap_or(text)),
        _ => match text.parse() {
            Ok(number) => (Role::Constant(number), text),
            Err(_) if text == "label" => (Role::Label, text),
            Err(_) if at == 0 && matches!(text, "d" | "p" | "state") => (Role::Destination, text),
            Err(_) => (Role::Source, text),
        },
    };
    let given = row.operands.iter().find(|(operand, _)| *operand == name);
    let takes = given.map_or_else(
        || match (role, name) {
            (_, "membermask") => Takes::Word,
            (Role::Destination | Role::Pair, "p") => Takes::Fixed(Type::PREDICATE),
            (Role::Into | Role::Elements, _) => Takes::Fragment,
            _ => Takes::Type(0),
        },
        |(_, takes)| *takes,
    );
    let role = match (role, takes) {
        (Role::Source, Takes::Fixed(Type::PREDICATE)) => Role::Truth,
        (Role::Source, Takes::Matrix | Takes::Factor) => Role::Matrix,
        (role, _) => role,
    };
    let presence = match row.asked.iter().find(|(operand, _)| *operand == name) {
        Some((_, word)) => Presence::With(word),
        None if optional => Presence::Optional,
        None => Presence::Needed,
    };
    OperandForm { name, role, takes, presence }
}

/// The items of a list in words: `a, b and c`.
fn listed(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(", ").flat_map(|part| part.split(" and ")).filter(|item| !item.is_empty())
}

fn scopes(text: &'static str) -> Vec<Scope> {
    listed(text).filter_map(|item| names::scope(item.trim_matches(['`', '.']))).collect()
}

/// The types of a list in words: `.b16 to .b64, .f32 and .f64`; types that no register has occur in
/// forms of their own.
fn types(text: &'static str) -> Vec<Type> {
    let one = |word: &str| names::data_type(word.trim_start_matches('.'));
    let range = |item: &str| -> Vec<Type> {
        let (first, last) = item.split_once(" to ").unwrap_or((item, item));
        let (Some(first), Some(last)) = (one(first), one(last)) else { return Vec::new() };
        let widths = [1, 8, 16, 32, 64, 128].into_iter();
        let within = widths.filter(|bits| (first.bits..=last.bits).contains(bits));
        within.map(|bits| Type::new(first.kind, bits)).collect()
    };
    listed(text).flat_map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::row::{Op, form};

    fn operands(row: Row) -> Vec<(&'static str, Role, Presence)> {
        let form = Form::new(Box::leak(Box::new(row)));
        form.operands.iter().map(|o| (o.name, o.role, o.presence)).collect()
    }

    #[test]
    fn operands_have_roles_and_may_be_left_out() {
        use Presence::{Needed, Optional, With};
        use Role::{Constant, Destination, Memory, Pair, Source, Truth};
        let row = |text| form(text, "PTX-9.7", [1, 0, 10], Op::Nothing);
        assert_eq!(
            operands(row("f.b32 d, [a], b{, {!}c}")),
            [
                ("d", Destination, Needed),
                ("a", Memory, Needed),
                ("b", Source, Needed),
                ("c", Truth, Optional),
            ]
        );
        assert_eq!(
            operands(row("f.b32 d{|p}, 128{, m}{, policy}").asked(&[("policy", "hint")])),
            [
                ("d", Pair, Needed),
                ("128", Constant(128), Needed),
                ("m", Source, Optional),
                ("policy", Source, With("hint")),
            ]
        );
        assert_eq!(operands(row("f")), []);
    }

    #[test]
    fn boxes_are_one_operand() {
        use Presence::{Needed, Optional};
        use Role::{Memory, Source, Tensor};
        let row = form("f [t, c], [a]{, m}", "PTX-9.7", [1, 0, 10], Op::Nothing);
        let found = [("t", Tensor, Needed), ("a", Memory, Needed), ("m", Source, Optional)];
        assert_eq!(operands(row), found);
    }

    #[test]
    fn lists_of_types_are_read() {
        let names = |text| types(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(".b32"), ["b32"]);
        assert_eq!(names(".u16 to .u64, .f32 and .pred"), ["u16", "u32", "u64", "f32", "pred"]);
        assert_eq!(names(".s32, .s16x2 and .s8x4"), ["s32"]);
    }

    #[test]
    fn slots_are_told_apart() {
        let row = form("f{.a|.b}.{c|d.e}.g{.space}.type", "PTX-9.7", [1, 0, 10], Op::Nothing)
            .types(".u32")
            .spaces("global and shared::cta");
        let form = Form::new(Box::leak(Box::new(row)));
        let needed: Vec<bool> =
            form.slots.iter().map(|slot| slot.filled == Filled::Always).collect();
        assert_eq!((form.opcode, needed), ("f", vec![false, true, true, false, true]));
        assert!(form.slots[4].is_type() && !form.slots[3].is_type());
    }

    #[test]
    fn scopes_stand_beside_the_words_that_have_them() {
        let row = form("f{.weak|.a.scope|.b.scope}.c", "PTX-9.7", [1, 0, 10], Op::Nothing);
        let form = Form::new(Box::leak(Box::new(row)));
        let filled: Vec<&Filled> = form.slots.iter().map(|slot| &slot.filled).collect();
        let beside = Filled::Beside(vec!["a", "b"]);
        assert_eq!(filled, [&Filled::Optionally, &beside, &Filled::Always]);
        assert_eq!(form.slots[1].needs(|word| word == "weak"), Some(false));
        assert_eq!(form.slots[1].needs(|word| word == "b"), Some(true));
    }
}
