//! What machines and simulators have shown, held against the model.
//!
//! ```text
//! log ──── log ──▶ entries ── finals, sightings ──▶ states of tests ── verdicts ──▶ what of them is allowed
//! trace ── trace::parse ──▶ operations ── trace::judge ──▶ consistent, or the part that is not
//! ```
//!
//! A log can refute a model (what was seen is forbidden), never confirm it: what was not seen may
//! still happen.

pub mod compare;
pub mod coverage;
pub mod finals;
pub mod log;
pub mod sightings;
pub mod trace;
pub mod verdicts;
