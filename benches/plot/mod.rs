//! Panels of curves on logarithmic axes, as SVG.

use std::fmt::Write;

/// Points that belong together.
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// Threads and milliseconds.
    pub points: Vec<(f64, f64)>,
}

/// One small diagram.
pub struct Panel {
    /// Above it.
    pub title: String,
    /// The same number in every panel.
    pub curves: Vec<Curve>,
}

const COLUMNS: usize = 3;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 220.0;
const MARGIN: f64 = 45.0;
const COLORS: [&str; 4] = ["#1b6ca8", "#7fb8e0", "#b8401f", "#eba58d"];

/// Draws all panels, three in a row.
pub fn plot(panels: &[Panel]) -> String {
    let lines = panels.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS as f64 * WIDTH, lines as f64 * HEIGHT + 30.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let x = (index % COLUMNS) as f64 * WIDTH;
        let y = (index / COLUMNS) as f64 * HEIGHT;
        draw(&mut svg, panel, x, y);
    }
    if let Some(panel) = panels.first() {
        for (index, curve) in panel.curves.iter().enumerate() {
            let x = 20.0 + index as f64 * 150.0;
            let color = COLORS[index % COLORS.len()];
            let y = height - 12.0;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"4\" fill=\"{color}\"/>\
                 <text x=\"{}\" y=\"{y}\">{}</text>",
                y - 6.0,
                x + 16.0,
                curve.name
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let logs: Vec<f64> = values.map(|v| v.max(1e-3).log10()).collect();
        let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { low: low.floor(), high: high.ceil().max(low.floor() + 1.0) }
    }

    /// Where a value lies, from 0 to 1.
    fn at(&self, value: f64) -> f64 {
        (value.max(1e-3).log10() - self.low) / (self.high - self.low)
    }

    /// Powers of ten on the axis.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let (mut next, high) = (self.low, self.high);
        std::iter::from_fn(move || {
            let tick = (next <= high).then_some(10_f64.powf(next));
            next += 1.0;
            tick
        })
    }
}

fn draw(svg: &mut String, panel: &Panel, x: f64, y: f64) {
    let points = || panel.curves.iter().flat_map(|c| c.points.iter().copied());
    let (across, up) = (Axis::over(points().map(|p| p.0)), Axis::over(points().map(|p| p.1)));
    let (inner_width, inner_height) = (WIDTH - MARGIN - 15.0, HEIGHT - MARGIN - 20.0);
    let place = |point: (f64, f64)| {
        let px = x + MARGIN + across.at(point.0) * inner_width;
        let py = y + 20.0 + (1.0 - up.at(point.1)) * inner_height;
        (px, py)
    };
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\
         <rect x=\"{}\" y=\"{}\" width=\"{inner_width}\" height=\"{inner_height}\" \
         fill=\"none\" stroke=\"#999\"/>",
        x + MARGIN,
        y + 14.0,
        panel.title,
        x + MARGIN,
        y + 20.0
    );
    for tick in across.ticks() {
        let px = x + MARGIN + across.at(tick) * inner_width;
        let py = y + 34.0 + inner_height;
        let _ = writeln!(svg, "<text x=\"{px}\" y=\"{py}\" text-anchor=\"middle\">{tick}</text>");
    }
    for tick in up.ticks() {
        let py = y + 20.0 + (1.0 - up.at(tick)) * inner_height;
        let px = x + MARGIN - 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{px}\" y=\"{}\" text-anchor=\"end\">{tick} ms</text>\
             <line x1=\"{}\" x2=\"{}\" y1=\"{py}\" y2=\"{py}\" stroke=\"#eee\"/>",
            py + 3.0,
            x + MARGIN,
            x + MARGIN + inner_width
        );
    }
    for (index, curve) in panel.curves.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let path: Vec<String> = curve
            .points
            .iter()
            .map(|&p| place(p))
            .map(|(px, py)| format!("{px:.1},{py:.1}"))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>",
            path.join(" ")
        );
        for (px, py) in curve.points.iter().map(|&p| place(p)) {
            let _ =
                writeln!(svg, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"2\" fill=\"{color}\"/>");
        }
    }
}
