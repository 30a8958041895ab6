//! Waiting: who has to come before a thread that waits may go on. The definitions stand here once, over
//! truth values and numbers of whatever kind a reader has.
//!
//! ```text
//!               barrier     operations, the barriers that they share, what each asks for
//!                  |
//!              numbering    which operations of a thread come before which at one barrier
//!                  |
//!   reading --> phase       the ordinal of an operation, who takes part in its phase, who has come,
//!                  |        whether anybody can still join
//!               cluster     the turns of a thread at the barrier of its cluster, and its warp there
//! ```
//!
//! A [`Reading`](reading::Reading) says what kind of answer there is. In an execution, everything is
//! known ([`reading::Concrete`]). While a search decides which events happen, some is known
//! ([`reading::Partial`]). A formula tells in which executions something holds: over the expressions of
//! the program ([`reading::Terms`]), or over the choices of an engine (`encode`).

pub mod barrier;
pub mod cluster;
pub mod numbering;
pub mod phase;
pub mod reading;

#[cfg(test)]
mod tests;
