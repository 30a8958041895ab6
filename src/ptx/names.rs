//! The words of PTX for orders, scopes, spaces, types and functions: text to value and back.

use crate::ptx::value::{AtomicOp, BoolOp, Comparison, Order, Proxy, Scope, Space, Type, TypeKind};
use std::fmt::{Display, Formatter, Result};

/// Declares, for a plain enum, the function from words to values and the way back as `Display`.
macro_rules! words {
    ($(#[$doc:meta])* $function:ident -> $ty:ident { $($word:literal $(| $other:literal)* = $value:ident),* $(,)? }) => {
        $(#[$doc])*
        #[must_use]
        pub fn $function(word: &str) -> Option<$ty> {
            Some(match word { $($word $(| $other)* => $ty::$value,)* _ => return None })
        }

        impl $ty {
            /// The word for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $($ty::$value => $word),* }
            }
        }

        impl Display for $ty {
            fn fmt(&self, f: &mut Formatter<'_>) -> Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// The memory order that a qualifier names.
    order -> Order {
        "weak" = Weak, "relaxed" = Relaxed, "acquire" = Acquire, "release" = Release,
        "acq_rel" = AcqRel, "sc" = Sc,
    }
}
words! {
    /// The scope that a qualifier names.
    scope -> Scope { "cta" = Cta, "cluster" = Cluster, "gpu" = Gpu, "sys" = Sys }
}
words! {
    /// The proxy that a word names in reports.
    any_proxy -> Proxy {
        "generic" = Generic, "async" = Async, "texture" = Texture, "surface" = Surface,
        "constant" = Constant, "tensormap" = Tensormap, "tensor" = TensorMemory,
    }
}
words! {
    /// The function of an atomic operation.
    atomic -> AtomicOp {
        "and" = And, "or" = Or, "xor" = Xor, "cas" = Cas, "exch" = Exch, "add" = Add, "inc" = Inc,
        "dec" = Dec, "min" = Min, "max" = Max, "sub" = Sub, "mul" = Mul, "div" = Div,
    }
}
words! {
    /// A comparison, the unsigned spellings included.
    comparison -> Comparison {
        "eq" | "equ" = Eq, "ne" | "neu" = Ne, "lt" | "lo" = Lt, "le" | "ls" = Le, "gt" | "hi" = Gt,
        "ge" | "hs" = Ge,
    }
}
words! {
    /// How predicates are combined.
    bool_op -> BoolOp { "and" = And, "or" = Or, "xor" = Xor }
}
words! {
    /// The state space that a qualifier names; generic addressing has no word.
    space -> Space {
        "generic" = Generic, "global" = Global, "shared::cta" | "shared" = SharedCta,
        "shared::cluster" = SharedCluster, "local" = Local, "const" = Const,
        "param" | "param::entry" = ParamEntry, "param::func" = ParamFunc,
    }
}

/// The proxy that a word names in programs. The async and tensormap proxies are excluded, since
/// instructions imply them.
#[must_use]
pub fn proxy(word: &str) -> Option<Proxy> {
    let own = [Proxy::Async, Proxy::Tensormap, Proxy::TensorMemory];
    any_proxy(word).filter(|proxy| !own.contains(proxy))
}

impl Comparison {
    /// Its symbol in conditions.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

/// The fundamental type that a qualifier names (PTX-5.2).
#[must_use]
pub fn ty(word: &str) -> Option<Type> {
    let (kind, bits) = match word {
        "pred" => return Some(Type::PREDICATE),
        "bf16" => (TypeKind::Bfloat, "16"),
        "f16x2" => (TypeKind::FloatX2, "32"),
        "bf16x2" => (TypeKind::BfloatX2, "32"),
        _ => match word.split_at_checked(1)? {
            ("b", bits) => (TypeKind::Bits, bits),
            ("u", bits) => (TypeKind::Unsigned, bits),
            ("s", bits) => (TypeKind::Signed, bits),
            ("f", bits) => (TypeKind::Float, bits),
            _ => return None,
        },
    };
    let bits = match bits {
        "8" if kind != TypeKind::Float => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        "128" if kind == TypeKind::Bits => 128,
        _ => return None,
    };
    Some(Type::new(kind, bits))
}

/// The type of data in memory that a qualifier names: fundamental, or 8-bit floating-point numbers.
#[must_use]
pub fn data_type(word: &str) -> Option<Type> {
    ty(word).or_else(|| narrow_type(word))
}

/// The type of a number in a packed word, or of a number below 8 bits. Forms name these types
/// besides fundamental ones (PTX-5.2.5).
#[must_use]
pub(crate) fn part(word: &str) -> Option<Type> {
    Some(match word {
        "f32x2" => Type::new(TypeKind::FloatX2, 64),
        "u2" => Type::new(TypeKind::Unsigned, 2),
        "s2" => Type::new(TypeKind::Signed, 2),
        "u4" => Type::new(TypeKind::Unsigned, 4),
        "s4" => Type::new(TypeKind::Signed, 4),
        "u8x4" => Type::new(TypeKind::Unsigned, 8),
        "s8x4" => Type::new(TypeKind::Signed, 8),
        "u16x2" => Type::new(TypeKind::Unsigned, 16),
        "s16x2" => Type::new(TypeKind::Signed, 16),
        _ => return None,
    })
}

/// The type of 8-bit floating-point numbers, alone or packed, that a qualifier names (PTX-5.2.3). Only
/// multimem operations of this subset have it.
#[must_use]
pub fn narrow_type(word: &str) -> Option<Type> {
    let (name, number) = word.split_at_checked(4)?;
    let kind = match name {
        "e4m3" => TypeKind::E4m3,
        "e5m2" => TypeKind::E5m2,
        _ => return None,
    };
    let bits = match number {
        "" => 8,
        "x2" => 16,
        "x4" => 32,
        _ => return None,
    };
    Some(Type::new(kind, bits))
}

fn narrow(f: &mut Formatter<'_>, name: &str, bits: u32) -> Result {
    match bits {
        8 => f.write_str(name),
        _ => write!(f, "{name}x{}", bits / 8),
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.kind {
            TypeKind::Predicate => f.write_str("pred"),
            TypeKind::Bfloat => f.write_str("bf16"),
            TypeKind::FloatX2 => f.write_str("f16x2"),
            TypeKind::BfloatX2 => f.write_str("bf16x2"),
            TypeKind::E4m3 => narrow(f, "e4m3", self.bits),
            TypeKind::E5m2 => narrow(f, "e5m2", self.bits),
            TypeKind::Bits => write!(f, "b{}", self.bits),
            TypeKind::Unsigned => write!(f, "u{}", self.bits),
            TypeKind::Signed => write!(f, "s{}", self.bits),
            TypeKind::Float => write!(f, "f{}", self.bits),
        }
    }
}

impl Space {
    /// The shortest word for it.
    pub(crate) const fn short(self) -> &'static str {
        match self {
            Self::SharedCta => "shared",
            Self::ParamEntry => "param",
            other => other.word(),
        }
    }
}

/// The words of the state spaces, global memory first.
pub(crate) const SPACES: &[&str] = &[
    "global",
    "const",
    "local",
    "param",
    "param::entry",
    "param::func",
    "shared",
    "shared::cta",
    "shared::cluster",
];

/// The words of the state spaces other than global memory.
pub(crate) const NOT_GLOBAL: &[&str] = SPACES.split_at(1).1;

/// Whether a qualifier is an eviction priority, a cache hint or a prefetch size.
#[must_use]
pub fn is_hint(word: &str) -> bool {
    word.starts_with("L1::") || word.starts_with("L2::")
}

/// Special registers without their `%` (PTX-10), components left out.
const SPECIAL_REGISTERS: &[&str] = &[
    "tid",
    "ntid",
    "laneid",
    "warpid",
    "nwarpid",
    "ctaid",
    "nctaid",
    "smid",
    "nsmid",
    "gridid",
    "is_explicit_cluster",
    "clusterid",
    "nclusterid",
    "cluster_ctaid",
    "cluster_nctaid",
    "cluster_ctarank",
    "cluster_nctarank",
    "lanemask_eq",
    "lanemask_le",
    "lanemask_lt",
    "lanemask_ge",
    "lanemask_gt",
    "clock",
    "clock_hi",
    "clock64",
    "globaltimer",
    "globaltimer_lo",
    "globaltimer_hi",
    "total_smem_size",
    "aggr_smem_size",
    "dynamic_smem_size",
    "current_graph_exec",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
    "reserved_smem_offset_0",
    "reserved_smem_offset_1",
];

/// The name of a special register (such as `tid.x`), if `written` is one, with its `%`.
#[must_use]
pub fn special_register(written: &str) -> Option<&str> {
    let name = written.strip_prefix('%')?;
    let base = name.split('.').next().unwrap_or(name);
    let numbered = |prefix: &str| {
        base.strip_prefix(prefix)
            .is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit() || c == '_'))
    };
    (SPECIAL_REGISTERS.contains(&base) || numbered("pm") || numbered("envreg")).then_some(name)
}

/// The type of a special register's value (PTX-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialType {
    /// 32 bits.
    Word,
    /// 32 bits, once 16, and still taken as such.
    Dimension,
    /// 64 bits.
    Double,
    /// 64 bits, once 16 and then 32, and still taken as such.
    Grid,
    /// A predicate.
    Predicate,
}

impl SpecialType {
    /// Whether `mov` of this type can move the register.
    #[must_use]
    pub fn fits(self, ty: Type) -> bool {
        let integer = matches!(ty.kind, TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed);
        let widths: &[u32] = match self {
            Self::Predicate => return ty == Type::PREDICATE,
            Self::Word => &[32],
            Self::Dimension => &[16, 32],
            Self::Double => &[64],
            Self::Grid => &[16, 32, 64],
        };
        integer && widths.contains(&ty.bits)
    }

    /// The way to move it.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Predicate => "it is a predicate: write `mov.pred`",
            Self::Word | Self::Dimension => {
                "it has 32 bits: write `mov.u32`, and widen it with `cvt.u64.u32`"
            }
            Self::Double | Self::Grid => "it has 64 bits: write `mov.u64`",
        }
    }
}

