//! Integer and bit instructions against what the standard says of them bit by bit (PTX-9.7.1,
//! PTX-9.7.2, PTX-9.7.8), for operands that are constants, in registers, and loaded.
//!
//! The functions here share nothing with the tool but the text of programs. `PTXMC_INTEGERS_CASES`
//! and `PTXMC_INTEGERS_SEED` make the run longer or another one.

use crate::support;
use crate::support::random::drawn;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Engine;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::z3::Z3Engine;
use std::fmt::Write;

/// What an operand is, and so which values are worth a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// So many bits.
    Bits(u32),
    /// A word that says how many bits are meant, or which one.
    Amount,
    /// A floating-point number of 32 bits.
    Float,
    /// A word from a register only: two or four numbers side by side.
    Packed,
    /// A word, of which a constant has so many bits.
    Field,
}

impl Kind {
    fn width(self) -> u32 {
        match self {
            Self::Bits(width) => width,
            _ => 32,
        }
    }
}

/// What a form gives for its operands.
type Function = Box<dyn Fn(&[u64]) -> u64>;

/// An instruction, the table of a `lop3` behind `|`; the width of its result, its operands, and the
/// result.
struct Form {
    text: String,
    result: u32,
    operands: Vec<Kind>,
    value: Function,
}

const B16: Kind = Kind::Bits(16);
const B32: Kind = Kind::Bits(32);
const B64: Kind = Kind::Bits(64);

fn bits(width: u32) -> Kind {
    Kind::Bits(width)
}

fn cut(value: u64, width: u32) -> u64 {
    if width == 64 { value } else { value & ((1 << width) - 1) }
}

fn bit(value: u64, at: u32) -> bool {
    value >> at & 1 == 1
}

/// The value of a type as a number.
fn number(value: u64, signed: bool, width: u32) -> i128 {
    let value = i128::from(cut(value, width));
    if signed && value >> (width - 1) == 1 { value - (1 << width) } else { value }
}

/// The nearest value that a type has.
fn nearest(value: i128, signed: bool, width: u32) -> u64 {
    let (least, most) = match signed {
        true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
        false => (0, (1_i128 << width) - 1),
    };
    cut(value.clamp(least, most) as u64, width)
}

fn find(a: u64, signed: bool, width: u32, shift: bool) -> u64 {
    let a = if signed && bit(a, width - 1) { !a } else { a };
    match (0..width).rev().find(|&at| bit(a, at)) {
        None => 0xFFFF_FFFF,
        Some(at) if shift => u64::from(width - 1 - at),
        Some(at) => u64::from(at),
    }
}

fn extract(a: u64, position: u64, length: u64, signed: bool, width: u32) -> u64 {
    let (position, length) = ((position & 0xFF) as u32, (length & 0xFF) as u32);
    let sign = signed && length > 0 && bit(a, (position + length - 1).min(width - 1));
    let taken =
        |at: u32| if at < length && position + at < width { bit(a, position + at) } else { sign };
    (0..width).fold(0, |d, at| d | u64::from(taken(at)) << at)
}

fn insert(a: u64, b: u64, position: u64, length: u64, width: u32) -> u64 {
    let (position, length) = ((position & 0xFF) as u32, (length & 0xFF) as u32);
    let mut f = b;
    for at in (0..length).take_while(|at| position + at < width) {
        f &= !(1 << (position + at));
        f |= u64::from(bit(a, at)) << (position + at);
    }
    f
}

fn permute(mode: &str, a: u64, b: u64, c: u64) -> u64 {
    let both = b << 32 | a;
    let byte = |at: u64| both >> (8 * at) & 0xFF;
    // The bytes from the highest to the lowest, by the two lowest bits of c.
    let table: [[u64; 4]; 4] = match mode {
        ".f4e" => [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]],
        ".b4e" => [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
        ".rc8" => [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
        ".ecl" => [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
        ".ecr" => [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]],
        ".rc16" => [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]],
        _ => {
            return (0..4).fold(0, |d, at| {
                let selector = c >> (4 * at) & 0xF;
                let byte = byte(selector & 7);
                let sign = if byte & 0x80 == 0 { 0 } else { 0xFF };
                d | (if selector & 8 == 0 { byte } else { sign }) << (8 * at)
            });
        }
    };
    table[(c & 3) as usize].iter().fold(0, |d, &at| d << 8 | byte(at))
}

