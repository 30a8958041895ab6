//! Which values open reads may still return, and the writes that this rules out.
//!
//! A value that is read was written, and dependencies have no cycles: so a value is reached in at
//! most as many steps as there are open reads. Sets that grow too large are given up.

use super::explore::Search;
use crate::event::graph::EventGraph;
use crate::id::{AccessId, EventId};
use crate::program::expr::Expr;
use crate::program::value::evaluate;
use std::collections::BTreeSet;

/// How many values are kept of one read.
const LIMIT: usize = 24;

/// The values that a write or a read may have; `None` for any.
type Domain = Option<BTreeSet<u128>>;

impl Search<'_, '_> {
    /// Rules out writes none of whose values leaves possible what is asked; whether there were any.
    pub(super) fn close_by_value(&mut self) -> bool {
        if self.rules.thin_air.is_none_or(|axiom| !self.active[axiom]) {
            return false;
        }
        let domains = self.domains();
        let mut found = Vec::new();
        for at in 0..self.space.reads.len() {
            let access = self.space.reads[at];
            let [piece] = *self.pieces(access) else { continue };
            let open = self.rf[piece.index()].is_none() && self.executed.contains(piece);
            if !open || !self.space.matters[access.index()] {
                continue;
            }
            let mut judged: Vec<(u128, bool)> = Vec::new();
            for write in self.viable(piece).collect::<Vec<_>>() {
                let Some(values) = self.written(write, &domains) else { continue };
                let possible = values.into_iter().any(|value| {
                    if let Some((_, known)) = judged.iter().find(|(v, _)| *v == value) {
                        return *known;
                    }
                    let possible = self.may_return(access, value);
                    judged.push((value, possible));
                    possible
                });
                if !possible {
                    found.push((write, piece));
                }
            }
        }
        for &(write, read) in &found {
            self.close(write, read);
        }
        !found.is_empty()
    }

    /// Whether what is asked stays possible when a read returns a value.
    fn may_return(&mut self, access: AccessId, value: u128) -> bool {
        self.known[access.index()] = Some(value);
        self.compute_values();
        let possible = self.goal_possible();
        self.known[access.index()] = None;
        self.compute_values();
        possible
    }

    /// The values of open reads, by access; grown step by step from what is known.
    fn domains(&self) -> Vec<Domain> {
        let graph = self.space.graph;
        let mut domains: Vec<Domain> = vec![Some(BTreeSet::new()); graph.accesses.len()];
        let open: Vec<(AccessId, EventId)> = self
            .space
            .reads
            .iter()
            .filter_map(|&access| match *self.pieces(access) {
                [piece] if self.known[access.index()].is_none() => Some((access, piece)),
                _ => None,
            })
            .collect();
        for _ in 0..=open.len() {
            let mut changed = false;
            for &(access, piece) in &open {
                let sources: Vec<EventId> = match self.rf[piece.index()] {
                    Some(write) => vec![write],
                    None => self.viable(piece).collect(),
                };
                let mut sum: Domain = Some(BTreeSet::new());
                for write in sources {
                    sum = match (sum, self.written(write, &domains)) {
                        (Some(mut all), Some(more)) => {
                            all.extend(more);
                            (all.len() <= LIMIT).then_some(all)
                        }
                        _ => None,
                    };
                }
                if sum != domains[access.index()] {
                    domains[access.index()] = sum;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        domains
    }

    /// The values that a write may write.
    fn written(&self, write: EventId, domains: &[Domain]) -> Domain {
        let graph = self.space.graph;
        let whole = graph.access_of(write).value;
        if let Some(value) = self.values.get(whole) {
            return Some(BTreeSet::from([graph.piece_of(write, value)]));
        }
        let leaf = self.single_open_leaf(graph, whole)?;
        let values = domains[leaf.index()].as_ref()?;
        let mut out = BTreeSet::new();
        for &value in values {
            let result = evaluate(&graph.exprs, whole, &|expr| match expr {
                Expr::Read(access) if access == leaf => Some(value),
                Expr::Read(access) => self.known[access.index()],
                Expr::Symbol(symbol) => self.symbols[symbol.index()],
                _ => None,
            })?;
            out.insert(graph.piece_of(write, result));
        }
        Some(out)
    }

    /// The one read that a value still depends on; `None` when there are several, or other unknowns.
    fn single_open_leaf(&self, graph: &EventGraph, value: crate::id::ExprId) -> Option<AccessId> {
        let mut open = None;
        for leaf in graph.exprs.leaves(value) {
            match leaf {
                Expr::Read(access) if self.known[access.index()].is_some() => {}
                Expr::Read(access) if open.is_none_or(|o| o == access) => open = Some(access),
                Expr::Symbol(symbol) if self.symbols[symbol.index()].is_some() => {}
                _ => return None,
            }
        }
        open.filter(|&access| graph.access(access).pieces.len() == 1)
    }
}
