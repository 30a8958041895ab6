//! Links of a grid into routes: straight if no cell is between, else around cells.
//!
//! A route leaves a cell at its left or right side, in a slot of the cell's row. The route goes up or down
//! in the gutter beside a column, and crosses columns where the row has no cells or in the channel below a
//! row. Invariants: overlapping parts of two routes are in different slots, different tracks of a gutter,
//! and different tracks of a channel; slots at one side of a cell leave room for a label.

use super::grid::Grid;
use std::collections::BTreeMap;

/// A side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// The part of a route in the row of a cell.
#[derive(Clone, Debug)]
pub(super) struct Across {
    pub(super) row: usize,
    /// The gutters that the part touches, from the first to the last; the gutter to the right of a column
    /// has the column's number.
    low: usize,
    high: usize,
    /// The cells at which the part ends: column and side.
    pub(super) ports: Vec<(usize, Side)>,
    /// The row of the other end of the link.
    other: usize,
    /// The slot within the row.
    pub(super) slot: usize,
}

/// The part of a route in a gutter.
#[derive(Clone, Debug)]
pub(super) struct Along {
    pub(super) link: usize,
    pub(super) gutter: usize,
    pub(super) zone: Zone,
    pub(super) ends: [Turn; 2],
    /// The track within the gutter, counted from the left.
    pub(super) track: usize,
}

/// The zone of a gutter in which a part lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Zone {
    /// Outside of the column's frames, for links between columns.
    Outer,
    /// Inside the column's frames, for links within the column.
    Inner,
}

/// An end of a part in a gutter: the next part of the route, and the side to which the route leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) into: Into,
    pub(super) side: Side,
}

/// The part of a route after a turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Into {
    /// The part across with this index.
    Row(usize),
    /// The channel of the link.
    Channel,
}

/// The parts of a link's route.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// The index of the part at the first cell.
    pub(super) first: usize,
    /// The index of the part at the last cell; equal to `first` for a straight route.
    pub(super) last: usize,
    /// The indices of the parts in gutters, in order.
    pub(super) along: Vec<usize>,
    /// The row above the channel, and the track within the channel.
    pub(super) channel: Option<(usize, usize)>,
}

/// All routes.
pub(super) struct Routes {
    pub(super) routes: Vec<Route>,
    pub(super) across: Vec<Across>,
    pub(super) along: Vec<Along>,
    /// The number of slots of each row.
    pub(super) slots: Vec<usize>,
    /// The number of tracks in the channel below each row.
    pub(super) channels: Vec<usize>,
}

impl Routes {
    pub(super) fn new(grid: &Grid) -> Self {
        let mut routes = Self {
            routes: Vec::new(),
            across: Vec::new(),
            along: Vec::new(),
            slots: vec![0; grid.rows],
            channels: vec![0; grid.rows],
        };
        let occupied = Occupied::new(grid);
        let mut used = vec![0; grid.rows];
        for link in 0..grid.links.len() {
            let route = routes.route(grid, &occupied, &mut used, link);
            routes.routes.push(route);
        }
        routes.assign_slots();
        routes.assign_channels();
        routes
    }

    /// `used` counts the routes in each channel.
    fn route(
        &mut self,
        grid: &Grid,
        occupied: &Occupied,
        used: &mut [usize],
        link: usize,
    ) -> Route {
        let [from, to] = [grid.links[link].from, grid.links[link].to].map(|cell| &grid.cells[cell]);
        let (a, b) = (from.lane, to.lane);
        if a == b {
            let first = self.part(from.row, [a, a], &[(a, Side::Right)], to.row);
            let last = self.part(to.row, [a, a], &[(a, Side::Right)], from.row);
            let ends = [first, last].map(|part| Turn { into: Into::Row(part), side: Side::Left });
            let along = vec![self.gutter(link, a, Zone::Inner, ends)];
            return Route { first, last, along, channel: None };
        }
        let (out, into) = if a < b { (Side::Right, Side::Left) } else { (Side::Left, Side::Right) };
        // The gutters beside the two cells.
        let (near, far) = if a < b { (a, b - 1) } else { (a - 1, b) };
        let (leaves, enters) = ((a, out), (b, into));
        let range = [near.min(far), near.max(far)];
        let is_free = |row| occupied.is_free(row, a.min(b) + 1, a.max(b));
        if from.row == to.row && is_free(from.row) {
            let only = self.part(from.row, range, &[leaves, enters], to.row);
            return Route { first: only, last: only, along: Vec::new(), channel: None };
        }
        let bend = match (is_free(from.row), is_free(to.row)) {
            (true, _) => Some(far),
            (false, true) => Some(near),
            _ => None,
        };
        if let Some(gutter) = bend {
            let within = |end: usize| [end.min(gutter), end.max(gutter)];
            let first = self.part(from.row, within(near), &[leaves], to.row);
            let last = self.part(to.row, within(far), &[enters], from.row);
            let ends = [
                Turn { into: Into::Row(first), side: into },
                Turn { into: Into::Row(last), side: out },
            ];
            let along = vec![self.gutter(link, gutter, Zone::Outer, ends)];
            return Route { first, last, along, channel: None };
        }
        let first = self.part(from.row, [near, near], &[leaves], to.row);
        let last = self.part(to.row, [far, far], &[enters], from.row);
        let between = from.row.min(to.row)..from.row.max(to.row).max(from.row.min(to.row) + 1);
        let channel = between.min_by_key(|&row| used[row]).expect("there is a row");
        used[channel] += 1;
        let one =
            [Turn { into: Into::Row(first), side: into }, Turn { into: Into::Channel, side: out }];
        let other =
            [Turn { into: Into::Channel, side: into }, Turn { into: Into::Row(last), side: out }];
        let along = vec![
            self.gutter(link, near, Zone::Outer, one),
            self.gutter(link, far, Zone::Outer, other),
        ];
        Route { first, last, along, channel: Some((channel, 0)) }
    }