fn funnel(left: bool, wraps: bool, a: u64, b: u64, c: u64) -> u64 {
    let n = if wraps { c & 31 } else { c.min(32) };
    let both = u128::from(b) << 32 | u128::from(a);
    cut((if left { both << n >> 32 } else { both >> n }) as u64, 32)
}

fn table(table: u32, a: u64, b: u64, c: u64) -> u64 {
    let row = |at| u32::from(bit(a, at)) << 2 | u32::from(bit(b, at)) << 1 | u32::from(bit(c, at));
    (0..32).fold(0, |d, at| d | u64::from(table >> row(at) & 1) << at)
}

fn extended(a: u64, b: u64, signed: bool, wraps: bool) -> u64 {
    let length = if wraps { b & 31 } else { b.min(32) } as u32;
    let sign = signed && length > 0 && bit(a, length - 1);
    (0..32).fold(0, |d, at| d | u64::from(if at < length { bit(a, at) } else { sign }) << at)
}

fn mask(a: u64, b: u64, wraps: bool) -> u64 {
    let (from, length) = if wraps { (a & 31, b & 31) } else { (a, b.min(32)) };
    let inside = |at: u64| at >= from && at - from < length;
    (0..32).fold(0, |d, at| d | u64::from(inside(at)) << at)
}

fn products(a: u64, b: u64, c: u64, size: u32, first: u32, signs: [bool; 2]) -> u64 {
    let part = |value: u64, at: u32, size: u32, signed| number(value >> (at * size), signed, size);
    let sum: i128 = (0..32 / size)
        .map(|at| part(a, at, size, signs[0]) * part(b, first + at, 8, signs[1]))
        .sum();
    cut((sum + i128::from(c)) as u64, 32)
}

fn pairs(a: u64, b: u64, function: impl Fn(u64, u64) -> u64) -> u64 {
    function(a >> 16, b >> 16) << 16 | function(a & 0xFFFF, b & 0xFFFF)
}

fn bytes(a: u64, b: u64, function: impl Fn(u64, u64) -> u64) -> u64 {
    let byte = |word: u64, at: u32| word >> (8 * at) & 0xFF;
    (0..4).map(|at| function(byte(a, at), byte(b, at)) << (8 * at)).sum()
}

fn pack(a: u64, b: u64, c: u64, signed: bool, size: u32) -> u64 {
    let part = |value| nearest(number(value, true, 32), signed, size);
    cut(c << (2 * size) | part(a) << size | part(b), 32)
}

