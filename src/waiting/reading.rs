//! What is known of an execution, as truth values and numbers: the kinds of answers that the
//! definitions of waiting give.

use crate::id::{AgentId, BarrierId, ExprId};
use crate::program::expr::{Binary, ExprArena};
use crate::waiting::barrier::BarrierOp;

/// Truth values and numbers about an execution, and the two facts that waiting depends on.
pub trait Reading {
    /// Truth values.
    type Truth: Copy;
    /// Numbers of operations.
    type Number: Copy;

    /// Whether an operation happens.
    fn occurs(&mut self, operation: BarrierId) -> Self::Truth;
    /// Whether a thread does not end: something cuts it, or it stays where it is for ever.
    fn never_ends(&mut self, thread: AgentId) -> Self::Truth;

    /// Negation.
    fn negated(&mut self, a: Self::Truth) -> Self::Truth;
    /// The conjunction of some truth values.
    fn conjunction(&mut self, parts: &[Self::Truth]) -> Self::Truth;
    /// The disjunction of some truth values.
    fn disjunction(&mut self, parts: &[Self::Truth]) -> Self::Truth;

    /// A number.
    fn number(&mut self, value: u32) -> Self::Number;
    /// The sum of two numbers.
    fn sum(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// One more than a number, if an operation happens.
    fn counted(&mut self, number: Self::Number, operation: BarrierId) -> Self::Number;
    /// Whether two numbers are equal.
    fn equal(&mut self, a: Self::Number, b: Self::Number) -> Self::Truth;
    /// Whether a number is less than another one.
    fn less(&mut self, a: Self::Number, b: Self::Number) -> Self::Truth;

    /// Whether more of these operations happen than a number says.
    fn are_more_than(
        &mut self,
        number: Self::Number,
        operations: impl Iterator<Item = BarrierId>,
    ) -> Self::Truth {
        let count = how_many(self, operations);
        self.less(number, count)
    }

    /// Whether less than so many of these truth values hold.
    fn are_fewer_than(&mut self, wanted: u128, of: &[Self::Truth]) -> Self::Truth {
        let [never, always] = [self.disjunction(&[]), self.conjunction(&[])];
        // For each number up to the wanted one, whether so many of those before hold.
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX).min(of.len() + 1);
        let mut reached = vec![never; wanted + 1];
        reached[0] = always;
        for &one in of {
            for number in (1..=wanted).rev() {
                let more = self.conjunction(&[reached[number - 1], one]);
                reached[number] = self.disjunction(&[reached[number], more]);
            }
        }
        self.negated(reached[wanted])
    }
}

/// How many of these operations happen.
pub fn how_many<R: Reading + ?Sized>(
    reading: &mut R,
    operations: impl Iterator<Item = BarrierId>,
) -> R::Number {
    let none = reading.number(0);
    operations.fold(none, |number, operation| reading.counted(number, operation))
}

/// An execution: it is known what happens in it.
#[derive(Clone, Copy, Debug)]
pub struct Concrete<H, E> {
    /// Whether an operation happens.
    pub happens: H,
    /// Whether a thread does not end.
    pub never_ends: E,
}

impl<H: Fn(BarrierId) -> bool, E: Fn(AgentId) -> bool> Reading for Concrete<H, E> {
    type Truth = bool;
    type Number = u32;

    fn occurs(&mut self, operation: BarrierId) -> bool {
        (self.happens)(operation)
    }

    fn never_ends(&mut self, thread: AgentId) -> bool {
        (self.never_ends)(thread)
    }

    fn negated(&mut self, a: bool) -> bool {
        !a
    }

    fn conjunction(&mut self, parts: &[bool]) -> bool {
        !parts.contains(&false)
    }

    fn disjunction(&mut self, parts: &[bool]) -> bool {
        parts.contains(&true)
    }

    fn number(&mut self, value: u32) -> u32 {
        value
    }

    fn sum(&mut self, a: u32, b: u32) -> u32 {
        a + b
    }

    fn counted(&mut self, number: u32, operation: BarrierId) -> u32 {
        number + u32::from((self.happens)(operation))
    }

    fn equal(&mut self, a: u32, b: u32) -> bool {
        a == b
    }

    fn less(&mut self, a: u32, b: u32) -> bool {
        a < b
    }

    fn are_more_than(&mut self, number: u32, operations: impl Iterator<Item = BarrierId>) -> bool {
        let mut happening = operations.filter(|&operation| (self.happens)(operation));
        happening.nth(number as usize).is_some()
    }
}

