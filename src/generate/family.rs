//! The family of a cycle: all combinations of annotations, connections and placements. They are
//! numbered, so that each variation is computed from its number.

use super::cycle::Cycle;
use super::edge::{Direction, Edge, Link};
use super::place::{Levels, Placement, placements};
use super::variation::{Annotation, Memory, Through, Variation, Width};
use crate::ptx::operation::{Order, Scope};

/// The choices to combine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Orders of events: weak, relaxed, acquire, release.
    pub orders: Vec<Order>,
    /// Scopes of strong events.
    pub scopes: Vec<Scope>,
    /// The connections between the events of a thread.
    pub links: Vec<Link>,
    /// By which names locations are accessed.
    pub names: Vec<Through>,
    /// The levels at which threads may be separated.
    pub places: Places,
    /// Widths of accesses.
    pub widths: Vec<Width>,
    /// The memory of locations; locations in shared memory are only accessed through
    /// [`Through::Name`].
    pub memory: Memory,
}

/// Where threads may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// All placements within these levels.
    All(Levels),
    /// Each thread in a separate cluster.
    Separate,
}

/// The variations of a cycle.
#[derive(Clone, Debug)]
pub struct Family {
    /// The cycle.
    pub cycle: Cycle,
    /// The possible annotations of each event, weaker ones first.
    annotations: Vec<Vec<Annotation>>,
    /// The possible connections behind each event.
    links: Vec<Vec<Link>>,
    placements: Vec<Placement>,
    widths: Vec<Width>,
    memory: Memory,
    symmetries: Vec<usize>,
}

impl Family {
    /// The family of a cycle. Annotations and connections in the specification stay fixed.
    #[must_use]
    pub fn new(cycle: Cycle, choices: &Choices) -> Self {
        let annotations = cycle
            .events
            .iter()
            .zip(&cycle.annotations)
            .map(|(event, said)| match said {
                Some(annotation) => vec![*annotation],
                None => annotations(event.direction, choices),
            })
            .collect();
        let links = cycle.edges.iter().map(|edge| links(*edge, choices)).collect();
        let placements = match choices.places {
            Places::All(levels) => placements(cycle.threads, levels),
            Places::Separate => {
                let name: Vec<String> = (0..cycle.threads).map(|t| t.to_string()).collect();
                Placement::named(&name.join("-")).into_iter().collect()
            }
        };
        let symmetries = cycle.symmetries();
        let widths = choices.widths.clone();
        let memory = choices.memory;
        Self { cycle, annotations, links, placements, widths, memory, symmetries }
    }

    /// Whether some event may have this order.
    #[must_use]
    pub fn has_order(&self, order: Order) -> bool {
        self.annotations.iter().flatten().any(|annotation| annotation.order == order)
    }

    /// Whether this link may stand behind some event.
    #[must_use]
    pub fn has_link(&self, link: Link) -> bool {
        self.links.iter().flatten().any(|other| *other == link)
    }

