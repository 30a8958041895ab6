//! Maps and sets that keep the order of insertion, with a hash for short keys.

use rustc_hash::FxBuildHasher;

/// A map in the order of insertion.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;

/// A set in the order of insertion.
pub type IndexSet<T> = indexmap::IndexSet<T, FxBuildHasher>;