fn forms() -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let mut add = |text: String, result, operands: &[Kind], value: Function| {
        forms.push(Form { text, result, operands: operands.to_vec(), value });
    };
    for w in [32, 64] {
        let all = bits(w);
        add(format!("popc.b{w}"), 32, &[all], Box::new(|s| u64::from(s[0].count_ones())));
        add(
            format!("clz.b{w}"),
            32,
            &[all],
            Box::new(move |s| {
                u64::from((0..w).rev().find(|&at| bit(s[0], at)).map_or(w, |at| w - 1 - at))
            }),
        );
        add(
            format!("brev.b{w}"),
            w,
            &[all],
            Box::new(move |s| (0..w).fold(0, |d, at| d | u64::from(bit(s[0], w - 1 - at)) << at)),
        );
        for (t, signed) in [("u", false), ("s", true)] {
            for (mode, shift) in [("", false), (".shiftamt", true)] {
                let text = format!("bfind{mode}.{t}{w}");
                add(text, 32, &[all], Box::new(move |s| find(s[0], signed, w, shift)));
            }
            let operands = [all, Kind::Field, Kind::Field];
            add(
                format!("bfe.{t}{w}"),
                w,
                &operands,
                Box::new(move |s| extract(s[0], s[1], s[2], signed, w)),
            );
        }
        let operands = [all, all, Kind::Field, Kind::Field];
        add(
            format!("bfi.b{w}"),
            w,
            &operands,
            Box::new(move |s| insert(s[0], s[1], s[2], s[3], w)),
        );
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        add(
            format!("prmt.b32{mode}"),
            32,
            &[B32, B32, B32],
            Box::new(move |s| permute(mode, s[0], s[1], s[2])),
        );
    }
    for (d, left) in [("l", true), ("r", false)] {
        for (mode, wraps) in [("clamp", false), ("wrap", true)] {
            let text = format!("shf.{d}.{mode}.b32");
            add(
                text,
                32,
                &[B32, B32, Kind::Amount],
                Box::new(move |s| funnel(left, wraps, s[0], s[1], s[2])),
            );
        }
    }
    for lut in 0..256 {
        add(
            format!("lop3.b32|{lut}"),
            32,
            &[B32, B32, B32],
            Box::new(move |s| table(lut, s[0], s[1], s[2])),
        );
    }
    for (t, signed) in [("u", false), ("s", true)] {
        for w in [16, 32, 64] {
            add(
                format!("sad.{t}{w}"),
                w,
                &[bits(w); 3],
                Box::new(move |s| {
                    let difference = number(s[0], signed, w) - number(s[1], signed, w);
                    cut((difference.abs() + i128::from(s[2])) as u64, w)
                }),
            );
        }
        for (half, low) in [("lo", 0), ("hi", 16)] {
            let product = move |s: &[u64]| {
                let product = number(s[0], signed, 24) * number(s[1], signed, 24);
                cut((product >> low) as u64, 32)
            };
            add(format!("mul24.{half}.{t}32"), 32, &[B32, B32], Box::new(product));
            add(
                format!("mad24.{half}.{t}32"),
                32,
                &[B32; 3],
                Box::new(move |s| cut(product(s) + s[2], 32)),
            );
        }
        for (u, other) in [("u", false), ("s", true)] {
            add(
                format!("dp4a.{t}32.{u}32"),
                32,
                &[B32; 3],
                Box::new(move |s| products(s[0], s[1], s[2], 8, 0, [signed, other])),
            );
            for (half, first) in [("lo", 0), ("hi", 2)] {
                add(
                    format!("dp2a.{half}.{t}32.{u}32"),
                    32,
                    &[B32; 3],
                    Box::new(move |s| products(s[0], s[1], s[2], 16, first, [signed, other])),
                );
            }
        }
        for (mode, wraps) in [("clamp", false), ("wrap", true)] {
            add(
                format!("szext.{mode}.{t}32"),
                32,
                &[B32, Kind::Amount],
                Box::new(move |s| extended(s[0], s[1], signed, wraps)),
            );
        }
        add(
            format!("add.sat.{t}32"),
            32,
            &[B32, B32],
            Box::new(move |s| {
                nearest(number(s[0], signed, 32) + number(s[1], signed, 32), signed, 32)
            }),
        );
        let sum = |a: u64, b: u64| cut(a + b, 16);
        add(
            format!("add.{t}16x2"),
            32,
            &[Kind::Packed; 2],
            Box::new(move |s| pairs(s[0], s[1], sum)),
        );
        add(
            format!("add.sat.{t}16x2"),
            32,
            &[Kind::Packed; 2],
            Box::new(move |s| {
                pairs(s[0], s[1], |a, b| {
                    nearest(number(a, signed, 16) + number(b, signed, 16), signed, 16)
                })
            }),
        );
        for (o, sign) in [("add", 1), ("sub", -1)] {
            let result = move |a: u64, b: u64| number(a, signed, 8) + sign * number(b, signed, 8);
            add(
                format!("{o}.{t}8x4"),
                32,
                &[Kind::Packed; 2],
                Box::new(move |s| bytes(s[0], s[1], |a, b| cut(result(a, b) as u64, 8))),
            );
            add(
                format!("{o}.sat.{t}8x4"),
                32,
                &[Kind::Packed; 2],
                Box::new(move |s| bytes(s[0], s[1], |a, b| nearest(result(a, b), signed, 8))),
            );
        }
        for (o, least) in [("min", true), ("max", false)] {
            let best = move |a: i128, b: i128| if least { a.min(b) } else { a.max(b) };
            add(
                format!("{o}.{t}16x2"),
                32,
                &[Kind::Packed; 2],
                Box::new(move |s| {
                    pairs(s[0], s[1], |a, b| {
                        cut(best(number(a, signed, 16), number(b, signed, 16)) as u64, 16)
                    })
                }),
            );
            let best_byte = move |a: u64, b: u64| best(number(a, signed, 8), number(b, signed, 8));
            add(
                format!("{o}.{t}8x4"),
                32,
                &[Kind::Packed; 2],
                Box::new(move |s| bytes(s[0], s[1], |a, b| cut(best_byte(a, b) as u64, 8))),
            );
            if signed {
                add(
                    format!("{o}.relu.s8x4"),
                    32,
                    &[Kind::Packed; 2],
                    Box::new(move |s| bytes(s[0], s[1], |a, b| best_byte(a, b).max(0) as u64)),
                );
                add(
                    format!("{o}.relu.s16x2"),
                    32,
                    &[Kind::Packed; 2],
                    Box::new(move |s| {
                        pairs(s[0], s[1], |a, b| {
                            best(number(a, true, 16), number(b, true, 16)).max(0) as u64
                        })
                    }),
                );
                add(
                    format!("{o}.relu.s32"),
                    32,
                    &[B32, B32],
                    Box::new(move |s| {
                        best(number(s[0], true, 32), number(s[1], true, 32)).max(0) as u64
                    }),
                );
            }
        }
    }
    add(
        "neg.s8x4".to_owned(),
        32,
        &[Kind::Packed],
        Box::new(|s| bytes(0, s[0], |_, b| cut(b.wrapping_neg(), 8))),
    );
    for (w, kind) in [(16, B16), (32, B32), (64, B64)] {
        add(
            format!("slct.b{w}.s32"),
            w,
            &[kind, kind, B32],
            Box::new(|s| if s[2] as u32 as i32 >= 0 { s[0] } else { s[1] }),
        );
        for (ftz, text) in [(false, "slct"), (true, "slct.ftz")] {
            add(
                format!("{text}.u{w}.f32"),
                w,
                &[kind, kind, Kind::Float],
                Box::new(move |s| {
                    let c = f32::from_bits(s[2] as u32);
                    if c >= 0.0 || (ftz && c.is_subnormal()) { s[0] } else { s[1] }
                }),
            );
        }
    }
    for (mode, wraps) in [("clamp", false), ("wrap", true)] {
        add(
            format!("bmsk.{mode}.b32"),
            32,
            &[Kind::Amount; 2],
            Box::new(move |s| mask(s[0], s[1], wraps)),
        );
    }
    add(
        "sub.sat.s32".to_owned(),
        32,
        &[B32, B32],
        Box::new(|s| nearest(number(s[0], true, 32) - number(s[1], true, 32), true, 32)),
    );
    add(
        "mad.hi.sat.s32".to_owned(),
        32,
        &[B32; 3],
        Box::new(|s| {
            let product = (number(s[0], true, 32) * number(s[1], true, 32)) >> 32;
            nearest(product + number(s[2], true, 32), true, 32)
        }),
    );
    add(
        "mad24.hi.sat.s32".to_owned(),
        32,
        &[B32; 3],
        Box::new(|s| {
            let product = (number(s[0], true, 24) * number(s[1], true, 24)) >> 16;
            nearest(product + number(s[2], true, 32), true, 32)
        }),
    );
    for (t, signed) in [("u", false), ("s", true)] {
        for size in [2, 4, 8] {
            add(
                format!("cvt.pack.sat.{t}{size}.s32.b32"),
                32,
                &[B32; 3],
                Box::new(move |s| pack(s[0], s[1], s[2], signed, size)),
            );
        }
        add(
            format!("cvt.pack.sat.{t}16.s32"),
            32,
            &[B32; 2],
            Box::new(move |s| pack(s[0], s[1], 0, signed, 16)),
        );
        for (u, from) in [("u", false), ("s", true)] {
            let widths = [8, 16, 32, 64];
            for (to_width, from_width) in
                widths.into_iter().flat_map(|to| widths.map(|from| (to, from)))
            {
                let fits = match (from, signed) {
                    (true, false) => false,
                    (false, true) => to_width > from_width,
                    _ => to_width >= from_width,
                };
                if fits {
                    continue;
                }
                let text = format!("cvt.sat.{t}{to_width}.{u}{from_width}");
                add(
                    text,
                    to_width,
                    &[bits(from_width)],
                    Box::new(move |s| nearest(number(s[0], from, from_width), signed, to_width)),
                );
            }
        }
    }
    forms
}

