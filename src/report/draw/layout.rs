//! Coordinates for the cells, frames and routes of a grid.

use super::grid::{Cell, CellKind, FrameKey, FrameKind, Grid};
use super::route::{Along, Into, Routes, Side, Zone};
use super::{Drawing, Frame, Rect, Shape, Step, Wire, tracks};
use crate::report::witness::Picture;
use crate::report::witness::focus::Role;
use std::collections::BTreeMap;

/// The width of a character of a cell, in hundredths of a pixel; renderers stretch texts to this width.
pub(super) const CELL_CHARACTER: i32 = 723;
/// The width of a character of labels and titles, in hundredths of a pixel.
pub(super) const LABEL_CHARACTER: i32 = 603;
/// The height of a line of a cell.
pub(super) const LINE: i32 = 15;
/// The distance between the border of a cell and its text.
pub(super) const PADDING: i32 = 6;

const MARGIN: i32 = 8;
const TITLE: i32 = 24;
/// The height of a frame's title.
const FRAME_TITLE: i32 = 18;
/// The distance between the borders of nested frames.
const FRAME_GAP: i32 = 7;
/// The distance between two slots of a row; a label needs two slots.
const SLOT: i32 = 7;
/// The room above the first slot of a row, for the slot's label.
const ABOVE_SLOTS: i32 = 13;
const BELOW_SLOTS: i32 = 7;
/// The distance between two tracks.
const TRACK: i32 = 8;
/// The smallest height of a channel.
const CHANNEL: i32 = 14;
/// The room beside a cell without wires.
const BESIDE: i32 = 7;
/// The room for an arrowhead and for the margin of a label.
const ARROW: i32 = 14;
/// The height of a label above a wire, and the distance between the two.
const LABEL_HEIGHT: i32 = 10;
const LABEL_ABOVE: i32 = 12;
const NOTE: i32 = 16;

/// The width of a text.
pub(super) fn text_width(text: &str, character: i32) -> i32 {
    let characters = i32::try_from(text.chars().count()).unwrap_or(i32::MAX / 1000);
    (characters * character + 99) / 100
}

/// A number of items as a number of pixels.
fn pixels(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 1000)
}

pub(super) fn drawing(picture: &Picture, grid: Grid) -> Drawing {
    let mut routes = Routes::new(&grid);
    let rows = Rows::new(&grid, &routes);
    let height = |along: &Along, end: usize| rows.turn(&routes, along, end);
    let mut along = routes.along.clone();
    let counts = tracks::assign(&mut along, height);
    routes.along = along;
    let ends = label_ends(&grid, &routes);
    let columns = Columns::new(&grid, &routes, &counts, &ends);
    let mut out = Drawing {
        title: picture.name.clone(),
        notes: notes(picture, columns.right),
        width: columns.right + MARGIN,
        height: 0,
        frames: frames(&grid, &rows, &columns),
        shapes: shapes(&grid, &routes, &rows, &columns),
        steps: steps(&grid),
        wires: (0..grid.links.len())
            .map(|l| wire(&grid, &routes, &rows, &columns, &ends, l))
            .collect(),
    };
    out.width = out.width.max(2 * MARGIN + text_width(&out.title, CELL_CHARACTER));
    out.height = rows.bottom + NOTE * pixels(out.notes.len()) + MARGIN;
    out
}

/// Vertical positions.
struct Rows {
    tops: Vec<i32>,
    heights: Vec<i32>,
    /// The vertical position of the first slot of each row.
    slots: Vec<i32>,
    /// The depth of the deepest nesting of frames.
    levels: usize,
    bottom: i32,
}

impl Rows {
    fn new(grid: &Grid, routes: &Routes) -> Self {
        let levels = grid.lanes.iter().map(|lane| lane.path.len()).max().unwrap_or(0);
        let mut y = MARGIN + TITLE + FRAME_TITLE * pixels(levels) + FRAME_GAP;
        let mut rows =
            Self { tops: Vec::new(), heights: Vec::new(), slots: Vec::new(), levels, bottom: 0 };
        for row in 0..grid.rows {
            let own = grid.cells.iter().filter(|cell| cell.row == row);
            let text = own.map(text_height).max().unwrap_or(0);
            let slots = pixels(routes.slots[row].saturating_sub(1)) * SLOT;
            let wanted = ABOVE_SLOTS + slots + BELOW_SLOTS;
            let height = wanted.max(text);
            rows.tops.push(y);
            rows.heights.push(height);
            rows.slots.push(y + ABOVE_SLOTS + (height - wanted) / 2);
            let tracks = pixels(routes.channels[row]);
            let is_last = row + 1 == grid.rows;
            let least = if is_last { FRAME_GAP } else { CHANNEL };
            y += height + least.max(if tracks == 0 { 0 } else { (tracks + 1) * TRACK });
        }
        rows.bottom = y + FRAME_GAP * pixels(levels) + MARGIN;
        rows
    }

