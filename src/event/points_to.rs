//! The places that computed addresses mean, as far as the values that are read tell.
//!
//! An address that is read or computed may mean every place of its state space that has the size and
//! alignment of what is accessed. Most of them it never means. Under models that exclude values out of
//! thin air (PTX-8.10.4), a value that is read was there initially or was computed from values read
//! before: so those that are reached from the initial ones, step by step, are all that there are, and
//! an access whose address is none of them never happens. Leaving it out keeps graphs small; and an
//! access that it would have overlapped in part stays whole (reading V10).

use super::access::DraftAccess;
use super::builder::GraphBuilder;
use super::pieces::Pieces;
use crate::id::{ExprId, LocId, ObjectId};
use crate::program::expr::Expr;
use crate::program::value::Slice;
use crate::ptx::bits::mask;
use std::collections::BTreeSet;

/// In programs with more accesses than that, nothing is said.
const MOST_ACCESSES: usize = 2048;
/// How many values are kept of one access.
const MOST_VALUES: usize = 32;
/// For how many values of what it is made of an expression is evaluated.
const MOST_ASSIGNMENTS: usize = 512;
/// How many literals of a guard are looked at one by one.
const MOST_LITERALS: usize = 48;

/// What one step of a thread may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) thread: usize,
    /// The copy of the step.
    pub(super) node: usize,
    pub(super) object: ObjectId,
    /// In bytes.
    pub(super) offset: u64,
    /// In bytes.
    pub(super) bytes: u32,
}

impl GraphBuilder<'_> {
    /// Places of computed addresses that no step accesses, whatever is read.
    pub(super) fn places_never_meant(&self) -> BTreeSet<Place> {
        let computed = self.accesses.iter().any(|access| !access.address_reads.is_empty());
        if !computed || self.accesses.len() > MOST_ACCESSES {
            return BTreeSet::new();
        }
        let mut reach = Reach::new(self);
        reach.spread();
        let place = |id: usize| self.accesses[id].place();
        let all = 0..self.accesses.len();
        let (happen, never): (Vec<usize>, Vec<usize>) = all.partition(|&id| reach.happens[id]);
        let happen: BTreeSet<Place> = happen.into_iter().map(place).collect();
        never.into_iter().map(place).filter(|place| !happen.contains(place)).collect()
    }

    /// The bytes that a variable holds initially from some byte on, where they are given.
    pub(super) fn given(&self, object: ObjectId, offset: u64, bytes: u32) -> Option<u128> {
        let layout = &self.program.layout;
        let variable = &layout.variables[layout.objects[object.index()].variable];
        let size = u64::from(variable.ty.bytes()).max(1);
        let element = |index| variable.given(index).or_else(|| variable.zeroed.then_some(0));
        let byte = |at: u64| Some(element(at / size)? >> (at % size * 8) & 0xff);
        let mut all = (0..u64::from(bytes)).rev().map(|at| byte(offset + at));
        all.try_fold(0, |value, byte| Some(value << 8 | byte?))
    }
}

/// Values that something may have; `None` for any.
type Values = Option<BTreeSet<u128>>;

/// An expression, and what it is made of.
struct Term {
    slice: Slice,
    leaves: Vec<Expr>,
}

/// What an access is made of.
struct Parts {
    /// What must hold for it to happen.
    literals: Vec<Term>,
    /// What it writes.
    value: Option<Term>,
    /// The literals that speak of nothing but what the value is made of.
    limits: Vec<usize>,
}

/// What an expression is that needs values which are not reached, beside others that are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unreached {
    /// Nothing as yet.
    ToCome,
    /// Anything.
    Anything,
}

/// Values and accesses that are reached so far.
struct Reach<'d, 'p> {
    builder: &'d GraphBuilder<'p>,
    parts: Vec<Parts>,
    /// Which accesses may happen.
    happens: Vec<bool>,
    /// What accesses read or write.
    values: Vec<Values>,
    scratch: Vec<Option<u128>>,
}

impl<'d, 'p> Reach<'d, 'p> {
    fn new(builder: &'d GraphBuilder<'p>) -> Self {
        let term = |x: ExprId| {
            let slice = Slice::new(&builder.exprs, x);
            let leaves = slice.leaves(&builder.exprs).collect();
            Term { slice, leaves }
        };
        let parts = |access: &DraftAccess| {
            let literals = builder.exprs.literals(access.guard, MOST_LITERALS);
            let literals = literals.map_or_else(|| vec![access.guard], |all| all.to_vec());
            let literals: Vec<Term> = literals.into_iter().map(term).collect();
            let value = access.write.then(|| term(access.value));
            let speaks = |literal: &Term| {
                let within = |value: &Term| literal.leaves.iter().all(|x| value.leaves.contains(x));
                value.as_ref().is_some_and(within)
            };
            let limits = (0..literals.len()).filter(|&at| speaks(&literals[at])).collect();
            Parts { literals, value, limits }
        };
        let count = builder.accesses.len();
        Self {
            builder,
            parts: builder.accesses.iter().map(parts).collect(),
            happens: vec![false; count],
            values: vec![Some(BTreeSet::new()); count],
            scratch: Vec::new(),
        }
    }

    /// Goes on until nothing new is reached, whatever values that are not reached are taken for: early
    /// on they are but values to come, and to take them for anything would reach everything.
    fn spread(&mut self) {
        while self.step(Unreached::ToCome) || self.step(Unreached::Anything) {}
    }

