//! A row of the table of instructions, read as a form: its qualifiers as slots, its operands with
//! their roles; and what is written of a form in one statement.
//!
//! A row is written as the standard prints it: `shf.{l|r}.{clamp|wrap}.b32 d, a, b, c`.
//! `{.a|.b}` and `{, c}` may be left out, `.{a|b}` and `.a` may not; `.type` and `.space` stand for
//! the words that the row lists. `[a]` is an address, `{!}p` a predicate, `d|p` and `d{|p}` two
//! registers that are written, a number is itself.

use super::integer::{CarryOp, IntegerOp};
use super::names;
use super::need::{Fit, Need};
use super::value::{Address, ArithmeticOp, Destination, Space, Type, Value};
use super::warp::WarpOp;

/// One form of an instruction, as the table has it.
#[derive(Clone, Copy)]
pub struct Row {
    /// Opcode, qualifiers and operands as the standard prints them.
    pub text: &'static str,
    /// The section of the standard.
    pub section: &'static str,
    /// The first version of the ISA and the first target (`sm_20` is 20) that have it.
    pub since: Since,
    /// What it does.
    pub op: Op,
    /// What `.type` may be, as messages list it.
    pub(crate) types: &'static str,
    /// What `.space` may be, as messages list it.
    pub(crate) spaces: &'static str,
    /// What operands take that differ from the rest.
    pub(crate) operands: &'static [(&'static str, Takes)],
    /// What messages say of a slot where the slot itself does not.
    pub(crate) slots: &'static [(&'static str, Asks)],
    /// How messages about operands show it.
    pub(crate) shape: &'static str,
    /// How messages about qualifiers show it.
    pub(crate) takes: &'static str,
    /// What is said of a qualifier that has no slot.
    pub(crate) strictness: Strictness,
    /// Where the word of the first slot has to stand.
    pub(crate) first: First,
    /// What columns may leave out.
    pub(crate) columns: Columns,
    /// What it is called where a host thread has it, if only threads of a device may.
    pub device: Option<&'static str>,
}

/// The first version of the ISA and the first target that have a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Since {
    /// `.version`
    pub version: (u32, u32),
    /// The number of `sm_20`; 10 for all.
    pub target: u32,
}

/// What is wrong with a qualifier that has no slot: the word, or the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    Word,
    Form,
}

/// Where the word of a form's first slot has to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    Anywhere,
    BehindOpcode,
}

/// What the column dialect may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Nothing,
    /// The type, which is 64 bits then, and of several words the first.
    Words,
}

/// What messages say of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asks {
    /// What is missing where nothing stands in it.
    pub(crate) missing: &'static str,
    /// What may stand there, where something else does.
    pub(crate) legal: &'static str,
}

/// What an operand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// The type of the form that has this number.
    Type(usize),
    /// As [`Self::Type`], and the name of a variable, which is its address.
    Name(usize),
    /// As [`Self::Type`], and no constant.
    Register(usize),
    /// Just this type.
    Fixed(Type),
    /// A destination of 32 bits, which may be `_`.
    Sink,
    /// Two destinations, the first of 32 bits; the words say what is missing without the second.
    Both(super::error::Expected),
    /// A count or mask of 32 bits.
    Word,
    /// A token of 64 bits.
    Token,
    /// A size in bytes, of which constants are multiples of 8.
    Size,
    /// The position or length of a field, of which constants are 0 to 255.
    Field(&'static str),
    /// A word of several numbers, which comes from a register.
    Packed,
    /// A constant byte.
    Table,
    /// A generic address as a value.
    Pointer,
    /// The address of so many bytes in a state space.
    Bytes(Space, u64),
}

