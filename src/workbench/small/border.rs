//! The border between the allowed and the forbidden programs of a model, for each shape.

use super::cell::Cell;
use super::difference::Difference;
use super::label::Label;
use super::orders::Execution;
use super::part::{Ceiling, Part};
use super::search::{Asks, Border, Effort, Search, Space, everything, search};
use super::shape::Shape;
use std::ops::ControlFlow;

/// Gives the programs of a shape that may be at the border of the first model. These are, for each
/// cell in which an outcome is decided, the weakest programs if the outcome is forbidden, and the
/// strongest if it is allowed. Programs of a neighbouring cell may be weaker or stronger. Programs that
/// forbid the rest of an outcome without an instruction, too, need not be among those that forbid it.
pub fn border(
    space: Space<'_>,
    shape: &Shape,
    side: Border,
    effort: &mut Effort,
    visit: &mut dyn FnMut(Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut each = |program: Difference, _: &mut Option<Ceiling>| visit(program);
    search(space, shape, &everything(space, shape), Asks::Border(side), None, effort, &mut each)
}

impl<'s> Search<'s, '_> {
    /// Looks for the border in a cell whose labels are evaluated; `known` says which outcomes are decided.
    pub(super) fn follow(
        &mut self,
        cell: &Cell<'s>,
        side: Border,
        known: &[bool],
        mut open: Vec<Execution>,
    ) -> ControlFlow<(), bool> {
        self.effort.cells += 1;
        let allowed = self.outcomes(cell, &mut open);
        let mut known = known.to_vec();
        let all_count = side == Border::Forbidden;
        for (index, [allows, _]) in allowed.iter().enumerate() {
            if known[index] || (allows.may && !allows.must) {
                continue;
            }
            known[index] = true;
            if allows.must == (side == Border::Allowed)
                && !(all_count && self.needs_less(cell, index, 0))
            {
                for way in 0..self.class.ways.len() {
                    let Some(finals) = self.class.finals_of(way, index, &self.writers) else {
                        continue;
                    };
                    let reads = self.class.ways[way].reads.clone();
                    for program in self.corners(cell, &reads, &finals, side) {
                        (self.visit)(program, &mut self.ceiling)?;
                    }
                }
            }
        }
        if known.iter().all(|&known| known) {
            return ControlFlow::Continue(false);
        }
        if all_count && self.has_idle(cell) {
            return ControlFlow::Continue(true);
        }
        for part in self.ways(cell) {
            self.evaluate_labels(&part);
            let _ = self.follow(&part, side, &known, open.clone())?;
        }
        ControlFlow::Continue(true)
    }

    /// The parts of a cell: places first, then orders, then scopes, the strongest first.
    fn ways(&self, cell: &Cell<'s>) -> Vec<Cell<'s>> {
        let choices = cell.choices();
        let is_place = |values: &&Vec<Part>| matches!(values[0], Part::Place(_));
        let values = choices.iter().find(is_place).or_else(|| choices.first());
        let part = |&part: &Part| cell.within(part, self.space.pair, self.shape);
        values.into_iter().flatten().map(part).collect()
    }

    /// The weakest programs of a cell, or the strongest.
    fn corners(
        &self,
        cell: &Cell<'s>,
        reads: &[usize],
        finals: &[usize],
        side: Border,
    ) -> Vec<Difference> {
        let placed = match &cell.placements[..] {
            [_] => vec![cell.clone()],
            _ => {
                let mut all = self.ways(cell);
                let far = |c: &Cell<'_>| c.placements.first().map_or(0, |place| place.distance());
                let outer = match side {
                    Border::Forbidden => all.iter().map(far).max(),
                    Border::Allowed => all.iter().map(far).min(),
                };
                all.retain(|c| Some(far(c)) == outer);
                all
            }
        };
        let mut found = Vec::new();
        for cell in placed {
            let Some(&placement) = cell.placements.first() else { continue };
            let mut words: Vec<Vec<Label>> = vec![Vec::new()];
            for labels in &cell.labels {
                let corner = |label: &&Label| {
                    labels.iter().all(|other| match side {
                        Border::Forbidden => other == *label || !label.is_above(other),
                        Border::Allowed => other == *label || !other.is_above(label),
                    })
                };
                let kept: Vec<Label> = labels.iter().filter(corner).copied().collect();
                let longer = |word: &Vec<Label>| {
                    kept.iter().map(|&label| [&word[..], &[label]].concat()).collect::<Vec<_>>()
                };
                words = words.iter().flat_map(longer).collect();
            }
            found.extend(words.into_iter().map(|labels| Difference {
                shape: self.shape.clone(),
                placement: placement.clone(),
                labels,
                reads: reads.to_vec(),
                finals: finals.to_vec(),
                allowed_by: 0,
            }));
        }
        found
    }
}
