//! Pictures: the geometry of every drawing, and what is drawn.

use crate::support::command::{path, ptxmc};
use crate::support::{litmus_files, model, read};
use ptxmc::batch::{Case, judge};
use ptxmc::report::draw::{CellKind, Drawing, Rect, Relations};
use ptxmc::report::scene::{self, Scene};
use ptxmc::testing::check::{Settings, goal_of};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::explain::counterfactual;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::{Engine, Problem};
use ptxmc::testing::verdict::Verdict;
use std::path::Path;

/// The execution that shows the verdict on a test, if there is one.
fn scene_of(test: &Path, models: &[Model], engines: &[Box<dyn Engine>]) -> Option<Scene> {
    let (model, settings) = (&models[0], Settings::default());
    let test = read(test).ok()?;
    let case = Case { path: "test".to_owned(), test, expected: Vec::new() };
    let judgement = judge(&case, models, engines, settings).remove(0);
    let excluded = match (&judgement.verdict, &judgement.graph) {
        (Verdict::Forbidden(core), Some(graph)) => {
            let problem = Problem { graph, model };
            let goal = goal_of(case.test.quantifier);
            counterfactual(problem, core, goal, engines[0].as_ref(), settings.budget).ok()
        }
        _ => None,
    };
    scene::of_verdict(&case, &judgement, model, excluded.as_ref()).expect("an execution")
}

/// Whether a straight line along an axis touches the inside of an area.
fn crosses(from: (i32, i32), to: (i32, i32), area: &Rect) -> bool {
    let (left, right) = (from.0.min(to.0), from.0.max(to.0));
    let (top, bottom) = (from.1.min(to.1), from.1.max(to.1));
    left < area.right() && area.x < right + 1 && top < area.bottom() && area.y < bottom + 1
        // An end at the border of a cell is where it belongs.
        && !(right == area.x || left == area.right())
}

/// What is wrong with a drawing.
fn faults(drawing: &Drawing) -> Vec<String> {
    let mut faults = Vec::new();
    let whole = Rect { x: 0, y: 0, width: drawing.width, height: drawing.height };
    let frames: Vec<&Rect> = drawing.frames.iter().map(|frame| &frame.area).collect();
    for (index, one) in frames.iter().enumerate() {
        for other in &frames[..index] {
            if one.meets(other) && !other.contains(one) {
                faults.push(format!("frames {one:?} and {other:?} cross"));
            }
        }
        if !whole.contains(one) {
            faults.push(format!("frame {one:?} is outside"));
        }
    }
    let shapes: Vec<&Rect> = drawing.shapes.iter().map(|shape| &shape.area).collect();
    for (index, one) in shapes.iter().enumerate() {
        for other in &shapes[..index] {
            if one.meets(other) {
                faults.push(format!("cells {one:?} and {other:?} overlap"));
            }
        }
        for frame in &frames {
            if one.meets(frame) && !frame.contains(one) {
                faults.push(format!("cell {one:?} sticks out of {frame:?}"));
            }
        }
        if !frames.iter().any(|frame| frame.contains(one)) {
            faults.push(format!("cell {one:?} is in no frame"));
        }
    }
    let labels: Vec<&Rect> = drawing.wires.iter().filter_map(|wire| wire.label.as_ref()).collect();
    for (index, one) in labels.iter().enumerate() {
        for other in labels[..index].iter().chain(&shapes) {
            if one.meets(other) {
                faults.push(format!("label {one:?} lies on {other:?}"));
            }
        }
    }
    for wire in &drawing.wires {
        let name = wire.relations.join(", ");
        for line in wire.points.windows(2) {
            if line[0].0 != line[1].0 && line[0].1 != line[1].1 {
                faults.push(format!("{name} is slanted at {line:?}"));
            }
            for area in shapes.iter().chain(&labels) {
                if crosses(line[0], line[1], area) {
                    faults.push(format!("{name} runs through {area:?} at {line:?}"));
                }
            }
        }
        let ends = [(wire.points.first(), wire.from), (wire.points.last(), wire.to)];
        for (point, shape) in ends {
            let (point, area) = (point.expect("a wire has ends"), shapes[shape]);
            let beside = point.0 == area.x || point.0 == area.right();
            if !beside || point.1 < area.y || point.1 > area.bottom() {
                faults.push(format!("{name} ends at {point:?}, not at {area:?}"));
            }
        }
        if wire.label.is_none() != wire.relations.is_empty() {
            faults.push(format!("{name} has no label"));
        }
    }
    for (index, one) in drawing.wires.iter().enumerate() {
        for other in &drawing.wires[..index] {
            if let Some(line) = shared(&one.points, &other.points) {
                faults
                    .push(format!("{:?} and {:?} share {line:?}", one.relations, other.relations));
            }
        }
    }
    for step in &drawing.steps {
        if shapes[step.from].bottom() > shapes[step.to].y {
            faults.push("program order leads up".to_owned());
        }
    }
    faults
}

