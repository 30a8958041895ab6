//! Memory, addresses, moves and conversions (PTX-9.7.9), atomics (PTX-9.7.13.5, PTX-9.7.13.6),
//! comparisons and selections (PTX-9.7.6).

use crate::ptx::row::{Op, Row, Takes, form};
use crate::ptx::value::{Space, Type};

const SPACES: &str = "const, global, local, param, shared, shared::cta and shared::cluster";
const ADDRESSES: &str = ".u32 and .u64";
const SIGNED: &str = ".u32, .u64 and .s32";
const REGISTERS: &str = ".b16 to .b64, .u16 to .u64, .s16 to .s64, .f32 and .f64";

/// A row whose instructions are decoded by a function of their own.
const fn own(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    form(text, section, since, Op::Own).asked(&[("policy", "L2::cache_hint")])
}

const fn unchecked(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    form(text, section, since, Op::Unchecked)
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    // Loads and stores.
    own("ld{.weak|.volatile|.relaxed.scope|.acquire.scope}{.space}{.cop}{.L1::priority}{.L2::priority}{.L2::cache_hint}{.L2::prefetch}{.vec}.type d, [a]{, policy}", "PTX-9.7.9.8", [1, 0, 10]),
    own("ld.mmio.{relaxed|acquire}.sys{.global}.type d, [a]", "PTX-9.7.9.8", [8, 2, 70]),
    own("ld.global{.ca|.cg|.cs}.nc{.vec}.type d, [a]", "PTX-9.7.9.9", [3, 1, 32]),
    own("ldu{.global}{.v2|.v4}.type d, [a]", "PTX-9.7.9.10", [2, 0, 20]),
    own("st{.weak|.volatile|.relaxed.scope|.release.scope}{.space}{.cop}{.L1::priority}{.L2::priority}{.L2::cache_hint}{.vec}.type [a], b{, policy}", "PTX-9.7.9.11", [1, 0, 10]),
    own("st.mmio.{relaxed|release}.sys{.global}.type [a], b", "PTX-9.7.9.11", [8, 2, 70]),
    form("st.bulk{.weak}{.shared::cta|.shared} [a], size, 0", "PTX-9.7.9.13", [8, 6, 100], Op::StoreBulk)
        .operands(&[("a", Takes::Bytes(Space::SharedCta, 1)), ("size", Takes::Size)])
        .shown("st.bulk{.weak}{.shared::cta} [a], size, 0").device("`st.bulk`"),
    form("discard{.global}.L2 [a], 128", "PTX-9.7.9.17", [7, 4, 80], Op::Discard)
        .operands(&[("a", Takes::Bytes(Space::Global, 128))]).device("`discard`"),
    own("multimem.ld_reduce{.weak|.relaxed.scope|.acquire.scope}{.global}.op.type d, [a]", "PTX-9.7.9.14", [8, 1, 90]),
    own("multimem.st{.weak|.relaxed.scope|.release.scope}{.global}.type [a], b", "PTX-9.7.9.14", [8, 1, 90]),
    own("multimem.red{.relaxed|.release}{.scope}{.global}.op.type [a], b", "PTX-9.7.9.14", [8, 1, 90]),
    // Atomics.
    own("atom{.sem}{.scope}{.space}.op{.L2::cache_hint}.type d, [a], b{, c}{, policy}", "PTX-9.7.13.5", [1, 1, 11]),
    own("atom{.sem}{.scope}{.global}.op{.noftz}{.L2::cache_hint}.vec.type d, [a], b{, policy}", "PTX-9.7.13.5", [8, 1, 90]),
    own("red{.sem}{.scope}{.space}.op{.L2::cache_hint}.type [a], b{, policy}", "PTX-9.7.13.6", [1, 2, 11]),
    own("red{.sem}{.scope}{.global}.op{.noftz}{.L2::cache_hint}.vec.type [a], b{, policy}", "PTX-9.7.13.6", [8, 1, 90]),
    // Moves, conversions, comparisons.
    own("mov{.vec}.type d, a", "PTX-9.7.9.3", [1, 0, 10]),
    own("cvt{.rounding}{.ftz}{.sat}.to.from d, a", "PTX-9.7.9.21", [1, 0, 10]),
    own("setp.cmp{.bool}.type p{|q}, a, b{, {!}c}", "PTX-9.7.6.2", [1, 0, 10]),
    own("set.cmp{.bool}.{u32|s32}.type d, a, b{, {!}c}", "PTX-9.7.6.1", [1, 0, 10]),
    form("selp.type d, a, b, p", "PTX-9.7.6.3", [1, 0, 10], Op::Select).types(REGISTERS)
        .operands(&[("p", Takes::Fixed(Type::PREDICATE))]).untyped(),
    // Addresses as values.
    form("cvta.space.type d, a", "PTX-9.7.9.20", [2, 0, 20], Op::ToGeneric).types(ADDRESSES).spaces(SPACES)
        .operands(&[("a", Takes::Name(0))]).untyped(),
    form("cvta.to.space.type d, a", "PTX-9.7.9.20", [2, 0, 20], Op::FromGeneric).types(ADDRESSES).spaces(SPACES).untyped(),
    form("isspacep.space p, a", "PTX-9.7.9.19", [2, 0, 20], Op::IsSpace)
        .spaces("const, global, local, param::entry, shared, shared::cta and shared::cluster").operands(&[("a", Takes::Pointer)]),
    form("mapa{.shared::cluster}.type d, a, b", "PTX-9.7.9.23", [7, 8, 90], Op::MapAddress).types(SIGNED)
        .operands(&[("a", Takes::Name(0)), ("b", Takes::Word)]).untyped().device("`mapa`"),
    form("getctarank{.shared::cluster}.type d, a", "PTX-9.7.9.24", [7, 8, 90], Op::CtaRank).types(SIGNED)
        .operands(&[("d", Takes::Word), ("a", Takes::Name(0))]).untyped().device("`getctarank`"),
    // Hints.
    form("prefetch{.global|.local}.{L1|L2} [a]", PREFETCH, [2, 0, 20], Op::Nothing).exact(),
    form("prefetch{.global}.{L2::evict_last|L2::evict_normal} [a]", PREFETCH, [7, 4, 80], Op::Nothing).exact(),
    form("prefetch{.const|.param}.tensormap [a]", PREFETCH, [8, 0, 90], Op::Nothing).exact(),
    form("prefetchu.L1 [a]", PREFETCH, [2, 0, 20], Op::Nothing).exact(),
    form("applypriority{.global}.L2::evict_normal [a], 128", "PTX-9.7.9.16", [7, 4, 80], Op::Nothing).exact(),
    unchecked("createpolicy.fractional.L2::priority{.L2::priority}.b64 d{, fraction}", "PTX-9.7.9.18", [7, 4, 80]),
    unchecked("createpolicy.range{.global}.L2::priority{.L2::priority}.b64 d, [a], size, size", "PTX-9.7.9.18", [7, 4, 80]),
    unchecked("createpolicy.cvt.L2.b64 d, a", "PTX-9.7.9.18", [7, 4, 80]),
];

const PREFETCH: &str = "PTX-9.7.9.15";
