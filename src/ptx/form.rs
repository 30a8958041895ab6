//! Forms: rows of the table with qualifiers as slots and operands with roles. Also the words and
//! operands of a form in one statement.

use super::names;
use super::need::{Fit, Need};
use super::row::{Asks, Op, Row, Takes};
use super::value::{Address, Destination, Scope, Space, Type, Value};
use super::words::{Word, Words, type_of};
use crate::source::Spanned;

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
    /// Whether the slot has to be filled.
    pub needed: bool,
    /// The legal words.
    pub choices: Choices,
    /// The messages about the slot, if the row has some.
    pub(crate) asks: Option<Asks>,
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
    /// Whether the slot holds a type: types come in the order of their slots.
    pub(crate) fn is_type(&self) -> bool {
        match &self.choices {
            Choices::Types(_) => true,
            Choices::Words(words) => words.iter().any(|word| type_of(word).is_some()),
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
        self.need(|at| types[at]).ty
    }

    /// The operand's requirement on a register, in an instruction with these types.
    pub(crate) fn need(&self, ty: impl Fn(usize) -> Type) -> Need {
        match (self.role, self.takes) {
            (Role::Truth, _) => Need::PREDICATE,
            (Role::Memory | Role::Tensor | Role::Constant(_) | Role::Label, _) => Need::ADDRESS,
            (_, Takes::Type(at) | Takes::Name(at) | Takes::Register(at)) => Need::exact(ty(at)),
            (_, Takes::Special(at) | Takes::Moved(at) | Takes::Unused(at)) => Need::exact(ty(at)),
            (_, Takes::Vector(at) | Takes::Parts(at) | Takes::Components(at)) => {
                Need::exact(ty(at))
            }
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
            words if row.lists.iter().any(|(name, _)| *name == words) => {
                let list = row.lists.iter().find(|(name, _)| *name == words);
                Choices::Words(list.map_or_else(Vec::new, |(_, list)| list.to_vec()))
            }
            words => Choices::Words(words.split('|').map(|w| w.trim_start_matches('.')).collect()),
        };
        let asks = row.slots.iter().find(|(slot, _)| *slot == text).map(|(_, asks)| *asks);
        slots.push(Slot { needed: !rest.starts_with('{'), choices, asks });
        rest = after;
    }
    slots
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
    let one = |word: &str| names::ty(word.trim_start_matches('.'));
    let range = |item: &str| -> Vec<Type> {
        let (first, last) = item.split_once(" to ").unwrap_or((item, item));
        let (Some(first), Some(last)) = (one(first), one(last)) else { return Vec::new() };
        let widths = [1, 8, 16, 32, 64, 128].into_iter();
        let within = widths.filter(|bits| (first.bits..=last.bits).contains(bits));
        within.map(|bits| Type::new(first.kind, bits)).collect()
    };
    listed(text).flat_map(range).collect()
}

/// A written instruction of one form of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The form.
    pub form: &'static Form,
    /// The word in each slot.
    pub words: Words,
    /// The operands; `None` for those omitted.
    pub(crate) operands: Vec<Option<Arg>>,
}

/// An operand of a written instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    Destination(Destination),
    Pair(Destination, Destination),
    Value(Value),
    Memory(Address),
    /// A tensor map and coordinates of a box, innermost first.
    Tensor(Address, Vec<Value>),
    /// Registers in braces that are written.
    Into(Vec<Destination>),
    /// Registers in braces that are read.
    Elements(Vec<Value>),
    Label(Spanned<String>),
    Constant(i128),
}

impl Written {
    /// The operation of the form.
    #[must_use]
    pub fn op(&self) -> Op {
        self.form.row.op
    }

