//! Classification of axioms by their demands on the orders that an execution chooses.
//!
//! An execution chooses `co` and the Fence-SC order. If every axiom either forbids more as these
//! orders grow ([`Class::Prohibition`]) or demands edges of them ([`Class::Production`],
//! [`Class::Choice`]), the smallest orders that meet the demands decide consistency; such a model
//! is in [`Fragment::Minimal`], and an engine leaves an edge out unless it is forced.
//!
//! Orders have the properties that the tool guarantees: `co` is transitive, so `co+` is `co`.

use super::expr::{Arena, Axiom, AxiomKind, AxiomRole, Model, Node};
use super::polarity::{Polarity, Variance};
use crate::id::NodeId;
use crate::vocabulary::BaseRel;

/// The chosen orders that engines keep minimal.
pub const ORDERS: [BaseRel; 2] = [BaseRel::Co, BaseRel::FenceSc];

/// The demand of an axiom on the chosen orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The axiom forbids members or cycles that only grow with the orders.
    Prohibition,
    /// `empty (e \ order)`: the edges of `e`, which only grow with the orders, are in `order`.
    Production {
        /// The order that receives the edges.
        order: BaseRel,
        /// The expression `e`.
        edges: NodeId,
    },
    /// `empty (e \ (order | order^-1))`: the edges of `e` are in `order`, in one direction each.
    Choice {
        /// The order that receives the edges.
        order: BaseRel,
        /// The expression `e`.
        edges: NodeId,
    },
    /// Anything else: the orders have to be chosen completely.
    Other(Reason),
}

/// The reason why an axiom is outside the minimal fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It is negated.
    Negated,
    /// It may stop failing as this order grows, and is not of the form of a demand on an order.
    NotMonotone(BaseRel),
    /// A remark or undefined behaviour may appear only when this order is larger than needed.
    GrowsRemark(BaseRel),
}

/// The fragment of a model: whether minimal orders decide it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// The smallest orders decide: every axiom is a prohibition, a production or a choice. (A model
    /// with [`Model::total_co`] adds the choice of `co` on all pairs of writes to a location.)
    Minimal,
    /// The smallest orders do not decide.
    General {
        /// The name of the first axiom outside the fragment.
        axiom: String,
        /// The reason why it is outside.
        reason: Reason,
    },
}

/// Classifies the axioms, in order; the arena receives nodes for demanded edges that the model has
/// no node for.
pub fn classify(model: &mut Model) -> Vec<Class> {
    let Model { arena, axioms, .. } = model;
    let mut polarity = Polarity::new(arena);
    axioms.iter().map(|axiom| class_of(arena, &mut polarity, axiom)).collect()
}

/// Whether minimal orders decide `model`.
#[must_use]
pub fn fragment(model: &Model) -> Fragment {
    fragment_of(model, &classify(&mut model.clone()))
}

/// Whether minimal orders decide a model with axioms of these classes.
#[must_use]
pub fn fragment_of(model: &Model, classes: &[Class]) -> Fragment {
    let outside = model.axioms.iter().zip(classes).find_map(|(axiom, class)| match class {
        Class::Other(reason) => Some((axiom.name.clone(), *reason)),
        _ => None,
    });
    match outside {
        None => Fragment::Minimal,
        Some((axiom, reason)) => Fragment::General { axiom, reason },
    }
}

