//! Places where a scheduler may leave threads for ever, and the steps that it owes the others.

use crate::event::graph::{AgentKind, EventGraph, Symbol};
use crate::id::{AgentId, EventId, ExprId, SymbolId};
use crate::litmus::ast::{Place, Test, ThreadPlace};
use crate::program::expr::{Expr, ExprArena};
use crate::progress::Progress;
use rustc_hash::FxHashMap;

/// Threads that start together: those of a cluster, those of a cooperative grid, or a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unit {
    Grid(u32, u32),
    Cluster(u32, u32, u32),
    Thread(AgentId),
}

/// The places where a thread may be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Nowhere,
    /// Before its first event, with all of its unit.
    AtStart(Unit),
    /// Before any of its events.
    Anywhere,
}

/// The places where the scheduler may leave threads, with the symbols by which an execution
/// chooses.
pub(super) struct Halts {
    plans: Vec<Plan>,
    started: FxHashMap<Unit, ExprId>,
    /// For each thread that may be left anywhere, the event before which it is left.
    places: FxHashMap<AgentId, ExprId>,
    /// The first event of each thread, and the first of each of its statements.
    first: Vec<Option<EventId>>,
    /// Pairs of threads of which the second one starts only when the first one has made a step.
    pub(super) steps_before: Vec<(AgentId, AgentId)>,
}

impl Halts {
    /// None: the scheduler owes every thread progress.
    pub(super) fn nowhere(graph: &EventGraph) -> Self {
        Self::planned(graph, |_, _| Plan::Nowhere)
    }

    /// The places where a model of progress lets the scheduler abandon threads. The test decides
    /// whether grids are cooperative.
    pub(super) fn of(graph: &EventGraph, test: &Test, progress: Progress) -> Self {
        let halts = Self::planned(graph, |agent, kind| {
            let AgentKind::Thread(_, place) = kind else { return Plan::Nowhere };
            match (progress, place) {
                (Progress::Fair, _) | (Progress::Cuda, ThreadPlace::Host) => Plan::Nowhere,
                (Progress::Cuda, ThreadPlace::Device(Place { gpu, grid, cluster, .. })) => {
                    Plan::AtStart(match test.is_cooperative(grid) {
                        true => Unit::Grid(gpu, grid),
                        false => Unit::Cluster(gpu, grid, cluster),
                    })
                }
                (Progress::Obe | Progress::Lobe | Progress::HsaObe, _) => {
                    Plan::AtStart(Unit::Thread(agent))
                }
                (Progress::Hsa | Progress::Unfair, _) => Plan::Anywhere,
            }
        });
        let steps_before = match progress {
            Progress::Cuda => early_dependents(graph, test),
            _ => Vec::new(),
        };
        Self { steps_before, ..halts }
    }

    fn planned(graph: &EventGraph, plan: impl Fn(AgentId, AgentKind) -> Plan) -> Self {
        let agents = || (0..graph.agents.len()).map(AgentId::new);
        let own = |agent: AgentId| graph.ids().find(|&id| graph.event(id).agent == agent);
        Self {
            plans: agents().map(|agent| plan(agent, graph.agents[agent.index()].kind)).collect(),
            started: FxHashMap::default(),
            places: FxHashMap::default(),
            first: agents().map(own).collect(),
            steps_before: Vec::new(),
        }
    }

    /// When the scheduler leaves the thread of an event before it, if the thread gets there; `None`
    /// if it never does. `chosen` is the program with choices, which gets symbols.
    pub(super) fn before(
        &mut self,
        graph: &EventGraph,
        chosen: &mut EventGraph,
        id: EventId,
    ) -> Option<ExprId> {
        let agent = graph.event(id).agent;
        let is_first = self.first[agent.index()] == Some(id);
        match self.plans[agent.index()] {
            Plan::AtStart(unit) if is_first => Some(self.not_started(chosen, unit)),
            Plan::Nowhere | Plan::AtStart(_) => None,
            Plan::Anywhere => {
                let previous = id.index().checked_sub(1).map(|before| &graph.events[before]);
                let position = graph.event(id).position;
                let begins = is_first || previous.is_none_or(|event| event.position != position);
                begins.then(|| self.is_left_at(graph, chosen, id))
            }
        }
    }