    /// The number of variations, including those that [`Self::get`] leaves out.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.classes().saturating_mul(self.class_len())
    }

    /// Whether the family has no variations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pairs of a placement and a width there are.
    #[must_use]
    pub fn classes(&self) -> u64 {
        self.placements.len() as u64 * self.widths.len() as u64
    }

    /// How many variations have the same placement and width.
    #[must_use]
    pub fn class_len(&self) -> u64 {
        self.sizes().fold(1, u64::saturating_mul)
    }

    /// The number of choices for each event, and then for each connection.
    fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        let annotations = self.annotations.iter().map(|options| options.len() as u64);
        annotations.chain(self.links.iter().map(|options| options.len() as u64))
    }

    /// The variation of a number, below [`Self::len`]; `None` where it is another one with threads
    /// numbered otherwise, or a barrier would be between threads of different CTAs, or shared memory used
    /// from another cluster.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<Variation<'_>> {
        let variation = self.any(number)?;
        variation.is_canonical(&self.symmetries).then_some(variation)
    }

    /// Like [`Self::get`], but also gives variations that only differ in the numbers of threads;
    /// `None` if placement and cycle are incompatible.
    #[must_use]
    pub fn any(&self, number: u64) -> Option<Variation<'_>> {
        let class = number / self.class_len().max(1);
        let (placement, width) =
            (class / self.widths.len().max(1) as u64, class % self.widths.len().max(1) as u64);
        let placement = self.placements.get(usize::try_from(placement).ok()?)?.clone();
        let mut rest = number % self.class_len().max(1);
        let mut digit = |size: usize| {
            let digit = rest % size as u64;
            rest /= size as u64;
            usize::try_from(digit).unwrap_or(0)
        };
        let annotations = self.annotations.iter().map(|o| o[digit(o.len())]).collect();
        let links = self.links.iter().map(|o| o[digit(o.len())]).collect();
        let width = *self.widths.get(usize::try_from(width).ok()?)?;
        let memory = self.memory;
        let cycle = &self.cycle;
        let variation = Variation { cycle, annotations, links, placement, width, memory };
        (variation.has_barriers_within_ctas() && variation.reaches_all()).then_some(variation)
    }

    /// The numbers, within a class, of the variations one step weaker or one step stronger than
    /// `number`. They differ in one event or one connection, without another choice of the family
    /// in between.
    #[must_use]
    pub fn neighbours(&self, number: u64, which: Neighbours) -> Vec<u64> {
        let mut found = Vec::new();
        let (mut weight, mut rest) = (1, number);
        let sizes: Vec<u64> = self.sizes().collect();
        for (at, &size) in sizes.iter().enumerate() {
            let digit = rest % size;
            rest /= size;
            let other = |to: u64| number - digit * weight + to * weight;
            found.extend((0..size).filter(|&to| self.is_step(at, digit, to, which)).map(other));
            weight *= size;
        }
        found
    }

    fn is_step(&self, at: usize, from: u64, to: u64, which: Neighbours) -> bool {
        let weaker = |a: u64, b: u64| self.is_weaker(at, a, b);
        let size = self.sizes().nth(at).unwrap_or(0);
        match which {
            Neighbours::Weaker => {
                weaker(to, from) && !(0..size).any(|mid| weaker(to, mid) && weaker(mid, from))
            }
            Neighbours::Stronger => {
                weaker(from, to) && !(0..size).any(|mid| weaker(from, mid) && weaker(mid, to))
            }
        }
    }

    fn is_weaker(&self, at: usize, a: u64, b: u64) -> bool {
        let [a, b] = [a, b].map(|digit| usize::try_from(digit).unwrap_or(0));
        match self.annotations.get(at) {
            Some(options) => options[a].is_weaker(options[b]),
            None => {
                let options = &self.links[at - self.annotations.len()];
                options[a].is_weaker(options[b])
            }
        }
    }
}

/// Which neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// Weaker neighbours.
    Weaker,
    /// Stronger neighbours.
    Stronger,
}

fn annotations(direction: Direction, choices: &Choices) -> Vec<Annotation> {
    let mut all = Vec::new();
    for &through in &choices.names {
        for &order in &choices.orders {
            let scopes = if order == Order::Weak { &[None][..] } else { &[] };
            let strong = choices.scopes.iter().map(|scope| Some(*scope));
            let strong = strong.filter(|_| order != Order::Weak);
            for scope in scopes.iter().copied().chain(strong) {
                let annotation = Annotation { order, scope, through };
                if annotation.fits(direction) {
                    all.push(annotation);
                }
            }
        }
    }
    // If no choice fits an event, it becomes relaxed or weak.
    if all.is_empty() {
        let scopes = choices.scopes.iter();
        all.extend(scopes.map(|scope| Annotation::strong(Order::Relaxed, *scope)));
    }
    all
}

fn links(edge: Edge, choices: &Choices) -> Vec<Link> {
    match edge {
        Edge::External(_) | Edge::Internal(_) | Edge::Barrier { .. } => vec![Link::Plain],
        Edge::Program { link: Some(link), .. } => vec![link],
        Edge::Program { link: None, from, to, .. } => {
            let depends = (from, to) == (Direction::Read, Direction::Write);
            let fits = |link: &&Link| depends || !matches!(link, Link::Data | Link::Control);
            let links: Vec<Link> = choices.links.iter().filter(fits).copied().collect();
            if links.is_empty() { vec![Link::Plain] } else { links }
        }
    }
}
