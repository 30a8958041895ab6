//! A picture in the language of Graphviz: a cluster per thread, an arrow per edge.

use super::{Node, Picture};
use std::fmt::Write;

/// The graph, as text.
#[must_use]
pub fn render(picture: &Picture) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(&picture.name));
    out.push_str("  node [shape=plaintext, fontname=\"monospace\", fontsize=11];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    out.push_str("  nodesep=0.6;\n");
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
        out.push_str("  }\n");
    }
    for edge in &picture.edges {
        let (Some(from), Some(to)) = (picture.node(edge.from), picture.node(edge.to)) else {
            continue;
        };
        let color = color(&edge.relation);
        let _ = writeln!(
            out,
            "  {} -> {} [label={}, color={color}, fontcolor={color}, constraint=false];",
            name(from),
            name(to),
            quoted(&edge.relation),
        );
    }
    out.push_str("}\n");
    out
}

fn name(node: &Node) -> String {
    format!("e{}", node.id.index())
}

fn declared(node: &Node) -> String {
    let initial = node.label.starts_with("init ");
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
