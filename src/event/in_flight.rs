//! Products of matrices that warpgroups issue together, and the registers that these use until they are
//! waited for.

use crate::id::{AccessId, ExprId};
use crate::litmus::ast::ThreadPlace;
use crate::program::micro::{AsyncEffect, Micro, Product, ThreadCode};
use crate::source::Span;
use std::collections::BTreeSet;

/// Warps of a warpgroup (PTX-9.7.15).
const WARPS: u32 = 4;
/// A warpgroup: its CTA, and its number there, or the only thread of a warp that the test leaves open.
pub(super) type Warpgroup = ((u32, u32, u32), Result<u32, usize>);

/// One product of a warpgroup.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) warpgroup: Warpgroup,
    /// How many products of each thread come before.
    pub(super) number: usize,
    pub(super) operation: usize,
    /// Who issues it: the thread, and when.
    pub(super) members: Vec<(usize, ExprId)>,
    /// Where its matrices are.
    pub(super) addresses: Vec<ExprId>,
    /// The sum of the first words of these, and their reads.
    pub(super) sum: (ExprId, Vec<AccessId>),
}

/// What products do with the registers of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct ProductRegisters {
    /// Those that some product of the thread uses.
    pub(super) used: BTreeSet<usize>,
    /// How many products there were.
    pub(super) count: usize,
    /// When there was a fence.
    pub(super) fenced: Option<ExprId>,
    /// Those that were accessed, each with when that was and no fence came since.
    pub(super) touched: Vec<(usize, ExprId)>,
    pub(super) flying: Vec<Flying>,
}

/// A product that may not have been waited for.
#[derive(Clone, Debug)]
pub(super) struct Flying {
    /// Where its issue stands among the steps of groups.
    pub(super) step: usize,
    pub(super) guard: ExprId,
    pub(super) accumulator: Vec<usize>,
    pub(super) fragments: Vec<usize>,
    pub(super) shape: String,
    pub(super) span: Span,
}

impl Flying {
    pub(super) fn uses(&self, register: usize) -> bool {
        self.accumulator.contains(&register) || self.fragments.contains(&register)
    }

    /// Whether another product may use the same registers before a wait: accumulators of one shape are
    /// ordered, and what both only read needs no order.
    pub(super) fn excludes(&self, product: &Product) -> bool {
        let common = |a: &[usize], b: &[usize]| a.iter().any(|register| b.contains(register));
        let accumulators = common(&self.accumulator, &product.accumulator);
        (accumulators && self.shape != product.shape)
            || common(&self.accumulator, &product.fragments)
            || common(&self.fragments, &product.accumulator)
    }
}

impl ProductRegisters {
    /// Of a thread that has executed nothing.
    pub(super) fn of(code: &ThreadCode) -> Self {
        let products = code.steps.iter().flat_map(|step| &step.micros).filter_map(product_of);
        let registers = products.flat_map(|p| p.accumulator.iter().chain(&p.fragments));
        Self { used: registers.copied().collect(), ..Self::default() }
    }
}

pub(super) fn product_of(micro: &Micro) -> Option<&Product> {
    match micro {
        Micro::Issue(issued) => match &issued.effect {
            AsyncEffect::Product(product) => Some(product),
            _ => None,
        },
        _ => None,
    }
}

/// The warpgroup of a thread.
pub(super) fn warpgroup(index: usize, thread: &ThreadCode) -> Warpgroup {
    match thread.place {
        ThreadPlace::Device(place) => {
            let number = place.warp.map(|warp| warp / WARPS);
            (place.cta_of_test(), number.ok_or(index))
        }
        ThreadPlace::Host => ((0, 0, 0), Err(index)),
    }
}
