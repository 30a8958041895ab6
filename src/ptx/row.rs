//! A row of the table of instructions: the description of one form.
//!
//! A row is written as the standard prints it: `shf.{l|r}.{clamp|wrap}.b32 d, a, b, c`.
//! `{.a|.b}` and `{, c}` may be left out, `.{a|b}` and `.a` may not; `.type`, `.space` and `.scope`
//! stand for the words that the row lists, as names of `Row::lists` do; in `{.a|.b.scope}`, or in such
//! a list, a scope stands beside `.b`, and nowhere else. `{d}` is registers in braces, `[a]` is an address, `{!}p` a
//! predicate, `d|p` and `d{|p}` two registers that are written, a number is itself, `label` is one.

use super::asynchronous::AsyncOp;
use super::demand::Demand;
use super::error::Legal;
use super::integer::{CarryOp, IntegerOp};
use super::mismatch::Expected;
use super::since::{EVERYWHERE, Later, Since, Variants};
use super::value::{ArithmeticOp, Comparison, Space, Type};
use super::warp::WarpOp;
use super::words::Words;

/// One form of an instruction in the table.
#[derive(Clone, Copy)]
pub struct Row {
    /// Opcode, qualifiers and operands as the standard prints them.
    pub text: &'static str,
    /// The section of the standard.
    pub section: &'static str,
    /// The first version of the ISA and the first target with the form.
    pub since: Since,
    /// The words and combinations of the form that came later.
    pub(crate) later: &'static [Later],
    /// The operation.
    pub op: Op,
    /// The legal types for `.type`, as messages list them.
    pub types: &'static str,
    /// The legal spaces for `.space`, as messages list them.
    pub spaces: &'static str,
    /// The legal scopes for `.scope`.
    pub(crate) scopes: &'static str,
    /// The words for each named list of the text, such as `.shape`.
    pub(crate) lists: &'static [(&'static str, &'static [&'static str])],
    /// The operands with types other than the default.
    pub(crate) operands: &'static [(&'static str, Takes)],
    /// The registers that are read or written without being operands.
    pub(crate) implied: &'static [(&'static str, Implied)],
    /// Words, with the optional operands that are present exactly beside them.
    pub(crate) asked: &'static [(&'static str, &'static str)],
    /// The messages about slots whose default message does not fit.
    pub(crate) slots: &'static [(&'static str, Asks)],
    /// The constraints between words that the text does not express.
    pub demands: &'static [Demand],
    /// The form in messages about operands.
    pub(crate) shape: &'static str,
    /// The form in messages about qualifiers.
    pub(crate) takes: &'static str,
    /// The message about a qualifier without a slot.
    pub(crate) strictness: Strictness,
    /// The number of slots whose words belong to the opcode and follow it.
    pub(crate) leading: usize,
    /// The word that distinguishes the form from others of its opcode: an instruction with this word is
    /// of a form that has the word.
    pub(crate) marker: &'static str,
    /// The words that columns may omit.
    pub(crate) columns: Columns,
    /// The name in messages to host threads, if only device threads may use the form.
    pub device: Option<&'static str>,
}

/// The role of a register that is no operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Implied {
    /// A register that is read, as the opcode implies.
    Read,
    /// A register that is written, as this qualifier implies.
    Written(&'static str),
}

/// The error for a qualifier without a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// An unknown word: no instruction of this opcode takes it.
    Word,
    /// The form, which does not exist.
    Form,
}

/// The words that the column dialect may omit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Nothing,
    /// The type, which is 64 bits then.
    Types,
    /// As [`Self::Types`], and of several words the first.
    Words,
}

/// The messages about a slot.
#[derive(Clone, Copy, Debug)]
pub struct Asks {
    /// The description of the missing word if the slot is empty.
    pub(crate) missing: &'static str,
    /// The legal words if another one is in the slot.
    pub(crate) legal: &'static str,
    /// The words to choose from, in a sentence: help if the slot is empty, and if a word without a
    /// slot may have been meant for it.
    pub(crate) choices: &'static str,
}

impl Asks {
    /// The description of the missing word if the slot is empty.
    pub(crate) const fn missing(missing: &'static str) -> Self {
        Self { missing, legal: "", choices: "" }
    }

    /// Sets the legal words if another one is in the slot.
    pub(crate) const fn legal(self, legal: &'static str) -> Self {
        Self { legal, ..self }
    }

    /// Sets the words to choose from.
    pub(crate) const fn choices(self, choices: &'static str) -> Self {
        Self { choices, ..self }
    }
}

