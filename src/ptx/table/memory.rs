//! Loads and stores (PTX-9.7.9.8 to PTX-9.7.9.11).

use crate::ptx::demand::{Demand, Needs};
use crate::ptx::names::{NOT_GLOBAL, SPACES};
use crate::ptx::row::{Op, Row, Takes, form};
use crate::ptx::since::Later;

/// Lists of words for the names in the texts.
const LISTS: &[(&str, &[&str])] = &[
    ("cop", LOAD_OPERATORS),
    ("L1::priority", FIRST),
    ("L2::priority", SECOND),
    ("L2::prefetch", PREFETCH),
    ("vec", VECTORS),
];
/// As [`LISTS`]; the cache operators are those of stores.
const STORED: &[(&str, &[&str])] = &[
    ("cop", STORE_OPERATORS),
    ("L1::priority", FIRST),
    ("L2::priority", SECOND),
    ("vec", VECTORS),
];

/// What came after the first loads and stores.
const LATER: &[Later] = &[
    Later::without(SPACES, [2, 0, 20]),
    Later::with(&[SCOPES], [6, 0, 70]),
    Later::with(&[FIRST], [7, 4, 70]),
    Later::with(&[&["L2::64B", "L2::128B"]], [7, 4, 75]),
    Later::with(&[&["L2::256B"]], [7, 4, 80]),
    Later::with(&[&["v8"]], [8, 8, 100]),
    Later::with(&[&["v4"], &["b64", "u64", "s64", "f64"]], [8, 8, 100]),
    Later::with(&[SECOND], [8, 8, 100]),
    Later::with(&[&["volatile"], &["local"]], [9, 1, 10]),
];

/// Accesses to memory of a device that synchronize.
const SYNCHRONIZING: &[Later] = &[Later::with(&[&["acquire", "release"]], [9, 3, 70])];

const fn load(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    form(text, section, since, Op::Load)
        .changed(LATER)
        .lists(LISTS)
        .types(TYPES)
        .spaces("const, global, local, param, param::func, shared and shared::cluster")
        .operands(&[("d", Takes::Data(0)), ("policy", Takes::Token)])
        .asked(&[("policy", "L2::cache_hint")])
        .bare()
        .shown("ld d, [a]")
        .takes("ld{.weak|.volatile|.relaxed.scope|.acquire.scope}{.space}{.vec}.type d, [a]")
}

/// A load that may give an old value.
const fn incoherent(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    Row { op: Op::LoadIncoherent, ..load(text, section, since) }.spaces("global")
}

const fn store(text: &'static str, since: [u32; 3]) -> Row {
    form(text, "PTX-9.7.9.11", since, Op::Store)
        .changed(LATER)
        .lists(STORED)
        .types(TYPES)
        .spaces("global, local, param, param::func, shared and shared::cluster")
        .operands(&[("b", Takes::Data(0)), ("policy", Takes::Token)])
        .asked(&[("policy", "L2::cache_hint")])
        .bare()
        .shown("st [a], b")
        .takes("st{.weak|.volatile|.relaxed.scope|.release.scope}{.space}{.vec}.type [a], b")
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    load("ld{.weak|.volatile|.relaxed.scope|.acquire.scope}{.space}{.cop}{.L1::priority}{.L2::priority}{.L2::cache_hint}{.L2::prefetch}{.vec}.type d, [a]{, policy}", "PTX-9.7.9.8", [1, 0, 10])
        .demands(LOADS),
    load("ld.mmio.{relaxed|acquire}.sys{.global}.type d, [a]", "PTX-9.7.9.8", [8, 2, 70])
        .changed(SYNCHRONIZING).spaces("global").marked("mmio").demands(MMIO),
    incoherent("ld.global{.ca|.cg|.cs}.nc{.L1::priority}{.L2::priority}{.L2::cache_hint}{.L2::prefetch}{.vec}.type d, [a]{, policy}", "PTX-9.7.9.9", [3, 1, 32])
        .marked("nc").demands(INCOHERENT),
    incoherent("ldu{.global}{.v2|.v4}.type d, [a]", "PTX-9.7.9.10", [2, 0, 20]).shown(UNIFORM).demands(UNIFORMS),
    store("st{.weak|.volatile|.relaxed.scope|.release.scope}{.space}{.cop}{.L1::priority}{.L2::priority}{.L2::cache_hint}{.vec}.type [a], b{, policy}", [1, 0, 10])
        .demands(STORES),
    store("st.mmio.{relaxed|release}.sys{.global}.type [a], b", [8, 2, 70])
        .changed(SYNCHRONIZING).spaces("global").marked("mmio").demands(MMIO),
];

