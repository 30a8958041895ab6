//! A model as the search uses it: compiled expressions and the demand of each axiom.

use super::compile::{Code, Op, Side, SlotId, SlotSet, compile};
use super::matrix::{Pool, Slots};
use crate::id::NodeId;
use crate::relation::classify::{Class, Fragment, classify, fragment_of};
use crate::relation::expr::{Axiom, AxiomKind, AxiomRole, Model, Node};
use crate::relation::polarity::{Polarity, Variance};
use crate::relation::thin_air::ThinAir;
use crate::rule::Unsupported;
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use std::sync::Arc;

/// The demand of an axiom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// None: the axiom is a remark or holds anyway.
    Nothing,
    /// A slot without members, cycles, or events related to themselves.
    Prohibition { kind: AxiomKind, slot: SlotId, set: bool },
    /// A slot with members. The slot may only shrink as orders grow: the chosen orders are minimal.
    Presence { slot: SlotId, set: bool },
    /// The edges of a slot are in an order.
    Production { order: BaseRel, slot: SlotId },
    /// The edges of a slot are in an order one way or the other.
    Choice { order: BaseRel, slot: SlotId },
}

/// A model compiled for searching.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) code: Code,
    /// The pool of slots, and this model's number there.
    pool: Arc<Pool>,
    number: u64,
    /// By index of the model's axioms.
    pub(super) demands: Vec<Demand>,
    /// The slots of reads-from, coherence and Fence-SC order.
    pub(super) rf: Option<SlotId>,
    pub(super) co: Option<SlotId>,
    pub(super) sc: Option<SlotId>,
    pub(super) total_co: bool,
    /// Whether an axiom may come to hold by more synchronization of barriers.
    pub(super) bounds_barriers: bool,
    /// The axiom that excludes values that justify themselves, if there is one.
    pub(super) thin_air: Option<ThinAir>,
    pub(super) sets: Vec<BaseSet>,
    pub(super) relations: Vec<BaseRel>,
}

impl Rules {
    /// Slots for a program of this many events.
    pub(super) fn slots(&self, events: usize) -> Slots {
        self.pool.slots(self.number, &self.code, events)
    }

    /// Takes back slots that no search uses any more.
    pub(super) fn recycle(&self, slots: Slots) {
        self.pool.recycle(self.number, slots);
    }

    /// Whether two compiled models have the same meaning.
    pub(super) fn say_the_same(&self, other: &Self) -> bool {
        (&self.code.ops, &self.demands, self.total_co, &self.thin_air)
            == (&other.code.ops, &other.demands, other.total_co, &other.thin_air)
    }

    /// The slots that these axioms use.
    pub(super) fn wanted(&self, axioms: &[bool]) -> SlotSet {
        let mut wanted = SlotSet::new(self.code.ops.len());
        for (demand, _) in self.demands.iter().zip(axioms).filter(|(_, active)| **active) {
            match *demand {
                Demand::Nothing => {}
                Demand::Prohibition { slot, .. }
                | Demand::Presence { slot, .. }
                | Demand::Production { slot, .. }
                | Demand::Choice { slot, .. } => wanted.insert(slot),
            }
        }
        for slot in (0..self.code.ops.len()).rev() {
            if wanted.contains(slot) {
                self.code.ops[slot].operands().into_iter().for_each(|o| wanted.insert(o));
            }
        }
        wanted
    }

    /// Compiles a model whose values do not justify themselves if `thin_air` says why; searches take their
    /// slots from `pool`.
    ///
    /// # Errors
    /// When the model is outside the fragment that minimal orders decide.
    pub(super) fn new(
        model: &Model,
        thin_air: Option<ThinAir>,
        pool: &Arc<Pool>,
    ) -> Result<Self, Unsupported> {
        let mut model = model.clone();
        let classes = classify(&mut model);
        if let Fragment::General { axiom, .. } = fragment_of(&model, &classes) {
            return Err(Unsupported::MinimalOrders(axiom));
        }
        let polarity = Polarity::new(&model.arena);
        let mut roots = Vec::new();
        let mut root = |node: NodeId, side: Side| {
            roots.push((node, side));
            roots.len() - 1
        };
        let mut plans = Vec::new();
        for (axiom, class) in model.axioms.iter().zip(&classes) {
            plans.push(match *class {
                _ if axiom.role != AxiomRole::Required => Demand::Nothing,
                _ if axiom.negated && may_be_present(axiom, &polarity) => {
                    let set = model.arena.sort(axiom.node) == Sort::Set;
                    Demand::Presence { slot: root(axiom.node, Side::High), set }
                }
                _ if axiom.negated => return Err(Unsupported::Negated(axiom.name.clone())),
                // The axiom is about relations that the program does not have.
                _ if matches!(model.arena.node(axiom.node), Node::Empty(_)) => Demand::Nothing,
                Class::Production { order, edges } => {
                    Demand::Production { order, slot: root(edges, Side::Low) }
                }
                Class::Choice { order, edges } => {
                    Demand::Choice { order, slot: root(edges, Side::Low) }
                }
                Class::Prohibition | Class::Other(_) => {
                    let set = model.arena.sort(axiom.node) == Sort::Set;
                    Demand::Prohibition { kind: axiom.kind, slot: root(axiom.node, Side::Low), set }
                }
            });
        }
        let (code, slots) = compile(&model.arena, &roots)?;
        let demands: Vec<Demand> = plans
            .into_iter()
            .map(|plan| match plan {
                Demand::Nothing => Demand::Nothing,
                Demand::Prohibition { kind, slot, set } => {
                    Demand::Prohibition { kind, slot: slots[slot], set }
                }
                Demand::Presence { slot, set } => Demand::Presence { slot: slots[slot], set },
                Demand::Production { order, slot } => {
                    Demand::Production { order, slot: slots[slot] }
                }
                Demand::Choice { order, slot } => Demand::Choice { order, slot: slots[slot] },
            })
            .collect();
        let slot_of = |relation| code.ops.iter().position(|&op| op == Op::Rel(relation, Side::Low));
        let (co, sc) = (slot_of(BaseRel::Co), slot_of(BaseRel::FenceSc));
        let sets = code
            .ops
            .iter()
            .filter_map(|op| if let Op::Set(set, _) = op { Some(*set) } else { None })
            .collect();
        let relations = code
            .ops
            .iter()
            .filter_map(|op| if let Op::Rel(r, _) = op { Some(*r) } else { None })
            .collect();
        let bounds_barriers = code
            .ops
            .iter()
            .any(|op| matches!(op, Op::Rel(r, Side::High) if r.kind_of_barrier().is_some()));
        Ok(Self {
            number: pool.register(),
            pool: Arc::clone(pool),
            bounds_barriers,
            rf: slot_of(BaseRel::Rf),
            co,
            sc,
            total_co: model.total_co,
            thin_air,
            sets,
            relations,
            demands,
            code,
        })
    }
}

/// Whether the members that an axiom asks for are found with minimal orders.
fn may_be_present(axiom: &Axiom, polarity: &Polarity) -> bool {
    let shrinks = |order: BaseRel| {
        let variance = polarity.in_relation(axiom.node, order);
        matches!(variance, Variance::Constant | Variance::Antitone)
    };
    axiom.kind == AxiomKind::Empty && shrinks(BaseRel::Co) && shrinks(BaseRel::FenceSc)
}
