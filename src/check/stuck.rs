//! Executions in which threads wait at barriers for each other, of programs that other executions end.
//!
//! A barrier operation that waits may be where its thread stays: a bit for each says so, which the
//! execution chooses. What comes behind it does not happen then. Such an execution is a deadlock if
//! nobody stays in a loop and no thread that stays can go on: the barrier waits for somebody who stays
//! elsewhere, or for more threads than ever come (PTX-9.7.13.1).
//!
//! Barriers of which threads of one warp may come apart, at which counts differ or are not known, and
//! the quorums of columns are left out: nobody is taken to stay there.

use super::{Settings, too_large};
use crate::event::graph::{
    BarrierKey, BarrierOp, BarrierRule, Cut, EventGraph, Symbol, Violation, WARP_SIZE, counts_warps,
};
use crate::execution::build::{Choices, Execution};
use crate::id::{AgentId, EventId, ExprId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::solve::{Answer, Engine, Goal, Problem};
use crate::verdict::Reason;
use std::collections::BTreeSet;

/// A deadlock of some executions.
#[derive(Debug)]
pub struct Stuck {
    /// The events up to where threads stay.
    pub graph: EventGraph,
    /// Who waits where, and the execution.
    pub reason: Reason,
    /// The barrier operations at which they wait; they are not executed.
    pub waiting: Vec<EventId>,
}

/// How wide the numbers of arrivals are.
const WIDTH: u32 = 8;

/// How many barrier operations are looked at.
const MOST_OPERATIONS: usize = 40;

/// An execution of a program in which threads wait at barriers for ever, if one is found.
pub fn stuck(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Option<Stuck> {
    let graph = problem.graph;
    let many = graph.barriers.len() > MOST_OPERATIONS || too_large(graph).is_some();
    if graph.barriers.is_empty() || many || !graph.exprs.is_true(graph.filter) {
        return None;
    }
    let mut stays = Stays::new(graph);
    let guard = stays.deadlock();
    let Stays { mut graph, stays, .. } = stays;
    if graph.exprs.is_false(guard) {
        return None;
    }
    let span = graph.event(graph.barriers[0].event).span;
    graph.cuts.clear();
    graph.violations = vec![Violation::asked(guard, span)];
    let found =
        engine.find(Problem { graph: &graph, ..problem }, Goal::Violation(0), settings.budget);
    let Answer::Yes(choices) = found else { return None };
    let waiting = waiting(&graph, &stays, &choices)?;
    let reason = reason(&graph, &waiting, choices);
    let waiting = waiting.iter().map(|&b| graph.barriers[b].event).collect();
    Some(Stuck { graph, reason, waiting })
}

/// The operations at which threads stay in an execution.
fn waiting(graph: &EventGraph, stays: &[ExprId], choices: &Choices) -> Option<Vec<usize>> {
    let execution = Execution::build(graph, choices.clone()).ok()?;
    let holds = |&b: &usize| execution.truth(stays[b]) == Some(true);
    Some((0..stays.len()).filter(holds).collect())
}

fn reason(graph: &EventGraph, waiting: &[usize], choices: Box<Choices>) -> Reason {
    let place = |&b: &usize| {
        let op = &graph.barriers[b];
        let agent = graph.event(op.event).agent;
        format!("{} waits at {}", graph.agents[agent.index()].name, op.key)
    };
    let places: Vec<String> = waiting.iter().map(place).collect();
    Reason {
        rule: places.join("; "),
        spans: waiting.iter().map(|&b| graph.event(graph.barriers[b].event).span).collect(),
        choices: Some(choices),
    }
}

/// The program with a choice of where threads stay.
struct Stays {
    /// With the operations at which a thread stays left out, and what is behind them.
    graph: EventGraph,
    /// For each barrier operation, when its thread comes to it and stays.
    stays: Vec<ExprId>,
}

impl Stays {
    fn new(graph: &EventGraph) -> Self {
        let mut chosen = graph.clone();
        let bits: Vec<ExprId> =
            (0..graph.barriers.len()).map(|b| choice(graph, &mut chosen, b)).collect();
        let agent = |event: EventId| graph.event(event).agent;
        // Where a thread stays if it comes there, in its order.
        let until = |exprs: &mut ExprArena, guard: ExprId, of: AgentId, before: EventId| {
            let own = |b: &usize| agent(graph.barriers[*b].event) == of;
            let earlier = |b: &usize| graph.barriers[*b].event < before;
            (0..bits.len()).filter(own).filter(earlier).fold(guard, |guard, b| {
                let stays = exprs.and(graph.event(graph.barriers[b].event).guard, bits[b]);
                let goes = exprs.not(stays);
                exprs.and(guard, goes)
            })
        };
        let event = |exprs: &mut ExprArena, id: EventId| {
            let guard = until(exprs, graph.event(id).guard, agent(id), id);
            match graph.barrier_index(id) {
                None => guard,
                Some(b) => {
                    let goes = exprs.not(bits[b]);
                    exprs.and(guard, goes)
                }
            }
        };
        let last = EventId::new(graph.events.len());
        let cut = |exprs: &mut ExprArena, cut: &Cut| until(exprs, cut.guard, cut.agent, last);
        let mut out = chosen.guarded(event, cut);
        let stays = (0..bits.len()).map(|b| {
            let id = graph.barriers[b].event;
            let comes = until(&mut out.exprs, graph.event(id).guard, agent(id), id);
            out.exprs.and(comes, bits[b])
        });
        let stays = stays.collect();
        Self { graph: out, stays }
    }

    /// That some thread stays, that none of them can go on, and that nobody is in a loop.
    fn deadlock(&mut self) -> ExprId {
        let mut some = self.graph.exprs.truth(false);
        for b in 0..self.stays.len() {
            some = self.graph.exprs.or(some, self.stays[b]);
        }
        let mut all = some;
        for b in 0..self.stays.len() {
            if !self.graph.exprs.is_false(self.stays[b]) {
                let held = self.is_held(b);
                let either = self.implies(self.stays[b], held);
                all = self.graph.exprs.and(all, either);
            }
            let right = self.passes_rightly(b);
            all = self.graph.exprs.and(all, right);
        }
        for cut in self.graph.cuts.clone() {
            let leaves = self.graph.exprs.not(cut.guard);
            all = self.graph.exprs.and(all, leaves);
        }
        // Who waits for the task of one that stays does not go on either, which nobody notices here.
        let earlier = self.graph.api_edges.iter().map(|&(id, _)| self.graph.event(id).agent);
        for agent in earlier.collect::<BTreeSet<AgentId>>() {
            let stays = self.stays_somewhere(agent);
            let goes = self.graph.exprs.not(stays);
            all = self.graph.exprs.and(all, goes);
        }
        all
    }

    fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not = self.graph.exprs.not(a);
        self.graph.exprs.or(not, b)
    }

    fn agent(&self, b: usize) -> AgentId {
        self.graph.event(self.graph.barriers[b].event).agent
    }

    /// The operations of a thread on a barrier.
    fn own(&self, agent: AgentId, key: &BarrierKey) -> Vec<usize> {
        let here = |&b: &usize| self.agent(b) == agent && self.graph.barriers[b].key == *key;
        (0..self.stays.len()).filter(here).collect()
    }

    /// When an operation is passed.
    fn passed(&self, b: usize) -> ExprId {
        self.graph.event(self.graph.barriers[b].event).guard
    }

    /// How many of these hold.
    fn count(&mut self, all: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut sum = self.graph.exprs.number(0, WIDTH);
        for one in all {
            let one = self.graph.exprs.zero_extend(one, WIDTH);
            sum = self.graph.exprs.binary(Binary::Add, sum, one);
        }
        sum
    }

    /// How often a thread has arrived at a barrier.
    fn arrivals(&mut self, agent: AgentId, key: &BarrierKey) -> ExprId {
        let own = self.own(agent, key);
        let arrive = own.into_iter().filter(|&b| self.graph.barriers[b].arrives);
        let both = arrive.flat_map(|b| [self.passed(b), self.stays[b]]);
        let both: Vec<ExprId> = both.collect();
        self.count(both)
    }

    /// How many operations of its thread that are numbered with one have been passed before.
    fn turn(&mut self, b: usize) -> ExprId {
        let op = self.graph.barriers[b].clone();
        let own = self.own(self.agent(b), &op.key);
        let earlier = own.into_iter().filter(|&o| o < b);
        let numbered = earlier.filter(|&o| op.is_numbered_with(&self.graph.barriers[o]));
        let passed: Vec<ExprId> = numbered.map(|o| self.passed(o)).collect();
        self.count(passed)
    }

    /// When a thread stays somewhere.
    fn stays_somewhere(&mut self, agent: AgentId) -> ExprId {
        let own: Vec<usize> = (0..self.stays.len()).filter(|&b| self.agent(b) == agent).collect();
        let never = self.graph.exprs.truth(false);
        own.into_iter().fold(never, |any, b| self.graph.exprs.or(any, self.stays[b]))
    }

    /// When a thread stays that has not come to a barrier in the turn of an operation there.
    fn keeps_away(&mut self, agent: AgentId, b: usize) -> ExprId {
        let key = self.graph.barriers[b].key.clone();
        let stays = self.stays_somewhere(agent);
        let (turn, arrivals) = (self.turn(b), self.arrivals(agent, &key));
        let comes = self.graph.exprs.binary(Binary::ULt, turn, arrivals);
        let away = self.graph.exprs.not(comes);
        self.graph.exprs.and(stays, away)
    }

    /// When a thread that stays at an operation can never go on.
    fn is_held(&mut self, b: usize) -> ExprId {
        let op = self.graph.barriers[b].clone();
        let own = self.agent(b);
        if !op.waits || !self.is_clear(&op.key) {
            return self.graph.exprs.truth(false);
        }
        if let Some(wanted) = self.wanted(&op) {
            return self.lacks(&op.key, wanted);
        }
        let others = self.graph.members(&op.key).into_iter().filter(|&other| other != own);
        let takes_part = |other: &AgentId| {
            op.rule != BarrierRule::Participants || !self.own(*other, &op.key).is_empty()
        };
        let others: Vec<AgentId> = others.filter(takes_part).collect();
        let never = self.graph.exprs.truth(false);
        others.into_iter().fold(never, |any, other| {
            let away = self.keeps_away(other, b);
            self.graph.exprs.or(any, away)
        })
    }

    /// Whether it is known who waits for whom at a barrier: each thread for itself, all with one count
    /// or all without.
    fn is_clear(&self, key: &BarrierKey) -> bool {
        let here = || self.graph.barriers.iter().filter(|op| op.key == *key);
        let alone = |op: &BarrierOp| {
            let agent = self.graph.event(op.event).agent;
            let of_warp = matches!(key, BarrierKey::Warp(..) | BarrierKey::Exchange(..));
            of_warp || self.graph.mates(agent).next().is_none()
        };
        let Some(first) = here().next() else { return false };
        let alike = |op: &BarrierOp| match (self.wanted(op), self.wanted(first)) {
            (Some(a), Some(b)) => a == b,
            (None, None) => matches!(op.rule, BarrierRule::AllLive | BarrierRule::Participants),
            _ => false,
        };
        here().all(|op| alone(op) && alike(op))
    }

    /// How many threads, each of its own warp, an operation with a count asks for.
    fn wanted(&self, op: &BarrierOp) -> Option<u128> {
        let BarrierRule::Count(count) = op.rule else { return None };
        let count = self.graph.exprs.constant(count)?;
        Some(if counts_warps(count) { count / WARP_SIZE } else { count })
    }

    /// When fewer have come to a barrier since it was last complete than it asks for.
    fn lacks(&mut self, key: &BarrierKey, wanted: u128) -> ExprId {
        let here =
            |b: &usize| self.graph.barriers[*b].key == *key && self.graph.barriers[*b].arrives;
        let here: Vec<usize> = (0..self.stays.len()).filter(here).collect();
        let passed: Vec<ExprId> = here.iter().map(|&b| self.passed(b)).collect();
        let stay: Vec<ExprId> = here.iter().map(|&b| self.stays[b]).collect();
        let (passed, stay) = (self.count(passed), self.count(stay));
        let exprs = &mut self.graph.exprs;
        let wanted = exprs.number(wanted.min(u128::from(u8::MAX)), WIDTH);
        let open = exprs.binary(Binary::URem, passed, wanted);
        let come = exprs.binary(Binary::Add, open, stay);
        exprs.binary(Binary::ULt, come, wanted)
    }

    /// That an operation which is passed, and waits for all, was not passed without a thread that stays:
    /// the engines take that one for ended.
    fn passes_rightly(&mut self, b: usize) -> ExprId {
        let op = self.graph.barriers[b].clone();
        let waits = op.waits && op.count().is_none();
        let own = self.agent(b);
        let mut right = self.graph.exprs.truth(true);
        for other in self.graph.members(&op.key) {
            if waits && other != own {
                let away = self.keeps_away(other, b);
                let here = self.graph.exprs.not(away);
                let right_here = self.implies(self.passed(b), here);
                right = self.graph.exprs.and(right, right_here);
            }
        }
        right
    }
}

/// A new bit that says whether the thread of an operation stays there, false if it cannot.
fn choice(graph: &EventGraph, chosen: &mut EventGraph, b: usize) -> ExprId {
    let op = &graph.barriers[b];
    if !op.waits || graph.exprs.is_false(graph.event(op.event).guard) {
        return chosen.exprs.truth(false);
    }
    let id = SymbolId::new(chosen.symbols.len());
    let thread = &graph.agents[graph.event(op.event).agent.index()].name;
    let name = format!("whether {thread} stays at {}", op.key);
    chosen.symbols.push(Symbol { name, width: 1 });
    chosen.exprs.leaf(Expr::Symbol(id), 1)
}
