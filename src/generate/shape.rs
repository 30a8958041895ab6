//! The names of shapes and their cycles.

use super::cycle::Cycle;
use std::sync::LazyLock;

/// The shapes with names, and their cycles as in the literature.
pub const SHAPES: &[(&str, &str)] = &[
    ("MP", "PodWW Rfe PodRR Fre"),
    ("SB", "PodWR Fre PodWR Fre"),
    ("LB", "PodRW Rfe PodRW Rfe"),
    ("S", "PodWW Rfe PodRW Coe"),
    ("R", "PodWW Coe PodWR Fre"),
    ("2+2W", "PodWW Coe PodWW Coe"),
    ("3.SB", "PodWR Fre PodWR Fre PodWR Fre"),
    ("3.LB", "PodRW Rfe PodRW Rfe PodRW Rfe"),
    ("3.2W", "PodWW Coe PodWW Coe PodWW Coe"),
    ("WRC", "Rfe PodRW Rfe PodRR Fre"),
    ("RWC", "Rfe PodRR Fre PodWR Fre"),
    ("WWC", "Rfe PodRW Rfe PodRW Coe"),
    ("WRR+2W", "Rfe PodRR Fre PodWW Coe"),
    ("WRW+WR", "Rfe PodRW Coe PodWR Fre"),
    ("WRW+2W", "Rfe PodRW Coe PodWW Coe"),
    ("W+RWC", "PodWW Rfe PodRR Fre PodWR Fre"),
    ("ISA2", "PodWW Rfe PodRW Rfe PodRR Fre"),
    ("Z6.0", "PodWW Rfe PodRW Coe PodWR Fre"),
    ("Z6.1", "PodWW Coe PodWW Rfe PodRW Coe"),
    ("Z6.2", "PodWW Rfe PodRW Rfe PodRW Coe"),
    ("Z6.3", "PodWW Coe PodWW Rfe PodRR Fre"),
    ("Z6.4", "PodWW Coe PodWR Fre PodWR Fre"),
    ("Z6.5", "PodWW Coe PodWW Coe PodWR Fre"),
    ("IRIW", "Rfe PodRR Fre Rfe PodRR Fre"),
    ("IRRWIW", "Rfe PodRR Fre Rfe PodRW Coe"),
    ("IRWIW", "Rfe PodRW Coe Rfe PodRW Coe"),
    ("CoWW", "PosWW Coe"),
    ("CoRW1", "PosRW Rfe"),
    ("CoWR0", "PosWR Fre"),
    ("CoRR", "Rfe PosRR Fre"),
    ("CoRW", "Rfe PosRW Coe"),
    ("CoWR", "PosWR Fre Coe"),
];

/// The shapes, read.
static CYCLES: LazyLock<Vec<(&str, Cycle)>> = LazyLock::new(|| {
    let cycle = |text| Cycle::parse(text).expect("the table has cycles, as a test says");
    SHAPES.iter().map(|&(name, text)| (name, cycle(text))).collect()
});

/// The cycle of a shape.
#[must_use]
pub fn shape(name: &str) -> Option<Cycle> {
    CYCLES.iter().find(|(known, _)| *known == name).map(|(_, cycle)| cycle.clone())
}

/// The name of a cycle, if it has one; annotations are ignored.
#[must_use]
pub fn name_of(cycle: &Cycle) -> Option<&'static str> {
    CYCLES.iter().find(|(_, known)| known.edges == cycle.edges).map(|(name, _)| *name)
}

/// The cycle, rotated to that of a known shape if possible, else to its least list of edges.
#[must_use]
pub fn canonical(cycle: Cycle) -> Cycle {
    let count = cycle.edges.len();
    let starts = (0..count).filter(|&at| at == 0 || cycle.edges[at - 1].leaves_thread());
    let turned = |at: usize| {
        let edges = (0..count).map(|i| cycle.edges[(i + at) % count]).collect::<Vec<_>>();
        let annotations = (0..count).map(|i| cycle.annotations[(i + at) % count]).collect();
        Cycle::new(edges, annotations)
    };
    let all: Vec<Cycle> = starts.filter_map(|at| turned(at).ok()).collect();
    let known = all.iter().find(|cycle| name_of(cycle).is_some());
    let first = all.iter().min_by(|a, b| a.edges.cmp(&b.edges));
    known.or(first).cloned().unwrap_or(cycle)
}
