//! Uninterpreted instructions: their results are unknown values, and either matter or do not.
//!
//! A result matters if an event or a question depends on it through registers, memory or barriers:
//! the occurrence of an event, cut or violation, the place of an access, the participants of a
//! barrier, the filter, the condition and the values shown beside it. If the result does not
//! matter, all its values give the same executions up to unobserved values, and one value
//! represents all. If the result matters, an execution that reaches the instruction is out of the
//! model. If nothing but the question depends on it, threads go on behind it as they would anyway.

use super::graph::{EventGraph, EventKind, SymbolOrigin, Violation};
use crate::id::{AccessId, BarrierId, ExprId, LocId, SymbolId};
use crate::program::expr::Expr;
use crate::waiting::barrier::BarrierOp;
use std::collections::BTreeSet;

/// An instruction with unknown results.
#[derive(Clone, Debug)]
pub(super) struct Opaque {
    /// The violation to report if the results matter.
    pub(super) violation: Violation,
    pub(super) results: Vec<SymbolId>,
}

/// Reports uninterpreted instructions whose results matter. These violations take precedence over
/// undefined behaviour.
///
/// Values that loop abstraction by havoc leaves open ([`super::havoc`]) are not chosen if they do
/// not matter.
pub(super) fn settle(graph: &mut EventGraph, opaque: Vec<Opaque>, skipped: &[SymbolId]) {
    if opaque.is_empty() && skipped.is_empty() {
        return;
    }
    let (relevant, others) = keep_what_matters(graph, opaque, skipped);
    for symbol in skipped.iter().filter(|symbol| !relevant.contains(symbol)) {
        graph.symbols[symbol.index()].origin = SymbolOrigin::Irrelevant(Vec::new());
    }
    for symbol in others.into_iter().flat_map(|one| one.results) {
        let origin = &mut graph.symbols[symbol.index()].origin;
        if let SymbolOrigin::Computed(reads) = origin {
            *origin = SymbolOrigin::Irrelevant(std::mem::take(reads));
        }
    }
}

/// Adds the violations of instructions whose results matter; gives the relevant symbols and the
/// other instructions. An instruction whose results matter has a guard, which may make further
/// results matter.
fn keep_what_matters(
    graph: &mut EventGraph,
    mut opaque: Vec<Opaque>,
    skipped: &[SymbolId],
) -> (BTreeSet<SymbolId>, Vec<Opaque>) {
    // Of the violations that are added, the results that they are about.
    let mut about: Vec<Vec<SymbolId>> = Vec::new();
    loop {
        let relevant = Slice::of(graph, Whole::WithQuestion).symbols;
        // A register's open value after more rounds may be such a result, of those rounds or from
        // before.
        let hides = skipped.iter().any(|symbol| relevant.contains(symbol));
        let matters =
            |one: &Opaque| hides || one.results.iter().any(|symbol| relevant.contains(symbol));
        let (kept, others): (Vec<Opaque>, Vec<Opaque>) = opaque.into_iter().partition(matters);
        if kept.is_empty() {
            leave_those_that_do_not_steer(graph, &about);
            return (relevant, others);
        }
        about.splice(..0, kept.iter().map(|one| one.results.clone()));
        graph.violations.splice(..0, kept.into_iter().map(|one| one.violation));
        opaque = others;
    }
}

/// Threads go on behind the instructions, those of the first violations, whose results change no
/// execution.
fn leave_those_that_do_not_steer(graph: &mut EventGraph, about: &[Vec<SymbolId>]) {
    if about.is_empty() {
        return;
    }
    let steering = Slice::of(graph, Whole::Executions).symbols;
    for (violation, results) in graph.violations.iter_mut().zip(about) {
        if !results.iter().any(|symbol| steering.contains(symbol)) {
            violation.position = None;
        }
    }
}

/// Whose dependences are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    /// Executions alone.
    Executions,
    /// Executions, the condition, and the values that are shown.
    WithQuestion,
}

/// The backward slice of everything that events and questions may depend on.
struct Slice<'g> {
    graph: &'g EventGraph,
    symbols: BTreeSet<SymbolId>,
    reads: BTreeSet<AccessId>,
    places: BTreeSet<LocId>,
    /// Barrier operations with a result.
    returned: BTreeSet<BarrierId>,
    open: Vec<ExprId>,
}

impl<'g> Slice<'g> {
    fn of(graph: &'g EventGraph, whole: Whole) -> Self {
        let guards = graph.events.iter().map(|event| event.guard);
        let cuts = graph.cuts.iter().map(|cut| cut.guard);
        let misuses = graph.violations.iter().map(|violation| violation.guard);
        let counts = graph.barriers.iter().filter_map(BarrierOp::count);
        let phases = graph.phases.iter().chain(&graph.any_phases);
        let pairs = phases
            .chain(&graph.awaited)
            .chain(&graph.other_counts)
            .chain(&graph.done_if)
            .map(|pair| pair.when);
        let chosen = graph.accesses.iter().flat_map(|access| access.chosen_by.iter().copied());
        let shown = graph.observed.iter().map(|observed| observed.value);
        let asked = shown.chain([graph.condition]).filter(|_| whole == Whole::WithQuestion);
        let all = guards.chain(cuts).chain(misuses).chain(counts).chain(pairs).chain(chosen);
        let mut slice = Self {
            graph,
            symbols: BTreeSet::new(),
            reads: BTreeSet::new(),
            places: BTreeSet::new(),
            returned: BTreeSet::new(),
            open: all.chain([graph.filter]).chain(asked).collect(),
        };
        slice.open.sort_unstable();
        slice.open.dedup();
        while let Some(value) = slice.open.pop() {
            for leaf in graph.exprs.leaves(value) {
                slice.follow(leaf);
            }
        }
        slice
    }

    fn follow(&mut self, leaf: Expr) {
        let graph = self.graph;
        match leaf {
            Expr::Symbol(symbol) => {
                self.symbols.insert(symbol);
            }
            Expr::Read(access) | Expr::Mbarrier(access) => self.read(access),
            Expr::Final(loc) => self.place(loc),
            Expr::Barrier(index) if self.returned.insert(index) => {
                let op = &graph.barriers[index];
                match op.exchanged() {
                    Some(value) => self.open.push(value),
                    // Its participants are not looked at: all operations of the barrier count.
                    None => {
                        let here = graph.barriers.iter().filter(|other| other.key == op.key);
                        self.open.extend(here.filter_map(|other| other.operand));
                    }
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, access: AccessId) {
        if self.reads.insert(access) {
            for &piece in &self.graph.access(access).pieces {
                self.graph.event(piece).loc.into_iter().for_each(|loc| self.place(loc));
            }
        }
    }

    /// The values written at a place, and for atomic operations also the values that they read.
    fn place(&mut self, loc: LocId) {
        if !self.places.insert(loc) {
            return;
        }
        let writes = |event: &&super::graph::Event| {
            event.loc == Some(loc) && matches!(event.kind, EventKind::Write | EventKind::Init)
        };
        for event in self.graph.events.iter().filter(writes) {
            let access = self.graph.access(event.access);
            self.open.push(access.value);
            access.rmw_read.into_iter().for_each(|read| self.read(read));
        }
    }
}
