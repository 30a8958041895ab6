//! Tests turned into programs of micro-operations over a laid-out memory.

mod address;
mod barrier;
mod bits;
mod cancel;
mod exchange;
pub mod expr;
pub mod float;
mod host;
mod identities;
mod integer;
pub mod layout;
pub mod lower;
pub mod mbarrier;
pub mod micro;
mod narrow;
mod position;
mod predefined;
pub mod reading;
mod registers;
mod replace;
mod reshape;
mod special;
pub mod term;
mod truth;
pub mod unary;
pub mod value;
mod vector;
