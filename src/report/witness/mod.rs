//! An execution as a picture: the events of each thread in program order, and the edges between events.

pub mod dot;
pub mod focus;
pub mod text;

use crate::bitrel::Rel;
use crate::event::graph::{AgentKind, Completion, EventGraph, EventKind};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::id::{AgentId, EventId, LocId};
use crate::litmus::ast::ThreadPlace;
use crate::program::micro::{Restriction, TensorFence};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::bits::signed;
use crate::ptx::literal::shown;
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope, TypeKind};
use crate::relation::eval::{Interpretation, evaluate};
use crate::relation::expr::{AxiomRole, Model};
use crate::solve::Pairs;
use crate::source::Span;
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use std::collections::{BTreeMap, VecDeque};

/// A picture of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// The test's name.
    pub name: String,
    /// A column per thread.
    pub columns: Vec<Column>,
    /// The initial writes at which edges start or end.
    pub initial: Vec<Node>,
    /// The chosen values of initial writes without a given value.
    pub chosen: Vec<(String, String)>,
    /// The edges, sorted by relation.
    pub edges: Vec<Edge>,
    /// The final state: names and values. Empty if some thread does not end.
    pub state: Vec<(String, String)>,
    /// The values of the final state as integers, in the same order.
    pub integers: Vec<String>,
    /// The flags of the model that the execution raises.
    pub flags: Vec<String>,
}

/// The events of one thread, in program order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The thread.
    pub agent: AgentId,
    /// The name and the place of the thread.
    pub title: String,
    /// The name, such as `P0` or `cp.async.bulk (1)`.
    pub name: String,
    /// The performer of the events.
    pub seat: Seat,
    /// The events of the thread.
    pub nodes: Vec<Node>,
    /// The position behind the events at which the thread waits forever, if the thread does not end.
    pub stays: Option<String>,
}

/// The performer of the events of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seat {
    /// A thread at the given place.
    Thread(ThreadPlace),
    /// An asynchronous operation: the issuing thread, and the issue event.
    Operation(AgentId, EventId),
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// The event.
    pub id: EventId,
    /// The label in edges: a letter, or `init x`.
    pub label: String,
    /// The description, such as `W.release.gpu flag = 1`.
    pub text: String,
    /// The statement of the event.
    pub span: Span,
    /// The kind of the event.
    pub kind: NodeKind,
    /// The memory order (PTX-8.4); `None` for initial writes and for other events without an order.
    pub order: Option<Order>,
    /// The scope (PTX-8.5), for events with a scope.
    pub scope: Option<Scope>,
    /// The accessed memory, such as `x` or `a[1]`.
    pub location: Option<String>,
    /// The bits read or written, if known.
    pub value: Option<u128>,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// An initial write.
    Initial,
    /// A read.
    Read,
    /// A write.
    Write,
    /// A fence, of threads or of proxies.
    Fence,
    /// An operation at a barrier.
    Barrier,
    /// An event of an asynchronous operation or of a task: an issue, a wait, a completion.
    Progress,
}

impl NodeKind {
    fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::Init => Self::Initial,
            EventKind::Read => Self::Read,
            EventKind::Write => Self::Write,
            EventKind::Fence(_) | EventKind::ProxyFence(_) | EventKind::TensorFence(_) => {
                Self::Fence
            }
            EventKind::Barrier(_) => Self::Barrier,
            EventKind::Issue
            | EventKind::Await(_)
            | EventKind::Complete(_)
            | EventKind::Launch
            | EventKind::Boundary => Self::Progress,
        }
    }
}

/// One edge.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edge {
    /// The relation.
    pub relation: String,
    /// The earlier event.
    pub from: EventId,
    /// The later event.
    pub to: EventId,
}

impl Node {
    fn of(execution: &Execution<'_>, id: EventId, label: String) -> Self {
        let graph = execution.graph;
        let event = graph.event(id);
        let value = || execution.event_value(id).filter(|_| !execution.is_unknown(id));
        Self {
            id,
            label,
            text: describe(execution, id),
            span: event.span,
            kind: NodeKind::of(&event.kind),
            order: event.order,
            scope: event.scope,
            location: event.loc.map(|_| location(graph, id).to_owned()),
            value: event.is_memory().then(value).flatten(),
        }
    }
}

