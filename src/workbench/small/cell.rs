//! The evaluation of both models on all programs of a cell. A cell consists of a shape, a set of
//! labels for each instruction, and one place for each thread or all places.
//!
//! Every set and relation has a lower bound, its common members in all these programs, and an upper
//! bound, its members in any of them. Operators combine the bounds accordingly: the lower bound of
//! `a \ b` is the lower bound of `a` without the upper bound of `b`. An axiom certainly holds,
//! certainly fails, or is open. If each instruction has one label and the threads have places, both
//! bounds coincide, and no axiom is open.
//!
//! The outline of a skeleton is a frame in which locations are open as well: its bounds hold for all
//! shapes with these instructions.

use super::label::Label;
use super::lanes::Lanes;
use super::pair::Pair;
use super::place::{LEVELS, Level, Placement};
use super::rows::{NONE, Rows, bits, symmetric};
use super::shape::{Alphabet, Kind, Shape};
use super::skeleton::Skeleton;
use crate::id::NodeId;
use crate::ptx::operation::Order;
use crate::vocabulary::{BaseRel, BaseSet};

/// Which part of an instruction an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The initial write of a location.
    Init,
    /// The read of an access.
    Read,
    /// The write of an access.
    Write,
    /// A fence, or a barrier that arrives and waits.
    Fence,
    /// The arrival at a cluster's barrier.
    Arrive,
    /// The wait at a cluster's barrier.
    Wait,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its part.
    pub part: Part,
    /// Its instruction, counted through all threads; 0 for initial writes.
    pub op: usize,
    /// Its thread; 0 for initial writes.
    pub thread: usize,
    /// Its location; 0 for fences.
    pub loc: u8,
    /// Whether the event uses the second address of its location.
    pub alias: bool,
}

/// The events of a shape, in the order of a test: initial writes, then by thread.
#[must_use]
pub fn events(shape: &Shape) -> Vec<Event> {
    let init = |loc| Event { part: Part::Init, op: 0, thread: 0, loc, alias: false };
    let locations = u8::try_from(shape.locations()).unwrap_or(u8::MAX);
    let mut events: Vec<Event> = (0..locations).map(init).collect();
    for (index, (thread, op)) in shape.ops().enumerate() {
        let parts: &[Part] = match op.kind {
            Kind::Load => &[Part::Read],
            Kind::Store => &[Part::Write],
            Kind::Atom | Kind::Red => &[Part::Read, Part::Write],
            Kind::Fence | Kind::CtaBarrier | Kind::AliasFence | Kind::OrderedAliasFence => {
                &[Part::Fence]
            }
            Kind::ClusterBarrier => &[Part::Arrive, Part::Wait],
        };
        let event = |&part| Event { part, op: index, thread, loc: op.loc, alias: op.alias };
        events.extend(parts.iter().map(event));
    }
    events
}

/// The possible labels of each instruction, and the places of threads.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// The labels of each instruction.
    pub labels: Vec<Vec<Label>>,
    /// The possible places of the threads together.
    pub placements: Vec<&'a Placement>,
}

/// The relations chosen by an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Reads-from, from writes to reads: the certain pairs, and the possible pairs.
    pub rf: [Rows; 2],
    /// Coherence: the certain pairs, and the possible pairs.
    pub co: [Rows; 2],
    /// A total order of all fences, of which `sc` is a part: the certain pairs, and the possible
    /// pairs.
    pub fences: [Rows; 2],
}

/// Both models on one shape.
pub struct Frame<'p> {
    pub(super) pair: &'p Pair,
    shape: Shape,
    /// The events.
    pub events: Vec<Event>,
    /// The locations that each event may have, as a set of bits.
    pub(super) reach: Vec<u8>,
    /// For an outline, whether second addresses and copied values are open.
    pub(super) open: Option<Open>,
    kinds: Vec<Kind>,
    /// The events of each thread.
    of_thread: Vec<u32>,
    pub(super) bounds: [Vec<Rows>; 2],
    /// The bounds on the differences between expressions of the two models.
    pub(super) differ: Vec<Rows>,
    /// How often something was evaluated.
    pub(super) now: u64,
    /// When the bounds of each node changed last, and when they were evaluated last.
    pub(super) times: Vec<[u64; 2]>,
    /// The same for each bound on a difference.
    pub(super) differ_times: Vec<[u64; 2]>,
    /// Values for many executions at once.
    pub(super) lanes: Lanes,
    /// The relations chosen by the execution.
    pub chosen: Chosen,
    /// The events that are left out, a bit each.
    pub(super) gone: u32,
}

