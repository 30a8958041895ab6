//! Statements of one thread: labels, guards, instructions; an error does not hide later statements.

use super::declaration::Declared;
use super::draft::Draft;
use super::scopes::Scopes;
use super::vectors::Vectors;
use crate::ptx::cursor::Cursor;
use crate::ptx::decode::{self, Dialect, Names};
use crate::ptx::error::{DecodeError, DecodeWarning, SyntaxError};
use crate::ptx::foreign;
use crate::ptx::instruction::{Instruction, OperandKind, guard, instruction};
use crate::ptx::legacy;
use crate::ptx::names::component_name;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Operation, PredicateUse, Register, Space, Statement, Type};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};
use rustc_hash::FxHashSet;

/// The statements of a thread so far.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) scopes: Scopes,
    vectors: Vectors,
    /// The parameters for calls that the thread declares.
    pub(super) call_parameters: FxHashSet<String>,
    /// The `.param` variables of a thread that calls no functions.
    pub(super) parameters: FxHashSet<String>,
    /// Whether the thread calls functions.
    pub(super) calls: bool,
    labels: Vec<Spanned<String>>,
    statements: Vec<Statement>,
}

impl Body {
    /// An empty body, in code with these blocks.
    pub(super) fn new(scopes: Scopes) -> Self {
        Self { scopes, ..Self::default() }
    }

    /// Reads labels and at most one instruction from `cursor`, which ends where the statement has
    /// to end.
    ///
    /// # Errors
    /// The first thing wrong with the statement.
    pub(super) fn statement(
        &mut self,
        cursor: &mut Cursor<'_>,
        names: &Names,
        draft: &mut Draft,
    ) -> Result<(), SyntaxError> {
        self.labels(cursor);
        if cursor.is_at_end() {
            return Ok(());
        }
        let start = cursor.span();
        let mut guard = guard(cursor)?;
        if let Some(error) = foreign::statement(cursor) {
            return Err(error);
        }
        let mut instruction = instruction(cursor)?;
        let vectors = match draft.decode_dialect() {
            Dialect::Ptx => self.vectors.resolve(&mut instruction, guard.as_ref(), &self.scopes),
            Dialect::Columns => Ok(()),
        };
        self.scopes.resolve(&mut instruction, guard.as_mut());
        self.decoded(&instruction, vectors, guard, start, names, draft);
        Ok(())
    }

    /// Reads the labels that stand next.
    pub(super) fn labels(&mut self, cursor: &mut Cursor<'_>) {
        // Two colons belong to a name of C++.
        while cursor.peek() == Some(TokenKind::Word)
            && cursor.peek_at(1) == Some(TokenKind::Colon)
            && cursor.peek_at(2) != Some(TokenKind::Colon)
        {
            if let Ok(mut label) = cursor.word("a label") {
                label.value = self.scopes.label(&label.value);
                self.labels.push(label);
            }
            cursor.advance();
        }
    }

    /// Names the registers of a declaration; a vector's become its components.
    pub(super) fn declare(&mut self, declared: Declared) -> Vec<(Register, Type)> {
        let Declared { name, ty, elements } = declared;
        let local = Spanned::new(self.scopes.declare(&name.value), name.span);
        if elements == 1 {
            return vec![(local, ty)];
        }
        let components =
            (0..elements).map(|at| Spanned::new(component_name(&local.value, at), local.span));
        let components = components.map(|name| (name, ty)).collect();
        self.vectors.declare(local.value, elements);
        components
    }

    fn decoded(
        &mut self,
        instruction: &Instruction,
        vectors: Result<(), DecodeError>,
        guard: Option<PredicateUse>,
        start: Span,
        names: &Names,
        draft: &mut Draft,
    ) {
        let mut warnings = Vec::new();
        let known = if draft.is_legacy() { legacy::check(instruction) } else { Ok(()) };
        let passes = self.passes_parameter(instruction, names);
        let decoded = vectors.and(known).and_then(|()| match passes {
            true => Ok(decode::passing(instruction, names)),
            false => decode::decode(instruction, names, draft.decode_dialect(), &mut warnings)
                .and_then(|operation| self.with_parameters(instruction, operation)),
        });
        draft.diagnostics.extend(warnings.iter().map(DecodeWarning::diagnostic));
        if draft.is_legacy() && decoded.is_ok() {
            draft.diagnostics.extend(legacy::warning(instruction));
        }
        // An erroneous statement keeps its labels and registers, so that jumps to it and reads of
        // its result cause no further errors.
        let operation = decoded.unwrap_or_else(|error: DecodeError| {
            draft.diagnostics.push(error.diagnostic());
            decode::undecoded(instruction, names, draft.decode_dialect())
        });
        let labels = std::mem::take(&mut self.labels);
        let span = start.to(instruction.span);
        self.statements.push(Statement { labels, guard, operation, span });
    }

    /// Whether an instruction stores an argument of a call or loads a result.
    fn passes_parameter(&self, instruction: &Instruction, names: &Names) -> bool {
        let address = instruction.operands.iter().find_map(|operand| match &operand.kind {
            OperandKind::Bracket(list) => match &list.first()?.kind {
                OperandKind::Name(name, _) => Some(name),
                _ => None,
            },
            _ => None,
        });
        let space = instruction.qualifiers.first().map(|word| word.value.as_str());
        matches!(space, Some("param" | "param::func"))
            && address.is_some_and(|name| {
                self.call_parameters.contains(name) && !names.variables.contains_key(name)
            })
    }

    /// An operation on the thread's own parameters, which loads and stores with `.param` reach:
    /// they are local to the thread (PTX-5.1.6).
    fn with_parameters(
        &self,
        instruction: &Instruction,
        mut operation: Operation,
    ) -> Result<Operation, DecodeError> {
        if self.parameters.is_empty() {
            return Ok(operation);
        }
        let mut mentions = Mentions::default();
        mentions.operation(&operation);
        let own = |name: &&&Spanned<String>| self.parameters.contains(&name.value);
        let Some(name) = mentions.variables.iter().find(own).map(|name| (*name).clone()) else {
            return Ok(operation);
        };
        let entry = instruction.qualifiers.iter().any(|word| word.value == "param::entry");
        match &mut operation {
            Operation::Load { access, .. } | Operation::Store { access, .. }
                if matches!(access.space, Space::ParamEntry | Space::ParamFunc) && !entry =>
            {
                access.space = Space::Local;
                Ok(operation)
            }
            _ => Err(DecodeError::Rule {
                message: format!(
                    "`{}` is a parameter that the thread declares, which only `ld.param` and \
                     `st.param` access",
                    name.value
                ),
                help: "its address cannot be taken: declare it with `.local` for that",
                section: "PTX-5.1.6",
                span: name.span,
            }),
        }
    }

    /// Whether the last label has no statement yet.
    pub(super) fn ends_with_label(&self) -> bool {
        !self.labels.is_empty()
    }

    /// The register that the last statement writes.
    pub(super) fn last_written(&self) -> Option<Register> {
        Mentions::of(self.statements.last()?).writes.first().copied().cloned()
    }

    /// All statements; labels at the end stand before one that does nothing.
    pub(super) fn finish(mut self) -> Vec<Statement> {
        if let (Some(first), Some(last)) = (self.labels.first(), self.labels.last()) {
            let span = first.span.to(last.span);
            let labels = self.labels;
            self.statements.push(Statement {
                labels,
                guard: None,
                operation: Operation::Nothing,
                span,
            });
        }
        self.statements
    }
}
