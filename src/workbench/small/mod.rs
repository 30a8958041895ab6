//! Small programs and their executions, few enough for exhaustive enumeration.
//!
//! ```text
//! skeleton ── locations ──▶ shape ── rf, final writes ──▶ candidate ── label, place ──▶ program
//!                                                                 program ── realise ──▶ test
//!            pair: two models over one arena ── cell: bounds for many programs at once
//! ```
//!
//! A [`shape`] is a program without orders, scopes and places. These are chosen last, because most
//! candidates are decided without them. [`cell`] evaluates both models on all programs of a shape
//! at once, by a lower and an upper bound for every relation. [`search`] splits a cell only if the
//! bounds admit a difference. [`outline`] does so for all shapes of a [`skeleton`], which leaves out
//! most shapes.

pub mod border;
mod bundle;
pub mod cell;
pub mod difference;
mod disputes;
pub mod evaluation;
mod executions;
mod influence;
pub mod label;
mod lanes;
mod orders;
pub mod outline;
pub mod pair;
pub mod part;
pub mod place;
pub mod realise;
mod remainder;
mod rest;
pub mod rows;
pub mod search;
pub mod shape;
pub mod skeleton;
mod stands;
mod twins;
mod values;
mod ways;