impl Picture {
    /// The picture of the execution that an engine chose.
    ///
    /// # Errors
    ///
    /// When the choices do not make an execution.
    pub fn of(
        name: &str,
        graph: &EventGraph,
        choices: &Choices,
        model: &Model,
    ) -> Result<Self, String> {
        let execution = Execution::build(graph, choices.clone()).map_err(|e| e.to_string())?;
        Ok(Self::of_execution(name, &execution, model))
    }

    /// The picture of an execution, with the relations that the model shows.
    #[must_use]
    pub fn of_execution(name: &str, execution: &Execution<'_>, model: &Model) -> Self {
        let mut edges = base_edges(execution);
        edges.extend(shown_edges(execution, model));
        let labels = Labels::new(execution);
        let graph = execution.graph;
        let node = |id: EventId| Node::of(execution, id, labels.of(id));
        let is_shown = |e: &Edge| [e.from, e.to].iter().all(|&id| is_shown(graph, id));
        edges.retain(is_shown);
        let mut columns = Vec::new();
        for (index, thread) in graph.agents.iter().enumerate() {
            let (title, seat) = match thread.kind {
                AgentKind::Init => continue,
                AgentKind::Thread(_, place) => (title(&thread.name, place), Seat::Thread(place)),
                AgentKind::Operation(operation, _) => {
                    let issue = graph.operations[operation].issue;
                    (thread.name.clone(), Seat::Operation(graph.event(issue).agent, issue))
                }
            };
            let name = match seat {
                Seat::Thread(_) => thread.name.clone(),
                Seat::Operation(by, _) => {
                    let own = format!("{}'s ", graph.agents[by.index()].name);
                    thread.name.strip_prefix(&own).unwrap_or(&thread.name).to_owned()
                }
            };
            let agent = AgentId::new(index);
            let nodes: Vec<Node> = executed(execution)
                .filter(|&id| graph.event(id).agent == agent)
                .map(node)
                .collect();
            // An operation without an issue has no events.
            if nodes.is_empty() && matches!(thread.kind, AgentKind::Operation(..)) {
                continue;
            }
            let mut cuts = graph.cuts.iter().filter(|cut| cut.agent == agent);
            let in_loop = cuts.any(|cut| execution.truth(cut.guard) == Some(true));
            let stays = in_loop.then(|| "is still in a loop".to_owned());
            columns.push(Column { agent, title, name, seat, nodes, stays });
        }
        let initial: Vec<Node> = executed(execution)
            .filter(|&id| graph.event(id).kind == EventKind::Init)
            .filter(|&id| edges.iter().any(|e| e.from == id || e.to == id))
            .map(node)
            .collect();
        let chosen = initial.iter().filter_map(|node| chosen_value(execution, node.id)).collect();
        let flags = flags(execution, model);
        let (mut state, mut integers) = (Vec::new(), Vec::new());
        if execution.is_complete() {
            state = final_state(execution);
            let values = execution.final_state().into_iter().enumerate();
            integers = values
                .map(|(i, value)| known(execution, i, || observed_integer(graph, i, value)))
                .collect();
        }
        let name = name.to_owned();
        Self { name, columns, initial, chosen, edges, state, integers, flags }
    }

    /// The node of an event, if the picture shows the event.
    #[must_use]
    pub fn node(&self, id: EventId) -> Option<&Node> {
        self.columns.iter().flat_map(|c| &c.nodes).chain(&self.initial).find(|n| n.id == id)
    }

    /// Records that the thread of a barrier operation waits there forever; the operation itself is not
    /// executed.
    pub fn add_waiting(&mut self, graph: &EventGraph, id: EventId) {
        let EventKind::Barrier(index) = graph.event(id).kind else { return };
        let text = format!("waits for ever at {}", graph.barriers[index].key);
        self.add_stay(graph.event(id).agent, text);
    }

    /// Records the position of a thread that does not end.
    pub fn add_stay(&mut self, agent: AgentId, text: String) {
        if let Some(column) = self.columns.iter_mut().find(|column| column.agent == agent) {
            column.stays = Some(text);
        }
        // An execution in which some thread does not end has no final state.
        self.state.clear();
        self.integers.clear();
    }

