//! The sites for barriers of a test: barriers that may be added, and existing barriers.
//!
//! Threads of a CTA meet at a copy of an existing barrier, or at one that they do not use yet, and threads of
//! a warp at `bar.warp.sync`. All threads insert the barrier between the same two existing barriers, so that
//! existing barriers match the same operations as before.

use super::cost::Class;
use super::place::{Place, Position, alike, is_barrier, matters};
use crate::litmus::ast::{Test, ThreadPlace};
use crate::ptx::operation::{BarrierMode, Operation, Statement, Value};
use crate::ptx::row::Op;
use crate::ptx::written::Written;
use crate::source::{Span, Spanned};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of ways to insert a barrier between statements of threads. A barrier with
/// more ways is passed over.
const MOST_CHOICES: usize = 48;

/// The barriers that may be added, each with its cost class and its number of ways. Also gives the
/// number of barriers passed over.
pub(super) fn meetings(test: &Test) -> (Vec<(Class, Place, u8)>, usize) {
    let (mut out, mut passed_over) = (Vec::new(), 0);
    let mut add = |class: Class, ways: Ways| match ways {
        Ways::None => {}
        Ways::TooMany => passed_over += 1,
        Ways::Some(place, count) => out.push((class, place, count)),
    };
    for (_, threads) in groups(test, |place| Some((place.cta_of_test(), 0))) {
        let all = threads.iter().flat_map(|&thread| &test.threads[thread].statements);
        let all: Vec<&Operation> = all.map(|s| &s.operation).collect();
        let known = all.iter().find(|operation| is_whole_barrier(operation));
        let warp = |thread: &usize| match test.threads[*thread].place {
            ThreadPlace::Device(place) => place.warp,
            ThreadPlace::Host => None,
        };
        // Threads of one warp meet at less than a barrier of the CTA.
        let in_a_warp = threads.iter().map(warp).all_equal();
        let span = test.threads[threads[0]].name.span;
        let new = || free_barrier(&all, span).filter(|_| !in_a_warp);
        if let Some(barrier) = known.map(|&known| known.clone()).or_else(new) {
            add(Class::CtaBarrier, meeting_of(test, &threads, &barrier));
        }
    }
    for (_, threads) in groups(test, |place| Some((place.cta_of_test(), place.warp?))) {
        let span = test.threads[threads[0]].name.span;
        let lanes = u32::try_from(threads.len()).unwrap_or(32).min(32);
        let mask = Value::Immediate(Spanned::new(i128::from(u32::MAX >> (32 - lanes)), span));
        let barrier = Operation::WarpBarrier { mask };
        add(Class::WarpBarrier, meeting_of(test, &threads, &barrier));
    }
    (out, passed_over)
}

/// A barrier of the whole CTA that these operations do not use; `None` where values tell which ones they use.
fn free_barrier(operations: &[&Operation], span: Span) -> Option<Operation> {
    let mut used = BTreeSet::new();
    for operation in operations {
        if let Operation::CtaBarrier { barrier, .. } = operation {
            let Value::Immediate(number) = barrier else { return None };
            used.insert(number.value);
        }
    }
    let free = (0..MOST_BARRIERS).find(|number| !used.contains(number))?;
    Some(Operation::CtaBarrier {
        mode: BarrierMode::Sync,
        barrier: Value::Immediate(Spanned::new(free, span)),
        resource: None,
        count: None,
        aligned: true,
    })
}

/// How many barriers a CTA has (PTX-9.7.13.1).
const MOST_BARRIERS: i128 = 16;

/// In how many ways threads may meet once more.
enum Ways {
    /// In none.
    None,
    /// In more than are looked at.
    TooMany,
    /// In some, as a place with so many edits.
    Some(Place, u8),
}

/// The existing barriers at which threads meet; each meeting contains the operations of all
/// threads.
pub(super) fn meeting(test: &Test) -> Vec<(Class, Vec<Position>)> {
    let mut out = Vec::new();
    let kinds: [(Class, IsKind); 2] = [
        (Class::CtaBarrier, is_whole_barrier),
        (Class::WarpBarrier, |operation| matches!(operation, Operation::WarpBarrier { .. })),
    ];
    for (class, is_kind) in kinds {
        let grouped = groups(test, |place| match class {
            Class::WarpBarrier => Some((place.cta_of_test(), place.warp?)),
            _ => Some((place.cta_of_test(), 0)),
        });
        for (_, threads) in grouped {
            let blocks = blocks(test, &threads);
            let places = |threads: &Vec<usize>| -> Vec<usize> {
                let statements = &test.threads[threads[0]].statements;
                (0..statements.len()).filter(|&at| is_kind(&statements[at].operation)).collect()
            };
            let all: Vec<Vec<usize>> = blocks.iter().map(places).collect();
            let rounds = all.iter().map(Vec::len).max().unwrap_or(0);
            for round in 0..rounds {
                let positions = blocks.iter().zip(&all).filter_map(|(threads, places)| {
                    let statement = *places.get(round)?;
                    Some(Position { threads: threads.clone(), statement })
                });
                out.push((class, positions.collect()));
            }
        }
    }
    out.dedup();
    out
}

