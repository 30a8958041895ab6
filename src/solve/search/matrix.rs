//! Values of a compiled model's slots, and what axioms say of open choices.

use super::compile::{Code, Level, Op, SlotId, SlotSet};
use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet, Sort};

/// A slot's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// All slots of one search. The next one begins with what this one leaves, so that questions about
/// one program do not compute the same again.
///
/// Every slot that is not due holds what its operation makes of its operands. With everything empty
/// that is so from the start: no operation makes something out of nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// By home.
    places: Vec<Slot>,
    homes: Vec<usize>,
    /// Slots that share their home; they are lost when the next one moves in.
    lodgers: SlotSet,
    /// Slots of which an operand has changed since they were computed.
    due: SlotSet,
    /// How often anything has changed, and when each slot did.
    version: u64,
    versions: Vec<u64>,
    /// Where new contents are made.
    fresh_set: EventSet,
    fresh_rel: Rel,
}

/// Up to how many events every slot has a home to itself.
pub(super) const ROOMY: usize = 256;

impl Slots {
    /// Empty slots for a program of this many events.
    pub(super) fn new(code: &Code, events: usize) -> Self {
        let count = code.ops.len();
        let homes = if events > ROOMY { code.homes.clone() } else { (0..count).collect() };
        let empty = |sort: Sort| match sort {
            Sort::Set => Slot::Set(EventSet::empty(events)),
            Sort::Relation => Slot::Rel(Rel::empty(events)),
        };
        let mut places: Vec<Option<Slot>> = vec![None; homes.iter().max().map_or(0, |m| m + 1)];
        let mut tenants = vec![0; places.len()];
        for (&home, &sort) in homes.iter().zip(&code.sorts) {
            places[home].get_or_insert_with(|| empty(sort));
            tenants[home] += 1;
        }
        let mut lodgers = SlotSet::new(count);
        (0..count).filter(|&slot| tenants[homes[slot]] > 1).for_each(|slot| lodgers.insert(slot));
        Self {
            places: places.into_iter().map(|p| p.expect("every home has a slot")).collect(),
            lodgers,
            homes,
            due: SlotSet::new(count),
            version: 0,
            versions: vec![0; count],
            fresh_set: EventSet::empty(events),
            fresh_rel: Rel::empty(events),
        }
    }

    /// Makes room for this many events.
    pub(super) fn fit(&mut self, events: usize) {
        if self.fresh_rel.len() == events {
            return;
        }
        self.fresh_set.reset(events);
        self.fresh_rel.reset(events);
        for place in &mut self.places {
            match place {
                Slot::Set(set) => set.reset(events),
                Slot::Rel(rel) => rel.reset(events),
            }
        }
        self.due.clear();
        self.version += 1;
        self.versions.fill(self.version);
    }

    /// How often anything has changed.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// The contents of a slot that is a relation.
    pub(super) fn rel(&self, slot: SlotId) -> &Rel {
        rel(self.at(slot))
    }

    /// The contents of a slot that is a set.
    pub(super) fn set(&self, slot: SlotId) -> &EventSet {
        set(self.at(slot))
    }

    fn at(&self, slot: SlotId) -> &Slot {
        &self.places[self.homes[slot]]
    }

    /// Brings the wanted slots up to date, where base names at `from` or above may have changed.
    pub(super) fn compute(&mut self, code: &Code, from: Level, wanted: &SlotSet, base: &dyn Base) {
        self.due.union_with(&code.names[from as usize]);
        self.due.union_with_both(&code.above[from as usize], &self.lodgers);
        let mut next = 0;
        while let Some(slot) = self.due.next_in(wanted, next) {
            self.due.remove(slot);
            if self.renew(code.ops[slot], slot, base) {
                self.version += 1;
                self.versions[slot] = self.version;
                self.due.union_with(&code.users[slot]);
            }
            next = slot + 1;
        }
    }

    /// Computes a slot; whether it has changed, or may have.
    fn renew(&mut self, op: Op, slot: SlotId, base: &dyn Base) -> bool {
        let home = self.homes[slot];
        let new = match &self.places[home] {
            Slot::Set(_) => {
                let mut out = std::mem::take(&mut self.fresh_set);
                match op {
                    Op::Set(name, side) => base.set(name, side, &mut out),
                    op => self.compute_set(op, &mut out),
                }
                Slot::Set(out)
            }
            Slot::Rel(_) => {
                let mut out = std::mem::take(&mut self.fresh_rel);
                match op {
                    Op::Rel(name, side) => base.relation(name, side, &mut out),
                    op => self.compute_rel(op, &mut out),
                }
                Slot::Rel(out)
            }
        };
        let changed = self.lodgers.contains(slot) || self.places[home] != new;
        let rest = match (&mut self.places[home], new) {
            (_, new) if !changed => new,
            // Memory that was never written takes no space: where it is much, contents do not move.
            (Slot::Rel(place), Slot::Rel(new)) if new.len() > ROOMY => {
                place.copy_from(&new);
                Slot::Rel(new)
            }
            (place, new) => std::mem::replace(place, new),
        };
        match rest {
            Slot::Set(set) => self.fresh_set = set,
            Slot::Rel(rel) => self.fresh_rel = rel,
        }
        changed
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
    /// Where what one operation excludes is made.
    pairs: Rel,
    /// Relations to use again: only what is being pushed takes space.
    spare: Vec<Rel>,
    /// Converses of slots; of a large program only the latest.
    converses: Vec<Option<Converse>>,
}

impl Excluded {
    pub(super) fn new(code: &Code, events: usize) -> Self {
        let (pairs, count) = (Rel::empty(events), code.ops.len());
        Self { out: vec![None; count], pairs, spare: Vec::new(), converses: vec![None; count] }
    }

