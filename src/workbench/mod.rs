//! The differences between two models, and tests that show them.
//!
//! [`diff`] compares the verdicts on given tests. [`distinguish`] searches all [`small`] programs
//! for the smallest tests on which two models differ. [`suite`] searches for tests that
//! characterize one model. [`equiv`] proves that models do not differ, and [`fit`] selects models
//! by tests.

pub mod diff;
pub mod distinguish;
pub mod equiv;
pub mod family;
pub mod fit;
pub mod small;
pub mod suite;
