//! A picture in the language of Graphviz: a cluster per thread, an arrow per edge.

use super::{Node, NodeKind, Picture};
use std::fmt::Write;

/// A relation without arrows of its own: in some programs the relation holds for nearly all accesses, and
/// the relations derived from it have arrows.
const QUIET: &str = "morally-strong";

/// The graph in Graphviz syntax.
#[must_use]
pub fn render(picture: &Picture) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(&picture.name));
    out.push_str("  node [shape=plaintext, fontname=\"monospace\", fontsize=11];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    out.push_str("  newrank=true; nodesep=0.8; labelloc=t; fontname=\"sans-serif\";\n");
    let _ = writeln!(out, "  label={};", quoted(&picture.name));
    for node in &picture.initial {
        let _ = writeln!(out, "  {}", declared(node));
    }
    for (index, column) in picture.columns.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{index} {{");
        let _ = writeln!(out, "    label={};", quoted(&column.title));
        out.push_str("    color=gray; fontname=\"sans-serif\"; fontsize=11;\n");
        for node in &column.nodes {
            let _ = writeln!(out, "    {}", declared(node));
        }
        for pair in column.nodes.windows(2) {
            let _ = writeln!(out, "    {} -> {} [label=\"po\"];", name(&pair[0]), name(&pair[1]));
        }
        if let Some(stays) = &column.stays {
            let _ = writeln!(out, "    s{index} [label={}];", quoted(&format!("({stays})")));
            if let Some(last) = column.nodes.last().map(name) {
                let _ = writeln!(out, "    {last} -> s{index} [label=\"po\"];");
            }
        }
        out.push_str("  }\n");
    }
    out.push_str(&order(picture));
    for (from, to, relations) in arrows(picture) {
        let color = color(relations[0]);
        let label = quoted(&relations.join(", "));
        let style = format!("color={color}, fontcolor={color}, constraint=false");
        let _ = writeln!(out, "  {} -> {} [label={label}, {style}];", name(from), name(to));
    }
    out.push_str("}\n");
    out
}

/// Places initial writes at the top, and threads from left to right.
fn order(picture: &Picture) -> String {
    let firsts: Vec<String> =
        picture.columns.iter().filter_map(|c| c.nodes.first()).map(name).collect();
    let initial: Vec<String> = picture.initial.iter().map(name).collect();
    let mut out = String::new();
    for row in [&initial, &firsts] {
        if row.len() > 1 {
            let _ = writeln!(out, "  {{ rank=same; {} [style=invis]; }}", row.join(" -> "));
        }
    }
    if let (Some(above), Some(below)) = (initial.first(), firsts.first()) {
        let _ = writeln!(out, "  {above} -> {below} [style=invis];");
    }
    out
}

/// An arrow for each pair of events, labelled with all relations of the pair.
fn arrows(picture: &Picture) -> Vec<(&Node, &Node, Vec<&str>)> {
    let mut arrows: Vec<(&Node, &Node, Vec<&str>)> = Vec::new();
    for edge in &picture.edges {
        let (Some(from), Some(to)) = (picture.node(edge.from), picture.node(edge.to)) else {
            continue;
        };
        match arrows.iter_mut().find(|(a, b, _)| (a.id, b.id) == (from.id, to.id)) {
            Some((_, _, relations)) => relations.push(&edge.relation),
            None => arrows.push((from, to, vec![&edge.relation])),
        }
    }
    arrows.retain(|(_, _, relations)| relations[..] != [QUIET]);
    arrows
}

fn name(node: &Node) -> String {
    format!("e{}", node.id.index())
}

fn declared(node: &Node) -> String {
    let initial = node.kind == NodeKind::Initial;
    let text = if initial {
        format!("init {}", node.text)
    } else {
        format!("{}: {}", node.label, node.text)
    };
    format!("{} [label={}];", name(node), quoted(&text))
}

fn color(relation: &str) -> &'static str {
    match relation {
        "rf" => "firebrick",
        "co" => "saddlebrown",
        "fr" => "darkorange",
        "rmw" => "gray40",
        "sc" => "royalblue",
        _ => "darkgreen",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