    /// The label of an event.
    #[must_use]
    pub fn label(&self, id: EventId) -> &str {
        self.node(id).map_or("init", |n| n.label.as_str())
    }
}

/// Letters for the events of threads, in the order of columns.
struct Labels {
    labels: Vec<String>,
}

impl Labels {
    fn new(execution: &Execution<'_>) -> Self {
        let graph = execution.graph;
        let mut labels = vec![String::new(); graph.events.len()];
        let mut letters = 0;
        for id in executed(execution) {
            labels[id.index()] = match graph.event(id).kind {
                EventKind::Init => format!("init {}", location(graph, id)),
                _ => {
                    letters += 1;
                    letter(letters - 1)
                }
            };
        }
        Self { labels }
    }

    fn of(&self, id: EventId) -> String {
        self.labels[id.index()].clone()
    }
}

/// `a`, …, `z`, `a1`, …
fn letter(index: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(index % 26).expect("below 26"));
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn executed<'a>(execution: &'a Execution<'_>) -> impl Iterator<Item = EventId> + 'a {
    let graph = execution.graph;
    graph.ids().filter(|&id| execution.executed.contains(id) && is_shown(graph, id))
}

/// Whether pictures show an event. The reads of mbarrier objects by mbarrier operations are internal;
/// kernel parameters have the same value in every execution.
fn is_shown(graph: &EventGraph, id: EventId) -> bool {
    let event = graph.event(id);
    let is_parameter =
        |loc: LocId| graph.objects[graph.locations[loc.index()].object.index()].parameter;
    !event.marks.looks && !event.loc.is_some_and(is_parameter)
}

fn title(name: &str, place: ThreadPlace) -> String {
    let ThreadPlace::Device(place) = place else { return format!("{name} (host)") };
    let mut title = format!("{name} (gpu {}", place.gpu);
    if place.grid != 0 {
        title.push_str(&format!(", grid {}", place.grid));
    }
    title.push_str(&format!(", cluster {}, cta {}", place.cluster, place.cta));
    if let Some(warp) = place.warp {
        title.push_str(&format!(", warp {warp}"));
    }
    title.push(')');
    title
}

fn location(graph: &EventGraph, id: EventId) -> &str {
    graph.event(id).loc.map_or("", |loc| graph.locations[loc.index()].name.as_str())
}

/// The description of an event: kind, qualifiers, location and value.
fn describe(execution: &Execution<'_>, id: EventId) -> String {
    let graph = execution.graph;
    let event = graph.event(id);
    let mut text = match event.kind {
        EventKind::Init => String::new(),
        EventKind::Read => "R".to_owned(),
        EventKind::Write => "W".to_owned(),
        EventKind::Fence(_) => "F".to_owned(),
        EventKind::ProxyFence(kind) => proxy_fence(kind),
        EventKind::Barrier(index) => {
            let operation = &graph.barriers[index];
            let what = match (operation.arrives, operation.waits) {
                (true, false) => "arrive at",
                (false, true) => "wait for",
                _ if operation.exchange.is_some() => "at",
                _ => "sync at",
            };
            let relaxed = event.order == Some(Order::Relaxed);
            return format!("B{} {what} {}", if relaxed { ".relaxed" } else { "" }, operation.key);
        }
        EventKind::Launch => return "griddepcontrol.launch_dependents".to_owned(),
        EventKind::Boundary => return "griddepcontrol.wait".to_owned(),
        EventKind::Issue => return issued(graph, id),
        EventKind::Await(kind) => return waited_for(kind).to_owned(),
        EventKind::TensorFence(TensorFence::Warpgroup) => return "wgmma.fence".to_owned(),
        EventKind::TensorFence(TensorFence::Before) => {
            return "tcgen05.fence::before_thread_sync".to_owned();
        }
        EventKind::TensorFence(TensorFence::After) => {
            return "tcgen05.fence::after_thread_sync".to_owned();
        }
        EventKind::Complete(Completion::All) => return "complete".to_owned(),
        EventKind::Complete(Completion::Map) => return "map read".to_owned(),
        EventKind::Complete(Completion::Reads) => return "sources read".to_owned(),
        EventKind::Complete(Completion::Part(at)) => return format!("complete for {at}"),
    };
    // The name of a proxy fence contains its order and scope.
    let named = matches!(event.kind, EventKind::ProxyFence(_));
    if let Some(order) = event.order.filter(|&o| o != Order::Weak && !named) {
        text.push_str(&format!(".{order}"));
        if let Some(scope) = event.scope {
            text.push_str(&format!(".{scope}"));
        }
    }
    if let EventKind::Fence(restriction) = event.kind {
        text.push_str(match restriction {
            Restriction::AcquireSharedCluster => ".sync_restrict::shared::cluster",
            Restriction::ReleaseSharedCta => ".sync_restrict::shared::cta",
            Restriction::MbarrierInit => ".mbarrier_init",
            Restriction::None | Restriction::Wait => "",
        });
    }
    if event.proxy != Proxy::Generic {
        text.push_str(&format!(".{}", event.proxy));
    }
    if event.is_memory() {
        let value = match execution.event_value(id).filter(|_| !execution.is_unknown(id)) {
            Some(value) => piece_value(graph, id, value),
            None => UNKNOWN.to_owned(),
        };
        text.push_str(&format!(" {} = {value}", location(graph, id)));
    }
    text.trim_start().to_owned()
}

