//! Litmus tests: three text formats and one syntax tree.

pub mod ast;
mod check;
pub mod error;
pub mod parse;
pub mod print;
