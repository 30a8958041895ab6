//! The cat language: text into a [`Model`] over the relational IR.
//!
//! ```text
//! text ── lexer, parse ──▶ ast ── lower ──▶ Model
//!                           └── print ──▶ text      Model ── render ──▶ text
//! ```
//!
//! A file is checked as a whole before anything runs, and all its errors are reported. The language
//! is the part of herd's that axiomatic models use; unsupported features are named.

pub mod ast;
pub mod edit;
pub mod error;
mod lexer;
pub mod library;
mod lower;
#[cfg(feature = "cli")]
pub mod mutant;
pub mod parse;
mod print;
pub mod render;

pub use library::{BUILTIN, Builtin, builtin};

use self::ast::File;
use crate::diagnostic::Diagnostic;
use crate::id::FileId;
use crate::relation::expr::Model;
use crate::source::Files;
use std::collections::BTreeSet;

/// Finds the files that a model includes.
pub trait Loader {
    /// The full name and the text of `name`, included from the file `from`; `None` where there is
    /// no such file. Two inclusions of one file give one full name.
    fn load(&self, name: &str, from: Option<&str>) -> Option<(String, String)>;
}

/// A loader that finds nothing; library files are found without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _name: &str, _from: Option<&str>) -> Option<(String, String)> {
        None
    }
}

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The enabled variants: the strings that `if "..."` tests, such as `co=total`.
    pub variants: BTreeSet<String>,
}

/// A model that was read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// The model as written, with its own names: the effective statements, with included files
    /// inserted and all amendments applied. Parsing it gives the same model.
    pub flat: File,
    /// Warnings, which do not forbid its use.
    pub warnings: Vec<Diagnostic>,
    /// The variants that the model asks about, enabled or not.
    pub variants: BTreeSet<String>,
    /// The holes of the model, in order.
    pub holes: Vec<Hole>,
}

/// Something that is left open of a model: `hole x = a | b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Its name.
    pub name: String,
    /// The alternatives, as text.
    pub alternatives: Vec<String>,
}

/// The variant that chooses an alternative of a hole, counted from 0; the first is chosen without one.
#[must_use]
pub fn filling(name: &str, alternative: usize) -> String {
    format!("hole {name}={alternative}")
}

/// Reads the model in `file`; included files are added to `files`.
///
/// # Errors
/// Every error in the model and its includes, in order of place.
pub fn parse_model(
    files: &mut Files,
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
) -> Result<Loaded, Vec<Diagnostic>> {
    let lowered = lower::lower(files, file, loader, options);
    let mut seen = BTreeSet::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for error in &lowered.errors {
        // The body of a function is read once for each call.
        if seen.insert((error.span(), error.code())) {
            diagnostics.push(error.diagnostic());
        }
    }
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|label| label.span));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(Loaded {
        model: lowered.model,
        flat: lowered.flat,
        warnings: diagnostics,
        variants: lowered.variants,
        holes: lowered.holes,
    })
}

/// Reads a built-in model.
///
/// # Panics
/// Never: a test reads every built-in model with every variant.
#[must_use]
pub fn parse_builtin(files: &mut Files, builtin: &Builtin, options: &Options) -> Loaded {
    let file = files.add(format!("{}.cat", builtin.name), builtin.text);
    parse_model(files, file, &NoFiles, options).expect("built-in models are free of errors")
}
