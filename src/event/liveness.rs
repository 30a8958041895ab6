//! Liveness: the registers that matter before each step of a thread.
//!
//! A value that only flows into dead registers is dead. A step that only writes dead registers is
//! silent. A branch is silent if both ways surely reach one step through silent steps alone; its
//! condition is then no use. Therefore a count without readers, or a count that only selects a
//! sleep time, does not distinguish a loop's rounds.
//!
//! Take two states of a thread that lead to one non-silent step and agree on the registers used
//! there. Their events from there on are the same in the same order: silent steps lead to that step
//! whatever the other registers hold, and change none of the used ones. A way that may go round for
//! ever surely reaches no step, so that a branch to it decides. A condition that may come from
//! memory always decides, since the code after it depends on it syntactically, and models may ask
//! for control dependencies.

use crate::program::micro::{Micro, Step, ThreadCode};
use crate::program::term::Term;

/// The registers that matter, step by step.
#[derive(Debug)]
pub(crate) struct Live {
    used: Vec<Vec<bool>>,
    choosing: Vec<Vec<bool>>,
}

impl Live {
    /// The live registers of a thread, some of whose registers are observed at its end.
    pub(crate) fn of(code: &ThreadCode, observed: &[usize]) -> Self {
        let mut analysis = Analysis::new(code, observed);
        loop {
            analysis.settle();
            if !analysis.finds_decisions() {
                break;
            }
        }
        let used = analysis.live.clone();
        analysis.decides.fill(true);
        analysis.settle();
        Self { used, choosing: analysis.live }
    }

    /// Whether some path from a step may use a register's value.
    pub(crate) fn is_used(&self, step: usize, register: usize) -> bool {
        self.used[step][register]
    }

    /// Whether paths from a step use a register only to choose between equivalent ways.
    pub(crate) fn only_chooses(&self, step: usize, register: usize) -> bool {
        self.choosing[step][register] && !self.used[step][register]
    }
}

struct Analysis<'c> {
    code: &'c ThreadCode,
    /// For every step, the registers that are used from there on, as found so far.
    live: Vec<Vec<bool>>,
    /// For every step, whether it affects nothing that is used, as found so far.
    silent: Vec<bool>,
    /// For every step, whether its guard and branch condition count as used.
    decides: Vec<bool>,
}

impl<'c> Analysis<'c> {
    fn new(code: &'c ThreadCode, observed: &[usize]) -> Self {
        let (steps, registers) = (code.steps.len(), code.registers.len());
        let mut live = vec![vec![false; registers]; steps + 1];
        observed.iter().for_each(|&r| live[steps][r] = true);
        let loaded = from_memory(code);
        let decides = code.steps.iter().zip(&loaded).map(|(step, loaded)| {
            let branches_alone = step.branch_target().is_none() || step.micros.len() == 1;
            !branches_alone || step.conditions().any(|term| mentions(term, loaded))
        });
        Self { code, live, silent: vec![true; steps], decides: decides.collect() }
    }

    /// Computes the used registers as a fixpoint, given the branches that are not silent.
    fn settle(&mut self) {
        until_stable((0..self.code.steps.len()).rev(), |index| {
            let (before, silent) = self.before(index);
            self.silent[index] = silent;
            let changed = before != self.live[index];
            self.live[index] = before;
            changed
        });
    }

    /// The registers used before a step, and whether the step is silent.
    fn before(&self, index: usize) -> (Vec<bool>, bool) {
        let step = &self.code.steps[index];
        let mut now = self.live[index + 1].clone();
        let join = |now: &mut Vec<bool>, goal: &[bool], always: bool| match always {
            true => now.copy_from_slice(goal),
            false => now.iter_mut().zip(goal).for_each(|(n, g)| *n |= g),
        };
        let conditional = step.conditions().next().is_some();
        let mut silent = !(conditional && self.decides[index]);
        for micro in step.micros.iter().rev() {
            let (reads, written) = micro.effects();
            match micro {
                Micro::Branch { target, .. } => {
                    join(&mut now, &self.live[self.place(*target)], !conditional);
                    if !self.decides[index] || !conditional {
                        continue;
                    }
                }
                Micro::Exit => {
                    let end = &self.live[self.code.steps.len()];
                    join(&mut now, end, step.guard.is_none());
                }
                Micro::Assign { register, .. } if !now[*register] => continue,
                Micro::Opaque { results, .. } if results.iter().all(|&r| !now[r]) => continue,
                _ => {}
            }
            silent = false;
            if step.guard.is_none() {
                written.into_iter().for_each(|register| now[register] = false);
            }
            reads.into_iter().for_each(|r| now[r] = true);
        }
        let mut guard = Vec::new();
        step.guard.iter().filter(|_| !silent).for_each(|g| g.registers(&mut guard));
        guard.into_iter().for_each(|r| now[r] = true);
        (now, silent)
    }

