//! Litmus tests: three text formats and one syntax tree.

pub mod ast;
