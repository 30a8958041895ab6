//! The sites of a test: the places that may be changed, each with its possible levels.
//!
//! The first level is the start of the search, and all others are above it. A repair starts from
//! the original program. A relaxation starts from the weakest program, with the original program at
//! the top. Threads of one block share their sites, since the block is edited as a whole.

use super::barriers;
use super::cost::{Class, Costs};
use super::level::Level;
use super::place::{alike, is_barrier, kind_of_tensor_fence, matters, tensor_fences};
use crate::litmus::ast::{DeclaredSpace, Test, ThreadPlace};
use crate::ptx::operation::{
    AccessForm, BarrierMode, FenceRestriction, MbarrierOp, Operation, Order, Proxy, ProxyFenceKind,
    Scope, Space, Statement, Value,
};

pub use super::place::{Place, Position};

/// A place at which a test may be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The place and the kind of change.
    pub place: Place,
    /// The cost class.
    pub class: Class,
    /// The levels; the first is below all others.
    pub levels: Vec<Level>,
    /// The index of the level that the test has.
    pub written: usize,
    /// The additional cost of each level above the first.
    pub costs: Vec<u32>,
}

impl Site {
    fn new(place: Place, class: Class, levels: Vec<Level>, written: Level, costs: &Costs) -> Self {
        let of = |level: &Level| costs.of(class, *level);
        let least = levels.first().map_or(0, of);
        let costs = levels.iter().map(|level| of(level).saturating_sub(least)).collect();
        let written = levels.iter().position(|level| *level == written).unwrap_or(0);
        Self { place, class, levels, written, costs }
    }

    /// Whether, by a law, behaviour allowed at a level is allowed at each level below.
    #[must_use]
    pub fn is_lawful(&self) -> bool {
        matches!(self.place, Place::Statement(_) | Place::Before(_))
    }

    /// Whether one of two levels, as indices, is equal to or below the other.
    #[must_use]
    pub fn is_below(&self, one: usize, other: usize) -> bool {
        one == other || one == 0 || self.levels[one].is_below(self.levels[other])
    }

    /// The level above all others, or the first level if there is none.
    #[must_use]
    pub fn top(&self) -> usize {
        let is_top = |&at: &usize| (0..self.levels.len()).all(|other| self.is_below(other, at));
        (0..self.levels.len()).find(is_top).unwrap_or(0)
    }
}

/// Why a test has no sites to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the test has {sites} places to change; advice is given on at most {MOST_SITES}")]
pub struct TooMany {
    /// How many there are.
    pub sites: usize,
}

/// How many sites a test may have.
pub const MOST_SITES: usize = 400;

/// The sites at which a test may be strengthened.
///
/// # Errors
/// When there are too many.
pub fn stronger(test: &Test, costs: &Costs) -> Result<Vec<Site>, TooMany> {
    let mut sites = Vec::new();
    let proxies = proxy_fences(test);
    for threads in alike(test) {
        let thread = &test.threads[threads[0]];
        let scopes = scopes(test, &threads);
        let at = |statement| Position { threads: threads.clone(), statement };
        for (index, statement) in thread.statements.iter().enumerate() {
            let Some((class, written, all)) = levels_of(&statement.operation, &scopes) else {
                continue;
            };
            let levels = from_level(written, all.into_iter().filter(|l| written.is_below(*l)));
            if levels.len() > 1 {
                let place = Place::Statement(at(index));
                sites.push(Site::new(place, class, levels, written, costs));
            }
        }
        for (statement, kind) in tensor_fences(&thread.statements, gaps(&thread.statements)) {
            let levels = vec![Level::Absent, Level::Tensor(kind)];
            let place = Place::Before(at(statement));
            sites.push(Site::new(place, Class::Fence, levels, Level::Absent, costs));
        }
        for gap in gaps(&thread.statements) {
            let fences = [Order::Acquire, Order::Release, Order::AcqRel, Order::Sc];
            let strong = fences
                .into_iter()
                .flat_map(|order| scopes.iter().map(move |&scope| Level::Strong(order, scope)));
            let levels = from_level(Level::Absent, strong);
            if !is_beside_fence(&thread.statements, gap) {
                let place = Place::Before(at(gap));
                sites.push(Site::new(place, Class::Fence, levels, Level::Absent, costs));
            }
            for kinds in &proxies {
                let levels = kinds.iter().map(|&kind| Level::Proxy(kind));
                let levels = from_level(Level::Absent, levels);
                let place = Place::Before(at(gap));
                sites.push(Site::new(place, Class::Fence, levels, Level::Absent, costs));
            }
        }
        for first in exchanges(&thread.statements) {
            let levels = vec![Level::Absent, Level::Edit(0)];
            let place = Place::Exchange(at(first));
            sites.push(Site::new(place, Class::Move, levels, Level::Absent, costs));
        }
    }
    for (class, place, edits) in barriers::meetings(test).0 {
        let levels = from_level(Level::Absent, (0..edits).map(Level::Edit));
        sites.push(Site::new(place, class, levels, Level::Absent, costs));
    }
    few(sites)
}

