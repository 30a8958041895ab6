//! Lowering of a syntax tree to a [`Model`]: names resolved, sorts checked, functions and
//! procedures inlined.
//!
//! Everything is checked, used or not: function bodies at their definitions, and the branches of
//! `if` that no variant selects. Errors do not stop the reading; values that depend on an error are
//! unknown, and cause no further errors.

mod amend;
mod bind;
mod expr;
mod value;

use self::amend::{Amended, Amending, Hidden};
use self::value::{Procedure, Scope, Value};
use super::ast::{
    Binding, Bindings, Condition, Expr, File, Name, Pattern, Statement, StatementKind, Test,
    TestRole,
};
use super::error::CatError;
use super::library;
use super::parse::parse;
use super::{Hole, Loader, Options, filling};
use crate::id::{FileId, NodeId};
use crate::relation::expr::{Axiom, AxiomRole, Definition, Model, Node, RecId};
use crate::source::{Files, Span};
use crate::vocabulary::Sort;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How deep files may include files.
const MAX_INCLUDES: usize = 64;

/// The result of reading a model, which is usable if there are only warnings.
#[derive(Debug)]
pub(super) struct Lowered {
    pub(super) model: Model,
    /// The effective statements of the file and of its includes, without the library.
    pub(super) flat: File,
    pub(super) errors: Vec<CatError>,
    pub(super) variants: BTreeSet<String>,
    pub(super) holes: Vec<Hole>,
}

/// Reads `file` and all its includes.
pub(super) fn lower(
    files: &mut Files,
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
) -> Lowered {
    let mut lowerer = Lowerer {
        files,
        loader,
        options,
        model: Model::default(),
        errors: Vec::new(),
        variants: BTreeSet::new(),
        axiom_names: FxHashMap::default(),
        scope: Scope::default(),
        open: BTreeMap::new(),
        included: BTreeSet::new(),
        including: Vec::new(),
        amending: Vec::new(),
        flat: Vec::new(),
        holes: Vec::new(),
        hidden: Vec::new(),
        silent: false,
        exhausted: false,
        attempts: 0,
        depth: 0,
        calls: 0,
    };
    lowerer.library("stdlib.cat");
    let name = lowerer.files.get(file).map_or(String::new(), |f| f.name.clone());
    lowerer.model.name = name.rsplit('/').next().unwrap_or("").trim_end_matches(".cat").to_owned();
    lowerer.including.push((name, None));
    let tree = lowerer.parse(file);
    lowerer.model.title.clone_from(&tree.title);
    lowerer.statements(&tree.statements);
    lowerer.warn_of_hidden();
    let flat = File { title: tree.title, statements: lowerer.flat };
    Lowered {
        model: lowerer.model,
        flat,
        errors: lowerer.errors,
        variants: lowerer.variants,
        holes: lowerer.holes,
    }
}

struct Lowerer<'a> {
    files: &'a mut Files,
    loader: &'a dyn Loader,
    options: &'a Options,
    model: Model,
    errors: Vec<CatError>,
    /// The variants that the model asks about.
    variants: BTreeSet<String>,
    /// The names of axioms: where the first stands, and the last number given to another.
    axiom_names: FxHashMap<String, (Span, usize)>,
    scope: Scope,
    /// The recursive definitions whose right-hand sides are being read.
    open: BTreeMap<RecId, (String, Span)>,
    included: BTreeSet<String>,
    /// The files being read, outermost first, each with its `include`.
    including: Vec<(String, Option<Span>)>,
    /// The amendments of the files being read, outermost first.
    amending: Vec<Amending>,
    /// The statements that count so far.
    flat: Vec<Statement>,
    /// The holes, in order.
    holes: Vec<Hole>,
    /// Definitions that hide others.
    hidden: Vec<Hidden>,
    /// Whether definitions are left out of the model: those of the library or not at top level.
    silent: bool,
    /// Whether a limit was passed, so that reading has stopped.
    exhausted: bool,
    /// How many attempts are under way, whose errors do not count.
    attempts: usize,
    depth: usize,
    calls: usize,
}

