//! The elements of vectors: unordered, in an order that the execution chooses (reading V1), or in one
//! fixed order if there are too many orders to choose from.

use super::graph::Symbol;
use super::symbolic::{State, SymbolicThread};
use crate::id::ExprId;
use crate::program::expr::Expr;
use crate::program::micro::{ElementOrder, Micro};
use crate::source::Span;

impl<'p> SymbolicThread<'_, 'p> {
    /// Executes the elements of a vector, each on the registers before the instruction.
    pub(super) fn elements(
        &mut self,
        node: usize,
        list: &'p [Micro],
        order: ElementOrder,
        state: &mut State,
        span: Span,
    ) {
        let before = state.clone();
        if order == ElementOrder::Unordered || list.len() < 2 {
            for element in list {
                let mut own = before.clone();
                self.micro(node, element, &mut own, span);
                if let Some(register) = destination(element) {
                    state.cells[register] = own.cells.swap_remove(register);
                }
            }
            return;
        }
        let orders = match order {
            ElementOrder::OneOfMany => vec![(0..list.len()).collect()],
            _ => permutations(list.len()),
        };
        self.builder.losses.orders |= order == ElementOrder::OneOfMany;
        let chosen = self.choice(orders.len());
        for slot in 0..list.len() {
            for (index, element) in list.iter().enumerate() {
                let here = self.chosen_among(&chosen, &orders, |order| order[slot] == index);
                let guard = self.exprs().and(before.guard, here);
                let mut own = State { guard, ..before.clone() };
                self.micro(node, element, &mut own, span);
                if let Some(register) = destination(element) {
                    let value = own.cells.swap_remove(register);
                    state.cells[register] =
                        self.choose_cell(here, value, &state.cells[register].clone());
                }
            }
            self.position += 2;
        }
    }

    /// Bits, the lowest first, with a number for each of `count` options.
    fn choice(&mut self, count: usize) -> Vec<ExprId> {
        let bit = |_| {
            let name = "order of the elements of a vector".to_owned();
            let id = self.builder.symbols.add(Symbol::chosen(name, 1));
            self.exprs().leaf(Expr::Symbol(id), 1)
        };
        (0..usize::BITS - (count - 1).leading_zeros()).map(bit).collect()
    }

    /// Whether the bits stand for an order that satisfies `holds`. Numbers beyond the last order
    /// stand for the last one.
    fn chosen_among(
        &mut self,
        bits: &[ExprId],
        orders: &[Vec<usize>],
        holds: impl Fn(&[usize]) -> bool,
    ) -> ExprId {
        let last = orders.len() - 1;
        let numbers = 0..1 << bits.len();
        let mut answers: Vec<ExprId> =
            numbers.map(|n: usize| self.exprs().truth(holds(&orders[n.min(last)]))).collect();
        for &bit in bits {
            let pairs = answers.chunks_exact(2);
            answers = pairs.map(|pair| self.builder.exprs.ite(bit, pair[1], pair[0])).collect();
        }
        answers[0]
    }
}

/// The register that receives an element's value.
fn destination(element: &Micro) -> Option<usize> {
    match element {
        Micro::Load { destination, .. } | Micro::Rmw { destination, .. } => {
            destination.map(|d| d.0)
        }
        _ => None,
    }
}

/// All permutations of `count` indices.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for shorter in permutations(count - 1) {
        for at in 0..count {
            let mut longer = shorter.clone();
            longer.insert(at, count - 1);
            out.push(longer);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_all_different() {
        let mut orders = permutations(4);
        orders.sort();
        orders.dedup();
        assert_eq!(orders.len(), 24);
    }
}
