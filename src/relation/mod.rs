//! Relational algebra: the IR that models are lowered to, its evaluation and its classification.

pub mod assignment;
pub mod axiom;
pub mod classify;
pub mod deletion;
#[cfg(feature = "simplify")]
pub mod equal;
pub mod eval;
pub mod expr;
pub mod extension;
#[cfg(feature = "cli")]
pub(crate) mod inclusion;
pub(crate) mod plan;
pub mod polarity;
#[cfg(feature = "simplify")]
pub mod simplify;
pub mod specialize;
#[cfg(test)]
mod tests;
pub mod thin_air;
