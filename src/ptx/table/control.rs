//! Control flow, the stack, and what has no effect on memory (PTX-9.7.12, PTX-9.7.17, PTX-9.7.19);
//! the opcodes of the ISA that are outside the subset; those that only columns have.

use crate::ptx::row::{Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Comparison as C, Proxy, Type};

const BRANCH: &str = "PTX-9.7.12.3";

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    form("bra{.uni} label", BRANCH, [1, 0, 10], Op::Branch),
    form("exit", "PTX-9.7.12.7", [1, 0, 10], Op::Exit),
    form("ret{.uni}", "PTX-9.7.12.6", [1, 0, 10], Op::Exit),
    form("trap", "PTX-9.7.19.4", [1, 0, 10], Op::Exit),
    form("stacksave.{u32|u64} d", "PTX-9.7.17.1", [7, 3, 52], Op::StackSave).exact(),
    form("stackrestore.{u32|u64} a", "PTX-9.7.17.2", [7, 3, 52], Op::StackRestore).operands(&[("a", Takes::Register(0))]).exact(),
    form("brkpt", "PTX-9.7.19.1", [1, 0, 11], Op::Unchecked),
    form("nanosleep.u32 t", "PTX-9.7.19.2", [6, 3, 70], Op::Nothing).exact(),
    form("pmevent{.mask} a", "PTX-9.7.19.3", [1, 4, 10], Op::Unchecked)
        .changed(&[Later::with(&[&["mask"]], [3, 0, 20])]),
    form("setmaxnreg.{inc|dec}.sync.aligned.u32 count", "PTX-9.7.19.5", [8, 0, 90], Op::Unchecked),
];

/// Opcodes of the ISA that are outside the subset in every form, with the version that has them
/// first.
pub(super) const OUTSIDE: &[(&str, (u32, u32))] = &[
    ("alloca", (7, 3)),
    ("brx", (6, 0)),
    ("call", (1, 0)),
    ("copysign", (2, 0)),
    ("cos", (1, 0)),
    ("ex2", (1, 0)),
    ("fma", (1, 4)),
    ("fns", (6, 0)),
    ("istypep", (4, 0)),
    ("lg2", (1, 0)),
    ("mma", (6, 4)),
    ("movmatrix", (7, 8)),
    ("rcp", (1, 0)),
    ("rsqrt", (1, 0)),
    ("sin", (1, 0)),
    ("sqrt", (1, 0)),
    ("suld", (1, 5)),
    ("suq", (1, 5)),
    ("sured", (2, 0)),
    ("sust", (1, 5)),
    ("tanh", (7, 0)),
    ("testp", (2, 0)),
    ("tex", (1, 0)),
    ("tld4", (2, 2)),
    ("txq", (1, 5)),
    ("vabsdiff", (2, 0)),
    ("vabsdiff2", (3, 0)),
    ("vabsdiff4", (3, 0)),
    ("vadd", (2, 0)),
    ("vadd2", (3, 0)),
    ("vadd4", (3, 0)),
    ("vavrg2", (3, 0)),
    ("vavrg4", (3, 0)),
    ("vmad", (2, 0)),
    ("vmax", (2, 0)),
    ("vmax2", (3, 0)),
    ("vmax4", (3, 0)),
    ("vmin", (2, 0)),
    ("vmin2", (3, 0)),
    ("vmin4", (3, 0)),
    ("vset", (2, 0)),
    ("vset2", (3, 0)),
    ("vset4", (3, 0)),
    ("vshl", (2, 0)),
    ("vshr", (2, 0)),
    ("vsub", (2, 0)),
    ("vsub2", (3, 0)),
    ("vsub4", (3, 0)),
];

/// Opcodes that only the column dialect has.
pub(super) const COLUMNS: &[&str] = &[
    "beq", "bge", "bgt", "ble", "blt", "bne", "cold", "goto", "suatom", "suld", "sured", "sust",
    "tld",
];

/// Opcodes of the column dialect that have the forms of another one, through a proxy.
pub(super) const ALIASES: &[(&str, &str, Proxy)] = &[
    ("goto", "bra", Proxy::Generic),
    ("tld", "ld", Proxy::Texture),
    ("suld", "ld", Proxy::Surface),
    ("cold", "ld", Proxy::Constant),
    ("sust", "st", Proxy::Surface),
    ("suatom", "atom", Proxy::Surface),
    ("sured", "red", Proxy::Surface),
];

/// Comparisons with branches of the column dialect.
#[rustfmt::skip]
pub(super) static COLUMN_ROWS: &[Row] = &[
    compared("beq a, b, label", C::Eq),
    compared("bne a, b, label", C::Ne),
    compared("blt a, b, label", C::Lt),
    compared("ble a, b, label", C::Le),
    compared("bgt a, b, label", C::Gt),
    compared("bge a, b, label", C::Ge),
];

const fn compared(text: &'static str, comparison: C) -> Row {
    const NUMBER: Takes = Takes::Fixed(Type::UNTYPED);
    form(text, BRANCH, [1, 0, 10], Op::CompareBranch(comparison))
        .operands(&[("a", NUMBER), ("b", NUMBER)])
}
