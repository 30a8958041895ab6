//! A drawing as SVG, for light and dark backgrounds.
//!
//! Texts are stretched to the widths that the layout computed, whatever font the viewer uses.

use super::grid::{CellKind, FrameKind};
use super::layout::{CELL_CHARACTER, LABEL_CHARACTER, LINE, PADDING, text_width};
use super::{Drawing, Frame, Rect, Shape, Step, Wire};
use crate::report::reason::Place;
use crate::report::witness::focus::Role;
use crate::source::Files;
use std::fmt::Write;

/// The style sheet of drawings; a page with drawings that lack their own style sheet has to include the
/// style sheet once.
pub const STYLE: &str = include_str!("svg.css");

/// Where the style sheet of a drawing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Styles {
    /// In the drawing, which is a file of its own.
    Own,
    /// In the surrounding page.
    Around,
}

/// The drawing as an SVG element; the spans of statements refer to `files`.
#[must_use]
pub fn render(drawing: &Drawing, files: &Files, styles: Styles) -> String {
    let mut out = String::new();
    let (width, height) = (drawing.width, drawing.height);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">",
        escaped(&drawing.title)
    );
    if styles == Styles::Own {
        let _ = writeln!(out, "<style>\n{STYLE}</style>");
    }
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
    line(&mut out, ("title", 8, 22), &drawing.title, CELL_CHARACTER);
    drawing.frames.iter().for_each(|one| frame(&mut out, one));
    drawing.steps.iter().for_each(|one| step(&mut out, one, &drawing.shapes));
    // Deciding wires are drawn last, and so lie on top.
    let mut wires: Vec<&Wire> = drawing.wires.iter().collect();
    wires.sort_by_key(|wire| std::cmp::Reverse(wire.role));
    drawing.shapes.iter().for_each(|one| cell(&mut out, one, files));
    wires.into_iter().for_each(|one| wire(&mut out, one, &drawing.shapes));
    let first = height - 16 * i32::try_from(drawing.notes.len()).unwrap_or(0);
    for (note, y) in drawing.notes.iter().zip((first..).step_by(16)) {
        line(&mut out, ("note", 8, y), note, LABEL_CHARACTER);
    }
    out.push_str("</svg>\n");
    out
}

/// A line of text at a position, with its CSS class.
fn line(out: &mut String, (class, x, y): (&str, i32, i32), text: &str, character: i32) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let width = text_width(text, character);
    let _ = writeln!(
        out,
        "<text{class} x=\"{x}\" y=\"{y}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
        escaped(text)
    );
}

fn rectangle(out: &mut String, Rect { x, y, width, height }: Rect) {
    let _ =
        writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>");
}

fn frame(out: &mut String, frame: &Frame) {
    let class = match frame.kind {
        FrameKind::Initial => "initial",
        FrameKind::Host => "host",
        FrameKind::Gpu => "gpu",
        FrameKind::Cluster => "cluster",
        FrameKind::Cta => "cta",
        FrameKind::Thread => "thread",
    };
    let _ = writeln!(out, "<g class=\"frame {class}\">");
    rectangle(out, frame.area);
    line(out, ("", frame.area.x + 6, frame.area.y + 13), &frame.title, LABEL_CHARACTER);
    out.push_str("</g>\n");
}

fn cell(out: &mut String, shape: &Shape, files: &Files) {
    let class = match shape.kind {
        CellKind::Event => "event",
        CellKind::Operation => "operation",
        CellKind::Folded => "folded",
        CellKind::Note => "note",
    };
    let focus = if shape.is_focus { " focus" } else { "" };
    let mut statements: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for &span in &shape.spans {
        if let Some(place) = Place::of(span, files) {
            let line = place.line.to_string();
            if !lines.contains(&line) {
                lines.push(line);
            }
            let text = files.text_in_a_line(span);
            let statement = format!("{}:{}: {text}", place.file, place.line);
            if !statements.contains(&statement) {
                statements.push(statement);
            }
        }
    }
    let lines = match lines.is_empty() {
        true => String::new(),
        false => format!(" data-lines=\"{}\"", lines.join(" ")),
    };
    let _ =
        writeln!(out, "<g class=\"cell {class}{focus}\" data-events=\"{}\"{lines}>", events(shape));
    if !statements.is_empty() {
        let _ = writeln!(out, "<title>{}</title>", escaped(&statements.join("\n")));
    }
    rectangle(out, shape.area);
    let lines = i32::try_from(shape.lines.len()).unwrap_or(0);
    let first = shape.area.y + (shape.area.height - LINE * lines) / 2 + 12;
    for (text, y) in shape.lines.iter().zip((first..).step_by(LINE.unsigned_abs() as usize)) {
        line(out, ("", shape.area.x + PADDING, y), text, CELL_CHARACTER);
    }
    out.push_str("</g>\n");
}

