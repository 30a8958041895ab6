//! The free values of a program that is being unfolded.

use super::graph::Symbol;
use crate::id::SymbolId;

/// Free values in the order of their introduction, some of them with a role.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) list: Vec<Symbol>,
    /// Truth values that the execution chooses freely, independent of its reads.
    chances: Vec<SymbolId>,
    /// Values that loop abstraction by havoc leaves open.
    skipped: Vec<SymbolId>,
}

impl Symbols {
    /// Adds a value.
    pub(super) fn add(&mut self, symbol: Symbol) -> SymbolId {
        self.list.push(symbol);
        SymbolId::new(self.list.len() - 1)
    }

    /// Adds a value that the execution chooses; a truth value is a chance.
    pub(super) fn add_free(&mut self, name: String, width: u32) -> SymbolId {
        let id = self.add(Symbol::chosen(name, width));
        if width == 1 {
            self.chances.push(id);
        }
        id
    }

    /// Adds a value that loop abstraction by havoc leaves open.
    pub(super) fn add_skipped(&mut self, width: u32) -> SymbolId {
        let id = self.add_free("value after more rounds".to_owned(), width);
        self.skipped.push(id);
        id
    }

    /// The chosen value of a name and width: one value for all its uses.
    pub(super) fn named(&mut self, name: &str, width: u32) -> SymbolId {
        let is_it = |symbol: &Symbol| symbol.name == name && symbol.width == width;
        match self.list.iter().position(is_it) {
            Some(index) => SymbolId::new(index),
            None => self.add(Symbol::chosen(name.to_owned(), width)),
        }
    }

    pub(super) fn width(&self, id: SymbolId) -> u32 {
        self.list[id.index()].width
    }

    pub(super) fn chances(&self) -> &[SymbolId] {
        &self.chances
    }

    pub(super) fn skipped(&self) -> &[SymbolId] {
        &self.skipped
    }
}
