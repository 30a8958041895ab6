//! The shapes of matrices that a warp loads or stores together, and the part of each lane
//! (PTX-9.7.14.4, PTX-9.7.14.5).

use super::words::Words;

/// The bytes of a row of `ldmatrix` and `stmatrix`, in memory.
pub const ROW_BYTES: u32 = 16;

/// The matrices of a `ldmatrix` or `stmatrix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// How many.
    number: u32,
    elements: Elements,
    /// Whether a lane has its elements from one row, or each from another one.
    transposed: bool,
}

/// The elements of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    /// 8 rows of 8 elements with 16 bits.
    Halves,
    /// `.m16n16`: 16 rows of 16 elements with so many bits in memory.
    Square(u32),
    /// `.m8n16`: 8 rows of 16 elements with so many bits in memory.
    Wide(u32),
    /// `.m16n8`: 8 columns of 16 bytes.
    Tall,
}

/// Bytes of a row that a lane accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The row, which is the number of the lane that gives its address.
    pub row: u32,
    /// The first byte in the row.
    pub offset: u32,
    /// How many.
    pub bytes: u32,
    /// The register of the lane.
    pub register: usize,
    /// The byte of the register that holds the first one; `None` where bits are spread.
    pub at: Option<u32>,
}

impl MatrixShape {
    /// The shape that these qualifiers say.
    #[must_use]
    pub fn of(words: &Words) -> Self {
        let number = if words.has("x4") { 4 } else { 1 + u32::from(words.has("x2")) };
        let bits = match () {
            () if words.has("b6x16_p32") => 6,
            () if words.has("b4x16_p64") => 4,
            () => 8,
        };
        let elements = match () {
            () if words.has("m16n16") => Elements::Square(bits),
            () if words.has("m8n16") => Elements::Wide(bits),
            () if words.has("m16n8") => Elements::Tall,
            () => Elements::Halves,
        };
        Self { number, elements, transposed: words.has("trans") }
    }

    /// How many registers of 32 bits a lane has.
    #[must_use]
    pub fn registers(self) -> usize {
        let each = if matches!(self.elements, Elements::Square(_)) { 2 } else { 1 };
        (self.number * each) as usize
    }

    /// How many lanes, from the first one on, give the address of a row.
    #[must_use]
    pub fn rows(self) -> u32 {
        let each = if matches!(self.elements, Elements::Square(_)) { 16 } else { 8 };
        self.number * each
    }

    /// What a lane accesses, register by register.
    #[must_use]
    pub fn parts(self, lane: u32) -> Vec<Part> {
        let (high, low) = (lane / 4, lane % 4);
        let mut out = Vec::new();
        for matrix in 0..self.number {
            let register = matrix as usize;
            let part = |row: u32, offset, bytes, at| Part { row, offset, bytes, register, at };
            match self.elements {
                Elements::Halves if self.transposed => {
                    let pair =
                        (0..2).map(|i| part(8 * matrix + 2 * low + i, 2 * high, 2, Some(2 * i)));
                    out.extend(pair);
                }
                Elements::Halves => out.push(part(8 * matrix + high, 4 * low, 4, Some(0))),
                Elements::Wide(bits) => {
                    let first = part(8 * matrix + high, low * bits / 2, 1, None);
                    let bytes = 0..bits / 2;
                    out.extend(bytes.map(|byte| Part { offset: first.offset + byte, ..first }));
                }
                Elements::Square(bits) => {
                    for half in 0..2 {
                        for i in 0..4 {
                            let one = part(16 * matrix + 4 * low + i, 0, 1, None);
                            let register = 2 * register + half as usize;
                            out.extend(packed(high + 8 * half, bits).map(|(offset, is_whole)| {
                                Part { offset, register, at: is_whole.then_some(i), ..one }
                            }));
                        }
                    }
                }
                Elements::Tall => {
                    out.extend((0..4).map(|i| {
                        part(8 * matrix + 2 * low + i % 2, high + 8 * (i / 2), 1, Some(i))
                    }))
                }
            }
        }
        out
    }
}

