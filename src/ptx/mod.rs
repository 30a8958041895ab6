//! PTX instructions: statements decoded into operations, and written back.

pub mod asynchronous;
pub mod bits;
pub mod constant;
pub mod cursor;
pub mod decode;
pub mod error;
pub mod floating;
pub mod foreign;
pub mod form;
pub mod instruction;
pub mod integer;
pub mod legacy;
pub mod literal;
pub(crate) mod mismatch;
pub mod names;
pub(crate) mod need;
pub mod operands;
pub mod operation;
pub mod print;
pub mod qualifiers;
pub mod row;
pub mod table;
pub mod token;
pub mod value;
pub mod warp;
pub mod words;
