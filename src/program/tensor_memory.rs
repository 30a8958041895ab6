//! The tensor cores of the fifth generation (PTX-9.7.16) as micro-operations, and addresses in Tensor
//! Memory.
//!
//! A column of Tensor Memory is represented by [`COLUMN`] bytes: one word for each warp of a
//! warpgroup, which stands for the lanes that the warp can access. Columns have addresses in the
//! window of shared memory, since they belong to a CTA; no other instruction accesses these addresses.

use super::asynchronous::in_cta;
use super::expr::Binary;
use super::lower::Lowering;
use super::micro::{
    Align, AsyncEffect, AsyncMicro, Behind, Confined, Micro, Product, Range, Signal, SignalKind,
    SignalPlace, Target, TensorKind, TensorOp, Tracked,
};
use super::term::{Extension, Term};
use crate::litmus::ast::ThreadPlace;
use crate::litmus::tensor_memory::COLUMN;
use crate::ptx::asynchronous::{AsyncOp, GroupKind};
use crate::ptx::operation::{Address, Proxy, Scope, Space, Type, TypeKind, Value};
use crate::ptx::written::Written;
use crate::rule::Rule;

const ADDRESS: Type = Type::new(TypeKind::Unsigned, 32);
/// The low bits of an address of Tensor Memory, which hold the column; the others hold the lane
/// (PTX-9.7.16.1).
const COLUMN_BITS: u32 = 16;
/// Bytes of a word.
const WORD: u32 = 4;
/// The number that `tcgen05.shift` adds to a word, to make the shifted value distinguishable: it
/// represents the contents of other rows.
const SHIFTED: u128 = 100;

