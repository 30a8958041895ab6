//! Attaches the clause ids in comments to statements.
//!
//! A comment belongs to the statement that contains the comment or ends on the line where the
//! comment begins. Otherwise it belongs to the next statement, if there is no blank line in
//! between.

use crate::cat::ast::{Statement, StatementKind};
use crate::source::Span;

/// Assigns clause ids to all statements, including nested ones; `comments` are in the order of the
/// text.
pub(super) fn attach(text: &str, comments: &[Span], statements: &mut [Statement]) {
    let mut free_from = 0;
    let mut line_end = 0;
    for statement in statements {
        let (start, end) = (statement.span.start as usize, statement.span.end as usize);
        // Statements that share their last line share its end.
        if line_end < end || end == 0 {
            line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        }
        let first = first_comment(text, comments, free_from, start);
        let mut until = line_end;
        match &mut statement.kind {
            StatementKind::Procedure { body, .. } => attach(text, comments, body),
            StatementKind::If { then, otherwise, .. } => {
                attach(text, comments, then);
                attach(text, comments, otherwise);
            }
            StatementKind::Include { amendments, .. } if !amendments.is_empty() => {
                attach(text, comments, amendments);
                // Comments among the amendments belong to these.
                until = start;
            }
            _ => {}
        }
        let is_group =
            matches!(statement.kind, StatementKind::Procedure { .. } | StatementKind::If { .. });
        if !is_group {
            let from = comments.partition_point(|c| (c.start as usize) < first);
            let to = comments.partition_point(|c| (c.start as usize) < until).max(from);
            let ids = comments[from..to].iter().flat_map(|c| clause_ids(slice(text, *c)));
            for id in ids {
                if !statement.clauses.contains(&id) {
                    statement.clauses.push(id);
                }
            }
        }
        free_from = line_end;
    }
}

/// Where the unbroken run of comments before `start` begins, at or after `free_from`.
fn first_comment(text: &str, comments: &[Span], free_from: usize, start: usize) -> usize {
    let mut first = start;
    let before = comments.partition_point(|c| c.end as usize <= start);
    for comment in comments[..before].iter().rev() {
        let gap = &text[comment.end as usize..first];
        let adjacent = gap.trim().is_empty() && gap.matches('\n').count() <= 1;
        if !adjacent || (comment.start as usize) < free_from {
            break;
        }
        first = comment.start as usize;
    }
    first
}

/// The clause ids in a comment: `PTX-` and a section number.
fn clause_ids(comment: &str) -> impl Iterator<Item = String> + '_ {
    comment.match_indices("PTX-").filter_map(move |(at, prefix)| {
        let rest = &comment[at + prefix.len()..];
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..length].trim_end_matches('.');
        number.starts_with(|c: char| c.is_ascii_digit()).then(|| format!("{prefix}{number}"))
    })
}

fn slice(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}