    fn middle(&self, row: usize) -> i32 {
        self.tops[row] + self.heights[row] / 2
    }

    fn slot(&self, routes: &Routes, part: usize) -> i32 {
        let across = &routes.across[part];
        self.slots[across.row] + SLOT * pixels(across.slot)
    }

    fn channel(&self, (row, track): (usize, usize)) -> i32 {
        self.tops[row] + self.heights[row] + TRACK * (pixels(track) + 1) - 1
    }

    fn turn(&self, routes: &Routes, along: &Along, end: usize) -> i32 {
        match along.ends[end].into {
            Into::Row(part) => self.slot(routes, part),
            Into::Channel => {
                let channel = routes.routes[along.link].channel;
                self.channel(channel.expect("a route that turns into a channel has one"))
            }
        }
    }
}

/// The end of a wire with the label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelEnd {
    First,
    Last,
}

/// The text of a link's label.
fn label(grid: &Grid, link: usize) -> String {
    grid.links[link].relations.join(", ")
}

/// The side of a cell at which a link's route begins or ends.
fn port(grid: &Grid, routes: &Routes, link: usize, end: LabelEnd) -> (usize, Side) {
    let route = &routes.routes[link];
    let (part, cell) = match end {
        LabelEnd::First => (route.first, grid.links[link].from),
        LabelEnd::Last => (route.last, grid.links[link].to),
    };
    let ports = &routes.across[part].ports;
    let own = ports.iter().find(|(lane, _)| *lane == grid.cells[cell].lane);
    *own.expect("a route begins and ends at cells")
}

/// Chooses the end of each wire for its label. Wide labels choose first, which keeps gutters narrow.
fn label_ends(grid: &Grid, routes: &Routes) -> Vec<LabelEnd> {
    let mut ends = vec![LabelEnd::First; grid.links.len()];
    let mut widths: BTreeMap<(usize, Side), usize> = BTreeMap::new();
    let length = |link: usize| label(grid, link).chars().count();
    let mut order: Vec<usize> = (0..grid.links.len()).filter(|&link| length(link) > 0).collect();
    order.sort_by_key(|&link| (std::cmp::Reverse(length(link)), link));
    for link in order {
        let more = |end: LabelEnd| {
            let known = widths.get(&port(grid, routes, link, end)).copied().unwrap_or(0);
            length(link).saturating_sub(known)
        };
        let end = match more(LabelEnd::Last) < more(LabelEnd::First) {
            true => LabelEnd::Last,
            false => LabelEnd::First,
        };
        ends[link] = end;
        let width = widths.entry(port(grid, routes, link, end)).or_default();
        *width = length(link).max(*width);
    }
    ends
}

/// Horizontal positions.
struct Columns {
    /// The left border and the width of the cells of each column.
    cells: Vec<(i32, i32)>,
    /// The first track inside of and behind the frames of each column.
    inner: Vec<i32>,
    outer: Vec<i32>,
    /// The left and right border of the innermost frame of each column, with the room of its zones.
    zones: Vec<(i32, i32)>,
    right: i32,
}

impl Columns {
    fn new(
        grid: &Grid,
        routes: &Routes,
        counts: &BTreeMap<(usize, Zone), usize>,
        ends: &[LabelEnd],
    ) -> Self {
        let zones = zone_widths(grid, routes, ends);
        let zone = |lane, side| zones.get(&(lane, side)).copied().unwrap_or(BESIDE);
        let tracks = |gutter, zone| match counts.get(&(gutter, zone)) {
            Some(&count) => TRACK * pixels(count) + TRACK / 2,
            None => 0,
        };
        let (mut cells, mut inner, mut outer) = (Vec::new(), Vec::new(), Vec::new());
        let mut borders = Vec::new();
        let mut x = MARGIN;
        let mut before: &[FrameKey] = &[];
        for (index, lane) in grid.lanes.iter().enumerate() {
            let shared = shared(before, &lane.path);
            x += FRAME_GAP * pixels(lane.path.len() - shared);
            let left = x;
            x += zone(index, Side::Left);
            let width = lane_width(grid, index);
            cells.push((x, width));
            x += width + zone(index, Side::Right);
            inner.push(x);
            x += tracks(index, Zone::Inner);
            borders.push((left, x));
            let next: &[FrameKey] = grid.lanes.get(index + 1).map_or(&[], |lane| &lane.path);
            x += FRAME_GAP * pixels(lane.path.len() - self::shared(&lane.path, next));
            outer.push(x);
            x += tracks(index, Zone::Outer);
            before = &lane.path;
        }
        Self { cells, inner, outer, zones: borders, right: x }
    }