/// Whether an operation belongs to a kind of barrier.
type IsKind = fn(&Operation) -> bool;

type Group = ((u32, u32, u32), u32);

/// The device threads of each group of more than one.
fn groups(
    test: &Test,
    group: impl Fn(crate::litmus::ast::Place) -> Option<Group>,
) -> BTreeMap<Group, Vec<usize>> {
    let mut out: BTreeMap<Group, Vec<usize>> = BTreeMap::new();
    for (index, thread) in test.threads.iter().enumerate() {
        if let ThreadPlace::Device(place) = thread.place
            && let Some(group) = group(place)
        {
            out.entry(group).or_default().push(index);
        }
    }
    out.retain(|_, threads| threads.len() > 1);
    out
}

/// The threads of a group by their blocks; empty if a block also describes threads outside of the
/// group.
fn blocks(test: &Test, threads: &[usize]) -> Vec<Vec<usize>> {
    let all = alike(test);
    let touched = all.into_iter().filter(|block| block.iter().any(|t| threads.contains(t)));
    let blocks: Vec<Vec<usize>> = touched.collect();
    match blocks.iter().flatten().all(|thread| threads.contains(thread)) {
        true => blocks,
        false => Vec::new(),
    }
}

/// Whether an operation is a barrier of all threads of a CTA with a fixed number.
fn is_whole_barrier(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::CtaBarrier {
            mode: BarrierMode::Sync,
            barrier: Value::Immediate(_),
            resource: None,
            count: None,
            ..
        }
    )
}

/// The ways of some threads to meet at a barrier once more.
fn meeting_of(test: &Test, threads: &[usize], barrier: &Operation) -> Ways {
    let blocks = blocks(test, threads);
    let of_block = |threads: &Vec<usize>| {
        let statements = &test.threads[threads[0]].statements;
        gaps(statements)
            .map(|statement| {
                (phase(statements, statement), Position { threads: threads.clone(), statement })
            })
            .collect::<Vec<_>>()
    };
    let gaps: Vec<Vec<(usize, Position)>> = blocks.iter().map(of_block).collect();
    let ways = gaps.iter().map(Vec::len).try_fold(1_usize, |n, m| n.checked_mul(m));
    // A count of ways that is far above the limit takes long to go through.
    if gaps.is_empty() {
        return Ways::None;
    }
    if ways.is_none_or(|ways| ways > 64 * MOST_CHOICES) {
        return Ways::TooMany;
    }
    let same_phase =
        |choice: &Vec<&(usize, Position)>| choice.iter().map(|(phase, _)| phase).all_equal();
    let choices: Vec<Vec<Position>> = gaps
        .iter()
        .map(|gaps| gaps.iter())
        .multi_cartesian_product()
        .filter(same_phase)
        .map(|choice| choice.into_iter().map(|(_, position)| position.clone()).collect())
        .collect();
    match u8::try_from(choices.len()) {
        Ok(0) => Ways::None,
        Ok(count) if choices.len() <= MOST_CHOICES => {
            Ways::Some(Place::Meeting { barrier: Box::new(barrier.clone()), choices }, count)
        }
        _ => Ways::TooMany,
    }
}

/// How many barriers and exchanges stand before a statement.
fn phase(statements: &[Statement], at: usize) -> usize {
    statements[..at].iter().filter(|statement| meets(&statement.operation)).count()
}

/// Whether a thread waits for others there: at a barrier, or for an exchange of values within its warp.
fn meets(operation: &Operation) -> bool {
    let exchanges = |form: &Written| matches!(form.op(), Op::Warp(_));
    is_barrier(operation) || matches!(operation, Operation::Form(form) if exchanges(form))
}

/// The positions for inserting a barrier: before operations that take part in memory ordering or wait, and
/// at the end. Positions within loops are excluded, and so are positions between two barriers,
/// where another one orders nothing more.
fn gaps(statements: &[Statement]) -> impl Iterator<Item = usize> + '_ {
    let loops: Vec<(usize, usize)> = loops(statements);
    let counts = |s: &Statement| matters(&s.operation) || meets(&s.operation);
    let last = statements.iter().rposition(counts).map_or(0, |at| at + 1);
    (0..statements.len().max(last) + 1).filter(move |&at| {
        let within = loops.iter().any(|&(first, branch)| first < at && at <= branch);
        let here = statements.get(at).is_some_and(counts);
        let beside = statements.get(at).is_some_and(|s| is_barrier(&s.operation))
            && at.checked_sub(1).is_some_and(|before| is_barrier(&statements[before].operation));
        (here || at == last) && at <= statements.len() && !within && !beside
    })
}

/// The loops of a thread: the statement that a branch goes back to, and the branch.
pub(super) fn loops(statements: &[Statement]) -> Vec<(usize, usize)> {
    let target = |label: &str| {
        statements.iter().position(|s| s.labels.iter().any(|known| known.value == label))
    };
    let back = |(at, statement): (usize, &Statement)| match &statement.operation {
        Operation::Branch { target: label, .. } => {
            target(&label.value).filter(|&first| first <= at).map(|first| (first, at))
        }
        _ => None,
    };
    statements.iter().enumerate().filter_map(back).collect()
}
