//! The statements of a function, undecoded, with names made unique per block.

use super::ast::{Body, Code, Line, Origin};
use crate::litmus::ast::{DeclaredSpace, Variable};
use crate::litmus::parse::declaration::{registers, variables};
use crate::litmus::parse::draft::Draft;
use crate::litmus::parse::scopes::Scopes;
use crate::litmus::parse::vectors::Vectors;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::{Instruction, Operand, OperandKind, guard, instruction};
use crate::ptx::names::component_name;
use crate::ptx::operation::{PredicateUse, Type};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};
use rustc_hash::FxHashMap;

/// Reads the function body between the braces.
pub(crate) fn body(mut cursor: Cursor<'_>, draft: &mut Draft) -> Body {
    let mut reader = Reader {
        body: Body::default(),
        scopes: Scopes::of(&cursor),
        vectors: Vectors::default(),
        blocks: vec![FxHashMap::default()],
        opened: 0,
        labels: Vec::new(),
        origin: None,
        calls: FxHashMap::default(),
    };
    while !cursor.is_at_end() {
        reader.labels(&mut cursor);
        match cursor.peek() {
            Some(TokenKind::OpenBrace | TokenKind::CloseBrace) => reader.brace(&mut cursor),
            Some(TokenKind::Semicolon) => _ = cursor.advance(),
            Some(TokenKind::Qualifier) if cursor.peek_text() == ".loc" => {
                cursor.advance();
                reader.locate(&mut cursor);
            }
            Some(_) => reader.part(&mut cursor, draft),
            None => {}
        }
    }
    reader.end();
    reader.body
}

/// A file's number, a line and a column.
type Position = [u32; 3];

/// The rest of `.loc 1 9 3, function_name label + 4, inlined_at 1 21 3`: the position, and that of the
/// call that was inlined.
pub(crate) fn positions(cursor: &mut Cursor<'_>) -> (Option<Position>, Option<Position>) {
    let own = position(cursor);
    let mut call = None;
    while matches!(cursor.text_at(1), "function_name" | "inlined_at") {
        cursor.advance();
        let named = cursor.advance().is_some_and(|t| cursor.text(t.span) == "function_name");
        if named {
            cursor.advance();
        }
        let found = position(cursor);
        call = if named { call } else { found };
    }
    (own, call)
}

/// The numbers that stand next.
fn position(cursor: &mut Cursor<'_>) -> Option<Position> {
    let mut numbers = Vec::new();
    while let Some(TokenKind::Number | TokenKind::Plus) = cursor.peek() {
        numbers.extend(cursor.peek_text().parse::<u32>());
        cursor.advance();
    }
    match numbers[..] {
        [file, line, column] => Some([file, line, column]),
        _ => None,
    }
}

/// How deep inlined calls are followed to the line that a kernel's author wrote.
const DEEPEST_INLINING: usize = 64;

/// The state of reading a body.
struct Reader {
    body: Body,
    scopes: Scopes,
    vectors: Vectors,
    /// The variables of each open block, by the name written.
    blocks: Vec<FxHashMap<String, String>>,
    opened: usize,
    labels: Vec<Spanned<String>>,
    origin: Option<Origin>,
    /// The positions of inlined calls, by the positions inside the called code.
    calls: FxHashMap<Position, Position>,
}

impl Reader {
    /// Sets the source line of the next statements. For inlined code this is the line of the
    /// outermost call, which the author of the kernel wrote.
    fn locate(&mut self, cursor: &mut Cursor<'_>) {
        let (Some(own), call) = positions(cursor) else { return };
        if let Some(call) = call {
            self.calls.insert(own, call);
        }
        let mut at = own;
        for _ in 0..DEEPEST_INLINING {
            match self.calls.get(&at) {
                Some(&call) if call != at => at = call,
                _ => break,
            }
        }
        let [file, line, _] = at;
        // Line 0 is code that belongs to no line: it keeps that of the code before.
        if line > 0 {
            self.origin = Some(Origin { file, line });
        }
    }

    fn labels(&mut self, cursor: &mut Cursor<'_>) {
        while cursor.peek() == Some(TokenKind::Word) && cursor.peek_at(1) == Some(TokenKind::Colon)
        {
            if let Ok(mut label) = cursor.word("a label") {
                label.value = self.scopes.label(&label.value);
                self.labels.push(label);
            }
            cursor.advance();
        }
    }

    fn brace(&mut self, cursor: &mut Cursor<'_>) {
        if cursor.peek() == Some(TokenKind::OpenBrace) {
            self.opened += 1;
            self.blocks.push(FxHashMap::default());
        } else if self.blocks.len() > 1 {
            self.blocks.pop();
        }
        self.scopes.brace(cursor);
    }

