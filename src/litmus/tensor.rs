//! Tensor maps that a test declares: the bytes of a tensor and of a buffer that a copy of a box
//! moves.
//!
//! A tensor map is opaque (PTX-5.5.8): a test gives its description instead of its 128 bytes. A box
//! is cut into runs, which are consecutive both in the tensor and in shared memory; elements of the
//! box outside the tensor make runs of their own (PTX-5.5.4).

use crate::ptx::operation::Type;
use crate::source::{Span, Spanned};

/// `.tensormap tm = { x, .u32, {8, 4}, {4, 2} };`: lists begin with the innermost dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The variable of 128 bytes that holds the map.
    pub name: Spanned<String>,
    /// The variable that the tensor begins at.
    pub tensor: Spanned<String>,
    /// The type of its elements.
    pub ty: Type,
    /// How many elements the tensor has in each dimension.
    pub dimensions: Vec<u64>,
    /// How many elements a box has in each dimension.
    pub extents: Vec<u64>,
    /// How far apart, in bytes, neighbours in each dimension but the innermost are.
    pub strides: Vec<u64>,
    /// How chunks of 16 bytes are permuted in shared memory.
    pub swizzle: Swizzle,
    /// The declaration.
    pub span: Span,
}

/// How chunks of 16 bytes of a box are permuted in shared memory (PTX-5.5.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// Within stretches of 32 bytes.
    Bytes32,
    /// Within stretches of 64 bytes.
    Bytes64,
    /// Within stretches of 128 bytes.
    Bytes128,
}

impl Swizzle {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::None, Self::Bytes32, Self::Bytes64, Self::Bytes128];

    /// The written form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "0B",
            Self::Bytes32 => "32B",
            Self::Bytes64 => "64B",
            Self::Bytes128 => "128B",
        }
    }

    /// After how many bytes the pattern repeats.
    #[must_use]
    pub fn pattern(self) -> u64 {
        match self {
            Self::None => 1,
            Self::Bytes32 => 256,
            Self::Bytes64 => 512,
            Self::Bytes128 => 1024,
        }
    }

    /// How many bytes a row of a box has at most.
    #[must_use]
    pub fn span(self) -> Option<u64> {
        match self {
            Self::None => None,
            _ => Some(self.pattern() / 8),
        }
    }

    /// Where a byte of a box lies in a buffer that is aligned to the pattern.
    #[must_use]
    pub fn place(self, byte: u64) -> u64 {
        let chunks = match self {
            Self::None => 0,
            Self::Bytes32 => 0b001,
            Self::Bytes64 => 0b011,
            Self::Bytes128 => 0b111,
        };
        byte ^ ((byte >> 7 & chunks) << 4)
    }
}

/// Bytes of a box that are consecutive on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first byte, counted from where the tensor begins; `None` outside of the tensor.
    pub tensor: Option<u64>,
    /// The first byte, counted from where the buffer begins.
    pub shared: u64,
    /// How many.
    pub bytes: u64,
}

impl TensorMap {
    /// Bytes of the 128-byte object that a map is.
    pub const BYTES: u64 = 128;
    /// How many dimensions a tensor may have (PTX-5.5.1).
    pub const MOST_DIMENSIONS: usize = 5;
    /// How many bytes a box may have here.
    pub const MOST_BYTES: u64 = 1 << 18;

    /// Bytes of a whole box, elements outside of the tensor included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.extents.iter().product::<u64>() * u64::from(self.ty.bytes())
    }

    /// Strides of a tensor without gaps, for each dimension but the innermost.
    #[must_use]
    pub fn packed(dimensions: &[u64], ty: Type) -> Vec<u64> {
        let mut stride = u64::from(ty.bytes());
        let outer = dimensions.iter().take(dimensions.len().saturating_sub(1));
        let strides = outer.map(|&elements| {
            stride = stride.saturating_mul(elements);
            stride
        });
        strides.collect()
    }

    /// Whether the tensor has no gaps.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.strides == Self::packed(&self.dimensions, self.ty)
    }

    /// The bytes of four rows of a box, including those outside the tensor.
    #[must_use]
    pub fn bytes_of_rows(&self) -> u64 {
        4 * self.extents[0] * u64::from(self.ty.bytes())
    }

    /// The runs of four rows of a box, consecutive in shared memory. Given are the first column and
    /// the number of each row. The map has two dimensions.
    #[must_use]
    pub fn runs_of_rows(&self, column: i64, rows: &[i64]) -> Vec<Run> {
        let row =
            Self { extents: vec![self.extents[0], 1], swizzle: Swizzle::None, ..self.clone() };
        let mut out = Vec::new();
        for (number, &at) in rows.iter().enumerate() {
            let before = number as u64 * row.bytes();
            for run in row.runs(&[column, at]) {
                push(&mut out, Run { shared: run.shared + before, ..run });
            }
        }
        self.permuted(out)
    }

    fn permuted(&self, runs: Vec<Run>) -> Vec<Run> {
        match self.swizzle {
            Swizzle::None => runs,
            swizzle => runs.iter().flat_map(|&run| permuted(run, swizzle)).collect(),
        }
    }

    /// The runs of the box whose first element has these coordinates, in order of shared memory if
    /// there is no swizzle.
    #[must_use]
    pub fn runs(&self, at: &[i64]) -> Vec<Run> {
        let size = u64::from(self.ty.bytes());
        let row = self.extents[0];
        let [first, end] = self.inside(0, at);
        let mut out = Vec::new();
        for number in 0..self.extents[1..].iter().product() {
            let shared = number * row;
            let mut add = |tensor: Option<u64>, from: u64, to: u64| {
                if from < to {
                    let (shared, bytes) = ((shared + from) * size, (to - from) * size);
                    push(&mut out, Run { tensor, shared, bytes });
                }
            };
            match self.row(number, at) {
                Some(start) if first < end => {
                    let column = at[0].saturating_add_unsigned(first).unsigned_abs();
                    add(None, 0, first);
                    add(Some(column.saturating_mul(size).saturating_add(start)), first, end);
                    add(None, end, row);
                }
                _ => add(None, 0, row),
            }
        }
        self.permuted(out)
    }

    /// The elements of a box that lie inside the tensor in a dimension, counted from the box's first.
    fn inside(&self, dimension: usize, at: &[i64]) -> [u64; 2] {
        let extent = self.extents[dimension];
        let before = if at[dimension] < 0 { at[dimension].unsigned_abs() } else { 0 };
        let left = self.dimensions[dimension].cast_signed().saturating_sub(at[dimension]);
        [before.min(extent), u64::try_from(left).unwrap_or(0).min(extent)]
    }

    /// Where the row of a box with a number begins that lies inside the tensor, in bytes.
    fn row(&self, mut number: u64, at: &[i64]) -> Option<u64> {
        let mut start = 0;
        for dimension in 1..self.extents.len() {
            let extent = self.extents[dimension];
            let place = number % extent;
            number /= extent;
            let [first, end] = self.inside(dimension, at);
            if !(first..end).contains(&place) {
                return None;
            }
            let index = at[dimension].saturating_add_unsigned(place).unsigned_abs();
            start = index.saturating_mul(self.strides[dimension - 1]).saturating_add(start);
        }
        Some(start)
    }
}

