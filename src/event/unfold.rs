//! A program into its event graph within a loop bound: its threads are executed symbolically, again
//! until the analyses that execution relies on reach a fixpoint.

use super::builder::GraphBuilder;
use super::constant_memory::pointers;
use super::facts::Facts;
use super::graph::EventGraph;
pub use super::settings::{SCALAR_BYTES, Tearing, Unfolding};
use super::symbolic::SymbolicThread;
use crate::id::ObjectId;
use crate::program::micro::Program;
use std::collections::BTreeSet;
use typed_index_collections::TiVec;

/// Turns a program into its event graph. Atomic operations on `transparent` variables are
/// idempotent: writing the value read has no effect, since readers may read from the operation's
/// source instead.
#[must_use]
pub fn unfold(
    program: &Program,
    unfolding: Unfolding,
    transparent: &BTreeSet<ObjectId>,
) -> EventGraph {
    let facts = Facts { transparent: transparent.clone(), ..Facts::default() };
    if !unfolding.grounded {
        return settled(program, unfolding, facts).finish();
    }
    let builder = settle_with_tables(program, unfolding, facts);
    let never = builder.places_never_meant();
    if never.is_empty() {
        return builder.finish();
    }
    let GraphBuilder { facts, trip_counts, .. } = builder;
    settled(program, unfolding, Facts { never, trip_counts, ..facts }).finish()
}

/// Unfolds all threads, with the values that constant memory holds; the assumption of constancy is
/// a fixpoint.
fn settle_with_tables(program: &Program, unfolding: Unfolding, facts: Facts) -> GraphBuilder<'_> {
    let plain = settled(program, unfolding, facts.clone());
    let mut tables = pointers(&plain);
    while !tables.is_empty() {
        let facts = Facts { tables: tables.clone(), ..facts.clone() };
        let builder = settled(program, unfolding, facts);
        let count = tables.len();
        builder.accesses.iter().filter(|a| a.write).for_each(|a| {
            tables.remove(&a.object);
        });
        if tables.len() == count {
            return builder;
        }
    }
    plain
}

/// Unfolds all threads, again and again until the analyses reach a fixpoint.
///
/// The result of a barrier may come from threads that are unfolded later, so unfolding is repeated
/// until the reads behind these results no longer grow. Unfolding is also repeated when counting
/// loops are given more rounds.
fn settled<'p>(program: &'p Program, unfolding: Unfolding, mut facts: Facts) -> GraphBuilder<'p> {
    let mut reductions = TiVec::new();
    loop {
        let mut builder = GraphBuilder::new(program, unfolding, facts, reductions);
        execute(&mut builder);
        // The places that addresses never point to are known for these rounds alone.
        let changed = builder.facts.never.is_empty() && builder.follow_counting();
        reductions = builder.reductions();
        // Havoc changes fewer registers once the reachable steps are known. The set of reachable
        // steps only grows, so that the repetition ends.
        let comes = std::mem::take(&mut builder.reached);
        let rows = builder.new_rows();
        let known = builder.facts.reached.as_ref();
        let again = unfolding.skips && known.is_none_or(|known| !comes.is_subset(known));
        let readers = builder.new_readers();
        if reductions == builder.barriers.results
            && !changed
            && !again
            && readers.is_none()
            && rows.is_none()
        {
            return builder;
        }
        if readers.is_some() {
            builder.facts.readers = readers;
        }
        if rows.is_some() {
            builder.facts.rows = rows;
        }
        if again {
            builder.facts.reached.get_or_insert_default().extend(comes);
        }
        facts = Facts { trip_counts: builder.trip_counts, ..builder.facts };
    }
}

fn execute(builder: &mut GraphBuilder<'_>) {
    let observed = builder.observed_registers();
    for (index, thread) in builder.program.threads.iter().enumerate() {
        let cells = SymbolicThread::new(builder, index, &observed[index]).run();
        let values = thread
            .registers
            .iter()
            .zip(cells)
            .map(|(info, cell)| (info.name.clone(), cell))
            .collect();
        builder.finals.push(values);
    }
    builder.perform();
}
