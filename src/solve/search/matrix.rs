//! Values of a compiled model's slots, and what axioms say of open choices.

use super::compile::{Code, Level, Op, SlotId};
use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet, Sort};

/// A slot's contents.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Set(EventSet),
    Rel(Rel),
}

/// Where base names get their contents from.
pub(super) trait Base {
    /// The members of a set among the events at hand.
    fn set(&self, set: BaseSet, side: super::compile::Side, out: &mut EventSet);
    /// The pairs of a relation among the events at hand.
    fn relation(&self, relation: BaseRel, side: super::compile::Side, out: &mut Rel);
}

/// All slots of one search; used again for the next one, whatever its number of events.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// By home.
    places: Vec<Slot>,
    homes: Vec<usize>,
}

impl Slots {
    pub(super) fn new(code: &Code, events: usize) -> Self {
        let mut places: Vec<Option<Slot>> =
            vec![None; code.homes.iter().max().map_or(0, |m| m + 1)];
        for (&home, sort) in code.homes.iter().zip(&code.sorts) {
            places[home].get_or_insert_with(|| match sort {
                Sort::Set => Slot::Set(EventSet::empty(events)),
                Sort::Relation => Slot::Rel(Rel::empty(events)),
            });
        }
        let places = places.into_iter().map(|p| p.expect("every home has a slot")).collect();
        Self { places, homes: code.homes.clone() }
    }

    /// Makes room for another number of events; everything is to be computed again.
    pub(super) fn reset(&mut self, events: usize) {
        for place in &mut self.places {
            match place {
                Slot::Set(set) => set.reset(events),
                Slot::Rel(rel) => rel.reset(events),
            }
        }
    }

    /// What an operation that changes with choices has given, or is given.
    pub(super) fn rel(&self, slot: SlotId) -> &Rel {
        rel(self.at(slot))
    }

    pub(super) fn set(&self, slot: SlotId) -> &EventSet {
        set(self.at(slot))
    }

    fn at(&self, slot: SlotId) -> &Slot {
        &self.places[self.homes[slot]]
    }

    /// Recomputes every slot at `from` or above.
    pub(super) fn compute(&mut self, code: &Code, from: Level, base: &dyn Base) {
        for index in 0..code.ops.len() {
            if code.levels[index] < from {
                continue;
            }
            let home = self.homes[index];
            let mut place =
                std::mem::replace(&mut self.places[home], Slot::Set(EventSet::empty(0)));
            match (&code.ops[index], &mut place) {
                (Op::Set(name, side), Slot::Set(out)) => base.set(*name, *side, out),
                (Op::Rel(name, side), Slot::Rel(out)) => base.relation(*name, *side, out),
                (op, Slot::Set(out)) => self.compute_set(*op, out),
                (op, Slot::Rel(out)) => self.compute_rel(*op, out),
            }
            self.places[home] = place;
        }
    }

    fn compute_set(&self, op: Op, out: &mut EventSet) {
        match op {
            Op::UnionSet(a, b) => {
                out.copy_from(self.set(a));
                out.union_with(self.set(b));
            }
            Op::InterSet(a, b) => {
                out.copy_from(self.set(a));
                out.intersect_with(self.set(b));
            }
            Op::DiffSet(a, b) => {
                out.copy_from(self.set(a));
                out.subtract(self.set(b));
            }
            Op::Domain(a) => self.rel(a).domain_into(out),
            Op::Range(a) => self.rel(a).range_into(out),
            _ => out.clear(),
        }
    }

    fn compute_rel(&self, op: Op, out: &mut Rel) {
        match op {
            Op::Union(a, b) => {
                out.copy_from(self.rel(a));
                out.union_with(self.rel(b));
            }
            Op::Inter(a, b) => {
                out.copy_from(self.rel(a));
                out.intersect_with(self.rel(b));
            }
            Op::Diff(a, b) => {
                out.copy_from(self.rel(a));
                out.subtract(self.rel(b));
            }
            Op::Comp(a, b) => self.rel(a).compose_into(self.rel(b), out),
            Op::Restrict(s, r) => {
                out.copy_from(self.rel(r));
                out.restrict_domain(self.set(s));
            }
            Op::Corestrict(r, s) => {
                out.copy_from(self.rel(r));
                out.restrict_range(self.set(s));
            }
            Op::Inverse(a) => self.rel(a).inverse_into(out),
            Op::Plus(a) => {
                out.copy_from(self.rel(a));
                out.transitive_closure_in_place();
            }
            Op::ToId(a) => out.assign_to_id(self.set(a)),
            Op::Cross(a, b) => out.assign_cross(self.set(a), self.set(b)),
            _ => out.clear(),
        }
    }
}

fn rel(slot: &Slot) -> &Rel {
    match slot {
        Slot::Rel(rel) => rel,
        Slot::Set(_) => unreachable!("slots have the sort of their operation"),
    }
}

fn set(slot: &Slot) -> &EventSet {
    match slot {
        Slot::Set(set) => set,
        Slot::Rel(_) => unreachable!("slots have the sort of their operation"),
    }
}

/// What may not be, pushed from the axioms down to the chosen relations.
///
/// An edge whose presence alone would break an axiom, given what is surely there, is *out*.
#[derive(Clone, Debug)]
pub(super) struct Excluded {
    out: Vec<Option<Rel>>,
    scratch: [Rel; 3],
    /// Empty relations to use again: only what is being pushed takes space.
    spare: Vec<Rel>,
}

