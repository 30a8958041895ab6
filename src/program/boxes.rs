//! Copies of boxes of tensors (PTX-9.7.9.25.5) and changes of tensor maps (PTX-9.7.9.26) as
//! micro-operations.
//!
//! A tensor map is 128 opaque bytes: the first word of its variable stands for all of them, and
//! holds the address of the tensor.

use super::asynchronous::{Multicast, addresses, in_cta};
use super::expr::Binary;
use super::layout::SHARED_CTA_BITS;
use super::lower::Lowering;
use super::micro::{
    Align, AsyncEffect, AsyncMicro, BoxPlace, Combination, Confined, Direction, Marks, Micro,
    Range, Signal, SignalKind, SignalPlace, Target, TensorTransfer, Tracked,
};
use super::special::opaque;
use super::term::{Extension, Term, atomic_result};
use crate::litmus::tensor::TensorMap;
use crate::ptx::asynchronous::{AsyncOp, GroupKind};
use crate::ptx::floating::Subnormals;
use crate::ptx::names;
use crate::ptx::operation::{
    Address, AtomicOp, Proxy, ProxyFenceKind, Scope, Space, Type, TypeKind,
};
use crate::ptx::written::Written;
use crate::rule::Rule;

const COORDINATE: Type = Type::new(TypeKind::Signed, 32);
const WORD: Type = Type::new(TypeKind::Unsigned, 64);
/// The alignment of a box in shared memory, in bytes.
const BOX_ALIGN: u32 = 16;

