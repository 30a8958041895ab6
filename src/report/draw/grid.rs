//! A picture into a grid: columns of cells inside frames, and links between cells.
//!
//! Invariants: the columns of a frame are adjacent; the cells of a column are in program order; every drawn
//! event is in exactly one cell.

use super::Relations;
use crate::id::{AgentId, EventId};
use crate::litmus::ast::ThreadPlace;
use crate::report::witness::focus::{Focus, Role};
use crate::report::witness::{Column, Edge, Node, Picture, Seat};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The level of the thread hierarchy that a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    /// The writes of initial values.
    Initial,
    /// The threads of the host.
    Host,
    /// A device, or a grid on one.
    Gpu,
    /// A cluster.
    Cluster,
    /// A CTA.
    Cta,
    /// A thread with its asynchronous operations.
    Thread,
}

/// The identity of a frame: the kind, and numbers that distinguish frames of that kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameKey {
    pub(super) kind: FrameKind,
    numbers: [usize; 3],
    pub(super) title: String,
}

/// A column of cells.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// The frames around the column, from the outermost to the frame of its thread.
    pub(super) path: Vec<FrameKey>,
    /// The cells of the column, from top to bottom.
    pub(super) cells: Vec<usize>,
}

/// The content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellKind {
    /// An event, or the two halves of a read-modify-write.
    Event,
    /// The name of an asynchronous operation, above the operation's events.
    Operation,
    /// Several events that no drawn edge touches.
    Folded,
    /// The final status of the thread.
    Note,
}

/// A cell with its position.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) lane: usize,
    /// The row; 0 is at the top.
    pub(super) row: usize,
    pub(super) kind: CellKind,
    pub(super) events: Vec<EventId>,
    pub(super) lines: Vec<String>,
    /// Whether the cell is highlighted.
    pub(super) is_focus: bool,
    pub(super) spans: Vec<Span>,
    /// The role of the step from the cell above, for a step with a role.
    pub(super) step: Option<Role>,
}

/// A connection of two cells.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The relations, without duplicates; none for the issue of an operation.
    pub(super) relations: Vec<String>,
    pub(super) role: Role,
    /// Whether the relations hold in the opposite direction, too.
    pub(super) both: bool,
}

/// Cells, columns and links.
pub(super) struct Grid {
    pub(super) lanes: Vec<Lane>,
    pub(super) cells: Vec<Cell>,
    pub(super) links: Vec<Link>,
    pub(super) rows: usize,
}

/// The most events of a picture in which all events are drawn separately.
const MANY_EVENTS: usize = 36;

/// The fewest consecutive events without drawn edges that share a cell.
const FOLDED: usize = 3;

/// The width of a cell, in characters, beyond which lines wrap; more columns have narrower cells.
fn widest(columns: usize) -> usize {
    match columns {
        0..=3 => 25,
        4 => 19,
        _ => 16,
    }
}

/// Relations that the order of cells in a column shows.
const SHOWN_BY_COLUMNS: [&str; 2] = ["po", "intra"];

impl Grid {
    pub(super) fn new(picture: &Picture, focus: &Focus, relations: &Relations) -> Self {
        let edges = chosen(picture, focus, relations);
        let mut touched = focus.events.clone();
        touched.extend(focus.edges.iter().flat_map(|(edge, _)| [edge.from, edge.to]));
        touched.extend(edges.iter().flat_map(|(edge, _)| [edge.from, edge.to]));
        let events: usize = picture.columns.iter().map(|column| column.nodes.len()).sum();
        let folds = *relations == Relations::Deciding && events > MANY_EVENTS;
        let mut builder = Builder {
            picture,
            focus: &focus.events,
            touched: folds.then_some(touched),
            widest: widest(lanes(picture)),
            lanes: Vec::new(),
            cells: Vec::new(),
        };
        builder.initial(&edges);
        builder.threads();
        let Builder { lanes, cells, .. } = builder;
        let mut grid = Self { lanes, cells, links: Vec::new(), rows: 0 };
        grid.connect(picture, &edges);
        grid
    }

    /// The cell of each event.
    fn cell_of_event(&self) -> BTreeMap<EventId, usize> {
        let cells = self.cells.iter().enumerate();
        cells.flat_map(|(index, cell)| cell.events.iter().map(move |&id| (id, index))).collect()
    }

