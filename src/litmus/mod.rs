//! Litmus tests: three text formats and one syntax tree.

pub mod ast;
pub(crate) mod check;
pub mod error;
mod initial;
mod lanes;
pub(crate) mod launch;
mod memory;
pub mod parse;
mod prefix;
pub mod print;
mod proposal;
mod tasks;
pub mod tensor;
pub mod tensor_memory;
mod written;

/// The start of the fingerprints that reports give to tests, by which they differ from those of herd7
/// and litmus7.
pub const FINGERPRINT: &str = "ptxmc-";
