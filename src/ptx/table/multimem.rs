//! Accesses to multimem addresses (PTX-9.7.9.14).

use crate::ptx::demand::{Demand, Needs};
use crate::ptx::row::{Asks, Op, Row, Takes, form};
use crate::ptx::since::Later;

const LISTS: &[(&str, &[&str])] = &[
    ("ldsem", &["weak", "relaxed.scope", "acquire.scope"]),
    ("stsem", &["weak", "relaxed.scope", "release.scope"]),
    ("redsem", &["relaxed", "release"]),
    ("vec", VECTORS),
];

const fn multimem(text: &'static str, op: Op, shape: &'static str) -> Row {
    const LATER: &[Later] = &[
        Later::with(&[&["acc::f32"]], [8, 2, 90]),
        Later::with(&[&["acc::f16"]], [8, 6, 100]).special(),
        Later::with(&[NARROW_TYPES], [8, 6, 100]).special(),
    ];
    form(text, "PTX-9.7.9.14", [8, 1, 90], op)
        .changed(LATER)
        .lists(LISTS)
        .operands(&[("d", Takes::Lanes(0)), ("b", Takes::Lanes(0))])
        .slots(SLOTS)
        .leading(1)
        .demands(&[HALVES])
        .shown(shape)
}

const fn load_reduce(text: &'static str) -> Row {
    multimem(
        text,
        Op::MultimemLoadReduce,
        "multimem.ld_reduce{.weak|.relaxed.scope|.acquire.scope}{.global}.op.type d, [a]",
    )
    .demands(&[SUMMED, PRECISE, COARSE, HALVES, PARTS])
}

const fn store(text: &'static str) -> Row {
    multimem(
        text,
        Op::MultimemStore,
        "multimem.st{.weak|.relaxed.scope|.release.scope}{.global}.type [a], b",
    )
    .demands(&[HALVES, PARTS])
}

const fn reduce(text: &'static str) -> Row {
    multimem(
        text,
        Op::MultimemReduce,
        "multimem.red{.relaxed|.release}{.scope}{.global}.op.type [a], b",
    )
    .demands(&[NO_PARTS, SCALARS, HALVES])
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.{and|or|xor}.type d, [a]").types(BITS),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.{min|max}.type d, [a]").types(INTEGERS),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.add.type d, [a]").types(SUMS),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.add{.acc::f32}{.vec}.type d, [a]").types(PAIRS),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.add{.acc::f32}.vec.type d, [a]").types(SINGLE),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.add.{v2|v4}.f32 d, [a]"),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.{min|max}{.vec}.type d, [a]").types(PAIRS),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.{min|max}.vec.type d, [a]").types(SINGLE),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.add{.acc::f16}{.vec}.type d, [a]").types(NARROW),
    load_reduce("multimem.ld_reduce{.ldsem}{.global}.{min|max}{.vec}.type d, [a]").types(NARROW),
    store("multimem.st{.stsem}{.global}.type [a], b").types(WORDS),
    store("multimem.st{.stsem}{.global}{.vec}.type [a], b").types(PAIRS),
    store("multimem.st{.stsem}{.global}.vec.type [a], b").types(SINGLE),
    store("multimem.st{.stsem}{.global}.{v2|v4}.f32 [a], b"),
    store("multimem.st{.stsem}{.global}{.vec}.type [a], b").types(NARROW),
    reduce("multimem.red{.redsem}{.scope}{.global}.{and|or|xor}.type [a], b").types(BITS),
    reduce("multimem.red{.redsem}{.scope}{.global}.{min|max}.type [a], b").types(INTEGERS),
    reduce("multimem.red{.redsem}{.scope}{.global}.add.type [a], b").types(SUMS),
    reduce("multimem.red{.redsem}{.scope}{.global}.add{.vec}.type [a], b").types(PAIRS),
    reduce("multimem.red{.redsem}{.scope}{.global}.add.vec.type [a], b").types(SINGLE),
    reduce("multimem.red{.redsem}{.scope}{.global}.add.{v2|v4}.f32 [a], b"),
    reduce("multimem.red{.redsem}{.scope}{.global}.{min|max}.vec.type [a], b").types(HALF),
];

