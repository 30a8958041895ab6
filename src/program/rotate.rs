//! Loops that ask at a barrier whether to go on, turned so that they ask at the end of a round.
//!
//! `while (__syncthreads_and(waits)) fetch();` begins its rounds with a barrier and has fetched what
//! decides there in the round before. With a copy of the question before the loop and another at the end
//! of its rounds, the program is the same, but a round fetches what it asks about, so that nothing goes
//! from one round to the next. That is what compilers make of such loops, too.

use super::micro::{Micro, Step, ThreadCode};
use std::ops::Range;

/// A loop whose first steps, up to a conditional way out, pass a barrier of the CTA, and whose only way
/// back is its last step.
struct Asking {
    /// The steps that ask, the conditional branch out of the loop among them.
    asks: Range<usize>,
    /// The branch back.
    back: usize,
}

/// Turns such loops of all threads, if one of them accesses memory behind the question.
pub(super) fn rotate(threads: &mut [ThreadCode]) {
    let fetches = |code: &ThreadCode, one: &Asking| {
        let mut micros = code.steps[one.asks.end..one.back].iter().flat_map(|step| &step.micros);
        micros.any(accesses)
    };
    let any = |code: &ThreadCode| asking(code).iter().any(|one| fetches(code, one));
    if !threads.iter().any(any) {
        return;
    }
    for code in threads {
        // From the last one on: what is before it keeps its place.
        for one in asking(code).into_iter().rev() {
            turn(code, &one);
        }
    }
}

/// Such loops of a thread, in their order, none inside of another.
fn asking(code: &ThreadCode) -> Vec<Asking> {
    let mut out: Vec<Asking> = Vec::new();
    for (back, step) in code.steps.iter().enumerate() {
        let Some(head) = jump(step).filter(|&head| head <= back && step.guard.is_none()) else {
            continue;
        };
        let body = &code.steps[head..back];
        let Some(way_out) = body.iter().position(|step| branch(step).is_some()) else { continue };
        let asks = head..head + way_out + 1;
        let leaves = branch(&body[way_out]).is_some_and(|to| !(head..=back).contains(&to));
        let is_choice = jump(&body[way_out]).is_none() || body[way_out].guard.is_some();
        let mut asked = code.steps[asks.clone()].iter().flat_map(|step| &step.micros);
        let meets = asked.any(Micro::meets_whole_cta);
        // Nothing else comes into the question, or from within the loop to its beginning.
        let enters = |(at, step): (usize, &Step)| {
            branch(step)
                .is_some_and(|to| asks.contains(&to) && (to != head || (head..back).contains(&at)))
        };
        let others = code.steps.iter().enumerate().filter(|&(at, _)| at != back);
        let apart = out.last().is_none_or(|last| last.back < head);
        if leaves && is_choice && meets && apart && !others.into_iter().any(enters) {
            out.push(Asking { asks, back });
        }
    }
    out
}

/// Puts a copy of what asks in the place of the branch back, and one to what follows the question behind
/// it; the original is passed once, on the way into the loop.
fn turn(code: &mut ThreadCode, one: &Asking) {
    let mut copies = code.steps[one.asks.clone()].to_vec();
    let mut back = code.steps[one.back].clone();
    for micro in &mut back.micros {
        if let Micro::Branch { target, .. } = micro {
            *target = one.asks.end;
        }
    }
    copies.push(back);
    let more = copies.len() - 1;
    code.steps.splice(one.back..=one.back, copies);
    let moved = one.back + more;
    for (at, step) in code.steps.iter_mut().enumerate() {
        for micro in &mut step.micros {
            if let Micro::Branch { target, .. } = micro
                && at != moved
                && *target > one.back
            {
                *target += more;
            }
        }
    }
}

/// Where a step may jump to.
fn branch(step: &Step) -> Option<usize> {
    step.micros.iter().find_map(|micro| match micro {
        Micro::Branch { target, .. } => Some(*target),
        _ => None,
    })
}

/// Where a step jumps to whenever it is executed.
fn jump(step: &Step) -> Option<usize> {
    step.micros.iter().find_map(|micro| match micro {
        Micro::Branch { target, condition: None } => Some(*target),
        _ => None,
    })
}

fn accesses(micro: &Micro) -> bool {
    match micro {
        Micro::Load { .. } | Micro::Rmw { .. } => true,
        Micro::Elements { list, .. } => list.iter().any(accesses),
        _ => false,
    }
}
