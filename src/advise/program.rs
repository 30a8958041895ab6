//! The changed test for a level of each site, and the corresponding edits of the text.
//!
//! An inserted statement gets the empty span before its successor, so that reports find its place
//! in the source.

use super::level::Level;
use super::place;
use super::site::{Place, Position, Site};
use crate::litmus::ast::{Dialect, Test, Thread};
use crate::ptx::operation::{
    AccessForm, FenceRestriction, Operation, Order, ProxyFenceKind, Scope, Statement,
};
use crate::ptx::print::{Style, statement as printed};
use crate::source::Span;

/// A level for each site, as an index into its levels.
pub type Assignment = Vec<u8>;

/// A removed line of the program, an inserted line, or a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The threads of the line.
    pub threads: Vec<usize>,
    /// The position of the statement, or of the statement behind an insertion.
    pub span: Span,
    /// The original statement.
    pub before: Option<String>,
    /// The new statement.
    pub after: Option<String>,
    /// The operation that is changed or new; `None` where it is taken away.
    pub operation: Option<Operation>,
}

/// The test with a level for each site.
#[must_use]
pub fn changed(test: &Test, sites: &[Site], assignment: &[u8]) -> Test {
    let mut test = test.clone();
    let mut edits = Edits::default();
    for (site, &level) in sites.iter().zip(assignment) {
        if usize::from(level) != site.written {
            edits.add(site, usize::from(level));
        }
    }
    for (index, thread) in test.threads.iter_mut().enumerate() {
        edits.apply(index, thread);
    }
    test
}

/// An order that a statement is to have, and a scope, if it has not more already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strengthening {
    /// The statement.
    pub span: Span,
    /// The order; relaxed where only the scope counts.
    pub order: Order,
    /// The scope.
    pub scope: Scope,
}

/// The test with stronger statements; `None` where one of them takes no order.
#[must_use]
pub fn strengthened(test: &Test, changes: &[Strengthening]) -> Option<Test> {
    let mut test = test.clone();
    for change in changes {
        let all = test.threads.iter_mut().flat_map(|thread| &mut thread.statements);
        let mut found = false;
        for statement in all.filter(|statement| statement.span == change.span) {
            let (order, scope) = match &mut statement.operation {
                Operation::Fence { order, scope, .. } => (order, scope),
                operation => {
                    let access = access(operation)?;
                    access.volatile = false;
                    (&mut access.order, access.scope.get_or_insert(change.scope))
                }
            };
            *order = both(*order, change.order);
            *scope = (*scope).max(change.scope);
            found = true;
        }
        found.then_some(())?;
    }
    Some(test)
}

/// The weakest order with all that two orders have.
fn both(one: Order, other: Order) -> Order {
    match (one, other) {
        (Order::Acquire, Order::Release) | (Order::Release, Order::Acquire) => Order::AcqRel,
        _ => one.max(other),
    }
}

/// The changes in the text at a site with the given level.
#[must_use]
pub fn lines(test: &Test, site: &Site, level: usize) -> Vec<Line> {
    if level == site.written {
        return Vec::new();
    }
    let style = style(test);
    let text = |statement: &Statement| {
        let bare = Statement { labels: Vec::new(), ..statement.clone() };
        printed(&bare, style).ok()
    };
    let known = |at: &Position| test.threads[at.threads[0]].statements.get(at.statement);
    let line = |at: &Position, before: Option<String>, after: Option<&Statement>| Line {
        threads: at.threads.clone(),
        span: place(&test.threads[at.threads[0]], at.statement),
        before,
        after: after.and_then(&text),
        operation: after.map(|statement| statement.operation.clone()),
    };
    let wanted = site.levels[level];
    match &site.place {
        Place::Statement(at) => {
            let old = known(at);
            let new = old.and_then(|statement| at_level(statement, wanted));
            vec![line(at, old.and_then(text), new.as_ref())]
        }
        Place::Before(at) => {
            let new = fence(wanted).map(|operation| inserted(operation, test, at));
            vec![line(at, None, new.as_ref())]
        }
        Place::Exchange(at) => {
            let moved = |statement: &&Statement| !super::place::is_barrier(&statement.operation);
            let pair = [known(at), known(&Position { statement: at.statement + 1, ..at.clone() })];
            let Some(which) = pair.iter().position(|one| one.as_ref().is_some_and(moved)) else {
                return Vec::new();
            };
            let from = Position { statement: at.statement + which, ..at.clone() };
            let to = Position { statement: at.statement + 2 * (1 - which), ..at.clone() };
            let taken = line(&from, pair[which].and_then(text), None);
            vec![taken, line(&to, None, pair[which])]
        }
        Place::Meeting { barrier, choices } => {
            let Level::Edit(number) = wanted else { return Vec::new() };
            let all = choices.get(usize::from(number)).map_or(&[][..], Vec::as_slice);
            let new = |at| inserted((**barrier).clone(), test, at);
            all.iter().map(|at| line(at, None, Some(&new(at)))).collect()
        }
        Place::Barrier(all) => {
            all.iter().map(|at| line(at, known(at).and_then(text), None)).collect()
        }
    }
}

/// How statements of a test are printed.
#[must_use]
pub fn style(test: &Test) -> Style {
    match test.dialect {
        Dialect::Columns => Style::Columns,
        Dialect::Blocks | Dialect::Nvlitmus => Style::Ptx,
    }
}

/// An empty span before a statement of a thread; behind the last one, where the thread ends.
fn place(thread: &Thread, statement: usize) -> Span {
    match (thread.statements.get(statement), thread.statements.last()) {
        (Some(next), _) => next.span,
        (None, Some(last)) => Span { start: last.span.end, ..last.span },
        (None, None) => thread.name.span,
    }
}

