//! The event graph under construction: accesses before they are split into pieces.

use super::access::DraftAccess;
use super::barrier_operations::BarrierOperations;
use super::condition_uses::Uses;
use super::cuts::Cuts;
use super::entry::{DraftKind, Entry};
use super::facts::Facts;
use super::graph::Violation;
use super::issued::Issued;
use super::mbarrier_uses::MbarrierUses;
use super::observed::registers_of;
use super::rows::Rows;
use super::settings::Unfolding;
use super::symbols::Symbols;
use super::trip_count::TripCounts;
use super::uninterpreted::Opaque;
use crate::id::{AccessId, AgentId, BarrierId, ExprId};
use crate::program::expr::ExprArena;
use crate::program::micro::Program;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use typed_index_collections::TiVec;

/// How many entries back a store of another branch is looked for.
const FARTHEST_BRANCH: usize = 32;

/// The events and expressions of the part of a program that is unfolded so far. The data of each
/// mechanism is one value, of a type of the mechanism's file.
#[derive(Debug)]
pub(super) struct GraphBuilder<'p> {
    pub(super) program: &'p Program,
    pub(super) unfolding: Unfolding,
    pub(super) facts: Facts,
    pub(super) exprs: ExprArena,
    pub(super) symbols: Symbols,
    pub(super) accesses: Vec<DraftAccess>,
    pub(super) entries: Vec<Entry>,
    pub(super) barriers: BarrierOperations,
    pub(super) mbarriers: MbarrierUses,
    pub(super) issued: Issued<'p>,
    pub(super) uses: Uses,
    pub(super) trip_counts: TripCounts,
    pub(super) cuts: Cuts,
    /// The rows of matrices that threads give to their warps.
    pub(super) rows: Rows,
    /// Uninterpreted instructions.
    pub(super) opaque: Vec<Opaque>,
    pub(super) violations: Vec<Violation>,
    /// The values of reads from constant memory.
    pub(super) fixed: FxHashMap<AccessId, u128>,
    /// The steps that threads have reached.
    pub(super) reached: BTreeSet<(usize, usize)>,
    /// When each thread ends.
    pub(super) ends: Vec<ExprId>,
    /// Final values of registers by name, thread by thread.
    pub(super) finals: Vec<FxHashMap<String, ExprId>>,
    pub(super) losses: Losses,
    /// How many decisions are left for splitting writes.
    pub(super) splits_left: usize,
}

/// The most decisions in splitting all writes of a program; the other writes stay whole.
const MOST_SPLITS: usize = 4_096;

/// The approximations that an unfolding has made.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// A write has more disjuncts than are told apart, so that dependencies are over-approximated.
    pub(super) dependencies: bool,
    /// Vectors have more orders of their elements than are looked at.
    pub(super) orders: bool,
    /// An operation is left out that may write too many columns of Tensor Memory.
    pub(super) columns: bool,
}

impl<'p> GraphBuilder<'p> {
    /// A program of which nothing has been unfolded. `results` are the reads behind the results of
    /// barrier operations, as far as an earlier unfolding has found them.
    pub(super) fn new(
        program: &'p Program,
        unfolding: Unfolding,
        mut facts: Facts,
        results: TiVec<BarrierId, Vec<AccessId>>,
    ) -> Self {
        let mut exprs = ExprArena::default();
        let cuts = Cuts {
            list: Vec::new(),
            bound: unfolding.bound.max(1),
            locksteps: Vec::new(),
            only_cut_threads_write: exprs.truth(true),
        };
        Self {
            program,
            unfolding,
            trip_counts: std::mem::take(&mut facts.trip_counts).restarted(),
            facts,
            exprs,
            symbols: Symbols::default(),
            accesses: Vec::new(),
            entries: Vec::new(),
            barriers: BarrierOperations { results, ..BarrierOperations::default() },
            mbarriers: MbarrierUses::default(),
            issued: Issued::default(),
            uses: Uses::default(),
            cuts,
            rows: Rows::default(),
            opaque: Vec::new(),
            violations: Vec::new(),
            fixed: FxHashMap::default(),
            reached: BTreeSet::new(),
            ends: Vec::new(),
            finals: Vec::new(),
            losses: Losses { dependencies: unfolding.loose, ..Losses::default() },
            splits_left: MOST_SPLITS,
        }
    }

