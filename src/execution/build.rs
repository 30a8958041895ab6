//! Concrete executions from an engine's choices, with every value and relation computed anew.

use super::barriers::{Barriers, Generations};
use crate::bitrel::{EventSet, Rel};
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{CutKind, EventGraph, EventKind};
use crate::id::{AccessId, AgentId, BarrierId, EventId, ExprId, LocId};
use crate::program::expr::Expr;
use crate::program::value::Values;
use crate::ptx::operation::Order;
use crate::relation::eval::Interpretation;
use crate::vocabulary::{BaseRel, BaseSet, Origin};
use std::sync::OnceLock;
use typed_index_collections::TiVec;

/// The choices of an engine; the rest of the execution follows from them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// For every event, the write that it reads from; `None` for events that read nothing.
    pub rf: Vec<Option<EventId>>,
    /// Coherence edges; their closure, with initial writes first, is the coherence order.
    pub co: Vec<(EventId, EventId)>,
    /// Fence-SC edges, each pair oriented.
    pub sc: Vec<(EventId, EventId)>,
    /// Barrier generations; empty if left open. Operations then meet only if their ordinals alone
    /// decide it.
    pub generations: Generations,
    /// The results of barrier operations, by index, if generations are left open.
    pub returned: TiVec<BarrierId, Option<u128>>,
    /// Values of symbols, by id; missing ones are zero.
    pub symbols: Vec<u128>,
    /// The coherence-maximal write that gives each location its final value.
    pub finals: Vec<Option<EventId>>,
    /// Values of read accesses that justify themselves; empty unless the model allows that.
    pub self_justified: Vec<(AccessId, u128)>,
}

impl Inconsistency {
    /// The message for the user, in terms of threads and locations instead of ids.
    #[must_use]
    pub fn describe(&self, graph: &EventGraph) -> String {
        let (Self::Undetermined(access) | Self::WrongValue(access)) = self else {
            return self.to_string();
        };
        let piece = graph.accesses[access.index()].pieces.first();
        let Some(event) = piece.map(|&piece| graph.event(piece)) else { return self.to_string() };
        let thread = &graph.agents[event.agent.index()].name;
        let at = event.loc.map_or("memory", |loc| graph.locations[loc.index()].name.as_str());
        let does = if event.kind == EventKind::Read { "reads from" } else { "writes to" };
        let fault = match self {
            Self::WrongValue(_) => "is not what was written there",
            _ => "depends on itself",
        };
        format!("the value that {thread} {does} `{at}` {fault}")
    }
}

/// The reason why choices do not make an execution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inconsistency {
    /// A value depends on itself and nothing was chosen for it.
    #[error("the value of access {0:?} is not determined")]
    Undetermined(AccessId),
    /// A read without a write that happens, at its location.
    #[error("event {0:?} does not read from a write that happens")]
    ReadsFromNowhere(EventId),
    /// A self-justified value that differs from the written value.
    #[error("access {0:?} was said to read another value than is written")]
    WrongValue(AccessId),
    /// Coherence is no partial order.
    #[error("coherence has a cycle through {0:?}")]
    CyclicCoherence(EventId),
    /// A pair of Fence-SC fences that is not oriented one way.
    #[error("Fence-SC order does not order {0:?} and {1:?}")]
    FencesUnordered(EventId, EventId),
    /// A Fence-SC edge between operations that are no fences with mutual scope.
    #[error("Fence-SC order relates {0:?} and {1:?}, which are not morally strong")]
    StrayFences(EventId, EventId),
    /// Fence-SC order has a cycle.
    #[error("Fence-SC order has a cycle")]
    CyclicFences,
    /// Barrier generations that break a rule.
    #[error("the barrier generations are not well founded")]
    Barriers,
    /// The final value of a location is not that of a coherence-maximal write.
    #[error("the final write of {0:?} is not coherence-maximal")]
    NotMaximal(LocId),
    /// The filter does not hold.
    #[error("the filter does not hold")]
    Filtered,
}

