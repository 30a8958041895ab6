//! Clauses of the standard: a paraphrase of each, the statements of a model that implement the clause, the
//! readings that the statements leave open, and the tests that exercise the clause.

use super::readings::description;
use crate::cat::ast::{Statement, StatementKind};
use crate::litmus::ast::Test;
use crate::source::Files;
use std::collections::BTreeSet;

/// A section of the PTX ISA 9.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The id, such as `PTX-8.10.6`.
    pub id: &'static str,
    /// The title in the standard.
    pub title: &'static str,
    /// A paraphrase of the text.
    pub words: &'static str,
}

/// The parts of a model and the tests that refer to a clause.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The statements of the model that name the clause, as positions and text.
    pub lines: Vec<(String, String)>,
    /// The readings that these statements leave open.
    pub readings: Vec<String>,
    /// The paths of the tests that name the clause.
    pub tests: Vec<String>,
}

impl Clause {
    /// The clause with the given id, with or without `PTX-`.
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        let number = id.trim().trim_start_matches("PTX-");
        CLAUSES.iter().find(|clause| clause.id.trim_start_matches("PTX-") == number)
    }

    /// All ids, in the order of the standard.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        CLAUSES.iter().map(|clause| clause.id)
    }
}

impl Account {
    /// The statements of a model and the tests that refer to a clause.
    #[must_use]
    pub fn of<'t>(
        clause: &Clause,
        statements: &[Statement],
        files: &Files,
        tests: impl Iterator<Item = (&'t str, &'t Test)>,
    ) -> Self {
        let mut account = Self::default();
        account.add_statements(clause, statements, files);
        let names = |test: &Test| {
            let named = test.metadata.iter().filter(|line| line.key.value == "Clause");
            named.flat_map(|line| line.value.value.split([' ', ','])).any(|id| id == clause.id)
        };
        account.tests =
            tests.filter(|(_, test)| names(test)).map(|(path, _)| path.to_owned()).collect();
        let quoted = account.lines.iter().flat_map(|(_, text)| text.split('"').skip(1).step_by(2));
        let readings: BTreeSet<&str> = quoted.filter(|name| description(name).is_some()).collect();
        account.readings = readings.into_iter().map(str::to_owned).collect();
        account
    }

    fn add_statements(&mut self, clause: &Clause, statements: &[Statement], files: &Files) {
        for statement in statements {
            match &statement.kind {
                StatementKind::If { then, otherwise, .. } => {
                    self.add_statements(clause, then, files);
                    self.add_statements(clause, otherwise, files);
                }
                StatementKind::Include { .. } => {}
                _ if statement.clauses.iter().any(|id| id == clause.id) => {
                    let text = files.text(statement.span).split_whitespace().collect::<Vec<_>>();
                    self.lines.push((files.location(statement.span), text.join(" ")));
                }
                _ => {}
            }
        }
    }
}

/// The most tests that are named.
const MOST_TESTS: usize = 12;

/// A clause with its account, as lines.
#[must_use]
pub fn render(clause: &Clause, model: &str, account: &Account) -> String {
    let mut out = format!("{}: {}\n\n  {}\n", clause.id, clause.title, clause.words);
    out += &match account.lines.len() {
        0 => format!("\nNo line of {model} names it.\n"),
        _ => format!("\nIn {model}:\n"),
    };
    for (place, text) in &account.lines {
        out += &format!("  {place}: {text}\n");
    }
    if !account.readings.is_empty() {
        out += "\nOther readings of it:\n";
    }
    for reading in &account.readings {
        out += &format!("  --reading {reading}  {}\n", description(reading).unwrap_or_default());
    }
    if !account.tests.is_empty() {
        out += &format!("\nTests that exercise it ({}):\n", account.tests.len());
    }
    for test in account.tests.iter().take(MOST_TESTS) {
        out += &format!("  {test}\n");
    }
    if account.tests.len() > MOST_TESTS {
        out += "  ...\n";
    }
    out
}

const fn clause(id: &'static str, title: &'static str, words: &'static str) -> Clause {
    Clause { id, title, words }
}

