//! Amendments of included models: definitions and axioms are replaced in place, so that all their uses
//! see the replacement.
//!
//! An amendment names a definition or an axiom that the included files define exactly once. The
//! right-hand side of a redefinition is evaluated in the scope of the old definition: the redefined
//! name refers to the old definition or, in a recursion, to the recursion itself.

use super::Lowerer;
use super::expr::Found;
use super::value::Value;
use crate::cat::ast::{Binding, Bindings, Name, Statement, StatementKind, Test};
use crate::cat::error::CatError;
use crate::diagnostic::closest;
use crate::source::Span;
use std::borrow::Cow;

/// The names of definitions that the tool evaluates itself, even if no axiom uses them.
const ASKED_FOR: [&str; 8] = [
    "race",
    "overlap",
    "transparent",
    "base-causality",
    "synchronizes",
    "acquire-start",
    "pattern-sync",
    "release-acquire",
];

/// The amendments of one `include`.
#[derive(Debug, Default)]
pub(super) struct Amending {
    amendments: Vec<Amendment>,
    /// The definitions of the included files: the legal targets of redefinitions.
    names: Vec<String>,
    /// The named axioms of the included files: the legal targets of replacements.
    axioms: Vec<String>,
}

/// The amendment of one name.
#[derive(Clone, Debug)]
struct Amendment {
    name: Name,
    statement: Statement,
    /// The span of the statement that the amendment has changed.
    applied: Option<Span>,
}

/// A definition after all amendments.
#[derive(Debug)]
pub(super) struct Amended {
    pub(super) value: Value,
    /// The clauses of the amendment, if there is one.
    pub(super) clauses: Option<Vec<String>>,
    pub(super) span: Span,
}

/// A definition that hides another.
#[derive(Debug)]
pub(super) struct Hidden {
    name: String,
    span: Span,
    hidden: Span,
    used: bool,
}

impl Amending {
    pub(super) fn new(statements: &[Statement]) -> Self {
        let of = |statement: &Statement| {
            let names = match &statement.kind {
                StatementKind::Redefine(binding) => vec![binding.name.clone()],
                StatementKind::Drop(names) => names.clone(),
                StatementKind::Replace { name, .. } => vec![name.clone()],
                _ => Vec::new(),
            };
            let statement = statement.clone();
            names.into_iter().map(move |name| Amendment {
                name,
                statement: statement.clone(),
                applied: None,
            })
        };
        Self { amendments: statements.iter().flat_map(of).collect(), ..Self::default() }
    }
}

impl Amendment {
    fn is_redefinition(&self) -> bool {
        matches!(self.statement.kind, StatementKind::Redefine(_))
    }
}

