//! Products of matrices (PTX-9.7.15, PTX-9.7.16) into asynchronous operations: the matrices that each
//! reads, and the registers or columns that receive the result.
//!
//! - All threads of a warpgroup issue a product together. Products are counted thread by thread:
//!   those of one ordinal are one operation, whose accesses are those of the first thread that is
//!   unfolded.
//! - A register of a product may be accessed once a wait covers the product. Which waits cover it
//!   depends on the path, so products in flight are kept with their guards.

use super::access::{DraftAccess, OfOperation, Role, union};
use super::builder::GraphBuilder;
use super::entry::DraftKind;
use super::in_flight::{InFlight, WarpgroupProduct, product_of, warpgroup};
use super::issued::{GroupStep, Moves, ProductResult};
use super::memory::Does;
use super::symbolic::{Cell, State, SymbolicThread};
use crate::id::{AccessId, AgentId, ExprId};
use crate::program::expr::{Binary, Expr};
use crate::program::micro::{
    AsyncMicro, Confined, Micro, Product, Range, Target, TensorFence, TensorOp,
};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::Proxy;
use crate::rule::Rule;
use crate::source::Span;

/// Bytes of the first word of a matrix, which stands for its contents.
const WORD: u32 = 4;
/// The most bytes of Tensor Memory that an operation may write, over all places of a computed
/// address.
const MOST_BYTES: u64 = 1 << 12;
/// The alignment of a matrix, in bytes.
const CHUNK: u32 = 16;

