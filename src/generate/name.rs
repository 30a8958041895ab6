//! The names of variations, which can be parsed. A name contains the shape, the events of each
//! thread and their connections, the width unless four bytes, the memory if shared, and the
//! placement.
//!
//! `MP+weak.rel-gpu+acq-gpu.weak+0-1` is message passing through a released flag, with the threads
//! in two clusters.

use super::cycle::{Cycle, CycleError};
use super::edge::{Edge, FenceOrder, Link, SCOPES};
use super::place::Placement;
use super::shape::{SHAPES, name_of, shape};
use super::variation::{Annotation, Memory, Through, Variation, Width};
use crate::ptx::operation::{Order, Scope};
use std::fmt::{self, Display, Formatter};
use thiserror::Error;

/// Why a name is that of no test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// The name starts with neither a shape nor a cycle.
    #[error("`{0}` begins with no shape and no cycle")]
    Shape(String),
    /// Its cycle is none.
    #[error(transparent)]
    Cycle(#[from] CycleError),
    /// The number of parts differs from that of the shape.
    #[error(
        "{found} parts behind the shape, not {expected} for its threads and one for the placement"
    )]
    Parts {
        /// How many there are.
        found: usize,
        /// How many threads there are.
        expected: usize,
    },
    /// The placement at the end is missing.
    #[error(
        "the placement is missing behind `{0}`: `01` puts two threads into one CTA, `0-1` into two clusters"
    )]
    Placement(String),
    /// A part that says nothing.
    #[error("`{0}` is no part of a name")]
    Part(String),
}

/// A parsed name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// The cycle.
    pub cycle: Cycle,
    annotations: Vec<Annotation>,
    links: Vec<Link>,
    placement: Placement,
    width: Width,
    memory: Memory,
}

impl Named {
    /// The variation of the cycle.
    #[must_use]
    pub fn variation(&self) -> Variation<'_> {
        Variation {
            cycle: &self.cycle,
            annotations: self.annotations.clone(),
            links: self.links.clone(),
            placement: self.placement.clone(),
            width: self.width,
            memory: self.memory,
        }
    }
}

/// The word of shared memory.
const SHARED: &str = "shared";

/// The words of strong orders.
const ORDERS: [(Order, &str); 3] =
    [(Order::Relaxed, "rlx"), (Order::Acquire, "acq"), (Order::Release, "rel")];

/// The start of a name, for the cycle.
#[must_use]
pub fn base(cycle: &Cycle) -> String {
    name_of(cycle).map_or_else(
        || cycle.edges.iter().map(Edge::to_string).collect::<Vec<_>>().join("-"),
        ToOwned::to_owned,
    )
}

impl Display for Variation<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&base(self.cycle))?;
        for thread in 0..self.cycle.threads {
            for (number, event) in self.cycle.of_thread(thread).enumerate() {
                f.write_str(if number == 0 { "+" } else { "." })?;
                f.write_str(&annotation(self.annotations[event]))?;
                if let Some(link) = link(self.links[event]) {
                    write!(f, ".{link}")?;
                }
            }
        }
        if self.width != Width::W32 {
            write!(f, "+{}", self.width.ty())?;
        }
        if self.memory == Memory::Shared {
            write!(f, "+{SHARED}")?;
        }
        write!(f, "+{}", self.placement)
    }
}

fn scope_word(scope: Option<Scope>) -> &'static str {
    SCOPES.iter().find(|(known, ..)| Some(*known) == scope).map_or("", |(.., word)| word)
}

fn annotation(annotation: Annotation) -> String {
    let order = ORDERS.iter().find(|(order, _)| *order == annotation.order);
    let text = match order {
        Some((_, order)) => format!("{order}-{}", scope_word(annotation.scope)),
        None => "weak".to_owned(),
    };
    text + if annotation.through == Through::Alias { "-alias" } else { "" }
}

fn link(link: Link) -> Option<String> {
    Some(match link {
        Link::Plain => return None,
        Link::Fence(FenceOrder::AcqRel, scope) => format!("far-{}", scope_word(Some(scope))),
        Link::Fence(FenceOrder::Sc, scope) => format!("fsc-{}", scope_word(Some(scope))),
        Link::Alias => "falias".to_owned(),
        Link::Data => "data".to_owned(),
        Link::Control => "ctrl".to_owned(),
    })
}