impl Lowering<'_> {
    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`
    pub(super) fn tensor_transfer(&mut self, op: AsyncOp, written: &Written) {
        let has = |word: &str| written.words.has(word);
        let (map, coordinates) = written.tensor();
        let map = self.map(map, Space::Generic, Proxy::Tensormap);
        let list = coordinates.iter().map(|at| self.value(at, COORDINATE)).collect();
        let at = match has("tile::gather4") || has("tile::scatter4") {
            true => BoxPlace::Rows(list),
            false => BoxPlace::Tile(list),
        };
        let bytes = self.bytes_of_box(&map.address, &at);
        let places = addresses(written);
        let (shared, space) = places[0];
        let direction = if has("bulk_group") { Direction::Store } else { Direction::Load };
        let ctas = self.multicast(written);
        let (confined, space) = match direction {
            Direction::Load if !has("shared::cluster") => {
                (Confined::Own(Rule::CopyToAnotherCta), Space::SharedCta)
            }
            Direction::Load => (Confined::AnyShared(Rule::CopySpace), space),
            Direction::Store => (Confined::Own(Rule::CopySpace), space),
        };
        let range = self.range((shared, space), confined, Align::Bytes(BOX_ALIGN));
        let pattern = self.maps().map(|(_, map)| map.swizzle.pattern()).max().unwrap_or(1);
        if pattern > 1 {
            let low = range.address.clone().bits(0, pattern.trailing_zeros());
            let aligned = low.equals(Term::Const(0, pattern.trailing_zeros()));
            self.require(aligned, Rule::PermutedBox);
        }
        let signals = match (direction, has("cta_group::2")) {
            (Direction::Store, _) => Vec::new(),
            (Direction::Load, false) => self.signals(places[1], &ctas, &bytes),
            (Direction::Load, true) => self.signals_in_pairs(places[1], &range, &ctas, &bytes),
        };
        let reduces = op == AsyncOp::TensorReduce;
        let name = if reduces { "cp.reduce.async.bulk.tensor" } else { "cp.async.bulk.tensor" };
        let reduction = reduces.then(|| self.combination(written, &map.address)).flatten();
        if reduces && reduction.is_none() {
            return self.outside(Rule::TensorReduction);
        }
        let transfer =
            TensorTransfer { map, at, direction, shared: ctas.everywhere(range), reduction };
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name,
            effect: AsyncEffect::Tensor(Box::new(transfer)),
            signals,
            group: Some(GroupKind::Bulk),
            tracked: match direction {
                Direction::Load => Tracked::Map,
                Direction::Store => Tracked::Whole,
            },
            proxy: Proxy::Async,
            is_copy: true,
            signals_at: match has("cta_group::2") {
                true => SignalPlace::Pair,
                false => SignalPlace::Destination,
            },
            tensor: None,
        })));
    }

    /// `tensormap.replace`; a change that copies do not follow leaves the model.
    pub(super) fn replace_map(&mut self, written: &Written) {
        let space = written.words.space();
        let map = self.map(written.address(), space, Proxy::Generic);
        if written.words.has("global_address") {
            let value = self.value(written.value("address"), WORD);
            return self.out.push(Micro::Store { target: map, value });
        }
        // A change of another field of a declared map would describe another tensor.
        let maps = self.maps().collect::<Vec<_>>();
        let declared = maps.into_iter().fold(Term::truth(false), |any, (at, _)| {
            let here = map.address.clone().equals(Term::Const(u128::from(at), 64));
            here.choose(Term::truth(true), any)
        });
        self.require(declared.not(), Rule::ReplacedField);
        let register = self.registers.temporary(0);
        let value = Term::Register(register).resize(64, Extension::Zero);
        let destination = Some((register, Extension::Zero));
        self.out.push(Micro::Load { target: map.clone(), destination });
        self.out.push(Micro::Then);
        self.out.push(Micro::Store { target: map, value });
    }

    /// `tensormap.cp_fenceproxy`: a copy and the release fence after it (PTX-9.7.13.16).
    pub(super) fn copy_map(&mut self, written: &Written) {
        let list = addresses(written);
        let (to, from) = (list[0], list[1]);
        let own = Some(Confined::Own(Rule::CopySpace));
        let source = Target { confined: own, ..self.map(from.0, from.1, Proxy::Generic) };
        let global = Some(Confined::Global(Rule::CopySpace));
        let target = Target { confined: global, ..self.map(to.0, to.1, Proxy::Generic) };
        let register = self.registers.temporary(0);
        let value = Term::Register(register).resize(64, Extension::Zero);
        let destination = Some((register, Extension::Zero));
        self.out.push(Micro::Load { target: source, destination });
        self.out.push(Micro::Then);
        self.out.push(Micro::Store { target, value });
        self.out.push(Micro::Then);
        let scope = written.words.scope().unwrap_or(Scope::Sys);
        let kind = ProxyFenceKind::TensormapRelease(scope);
        self.out.push(Micro::ProxyFence { kind, map: None });
    }

    /// The word that stands for a map.
    fn map(&self, address: &Address, space: Space, proxy: Proxy) -> Target {
        let (address, space) = self.address(address, space, 0);
        Target {
            whole: 64,
            marks: Marks { tensor_map: true, ..Marks::default() },
            ..Target::weak(address, space, WORD.bytes(), proxy, None)
        }
    }

    /// The tensor maps of the test, each with its generic address.
    fn maps(&self) -> impl Iterator<Item = (u64, &TensorMap)> {
        let variables = self.layout.variables.iter();
        variables.filter_map(|variable| {
            Some((variable.generic_address(), variable.tensor_map.as_ref()?))
        })
    }

    /// The number of bytes in the box of the map at an address.
    fn bytes_of_box(&self, map: &Term, at: &BoxPlace) -> Term {
        let bytes = |map: &TensorMap| match at {
            BoxPlace::Tile(_) => map.bytes(),
            BoxPlace::Rows(_) => map.bytes_of_rows(),
        };
        self.by_map(map, |map| Term::Const(u128::from(bytes(map)), 32), Term::Const(0, 32))
    }

    /// A term by cases over the map at an address.
    fn by_map(&self, address: &Term, of: impl Fn(&TensorMap) -> Term, otherwise: Term) -> Term {
        self.maps().fold(otherwise, |others, (at, map)| {
            let here = address.clone().equals(Term::Const(u128::from(at), 64));
            here.choose(of(map), others)
        })
    }

    /// The combination of elements in a reduction, by the type of all maps of the test.
    fn combination(&mut self, written: &Written, map: &Term) -> Option<Combination> {
        let named = |(at, found): (u64, &TensorMap)| match map {
            Term::Const(address, _) => (*address == u128::from(at)).then_some(found.ty),
            _ => Some(found.ty),
        };
        let mut types: Vec<Type> = self.maps().filter_map(named).collect();
        types.dedup();
        let [ty] = types.as_slice() else { return None };
        let element = Term::Register(Combination::ELEMENT);
        let op = written.words.plain().find_map(names::atomic).unwrap_or(AtomicOp::Add);
        let value = atomic_result(op, *ty, element, None, Subnormals::Flushed);
        let value = value.unwrap_or_else(|| opaque(*ty));
        // The scope of the reductions is that of the device (PTX-9.7.9.25.5.3).
        Some(Combination { bytes: ty.bytes(), value, scope: Scope::Gpu })
    }

    /// The signals of a copy of a pair of CTAs (`.cta_group::2`). Each goes to the CTA of the
    /// destination's pair with the same position in its pair as the CTA of the named object.
    fn signals_in_pairs(
        &mut self,
        (address, space): (&Address, Space),
        range: &Range,
        ctas: &Multicast,
        bytes: &Term,
    ) -> Vec<Signal> {
        let template = self.object(address, space, None, Scope::Cluster);
        let second = self.rank_of(&template.address).bits(0, 1).resize(32, Extension::Zero);
        let there = match ctas.0.as_slice() {
            [] => vec![(self.rank_of(&range.address), Term::truth(true))],
            list => {
                let rank = |rank: u32| Term::Const(u128::from(rank), 32);
                list.iter().map(|(number, bit)| (rank(*number), bit.clone())).collect()
            }
        };
        let signals = there.into_iter().enumerate().map(|(at, (rank, when))| {
            let first = rank.binary(Binary::And, Term::Const(u128::from(u32::MAX - 1), 32));
            let rank = first.binary(Binary::Or, second.clone());
            let target = Target {
                address: at_rank(&template.address, rank),
                space: Space::SharedCluster,
                ..template.clone()
            };
            let signal = self.signal(target, SignalKind::Bytes(bytes.clone()), at);
            Signal { when, ..signal }
        });
        signals.collect()
    }
}

/// The address at the same place in the shared memory of the CTA with a computed rank.
fn at_rank(address: &Term, rank: Term) -> Term {
    let first = in_cta(address, 0);
    let more = rank.resize(64, Extension::Zero);
    let distance = more.binary(Binary::Shl, Term::Const(u128::from(SHARED_CTA_BITS), 64));
    first.binary(Binary::Add, distance)
}