impl Lowering<'_> {
    /// The value of a variable's name: its address, counted in columns for Tensor Memory.
    pub(super) fn value_of_name(&self, name: &str) -> u64 {
        let start = self.start_of(name);
        let variable = self.layout.variable(name).map(|at| &self.layout.variables[at]);
        match variable.is_some_and(|variable| variable.tensor_memory) {
            true => start / u64::from(COLUMN),
            false => start,
        }
    }

    /// Lowers an instruction that issues an operation of the tensor cores or waits for operations.
    pub(super) fn tensor_operation(&mut self, op: AsyncOp, written: &Written) {
        match op {
            AsyncOp::TensorMultiply => self.tensor_product(written),
            AsyncOp::TensorMove => {
                let into = self.everywhere(written, self.columns(written, "t"));
                let matrices = self.everywhere(written, self.matrix(written.value("s")));
                let small = written.words.has("4x256b");
                self.product(written, TensorOp::Move { small }, matrices, into, None);
            }
            AsyncOp::TensorShift => {
                let into = self.everywhere(written, self.columns(written, "t"));
                self.product(written, TensorOp::Shift, Vec::new(), into, Some(Term::truth(true)));
            }
            AsyncOp::TensorCommit => self.tensor_commit(written),
            AsyncOp::TensorLoad => self.load_columns(written),
            _ => self.store_columns(written),
        }
    }

    /// `tcgen05.mma`
    fn tensor_product(&mut self, written: &Written) {
        let first = match written.memory("a") {
            Some(_) => self.columns(written, "a"),
            None => self.matrix(written.value("a")),
        };
        let own = [first, self.matrix(written.value("b"))].into_iter();
        let scales = ["meta", "sa", "sb"].into_iter();
        let scales = scales.filter(|name| written.memory(name).is_some());
        let own = own.chain(scales.map(|name| self.columns(written, name)));
        let matrices = own.flat_map(|range| self.everywhere(written, range)).collect();
        let into = self.everywhere(written, self.columns(written, "t"));
        let accumulates = self.value(written.value("p"), Type::PREDICATE);
        self.product(written, TensorOp::Multiply, matrices, into, Some(accumulates));
    }

    /// An operation that reads matrices and writes columns, and reads the columns if it accumulates.
    fn product(
        &mut self,
        written: &Written,
        op: TensorOp,
        matrices: Vec<Range>,
        into: Vec<Range>,
        accumulates: Option<Term>,
    ) {
        let (name, addend) = match op {
            TensorOp::Multiply => ("tcgen05.mma", 0),
            TensorOp::Shift => ("tcgen05.shift", SHIFTED),
            _ => ("tcgen05.cp", 0),
        };
        let product = Product {
            matrices,
            addend: Term::Const(addend, 32),
            accumulator: Vec::new(),
            accumulates: accumulates.unwrap_or(Term::truth(false)),
            fragments: Vec::new(),
            shape: String::new(),
            into,
        };
        let proxy = match op {
            TensorOp::Shift => Proxy::TensorMemory,
            _ => Proxy::Async,
        };
        let is_copy = op == TensorOp::Multiply;
        let effect = AsyncEffect::Product(Box::new(product));
        let micro = self.of_tensor(written, name, op, effect);
        self.out.push(Micro::Issue(Box::new(AsyncMicro { proxy, is_copy, ..micro })));
    }

    fn of_tensor(
        &self,
        written: &Written,
        name: &'static str,
        op: TensorOp,
        effect: AsyncEffect,
    ) -> AsyncMicro {
        AsyncMicro {
            name,
            effect,
            signals: Vec::new(),
            group: None,
            tracked: Tracked::Whole,
            proxy: Proxy::TensorMemory,
            is_copy: false,
            signals_at: SignalPlace::Destination,
            tensor: Some(TensorKind { op, pair: written.words.has("cta_group::2") }),
        }
    }

    /// `tcgen05.commit`: an arrival after the completion of the operations that the thread has issued
    /// (PTX-9.7.16.12).
    fn tensor_commit(&mut self, written: &Written) {
        let (address, space, _) = written.accesses().next().expect("it names an mbarrier");
        let template = self.object(address, space, None, Scope::Cluster);
        let ctas = self.multicast(written);
        let range = self.range((address, space), Confined::OwnShared, Align::Size);
        let objects = ctas.everywhere(range);
        let mut signals = Vec::new();
        for (at, object) in objects.into_iter().enumerate() {
            let target = Target { address: object.address, ..template.clone() };
            let target = match ctas.0.is_empty() {
                true => Target { space: template.space, ..target },
                false => Target { space: Space::SharedCluster, ..target },
            };
            let signal = self.signal(target, SignalKind::Arrival, at);
            signals.push(Signal { when: object.when, ..signal });
        }
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name: "tcgen05.commit",
            effect: AsyncEffect::Behind(Behind::Tensor { pair: written.words.has("cta_group::2") }),
            signals,
            group: None,
            tracked: Tracked::Whole,
            proxy: Proxy::Generic,
            is_copy: false,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// Requires that the test has one thread in the warp: a column has one word for all lanes of a warp,
    /// so that one thread has to represent the warp.
    fn require_one_lane(&mut self) {
        if self.at.lanes > 1 {
            self.require(Term::truth(false), Rule::LanesOfColumns);
        }
    }

    /// `tcgen05.ld`: a register for each column.
    fn load_columns(&mut self, written: &Written) {
        self.require_one_lane();
        let (address, offset) = self.taddr(written, "t");
        let registers = written.registers().iter();
        let registers = registers.map(|r| self.registers.index(&r.as_ref()?.value));
        let loads = registers.enumerate().filter_map(|(column, register)| {
            let target = self.word_of_column(&address, offset + column as u64);
            Some((target, register?))
        });
        let effect = AsyncEffect::LoadColumns(loads.collect());
        let micro = self.of_tensor(written, "tcgen05.ld", TensorOp::Load, effect);
        let group = Some(GroupKind::TensorLoad);
        self.out.push(Micro::Issue(Box::new(AsyncMicro { group, ..micro })));
    }

    /// `tcgen05.st`
    fn store_columns(&mut self, written: &Written) {
        self.require_one_lane();
        let (address, offset) = self.taddr(written, "t");
        let values = written.elements("r").unwrap_or(&[]).iter().enumerate();
        let stores = values.map(|(column, value)| {
            let target = self.word_of_column(&address, offset + column as u64);
            (target, self.value(value, Type::B32))
        });
        let effect = AsyncEffect::StoreColumns(stores.collect());
        let micro = self.of_tensor(written, "tcgen05.st", TensorOp::Store, effect);
        let group = Some(GroupKind::TensorStore);
        self.out.push(Micro::Issue(Box::new(AsyncMicro { group, ..micro })));
    }

    /// `tcgen05.alloc`: a store of the address of the next variable of Tensor Memory to shared memory.
    pub(super) fn allocate_columns(&mut self, written: &Written) {
        let (address, space, _) = written.accesses().next().expect("it names where to");
        let (address, space) = self.address(address, space, 0);
        let mut variables = self.layout.variables.iter().filter(|variable| variable.tensor_memory);
        let found = variables.nth(self.allocated);
        self.allocated += 1;
        let Some(start) = found.map(|variable| variable.address) else {
            return self.outside(Rule::UndeclaredColumns);
        };
        let value = Term::Const(u128::from(start / u64::from(COLUMN)), 32);
        let confined = Some(Confined::Own(Rule::AllocationOutsideShared));
        let target = Target::weak(address, space, WORD, Proxy::Generic, confined);
        self.out.push(Micro::Store { target, value });
    }

    /// `tcgen05.dealloc`: lowered as a store to the columns, since no access may follow it.
    pub(super) fn free_columns(&mut self, written: &Written) {
        self.require_one_lane();
        let address = self.value(written.value("at"), ADDRESS);
        let product = Product {
            matrices: Vec::new(),
            addend: Term::Free("freed columns".to_owned(), 32),
            accumulator: Vec::new(),
            accumulates: Term::truth(false),
            fragments: Vec::new(),
            shape: String::new(),
            into: vec![columns_at(&address, 0)],
        };
        let effect = AsyncEffect::Product(Box::new(product));
        let micro = self.of_tensor(written, "tcgen05.dealloc", TensorOp::Free, effect);
        self.out.push(Micro::Issue(Box::new(micro)));
    }

    /// A range in the CTA and, for an instruction of a CTA pair, the same range in the peer CTA.
    fn everywhere(&self, written: &Written, own: Range) -> Vec<Range> {
        let peer = self.peer().filter(|_| written.words.has("cta_group::2"));
        let Some(peer) = peer else { return vec![own] };
        let address = in_cta(&own.address, peer);
        let other = Range { address, space: Space::SharedCluster, ..own.clone() };
        vec![own, other]
    }

    /// The rank of the peer CTA, if the test has it. The ranks of a pair differ in the lowest bit
    /// (PTX-9.7.16.5).
    fn peer(&self) -> Option<u64> {
        let ThreadPlace::Device(place) = self.place else { return None };
        let ctas = self.layout.cluster_ctas(place);
        let rank = ctas.iter().position(|&cta| cta == place.cta)? ^ 1;
        (rank < ctas.len()).then_some(rank as u64)
    }

    /// The columns that begin at the address of an operand.
    fn columns(&self, written: &Written, name: &str) -> Range {
        let (address, offset) = self.taddr(written, name);
        columns_at(&address, offset)
    }

    /// The address of an operand in Tensor Memory, of 32 bits, and its constant offset in columns.
    fn taddr(&self, written: &Written, name: &str) -> (Term, u64) {
        let operand = written.memory(name).expect("its form has this address");
        let Address { base, offset, .. } = operand;
        let (base, inner) = match base {
            Value::AddressOf(variable, inner) => (Value::AddressOf(variable.clone(), 0), *inner),
            other => (other.clone(), 0),
        };
        (self.value(&base, ADDRESS), inner.wrapping_add(*offset) as u64)
    }

    /// The word of a column that belongs to the lanes of the thread's warp.
    fn word_of_column(&self, address: &Term, offset: u64) -> Target {
        let warp = match self.place {
            ThreadPlace::Device(place) => place.warp.unwrap_or(0),
            ThreadPlace::Host => 0,
        };
        let lanes = u128::from(warp % (COLUMN / WORD) * WORD);
        let column = columns_at(address, offset);
        let address = column.address.clone().binary(Binary::Add, Term::Const(lanes, 64));
        Target { address, ..column.target(WORD, Proxy::TensorMemory) }
    }
}

/// The columns that begin at an address.
fn columns_at(address: &Term, offset: u64) -> Range {
    let column = address.clone().bits(0, COLUMN_BITS).resize(64, Extension::Zero);
    let column = column.binary(Binary::Add, Term::Const(u128::from(offset), 64));
    let bits = Term::Const(u128::from(COLUMN.trailing_zeros()), 64);
    Range {
        replica: None,
        address: column.binary(Binary::Shl, bits),
        space: Space::SharedCta,
        confined: Confined::TensorMemory,
        align: Align::Bytes(COLUMN),
        when: Term::truth(true),
    }
}
