//! Names that a block inside a thread declares: they are local to it (PTX-9.7.12.1).
//!
//! Such a register or label gets a unique name, `p.2` for the `p` of the second block, which no
//! condition can mention. Names outside blocks are unchanged.

use crate::ptx::cursor::Cursor;
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::operation::PredicateUse;
use crate::ptx::token::TokenKind;
use rustc_hash::FxHashMap;

/// The blocks that are open at a place in a thread.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    /// The labels of each block, by the position of its brace: jumps may precede their labels.
    labels_of: FxHashMap<u32, Vec<String>>,
    /// How many blocks have been opened so far.
    opened: usize,
    open: Vec<Block>,
    registers: Bindings,
    labels: Bindings,
}

/// The declarations of an open block, as written.
#[derive(Debug, Default)]
struct Block {
    number: usize,
    registers: Vec<String>,
    labels: Vec<String>,
}

/// For each name that an open block declares, its unique names, innermost last.
type Bindings = FxHashMap<String, Vec<String>>;

impl Scopes {
    /// Notes the labels of all blocks in the code of a thread.
    pub(crate) fn of(code: &Cursor<'_>) -> Self {
        let mut scopes = Self::default();
        let mut open = Vec::new();
        let mut ahead = 0;
        while let Some(kind) = code.peek_at(ahead) {
            match kind {
                TokenKind::OpenBrace => open.push(code.span_at(ahead).start),
                TokenKind::CloseBrace => {
                    open.pop();
                }
                TokenKind::Word if code.peek_at(ahead + 1) == Some(TokenKind::Colon) => {
                    if let Some(&block) = open.last() {
                        let label = code.text_at(ahead).to_owned();
                        scopes.labels_of.entry(block).or_default().push(label);
                    }
                }
                _ => {}
            }
            ahead += 1;
        }
        scopes
    }

    /// Takes a brace between statements.
    pub(crate) fn brace(&mut self, cursor: &mut Cursor<'_>) {
        let at = cursor.span().start;
        match cursor.peek() {
            Some(TokenKind::OpenBrace) => self.enter(at),
            Some(TokenKind::CloseBrace) => self.leave(),
            _ => {}
        }
        cursor.advance();
    }

    fn enter(&mut self, at: u32) {
        self.opened += 1;
        let mut block = Block { number: self.opened, ..Block::default() };
        for label in self.labels_of.remove(&at).unwrap_or_default() {
            if !block.labels.contains(&label) {
                bind(&mut self.labels, &label, block.number);
                block.labels.push(label);
            }
        }
        self.open.push(block);
    }

    fn leave(&mut self) {
        let Some(block) = self.open.pop() else { return };
        for (bindings, names) in
            [(&mut self.registers, block.registers), (&mut self.labels, block.labels)]
        {
            for name in names {
                bindings.get_mut(&name).and_then(Vec::pop);
            }
        }
    }

    /// The unique name of a register that is declared here.
    pub(crate) fn declare(&mut self, register: &str) -> String {
        let Some(block) = self.open.last_mut() else { return register.to_owned() };
        block.registers.push(register.to_owned());
        bind(&mut self.registers, register, block.number)
    }

    /// The unique name of the register with this name here.
    pub(crate) fn local<'n>(&'n self, register: &'n str) -> &'n str {
        found(&self.registers, register).unwrap_or(register)
    }

    /// The unique name of a label that stands or is mentioned here.
    pub(crate) fn label(&self, name: &str) -> String {
        found(&self.labels, name).unwrap_or(name).to_owned()
    }

    /// Gives the registers and labels of an instruction their unique names.
    pub(crate) fn resolve(&self, instruction: &mut Instruction, guard: Option<&mut PredicateUse>) {
        if self.open.is_empty() {
            return;
        }
        if let Some(guard) = guard {
            self.register(&mut guard.register.value);
        }
        let jumps = instruction.opcode.value == "bra";
        for operand in &mut instruction.operands {
            match &mut operand.kind {
                OperandKind::Name(name, 0) if jumps => *name = self.label(name),
                _ => self.operand(operand),
            }
        }
    }

    fn operand(&self, operand: &mut Operand) {
        match &mut operand.kind {
            OperandKind::Name(name, _) | OperandKind::Element(name, _) | OperandKind::Not(name) => {
                self.register(name);
            }
            OperandKind::Pair(first, second) => {
                self.register(&mut first.value);
                self.register(&mut second.value);
            }
            OperandKind::Indexed(name, register, _) => {
                self.register(&mut name.value);
                self.register(&mut register.value);
            }
            OperandKind::Bracket(list) | OperandKind::Vector(list) => {
                list.iter_mut().for_each(|inner| self.operand(inner));
            }
            OperandKind::Integer(_) | OperandKind::Float(_) => {}
        }
    }

    fn register(&self, name: &mut String) {
        let bare = name.strip_prefix('%').unwrap_or(name);
        let percent = if bare.len() < name.len() { "%" } else { "" };
        if let Some(local) = found(&self.registers, bare) {
            *name = format!("{percent}{local}");
        }
    }
}

/// Binds a declared name to one with the number of its block.
fn bind(bindings: &mut Bindings, name: &str, block: usize) -> String {
    let local = format!("{name}.{block}");
    bindings.entry(name.to_owned()).or_default().push(local.clone());
    local
}

fn found<'b>(bindings: &'b Bindings, name: &str) -> Option<&'b str> {
    bindings.get(name)?.last().map(String::as_str)
}
