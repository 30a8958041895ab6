//! The instructions of the subset, one row for each form, as the standard prints it.
//!
//! - A row is data: text, section, first version and target, what its words and operands may be, and
//!   what the instruction does ([`Op`]). [`super::form`] takes the text apart once.
//! - Decoding compares the words of an instruction with the slots of the opcode's forms, takes the
//!   nearest form, and says what is wrong with the first word or operand that does not fit it.
//! - What fits is a [`super::written::Written`]: form, words, operands. Printing, the registers that are
//!   read and written, the types that they have to have, the addresses that are accessed and what a
//!   host thread may execute follow from the form and the roles of its operands.
//! - Lowering matches on what the form does and asks for the operands by their names. A new
//!   instruction is a row here and an arm there.
//! - Accesses, moves, comparisons, barriers and other instructions that passes look at or change have an
//!   operation of their own, which is built from what is written. The way back is
//!   `ptx::spelling`: the words of the operation find the form, and all else follows from that.
//! - What words ask of each other and no text shows, such as the width of a vector in a state space, is
//!   a [`super::demand::Demand`] of the row.
//! - Forms that only the column dialect has are rows beside those of PTX.
//! - What came later than a form, such as the scope of clusters, is a [`super::since::Later`].
//! - The opcodes that are known, the words of PTX 1.4, the versions that kernels name, the list in `paper-notes/language.md` and the page
//!   of all forms come from here.

mod asynchronous;
mod atomic;
mod control;
mod data;
mod floating;
mod integer;
mod launch_control;
mod matrix;
mod memory;
mod multimem;
mod sync;
mod tcgen05;
mod tensor;
mod warp_matrix;

use super::form::Form;
use super::row::{Op, Row};
use super::value::{Comparison, Proxy};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// All rows, family by family.
static FAMILIES: [&[Row]; 14] = [
    memory::ROWS,
    multimem::ROWS,
    data::ROWS,
    atomic::ROWS,
    integer::ROWS,
    floating::ROWS,
    sync::ROWS,
    asynchronous::ROWS,
    tensor::ROWS,
    launch_control::ROWS,
    warp_matrix::ROWS,
    matrix::ROWS,
    tcgen05::ROWS,
    control::ROWS,
];

/// The rows that only the column dialect has.
static COLUMN_FAMILIES: [&[Row]; 3] =
    [atomic::COLUMN_ROWS, sync::COLUMN_ROWS, control::COLUMN_ROWS];

static FORMS: LazyLock<FxHashMap<&'static str, Vec<Form>>> = LazyLock::new(|| by_opcode(rows()));

/// The forms that only the column dialect has.
static COLUMN_FORMS: LazyLock<FxHashMap<&'static str, Vec<Form>>> =
    LazyLock::new(|| by_opcode(COLUMN_FAMILIES.iter().copied().flatten()));

static OPCODES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let decoded = |forms: &&Vec<Form>| forms.iter().any(|form| !matches!(form.row.op, Op::Outside));
    let mut opcodes: Vec<_> =
        FORMS.values().filter(decoded).filter_map(|forms| Some(forms.first()?.opcode)).collect();
    opcodes.sort_unstable();
    opcodes
});

/// The qualifiers of all forms, each with its first version.
static WORDS: LazyLock<FxHashMap<String, (u32, u32)>> = LazyLock::new(|| {
    let mut first: FxHashMap<String, (u32, u32)> = FxHashMap::default();
    for form in FORMS.values().flatten() {
        for word in form.words() {
            let version = form.since_with(&[&word]).version;
            let known = first.entry(word).or_insert(version);
            *known = version.min(*known);
        }
    }
    first
});

/// All rows of the table.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}

/// The forms of an opcode.
pub fn forms(opcode: &str) -> &'static [Form] {
    FORMS.get(opcode).map_or(&[], Vec::as_slice)
}

