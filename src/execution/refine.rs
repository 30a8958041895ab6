//! The choices of an execution, transferred to the graph of the same program with accesses split into
//! smaller pieces. Each piece of a read reads from the piece of the write at the same location.

use super::build::Choices;
use crate::event::graph::{Access, EventGraph, EventKind};
use crate::id::{EventId, LocId};

/// The choices for the graph with smaller pieces; `None` if the graphs are seen to differ in more than
/// the pieces. The result is not checked: it has to be evaluated like the choices of an engine.
#[must_use]
pub fn refined(whole: &EventGraph, pieces: &EventGraph, choices: &Choices) -> Option<Choices> {
    let refining = Refining::new(whole, pieces)?;
    let at = |event: EventId, loc: Option<LocId>| refining.at(event, loc);
    let pair = |&(first, second): &(EventId, EventId)| {
        let firsts = refining.pieces_of[first.index()].iter();
        firsts.filter_map(move |&one| Some((one, at(second, pieces.event(one).loc)?)))
    };
    let rf = pieces.ids().map(|id| {
        let source = choices.rf.get(refining.whole[id.index()].index()).copied().flatten()?;
        at(source, pieces.event(id).loc)
    });
    let finals = (0..pieces.locations.len()).map(LocId::new).map(|loc| {
        let init = refining.whole[pieces.locations[loc.index()].init.index()];
        let old = whole.event(init).loc?;
        at(choices.finals.get(old.index()).copied().flatten()?, Some(loc))
    });
    choices.self_justified.is_empty().then(|| Choices {
        rf: rf.collect(),
        finals: finals.collect(),
        co: choices.co.iter().flat_map(pair).collect(),
        sc: choices.sc.iter().flat_map(pair).collect(),
        ..choices.clone()
    })
}

/// The correspondence between the events of two graphs.
struct Refining<'g> {
    pieces: &'g EventGraph,
    /// For each piece, the event that contains it.
    whole: Vec<EventId>,
    /// For each event, its pieces.
    pieces_of: Vec<Vec<EventId>>,
}

impl<'g> Refining<'g> {
    fn new(whole: &EventGraph, pieces: &'g EventGraph) -> Option<Self> {
        let accesses = |graph: &EventGraph| -> Vec<Access> {
            let own = |access: &&Access| {
                access.pieces.first().is_some_and(|&id| graph.event(id).kind != EventKind::Init)
            };
            graph.accesses.iter().filter(own).cloned().collect()
        };
        let (coarse, fine) = (accesses(whole), accesses(pieces));
        let ranges = |all: &[Access]| -> Vec<_> { all.iter().map(Access::range).collect() };
        if ranges(&coarse) != ranges(&fine) || whole.symbols.len() != pieces.symbols.len() {
            return None;
        }
        let mut found: Vec<Option<EventId>> = vec![None; pieces.events.len()];
        for (old, new) in coarse.iter().zip(&fine) {
            for &id in &new.pieces {
                found[id.index()] =
                    old.pieces.iter().copied().find(|&other| covers(whole, other, pieces, id));
            }
        }
        for location in &pieces.locations {
            let init = whole.locations.iter().map(|other| other.init);
            found[location.init.index()] =
                init.clone().find(|&other| covers(whole, other, pieces, location.init));
        }
        let found: Vec<EventId> = found.into_iter().collect::<Option<_>>()?;
        let mut pieces_of = vec![Vec::new(); whole.events.len()];
        for id in pieces.ids() {
            pieces_of[found[id.index()].index()].push(id);
        }
        Some(Self { pieces, whole: found, pieces_of })
    }

    /// The piece of an event at a location.
    fn at(&self, event: EventId, loc: Option<LocId>) -> Option<EventId> {
        let mut all = self.pieces_of[event.index()].iter().copied();
        all.find(|&id| self.pieces.event(id).loc == loc)
    }
}

/// Whether a piece lies within an event of the other graph, and is of its kind.
fn covers(whole: &EventGraph, event: EventId, pieces: &EventGraph, piece: EventId) -> bool {
    if whole.event(event).kind != pieces.event(piece).kind {
        return false;
    }
    match (whole.event(event).loc, pieces.event(piece).loc) {
        (Some(old), Some(new)) => {
            let (old, new) = (&whole.locations[old.index()], &pieces.locations[new.index()]);
            let end = |offset: u64, bytes: u32| offset + u64::from(bytes);
            old.object == new.object
                && old.offset <= new.offset
                && end(new.offset, new.bytes) <= end(old.offset, old.bytes)
        }
        (old, new) => old.is_none() && new.is_none(),
    }
}
