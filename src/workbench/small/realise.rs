//! The text of a litmus test for a program with an outcome; the condition determines the outcome.
//!
//! Each store or exchange writes a unique number, and each reduction adds a unique power of ten, so
//! that a value identifies its source. The condition contains the value of every register, and the
//! final value of each location that several instructions write.

use super::cell::{Event, Part, events};
use super::difference::Difference;
use super::label::{Label, scope};
use super::place::{Level, Placement};
use super::shape::{Kind, Op, Shape};
use crate::ptx::operation::Order;
use std::fmt::Write;

/// The names of locations.
const NAMES: [&str; 8] = ["x", "y", "z", "w", "v", "u", "t", "s"];

/// The assumed value of a read that justifies itself.
const OUT_OF_THIN_AIR: u64 = 42;

/// The text of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording<'a> {
    /// Its name.
    pub name: &'a str,
    /// The description in the test.
    pub about: &'a str,
    /// Lines `Key=value`.
    pub metadata: &'a [String],
    /// The locations whose final values appear in the condition, among those that several
    /// instructions write.
    pub finals: &'a [bool],
}

/// The text of a test with the outcome of a difference.
#[must_use]
pub fn text(difference: &Difference, wording: &Wording<'_>) -> String {
    let Difference { shape, placement, labels, .. } = difference;
    let values = Values::new(difference);
    let mut out = format!("PTX {}\n", wording.name);
    if !wording.about.is_empty() {
        let _ = writeln!(out, "\"{}\"", wording.about);
    }
    wording.metadata.iter().for_each(|line| {
        let _ = writeln!(out, "{line}");
    });
    let locations = shape.locations();
    for name in &NAMES[..locations] {
        let _ = writeln!(out, ".global .u32 {name} = 0;");
    }
    for (loc, name) in NAMES[..locations].iter().enumerate() {
        if shape.ops().any(|(_, op)| op.alias && usize::from(op.loc) == loc) {
            let _ = writeln!(out, ".alias {name}2 = {name};");
        }
    }
    let mut at = 0;
    for (thread, ops) in shape.threads.iter().enumerate() {
        let _ = writeln!(out, "P{thread} @ {} {{", place(placement, thread));
        for (own, op) in ops.iter().enumerate() {
            let _ = writeln!(out, "  {}", statement(op, labels[at], &values, at, at - own));
            at += 1;
        }
        out.push_str("}\n");
    }
    let _ = writeln!(out, "exists ({})", condition(difference, &values, wording.finals));
    out
}

/// The locations whose final value may distinguish outcomes, that is, those that several
/// instructions write.
#[must_use]
pub fn contested(shape: &Shape) -> Vec<bool> {
    let writes = |loc: usize| {
        shape.ops().filter(|(_, op)| op.kind.writes() && usize::from(op.loc) == loc).count()
    };
    (0..shape.locations()).map(|loc| writes(loc) > 1).collect()
}

fn place(placement: &Placement, thread: usize) -> String {
    let [cta, cluster, gpu] = placement.of[thread];
    let threads = 0..placement.of.len();
    let warp = (0..thread).filter(|&t| placement.level(t, thread) == Level::Cta).count();
    // By default, each CTA is a cluster.
    let pairs = || threads.clone().flat_map(|a| threads.clone().map(move |b| (a, b)));
    match pairs().any(|(a, b)| placement.level(a, b) == Level::Cluster) {
        true => format!("gpu {gpu}, cluster {cluster}, cta {cta}, warp {warp}"),
        false => format!("gpu {gpu}, cta {cta}, warp {warp}"),
    }
}

/// The values that events read and write.
struct Values<'d> {
    difference: &'d Difference,
    events: Vec<Event>,
    ops: Vec<Op>,
    /// The first instruction of the thread of each instruction.
    first: Vec<usize>,
}

impl<'d> Values<'d> {
    fn new(difference: &'d Difference) -> Self {
        let shape = &difference.shape;
        let ops = shape.ops().map(|(_, op)| op).collect();
        let lengths = shape.threads.iter().map(Vec::len);
        let starts = lengths.clone().scan(0, |at, length| {
            *at += length;
            Some(*at - length)
        });
        let first = starts.zip(lengths).flat_map(|(start, n)| vec![start; n]).collect();
        Self { difference, events: events(shape), ops, first }
    }

