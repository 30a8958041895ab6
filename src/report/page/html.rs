//! HTML elements as values: escaping at one place makes every document well formed, whatever its texts
//! contain.

use crate::report::draw::svg::escaped;

/// An element with its attributes and content.
#[derive(Clone, Debug)]
pub(super) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Child>,
}

#[derive(Clone, Debug)]
enum Child {
    Element(Element),
    Text(String),
    /// Text that is already markup.
    Markup(String),
}

/// Elements without content and end tag.
const VOID: [&str; 3] = ["meta", "input", "br"];

/// A new element, without attributes and content.
pub(super) fn el(name: &'static str) -> Element {
    Element { name, attributes: Vec::new(), children: Vec::new() }
}

impl Element {
    pub(super) fn with(mut self, attribute: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((attribute, value.into()));
        self
    }

    pub(super) fn class(self, class: impl Into<String>) -> Self {
        self.with("class", class)
    }

    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Text(text.into()));
        self
    }

    pub(super) fn add(mut self, child: Element) -> Self {
        self.children.push(Child::Element(child));
        self
    }

    pub(super) fn all(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        self.children.extend(children.into_iter().map(Child::Element));
        self
    }

    /// Adds markup, such as a drawing, without escaping.
    pub(super) fn markup(mut self, markup: impl Into<String>) -> Self {
        self.children.push(Child::Markup(markup.into()));
        self
    }

    /// Appends the element to `out`.
    pub(super) fn write(&self, out: &mut String) {
        out.push('<');
        out.push_str(self.name);
        for (attribute, value) in &self.attributes {
            out.push_str(&format!(" {attribute}=\"{}\"", escaped(value)));
        }
        out.push('>');
        if VOID.contains(&self.name) {
            return;
        }
        for child in &self.children {
            match child {
                Child::Element(element) => element.write(out),
                Child::Text(text) => out.push_str(&escaped(text)),
                Child::Markup(markup) => out.push_str(markup),
            }
        }
        out.push_str(&format!("</{}>", self.name));
        if matches!(self.name, "tr" | "li" | "p" | "section" | "h1" | "h2" | "head" | "main") {
            out.push('\n');
        }
    }
}

/// A complete page; `script` is the source of its script.
pub(super) fn page(title: &str, script: &str, content: Element) -> String {
    let style = format!("{}\n{}", include_str!("page.css"), crate::report::draw::svg::STYLE);
    let head = el("head")
        .add(el("meta").with("charset", "utf-8"))
        .add(el("meta").with("name", "viewport").with("content", "width=device-width"))
        .add(el("title").text(title))
        .add(el("style").markup(style));
    let body = el("body").add(content).add(el("script").markup(script));
    let mut out = "<!DOCTYPE html>\n".to_owned();
    el("html").with("lang", "en").add(head).add(body).write(&mut out);
    out.push('\n');
    out
}
