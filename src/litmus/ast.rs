//! The syntax tree of a litmus test, common to all three text formats.

use super::tensor::TensorMap;
use crate::ptx::literal::Float;
use crate::ptx::operation::{Statement, Type};
use crate::source::{Span, Spanned};

/// The text format of a test, on which a few rules depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Columns of instructions, 64-bit untyped registers, the dialect of herd and its relatives.
    Columns,
    /// PTX statements in one block per thread.
    Blocks,
    /// NVIDIA's `.test` format with template rows.
    Nvlitmus,
}

/// Where an agent runs; every number counts within the whole test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The device.
    pub gpu: u32,
    /// The grid; 0 unless kernels are declared.
    pub grid: u32,
    /// The cluster within the grid.
    pub cluster: u32,
    /// The CTA within the grid (not within the cluster).
    pub cta: u32,
    /// The warp within the CTA; `None` when the thread is a warp of its own.
    pub warp: Option<u32>,
}

impl Place {
    /// The CTA, told from all others of the test: device, grid, number within the grid.
    #[must_use]
    pub fn cta_of_test(self) -> (u32, u32, u32) {
        (self.gpu, self.grid, self.cta)
    }
}

/// Where a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadPlace {
    /// On a device.
    Device(Place),
    /// A host thread (system scope only).
    Host,
}

/// The state space of a declared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the directives")]
pub enum DeclaredSpace {
    Global,
    Shared,
    Const,
    Local,
    /// A kernel parameter.
    Param,
    /// A multimem address range over one replica per device.
    Multimem,
}

impl DeclaredSpace {
    /// The state space of an alias of such a variable. An alias of multimem memory is a unicast
    /// address of the replica on each thread's own device (PTX-8.2.3).
    #[must_use]
    pub fn of_alias(self) -> Self {
        match self {
            Self::Multimem => Self::Global,
            other => other,
        }
    }

    /// The directive that declares the space, without its dot.
    #[must_use]
    pub fn directive(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Const => "const",
            Self::Local => "local",
            Self::Param => "param",
            Self::Multimem => "multimem",
        }
    }
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Spanned<String>,
    /// Its state space.
    pub space: DeclaredSpace,
    /// The element type; [`Type::UNTYPED`] in columns.
    pub ty: Type,
    /// Number of elements; 1 for scalars.
    pub elements: u64,
    /// Alignment in bytes; the element's size unless given.
    pub align: u64,
    /// Initial element values; `None` when nothing is said (0 for global and const, unknown
    /// but constant for the others). Shorter than `elements` when the rest is zero.
    pub initial: Option<Vec<i128>>,
    /// Elements of `initial` that are addresses; their value there is 0.
    pub initial_addresses: Vec<InitialAddress>,
    /// The declaration.
    pub span: Span,
}

/// An address in an initializer (PTX-5.4.4): `x+4`, `generic(x)+4`, `0xff00(x)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialAddress {
    /// The element with the address.
    pub element: usize,
    /// The variable or alias.
    pub name: Spanned<String>,
    /// Bytes added to the address of the variable.
    pub offset: i64,
    /// Whether the value is the generic address, rather than the one within the state space.
    pub generic: bool,
    /// Which part of the address.
    pub bits: AddressBits,
}

/// Which part of an address an initializer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBits {
    /// As much as fits the element.
    All,
    /// One byte, `0xff00(x)`: its index from the lowest.
    Byte(u32),
}

impl AddressBits {
    /// The selected bits of an address.
    #[must_use]
    pub fn of(self, address: u64) -> u64 {
        match self {
            Self::All => address,
            Self::Byte(number) => (address >> (8 * number)) & 0xff,
        }
    }

    /// The part that a mask takes.
    #[must_use]
    pub fn from_mask(mask: u64) -> Option<Self> {
        (0..8).find(|number| mask == 0xff << (8 * number)).map(Self::Byte)
    }

    /// The mask that takes this part.
    #[must_use]
    pub fn mask(self) -> Option<u64> {
        match self {
            Self::All => None,
            Self::Byte(number) => Some(0xff << (8 * number)),
        }
    }
}

