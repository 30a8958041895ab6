//! Copies of tensor boxes (PTX-9.7.9.25.5) into the bytes that they move.
//!
//! An operation reads a tensor map. The shape of the tensor is constant, since the test declares the
//! map; the address of the tensor is the value that the read of the map returns, so that the box lies
//! where the change of the map that is read has put the tensor.

use super::access::{DraftAccess, OfOperation, Role, union};
use super::issued::Moves;
use super::memory::Does;
use super::symbolic::{State, SymbolicThread};
use super::transfer::piece_of;
use crate::id::{AccessId, ExprId, ObjectId};
use crate::litmus::tensor::{Run, TensorMap};
use crate::program::expr::{Binary, Expr};
use crate::program::layout::Resolved;
use crate::program::micro::{BoxPlace, Confined, Direction, Target, TensorTransfer};
use crate::program::term::Term;
use crate::ptx::operation::{Proxy, Space};
use crate::rule::Rule;
use crate::source::Span;

/// The most runs of a box.
const MOST_RUNS: usize = 1 << 10;

/// The address of a tensor, as a read of its map returns it.
struct Base {
    address: ExprId,
    reads: Vec<AccessId>,
}

impl<'p> SymbolicThread<'_, 'p> {
    /// The moves of an operation on a box, for each map that the address may point to.
    pub(super) fn tensor(
        &mut self,
        operation: usize,
        transfer: &'p TensorTransfer,
        state: &State,
        span: Span,
    ) -> Vec<Moves<'p>> {
        let Some(coordinates) = self.coordinates(transfer.at.coordinates(), state) else {
            self.violate(state.guard, span, Rule::ComputedBox);
            return Vec::new();
        };
        let mut out = Vec::new();
        for (guard, place) in self.places(&transfer.map, Does::Read, state, span).list {
            let state = &State { guard, ..state.clone() };
            let Some(map) = self.map_at(&place) else {
                self.violate(guard, span, Rule::UndeclaredMap);
                continue;
            };
            let Some((runs, bytes)) = runs(map, &transfer.at, &coordinates) else {
                self.violate(guard, span, Rule::TensorRank);
                continue;
            };
            if runs.len() > MOST_RUNS {
                self.violate(guard, span, Rule::LargeBox);
                continue;
            }
            let base = self.base_of(operation, transfer, &place, state, span);
            let does = match transfer.direction {
                Direction::Load => Does::Write,
                Direction::Store => Does::Read,
            };
            let bytes = u32::try_from(bytes).expect("the parser limits boxes");
            let each = transfer.shared.iter();
            let shared: Vec<Vec<DraftAccess>> = each
                .map(|place| self.whole(place, (bytes, Proxy::Async), does, state, span))
                .collect();
            for run in runs {
                out.extend(self.run_of(transfer, run, &base, &shared, state, span));
            }
        }
        out
    }

    /// The values of coordinates; `None` if one is not constant.
    fn coordinates(&mut self, terms: &[Term], state: &State) -> Option<Vec<i64>> {
        let values = terms.iter().map(|term| {
            let value = self.term(term, state, None);
            let bits = u32::try_from(self.builder.exprs.constant(value)?).ok()?;
            Some(i64::from(bits.cast_signed()))
        });
        values.collect()
    }

    /// The tensor map that the test declares at a place.
    fn map_at(&self, place: &Resolved) -> Option<&'p TensorMap> {
        let layout = &self.builder.program.layout;
        let object = *place.objects.first()?;
        layout.variables[layout.objects[object.index()].variable].tensor_map.as_ref()
    }

    /// Adds the read of a map; gives the address of the tensor.
    fn base_of(
        &mut self,
        operation: usize,
        transfer: &TensorTransfer,
        place: &Resolved,
        state: &State,
        span: Span,
    ) -> Base {
        let part = Some(OfOperation { operation, role: Role::Map });
        let access = self.access(&transfer.map, place, state, state.guard, span);
        let (object, bytes, offset) = (access.object, access.bytes, access.offset);
        let address_reads = access.address_reads.clone();
        let read = self.builder.push_access(DraftAccess { part, ..access });
        if let Some(value) = self.fixed(object, offset, bytes) {
            self.builder.fixed.insert(read, value);
        }
        let address = self.exprs().leaf(Expr::Read(read), bytes * 8);
        Base { address, reads: union(&address_reads, &[read]) }
    }

    /// The move of one run; `None` for a store outside of the tensor.
    fn run_of(
        &mut self,
        transfer: &'p TensorTransfer,
        run: Run,
        base: &Base,
        shared: &[Vec<DraftAccess>],
        state: &State,
        span: Span,
    ) -> Option<Moves<'p>> {
        let bytes = (run.shared, run.shared + run.bytes);
        let shared: Vec<Vec<DraftAccess>> =
            shared.iter().map(|list| list.iter().map(|a| piece_of(a, bytes)).collect()).collect();
        let tensor =
            run.tensor.map(|at| self.in_tensor(transfer, (at, run.bytes), base, state, span));
        let (sources, destinations) = match transfer.direction {
            Direction::Load => (tensor.clone().unwrap_or_default(), shared),
            Direction::Store => (shared.into_iter().flatten().collect(), vec![tensor.clone()?]),
        };
        // Elements outside of the tensor are zero (PTX-5.5.4), and nothing is stored there.
        let copied = if tensor.is_some() { run.bytes } else { 0 };
        Some(Moves {
            reduction: transfer.reduction.as_ref(),
            bytes: run.bytes,
            strong: false,
            copied: self.exprs().number(u128::from(copied), 32),
            open: [0, 0],
            mask: None,
            sources,
            destinations,
            product: None,
            answer: None,
        })
    }

    /// The accesses to bytes of a tensor, one for each place that the tensor's address may point to.
    fn in_tensor(
        &mut self,
        transfer: &TensorTransfer,
        (from, bytes): (u64, u64),
        base: &Base,
        state: &State,
        span: Span,
    ) -> Vec<DraftAccess> {
        let distance = self.exprs().number(u128::from(from), 64);
        let address = self.exprs().binary(Binary::Add, base.address, distance);
        let does = match (transfer.direction, &transfer.reduction) {
            (Direction::Load, _) => Does::Read,
            (Direction::Store, None) => Does::Write,
            (Direction::Store, Some(_)) => Does::Update,
        };
        let (nowhere, bytes) =
            (Term::Const(0, 64), u32::try_from(bytes).expect("no longer than a box"));
        let confined = Some(Confined::Global(Rule::CopySpace));
        let target = Target {
            whole: transfer.reduction.as_ref().map_or(1, |reduction| reduction.bytes),
            ..Target::weak(nowhere, Space::Global, bytes, Proxy::Async, confined)
        };
        let places = self.places_at(address, &target, does, state, span).list.into_iter();
        let accesses = places.map(|(guard, place)| DraftAccess {
            address_reads: base.reads.clone(),
            ..self.access(&target, &place, state, guard, span)
        });
        accesses.collect()
    }

    /// The map of an acquire fence. In a test that declares maps, its address has to be constant.
    pub(super) fn fenced_map(
        &mut self,
        (address, space): &(Term, Space),
        state: &State,
        span: Span,
    ) -> Option<ObjectId> {
        let layout = &self.builder.program.layout;
        let declares = layout.variables.iter().any(|variable| variable.tensor_map.is_some());
        let address = self.term(address, state, None);
        let address = self.with_tables(address);
        let Some(at) = self.builder.exprs.constant(address) else {
            if declares {
                self.violate(state.guard, span, Rule::ComputedMap);
            }
            return None;
        };
        let found = layout.resolve(*space, at as u64, 1, self.index, self.code.place)?;
        found.objects.first().copied()
    }
}

/// The runs of a box and its size in bytes; `None` if the map has another number of dimensions.
fn runs(map: &TensorMap, at: &BoxPlace, coordinates: &[i64]) -> Option<(Vec<Run>, u64)> {
    let dimensions = map.dimensions.len();
    match at {
        BoxPlace::Tile(_) if coordinates.len() == dimensions => {
            Some((map.runs(coordinates), map.bytes()))
        }
        BoxPlace::Rows(_) if dimensions == 2 => {
            let (&column, rows) = coordinates.split_first()?;
            Some((map.runs_of_rows(column, rows), map.bytes_of_rows()))
        }
        BoxPlace::Tile(_) | BoxPlace::Rows(_) => None,
    }
}