/// One candidate execution.
#[derive(Clone, Debug)]
pub struct Execution<'g> {
    /// The graph that the execution is of.
    pub graph: &'g EventGraph,
    /// The choices that the execution was made from.
    pub choices: Choices,
    /// The events that happen.
    pub executed: EventSet,
    /// Whether every event of the graph happens.
    all_happen: bool,
    values: Values,
    // Filled in as a model asks for them.
    sets: Vec<OnceLock<EventSet>>,
    relations: Vec<OnceLock<Rel>>,
}

impl Interpretation for Execution<'_> {
    fn len(&self) -> usize {
        self.graph.events.len()
    }
    fn set(&self, set: BaseSet) -> &EventSet {
        if self.all_happen {
            return base_set(self.graph, set);
        }
        self.sets[set.index()].get_or_init(|| self.members(set))
    }
    fn relation(&self, relation: BaseRel) -> &Rel {
        if self.all_happen && relation.origin() == Origin::Given {
            return base_relation(self.graph, relation);
        }
        self.relations[relation.index()].get_or_init(|| self.pairs(relation))
    }
}

impl<'g> Execution<'g> {
    /// Builds the execution; an error names the constraint, apart from the model, that the choices
    /// violate. Threads may have been cut: [`Self::is_complete`] tells.
    ///
    /// # Errors
    /// When the choices do not make an execution of the graph.
    pub fn build(graph: &'g EventGraph, choices: Choices) -> Result<Self, Inconsistency> {
        let execution = Self::assemble(graph, choices)?;
        execution.check_finished()?;
        Ok(execution)
    }

    /// As [`Self::build`], for an execution that need not be finished: threads may be cut or wait
    /// for ever, fences and writes may be ordered later, final writes may be missing. Without
    /// generations, operations meet where their ordinals alone decide it.
    ///
    /// # Errors
    /// When the choices make no execution, however threads go on.
    pub fn assemble(graph: &'g EventGraph, choices: Choices) -> Result<Self, Inconsistency> {
        let values = evaluate(graph, &choices)?;
        let mut executed = EventSet::empty(graph.events.len());
        for id in graph.ids() {
            if values.truth(graph.event(id).guard) == Some(true) {
                executed.insert(id);
            }
        }
        let all_happen = executed.count() == executed.len();
        let (sets, relations) = (Vec::new(), Vec::new());
        let mut execution = Self { graph, choices, executed, all_happen, values, sets, relations };
        execution.check_reads()?;
        execution.interpret()?;
        Ok(execution)
    }

    /// Checks that the execution is finished: fences are ordered, and the final state is that of
    /// coherence-maximal writes and passes the filter.
    ///
    /// # Errors
    /// With the first thing that is missing.
    pub fn check_finished(&self) -> Result<(), Inconsistency> {
        self.check_fences()?;
        if self.choices.generations.len() != self.graph.barriers.len() {
            return Err(Inconsistency::Barriers);
        }
        self.check_finals()?;
        if self.holds(self.graph.filter) { Ok(()) } else { Err(Inconsistency::Filtered) }
    }

    /// Replaces coherence and the Fence-SC order, on which only final values depend.
    ///
    /// # Errors
    /// When one of them has a cycle.
    pub fn set_orders(
        &mut self,
        co: Vec<(EventId, EventId)>,
        sc: Vec<(EventId, EventId)>,
    ) -> Result<(), Inconsistency> {
        self.choices.co = co;
        self.choices.sc = sc;
        self.relations[BaseRel::Co.index()] = self.coherence()?.into();
        self.relations[BaseRel::FenceSc.index()] = self.fence_sc()?.into();
        Ok(())
    }

    /// Replaces the writes that give locations their final values.
    ///
    /// # Errors
    /// When the values are no longer determined.
    pub fn set_finals(&mut self, finals: Vec<Option<EventId>>) -> Result<(), Inconsistency> {
        self.choices.finals = finals;
        self.values = evaluate(self.graph, &self.choices)?;
        Ok(())
    }

