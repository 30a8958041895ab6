//! Atomic operations and reductions (PTX-9.7.13.5, PTX-9.7.13.6), those of the column dialect
//! included.

use crate::ptx::demand::{Demand, Needs};
use crate::ptx::names::SPACES;
use crate::ptx::row::{Asks, Op, Row, Takes, form};
use crate::ptx::since::Later;

const ANYWHERE: &str = "global, shared and shared::cluster";
/// A list of words for `.sem`.
type Orders = [(&'static str, &'static [&'static str]); 1];
static ORDERS: Orders = [("sem", &["relaxed", "acquire", "release", "acq_rel"])];
static RED_ORDERS: Orders = [("sem", &["relaxed", "release"])];
static COLUMN_ORDERS: Orders = [("sem", &["acquire", "acq_rel"])];

/// Of one number, which is read and written.
const fn atom(text: &'static str, since: [u32; 3]) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[("d", Takes::Unused(0)), ("policy", Takes::Token)];
    form(text, "PTX-9.7.13.5", since, Op::Atomic)
        .changed(CHANGED)
        .lists(&ORDERS)
        .spaces(ANYWHERE)
        .operands(OPERANDS)
        .asked(&[("policy", "L2::cache_hint")])
        .demands(HINTED)
        .slots(ATOMS)
        .bare()
        .shown("atom.op d, [a], b")
        .takes(TAKES)
}

/// As [`atom`], of each element of a vector in global memory.
const fn atoms(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] =
        &[("d", Takes::Vector(0)), ("b", Takes::Vector(0)), ("policy", Takes::Token)];
    atom(text, [8, 1, 90]).spaces("global").operands(OPERANDS)
}

/// Of one number, whose old value is not read.
const fn red(text: &'static str, since: [u32; 3]) -> Row {
    form(text, "PTX-9.7.13.6", since, Op::Reduce)
        .changed(CHANGED)
        .lists(&RED_ORDERS)
        .spaces(ANYWHERE)
        .operands(&[("policy", Takes::Token)])
        .asked(&[("policy", "L2::cache_hint")])
        .demands(HINTED)
        .slots(REDS)
        .bare()
        .shown("red.op [a], b")
        .takes("red{.sem}{.scope}{.space}.op.type [a], b")
}

/// Reductions that acquire, which only columns have.
const fn acquiring(text: &'static str, types: &'static str) -> Row {
    red(text, LATER).lists(&COLUMN_ORDERS).types(types)
}

const fn reds(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[("b", Takes::Vector(0)), ("policy", Takes::Token)];
    red(text, [8, 1, 90]).spaces("global").operands(OPERANDS)
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    atom("atom{.sem}{.scope}{.space}.add{.L2::cache_hint}.type d, [a], b{, policy}", FIRST).types(NUMBERS).slots(ATOM_SUMS),
    atom("atom{.sem}{.scope}{.space}.add{.noftz}{.L2::cache_hint}.f32 d, [a], b{, policy}", FIRST),
    atom("atom{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.type d, [a], b{, policy}", [6, 2, 60]).types(HALVES).typed(),
    atom("atom{.sem}{.scope}{.space}.{and|or|xor}{.L2::cache_hint}.type d, [a], b{, policy}", FIRST).types(BITS),
    atom("atom{.sem}{.scope}{.space}.exch{.L2::cache_hint}.type d, [a], b{, policy}", FIRST).types(EXCHANGED),
    atom("atom{.sem}{.scope}{.space}.cas.type d, [a], b, c", FIRST).demands(&[]).types(COMPARED).shown("atom.cas d, [a], b, c").takes(TAKES),
    atom("atom{.sem}{.scope}{.space}.inc.type d, [a]{, b}", FIRST).demands(&[]).types(WORD).shown("atom.inc d, [a], b").takes(TAKES),
    atom("atom{.sem}{.scope}{.space}.dec.type d, [a], b", FIRST).demands(&[]).types(WORD),
    atom("atom{.sem}{.scope}{.space}.{min|max}{.L2::cache_hint}.type d, [a], b{, policy}", FIRST).types(INTEGERS),
    atom("atom{.sem}{.scope}{.space}.cas.L2::cache_hint.b128 d, [a], b, c, policy", FIRST).shown("atom.cas d, [a], b, c").takes(TAKES).spaces("global"),
    atom("atom{.sem}{.scope}{.space}.{inc|dec}.L2::cache_hint.type d, [a], b, policy", FIRST).types(WORD).spaces("global"),
    atoms("atom{.sem}{.scope}{.space}.add{.noftz}{.L2::cache_hint}.{v2|v4}.f32 d, [a], b{, policy}"),
    atoms("atom{.sem}{.scope}{.space}.{add|min|max}.noftz{.L2::cache_hint}.{v2|v4|v8}.{f16|bf16} d, [a], b{, policy}"),
    atoms("atom{.sem}{.scope}{.space}.{add|min|max}.noftz{.L2::cache_hint}.{v2|v4}.{f16x2|bf16x2} d, [a], b{, policy}"),
    red("red{.sem}{.scope}{.space}.add{.L2::cache_hint}.type [a], b{, policy}", LATER).types(NUMBERS).slots(RED_SUMS),
    red("red{.sem}{.scope}{.space}.add{.noftz}{.L2::cache_hint}.f32 [a], b{, policy}", LATER),
    red("red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.type [a], b{, policy}", [6, 2, 60]).types(HALVES).typed(),
    red("red{.sem}{.scope}{.space}.{and|or|xor}{.L2::cache_hint}.type [a], b{, policy}", LATER).types(BITS),
    red("red{.sem}{.scope}{.space}.{inc|dec}{.L2::cache_hint}.type [a], b{, policy}", LATER).types(WORD),
    red("red{.sem}{.scope}{.space}.{min|max}{.L2::cache_hint}.type [a], b{, policy}", LATER).types(INTEGERS),
    reds("red{.sem}{.scope}{.space}.add{.noftz}{.L2::cache_hint}.{v2|v4}.f32 [a], b{, policy}"),
    reds("red{.sem}{.scope}{.space}.{add|min|max}.noftz{.L2::cache_hint}.{v2|v4|v8}.{f16|bf16} [a], b{, policy}"),
    reds("red{.sem}{.scope}{.space}.{add|min|max}.noftz{.L2::cache_hint}.{v2|v4}.{f16x2|bf16x2} [a], b{, policy}"),
];

/// The column dialect has more functions, and reductions that acquire.
#[rustfmt::skip]
pub(super) static COLUMN_ROWS: &[Row] = &[
    atom("atom{.sem}{.scope}{.space}.{sub|mul|div}.type d, [a], b", FIRST).types(INTEGERS),
    red("red{.sem}{.scope}{.space}.{sub|mul|div}.type [a], b", LATER).types(INTEGERS),
    acquiring("red.{sem}{.scope}{.space}.add.type [a], b", ".u32, .u64, .s32, .f32 and .f64"),
    acquiring("red.{sem}{.scope}{.space}.add.noftz.type [a], b", HALVES).typed(),
    acquiring("red.{sem}{.scope}{.space}.{and|or|xor}.type [a], b", BITS),
    acquiring("red.{sem}{.scope}{.space}.{inc|dec}.type [a], b", WORD),
    acquiring("red.{sem}{.scope}{.space}.{min|max|sub|mul|div}.type [a], b", INTEGERS),
];

/// Only global memory has policies of the second cache.
const HINTED: &[Demand] = &[Demand::space(SHARED, Needs::Without(&["L2::cache_hint"]), "global")];
/// What came after the first atomics.
const CHANGED: &[Later] = &[
    Later::with(&[&["shared"]], [1, 2, 12]),
    Later::with(&[&["add", "cas", "exch"], DOUBLE], [1, 2, 12]),
    Later::with(&[SHARED, &["add", "cas", "exch"], DOUBLE], [2, 0, 20]),
    Later::with(&[&["f32"]], [2, 0, 20]),
    Later::without(SPACES, [2, 0, 20]),
    Later::with(&[&["and", "or", "xor", "min", "max"], DOUBLE], [3, 1, 32]),
    Later::with(&[&["f64"]], [5, 0, 60]),
    Later::with(&[&["cta", "gpu", "sys"]], [5, 0, 60]),
    Later::with(&[&["f16x2", "noftz"]], [6, 2, 60]),
    Later::with(&[&["f16", "b16"]], [6, 3, 70]),
    Later::with(&[&["bf16", "bf16x2"]], [7, 8, 90]),
    Later::with(&[&["b128"]], [8, 3, 90]),
];
const SHARED: &[&str] = &["shared", "shared::cta", "shared::cluster"];
const DOUBLE: &[&str] = &["b64", "u64", "s64"];
const TAKES: &str = "atom{.sem}{.scope}{.space}.op.type d, [a], b{, c}";
const FIRST: [u32; 3] = [1, 1, 11];
const LATER: [u32; 3] = [1, 2, 11];
const NUMBERS: &str = ".u32, .s32, .u64 and .f64";
const HALVES: &str = ".f16, .f16x2, .bf16 and .bf16x2";
const BITS: &str = ".b32 and .b64";
const EXCHANGED: &str = ".b32, .b64 and .b128";
const COMPARED: &str = ".b16, .b32, .b64 and .b128";
const WORD: &str = ".u32";
const INTEGERS: &str = ".u32, .s32, .u64 and .s64";

const ATOM: Asks = Asks::missing("an operation such as `.add`").choices(
    "the operations are and, or, xor, cas, exch, add, inc, dec, min and max; to subtract, add a \
         negative number",
);
const ATOMS: &[(&str, Asks)] = &[
    (".add", ATOM),
    (".exch", ATOM),
    (".cas", ATOM),
    (".inc", ATOM),
    (".dec", ATOM),
    (".{and|or|xor}", ATOM),
    (".{inc|dec}", ATOM),
    (".{min|max}", ATOM),
    (".{add|min|max}", ATOM),
    (".{sub|mul|div}", ATOM),
    (".noftz", NOFTZ),
];
const RED: Asks = Asks::missing("an operation such as `.add`").choices(
    "the operations are and, or, xor, add, inc, dec, min and max; `atom` has cas and exch, with \
         the destination `_` where the old value is not needed; to subtract, add a negative number",
);
const REDS: &[(&str, Asks)] = &[
    (".add", RED),
    (".{and|or|xor}", RED),
    (".{inc|dec}", RED),
    (".{min|max}", RED),
    (".{add|min|max}", RED),
    (".{sub|mul|div}", RED),
    (".{min|max|sub|mul|div}", RED),
    (".noftz", NOFTZ),
];
const SUMMED: Asks =
    Asks::missing("").legal(".u32, .s32, .u64, .f32, .f64, .f16, .f16x2, .bf16 and .bf16x2");
const ATOM_SUMS: &[(&str, Asks)] = &[(".add", ATOM), (".type", SUMMED)];
const RED_SUMS: &[(&str, Asks)] = &[(".add", RED), (".type", SUMMED)];
const NOFTZ: Asks = Asks::missing("`.noftz`, which 16-bit floating-point atomics have");
