//! Points-to analysis: the places that computed addresses may point to, by forward reachability of
//! values.
//!
//! Syntactically, a computed address may point to every place of its state space with the access's
//! size and alignment, but most of these places are impossible. Under models that exclude values
//! out of thin air (PTX-8.10.4), a value that is read was initial or was computed from values read
//! before. The values reachable from the initial ones, step by step, are therefore all possible
//! values, and an access without a reachable address never happens. Leaving such an access out
//! keeps graphs small, and avoids splitting accesses that partially overlap it (reading V10).

use super::access::DraftAccess;
use super::builder::GraphBuilder;
use super::facts::Place;
use super::pieces::Pieces;
use crate::id::{ExprId, LocId, ObjectId};
use crate::program::expr::Expr;
use crate::program::value::Slice;
use crate::ptx::bits::mask;
use std::collections::BTreeSet;

/// Programs with more accesses are not analysed.
const MOST_ACCESSES: usize = 2048;
/// The most values that are kept of one access; with more, it has any value.
const MOST_VALUES: usize = 32;
/// The most assignments to its leaves for which an expression is evaluated.
const MOST_ASSIGNMENTS: usize = 512;
/// The most literals of a guard.
const MOST_LITERALS: usize = 48;

impl GraphBuilder<'_> {
    /// The places of computed addresses that no step accesses, for any values read.
    pub(super) fn places_never_meant(&self) -> BTreeSet<Place> {
        let computed = self.accesses.iter().any(|access| !access.address_reads.is_empty());
        if !computed || self.accesses.len() > MOST_ACCESSES || self.losses.columns {
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

    /// The initial value of some bytes of an object, if it is given.
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

/// A set of possible values; `None` for any value.
type Values = Option<BTreeSet<u128>>;

/// An expression, and its leaves.
struct Term {
    slice: Slice,
    leaves: Vec<Expr>,
}

/// The expressions of an access.
struct Parts {
    /// The literals of its guard.
    literals: Vec<Term>,
    /// The value that it writes.
    value: Option<Term>,
    /// The literals whose leaves are all leaves of the value.
    limits: Vec<usize>,
}

/// The value of an expression with leaves that have no reachable value yet, beside leaves of
/// unknown value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unreached {
    /// None as yet.
    ToCome,
    /// Any value.
    Anything,
}

/// The reachable values and accesses found so far.
struct Reach<'d, 'p> {
    builder: &'d GraphBuilder<'p>,
    parts: Vec<Parts>,
    /// For each access, whether it may happen.
    happens: Vec<bool>,
    /// The values that each access reads or writes.
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

    /// Iterates to a fixpoint. Unreached leaves at first have no values, since taking an arbitrary
    /// value early would reach everything. They count as arbitrary values once the other leaves are
    /// stable.
    fn spread(&mut self) {
        while self.step(Unreached::ToCome) || self.step(Unreached::Anything) {}
    }

    /// Does one step; gives whether it reaches anything new.
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

    /// Adds values; gives whether any is new.
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

    /// Whether each literal of an access may hold.
    fn may_happen(&mut self, id: usize, unreached: Unreached) -> bool {
        (0..self.parts[id].literals.len()).all(|at| {
            let truth = self.outcomes(id, Some(at), unreached);
            truth.is_none_or(|values| values.contains(&1))
        })
    }

    /// The values of a literal of an access, or of the value that it writes. A read without values
    /// has no part in them: it stands behind a condition that the reached values decide.
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
                Expr::Symbol(symbol) if builder.symbols.width(symbol) == 1 => {
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

    /// The pieces of memory by the accesses that may happen.
    fn pieces(&self) -> Pieces {
        let accesses = self.builder.accesses.iter().enumerate();
        let happen: Vec<&DraftAccess> =
            accesses.filter(|&(id, _)| self.happens[id]).map(|(_, access)| access).collect();
        Pieces::split(&happen, self.builder.program.layout.objects.len(), self.builder.unfolding)
    }

    /// The values that a piece may hold.
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

/// All values of adjacent pieces, each given with its first byte.
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
    /// The place that an access touches.
    fn place(&self) -> Place {
        let Self { thread, node, object, offset, bytes, .. } = *self;
        Place { thread, node, object, offset, bytes }
    }
}
