//! Readings agree: what holds as an expression holds in the executions in which the expression is true,
//! and what is decided of a part of an execution holds in all executions with this part.

use super::barrier::{BarrierKey, BarrierOp, BarrierRule};
use super::cluster::is_in_turn;
use super::numbering::Numbering;
use super::phase::{Phases, Whom, has_come, is_missing, lacks};
use super::reading::{Concrete, Partial, Reading, Terms};
use crate::id::{AgentId, BarrierId, EventId, ExprId, SymbolId};
use crate::program::expr::{Expr, ExprArena};
use crate::program::value::Values;
use typed_index_collections::TiVec;

/// An operation of a thread; whether it happens is open.
#[derive(Clone, Copy)]
enum Does {
    /// `bar.sync`
    Sync,
    /// `bar.sync` with a count of one warp.
    SyncWithCount,
    /// `barrier.cluster.arrive`
    Arrive,
    /// `barrier.cluster.wait`
    Wait,
}

/// The operations of two threads.
const PROGRAM: [&[Does]; 2] = [
    &[Does::Sync, Does::Arrive, Does::Wait, Does::Sync],
    &[Does::Arrive, Does::SyncWithCount, Does::Wait, Does::Sync],
];

struct Sample {
    operations: TiVec<BarrierId, BarrierOp>,
    numbering: Numbering,
}

fn sample() -> Sample {
    let mut operations: TiVec<BarrierId, BarrierOp> = TiVec::new();
    let mut threads: TiVec<BarrierId, AgentId> = TiVec::new();
    for (thread, does) in PROGRAM.iter().enumerate() {
        for does in *does {
            let (key, rule) = match does {
                Does::Sync => (BarrierKey::Cta((0, 0, 0), 0), BarrierRule::AllLive),
                Does::SyncWithCount => {
                    (BarrierKey::Cta((0, 0, 0), 0), BarrierRule::Count(ExprId::new(0)))
                }
                Does::Arrive | Does::Wait => (BarrierKey::Cluster((0, 0, 0)), BarrierRule::AllLive),
            };
            threads.push(AgentId::new(thread));
            operations.push(BarrierOp {
                event: EventId::new(operations.len()),
                key,
                arrives: !matches!(does, Does::Wait),
                waits: !matches!(does, Does::Arrive),
                aligned: false,
                rule,
                order: None,
                operand: None,
                reduction: None,
                exchange: None,
            });
        }
    }
    let count = |op: &BarrierOp| op.count().map(|_| 32);
    let numbering = Numbering::new(&operations, |b| threads[b], count, |_| 64);
    Sample { operations, numbering }
}

/// Every definition, at all operations.
fn facts<R: Reading>(reading: &mut R, Sample { operations, numbering }: &Sample) -> Vec<R::Truth> {
    let phases = Phases::read(reading, numbering);
    let threads = || (0..PROGRAM.len()).map(AgentId::new);
    let mut facts = Vec::new();
    for at in operations.keys() {
        for other in operations.keys().filter(|&other| numbering.share_barrier(at, other)) {
            facts.push(phases.takes_part(reading, other, at));
            facts.push(phases.meet(reading, other, at));
            let (one, two) = ((other, &operations[other]), (at, &operations[at]));
            facts.push(phases.accompanies(reading, one, two));
        }
        for thread in threads() {
            let here = (at, phases.ordinal(at));
            let arrives = |b: BarrierId| operations[b].arrives;
            facts.push(phases.joins(reading, thread, at));
            facts.push(has_come(reading, numbering, thread, here, arrives));
            facts.push(is_missing(reading, numbering, thread, here, arrives));
        }
        let (all, here) = (threads().collect::<Vec<_>>(), (at, phases.ordinal(at)));
        for whom in [Whom::All(&all), Whom::Some(&all, 1), Whom::Some(&all, 2), Whom::Some(&all, 9)]
        {
            facts.push(lacks(reading, numbering, whom, here, |b| operations[b].arrives));
        }
        facts.push(phases.is_settled(reading, at, threads()));
        facts.push(is_in_turn(reading, numbering, at, &operations[at]));
    }
    facts
}

/// The facts of each execution: bits say which operations happen and, above, which threads do not end.
fn executions(sample: &Sample) -> Vec<Vec<bool>> {
    let count = sample.operations.len();
    let facts_of = |bits: usize| {
        let mut reading = Concrete {
            happens: |b: BarrierId| bits >> b.index() & 1 == 1,
            never_ends: |thread: AgentId| bits >> (count + thread.index()) & 1 == 1,
        };
        facts(&mut reading, sample)
    };
    (0..1 << (count + PROGRAM.len())).map(facts_of).collect()
}

#[test]
fn expressions_hold_where_executions_say_so() {
    let sample = sample();
    let count = sample.operations.len();
    let mut exprs = ExprArena::default();
    let symbol = |index| Expr::Symbol(SymbolId::new(index));
    let all: Vec<ExprId> =
        (0..count + PROGRAM.len()).map(|index| exprs.leaf(symbol(index), 1)).collect();
    let happens = |b: BarrierId| all[b.index()];
    let mut terms = Terms { exprs: &mut exprs, happens, never_ends: &all[count..] };
    let conditions = facts(&mut terms, &sample);
    for (bits, expected) in executions(&sample).into_iter().enumerate() {
        let mut values = Values::default();
        values.compute(&exprs, |leaf| match leaf {
            Expr::Symbol(id) => Some((bits >> id.index() & 1) as u128),
            _ => None,
        });
        let found: Vec<bool> = conditions.iter().map(|&x| values.truth(x) == Some(true)).collect();
        assert_eq!(found, expected, "{bits:b}");
    }
}

#[test]
fn what_is_decided_stays_so() {
    let sample = sample();
    let count = sample.operations.len();
    let all = executions(&sample);
    let mut decided = 0;
    for open in 0..1_usize << (count + PROGRAM.len()) {
        // Of the executions with the same part, one tells the part.
        let part = open.wrapping_mul(0x9e37) & !open & ((1 << (count + PROGRAM.len())) - 1);
        let known = |index: usize| (open >> index & 1 == 0).then_some(part >> index & 1 == 1);
        let mut reading = Partial {
            happens: |b: BarrierId| known(b.index()),
            never_ends: |thread: AgentId| known(count + thread.index()),
        };
        let found = facts(&mut reading, &sample);
        // Any completion will do, and these are many.
        for completion in [part, part | open, part | (open & 0x155), part | (open & 0x2aa)] {
            for (fact, expected) in found.iter().zip(&all[completion]) {
                assert!(fact.is_none_or(|fact| fact == *expected), "{open:b} {completion:b}");
            }
        }
        decided += found.iter().flatten().count();
        assert!(open != 0 || found.iter().all(Option::is_some), "all is known, but not decided");
    }
    assert!(decided > 1000, "{decided} facts are decided");
}
