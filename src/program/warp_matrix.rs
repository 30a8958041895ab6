//! Matrices that the threads of a warp load and store together as micro-operations.
//!
//! Each lane accesses its fragment, and nobody else's (PTX-9.7.14.5.15). The rows of `ldmatrix` and
//! `stmatrix` lie where other lanes say: an access has the lane that gives its address.

use super::expr::Binary;
use super::lower::Lowering;
use super::micro::{Confined, Micro, Supplied, Target};
use super::term::{Extension, Term};
use crate::ptx::matrix::{FragmentShape, MatrixShape, Part, ROW_BYTES};
use crate::ptx::operation::{Order, Proxy, Type, TypeKind, Value};
use crate::ptx::written::Written;
use crate::rule::Rule;

const ADDRESS: Type = Type::new(TypeKind::Unsigned, 64);

impl Lowering<'_> {
    /// `ldmatrix`
    pub(super) fn load_matrix(&mut self, written: &Written) {
        let shape = MatrixShape::of(&written.words);
        self.supply(written, shape, Supplied::Read);
        let parts = shape.parts(self.at.lane.unwrap_or(0));
        let mut loads = Vec::new();
        let mut pieces: Vec<Vec<(Part, Term)>> = vec![Vec::new(); shape.registers()];
        for (number, part) in parts.into_iter().enumerate() {
            let value = match self.row(written, part) {
                Some(target) => {
                    let register = self.registers.temporary(number);
                    loads.push(Micro::Load {
                        target,
                        destination: Some((register, Extension::Zero)),
                    });
                    Term::Register(register).bits(0, 8 * part.bytes)
                }
                None => {
                    Term::Free("a row that no thread of the test names".to_owned(), 8 * part.bytes)
                }
            };
            pieces[part.register].push((part, value));
        }
        self.elements(loads, Order::Weak);
        for (register, pieces) in written.registers().iter().zip(pieces) {
            match together(&pieces) {
                Some(value) => self.assign(register, value, Extension::Zero),
                None => {
                    let operands =
                        pieces.iter().flat_map(|(_, value)| registers_of(value)).collect();
                    let results = register.as_ref().and_then(|r| self.registers.index(&r.value));
                    self.unknown(written, results.into_iter().collect(), operands);
                }
            }
        }
    }

    /// `stmatrix`
    pub(super) fn store_matrix(&mut self, written: &Written) {
        let shape = MatrixShape::of(&written.words);
        self.supply(written, shape, Supplied::Written);
        let values = written.elements("r").unwrap_or(&[]);
        let mut stores = Vec::new();
        for part in shape.parts(self.at.lane.unwrap_or(0)) {
            let (Some(target), Some(at)) = (self.row(written, part), part.at) else { continue };
            let Some(value) = values.get(part.register) else { continue };
            let value = self.value(value, Type::B32).bits(8 * at, 8 * part.bytes);
            stores.push(Micro::Store { target, value });
        }
        self.elements(stores, Order::Weak);
    }

    /// Tells the other lanes where the row of this one lies, of which those beyond the last row are not
    /// asked.
    fn supply(&mut self, written: &Written, shape: MatrixShape, how: Supplied) {
        let is_asked = self.at.lane.unwrap_or(0) < shape.rows();
        let row = is_asked.then(|| self.in_row(written, 0, ROW_BYTES));
        self.out.push(Micro::Supply { row, how, shape });
    }

    /// An access to a part of a row; `None` if the test has no thread for the lane that gives its
    /// address.
    fn row(&self, written: &Written, part: Part) -> Option<Target> {
        let own = self.at.lane.unwrap_or(0);
        let lane = (part.row != own).then_some(part.row);
        let is_there = part.row == own || part.row < self.at.lanes;
        is_there.then(|| Target { lane, ..self.in_row(written, part.offset, part.bytes) })
    }

    fn in_row(&self, written: &Written, offset: u32, bytes: u32) -> Target {
        let (address, space) =
            self.address(written.address(), written.words.space(), u64::from(offset));
        let confined = Some(Confined::Own(Rule::MatrixOutsideShared));
        Target {
            whole: ROW_BYTES,
            within: offset,
            ..Target::weak(address, space, bytes, Proxy::Generic, confined)
        }
    }

    /// `wmma.load`
    pub(super) fn load_fragment(&mut self, written: &Written) {
        let targets = self.fragment(written, written.registers().len());
        let temporaries: Vec<usize> =
            (0..targets.len()).map(|number| self.registers.wide_temporary(number)).collect();
        let load = |(target, &register): (Target, &usize)| Micro::Load {
            target,
            destination: Some((register, Extension::Zero)),
        };
        let loads = targets.into_iter().zip(&temporaries).map(load).collect();
        self.elements(loads, Order::Weak);
        let named = written.registers().iter().flatten();
        let results = named.filter_map(|r| self.registers.index(&r.value)).collect();
        self.unknown(written, results, temporaries);
    }

    /// `wmma.store`
    pub(super) fn store_fragment(&mut self, written: &Written) {
        let values = written.elements("r").unwrap_or(&[]);
        let targets = self.fragment(written, values.len());
        let temporaries: Vec<usize> =
            (0..targets.len()).map(|number| self.registers.temporary(number)).collect();
        let register = |value: &Value| match value {
            Value::Register(register) => self.registers.index(&register.value),
            _ => None,
        };
        let operands = values.iter().filter_map(register).collect();
        self.unknown(written, temporaries.clone(), operands);
        let store = |(target, register): (Target, usize)| {
            let value = Term::Register(register).bits(0, 8 * target.bytes);
            Micro::Store { target, value }
        };
        let stores = targets.into_iter().zip(temporaries).map(store).collect();
        self.elements(stores, Order::Weak);
    }

    /// The accesses of this lane to a matrix in rows or columns of one distance. All of these begin at
    /// a multiple of the size of a fragment (PTX-9.7.14.4.2).
    fn fragment(&mut self, written: &Written, registers: usize) -> Vec<Target> {
        let shape = FragmentShape::of(&written.words);
        let (start, space) = self.address(written.address(), written.words.space(), 0);
        let distance = match written.optional("stride") {
            Some(stride) => {
                let elements = self.value(stride, ADDRESS);
                let bits = elements.binary(Binary::Mul, constant(u64::from(shape.bits)));
                bits.binary(Binary::LShr, constant(3))
            }
            None => constant(u64::from(shape.line_bytes())),
        };
        let size = registers as u64 * u64::from(shape.bits.max(32) / 8).min(8);
        if size.is_power_of_two() {
            let all = start.clone().binary(Binary::Or, distance.clone());
            let rest = all.binary(Binary::And, constant(size - 1));
            self.require(rest.equals(constant(0)), Rule::Misaligned);
        }
        let confined = Some(Confined::GlobalOrShared(Rule::FragmentElsewhere));
        let target = |(line, byte): (u32, u32)| {
            let behind = distance.clone().binary(Binary::Mul, constant(u64::from(line)));
            let address = start.clone().binary(Binary::Add, behind);
            let address = address.binary(Binary::Add, constant(u64::from(byte)));
            Target::weak(address, space, shape.grain(), Proxy::Generic, confined.clone())
        };
        shape.parts(self.at.lane.unwrap_or(0)).map(target).collect()
    }

    /// Gives registers values that nobody knows, which depend on others.
    fn unknown(&mut self, written: &Written, results: Vec<usize>, operands: Vec<usize>) {
        let words = written.words.texts();
        let name = std::iter::once(written.form.opcode).chain(words.iter().map(|word| &**word));
        let name = name.collect::<Vec<_>>().join(".");
        self.unknown_registers(&name, results, operands);
    }
}

fn constant(number: u64) -> Term {
    Term::Const(u128::from(number), 64)
}

/// The register that is made of parts; `None` if some bits are spread.
fn together(pieces: &[(Part, Term)]) -> Option<Term> {
    let placed = pieces.iter().map(|(part, value)| {
        let bits = Term::Const(u128::from(8 * part.at?), 32);
        Some(value.clone().resize(32, Extension::Zero).binary(Binary::Shl, bits))
    });
    let placed: Vec<Term> = placed.collect::<Option<_>>()?;
    placed.into_iter().reduce(|all, one| all.binary(Binary::Or, one))
}

fn registers_of(value: &Term) -> Vec<usize> {
    let mut out = Vec::new();
    value.registers(&mut out);
    out
}