/// The constants that an operand may be.
#[derive(Debug, PartialEq, Eq)]
pub struct Limits {
    /// The description of the operand.
    pub(crate) what: &'static str,
    /// The least legal number.
    pub least: i128,
    /// The greatest.
    pub most: i128,
    /// The divisor of all legal numbers.
    pub step: i128,
    /// The legal numbers in words.
    pub(crate) legal: Legal,
}

impl Limits {
    /// Whether a number is legal.
    pub(crate) fn include(&self, number: i128) -> bool {
        (self.least..=self.most).contains(&number) && number % self.step == 0
    }
}

/// The operands that a form accepts at one place. A number stands for a type word of the form, by its
/// index: `Type(0)` has the first type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A value of the type.
    Type(usize),
    /// As [`Self::Type`], or the name of a variable for its address.
    Name(usize),
    /// As [`Self::Type`]; a destination may be `_`.
    Unused(usize),
    /// As [`Self::Type`], but no constant.
    Register(usize),
    /// As [`Self::Type`], or a special register.
    Special(usize),
    /// As [`Self::Special`], or the address of a variable.
    Moved(usize),
    /// An operand of the type for each element of the vector, in braces; a destination may be `_` for all
    /// elements.
    Vector(usize),
    /// As [`Self::Vector`]; without a vector length one operand, in braces or not. Registers may be wider
    /// than the type (PTX-9.4.1).
    Data(usize),
    /// As [`Self::Data`], but registers may not be wider.
    Lanes(usize),
    /// As [`Self::Special`], but registers may be wider (PTX-9.4.1).
    Converted(usize),
    /// A number of twice the width of the type.
    Wide(usize),
    /// The components, of the type, of a special register that is a vector.
    Components(usize),
    /// Registers in braces that together make up a value of the type.
    Parts(usize),
    /// A value of a fixed type.
    Fixed(Type),
    /// A destination of 32 bits or `_`.
    Sink,
    /// Two destinations, the first of 32 bits, with the expectation to report if only one is written.
    Both(Expected),
    /// A count or mask of 32 bits.
    Word,
    /// The number of bytes to copy from a source, or a predicate that excludes the copy.
    Amount,
    /// A token of 64 bits; a destination may be `_`.
    Token,
    /// A size in bytes; a constant has to be a multiple of 8.
    Size,
    /// A count of 32 bits; a constant has to be within the limits.
    Within(&'static Limits),
    /// A register that packs several numbers into one word.
    Packed,
    /// A constant byte.
    Table,
    /// A generic address as a value.
    Pointer,
    /// The address of a number of bytes in a state space.
    Bytes(Space, u64),
    /// Registers of 32 bits in braces, with any contents.
    Fragment,
    /// A matrix in shared memory, by a descriptor of 64 bits or by the name of a variable.
    Descriptor,
    /// As [`Self::Descriptor`], or registers in braces.
    Matrix,
    /// As [`Self::Descriptor`], or an address in Tensor Memory.
    Factor,
    /// An address in Tensor Memory, in columns.
    Columns,
}

/// The operation of an instruction: the conversion of what is written, or the way in which it is
/// lowered.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum Op {
    // The form says all of an operation of its own.
    Load,
    /// A load that may give an old value.
    LoadIncoherent,
    Store,
    MultimemLoadReduce,
    MultimemStore,
    MultimemReduce,
    Arithmetic(ArithmeticOp),
    Product,
    MultiplyAdd,
    Move,
    MoveVector,
    Pack,
    Unpack,
    Convert,
    Compare,
    Branch,
    CompareBranch(Comparison),
    CtaBarrier,
    WarpBarrier,
    Atomic,
    Reduce,
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
    /// As [`Self::Nothing`], with words and operands that are not checked.
    Unchecked,
    /// Known, checked, and outside the subset.
    Outside,
    // Forms that are kept as written until they are lowered.
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
    IsCanceled,
    FirstCta,
    ReplaceMap,
    CopyMap,
    LoadMatrix,
    StoreMatrix,
    LoadFragment,
    StoreFragment,
    WarpgroupFence,
    BeforeThreadSync,
    AfterThreadSync,
    AllocateColumns,
    FreeColumns,
    Async(AsyncOp),
}

impl Op {
    /// Whether its scalars stand without braces, which those of loads and stores may have.
    pub(crate) fn takes_bare_scalars(self) -> bool {
        matches!(
            self,
            Self::Atomic
                | Self::Reduce
                | Self::MultimemLoadReduce
                | Self::MultimemStore
                | Self::MultimemReduce
        )
    }

