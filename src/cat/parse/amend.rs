//! Parses `include "file" with ... end`: the amendments of the included model.

use super::{MAX_ERRORS, Parsed, Parser};
use crate::cat::ast::{Statement, StatementKind};
use crate::cat::lexer::Token;

/// The words that start amendments; elsewhere they are ordinary names.
const WORDS: [&str; 3] = ["redefine", "drop", "replace"];

impl Parser<'_> {
    pub(super) fn include(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let file = self.string()?;
        // `with x from S` is a statement of herd's.
        let is_choice = self.lexemes.get(self.at + 2).is_some_and(|l| l.token == Token::From);
        let mut amendments = Vec::new();
        if self.peek() == Token::With && !is_choice {
            self.bump();
            let before = std::mem::replace(&mut self.amending, true);
            amendments = self.amendments();
            self.amending = before;
            self.expect(Token::Close, "`redefine`, `drop`, `replace` or `end`")?;
        }
        Ok(StatementKind::Include { file, amendments })
    }

    /// Amendments up to `end`; if one does not parse, the error is recorded and the rest of it
    /// skipped.
    fn amendments(&mut self) -> Vec<Statement> {
        let mut amendments = Vec::new();
        while self.at_amendment() && self.errors.len() < MAX_ERRORS {
            let start = self.at;
            match self.nested(Self::amendment) {
                Ok(kind) => {
                    let span = self.lexemes[start].span.to(self.previous());
                    amendments.push(Statement { kind, clauses: Vec::new(), span });
                }
                Err(error) => {
                    self.errors.push(error);
                    self.at = self.at.max(start + 1).min(self.lexemes.len() - 1);
                    while !self.at_amendment() && !matches!(self.peek(), Token::Close | Token::End)
                    {
                        self.bump();
                    }
                }
            }
        }
        amendments
    }

    fn amendment(&mut self) -> Parsed<StatementKind> {
        let word = self.bump();
        match self.slice(word.span) {
            "redefine" => self.binding().map(StatementKind::Redefine),
            "drop" => self.separated(Self::name).map(StatementKind::Drop),
            _ => {
                let name = self.name()?;
                self.expect(Token::With, "`with`")?;
                Ok(StatementKind::Replace { name, test: self.test()? })
            }
        }
    }

    /// Whether the parser is among amendments and the next one starts here.
    pub(super) fn at_amendment(&self) -> bool {
        self.amending
            && self.peek() == Token::Name
            && WORDS.contains(&self.slice(self.lexemes[self.at].span))
    }
}