    fn connect(&mut self, picture: &Picture, edges: &[(Edge, Role)]) {
        let cell_of_event = self.cell_of_event();
        let mut links: Vec<Link> = Vec::new();
        for (edge, role) in edges {
            let (Some(&from), Some(&to)) =
                (cell_of_event.get(&edge.from), cell_of_event.get(&edge.to))
            else {
                continue;
            };
            if from == to {
                continue;
            }
            if SHOWN_BY_COLUMNS.contains(&edge.relation.as_str())
                && self.cells[from].lane == self.cells[to].lane
            {
                self.mark_steps(from, to, *role);
                continue;
            }
            match links.iter_mut().find(|link| (link.from, link.to) == (from, to)) {
                Some(link) => {
                    link.role = link.role.min(*role);
                    if !link.relations.contains(&edge.relation) {
                        link.relations.push(edge.relation.clone());
                    }
                }
                None => {
                    let relations = vec![edge.relation.clone()];
                    links.push(Link { from, to, relations, role: *role, both: false });
                }
            }
        }
        self.links = merged(links);
        self.add_issues(picture, &cell_of_event);
    }

    /// Gives the steps between two cells of a column a role.
    fn mark_steps(&mut self, from: usize, to: usize, role: Role) {
        for cell in from + 1..=to {
            let step = self.cells[cell].step.map_or(role, |known| known.min(role));
            self.cells[cell].step = Some(step);
        }
    }

    /// Links each issue with its operation, unless another link connects the two.
    fn add_issues(&mut self, picture: &Picture, cell_of_event: &BTreeMap<EventId, usize>) {
        for column in &picture.columns {
            let Seat::Operation(_, issue) = column.seat else { continue };
            let own: BTreeSet<usize> = column
                .nodes
                .iter()
                .filter_map(|node| cell_of_event.get(&node.id).copied())
                .collect();
            let (Some(&from), Some(&first)) = (cell_of_event.get(&issue), own.first()) else {
                continue;
            };
            let is_known = |link: &Link| link.from == from && own.contains(&link.to);
            if !self.links.iter().any(is_known) {
                let is_named = first > 0 && self.cells[first - 1].kind == CellKind::Operation;
                let to = if is_named { first - 1 } else { first };
                let relations = Vec::new();
                self.links.push(Link { from, to, relations, role: Role::Other, both: false });
            }
        }
    }
}

/// Merges pairs of opposite links with the same relations.
fn merged(links: Vec<Link>) -> Vec<Link> {
    let mut kept: Vec<Link> = Vec::new();
    for link in links {
        let back = |other: &&mut Link| {
            (other.from, other.to) == (link.to, link.from) && other.relations == link.relations
        };
        match kept.iter_mut().find(back) {
            Some(other) => {
                other.both = true;
                other.role = other.role.min(link.role);
            }
            None => kept.push(link),
        }
    }
    kept
}

/// The drawn edges, with their roles.
fn chosen(picture: &Picture, focus: &Focus, relations: &Relations) -> Vec<(Edge, Role)> {
    let known: BTreeMap<(&str, EventId, EventId), Role> = focus
        .edges
        .iter()
        .map(|(edge, role)| ((edge.relation.as_str(), edge.from, edge.to), *role))
        .collect();
    let named = |name: &str| match relations {
        Relations::Deciding => false,
        Relations::All => true,
        Relations::Named(names) => names.iter().any(|wanted| wanted == name),
    };
    let mut edges: Vec<(Edge, Role)> = match relations {
        Relations::Named(_) => {
            let named = |(edge, _): &&(Edge, Role)| named(&edge.relation);
            focus.edges.iter().filter(named).cloned().collect()
        }
        _ => focus.edges.clone(),
    };
    for edge in picture.edges.iter().filter(|edge| named(&edge.relation)) {
        if !known.contains_key(&(edge.relation.as_str(), edge.from, edge.to)) {
            edges.push((edge.clone(), Role::Other));
        }
    }
    edges
}

/// The number of columns for threads and operations.
fn lanes(picture: &Picture) -> usize {
    let threads = picture.columns.iter().filter(|c| matches!(c.seat, Seat::Thread(_))).count();
    let issuing: BTreeSet<AgentId> = picture
        .columns
        .iter()
        .filter_map(|column| match column.seat {
            Seat::Operation(by, _) => Some(by),
            Seat::Thread(_) => None,
        })
        .collect();
    threads + issuing.len()
}

struct Builder<'p> {
    picture: &'p Picture,
    focus: &'p BTreeSet<EventId>,
    /// The events at which drawn edges start or end; `None` if no events are folded.
    touched: Option<BTreeSet<EventId>>,
    /// The most characters of a line.
    widest: usize,
    lanes: Vec<Lane>,
    cells: Vec<Cell>,
}