    /// The index of a step; the number of steps for all targets beyond the end.
    fn place(&self, target: usize) -> usize {
        target.min(self.code.steps.len())
    }

    /// Marks branches whose ways do not surely reach the same non-silent step; gives whether any is
    /// new.
    fn finds_decisions(&mut self) -> bool {
        let ends = self.ends();
        let mut found: [Vec<usize>; 3] = Default::default();
        for (index, step) in self.code.steps.iter().enumerate() {
            if self.decides[index] || step.conditions().next().is_none() {
                continue;
            }
            let Some(target) = step.branch_target() else { continue };
            match (ends[index + 1], ends[self.place(target)]) {
                (Some(next), Some(taken)) if next == taken => {}
                (Some(_), Some(_)) => found[0].push(index),
                (None, None) => found[2].push(index),
                _ => found[1].push(index),
            }
        }
        // A branch with an endless way is marked last: the way may lead through a branch that
        // decides.
        let first = found.into_iter().find(|branches| !branches.is_empty());
        first.iter().flatten().for_each(|&branch| self.decides[branch] = true);
        first.is_some()
    }

    /// For every step, the first non-silent step from there on, or the first branch to different
    /// ones; `None` if control may run through silent steps for ever.
    fn ends(&self) -> Vec<Option<usize>> {
        let steps = self.code.steps.len();
        let mut ends = vec![None; steps + 1];
        ends[steps] = Some(steps);
        until_stable((0..steps).rev(), |index| {
            if ends[index].is_some() {
                return false;
            }
            let step = &self.code.steps[index];
            let next = step.falls_through().then(|| ends[index + 1]);
            let taken = step.branch_target().map(|target| ends[self.place(target)]);
            ends[index] = match (self.silent[index], next, taken) {
                (false, ..) => Some(index),
                (true, Some(Some(next)), Some(Some(taken))) => {
                    Some(if next == taken { next } else { index })
                }
                (true, Some(_), Some(_)) => None,
                (true, next, taken) => next.or(taken).flatten(),
            };
            ends[index].is_some()
        });
        ends
    }
}

/// Updates steps in the given order until a fixpoint is reached.
pub(super) fn until_stable(
    steps: impl Iterator<Item = usize> + Clone,
    mut update: impl FnMut(usize) -> bool,
) {
    // `count` visits all steps in each pass, whether or not one has changed.
    while steps.clone().filter(|&step| update(step)).count() > 0 {}
}

/// For every step, the registers whose values there may come from memory or a barrier, directly or
/// through a predicate.
fn from_memory(code: &ThreadCode) -> Vec<Vec<bool>> {
    let steps = code.steps.len();
    let mut loaded = vec![vec![false; code.registers.len()]; steps + 1];
    until_stable(0..steps, |index| {
        let step = &code.steps[index];
        let now = behind(step, &loaded[index]);
        let next = step.falls_through().then_some(index + 1);
        let mut changed = false;
        for to in next.into_iter().chain(step.branch_target().map(|to| to.min(steps))) {
            for (known, &new) in loaded[to].iter_mut().zip(&now) {
                changed |= new && !*known;
                *known |= new;
            }
        }
        changed
    });
    loaded
}

/// The registers that may come from memory after a step, given those before it.
fn behind(step: &Step, before: &[bool]) -> Vec<bool> {
    let mut now = before.to_vec();
    let guarded = step.guard.as_ref().is_some_and(|guard| mentions(guard, before));
    for micro in &step.micros {
        match micro {
            Micro::Assign { register, value } => {
                let stays = step.guard.is_some() && now[*register];
                now[*register] = stays || guarded || mentions(value, &now);
            }
            Micro::Opaque { results, operands, .. } => {
                let from_memory = guarded || operands.iter().any(|&operand| now[operand]);
                for &result in results {
                    now[result] = from_memory || step.guard.is_some() && now[result];
                }
            }
            _ => micro.written().into_iter().for_each(|register| now[register] = true),
        }
    }
    now
}

/// Whether a term mentions one of some registers.
fn mentions(term: &Term, registers: &[bool]) -> bool {
    let mut own = Vec::new();
    term.registers(&mut own);
    own.into_iter().any(|register| registers[register])
}
