//! Relevance (backward slice): the registers that writes and barriers may depend on, before each
//! step of a thread.
//!
//! The dependencies that No-Thin-Air constrains end in writes and in barriers (PTX-8.10.4). A
//! register that decides neither the value, nor the place, nor the execution of a write or barrier
//! is irrelevant: its value may come from more reads or from fewer.

use super::liveness::until_stable;
use crate::program::micro::{Micro, Step, ThreadCode};

/// For every step, the registers that a write or a barrier may depend on from there on.
pub(super) fn feeding(code: &ThreadCode) -> Vec<Vec<bool>> {
    let steps = code.steps.len();
    let goals = to_goals(code);
    let mut feeds = vec![vec![false; code.registers.len()]; steps + 1];
    until_stable((0..steps).rev(), |index| {
        let step = &code.steps[index];
        let before =
            before(step, &feeds[index + 1], |target| &feeds[target.min(steps)], goals[index]);
        let changed = before != feeds[index];
        feeds[index] = before;
        changed
    });
    feeds
}

/// The relevant registers before a step, given those after it, and whether the step leads to a
/// goal.
fn before<'f>(
    step: &Step,
    behind: &[bool],
    at: impl Fn(usize) -> &'f Vec<bool>,
    leads_on: bool,
) -> Vec<bool> {
    let mut now = behind.to_vec();
    let mut matters = false;
    for micro in step.micros.iter().rev() {
        let (reads, written) = micro.effects();
        match micro {
            Micro::Branch { target, .. } => {
                now.iter_mut().zip(at(*target)).for_each(|(needed, &there)| *needed |= there);
                if !leads_on {
                    continue;
                }
            }
            Micro::Exit if leads_on => {}
            _ if is_goal(micro) => {}
            _ if written.iter().any(|&register| now[register]) => {}
            _ => continue,
        }
        matters = true;
        if step.guard.is_none() {
            written.into_iter().for_each(|register| now[register] = false);
        }
        reads.into_iter().for_each(|register| now[register] = true);
    }
    if matters {
        let mut own = Vec::new();
        step.conditions().for_each(|term| term.registers(&mut own));
        own.into_iter().for_each(|register| now[register] = true);
    }
    now
}

/// For every step, whether a write or a barrier is reachable from it.
fn to_goals(code: &ThreadCode) -> Vec<bool> {
    let steps = code.steps.len();
    let mut leads = vec![false; steps + 1];
    until_stable((0..steps).rev(), |index| {
        let step = &code.steps[index];
        let next = step.falls_through().then_some(index + 1);
        let mut ways = next.into_iter().chain(step.branch_target().map(|to| to.min(steps)));
        let now = step.micros.iter().any(is_goal) || ways.any(|to| leads[to]);
        std::mem::replace(&mut leads[index], now) != now
    });
    leads
}

/// Whether a micro-operation has an effect that other threads may see, or may be undefined.
fn is_goal(micro: &Micro) -> bool {
    match micro {
        Micro::Assign { .. }
        | Micro::Opaque { .. }
        | Micro::Load { .. }
        | Micro::Branch { .. }
        | Micro::Fence { .. }
        | Micro::ProxyFence { .. }
        | Micro::Supply { .. }
        | Micro::Then
        | Micro::Exit => false,
        Micro::Elements { list, .. } => list.iter().any(is_goal),
        Micro::Store { .. }
        | Micro::Rmw { .. }
        | Micro::Barrier(_)
        | Micro::Phase(_)
        | Micro::Issue(_)
        | Micro::Commit(_)
        | Micro::Await(_)
        | Micro::TensorFence(_)
        | Micro::GridWait
        | Micro::Launch
        | Micro::Require { .. } => true,
    }
}