/// The type of a special register without its `%`; `None` for a vector without its component.
#[must_use]
pub fn special_register_type(name: &str) -> Option<SpecialType> {
    const VECTORS: &[&str] = &[
        "tid",
        "ntid",
        "ctaid",
        "nctaid",
        "clusterid",
        "nclusterid",
        "cluster_ctaid",
        "cluster_nctaid",
    ];
    let base = name.split('.').next().unwrap_or(name);
    Some(match base {
        _ if VECTORS.contains(&name) => return None,
        "tid" | "ntid" | "ctaid" | "nctaid" => SpecialType::Dimension,
        "gridid" => SpecialType::Grid,
        "is_explicit_cluster" => SpecialType::Predicate,
        "clock64" | "globaltimer" | "current_graph_exec" => SpecialType::Double,
        _ if base.starts_with("pm") && base.ends_with("_64") => SpecialType::Double,
        _ => SpecialType::Word,
    })
}

/// The components of a vector register, in order (PTX-6.4.3).
pub const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The component of a suffix without its dot, by position or by colour.
#[must_use]
pub fn component(suffix: &str) -> Option<usize> {
    const COLOURS: [&str; 4] = ["r", "g", "b", "a"];
    let place = |names: [&str; 4]| names.iter().position(|&name| name == suffix);
    place(COMPONENTS).or_else(|| place(COLOURS))
}

/// The name of a component's register: `V.x` for the first one of `V`.
///
/// # Panics
/// When there is no component with that number.
#[must_use]
pub fn component_name(vector: &str, component: usize) -> String {
    format!("{vector}.{}", COMPONENTS[component])
}