/// The number of barriers that might be added to a test in too many ways and are therefore not
/// sites.
#[must_use]
pub fn passed_over(test: &Test) -> usize {
    barriers::meetings(test).1
}

/// The sites at which a test may be weakened.
///
/// # Errors
/// When there are too many.
pub fn weaker(test: &Test, costs: &Costs) -> Result<Vec<Site>, TooMany> {
    let mut sites = Vec::new();
    for threads in alike(test) {
        let thread = &test.threads[threads[0]];
        let mut scopes = scopes(test, &threads);
        if !scopes.contains(&Scope::Cta) {
            scopes.insert(0, Scope::Cta);
        }
        for (index, statement) in thread.statements.iter().enumerate() {
            let Some((class, written, all)) = levels_of(&statement.operation, &scopes) else {
                continue;
            };
            let mut below: Vec<Level> = all.into_iter().filter(|l| l.is_below(written)).collect();
            let least = |l: &Level| below.iter().all(|other| l.is_below(*other));
            let Some(first) = below.iter().position(least) else { continue };
            below.swap(0, first);
            if below.len() > 1 {
                let position = Position { threads: threads.clone(), statement: index };
                let place = Place::Statement(position);
                sites.push(Site::new(place, class, below, written, costs));
            }
        }
    }
    for (class, positions) in barriers::meeting(test) {
        let levels = vec![Level::Absent, Level::Edit(0)];
        sites.push(Site::new(Place::Barrier(positions), class, levels, Level::Edit(0), costs));
    }
    few(sites)
}

fn few(sites: Vec<Site>) -> Result<Vec<Site>, TooMany> {
    match sites.len() {
        0..=MOST_SITES => Ok(sites),
        sites => Err(TooMany { sites }),
    }
}

/// A level, then others.
fn from_level(first: Level, others: impl Iterator<Item = Level>) -> Vec<Level> {
    std::iter::once(first).chain(others.filter(|level| *level != first)).collect()
}