impl<'p> SymbolicThread<'_, 'p> {
    /// Issues a product, or joins the product of another thread of the warpgroup.
    pub(super) fn multiply(
        &mut self,
        node: usize,
        micro: &'p AsyncMicro,
        product: &'p Product,
        state: &mut State,
        span: Span,
    ) {
        self.check_registers(product, state, span);
        let terms = product.matrices.iter().map(|matrix| &matrix.address);
        let addresses: Vec<ExprId> = terms.map(|term| self.term(term, state, None)).collect();
        let number = self.products.count;
        self.products.count += 1;
        let warpgroup = warpgroup(self.index, self.code);
        let same =
            |other: &WarpgroupProduct| other.warpgroup == warpgroup && other.number == number;
        let step = self.builder.issued.steps.len();
        let (sum, reads) = match self.builder.issued.products.iter().position(same) {
            Some(at) => {
                let operation = self.builder.issued.products[at].operation;
                self.announce(node, operation, micro.group, state, span);
                self.check_matrices(at, &addresses, state, span);
                self.builder.issued.products[at].members.push((self.index, state.guard));
                self.builder.issued.products[at].sum.clone()
            }
            None => {
                let operation = self.open(node, micro, state, span);
                let sum = self.sum(operation, &product.matrices, state, span);
                let members = vec![(self.index, state.guard)];
                let of = sum.clone();
                let product =
                    WarpgroupProduct { warpgroup, number, operation, members, addresses, sum };
                self.builder.issued.products.push(product);
                of
            }
        };
        self.accumulate(product, sum, &reads, state);
        self.products.in_flight.push(InFlight {
            step,
            guard: state.guard,
            accumulator: product.accumulator.clone(),
            fragments: product.fragments.clone(),
            shape: product.shape.clone(),
            span,
        });
    }

    /// Issues a product whose result goes to Tensor Memory.
    pub(super) fn multiply_in_memory(
        &mut self,
        node: usize,
        micro: &'p AsyncMicro,
        product: &'p Product,
        state: &State,
        span: Span,
    ) {
        let operation = self.open(node, micro, state, span);
        let is_free = micro.tensor.is_some_and(|kind| kind.op == TensorOp::Free);
        let (sum, reads) = self.sum(operation, &product.matrices, state, span);
        let addend = self.term(&product.addend, state, None);
        let sum = self.exprs().binary(Binary::Add, sum, addend);
        let accumulates = self.term(&product.accumulates, state, None);
        let reads = union(&reads, &self.term_reads(&product.accumulates, state));
        for range in &product.into {
            let target = chunk(range);
            let mut found = Vec::new();
            for (guard, place) in self.places(&target, Does::Write, state, span).list {
                if is_free && place.offset != 0 {
                    self.violate(guard, span, Rule::FreedPart);
                    continue;
                }
                found.push(self.access(&target, &place, state, guard, span));
            }
            let words = found.iter().map(|access| self.rest_of(access)).sum::<u64>();
            if found.len() > 1 && words > MOST_BYTES {
                self.builder.losses.columns = true;
                self.violate(state.guard, span, Rule::ComputedColumns);
                continue;
            }
            for access in found {
                let (bytes, reads) = (self.rest_of(&access), reads.clone());
                let result = ProductResult { sum, reads, accumulates };
                self.add_moves(operation, bytes, Vec::new(), vec![vec![access]], Some(result));
            }
        }
    }

    fn add_moves(
        &mut self,
        operation: usize,
        bytes: u64,
        sources: Vec<DraftAccess>,
        destinations: Vec<Vec<DraftAccess>>,
        product: Option<ProductResult>,
    ) {
        let copied = self.exprs().number(u128::from(bytes), 32);
        self.builder.issued.operations[operation].moves.push(Moves {
            reduction: None,
            bytes,
            strong: false,
            copied,
            open: [0, 0],
            mask: None,
            sources,
            destinations,
            product,
            answer: None,
        });
    }

    /// Loads words of Tensor Memory into registers.
    pub(super) fn load_columns(
        &mut self,
        operation: usize,
        list: &[(Target, usize)],
        state: &mut State,
        span: Span,
    ) {
        let part = Some(OfOperation { operation, role: Role::Source });
        for (target, register) in list {
            let width = target.bytes * 8;
            let mut cell = Cell { value: self.exprs().number(0, width), reads: Vec::new() };
            for (guard, place) in self.places(target, Does::Read, state, span).list {
                let access = self.access(target, &place, state, guard, span);
                let read = self.builder.push_access(DraftAccess { part, ..access });
                let word = self.exprs().leaf(Expr::Read(read), width);
                cell.value = self.exprs().ite(guard, word, cell.value);
                cell.reads.push(read);
            }
            cell.reads = union(&cell.reads, &self.term_reads(&target.address, state));
            let wide = self.code.registers[*register].ty.bits;
            cell.value = self.exprs().resize(cell.value, wide, false);
            state.cells[*register] = cell;
        }
    }

    /// Reports a thread that names other matrices than the first thread of its warpgroup.
    fn check_matrices(&mut self, product: usize, addresses: &[ExprId], state: &State, span: Span) {
        let others = self.builder.issued.products[product].addresses.clone();
        let mut same = self.exprs().truth(others.len() == addresses.len());
        for (&one, &other) in addresses.iter().zip(&others) {
            let equal = self.exprs().equal(one, other);
            same = self.exprs().and(same, equal);
        }
        let differ = self.exprs().not(same);
        let wrong = self.exprs().and(state.guard, differ);
        if !self.builder.exprs.is_false(wrong) {
            self.violate(wrong, span, Rule::WarpgroupMatrices);
        }
    }

    /// Reads matrices; gives the sum of their first words, and the reads that it is computed from.
    fn sum(
        &mut self,
        operation: usize,
        matrices: &'p [Range],
        state: &State,
        span: Span,
    ) -> (ExprId, Vec<AccessId>) {
        let (mut sum, mut reads) = (self.exprs().number(0, WORD * 8), Vec::new());
        for matrix in matrices {
            let (word, read) = self.matrix(operation, matrix, state, span);
            sum = self.exprs().binary(Binary::Add, sum, word);
            reads = union(&reads, &read);
        }
        (sum, reads)
    }

    /// Reads a matrix, which extends to the end of its variable; gives its first word.
    fn matrix(
        &mut self,
        operation: usize,
        matrix: &Range,
        state: &State,
        span: Span,
    ) -> (ExprId, Vec<AccessId>) {
        let target = chunk(matrix);
        let part = Some(OfOperation { operation, role: Role::Source });
        let (mut value, mut reads) = (self.exprs().number(0, WORD * 8), Vec::new());
        let found = self.places(&target, Does::Read, state, span).list;
        let only = found.len() == 1;
        for (guard, place) in found {
            let access = self.access(&target, &place, state, guard, span);
            let bytes = self.rest_of(&access) - u64::from(WORD);
            let rest = DraftAccess { offset: access.offset + u64::from(WORD), ..access.clone() };
            let (object, offset) = (access.object, access.offset);
            let read = self.builder.push_access(DraftAccess { bytes: WORD, part, ..access });
            if let Some(fixed) = self.fixed(object, offset, WORD) {
                self.builder.fixed.insert(read, fixed);
            }
            reads.push(read);
            let word = self.exprs().leaf(Expr::Read(read), WORD * 8);
            value = if only { word } else { self.exprs().ite(guard, word, value) };
            self.add_moves(operation, bytes, vec![rest], Vec::new(), None);
        }
        (value, reads)
    }

    /// The number of bytes from the start of an access to the end of its variable.
    fn rest_of(&self, access: &DraftAccess) -> u64 {
        let layout = &self.builder.program.layout;
        let variable = &layout.variables[layout.objects[access.object.index()].variable];
        variable.bytes() - access.offset
    }

    /// Writes the result of a product to its accumulator registers.
    fn accumulate(
        &mut self,
        product: &Product,
        sum: ExprId,
        reads: &[AccessId],
        state: &mut State,
    ) {
        let addend = self.term(&product.addend, state, None);
        let sum = self.exprs().binary(Binary::Add, sum, addend);
        let accumulates = self.term(&product.accumulates, state, None);
        let mut reads = union(reads, &self.term_reads(&product.addend, state));
        reads = union(&reads, &self.term_reads(&product.accumulates, state));
        let is_fresh = self.builder.exprs.is_false(accumulates);
        for &register in &product.accumulator {
            let old = state.cells[register].clone();
            let width = self.code.registers[register].ty.bits;
            let zero = self.exprs().number(0, width);
            let before = self.exprs().ite(accumulates, old.value, zero);
            let added = self.exprs().resize(sum, width, false);
            let value = self.exprs().binary(Binary::Add, before, added);
            let reads = if is_fresh { reads.clone() } else { union(&reads, &old.reads) };
            state.cells[register] = Cell { value, reads };
        }
    }

    /// Reports a product whose registers another product may still use, or that were accessed without
    /// a fence since.
    fn check_registers(&mut self, product: &Product, state: &State, span: Span) {
        let fenced = self.products.fenced;
        let mut unfenced = match fenced {
            None => state.guard,
            Some(fenced) => {
                let never = self.exprs().not(fenced);
                self.exprs().and(state.guard, never)
            }
        };
        let own = |register: &usize| {
            product.accumulator.contains(register) || product.fragments.contains(register)
        };
        let touched: Vec<_> =
            self.products.unfenced.iter().filter(|(register, _)| own(register)).copied().collect();
        for (_, when) in touched {
            let both = self.exprs().and(state.guard, when);
            unfenced = self.exprs().or(unfenced, both);
        }
        if !self.builder.exprs.is_false(unfenced) {
            self.violate(unfenced, span, Rule::WarpgroupFence);
        }
        let excluded: Vec<usize> = (0..self.products.in_flight.len())
            .filter(|&at| self.products.in_flight[at].excludes(product))
            .collect();
        self.check_in_use(&excluded, state, span);
    }

    /// Reports an access to registers that some products in flight may still use.
    fn check_in_use(&mut self, in_flight: &[usize], state: &State, span: Span) {
        for &at in in_flight {
            let in_use = self.in_use(at, state.guard);
            if !self.builder.exprs.is_false(in_use) {
                self.violate(in_use, span, Rule::ProductRegisters);
            }
        }
    }

    /// The condition that a product happens and no wait has covered it at a point with the guard `now`.
    fn in_use(&mut self, at: usize, now: ExprId) -> ExprId {
        let InFlight { step, guard, .. } = self.products.in_flight[at];
        let both = self.exprs().and(guard, now);
        let covered = self.builder.covered_since(self.index, step, both);
        let open = self.exprs().not(covered);
        self.exprs().and(both, open)
    }

    /// Checks the registers that a micro-operation other than a product accesses.
    pub(super) fn touch_registers(&mut self, micro: &Micro, state: &State, span: Span) {
        if self.products.used.is_empty() || product_of(micro).is_some() {
            return;
        }
        let (read, written) = micro.effects();
        let mut touched: Vec<usize> =
            read.into_iter().chain(written).filter(|r| self.products.used.contains(r)).collect();
        touched.sort_unstable();
        touched.dedup();
        let in_flight = |product: &InFlight| touched.iter().any(|&register| product.uses(register));
        let used: Vec<usize> = (0..self.products.in_flight.len())
            .filter(|&at| in_flight(&self.products.in_flight[at]))
            .collect();
        self.check_in_use(&used, state, span);
        self.products.unfenced.extend(touched.into_iter().map(|register| (register, state.guard)));
    }

    /// Reports products that no wait covers before the thread ends, if the condition mentions their
    /// accumulators.
    pub(super) fn check_observed_products(&mut self, end: &State) {
        for at in 0..self.products.in_flight.len() {
            let product = &self.products.in_flight[at];
            if product.accumulator.iter().any(|register| self.observed.contains(register)) {
                let span = product.span;
                self.check_in_use(&[at], end, span);
            }
        }
    }

    /// A fence of the tensor cores.
    pub(super) fn tensor_fence(&mut self, kind: TensorFence, state: &State, span: Span) {
        self.push_other(DraftKind::TensorFence(kind), state.guard, span);
        if kind != TensorFence::Warpgroup {
            return;
        }
        let before = self.products.fenced;
        let fenced = before.map_or(state.guard, |before| self.exprs().or(before, state.guard));
        self.products.fenced = Some(fenced);
        let not_here = self.exprs().not(state.guard);
        for (register, when) in std::mem::take(&mut self.products.unfenced) {
            let still = self.exprs().and(when, not_here);
            if !self.builder.exprs.is_false(still) {
                self.products.unfenced.push((register, still));
            }
        }
    }

    /// Forgets the products that waits cover on every path.
    pub(super) fn forget_products(&mut self) {
        let always = self.exprs().truth(true);
        let open: Vec<bool> = (0..self.products.in_flight.len())
            .map(|at| {
                let in_use = self.in_use(at, always);
                !self.builder.exprs.is_false(in_use)
            })
            .collect();
        let mut open = open.into_iter();
        self.products.in_flight.retain(|_| open.next().unwrap_or(true));
    }
}