/// What is open in an outline beside locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    aliases: bool,
    copies: bool,
}

impl<'p> Frame<'p> {
    /// A frame for a shape.
    #[must_use]
    pub fn new(pair: &'p Pair, shape: &Shape) -> Self {
        let events = events(shape);
        let reach = events.iter().map(|event| 1 << event.loc).collect();
        Self::with(pair, shape.clone(), events, reach, None)
    }

    /// A frame for all shapes of a skeleton.
    #[must_use]
    pub fn outline(pair: &'p Pair, skeleton: &Skeleton, alphabet: &Alphabet) -> Self {
        let shape = skeleton.merged();
        let own = skeleton.reach();
        let init = |loc| Event { part: Part::Init, op: 0, thread: 0, loc, alias: false };
        let locations = u8::try_from(skeleton.locations).unwrap_or(u8::MAX);
        let others = events(&shape).into_iter().filter(|event| event.part != Part::Init);
        let events: Vec<Event> = (0..locations).map(init).chain(others).collect();
        let of = |event: &Event| match event.part {
            Part::Init => 1 << event.loc,
            _ => own[event.op],
        };
        let reach = events.iter().map(of).collect();
        let open = Open { aliases: alphabet.aliases, copies: alphabet.copies };
        Self::with(pair, shape, events, reach, Some(open))
    }

    fn with(
        pair: &'p Pair,
        shape: Shape,
        events: Vec<Event>,
        reach: Vec<u8>,
        open: Option<Open>,
    ) -> Self {
        let of = |thread: usize| {
            let own = |(_, e): &(usize, &Event)| e.part != Part::Init && e.thread == thread;
            events.iter().enumerate().filter(own).map(|(at, _)| 1 << at).sum()
        };
        let of_thread = (0..shape.threads.len()).map(of).collect();
        let kinds = shape.ops().map(|(_, op)| op.kind).collect();
        let bounds = [vec![NONE; pair.arena.len()], vec![NONE; pair.arena.len()]];
        let differ = vec![NONE; pair.twins.iter().map(Vec::len).sum()];
        let chosen = Chosen { rf: [NONE; 2], co: [NONE; 2], fences: [NONE; 2] };
        let times = vec![[0; 2]; pair.arena.len()];
        let differ_times = vec![[0; 2]; differ.len()];
        let lanes = Lanes::new(pair.arena.len(), differ.len());
        Self {
            pair,
            shape,
            events,
            reach,
            open,
            kinds,
            of_thread,
            bounds,
            differ,
            now: 0,
            times,
            differ_times,
            lanes,
            chosen,
            gone: 0,
        }
    }

    /// A frame for a shape of which one instruction is left out.
    pub(super) fn without(pair: &'p Pair, shape: &Shape, op: usize) -> Self {
        let mut frame = Self::new(pair, shape);
        let is_own = |(_, e): &(usize, &Event)| e.part != Part::Init && e.op == op;
        let events = frame.events.iter().enumerate();
        frame.gone = events.filter(is_own).map(|(at, _)| 1 << at).sum();
        frame
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether it is open which stores store what was read.
    pub(super) fn copies_are_open(&self) -> bool {
        self.open.is_some_and(|open| open.copies)
    }

    /// The value of a node, if both bounds are one.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Option<&Rows> {
        let [low, up] = [0, 1].map(|bound| &self.bounds[bound][id.index()]);
        (low == up).then_some(low)
    }

    /// The members of a base set: the possible ones if `upper`, else the certain ones.
    #[must_use]
    pub fn set(&self, set: BaseSet, cell: &Cell<'_>, upper: bool) -> u32 {
        let is_in = |event: &Event| self.is_in(event, set, cell, upper);
        let members = self.events.iter().enumerate().filter(|(_, event)| is_in(event));
        members.map(|(index, _)| 1 << index).sum::<u32>() & !self.gone
    }