    fn track(&self, along: &Along) -> i32 {
        let first = match along.zone {
            Zone::Inner => &self.inner,
            Zone::Outer => &self.outer,
        };
        first[along.gutter] + TRACK * pixels(along.track) + TRACK / 2
    }

    fn port(&self, (lane, side): (usize, Side)) -> i32 {
        let (left, width) = self.cells[lane];
        match side {
            Side::Left => left,
            Side::Right => left + width,
        }
    }
}

/// The number of frames that two neighbouring columns share.
fn shared(one: &[FrameKey], other: &[FrameKey]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// The room beside the cells of a column for the ends of wires.
fn zone_widths(grid: &Grid, routes: &Routes, ends: &[LabelEnd]) -> BTreeMap<(usize, Side), i32> {
    let mut widths = BTreeMap::new();
    for (link, &own) in ends.iter().enumerate() {
        for end in [LabelEnd::First, LabelEnd::Last] {
            let text = if own == end { label(grid, link) } else { String::new() };
            let wanted = text_width(&text, LABEL_CHARACTER) + ARROW;
            let width = widths.entry(port(grid, routes, link, end)).or_default();
            *width = wanted.max(*width);
        }
    }
    widths
}

fn lane_width(grid: &Grid, lane: usize) -> i32 {
    let lines = grid.lanes[lane].cells.iter().flat_map(|&cell| &grid.cells[cell].lines);
    let text = lines.map(|line| text_width(line, CELL_CHARACTER)).max().unwrap_or(0);
    let is_first = lane == 0 || grid.lanes[lane - 1].path != grid.lanes[lane].path;
    let titles = grid.lanes[lane].path.iter().filter(|_| is_first);
    let title = titles.map(|frame| text_width(&frame.title, LABEL_CHARACTER)).max().unwrap_or(0);
    (text + 2 * PADDING).max(title)
}

/// The frames with positions; each frame surrounds neighbouring columns.
fn frames(grid: &Grid, rows: &Rows, columns: &Columns) -> Vec<Frame> {
    let mut frames = Vec::new();
    for level in 0..rows.levels {
        let mut lane = 0;
        while lane < grid.lanes.len() {
            let path = &grid.lanes[lane].path;
            let Some(key) = path.get(level) else {
                lane += 1;
                continue;
            };
            let is_inside =
                |other: &usize| grid.lanes[*other].path.get(..=level) == path.get(..=level);
            let last = (lane..grid.lanes.len()).take_while(is_inside).last().unwrap_or(lane);
            frames.push(frame(grid, rows, columns, key, level, [lane, last]));
            lane = last + 1;
        }
    }
    frames
}

fn frame(
    grid: &Grid,
    rows: &Rows,
    columns: &Columns,
    key: &FrameKey,
    level: usize,
    [first, last]: [usize; 2],
) -> Frame {
    let deeper = |lane: usize| pixels(grid.lanes[lane].path.len() - 1 - level);
    let left = columns.zones[first].0 - FRAME_GAP * deeper(first);
    let right = columns.zones[last].1 + FRAME_GAP * deeper(last);
    // Innermost frames begin at one height, independent of the frames around them.
    let is_innermost = matches!(key.kind, FrameKind::Thread | FrameKind::Initial);
    let depth = if is_innermost { rows.levels - 1 } else { level };
    let top = MARGIN + TITLE + FRAME_TITLE * pixels(depth);
    let bottom = rows.bottom - MARGIN - FRAME_GAP * pixels(depth);
    let area = Rect { x: left, y: top, width: right - left, height: bottom - top };
    Frame { kind: key.kind, title: key.title.clone(), area }
}

/// The cells with positions; the height of a cell has room for its text and for the ends of wires.
fn shapes(grid: &Grid, routes: &Routes, rows: &Rows, columns: &Columns) -> Vec<Shape> {
    let mut halves: Vec<i32> = grid.cells.iter().map(|cell| text_height(cell) / 2).collect();
    for (index, link) in grid.links.iter().enumerate() {
        let route = &routes.routes[index];
        for (cell, part) in [(link.from, route.first), (link.to, route.last)] {
            let middle = rows.middle(grid.cells[cell].row);
            let reach = (rows.slot(routes, part) - middle).abs() + BELOW_SLOTS;
            halves[cell] = halves[cell].max(reach);
        }
    }
    let shape = |(cell, half): (&Cell, i32)| {
        let (x, width) = columns.cells[cell.lane];
        let middle = rows.middle(cell.row);
        let top = (middle - half).max(rows.tops[cell.row]);
        let bottom = (middle + half).min(rows.tops[cell.row] + rows.heights[cell.row]);
        Shape {
            kind: cell.kind,
            events: cell.events.clone(),
            lines: cell.lines.clone(),
            is_focus: cell.is_focus,
            spans: cell.spans.clone(),
            area: Rect { x, y: top, width, height: bottom - top },
        }
    };
    grid.cells.iter().zip(halves).map(shape).collect()
}

fn text_height(cell: &Cell) -> i32 {
    LINE * pixels(cell.lines.len()) + 8
}

fn steps(grid: &Grid) -> Vec<Step> {
    let mut steps = Vec::new();
    for lane in &grid.lanes {
        let is_thread = |cell: usize| {
            let first = lane.cells.first().map(|&first| grid.cells[first].kind);
            grid.cells[cell].kind != CellKind::Operation && first != Some(CellKind::Operation)
        };
        let is_listed = lane.path.last().is_some_and(|frame| frame.kind == FrameKind::Initial);
        for pair in lane.cells.windows(2).filter(|_| !is_listed) {
            let (from, to) = (pair[0], pair[1]);
            if grid.cells[to].kind == CellKind::Operation {
                continue;
            }
            let role = grid.cells[to].step.unwrap_or(Role::Other);
            steps.push(Step { from, to, role, is_order: is_thread(to) });
        }
    }
    steps
}

fn wire(
    grid: &Grid,
    routes: &Routes,
    rows: &Rows,
    columns: &Columns,
    ends: &[LabelEnd],
    index: usize,
) -> Wire {
    let (link, route) = (&grid.links[index], &routes.routes[index]);
    let [first, last] = [route.first, route.last].map(|part| rows.slot(routes, part));
    let (start, end) =
        (port(grid, routes, index, LabelEnd::First), port(grid, routes, index, LabelEnd::Last));
    let mut points = vec![(columns.port(start), first)];
    for &part in &route.along {
        let along = &routes.along[part];
        let x = columns.track(along);
        points.extend([0, 1].map(|end| (x, rows.turn(routes, along, end))));
    }
    points.push((columns.port(end), last));
    points.dedup();
    let text = label(grid, index);
    let label = (!text.is_empty()).then(|| {
        let (at, y) = match ends[index] {
            LabelEnd::First => (start, first),
            LabelEnd::Last => (end, last),
        };
        let width = text_width(&text, LABEL_CHARACTER);
        let x = match at.1 {
            Side::Left => columns.port(at) - ARROW + 4 - width,
            Side::Right => columns.port(at) + ARROW - 4,
        };
        Rect { x, y: y - LABEL_ABOVE, width, height: LABEL_HEIGHT }
    });
    Wire {
        from: link.from,
        to: link.to,
        relations: link.relations.clone(),
        role: link.role,
        both: link.both,
        points,
        label,
    }
}

/// The text below the picture, in lines no wider than the picture.
fn notes(picture: &Picture, width: i32) -> Vec<String> {
    let values = |list: &[(String, String)]| {
        list.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>()
    };
    let mut notes = Vec::new();
    for (name, values) in [
        ("chosen", values(&picture.chosen)),
        ("final", values(&picture.state)),
        ("flag", picture.flags.clone()),
    ] {
        let mut line = format!("{name}:");
        for (index, value) in values.iter().enumerate() {
            let more = format!("{} {value}", if index == 0 { "" } else { "," });
            if index > 0 && text_width(&format!("{line}{more}"), LABEL_CHARACTER) > width {
                notes.push(format!("{line},"));
                line = format!("  {value}");
            } else {
                line.push_str(&more);
            }
        }
        if !values.is_empty() {
            notes.push(line);
        }
    }
    notes
}