impl Builder<'_> {
    /// A column for the initial writes at which drawn edges start or end.
    fn initial(&mut self, edges: &[(Edge, Role)]) {
        let is_touched =
            |node: &&Node| edges.iter().any(|(e, _)| e.from == node.id || e.to == node.id);
        let nodes: Vec<&Node> = self.picture.initial.iter().filter(is_touched).collect();
        if nodes.is_empty() {
            return;
        }
        let (kind, title) = (FrameKind::Initial, "initially".to_owned());
        self.lanes.push(Lane {
            path: vec![FrameKey { kind, numbers: [0; 3], title }],
            cells: Vec::new(),
        });
        for node in nodes {
            self.cell(&[node], CellKind::Event, wrapped(&node.text, self.widest));
        }
    }

    /// Columns for threads and operations; the columns of a frame are adjacent.
    fn threads(&mut self) {
        let picture = self.picture;
        let threads = picture.columns.iter().filter_map(|column| match column.seat {
            Seat::Thread(place) => Some((column, place)),
            Seat::Operation(..) => None,
        });
        let threads: Vec<(&Column, ThreadPlace)> = threads.collect();
        let frames = Frames::new(&threads);
        let mut paths: Vec<(Vec<FrameKey>, &Column)> =
            threads.iter().map(|&(column, place)| (frames.path(column, place), column)).collect();
        let depth = paths.iter().map(|(path, _)| path.len()).max().unwrap_or(0);
        for level in 0..depth {
            gather(&mut paths, level);
        }
        for (path, column) in paths {
            self.lanes.push(Lane { path: path.clone(), cells: Vec::new() });
            self.column(column);
            let operations: Vec<&Column> = picture
                .columns
                .iter()
                .filter(|other| matches!(other.seat, Seat::Operation(by, _) if by == column.agent))
                .collect();
            if !operations.is_empty() {
                self.lanes.push(Lane { path, cells: Vec::new() });
                operations.into_iter().for_each(|operation| self.operation(operation));
            }
        }
    }

    fn column(&mut self, column: &Column) {
        self.events(&column.nodes);
        if let Some(stays) = &column.stays {
            self.cell(&[], CellKind::Note, wrapped(stays, self.widest));
        }
    }

    fn operation(&mut self, column: &Column) {
        let is_touched =
            |node: &Node| self.touched.as_ref().is_none_or(|known| known.contains(&node.id));
        if !column.nodes.iter().any(is_touched) {
            let nodes: Vec<&Node> = column.nodes.iter().collect();
            return self.cell(&nodes, CellKind::Folded, wrapped(&column.name, self.widest));
        }
        self.cell(&[], CellKind::Operation, wrapped(&column.name, self.widest));
        self.events(&column.nodes);
    }

    fn events(&mut self, nodes: &[Node]) {
        let mut untouched: Vec<&Node> = Vec::new();
        let mut rest = nodes;
        while let [first, behind @ ..] = rest {
            let halves: Vec<&Node> = match behind.first() {
                Some(second) if self.is_read_modify_write(first, second) => vec![first, second],
                _ => vec![first],
            };
            rest = &rest[halves.len()..];
            if self.is_untouched(&halves) {
                untouched.extend(halves);
                continue;
            }
            self.fold(&mut untouched);
            self.event(&halves);
        }
        self.fold(&mut untouched);
    }

    /// Whether two events are the halves of one read-modify-write.
    fn is_read_modify_write(&self, first: &Node, second: &Node) -> bool {
        let is_between = |e: &Edge| e.relation == "rmw" && (e.from, e.to) == (first.id, second.id);
        self.picture.edges.iter().any(is_between)
    }

    fn is_untouched(&self, nodes: &[&Node]) -> bool {
        let issues = |node: &Node| {
            let by = |column: &Column| matches!(column.seat, Seat::Operation(_, issue) if issue == node.id);
            self.picture.columns.iter().any(by)
        };
        let Some(touched) = &self.touched else { return false };
        !nodes.iter().any(|node| touched.contains(&node.id) || issues(node))
    }

    /// Combines consecutive events without drawn edges into one cell if there are enough of them.
    fn fold(&mut self, untouched: &mut Vec<&Node>) {
        let nodes = std::mem::take(untouched);
        if let ([first, .., last], true) = (&nodes[..], nodes.len() >= FOLDED) {
            let text = format!("{} … {}: {} more", first.label, last.label, nodes.len());
            return self.cell(&nodes, CellKind::Folded, vec![text]);
        }
        let mut rest = &nodes[..];
        while let [first, behind @ ..] = rest {
            let count = behind
                .first()
                .map_or(1, |second| 1 + usize::from(self.is_read_modify_write(first, second)));
            let halves = rest[..count].to_vec();
            self.event(&halves);
            rest = &rest[count..];
        }
    }

    fn event(&mut self, nodes: &[&Node]) {
        let from_initial = |node: &Node| {
            let initial = |id: EventId| self.picture.initial.iter().any(|node| node.id == id);
            let reads = |e: &Edge| e.relation == "rf" && e.to == node.id && initial(e.from);
            self.picture.edges.iter().any(reads)
        };
        let said = |node: &&Node| {
            let from = if from_initial(node) { " (initial)" } else { "" };
            wrapped(&format!("{}: {}{from}", node.label, node.text), self.widest)
        };
        let lines = nodes.iter().flat_map(said).collect();
        self.cell(nodes, CellKind::Event, lines);
    }

    fn cell(&mut self, nodes: &[&Node], kind: CellKind, lines: Vec<String>) {
        let index = self.cells.len();
        let lane = self.lanes.len() - 1;
        self.lanes[lane].cells.push(index);
        self.cells.push(Cell {
            lane,
            row: 0,
            kind,
            events: nodes.iter().map(|node| node.id).collect(),
            lines,
            is_focus: nodes.iter().any(|node| self.focus.contains(&node.id)),
            spans: nodes.iter().map(|node| node.span).collect(),
            step: None,
        });
    }
}