/// The scopes that differ for some threads: the narrowest ones that include each other thread, from
/// narrow to wide.
fn scopes(test: &Test, threads: &[usize]) -> Vec<Scope> {
    let mut out: Vec<Scope> = Vec::new();
    for &one in threads {
        for (index, other) in test.threads.iter().enumerate() {
            if index != one {
                out.push(distance(test.threads[one].place, other.place));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    if out.is_empty() { vec![Scope::Cta] } else { out }
}

/// The narrowest scope that two threads are in (PTX-8.5).
fn distance(one: ThreadPlace, other: ThreadPlace) -> Scope {
    let (ThreadPlace::Device(a), ThreadPlace::Device(b)) = (one, other) else { return Scope::Sys };
    if a.cta_of_test() == b.cta_of_test() {
        Scope::Cta
    } else if (a.gpu, a.grid, a.cluster) == (b.gpu, b.grid, b.cluster) {
        Scope::Cluster
    } else if a.gpu == b.gpu {
        Scope::Gpu
    } else {
        Scope::Sys
    }
}

/// The cost class and the level of an operation, and all its possible levels.
fn levels_of(operation: &Operation, scopes: &[Scope]) -> Option<(Class, Level, Vec<Level>)> {
    use Operation as O;
    use Order::{AcqRel, Acquire, Relaxed, Release, Sc};
    let (class, level, orders, weakest): (_, _, &[Order], _) = match operation {
        O::Load { access, non_coherent: false, .. } | O::MultimemLoadReduce { access, .. } => {
            (Class::Access, of_access(access)?, &[Relaxed, Acquire], Some(Level::Weak))
        }
        O::Store { access, .. } | O::MultimemStore { access, .. } => {
            (Class::Access, of_access(access)?, &[Relaxed, Release], Some(Level::Weak))
        }
        O::Atomic { access, .. } => {
            (Class::Access, of_access(access)?, &[Relaxed, Acquire, Release, AcqRel], None)
        }
        O::Reduce { access, .. } | O::MultimemReduce { access, .. } => {
            (Class::Access, of_access(access)?, &[Relaxed, Release], None)
        }
        O::Fence { order, scope, restriction: FenceRestriction::None } => {
            let level = Level::Strong(*order, *scope);
            (Class::Fence, level, &[Acquire, Release, AcqRel, Sc], Some(Level::Absent))
        }
        O::Fence { order, scope, .. } => {
            let level = Level::Strong(*order, *scope);
            return Some((Class::Fence, level, vec![Level::Absent, level]));
        }
        O::Form(_) => {
            let level = Level::Tensor(kind_of_tensor_fence(operation)?);
            return Some((Class::Fence, level, vec![Level::Absent, level]));
        }
        O::ProxyFence { kind: ProxyFenceKind::Async(space), .. } => {
            let kinds = [Some(Space::Global), Some(Space::SharedCta), None];
            let level = Level::Proxy(ProxyFenceKind::Async(*space));
            let all = kinds.map(|space| Level::Proxy(ProxyFenceKind::Async(space)));
            return Some((Class::Fence, level, from_level(Level::Absent, all.into_iter())));
        }
        O::ProxyFence { kind, .. } => {
            let level = Level::Proxy(*kind);
            return Some((Class::Fence, level, vec![Level::Absent, level]));
        }
        O::Mbarrier { access, op } => {
            let orders: &[Order] = match op {
                MbarrierOp::Arrive { no_complete: false, .. } => &[Relaxed, Release],
                MbarrierOp::Wait { .. } => &[Relaxed, Acquire],
                _ => return None,
            };
            let level = Level::Strong(access.order, access.scope?);
            let scopes =
                [Scope::Cta, Scope::Cluster].map(|scope| move |order| Level::Strong(order, scope));
            let all = scopes.iter().flat_map(|at| orders.iter().map(|&order| at(order)));
            return Some((Class::Access, level, all.collect()));
        }
        O::ClusterArrive { order, .. } => {
            let at = |order| Level::Strong(order, Scope::Cluster);
            return Some((Class::Access, at(*order), [Relaxed, Release].map(at).to_vec()));
        }
        _ => return None,
    };
    let strong = orders.iter().flat_map(|&order| {
        let written = match level {
            Level::Strong(_, scope) if !scopes.contains(&scope) => Some(scope),
            _ => None,
        };
        scopes.iter().copied().chain(written).map(move |scope| Level::Strong(order, scope))
    });
    Some((class, level, weakest.into_iter().chain(strong).collect()))
}

/// The level of an access whose qualifiers may be changed. The access is to memory visible to other
/// threads, through the generic proxy, and without `.mmio`, which fixes the order.
fn of_access(access: &AccessForm) -> Option<Level> {
    let private =
        matches!(access.space, Space::Local | Space::Const | Space::ParamEntry | Space::ParamFunc);
    if private || access.mmio || access.proxy != Proxy::Generic {
        return None;
    }
    match (access.order, access.scope) {
        (Order::Weak, _) => Some(Level::Weak),
        (order, Some(scope)) => Some(Level::Strong(order, scope)),
        (_, None) => None,
    }
}

/// The positions where a fence separates operations. These lie before each relevant statement but
/// the first, and at the end of loops, between the last operation of a round and the first of the
/// next one. A loop that only polls one location needs no order.
fn gaps(statements: &[Statement]) -> Vec<usize> {
    let is_access = |at: &usize| matters(&statements[*at].operation);
    let mut out: Vec<usize> = (0..statements.len()).filter(is_access).skip(1).collect();
    let loops = barriers::loops(statements).into_iter();
    let ends = loops.filter(|&(first, branch)| (first..branch).filter(is_access).nth(1).is_some());
    out.extend(ends.map(|(_, branch)| branch));
    out.sort_unstable();
    out
}

/// Whether a fence already stands next to a gap on the same paths. Strengthening that fence is a
/// separate site.
fn is_beside_fence(statements: &[Statement], gap: usize) -> bool {
    let is_fence = |statement: &Statement| {
        let full = FenceRestriction::None;
        statement.guard.is_none()
            && matches!(statement.operation, Operation::Fence { restriction, .. } if restriction == full)
    };
    let branches = |s: &Statement| matches!(s.operation, Operation::Branch { .. });
    // Statements inserted before a loop stand before its label.
    let is_header = barriers::loops(statements).iter().any(|&(first, _)| first == gap);
    let last_label = if is_header { gap } else { gap + 1 };
    let before = statements[..gap].iter().rposition(|statement| matters(&statement.operation));
    let follows = |before: usize| {
        is_fence(&statements[before])
            && statements[before + 1..last_label].iter().all(|s| s.labels.is_empty())
            && !statements[before..gap].iter().any(branches)
    };
    is_fence(&statements[gap]) || before.is_some_and(follows)
}

/// The kinds of proxy fences that may order operations of a test, with fences that include others
/// in one group.
fn proxy_fences(test: &Test) -> Vec<Vec<ProxyFenceKind>> {
    let mut out = Vec::new();
    let operations = || test.threads.iter().flat_map(|thread| &thread.statements);
    let copies = |statement: &Statement| matches!(&statement.operation, Operation::Form(form) if form.is_of_async_proxy());
    if operations().any(copies) {
        let spaces = [Some(Space::SharedCta), Some(Space::Global), None];
        out.push(spaces.map(ProxyFenceKind::Async).to_vec());
    }
    let multimem =
        |variable: &crate::litmus::ast::Variable| variable.space == DeclaredSpace::Multimem;
    if !test.aliases.is_empty() || test.variables.iter().any(multimem) {
        out.push(vec![ProxyFenceKind::Alias]);
    }
    out
}

/// The statements that may be swapped with their successor. One of the two is a barrier with
/// constant operands, the other one an access or a fence.
fn exchanges(statements: &[Statement]) -> Vec<usize> {
    let plain = |statement: &Statement| statement.guard.is_none();
    let barrier = |operation: &Operation| match operation {
        Operation::CtaBarrier { mode, barrier, resource, count, .. } => {
            let fixed = |value: &Value| matches!(value, Value::Immediate(_));
            *mode == BarrierMode::Sync
                && std::iter::once(barrier).chain(resource).chain(count).all(fixed)
        }
        Operation::WarpBarrier { mask } => matches!(mask, Value::Immediate(_)),
        _ => false,
    };
    let moved = |operation: &Operation| matters(operation) && !is_barrier(operation);
    let may = |at: &usize| {
        let [one, other] = [&statements[*at], &statements[at + 1]];
        let pair = (&one.operation, &other.operation);
        plain(one)
            && plain(other)
            && other.labels.is_empty()
            && (barrier(pair.0) && moved(pair.1) || moved(pair.0) && barrier(pair.1))
    };
    (0..statements.len().saturating_sub(1)).filter(may).collect()
}
