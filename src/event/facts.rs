//! Results of earlier unfoldings of a program that the next unfolding uses.

use super::rows::Rows;
use super::trip_count::TripCounts;
use crate::id::ObjectId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Facts about a program that earlier unfoldings have settled.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The steps that threads may reach, if an earlier unfolding has found them.
    pub(super) reached: Option<BTreeSet<(usize, usize)>>,
    /// Variables that nothing writes.
    pub(super) tables: BTreeSet<ObjectId>,
    /// Variables whose atomic operations are idempotent: writing the value read has no effect.
    pub(super) transparent: BTreeSet<ObjectId>,
    /// The places that computed addresses never point to, valid for the loops' `rounds`.
    pub(super) never: BTreeSet<Place>,
    /// How often variables are read, if writes beyond the bound are asked for.
    pub(super) readers: Option<Readers>,
    /// The rows of matrices that threads give to their warps, if an earlier unfolding has found them.
    pub(super) rows: Option<Rows>,
    /// The rounds of counting loops to begin with.
    pub(super) trip_counts: TripCounts,
}

/// An object and byte range that one step of a thread may access.
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

/// How often each thread reads each object.
pub(super) type Readers = FxHashMap<(ObjectId, usize), usize>;
