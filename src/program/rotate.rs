//! Rotation of loops that decide at a barrier whether to go on, so that the question is at the end
//! of a round.
//!
//! `while (__syncthreads_and(waits)) fetch();` begins each round with a barrier, at which values
//! decide that the round before has fetched. With one copy of the question before the loop and
//! another at the end of each round, the program is the same, but a round fetches the values for
//! its own question, so that no value passes from one round to the next. Compilers rotate such
//! loops, too.
//!
//! Threads of a CTA that pass a barrier in their loops go round together only if all their loops
//! have one form. Therefore the loops at a barrier are rotated if each thread that uses the barrier
//! has such a loop.

use super::micro::{BarrierGroup, Micro, Step, ThreadCode};
use super::term::Term;
use crate::litmus::ast::ThreadPlace;
use std::collections::BTreeSet;
use std::ops::Range;

/// A loop whose first steps pass one barrier of the CTA and then may exit, and whose only back edge
/// is its last step. The loop has no other entry or exit, is inside no other loop and writes
/// nothing.
struct BarrierLoop {
    /// The steps of the question, with the conditional branch out of the loop.
    asks: Range<usize>,
    /// The branch back.
    back: usize,
    /// The number of the barrier.
    resource: u128,
}

/// Rotates the loops with a query at a barrier, if one of them fetches the queried values.
pub(super) fn rotate(threads: &mut [ThreadCode]) {
    let loops: Vec<Vec<BarrierLoop>> = threads.iter().map(asking).collect();
    let rotated: Vec<Vec<bool>> = threads
        .iter()
        .zip(&loops)
        .map(|(code, loops_of_one)| {
            let is_rotated =
                |one: &BarrierLoop| is_rotated(threads, &loops, cta(code), one.resource);
            loops_of_one.iter().map(is_rotated).collect()
        })
        .collect();
    for ((code, loops), rotated) in threads.iter_mut().zip(&loops).zip(rotated) {
        // The last loop first: the steps before it keep their indices.
        let chosen = loops.iter().zip(rotated).rev().filter(|&(_, rotated)| rotated);
        chosen.for_each(|(one, _)| one.rotate(code));
    }
}

/// The device, the grid and the CTA of a thread; `None` for one of the host.
type Cta = Option<(u32, u32, u32)>;

fn cta(code: &ThreadCode) -> Cta {
    match code.place {
        ThreadPlace::Device(place) => Some(place.cta_of_test()),
        ThreadPlace::Host => None,
    }
}

/// Whether the loops at a barrier of a CTA are rotated.
fn is_rotated(
    threads: &[ThreadCode],
    loops: &[Vec<BarrierLoop>],
    at_home: Cta,
    resource: u128,
) -> bool {
    let uses = |code: &ThreadCode| {
        let mut micros = code.steps.iter().flat_map(|step| &step.micros);
        cta(code) == at_home && micros.any(|micro| may_use(micro, resource))
    };
    let mut some_fetch = false;
    for (code, loops_of_one) in threads.iter().zip(loops).filter(|(code, _)| uses(code)) {
        let mut at_barrier = loops_of_one.iter().filter(|one| one.resource == resource).peekable();
        if at_barrier.peek().is_none() {
            return false;
        }
        some_fetch |= at_barrier.any(|one| one.fetches(code));
    }
    some_fetch
}

/// Whether a micro-operation may use a barrier of the CTA.
fn may_use(micro: &Micro, resource: u128) -> bool {
    let Micro::Barrier(barrier) = micro else { return false };
    match &barrier.group {
        BarrierGroup::Cta(Term::Const(number, _)) => *number == resource,
        BarrierGroup::Cta(_) => true,
        _ => false,
    }
}

/// Such loops of a thread, in order.
fn asking(code: &ThreadCode) -> Vec<BarrierLoop> {
    (0..code.steps.len()).filter_map(|back| asking_at(code, back)).collect()
}

/// The loop of this form that a step closes.
fn asking_at(code: &ThreadCode, back: usize) -> Option<BarrierLoop> {
    let step = &code.steps[back];
    let head = step.branch_target().filter(|&head| head <= back && !step.falls_through())?;
    let body = &code.steps[head..back];
    let way_out = body.iter().position(|step| step.branch_target().is_some())?;
    let asks = head..head + way_out + 1;
    let leaves = body[way_out].branch_target().is_some_and(|to| to > back);
    if !leaves || !body[way_out].falls_through() {
        return None;
    }
    // A thread that enters or leaves the loop elsewhere would not pass its barrier as often as
    // others, and an inner loop right after the question would have the head of the rotated one.
    let spoils = |(at, step): (usize, &Step)| {
        let inside = (asks.end..back).contains(&at);
        let exits = inside && step.micros.iter().any(|micro| matches!(micro, Micro::Exit));
        let jumps = step.branch_target().is_some_and(|to| match inside {
            true => !(asks.end + 1..=back).contains(&to),
            false if at == back || at + 1 == asks.end => false,
            false => (head + 1..=back).contains(&to) || to <= head && at > back,
        });
        exits || jumps
    };
    let writes = |step: &Step| step.micros.iter().any(Micro::may_write);
    if code.steps.iter().enumerate().any(spoils) || body.iter().any(writes) {
        return None;
    }
    let asked = code.steps[asks.clone()].iter().flat_map(|step| &step.micros);
    let mut barriers = asked.filter(|micro| matches!(micro, Micro::Barrier(_)));
    let (Some(Micro::Barrier(barrier)), None) = (barriers.next(), barriers.next()) else {
        return None;
    };
    match (&barrier.group, barrier.meets_whole_cta()) {
        (&BarrierGroup::Cta(Term::Const(resource, _)), true) => {
            Some(BarrierLoop { asks, back, resource })
        }
        _ => None,
    }
}

impl BarrierLoop {
    /// Whether the question depends on values that the round before may have loaded.
    fn fetches(&self, code: &ThreadCode) -> bool {
        let mut fetched = BTreeSet::new();
        for step in &code.steps[self.asks.end..self.back] {
            let reads = step.micros.iter().any(Micro::may_read);
            if reads || step.read().iter().any(|register| fetched.contains(register)) {
                fetched.extend(step.written());
            }
        }
        let mut asked_about = BTreeSet::new();
        for step in code.steps[self.asks.clone()].iter().rev() {
            let decides = |micro: &Micro| matches!(micro, Micro::Barrier(_) | Micro::Branch { .. });
            let written = step.written();
            let matters = written.iter().any(|register| asked_about.contains(register));
            if matters || step.micros.iter().any(decides) {
                if step.guard.is_none() {
                    asked_about.retain(|register| !written.contains(register));
                }
                asked_about.extend(step.read());
            }
        }
        !fetched.is_disjoint(&asked_about)
    }

    /// Replaces the back edge by a copy of the question and a branch to the step after the original
    /// question. The original question is then passed only on entry.
    fn rotate(&self, code: &mut ThreadCode) {
        let mut copies = code.steps[self.asks.clone()].to_vec();
        let mut back = code.steps[self.back].clone();
        for micro in &mut back.micros {
            if let Micro::Branch { target, .. } = micro {
                *target = self.asks.end;
            }
        }
        copies.push(back);
        let more = copies.len() - 1;
        code.steps.splice(self.back..=self.back, copies);
        for micro in code.steps.iter_mut().flat_map(|step| &mut step.micros) {
            if let Micro::Branch { target, .. } = micro
                && *target > self.back
            {
                *target += more;
            }
        }
    }
}
