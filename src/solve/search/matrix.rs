//! The values of a compiled model's slots, and the propagation of axioms to open choices.

use super::compile::{Code, Level, Op, SlotId, SlotSet};
use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The contents of base names.
pub(super) trait Base {
    /// The current members of a set.
    fn set(&self, set: BaseSet, side: super::compile::Side, out: &mut EventSet);
    /// The current pairs of a relation.
    fn relation(&self, relation: BaseRel, side: super::compile::Side, out: &mut Rel);
}

/// All slots of one search. The next search begins with the slots that this one leaves, so that
/// questions about one program share computations.
///
/// Invariant: every slot that is not due holds the result of its operation on its operands. Empty
/// slots satisfy it from the start, since no operation makes members out of empty operands.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// By register; there may be more registers than are in use.
    sets: Vec<EventSet>,
    rels: Vec<Rel>,
    registers: Vec<usize>,
    /// Slots that share their register: a value is lost when the next slot of the register is
    /// computed.
    shared_slots: SlotSet,
    /// Slots with an operand that has changed since they were computed.
    due: SlotSet,
    /// The number of changes so far, and that number at each slot's last change.
    version: u64,
    versions: Vec<u64>,
    /// Buffers for new contents.
    fresh_set: EventSet,
    fresh_rel: Rel,
}

/// The most events with which every slot has a register of its own.
pub(super) const MOST_UNSHARED: usize = 256;

impl Slots {
    /// Resets to the empty slots of a program of this many events, reusing memory.
    fn fit(&mut self, code: &Code, events: usize) {
        let registers = if events > MOST_UNSHARED { &code.registers } else { &code.own_registers };
        self.registers.clone_from(registers);
        let places = |sort: Sort| {
            let own = registers.iter().zip(&code.sorts).filter(|(_, s)| **s == sort);
            own.map(|(&register, _)| register + 1).max().unwrap_or(0)
        };
        let (sets, rels) = (places(Sort::Set), places(Sort::Relation));
        self.sets.resize_with(sets.max(self.sets.len()), EventSet::default);
        self.rels.resize_with(rels.max(self.rels.len()), Rel::default);
        self.sets[..sets].iter_mut().for_each(|set| set.reset(events));
        self.rels[..rels].iter_mut().for_each(|rel| rel.reset(events));
        self.fresh_set.reset(events);
        self.fresh_rel.reset(events);
        self.shared_slots = if events > MOST_UNSHARED {
            code.shared_slots()
        } else {
            SlotSet::new(registers.len())
        };
        self.due = SlotSet::new(registers.len());
        self.version += 1;
        self.versions.clear();
        self.versions.resize(registers.len(), self.version);
    }

    /// Whether these are slots for programs of this many events.
    fn fits(&self, events: usize) -> bool {
        self.fresh_rel.len() == events
    }

    /// The number of changes so far.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// The contents of a slot that is a relation.
    pub(super) fn rel(&self, slot: SlotId) -> &Rel {
        &self.rels[self.registers[slot]]
    }

    /// The contents of a slot that is a set.
    pub(super) fn set(&self, slot: SlotId) -> &EventSet {
        &self.sets[self.registers[slot]]
    }

    /// Brings the wanted slots up to date, given that base names at `from` or above may have
    /// changed.
    pub(super) fn compute(&mut self, code: &Code, from: Level, wanted: &SlotSet, base: &dyn Base) {
        self.due.union_with(&code.names[from as usize]);
        self.due.union_with_both(&code.above[from as usize], &self.shared_slots);
        let mut next = 0;
        while let Some(slot) = self.due.next_in(wanted, next) {
            self.due.remove(slot);
            let renewed = match code.sorts[slot] {
                Sort::Set => self.renew_set(code.ops[slot], slot, base),
                Sort::Relation => self.renew_rel(code.ops[slot], slot, base),
            };
            if renewed {
                self.version += 1;
                self.versions[slot] = self.version;
                self.due.union_with(&code.users[slot]);
            }
            next = slot + 1;
        }
    }

    /// Computes a set; gives whether it has changed.
    fn renew_set(&mut self, op: Op, slot: SlotId, base: &dyn Base) -> bool {
        let mut new = std::mem::take(&mut self.fresh_set);
        match op {
            Op::Set(name, side) => base.set(name, side, &mut new),
            op => self.compute_set(op, &mut new),
        }
        let place = &mut self.sets[self.registers[slot]];
        let changed = *place != new;
        self.fresh_set = if changed { std::mem::replace(place, new) } else { new };
        changed
    }

