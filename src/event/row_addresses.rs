//! The address of a row of a matrix from the thread that gives it to the threads of its warp that
//! access the row (PTX-9.7.14.5.15).
//!
//! A lane accesses rows at addresses that other threads compute, which may be unfolded later. The
//! addresses that an unfolding finds are facts for the next one. An address is a number and depends
//! on no row, so that the second unfolding finds those of the first one again.

use super::builder::GraphBuilder;
use super::rows::{Collective, Row, Rows};
use super::symbolic::{State, SymbolicThread};
use crate::litmus::ast::ThreadPlace;
use crate::program::micro::Target;
use crate::rule::Rule;
use crate::source::Span;
use crate::waiting::barrier::Warp;

impl SymbolicThread<'_, '_> {
    /// Notes the address of a row for the other lanes of the warp.
    pub(super) fn supply(&mut self, row: Option<&Target>, of: Collective, state: &State) {
        let address = row.and_then(|row| {
            let address = self.term(&row.address, state, None);
            let address = self.with_tables(address);
            self.builder.exprs.constant(address).map(|address| address as u64)
        });
        self.builder.rows.add(self.index, Row { of, address });
    }

    /// The address of the row that a lane gives for the instruction for which this thread has given
    /// its last one; `None` where it is not known, which is reported.
    pub(super) fn row_of(&mut self, lane: u32, state: &State, span: Span) -> Option<u64> {
        let own = self.builder.rows.of(self.index);
        let (ordinal, own) = (own.len().checked_sub(1)?, own.last()?.of);
        let other = self.thread_in_lane(lane)?;
        // The first unfolding finds the addresses.
        let rows = self.builder.facts.rows.as_ref()?.of(other);
        let rule = match rows.get(ordinal) {
            Some(Row { of, address: Some(address) }) if *of == own => return Some(*address),
            _ if rows.iter().all(|row| row.of != own) => Rule::MatrixDiverges,
            _ => Rule::ComputedRow,
        };
        self.bad_address(state.guard, rule, span);
        None
    }

    /// The thread of a lane of the own warp.
    fn thread_in_lane(&self, lane: u32) -> Option<usize> {
        let ThreadPlace::Device(place) = self.code.place else { return None };
        let warp = Warp::of(self.index, place);
        self.threads_in(warp).nth(lane as usize)
    }
}

impl GraphBuilder<'_> {
    /// The rows that threads give, if these are others than an earlier unfolding has found.
    pub(super) fn new_rows(&self) -> Option<Rows> {
        let known = self.facts.rows.as_ref();
        let changed = known.map_or(!self.rows.is_empty(), |known| *known != self.rows);
        changed.then(|| self.rows.clone())
    }
}