/// The instruction of an opcode's first form with this operation, given that it has no operands and that its
/// words leave nothing to choose.
#[cfg(feature = "cli")]
pub(crate) fn without_choice(
    opcode: &str,
    is_meant: impl Fn(Op) -> bool,
) -> Option<super::written::Written> {
    use super::form::{Choices, Filled, Slot};
    use super::words::{Word, Words};
    use super::written::Written;
    let form = forms(opcode).iter().find(|form| is_meant(form.row.op))?;
    let word = |slot: &Slot| match (&slot.filled, &slot.choices) {
        (Filled::Always, Choices::Words(words)) => match words[..] {
            [word] => Some(Some(Word::Plain(word))),
            _ => None,
        },
        _ => None,
    };
    let words: Vec<Option<Word>> = form.slots.iter().map(word).collect::<Option<_>>()?;
    (form.operands.is_empty() && form.row.implied.is_empty()).then(|| Written {
        form,
        words: Words(words),
        operands: Vec::new(),
        implied: Vec::new(),
    })
}

/// The forms of an opcode in PTX, or in the column dialect, which has those of PTX and forms of its own.
pub(crate) fn dialect_forms(
    opcode: &str,
    columns: bool,
) -> impl Iterator<Item = &'static Form> + use<> {
    let alias = control::ALIASES.iter().filter(|_| columns).find(|(own, ..)| *own == opcode);
    let alias = alias.map(|(_, other, _)| *other);
    // Bulk and asynchronous operations have no other proxy, and loads of old values neither.
    let synchronous =
        |op| matches!(op, Op::Load | Op::Store | Op::Atomic | Op::Reduce | Op::Branch);
    let fits = move |form: &&Form| alias.is_none() || synchronous(form.row.op);
    let opcode = alias.unwrap_or(opcode);
    let own = COLUMN_FORMS.get(opcode).filter(|_| columns).map_or(&[][..], Vec::as_slice);
    // Of fences that are as near, those of PTX are meant.
    let (first, last) =
        own.split_at(own.partition_point(|form| !matches!(form.row.op, Op::ProxyFence)));
    first.iter().chain(forms(opcode).iter().filter(fits)).chain(last)
}

/// The opcode of columns for a branch that compares.
pub(crate) fn branch(comparison: Comparison) -> Option<&'static str> {
    let fits = |row: &&Row| matches!(row.op, Op::CompareBranch(found) if found == comparison);
    control::COLUMN_ROWS.iter().find(fits)?.text.split(' ').next()
}

/// The proxy that an opcode stands for.
pub(crate) fn proxy(opcode: &str) -> Proxy {
    let alias = control::ALIASES.iter().find(|(own, ..)| *own == opcode);
    alias.map_or(Proxy::Generic, |(.., proxy)| *proxy)
}

/// The opcode that stands for an opcode of PTX through a proxy.
pub(crate) fn through(opcode: &'static str, proxy: Proxy) -> &'static str {
    let fits = |alias: &&(&str, &str, Proxy)| alias.1 == opcode && alias.2 == proxy;
    let alias = control::ALIASES.iter().filter(|_| proxy != Proxy::Generic).find(fits);
    alias.map_or(opcode, |(own, ..)| *own)
}

/// The opcodes of which some form is decoded, sorted; `paper-notes/language.md` lists them.
#[must_use]
pub fn opcodes() -> &'static [&'static str] {
    &OPCODES
}

/// The opcodes that only the column dialect has.
pub const COLUMN_OPCODES: &[&str] = control::COLUMNS;

/// The opcodes of which every form is outside the subset.
pub(crate) fn outside() -> impl Iterator<Item = &'static str> {
    control::OUTSIDE.iter().map(|(opcode, _)| *opcode)
}

/// The first version of the ISA with a qualifier, of whatever opcode; `None` if no form has the word.
pub(crate) fn first_with(word: &str) -> Option<(u32, u32)> {
    WORDS.get(word).copied()
}

/// Whether a version of the ISA has an opcode.
pub(crate) fn has(opcode: &str, version: (u32, u32)) -> bool {
    let decoded = forms(opcode).iter().map(|form| form.row.since.version);
    let outside = control::OUTSIDE.iter().filter(|(outside, _)| *outside == opcode);
    decoded.chain(outside.map(|(_, since)| *since)).any(|since| since <= version)
}

fn by_opcode(rows: impl Iterator<Item = &'static Row>) -> FxHashMap<&'static str, Vec<Form>> {
    let mut forms: FxHashMap<&str, Vec<Form>> = FxHashMap::default();
    for form in rows.map(Form::new) {
        forms.entry(form.opcode).or_default().push(form);
    }
    forms
}