/// The instruction that waits for groups of a kind.
fn waited_for(kind: GroupKind) -> &'static str {
    match kind {
        GroupKind::Copy | GroupKind::Bulk => "wait_group",
        GroupKind::Warpgroup => "wgmma.wait_group",
        GroupKind::TensorLoad => "tcgen05.wait::ld",
        GroupKind::TensorStore => "tcgen05.wait::st",
    }
}

/// The operation that an event issues.
fn issued(graph: &EventGraph, id: EventId) -> String {
    let operation = graph.operations.iter().find(|operation| operation.is_issued_at(id));
    format!("issue {}", operation.map_or("", |operation| operation.name))
}

/// The text for an unknown value.
const UNKNOWN: &str = "?";

/// An observed value as text, or `?` if unknown.
fn known(execution: &Execution<'_>, index: usize, value: impl FnOnce() -> String) -> String {
    match execution.is_made_of_unknown(execution.graph.observed[index].value) {
        true => UNKNOWN.to_owned(),
        false => value(),
    }
}

/// The name and the value of an initial write whose value is not constant.
fn chosen_value(execution: &Execution<'_>, id: EventId) -> Option<(String, String)> {
    let graph = execution.graph;
    if graph.exprs.constant(graph.access_of(id).value).is_some() {
        return None;
    }
    let value = piece_value(graph, id, execution.event_value(id)?);
    Some((location(graph, id).to_owned(), value))
}

/// The value that an access reads or writes: the state of an mbarrier, or a value of the element's type for
/// an element of a variable.
pub(super) fn piece_value(graph: &EventGraph, id: EventId, bits: u128) -> String {
    let width = graph.slice(id).1;
    if graph.event(id).marks.mbarrier && width == 64 {
        return format!("({})", graph.mbarriers.describe(bits));
    }
    let loc = graph.event(id).loc.expect("an access of memory");
    let ty = graph.objects[graph.locations[loc.index()].object.index()].element;
    let is_element = ty.bits == width;
    let float = Some(ty).filter(|ty| is_element && ty.is_float()).and_then(|ty| shown(bits, ty));
    let is_signed = !is_element || ty.kind != TypeKind::Unsigned;
    float.unwrap_or_else(|| number(bits, width, is_signed))
}

fn proxy_fence(kind: ProxyFenceKind) -> String {
    match kind {
        ProxyFenceKind::Alias => "F.proxy.alias".to_owned(),
        ProxyFenceKind::Async(None) => "F.proxy.async".to_owned(),
        ProxyFenceKind::Async(Some(space)) => format!("F.proxy.async.{space}"),
        ProxyFenceKind::TensormapRelease(scope) => format!("F.proxy.tensormap.release.{scope}"),
        ProxyFenceKind::TensormapAcquire(scope) => format!("F.proxy.tensormap.acquire.{scope}"),
        ProxyFenceKind::AsyncGenericAcquire => "F.proxy.async::generic.acquire".to_owned(),
        ProxyFenceKind::AsyncGenericRelease => "F.proxy.async::generic.release".to_owned(),
        ProxyFenceKind::AsyncGenericReleaseReads => {
            "F.proxy.async::generic.release.read".to_owned()
        }
        ProxyFenceKind::AliasAcquire => "F.proxy.alias.acquire.sys".to_owned(),
        ProxyFenceKind::AliasRelease => "F.proxy.alias.release.sys".to_owned(),
        ProxyFenceKind::Research(proxy) => format!("F.proxy.{proxy}"),
    }
}