    /// Computes a relation; gives whether it may have changed.
    fn renew_rel(&mut self, op: Op, slot: SlotId, base: &dyn Base) -> bool {
        let mut new = std::mem::take(&mut self.fresh_rel);
        match op {
            Op::Rel(name, side) => base.relation(name, side, &mut new),
            op => self.compute_rel(op, &mut new),
        }
        let place = &mut self.rels[self.registers[slot]];
        let changed = self.shared_slots.contains(slot) || *place != new;
        self.fresh_rel = match changed {
            false => new,
            // Memory that was never written takes no space, so that large contents are copied
            // instead of moved.
            true if new.len() > MOST_UNSHARED => {
                place.copy_from(&new);
                new
            }
            true => std::mem::replace(place, new),
        };
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

/// Slots of earlier searches for reuse: those of small programs.
#[derive(Debug, Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<(u64, Slots)>>,
    users: AtomicU64,
}

impl Pool {
    /// The number of a compiled model whose slots come from this pool.
    pub(super) fn register(&self) -> u64 {
        self.users.fetch_add(1, Ordering::Relaxed)
    }

    /// Slots for a program of this many events. Reuses the slots of the last search with this
    /// compiled model, if there are any.
    pub(super) fn slots(&self, user: u64, code: &Code, events: usize) -> Slots {
        let idle = || {
            let mut idle = self.idle.lock().ok()?;
            let own = idle.iter().rposition(|(last, slots)| *last == user && slots.fits(events));
            if let Some(own) = own {
                return Some((true, idle.swap_remove(own).1));
            }
            Some((false, idle.pop()?.1))
        };
        let (own, mut slots) = (events <= MOST_UNSHARED).then(idle).flatten().unwrap_or_default();
        if !own {
            slots.fit(code, events);
        }
        slots
    }

    /// Takes back slots that no search uses any more.
    pub(super) fn recycle(&self, user: u64, slots: Slots) {
        if slots.fresh_rel.len() <= MOST_UNSHARED
            && let Ok(mut idle) = self.idle.lock()
        {
            idle.push((user, slots));
        }
    }
}

/// Excluded edges, propagated from the axioms down to the chosen relations.
///
/// An edge is *out* if its presence alone, given the certain edges, would break an axiom.
#[derive(Clone, Debug, Default)]
pub(super) struct Excluded {
    out: Vec<Option<Rel>>,
    /// A buffer for the pairs that one operation excludes.
    pairs: Rel,
    /// Relations for reuse: only those being propagated take space.
    spare: Vec<Rel>,
    /// Converses of slots; for a large program only the latest.
    converses: Vec<Option<Converse>>,
}

impl Excluded {
    /// Starts anew without excluded edges.
    pub(super) fn clear(&mut self, code: &Code, events: usize) {
        let Self { out, pairs, spare, converses } = self;
        spare.extend(out.iter_mut().filter_map(Option::take));
        out.resize(code.ops.len(), None);
        converses.resize(code.ops.len(), None);
        pairs.reset(events);
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

    /// Excludes the pairs in the buffer.
    fn exclude_made(&mut self, slot: SlotId) {
        let pairs = std::mem::take(&mut self.pairs);
        self.exclude(slot, &pairs);
        self.pairs = pairs;
    }

    /// The edges that are out of a slot.
    pub(super) fn of(&self, slot: SlotId) -> Option<&Rel> {
        self.out.get(slot)?.as_ref()
    }

    /// Pushes exclusions from every slot that changes with choices down to its operands.
    pub(super) fn push_down(&mut self, code: &Code, slots: &Slots) {
        for index in (0..code.ops.len()).rev() {
            if code.levels[index] == Level::Static {
                continue;
            }
            let Some(out) = self.out[index].take() else { continue };
            // Base relations keep their exclusions; other slots pass theirs on.
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
            // The lower bound of the right side is not available; a static right side is exact.
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

    /// Without (x, z) in `a ; b`, (x, y) is out of a if (y, z) is surely in b; and likewise for b.
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

    /// Without (x, z) in `a+`, (y, w) is out of a if x surely reaches or is y, and w surely reaches
    /// or is z.
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

/// The converse of a slot at one version.
#[derive(Clone, Debug)]
struct Converse {
    of: (SlotId, u64),
    rel: Rel,
}

/// The converse of a slot, recomputed if the slot has changed.
fn converse<'c>(known: &'c mut [Option<Converse>], slots: &Slots, slot: SlotId) -> &'c Rel {
    let (of, rel) = ((slot, slots.versions[slot]), slots.rel(slot));
    let place = if rel.len() > MOST_UNSHARED { 0 } else { slot };
    let known = known[place].get_or_insert_with(|| Converse { of, rel: rel.inverse() });
    if known.of != of {
        known.of = of;
        rel.inverse_into(&mut known.rel);
    }
    &known.rel
}
