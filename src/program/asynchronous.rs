//! Asynchronous instructions (PTX-8.9.1.1) as micro-operations. They have memory effects and
//! signals at mbarriers, and groups that threads commit and wait for.

use super::expr::Binary;
use super::layout::SHARED_CTA_BITS;
use super::lower::Lowering;
use super::micro::{
    Align, AsyncEffect, AsyncMicro, AwaitMicro, Behind, Combination, Confined, Marks, Micro, Range,
    Signal, SignalKind, SignalPlace, Target, Tracked, Transfer,
};
use super::reading::{Edition, StoreSignal};
use super::special::opaque;
use super::term::{Extension, Term, atomic_result};
use crate::litmus::ast::ThreadPlace;
use crate::ptx::asynchronous::{AsyncOp, GroupKind};
use crate::ptx::floating::Subnormals;
use crate::ptx::names;
use crate::ptx::operation::{Address, AtomicOp, Order, Proxy, Scope, Space, Type, TypeKind, Value};
use crate::ptx::written::Written;
use crate::rule::Rule;

const WORD: Type = Type::new(TypeKind::Unsigned, 32);
const HALF: Type = Type::new(TypeKind::Bits, 16);

impl Lowering<'_> {
    /// Lowers an instruction about asynchronous operations.
    pub(super) fn asynchronous(&mut self, op: AsyncOp, written: &Written) {
        match op {
            AsyncOp::Commit(kind) => self.out.push(Micro::Commit(kind)),
            AsyncOp::Wait(kind) => {
                let but = match written.value("n") {
                    Value::Immediate(n) => u32::try_from(n.value).unwrap_or(u32::MAX),
                    _ => return self.outside(Rule::ComputedGroups),
                };
                let reads = written.words.has("read");
                self.out.push(Micro::Await(AwaitMicro { kind, but, reads }));
            }
            AsyncOp::WaitAll => {
                let kind = GroupKind::Copy;
                self.out.push(Micro::Commit(kind));
                self.out.push(Micro::Await(AwaitMicro { kind, but: 0, reads: false }));
            }
            AsyncOp::Copy => self.copy(written),
            AsyncOp::ArriveBehindCopies => self.arrive_behind_copies(written),
            AsyncOp::BulkCopy => self.bulk_transfer(written, None),
            AsyncOp::BulkReduce => self.bulk_reduction(written),
            AsyncOp::TensorCopy | AsyncOp::TensorReduce => self.tensor_transfer(op, written),
            AsyncOp::Cancel => self.request_cancellation(written),
            AsyncOp::Multiply => self.multiply(written),
            AsyncOp::TensorWait(kind) => {
                self.out.push(Micro::Commit(kind));
                self.out.push(Micro::Await(AwaitMicro { kind, but: 0, reads: false }));
            }
            AsyncOp::TensorMultiply
            | AsyncOp::TensorMove
            | AsyncOp::TensorShift
            | AsyncOp::TensorLoad
            | AsyncOp::TensorStore
            | AsyncOp::TensorCommit => self.tensor_operation(op, written),
            AsyncOp::Store | AsyncOp::Reduce => self.remote_operation(op, written),
            AsyncOp::ReleaseStore | AsyncOp::ReleaseReduce => self.release_operation(op, written),
        }
    }

    /// `cp.async`
    fn copy(&mut self, written: &Written) {
        let bytes = match written.optional("size") {
            Some(Value::Immediate(size)) => u128::try_from(size.value).unwrap_or(0),
            Some(_) => return self.outside(Rule::ComputedCopy),
            None => 16,
        };
        if !matches!(bytes, 4 | 8 | 16) {
            return self.require(Term::truth(false), Rule::CopySize);
        }
        let whole = Term::Const(bytes, 32);
        let copied = match written.optional("bytes") {
            None => whole.clone(),
            Some(Value::Not(register)) => {
                let copied = self.register(&register.value, 1, Extension::Zero);
                copied.choose(whole.clone(), Term::Const(0, 32))
            }
            Some(Value::Register(register)) if self.is_predicate(&register.value) => {
                let ignored = self.register(&register.value, 1, Extension::Zero);
                ignored.choose(Term::Const(0, 32), whole.clone())
            }
            Some(value) => self.value(value, WORD),
        };
        let few = whole.clone().binary(Binary::ULt, copied.clone()).not();
        self.require(few, Rule::CopiedBytes);
        let [to, from] = ranges(written);
        let transfer = Transfer {
            source: self.range(from, Confined::Global(Rule::CopySpace), Align::Size),
            destinations: vec![self.range(to, Confined::Own(Rule::CopyToAnotherCta), Align::Size)],
            bytes: whole,
            copied,
            mask: None,
            open: [Term::Const(0, 32), Term::Const(0, 32)],
            reduction: None,
            strong: None,
        };
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name: "cp.async",
            effect: AsyncEffect::Transfer(Box::new(transfer)),
            signals: Vec::new(),
            group: Some(GroupKind::Copy),
            proxy: Proxy::Generic,
            is_copy: true,
            tracked: Tracked::Whole,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// `cp.async.mbarrier.arrive`; without `.noinc` it raises the pending count first.
    fn arrive_behind_copies(&mut self, written: &Written) {
        let (address, space) = addresses(written)[0];
        let target = self.object(address, space, Some(Confined::OwnShared), Scope::Cta);
        if !written.words.has("noinc") {
            self.add_arrival(target.clone());
        }
        self.issue_signal_alone(target);
    }

    fn issue_signal_alone(&mut self, target: Target) {
        let signal = self.signal(target, SignalKind::Arrival, 0);
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name: "cp.async.mbarrier.arrive",
            effect: AsyncEffect::Behind(Behind::Copies),
            signals: vec![signal],
            group: None,
            proxy: Proxy::Generic,
            is_copy: false,
            tracked: Tracked::Whole,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// `cp.reduce.async.bulk`
    fn bulk_reduction(&mut self, written: &Written) {
        let ty = written.words.ty();
        let op = written.words.plain().find_map(names::atomic).unwrap_or(AtomicOp::Add);
        let element = Term::Register(Combination::ELEMENT);
        let in_global = written.words.has("bulk_group");
        let subnormals = if in_global { Subnormals::Flushed } else { Subnormals::Kept };
        let value = atomic_result(op, ty, element, None, subnormals).unwrap_or_else(|| opaque(ty));
        // The scope of the reductions is that of the device (PTX-9.7.9.25.4.2), for multimem
        // addresses and from 9.3 on that of the system.
        let default = match (is_multimem(written), self.readings.edition) {
            (false, Edition::Ptx92) => Scope::Gpu,
            (true, _) | (_, Edition::Ptx94) => Scope::Sys,
        };
        let scope = written.words.scope().unwrap_or(default);
        let combination = Combination { bytes: ty.bytes(), value, scope };
        self.bulk_transfer(written, Some(combination));
    }

    /// `cp.async.bulk` and its reductions.
    fn bulk_transfer(&mut self, written: &Written, reduction: Option<Combination>) {
        let has = |word: &str| written.words.has(word);
        let zero = || Term::Const(0, 32);
        let bytes = self.value(written.value("size"), WORD);
        let sixteenths = bytes.clone().bits(0, 4).equals(Term::Const(0, 4));
        let some = bytes.clone().equals(zero()).not();
        self.require(sixteenths.and(some), Rule::BulkCopySize);
        let open = ["left", "right"].map(|name| match written.optional(name) {
            Some(value) => self.value(value, WORD),
            None => zero(),
        });
        for count in &open {
            let few = count.clone().binary(Binary::ULt, Term::Const(16, 32));
            self.require(few, Rule::IgnoredBytes);
        }
        let mask = written.optional("kept").map(|value| self.value(value, HALF));
        let list = addresses(written);
        let ((to, to_space), (from, from_space)) = (list[0], list[1]);
        let pushes = has("shared::cta") && has("shared::cluster");
        let destination = match to_space {
            Space::Global => Confined::Global(Rule::CopySpace),
            Space::SharedCta => Confined::Own(Rule::CopyToAnotherCta),
            _ if pushes => Confined::Other(Rule::PushToOwnCta),
            _ => Confined::AnyShared(Rule::CopySpace),
        };
        let source = match from_space {
            Space::Global => Confined::Global(Rule::CopySpace),
            _ => Confined::Own(Rule::CopySpace),
        };
        let destination = self.range((to, to_space), destination, Align::Bytes(16));
        let ctas = self.multicast(written);
        let destinations = match is_multimem(written) {
            true => (0..self.replicas())
                .map(|replica| Range { replica: Some(replica), ..destination.clone() })
                .collect(),
            false => ctas.everywhere(destination),
        };
        let object = list.get(2).copied();
        let signals = object.map_or_else(Vec::new, |at| self.signals(at, &ctas, &bytes));
        let name = match (is_multimem(written), reduction.is_some()) {
            (false, false) => "cp.async.bulk",
            (false, true) => "cp.reduce.async.bulk",
            (true, false) => "multimem.cp.async.bulk",
            (true, true) => "multimem.cp.reduce.async.bulk",
        };
        let transfer = Transfer {
            source: self.range((from, from_space), source, Align::Bytes(16)),
            destinations,
            copied: bytes.clone(),
            bytes,
            mask,
            open,
            strong: written.words.scope().filter(|_| reduction.is_none()),
            reduction,
        };
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name,
            effect: AsyncEffect::Transfer(Box::new(transfer)),
            signals,
            group: has("bulk_group").then_some(GroupKind::Bulk),
            proxy: Proxy::Async,
            is_copy: true,
            tracked: Tracked::Whole,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// The CTAs of a multicast, by rank. The mask has to name at least one, and none that does not
    /// exist.
    pub(super) fn multicast(&mut self, written: &Written) -> Multicast {
        let Some(mask) = written.optional("mask") else { return Multicast(Vec::new()) };
        let mask = self.value(mask, HALF);
        let ranks = self.named_ranks();
        let none = || Term::Const(0, 16);
        let others = mask.clone().binary(Binary::LShr, Term::Const(u128::from(ranks), 16));
        self.require(
            others.equals(none()).and(mask.clone().equals(none()).not()),
            Rule::MulticastMask,
        );
        Multicast((0..ranks).map(|rank| (rank, mask.clone().bits(rank, 1))).collect())
    }

    /// The signals of so many bytes, one for each CTA that receives bytes.
    pub(super) fn signals(
        &mut self,
        (address, space): (&Address, Space),
        ctas: &Multicast,
        bytes: &Term,
    ) -> Vec<Signal> {
        let template = self.object(address, space, None, Scope::Cluster);
        let objects =
            ctas.everywhere(self.range((address, space), Confined::OwnShared, Align::Size));
        let signals = objects.into_iter().enumerate().map(|(at, object)| {
            let target = Target { address: object.address, ..template.clone() };
            let signal = self.signal(target, SignalKind::Bytes(bytes.clone()), at);
            Signal { when: object.when, ..signal }
        });
        signals.collect()
    }

    /// `st.async` and `red.async`, to the shared memory of the cluster.
    fn remote_operation(&mut self, op: AsyncOp, written: &Written) {
        let list = addresses(written);
        let ((to, to_space), (object, object_space)) = (list[0], list[1]);
        let ty = written.words.ty();
        if self.is_alone_in_cluster() {
            return self.require(Term::truth(false), Rule::AloneInCluster);
        }
        let reduces = op == AsyncOp::Reduce;
        let confined = match reduces {
            true => Confined::Other(Rule::ReductionInOwnCta),
            false => Confined::AnyShared(Rule::CopySpace),
        };
        let whole = ty.bytes() * written.words.elements();
        let target = |element: u32| {
            let within = element * ty.bytes();
            let (address, space) = self.address(to, to_space, u64::from(within));
            Target {
                address,
                space,
                bytes: ty.bytes(),
                whole,
                within,
                order: if reduces { Order::Relaxed } else { Order::Weak },
                scope: reduces.then_some(Scope::Cluster),
                proxy: Proxy::Generic,
                marks: Marks { rmw: reduces, red: reduces, ..Marks::default() },
                replica: None,
                confined: Some(confined.clone()),
                lane: None,
            }
        };
        let effect = if reduces {
            let value = self.value(written.value("b"), ty);
            let op = written.words.plain().find_map(names::atomic).unwrap_or(AtomicOp::Add);
            let result = atomic_result(op, ty, value, None, Subnormals::Kept);
            AsyncEffect::Update(target(0), Order::Relaxed, result.unwrap_or_else(|| opaque(ty)))
        } else {
            let values = written.elements("b").expect("a store has values");
            let stores = (0..).zip(values);
            AsyncEffect::Store(stores.map(|(at, v)| (target(at), self.value(v, ty))).collect())
        };
        let object = self.object(object, object_space, None, Scope::Cluster);
        let bytes = Term::Const(u128::from(whole), 32);
        let mut signal = self.signal(object, SignalKind::Bytes(bytes), 0);
        if !reduces && self.readings.asynchronous.stored == StoreSignal::Relaxed {
            signal.order = Order::Relaxed;
        }
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name: if reduces { "red.async" } else { "st.async" },
            effect,
            signals: vec![signal],
            group: None,
            proxy: Proxy::Generic,
            is_copy: false,
            tracked: Tracked::Whole,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// `st.async.release` and `red.async.release`: only the end of their task waits for them. With
    /// `multimem`, each replica has an operation of its own.
    fn release_operation(&mut self, op: AsyncOp, written: &Written) {
        let replicas: Vec<Option<usize>> = match is_multimem(written) {
            true => (0..self.replicas()).map(Some).collect(),
            false => vec![None],
        };
        for replica in replicas {
            self.release_to(replica, op, written);
        }
    }

    fn release_to(&mut self, replica: Option<usize>, op: AsyncOp, written: &Written) {
        let (address, space) = addresses(written)[0];
        let (address, space) = self.address(address, space, 0);
        let ty = written.words.ty();
        let reduces = op == AsyncOp::ReleaseReduce;
        let marks = Marks {
            rmw: reduces,
            red: reduces,
            mmio: written.words.has("mmio"),
            multimem: replica.is_some(),
            ..Marks::default()
        };
        let target = Target {
            address,
            space,
            bytes: ty.bytes(),
            whole: ty.bytes(),
            within: 0,
            order: if reduces { Order::Relaxed } else { Order::Release },
            scope: written.words.scope(),
            proxy: Proxy::Generic,
            marks,
            replica,
            confined: Some(Confined::Global(Rule::CopySpace)),
            lane: None,
        };
        let value = self.value(written.value("b"), ty);
        let effect = if reduces {
            let result = atomic_result(AtomicOp::Add, ty, value, None, Subnormals::Kept);
            let result = result.unwrap_or_else(|| opaque(ty));
            AsyncEffect::Update(target, Order::Release, result)
        } else {
            AsyncEffect::Store(vec![(target, value)])
        };
        let name = match (replica, reduces) {
            (None, false) => "st.async",
            (None, true) => "red.async",
            (Some(_), false) => "multimem.st.async",
            (Some(_), true) => "multimem.red.async",
        };
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name,
            effect,
            signals: Vec::new(),
            group: None,
            proxy: Proxy::Generic,
            is_copy: false,
            tracked: Tracked::Whole,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    pub(super) fn range(
        &self,
        (address, space): (&Address, Space),
        confined: Confined,
        align: Align,
    ) -> Range {
        let (address, space) = self.address(address, space, 0);
        Range { address, space, confined, align, when: Term::truth(true), replica: None }
    }

    /// The target of an mbarrier object, for an operation of a scope.
    pub(super) fn object(
        &self,
        address: &Address,
        space: Space,
        confined: Option<Confined>,
        scope: Scope,
    ) -> Target {
        let (address, space) = self.address(address, space, 0);
        Target {
            address,
            space,
            bytes: 8,
            whole: 8,
            within: 0,
            order: Order::Relaxed,
            scope: Some(scope),
            proxy: Proxy::Generic,
            marks: Marks { rmw: true, mbarrier: true, ..Marks::default() },
            replica: None,
            confined,
            lane: None,
        }
    }

    /// The number of CTAs of the thread's cluster in the test; none for the host.
    pub(super) fn cluster_size(&self) -> usize {
        match self.place {
            ThreadPlace::Device(place) => self.layout.cluster_ctas(place).len(),
            ThreadPlace::Host => 0,
        }
    }

    /// The number of CTAs of the thread's cluster in the test that a mask can name.
    fn named_ranks(&self) -> u32 {
        u32::try_from(self.cluster_size()).map_or(16, |count| count.min(16))
    }

    fn is_alone_in_cluster(&self) -> bool {
        self.cluster_size() < 2
    }

    fn is_predicate(&self, register: &str) -> bool {
        self.registers.index(register).is_some_and(|at| self.registers.ty(at).bits == 1)
    }

    /// Raises the pending count of an object by one, as an operation of the thread.
    fn add_arrival(&mut self, target: Target) {
        let (value, fits) = self.raised();
        let register = self.registers.temporary(0);
        self.out.push(Micro::Rmw {
            target: Target { marks: Marks { mbarrier_tx: true, ..target.marks }, ..target },
            write_order: Order::Relaxed,
            destination: Some((register, Extension::Zero)),
            writes: Term::truth(true),
            value,
        });
        let fits = fits.with_old(&Term::Register(register));
        self.require(fits, Rule::PendingArrivals);
        self.out.push(Micro::Then);
    }
}

/// The CTAs of a multicast: their ranks, each with whether the mask names it. Empty for an
/// operation with one destination, which its address gives.
pub(super) struct Multicast(pub(super) Vec<(u32, Term)>);

impl Multicast {
    /// The range at the same offset in each of the CTAs.
    pub(super) fn everywhere(&self, range: Range) -> Vec<Range> {
        if self.0.is_empty() {
            return vec![range];
        }
        let there = self.0.iter().map(|(rank, bit)| {
            let address = in_cta(&range.address, u64::from(*rank));
            Range { address, when: bit.clone(), ..range.clone() }
        });
        there.collect()
    }
}

/// The addresses that an instruction names, in order.
pub(super) fn addresses(written: &Written) -> Vec<(&Address, Space)> {
    written.accesses().map(|(address, space, _)| (address, space)).collect()
}

/// Whether an instruction is for multimem addresses.
fn is_multimem(written: &Written) -> bool {
    written.form.opcode == "multimem"
}

/// The destination and the source.
fn ranges(written: &Written) -> [(&Address, Space); 2] {
    let list = addresses(written);
    [list[0], list[1]]
}

/// The address at the same offset in the shared memory of the CTA with a rank.
pub(super) fn in_cta(address: &Term, rank: u64) -> Term {
    let inside = address.clone().bits(0, SHARED_CTA_BITS).resize(64, Extension::Zero);
    let part = Term::Const(u128::from((rank + 1) << SHARED_CTA_BITS), 64);
    inside.binary(Binary::Add, part)
}
