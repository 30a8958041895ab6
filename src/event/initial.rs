//! What memory holds before the program starts: declared values, and symbols for unknown ones.

use super::draft::DraftAccess;
use super::graph::{EventGraph, Symbol};
use crate::id::{ExprId, ObjectId, SymbolId};
use crate::program::expr::{Binary, Expr, mask};
use crate::program::micro::Program;
use rustc_hash::FxHashMap;

/// Initial values of variable elements; unknown ones become symbols, one per element.
#[derive(Debug, Default)]
pub(super) struct InitialValues {
    symbols: FxHashMap<(ObjectId, u64), ExprId>,
    mbarriers: Vec<MbarrierPlace>,
}

/// Where an mbarrier object lies.
#[derive(Debug)]
struct MbarrierPlace {
    object: ObjectId,
    start: u64,
    end: u64,
    looks: Looks,
}

/// What reads the unknown bits of an mbarrier object before it is initialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// Only operations on mbarriers, which are undefined there whatever the bits are.
    Nobody,
    /// Ordinary accesses as well.
    Others,
}

impl InitialValues {
    pub(super) fn new(program: &Program, accesses: &[DraftAccess]) -> Self {
        let shown = super::condition::variables_of(program);
        let layout = &program.layout;
        let variable = |object: ObjectId| layout.objects[object.index()].variable;
        let is_shown = |object| shown.contains(&layout.variables[variable(object)].name.as_str());
        let end = |a: &DraftAccess| a.offset + u64::from(a.bytes);
        let mut mbarriers: Vec<MbarrierPlace> = Vec::new();
        for a in accesses.iter().filter(|a| a.marks.mbarrier) {
            if mbarriers.iter().any(|m| (m.object, m.start) == (a.object, a.offset)) {
                continue;
            }
            let other = accesses.iter().any(|b| {
                !b.marks.mbarrier && b.object == a.object && b.offset < end(a) && a.offset < end(b)
            });
            let looks = if other || is_shown(a.object) { Looks::Others } else { Looks::Nobody };
            // An operation with a computed address does not make an mbarrier of data that it might
            // mean, unless it may be what initializes it.
            let place = |b: &&DraftAccess| (b.object, b.offset) == (a.object, a.offset);
            let mut same = accesses.iter().filter(|b| b.marks.mbarrier).filter(place);
            if looks == Looks::Others
                && same.all(|b| !b.address_reads.is_empty() && !b.marks.mbarrier_init)
            {
                continue;
            }
            mbarriers.push(MbarrierPlace { object: a.object, start: a.offset, end: end(a), looks });
        }
        Self { mbarriers, ..Self::default() }
    }

    /// Whether bytes belong to an mbarrier object whose bits nobody looks at.
    fn is_unseen(&self, object: ObjectId, start: u64, end: u64) -> bool {
        let mut around = self
            .mbarriers
            .iter()
            .filter(|m| m.object == object && m.start <= start && end <= m.end);
        around.any(|m| m.looks == Looks::Nobody)
    }

    /// The bits of some bytes that say of an mbarrier object that it is initialized: the last bit of
    /// each object.
    fn validity(&self, object: ObjectId, start: u64, end: u64) -> u128 {
        let here =
            self.mbarriers.iter().filter(|m| m.object == object && start < m.end && m.end <= end);
        here.map(|m| 1 << ((m.end - start) * 8 - 1)).fold(0, |all, bit| all | bit)
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
        // Unknown bits do not look like an initialized object; most often that is the last bit only.
        let validity = self.validity(object, start, end);
        let is_last = validity != 0 && validity == 1 << (width - 1);
        let unknown = width - u32::from(is_last);
        let is_unseen = self.is_unseen(object, start, end);
        match variable.given(index) {
            Some(value) => graph.exprs.number(value, width),
            None if variable.zeroed || is_unseen => graph.exprs.number(0, width),
            None => *self.symbols.entry((object, index)).or_insert_with(|| {
                let id = SymbolId::new(graph.symbols.len());
                let name = if variable.elements > 1 {
                    format!("initial value of {}[{index}]", info.name)
                } else {
                    format!("initial value of {}", info.name)
                };
                graph.symbols.push(Symbol { name, width: unknown });
                let value = graph.exprs.leaf(Expr::Symbol(id), unknown);
                let value = graph.exprs.zero_extend(value, width);
                if validity == 0 || is_last {
                    return value;
                }
                let others = graph.exprs.number(!validity & mask(width), width);
                graph.exprs.binary(Binary::And, value, others)
            }),
        }
    }
}