    /// The value of an expression, final memory included.
    #[must_use]
    pub fn value(&self, expr: ExprId) -> Option<u128> {
        self.values.get(expr)
    }

    /// The truth value of an expression.
    #[must_use]
    pub fn truth(&self, expr: ExprId) -> Option<bool> {
        self.values.truth(expr)
    }

    /// Whether an expression holds that is about events of the execution alone.
    #[must_use]
    pub fn holds(&self, expr: ExprId) -> bool {
        self.values.holds(&self.graph.exprs, expr)
    }

    /// The value that a memory event reads or writes.
    #[must_use]
    pub fn event_value(&self, id: EventId) -> Option<u128> {
        let whole = self.values.get(self.graph.access_of(id).value)?;
        Some(self.graph.piece_of(id, whole))
    }

    /// The final state: a value for each observed name, in their order.
    #[must_use]
    pub fn final_state(&self) -> Vec<u128> {
        self.graph.observed.iter().map(|o| self.value(o.value).unwrap_or(0)).collect()
    }

    fn check_reads(&self) -> Result<(), Inconsistency> {
        for id in self.graph.ids().filter(|&id| self.graph.event(id).is_read()) {
            if !self.executed.contains(id) {
                continue;
            }
            let Some(write) = self.choices.rf.get(id.index()).copied().flatten() else {
                return Err(Inconsistency::ReadsFromNowhere(id));
            };
            let (r, w) = (self.graph.event(id), self.graph.event(write));
            let fits = w.is_write() && r.loc == w.loc && !self.graph.is_own_write(id, write);
            if !fits || !self.executed.contains(write) {
                return Err(Inconsistency::ReadsFromNowhere(id));
            }
        }
        Ok(())
    }

