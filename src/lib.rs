//! `ptxmc` decides what the memory consistency model of NVIDIA PTX allows.

pub mod bitrel;
pub mod collections;
pub mod diagnostic;
pub mod id;
pub mod source;
pub mod vocabulary;

pub mod cat;
pub mod litmus;
pub mod ptx;
pub mod relation;

pub mod event;
pub mod program;

pub mod bounds;
pub mod encode;
pub mod execution;
pub mod solve;

pub mod explain;
pub mod race;
pub mod verdict;

pub mod batch;
pub mod check;
pub mod engines;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod report;