fn operand(kind: Kind) -> BoxedStrategy<u64> {
    let width = kind.width();
    let any = any::<u64>().prop_map(move |value| cut(value, width));
    let corners = select(vec![
        0,
        1,
        2,
        0x7F,
        0x80,
        0xFF,
        u64::MAX,
        1 << 15,
        (1 << 15) - 1,
        1 << 31,
        (1 << 31) - 1,
        1 << 63,
        (1 << 63) - 1,
        0x8000_8000,
        0x7FFF_8000,
        0x3210,
        0xBA98,
        0x7654,
        1 << 23,
        (1 << 23) - 1,
    ])
    .prop_map(move |value| cut(value, width));
    let amount =
        prop_oneof![0..70_u64, select(vec![0, 31, 32, 33, 63, 64, 255, 256, 264, 0xFFFF_FFFF])];
    let floats = select(vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-40,
        -1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        -f32::NAN,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
    ])
    .prop_map(|c| u64::from(c.to_bits()));
    match kind {
        Kind::Amount | Kind::Field => prop_oneof![3 => amount, 1 => any].boxed(),
        Kind::Float => prop_oneof![2 => floats, 1 => any].boxed(),
        _ => prop_oneof![corners, any].boxed(),
    }
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Constant,
    Register,
    Memory,
}