    /// Whether every thread ends.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.graph.cuts.iter().all(|c| self.truth(c.guard) != Some(true))
    }

    /// Whether a thread waits in a loop for ever.
    #[must_use]
    pub fn waits_for_ever(&self) -> bool {
        let mut spins = self.graph.cuts.iter().filter(|c| c.kind == CutKind::Spin);
        spins.any(|c| self.truth(c.guard) == Some(true))
    }

    fn interpret(&mut self) -> Result<(), Inconsistency> {
        self.sets = vec![OnceLock::new(); BaseSet::ALL.len()];
        self.relations = vec![OnceLock::new(); BaseRel::ALL.len()];
        self.choose(BaseRel::Rf, self.reads_from());
        let co = self.coherence()?;
        self.choose(BaseRel::Co, co);
        let sc = self.fence_sc()?;
        self.choose(BaseRel::FenceSc, sc);
        for relation in BaseRel::CONDITIONAL {
            self.choose(relation, self.conditional(relation));
        }
        self.barriers()
    }

    /// Sets the contents of a chosen relation.
    fn choose(&self, relation: BaseRel, pairs: Rel) {
        self.relations[relation.index()].set(pairs).expect("each chosen relation is set once");
    }

    /// A base set restricted to events that happen.
    fn members(&self, set: BaseSet) -> EventSet {
        let mut members = base_set(self.graph, set).clone();
        members.intersect_with(&self.executed);
        members
    }

    /// A given relation restricted to events that happen; empty for chosen relations that were not
    /// set.
    fn pairs(&self, relation: BaseRel) -> Rel {
        let mut pairs = base_relation(self.graph, relation).clone();
        pairs.restrict_domain(&self.executed);
        pairs.restrict_range(&self.executed);
        pairs
    }

    fn reads_from(&self) -> Rel {
        let pairs = self.graph.ids().filter(|&id| self.executed.contains(id)).filter_map(|id| {
            self.choices.rf.get(id.index()).copied().flatten().map(|write| (write, id))
        });
        Rel::from_pairs(self.graph.events.len(), pairs)
    }

    /// The coherence order: initial writes first, closed, irreflexive. Coherence relates writes,
    /// not bytes, so that all pieces of two writes are ordered alike (PTX-8.9.6).
    fn coherence(&self) -> Result<Rel, Inconsistency> {
        let n = self.graph.events.len();
        let happens = |id: EventId| self.graph.event(id).is_write() && self.executed.contains(id);
        let chosen = self.choices.co.iter().copied().filter(|&(a, b)| {
            happens(a) && happens(b) && self.graph.event(a).loc == self.graph.event(b).loc
        });
        let mut co = Rel::from_pairs(n, chosen);
        for id in self
            .graph
            .ids()
            .filter(|&id| happens(id) && self.graph.event(id).kind != EventKind::Init)
        {
            let loc = self.graph.event(id).loc.expect("a write has a location");
            co.insert(self.graph.locations[loc.index()].init, id);
        }
        close_coherence(self.graph, &mut co);
        match co.first_reflexive() {
            Some(event) => Err(Inconsistency::CyclicCoherence(event)),
            None => Ok(co),
        }
    }

    /// The Fence-SC order, which is acyclic (PTX-8.9.3).
    fn fence_sc(&self) -> Result<Rel, Inconsistency> {
        let n = self.graph.events.len();
        let happens = |id: EventId| self.executed.contains(id);
        let edges = || self.choices.sc.iter().copied().filter(|&(a, b)| happens(a) && happens(b));
        if let Some((a, b)) = edges().find(|&(a, b)| !is_sc_pair(self.graph, a, b)) {
            return Err(Inconsistency::StrayFences(a, b));
        }
        let sc = Rel::from_pairs(n, edges());
        if sc.is_acyclic() { Ok(sc) } else { Err(Inconsistency::CyclicFences) }
    }

    /// A relation of which some pairs depend on values.
    fn conditional(&self, relation: BaseRel) -> Rel {
        let happens = |id: EventId| self.executed.contains(id);
        let mut out = self.pairs(relation);
        for pair in self.graph.conditional(relation) {
            if happens(pair.from) && happens(pair.to) && self.truth(pair.when) == Some(true) {
                out.insert(pair.from, pair.to);
            }
        }
        out
    }

    /// Every pair of fences with mutual scope is ordered one way round (PTX-8.9.3).
    fn check_fences(&self) -> Result<(), Inconsistency> {
        let sc = self.relation(BaseRel::FenceSc);
        let happens = |id: EventId| self.executed.contains(id);
        for (a, b) in sc_pairs(self.graph).into_iter().filter(|&(a, b)| happens(a) && happens(b)) {
            if sc.contains(a, b) == sc.contains(b, a) {
                return Err(Inconsistency::FencesUnordered(a, b));
            }
        }
        Ok(())
    }

    fn barriers(&mut self) -> Result<(), Inconsistency> {
        let n = self.graph.events.len();
        let barriers =
            Barriers::new(self.graph, |id| self.executed.contains(id), |x| self.value(x));
        let edges = |generations: &Generations| {
            for kind in BaseRel::BARRIERS {
                self.choose(kind, Rel::from_pairs(n, barriers.edges(generations, kind)));
            }
        };
        let generations = &self.choices.generations;
        if generations.is_empty() {
            let known = barriers.known_by_ordinal();
            edges(&known);
            return match self.results_follow(&barriers, &known) {
                true => Ok(()),
                false => Err(Inconsistency::Barriers),
            };
        }
        if generations.len() != self.graph.barriers.len() || !barriers.accepts(generations) {
            return Err(Inconsistency::Barriers);
        }
        edges(generations);
        Ok(())
    }

    /// Whether the results of barriers follow from their operands, where the participants are known
    /// however threads go on.
    fn results_follow(&self, barriers: &Barriers<'_>, known: &Generations) -> bool {
        let is_cut = |agent: AgentId| {
            let mut cuts = self.graph.cuts.iter().filter(|cut| cut.agent == agent);
            cuts.any(|cut| self.truth(cut.guard) == Some(true))
        };
        let returned = |index: BarrierId| self.choices.returned.get(index).copied().flatten();
        known.keys().all(|index| {
            returned(index).is_none()
                || self.graph.barriers[index].reduction.is_none()
                || !barriers.is_settled(index, is_cut)
                || returned(index) == barrier_result(self.graph, known, &self.values, index)
        })
    }

    fn check_finals(&self) -> Result<(), Inconsistency> {
        let co = self.relation(BaseRel::Co);
        for index in 0..self.graph.locations.len() {
            let loc = LocId::new(index);
            let Some(last) = self.choices.finals.get(index).copied().flatten() else { continue };
            let event = self.graph.event(last);
            let maximal = event.is_write()
                && event.loc == Some(loc)
                && self.executed.contains(last)
                && co.row(last).next().is_none();
            if !maximal {
                return Err(Inconsistency::NotMaximal(loc));
            }
        }
        Ok(())
    }
}

