//! The rows of matrices whose addresses the threads of a warp give each other (PTX-9.7.14.5.15).

use crate::program::micro::Supplied;
use crate::ptx::matrix::MatrixShape;

/// The rows that each thread gives, in the order of its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    given: Vec<Vec<Row>>,
}

/// A row that a thread gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The instruction.
    pub(super) of: Collective,
    /// Its address, if it is a number.
    pub(super) address: Option<u64>,
}

/// What has to be the same of an instruction in all lanes: what it does, with which matrices.
pub(super) type Collective = (Supplied, MatrixShape);

impl Rows {
    /// Those of one thread.
    pub(super) fn of(&self, thread: usize) -> &[Row] {
        self.given.get(thread).map_or(&[], Vec::as_slice)
    }

    pub(super) fn add(&mut self, thread: usize, row: Row) {
        if self.given.len() <= thread {
            self.given.resize(thread + 1, Vec::new());
        }
        self.given[thread].push(row);
    }

    /// Whether no thread gives any.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }
}