/// Reorders columns such that those with a common frame at `level` are adjacent, in the order of the first
/// column of each frame.
fn gather(paths: &mut [(Vec<FrameKey>, &Column)], level: usize) {
    let mut order: Vec<Option<&[FrameKey]>> = Vec::new();
    let known = paths.to_vec();
    for (path, _) in &known {
        let prefix = path.get(..=level);
        if !order.contains(&prefix) {
            order.push(prefix);
        }
    }
    let rank = |path: &[FrameKey]| order.iter().position(|known| *known == path.get(..=level));
    paths.sort_by_key(|(path, _)| rank(path));
}

/// The frames to draw.
struct Frames {
    several_grids: bool,
    /// The clusters with more than one CTA.
    clusters: BTreeSet<(u32, u32, u32)>,
    /// The CTAs with more than one thread.
    shared: BTreeSet<(u32, u32, u32)>,
}

impl Frames {
    fn new(threads: &[(&Column, ThreadPlace)]) -> Self {
        let places: Vec<_> = threads
            .iter()
            .filter_map(|(_, place)| match place {
                ThreadPlace::Device(place) => Some(*place),
                ThreadPlace::Host => None,
            })
            .collect();
        let mut ctas: BTreeMap<(u32, u32, u32), BTreeSet<u32>> = BTreeMap::new();
        let mut threads: BTreeMap<(u32, u32, u32), usize> = BTreeMap::new();
        for place in &places {
            ctas.entry((place.gpu, place.grid, place.cluster)).or_default().insert(place.cta);
            *threads.entry(place.cta_of_test()).or_default() += 1;
        }
        Self {
            several_grids: places.iter().any(|place| place.grid != 0),
            clusters: ctas.into_iter().filter(|(_, c)| c.len() > 1).map(|(key, _)| key).collect(),
            shared: threads.into_iter().filter(|(_, n)| *n > 1).map(|(key, _)| key).collect(),
        }
    }

    /// The frames around a thread.
    fn path(&self, column: &Column, place: ThreadPlace) -> Vec<FrameKey> {
        let key = |kind, numbers: [u32; 3], title| FrameKey {
            kind,
            numbers: numbers.map(|number| number as usize),
            title,
        };
        let mut path = Vec::new();
        let mut title = column.name.clone();
        match place {
            ThreadPlace::Host => path.push(key(FrameKind::Host, [0; 3], "host".to_owned())),
            ThreadPlace::Device(at) => {
                let grid =
                    if self.several_grids { format!(", grid {}", at.grid) } else { String::new() };
                path.push(key(
                    FrameKind::Gpu,
                    [at.gpu, at.grid, 0],
                    format!("gpu {}{grid}", at.gpu),
                ));
                let cluster = (at.gpu, at.grid, at.cluster);
                if self.clusters.contains(&cluster) {
                    let numbers = [at.gpu, at.grid, at.cluster];
                    path.push(key(FrameKind::Cluster, numbers, format!("cluster {}", at.cluster)));
                }
                let numbers = [at.gpu, at.grid, at.cta];
                path.push(key(FrameKind::Cta, numbers, format!("cta {}", at.cta)));
                if let (Some(warp), true) = (at.warp, self.shared.contains(&at.cta_of_test())) {
                    title.push_str(&format!(", warp {warp}"));
                }
            }
        }
        let numbers = [column.agent.index(), 0, 0];
        path.push(FrameKey { kind: FrameKind::Thread, numbers, title });
        path
    }
}

/// A text broken into lines of at most `widest` characters; a location and its value stay on one line.
fn wrapped(text: &str, widest: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let joins = match parts.last() {
            Some(last) => word == "=" || last.ends_with(" =") && !word.starts_with('('),
            None => false,
        };
        match parts.last_mut() {
            Some(last) if joins => last.push_str(&format!(" {word}")),
            _ => parts.push(word.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + part.chars().count() <= widest => {
                line.push_str(&format!(" {part}"));
            }
            _ => lines.push(part),
        }
    }
    lines
}
