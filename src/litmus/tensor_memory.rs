//! Tensor Memory as a test declares it: `.tmem .b32 d[4];`, a word for each column (PTX-9.7.16.1).

/// Bytes that stand for a column: a word for the lanes of each warp of a warpgroup.
pub const COLUMN: u32 = 16;
