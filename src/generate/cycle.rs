//! Cycles of edges, and their events with threads, locations and values. A final state shows that
//! all edges were taken.

use super::annotation::Annotation;
use super::edge::{Communication, Direction, Edge};
use std::fmt::{self, Display, Formatter};
use thiserror::Error;

/// The most threads of a cycle: placements of more are too many to be listed.
pub const MOST_THREADS: usize = 6;

/// An event of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The direction.
    pub direction: Direction,
    /// Its thread.
    pub thread: usize,
    /// Its location.
    pub location: usize,
    /// The value to write, or the value that a read has to see; `None` for a read of any value.
    pub value: Option<u32>,
}

/// A cycle that begins with the first event of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// The edges; edge i leads from event i to the next.
    pub edges: Vec<Edge>,
    /// The annotation of each event in the specification; `None` leaves it open.
    pub annotations: Vec<Option<Annotation>>,
    /// The events.
    pub events: Vec<Event>,
    /// How many threads there are.
    pub threads: usize,
    /// How many locations there are.
    pub locations: usize,
    /// The final values that the cycle asks for, by location.
    pub finals: Vec<Option<u32>>,
}

/// Why a specification is no cycle.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CycleError {
    /// A word that names no edge.
    #[error("`{0}` is no edge")]
    NoEdge(String),
    /// There are no edges.
    #[error("a cycle has edges")]
    Empty,
    /// An edge starts with another direction than the one at the end of its predecessor.
    #[error("`{before}` ends with {ends}, and `{after}` begins with {begins}")]
    Mismatch {
        /// The edge before.
        before: String,
        /// The direction at its end.
        ends: Direction,
        /// The edge behind.
        after: String,
        /// The direction at its start.
        begins: Direction,
    },
    /// No edge leads to another thread.
    #[error("no edge leads to another thread")]
    OneThread,
    /// Too many threads.
    #[error("{0} threads, more than {MOST_THREADS}")]
    ManyThreads(usize),
    /// A single edge leads to another location.
    #[error("one edge alone leads to another location, from which none leads back")]
    OneLocation,
    /// Coherence alone would be cyclic.
    #[error("the writes of a location would each be overwritten by another")]
    CoherenceCycle,
    /// Final values do not tell the order of three writes.
    #[error("{0} writes to one location: a final value tells the order of two")]
    ManyWrites(usize),
    /// An annotation that the event cannot have.
    #[error("a {0} cannot be `{1}`")]
    Annotation(&'static str, String),
}

