//! `ptxmc` decides what the memory consistency model of NVIDIA PTX allows.

pub mod bitrel;
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

pub mod verdict;

pub mod check;
