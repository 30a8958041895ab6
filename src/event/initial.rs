//! Initial memory: declared values, and symbols for unknown ones.

use super::access::DraftAccess;
use super::graph::{EventGraph, Symbol};
use super::observed::variables_of;
use crate::id::{ExprId, ObjectId, SymbolId};
use crate::program::expr::Expr;
use crate::program::micro::Program;
use rustc_hash::FxHashMap;

/// Initial values of variable elements; unknown ones become symbols, one per element.
#[derive(Debug, Default)]
pub(super) struct InitialValues {
    symbols: FxHashMap<(ObjectId, u64), ExprId>,
    unseen: Vec<Unseen>,
}

/// The place of an mbarrier object that no ordinary access touches and no final state shows. Its
/// initial bits do not matter: mbarrier operations are undefined before the initialization.
#[derive(Debug)]
struct Unseen {
    object: ObjectId,
    start: u64,
    end: u64,
}

impl InitialValues {
    pub(super) fn new(program: &Program, accesses: &[DraftAccess]) -> Self {
        let shown = variables_of(program);
        let layout = &program.layout;
        let variable = |object: ObjectId| layout.objects[object.index()].variable;
        let is_shown = |object| shown.contains(&layout.variables[variable(object)].name.as_str());
        let mut unseen: Vec<Unseen> = Vec::new();
        for a in accesses.iter().filter(|a| a.marks.mbarrier && !is_shown(a.object)) {
            let is_known = unseen.iter().any(|u| (u.object, u.start) == (a.object, a.offset));
            if !is_known && !accesses.iter().any(|b| !b.marks.mbarrier && b.overlaps(a)) {
                unseen.push(Unseen { object: a.object, start: a.offset, end: a.end() });
            }
        }
        Self { unseen, ..Self::default() }
    }

    /// Whether bytes belong to an mbarrier object without ordinary accesses.
    fn is_unseen(&self, object: ObjectId, start: u64, end: u64) -> bool {
        self.unseen.iter().any(|u| u.object == object && u.start <= start && end <= u.end)
    }

    /// The initial value of `bytes` bytes of an object from `offset` on.
    pub(super) fn bytes(
        &mut self,
        program: &Program,
        graph: &mut EventGraph,
        object: ObjectId,
        offset: u64,
        bytes: u32,
    ) -> ExprId {
        let info = &program.layout.objects[object.index()];
        let element = u64::from(program.layout.variables[info.variable].ty.bytes()).max(1);
        let (mut at, end) = (offset, offset + u64::from(bytes));
        let mut value: Option<ExprId> = None;
        while at < end {
            let index = at / element;
            let stop = end.min((index + 1) * element);
            let whole = self.element(program, graph, object, index);
            let low = u32::try_from((at - index * element) * 8).expect("elements are small");
            let width = u32::try_from((stop - at) * 8).expect("accesses are small");
            let part = graph.exprs.extract(whole, low, width);
            value = Some(match value {
                None => part,
                Some(lower) => graph.exprs.concat(part, lower),
            });
            at = stop;
        }
        value.expect("a location has at least one byte")
    }

    fn element(
        &mut self,
        program: &Program,
        graph: &mut EventGraph,
        object: ObjectId,
        index: u64,
    ) -> ExprId {
        let info = &program.layout.objects[object.index()];
        let variable = &program.layout.variables[info.variable];
        let width = variable.ty.bits;
        let size = u64::from(variable.ty.bytes());
        let (start, end) = (index * size, (index + 1) * size);
        let is_unseen = self.is_unseen(object, start, end);
        match variable.given(index) {
            Some(value) => graph.exprs.number(value, width),
            None if is_unseen => graph.exprs.number(0, width),
            None => *self.symbols.entry((object, index)).or_insert_with(|| {
                let id = SymbolId::new(graph.symbols.len());
                let name = if variable.elements > 1 {
                    format!("initial value of {}[{index}]", info.name)
                } else {
                    format!("initial value of {}", info.name)
                };
                graph.symbols.push(Symbol::chosen(name, width));
                graph.exprs.leaf(Expr::Symbol(id), width)
            }),
        }
    }
}