/// An execution of which some is decided: a truth value is `None`, and a number lies between two
/// bounds, as long as it may still become one or the other (Kleene's strong logic). What is decided
/// stays so, however the rest is decided.
#[derive(Clone, Copy, Debug)]
pub struct Partial<H, E> {
    /// Whether an operation happens, if that is decided.
    pub happens: H,
    /// Whether a thread does not end, if that is decided.
    pub never_ends: E,
}

/// A number that is not decided further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least value.
    pub least: u32,
    /// The greatest value.
    pub most: u32,
}

impl Bounds {
    /// The number, if it is decided.
    #[must_use]
    pub fn known(self) -> Option<u32> {
        (self.least == self.most).then_some(self.least)
    }
}

impl<H, E> Reading for Partial<H, E>
where
    H: Fn(BarrierId) -> Option<bool>,
    E: Fn(AgentId) -> Option<bool>,
{
    type Truth = Option<bool>;
    type Number = Bounds;

    fn occurs(&mut self, operation: BarrierId) -> Option<bool> {
        (self.happens)(operation)
    }

    fn never_ends(&mut self, thread: AgentId) -> Option<bool> {
        (self.never_ends)(thread)
    }

    fn negated(&mut self, a: Option<bool>) -> Option<bool> {
        a.map(|a| !a)
    }

    fn conjunction(&mut self, parts: &[Option<bool>]) -> Option<bool> {
        match parts.contains(&Some(false)) {
            true => Some(false),
            false => (!parts.contains(&None)).then_some(true),
        }
    }

    fn disjunction(&mut self, parts: &[Option<bool>]) -> Option<bool> {
        match parts.contains(&Some(true)) {
            true => Some(true),
            false => (!parts.contains(&None)).then_some(false),
        }
    }

    fn number(&mut self, value: u32) -> Bounds {
        Bounds { least: value, most: value }
    }

    fn sum(&mut self, a: Bounds, b: Bounds) -> Bounds {
        Bounds { least: a.least + b.least, most: a.most + b.most }
    }

    fn counted(&mut self, number: Bounds, operation: BarrierId) -> Bounds {
        let happens = (self.happens)(operation);
        Bounds {
            least: number.least + u32::from(happens == Some(true)),
            most: number.most + u32::from(happens != Some(false)),
        }
    }

    fn equal(&mut self, a: Bounds, b: Bounds) -> Option<bool> {
        match (a.known(), b.known()) {
            (Some(a), Some(b)) => Some(a == b),
            _ => (a.most < b.least || b.most < a.least).then_some(false),
        }
    }

    fn less(&mut self, a: Bounds, b: Bounds) -> Option<bool> {
        match (a.most < b.least, a.least >= b.most) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }
}

/// All executions at once: truth values and numbers are expressions of the program.
pub struct Terms<'a, H> {
    /// The arena of the expressions.
    pub exprs: &'a mut ExprArena,
    /// The condition that an operation happens.
    pub happens: H,
    /// For every thread, the condition that it does not end.
    pub never_ends: &'a [ExprId],
}

impl<H: Fn(BarrierId) -> ExprId> Reading for Terms<'_, H> {
    type Truth = ExprId;
    type Number = ExprId;

    fn occurs(&mut self, operation: BarrierId) -> ExprId {
        (self.happens)(operation)
    }

    fn never_ends(&mut self, thread: AgentId) -> ExprId {
        self.never_ends[thread.index()]
    }

    fn negated(&mut self, a: ExprId) -> ExprId {
        self.exprs.not(a)
    }

    fn conjunction(&mut self, parts: &[ExprId]) -> ExprId {
        let none = self.exprs.truth(true);
        parts.iter().fold(none, |all, &part| self.exprs.and(all, part))
    }

    fn disjunction(&mut self, parts: &[ExprId]) -> ExprId {
        let none = self.exprs.truth(false);
        parts.iter().fold(none, |any, &part| self.exprs.or(any, part))
    }

    fn number(&mut self, value: u32) -> ExprId {
        self.exprs.number(u128::from(value), BarrierOp::ORDINAL_BITS)
    }

    fn sum(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.binary(Binary::Add, a, b)
    }

    fn counted(&mut self, number: ExprId, operation: BarrierId) -> ExprId {
        let happens = (self.happens)(operation);
        let one = self.exprs.zero_extend(happens, BarrierOp::ORDINAL_BITS);
        self.exprs.binary(Binary::Add, number, one)
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.equal(a, b)
    }

    fn less(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.binary(Binary::ULt, a, b)
    }
}