    /// Reads a declaration or an instruction, up to its `;`.
    fn part(&mut self, cursor: &mut Cursor<'_>, draft: &mut Draft) {
        let mut statement = cursor.split_until(|kind| kind == TokenKind::Semicolon);
        let read = match statement.peek() {
            Some(TokenKind::Qualifier) => self.directive(&mut statement, draft),
            _ => self.instruction(&mut statement, draft),
        };
        match read {
            Err(error) => draft.syntax(&error),
            Ok(()) if !statement.is_at_end() => draft.syntax(&statement.expected_end("`;`")),
            Ok(()) => {}
        }
        cursor.eat(TokenKind::Semicolon);
    }

    fn directive(&mut self, cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
        let start = cursor.span();
        let space = match cursor.peek_text() {
            ".reg" => {
                let taken = self.body.registers.len();
                for declared in registers(cursor, draft, taken)? {
                    self.register(declared.name, declared.ty, declared.elements);
                }
                return Ok(());
            }
            ".shared" => DeclaredSpace::Shared,
            ".local" | ".param" => DeclaredSpace::Local,
            ".const" => DeclaredSpace::Const,
            ".global" => DeclaredSpace::Global,
            // Not modelled. A label of a prototype or list is no place in the program, one before a
            // hint stands for the next statement.
            other => {
                if matches!(other, ".branchtargets" | ".calltargets" | ".callprototype") {
                    self.labels.clear();
                }
                cursor.split_until(|_| false);
                return Ok(());
            }
        };
        let passes = cursor.peek_text() == ".param";
        cursor.advance();
        for mut variable in variables(cursor, draft, space, start)? {
            self.name(&mut variable);
            if passes {
                self.body.passed.push(variable.name.value.clone());
            }
            self.body.variables.push(variable);
        }
        Ok(())
    }

    fn register(&mut self, name: Spanned<String>, ty: Type, elements: usize) {
        let local = Spanned::new(self.scopes.declare(&name.value), name.span);
        if elements == 1 {
            self.body.registers.push((local, ty));
            return;
        }
        let components = (0..elements)
            .map(|at| (Spanned::new(component_name(&local.value, at), local.span), ty));
        self.body.registers.extend(components);
        self.vectors.declare(local.value, elements);
    }

    /// Gives a variable of an inner block a name that no other has.
    fn name(&mut self, variable: &mut Variable) {
        if self.blocks.len() == 1 {
            return;
        }
        let written = variable.name.value.clone();
        variable.name.value = format!("{written}.{}", self.opened);
        if let Some(block) = self.blocks.last_mut() {
            block.insert(written, variable.name.value.clone());
        }
    }

    fn instruction(
        &mut self,
        cursor: &mut Cursor<'_>,
        draft: &mut Draft,
    ) -> Result<(), SyntaxError> {
        let start = cursor.span();
        let mut guard = guard(cursor)?;
        let mut instruction = instruction(cursor)?;
        let vectors = self.vectors.resolve(&mut instruction, guard.as_ref(), &self.scopes);
        if let Err(error) = vectors {
            draft.diagnostics.push(error.diagnostic());
        }
        self.scopes.resolve(&mut instruction, guard.as_mut());
        if self.blocks.len() > 1 {
            for_each_name(&mut instruction, &mut |name| self.variable(name));
        }
        let span = start.to(instruction.span);
        self.push(guard, Code::Instruction(instruction), span);
        Ok(())
    }

    fn variable(&self, name: &mut String) {
        let found = self.blocks.iter().rev().find_map(|block| block.get(name.as_str()));
        if let Some(local) = found {
            local.clone_into(name);
        }
    }

    fn push(&mut self, guard: Option<PredicateUse>, code: Code, span: Span) {
        let (labels, origin) = (std::mem::take(&mut self.labels), self.origin);
        self.body.lines.push(Line { labels, guard, code, span, origin });
    }

    /// Labels at the end stand before nothing.
    fn end(&mut self) {
        if let (Some(first), Some(last)) = (self.labels.first(), self.labels.last()) {
            let span = first.span.to(last.span);
            self.push(None, Code::Nothing, span);
        }
    }
}

/// Every name among the operands of an instruction.
pub(crate) fn for_each_name(instruction: &mut Instruction, visit: &mut impl FnMut(&mut String)) {
    fn inside(operand: &mut Operand, visit: &mut impl FnMut(&mut String)) {
        match &mut operand.kind {
            OperandKind::Name(name, _) | OperandKind::Element(name, _) | OperandKind::Not(name) => {
                visit(name);
            }
            OperandKind::Indexed(name, register, _) => {
                visit(&mut name.value);
                visit(&mut register.value);
            }
            OperandKind::Pair(first, second) => {
                visit(&mut first.value);
                visit(&mut second.value);
            }
            OperandKind::Bracket(list) | OperandKind::Vector(list) => {
                list.iter_mut().for_each(|inner| inside(inner, visit));
            }
            OperandKind::Integer(_) | OperandKind::Float(_) => {}
        }
    }
    instruction.operands.iter_mut().for_each(|one| inside(one, visit));
}