/// What an instruction does: which function decodes it into an operation of its own, or how it is
/// lowered.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum Op {
    /// A function of its own decodes it.
    Own,
    /// Operations of their own that the form says completely.
    Arithmetic(ArithmeticOp),
    Product,
    MultiplyAdd,
    Carry(fn(&Written) -> CarryOp),
    ClusterArrive,
    ClusterWait,
    GridDependencyWait,
    LaunchDependents,
    Exit,
    /// Known and without effect on memory.
    Nothing,
    /// As [`Self::Nothing`], with words and operands that nobody looks at.
    Unchecked,
    /// Known, checked, and outside the subset.
    Outside,
    /// Known and outside the subset; nobody looks at its words.
    Unread,
    // What stays as it is written until it is lowered.
    Integer(fn(&Written) -> IntegerOp),
    Float(ArithmeticOp),
    Select,
    Warp(fn(&Written) -> WarpOp),
    ToGeneric,
    FromGeneric,
    MapAddress,
    IsSpace,
    CtaRank,
    StackSave,
    StackRestore,
    StoreBulk,
    Discard,
    PendingCount,
}

/// A row of the table: a form, its section, the version of the ISA and the target that have it
/// first, and what it does.
pub(crate) const fn form(
    text: &'static str,
    section: &'static str,
    [major, minor, target]: [u32; 3],
    op: Op,
) -> Row {
    Row {
        text,
        section,
        since: Since { version: (major, minor), target },
        op,
        types: "",
        spaces: "",
        operands: &[],
        slots: &[],
        shape: text,
        takes: text,
        strictness: Strictness::Word,
        first: First::Anywhere,
        columns: Columns::Nothing,
        device: None,
    }
}

impl Row {
    /// What `.type` may be: `.b16 to .b64, .f32 and .f64`.
    pub(crate) const fn types(self, types: &'static str) -> Self {
        Self { types, ..self }
    }

    /// What `.space` may be: `global, local and shared`.
    pub(crate) const fn spaces(self, spaces: &'static str) -> Self {
        Self { spaces, ..self }
    }

    /// What these operands take; the others have the type of the form.
    pub(crate) const fn operands(self, operands: &'static [(&'static str, Takes)]) -> Self {
        Self { operands, ..self }
    }

    /// What messages say where a slot is empty, or has something that it does not take.
    pub(crate) const fn slots(self, slots: &'static [(&'static str, Asks)]) -> Self {
        Self { slots, ..self }
    }

    /// How messages show it, where several opcodes have one text.
    pub(crate) const fn shown(self, text: &'static str) -> Self {
        Self { shape: text, takes: text, ..self }
    }

    /// How messages about qualifiers show it, where they tell of its neighbours as well.
    pub(crate) const fn takes(self, takes: &'static str) -> Self {
        Self { takes, ..self }
    }

    /// Words that have no slot make a form that does not exist.
    pub(crate) const fn exact(self) -> Self {
        Self { strictness: Strictness::Form, ..self }
    }

    /// The word of the first slot belongs to the opcode.
    pub(crate) const fn leading(self) -> Self {
        Self { first: First::BehindOpcode, ..self }
    }

    /// Columns may leave its words out.
    pub(crate) const fn untyped(self) -> Self {
        Self { columns: Columns::Words, ..self }
    }

    /// Only threads of a device have it.
    pub(crate) const fn device(self, name: &'static str) -> Self {
        Self { device: Some(name), ..self }
    }
}

/// A row with its text taken apart.
pub struct Form {
    /// The row.
    pub row: &'static Row,
    /// The first word.
    pub opcode: &'static str,
    pub(crate) slots: Vec<Slot>,
    pub(crate) operands: Vec<OperandForm>,
}

/// A place of a form for one of several qualifiers.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Whether something has to stand in it.
    pub(crate) needed: bool,
    pub(crate) choices: Choices,
    /// What messages say of it, where the row does.
    pub(crate) asks: Option<Asks>,
}

/// What may stand in a slot.
#[derive(Debug)]
pub(crate) enum Choices {
    /// One of these words; `xorsign.abs` is two that go together.
    Words(Vec<&'static str>),
    /// One of these types.
    Types(Vec<Type>),
    /// One of these state spaces.
    Spaces(Vec<Space>),
}

impl Slot {
    /// Whether types stand in it: they come in the order of their slots.
    pub(crate) fn is_type(&self) -> bool {
        match &self.choices {
            Choices::Types(_) => true,
            Choices::Words(words) => words.iter().any(|word| type_of(word).is_some()),
            Choices::Spaces(_) => false,
        }
    }
}

/// An operand of a form.
#[derive(Debug)]
pub(crate) struct OperandForm {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) takes: Takes,
    pub(crate) optional: bool,
}

