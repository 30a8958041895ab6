//! Litmus tests into kernels that run many instances of them, and what these leave behind into
//! histograms of final states.
//!
//! A [`Plan`] says which threads of a launch stand for which threads of a test; [`kernel`] writes it as
//! PTX, with each thread's statements as they are in the test, but for the addresses of variables;
//! [`readback`] reads that text as a test again. [`Parameters`] say how a launch is loaded and spread,
//! [`Geometry`] is one such launch with all its numbers. Whatever a launch does, each of its threads runs
//! the statements of one thread of the test at a time, between accesses to memory of other instances: a
//! consistent execution of the launch, restricted to one instance, is a consistent execution of the test.

pub mod argument;
mod body;
pub mod fields;
pub mod geometry;
pub mod kernel;
mod operands;
pub mod parameters;
pub mod plan;
pub mod readback;
pub mod refusal;
pub mod states;
mod target;

#[cfg(feature = "gpu")]
pub mod campaign;
#[cfg(feature = "gpu")]
pub mod driver;

pub use geometry::Geometry;
pub use parameters::Parameters;
pub use plan::Plan;
pub use refusal::Refusal;