const UNIFORM: &str = "ldu{.global}{.v2|.v4}.type d, [a]";
const TYPES: &str = ".b8 to .b128, .u8 to .u64, .s8 to .s64, .f32 and .f64";
const VECTORS: &[&str] = &["v2", "v4", "v8"];
const FIRST: &[&str] = &[
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
];
const SECOND: &[&str] = &["L2::evict_normal", "L2::evict_first", "L2::evict_last"];
const PREFETCH: &[&str] = &["L2::64B", "L2::128B", "L2::256B"];
const POLICY: &[&str] = &["L2::cache_hint"];
const HINTS: &[&str] = &["L1::", "L2::"];
const ORDERS: &[&str] = &["weak", "relaxed", "acquire", "release", "acq_rel", "sc"];
const SCOPES: &[&str] = &["cta", "cluster", "gpu", "sys"];
const STRONG: &[&str] = &["volatile", "relaxed", "acquire", "release"];
// Demands that loads and stores share.
const OPERATED: &str = "only weak accesses have a cache operator such as `.{word}`";
const LOAD_OPERATORS: &[&str] = &["ca", "cg", "cs", "lu", "cv"];
const STORE_OPERATORS: &[&str] = &["wb", "cg", "cs", "wt"];
const WEAK_LOAD: Demand =
    Demand::rule(LOAD_OPERATORS, Needs::Without(STRONG), OPERATED, "remove it");
const WEAK_STORE: Demand =
    Demand::rule(STORE_OPERATORS, Needs::Without(STRONG), OPERATED, "remove it");
const REACHED: &str =
    "global and shared (or none, for generic addresses) where the access is strong";
const PRIVATE: Demand = Demand::space(
    &["const", "param", "param::entry", "param::func"],
    Needs::Without(STRONG),
    REACHED,
);
const LOCAL: Demand =
    Demand::space(&["local"], Needs::Without(&["relaxed", "acquire", "release"]), REACHED);
const NO_VECTOR: &str = "there is no vector of {elements} elements of `.{type}` here";
const AT_MOST: &str = "vectors have at most 128 bits, or 256 in global memory";
const ELEMENTS: Demand = Demand::rule(VECTORS, Needs::Without(&["b128"]), NO_VECTOR, AT_MOST);
const WIDE: Demand = Demand::rule(VECTORS, Needs::Bits(0, 256), NO_VECTOR, AT_MOST);
const NARROW: Demand =
    Demand::rule(NOT_GLOBAL, Needs::Bits(0, 128), NO_VECTOR, AT_MOST).at_vector();

const NO_HINT: &str = "this access takes no hint such as `.{word}`";
const ALL_HINTS: Demand = Demand::rule(
    HINTS,
    Needs::OneOf(&[
        "L1::evict_normal",
        "L1::evict_unchanged",
        "L1::evict_first",
        "L1::evict_last",
        "L1::no_allocate",
        "L2::evict_normal",
        "L2::evict_first",
        "L2::evict_last",
        "L2::cache_hint",
        "L2::64B",
        "L2::128B",
        "L2::256B",
    ]),
    NO_HINT,
    "the hints are `.L1::evict_normal`, `.L1::evict_unchanged`, `.L1::evict_first`, \
     `.L1::evict_last`, `.L1::no_allocate`, `.L2::evict_normal`, `.L2::evict_first`, \
     `.L2::evict_last` and `.L2::cache_hint`, and of loads `.L2::64B`, `.L2::128B` and `.L2::256B`",
);
const GLOBAL_HINTS: Demand = Demand::rule(
    HINTS,
    Needs::Without(NOT_GLOBAL),
    NO_HINT,
    "hints go with accesses to global memory; remove it",
);
const NO_PREFETCH: Demand =
    Demand::rule(PREFETCH, Needs::OneOf(&[]), NO_HINT, "only loads prefetch; remove it");
const WHOLE: Demand = Demand::rule(
    SECOND,
    Needs::Bits(256, 256),
    NO_HINT,
    "the priority in the second cache goes with vectors of 256 bits; remove it",
);
const VOLATILE: &[&str] = &["volatile"];
const VOLATILE_HELP: &str = "volatile accesses have neither priority nor policy; remove it";
const CALM: Demand = Demand::rule(FIRST, Needs::Without(VOLATILE), NO_HINT, VOLATILE_HELP);
const CALM_POLICY: Demand = Demand::rule(POLICY, Needs::Without(VOLATILE), NO_HINT, VOLATILE_HELP);
const ONE_HINT: Demand = Demand::rule(
    FIRST,
    Needs::Without(&["ca", "cg", "cs", "lu", "cv", "wb", "wt"]),
    NO_HINT,
    "a cache operator and a priority in the first cache exclude each other",
);