/// A second name for a variable's memory, reached through a proxy or another virtual address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasDeclaration {
    /// The new name.
    pub name: Spanned<String>,
    /// The proxy named in the declaration.
    pub proxy: crate::ptx::operation::Proxy,
    /// The variable or alias that it names.
    pub target: Spanned<String>,
    /// The declaration.
    pub span: Span,
}

/// An initial register value, `P0:r0=1;` or `P0:r0=&x;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterInit {
    /// Index into [`Test::threads`].
    pub thread: usize,
    /// The register.
    pub register: Spanned<String>,
    /// Its value.
    pub value: InitialValue,
}

/// The right-hand side of an initialization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitialValue {
    /// A number; beyond 127 bits, the one with the same bits.
    Number(i128),
    /// A floating-point number, whose bits depend on the register's type.
    Float(Float),
    /// The address of a variable.
    Address(Spanned<String>),
}

/// A thread with its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name as written, such as `P0`.
    pub name: Spanned<String>,
    /// The place where it runs.
    pub place: ThreadPlace,
    /// Declared registers (`.reg .b32 %r<4>;`); undeclared ones get the type of their first use.
    pub registers: Vec<(Spanned<String>, Type)>,
    /// Its statements in program order.
    pub statements: Vec<Statement>,
    /// The task (kernel launch) that it belongs to, as an index into [`Test::tasks`].
    pub task: Option<usize>,
}

/// A task of the API (PTX-8.9.4): a kernel launch or a host-side operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub name: Spanned<String>,
}

/// An edge between tasks, or between a host statement and a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskEdge {
    /// The earlier task.
    pub from: Spanned<String>,
    /// The later task.
    pub to: Spanned<String>,
    /// Whether the later task may start before the earlier one ends (programmatic dependent
    /// launch).
    pub programmatic: bool,
}

/// A side of a comparison in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A register of a thread (index into [`Test::threads`]).
    Register {
        /// The thread.
        thread: usize,
        /// The register's name without `%`.
        register: String,
        /// The place in the source.
        span: Span,
    },
    /// The final value of a variable, or of one element of an array.
    Memory {
        /// The variable or alias.
        variable: String,
        /// The element; 0 for scalars.
        index: u64,
        /// The thread whose instance is meant, for `.shared` and `.local` variables.
        instance: Option<usize>,
        /// The place in the source.
        span: Span,
    },
    /// A number.
    Number(Spanned<i128>),
    /// A floating-point number, which denotes its bits in the type of the other side.
    Float(Spanned<Float>),
    /// The address of a variable.
    AddressOf(Spanned<String>),
}

/// A condition over final states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always true.
    True,
    /// Always false.
    False,
    /// A comparison, signed unless a side is of an unsigned type.
    Compare(crate::ptx::operation::Comparison, Term, Term),
    /// Negation.
    Not(Box<Condition>),
    /// A conjunction.
    And(Vec<Condition>),
    /// A disjunction.
    Or(Vec<Condition>),
    /// Implication; binds tighter than `/\` as in herd.
    Implies(Box<Condition>, Box<Condition>),
}

/// The quantifier of the final condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `exists`
    Exists,
    /// `~exists`
    NotExists,
    /// `forall`
    Forall,
}

/// A metadata line `Key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The key, `Expect[ptx-7.5]` included.
    pub key: Spanned<String>,
    /// The value, trimmed.
    pub value: Spanned<String>,
}

/// A size that the launch of a kernel decides, for every grid of the test (PTX-10.2, PTX-10.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSize {
    /// The special register with its value, such as `ntid.x`.
    pub register: Spanned<String>,
    /// How many.
    pub value: u32,
}

/// The threads of a test among those of its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// How many threads the launches have.
    pub threads: u64,
    /// The roles that the test's threads represent, if these are not all threads of the launches.
    pub roles: Vec<Role>,
    /// How far the other threads of the launches are known.
    pub followed: Followed,
}

