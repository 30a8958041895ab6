//! What changes between two models, and the tests that show it.
//!
//! [`diff`] compares the verdicts on given tests. [`distinguish`] looks for the smallest tests on which two
//! models differ, among all [`small`] programs; [`suite`] for those that pin one model. [`equiv`] proves that
//! models do not differ; [`fit`] chooses among models by tests.

pub mod diff;
pub mod distinguish;
pub mod equiv;
pub mod fit;
pub mod small;
pub mod suite;