    /// Whether it is an operation on an mbarrier object.
    pub(crate) fn is_of_mbarrier(self) -> bool {
        matches!(
            self,
            Self::MbarrierInit
                | Self::MbarrierInval
                | Self::MbarrierExpect
                | Self::MbarrierComplete
                | Self::MbarrierArrive
                | Self::MbarrierWait
        )
    }
}

/// A row of the table: a form, its section, the first ISA version and the first target with the
/// form, and its operation.
pub(crate) const fn form(
    text: &'static str,
    section: &'static str,
    since: [u32; 3],
    op: Op,
) -> Row {
    Row {
        text,
        section,
        since: Since::of(since),
        later: &[],
        op,
        types: "",
        spaces: "",
        scopes: "cta, cluster, gpu and sys",
        lists: &[],
        operands: &[],
        implied: &[],
        asked: &[],
        slots: &[],
        demands: &[],
        shape: text,
        takes: text,
        strictness: Strictness::Word,
        leading: 0,
        marker: "",
        columns: Columns::Nothing,
        device: None,
    }
}

impl Row {
    /// Sets the legal types for `.type`: `.b16 to .b64, .f32 and .f64`.
    pub(crate) const fn types(self, types: &'static str) -> Self {
        Self { types, ..self }
    }

    /// Sets the legal spaces for `.space`: `global, local and shared`.
    pub(crate) const fn spaces(self, spaces: &'static str) -> Self {
        Self { spaces, ..self }
    }

    /// Sets the legal scopes for `.scope`, a subset of the four.
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

    /// Sets the accepted types of these operands; the others have the type of the form.
    pub(crate) const fn operands(self, operands: &'static [(&'static str, Takes)]) -> Self {
        Self { operands, ..self }
    }

    /// Sets the registers that are read or written without being operands.
    pub(crate) const fn implied(self, implied: &'static [(&'static str, Implied)]) -> Self {
        Self { implied, ..self }
    }

    /// Sets the operands that are present exactly beside these words: `.L2::cache_hint` and its
    /// policy.
    pub(crate) const fn asked(self, asked: &'static [(&'static str, &'static str)]) -> Self {
        Self { asked, ..self }
    }

    /// Sets the messages for slots that are empty or have an illegal word.
    pub(crate) const fn slots(self, slots: &'static [(&'static str, Asks)]) -> Self {
        Self { slots, ..self }
    }

    /// Sets what words ask of others.
    pub(crate) const fn demands(self, demands: &'static [Demand]) -> Self {
        Self { demands, ..self }
    }

    /// Sets the form in messages, if several opcodes share one text.
    pub(crate) const fn shown(self, text: &'static str) -> Self {
        Self { shape: text, takes: text, ..self }
    }

    /// Sets the form in messages about qualifiers, if it covers neighbouring forms as well.
    pub(crate) const fn takes(self, takes: &'static str) -> Self {
        Self { takes, ..self }
    }

    /// Sets the words and combinations that came later.
    pub(crate) const fn changed(self, later: &'static [Later]) -> Self {
        Self { later, ..self }
    }

    /// What came later than the form, in any instruction or in its own.
    pub fn later(&self) -> impl Iterator<Item = &'static Later> {
        EVERYWHERE.iter().chain(self.later)
    }

    /// The first version and target with an instruction of the form that has these words, and the
    /// optional operands whose names are in braces.
    pub(crate) fn since(&self, words: &[&str]) -> Since {
        self.later().filter_map(|later| later.since(words)).fold(self.since, Since::and)
    }

    /// Restricts the form to the variant `a` of its first target, and to others of its family.
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

    /// The word that tells the form from others of its opcode.
    pub(crate) const fn marked(self, marker: &'static str) -> Self {
        Self { marker, ..self }
    }

    /// Lets columns omit its types.
    pub(crate) const fn bare(self) -> Self {
        Self { columns: Columns::Types, ..self }
    }

    /// Lets columns omit nothing.
    pub(crate) const fn typed(self) -> Self {
        Self { columns: Columns::Nothing, ..self }
    }

    /// Lets columns omit its words.
    pub(crate) const fn untyped(self) -> Self {
        Self { columns: Columns::Words, ..self }
    }

    /// Restricts the form to device threads.
    pub(crate) const fn device(self, name: &'static str) -> Self {
        Self { device: Some(name), ..self }
    }
}
