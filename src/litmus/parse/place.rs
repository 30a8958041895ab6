//! `@ gpu 0, cluster 0, cta 1, warp 0`: where threads run, in every dialect.

use super::draft::ThreadDraft;
use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{Place, ThreadPlace};
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::integer;
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place as written.
#[derive(Clone, Debug)]
pub(crate) struct PlaceDraft {
    gpu: Option<u32>,
    grid: Option<u32>,
    cluster: Option<u32>,
    cta: Option<u32>,
    warp: Option<u32>,
    host: bool,
    pub(crate) task: Option<Spanned<String>>,
    span: Span,
}

impl PlaceDraft {
    /// A place of which nothing is said.
    pub(crate) fn open(span: Span) -> Self {
        let (gpu, grid, cluster, cta, warp) = (None, None, None, None, None);
        Self { gpu, grid, cluster, cta, warp, host: false, task: None, span }
    }

    /// The place in the source.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// A place of which only device and CTA are said.
    pub(crate) fn device(gpu: u32, cta: u32, span: Span) -> Self {
        Self { gpu: Some(gpu), cta: Some(cta), ..Self::open(span) }
    }
}

/// Why a place cannot be read.
pub(crate) enum PlaceError {
    Syntax(SyntaxError),
    Litmus(LitmusError),
}

impl PlaceError {
    fn other(message: String, span: Span) -> Self {
        let help = "a place is `host`, or made of `gpu N`, `grid N`, `cluster N`, `cta N` and \
                    `warp N`, each once; either may name a `task`";
        let (code, help) = ("litmus-place", help.to_owned());
        Self::Litmus(LitmusError::Other { code, message, help, span })
    }
}

/// The largest number of a place: a grid has 2147483647 CTAs at most, numbered from 0 (PTX-10.7).
pub(crate) const LARGEST: u32 = i32::MAX as u32 - 1;

fn too_large(part: &str, number: Spanned<i128>) -> PlaceError {
    let message = format!("`{part} {}` is no place", number.value);
    let help = format!("the numbers of a place are 0 to {LARGEST}");
    let (code, span) = ("litmus-place", number.span);
    PlaceError::Litmus(LitmusError::Other { code, message, help, span })
}

