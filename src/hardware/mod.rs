//! The compilation of litmus tests to kernels that run many instances, and of their results to
//! histograms of final states.
//!
//! A [`Plan`] maps threads of a launch to threads of a test. [`kernel`] writes the plan as PTX;
//! each thread's statements stay unchanged, except for the addresses of variables. [`readback`]
//! reads that text as a test again. [`Parameters`] determine the load and the spread of a launch,
//! and a [`Geometry`] is one launch with all its numbers. In every launch, each thread runs the
//! statements of one thread of the test at a time, between accesses to memory of other instances.
//! Therefore a consistent execution of the launch, restricted to one instance, is a consistent
//! execution of the test.

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
