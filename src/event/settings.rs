//! How a program is unfolded: bounds, approximations, and how small the pieces of accesses are.

/// How a program is unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfolding {
    /// How often a loop body is executed at most, per entry of the loop; at least 1.
    pub bound: u8,
    /// Whether endless loops without an effect are recognized as waiting; sound under models that
    /// stay consistent when effect-free reads are deleted.
    pub spin_loops: bool,
    /// Whether the model asks for the values that flow into a write, rather than for the conditions
    /// of its execution.
    pub by_values: bool,
    /// Whether rounds that only wait are left out though later events may depend on more reads
    /// without them. Dependencies are then over-approximated.
    pub loose: bool,
    /// How small the pieces are into which accesses are split.
    pub tearing: Tearing,
    /// The widest access, in bytes, that is not split when it is weak and races with accesses of
    /// its size.
    pub widest_whole: u32,
    /// Whether constant memory and the targets of addresses are analysed by reachable values. Sound
    /// under models that exclude out-of-thin-air values.
    pub grounded: bool,
    /// Whether a hidden read precedes each ordinary store that may hit an mbarrier object, to see
    /// whether one is there.
    pub looks: bool,
    /// Whether loops are abstracted by havoc: a round stands for any number of rounds that write
    /// nothing. This over-approximation is sound under models that stay consistent when reads and
    /// fences are deleted.
    pub skips: bool,
    /// Whether writes beyond the bound may happen: an over-approximation that misses no execution
    /// beyond the bound.
    pub ahead: bool,
}

impl Default for Unfolding {
    fn default() -> Self {
        Self {
            bound: 2,
            spin_loops: true,
            by_values: false,
            loose: false,
            tearing: Tearing::Overlap,
            widest_whole: SCALAR_BYTES,
            grounded: true,
            looks: false,
            skips: false,
            ahead: false,
        }
    }
}

/// The widest scalar (PTX-8.2.4), in bytes.
pub const SCALAR_BYTES: u32 = 8;

/// Where accesses may tear (reading V10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tearing {
    /// At the boundaries of partly overlapping accesses.
    Overlap,
    /// At every byte.
    Byte,
}