    /// Registers of each thread that the condition, the filter or `locations` mention.
    pub(super) fn observed_registers(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.program.threads.len()];
        for (thread, register) in registers_of(self.program) {
            let found =
                self.program.threads[thread].registers.iter().position(|r| r.name == register);
            out[thread].extend(found);
        }
        out
    }

    /// A thread's agent, and the number of barrier operations so far. The next event of the thread
    /// follows its barrier operations among these.
    pub(super) fn at(&self, thread: usize) -> (AgentId, usize) {
        (AgentId::new(thread + 1), self.barriers.list.len())
    }

    /// How many barrier operations have been entered before each access.
    pub(super) fn barriers_before_accesses(&self) -> Vec<usize> {
        let mut passed = vec![0; self.accesses.len()];
        let mut barriers = 0;
        for entry in &self.entries {
            match *entry {
                Entry::Other { kind: DraftKind::Barrier(index), .. } => {
                    barriers = index.index() + 1
                }
                Entry::Access(id) => {
                    let part = self.accesses[id.index()].part;
                    let issued = part.map(|part| self.issued.operations[part.operation].barriers);
                    passed[id.index()] = issued.unwrap_or(barriers);
                }
                Entry::Other { .. } => {}
            }
        }
        passed
    }

    /// Notes that the program uses a condition.
    pub(super) fn note_use(&mut self, condition: ExprId) {
        self.uses.note(&self.exprs, condition);
    }

    /// Adds an access. Two stores of one value to one place in exclusive branches are merged into
    /// one store that depends on neither branch (PTX-8.10.4). No event of the later branch may lie
    /// between the two. The merged store is shown as the first one.
    pub(super) fn push_access(&mut self, access: DraftAccess) -> AccessId {
        if let Some(first) = self.in_other_branch(&access) {
            let before = &mut self.accesses[first.index()];
            before.guard = self.exprs.or(before.guard, access.guard);
            before.address_reads.extend(access.address_reads);
            before.control_reads.extend(access.control_reads);
            before.data_reads.extend(access.data_reads);
            return first;
        }
        let id = AccessId::new(self.accesses.len());
        self.accesses.push(access);
        self.entries.push(Entry::Access(id));
        id
    }

    /// The same store in a branch that excludes this one, if all entries between the two stores are
    /// in such branches.
    fn in_other_branch(&mut self, access: &DraftAccess) -> Option<AccessId> {
        let far = self.entries.len().saturating_sub(FARTHEST_BRANCH);
        let same = |entry: &Entry| match *entry {
            Entry::Access(id) if self.accesses[id.index()].is_other_branch(access) => Some(id),
            _ => None,
        };
        let (back, found) =
            self.entries[far..].iter().rev().enumerate().find_map(|(n, e)| Some((n, same(e)?)))?;
        let between = self.entries.len() - 1 - back..self.entries.len();
        between.rev().all(|at| self.is_excluded(at, access)).then_some(found)
    }

    /// Whether an entry of the access's thread never happens together with the access.
    fn is_excluded(&mut self, at: usize, access: &DraftAccess) -> bool {
        let (thread, guard) = match self.entries[at] {
            Entry::Access(id) => {
                let other = &self.accesses[id.index()];
                (other.thread, other.guard)
            }
            Entry::Other { thread, guard, .. } => (thread, guard),
        };
        let both = self.exprs.and(guard, access.guard);
        thread == access.thread && self.exprs.is_false(both)
    }

    pub(super) fn push_event(
        &mut self,
        thread: usize,
        kind: DraftKind,
        guard: ExprId,
        position: u32,
        span: Span,
    ) {
        self.entries.push(Entry::Other { thread, kind, guard, position, span });
    }
}
