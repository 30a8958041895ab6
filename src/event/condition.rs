//! Conditions over final states as expressions.

use super::graph::{EventGraph, Observed};
use super::initial::InitialValues;
use super::observed::{instance_of, terms_of};
use super::pieces::Pieces;
use crate::id::{ExprId, ObjectId};
use crate::litmus::ast::{Condition, Term, ThreadPlace};
use crate::program::expr::{Binary, Expr};
use crate::program::micro::Program;
use crate::ptx::bits::{mask, signed};
use crate::ptx::operation::{Comparison, TypeKind};
use crate::ptx::side::float_bits;
use rustc_hash::FxHashMap;

/// A term's value and how its bits are read.
#[derive(Clone, Copy)]
enum Valued {
    /// An expression, and whether it is signed.
    Expr(ExprId, Signedness),
    /// A literal, which takes the other side's width.
    Number(i128),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Signedness {
    Signed,
    Unsigned,
}

/// Resolves the condition, the filter and the values that final states show.
pub(super) struct Conditions<'a> {
    program: &'a Program,
    finals: &'a [FxHashMap<String, ExprId>],
    pieces: &'a Pieces,
    initial: &'a mut InitialValues,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(
        program: &'a Program,
        finals: &'a [FxHashMap<String, ExprId>],
        pieces: &'a Pieces,
        initial: &'a mut InitialValues,
    ) -> Self {
        Self { program, finals, pieces, initial }
    }

    /// Fills in the graph's condition, filter and observed values.
    pub(super) fn resolve(&mut self, graph: &mut EventGraph) {
        graph.condition = self.condition(graph, &self.program.condition);
        graph.filter = match &self.program.filter {
            Some(filter) => self.condition(graph, filter),
            None => graph.exprs.truth(true),
        };
        let mut observed: Vec<Observed> = Vec::new();
        for term in terms_of(self.program) {
            if let (Some(name), Valued::Expr(value, sign)) =
                (self.program.name_of(term), self.term(graph, term))
            {
                let known = observed.iter().any(|o| o.name == name);
                if !known {
                    let float = self.program.type_of(term).filter(|ty| ty.is_float());
                    let signed = sign == Signedness::Signed;
                    observed.push(Observed { name, value, signed, float });
                }
            }
        }
        observed.sort_by(|a, b| a.name.cmp(&b.name));
        graph.observed = observed;
    }

    /// One side of a comparison; a floating-point literal takes the type of `other`.
    fn side(&mut self, graph: &mut EventGraph, term: &Term, other: &Term) -> Valued {
        let Term::Float(number) = term else { return self.term(graph, term) };
        Valued::Number(float_bits(number.value, self.program.type_of(other)))
    }

    fn condition(&mut self, graph: &mut EventGraph, condition: &Condition) -> ExprId {
        match condition {
            Condition::True => graph.exprs.truth(true),
            Condition::False => graph.exprs.truth(false),
            Condition::Compare(comparison, a, b) => {
                let (a, b) = (self.side(graph, a, b), self.side(graph, b, a));
                compare(graph, *comparison, a, b)
            }
            Condition::Not(a) => {
                let a = self.condition(graph, a);
                graph.exprs.not(a)
            }
            Condition::And(all) => all.iter().fold(graph.exprs.truth(true), |sum, c| {
                let c = self.condition(graph, c);
                graph.exprs.and(sum, c)
            }),
            Condition::Or(all) => all.iter().fold(graph.exprs.truth(false), |sum, c| {
                let c = self.condition(graph, c);
                graph.exprs.or(sum, c)
            }),
            Condition::Implies(a, b) => {
                let a = self.condition(graph, a);
                let b = self.condition(graph, b);
                let not = graph.exprs.not(a);
                graph.exprs.or(not, b)
            }
        }
    }

    fn term(&mut self, graph: &mut EventGraph, term: &Term) -> Valued {
        match term {
            Term::Number(number) => Valued::Number(number.value),
            Term::Float(number) => Valued::Number(number.value.raw().0),
            Term::AddressOf(name) => {
                let layout = &self.program.layout;
                let address = |v| i128::from(layout.address_of(v, ThreadPlace::Host));
                Valued::Number(layout.variable(&name.value).map_or(0, address))
            }
            Term::Register { thread, register, .. } => {
                let info =
                    self.program.threads[*thread].registers.iter().find(|r| r.name == *register);
                let value = self.finals[*thread].get(register).copied();
                let value = value.unwrap_or_else(|| graph.exprs.number(0, 64));
                Valued::Expr(value, signedness(info.map(|r| r.ty.kind)))
            }
            Term::Memory { variable, index, instance, .. } => {
                let Some(found) = self.program.layout.variable(variable) else {
                    return Valued::Number(0);
                };
                let info = &self.program.layout.variables[found];
                let Some(object) = instance_of(self.program, found, *instance) else {
                    return Valued::Number(0);
                };
                let bytes = info.ty.bytes();
                let value = self.memory(graph, object, index * u64::from(bytes), bytes);
                Valued::Expr(value, signedness(Some(info.ty.kind)))
            }
        }
    }

    /// The final value of bytes: from the pieces that accesses touch, else the initial value.
    fn memory(
        &mut self,
        graph: &mut EventGraph,
        object: ObjectId,
        offset: u64,
        bytes: u32,
    ) -> ExprId {
        let end = offset + u64::from(bytes);
        let mut at = offset;
        let mut value: Option<ExprId> = None;
        while at < end {
            let (part, stop) = match self.pieces.at(object, at) {
                Some((loc, start, size)) => {
                    let stop = end.min(start + u64::from(size));
                    let leaf = graph.exprs.leaf(Expr::Final(loc), size * 8);
                    let low = u32::try_from((at - start) * 8).expect("pieces are small");
                    let width = u32::try_from((stop - at) * 8).expect("pieces are small");
                    (graph.exprs.extract(leaf, low, width), stop)
                }
                None => {
                    let stop =
                        (at + 1..end).find(|&b| self.pieces.at(object, b).is_some()).unwrap_or(end);
                    let size = u32::try_from(stop - at).expect("elements are small");
                    (self.initial.bytes(self.program, graph, object, at, size), stop)
                }
            };
            value = Some(match value {
                None => part,
                Some(lower) => graph.exprs.concat(part, lower),
            });
            at = stop;
        }
        value.expect("an element has at least one byte")
    }
}

