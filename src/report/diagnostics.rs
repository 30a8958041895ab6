//! Diagnostics as text: place, source line, caret, label, help.

use super::paint::Paint;
use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::id::FileId;
use crate::source::{Files, SourceFile};
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle,
};
use std::ops::Range;

/// Labels further apart than this many bytes are not shown together.
const LONGEST_EXCERPT: usize = 1 << 16;

/// Longer lines help nobody: the place is named, and no line shown.
const LONGEST_LINE: usize = 1 << 11;

/// One diagnostic, with a line feed at the end.
#[must_use]
pub fn render(diagnostic: &Diagnostic, files: &Files, paint: Paint) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);
    for (file, mut labels) in by_file(diagnostic) {
        let Some(source) = files.get(file) else { continue };
        if !readable(source, excerpt_range(source, &labels, files)) {
            labels.truncate(1);
        }
        let excerpt = excerpt_range(source, &labels, files);
        let first = source.position(excerpt.start).line;
        if !readable(source, excerpt.clone()) {
            let at = source.position(within(labels[0].1, files).start);
            let origin = Origin::path(source.name.as_str()).line(at.line).char_column(at.column);
            group = group.element(origin);
            continue;
        }
        let text = source.text.get(excerpt.clone()).unwrap_or("");
        let annotations =
            labels.into_iter().map(|(kind, label)| annotation(kind, label, &excerpt, files));
        let snippet = Snippet::source(text).line_start(first).path(source.name.as_str());
        group = group.element(snippet.annotations(annotations));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match paint {
        Paint::Plain => Renderer::plain(),
        Paint::Ansi => Renderer::styled(),
    };
    let mut text = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
    text.push('\n');
    text
}

/// The labels of a diagnostic, grouped by file; the primary one's file comes first.
fn by_file(diagnostic: &Diagnostic) -> Vec<(FileId, Vec<(AnnotationKind, &Label)>)> {
    let primary = diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label));
    let secondary = diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, label));
    let mut groups: Vec<(FileId, Vec<(AnnotationKind, &Label)>)> = Vec::new();
    for (kind, label) in primary.chain(secondary) {
        match groups.iter_mut().find(|(file, _)| *file == label.span.file) {
            Some((_, labels)) => labels.push((kind, label)),
            None => groups.push((label.span.file, vec![(kind, label)])),
        }
    }
    groups
}

/// Whether lines are worth showing.
fn readable(source: &SourceFile, lines: Range<usize>) -> bool {
    let text = source.text.get(lines).unwrap_or("");
    text.len() <= LONGEST_EXCERPT && text.lines().all(|line| line.len() <= LONGEST_LINE)
}

/// The lines from the first label to the last.
fn excerpt_range(
    source: &SourceFile,
    labels: &[(AnnotationKind, &Label)],
    files: &Files,
) -> Range<usize> {
    let ranges = labels.iter().map(|(_, label)| within(label, files));
    let all = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
    source.lines_around(all.unwrap_or(0..0))
}

fn annotation<'a>(
    kind: AnnotationKind,
    label: &'a Label,
    excerpt: &Range<usize>,
    files: &Files,
) -> Annotation<'a> {
    let range = within(label, files);
    let annotation = kind.span(range.start - excerpt.start..range.end - excerpt.start);
    if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
}

/// The label's range, cut to the file and to whole characters.
fn within(label: &Label, files: &Files) -> Range<usize> {
    let text = files.get(label.span.file).map_or("", |f| f.text.as_str());
    // The end of the file is shown at the end of its last line.
    let last = text.strip_suffix('\n').unwrap_or(text).len();
    let boundary = |at: u32| {
        let at = (at as usize).min(last);
        (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
    };
    let start = boundary(label.span.start);
    start..boundary(label.span.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn rendered(diagnostic: impl Fn(FileId) -> Diagnostic) -> String {
        let mut files = Files::default();
        let file = files.add("t.litmus", "PTX T\nP0 { ld.wek.u32 %r1, [x]; }\nexists (P1:r1=0)\n");
        render(&diagnostic(file), &files, Paint::Plain)
    }

    #[test]
    fn place_label_and_help_are_shown() {
        let text = rendered(|file| {
            Diagnostic::error("ptx-unknown-qualifier", Span::new(file, 13, 17), "unknown qualifier")
                .label("not a qualifier of `ld`")
                .also(Span::new(file, 42, 44), "this thread")
                .help("did you mean `.weak`?")
        });
        insta::assert_snapshot!(text, @r"
        error[ptx-unknown-qualifier]: unknown qualifier
         --> t.litmus:2:8
          |
        2 | P0 { ld.wek.u32 %r1, [x]; }
          |        ^^^^ not a qualifier of `ld`
        3 | exists (P1:r1=0)
          |         -- this thread
          |
          = help: did you mean `.weak`?
        ");
    }

    #[test]
    fn spans_outside_the_file_are_cut() {
        let text = rendered(|file| Diagnostic::warning("w", Span::new(file, 40, 4000), "too long"));
        assert!(text.contains("t.litmus:3"), "{text}");
    }

    #[test]
    fn a_diagnostic_may_have_no_place() {
        let text = rendered(|_| Diagnostic::unplaced("cannot-read", "cannot read `a`"));
        assert_eq!(text, "error[cannot-read]: cannot read `a`\n");
    }
}
