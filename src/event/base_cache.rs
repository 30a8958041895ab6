//! What follows from a graph, kept once it has been computed: base sets and relations, and the numbering
//! of barrier operations.

use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet};
use crate::waiting::numbering::Numbering;
use std::sync::{Arc, OnceLock};

/// The base sets, relations and numbering of one graph that have been computed.
#[derive(Clone, Debug)]
pub(super) struct BaseCache {
    pub(super) sets: Vec<OnceLock<EventSet>>,
    pub(super) relations: Vec<OnceLock<Rel>>,
    pub(super) numbering: OnceLock<Arc<Numbering>>,
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
            numbering: OnceLock::new(),
        }
    }
}
