//! The syntax tree of a PTX module: variables, kernels and functions with undecoded statements.
//!
//! Names are resolved as far as blocks go: a register, label or variable declared in a block gets a
//! unique name that no text can spell. Statements stay undecoded until a launch determines the
//! parameters.

use crate::litmus::ast::Variable;
use crate::ptx::instruction::Instruction;
use crate::ptx::operation::{PredicateUse, Register, Type};
use crate::source::{Span, Spanned};
use std::collections::BTreeMap;

/// A module (PTX-11).
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    /// The PTX version that the module names.
    pub(crate) version: Option<(u32, u32)>,
    /// Variables outside of functions. A variable of `.extern .shared` without a size has no
    /// elements: the launch gives its number of bytes (PTX-5.4.1).
    pub(crate) variables: Vec<Variable>,
    /// Kernels and functions, including functions without a body.
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

/// Kernel or device function.
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
    /// Kernel or device function.
    pub(crate) kind: FunctionKind,
    /// The return parameters.
    pub(crate) returns: Vec<Parameter>,
    /// The input parameters.
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

/// The statements of a function, with the registers and variables declared in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// Its registers.
    pub(crate) registers: Vec<(Register, Type)>,
    /// The `.shared`, `.local` and `.const` variables of the function, and its call parameters,
    /// which are `.local`.
    pub(crate) variables: Vec<Variable>,
    /// The names of the variables that are declared with `.param`.
    pub(crate) passed: Vec<String>,
    /// Its statements in order.
    pub(crate) lines: Vec<Line>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The labels before the statement.
    pub(crate) labels: Vec<Spanned<String>>,
    /// `@p` or `@!p`
    pub(crate) guard: Option<PredicateUse>,
    /// The instruction or declaration.
    pub(crate) code: Code,
    /// The source range from the first to the last character.
    pub(crate) span: Span,
    /// The source line from which the compiler made the statement (PTX-11.5.3).
    pub(crate) origin: Option<Origin>,
}

/// The content of a line.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    /// An instruction.
    Instruction(Instruction),
    /// Registers written by an instruction or call that is not modelled, under the name of the
    /// instruction or function.
    Unknown {
        /// The name of the instruction or function.
        name: String,
        /// The registers that are written.
        definitions: Vec<Register>,
        /// Whether writing these registers is the only effect.
        computes: bool,
    },
    /// No effect: a place for labels.
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