    fn is_in(&self, event: &Event, set: BaseSet, cell: &Cell<'_>, upper: bool) -> bool {
        let kind = (event.part != Part::Init).then(|| self.kinds[event.op]);
        let is_memory = matches!(event.part, Part::Init | Part::Read | Part::Write);
        let order = |wanted: Order| {
            kind.is_some()
                && labelled(cell, event, upper, |l| tag(event.part, kind, l) == Some(wanted))
        };
        let scope = |wanted: Level| {
            kind.is_some() && labelled(cell, event, upper, |label| label.scope == Some(wanted))
        };
        match set {
            BaseSet::All => true,
            BaseSet::Read => event.part == Part::Read,
            BaseSet::Write => matches!(event.part, Part::Init | Part::Write),
            BaseSet::Memory => is_memory,
            BaseSet::InitialWrite => event.part == Part::Init,
            BaseSet::Fence => !is_memory,
            BaseSet::ProxyFence | BaseSet::Alias => kind.is_some_and(Kind::is_alias_fence),
            BaseSet::Barrier => {
                matches!(kind, Some(Kind::CtaBarrier | Kind::ClusterBarrier))
            }
            BaseSet::Arrive => event.part == Part::Arrive,
            BaseSet::Rmw => matches!(kind, Some(Kind::Atom | Kind::Red)),
            BaseSet::Red => kind == Some(Kind::Red),
            BaseSet::Weak => order(Order::Weak),
            BaseSet::Relaxed => order(Order::Relaxed),
            BaseSet::Acquire => order(Order::Acquire),
            BaseSet::Release => order(Order::Release),
            BaseSet::AcqRel => order(Order::AcqRel),
            BaseSet::Sc => order(Order::Sc),
            BaseSet::ScopeCta => scope(Level::Cta),
            BaseSet::ScopeCluster => scope(Level::Cluster),
            BaseSet::ScopeGpu => scope(Level::Gpu),
            BaseSet::ScopeSys => scope(Level::System),
            BaseSet::Generic => {
                matches!(event.part, Part::Read | Part::Write) || kind == Some(Kind::Fence)
            }
            BaseSet::Texture
            | BaseSet::Surface
            | BaseSet::Constant
            | BaseSet::Async
            | BaseSet::Host
            | BaseSet::Mbarrier
            | BaseSet::Peer
            | BaseSet::Lone
            | BaseSet::Agent
            | BaseSet::Issue
            | BaseSet::Await
            | BaseSet::Signal
            | BaseSet::Complete
            | BaseSet::Copy
            | BaseSet::ToAsync
            | BaseSet::ForReads
            | BaseSet::FromAsync
            | BaseSet::ToTensormap
            | BaseSet::WarpgroupFence
            | BaseSet::TensorMemory
            | BaseSet::BeforeThreadSync
            | BaseSet::AfterThreadSync
            | BaseSet::Committed
            | BaseSet::Freed
            | BaseSet::Tensormap => false,
        }
    }

    /// The pairs of a base relation: the possible ones if `upper`, else the certain ones.
    #[must_use]
    pub fn relation(&self, relation: BaseRel, cell: &Cell<'_>, upper: bool) -> Rows {
        let mut rows = self.of_all_events(relation, cell, upper);
        self.leave_out(&mut rows);
        rows
    }

    /// Takes the pairs of events from a relation that are left out.
    pub(super) fn leave_out(&self, rows: &mut Rows) {
        if self.gone != 0 {
            rows.iter_mut().for_each(|row| *row &= !self.gone);
            bits(self.gone).for_each(|at| rows[at] = 0);
        }
    }

