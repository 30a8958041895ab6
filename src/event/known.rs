//! The base sets and relations of a graph, each kept once it has been computed.

use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet};
use std::sync::OnceLock;

/// The base sets and relations of one graph that have been computed.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) sets: Vec<OnceLock<EventSet>>,
    pub(super) relations: Vec<OnceLock<Rel>>,
}

/// What has been computed is no part of a graph.
impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Known {}

impl Default for Known {
    fn default() -> Self {
        Self {
            sets: vec![OnceLock::new(); BaseSet::ALL.len()],
            relations: vec![OnceLock::new(); BaseRel::ALL.len()],
        }
    }
}