/// Adds a run, merged with the last one if it continues that.
fn push(runs: &mut Vec<Run>, run: Run) {
    if let Some(last) = runs.last_mut() {
        let continues = match (last.tensor, run.tensor) {
            (Some(before), Some(here)) => before + last.bytes == here,
            (before, here) => before == here,
        };
        if continues && last.shared + last.bytes == run.shared {
            last.bytes += run.bytes;
            return;
        }
    }
    runs.push(run);
}

/// A run in pieces of at most 16 bytes, each at its swizzled place.
fn permuted(run: Run, swizzle: Swizzle) -> Vec<Run> {
    let end = run.shared + run.bytes;
    let mut out = Vec::new();
    let mut from = run.shared;
    while from < end {
        let to = (from / 16 * 16 + 16).min(end);
        let tensor = run.tensor.map(|start| start + (from - run.shared));
        push(&mut out, Run { tensor, shared: swizzle.place(from), bytes: to - from });
        from = to;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::FileId;
    use crate::ptx::operation::TypeKind;

    fn map(dimensions: &[u64], extents: &[u64], swizzle: Swizzle) -> TensorMap {
        let span = Span::new(FileId::new(0), 0, 0);
        let name = |name: &str| Spanned::new(name.to_owned(), span);
        let strides = dimensions.iter().scan(4, |all, n| {
            *all *= n;
            Some(*all)
        });
        TensorMap {
            name: name("map"),
            tensor: name("x"),
            ty: Type::new(TypeKind::Unsigned, 32),
            dimensions: dimensions.to_vec(),
            extents: extents.to_vec(),
            strides: strides.take(dimensions.len() - 1).collect(),
            swizzle,
            span,
        }
    }

    fn run(tensor: Option<u64>, shared: u64, bytes: u64) -> Run {
        Run { tensor, shared, bytes }
    }

    #[test]
    fn rows_of_a_box_are_runs() {
        let map = map(&[8, 4], &[4, 2], Swizzle::None);
        assert_eq!(map.bytes(), 32);
        assert_eq!(map.runs(&[2, 1]), [run(Some(40), 0, 16), run(Some(72), 16, 16)]);
    }

    #[test]
    fn rows_that_are_whole_are_one_run() {
        assert_eq!(map(&[4, 4], &[4, 2], Swizzle::None).runs(&[0, 1]), [run(Some(16), 0, 32)]);
    }

    #[test]
    fn what_lies_outside_is_in_no_tensor() {
        let map = map(&[4, 2], &[4, 2], Swizzle::None);
        let left = [run(None, 0, 4), run(Some(0), 4, 12), run(None, 16, 4), run(Some(16), 20, 12)];
        assert_eq!(map.runs(&[-1, 0]), left);
        assert_eq!(map.runs(&[0, 1]), [run(Some(16), 0, 16), run(None, 16, 16)]);
        assert_eq!(map.runs(&[0, 2]), [run(None, 0, 32)]);
        assert_eq!(map.runs(&[i64::MIN, i64::MAX]), [run(None, 0, 32)]);
    }

    #[test]
    fn rows_are_gathered_from_anywhere() {
        let map = map(&[4, 8], &[4, 1], Swizzle::None);
        let found = map.runs_of_rows(0, &[6, 7, 0, 9]);
        let rows = [run(Some(96), 0, 32), run(Some(0), 32, 16), run(None, 48, 16)];
        assert_eq!(found, rows);
        assert_eq!(map.bytes_of_rows(), 64);
    }

    #[test]
    fn chunks_are_permuted_within_their_stretch() {
        let swizzle = Swizzle::Bytes128;
        let places: Vec<u64> = (0..16).map(|chunk| swizzle.place(128 + chunk * 16)).collect();
        assert_eq!(places[..4], [128 + 16, 128, 128 + 48, 128 + 32]);
        let mut all: Vec<u64> = (0..64).map(|chunk| swizzle.place(chunk * 16)).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq((0..64).map(|chunk| chunk * 16)));
        let map = map(&[32, 2], &[32, 2], swizzle);
        let runs = map.runs(&[0, 0]);
        assert_eq!((runs[0], runs[1]), (run(Some(0), 0, 128), run(Some(128), 144, 16)));
    }
}