    /// Starts anew with nothing excluded.
    pub(super) fn clear(&mut self) {
        let Self { out, spare, .. } = self;
        spare.extend(out.iter_mut().filter_map(Option::take));
    }

    /// Excludes pairs from a slot.
    pub(super) fn exclude(&mut self, slot: SlotId, pairs: &Rel) {
        let Self { out, spare, .. } = self;
        match &mut out[slot] {
            Some(all) => {
                all.union_with(pairs);
            }
            none => {
                let mut all = spare.pop().unwrap_or_else(|| Rel::empty(pairs.len()));
                all.copy_from(pairs);
                *none = Some(all);
            }
        }
    }

    /// Excludes the pairs that an operation has made.
    fn exclude_made(&mut self, slot: SlotId) {
        let pairs = std::mem::take(&mut self.pairs);
        self.exclude(slot, &pairs);
        self.pairs = pairs;
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
            // Base relations are what is asked for; the others pass on what they have.
            if let Op::Rel(..) = code.ops[index] {
                self.out[index] = Some(out);
                continue;
            }
            if !out.is_empty() {
                self.push_op(code, slots, code.ops[index], &out);
            }
            self.spare.push(out);
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
                        self.pairs.copy_from(out);
                        self.pairs.intersect_with(slots.rel(other));
                        self.exclude_made(operand);
                    }
                }
            }
            // The right side's lower bound is not at hand; only a static one is exact.
            Op::Diff(a, b) if open(a) && !open(b) => {
                self.pairs.copy_from(out);
                self.pairs.subtract(slots.rel(b));
                self.exclude_made(a);
            }
            Op::Comp(a, b) => self.push_composition(slots, (a, open(a)), (b, open(b)), out),
            Op::Restrict(s, r) if open(r) => {
                self.pairs.copy_from(out);
                self.pairs.restrict_domain(slots.set(s));
                self.exclude_made(r);
            }
            Op::Corestrict(r, s) if open(r) => {
                self.pairs.copy_from(out);
                self.pairs.restrict_range(slots.set(s));
                self.exclude_made(r);
            }
            Op::Inverse(a) if open(a) => {
                out.inverse_into(&mut self.pairs);
                self.exclude_made(a);
            }
            Op::Plus(a) if open(a) => self.push_closure(slots, a, out),
            _ => {}
        }
    }

    /// `a ; b` without (x, z): where (y, z) is surely in b, (x, y) is out of a; and likewise.
    fn push_composition(&mut self, slots: &Slots, a: (SlotId, bool), b: (SlotId, bool), out: &Rel) {
        if a.1 {
            let Self { pairs, converses, .. } = self;
            out.compose_into(converse(converses, slots, b.0), pairs);
            self.exclude_made(a.0);
        }
        if b.1 {
            slots.rel(a.0).compose_inverted_into(out, &mut self.pairs);
            self.exclude_made(b.0);
        }
    }

    /// `a+` without (x, z): any step between what x surely reaches, or is, and what surely reaches
    /// z, or is, is out of a.
    fn push_closure(&mut self, slots: &Slots, a: SlotId, out: &Rel) {
        let mut sure = slots.rel(a).clone();
        sure.transitive_closure_in_place();
        let back = sure.inverse();
        let mut half = out.clone();
        out.compose_union_into(&back, &mut half);
        self.pairs.copy_from(&half);
        back.compose_union_into(&half, &mut self.pairs);
        self.exclude_made(a);
    }
}

/// The converse of a slot at some version.
#[derive(Clone, Debug)]
struct Converse {
    of: (SlotId, u64),
    rel: Rel,
}

/// The converse of a slot, which is computed when the slot has changed.
fn converse<'c>(known: &'c mut [Option<Converse>], slots: &Slots, slot: SlotId) -> &'c Rel {
    let (of, rel) = ((slot, slots.versions[slot]), slots.rel(slot));
    let home = if rel.len() > ROOMY { 0 } else { slot };
    let known = known[home].get_or_insert_with(|| Converse { of, rel: rel.inverse() });
    if known.of != of {
        known.of = of;
        rel.inverse_into(&mut known.rel);
    }
    &known.rel
}
