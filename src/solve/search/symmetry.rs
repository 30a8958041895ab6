//! Symmetry: threads that can be exchanged without changing the answer.

use crate::event::graph::{AgentKind, EventGraph, EventKind};
use crate::id::{AccessId, AgentId, EventId, ExprId};
use crate::program::expr::Expr;
use crate::waiting::barrier::BarrierOp;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// For every agent, the number of its class of interchangeable threads; `None` for agents without a
/// partner. In a search for violations, exchanging two threads may exchange violations; otherwise
/// the exchange leaves all observed values as they are.
pub(super) fn classes(graph: &EventGraph, for_violations: bool) -> Vec<Option<u32>> {
    let mut out = vec![None; graph.agents.len()];
    // Asynchronous operations would have to be exchanged with their threads.
    let alone = graph.api_edges.is_empty() && graph.operations.is_empty();
    if graph.agents.len() < 4 || !alone {
        return out;
    }
    let observed = match for_violations {
        true => accesses_in(graph, [graph.filter]),
        false => observed_accesses(graph),
    };
    let events: Vec<Vec<EventId>> = (0..graph.agents.len())
        .map(|a| graph.ids().filter(|&e| graph.event(e).agent.index() == a).collect())
        .collect();
    let free = |agent: usize| {
        matches!(graph.agents[agent].kind, AgentKind::Thread(..))
            && events[agent].iter().all(|&e| !observed.contains(&graph.event(e).access))
    };
    let candidates: Vec<usize> = (0..graph.agents.len()).filter(|&a| free(a)).collect();
    let mut leaders: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for &agent in &candidates {
        let alike = leaders.entry(outline(graph, &events[agent])).or_default();
        match alike
            .iter()
            .find(|&&leader| exchangeable(graph, &events, leader, agent, for_violations))
        {
            Some(&leader) => {
                let class = u32::try_from(leader).expect("few agents");
                out[agent] = Some(class);
                out[leader] = Some(class);
            }
            None => alike.push(agent),
        }
    }
    out
}

/// A hash that interchangeable threads share.
fn outline(graph: &EventGraph, events: &[EventId]) -> u64 {
    let mut hasher = FxHasher::default();
    for &id in events {
        let event = graph.event(id);
        let value =
            event.is_memory().then(|| graph.exprs.constant(graph.access_of(id).value)).flatten();
        (event.loc, event.position, value).hash(&mut hasher);
    }
    hasher.finish()
}

/// Accesses on whose values the condition, the filter or the shown values depend.
fn observed_accesses(graph: &EventGraph) -> FxHashSet<AccessId> {
    accesses_in(
        graph,
        graph.observed.iter().map(|o| o.value).chain([graph.condition, graph.filter]),
    )
}

/// Accesses on whose values these expressions depend.
fn accesses_in(graph: &EventGraph, roots: impl IntoIterator<Item = ExprId>) -> FxHashSet<AccessId> {
    roots
        .into_iter()
        .flat_map(|x| graph.exprs.leaves(x))
        .filter_map(|leaf| if let Expr::Read(access) = leaf { Some(access) } else { None })
        .collect()
}

/// Whether exchanging two threads is an automorphism of the graph and, if asked, of its violations.
fn exchangeable(
    graph: &EventGraph,
    events: &[Vec<EventId>],
    a: usize,
    b: usize,
    with_violations: bool,
) -> bool {
    if events[a].len() != events[b].len() {
        return false;
    }
    let mut exchange: FxHashMap<AccessId, AccessId> = FxHashMap::default();
    for (&x, &y) in events[a].iter().zip(&events[b]) {
        exchange.insert(graph.event(x).access, graph.event(y).access);
        exchange.insert(graph.event(y).access, graph.event(x).access);
    }
    let mut known = FxHashMap::default();
    let image = |reads: &[AccessId]| {
        let mut out: Vec<AccessId> =
            reads.iter().map(|r| exchange.get(r).copied().unwrap_or(*r)).collect();
        out.sort_unstable();
        out
    };
    let same_dependencies = |x: AccessId, y: AccessId| {
        let (p, q) = (graph.access(x), graph.access(y));
        image(&p.address_reads) == q.address_reads
            && image(&p.data_reads) == q.data_reads
            && image(&p.control_reads) == q.control_reads
            && image(p.rmw_read.as_slice()) == q.rmw_read.as_slice()
    };
    let pairs_match = events[a].iter().zip(&events[b]).all(|(&x, &y)| {
        let (p, q) = (graph.event(x), graph.event(y));
        let form = |e: EventId| {
            let event = graph.event(e);
            let access = graph.access(event.access);
            let place = (event.loc, access.object, access.virt, access.offset, access.bytes);
            (event.order, event.scope, event.proxy, event.marks, event.position, place)
        };
        // Shared variables have different places in different CTAs and never match.
        // The operations of two barrier events are compared apart.
        let barriers = matches!((&p.kind, &q.kind), (EventKind::Barrier(_), EventKind::Barrier(_)));
        (barriers || p.kind == q.kind)
            && !matches!(p.kind, EventKind::Boundary)
            && form(x) == form(y)
            && same_dependencies(p.access, q.access)
            && equal(graph, p.guard, q.guard, &exchange, &mut known)
            && {
                let [by, other] = [p, q].map(|event| &graph.access(event.access).chosen_by);
                let mut both = by.iter().zip(other);
                by.len() == other.len()
                    && both.all(|(&by, &other)| equal(graph, by, other, &exchange, &mut known))
            }
            && equal(
                graph,
                graph.access(p.access).value,
                graph.access(q.access).value,
                &exchange,
                &mut known,
            )
    });
    pairs_match
        && same_surroundings(graph, a, b)
        && same_barriers(graph, a, b, |x, y| equal(graph, x, y, &exchange, &mut known))
        && graph.cuts.iter().all(|c| {
            graph
                .cuts
                .iter()
                .any(|d| d.kind == c.kind && equal(graph, c.guard, d.guard, &exchange, &mut known))
        })
        && (!with_violations
            || graph.violations.iter().all(|v| {
                let mut images = graph.violations.iter();
                images.any(|w| equal(graph, v.guard, w.guard, &exchange, &mut known))
            }))
}

