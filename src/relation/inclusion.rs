//! Whether an expression is part of another one by their forms alone, whatever the base names stand for.

use super::expr::{Arena, Node};
use crate::id::NodeId;
use crate::vocabulary::BaseRel;
use rustc_hash::FxHashMap;

/// Questions about the nodes of one arena; nodes may be added between them.
#[derive(Debug, Default)]
pub struct Inclusion {
    known: FxHashMap<(NodeId, NodeId), bool>,
}

impl Inclusion {
    /// Whether every member of the first expression is one of the second. Where the forms do not show it, the
    /// answer is `false`.
    pub fn holds(&mut self, arena: &Arena, part: NodeId, whole: NodeId) -> bool {
        if part == whole {
            return true;
        }
        if let Some(&known) = self.known.get(&(part, whole)) {
            return known;
        }
        let holds = arena.sort(part) == arena.sort(whole) && self.by_form(arena, part, whole);
        self.known.insert((part, whole), holds);
        holds
    }

    fn by_form(&mut self, arena: &Arena, part: NodeId, whole: NodeId) -> bool {
        let mut is = |a: NodeId, b: NodeId| self.holds(arena, a, b);
        match (arena.node(part), arena.node(whole)) {
            (Node::Empty(_), _) | (Node::ToId(_), Node::Rel(BaseRel::Id)) => true,
            (Node::Union(a, b), _) => is(a, whole) && is(b, whole),
            (_, Node::Inter(a, b)) => is(part, a) && is(part, b),
            (own, other) => {
                let alike = match (own, other) {
                    (Node::Comp(a, b), Node::Comp(c, d))
                    | (Node::Cross(a, b), Node::Cross(c, d)) => is(a, c) && is(b, d),
                    (Node::Diff(a, b), Node::Diff(c, d)) => is(a, c) && is(d, b),
                    (Node::Inverse(a), Node::Inverse(b))
                    | (Node::Plus(a), Node::Plus(b))
                    | (Node::ToId(a), Node::ToId(b))
                    | (Node::Domain(a), Node::Domain(b))
                    | (Node::Range(a), Node::Range(b)) => is(a, b),
                    _ => false,
                };
                let of_part = match own {
                    Node::Inter(a, b) => is(a, whole) || is(b, whole),
                    Node::Diff(a, _) => is(a, whole),
                    _ => false,
                };
                let of_whole = match other {
                    Node::Union(a, b) => is(part, a) || is(part, b),
                    Node::Plus(a) => is(part, a),
                    _ => false,
                };
                alike || of_part || of_whole
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::BaseSet;

    #[test]
    fn forms_show_what_is_part_of_what() {
        let mut arena = Arena::default();
        let [rf, co, po] =
            [BaseRel::Rf, BaseRel::Co, BaseRel::Po].map(|base| arena.add(Node::Rel(base)));
        let reads = arena.add(Node::Set(BaseSet::Read));
        let on_reads = arena.add(Node::ToId(reads));
        let both = arena.add(Node::Union(rf, co));
        let path = arena.add(Node::Comp(rf, po));
        let longer = arena.add(Node::Comp(both, po));
        let (closed, rest) = (arena.add(Node::Plus(longer)), arena.add(Node::Diff(po, co)));
        let less = arena.add(Node::Diff(po, both));
        let identity = arena.add(Node::Rel(BaseRel::Id));
        let mut inclusion = Inclusion::default();
        for (part, whole) in [
            (rf, both),
            (path, longer),
            (path, closed),
            (less, rest),
            (rest, po),
            (on_reads, identity),
        ] {
            assert!(inclusion.holds(&arena, part, whole));
            assert!(!inclusion.holds(&arena, whole, part));
        }
        assert!(!inclusion.holds(&arena, rf, co) && !inclusion.holds(&arena, reads, on_reads));
    }
}