/// The bytes of a row with the bits of an element, and whether the element is one of them.
fn packed(element: u32, bits: u32) -> impl Iterator<Item = (u32, bool)> {
    let (first, last) = (element * bits, (element + 1) * bits - 1);
    (first / 8..=last / 8).map(move |byte| (byte, bits == 8))
}

/// A matrix of `wmma.load` or `wmma.store` in memory: rows, or columns, of one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentShape {
    /// How many rows or columns.
    pub lines: u32,
    /// The elements of each.
    pub elements: u32,
    /// The bits of an element.
    pub bits: u32,
}

impl FragmentShape {
    /// The shape that these qualifiers say.
    #[must_use]
    pub fn of(words: &Words) -> Self {
        let sizes = words.plain().find_map(|word| {
            let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
            let (n, k) = rest.split_once('k')?;
            Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
        });
        let [m, n, k]: [u32; 3] = sizes.unwrap_or_default();
        let (rows, columns) = match () {
            () if words.has("a") => (m, k),
            () if words.has("b") => (k, n),
            () => (m, n),
        };
        let (lines, elements) = if words.has("row") { (rows, columns) } else { (columns, rows) };
        let bits = match words.plain().last().unwrap_or_default() {
            "b1" => 1,
            "s4" | "u4" => 4,
            "s8" | "u8" => 8,
            "f16" | "bf16" => 16,
            "f64" => 64,
            _ => 32,
        };
        Self { lines, elements, bits }
    }

    /// The bytes of a row or column.
    #[must_use]
    pub fn line_bytes(self) -> u32 {
        self.elements * self.bits / 8
    }

    /// The bytes of one access of a lane: a word, or an element if it is larger.
    #[must_use]
    pub fn grain(self) -> u32 {
        (self.bits / 8).max(4).min(self.line_bytes().max(1))
    }

    /// What a lane accesses: row or column, and the first byte in it. The standard leaves open which
    /// lane has which elements; here they are dealt out in the order of memory.
    pub fn parts(self, lane: u32) -> impl Iterator<Item = (u32, u32)> {
        let (line, grain) = (self.line_bytes(), self.grain());
        let each = self.lines * line / grain / 32;
        (0..each).map(move |part| {
            let byte = (lane * each + part) * grain;
            (byte / line, byte % line)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn shape(number: u32, elements: Elements, transposed: bool) -> MatrixShape {
        MatrixShape { number, elements, transposed }
    }

    #[test]
    fn lanes_share_out_the_rows() {
        let shapes = [
            (shape(1, Elements::Halves, false), 16),
            (shape(4, Elements::Halves, true), 16),
            (shape(2, Elements::Square(8), true), 16),
            (shape(4, Elements::Wide(6), false), 12),
            (shape(2, Elements::Wide(4), false), 8),
            (shape(4, Elements::Tall, true), 16),
        ];
        for (shape, bytes) in shapes {
            let mut seen = BTreeSet::new();
            for lane in 0..32 {
                for part in shape.parts(lane) {
                    assert!(part.register < shape.registers(), "{shape:?}");
                    for byte in part.offset..part.offset + part.bytes {
                        assert!(seen.insert((part.row, byte)), "{shape:?} {part:?}");
                    }
                }
            }
            let all = (0..shape.rows()).flat_map(|row| (0..bytes).map(move |byte| (row, byte)));
            assert_eq!(seen, all.collect(), "{shape:?}");
        }
    }

    #[test]
    fn lanes_share_out_fragments() {
        for (lines, elements, bits) in
            [(16, 16, 16), (8, 32, 4), (8, 128, 1), (8, 4, 64), (16, 8, 32)]
        {
            let shape = FragmentShape { lines, elements, bits };
            let parts: BTreeSet<_> = (0..32).flat_map(|lane| shape.parts(lane)).collect();
            let all = shape.lines * shape.line_bytes() / shape.grain();
            assert_eq!(parts.len() as u32, all, "{shape:?}");
        }
    }
}