const VECTORS: &[&str] = &["v2", "v4", "v8"];
const BITS: &str = ".b32 and .b64";
const INTEGERS: &str = ".u32, .u64, .s32 and .s64";
const SUMS: &str = ".u32, .u64, .s32, .f32 and .f64";
const WORDS: &str = ".b32, .b64, .u32, .u64, .s32, .s64, .f32 and .f64";
const PAIRS: &str = ".f16x2 and .bf16x2";
const SINGLE: &str = ".f16 and .bf16";
const HALF: &str = ".f16, .bf16, .f16x2 and .bf16x2";
const NARROW: &str = ".e4m3, .e4m3x2, .e4m3x4, .e5m2, .e5m2x2 and .e5m2x4";

const TYPE: Asks = Asks::missing("").legal(
    ".b32/.b64 for and, or, xor; 32- and 64-bit integers for add, min, max (no add of \
     .s64); .f16x2 and .bf16x2; .e4m3x4 and .e5m2x4 but for red; .f32 and .f64 for \
     add; vectors of floating point only, of 32 bits at least",
);
const FUNCTION: Asks = Asks::missing("an operation such as `.add`")
    .choices("the operations are `.add`, `.min`, `.max`, `.and`, `.or` and `.xor`");
const SLOTS: &[(&str, Asks)] =
    &[(".{and|or|xor}", FUNCTION), (".{min|max}", FUNCTION), (".add", FUNCTION), (".type", TYPE)];

const PRECISION: &str = "`.{word}` does not go with this reduction";
const PRECISION_HELP: &str = "`.acc::f32` goes with `.add` of 16-bit floating-point numbers, \
                              `.acc::f16` with that of 8-bit ones";
const HALF_TYPES: &[&str] = &["f16", "bf16", "f16x2", "bf16x2"];
const NARROW_TYPES: &[&str] = &["e4m3", "e4m3x2", "e4m3x4", "e5m2", "e5m2x2", "e5m2x4"];
const SUMMED: Demand =
    Demand::rule(&["acc::f32", "acc::f16"], Needs::With(&["add"]), PRECISION, PRECISION_HELP);
const PRECISE: Demand =
    Demand::rule(&["acc::f32"], Needs::With(HALF_TYPES), PRECISION, PRECISION_HELP);
const COARSE: Demand =
    Demand::rule(&["acc::f16"], Needs::With(NARROW_TYPES), PRECISION, PRECISION_HELP);
const NO_VECTOR: &str = "there is no vector of {elements} elements of `.{type}` here";
const HALVES: Demand =
    Demand::rule(VECTORS, Needs::Bits(0, 128), NO_VECTOR, "vectors have at most 128 bits");
const PARTS: Demand = Demand::rule(
    NARROW_TYPES,
    Needs::Bits(32, 128),
    "the numbers of `.{type}` have less than 32 bits here, or more than 128",
    "eight-bit numbers have 32, 64 or 128 bits together: write `.e4m3x4`, or a vector",
);
const NO_PARTS: Demand = Demand::rule(
    NARROW_TYPES,
    Needs::OneOf(&[]),
    "`multimem.red` has no eight-bit floating-point types",
    "its types are 32- and 64-bit integers, .f16, .f16x2, .bf16, .bf16x2, .f32 and .f64",
)
.at_head();
const SCALARS: Demand = Demand::rule(
    HALF_TYPES,
    Needs::With(&["add", "v2", "v4", "v8"]),
    "`multimem.red.{op}` has no `.{word}`",
    "floating-point reductions are `.add`; only vectors have `.min` and `.max`",
)
.at_head();