/// A program that executes a form once, and asks whether the result can be what it should be.
fn program(form: &Form, values: &[u64], from: &[From], negated: bool) -> String {
    let (mut variables, mut registers, mut code, mut operands) =
        (String::new(), String::new(), String::new(), String::new());
    for (at, ((&value, &from), kind)) in values.iter().zip(from).zip(&form.operands).enumerate() {
        let width = kind.width();
        let constant = match kind {
            Kind::Packed => false,
            Kind::Field => value < 256,
            _ => true,
        };
        if from == From::Constant && constant {
            let text = match kind {
                Kind::Float => format!("0f{value:08X}"),
                _ => format!("{value:#x}"),
            };
            write!(operands, ", {text}").unwrap();
            continue;
        }
        write!(operands, ", %a{at}").unwrap();
        if from == From::Memory {
            writeln!(variables, ".global .b{width} v{at} = {value:#x};").unwrap();
            writeln!(code, "  ld.global.b{width} %a{at}, [v{at}];").unwrap();
        } else {
            write!(registers, "P0:%a{at} = {value:#x}; ").unwrap();
        }
    }
    let (head, last) = form
        .text
        .split_once('|')
        .map_or((form.text.as_str(), String::new()), |(head, lut)| (head, format!(", {lut}")));
    let expected = cut((form.value)(values), form.result);
    let comparison = if negated { "!=" } else { "==" };
    format!(
        "PTX form\n{variables}{{ {registers} }}\nP0 @ cta 0 {{\n{code}  {head} %d{operands}{last};\n  \
         cvt.u64.u{} %z, %d;\n}}\nexists (P0:%z {comparison} {expected:#x})\n",
        form.result
    )
}

