//! Backend-neutral formulas: hash-consed Boolean combinations of choices and values.

use crate::budget::Deadline;
use crate::id::ExprId;
use rustc_hash::FxHashMap;

/// A formula in a [`Formulas`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    /// The position of the formula in its arena.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A clock: a number that orders events where a relation must not have cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clock(pub u32);

/// One formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A constant.
    Constant(bool),
    /// A Boolean variable.
    Variable(u32),
    /// The truth value of an expression.
    Truth(ExprId),
    /// The first clock is before the second.
    Before(Clock, Clock),
    /// The clocks are equal.
    Together(Clock, Clock),
    /// Negation.
    Not(Formula),
    /// A conjunction.
    And(Vec<Formula>),
    /// A disjunction.
    Or(Vec<Formula>),
}

/// All formulas of one problem.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    shapes: Vec<Shape>,
    known: FxHashMap<Shape, Formula>,
    variables: u32,
    clocks: u32,
    /// The number of operands of all conjunctions and disjunctions together.
    operands: usize,
    /// The deadline.
    end: Option<Deadline>,
    /// The reason why formulas have been given up.
    stopped: Option<Stopped>,
}

/// The reason why formulas have been given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The formulas would be too large.
    Size,
    /// The formulas would take too long.
    Time,
}

/// The most operands of all formulas together: they take some hundred megabytes.
const MOST_OPERANDS: usize = 30_000_000;

/// The most operands of a part that is flattened into an enclosing formula. A larger part of many
/// formulas would be copied many times.
const MOST_FLATTENED: usize = 64;

/// The deadline is checked once in so many formulas.
const FORMULAS_BETWEEN_LOOKS: usize = 1 << 12;

impl Formulas {
    /// Formulas that are given up after `end`.
    #[must_use]
    pub fn until(end: Option<Deadline>) -> Self {
        Self { end, ..Self::default() }
    }

    /// Whether formulas have been given up, so that they mean nothing any more.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// The formula behind `id`.
    #[must_use]
    pub fn shape(&self, id: Formula) -> &Shape {
        &self.shapes[id.index()]
    }

    /// The number of formulas; operands come before their users.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there are no formulas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The number of clocks.
    #[must_use]
    pub fn clocks(&self) -> u32 {
        self.clocks
    }

    fn intern(&mut self, shape: Shape) -> Formula {
        if let Some(&known) = self.known.get(&shape) {
            return known;
        }
        if let Shape::And(parts) | Shape::Or(parts) = &shape {
            self.operands += parts.len();
            if self.operands > MOST_OPERANDS {
                self.stopped = Some(Stopped::Size);
            }
        }
        let looks = self.shapes.len().is_multiple_of(FORMULAS_BETWEEN_LOOKS);
        if looks && self.end.is_some_and(Deadline::is_over) {
            self.stopped = Some(Stopped::Time);
        }
        let id = Formula(u32::try_from(self.shapes.len()).expect("formulas stay below 2^32"));
        self.shapes.push(shape.clone());
        self.known.insert(shape, id);
        id
    }

    /// A constant.
    pub fn constant(&mut self, value: bool) -> Formula {
        self.intern(Shape::Constant(value))
    }

    /// A new variable.
    pub fn variable(&mut self) -> Formula {
        self.variables += 1;
        self.intern(Shape::Variable(self.variables))
    }

    /// A new clock.
    pub fn clock(&mut self) -> Clock {
        self.clocks += 1;
        Clock(self.clocks - 1)
    }

    /// The truth value of an expression that is no constant.
    pub fn truth(&mut self, expr: ExprId) -> Formula {
        self.intern(Shape::Truth(expr))
    }

    /// The first clock is before the second.
    pub fn before(&mut self, a: Clock, b: Clock) -> Formula {
        self.intern(Shape::Before(a, b))
    }

    /// The clocks are equal.
    pub fn together(&mut self, a: Clock, b: Clock) -> Formula {
        self.intern(Shape::Together(a, b))
    }

    /// The value of a constant formula.
    #[must_use]
    pub fn known(&self, a: Formula) -> Option<bool> {
        match self.shape(a) {
            Shape::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Negation.
    pub fn not(&mut self, a: Formula) -> Formula {
        match *self.shape(a) {
            Shape::Constant(value) => self.constant(!value),
            Shape::Not(inner) => inner,
            _ => self.intern(Shape::Not(a)),
        }
    }

    /// The conjunction of the parts.
    pub fn all(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.join(parts, true)
    }

    /// The disjunction of the parts.
    pub fn any(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.join(parts, false)
    }

    /// The first implies the second.
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        let not = self.not(a);
        self.any([not, b])
    }

    fn join(&mut self, parts: impl IntoIterator<Item = Formula>, neutral: bool) -> Formula {
        if self.stopped.is_some() {
            return self.constant(neutral);
        }
        let small = |parts: &[Formula]| parts.len() <= MOST_FLATTENED;
        let mut kept = Vec::new();
        for part in parts {
            match self.shape(part) {
                Shape::Constant(value) if *value == neutral => {}
                Shape::Constant(_) => return part,
                Shape::And(inner) if neutral && small(inner) => kept.extend(inner.iter().copied()),
                Shape::Or(inner) if !neutral && small(inner) => kept.extend(inner.iter().copied()),
                _ => kept.push(part),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        let clashes = kept.iter().any(
            |&k| matches!(*self.shape(k), Shape::Not(inner) if kept.binary_search(&inner).is_ok()),
        );
        if clashes {
            return self.constant(!neutral);
        }
        match kept[..] {
            [] => self.constant(neutral),
            [only] => only,
            _ => self.intern(if neutral { Shape::And(kept) } else { Shape::Or(kept) }),
        }
    }
}