    fn of_all_events(&self, relation: BaseRel, cell: &Cell<'_>, upper: bool) -> Rows {
        let bound = usize::from(upper);
        let mut rows = NONE;
        match relation {
            BaseRel::Rf => return self.chosen.rf[bound],
            BaseRel::Co => return self.chosen.co[bound],
            BaseRel::Includes => return self.includes(cell, upper),
            BaseRel::SameScope => return symmetric(&self.includes(cell, upper), self.len()),
            BaseRel::FenceSc => {
                let set = self.set(BaseSet::Sc, cell, upper);
                let scopes = symmetric(&self.includes(cell, upper), self.len());
                let fences = &self.chosen.fences[bound];
                bits(set).for_each(|i| rows[i] = fences[i] & scopes[i] & set);
                return rows;
            }
            BaseRel::SameCta => return self.near(Level::Cta, cell, upper),
            BaseRel::SameCluster => return self.near(Level::Cluster, cell, upper),
            BaseRel::SameGpu => return self.near(Level::Gpu, cell, upper),
            _ => {}
        }
        for (i, a) in self.events.iter().enumerate() {
            for (j, b) in self.events.iter().enumerate() {
                if self.relates(relation, (i, a), (j, b), cell, upper) {
                    rows[i] |= 1 << j;
                }
            }
        }
        rows
    }

    fn relates(
        &self,
        relation: BaseRel,
        (i, a): (usize, &Event),
        (j, b): (usize, &Event),
        cell: &Cell<'_>,
        upper: bool,
    ) -> bool {
        let is_init = |e: &Event| e.part == Part::Init;
        let none_init = !is_init(a) && !is_init(b);
        let one_thread = none_init && a.thread == b.thread;
        let is_memory = |e: &Event| matches!(e.part, Part::Init | Part::Read | Part::Write);
        let one_loc = is_memory(a) && is_memory(b) && self.meet(i, j, upper);
        let near = |level: Level| {
            let is_near = |place: &&Placement| place.level(a.thread, b.thread) <= level;
            if upper {
                cell.placements.iter().any(is_near)
            } else {
                cell.placements.iter().all(is_near)
            }
        };
        let rmw = none_init && a.op == b.op && a.part == Part::Read && b.part == Part::Write;
        match relation {
            BaseRel::Po => one_thread && i < j,
            BaseRel::Id | BaseRel::SameAccess | BaseRel::SameOperation => i == j,
            BaseRel::Covers => !is_init(a) && self.kinds[a.op].is_alias_fence() && is_memory(b),
            BaseRel::Loc => one_loc,
            BaseRel::Vloc | BaseRel::Same => one_loc && self.one_address((i, a), (j, b), upper),
            BaseRel::Internal => one_thread || i == j,
            BaseRel::External => !one_thread && i != j,
            BaseRel::Rmw => rmw,
            BaseRel::Data | BaseRel::ValueDep => self.copies(a, b, upper) || (rmw && self.adds(a)),
            BaseRel::Dep => self.copies(a, b, upper) || rmw,
            BaseRel::BarrierSync => {
                let both = self.is_turn(a, b, Kind::CtaBarrier);
                both && a.thread != b.thread && near(Level::Cta)
            }
            BaseRel::ClusterSync => {
                let both = self.is_turn(a, b, Kind::ClusterBarrier);
                let parts = a.part == Part::Arrive && b.part == Part::Wait;
                both && parts && near(Level::Cluster)
            }
            _ => false,
        }
    }

    /// Whether two memory events may be at one location if `upper`, else whether they surely are.
    pub(super) fn meet(&self, i: usize, j: usize, upper: bool) -> bool {
        let (a, b) = (self.reach[i], self.reach[j]);
        i == j || if upper { a & b != 0 } else { a == b && a.is_power_of_two() }
    }

    /// Whether two accesses of one location use the same address of it.
    fn one_address(&self, (i, a): (usize, &Event), (j, b): (usize, &Event), upper: bool) -> bool {
        match self.open {
            Some(Open { aliases: true, .. }) => upper || i == j,
            _ => a.alias == b.alias,
        }
    }

    /// Whether a store stores the value that a load has read.
    fn copies(&self, a: &Event, b: &Event, upper: bool) -> bool {
        if b.part != Part::Write || a.part != Part::Read || a.thread != b.thread {
            return false;
        }
        if let Some(Open { copies, .. }) = self.open {
            return copies && upper && a.op < b.op;
        }
        let first = self.first(b.thread);
        let source = self.shape.threads[b.thread][b.op - first].copies;
        source.is_some_and(|source| first + usize::from(source) == a.op)
    }

