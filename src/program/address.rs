//! Addresses as values: `cvta`, `mapa`, `isspacep` and `getctarank` as arithmetic on windows.
//!
//! A generic address of `.shared`, `.local`, `.const` or `.param` is the base of the space's window
//! plus the address within the space (PTX-6.4.1.1). If the standard leaves a result undefined - a
//! generic address outside the requested window, a CTA that the cluster does not have - the result
//! is an address without a variable.

use super::expr::Binary;
use super::layout::{SHARED_CTA_BITS, Window};
use super::lower::Lowering;
use super::micro::Micro;
use super::term::{Extension, Term};
use crate::litmus::ast::ThreadPlace;
use crate::ptx::operation::{Space, Type, TypeKind};
use crate::ptx::row::Op;
use crate::ptx::written::Written;
use crate::rule::Rule;

const WIDE: Type = Type::new(TypeKind::Unsigned, 64);

impl Lowering<'_> {
    /// `cvta`, in one direction or the other.
    pub(super) fn convert_address(&mut self, written: &Written) {
        let (space, ty) = (written.words.space(), written.words.ty());
        let source = self.value(written.value("a"), ty);
        let value = match written.op() {
            Op::ToGeneric => self.generic_address(source, space, ty),
            _ => source.binary(Binary::Sub, base(Window::of(space), ty.bits)),
        };
        self.assign(written.destination(), value, Extension::Zero);
    }

    /// `getctarank`
    pub(super) fn cta_rank(&mut self, written: &Written) {
        let address =
            self.value(written.value("a"), written.words.ty()).resize(64, Extension::Zero);
        let value = self.rank_of(&shared_address(address, is_generic(written)));
        self.assign(written.destination(), value, Extension::Zero);
    }

    /// `isspacep`
    pub(super) fn is_space_predicate(&mut self, written: &Written) {
        let value = self.is_space(written.words.space(), self.value(written.value("a"), WIDE));
        self.assign(written.destination(), value, Extension::Zero);
    }

    /// `cvta`; its requirements on the source are the program's duty (PTX-9.7.9.20).
    fn generic_address(&mut self, source: Term, space: Space, ty: Type) -> Term {
        let wide = source.clone().resize(64, Extension::Zero);
        let (inside, what) = match space {
            Space::SharedCta => (self.is_own_shared(&wide), "of the executing CTA's `.shared`"),
            Space::SharedCluster => (self.is_cluster_shared(&wide), "of the cluster's `.shared`"),
            Space::ParamEntry | Space::ParamFunc => {
                (below(&wide, Window::PARAM.size), "of a kernel parameter")
            }
            Space::Generic | Space::Global | Space::Local | Space::Const => (Term::truth(true), ""),
        };
        if inside != Term::truth(true) {
            let rule = Rule::Conversion { wanted: what };
            self.out.push(Micro::Require { condition: inside, rule });
        }
        source.binary(Binary::Add, base(Window::of(space), ty.bits))
    }

    /// `mapa`: the same offset in another CTA's part of the shared window.
    pub(super) fn map_address(&mut self, written: &Written) {
        let source = self.value(written.value("a"), written.words.ty()).resize(64, Extension::Zero);
        let rank = self.value(written.value("b"), Type::B32).resize(64, Extension::Zero);
        let generic = is_generic(written);
        let inside = shared_address(source, generic);
        let offset = inside.clone().bits(0, SHARED_CTA_BITS).resize(64, Extension::Zero);
        let part = rank.clone().binary(Binary::Add, Term::Const(1, 64));
        let part = part.binary(Binary::Shl, Term::Const(u128::from(SHARED_CTA_BITS), 64));
        let window = if generic { base(Some(Window::SHARED), 64) } else { Term::Const(0, 64) };
        let mapped = window.binary(Binary::Add, part).binary(Binary::Add, offset);
        let exists = self.is_cluster_shared(&inside).and(below(&rank, self.ranks()));
        let value = exists.choose(mapped, Term::Const(0, 64));
        self.assign(written.destination(), value, Extension::Zero);
    }

    /// `isspacep`, of a 64-bit generic address.
    pub(super) fn is_space(&self, space: Space, address: Term) -> Term {
        let within = |window: Window| window.holds(&address);
        match space {
            Space::SharedCta => self.is_own_shared(&Window::SHARED.inside(&address)),
            Space::SharedCluster => self.is_cluster_shared(&Window::SHARED.inside(&address)),
            Space::Local => within(Window::LOCAL),
            Space::Const => within(Window::CONST),
            Space::ParamEntry | Space::ParamFunc => within(Window::PARAM),
            // Every address in no other window, `.param` included (PTX-6.4.1.1).
            Space::Global | Space::Generic => {
                within(Window::SHARED).or(within(Window::LOCAL)).or(within(Window::CONST)).not()
            }
        }
    }

    /// Whether a shared address lies in the part of the executing CTA.
    fn is_own_shared(&self, address: &Term) -> Term {
        let part = 1 << SHARED_CTA_BITS;
        let own = below(address, part);
        let ThreadPlace::Device(place) = self.place else { return own };
        let start = (self.layout.rank(place) + 1) << SHARED_CTA_BITS;
        let mapped = address.clone().binary(Binary::Sub, Term::Const(u128::from(start), 64));
        own.or(below(&mapped, part))
    }

    /// Whether a shared address lies in the part of some CTA of the cluster.
    fn is_cluster_shared(&self, address: &Term) -> Term {
        below(address, (self.ranks() + 1) << SHARED_CTA_BITS)
    }

    /// The number of CTAs of the thread's cluster in the test.
    fn ranks(&self) -> u64 {
        match self.place {
            ThreadPlace::Device(place) => self.layout.cluster_ctas(place).len() as u64,
            ThreadPlace::Host => 0,
        }
    }

    /// The rank of the CTA that a shared address belongs to, in 32 bits.
    pub(super) fn rank_of(&self, address: &Term) -> Term {
        let own = match self.place {
            ThreadPlace::Device(place) => self.layout.rank(place),
            ThreadPlace::Host => 0,
        };
        let part = address.clone().bits(SHARED_CTA_BITS, 32);
        let named = part.clone().binary(Binary::Sub, Term::Const(1, 32));
        part.equals(Term::Const(0, 32)).choose(Term::Const(u128::from(own), 32), named)
    }
}

/// A 64-bit shared address without the base of its window, if it has one.
fn shared_address(address: Term, generic: bool) -> Term {
    if generic { Window::SHARED.inside(&address) } else { address }
}

fn base(window: Option<Window>, width: u32) -> Term {
    Term::Const(u128::from(window.map_or(0, |w| w.base)), width)
}

fn below(value: &Term, limit: u64) -> Term {
    value.clone().binary(Binary::ULt, Term::Const(u128::from(limit), 64))
}

impl Window {
    /// A 64-bit generic address as an address within the space; at least the window's size if it is
    /// outside.
    fn inside(self, address: &Term) -> Term {
        address.clone().binary(Binary::Sub, base(Some(self), 64))
    }

    /// Whether a 64-bit generic address lies in the window.
    pub(super) fn holds(self, address: &Term) -> Term {
        below(&self.inside(address), self.size)
    }
}

/// Whether the operands of an instruction on shared addresses are generic.
fn is_generic(written: &Written) -> bool {
    !written.words.has("shared::cluster")
}