    /// The number that an instruction stores or adds.
    fn own(&self, at: usize) -> u64 {
        let op = self.ops[at];
        let alike = |other: &&Op| {
            other.kind.writes()
                && other.loc == op.loc
                && (other.kind == Kind::Red) == (op.kind == Kind::Red)
        };
        let before = u32::try_from(self.ops[..at].iter().filter(alike).count()).unwrap_or(0);
        match op.kind {
            Kind::Red => 10_u64.pow(before + 1),
            _ => u64::from(before) + 1,
        }
    }

    /// The value that an instruction reads.
    fn read(&self, at: usize, depth: usize) -> u64 {
        let readers = self.events.iter().filter(|event| event.part == Part::Read);
        let position = readers.map(|event| event.op).position(|op| op == at);
        let source = position.and_then(|position| self.difference.reads.get(position));
        source.map_or(0, |&source| self.written(source, depth))
    }

    /// The value that an event writes; a cyclic dependency yields an out-of-thin-air value.
    fn written(&self, event: usize, depth: usize) -> u64 {
        let Event { part, op: at, .. } = self.events[event];
        if part == Part::Init {
            return 0;
        }
        if depth > self.ops.len() {
            return OUT_OF_THIN_AIR;
        }
        match (self.ops[at].kind, self.ops[at].copies) {
            (Kind::Red, _) => self.read(at, depth + 1) + self.own(at),
            (_, Some(source)) => self.read(self.first[at] + usize::from(source), depth + 1),
            _ => self.own(at),
        }
    }
}

fn statement(op: &Op, label: Label, values: &Values<'_>, at: usize, first: usize) -> String {
    let address = address(op);
    let register = format!("%r{}", at - first + 1);
    let order = label.order.map_or_else(String::new, |order| format!(".{order}"));
    let scope = label.scope.map_or_else(String::new, |level| format!(".{}", scope(level)));
    match op.kind {
        Kind::Load => format!("ld{order}{scope}.global.u32 {register}, [{address}];"),
        Kind::Store => {
            let value = match op.copies {
                Some(source) => format!("%r{}", source + 1),
                None => values.own(at).to_string(),
            };
            format!("st{order}{scope}.global.u32 [{address}], {value};")
        }
        Kind::Atom => {
            let value = values.own(at);
            format!("atom{order}{scope}.global.exch.b32 {register}, [{address}], {value};")
        }
        Kind::Red => format!("red{order}{scope}.global.add.u32 [{address}], {};", values.own(at)),
        Kind::Fence => format!("fence{order}{scope};"),
        Kind::CtaBarrier => "bar.sync 0;".to_owned(),
        Kind::ClusterBarrier => {
            let relaxed = if label.order == Some(Order::Relaxed) { ".relaxed" } else { "" };
            format!("barrier.cluster.arrive{relaxed};\n  barrier.cluster.wait;")
        }
        Kind::AliasFence => "fence.proxy.alias;".to_owned(),
    }
}

fn address(op: &Op) -> String {
    format!("{}{}", NAMES[usize::from(op.loc)], if op.alias { "2" } else { "" })
}

fn condition(difference: &Difference, values: &Values<'_>, finals: &[bool]) -> String {
    let mut parts = Vec::new();
    for (at, (thread, op)) in difference.shape.ops().enumerate() {
        if matches!(op.kind, Kind::Load | Kind::Atom) {
            let register = at - values.first[at] + 1;
            parts.push(format!("P{thread}:%r{register} == {}", values.read(at, 0)));
        }
    }
    let told = finals.iter().zip(&difference.finals).enumerate().filter(|(_, (told, _))| **told);
    parts.extend(
        told.map(|(loc, (_, &last))| format!("{} == {}", NAMES[loc], values.written(last, 0))),
    );
    if parts.is_empty() { "true".to_owned() } else { parts.join(" /\\ ") }
}