fn inserted(operation: Operation, test: &Test, at: &Position) -> Statement {
    let span = place(&test.threads[at.threads[0]], at.statement);
    let span = Span { end: span.start, ..span };
    Statement { labels: Vec::new(), guard: None, operation, span }
}

/// Changes by thread and statement.
#[derive(Default)]
struct Edits<'s> {
    levels: Vec<(&'s Position, Level)>,
    insertions: Vec<(&'s Position, Operation)>,
    exchanges: Vec<&'s Position>,
}

impl<'s> Edits<'s> {
    fn add(&mut self, site: &'s Site, level: usize) {
        let level = site.levels[level];
        match &site.place {
            Place::Statement(at) => self.levels.push((at, level)),
            Place::Before(at) => {
                self.insertions.extend(fence(level).map(|operation| (at, operation)));
            }
            Place::Exchange(at) => self.exchanges.push(at),
            Place::Meeting { barrier, choices } => {
                if let Level::Edit(number) = level {
                    let all = choices.get(usize::from(number)).into_iter().flatten();
                    self.insertions.extend(all.map(|at| (at, (**barrier).clone())));
                }
            }
            Place::Barrier(all) => self.levels.extend(all.iter().map(|at| (at, Level::Absent))),
        }
    }

    fn apply(&self, thread: usize, code: &mut Thread) {
        let here = |at: &Position| at.threads.contains(&thread);
        let touched = self.levels.iter().any(|(at, _)| here(at))
            || self.insertions.iter().any(|(at, _)| here(at))
            || self.exchanges.iter().any(|at| here(at));
        if !touched {
            return;
        }
        let headers: Vec<usize> =
            super::barriers::loops(&code.statements).into_iter().map(|(first, _)| first).collect();
        let count = code.statements.len();
        let mut slots: Vec<Option<Statement>> =
            std::mem::take(&mut code.statements).into_iter().map(Some).collect();
        // Labels of branch targets stay at their places.
        let mut labels: Vec<_> =
            slots.iter_mut().flatten().map(|s| std::mem::take(&mut s.labels)).collect();
        labels.push(Vec::new());
        let spans: Vec<Span> = slots.iter().flatten().map(|statement| statement.span).collect();
        for &(at, level) in self.levels.iter().filter(|(at, _)| here(at)) {
            let slot = &mut slots[at.statement];
            *slot = slot.as_ref().and_then(|statement| at_level(statement, level));
        }
        for at in self.exchanges.iter().filter(|at| here(at)) {
            slots.swap(at.statement, at.statement + 1);
        }
        slots.push(None);
        let mut open = Vec::new();
        for (at, slot) in slots.into_iter().enumerate() {
            // A loop starts behind statements inserted before it. Other branches lead to the
            // inserted statements.
            let is_header = headers.contains(&at);
            if !is_header {
                open.append(&mut labels[at]);
            }
            for (_, operation) in
                self.insertions.iter().filter(|(p, _)| here(p) && p.statement == at)
            {
                let span = spans.get(at).or(spans.last()).copied().unwrap_or(code.name.span);
                let at = if at < count { span.start } else { span.end };
                let span = Span { start: at, end: at, ..span };
                let labels = std::mem::take(&mut open);
                code.statements.push(Statement {
                    labels,
                    guard: None,
                    operation: operation.clone(),
                    span,
                });
            }
            open.append(&mut labels[at]);
            if let Some(mut statement) = slot {
                statement.labels = std::mem::take(&mut open);
                code.statements.push(statement);
            }
        }
        if !open.is_empty() {
            let end = spans.last().copied().unwrap_or(code.name.span);
            let span = Span { start: end.end, ..end };
            let operation = Operation::Nothing;
            code.statements.push(Statement { labels: open, guard: None, operation, span });
        }
    }
}

/// A statement with another level; `None` where it is gone.
fn at_level(statement: &Statement, level: Level) -> Option<Statement> {
    let mut statement = statement.clone();
    match (&mut statement.operation, level) {
        (_, Level::Absent) => return None,
        (
            Operation::Fence { order, scope, restriction: FenceRestriction::None },
            Level::Strong(o, s),
        ) => {
            (*order, *scope) = (o, s);
        }
        (Operation::ClusterArrive { order, .. }, Level::Strong(o, _)) => *order = o,
        (Operation::ProxyFence { kind, .. }, Level::Proxy(other)) => *kind = other,
        (operation, level) => {
            if let Some(access) = access(operation) {
                set_level(access, level);
            }
        }
    }
    Some(statement)
}

fn set_level(access: &mut AccessForm, level: Level) {
    (access.order, access.scope) = match level {
        Level::Strong(order, scope) => (order, Some(scope)),
        _ => (Order::Weak, None),
    };
    access.volatile = false;
}

/// The access whose qualifiers an operation has.
fn access(operation: &mut Operation) -> Option<&mut AccessForm> {
    match operation {
        Operation::Load { access, .. }
        | Operation::Store { access, .. }
        | Operation::Atomic { access, .. }
        | Operation::Reduce { access, .. }
        | Operation::MultimemLoadReduce { access, .. }
        | Operation::MultimemStore { access, .. }
        | Operation::MultimemReduce { access, .. }
        | Operation::Mbarrier { access, .. } => Some(access),
        _ => None,
    }
}

/// The fence that a level stands for.
fn fence(level: Level) -> Option<Operation> {
    match level {
        Level::Strong(order, scope) => {
            Some(Operation::Fence { order, scope, restriction: FenceRestriction::None })
        }
        Level::Tensor(kind) => place::tensor_fence(kind),
        Level::Proxy(kind @ (ProxyFenceKind::Alias | ProxyFenceKind::Async(_))) => {
            Some(Operation::ProxyFence { kind, address: None })
        }
        _ => None,
    }
}