    fn adds(&self, event: &Event) -> bool {
        self.kinds[event.op] == Kind::Red
    }

    /// The first instruction of a thread, counted through all threads.
    fn first(&self, thread: usize) -> usize {
        self.shape.threads[..thread].iter().map(Vec::len).sum()
    }

    /// Whether two events are barriers of one kind with the same ordinal among the barriers of this
    /// kind in their threads.
    fn is_turn(&self, a: &Event, b: &Event, kind: Kind) -> bool {
        let turn = |e: &Event| {
            let ops = &self.kinds[self.first(e.thread)..e.op];
            ops.iter().filter(|&&other| other == kind).count()
        };
        let is_one = |e: &Event| e.part != Part::Init && self.kinds[e.op] == kind;
        is_one(a) && is_one(b) && turn(a) == turn(b)
    }

    /// Pairs of events with scopes, of which the first includes the thread of the second.
    fn includes(&self, cell: &Cell<'_>, upper: bool) -> Rows {
        let mut rows = NONE;
        let mut scoped = 0;
        let mut last = (usize::MAX, 0);
        for (i, event) in self.events.iter().enumerate().filter(|(_, e)| e.part != Part::Init) {
            if last.0 != event.op {
                last = (event.op, self.reached(cell, event, upper));
            }
            rows[i] = bits(last.1).fold(0, |all, thread| all | self.of_thread[thread]);
            scoped |= u32::from(last.1 != 0) << i;
        }
        rows.iter_mut().for_each(|row| *row &= scoped);
        rows
    }

    /// The threads that the scope of an event reaches, a bit each.
    fn reached(&self, cell: &Cell<'_>, event: &Event, upper: bool) -> u32 {
        let labels = &cell.labels[event.op];
        let mut scopes: [bool; 4] = [false; 4];
        labels
            .iter()
            .filter_map(|label| label.scope)
            .for_each(|scope| scopes[scope as usize] = true);
        let unscoped = labels.iter().any(|label| label.scope.is_none());
        let reach = LEVELS.iter().filter(|&&level| scopes[level as usize]).flat_map(|&level| {
            cell.placements.iter().map(move |place| place.reach(event.thread, level))
        });
        match upper {
            true => reach.fold(0, |all, one| all | one),
            false if unscoped => 0,
            false => reach.fold(self.every(), |all, one| all & one),
        }
    }

    /// All threads, a bit each.
    fn every(&self) -> u32 {
        (1 << self.of_thread.len()) - 1
    }

    /// Pairs of events of threads that are no further from each other than a level.
    fn near(&self, level: Level, cell: &Cell<'_>, upper: bool) -> Rows {
        let mut rows = NONE;
        for (i, event) in self.events.iter().enumerate().filter(|(_, e)| e.part != Part::Init) {
            let reach = cell.placements.iter().map(|place| place.reach(event.thread, level));
            let reached = match upper {
                true => reach.fold(0, |all, one| all | one),
                false => reach.fold(self.every(), |all, one| all & one),
            };
            rows[i] = bits(reached).fold(0, |all, thread| all | self.of_thread[thread]);
        }
        rows
    }
}

/// Whether some label of an event's instruction satisfies a predicate if `upper`, else whether all
/// labels do.
fn labelled(cell: &Cell<'_>, event: &Event, upper: bool, is: impl Fn(&Label) -> bool) -> bool {
    let labels = &cell.labels[event.op];
    if upper { labels.iter().any(is) } else { labels.iter().all(is) }
}

/// The order that a part of an instruction has.
fn tag(part: Part, kind: Option<Kind>, label: &Label) -> Option<Order> {
    let order = label.order?;
    Some(match (kind?, part, order) {
        (Kind::Atom | Kind::Red, Part::Read, Order::Acquire | Order::AcqRel) => Order::Acquire,
        (Kind::Atom | Kind::Red, Part::Write, Order::Release | Order::AcqRel) => Order::Release,
        (Kind::Atom | Kind::Red, ..) => Order::Relaxed,
        // A wait acquires.
        (Kind::ClusterBarrier, Part::Wait, _) => Order::Acquire,
        (_, _, order) => order,
    })
}
