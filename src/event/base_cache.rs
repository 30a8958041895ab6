//! The base sets and relations of a graph, each kept once it has been computed.

use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet};
use std::sync::OnceLock;

/// The base sets and relations of one graph that have been computed.
#[derive(Clone, Debug)]
pub(super) struct BaseCache {
    pub(super) sets: Vec<OnceLock<EventSet>>,
    pub(super) relations: Vec<OnceLock<Rel>>,
}

/// Graphs are equal whichever of their sets and relations have been computed.
impl PartialEq for BaseCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for BaseCache {}

impl Default for BaseCache {
    fn default() -> Self {
        Self {
            sets: vec![OnceLock::new(); BaseSet::ALL.len()],
            relations: vec![OnceLock::new(); BaseRel::ALL.len()],
        }
    }
}
