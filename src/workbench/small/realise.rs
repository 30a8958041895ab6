//! The text of a litmus test for a program with an outcome; the condition determines the outcome.
//!
//! The condition contains the value of every register, and the final value of each location that
//! several instructions write.

use super::difference::Difference;
use super::label::{Label, scope};
use super::place::{Level, Placement};
use super::shape::{Kind, Op, Shape};
use super::values::Values;
use crate::ptx::operation::Order;
use std::fmt::Write;

/// The names of locations.
const NAMES: [&str; 8] = ["x", "y", "z", "w", "v", "u", "t", "s"];

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
    let values = Values::new(shape);
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
        for op in ops {
            let _ = writeln!(out, "  {}", statement(op, labels[at], &values, at));
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

fn statement(op: &Op, label: Label, values: &Values, at: usize) -> String {
    let address = address(op);
    let register = format!("%r{}", values.position(at) + 1);
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
        Kind::AliasFence | Kind::OrderedAliasFence => format!("fence.proxy.alias{order}{scope};"),
    }
}

fn address(op: &Op) -> String {
    format!("{}{}", NAMES[usize::from(op.loc)], if op.alias { "2" } else { "" })
}

fn condition(difference: &Difference, values: &Values, finals: &[bool]) -> String {
    let mut parts = Vec::new();
    for (at, (thread, op)) in difference.shape.ops().enumerate() {
        if matches!(op.kind, Kind::Load | Kind::Atom) {
            let (register, value) = (values.position(at) + 1, values.read(&difference.reads, at));
            parts.push(format!("P{thread}:%r{register} == {value}"));
        }
    }
    let told = finals.iter().zip(&difference.finals).enumerate().filter(|(_, (told, _))| **told);
    parts.extend(told.map(|(loc, (_, &last))| {
        format!("{} == {}", NAMES[loc], values.written(&difference.reads, last))
    }));
    if parts.is_empty() { "true".to_owned() } else { parts.join(" /\\ ") }
}