/// The variation of a name.
///
/// # Errors
/// When the name is not a valid name of a variation.
pub fn named(name: &str) -> Result<Named, NameError> {
    let (cycle, rest) = begin(name)?;
    let mut parts: Vec<&str> = rest.split('+').collect();
    let count = parts.len();
    let missing = NameError::Parts { found: count, expected: cycle.threads };
    let Some(place) = parts.pop() else { return Err(missing) };
    let placement = Placement::named(place).ok_or_else(|| match is_no_placement(place) {
        true => NameError::Placement(place.to_owned()),
        false => NameError::Part(place.to_owned()),
    })?;
    let memory = match parts.last() {
        Some(&SHARED) => Memory::Shared,
        _ => Memory::Global,
    };
    if memory == Memory::Shared {
        parts.pop();
    }
    // The usual width is not written, so that a test has one name.
    let written = |width: &Width| *width != Width::W32 && parts.last() == Some(&width.ty());
    let width = Width::ALL.into_iter().find(written);
    if width.is_some() {
        parts.pop();
    }
    if parts.len() != cycle.threads || placement.0.len() != cycle.threads {
        return Err(missing);
    }
    let mut annotations = vec![Annotation::WEAK; cycle.events.len()];
    let mut links = vec![Link::Plain; cycle.events.len()];
    for (thread, part) in parts.iter().enumerate() {
        let wrong = || NameError::Part((*part).to_owned());
        let mut words = part.split('.').peekable();
        let events: Vec<usize> = cycle.of_thread(thread).collect();
        for &event in &events {
            let read = words.next().and_then(annotation_named).ok_or_else(wrong)?;
            if !read.fits(cycle.events[event].direction) {
                return Err(wrong());
            }
            annotations[event] = read;
            if let Some(between) = words.peek().and_then(|word| link_named(word)) {
                if events.last() == Some(&event) {
                    return Err(wrong());
                }
                links[event] = between;
                words.next();
            }
        }
        if words.next().is_some() {
            return Err(wrong());
        }
    }
    let width = width.unwrap_or(Width::W32);
    Ok(Named { cycle, annotations, links, placement, width, memory })
}

/// Whether the last part of a name is a part that stands before the placement.
fn is_no_placement(part: &str) -> bool {
    let first = part.split('.').next().unwrap_or("");
    part == SHARED
        || Width::ALL.iter().any(|width| width.ty() == part)
        || annotation_named(first).is_some()
}

/// The cycle at the start of a name, and the remaining text.
fn begin(name: &str) -> Result<(Cycle, &str), NameError> {
    let begins = |known: &str| name.strip_prefix(known).and_then(|rest| rest.strip_prefix('+'));
    let known = SHAPES.iter().filter_map(|(known, _)| Some((*known, begins(known)?)));
    // `MP+...` begins `MP` alone, `2+2W+...` not `2`.
    if let Some((known, rest)) = known.max_by_key(|(known, _)| known.len())
        && let Some(cycle) = shape(known)
    {
        return Ok((cycle, rest));
    }
    let (first, rest) = name.split_once('+').ok_or_else(|| NameError::Shape(name.to_owned()))?;
    let edges: Option<Vec<Edge>> = first.split('-').map(Edge::named).collect();
    let edges = edges.ok_or_else(|| NameError::Shape(name.to_owned()))?;
    let count = edges.len();
    Ok((Cycle::new(edges, vec![None; count])?, rest))
}

fn annotation_named(word: &str) -> Option<Annotation> {
    let (word, through) = match word.strip_suffix("-alias") {
        Some(rest) => (rest, Through::Alias),
        None => (word, Through::Name),
    };
    if word == "weak" {
        return Some(Annotation { through, ..Annotation::WEAK });
    }
    let (order, scope) = word.split_once('-')?;
    let (order, _) = ORDERS.iter().find(|(_, known)| *known == order)?;
    let (scope, ..) = SCOPES.iter().find(|(.., known)| *known == scope)?;
    Some(Annotation { through, ..Annotation::strong(*order, *scope) })
}

fn link_named(word: &str) -> Option<Link> {
    let fence = |order, scope: &str| {
        let (scope, ..) = SCOPES.iter().find(|(.., known)| *known == scope)?;
        Some(Link::Fence(order, *scope))
    };
    match word {
        "falias" => Some(Link::Alias),
        "data" => Some(Link::Data),
        "ctrl" => Some(Link::Control),
        _ => match word.split_once('-')? {
            ("far", scope) => fence(FenceOrder::AcqRel, scope),
            ("fsc", scope) => fence(FenceOrder::Sc, scope),
            _ => None,
        },
    }
}