/// The pairs of `fence.sc` events with mutual scope in different threads, each once.
#[must_use]
pub fn sc_pairs(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let fences: Vec<EventId> = graph.ids().filter(|&id| is_sc_fence(graph, id)).collect();
    let mut out = Vec::new();
    for (at, &a) in fences.iter().enumerate() {
        out.extend(fences[at + 1..].iter().filter(|&&b| is_sc_pair(graph, a, b)).map(|&b| (a, b)));
    }
    out
}

fn is_sc_fence(graph: &EventGraph, id: EventId) -> bool {
    let event = graph.event(id);
    event.order == Some(Order::Sc) && matches!(event.kind, EventKind::Fence(_))
}

/// Whether Fence-SC order relates two events, in one direction or the other.
fn is_sc_pair(graph: &EventGraph, a: EventId, b: EventId) -> bool {
    is_sc_fence(graph, a)
        && is_sc_fence(graph, b)
        && graph.event(a).agent != graph.event(b).agent
        && base_relation(graph, BaseRel::SameScope).contains(a, b)
}

/// Evaluates all expressions; reads get the values of their writes, round by round.
fn evaluate(graph: &EventGraph, choices: &Choices) -> Result<Values, Inconsistency> {
    let mut known: Vec<Option<u128>> = vec![None; graph.accesses.len()];
    for &(access, value) in &choices.self_justified {
        known[access.index()] = Some(value);
    }
    let mut values = Values::default();
    loop {
        compute(graph, choices, &known, &mut values);
        let mut grew = false;
        for (index, access) in graph.accesses.iter().enumerate() {
            let is_read = access.pieces.first().is_some_and(|&p| graph.event(p).is_read());
            if !is_read || known[index].is_some() {
                continue;
            }
            if let Some(value) = read_value(graph, &choices.rf, &values, index) {
                known[index] = Some(value);
                grew = true;
            }
        }
        if !grew {
            break;
        }
    }
    check_values(graph, choices, &known, &values)?;
    Ok(values)
}

/// Evaluates all expressions once reads are `known`. Final values and barrier results follow from
/// other expressions, so that evaluation is repeated until a fixpoint.
fn compute(graph: &EventGraph, choices: &Choices, known: &[Option<u128>], values: &mut Values) {
    let symbol = |index: usize| choices.symbols.get(index).copied().unwrap_or(0);
    values.compute(&graph.exprs, |leaf| match leaf {
        Expr::Read(access) => known[access.index()],
        Expr::Mbarrier(access) => graph.reads_mbarrier(access, &choices.rf).map(u128::from),
        Expr::Symbol(id) => Some(symbol(id.index())),
        _ => None,
    });
    loop {
        let before = values.clone();
        values.compute(&graph.exprs, |leaf| match leaf {
            Expr::Read(access) => known[access.index()],
            Expr::Mbarrier(access) => graph.reads_mbarrier(access, &choices.rf).map(u128::from),
            Expr::Symbol(id) => Some(symbol(id.index())),
            Expr::Final(loc) => {
                let write = choices.finals.get(loc.index()).copied().flatten()?;
                let whole = before.get(graph.access_of(write).value)?;
                Some(graph.piece_of(write, whole))
            }
            Expr::Barrier(index) => {
                if let Some(value) = graph.barriers[index].exchanged() {
                    return before.get(value);
                }
                match choices.generations.is_empty() {
                    true => choices.returned.get(index).copied().flatten(),
                    false => barrier_result(graph, &choices.generations, &before, index),
                }
            }
            _ => None,
        });
        if *values == before {
            return;
        }
    }
}