impl Cycle {
    /// The cycle of a specification: a list of edges, each optionally followed by the annotation of
    /// its last event.
    ///
    /// # Errors
    /// When the specification is not a cycle.
    pub fn parse(text: &str) -> Result<Self, CycleError> {
        let (mut edges, mut annotations): (Vec<Edge>, Vec<Option<Annotation>>) = Default::default();
        let mut first = None;
        for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            match (Edge::named(word), Annotation::named(word)) {
                (Some(edge), _) => {
                    edges.push(edge);
                    annotations.push(None);
                }
                (None, Some(annotation)) => match annotations.last_mut() {
                    Some(last) => *last = Some(annotation),
                    None => first = Some(annotation),
                },
                (None, None) => return Err(CycleError::NoEdge(word.to_owned())),
            }
        }
        if edges.is_empty() {
            return Err(CycleError::Empty);
        }
        // An annotation behind an edge belongs to the first event of the next edge.
        annotations.rotate_right(1);
        if first.is_some() {
            annotations[0] = first;
        }
        Self::new(edges, annotations)
    }

    /// A cycle of edges, with an annotation for the first event of each edge.
    ///
    /// # Errors
    /// When the edges do not form a cycle.
    pub fn new(
        mut edges: Vec<Edge>,
        mut annotations: Vec<Option<Annotation>>,
    ) -> Result<Self, CycleError> {
        let count = edges.len();
        for at in 0..count {
            let (before, after) = (edges[at], edges[(at + 1) % count]);
            if before.to() != after.from() {
                return Err(CycleError::Mismatch {
                    before: before.to_string(),
                    ends: before.to(),
                    after: after.to_string(),
                    begins: after.from(),
                });
            }
        }
        for (edge, annotation) in edges.iter().zip(&annotations) {
            if let Some(annotation) = annotation.filter(|a| !a.fits(edge.from())) {
                let what = match edge.from() {
                    Direction::Read => "read",
                    Direction::Write => "write",
                };
                return Err(CycleError::Annotation(what, annotation.to_string()));
            }
        }
        let Some(last) = edges.iter().rposition(|edge| edge.leaves_thread()) else {
            return Err(CycleError::OneThread);
        };
        edges.rotate_left((last + 1) % count);
        annotations.rotate_left((last + 1) % count);
        let threads = edges.iter().filter(|edge| edge.leaves_thread()).count();
        if threads > MOST_THREADS {
            return Err(CycleError::ManyThreads(threads));
        }
        let mut cycle = Self {
            events: Vec::new(),
            threads,
            locations: 0,
            finals: Vec::new(),
            edges,
            annotations,
        };
        cycle.place_events()?;
        cycle.values()?;
        Ok(cycle)
    }

    /// Assigns threads and locations to events. Each location but the first starts behind an edge
    /// that changes the location; the last such edge returns to the first location.
    fn place_events(&mut self) -> Result<(), CycleError> {
        let changes = self.edges.iter().filter(|edge| edge.leaves_location()).count();
        if changes == 1 {
            return Err(CycleError::OneLocation);
        }
        self.locations = changes.max(1);
        let (mut thread, mut location) = (0, 0);
        for edge in &self.edges {
            let direction = edge.from();
            self.events.push(Event { direction, thread, location, value: None });
            thread += usize::from(edge.leaves_thread());
            location = (location + usize::from(edge.leaves_location())) % self.locations;
        }
        Ok(())
    }

    /// Numbers the writes of each location in coherence order, and computes the values that reads
    /// have to see.
    fn values(&mut self) -> Result<(), CycleError> {
        let count = self.events.len();
        self.finals = vec![None; self.locations];
        for location in 0..self.locations {
            let writes: Vec<usize> = (0..count)
                .filter(|&e| self.events[e].location == location)
                .filter(|&e| self.events[e].direction == Direction::Write)
                .collect();
            if writes.len() > 2 {
                return Err(CycleError::ManyWrites(writes.len()));
            }
            let before = |a: usize, b: usize| self.overwrites(a, b);
            let order = match writes[..] {
                [a, b] if before(a, b) && before(b, a) => return Err(CycleError::CoherenceCycle),
                [a] if before(a, a) => return Err(CycleError::CoherenceCycle),
                [a, b] if before(b, a) => vec![b, a],
                _ => writes.clone(),
            };
            if order.len() > 1 {
                self.finals[location] = u32::try_from(order.len()).ok();
            }
            for (rank, &write) in (1..).zip(&order) {
                self.events[write].value = Some(rank);
            }
        }
        for event in 0..count {
            if self.events[event].direction == Direction::Read {
                self.events[event].value = self.seen(event);
            }
        }
        Ok(())
    }

    /// Whether the cycle implies that write `a` is overwritten by write `b`, directly or through a
    /// read of `a` that misses `b`.
    fn overwrites(&self, a: usize, b: usize) -> bool {
        let count = self.events.len();
        let next = (a + 1) % count;
        match self.edges[a].communication() {
            Some(Communication::Coherence) => next == b,
            Some(Communication::ReadsFrom) => {
                self.edges[next].communication() == Some(Communication::FromReads)
                    && (next + 1) % count == b
            }
            _ => false,
        }
    }

    /// The value that a read has to see.
    fn seen(&self, read: usize) -> Option<u32> {
        let count = self.events.len();
        let before = (read + count - 1) % count;
        if self.edges[before].communication() == Some(Communication::ReadsFrom) {
            return self.events[before].value;
        }
        if self.edges[read].communication() == Some(Communication::FromReads) {
            return self.events[(read + 1) % count].value.map(|value| value - 1);
        }
        None
    }

    /// The events of a thread, in program order.
    pub fn of_thread(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.events.len()).filter(move |&event| self.events[event].thread == thread)
    }

    /// The rotations of the cycle, as numbers of threads, that keep its edges and annotations;
    /// always including 0.
    #[must_use]
    pub fn symmetries(&self) -> Vec<usize> {
        let count = self.events.len();
        let same = |shift: usize| {
            (0..count).all(|at| {
                self.edges[at] == self.edges[(at + shift) % count]
                    && self.annotations[at] == self.annotations[(at + shift) % count]
            })
        };
        let starts = (0..count).filter(|&at| at == 0 || self.edges[at - 1].leaves_thread());
        starts.filter(|&at| same(at)).map(|at| self.events[at].thread).collect()
    }

    /// The first event of a thread.
    #[must_use]
    pub fn first_of(&self, thread: usize) -> usize {
        self.of_thread(thread).next().unwrap_or(0)
    }

    /// Whether a barrier separates a thread from its predecessor in the cycle.
    #[must_use]
    pub fn barrier_before(&self, thread: usize) -> bool {
        let count = self.events.len();
        let before = (self.first_of(thread) + count - 1) % count;
        matches!(self.edges[before], Edge::Barrier { .. })
    }
}

impl Display for Cycle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, edge) in self.edges.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{edge}")?;
            if let Some(annotation) = self.annotations[(at + 1) % self.edges.len()] {
                write!(f, " {annotation}")?;
            }
        }
        Ok(())
    }
}

/// A short word for a location.
#[must_use]
pub fn location_name(location: usize) -> String {
    match location {
        0..=2 => ["x", "y", "z"][location].to_owned(),
        _ => format!("x{location}"),
    }
}