/// What an instruction does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
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
    /// It is this number.
    Constant(i128),
}

impl OperandForm {
    /// What it asks of a register, in an instruction with these types.
    pub(crate) fn need(&self, ty: impl Fn(usize) -> Type) -> Need {
        match (self.role, self.takes) {
            (Role::Truth, _) => Need::PREDICATE,
            (Role::Memory | Role::Constant(_), _) => Need::ADDRESS,
            (_, Takes::Type(at) | Takes::Name(at) | Takes::Register(at)) => Need::exact(ty(at)),
            (_, Takes::Fixed(ty)) => Need::exact(ty),
            (_, Takes::Sink | Takes::Both(_)) => Need::exact(Type::B32),
            (_, Takes::Word | Takes::Field(_) | Takes::Table) => Need::WORD,
            (_, Takes::Token) => Need::TOKEN,
            (_, Takes::Size) => Need::new(Type::B32, Fit::Count),
            (_, Takes::Packed) => Need::new(Type::B32, Fit::Bits),
            (_, Takes::Pointer | Takes::Bytes(..)) => Need::ADDRESS,
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

    /// How few operands and how many it has.
    pub(crate) fn operand_counts(&self) -> (usize, usize) {
        let optional = self.operands.iter().filter(|operand| operand.optional).count();
        (self.operands.len() - optional, self.operands.len())
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
    let tokens = text.split(", ").filter(|token| !token.is_empty()).enumerate();
    tokens
        .map(|(at, token)| {
            let last_may_end = if optional { token.strip_suffix('}') } else { None };
            let written = last_may_end.unwrap_or(token);
            let (written, next) = match written.strip_suffix('{') {
                Some(written) => (written, true),
                None => (written, false),
            };
            let this = std::mem::replace(&mut optional, next);
            operand(row, at, written, this)
        })
        .collect()
}

fn operand(row: &'static Row, at: usize, text: &'static str, optional: bool) -> OperandForm {
    let (role, name) = match text {
        _ if text.starts_with('[') => (Role::Memory, text.trim_matches(['[', ']'])),
        _ if text.starts_with("{!}") => (Role::Truth, &text[3..]),
        _ if text.contains('|') => (Role::Pair, text.split(['{', '|']).next().unwrap_or(text)),
        _ => match text.parse() {
            Ok(number) => (Role::Constant(number), text),
            Err(_) if at == 0 && matches!(text, "d" | "p") => (Role::Destination, text),
            Err(_) => (Role::Source, text),
        },
    };
    let given = row.operands.iter().find(|(operand, _)| *operand == name);
    let takes = given.map_or_else(
        || match (role, name) {
            (_, "membermask") => Takes::Word,
            (Role::Destination, "p") => Takes::Fixed(Type::PREDICATE),
            _ => Takes::Type(0),
        },
        |(_, takes)| *takes,
    );
    let role = match (role, takes) {
        (Role::Source, Takes::Fixed(Type::PREDICATE)) => Role::Truth,
        (role, _) => role,
    };
    OperandForm { name, role, takes, optional }
}

/// The items of a list in words: `a, b and c`.
fn listed(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(", ").flat_map(|part| part.split(" and ")).filter(|item| !item.is_empty())
}

/// The types of a list in words: `.b16 to .b64, .f32 and .f64`; what is no type of a register by
/// itself is in forms of its own.
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

/// The type that a word names, those of parts of words included.
pub(crate) fn type_of(word: &str) -> Option<Type> {
    names::ty(word).or_else(|| names::part(word))
}

/// One instruction as it is written, of a form of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The form.
    pub form: &'static Form,
    /// What stands in each slot.
    pub(crate) words: Vec<Option<Word>>,
    /// The operands, which are fewer than those of the form where the last may be left out.
    pub(crate) operands: Vec<Arg>,
}

/// A qualifier of a written instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Plain(&'static str),
    Type(Type),
    Space(Space),
}

/// An operand of a written instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    Destination(Destination),
    Pair(Destination, Destination),
    Value(Value),
    Memory(Address),
    Constant(i128),
}