impl Lowerer<'_> {
    fn parse(&mut self, file: FileId) -> File {
        let text = self.files.get(file).map_or("", |f| f.text.as_str());
        let (tree, errors) = parse(text, file);
        // A file with wrong tokens has no statements, and errors about their absence would be
        // repetitions.
        self.exhausted |= errors.iter().any(CatError::is_lexical);
        self.errors.extend(errors);
        tree
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            if !self.exhausted {
                self.statement(statement);
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            // These statements are kept with amendments applied.
            StatementKind::Let(_)
            | StatementKind::Test(_)
            | StatementKind::Include { .. }
            | StatementKind::Hole { .. }
            | StatementKind::If { .. } => {}
            _ => self.keep(statement),
        }
        match &statement.kind {
            StatementKind::Let(bindings) => self.let_statement(bindings, statement),
            StatementKind::Test(test) => self.amended_test(test, statement),
            StatementKind::Show(items) => {
                for (expr, name) in items {
                    let scope = self.scope.clone();
                    let value = self.expr(expr, &scope);
                    let shown = name.as_ref().map_or(expr.to_string(), |n| n.text().to_owned());
                    if let Some(node) = self.any_node(&value, expr.span, "`show`") {
                        self.model.shown.retain(|(other, _)| *other != shown);
                        self.model.shown.push((shown, node));
                    }
                }
            }
            StatementKind::Unshow(names) => {
                self.model.shown.retain(|(shown, _)| names.iter().all(|n| n.text() != shown));
            }
            StatementKind::Include { file, amendments } => self.include(file, amendments),
            StatementKind::Hole { name, alternatives } => self.hole(name, alternatives, statement),
            // The parser gives these only to an `include`.
            StatementKind::Redefine(_) | StatementKind::Drop(_) | StatementKind::Replace { .. } => {
            }
            StatementKind::Procedure { name, parameters, body } => {
                self.procedure(name, parameters, body);
            }
            StatementKind::Call { name, argument } => {
                let scope = self.scope.clone();
                let value = self.expr(argument, &scope);
                self.call_procedure(name, value, statement.span);
            }
            StatementKind::If { condition, then, otherwise } => {
                let (taken, other) =
                    if self.holds(condition) { (then, otherwise) } else { (otherwise, then) };
                self.statements(taken);
                self.check_only(other);
            }
            StatementKind::Declaration(_) => {}
            StatementKind::Broken(names) => {
                for name in names {
                    self.scope = self.scope.with(name, Value::Unknown(None));
                }
            }
        }
    }

    /// Keeps an effective statement, unless it is the library's or inside a procedure.
    fn keep(&mut self, statement: &Statement) {
        if !self.silent {
            self.flat.push(statement.clone());
        }
    }

    fn let_statement(&mut self, bindings: &Bindings, statement: &Statement) {
        let scope = self.scope.clone();
        let bindings = &*self.amended_recursion(bindings);
        self.keep(&Statement { kind: StatementKind::Let(bindings.clone()), ..statement.clone() });
        for ((name, value), binding) in self.bind(bindings, &scope).into_iter().zip(&bindings.list)
        {
            let amended = match bindings.recursive {
                true => Amended { value, clauses: None, span: binding.name.span() },
                false => self.redefined(&binding.name, value),
            };
            let clauses = amended.clauses.as_deref().unwrap_or(&statement.clauses);
            self.hide(name, amended.span);
            self.define(name, &amended.value, clauses, amended.span);
            self.scope = self.scope.with(name, amended.value);
        }
    }

    /// Fills a hole with the alternative that the options choose, else with the first; all are checked.
    fn hole(&mut self, name: &Name, alternatives: &[Expr], statement: &Statement) {
        let scope = self.scope.clone();
        let values: Vec<Value> = alternatives.iter().map(|one| self.expr(one, &scope)).collect();
        let is_chosen = |at: &usize| self.options.variants.contains(&filling(name.text(), *at));
        let at = (0..values.len()).find(is_chosen).unwrap_or(0);
        let Some(value) = values.into_iter().nth(at) else { return };
        if !self.silent {
            let alternatives = alternatives.iter().map(ToString::to_string).collect();
            self.holes.push(Hole { name: name.text().to_owned(), alternatives });
        }
        let (name, parameters, one) = (name.clone(), None, alternatives[at].clone());
        let binding = Binding { name: name.clone(), parameters, value: one };
        let kind = StatementKind::Let(Bindings { recursive: false, list: vec![binding] });
        self.keep(&Statement { kind, ..statement.clone() });
        self.define(name.text(), &value, &statement.clauses, name.span());
        self.scope = self.scope.with(name.text(), value);
    }

    fn define(&mut self, name: &str, value: &Value, clauses: &[String], span: Span) {
        let node = match value {
            Value::Node(node) => *node,
            Value::Zero => self.model.arena.add(Node::Empty(Sort::Relation)),
            _ => return,
        };
        if !self.silent {
            let (name, clauses) = (name.to_owned(), clauses.to_vec());
            self.model.definitions.push(Definition { name, node, clauses, span });
        }
    }

    fn test(&mut self, test: &Test, statement: &Statement) {
        use crate::relation::expr::AxiomKind::{Acyclic, Empty, Irreflexive};
        let scope = self.scope.clone();
        let node = match test.kind {
            Acyclic => self.operand(&test.expr, &scope, Sort::Relation, "`acyclic`"),
            Irreflexive => self.operand(&test.expr, &scope, Sort::Relation, "`irreflexive`"),
            Empty => {
                let value = self.expr(&test.expr, &scope);
                self.any_node(&value, test.expr.span, "`empty`")
            }
        };
        let span = statement.span;
        let name = self.axiom_name(test.name.as_ref(), span);
        let Some(node) = node else { return };
        let (role, negated) = match test.role {
            TestRole::Required => (AxiomRole::Required, test.negated),
            TestRole::Flag => (AxiomRole::Flag, !test.negated),
            TestRole::Assert => (AxiomRole::Flag, test.negated),
            TestRole::UndefinedUnless => (AxiomRole::UndefinedUnless, test.negated),
        };
        let (kind, clauses) = (test.kind, statement.clauses.clone());
        self.axiom_names.entry(name.clone()).or_insert((span, 1));
        self.model.axioms.push(Axiom { kind, negated, role, node, name, clauses, span });
    }

    /// The given name, or one made from the position; changed if another axiom has it.
    fn axiom_name(&mut self, given: Option<&Name>, span: Span) -> String {
        let Some(given) = given else {
            return format!("axiom-{}", self.model.axioms.len() + 1);
        };
        let Some(&(first, used)) = self.axiom_names.get(given.text()) else {
            return given.text().to_owned();
        };
        let mut candidates = (used + 1..).map(|n| (n, format!("{}-{n}", given.text())));
        let (count, renamed) = candidates
            .find(|(_, name)| !self.axiom_names.contains_key(name))
            .expect("there are endless numbers");
        self.axiom_names.insert(given.text().to_owned(), (first, count));
        let (name, result) = (given.text().to_owned(), renamed.clone());
        self.error(CatError::SameAxiomName { span, name, first, renamed });
        result
    }

    fn include(&mut self, name: &Name, amendments: &[Statement]) {
        if library::library(name.text()).is_some() {
            if let Some(first) = amendments.first() {
                let what = "an amendment of a library file".to_owned();
                let instead = Some("amend the models that include it, or define what they use");
                self.error(CatError::Unsupported { span: first.span, what, instead });
            }
            self.keep(&Statement {
                kind: StatementKind::Include { file: name.clone(), amendments: Vec::new() },
                clauses: Vec::new(),
                span: name.span(),
            });
            self.library(name.text());
            self.model.total_co |= name.text() == "cos.cat";
            return;
        }
        let from = self.including.last().map(|(file, _)| file.clone());
        let loaded = self.loader.load(name.text(), from.as_deref());
        let Some((found, text)) = loaded.or_else(|| library::included(name.text())) else {
            let (span, name) = (name.span(), name.text().to_owned());
            self.error(CatError::MissingInclude { span, name });
            return;
        };
        if let Some(at) = self.including.iter().position(|(file, _)| *file == found) {
            let chain = self.including[at + 1..].iter().filter_map(|(_, span)| *span).collect();
            self.error(CatError::IncludeCycle { span: name.span(), name: found, chain });
            return;
        }
        if self.including.len() > MAX_INCLUDES {
            self.error(CatError::TooDeep { span: name.span() });
            self.exhausted = true;
            return;
        }
        if self.included.insert(found.clone()) {
            let file = self.files.add(found.clone(), text);
            let tree = self.parse(file);
            self.including.push((found, Some(name.span())));
            self.amending.push(Amending::new(amendments));
            self.statements(&tree.statements);
            self.including.pop();
            self.finish_amending();
        } else if let Some(first) = amendments.first() {
            self.error(CatError::AmendedTooLate { span: first.span, name: found });
        }
    }

    /// Reads a file of the library, whose definitions do not belong to the model.
    fn library(&mut self, name: &str) {
        let Some(text) = library::library(name) else { return };
        if self.included.insert(name.to_owned()) {
            let file = self.files.add(format!("<{name}>"), text);
            let tree = self.parse(file);
            let before = std::mem::replace(&mut self.silent, true);
            self.statements(&tree.statements);
            self.silent = before;
        }
    }

    fn procedure(&mut self, name: &Name, parameters: &Pattern, body: &[Statement]) {
        let procedure = Procedure {
            name: name.text().to_owned(),
            parameters: parameters.clone(),
            body: body.to_vec(),
            scope: self.scope.clone(),
            defined: name.span(),
        };
        self.scope = self.scope.with(name.text(), Value::Procedure(Rc::new(procedure)));
    }

    fn call_procedure(&mut self, name: &Name, argument: Value, span: Span) {
        let procedure = match self.scope.get(name.text()) {
            Some(Value::Procedure(procedure)) => Rc::clone(procedure),
            Some(Value::Unknown(_)) => return,
            _ => {
                let (span, name) = (name.span(), name.text().to_owned());
                self.error(CatError::NotAProcedure { span, name });
                return;
            }
        };
        let Procedure { name, parameters, body, scope, defined } = &*procedure;
        if let Some(inner) = self.parameters(name, parameters, *defined, scope, argument, span) {
            let outer = std::mem::replace(&mut self.scope, inner);
            let silent = std::mem::replace(&mut self.silent, true);
            let before = self.errors.len();
            self.statements(body);
            self.blame_call(before, span);
            self.silent = silent;
            self.scope = outer;
        }
    }

    /// Checks statements that no variant selects, except those that include another file, which may
    /// be absent for the same reason.
    fn check_only(&mut self, statements: &[Statement]) {
        if statements.iter().any(|s| matches!(s.kind, StatementKind::Include { .. })) {
            return;
        }
        let scope = self.scope.clone();
        let silent = std::mem::replace(&mut self.silent, true);
        let axioms = std::mem::take(&mut self.model.axioms);
        let names = std::mem::take(&mut self.axiom_names);
        let shown = self.model.shown.clone();
        let amending = std::mem::take(&mut self.amending);
        self.statements(statements);
        self.amending = amending;
        (self.model.axioms, self.model.shown) = (axioms, shown);
        self.axiom_names = names;
        self.silent = silent;
        self.scope = scope;
    }

    /// Whether a condition on variants holds.
    fn holds(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Variant(name) => {
                self.variants.insert(name.text().to_owned());
                self.options.variants.contains(name.text())
            }
            Condition::Not(inner) => !self.holds(inner),
            // All of them are asked, so that every variant is known.
            Condition::All(list) => list.iter().fold(true, |all, c| self.holds(c) & all),
            Condition::Any(list) => list.iter().fold(false, |any, c| self.holds(c) | any),
        }
    }

    /// The node of a set or relation.
    fn any_node(&mut self, value: &Value, span: Span, what: &'static str) -> Option<NodeId> {
        let sort = match self.sort_of(value) {
            expr::Found::Sort(sort) => sort,
            _ => Sort::Relation,
        };
        self.expect(value, span, sort, what)
    }

    /// Records an error; the erroneous value is unknown.
    fn error(&mut self, error: CatError) -> Value {
        self.errors.push(error);
        Value::Unknown(None)
    }

    /// Records that the model is too large, and stops.
    fn limit(&mut self, span: Span, limit: usize, what: &'static str) -> Value {
        if !std::mem::replace(&mut self.exhausted, true) {
            self.errors.push(CatError::TooLarge { span, limit, what });
        }
        Value::Unknown(None)
    }

    /// Marks the errors since `before` as caused by the call at `span`.
    fn blame_call(&mut self, before: usize, span: Span) {
        for error in &mut self.errors[before..] {
            if !matches!(error, CatError::InCall { .. } | CatError::SameAxiomName { .. }) {
                *error = CatError::InCall { call: span, error: Box::new(error.clone()) };
            }
        }
    }
}
