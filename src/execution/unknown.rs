//! Unknown values of an execution: results of uninterpreted instructions, and values computed from
//! them.

use super::build::Execution;
use crate::event::graph::{Symbol, SymbolOrigin};
use crate::id::{AccessId, EventId, ExprId};
use crate::program::expr::Expr;
use crate::relation::eval::Interpretation;
use crate::vocabulary::BaseRel;
use std::collections::BTreeSet;

impl Execution<'_> {
    /// Whether the value of a memory event is unknown.
    #[must_use]
    pub fn is_unknown(&self, id: EventId) -> bool {
        self.graph.event(id).is_memory() && self.is_made_of_unknown(self.graph.access_of(id).value)
    }

    /// Whether the value of an expression is unknown, final memory included.
    #[must_use]
    pub fn is_made_of_unknown(&self, value: ExprId) -> bool {
        self.is_made_of(value, |symbol| symbol.origin != SymbolOrigin::Chosen)
    }

    /// Whether an expression depends on a symbol of several bits that the program does not
    /// determine, such as memory without an initial value.
    #[must_use]
    pub fn is_open(&self, value: ExprId) -> bool {
        self.is_made_of(value, |symbol| symbol.width > 1)
    }

    /// Whether the value of an expression depends on such a symbol.
    fn is_made_of(&self, value: ExprId, wanted: impl Fn(&Symbol) -> bool) -> bool {
        if !self.graph.symbols.iter().any(&wanted) {
            return false;
        }
        let mut reads = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            match self.graph.exprs.get(value) {
                Expr::Symbol(symbol) if wanted(self.graph.symbol(symbol)) => return true,
                Expr::Read(access) if reads.insert(access) => self.written(access, &mut open),
                Expr::Final(loc) => {
                    let last = self.choices.finals.get(loc.index()).copied().flatten();
                    open.extend(last.map(|write| self.graph.access_of(write).value));
                }
                // The side that is not chosen does not matter, unless the condition is unknown.
                Expr::Ite(condition, one, other) => {
                    open.push(condition);
                    let holds = self.truth(condition);
                    open.extend((holds != Some(false)).then_some(one));
                    open.extend((holds != Some(true)).then_some(other));
                }
                _ => open.extend(self.graph.exprs.operands(value)),
            }
        }
        false
    }

    /// Adds the values of the writes that an access reads from.
    fn written(&self, access: AccessId, values: &mut Vec<ExprId>) {
        let rf = self.relation(BaseRel::Rf);
        let writes = self.executed.iter().filter(|&w| self.graph.event(w).is_write());
        let pieces = &self.graph.access(access).pieces;
        let read = writes.filter(|&w| pieces.iter().any(|&piece| rf.contains(w, piece)));
        values.extend(read.map(|write| self.graph.access_of(write).value));
    }
}