impl Written {
    /// What it does.
    #[must_use]
    pub fn op(&self) -> Op {
        self.form.row.op
    }

    /// Whether it has a qualifier.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.plain().any(|found| found == word)
    }

    /// Its qualifiers that are neither types nor state spaces by their slots.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &'static str> {
        let words = self.words.iter().flatten();
        let plain = words.filter_map(|word| match word {
            Word::Plain(word) => Some(word.split('.')),
            Word::Type(_) | Word::Space(_) => None,
        });
        plain.flatten()
    }

    /// Its type with this number.
    ///
    /// # Panics
    /// When its form has no such type.
    #[must_use]
    pub fn type_at(&self, number: usize) -> Type {
        let types = self.words.iter().flatten().filter_map(|word| match word {
            Word::Type(ty) => Some(*ty),
            Word::Plain(word) => type_of(word),
            Word::Space(_) => None,
        });
        types.into_iter().nth(number).expect("a form has the types that its operands take")
    }

    /// Its first type.
    ///
    /// # Panics
    /// When its form has none.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.type_at(0)
    }

    /// The state space that its qualifier names; generic without one.
    #[must_use]
    pub fn space(&self) -> Space {
        let found = self.words.iter().flatten().find_map(|word| match word {
            Word::Space(space) => Some(*space),
            Word::Type(_) | Word::Plain(_) => None,
        });
        found.unwrap_or(Space::Generic)
    }

    /// Its operands with their forms.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static OperandForm, &Arg)> {
        let form: &'static Form = self.form;
        form.operands.iter().zip(&self.operands)
    }

    /// What an operand asks of a register.
    pub(crate) fn need(&self, operand: &OperandForm) -> Need {
        operand.need(|at| self.type_at(at))
    }

    /// The register that it writes.
    #[must_use]
    pub fn destination(&self) -> &Destination {
        let written = self.operands.iter().find_map(|operand| match operand {
            Arg::Destination(register) | Arg::Pair(register, _) => Some(register),
            _ => None,
        });
        written.unwrap_or(&None)
    }

    /// The type of the register that it writes.
    ///
    /// # Panics
    /// When its form writes none.
    #[must_use]
    pub fn result(&self) -> Type {
        let written = self.form.operands.first().expect("the destination is the first operand");
        self.need(written).ty
    }

    /// The predicate that it writes beside another register.
    #[must_use]
    pub fn predicate(&self) -> &Destination {
        let written = self.operands.iter().find_map(|operand| match operand {
            Arg::Pair(_, predicate) => Some(predicate),
            _ => None,
        });
        written.unwrap_or(&None)
    }

    /// The values that it reads, in order, each with its type.
    pub fn sources(&self) -> impl Iterator<Item = (&Value, Type)> {
        self.parts().filter_map(|(form, operand)| match operand {
            Arg::Value(value) => Some((value, self.need(form).ty)),
            _ => None,
        })
    }

    /// The value that is the operand of this name.
    ///
    /// # Panics
    /// When its form has no such operand.
    #[must_use]
    pub fn value(&self, name: &str) -> &Value {
        let found = self.parts().find_map(|(form, operand)| match operand {
            Arg::Value(value) if form.name == name => Some(value),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The constant that is the operand of this name.
    ///
    /// # Panics
    /// When its form has no such operand.
    #[must_use]
    pub fn constant(&self, name: &str) -> i128 {
        let found = self.parts().find_map(|(form, operand)| match operand {
            Arg::Constant(number) if form.name == name => Some(*number),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The addresses that it accesses, each with its state space and the bytes that it is a
    /// multiple of.
    pub fn accesses(&self) -> impl Iterator<Item = (&Address, Space, u64)> {
        self.parts().filter_map(|(form, operand)| match (operand, form.takes) {
            (Arg::Memory(address), Takes::Bytes(space, bytes)) => Some((address, space, bytes)),
            _ => None,
        })
    }
}