    /// The operands with their forms.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static OperandForm, &Arg)> {
        let form: &'static Form = self.form;
        let written = form.operands.iter().zip(&self.operands);
        written.filter_map(|(form, operand)| Some((form, operand.as_ref()?)))
    }

    /// Whether the instruction accesses memory through the asynchronous proxy (PTX-8.6).
    pub(crate) fn is_of_async_proxy(&self) -> bool {
        matches!(self.op(), Op::Async(op) if op.is_of_async_proxy())
    }

    /// The mutable operands, each with its requirement on a register.
    pub(crate) fn parts_mut(&mut self) -> impl Iterator<Item = (Need, &mut Arg)> {
        let Self { form, words, operands } = self;
        form.operands.iter().zip(operands).filter_map(|(form, operand)| {
            Some((form.need(|at| words.type_at(at)), operand.as_mut()?))
        })
    }

    /// Puts a word into the empty slot that accepts it, if there is one.
    pub(crate) fn fill(&mut self, word: &'static str) {
        let takes = |slot: &Slot| match &slot.choices {
            Choices::Words(words) => words.contains(&word),
            _ => false,
        };
        let slot = self.form.slots.iter().zip(&mut self.words.0).find(|(slot, _)| takes(slot));
        if let Some((_, empty @ None)) = slot {
            *empty = Some(Word::Plain(word));
        }
    }

    /// The requirement of an operand on a register.
    pub(crate) fn need(&self, operand: &OperandForm) -> Need {
        operand.need(|at| self.words.type_at(at))
    }

    /// The destination register.
    #[must_use]
    pub fn destination(&self) -> &Destination {
        let written = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Destination(register) | Arg::Pair(register, _) => Some(register),
            _ => None,
        });
        written.unwrap_or(&None)
    }

    /// The meaning of the first word that has one, which the form needs.
    ///
    /// # Panics
    /// When the form has no such word.
    pub(crate) fn one_of<T>(&self, meaning: fn(&str) -> Option<T>) -> T {
        let found = self.words.plain().find_map(meaning);
        found.expect("a form has the words that its operation asks for")
    }

    /// The type of the destination register.
    ///
    /// # Panics
    /// When the form has no destination.
    #[must_use]
    pub fn result(&self) -> Type {
        let written = self.form.operands.first().expect("the destination is the first operand");
        self.need(written).ty
    }

    /// The predicate that is written beside another register.
    #[must_use]
    pub fn predicate(&self) -> &Destination {
        let written = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Pair(_, predicate) => Some(predicate),
            _ => None,
        });
        written.unwrap_or(&None)
    }

    /// The values read, in order, each with its type.
    pub fn sources(&self) -> impl Iterator<Item = (&Value, Type)> {
        self.parts().filter_map(|(form, operand)| match operand {
            Arg::Value(value) => Some((value, self.need(form).ty)),
            _ => None,
        })
    }

    /// The value of the operand with this name.
    ///
    /// # Panics
    /// When the form has no such operand.
    #[must_use]
    pub fn value(&self, name: &str) -> &Value {
        self.optional(name).expect("a form has the operands that its lowering asks for")
    }

    /// The constant of the operand with this name.
    ///
    /// # Panics
    /// When the form has no such operand.
    #[must_use]
    pub fn constant(&self, name: &str) -> i128 {
        let found = self.parts().find_map(|(form, operand)| match operand {
            Arg::Constant(number) if form.name == name => Some(*number),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The address accessed.
    ///
    /// # Panics
    /// When the form has none.
    #[must_use]
    pub fn address(&self) -> &Address {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Memory(address) => Some(address),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The label that is jumped to.
    ///
    /// # Panics
    /// When the form has none.
    #[must_use]
    pub fn label(&self) -> &Spanned<String> {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Label(label) => Some(label),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The tensor map and the coordinates of the box.
    ///
    /// # Panics
    /// When the form has none.
    #[must_use]
    pub fn tensor(&self) -> (&Address, &[Value]) {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Tensor(map, coordinates) => Some((map, coordinates.as_slice())),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The address in brackets that is the operand of this name, if it is one.
    #[must_use]
    pub fn memory(&self, name: &str) -> Option<&Address> {
        self.parts().find_map(|(form, operand)| match operand {
            Arg::Memory(address) if form.name == name => Some(address),
            _ => None,
        })
    }

    /// The registers in braces that it writes.
    #[must_use]
    pub fn registers(&self) -> &[Destination] {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Into(registers) => Some(registers.as_slice()),
            _ => None,
        });
        found.unwrap_or(&[])
    }

    /// The registers in braces that are the operand of this name, if they are.
    #[must_use]
    pub fn elements(&self, name: &str) -> Option<&[Value]> {
        self.parts().find_map(|(form, operand)| match operand {
            Arg::Elements(values) if form.name == name => Some(values.as_slice()),
            _ => None,
        })
    }

    /// The value of the operand with this name, if it is written.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<&Value> {
        self.parts().find_map(|(form, operand)| match operand {
            Arg::Value(value) if form.name == name => Some(value),
            _ => None,
        })
    }

    /// The addresses accessed, each with its state space and the required alignment in bytes.
    pub fn accesses(&self) -> impl Iterator<Item = (&Address, Space, u64)> {
        self.parts().filter_map(|(form, operand)| match (operand, form.takes) {
            (Arg::Memory(address), Takes::Bytes(space, bytes)) => Some((address, space, bytes)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::row::form;

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
        let needed: Vec<bool> = form.slots.iter().map(|slot| slot.needed).collect();
        assert_eq!((form.opcode, needed), ("f", vec![false, true, true, false, true]));
        assert!(form.slots[4].is_type() && !form.slots[3].is_type());
    }
}