fn class_of(arena: &mut Arena, polarity: &mut Polarity, axiom: &Axiom) -> Class {
    use Variance::{Antitone, Constant, Monotone};
    if axiom.role != AxiomRole::Required {
        // The axiom fails more often the larger its expression is, and no failure may be missed.
        let harmless = if axiom.negated { Monotone } else { Antitone };
        return match order_against(polarity, axiom.node, harmless) {
            Some(order) => Class::Other(Reason::GrowsRemark(order)),
            None => Class::Prohibition,
        };
    }
    let order = order_against(polarity, axiom.node, Monotone);
    let variances = ORDERS.map(|o| polarity.in_relation(axiom.node, o));
    match order {
        _ if variances == [Constant; 2] => Class::Prohibition,
        // A demand for a member forbids more as the orders grow, if the expression shrinks.
        _ if axiom.negated
            && axiom.kind == AxiomKind::Empty
            && order_against(polarity, axiom.node, Antitone).is_none() =>
        {
            Class::Prohibition
        }
        _ if axiom.negated => Class::Other(Reason::Negated),
        None => Class::Prohibition,
        Some(order) if axiom.kind == AxiomKind::Empty => {
            demand(arena, polarity, axiom.node).unwrap_or(Class::Other(Reason::NotMonotone(order)))
        }
        Some(order) => Class::Other(Reason::NotMonotone(order)),
    }
}

/// The first order in which `node` is neither constant nor as `wanted`.
fn order_against(polarity: &Polarity, node: NodeId, wanted: Variance) -> Option<BaseRel> {
    ORDERS.into_iter().find(|&order| {
        let variance = polarity.in_relation(node, order);
        variance != wanted && variance != Variance::Constant
    })
}

/// Reads `empty node` as a demand on an order, for any bracketing of subtractions.
fn demand(arena: &mut Arena, polarity: &mut Polarity, node: NodeId) -> Option<Class> {
    let mut parts = Parts::default();
    parts.split(arena, node);
    let mut forward = None;
    let mut backward = None;
    let mut rest = Vec::new();
    for removed in parts.removed {
        match direction(arena, removed) {
            Some((order, true)) if forward.is_none_or(|o| o == order) => forward = Some(order),
            Some((order, false)) if backward.is_none_or(|o| o == order) => backward = Some(order),
            _ => rest.push(removed),
        }
    }
    let joined = parts.kept.into_iter().reduce(|a, b| arena.add(Node::Inter(a, b)))?;
    let edges = rest.into_iter().fold(joined, |e, r| arena.add(Node::Diff(e, r)));
    let class = match (forward, backward) {
        (Some(order), None) => Class::Production { order, edges },
        (None, Some(order)) => Class::Production { order, edges: arena.add(Node::Inverse(edges)) },
        (Some(order), Some(other)) if order == other => Class::Choice { order, edges },
        _ => return None,
    };
    polarity.extend(arena);
    order_against(polarity, edges, Variance::Monotone).is_none().then_some(class)
}

/// An expression as an intersection minus a union.
#[derive(Default)]
struct Parts {
    kept: Vec<NodeId>,
    removed: Vec<NodeId>,
}

impl Parts {
    fn split(&mut self, arena: &Arena, node: NodeId) {
        match arena.node(node) {
            Node::Diff(a, b) => {
                self.split(arena, a);
                self.remove(arena, b);
            }
            Node::Inter(a, b) => {
                let mut inner = Self::default();
                inner.split(arena, a);
                inner.split(arena, b);
                if inner.removed.is_empty() {
                    self.kept.push(node);
                } else {
                    self.kept.append(&mut inner.kept);
                    self.removed.append(&mut inner.removed);
                }
            }
            _ => self.kept.push(node),
        }
    }

    fn remove(&mut self, arena: &Arena, node: NodeId) {
        match arena.node(node) {
            Node::Union(a, b) => {
                self.remove(arena, a);
                self.remove(arena, b);
            }
            _ => self.removed.push(node),
        }
    }
}

/// The order that `node` denotes, and whether forward.
fn direction(arena: &Arena, node: NodeId) -> Option<(BaseRel, bool)> {
    match arena.node(node) {
        Node::Rel(relation) if ORDERS.contains(&relation) => Some((relation, true)),
        Node::Plus(a) if matches!(direction(arena, a), Some((BaseRel::Co, _))) => {
            direction(arena, a)
        }
        Node::Inverse(a) => direction(arena, a).map(|(order, forward)| (order, !forward)),
        _ => None,
    }
}
