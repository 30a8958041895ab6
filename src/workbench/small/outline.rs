//! The programs of a skeleton on which two models may differ.
//!
//! Most skeletons have no such program, for example those without what an edit speaks of. Then their
//! shapes need not be listed. In the others, most orders, scopes and places are ruled out at once.

use super::cell::{Cell, Frame, Part};
use super::orders::relation;
use super::pair::Stage;
use super::rows::{MOST, Rows};
use super::search::{Effort, Search, Smaller, Sought, Space, everything};
use super::shape::Alphabet;
use super::skeleton::Skeleton;
use std::ops::ControlFlow;

/// The programs of a skeleton on which the models may differ; void if the models certainly agree on
/// all of them.
#[must_use]
pub fn contested<'s>(
    space: Space<'s>,
    skeleton: &Skeleton,
    alphabet: &Alphabet,
    sought: Sought,
    effort: &mut Effort,
) -> Cell<'s> {
    let shape = skeleton.merged();
    let mut all = everything(space, &shape);
    if let Some(ceiling) = sought.ceiling {
        all.lower(ceiling, space.pair, &shape, space.labels);
    }
    let mut frame = Frame::outline(space.pair, skeleton, alphabet);
    if all.is_void() || frame.len() > MOST {
        return all;
    }
    frame.chosen.rf = frame.any_source();
    [Stage::Shape, Stage::Reads].into_iter().for_each(|stage| frame.evaluate(stage, &all));
    let mut ignore = |_, _: &mut _| ControlFlow::Continue(());
    let mut search = Search::new(space, &shape, frame, effort, &mut ignore);
    match sought.smaller {
        Smaller::Executions if search.agrees_anyhow(&all) || !search.may_need_all() => {
            Cell { labels: Vec::new(), placements: Vec::new() }
        }
        Smaller::Executions => all,
        Smaller::Outcomes => search.narrowed(all),
    }
}

impl Frame<'_> {
    fn all(&self, part: Part) -> Vec<usize> {
        (0..self.len()).filter(|&at| self.events[at].part == part).collect()
    }

    /// Reads-from between nothing and every write that reads may read from.
    pub(super) fn any_source(&self) -> [Rows; 2] {
        let writes = [self.all(Part::Init), self.all(Part::Write)].concat();
        let is_own = |write: usize, read: usize| {
            self.events[write].part == Part::Write && self.events[write].op == self.events[read].op
        };
        let fits =
            |&(write, read): &(usize, usize)| self.meet(write, read, true) && !is_own(write, read);
        let pairs = pairs(&writes, &self.all(Part::Read));
        [relation(std::iter::empty()), relation(pairs.into_iter().filter(fits))]
    }

    /// Coherence, and the order of fences, between the least that there is and all that there may be.
    pub(super) fn any_order(&self) -> [[Rows; 2]; 2] {
        let writes = self.all(Part::Write);
        let (first, among) = (pairs(&self.all(Part::Init), &writes), pairs(&writes, &writes));
        let meet = |upper: bool| move |&(a, b): &(usize, usize)| self.meet(a, b, upper);
        let least = relation(first.iter().copied().filter(meet(false)));
        let most = relation(first.into_iter().chain(among).filter(meet(true)));
        let fences = self.all(Part::Fence);
        let any = relation(pairs(&fences, &fences).into_iter());
        [[least, most], [relation(std::iter::empty()), any]]
    }
}

/// The pairs of different events of two lists.
fn pairs(from: &[usize], to: &[usize]) -> Vec<(usize, usize)> {
    let all = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b)));
    all.filter(|(a, b)| a != b).collect()
}