/// Whether the barrier operations of two threads differ only in their thread. Operations with
/// results never match, since the results would have to be exchanged too.
fn same_barriers(
    graph: &EventGraph,
    a: usize,
    b: usize,
    mut equal: impl FnMut(ExprId, ExprId) -> bool,
) -> bool {
    let of = |agent: usize| {
        graph.barriers.iter().filter(move |op| graph.event(op.event).agent.index() == agent)
    };
    let mut alike = |p: &BarrierOp, q: &BarrierOp| {
        let form = |op: &BarrierOp| (op.arrives, op.waits, discriminant(&op.rule), op.order);
        p.key == q.key
            && form(p) == form(q)
            && !p.returns()
            && !q.returns()
            && p.count().zip(q.count()).is_none_or(|(m, n)| equal(m, n))
    };
    of(a).count() == of(b).count() && of(a).zip(of(b)).all(|(p, q)| alike(p, q))
}

/// Whether every other thread shares the same levels of placement with both threads.
fn same_surroundings(graph: &EventGraph, a: usize, b: usize) -> bool {
    let place = |agent: usize| graph.agents[agent].place();
    let near = |x: usize, y: usize| match (place(x), place(y)) {
        (Some(p), Some(q)) => {
            let gpu = p.gpu == q.gpu;
            let grid = gpu && p.grid == q.grid;
            let warp = graph.warp_of(AgentId::new(x)) == graph.warp_of(AgentId::new(y));
            Some((gpu, grid && p.cluster == q.cluster, grid && p.cta == q.cta, warp))
        }
        _ => None,
    };
    let kind = |agent: usize| place(agent).is_some();
    kind(a) == kind(b)
        && (0..graph.agents.len()).filter(|&k| k != a && k != b).all(|k| near(a, k) == near(b, k))
}

/// Whether exchanging accesses turns one expression into the other.
fn equal(
    graph: &EventGraph,
    a: ExprId,
    b: ExprId,
    exchange: &FxHashMap<AccessId, AccessId>,
    known: &mut FxHashMap<(ExprId, ExprId), bool>,
) -> bool {
    let mut open = vec![(a, b)];
    while let Some(&(p, q)) = open.last() {
        if known.contains_key(&(p, q)) {
            open.pop();
            continue;
        }
        let (left, right) = (graph.exprs.operands(p), graph.exprs.operands(q));
        let commutes = matches!(graph.exprs.get(p), Expr::Binary(op, ..) if op.commutes());
        let answer = match have_one_shape(graph, p, q, exchange) && left.len() == right.len() {
            false => Ok(false),
            true => match all_equal(left.iter().zip(&right), known) {
                Ok(false) if commutes => all_equal(left.iter().zip(right.iter().rev()), known),
                straight => straight,
            },
        };
        match answer {
            Ok(answer) => drop(known.insert((p, q), answer)),
            Err(first) => open.push(first),
        }
    }
    known[&(a, b)]
}

/// Whether all pairs are known to be equal; as an error, the first pair that is not decided.
fn all_equal<'x>(
    mut pairs: impl Iterator<Item = (&'x ExprId, &'x ExprId)>,
    known: &FxHashMap<(ExprId, ExprId), bool>,
) -> Result<bool, (ExprId, ExprId)> {
    pairs.try_fold(true, |so_far, (&p, &q)| match so_far {
        true => known.get(&(p, q)).copied().ok_or((p, q)),
        false => Ok(false),
    })
}

/// Whether two expressions are equal except for their operands.
fn have_one_shape(
    graph: &EventGraph,
    a: ExprId,
    b: ExprId,
    exchange: &FxHashMap<AccessId, AccessId>,
) -> bool {
    let (x, y) = (graph.exprs.get(a), graph.exprs.get(b));
    graph.exprs.width(a) == graph.exprs.width(b)
        && match (x, y) {
            (Expr::Read(p), Expr::Read(q)) | (Expr::Mbarrier(p), Expr::Mbarrier(q)) => {
                exchange.get(&p).copied().unwrap_or(p) == q
            }
            (Expr::Unary(f, _), Expr::Unary(g, _)) => f == g,
            (Expr::Binary(f, ..), Expr::Binary(g, ..)) => f == g,
            (Expr::Extract(_, m), Expr::Extract(_, n)) => m == n,
            (Expr::Ite(..), Expr::Ite(..))
            | (Expr::Concat(..), Expr::Concat(..))
            | (Expr::ZeroExtend(_), Expr::ZeroExtend(_))
            | (Expr::SignExtend(_), Expr::SignExtend(_)) => true,
            _ => x == y,
        }
}
