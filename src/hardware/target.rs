//! The oldest version of PTX and the oldest architecture that have the instructions of a test.

use super::plan::{Clustered, Plan};
use super::refusal::Refusal;
use crate::litmus::ast::{DeclaredSpace, Test};
use crate::ptx::operation::{Operation, Statement, Type};
use crate::ptx::since::{Since, Variants};
use crate::ptx::spelling::Spelling;

/// The values of `.version` and `.target` in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The version of PTX, major and minor.
    pub version: (u32, u32),
    /// The architecture, such as `sm_70`.
    pub arch: String,
}

/// A version of PTX and a number of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    version: (u32, u32),
    arch: u32,
    /// Whether only a variant of the architecture is sufficient, which later architectures need not
    /// support.
    variant: bool,
}

impl Target {
    /// The number of the architecture; zero for one that is named otherwise.
    #[must_use]
    pub fn number(&self) -> u32 {
        number_of(&self.arch).unwrap_or(0)
    }
}

/// The needs of the memory model (PTX-8) for its orders and scopes.
const MODEL: Needs = Needs { version: (6, 4), arch: 70, variant: false };

impl Needs {
    fn at_least(self, major: u32, minor: u32, arch: u32) -> Self {
        Self { version: self.version.max((major, minor)), arch: self.arch.max(arch), ..self }
    }

    /// The target with the architecture that the user names, if any.
    ///
    /// # Errors
    /// When that lacks a form of the test.
    pub(super) fn named(self, arch: Option<&str>) -> Result<Target, Refusal> {
        let number = arch.and_then(number_of);
        if let Some(arch) = arch.filter(|_| number.is_some_and(|number| number < self.arch)) {
            return Err(Refusal::Arch { named: arch.to_owned(), needed: self.arch });
        }
        // The versions in which the assembler learnt these architectures.
        let known = match number.unwrap_or(self.arch) {
            ..=75 => (6, 4),
            76..=80 => (7, 0),
            81..=86 => (7, 1),
            87 => (7, 4),
            88..=90 => (7, 8),
            91..=101 => (8, 6),
            102..=120 => (8, 7),
            _ => (9, 0),
        };
        let special = arch.is_some_and(|name| name.ends_with('a'));
        let known = if special && known == (7, 8) { (8, 0) } else { known };
        let known =
            if arch.is_some_and(|name| name.ends_with('f')) { known.max((8, 8)) } else { known };
        let own = || format!("sm_{}{}", self.arch, if self.variant { "a" } else { "" });
        let arch = arch.map_or_else(own, ToOwned::to_owned);
        Ok(Target { version: self.version.max(known), arch })
    }
}

/// The number of an architecture, such as 90 of `sm_90a`.
fn number_of(arch: &str) -> Option<u32> {
    arch.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse().ok()
}

/// The needs of a test's kernel.
pub(super) fn needed(test: &Test, plan: &Plan) -> Needs {
    let mut needs = MODEL;
    if plan.clustered == Clustered::Explicitly {
        needs = needs.at_least(8, 0, 90);
    }
    let wide = |ty: Type| ty.bits > 64;
    let registers = test.threads.iter().flat_map(|thread| &thread.registers);
    let variables = test.variables.iter().filter(|v| v.space != DeclaredSpace::Param);
    if registers.map(|r| r.1).chain(variables.map(|v| v.ty)).any(wide) {
        needs = needs.at_least(8, 3, 70);
    }
    let statements = test.threads.iter().flat_map(|thread| &thread.statements);
    statements.fold(needs, statement)
}

/// What the form needs that says an operation. Of what is outside the subset nothing is known, and the
/// versions that have clusters are taken.
fn statement(needs: Needs, statement: &Statement) -> Needs {
    match Spelling::of(&statement.operation, false).map(|spelling| spelling.since()) {
        Ok(Since { version: (major, minor), target, variants }) => {
            let needs = needs.at_least(major, minor, target);
            Needs { variant: needs.variant || variants == Variants::Special, ..needs }
        }
        Err(_) if matches!(statement.operation, Operation::Unknown { .. }) => {
            needs.at_least(8, 0, 90)
        }
        Err(_) => needs,
    }
}
