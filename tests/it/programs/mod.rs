//! Random litmus tests: what every property test and benchmark draws its programs from.
//!
//! A [`Sketch`] is a short program in a form that shrinks well: registers and labels get their
//! names when it is printed, so that any instruction can be left out. Its text is the block format.

pub mod asynchronous;
pub mod blocks;
mod forms;
mod generate;
mod text;
mod transform;

pub use generate::{Profile, barriers_and_sums, cyclic, large, sketch, small};
pub use transform::{widened, widest};

/// A program.
#[derive(Clone, PartialEq)]
pub struct Sketch {
    /// Where the variables live.
    pub variables: Vec<Space>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// A barrier in the middle of every thread.
    pub phase: Option<Instruction>,
    /// How many arrivals complete a phase of the mbarrier, in a program that uses it.
    pub arrivals: u32,
    /// Which task comes before which, and whether it is only launched before (programmatic).
    pub edges: Vec<(usize, usize, bool)>,
    /// Whether all threads first and last come to their cluster's barrier, in a program that
    /// accesses the shared memory of other CTAs.
    pub kept: (bool, bool),
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    /// One instance for each CTA.
    Shared,
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// An index into [`PLACES`].
    pub place: usize,
    /// Whether it is in the same warp as others that say so; else it has a warp of its own.
    pub first_warp: bool,
    /// It does what this earlier thread does, modulo how many there are, in place of its own body.
    pub copy_of: Option<usize>,
    /// The task that it belongs to, in a program with tasks.
    pub task: Option<usize>,
    /// Whether the host executes it, wherever its place is.
    pub host: bool,
    /// What it does.
    pub body: Vec<Item>,
}

/// Device, cluster and CTA of threads.
pub const PLACES: [(u32, u32, u32); 4] = [(0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 0, 0)];

/// An instruction with the control flow around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it does.
    pub instruction: Instruction,
    /// Whether it is executed; `None` always.
    pub control: Option<Control>,
}

/// Control flow around an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Only if the register that many loads ago has this value.
    If(usize, u32),
    /// This instruction instead if the register that many loads ago has this value.
    Else(usize, u32, Box<Instruction>),
    /// Jumps to the end of the thread unless the register that many loads ago has this value.
    Exit(usize, u32),
    /// Repeated until the register that it sets has this value, a wait until it succeeds.
    Until(u32),
    /// Between taking and giving back a lock, with the qualifiers of these two atomics.
    Lock(String, String),
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The variable, modulo how many there are.
    pub variable: usize,
    /// By which name and which part.
    pub part: Part,
}

/// A name or part of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    Whole,
    Alias,
    LowHalf,
    HighHalf,
    /// The second element of two.
    Second,
    /// The element that the lowest bit of the register that many loads ago names.
    Chosen(usize),
    /// The first element, at an address computed from that register in vain.
    Computed(usize),
    /// Both elements as one 64-bit word.
    Double,
    /// Both elements as a vector.
    Vector,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    Number(u32),
    /// The register that many loads ago; the number where there is none.
    Copy(usize, u32),
    /// That register plus the number.
    Sum(usize, u32),
    /// The number, computed from that register in vain.
    False(usize, u32),
    /// The register before that one or the last one, whichever that one chooses by being the number.
    Chosen(usize, u32, Choice),
}