/// Closes a coherence order under transitivity and over pieces. Coherence relates writes, not
/// bytes, so that all common pieces of two accesses are ordered alike (PTX-8.9.6).
pub(crate) fn close_coherence(graph: &EventGraph, co: &mut Rel) {
    co.transitive_closure_in_place();
    if graph.accesses.iter().all(|access| access.pieces.len() < 2) {
        return;
    }
    let pieces = |id: EventId| &graph.access_of(id).pieces;
    loop {
        let mut more = Vec::new();
        for (a, b) in co.iter_pairs() {
            if pieces(a).len() < 2 || pieces(b).len() < 2 {
                continue;
            }
            let pairs = pieces(a).iter().flat_map(|&x| pieces(b).iter().map(move |&y| (x, y)));
            more.extend(
                pairs.filter(|&(x, y)| {
                    graph.event(x).loc == graph.event(y).loc && !co.contains(x, y)
                }),
            );
        }
        if more.is_empty() {
            return;
        }
        for (a, b) in more {
            co.insert(a, b);
        }
        co.transitive_closure_in_place();
    }
}

/// The result of a barrier operation: the value of an exchange's expression or, for a `bar.red`,
/// its generation's predicates combined. Operations without a predicate must not take part;
/// otherwise they are ignored. `None` if the participants or some predicate is unknown.
pub(crate) fn barrier_result(
    graph: &EventGraph,
    generations: &Generations,
    values: &Values,
    index: BarrierId,
) -> Option<u128> {
    use crate::program::micro::Reduction;
    let op = &graph.barriers[index];
    if let Some(value) = op.exchanged() {
        return values.get(value);
    }
    let generation = generations.get(index).copied().flatten()?;
    let mut predicates = Vec::new();
    for (other, g) in graph.barriers.iter().zip(generations) {
        if other.key == op.key && g.is_some_and(|g| g.index == generation.index) {
            let Some(predicate) = other.operand else { continue };
            predicates.push(values.truth(predicate)?);
        }
    }
    Some(match op.reduction? {
        Reduction::Popc => predicates.iter().filter(|p| **p).count() as u128,
        Reduction::And => u128::from(predicates.iter().all(|p| *p)),
        Reduction::Or => u128::from(predicates.iter().any(|p| *p)),
    })
}

/// The value of a read access from the writes of its pieces, if all are known.
pub(crate) fn read_value(
    graph: &EventGraph,
    rf: &[Option<EventId>],
    values: &Values,
    index: usize,
) -> Option<u128> {
    let mut value = 0;
    for &piece in &graph.accesses[index].pieces {
        let write = rf.get(piece.index()).copied().flatten()?;
        let whole = values.get(graph.access_of(write).value)?;
        value |= graph.piece_of(write, whole) << graph.slice(piece).0;
    }
    Some(value)
}

fn check_values(
    graph: &EventGraph,
    choices: &Choices,
    known: &[Option<u128>],
    values: &Values,
) -> Result<(), Inconsistency> {
    for (index, access) in graph.accesses.iter().enumerate() {
        let id = AccessId::new(index);
        let Some(&piece) = access.pieces.first() else { continue };
        match values.truth(graph.event(piece).guard) {
            Some(false) => continue,
            Some(true) => {}
            None => return Err(Inconsistency::Undetermined(id)),
        }
        if !graph.event(piece).is_memory() {
            continue;
        }
        if values.get(access.value).is_none() {
            return Err(Inconsistency::Undetermined(id));
        }
        if graph.event(piece).is_read()
            && read_value(graph, &choices.rf, values, index) != known[index]
        {
            return Err(Inconsistency::WrongValue(id));
        }
    }
    Ok(())
}