impl Excluded {
    pub(super) fn new(code: &Code, events: usize) -> Self {
        let scratch = [Rel::empty(events), Rel::empty(events), Rel::empty(events)];
        Self { out: vec![None; code.ops.len()], scratch, spare: Vec::new() }
    }

    /// Starts anew with nothing excluded.
    pub(super) fn clear(&mut self) {
        for slot in 0..self.out.len() {
            self.release(slot);
        }
    }

    fn release(&mut self, slot: SlotId) {
        if let Some(mut rel) = self.out[slot].take() {
            rel.clear();
            self.spare.push(rel);
        }
    }

    fn at(&mut self, slot: SlotId) -> &mut Rel {
        let Self { out, spare, scratch } = self;
        out[slot].get_or_insert_with(|| {
            spare.pop().unwrap_or_else(|| Rel::empty(scratch[0].len().max(scratch[1].len())))
        })
    }

    /// Excludes pairs from a slot.
    pub(super) fn exclude(&mut self, slot: SlotId, pairs: &Rel) {
        self.at(slot).union_with(pairs);
    }

    /// What is out of a slot.
    pub(super) fn of(&self, slot: SlotId) -> Option<&Rel> {
        self.out[slot].as_ref()
    }

    /// Pushes exclusions from every slot that changes with choices down to its operands.
    pub(super) fn push_down(&mut self, code: &Code, slots: &Slots) {
        for index in (0..code.ops.len()).rev() {
            if code.levels[index] == Level::Static {
                continue;
            }
            let Some(out) = self.out[index].take() else { continue };
            if !out.is_empty() {
                self.push_op(code, slots, code.ops[index], &out);
            }
            self.out[index] = Some(out);
            // Base relations are what is asked for; the others have passed on what they had.
            if !matches!(code.ops[index], Op::Rel(..)) {
                self.release(index);
            }
        }
    }

    fn push_op(&mut self, code: &Code, slots: &Slots, op: Op, out: &Rel) {
        let open = |slot: SlotId| code.levels[slot] != Level::Static;
        match op {
            Op::Union(a, b) => {
                for operand in [a, b] {
                    if open(operand) {
                        self.exclude(operand, out);
                    }
                }
            }
            Op::Inter(a, b) => {
                for (operand, other) in [(a, b), (b, a)] {
                    if open(operand) {
                        let [pairs, ..] = &mut self.scratch;
                        pairs.copy_from(out);
                        pairs.intersect_with(slots.rel(other));
                        self.take_scratch(operand);
                    }
                }
            }
            // The right side's lower bound is not at hand; only a static one is exact.
            Op::Diff(a, b) if open(a) && !open(b) => {
                let [pairs, ..] = &mut self.scratch;
                pairs.copy_from(out);
                pairs.subtract(slots.rel(b));
                self.take_scratch(a);
            }
            Op::Comp(a, b) => self.push_composition(slots, (a, open(a)), (b, open(b)), out),
            Op::Restrict(s, r) if open(r) => {
                let [pairs, ..] = &mut self.scratch;
                pairs.copy_from(out);
                pairs.restrict_domain(slots.set(s));
                self.take_scratch(r);
            }
            Op::Corestrict(r, s) if open(r) => {
                let [pairs, ..] = &mut self.scratch;
                pairs.copy_from(out);
                pairs.restrict_range(slots.set(s));
                self.take_scratch(r);
            }
            Op::Inverse(a) if open(a) => {
                let [pairs, ..] = &mut self.scratch;
                out.inverse_into(pairs);
                self.take_scratch(a);
            }
            Op::Plus(a) if open(a) => self.push_closure(slots, a, out),
            _ => {}
        }
    }

    /// Excludes the first scratch relation from a slot.
    fn take_scratch(&mut self, slot: SlotId) {
        let pairs = std::mem::replace(&mut self.scratch[0], Rel::empty(0));
        self.exclude(slot, &pairs);
        self.scratch[0] = pairs;
    }

    /// `a ; b` without (x, z): where (y, z) is surely in b, (x, y) is out of a; and likewise.
    fn push_composition(&mut self, slots: &Slots, a: (SlotId, bool), b: (SlotId, bool), out: &Rel) {
        if a.1 {
            let [pairs, back, _] = &mut self.scratch;
            slots.rel(b.0).inverse_into(back);
            out.compose_into(back, pairs);
            self.take_scratch(a.0);
        }
        if b.1 {
            let [pairs, back, _] = &mut self.scratch;
            slots.rel(a.0).inverse_into(back);
            back.compose_into(out, pairs);
            self.take_scratch(b.0);
        }
    }

    /// `a+` without (x, z): any step between what x surely reaches, or is, and what surely reaches
    /// z, or is, is out of a.
    fn push_closure(&mut self, slots: &Slots, a: SlotId, out: &Rel) {
        let [pairs, back, half] = &mut self.scratch;
        let mut sure = slots.rel(a).clone();
        sure.transitive_closure_in_place();
        sure.inverse_into(back);
        half.copy_from(out);
        out.compose_union_into(back, half);
        pairs.copy_from(half);
        back.compose_union_into(half, pairs);
        self.take_scratch(a);
    }
}
