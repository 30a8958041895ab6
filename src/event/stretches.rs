//! Transfers into stretches of bytes: those that are copied, those that are filled with zeros, and those that
//! are left open. Only bytes that are copied have to lie in the source (PTX-9.7.9.25.3.1, PTX-9.7.9.25.4.1).

use super::access::DraftAccess;
use super::issued::Moves;
use super::memory::Does;
use super::symbolic::{State, SymbolicThread};
use super::transfer::piece_of;
use crate::id::ExprId;
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::program::micro::{Align, Marks, Range, Target, Transfer};
use crate::program::term::Term;
use crate::ptx::operation::{Order, Proxy, Scope};
use crate::rule::Rule;
use crate::source::Span;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The longest transfer that is followed, in bytes.
const LONGEST: u128 = 1 << 18;

/// Who accesses the bytes of a range, and how.
#[derive(Clone, Copy)]
pub(super) struct Access<'s> {
    pub(super) proxy: Proxy,
    pub(super) does: Does,
    pub(super) state: &'s State,
    pub(super) span: Span,
}

impl<'p> SymbolicThread<'_, 'p> {
    /// The stretches of bytes that a transfer moves; none, with a violation, if the size is not constant.
    pub(super) fn moves(
        &mut self,
        transfer: &'p Transfer,
        proxy: Proxy,
        state: &State,
        span: Span,
    ) -> Vec<Moves<'p>> {
        let mask = transfer.mask.as_ref().map(|mask| self.term(mask, state, None));
        let mask = mask.map(|mask| self.builder.exprs.constant(mask));
        let [bytes, left, right] = [&transfer.bytes, &transfer.open[0], &transfer.open[1]]
            .map(|term| self.term(term, state, None));
        let copied = self.term(&transfer.copied, state, None);
        let known = [bytes, left, right].map(|number| self.builder.exprs.constant(number));
        let ([Some(bytes), Some(left), Some(right)], None | Some(Some(_))) = (known, mask) else {
            self.violate(state.guard, span, Rule::ComputedCopy);
            return Vec::new();
        };
        let mask = mask.flatten().map(|mask| (mask & 0xffff) as u16);
        if bytes == 0 {
            return Vec::new();
        }
        if bytes > LONGEST {
            self.violate(state.guard, span, Rule::LargeCopy);
            return Vec::new();
        }
        let size = u64::try_from(bytes).expect("no longer than the longest");
        let does = if transfer.reduction.is_some() { Does::Update } else { Does::Write };
        let write = Access { proxy, does, state, span };
        let whole = (0, size);
        let destinations: Vec<Vec<DraftAccess>> = transfer
            .destinations
            .iter()
            .map(|to| strong(self.part(to, whole, size, write), transfer.strong))
            .collect();
        let number = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
        let open = [number(left), number(right)];
        let of = |bytes: u64, copied: ExprId, open: [u64; 2]| Moves {
            strong: transfer.strong.is_some(),
            reduction: transfer.reduction.as_ref(),
            bytes,
            copied,
            open,
            mask,
            sources: Vec::new(),
            destinations: Vec::new(),
            product: None,
            answer: None,
        };
        let read = Access { does: Does::Read, ..write };
        let (Some(ends), None) = (constants(copied, &self.builder.exprs), mask) else {
            let sources = strong(self.part(&transfer.source, whole, size, read), transfer.strong);
            return vec![Moves { sources, destinations, ..of(size, copied, open) }];
        };
        let mut bounds = BTreeSet::from([0, size, open[0], size.saturating_sub(open[1])]);
        bounds.extend(ends);
        let bounds: Vec<u64> = bounds.into_iter().filter(|&at| at <= size).collect();
        let mut moves = Vec::new();
        for (&from, &to) in bounds.iter().zip(&bounds[1..]) {
            let is_open = from < open[0] || to > size.saturating_sub(open[1]);
            let end = self.exprs().number(u128::from(to), 32);
            let is_less = self.exprs().binary(Binary::ULt, copied, end);
            let is_copied = self.exprs().not(is_less);
            let guard = self.exprs().and(state.guard, is_copied);
            let sources = match is_open || self.builder.exprs.is_false(guard) {
                true => Vec::new(),
                false => {
                    let state = &State { guard, ..state.clone() };
                    let read = Access { state, ..read };
                    strong(self.part(&transfer.source, (from, to), size, read), transfer.strong)
                }
            };
            let part = |list: &Vec<DraftAccess>| {
                list.iter().map(|whole| piece_of(whole, (from, to))).collect()
            };
            let (all, none) = (u128::from(to - from), 0);
            let [all, none] = [all, none].map(|bytes| self.exprs().number(bytes, 32));
            let copied = self.exprs().ite(is_copied, all, none);
            let open = if is_open { [to - from, 0] } else { [0, 0] };
            let destinations = destinations.iter().map(part).collect();
            moves.push(Moves { sources, destinations, ..of(to - from, copied, open) });
        }
        moves
    }

    /// The bytes of an answer, which come from no memory.
    pub(super) fn answer(
        &mut self,
        (places, answer): (&[Range], &Term),
        proxy: Proxy,
        state: &State,
        span: Span,
    ) -> Moves<'p> {
        let answer = self.term(answer, state, None);
        let bytes = self.builder.exprs.width(answer) / 8;
        let write = (bytes, proxy);
        let destinations =
            places.iter().map(|place| self.whole(place, write, Does::Write, state, span)).collect();
        Moves {
            reduction: None,
            bytes: u64::from(bytes),
            strong: false,
            copied: self.exprs().number(u128::from(bytes), 32),
            open: [0, 0],
            mask: None,
            sources: Vec::new(),
            destinations,
            product: None,
            answer: Some(answer),
        }
    }

    /// A range as one access for each place that its address may point to.
    pub(super) fn whole(
        &mut self,
        range: &Range,
        (bytes, proxy): (u32, Proxy),
        does: Does,
        state: &State,
        span: Span,
    ) -> Vec<DraftAccess> {
        let size = u64::from(bytes);
        self.part(range, (0, size), size, Access { proxy, does, state, span })
    }

    /// As [`Self::whole`], some bytes of a range of this size, which decides the alignment.
    fn part(
        &mut self,
        range: &Range,
        (from, to): (u64, u64),
        size: u64,
        Access { proxy, does, state, span }: Access<'_>,
    ) -> Vec<DraftAccess> {
        let when = self.term(&range.when, state, None);
        let guard = self.exprs().and(state.guard, when);
        if self.builder.exprs.is_false(guard) {
            return Vec::new();
        }
        let state = &State { guard, ..state.clone() };
        let short = |bytes: u64| u32::try_from(bytes).expect("no longer than the longest");
        let target = range.target(short(to - from), proxy);
        let target = Target {
            whole: match range.align {
                Align::Bytes(bytes) => bytes,
                Align::Size => short(size),
            },
            within: short(from),
            address: match from {
                0 => target.address,
                from => target.address.binary(Binary::Add, Term::Const(u128::from(from), 64)),
            },
            ..target
        };
        let places = self.places(&target, does, state, span).list.into_iter();
        places.map(|(guard, place)| self.access(&target, &place, state, guard, span)).collect()
    }
}

/// Accesses of a copy with an order and a scope, if it has these.
fn strong(list: Vec<DraftAccess>, scope: Option<Scope>) -> Vec<DraftAccess> {
    let Some(scope) = scope else { return list };
    let (order, scope) = (Order::Relaxed, Some(scope));
    let marked = |access: DraftAccess| {
        let marks = Marks { strong_copy: true, ..access.marks };
        DraftAccess { order, scope, marks, ..access }
    };
    list.into_iter().map(marked).collect()
}

/// The most sizes of a source that are told apart.
const MOST_SIZES: usize = 16;

/// The values that a choice between a few constants may have; `None` for other expressions.
fn constants(id: ExprId, exprs: &ExprArena) -> Option<BTreeSet<u64>> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), FxHashSet::default(), vec![id]);
    while let Some(next) = open.pop() {
        if !seen.insert(next) {
            continue;
        }
        match exprs.get(next) {
            Expr::Const(bits) => _ = found.insert(u64::try_from(bits).unwrap_or(u64::MAX)),
            Expr::Ite(_, one, other) => open.extend([one, other]),
            _ => return None,
        }
    }
    (found.len() <= MOST_SIZES).then_some(found)
}
