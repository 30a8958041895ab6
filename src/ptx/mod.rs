//! PTX instructions: statements decoded into operations.

pub mod operation;