const WEAK: Demand =
    Demand::conflict(&["weak"], &["relaxed", "acquire", "release", "acq_rel", "sc"]);

const LOADS: &[Demand] = &[
    WEAK,
    Demand::rule(
        ORDERS,
        Needs::OneOf(&["weak", "relaxed", "acquire"]),
        "`ld` cannot be `.{word}`",
        "a load is `.weak`, `.volatile`, `.relaxed` or `.acquire`",
    ),
    WEAK_LOAD,
    PRIVATE,
    LOCAL,
    ELEMENTS,
    WIDE,
    NARROW,
    ALL_HINTS,
    GLOBAL_HINTS,
    WHOLE,
    CALM,
    CALM_POLICY,
    ONE_HINT,
];

const STORES: &[Demand] = &[
    WEAK,
    Demand::rule(
        ORDERS,
        Needs::OneOf(&["weak", "relaxed", "release"]),
        "`st` cannot be `.{word}`",
        "a store is `.weak`, `.volatile`, `.relaxed` or `.release`",
    ),
    WEAK_STORE,
    PRIVATE,
    LOCAL,
    Demand::space(
        &["const", "param::entry"],
        Needs::OneOf(&[]),
        "global, local, shared and param::func",
    ),
    ELEMENTS,
    WIDE,
    NARROW,
    ALL_HINTS,
    GLOBAL_HINTS,
    NO_PREFETCH,
    WHOLE,
    CALM,
    CALM_POLICY,
    ONE_HINT,
];

const MMIO: &[Demand] = {
    const HELP: &str = "write `.mmio.relaxed.sys{.global}`: the order, the scope and the space of such \
                        accesses";
    const OF: &[&str] = &["mmio"];
    const STRONG_ORDERS: &[&str] = &["relaxed", "acquire", "release", "acq_rel", "sc"];
    const ANY: &[&str] =
        &["weak", "relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys"];
    &[
        Demand::conflict(OF, VOLATILE),
        Demand::rule(OF, Needs::With(ANY), "`{form}` needs `.relaxed.sys`", HELP),
        Demand::rule(OF, Needs::Without(&["weak"]), "`.mmio` accesses are not weak", HELP),
        Demand::rule(OF, Needs::With(STRONG_ORDERS), "`{form}` needs `.relaxed`", HELP),
        Demand::rule(OF, Needs::With(SCOPES), "`{form}` needs `.sys`", HELP),
        Demand::rule(
            OF,
            Needs::Without(&["cta", "cluster", "gpu"]),
            "`.mmio` accesses have the scope `.sys`, not `.{other}`",
            HELP,
        ),
        Demand::rule(OF, Needs::Without(NOT_GLOBAL), "`.mmio` accesses are global", HELP),
        Demand::rule(
            VECTORS,
            Needs::OneOf(&[]),
            "`.mmio` accesses have no vector forms",
            "access the elements one by one",
        ),
        Demand::rule(
            HINTS,
            Needs::OneOf(&[]),
            NO_HINT,
            "`.mmio` accesses have no hints; remove it",
        ),
    ]
};

const INCOHERENT: &[Demand] = {
    const MESSAGE: &str = "`.nc` loads are weak and global";
    const HELP: &str = "write `ld.global{.ca|.cg|.cs}.nc.type d, [a]`, without `.weak`";
    const OTHERS: &[&str] = &["weak", "volatile", "relaxed", "acquire", "lu", "cv"];
    &[
        Demand::rule(&["nc"], Needs::Without(OTHERS), MESSAGE, HELP),
        Demand::rule(&["nc"], Needs::Without(NOT_GLOBAL), MESSAGE, HELP),
        Demand::rule(&["nc"], Needs::With(&["global"]), MESSAGE, HELP),
        ELEMENTS,
        WIDE,
        ALL_HINTS,
        WHOLE,
        ONE_HINT,
    ]
};

const UNIFORMS: &[Demand] = {
    const MESSAGE: &str = "`ldu` is weak and global";
    const HELP: &str = "write `ldu{.global}.type d, [a]`";
    &[
        Demand::rule(&[], Needs::Without(STRONG), MESSAGE, HELP),
        Demand::rule(&[], Needs::Without(NOT_GLOBAL), MESSAGE, HELP),
        ELEMENTS,
        Demand::rule(
            &[],
            Needs::Bits(0, 128),
            "`ldu` loads at most 128 bits",
            "write two instructions",
        ),
    ]
};