fn events(shape: &Shape) -> String {
    let ids: Vec<String> = shape.events.iter().map(|id| id.index().to_string()).collect();
    ids.join(" ")
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Decides => "decides",
        Role::Explains => "explains",
        Role::Other => "other",
    }
}

fn step(out: &mut String, step: &Step, shapes: &[Shape]) {
    let [above, below] = [step.from, step.to].map(|index| shapes[index].area);
    let x = above.x + above.width / 2;
    let (top, bottom) = (above.bottom(), below.y);
    let _ = writeln!(
        out,
        "<g class=\"step {}\" data-from=\"{}\" data-to=\"{}\"><path d=\"M{x} {top}V{bottom}\"/>{}</g>",
        role(step.role),
        events(&shapes[step.from]),
        events(&shapes[step.to]),
        if step.is_order { head((x, bottom), Towards::Down) } else { String::new() }
    );
}

fn wire(out: &mut String, wire: &Wire, shapes: &[Shape]) {
    let _ = writeln!(
        out,
        "<g class=\"wire {} {}\" data-from=\"{}\" data-to=\"{}\" data-relations=\"{}\">",
        family(wire),
        role(wire.role),
        events(&shapes[wire.from]),
        events(&shapes[wire.to]),
        escaped(&wire.relations.join(" ")),
    );
    let _ = write!(out, "<path d=\"{}\"/>", path(&wire.points));
    if let [.., before, last] = wire.points[..] {
        out.push_str(&head(last, Towards::of(before, last)));
    }
    if let (true, [first, second, ..]) = (wire.both, &wire.points[..]) {
        out.push_str(&head(*first, Towards::of(*second, *first)));
    }
    out.push('\n');
    if let Some(area) = wire.label {
        line(out, ("", area.x, area.bottom() - 2), &wire.relations.join(", "), LABEL_CHARACTER);
    }
    out.push_str("</g>\n");
}

/// The colour group of a wire, from its first relation with a colour.
fn family(wire: &Wire) -> &'static str {
    let of = |relation: &String| match relation.as_str() {
        "rf" => Some("rf"),
        "fr" => Some("fr"),
        "co" => Some("co"),
        "sc" => Some("sc"),
        "race" => Some("race"),
        "synchronizes" | "observation" | "syncbar" | "base-causality" | "causality" | "phase" => {
            Some("sync")
        }
        _ => None,
    };
    let first = wire.relations.iter().find_map(of);
    first.unwrap_or(if wire.relations.is_empty() { "issue" } else { "plain" })
}

/// The radius of rounded corners.
const CORNER: i32 = 4;

/// An SVG path through points, with rounded corners.
fn path(points: &[(i32, i32)]) -> String {
    let mut out = String::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| points[before]);
        match (before, points.get(index + 1)) {
            (None, _) => {
                let _ = write!(out, "M{x} {y}");
            }
            (Some(before), Some(&after)) => {
                let cut = CORNER.min(distance(before, (x, y)) / 2).min(distance((x, y), after) / 2);
                let (start, end) = (towards((x, y), before, cut), towards((x, y), after, cut));
                let _ = write!(out, "L{} {}Q{x} {y} {} {}", start.0, start.1, end.0, end.1);
            }
            (Some(_), None) => {
                let _ = write!(out, "L{x} {y}");
            }
        }
    }
    out
}

fn distance(a: (i32, i32), b: (i32, i32)) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// The point at distance `by` from one point towards another one in the same row or column.
fn towards(from: (i32, i32), to: (i32, i32), by: i32) -> (i32, i32) {
    (from.0 + (to.0 - from.0).signum() * by, from.1 + (to.1 - from.1).signum() * by)
}

/// The direction of an arrowhead.
#[derive(Clone, Copy)]
enum Towards {
    Left,
    Right,
    Down,
}

impl Towards {
    fn of(before: (i32, i32), last: (i32, i32)) -> Self {
        if before.0 < last.0 { Self::Right } else { Self::Left }
    }
}

/// An arrowhead with the given tip.
fn head((x, y): (i32, i32), towards: Towards) -> String {
    let (one, other) = match towards {
        Towards::Left => ((7, -3), (7, 3)),
        Towards::Right => ((-7, -3), (-7, 3)),
        Towards::Down => ((-3, -7), (3, -7)),
    };
    format!(
        "<path class=\"head\" d=\"M{x} {y}L{} {}L{} {}Z\"/>",
        x + one.0,
        y + one.1,
        x + other.0,
        y + other.1
    )
}

/// A text escaped for content and attribute values; characters that XML cannot represent are omitted.
#[must_use]
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}