/// A value of `width` bits, in decimal.
#[must_use]
pub fn number(bits: u128, width: u32, is_signed: bool) -> String {
    if is_signed { signed(bits, width).to_string() } else { bits.to_string() }
}

/// A final value in its type, for example as a floating-point number.
#[must_use]
pub fn observed_value(graph: &EventGraph, index: usize, bits: u128) -> String {
    let float = graph.observed[index].float.and_then(|ty| shown(bits, ty));
    float.unwrap_or_else(|| observed_integer(graph, index, bits))
}

/// A final value as an integer, whatever its type, for programs.
#[must_use]
pub fn observed_integer(graph: &EventGraph, index: usize, bits: u128) -> String {
    let observed = &graph.observed[index];
    number(bits, graph.exprs.width(observed.value), observed.signed)
}

/// The names of the model's flags that an execution raises.
#[must_use]
pub fn flags(execution: &Execution<'_>, model: &Model) -> Vec<String> {
    if model.axioms.iter().all(|axiom| axiom.role != AxiomRole::Flag) {
        return Vec::new();
    }
    let raised = recheck(model, execution).flags;
    raised.iter().map(|flag| model.axioms[flag.axiom].name.clone()).collect()
}

fn final_state(execution: &Execution<'_>) -> Vec<(String, String)> {
    let graph = execution.graph;
    let values = execution.final_state();
    let named = graph.observed.iter().zip(values).enumerate();
    let shown = |i: usize, value| known(execution, i, || observed_value(graph, i, value));
    named.map(|(i, (o, value))| (o.name.clone(), shown(i, value))).collect()
}

/// The base relations and from-reads as edges, without edges that follow by transitivity.
fn base_edges(execution: &Execution<'_>) -> Vec<Edge> {
    let rf = execution.relation(BaseRel::Rf);
    let mut co = reduced(execution.relation(BaseRel::Co));
    let fr = from_reads(rf, &co);
    // Initial writes precede all other writes of a location, so the coherence edges of initial writes are
    // omitted.
    let mut written = execution.executed.clone();
    written.subtract(execution.set(BaseSet::InitialWrite));
    co.restrict_domain(&written);
    let mut edges = Vec::new();
    let mut add = |name: &str, pairs: &Rel| {
        let named = |(from, to)| Edge { relation: name.to_owned(), from, to };
        edges.extend(pairs.iter_pairs().map(named));
    };
    add("rf", rf);
    add("co", &co);
    add("fr", &fr);
    add("rmw", execution.relation(BaseRel::Rmw));
    add("sc", &reduced(execution.relation(BaseRel::FenceSc)));
    let syncs = [BaseRel::BarrierSync, BaseRel::ClusterSync, BaseRel::WarpSync, BaseRel::Phase];
    for relation in syncs.into_iter().chain([BaseRel::Exchange, BaseRel::Api]) {
        add(relation.name(), execution.relation(relation));
    }
    edges
}

/// From-reads: from a read to the coherence successors of its source, except for the write of the same
/// read-modify-write.
fn from_reads(rf: &Rel, co: &Rel) -> Rel {
    let mut out = Rel::empty(rf.len());
    rf.inverse().compose_union_into(co, &mut out);
    out
}

/// The transitive reduction of an acyclic relation.
fn reduced(relation: &Rel) -> Rel {
    let mut closed = relation.clone();
    closed.transitive_closure_in_place();
    let mut implied = Rel::empty(closed.len());
    closed.compose_union_into(&closed, &mut implied);
    let mut out = relation.clone();
    out.subtract(&implied);
    out
}

