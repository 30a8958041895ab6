//! `ptxmc` decides what the memory consistency model of NVIDIA PTX allows.
//!
//! A litmus test is a small program with a question about its final states. The answer is a
//! [`Verdict`] under a [`Model`]: allowed with an execution that shows it, forbidden with the
//! axioms that exclude it, or the reason why the program has no meaning, never ends, or is not
//! decided.
//!
//! ```
//! let text = r"PTX message-passing
//! .global .u32 x = 0;
//! .global .u32 flag = 0;
//! P0 @ gpu 0, cta 0 { st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 1; }
//! P1 @ gpu 0, cta 1 { ld.acquire.gpu.global.u32 %r1, [flag]; ld.weak.global.u32 %r2, [x]; }
//! exists (P1:%r1 == 1 /\ P1:%r2 == 0)";
//! let mut files = ptxmc::Files::default();
//! let parsed = ptxmc::parse_tests(&mut files, "mp.litmus", text);
//! let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
//! for test in &parsed.tests {
//!     let outcome = ptxmc::check(test, &model);
//!     println!("{}: {}  {}", test.name, outcome.verdict.kind(), outcome.reason(&model, &files));
//! }
//! # let outcome = ptxmc::check(&parsed.tests[0], &model);
//! # assert_eq!(outcome.reason(&model, &files), "Causality (PTX-8.10.6)");
//! ```
//!
//! prints `message-passing: forbidden  Causality (PTX-8.10.6)`.
//!
//! # From text to a verdict
//!
//! | what | by |
//! |---|---|
//! | read tests | [`parse_tests`] gives tests and [diagnostics](Diagnostic), which `Diagnostic::render` makes text of |
//! | make a test of a kernel that a compiler has written, and its launch | [`parse_launch`] |
//! | take a model | [`builtin_model`], or [`parse_model`] for one of your own in the cat language |
//! | decide | [`check`], or a [`Checker`] for many tests, other engines or [`Settings`] |
//! | say why | [`Outcome::reason`] in a line; [`Verdict`] and [`Rule`] as data, with a code and clauses of the standard |
//! | see an execution | [`Outcome::witness`], whose events and edges can be walked, drawn or printed |
//! | list final states | [`Checker::outcomes`] |
//! | list data races | [`Checker::races`] |
//! | many tests, several engines, reports | [`batch`], [`report`] |
//! | make tests of cycles, with scopes and placements | [`generate`] |
//! | make kernels of tests, and run them on a GPU | [`hardware`] |
//!
//! # What the answers rest on
//!
//! - The model decides: `ptx-9.2` is chapter 8 of the PTX ISA 9.2 in the cat language, and the clauses of
//!   chapter 9 on barriers and mbarriers are looked at besides. Where the text of the standard leaves room,
//!   [`Settings`] and the options of models choose a reading.
//! - *Allowed* is said only of an execution on which the model, evaluated without a solver, holds.
//!   *Forbidden* is said only if no loop that a bound cuts may lead to the outcome; else the verdict is
//!   [unknown](Undecided).
//! - Instructions outside the subset are read; executions whose outcome depends on them are out of the
//!   model.
//! - The same question has the same answer, whatever was asked before and whatever runs beside it, unless
//!   a budget limits time: [`Budget`]s count steps. The library reads no clock but one that a budget is
//!   [handed](Budget::timed), opens no file and starts no thread outside of [`batch`].
//!
//! # Limits
//!
//! Loops are followed twice, in small programs up to four times where that decides; a program may have some
//! thousand events; values that are unknown and wider than a bit, orders of more than four elements of a
//! vector, and barriers with a count and more than twenty threads are left to Z3 or not decided. Each of
//! these is a verdict that says so, never a wrong one.
//!
//! # Features
//!
//! All are on by default; without any, the library builds for `wasm32-unknown-unknown`, too.
//!
//! | feature | what it brings | crates |
//! |---|---|---|
//! | `z3` | the SMT engine, for what the search leaves open | the system's libz3 |
//! | `parallel` | batches on several threads | rayon |
//! | `diagnostics` | `Diagnostic::render`: diagnostics with the lines that they speak of | annotate-snippets |
//! | `json` | `report::json` | `serde_json` |
//! | `junit` | `report::junit` | quick-junit |
//! | `simplify` | simplified models in `ptxmc model --show` | egg |
//! | `gpu` | `ptxmc run`: a GPU of this machine, by the driver that is loaded at run time | cudarc |
//! | `cli` | the command, with `diagnostics`, `json`, `junit` and `simplify` | clap and others |
//!
//! Names that this page does not lead to are not part of the library's interface.

mod bitrel;
mod budget;
mod collections;
mod diagnostic;
mod id;
mod progress;
mod rule;
mod source;
mod vocabulary;

mod cat;
mod litmus;
mod ptx;
mod relation;

mod event;
mod module;
mod program;
mod waiting;

mod bounds;
mod encode;
mod execution;
mod question;
mod solve;

mod defect;
mod explain;
mod race;
mod verdict;

pub mod batch;
mod check;
mod engines;
#[cfg(feature = "cli")]
mod judge;

#[cfg(feature = "cli")]
mod advise;

pub mod generate;
pub mod hardware;
#[cfg(feature = "cli")]
mod workbench;

mod checker;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod report;

pub use budget::{Budget, Clock};
pub use check::{Hang, HangKind, Hanging, Outcome, Settings, Status, Stop};
pub use checker::{
    Checker, DataRace, FinalState, builtin_model, check, parse_launch, parse_model, parse_tests,
};
pub use defect::Defect;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use engines::{Choice, Unavailable};
pub use id::{AgentId, EventId};
pub use litmus::ast::{Quantifier, Test};
pub use litmus::parse::Parsed;
pub use progress::Progress;
pub use relation::expr::{Axiom, AxiomRole, Model};
pub use report::witness::{Column, Edge, Node, NodeKind, Picture, Seat};
pub use rule::{Rule, Unsupported};
pub use solve::{Core, Why};
pub use source::{Files, Position, SourceFile, Span, Spanned};
pub use verdict::{BoundKind, Bounded, Kind, Reason, Undecided, Verdict};

pub use batch::{Listing, Unlisted};

/// Models: the built-in ones, and those in files.
pub mod models {
    pub use crate::cat::{BUILTIN, Builtin, Loaded, Loader, NoFiles, Options};
    pub use crate::checker::parse_model_with as parse;
}

/// Readings of the standard where its text leaves room.
pub mod readings {
    pub use crate::event::unfold::Tearing;
    pub use crate::program::reading::*;
}

/// Internals for the tests of this crate. They are not part of the interface, and may change with
/// any version.
#[doc(hidden)]
pub mod testing {
    macro_rules! open {
        ($($module:ident)*) => { $(pub mod $module { pub use crate::$module::*; })* };
    }

    open! {
        bitrel bounds cat check collections diagnostic encode engines event execution explain id litmus
        module program ptx question race relation solve source verdict vocabulary waiting
    }

    #[cfg(feature = "cli")]
    pub mod advise {
        pub use crate::advise::*;
    }

    #[cfg(feature = "cli")]
    pub mod report {
        pub use crate::report::advise::{About, render};
        pub use crate::report::{draw, scene, witness};

        macro_rules! open {
            ($($module:ident)*) => {
                $(pub mod $module { pub use crate::report::$module::*; })*
            };
        }

        open! { explanation proof reason runs }
    }

    #[cfg(feature = "cli")]
    pub mod judge {
        pub use crate::judge::*;
    }

    #[cfg(feature = "cli")]
    pub mod workbench {
        pub use crate::workbench::*;
    }
}
