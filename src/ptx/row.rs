//! A row of the table of instructions: what is written down of one form.
//!
//! A row is written as the standard prints it: `shf.{l|r}.{clamp|wrap}.b32 d, a, b, c`.
//! `{.a|.b}` and `{, c}` may be left out, `.{a|b}` and `.a` may not; `.type`, `.space` and `.scope`
//! stand for the words that the row lists, as names of [`Row::lists`] do. `{d}` is registers in braces,
//! `[a]` is an address, `{!}p` a predicate, `d|p` and
//! `d{|p}` two registers that are written, a number is itself.

use super::asynchronous::AsyncOp;
use super::integer::{CarryOp, IntegerOp};
use super::mismatch::Expected;
use super::value::{ArithmeticOp, Space, Type};
use super::warp::WarpOp;
use super::words::Words;

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
    pub types: &'static str,
    /// What `.space` may be, as messages list it.
    pub spaces: &'static str,
    /// What `.scope` may be.
    pub(crate) scopes: &'static str,
    /// The words that may stand where the text has a name for them, such as `.shape`.
    pub(crate) lists: &'static [(&'static str, &'static [&'static str])],
    /// What operands take that differ from the rest.
    pub(crate) operands: &'static [(&'static str, Takes)],
    /// The words that ask for an operand which may be left out without them, and only then.
    pub(crate) asked: &'static [(&'static str, &'static str)],
    /// What messages say of a slot where the slot itself does not.
    pub(crate) slots: &'static [(&'static str, Asks)],
    /// How messages about operands show it.
    pub(crate) shape: &'static str,
    /// How messages about qualifiers show it.
    pub(crate) takes: &'static str,
    /// What is said of a qualifier that has no slot.
    pub(crate) strictness: Strictness,
    /// The words of so many slots belong to the opcode and follow it.
    pub(crate) leading: usize,
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
    /// Which architectures have it.
    pub variants: Variants,
}

/// Which architectures have a form, given the first that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variants {
    /// That one and all later ones.
    All,
    /// Its variant `a`, which later ones need not follow.
    Special,
}

/// What is wrong with a qualifier that has no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The word: no instruction of this opcode takes it.
    Word,
    /// The form, which does not exist.
    Form,
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
pub struct Asks {
    /// What is missing where nothing stands in it.
    pub(crate) missing: &'static str,
    /// What may stand there, where something else does.
    pub(crate) legal: &'static str,
}

/// The constants that an operand may be.
#[derive(Debug, PartialEq, Eq)]
pub struct Limits {
    /// What the operand is.
    pub(crate) what: &'static str,
    /// The least of them.
    pub least: i128,
    /// The greatest.
    pub most: i128,
    /// The same in words.
    pub(crate) legal: &'static str,
}

/// What an operand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
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
    /// Two destinations, the first of 32 bits, and what is expected where there is one.
    Both(Expected),
    /// A count or mask of 32 bits.
    Word,
    /// How many bytes of a source are copied, or a predicate that says that none is.
    Amount,
    /// A token of 64 bits; as a destination it may be `_`.
    Token,
    /// A size in bytes, of which constants are multiples of 8.
    Size,
    /// A count of 32 bits, of which constants have limits.
    Within(&'static Limits),
    /// A word of several numbers, which comes from a register.
    Packed,
    /// A constant byte.
    Table,
    /// A generic address as a value.
    Pointer,
    /// The address of so many bytes in a state space.
    Bytes(Space, u64),
    /// Registers of 32 bits in braces, whatever they hold.
    Fragment,
    /// A matrix in shared memory by a descriptor of 64 bits, or by the name of a variable.
    Descriptor,
    /// As [`Self::Descriptor`], or registers in braces.
    Matrix,
    /// As [`Self::Descriptor`], or an address in Tensor Memory.
    Factor,
    /// An address in Tensor Memory, in columns.
    Columns,
}

/// What an instruction does: which function decodes it into an operation of its own, or how it is
/// lowered.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum Op {
    /// A function of its own decodes it.
    Own,
    // The form says all of an operation of its own.
    Arithmetic(ArithmeticOp),
    Product,
    MultiplyAdd,
    Carry(fn(&Words) -> CarryOp),
    Fence,
    ProxyFence,
    MbarrierInit,
    MbarrierInval,
    MbarrierExpect,
    MbarrierComplete,
    MbarrierArrive,
    MbarrierWait,
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
    // What stays as it is written until it is lowered.
    Integer(fn(&Words) -> IntegerOp),
    Logic,
    Float(ArithmeticOp),
    Select,
    Warp(fn(&Words) -> WarpOp),
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
    ReplaceMap,
    CopyMap,
    WarpgroupFence,
    BeforeThreadSync,
    AfterThreadSync,
    AllocateColumns,
    FreeColumns,
    Async(AsyncOp),
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
        since: Since { version: (major, minor), target, variants: Variants::All },
        op,
        types: "",
        spaces: "",
        scopes: "cta, cluster, gpu and sys",
        lists: &[],
        operands: &[],
        asked: &[],
        slots: &[],
        shape: text,
        takes: text,
        strictness: Strictness::Word,
        leading: 0,
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

    /// What `.scope` may be, of all four.
    pub(crate) const fn scopes(self, scopes: &'static str) -> Self {
        Self { scopes, ..self }
    }

    /// The words that a name in the text stands for: `.shape`.
    pub(crate) const fn lists(
        self,
        lists: &'static [(&'static str, &'static [&'static str])],
    ) -> Self {
        Self { lists, ..self }
    }

    /// What these operands take; the others have the type of the form.
    pub(crate) const fn operands(self, operands: &'static [(&'static str, Takes)]) -> Self {
        Self { operands, ..self }
    }

    /// Operands that are there just where these words are: `.L2::cache_hint` and its policy.
    pub(crate) const fn asked(self, asked: &'static [(&'static str, &'static str)]) -> Self {
        Self { asked, ..self }
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

    /// Only the variant `a` of its first target has it, and others of its family.
    pub(crate) const fn special(self) -> Self {
        Self { since: Since { variants: Variants::Special, ..self.since }, ..self }
    }

    /// Words that have no slot make a form that does not exist.
    pub(crate) const fn exact(self) -> Self {
        Self { strictness: Strictness::Form, ..self }
    }

    /// The words of so many slots belong to the opcode.
    pub(crate) const fn leading(self, leading: usize) -> Self {
        Self { leading, ..self }
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
