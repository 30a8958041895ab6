//! The generation of families of litmus tests from specifications: cycles of relaxations, with
//! orders, scopes, fences and placements.
//!
//! A [`Cycle`] describes the communication between threads. A [`Family`] multiplies the cycle by
//! the choices for its events and connections, and numbers the [`Variation`]s. A variation is
//! printed as a test, and its name describes it completely. Variations are not stored, but computed
//! from their numbers.

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