/// Whether an engine says that the result may be this one.
fn answer(text: &str, engine: &dyn Engine, model: &Model) -> Option<bool> {
    let test = support::parse("form", text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check(&test, model, engine, Settings::default()).holds
}

fn agrees(text: &str, engine: &dyn Engine, model: &Model) -> Result<(), String> {
    let test = support::parse("form", text.as_bytes()).map_err(|e| format!("{e}\n{text}"))?;
    let outcome = check(&test, model, engine, Settings::default());
    match outcome.holds {
        Some(true) => Ok(()),
        _ => Err(format!("{:?}\n{text}", outcome.verdict.kind())),
    }
}

#[test]
fn results_are_those_of_the_standard() {
    let (cases, mut runner) = drawn("INTEGERS");
    let model = support::model("ptx-9.2");
    let search = SearchEngine::default();
    let from =
        proptest::collection::vec(select(&[From::Constant, From::Register, From::Memory][..]), 4);
    let forms = forms();
    assert!(forms.len() > 350, "only {} forms", forms.len());
    for form in &forms {
        let strategy: Vec<_> = form.operands.iter().map(|&kind| operand(kind)).collect();
        // Of the tables of `lop3` there are many.
        for _ in 0..if form.text.starts_with("lop3") { cases / 10 } else { cases } {
            let values = strategy.new_tree(&mut runner).expect("values").current();
            let from = from.new_tree(&mut runner).expect("sources").current();
            let text = program(form, &values, &from, false);
            agrees(&text, &search, &model).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// No other result is possible, say the engines that see the operands as what loads return.
#[test]
fn no_engine_finds_another_result() {
    let (cases, mut runner) = drawn("INTEGERS");
    let model = support::model("ptx-9.2");
    let engines: [&dyn Engine; 3] =
        [&Z3Engine::default(), &Enumerate::default(), &SearchEngine::default()];
    let forms = forms();
    for form in
        forms.iter().filter(|form| !form.text.starts_with("lop3") || form.text.ends_with('6'))
    {
        let strategy: Vec<_> = form.operands.iter().map(|&kind| operand(kind)).collect();
        for _ in 0..cases.div_ceil(60) {
            let values = strategy.new_tree(&mut runner).expect("values").current();
            let right = program(form, &values, &[From::Memory; 4], false);
            let wrong = program(form, &values, &[From::Memory; 4], true);
            for engine in engines {
                agrees(&right, engine, &model).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(
                    answer(&wrong, engine, &model),
                    Some(false),
                    "{}\n{wrong}",
                    engine.name()
                );
            }
        }
    }
}

/// Sums, differences and products of 128 bits, a word after the other.
#[test]
fn carries_make_wide_arithmetic() {
    let (cases, mut runner) = drawn("INTEGERS");
    let model = support::model("ptx-9.2");
    let words = proptest::collection::vec(operand(B64), 4);
    for _ in 0..cases {
        let w = words.new_tree(&mut runner).expect("words").current();
        let wide = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
        let (a, b) = (wide(w[0], w[1]), wide(w[2], w[3]));
        let halves = |value: u64| [value & 0xFFFF_FFFF, value >> 32];
        let [a0, a1] = halves(w[0]);
        let [b0, b1] = halves(w[2]);
        let product = u128::from(w[0]) * u128::from(w[2]);
        let quarter = |at: u32| (product >> (32 * at)) as u32;
        let (sum, difference) = (a.wrapping_add(b), a.wrapping_sub(b));
        let text = format!(
            "PTX wide\n.global .u64 v[4] = {{{:#x}, {:#x}, {:#x}, {:#x}}};\nP0 @ cta 0 {{\n  \
             ld.global.u64 %a0, [v]; ld.global.u64 %a1, [v+8];\n  \
             ld.global.u64 %b0, [v+16]; ld.global.u64 %b1, [v+24];\n  \
             add.cc.u64 %s0, %a0, %b0; addc.cc.u64 %s1, %a1, %b1; addc.u32 %s2, 0, 0;\n  \
             sub.cc.s64 %d0, %a0, %b0; subc.cc.s64 %d1, %a1, %b1; subc.u32 %d2, 0, 0;\n  \
             add.cc.u64 %a1, %a1, %b1; addc.cc.u64 %a1, %a1, %a1;\n  \
             mul.lo.u32 %m0, {a0}, {b0}; mul.hi.u32 %m1, {a0}, {b0};\n  \
             mad.lo.cc.u32 %m1, {a1}, {b0}, %m1; madc.hi.u32 %m2, {a1}, {b0}, 0;\n  \
             mad.lo.cc.u32 %m1, {a0}, {b1}, %m1; madc.hi.cc.u32 %m2, {a0}, {b1}, %m2;\n  \
             addc.u32 %m3, 0, 0; mad.lo.cc.u32 %m2, {a1}, {b1}, %m2;\n  \
             madc.hi.u32 %m3, {a1}, {b1}, %m3;\n}}\nexists (P0:%s0 == {:#x} /\\ P0:%s1 == {:#x} \
             /\\ P0:%s2 == {} /\\ P0:%d0 == {:#x} /\\ P0:%d1 == {:#x} /\\ P0:%d2 == {} /\\ \
             P0:%a1 == {:#x} /\\ P0:%m0 == {:#x} /\\ P0:%m1 == {:#x} /\\ P0:%m2 == {:#x} /\\ \
             P0:%m3 == {:#x})\n",
            w[0],
            w[1],
            w[2],
            w[3],
            sum as u64,
            (sum >> 64) as u64,
            u32::from(sum < a),
            difference as u64,
            (difference >> 64) as u64,
            if a < b { u32::MAX } else { 0 },
            {
                let (once, carry) = w[1].overflowing_add(w[3]);
                once.wrapping_add(once).wrapping_add(u64::from(carry))
            },
            quarter(0),
            quarter(1),
            quarter(2),
            quarter(3),
        );
        for engine in [&SearchEngine::default() as &dyn Engine, &Z3Engine::default()] {
            agrees(&text, engine, &model).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// The predicate is made of the operands as they were, whichever registers are written.
#[test]
fn results_may_take_the_place_of_operands() {
    let model = support::model("ptx-9.2");
    for (code, condition) in [
        ("lop3.and.b32 %a|%p, %a, %b, 0, 0x3c, %p", "P0:%a == 6 /\\ P0:%r == 1"),
        ("lop3.or.b32 %a|%p, %a, %a, 0, 0x3c, !%p", "P0:%a == 0 /\\ P0:%r == 0"),
        ("lop3.and.b32 _|%p, %a, %b, 0, 0xc0, %p", "P0:%a == 5 /\\ P0:%r == 1"),
        ("lop3.b32 _, %a, %b, 0, 0xc0", "P0:%a == 5 /\\ P0:%r == 1"),
        ("setp.eq.and.u32 %p|%q, %a, 6, %p; selp.u32 %b, 1, 0, %q", "P0:%r == 0 /\\ P0:%b == 1"),
        ("sub.cc.u32 %a, %a, %a; subc.cc.u32 %a, %a, 1; subc.u32 %a, %a, 0", "P0:%a == 0xfffffffe"),
    ] {
        let text = format!(
            "PTX places\n{{ P0:%a = 5; P0:%b = 3; }}\nP0 @ cta 0 {{\n  setp.eq.u32 %p, 0, 0;\n  \
             {code};\n  selp.u32 %r, 1, 0, %p;\n}}\nexists ({condition})\n"
        );
        agrees(&text, &SearchEngine::default(), &model).unwrap_or_else(|e| panic!("{e}"));
    }
}