/// A part that two ways have in common.
fn shared(one: &[(i32, i32)], other: &[(i32, i32)]) -> Option<[(i32, i32); 2]> {
    let overlap = |a: [i32; 2], b: [i32; 2]| {
        a[0].min(a[1]).max(b[0].min(b[1])) < a[0].max(a[1]).min(b[0].max(b[1]))
    };
    for a in one.windows(2) {
        for b in other.windows(2) {
            let xs = [[a[0].0, a[1].0], [b[0].0, b[1].0]];
            let ys = [[a[0].1, a[1].1], [b[0].1, b[1].1]];
            let same = |v: [[i32; 2]; 2]| v.iter().flatten().all(|&x| x == v[0][0]);
            if same(xs) && overlap(ys[0], ys[1]) || same(ys) && overlap(xs[0], xs[1]) {
                return Some([a[0], a[1]]);
            }
        }
    }
    None
}

/// Draws some of the shipped tests; how many have pictures.
fn draw_each(chosen: impl Fn(usize) -> bool) -> usize {
    let (models, engines) = ([model("ptx-9.2")], [Choice::Auto.engine()]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let mut drawn = 0;
    for (index, test) in
        litmus_files(&folder).into_iter().enumerate().filter(|(index, _)| chosen(*index))
    {
        let Some(scene) = scene_of(&test, &models, &engines) else { continue };
        for relations in [Relations::Deciding, Relations::All] {
            let drawing = Drawing::new(&scene.picture, &scene.focus, &relations);
            let faults = faults(&drawing);
            assert!(
                faults.is_empty(),
                "{index} {} {relations:?}:\n{}",
                test.display(),
                faults.join("\n")
            );
            let events: usize = drawing.shapes.iter().map(|shape| shape.events.len()).sum();
            let threads: usize =
                scene.picture.columns.iter().map(|column| column.nodes.len()).sum();
            assert!(events >= threads, "{}: every event is somewhere", test.display());
            let folds = drawing.shapes.iter().any(|shape| shape.kind == CellKind::Folded);
            assert!(!folds || relations == Relations::Deciding, "{}", test.display());
        }
        drawn += 1;
    }
    drawn
}

#[test]
fn nothing_overlaps_in_some_pictures() {
    assert!(draw_each(|index| index % 32 == 3) > 30);
}

#[test]
#[ignore = "takes minutes"]
fn nothing_overlaps_in_any_picture() {
    assert!(draw_each(|_| true) > 1200);
}

/// Small tests whose pictures are looked at when they change.
#[test]
fn pictures_are_as_they_were() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("picture.svg");
    for (name, test) in [
        ("picture_lock", "litmus/locks/cas-lock.litmus"),
        ("picture_iriw", "litmus/iriw/IRIW+fence.sc.litmus"),
        ("picture_copy", "litmus/bulk/load.litmus"),
    ] {
        let run = ptxmc(&["draw", test, "-o", path(&file)]);
        assert_eq!(run.status, 0, "{}", run.transcript());
        insta::assert_snapshot!(
            name,
            std::fs::read_to_string(&file).expect("the picture is there")
        );
    }
}
