//! Normal form of expressions up to order and grouping.
//!
//! Unions and intersections are sorted and have no member twice, compositions group to the right,
//! and a recursion that only extends itself on one side becomes a closure.

use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use crate::vocabulary::BaseRel;
use rustc_hash::FxHashMap;

/// The laws that [`normal`] applies, by the names under which algebra knows them.
pub const LAWS: [&str; 4] = [
    "union and intersection commute, associate and are idempotent",
    "composition associates",
    "the least solution of x = a | x ; b is a ; b*, that of x = a | b ; x is b* ; a",
    "the least solution of x = a | x ; x is a+",
];

/// The normal form of a node.
pub fn normal(arena: &mut Arena, id: NodeId) -> NodeId {
    let mut known = FxHashMap::default();
    visit(arena, id, &mut known)
}

/// The members of a union, intersection or composition, for any grouping; for other nodes the node
/// itself.
#[must_use]
pub fn parts(arena: &Arena, id: NodeId) -> Vec<NodeId> {
    let mut out = Vec::new();
    let kind = std::mem::discriminant(&arena.node(id));
    gather(arena, id, kind, &mut out);
    out
}

fn gather(arena: &Arena, id: NodeId, kind: std::mem::Discriminant<Node>, out: &mut Vec<NodeId>) {
    let node = arena.node(id);
    match node {
        Node::Union(a, b) | Node::Inter(a, b) | Node::Comp(a, b)
            if std::mem::discriminant(&node) == kind =>
        {
            gather(arena, a, kind, out);
            gather(arena, b, kind, out);
        }
        _ => out.push(id),
    }
}

fn visit(arena: &mut Arena, id: NodeId, known: &mut FxHashMap<NodeId, NodeId>) -> NodeId {
    if let Some(&done) = known.get(&id) {
        return done;
    }
    let node = arena.node(id);
    let done = match node {
        Node::Set(_) | Node::Rel(_) | Node::Empty(_) => id,
        Node::Rec(_) => match closed_form(arena, id) {
            Some(closed) => visit(arena, closed, known),
            None => id,
        },
        Node::Union(..) | Node::Inter(..) | Node::Comp(..) => {
            let is_sorted = !matches!(node, Node::Comp(..));
            let members = parts(arena, id);
            let visited: Vec<NodeId> =
                members.into_iter().map(|member| visit(arena, member, known)).collect();
            // Members may have become unions themselves.
            let kind = std::mem::discriminant(&node);
            let mut members = Vec::new();
            visited.iter().for_each(|&member| gather(arena, member, kind, &mut members));
            if is_sorted {
                members.sort_unstable();
                members.dedup();
            }
            let join = |a: NodeId, b: NodeId| match node {
                Node::Union(..) => Node::Union(a, b),
                Node::Inter(..) => Node::Inter(a, b),
                _ => Node::Comp(a, b),
            };
            let last = members.pop().unwrap_or(id);
            members.into_iter().rev().fold(last, |rest, member| arena.add(join(member, rest)))
        }
        Node::Diff(a, b) => {
            let (a, b) = (visit(arena, a, known), visit(arena, b, known));
            arena.add(Node::Diff(a, b))
        }
        Node::Cross(a, b) => {
            let (a, b) = (visit(arena, a, known), visit(arena, b, known));
            arena.add(Node::Cross(a, b))
        }
        Node::Inverse(a) => unary(arena, a, Node::Inverse, known),
        Node::Plus(a) => unary(arena, a, Node::Plus, known),
        Node::ToId(a) => unary(arena, a, Node::ToId, known),
        Node::Domain(a) => unary(arena, a, Node::Domain, known),
        Node::Range(a) => unary(arena, a, Node::Range, known),
    };
    known.insert(id, done);
    done
}

fn unary(
    arena: &mut Arena,
    operand: NodeId,
    make: fn(NodeId) -> Node,
    known: &mut FxHashMap<NodeId, NodeId>,
) -> NodeId {
    let operand = visit(arena, operand, known);
    arena.add(make(operand))
}

/// The equivalent of a recursive reference without recursion. The definition has to be a union of
/// parts without the reference and of recursive parts. Either all recursive parts extend the
/// reference on one side, or a single part composes the reference with itself.
pub fn closed_form(arena: &mut Arena, id: NodeId) -> Option<NodeId> {
    let Node::Rec(rec) = arena.node(id) else { return None };
    if arena.group(rec.group).count() != 1 {
        return None;
    }
    let body = arena.body(rec)?;
    let (mut base, mut right, mut left, mut twice) = (Vec::new(), Vec::new(), Vec::new(), false);
    let members = match arena.node(body) {
        Node::Union(..) => parts(arena, body),
        _ => vec![body],
    };
    for member in members {
        if !mentions(arena, member, id) {
            base.push(member);
            continue;
        }
        let Node::Comp(..) = arena.node(member) else { return None };
        let factors = parts(arena, member);
        let (first, last) = (*factors.first()?, *factors.last()?);
        let inner = |factors: &[NodeId]| factors.iter().all(|&f| !mentions(arena, f, id));
        if factors == [id, id] {
            twice = true;
        } else if first == id && inner(&factors[1..]) {
            right.push(compose(arena, &factors[1..]));
        } else if last == id && inner(&factors[..factors.len() - 1]) {
            left.push(compose(arena, &factors[..factors.len() - 1]));
        } else {
            return None;
        }
    }
    let base = unite(arena, &base)?;
    match (twice, &right[..], &left[..]) {
        (true, [], []) => Some(arena.add(Node::Plus(base))),
        (false, [_, ..], []) => {
            let star = star(arena, &right)?;
            Some(arena.add(Node::Comp(base, star)))
        }
        (false, [], [_, ..]) => {
            let star = star(arena, &left)?;
            Some(arena.add(Node::Comp(star, base)))
        }
        _ => None,
    }
}

fn star(arena: &mut Arena, steps: &[NodeId]) -> Option<NodeId> {
    let step = unite(arena, steps)?;
    let plus = arena.add(Node::Plus(step));
    let id = arena.add(Node::Rel(BaseRel::Id));
    Some(arena.add(Node::Union(plus, id)))
}

fn unite(arena: &mut Arena, nodes: &[NodeId]) -> Option<NodeId> {
    let (&first, rest) = nodes.split_first()?;
    Some(rest.iter().fold(first, |all, &one| arena.add(Node::Union(all, one))))
}

fn compose(arena: &mut Arena, factors: &[NodeId]) -> NodeId {
    let (last, rest) = factors.split_last().expect("a composition has factors");
    rest.iter().rev().fold(*last, |behind, &one| arena.add(Node::Comp(one, behind)))
}

/// Whether a node contains another.
fn mentions(arena: &Arena, id: NodeId, wanted: NodeId) -> bool {
    let mut open = vec![id];
    let mut seen = vec![false; arena.len()];
    while let Some(id) = open.pop() {
        if id == wanted {
            return true;
        }
        if !std::mem::replace(&mut seen[id.index()], true) {
            open.extend(crate::relation::plan::dependencies(arena, id));
        }
    }
    false
}
