//! Renderers: what was found, as text for people and for other tools. They give strings and write
//! nothing themselves.

#[cfg(feature = "cli")]
pub(crate) mod advise;
#[cfg(feature = "cli")]
pub(crate) mod clauses;
#[cfg(feature = "cli")]
mod cuda;
pub mod cure;
mod derivation;
#[cfg(feature = "diagnostics")]
pub mod diagnostics;
#[cfg(feature = "cli")]
pub(crate) mod diff;
#[cfg(feature = "cli")]
pub(crate) mod distinguish;
pub mod draw;
#[cfg(feature = "cli")]
pub(crate) mod equiv;
pub mod explanation;
#[cfg(feature = "cli")]
pub(crate) mod fit;
pub mod hang;
pub mod herd;
mod idle;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "cli")]
pub(crate) mod json_advise;
#[cfg(feature = "cli")]
pub(crate) mod json_clause;
#[cfg(feature = "json")]
pub mod json_single;
#[cfg(feature = "cli")]
pub mod judge;
#[cfg(feature = "junit")]
pub mod junit;
#[cfg(feature = "cli")]
pub(crate) mod kernel;
#[cfg(feature = "json")]
pub mod manifest;
pub mod models;
pub mod near;
pub mod outcomes;
pub mod page;
pub mod paint;
pub mod proof;
pub mod races;
pub mod readings;
pub mod reason;
#[cfg(feature = "json")]
pub mod runs;
pub mod scene;
mod statement;
pub mod story;
mod subject;
#[cfg(feature = "cli")]
pub(crate) mod suite;
pub mod summary;
pub mod text;
pub mod witness;