impl Lowerer<'_> {
    /// The amendments of the name at `span`, those of the innermost file first.
    fn amendments(&mut self, name: &str, span: Span, redefinitions: bool) -> Vec<Statement> {
        let mut found = Vec::new();
        if self.silent {
            return found;
        }
        let mut twice = Vec::new();
        for level in self.amending.iter_mut().rev() {
            let known = if redefinitions { &mut level.names } else { &mut level.axioms };
            known.push(name.to_owned());
            let fits =
                |a: &&mut Amendment| a.name.text() == name && a.is_redefinition() == redefinitions;
            for amendment in level.amendments.iter_mut().filter(fits) {
                match amendment.applied {
                    Some(first) => twice.push(CatError::AmendedTwice {
                        span: amendment.name.span(),
                        name: name.to_owned(),
                        first,
                        second: span,
                    }),
                    None => {
                        amendment.applied = Some(span);
                        found.push(amendment.statement.clone());
                    }
                }
            }
        }
        self.errors.extend(twice);
        found
    }

    /// A definition that is not recursive, with amendments applied.
    pub(super) fn redefined(&mut self, name: &Name, value: Value) -> Amended {
        let mut amended = Amended { value, clauses: None, span: name.span() };
        for statement in self.amendments(name.text(), name.span(), true) {
            let StatementKind::Redefine(binding) = statement.kind else { continue };
            let scope = self.scope.with(name.text(), amended.value.clone());
            let span = binding.name.span();
            let single = Bindings { recursive: false, list: vec![binding] };
            let Some((_, value)) = self.bind(&single, &scope).into_iter().next() else { continue };
            if !self.is_alike(name, &amended.value, &value, span) {
                // The old value stays, since each use of the new one would repeat the error.
                continue;
            }
            let (clauses, kind) = (statement.clauses.clone(), StatementKind::Let(single));
            self.keep(&Statement { kind, clauses, span: statement.span });
            amended = Amended { value, clauses: Some(statement.clauses), span };
        }
        amended
    }

    /// The bindings of a recursion, with amendments applied.
    pub(super) fn amended_recursion<'b>(&mut self, bindings: &'b Bindings) -> Cow<'b, Bindings> {
        if !bindings.recursive || self.amending.is_empty() {
            return Cow::Borrowed(bindings);
        }
        let amended = |lowerer: &mut Self, binding: &Binding| {
            let name = &binding.name;
            let found = lowerer.amendments(name.text(), name.span(), true);
            let mut last = found.into_iter().filter_map(|statement| match statement.kind {
                StatementKind::Redefine(binding) => Some(binding),
                _ => None,
            });
            last.next_back().unwrap_or_else(|| binding.clone())
        };
        let list = bindings.list.iter().map(|binding| amended(self, binding)).collect();
        Cow::Owned(Bindings { recursive: true, list })
    }

    /// Whether the new value is a set or relation like the old one; if not, reports an error.
    fn is_alike(&mut self, name: &Name, old: &Value, new: &Value, span: Span) -> bool {
        let (old, new) = (self.sort_of(old), self.sort_of(new));
        let known = |found: &Found| !matches!(found, Found::Any);
        let differs = known(&old) && known(&new) && old.name() != new.name();
        if differs {
            let (old, new, defined) = (old.name(), new.name(), name.span());
            let name = name.text().to_owned();
            self.error(CatError::RedefinedSort { span, name, old, new, defined });
        }
        !differs
    }

    /// An axiom, with amendments applied.
    pub(super) fn amended_test(&mut self, test: &Test, statement: &Statement) {
        let (mut test, mut statement) = (Cow::Borrowed(test), Cow::Borrowed(statement));
        if let Some(name) = &test.name.clone() {
            for amendment in self.amendments(name.text(), name.span(), false) {
                let StatementKind::Replace { test: new, .. } = &amendment.kind else { return };
                let named = new.name.clone().or_else(|| Some(name.clone()));
                test = Cow::Owned(Test { name: named, ..new.clone() });
                statement = Cow::Owned(amendment);
            }
        }
        let kind = StatementKind::Test(test.clone().into_owned());
        self.keep(&Statement { kind, ..statement.clone().into_owned() });
        self.test(&test, &statement);
    }

    /// Ends the innermost amendments and checks that each has changed something.
    pub(super) fn finish_amending(&mut self) {
        let Some(Amending { amendments, names, axioms }) = self.amending.pop() else { return };
        // The target may be a statement that was not parsed.
        if self.exhausted {
            return;
        }
        for amendment in amendments.into_iter().filter(|a| a.applied.is_none()) {
            let (what, verb, known) = match amendment.statement.kind {
                StatementKind::Redefine(_) => ("definition", "redefine", &names),
                StatementKind::Drop(_) => ("axiom", "drop", &axioms),
                _ => ("axiom", "replace", &axioms),
            };
            let name = amendment.name.text().to_owned();
            let closest = closest(&name, known.iter().map(String::as_str)).map(str::to_owned);
            let span = amendment.name.span();
            self.error(CatError::NothingToAmend { span, what, verb, name, closest });
        }
    }

    /// Records a definition that hides an earlier one of the same name.
    pub(super) fn hide(&mut self, name: &str, span: Span) {
        if self.silent || ASKED_FOR.contains(&name) {
            return;
        }
        if let Some(other) = self.model.definitions.iter().rev().find(|d| d.name == name) {
            let (name, hidden) = (name.to_owned(), other.span);
            self.hidden.push(Hidden { name, span, hidden, used: false });
        }
    }

    /// Notes a use of a name.
    pub(super) fn used(&mut self, name: &str) {
        if let Some(hidden) = self.hidden.iter_mut().rev().find(|h| h.name == name) {
            hidden.used = true;
        }
    }

    /// Warns of definitions that hide earlier ones and are not used.
    pub(super) fn warn_of_hidden(&mut self) {
        let hidden = std::mem::take(&mut self.hidden);
        self.errors.extend(hidden.into_iter().filter(|h| !h.used).map(|h| CatError::HidesInVain {
            span: h.span,
            name: h.name,
            hidden: h.hidden,
        }));
    }
}