    fn not_started(&mut self, chosen: &mut EventGraph, unit: Unit) -> ExprId {
        *self.started.entry(unit).or_insert_with(|| {
            let name = match unit {
                Unit::Grid(gpu, grid) => format!("grid {grid} of gpu {gpu} is not started"),
                Unit::Cluster(gpu, grid, cluster) => {
                    format!("cluster {cluster} of grid {grid} of gpu {gpu} is not started")
                }
                Unit::Thread(agent) => {
                    format!("{} is not started", chosen.agents[agent.index()].name)
                }
            };
            symbol(chosen, name, 1)
        })
    }

    /// The condition that a thread is left before an event. The chosen place is a number beyond all
    /// events if the thread is left nowhere.
    fn is_left_at(&mut self, graph: &EventGraph, chosen: &mut EventGraph, id: EventId) -> ExprId {
        let agent = graph.event(id).agent;
        let first = self.first[agent.index()].expect("the thread of an event has a first event");
        let own = graph.ids().filter(|&id| graph.event(id).agent == agent).count();
        let width = usize::BITS - own.leading_zeros();
        let place = *self.places.entry(agent).or_insert_with(|| {
            let name = format!("where {} is left", chosen.agents[agent.index()].name);
            symbol(chosen, name, width)
        });
        let at = u128::try_from(id.index() - first.index()).expect("few events");
        let exprs = &mut chosen.exprs;
        let at = exprs.number(at, width);
        exprs.equal(place, at)
    }
}

/// The threads of tasks with early dependents, each with the threads of such a dependent: it starts when all
/// CTAs before it have let it start or have ended (PTX-9.7.13.13).
fn early_dependents(graph: &EventGraph, test: &Test) -> Vec<(AgentId, AgentId)> {
    let number = |name: &str| test.tasks.iter().position(|task| task.name.value == name);
    let of_task = |task: Option<usize>| {
        let agents = (0..graph.agents.len()).map(AgentId::new);
        agents.filter(move |agent| match graph.agents[agent.index()].kind {
            AgentKind::Thread(thread, _) => task.is_some() && test.threads[thread].task == task,
            AgentKind::Init | AgentKind::Operation(..) => false,
        })
    };
    let edges = test.task_edges.iter().filter(|edge| edge.programmatic);
    let pairs = edges.flat_map(|edge| {
        let [from, to] = [&edge.from, &edge.to].map(|name| number(&name.value));
        of_task(from).flat_map(move |first| of_task(to).map(move |then| (first, then)))
    });
    pairs.collect()
}

fn symbol(chosen: &mut EventGraph, name: String, width: u32) -> ExprId {
    let id = SymbolId::new(chosen.symbols.len());
    chosen.symbols.push(Symbol::chosen(name, width));
    chosen.exprs.leaf(Expr::Symbol(id), width)
}

/// The condition that the scheduler owes no step to an abandoned thread. `held` tells when each
/// thread does not end, and `left` when it is abandoned. A thread without visible events has no
/// entry in `left`, since its start is not observable.
pub(super) fn owes_nothing(
    exprs: &mut ExprArena,
    progress: Progress,
    held: &[ExprId],
    left: &[Option<ExprId>],
) -> ExprId {
    let mut all = exprs.truth(true);
    match progress {
        Progress::Cuda | Progress::Fair | Progress::Obe | Progress::Unfair => {}
        // A thread before one that has started is not left.
        Progress::Lobe => {
            let left: Vec<ExprId> = left.iter().copied().flatten().collect();
            for pair in left.windows(2) {
                let follows = exprs.implies(pair[0], pair[1]);
                all = exprs.and(all, follows);
            }
        }
        // The first thread that does not end is not left.
        Progress::Hsa | Progress::HsaObe => {
            let mut before = exprs.truth(false);
            for (&held, &left) in held.iter().zip(left) {
                if let Some(left) = left {
                    let is_later = exprs.implies(left, before);
                    all = exprs.and(all, is_later);
                }
                before = exprs.or(before, held);
            }
        }
    }
    all
}
