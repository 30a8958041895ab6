//! The values that the events of a shape read and write, from what each read reads from.
//!
//! Each store or exchange writes a unique number, and each reduction adds a unique power of ten, so
//! that a value mostly identifies its source. Numbers are unique among those of a location, and among
//! all where stores store what was read.

use super::cell::{Event, Part, events};
use super::shape::{Kind, Op, Shape};

/// The assumed value of a read that justifies itself.
const OUT_OF_THIN_AIR: u64 = 42;

/// What is written, and what reads from where.
pub(super) struct Values {
    events: Vec<Event>,
    ops: Vec<Op>,
    /// The first instruction of the thread of each instruction.
    first: Vec<usize>,
    /// The number that each instruction stores or adds.
    own: Vec<u64>,
    /// The position among the reads of the read that an instruction has.
    reader: Vec<Option<usize>>,
}

impl Values {
    pub(super) fn new(shape: &Shape) -> Self {
        let ops: Vec<Op> = shape.ops().map(|(_, op)| op).collect();
        let lengths = shape.threads.iter().map(Vec::len);
        let starts = lengths.clone().scan(0, |at, length| {
            *at += length;
            Some(*at - length)
        });
        let first = starts.zip(lengths).flat_map(|(start, n)| vec![start; n]).collect();
        let events = events(shape);
        let readers: Vec<usize> =
            events.iter().filter(|e| e.part == Part::Read).map(|e| e.op).collect();
        let reader = (0..ops.len()).map(|at| readers.iter().position(|&op| op == at)).collect();
        let own = (0..ops.len()).map(|at| number(&ops, at)).collect();
        Self { events, ops, first, own, reader }
    }

    /// Whether different ways to read may give the same values: a reduction shows nothing of what it
    /// has read, and a copied value is no new one.
    pub(super) fn are_shared(&self) -> bool {
        self.ops.iter().any(|op| op.kind == Kind::Red || op.copies.is_some())
    }

    /// The number that an instruction stores or adds.
    pub(super) fn own(&self, at: usize) -> u64 {
        self.own[at]
    }

    /// The position of an instruction in its thread.
    pub(super) fn position(&self, at: usize) -> usize {
        at - self.first[at]
    }

    /// The value that an instruction reads.
    pub(super) fn read(&self, reads: &[usize], at: usize) -> u64 {
        self.read_by(reads, at, 0)
    }

    /// The value that an event writes.
    pub(super) fn written(&self, reads: &[usize], event: usize) -> u64 {
        self.written_by(reads, event, 0)
    }

    /// The values of all registers.
    pub(super) fn registers(&self, reads: &[usize]) -> Vec<u64> {
        let loads = self.ops.iter().enumerate();
        let loads = loads.filter(|(_, op)| matches!(op.kind, Kind::Load | Kind::Atom));
        loads.map(|(at, _)| self.read(reads, at)).collect()
    }

    fn read_by(&self, reads: &[usize], at: usize, depth: usize) -> u64 {
        let source = self.reader[at].and_then(|position| reads.get(position));
        source.map_or(0, |&source| self.written_by(reads, source, depth))
    }

    /// A cyclic dependency yields an out-of-thin-air value.
    fn written_by(&self, reads: &[usize], event: usize, depth: usize) -> u64 {
        let Event { part, op: at, .. } = self.events[event];
        if part == Part::Init {
            return 0;
        }
        if depth > self.ops.len() {
            return OUT_OF_THIN_AIR;
        }
        match (self.ops[at].kind, self.ops[at].copies) {
            (Kind::Red, _) => self.read_by(reads, at, depth + 1) + self.own[at],
            (_, Some(source)) => {
                self.read_by(reads, self.first[at] + usize::from(source), depth + 1)
            }
            _ => self.own[at],
        }
    }
}

fn number(ops: &[Op], at: usize) -> u64 {
    let op = ops[at];
    let copies = ops.iter().any(|op| op.copies.is_some());
    let alike = |other: &&Op| {
        other.kind.writes()
            && (copies || other.loc == op.loc)
            && (other.kind == Kind::Red) == (op.kind == Kind::Red)
    };
    let before = u32::try_from(ops[..at].iter().filter(alike).count()).unwrap_or(0);
    match op.kind {
        Kind::Red => 10_u64.pow(before + 1),
        _ => u64::from(before) + 1,
    }
}