/// The relations that the model shows.
fn shown_edges(execution: &Execution<'_>, model: &Model) -> Vec<Edge> {
    let known = ["po", "rf", "co", "fr", "rmw", "sc"];
    let shown: Vec<_> = model
        .shown
        .iter()
        .filter(|(name, node)| {
            model.arena.sort(*node) == Sort::Relation && !known.contains(&name.as_str())
        })
        .collect();
    let roots: Vec<_> = shown.iter().map(|(_, node)| *node).collect();
    let values = evaluate(&model.arena, &roots, execution);
    let mut edges = Vec::new();
    for (name, node) in shown {
        let relation = values.relation(*node);
        // Every race is shown, including races of writes that no other relation connects.
        let pairs: Vec<_> = match name == Pairs::RACE {
            true => relation.iter_pairs().filter(|(a, b)| a < b).collect(),
            false => essence(execution, relation).collect(),
        };
        let edge = |(from, to)| Edge { relation: name.clone(), from, to };
        edges.extend(pairs.into_iter().map(edge));
    }
    edges
}

/// The edges of a relation between threads that do not follow from other edges and program order. For a
/// symmetric relation, one direction of each pair, limited to pairs that communication or Fence-SC order
/// relates.
fn essence(
    execution: &Execution<'_>,
    relation: &Rel,
) -> impl Iterator<Item = (EventId, EventId)> + use<> {
    let graph = execution.graph;
    let initial = |id: EventId| graph.event(id).kind == EventKind::Init;
    let mut kept = Rel::from_pairs(
        relation.len(),
        relation.iter_pairs().filter(|&(a, b)| {
            !initial(a) && !initial(b) && graph.event(a).agent != graph.event(b).agent
        }),
    );
    let back = relation.inverse();
    if *relation == back {
        kept.intersect_with(&communication(execution));
        kept = Rel::from_pairs(kept.len(), kept.iter_pairs().filter(|(a, b)| a < b));
    } else {
        reduce(execution, relation, &mut kept);
    }
    kept.iter_pairs().collect::<Vec<_>>().into_iter()
}

/// The union of reads-from, coherence, from-reads and Fence-SC order, and its inverse.
fn communication(execution: &Execution<'_>) -> Rel {
    let (rf, co) = (execution.relation(BaseRel::Rf), execution.relation(BaseRel::Co));
    let mut out = from_reads(rf, co);
    for one in [rf, co, execution.relation(BaseRel::FenceSc)] {
        out.union_with(one);
    }
    let back = out.inverse();
    out.union_with(&back);
    out
}

/// Removes pairs that follow from other pairs and program order, starting with pairs of distant events. A
/// pair follows if a path leads from its first event to its second one, and the relation or program order
/// relates every event of the path to the second one.
fn reduce(execution: &Execution<'_>, relation: &Rel, kept: &mut Rel) {
    let po = execution.relation(BaseRel::Po);
    let position = |id: EventId| execution.graph.event(id).position;
    let mut pairs: Vec<(EventId, EventId)> = kept.iter_pairs().collect();
    pairs.sort_by_key(|&(a, b)| (position(a), std::cmp::Reverse(position(b))));
    for (a, b) in pairs {
        kept.remove(a, b);
        let leads = |m: EventId| m == b || relation.contains(m, b) || po.contains(m, b);
        if shortest(&[kept, po], a, b, leads).is_none() {
            kept.insert(a, b);
        }
    }
}

/// A shortest path from one event to another by steps of the given relations, over events that satisfy
/// `through`: the events after the first.
#[must_use]
pub fn shortest(
    steps: &[&Rel],
    from: EventId,
    to: EventId,
    through: impl Fn(EventId) -> bool,
) -> Option<Vec<EventId>> {
    let mut before: BTreeMap<EventId, EventId> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(event) = queue.pop_front() {
        for next in steps.iter().flat_map(|relation| relation.row(event)) {
            if next != from && through(next) && !before.contains_key(&next) {
                before.insert(next, event);
                queue.push_back(next);
            }
        }
    }
    let mut way = vec![to];
    while let Some(&event) = before.get(way.last()?) {
        way.push(event);
    }
    way.pop().filter(|&start| start == from && from != to)?;
    way.reverse();
    Some(way)
}