    fn part(
        &mut self,
        row: usize,
        [low, high]: [usize; 2],
        ports: &[(usize, Side)],
        other: usize,
    ) -> usize {
        self.across.push(Across { row, low, high, ports: ports.to_vec(), other, slot: 0 });
        self.across.len() - 1
    }

    fn gutter(&mut self, link: usize, gutter: usize, zone: Zone, ends: [Turn; 2]) -> usize {
        self.along.push(Along { link, gutter, zone, ends, track: 0 });
        self.along.len() - 1
    }

    /// Assigns slots; parts that lead upwards get the upper slots, which reduces crossings.
    fn assign_slots(&mut self) {
        let mut order: Vec<usize> = (0..self.across.len()).collect();
        order.sort_by_key(|&part| (self.across[part].row, self.across[part].other, part));
        let mut taken: Vec<usize> = Vec::new();
        for part in order {
            if taken.last().is_some_and(|&last| self.across[last].row != self.across[part].row) {
                taken.clear();
            }
            let is_free = |&slot: &usize| {
                taken.iter().all(|&other| !collide(&self.across[part], &self.across[other], slot))
            };
            let slot = (0..).find(is_free).expect("there is no end of slots");
            self.across[part].slot = slot;
            let row = self.across[part].row;
            self.slots[row] = self.slots[row].max(slot + 1);
            taken.push(part);
        }
    }

    fn assign_channels(&mut self) {
        let mut taken: BTreeMap<(usize, usize), Vec<[usize; 2]>> = BTreeMap::new();
        for route in &mut self.routes {
            let Some((row, track)) = &mut route.channel else { continue };
            let gutters = [route.along[0], route.along[1]].map(|part| self.along[part].gutter);
            let range = [gutters[0].min(gutters[1]), gutters[0].max(gutters[1])];
            let is_free = |track: &usize| {
                let others = taken.get(&(*row, *track)).into_iter().flatten();
                others.into_iter().all(|other| other[1] < range[0] || range[1] < other[0])
            };
            *track = (0..).find(is_free).expect("there is no end of tracks");
            taken.entry((*row, *track)).or_default().push(range);
            self.channels[*row] = self.channels[*row].max(*track + 1);
        }
    }
}

/// Whether a part in this slot would overlap another part or that part's label.
fn collide(part: &Across, other: &Across, slot: usize) -> bool {
    let share_port = part.ports.iter().any(|port| other.ports.contains(port));
    let meet = part.low <= other.high && other.low <= part.high;
    share_port && slot.abs_diff(other.slot) < 2 || meet && slot == other.slot
}

/// The rows in which each column has cells.
struct Occupied {
    lanes: Vec<Vec<bool>>,
}

impl Occupied {
    fn new(grid: &Grid) -> Self {
        let mut lanes = vec![vec![false; grid.rows]; grid.lanes.len()];
        grid.cells.iter().for_each(|cell| lanes[cell.lane][cell.row] = true);
        Self { lanes }
    }

    /// Whether a row has no cells in a range of columns.
    fn is_free(&self, row: usize, from: usize, to: usize) -> bool {
        self.lanes[from..to].iter().all(|lane| !lane[row])
    }
}
