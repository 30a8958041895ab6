//! Phases of barriers whose phase an ordinal tells: without thread counts, and with a count of all warps
//! that ever use the barrier.
//!
//! A thread takes part in the phases of such a barrier one after another, and in none twice. The phase
//! of an operation is therefore its ordinal, independent of the other threads and their arrivals
//! (PTX-9.7.13.1).

use super::numbering::Numbering;
use super::reading::Reading;
pub use super::reading::how_many;
use crate::id::{AgentId, BarrierId};
use typed_index_collections::TiVec;

/// The ordinals of operations, as numbers of a reading.
#[derive(Clone, Debug)]
pub struct Phases<'n, N> {
    /// Which operations the ordinals count.
    pub numbering: &'n Numbering,
    ordinals: TiVec<BarrierId, N>,
}

/// The ordinal of an operation: how many earlier ones that count in its numbering happen.
pub fn ordinal<R: Reading>(reading: &mut R, numbering: &Numbering, at: BarrierId) -> R::Number {
    how_many(reading, numbering.earlier(at))
}

/// Whether a thread has come to the phase of an operation, which has this ordinal: the thread has used
/// the barrier more often than the ordinal says, with operations of some kind.
pub fn has_come<R: Reading>(
    reading: &mut R,
    numbering: &Numbering,
    thread: AgentId,
    (at, ordinal): (BarrierId, R::Number),
    kind: impl Fn(BarrierId) -> bool,
) -> R::Truth {
    let visits = numbering.visits_to_meet(thread, at).filter(|&other| kind(other));
    reading.are_more_than(ordinal, visits)
}

/// Whether the phase of an operation waits for a thread that [has not come](has_come) and does not end.
/// A barrier for all is complete as soon as no thread is missing.
pub fn is_missing<R: Reading>(
    reading: &mut R,
    numbering: &Numbering,
    thread: AgentId,
    at: (BarrierId, R::Number),
    kind: impl Fn(BarrierId) -> bool,
) -> R::Truth {
    let comes = has_come(reading, numbering, thread, at, kind);
    let lasts = reading.never_ends(thread);
    let away = reading.negated(comes);
    reading.conjunction(&[lasts, away])
}

/// Whom a phase waits for, of the threads that its barrier concerns.
#[derive(Clone, Copy, Debug)]
pub enum Whom<'a> {
    /// Each of these threads, unless it ends.
    All(&'a [AgentId]),
    /// So many of these threads, whichever.
    Some(&'a [AgentId], u128),
}

/// Whether the phase of an operation, which has this ordinal, waits for more threads. Threads come with
/// operations of some kind.
pub fn lacks<R: Reading>(
    reading: &mut R,
    numbering: &Numbering,
    whom: Whom<'_>,
    at: (BarrierId, R::Number),
    kind: impl Fn(BarrierId) -> bool,
) -> R::Truth {
    let mut each = Vec::new();
    match whom {
        Whom::All(threads) => {
            for &thread in threads {
                each.push(is_missing(reading, numbering, thread, at, &kind));
            }
            reading.disjunction(&each)
        }
        Whom::Some(threads, wanted) => {
            for &thread in threads {
                each.push(has_come(reading, numbering, thread, at, &kind));
            }
            reading.are_fewer_than(wanted, &each)
        }
    }
}

impl<'n, N: Copy> Phases<'n, N> {
    /// The phases of all operations in a reading.
    pub fn read<R: Reading<Number = N>>(reading: &mut R, numbering: &'n Numbering) -> Self {
        let mut ordinals: TiVec<BarrierId, N> = TiVec::new();
        for at in numbering.operations() {
            // A long list is counted once, not once for each of its operations.
            let last = numbering.earlier(at).next_back();
            ordinals.push(match last.filter(|&last| numbering.continues(at, last)) {
                Some(last) => reading.counted(ordinals[last], last),
                None => ordinal(reading, numbering, at),
            });
        }
        Self { numbering, ordinals }
    }

    /// The [`ordinal`] of an operation.
    #[must_use]
    pub fn ordinal(&self, at: BarrierId) -> N {
        self.ordinals[at]
    }

    /// Whether another operation at the barrier of an operation happens in its phase.
    pub fn takes_part<R: Reading<Number = N>>(
        &self,
        reading: &mut R,
        other: BarrierId,
        at: BarrierId,
    ) -> R::Truth {
        let same = reading.equal(self.ordinals[at], self.ordinals[other]);
        let happens = reading.occurs(other);
        reading.conjunction(&[same, happens])
    }

    /// Whether two operations at one barrier happen in one phase.
    pub fn meet<R: Reading<Number = N>>(
        &self,
        reading: &mut R,
        one: BarrierId,
        other: BarrierId,
    ) -> R::Truth {
        let there = self.takes_part(reading, other, one);
        let here = reading.occurs(one);
        reading.conjunction(&[there, here])
    }

    /// Whether a thread takes part in the phase of an operation with one of its own.
    pub fn joins<R: Reading<Number = N>>(
        &self,
        reading: &mut R,
        thread: AgentId,
        at: BarrierId,
    ) -> R::Truth {
        let own = self.numbering.visits_to_meet(thread, at);
        let any: Vec<R::Truth> = own.map(|other| self.takes_part(reading, other, at)).collect();
        reading.disjunction(&any)
    }

    /// Whether an operation happens in a phase that none of the barrier's `members` can join any more:
    /// each of them takes part or, if not, ends. As long as it is open whether a thread takes part, this
    /// is open as well.
    pub fn is_settled<R: Reading<Number = N>>(
        &self,
        reading: &mut R,
        at: BarrierId,
        members: impl IntoIterator<Item = AgentId>,
    ) -> R::Truth {
        let mut settled = vec![reading.occurs(at)];
        for thread in members {
            let joins = self.joins(reading, thread, at);
            let lasts = reading.never_ends(thread);
            let (away, ends) = (reading.negated(joins), reading.negated(lasts));
            let has_left = reading.conjunction(&[away, ends]);
            settled.push(reading.disjunction(&[joins, has_left]));
        }
        reading.conjunction(&settled)
    }
}