impl GraphBuilder<'_> {
    /// The condition that a wait covers the product issued at step `from`, given `both`.
    fn covered_since(&mut self, thread: usize, from: usize, both: ExprId) -> ExprId {
        let steps = std::mem::take(&mut self.issued.steps);
        let mut commits = Vec::new();
        let mut covered = self.exprs.truth(false);
        for step in &steps[from..] {
            match *step {
                GroupStep::Commit { thread: of, kind: GroupKind::Warpgroup, guard }
                    if of == thread =>
                {
                    commits.push(guard);
                }
                GroupStep::Wait { thread: of, wait, guard, .. }
                    if of == thread && wait.kind == GroupKind::Warpgroup =>
                {
                    let here = self.exprs.and(both, guard);
                    let closed = self.closes_more(here, &commits, wait.but);
                    let here = self.exprs.and(guard, closed);
                    covered = self.exprs.or(covered, here);
                }
                _ => {}
            }
        }
        self.issued.steps = steps;
        covered
    }

    /// Reports products that some thread of their warpgroup ends without having issued.
    pub(super) fn check_warpgroups(&mut self) {
        let threads = &self.program.threads;
        for product in std::mem::take(&mut self.issued.products) {
            let all = product.members.iter().map(|(_, guard)| *guard).collect::<Vec<_>>();
            let none = self.exprs.truth(false);
            let any = all.into_iter().fold(none, |any, guard| self.exprs.or(any, guard));
            for (index, thread) in threads.iter().enumerate() {
                if warpgroup(index, thread) != product.warpgroup {
                    continue;
                }
                let own = product.members.iter().find(|(member, _)| *member == index);
                let comes = own.map_or(none, |(_, guard)| *guard);
                let never = self.exprs.not(comes);
                let ended = self.exprs.and(self.ends[index], never);
                let passed_by = self.exprs.and(any, ended);
                if !self.exprs.is_false(passed_by) {
                    self.violated_by(product.operation, passed_by, Rule::WarpgroupDiverges);
                    let violation = self.violations.last_mut().expect("it was added just now");
                    violation.ended.push(AgentId::new(index + 1));
                }
            }
        }
    }
}

/// The first aligned chunk of a range, which extends to the end of its variable.
fn chunk(range: &Range) -> Target {
    let proxy = match range.confined {
        Confined::TensorMemory => Proxy::TensorMemory,
        _ => Proxy::Async,
    };
    range.target(CHUNK, proxy)
}