    /// Whether one step reaches anything new.
    fn step(&mut self, unreached: Unreached) -> bool {
        let mut changed = false;
        for id in 0..self.parts.len() {
            if !self.happens[id] && self.may_happen(id, unreached) {
                self.happens[id] = true;
                changed = true;
            }
        }
        for id in 0..self.parts.len() {
            if self.happens[id] && self.builder.accesses[id].write && self.values[id].is_some() {
                let written = self.outcomes(id, None, unreached);
                changed |= self.add(id, written);
            }
        }
        let pieces = self.pieces();
        let locations: Vec<(ObjectId, u64, u32)> = pieces.locations().collect();
        let held: Vec<Values> = locations.iter().map(|&at| self.held(at)).collect();
        for id in 0..self.parts.len() {
            let access = &self.builder.accesses[id];
            if self.happens[id] && !access.write && self.values[id].is_some() {
                let parts = pieces.of(access).map(|at: LocId| {
                    let (_, offset, _) = locations[at.index()];
                    (offset - access.offset, &held[at.index()])
                });
                let read = joined(parts);
                changed |= self.add(id, read);
            }
        }
        changed
    }

    /// Adds values; whether any is new.
    fn add(&mut self, id: usize, more: Values) -> bool {
        let Some(known) = &mut self.values[id] else { return false };
        let before = known.len();
        match more {
            Some(more) => known.extend(more),
            None => {
                self.values[id] = None;
                return true;
            }
        }
        let after = known.len();
        if after > MOST_VALUES {
            self.values[id] = None;
        }
        after > before
    }

    /// Whether each of the conditions of an access holds for some values.
    fn may_happen(&mut self, id: usize, unreached: Unreached) -> bool {
        (0..self.parts[id].literals.len()).all(|at| {
            let truth = self.outcomes(id, Some(at), unreached);
            truth.is_none_or(|values| values.contains(&1))
        })
    }

    /// The values of a literal of an access, or of what it writes. What is read nowhere has no part
    /// in them: it stands behind a condition that the values reached decide.
    fn outcomes(&mut self, id: usize, literal: Option<usize>, unreached: Unreached) -> Values {
        let Self { builder, parts, values, scratch, .. } = self;
        let Parts { literals, value, limits } = &parts[id];
        let (term, limits) = match literal {
            Some(at) => (&literals[at], &[][..]),
            None => (value.as_ref().expect("a write writes something"), limits.as_slice()),
        };
        let mut options: Vec<Vec<Option<u128>>> = Vec::with_capacity(term.leaves.len());
        let (mut unknown, mut missing, mut count) = (false, false, 1_usize);
        for &leaf in &term.leaves {
            let option: Vec<Option<u128>> = match leaf {
                Expr::Read(read) => match &values[read.index()] {
                    Some(known) if known.is_empty() => {
                        missing = true;
                        vec![None]
                    }
                    Some(known) => known.iter().copied().map(Some).collect(),
                    None => {
                        unknown = true;
                        vec![None]
                    }
                },
                Expr::Symbol(symbol) if builder.symbols[symbol.index()].width == 1 => {
                    vec![Some(0), Some(1)]
                }
                _ => {
                    unknown = true;
                    vec![None]
                }
            };
            count = count.saturating_mul(option.len());
            options.push(option);
        }
        if count > MOST_ASSIGNMENTS {
            return None;
        }
        let mut out = BTreeSet::new();
        for mut number in 0..count {
            let mut chosen: Vec<Option<u128>> = Vec::with_capacity(options.len());
            for option in &options {
                chosen.push(option[number % option.len()]);
                number /= option.len();
            }
            let leaf = |leaf: Expr| {
                let at = term.leaves.iter().position(|&other| other == leaf)?;
                chosen[at]
            };
            let excluded = limits
                .iter()
                .any(|&at| literals[at].slice.evaluate(&builder.exprs, scratch, leaf) == Some(0));
            if excluded {
                continue;
            }
            match term.slice.evaluate(&builder.exprs, scratch, leaf) {
                Some(value) => {
                    out.insert(value);
                }
                None if unknown && (unreached == Unreached::Anything || !missing) => return None,
                None => {}
            }
        }
        Some(out)
    }

    /// The pieces of memory that the accesses that may happen divide it into.
    fn pieces(&self) -> Pieces {
        let accesses = self.builder.accesses.iter().enumerate();
        let happen: Vec<&DraftAccess> =
            accesses.filter(|&(id, _)| self.happens[id]).map(|(_, access)| access).collect();
        Pieces::split(&happen, self.builder.program.layout.objects.len(), self.builder.unfolding)
    }

    /// What a piece may hold.
    fn held(&self, (object, offset, bytes): (ObjectId, u64, u32)) -> Values {
        let end = offset + u64::from(bytes);
        let mut out = BTreeSet::from([self.builder.given(object, offset, bytes)?]);
        for (id, access) in self.builder.accesses.iter().enumerate() {
            let holds = access.object == object && access.offset <= offset && end <= access.end();
            if access.write && self.happens[id] && holds {
                let low = (offset - access.offset) * 8;
                let part = |value: &u128| value >> low & mask(bytes * 8);
                out.extend(self.values[id].as_ref()?.iter().map(part));
            }
        }
        Some(out)
    }
}

/// All values of pieces that lie side by side, each with its first byte.
fn joined<'a>(pieces: impl Iterator<Item = (u64, &'a Values)>) -> Values {
    let mut all = BTreeSet::from([0]);
    for (offset, values) in pieces {
        let values = values.as_ref()?;
        if all.len() * values.len() > MOST_VALUES {
            return None;
        }
        let pair = |rest: u128| values.iter().map(move |value| rest | value << (offset * 8));
        all = all.into_iter().flat_map(pair).collect();
    }
    Some(all)
}

impl DraftAccess {
    /// Where a step accesses memory.
    fn place(&self) -> Place {
        let Self { thread, node, object, offset, bytes, .. } = *self;
        Place { thread, node, object, offset, bytes }
    }
}