fn signedness(kind: Option<TypeKind>) -> Signedness {
    match kind {
        Some(TypeKind::Unsigned | TypeKind::Predicate) => Signedness::Unsigned,
        _ => Signedness::Signed,
    }
}

/// A comparison of two terms. Equality with a literal compares bits, so that `-1` and its unsigned
/// spelling are one; an order compares numbers, and the literal may lie outside the other side's
/// range.
fn compare(graph: &mut EventGraph, comparison: Comparison, a: Valued, b: Valued) -> ExprId {
    let exprs = &mut graph.exprs;
    let (a, b, unsigned) = match (a, b) {
        (Valued::Number(x), Valued::Number(y)) => return exprs.truth(comparison.holds(x, y)),
        (Valued::Expr(x, sx), Valued::Expr(y, sy)) => {
            let width = exprs.width(x).max(exprs.width(y));
            let wide = |s| s == Signedness::Signed;
            let (x, y) = (exprs.resize(x, width, wide(sx)), exprs.resize(y, width, wide(sy)));
            (x, y, sx == Signedness::Unsigned || sy == Signedness::Unsigned)
        }
        (Valued::Expr(x, s), Valued::Number(n)) => {
            let width = exprs.width(x);
            let as_signed = signed(n as u128, width) == n;
            let as_unsigned = (n as u128) & mask(width) == n as u128;
            let fits = match (comparison, s) {
                (Comparison::Eq | Comparison::Ne, _) => as_signed || as_unsigned,
                (_, Signedness::Signed) => as_signed,
                (_, Signedness::Unsigned) => as_unsigned,
            };
            if !fits {
                return out_of_range(exprs, comparison, n > 0);
            }
            let n = exprs.number(n as u128, width);
            (x, n, s == Signedness::Unsigned)
        }
        (Valued::Number(_), Valued::Expr(..)) => {
            return compare(graph, comparison.mirrored(), b, a);
        }
    };
    let less = if unsigned { Binary::ULt } else { Binary::SLt };
    match comparison {
        Comparison::Eq => exprs.equal(a, b),
        Comparison::Ne => {
            let same = exprs.equal(a, b);
            exprs.not(same)
        }
        Comparison::Lt => exprs.binary(less, a, b),
        Comparison::Gt => exprs.binary(less, b, a),
        Comparison::Le => {
            let greater = exprs.binary(less, b, a);
            exprs.not(greater)
        }
        Comparison::Ge => {
            let smaller = exprs.binary(less, a, b);
            exprs.not(smaller)
        }
    }
}

/// A comparison with a literal that the width cannot hold.
fn out_of_range(
    exprs: &mut crate::program::expr::ExprArena,
    comparison: Comparison,
    above: bool,
) -> ExprId {
    exprs.truth(match comparison {
        Comparison::Eq => false,
        Comparison::Ne => true,
        Comparison::Lt | Comparison::Le => above,
        Comparison::Gt | Comparison::Ge => !above,
    })
}
