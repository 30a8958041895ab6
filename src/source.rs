//! Source files, spans and line positions; holds text, does no I/O.

use crate::id::FileId;

/// A half-open byte range of one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file that the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}:{}..{}", self.file, self.start, self.end)
    }
}

impl Span {
    /// The range `start..end` of `file`, in bytes.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that covers both; `self` and `other` lie in one file.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A value with its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The place.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `value` at `span`.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A line and column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line number from 1.
    pub line: usize,
    /// Column from 1, in characters.
    pub column: usize,
}

/// The text of one file and the name that a user knows.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as given, or a name such as `<stdin>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<usize>,
    /// The places in a compiler's input that parts of the text come from, by the start of each
    /// part.
    origins: Vec<(u32, String)>,
}

impl SourceFile {
    fn new(name: String, text: String) -> Self {
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name, text, line_starts, origins: Vec::new() }
    }

    /// The whole lines that a range of bytes touches, without the last line feed.
    #[must_use]
    pub fn lines_around(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let line = |at: usize| self.line_starts.partition_point(|&start| start <= at);
        let start = self.line_starts[line(range.start.min(self.text.len())) - 1];
        let next = self.line_starts.get(line(range.end.min(self.text.len())));
        start..next.map_or(self.text.len(), |&next| next - 1)
    }

    /// The line and column of byte `offset`; offsets past the end give the last position.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text.get(start..offset).map_or(offset - start, |s| s.chars().count()) + 1;
        Position { line, column }
    }
}

/// All files of one run, addressed by [`FileId`].
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<SourceFile>,
}

impl Files {
    /// Adds a file and gives its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId::new(self.files.len() - 1)
    }

    /// The file behind `id`, or `None` when the id belongs to another table.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.index())
    }

    /// The text that a span covers; empty when the span does not fit its file.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|f| f.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// The text that a span covers, in one line.
    pub(crate) fn text_in_a_line(&self, span: Span) -> String {
        self.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Sets the origins of parts of a file in a compiler's input, such as `kernel.cu:12`, by the
    /// start of each part, in order.
    pub fn relate(&mut self, id: FileId, origins: Vec<(u32, String)>) {
        if let Some(file) = self.files.get_mut(id.index()) {
            file.origins = origins;
        }
    }

    /// The place in a compiler's input that the text at a span comes from, if known.
    #[must_use]
    pub fn origin(&self, span: Span) -> Option<&str> {
        let origins = &self.get(span.file)?.origins;
        let at = origins.binary_search_by_key(&span.start, |(start, _)| *start).ok()?;
        Some(&origins[at].1)
    }

    /// `name:line:column` of a span's start; for compiled text, also the place in the compiler's
    /// input.
    #[must_use]
    pub fn location(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(file) => {
                let at = file.position(span.start as usize);
                let place = format!("{}:{}:{}", file.name, at.line, at.column);
                match self.origin(span) {
                    Some(origin) => format!("{origin} ({place})"),
                    None => place,
                }
            }
            None => "<unknown>".to_owned(),
        }
    }
}
