//! Specifications into families of litmus tests: cycles of relaxations, with orders, scopes, fences and
//! placements.
//!
//! A [`Cycle`] says who communicates with whom; a [`Family`] multiplies it by what may stand at each of its
//! events and between them, and numbers the [`Variation`]s; a variation is printed as a test, and its name
//! says all of it. Nothing is kept: a variation follows from its number.

pub mod annotation;
pub mod collection;
pub mod cycle;
pub mod edge;
pub mod family;
pub mod frontier;
mod name;
pub mod place;
pub mod shape;
pub mod specification;
mod text;
pub mod variation;

pub use collection::{Collection, Member};
pub use cycle::{Cycle, CycleError};
pub use family::{Choices, Family};
pub use name::{NameError, Named, base, named};
pub use specification::{Specification, SpecificationError};
pub use variation::Variation;
