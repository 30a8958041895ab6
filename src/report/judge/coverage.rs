//! The wrong models that a suite detects, as tables by clause.

use crate::batch::Case;
use crate::judge::coverage::Kill;
use std::collections::BTreeMap;

/// The topics of the standard's sections, for readers who do not know the numbers.
const TITLES: &[(&str, &str)] = &[
    ("PTX-8.4", "orders of operations"),
    ("PTX-8.5", "scopes"),
    ("PTX-8.6", "proxies"),
    ("PTX-8.7", "morally strong operations"),
    ("PTX-8.7.1", "races"),
    ("PTX-8.7.2", "mixed sizes, atomics"),
    ("PTX-8.8", "release and acquire patterns"),
    ("PTX-8.9.1.1", "asynchronous operations"),
    ("PTX-8.9.2", "observation order"),
    ("PTX-8.9.3", "Fence-SC order"),
    ("PTX-8.9.4", "synchronization"),
    ("PTX-8.9.5", "causality order"),
    ("PTX-8.9.6", "coherence order"),
    ("PTX-8.9.7", "from-reads"),
    ("PTX-8.10.1", "axiom Coherence"),
    ("PTX-8.10.2", "axiom Fence-SC"),
    ("PTX-8.10.3", "axiom Atomicity"),
    ("PTX-8.10.4", "axiom No-Thin-Air"),
    ("PTX-8.10.5", "axiom SC-per-Location"),
    ("PTX-8.10.6", "axiom Causality"),
    ("PTX-9.7.13.1", "barriers of CTAs"),
    ("PTX-9.7.13.2", "barriers of warps"),
    ("PTX-9.7.13.3", "barriers of clusters"),
    ("PTX-9.7.13.4", "fences"),
    ("PTX-9.7.13.15", "mbarriers"),
];

/// The topic of a section; empty if unknown.
#[must_use]
pub(super) fn title(clause: &str) -> &'static str {
    TITLES.iter().find(|(id, _)| *id == clause).map_or("", |(_, title)| title)
}

/// The detected wrong models by clause, and the undetected ones.
#[must_use]
pub(super) fn text(kills: &[Kill], cases: &[Case]) -> String {
    let asked: Vec<&Kill> = kills.iter().filter(|kill| kill.excuse.is_none()).collect();
    let killed = asked.iter().filter(|kill| !kill.killers.is_empty()).count();
    let refuted = asked.iter().filter(|kill| !kill.refuted_by.is_empty()).count();
    let mut out = format!(
        "\nOf {} wrong models the tests notice {killed}, and the logs refute {refuted}:\n",
        asked.len()
    );
    let mut clauses: BTreeMap<_, (&str, [usize; 3])> = BTreeMap::new();
    for kill in &asked {
        let key = (crate::cat::mutant::order(&kill.clause), &kill.clause);
        let (_, counts) = clauses.entry(key).or_insert((&kill.clause, [0; 3]));
        counts[0] += 1;
        counts[1] += usize::from(!kill.killers.is_empty());
        counts[2] += usize::from(!kill.refuted_by.is_empty());
    }
    let width = clauses.values().map(|(clause, _)| clause.len()).max().unwrap_or(0).max(13);
    out.push_str(&format!("  {:width$}  noticed  refuted  of\n", "clause"));
    for (clause, [all, killed, refuted]) in clauses.values() {
        let line =
            format!("  {clause:width$}  {killed:>7}  {refuted:>7}  {all:>2}  {}", title(clause));
        out.push_str(&format!("{}\n", line.trim_end()));
    }
    let alive: Vec<&&Kill> = asked.iter().filter(|kill| kill.killers.is_empty()).collect();
    if !alive.is_empty() {
        out.push_str("Not noticed, so that no test of the suite tells them from the model:\n");
        for kill in alive {
            out.push_str(&format!("  {} {}: {}\n", kill.clause, kill.name, kill.change));
        }
    }
    let noticed: Vec<&&Kill> = asked.iter().filter(|kill| !kill.killers.is_empty()).collect();
    if !noticed.is_empty() {
        out.push_str("Noticed, each by a test:\n");
        for kill in noticed {
            let (verb, by) = match (kill.refuted_by.first(), kill.killers.first()) {
                (Some(&by), _) => ("refuted by what was seen of", by),
                (None, Some(&by)) => ("by", by),
                (None, None) => continue,
            };
            out.push_str(&format!("  {} {} {verb} {}\n", kill.clause, kill.name, cases[by].path));
        }
    }
    out
}
