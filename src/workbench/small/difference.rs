//! A program with an outcome, and the equality of two such differences.

use super::cell::{Part, events};
use super::label::Label;
use super::place::Placement;
use super::shape::Shape;

/// A program with an outcome that one model allows and the other forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The instructions of the threads.
    pub shape: Shape,
    /// The places of the threads.
    pub placement: Placement,
    /// The order and scope of each instruction.
    pub labels: Vec<Label>,
    /// The source of each read event, in order.
    pub reads: Vec<usize>,
    /// The last write of each location.
    pub finals: Vec<usize>,
    /// Which of the two models allows the outcome.
    pub allowed_by: usize,
}

impl Difference {
    /// The same for differences that only differ in the names of threads and locations.
    #[must_use]
    pub fn key(&self) -> Vec<usize> {
        let symmetries = self.shape.symmetries();
        let least = symmetries.iter().map(|order| self.code(order)).min();
        least.unwrap_or_default()
    }

    /// An encoding as numbers, for an order of threads that keeps the shape.
    fn code(&self, order: &[usize]) -> Vec<usize> {
        let starts: Vec<usize> = self
            .shape
            .threads
            .iter()
            .scan(0, |at, ops| {
                *at += ops.len();
                Some(*at - ops.len())
            })
            .collect();
        let ops: Vec<usize> = order
            .iter()
            .flat_map(|&thread| (0..self.shape.threads[thread].len()).map(move |at| (thread, at)))
            .map(|(thread, at)| starts[thread] + at)
            .collect();
        let events = events(&self.shape);
        // The number of an instruction in the order; initial writes have no instruction.
        let name = |event: usize| match events[event].part {
            Part::Init => usize::MAX,
            _ => ops.iter().position(|&op| op == events[event].op).unwrap_or_default(),
        };
        let label = |op: &usize| {
            let Label { order, scope } = self.labels[*op];
            [order.map_or(9, |order| order as usize), scope.map_or(9, |scope| scope as usize)]
        };
        let mut code: Vec<usize> = vec![self.allowed_by];
        for (thread, op) in self.shape.ops() {
            let copies = op.copies.map_or(0, |at| usize::from(at) + 1);
            code.extend([thread, op.kind as usize, op.loc.into(), op.alias.into(), copies]);
        }
        code.extend(ops.iter().flat_map(label));
        let readers = events.iter().filter(|event| event.part == Part::Read);
        let read_of = |op: &usize| {
            let position = readers.clone().position(|event| event.op == *op)?;
            Some(name(self.reads[position]))
        };
        code.extend(ops.iter().filter_map(read_of));
        let mut finals: Vec<usize> = self.finals.iter().map(|&event| name(event)).collect();
        finals.sort_unstable();
        code.extend(finals);
        for part in 0..3 {
            let mut names: Vec<u8> = Vec::new();
            for &thread in order {
                let own = self.placement.of[thread][part];
                let known = names.iter().position(|&name| name == own);
                code.push(known.unwrap_or(names.len()));
                if known.is_none() {
                    names.push(own);
                }
            }
        }
        code
    }
}