/// The sections that models and reports speak of, in the order of the standard.
const CLAUSES: &[Clause] = &[
    clause(
        "PTX-8.1",
        "Scope and applicability",
        "The model speaks of accesses to memory by threads of kernels, host threads included where they use system scope. It does not speak of loads through the non-coherent path of what the same kernel writes.",
    ),
    clause(
        "PTX-8.1.1",
        "Limitations on atomicity at system scope",
        "Whether atomics of host and device are atomic with each other is the platform's to say.",
    ),
    clause(
        "PTX-8.2",
        "Memory operations",
        "Memory is made of bytes; a scalar access of up to 64 bits is one operation on as many bytes as its type has, aligned by its size.",
    ),
    clause(
        "PTX-8.2.1",
        "Overlap",
        "Two operations overlap where their bytes do, completely where they have the same ones, and partly else; it counts where the memory is, not by which address it is reached.",
    ),
    clause(
        "PTX-8.2.2",
        "Aliases",
        "Several virtual addresses may lead to one location; accesses through different ones are ordered with a fence of their own.",
    ),
    clause(
        "PTX-8.2.3",
        "Multimem addresses",
        "A multimem address stands for one location on each of several devices; only `multimem` instructions access it, all of these locations at once.",
    ),
    clause(
        "PTX-8.2.4",
        "Vector data types",
        "A vector access is one scalar access for each element, in no order that is promised.",
    ),
    clause(
        "PTX-8.2.5",
        "Packed data types",
        "An access of packed values is one of each part as far as atomics go, in no order that is promised.",
    ),
    clause(
        "PTX-8.2.6",
        "Initialization",
        "Each byte has been written before all threads begin, by a write that comes before everything else there.",
    ),
    clause(
        "PTX-8.3",
        "State spaces",
        "Shared memory is that of a CTA, local memory that of a thread; the model is the same for all spaces.",
    ),
    clause(
        "PTX-8.4",
        "Operation types",
        "Operations are weak or strong: relaxed, acquire and release ones and fences are strong. A plain access is weak, and no other thread is synchronized by it.",
    ),
    clause(
        "PTX-8.4.1",
        "mmio operation",
        "An `.mmio` access is performed as often as it is written and no other size is used for it; else it is relaxed at system scope.",
    ),
    clause(
        "PTX-8.4.2",
        "volatile operation",
        "A volatile access is a relaxed one of system scope, perhaps performed more often. It orders nothing else.",
    ),
    clause(
        "PTX-8.5",
        "Scope",
        "A strong operation has a set of threads with which it may synchronize: those of its CTA, cluster, device, or all. Two operations synchronize only where each one's scope includes the thread of the other.",
    ),
    clause(
        "PTX-8.6",
        "Proxies",
        "A proxy is a way to memory: the generic one of loads and stores, the asynchronous one of bulk copies, and others. Between accesses through different ones stands a proxy fence.",
    ),
    clause(
        "PTX-8.7",
        "Morally strong operations",
        "Two operations are morally strong if they are in program order, or both are strong and each one's scope includes the other's thread, and, if both access memory, they go through one proxy and overlap completely. Only these are bound to agree in coherence without synchronization.",
    ),
    clause(
        "PTX-8.7.1",
        "Conflict and data-races",
        "Two overlapping accesses of which one writes conflict. They race if they are neither morally strong nor ordered by causality.",
    ),
    clause(
        "PTX-8.7.2",
        "Limitations on mixed-size data-races",
        "A race of accesses that overlap only in part leaves the program undefined, but for what is said here of atomics.",
    ),
    clause(
        "PTX-8.8",
        "Release and acquire patterns",
        "A release pattern is a release of a location, or a fence that is followed by a strong write in its thread: it makes what came before visible to whoever observes the write and acquires. An acquire pattern is the mirror image: an acquiring read, or a strong read followed by a fence.",
    ),
    clause(
        "PTX-8.9.1",
        "Program order",
        "The operations of a thread are in the order in which it executes them; program order relates nothing of different threads.",
    ),
    clause(
        "PTX-8.9.1.1",
        "Asynchronous operations",
        "An asynchronous operation is performed as if by another thread: behind its issue, and before nothing of its own thread but what waits for its completion.",
    ),
    clause(
        "PTX-8.9.2",
        "Observation order",
        "A write is observed by a read that takes its value, directly or through atomic updates one after the other, each pair morally strong.",
    ),
    clause(
        "PTX-8.9.3",
        "Fence-SC order",
        "All `fence.sc` that are morally strong with each other have one order, in which each comes before or behind the other. No weaker fence has.",
    ),
    clause(
        "PTX-8.9.4",
        "Memory synchronization",
        "A release pattern synchronizes with an acquire pattern if its write is observed by the other's read and they are morally strong. So do `fence.sc` in their order, barriers, and calls of the API such as the end of a kernel before the next of its stream.",
    ),
    clause(
        "PTX-8.9.5",
        "Causality order",
        "What comes before in program order or by synchronization, in any number of steps, comes before in base causality. Causality is the part of it that holds for the proxies of both accesses, and what observes such a write.",
    ),
    clause(
        "PTX-8.9.6",
        "Coherence order",
        "Writes of a location are in a partial order, which relates all that are morally strong or in causality. Races may stay unordered.",
    ),
    clause(
        "PTX-8.9.7",
        "Communication order",
        "A write comes before the reads that take its value and the writes behind it; a read comes before the writes behind the one that it takes.",
    ),
    clause(
        "PTX-8.10.1",
        "Coherence",
        "Of two writes of a location that causality orders, coherence has the same order.",
    ),
    clause("PTX-8.10.2", "Fence-SC", "The order of `fence.sc` does not contradict causality."),
    clause(
        "PTX-8.10.3",
        "Atomicity",
        "Nothing comes between the read and the write of an atomic that is morally strong with both; a read takes no part of one morally strong write and part of an older one.",
    ),
    clause(
        "PTX-8.10.4",
        "No thin air",
        "No value comes from nowhere: no cycle of reads that take what was computed from them.",
    ),
    clause(
        "PTX-8.10.5",
        "Sequential consistency per location",
        "Morally strong accesses of one location in program order see its writes in one order: a later read takes no older value.",
    ),
    clause(
        "PTX-8.10.6",
        "Causality",
        "A read takes no value that is overwritten before it in causality, and none of a write that comes behind it.",
    ),
    clause(
        "PTX-8.11.1",
        "Reductions do not form acquire patterns",
        "The read of a `red` starts no acquire pattern, whatever fence comes behind it; that of an `atom` does.",
    ),
    clause(
        "PTX-9.7.9.25.1",
        "Asynchronous copies under way",
        "What a copy reads may not be written, and what it writes not be accessed, until it is complete.",
    ),
    clause(
        "PTX-9.7.9.25.2",
        "Async proxy",
        "Bulk operations access memory through the asynchronous proxy. Their completion, once it is observed, is a fence between it and the generic one; before they are issued, `fence.proxy.async` has to be.",
    ),
    clause(
        "PTX-9.7.9.25.2.1",
        "Groups of asynchronous operations",
        "A thread commits what it has issued to a group and waits for all groups but the last few; others see nothing of its groups.",
    ),
    clause(
        "PTX-9.7.13.1",
        "bar, barrier",
        "Threads of a CTA that meet at a barrier are ordered: what each has done before, and what it has observed, comes before what the others do behind it. One that only arrives gives its own past and takes nothing.",
    ),
    clause(
        "PTX-9.7.13.2",
        "bar.warp.sync",
        "The lanes in the mask meet and their accesses are ordered. An exchange such as `shfl.sync` lets lanes meet without that.",
    ),
    clause(
        "PTX-9.7.13.3",
        "barrier.cluster",
        "Threads of a cluster meet; by default an arrival releases and a wait acquires. A relaxed arrival orders nothing unless a fence stands before it.",
    ),
    clause(
        "PTX-9.7.13.4",
        "membar, fence",
        "`fence.acq_rel` heads release patterns and ends acquire patterns, `fence.sc` is in Fence-SC order besides; `.acquire` and `.release` are one half. A fence orders the operations of its thread and what these have observed, not by itself those of others. Proxy fences order accesses through different proxies.",
    ),
    clause(
        "PTX-9.7.13.5",
        "atom",
        "One read and one write, with nothing between; relaxed unless it says more.",
    ),
    clause(
        "PTX-9.7.13.6",
        "red",
        "As `atom`, without a result; it may release, and acquires nothing.",
    ),
    clause(
        "PTX-9.7.13.13",
        "griddepcontrol",
        "`wait` orders what the grids before have done before what follows; `launch_dependents` gives nothing.",
    ),
    clause(
        "PTX-9.7.13.15",
        "mbarrier",
        "An arrival releases what its own thread did before; a wait that finds the phase complete acquires from all arrivals of the phase. Bytes that are expected hold the phase until copies have brought them.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_and_known_once() {
        assert_eq!(Clause::named("8.10.6").map(|clause| clause.title), Some("Causality"));
        assert_eq!(Clause::named("PTX-8.10.6"), Clause::named("8.10.6"));
        assert_eq!(Clause::named("PTX-99"), None);
        let ids: BTreeSet<&str> = Clause::ids().collect();
        assert_eq!(ids.len(), CLAUSES.len());
        assert!(CLAUSES.iter().all(|clause| clause.words.ends_with('.')));
    }
}
