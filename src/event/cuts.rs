//! Cuts: the points at which threads stop without ending, by the bound or in a loop in which they wait.

use super::graph::Cut;
use crate::id::ExprId;
use crate::waiting::barrier::BarrierKey;

/// The cuts of a program that is being unfolded.
#[derive(Debug)]
pub(super) struct Cuts {
    pub(super) list: Vec<Cut>,
    /// How often loop bodies are executed at most; less than asked for if that makes a thread too
    /// large.
    pub(super) bound: u8,
    /// Loops with barriers that the bound cuts ([`super::convergent`]).
    pub(super) locksteps: Vec<Lockstep>,
    /// The condition that only cut threads perform writes beyond the bound
    /// ([`super::beyond_bound`]).
    pub(super) only_cut_threads_write: ExprId,
}

/// The barriers that a thread passes in a convergent loop up to the bound.
#[derive(Clone, Debug)]
pub(super) struct Lockstep {
    pub(super) thread: usize,
    /// The cut by the bound.
    pub(super) cut: usize,
    /// The barriers that the thread has passed before the loop.
    pub(super) before: Vec<BarrierKey>,
    /// The barriers of each round.
    pub(super) round: Vec<BarrierKey>,
    /// The number of rounds up to the bound.
    pub(super) rounds: u8,
}