impl From<SyntaxError> for PlaceError {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

/// Reads `@ part, part, ...`.
pub(crate) fn place(cursor: &mut Cursor<'_>) -> Result<PlaceDraft, PlaceError> {
    let start = cursor.expect(TokenKind::At, "`@` and the thread's place")?.span;
    let mut draft = PlaceDraft::open(start);
    let mut parts: Vec<Spanned<String>> = Vec::new();
    loop {
        let part = cursor.word("a part of the place, such as `cta 0`")?;
        if parts.iter().any(|earlier| earlier.value == part.value) {
            let message = format!("the place says `{}` twice", part.value);
            return Err(PlaceError::other(message, part.span));
        }
        parts.push(part.clone());
        let slot = match part.value.as_str() {
            "host" => {
                draft.host = true;
                None
            }
            "task" => {
                draft.task = Some(cursor.word("a task's name")?);
                None
            }
            "sys" => {
                // There is one system; a number after `sys` is ignored.
                if matches!(cursor.peek(), Some(TokenKind::Number)) {
                    cursor.advance();
                }
                None
            }
            "gpu" => Some(&mut draft.gpu),
            "grid" => Some(&mut draft.grid),
            "cluster" => Some(&mut draft.cluster),
            "cta" => Some(&mut draft.cta),
            "warp" => Some(&mut draft.warp),
            _ => return Err(PlaceError::Litmus(LitmusError::Place { name: part })),
        };
        if let Some(slot) = slot {
            let number = integer(cursor)?;
            let value = u32::try_from(number.value).ok().filter(|value| *value <= LARGEST);
            *slot = Some(value.ok_or_else(|| too_large(&part.value, number))?);
        }
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    let elsewhere = parts.iter().find(|p| !matches!(p.value.as_str(), "host" | "task" | "sys"));
    if let Some(part) = elsewhere.filter(|_| draft.host) {
        let message = format!("a host thread has no `{}`", part.value);
        return Err(PlaceError::other(message, part.span));
    }
    draft.span = start.to(cursor.last_span());
    Ok(draft)
}

/// The name of clusters in [`later_parts`].
pub(crate) const CLUSTERS: &str = "clusters";

/// The first place that names a cluster.
pub(crate) fn named_cluster(threads: &[ThreadDraft]) -> Option<Span> {
    threads.iter().find(|t| t.place.cluster.is_some()).map(|t| t.place.span)
}

/// The parts of places that PTX 1.4 does not have: host threads, and clusters of several CTAs.
pub(crate) fn later_parts(threads: &[ThreadDraft]) -> Vec<(&'static str, Span)> {
    let mut first: FxHashMap<(u32, u32, u32), u32> = FxHashMap::default();
    let mut found = Vec::new();
    for PlaceDraft { gpu, grid, cluster, cta, host, span, .. } in threads.iter().map(|t| &t.place) {
        if *host {
            found.push(("host threads in its memory model", *span));
        } else if let Some(cluster) = *cluster {
            let (cta, key) = (cta.unwrap_or(0), (gpu.unwrap_or(0), grid.unwrap_or(0), cluster));
            if *first.entry(key).or_insert(cta) != cta {
                found.push((CLUSTERS, *span));
            }
        }
    }
    found
}

/// Fills in the omitted parts of places.
///
/// Device and CTA default to 0, the grid of a task's threads to the task's index, and that of
/// others to one that no task has. Without a cluster, each CTA is its own cluster (of 1x1x1,
/// PTX-2.2.2), which has the CTA's number unless that is taken.
pub(crate) fn resolve(
    threads: &[ThreadDraft],
    tasks: &[Option<usize>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ThreadPlace> {
    let mut clusters: FxHashMap<(u32, u32, u32), (u32, Span)> = FxHashMap::default();
    let mut taken: FxHashSet<(u32, u32, u32)> = FxHashSet::default();
    let after_tasks = tasks.iter().flatten().max().map_or(0, |last| last + 1);
    let grid_of = |at: usize, place: &PlaceDraft| {
        let own = u32::try_from(tasks[at].unwrap_or(after_tasks)).unwrap_or(u32::MAX);
        (place.gpu.unwrap_or(0), place.grid.unwrap_or(own))
    };
    for (at, thread) in threads.iter().enumerate() {
        let place = &thread.place;
        let (gpu, grid) = grid_of(at, place);
        let cta = place.cta.unwrap_or(0);
        let Some(cluster) = place.cluster else { continue };
        taken.insert((gpu, grid, cluster));
        match clusters.get(&(gpu, grid, cta)) {
            Some(&(other, first)) if other != cluster => {
                let error = LitmusError::TwoClusters { cta, first, span: place.span };
                diagnostics.push(error.diagnostic());
            }
            _ => {
                clusters.insert((gpu, grid, cta), (cluster, place.span));
            }
        }
    }
    let mut places = Vec::with_capacity(threads.len());
    for (at, thread) in threads.iter().enumerate() {
        let place = &thread.place;
        if place.host {
            places.push(ThreadPlace::Host);
            continue;
        }
        let (gpu, grid) = grid_of(at, place);
        let cta = place.cta.unwrap_or(0);
        let cluster = clusters.entry((gpu, grid, cta)).or_insert_with(|| {
            let free = (cta..=u32::MAX).chain(0..cta).find(|n| taken.insert((gpu, grid, *n)));
            (free.unwrap_or(cta), place.span)
        });
        let cluster = place.cluster.unwrap_or(cluster.0);
        places.push(ThreadPlace::Device(Place { gpu, grid, cluster, cta, warp: place.warp }));
    }
    places
}
