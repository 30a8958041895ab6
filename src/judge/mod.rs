//! Comparison of the results of machines and simulators with the model.
//!
//! ```text
//! log ──── log ──▶ entries ── finals, sightings ──▶ states of tests ── verdicts ──▶ allowed or forbidden
//! trace ── trace::parse ──▶ operations ── trace::judge ──▶ consistent, or an inconsistent part
//! ```
//!
//! A log can refute a model by showing a forbidden state, but never confirm the model: an unseen
//! state may still happen.

pub mod compare;
pub mod coverage;
pub mod finals;
pub mod log;
pub mod sightings;
pub mod trace;
pub mod verdicts;
