//! Which registers matter before each step of a thread.
//!
//! What only goes into registers that nothing uses is not used either. A step that does no more than
//! that is silent, and so is a branch whose two ways surely come to one step through silent steps
//! alone: it decides nothing, and its condition is no use. So a count that a loop keeps for nobody,
//! or only to choose how long to sleep, does not tell its rounds apart.
//!
//! Two states of a thread from which it comes to one step that is not silent, and which agree on the
//! registers that are used there, have the same events in the same order from there on: silent
//! steps lead to that step whatever the other registers hold, and change none of those used. A way
//! that may go round for ever comes nowhere surely, so that a branch to it decides. A condition that
//! may come from memory always decides, since what follows depends on it in program text, and
//! models may ask for that.

use crate::program::micro::{Micro, Step, ThreadCode};
use crate::program::term::Term;

/// The registers that matter, step by step.
#[derive(Debug)]
pub(crate) struct Live {
    used: Vec<Vec<bool>>,
    choosing: Vec<Vec<bool>>,
}

impl Live {
    /// Of a thread, some of whose registers are observed at its end.
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

    /// Whether all that paths from a step do with a register is to choose between ways that come to
    /// the same.
    pub(crate) fn only_chooses(&self, step: usize, register: usize) -> bool {
        self.choosing[step][register] && !self.used[step][register]
    }
}

struct Analysis<'c> {
    code: &'c ThreadCode,
    /// For every step, the registers that are used from there on, as far as is known.
    live: Vec<Vec<bool>>,
    /// For every step, whether it does nothing that anything uses, as far as is known.
    silent: Vec<bool>,
    /// For every step, whether the conditions that it is under or branches by are a use.
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

    /// Finds out what is used, given what decides.
    fn settle(&mut self) {
        until_stable((0..self.code.steps.len()).rev(), |index| {
            let (before, silent) = self.before(index);
            self.silent[index] = silent;
            let changed = before != self.live[index];
            self.live[index] = before;
            changed
        });
    }

    /// What is used before a step, and whether the step is silent.
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

    /// The position of a step, or one past the last for all that is no step.
    fn place(&self, target: usize) -> usize {
        target.min(self.code.steps.len())
    }

    /// Notes branches whose ways do not surely come to the same step that is not silent; whether
    /// there are more than were known.
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
        // What leads nowhere surely may do so where it meets a branch that is found to decide.
        let first = found.into_iter().find(|branches| !branches.is_empty());
        first.iter().flatten().for_each(|&branch| self.decides[branch] = true);
        first.is_some()
    }

    /// For every step, the first one from there on that is not silent, or the first branch to
    /// different ones; `None` where control may go on through silent ones for ever.
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

/// Looks at steps in this order, again and again, until `update` changes nothing about any of them.
pub(super) fn until_stable(
    steps: impl Iterator<Item = usize> + Clone,
    mut update: impl FnMut(usize) -> bool,
) {
    // All of them are looked at, whichever changes.
    while steps.clone().filter(|&step| update(step)).count() > 0 {}
}

/// For every step, the registers whose values there may come from memory or a barrier, or depend on
/// a predicate that does.
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

/// The registers that may hold what comes from memory behind a step, given those before it.
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

/// Whether a term has one of some registers.
fn mentions(term: &Term, registers: &[bool]) -> bool {
    let mut own = Vec::new();
    term.registers(&mut own);
    own.into_iter().any(|register| registers[register])
}
