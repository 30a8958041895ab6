//! Renderers: what was found, as text for people and for other tools. They give strings and write
//! nothing themselves.

mod derivation;
#[cfg(feature = "diagnostics")]
pub mod diagnostics;
pub mod explanation;
pub mod herd;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "json")]
pub mod json_single;
#[cfg(feature = "cli")]
pub mod judge;
#[cfg(feature = "junit")]
pub mod junit;
#[cfg(feature = "json")]
pub mod manifest;
pub mod models;
pub mod outcomes;
pub mod paint;
pub mod races;
pub mod readings;
pub mod reason;
#[cfg(feature = "json")]
pub mod runs;
pub mod summary;
pub mod text;
pub mod witness;
