//! Edit files: changes of a model's text that make another model.
//!
//! A file starts with comments, of which the first may name a clause (`(* PTX-8.8: what changes.
//! *)`). An optional `include "FILE"` names the model to change, which otherwise is the default
//! model. Then come edits: a line `replace`, the old text, a line `with`, the new text, which may
//! be empty. An old text has to occur once in the model as changed by the edits before, so that a
//! later change of that model is either part of the edited one or noticed.

use super::library::BUILTIN;
use thiserror::Error;

/// The ending of edit files.
pub const ENDING: &str = ".edit";

/// A file of edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditFile {
    /// The comments, each in one line.
    pub comments: Vec<String>,
    /// The name of the changed model, as in `include`.
    pub base: String,
    /// The edits, in order.
    pub edits: Vec<Edit>,
}

/// A text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text that occurs once.
    pub old: String,
    /// The replacement.
    pub new: String,
    /// The line of the file on which the edit starts, counted from 1.
    pub line: usize,
}

/// An error in a file of edits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// There is no line `replace`.
    #[error(
        "it replaces nothing: a line `replace`, the old text, a line `with` and the new text make an edit"
    )]
    Nothing,
    /// Something other than comments and `include` precedes the first edit.
    #[error(
        "line {line}: only comments and `include \"FILE\"` may stand before the first `replace`"
    )]
    Head {
        /// The line, counted from 1.
        line: usize,
    },
    /// An edit without a line `with`.
    #[error("line {line}: this edit has no line `with`")]
    NoWith {
        /// The line of its `replace`, counted from 1.
        line: usize,
    },
    /// An old text that does not occur just once.
    #[error("line {line}: the old text occurs {count} times in {base}, and has to occur once")]
    Occurs {
        /// The line of its `replace`, counted from 1.
        line: usize,
        /// The number of occurrences.
        count: usize,
        /// The model that is changed.
        base: String,
    },
}

impl EditFile {
    /// Reads a file of edits.
    ///
    /// # Errors
    /// When the file does not have the form that the module describes.
    pub fn parse(text: &str) -> Result<Self, EditError> {
        let lines: Vec<&str> = text.lines().collect();
        let starts: Vec<usize> = (0..lines.len()).filter(|&at| lines[at] == "replace").collect();
        let first = *starts.first().ok_or(EditError::Nothing)?;
        let (comments, base) = head(&lines[..first])?;
        let ends = starts.iter().skip(1).copied().chain([lines.len()]);
        let edits =
            starts.iter().zip(ends).map(|(&start, end)| edit(&lines[start..end], start + 1));
        Ok(Self { comments, base, edits: edits.collect::<Result<_, _>>()? })
    }

    /// The text of the changed model, given that of the model to change.
    ///
    /// # Errors
    /// When an old text does not occur just once.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        let mut text = text.to_owned();
        for Edit { old, new, line } in &self.edits {
            match text.matches(old.as_str()).count() {
                1 => text = text.replacen(old.as_str(), new, 1),
                count => {
                    let (line, base) = (*line, self.base.clone());
                    return Err(EditError::Occurs { line, count, base });
                }
            }
        }
        Ok(text)
    }
}

/// The comments before the edits, and the name of the changed model.
fn head(lines: &[&str]) -> Result<(Vec<String>, String), EditError> {
    let mut base = format!("{}.cat", BUILTIN[0].name);
    let mut comments: Vec<Vec<&str>> = Vec::new();
    let mut is_open = false;
    for (at, line) in lines.iter().enumerate() {
        let mut rest = line.trim();
        let included = rest.strip_prefix("include \"").and_then(|name| name.strip_suffix('"'));
        if let Some(name) = included.filter(|_| !is_open) {
            name.clone_into(&mut base);
            continue;
        }
        while !rest.is_empty() {
            if !is_open {
                rest = rest.strip_prefix("(*").ok_or(EditError::Head { line: at + 1 })?;
                comments.push(Vec::new());
            }
            let closed = rest.split_once("*)");
            let inside = closed.map_or(rest, |(inside, _)| inside);
            if let Some(comment) = comments.last_mut() {
                comment.extend(inside.split_whitespace());
            }
            is_open = closed.is_none();
            rest = closed.map_or("", |(_, behind)| behind.trim());
        }
    }
    Ok((comments.iter().map(|words| words.join(" ")).collect(), base))
}

/// One edit; `lines` start with its `replace`, which is line `line` of the file.
fn edit(lines: &[&str], line: usize) -> Result<Edit, EditError> {
    let with = lines.iter().position(|&l| l == "with").ok_or(EditError::NoWith { line })?;
    Ok(Edit { old: lines[1..with].join("\n"), new: lines[with + 1..].join("\n"), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_order() {
        let text = "(* PTX-8.8: one\n   thing. *)\n(* Another. *)\ninclude \"base.cat\"\n\nreplace\na\nb\nwith\nc\nreplace\nc\nwith\n";
        let file = EditFile::parse(text).expect("a file of edits");
        assert_eq!(file.comments, ["PTX-8.8: one thing.", "Another."]);
        assert_eq!(file.base, "base.cat");
        assert_eq!(file.apply("x a\nb y").as_deref(), Ok("x  y"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(EditFile::parse("(* nothing *)"), Err(EditError::Nothing));
        assert_eq!(EditFile::parse("let x = po\nreplace\n"), Err(EditError::Head { line: 1 }));
        assert_eq!(EditFile::parse("replace\nx\n"), Err(EditError::NoWith { line: 1 }));
        let file = EditFile::parse("\nreplace\nx\nwith\ny").expect("a file of edits");
        let base = "ptx-9.2.cat".to_owned();
        let twice = EditError::Occurs { line: 2, count: 2, base };
        assert_eq!(file.apply("x x"), Err(twice));
    }
}
