//! A PTX module as its text has it: variables, kernels and functions with undecoded statements.
//!
//! Names are resolved as far as blocks go: a register, label or variable that a block declares has a
//! name of its own, which no text can say. Statements stay undecoded until a launch says what the
//! parameters are.

use crate::litmus::ast::Variable;
use crate::ptx::instruction::Instruction;
use crate::ptx::operation::{PredicateUse, Register, Type};
use crate::source::{Span, Spanned};
use std::collections::BTreeMap;

/// A module (PTX-11).
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    /// The version that it names.
    pub(crate) version: Option<(u32, u32)>,
    /// Variables outside of functions. Those of `.extern .shared` without a size have no elements: the
    /// launch says how many bytes there are (PTX-5.4.1).
    pub(crate) variables: Vec<Variable>,
    /// Kernels and functions, those that are only declared among them.
    pub(crate) functions: Vec<Function>,
    /// The names behind the numbers of `.file`.
    pub(crate) files: BTreeMap<u32, String>,
}

impl Module {
    /// The function of this name that has a body, or else one that is only declared.
    pub(crate) fn function(&self, name: &str) -> Option<&Function> {
        let named = || self.functions.iter().filter(|function| function.name.value == name);
        named().find(|function| function.body.is_some()).or_else(|| named().next())
    }

    /// The kernels.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.kind == FunctionKind::Kernel)
    }
}

/// Whether a function is launched or called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// `.entry`
    Kernel,
    /// `.func`
    Device,
}

/// A kernel or a function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: Spanned<String>,
    /// Whether it is launched or called.
    pub(crate) kind: FunctionKind,
    /// What it returns.
    pub(crate) returns: Vec<Parameter>,
    /// What it takes.
    pub(crate) parameters: Vec<Parameter>,
    /// The numbers of threads of a CTA in each dimension that `.reqntid` demands (PTX-11.4).
    pub(crate) required_threads: Option<[u32; 3]>,
    /// The numbers of threads that `.maxntid` allows in all.
    pub(crate) most_threads: Option<u32>,
    /// The numbers of CTAs of a cluster that `.reqnctapercluster` demands.
    pub(crate) required_cluster: Option<[u32; 3]>,
    /// Its statements; `None` where it is only declared.
    pub(crate) body: Option<Body>,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    /// In the `.param` space.
    Memory(Variable),
    /// A register.
    Register(Register, Type),
}

impl Parameter {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Memory(variable) => &variable.name.value,
            Self::Register(register, _) => &register.value,
        }
    }
}

/// The statements of a function, with what it declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// Its registers.
    pub(crate) registers: Vec<(Register, Type)>,
    /// Its `.shared`, `.local` and `.const` variables, and what it passes in calls, which is `.local`.
    pub(crate) variables: Vec<Variable>,
    /// Those of the variables that are declared with `.param`.
    pub(crate) passed: Vec<String>,
    /// Its statements in order.
    pub(crate) lines: Vec<Line>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Labels that stand before it.
    pub(crate) labels: Vec<Spanned<String>>,
    /// `@p` or `@!p`
    pub(crate) guard: Option<PredicateUse>,
    /// What it says.
    pub(crate) code: Code,
    /// From its first character to its last.
    pub(crate) span: Span,
    /// The line of the source that the compiler made it of (PTX-11.5.3).
    pub(crate) origin: Option<Origin>,
}

/// What a line says.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    /// An instruction.
    Instruction(Instruction),
    /// Registers that something writes which is not followed, named as the instruction or function is.
    Unknown {
        /// What is not followed.
        name: String,
        /// What it writes.
        definitions: Vec<Register>,
        /// Whether it does no more than that.
        computes: bool,
    },
    /// Nothing: a place for labels.
    Nothing,
}

/// A line of a source file, of `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The number of the file.
    pub(crate) file: u32,
    /// The line; 0 where the compiler names none.
    pub(crate) line: u32,
}