/// How far the threads of launches are known of which a test has some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Some have roles that nobody knows or looks at.
    Some,
    /// Each has one of the roles, but where some accesses go is unknown.
    Unplaced,
    /// Each has one of the roles.
    All,
    /// Each has one of the roles, all addresses are known, and no two threads access the same bytes,
    /// at least one of them writing.
    Apart,
}

/// Threads of a launch that do the same, and the thread of a test that represents them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// The description of the role, such as `first of its CTA`.
    pub name: String,
    /// The threads of the test.
    pub threads: Vec<usize>,
}

impl Launched {
    /// Whether the test has all threads of its launches.
    #[must_use]
    pub fn is_whole(&self, threads: usize) -> bool {
        self.threads == threads as u64
    }
}

/// A litmus test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name in the header.
    pub name: String,
    /// The text format.
    pub dialect: Dialect,
    /// PTX ISA version named by a `.version` line, as (major, minor).
    pub version: Option<(u32, u32)>,
    /// Doc strings.
    pub docs: Vec<String>,
    /// Metadata lines in order.
    pub metadata: Vec<Metadata>,
    /// Variables.
    pub variables: Vec<Variable>,
    /// Tensor maps, each of which is a variable as well.
    pub tensor_maps: Vec<TensorMap>,
    /// The variables that are columns of Tensor Memory, by name.
    pub tensor_memory: Vec<String>,
    /// Aliases.
    pub aliases: Vec<AliasDeclaration>,
    /// Initial register values.
    pub register_inits: Vec<RegisterInit>,
    /// How large the grids are, as far as the test says.
    pub launch: Vec<LaunchSize>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// The launches of kernels that the threads come from, if any.
    pub launched: Option<Launched>,
    /// API tasks.
    pub tasks: Vec<Task>,
    /// Edges between tasks.
    pub task_edges: Vec<TaskEdge>,
    /// The `locations` line.
    pub locations: Vec<Term>,
    /// The `filter` condition.
    pub filter: Option<Condition>,
    /// The quantifier.
    pub quantifier: Quantifier,
    /// The final condition.
    pub condition: Condition,
    /// From the quantifier to the end of the condition.
    pub condition_span: Span,
    /// The whole test.
    pub span: Span,
}

/// The word of `Launch` lines for grids whose CTAs all run at once.
pub(crate) const COOPERATIVE: &str = "cooperative";

impl Test {
    /// The launches of the test, if it has only some of their threads.
    #[must_use]
    pub fn partial_launch(&self) -> Option<&Launched> {
        self.launched.as_ref().filter(|launched| !launched.is_whole(self.threads.len()))
    }

    /// Whether the grid of this number is launched cooperatively, so that all its CTAs run at
    /// once: `Launch=cooperative` speaks of all grids, `Launch=cooperative 0, 2` of these.
    #[must_use]
    pub fn is_cooperative(&self, grid: u32) -> bool {
        let launch =
            self.metadata("Launch").and_then(|value| value.trim().strip_prefix(COOPERATIVE));
        let listed = |grids: &str| {
            let numbers = grids.strip_prefix(char::is_whitespace)?.split(',');
            numbers.map(|number| number.trim().parse::<u32>().ok()).collect::<Option<Vec<_>>>()
        };
        launch.is_some_and(|grids| {
            grids.is_empty() || listed(grids).is_some_and(|grids| grids.contains(&grid))
        })
    }

    /// The tensor map that a variable holds.
    #[must_use]
    pub fn tensor_map(&self, variable: &str) -> Option<&TensorMap> {
        self.tensor_maps.iter().find(|map| map.name.value == variable)
    }

    /// Whether a variable is columns of Tensor Memory.
    #[must_use]
    pub fn is_tensor_memory(&self, variable: &str) -> bool {
        self.tensor_memory.iter().any(|name| name == variable)
    }

    /// The value of the last metadata line with this key.
    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.iter().rev().find(|m| m.key.value == key).map(|m| m.value.value.as_str())
    }
}
