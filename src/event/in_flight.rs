//! Products of matrices in flight: which threads issue each together, and which registers each uses
//! until a wait covers it (PTX-9.7.15).

use crate::id::{AccessId, ExprId};
use crate::litmus::ast::ThreadPlace;
use crate::program::micro::{AsyncEffect, Micro, Product, ThreadCode};
use crate::source::Span;
use std::collections::BTreeSet;

/// Warps of a warpgroup (PTX-9.7.15).
const WARPS: u32 = 4;

/// A warpgroup of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Warpgroup {
    /// gpu, grid, cta
    cta: (u32, u32, u32),
    which: WhichWarpgroup,
}

/// How a warpgroup is told from the other warpgroups of its CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WhichWarpgroup {
    /// By its number, which follows from that of its warps.
    Numbered(u32),
    /// By its only thread, whose warp the test leaves open: an index into the test's threads.
    Of(usize),
}

/// One product of a warpgroup: an operation that all threads of the warpgroup issue.
#[derive(Clone, Debug)]
pub(super) struct WarpgroupProduct {
    pub(super) warpgroup: Warpgroup,
    /// The ordinal of the product among the products of each of its threads.
    pub(super) number: usize,
    pub(super) operation: usize,
    /// The threads that issue the product, each with the guard of its issue.
    pub(super) members: Vec<(usize, ExprId)>,
    /// The addresses of the matrices.
    pub(super) addresses: Vec<ExprId>,
    /// The sum of the first words of the matrices, and the reads that it is computed from.
    pub(super) sum: (ExprId, Vec<AccessId>),
}

/// How a thread has used the registers of its products so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ProductRegisters {
    /// The registers that any product of the thread uses.
    pub(super) used: BTreeSet<usize>,
    /// The number of products that the thread has issued.
    pub(super) count: usize,
    /// The condition that the thread has passed a `wgmma.fence`.
    pub(super) fenced: Option<ExprId>,
    /// Accesses to such registers without a `wgmma.fence` since, each with its guard.
    pub(super) unfenced: Vec<(usize, ExprId)>,
    /// The products that no wait has surely covered.
    pub(super) in_flight: Vec<InFlight>,
}

/// A product that a thread has issued and that no wait has surely covered.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    /// The place of its issue among the steps of groups ([`super::issued::Issued`]).
    pub(super) step: usize,
    pub(super) guard: ExprId,
    pub(super) accumulator: Vec<usize>,
    pub(super) fragments: Vec<usize>,
    pub(super) shape: String,
    pub(super) span: Span,
}

impl InFlight {
    pub(super) fn uses(&self, register: usize) -> bool {
        self.accumulator.contains(&register) || self.fragments.contains(&register)
    }

    /// Whether a later product must not use the registers of this one before a wait. Two products
    /// may share accumulators of one shape, which are ordered, and registers that both only read.
    pub(super) fn excludes(&self, product: &Product) -> bool {
        let common = |a: &[usize], b: &[usize]| a.iter().any(|register| b.contains(register));
        let accumulators = common(&self.accumulator, &product.accumulator);
        (accumulators && self.shape != product.shape)
            || common(&self.accumulator, &product.fragments)
            || common(&self.fragments, &product.accumulator)
    }
}

impl ProductRegisters {
    /// The registers of a thread that has executed nothing.
    pub(super) fn of(code: &ThreadCode) -> Self {
        let products = code.steps.iter().flat_map(|step| &step.micros).filter_map(product_of);
        let registers = products.flat_map(|p| p.accumulator.iter().chain(&p.fragments));
        Self { used: registers.copied().collect(), ..Self::default() }
    }
}

/// The product that a micro-operation issues, if it issues one.
pub(super) fn product_of(micro: &Micro) -> Option<&Product> {
    match micro {
        Micro::Issue(issued) => match &issued.effect {
            AsyncEffect::Product(product) => Some(product),
            _ => None,
        },
        _ => None,
    }
}

/// The warpgroup of a thread, given with its index in the test.
pub(super) fn warpgroup(index: usize, thread: &ThreadCode) -> Warpgroup {
    match thread.place {
        ThreadPlace::Device(place) => {
            let number = place.warp.map(|warp| warp / WARPS);
            let which = number.map_or(WhichWarpgroup::Of(index), WhichWarpgroup::Numbered);
            Warpgroup { cta: place.cta_of_test(), which }
        }
        ThreadPlace::Host => Warpgroup { cta: (0, 0, 0), which: WhichWarpgroup::Of(index) },
    }
}
