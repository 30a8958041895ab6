//! Renderers: results as text for people and for other tools. A renderer returns a string, and prints and
//! writes nothing.

#[cfg(feature = "cli")]
pub(crate) mod advise;
#[cfg(feature = "cli")]
pub(crate) mod caveat;
#[cfg(feature = "cli")]
pub(crate) mod clauses;
#[cfg(feature = "cli")]
mod cuda;
#[cfg(feature = "cli")]
pub(crate) mod cure;
mod derivation;
#[cfg(feature = "diagnostics")]
pub(crate) mod diagnostics;
#[cfg(feature = "cli")]
pub(crate) mod diff;
#[cfg(feature = "cli")]
pub(crate) mod distinguish;
pub mod draw;
#[cfg(feature = "cli")]
pub(crate) mod equiv;
#[cfg(feature = "cli")]
pub(crate) mod explanation;
mod fence_orders;
#[cfg(feature = "cli")]
pub(crate) mod fit;
#[cfg(feature = "cli")]
pub(crate) mod hang;
pub mod herd;
#[cfg(feature = "cli")]
mod idle;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "cli")]
pub(crate) mod json_advise;
#[cfg(feature = "cli")]
pub(crate) mod json_clause;
#[cfg(feature = "json")]
pub(crate) mod json_single;
#[cfg(feature = "cli")]
pub(crate) mod judge;
#[cfg(feature = "junit")]
pub mod junit;
#[cfg(feature = "cli")]
pub(crate) mod kernel;
#[cfg(feature = "json")]
pub(crate) mod manifest;
#[cfg(feature = "cli")]
pub(crate) mod models;
#[cfg(feature = "cli")]
pub(crate) mod near;
#[cfg(feature = "cli")]
pub(crate) mod outcomes;
#[cfg(feature = "cli")]
pub(crate) mod page;
pub(crate) mod paint;
#[cfg(feature = "cli")]
pub(crate) mod proof;
#[cfg(feature = "cli")]
pub(crate) mod races;
#[cfg(feature = "cli")]
pub(crate) mod readings;
pub(crate) mod reason;
#[cfg(feature = "json")]
pub(crate) mod runs;
pub mod scene;
#[cfg(feature = "cli")]
mod statement;
#[cfg(feature = "cli")]
pub(crate) mod story;
#[cfg(feature = "cli")]
mod subject;
#[cfg(feature = "cli")]
pub(crate) mod suite;
pub mod summary;
pub mod text;
pub mod witness;