/// How a register is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// By one instruction.
    Select,
    /// By overwriting it under a predicate.
    Overwrite,
    /// By branches that meet again.
    Branch,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// The qualifiers as written, such as `acquire.gpu`.
    Load(String, Target),
    Store(String, Target, Source),
    /// Qualifiers, operation with type, operands.
    Atomic(String, &'static str, Target, Source, u32),
    Reduce(String, &'static str, Target, Source),
    /// A fence or barrier, as written.
    Plain(String),
    /// A barrier with this reduction over whether the register that many loads ago has this value;
    /// its number and count as written.
    Vote(&'static str, &'static str, usize, u32),
    /// An arrival at the mbarrier, with its qualifiers.
    Arrive(String),
    /// An arrival at the mbarrier of the first CTA of the cluster.
    ArriveThere(&'static str),
    /// A wait for the phase of this parity: instruction, qualifiers.
    Wait(&'static str, &'static str, u32),
    /// A wait for the phase of the last arrival of the thread; of phase 0 where there is none.
    WaitToken(&'static str, &'static str),
    /// A template of [`forms`] without alternatives, about a variable and a value.
    Form(String, usize, Source),
}

impl Instruction {
    /// Whether it sets a register that later instructions may use.
    pub fn sets_register(&self) -> bool {
        if let Self::Form(text, ..) = self {
            return text.contains("$d");
        }
        !matches!(
            self,
            Self::Store(..)
                | Self::Reduce(..)
                | Self::Plain(_)
                | Self::Arrive(_)
                | Self::ArriveThere(_)
        )
    }

    /// Where it accesses memory.
    pub fn target(&self) -> Option<Target> {
        match *self {
            Self::Load(_, target)
            | Self::Store(_, target, _)
            | Self::Atomic(_, _, target, ..)
            | Self::Reduce(_, _, target, _) => Some(target),
            _ => None,
        }
    }

    /// Whether it may access the shared memory of another CTA.
    pub fn uses_peers(&self) -> bool {
        match self {
            Self::Form(text, ..) => text.contains("mapa."),
            _ => matches!(self, Self::ArriveThere(_)),
        }
    }

    /// Whether it uses the mbarrier.
    pub fn uses_mbarrier(&self) -> bool {
        match self {
            Self::Form(text, ..) => text.contains("mbarrier."),
            _ => matches!(
                self,
                Self::Arrive(_) | Self::ArriveThere(_) | Self::Wait(..) | Self::WaitToken(..)
            ),
        }
    }
}

impl Item {
    /// Its instruction and the other one that may be executed instead.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let other = match &self.control {
            Some(Control::Else(_, _, other)) => Some(other.as_ref()),
            _ => None,
        };
        std::iter::once(&self.instruction).chain(other)
    }
}

impl Sketch {
    /// What a thread does, copies resolved.
    pub fn body(&self, index: usize) -> &[Item] {
        match self.threads[index].copy_of {
            Some(other) if index > 0 => self.body(other % index),
            _ => &self.threads[index].body,
        }
    }

    /// All items of all threads.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        (0..self.threads.len()).flat_map(|t| self.body(t))
    }

    /// Whether variables of templates have unknown initial values.
    pub fn has_unknown_values(&self) -> bool {
        let unknown = |text: &str| !text.contains('=') && !text.starts_with(".global");
        self.extras().any(|(_, declaration, _)| unknown(declaration))
    }

    /// Names of what it contains, for whoever counts what was covered.
    pub fn features(&self) -> Vec<&'static str> {
        let text = self.text();
        let mut out = Vec::new();
        let alike = |a: usize, b: usize| {
            !self.body(a).is_empty()
                && self.body(a) == self.body(b)
                && self.threads[a].place == self.threads[b].place
        };
        let threads = self.threads.len();
        if (0..threads).any(|a| (0..a).any(|b| alike(a, b))) {
            out.push("alike threads");
        }
        let words = [
            ("bar.red", "bar.red"),
            ("barriers", "bar.sync"),
            ("cluster barriers", "barrier.cluster"),
            ("warp barriers", "bar.warp"),
            ("mbarriers", "mbarrier."),
            ("shared variables", ".shared .u32"),
            ("aliases", ".alias"),
            ("locks", "LOCK"),
            ("vectors", ".v2"),
            ("64 bits", ".u64"),
            ("16 bits", ".u16"),
            ("addresses from loads", "mul.wide"),
            ("cluster scope", ".cluster."),
            ("volatile", ".volatile"),
            ("mmio", ".mmio"),
            ("fence.sc", "fence.sc"),
            ("restricted fences", "restrict"),
            ("tensormap fences", "tensormap"),
            ("red", "red."),
            ("atom", "atom."),
            ("128 bits", ".b128"),
            ("floating point", ".f32"),
            ("packed types", "16x2"),
            ("multimem", "multimem."),
            ("transactions", "_tx"),
            ("tasks", "task "),
            ("host", "@ host"),
            ("local, const, param", ".local ."),
            ("clusters' addresses", "mapa"),
            ("unknown 8 bits", " tiny;"),
            ("unknown 16 bits", " short;"),
            ("unknown 32 bits", " open;"),
            ("unknown 64 bits", " vast;"),
            ("unknown local values", " mine[2];"),
            ("constant data", ".nc"),
        ];
        out.extend(words.iter().filter(|(_, word)| text.contains(word)).map(|(name, _)| *name));
        let until = |item: &Item| matches!(item.control, Some(Control::Until(_)));
        if self.items().any(until) {
            out.push("spin loops");
        }
        if self.items().any(|i| matches!(i.control, Some(Control::If(..) | Control::Else(..)))) {
            out.push("branches");
        }
        out
    }
}
