//! Registers that may be read before they are written.
//!
//! The standard does not define the value of a register before its first write; here the value is
//! 0, and a verdict that depends on this value deserves a warning. The analysis is a data flow over
//! the statements: for each register, the literals (a predicate register, or its complement) whose
//! truth implies that the register is written. Knowledge from guards and branches has the same
//! form: a literal that is false at a point implies anything. A read under the same predicate as
//! the write is therefore in order.

use super::ast::{Term, Test, Thread};
use super::error::LitmusWarning;
use super::prefix::Prefix;
use crate::diagnostic::Diagnostic;
use crate::ptx::integer::CARRY;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Operation, PredicateUse, Statement};
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Threads with more statements times registers in doubt are not looked at.
const MOST_STATES: usize = 1 << 20;

/// A predicate register or its complement, and which of the two.
type Literal<'t> = (&'t str, bool);

/// Warns of registers that are read or observed on some path without an earlier write. `written`
/// contains the registers that each thread writes at all. Each register of a thread is reported
/// once.
pub(super) fn check(
    test: &Test,
    written: &[FxHashSet<&str>],
    observed: &[&Term],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (index, thread) in test.threads.iter().enumerate() {
        let inits = test.register_inits.iter().filter(|init| init.thread == index);
        let initial: FxHashSet<&str> = inits.map(|init| init.register.value.as_str()).collect();
        let labels = labels(thread);
        let mut doubtful = doubtful(thread, &labels);
        // A register without any write has been reported already.
        let named = |name: &&str| written[index].contains(*name) && *name != CARRY;
        doubtful.retain(|name| named(name) && !initial.contains(name));
        if doubtful.is_empty() || doubtful.len() * thread.statements.len() > MOST_STATES {
            continue;
        }
        let count = thread.statements.len();
        let prefix = Prefix::of(thread, |statement| target(statement, &labels, count));
        let flow = Flow { labels: &labels, complements: complements(thread), doubtful: &doubtful };
        let (states, end) = flow.states(thread, &prefix);
        let later = thread
            .statements
            .iter()
            .zip(&states)
            .filter_map(|(statement, state)| Some(flow.skipped(statement, state.as_ref()?)));
        let mut told = FxHashSet::default();
        let mut is_new = |name| doubtful.contains(name) && told.insert(name);
        for register in prefix.skipped.iter().copied().chain(later.flatten()) {
            if is_new(register.value.as_str()) {
                let name = register.clone();
                diagnostics.push(LitmusWarning::MayBeUnwritten { name }.diagnostic());
            }
        }
        let Some(end) = end else { continue };
        for (name, span) in observed.iter().filter_map(|term| of_thread(term, index)) {
            if !end.writes(name, &[]) && is_new(name) {
                let name = Spanned::new(name.to_owned(), span);
                let thread = thread.name.value.clone();
                diagnostics.push(LitmusWarning::MayEndUnwritten { thread, name }.diagnostic());
            }
        }
    }
}

/// A term that is a register of a thread.
fn of_thread(term: &Term, index: usize) -> Option<(&str, Span)> {
    match term {
        Term::Register { thread, register, span } if *thread == index => Some((register, *span)),
        _ => None,
    }
}

/// The registers without a plain write before their first read, by an unguarded statement that no
/// jump passes. The data flow analysis has to decide about these registers.
fn doubtful<'t>(thread: &'t Thread, labels: &FxHashMap<&str, usize>) -> FxHashSet<&'t str> {
    let (mut surely, mut doubtful) = (FxHashSet::default(), FxHashSet::default());
    // Where the jumps so far lead at most.
    let mut farthest = 0;
    for (at, statement) in thread.statements.iter().enumerate() {
        let mentions = Mentions::of(statement);
        let read = mentions.reads.iter().map(|register| register.value.as_str());
        doubtful.extend(read.filter(|name| !surely.contains(name)));
        let written = mentions.writes.iter().map(|register| register.value.as_str());
        let always = statement.guard.is_none() && farthest <= at;
        for name in written {
            if always && !doubtful.contains(name) {
                surely.insert(name);
            } else if !surely.contains(name) {
                doubtful.insert(name);
            }
        }
        if let Some(target) = target(statement, labels, thread.statements.len()) {
            farthest = farthest.max(target);
        }
    }
    doubtful
}

/// The facts that hold at a point of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State<'t> {
    /// The literals that do not hold here.
    excluded: BTreeSet<Literal<'t>>,
    /// For registers that some path may have written, the literals that imply the write, or `None`
    /// if it is certain. Without an entry, only literals in `excluded` imply it.
    written: FxHashMap<&'t str, Option<BTreeSet<Literal<'t>>>>,
}

impl<'t> State<'t> {
    /// Whether a register is surely written if some literals hold.
    fn writes(&self, register: &str, given: &[Literal<'t>]) -> bool {
        match self.written.get(register) {
            Some(None) => true,
            Some(Some(implied_by)) => given.iter().any(|literal| implied_by.contains(literal)),
            None => given.iter().any(|literal| self.excluded.contains(literal)),
        }
    }

    /// A literal does not hold from here on; `None` where control never comes then.
    fn without(mut self, literal: Literal<'t>) -> Option<Self> {
        let complement = (literal.0, !literal.1);
        if self.excluded.contains(&complement) {
            return None;
        }
        self.excluded.insert(literal);
        for implied_by in self.written.values_mut() {
            if implied_by.as_ref().is_some_and(|by| by.contains(&complement)) {
                *implied_by = None;
            } else if let Some(by) = implied_by {
                by.insert(literal);
            }
        }
        Some(self)
    }

    /// Joins the facts of two paths; gives whether those of this one change.
    fn meet(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.excluded.retain(|literal| other.excluded.contains(literal));
        let names: Vec<&str> = self.written.keys().chain(other.written.keys()).copied().collect();
        for name in names {
            let both = match (before.implying(name), other.implying(name)) {
                (None, None) => continue,
                (None, Some(by)) | (Some(by), None) => by.clone(),
                (Some(a), Some(b)) => a & b,
            };
            self.written.insert(name, Some(both));
        }
        *self != before
    }

    /// The literals that imply that a register is written; `None` if it surely is.
    fn implying(&self, register: &str) -> Option<&BTreeSet<Literal<'t>>> {
        self.written.get(register).map_or(Some(&self.excluded), Option::as_ref)
    }
}

/// The statements that have labels.
fn labels(thread: &Thread) -> FxHashMap<&str, usize> {
    let statements = thread.statements.iter().enumerate();
    statements
        .flat_map(|(at, statement)| statement.labels.iter().map(move |l| (l.value.as_str(), at)))
        .collect()
}

/// The target of a statement's jump, if there is one. A missing label has been reported.
fn target(statement: &Statement, labels: &FxHashMap<&str, usize>, end: usize) -> Option<usize> {
    match &statement.operation {
        Operation::Branch { target, .. } => {
            Some(labels.get(target.value.as_str()).copied().unwrap_or(end))
        }
        Operation::Exit => Some(end),
        _ => None,
    }
}

/// The second destinations of `setp p|q` that only say the opposite of the first, with that.
fn complements(thread: &Thread) -> FxHashMap<&str, &str> {
    let mut writes: FxHashMap<&str, usize> = FxHashMap::default();
    for statement in &thread.statements {
        for register in Mentions::of(statement).writes {
            *writes.entry(&register.value).or_default() += 1;
        }
    }
    let once = |name: &str| writes.get(name) == Some(&1);
    let pairs = thread.statements.iter().filter_map(|statement| match &statement.operation {
        Operation::Compare { destination: Some(p), complement: Some(q), combine: None, .. } => {
            Some((q, p)).filter(|_| once(&q.value) && once(&p.value))
        }
        _ => None,
    });
    pairs.map(|(q, p)| (q.value.as_str(), p.value.as_str())).collect()
}

/// The inputs of the data flow over a thread.
struct Flow<'f, 't> {
    labels: &'f FxHashMap<&'t str, usize>,
    complements: FxHashMap<&'t str, &'t str>,
    doubtful: &'f FxHashSet<&'t str>,
}

impl<'t> Flow<'_, 't> {
    /// The literal that a guard asks for.
    fn literal(&self, guard: &'t PredicateUse) -> Literal<'t> {
        let name = guard.register.value.as_str();
        match self.complements.get(name) {
            Some(other) => (other, guard.negated),
            None => (name, !guard.negated),
        }
    }

    /// The registers that a statement reads and some path to it has not written.
    fn skipped(
        &self,
        statement: &'t Statement,
        state: &State<'t>,
    ) -> impl Iterator<Item = &'t Spanned<String>> {
        // An instruction outside the subset has no meaning that a register's value could change.
        let known = !matches!(statement.operation, Operation::Unknown { .. });
        let guard = statement.guard.as_ref().map(|guard| self.literal(guard));
        let mut operands = Mentions::default();
        operands.operation(&statement.operation);
        let unguarded = statement.guard.iter().map(|guard| &guard.register);
        let unguarded = unguarded.filter(|register| !state.writes(&register.value, &[]));
        let guarded: Vec<_> = operands
            .reads
            .into_iter()
            .filter(|register| !state.writes(&register.value, guard.as_slice()))
            .collect();
        unguarded.chain(guarded).filter(move |_| known)
    }

    /// The facts before each reachable statement of a thread, and at the thread's end.
    fn states(
        &self,
        thread: &'t Thread,
        prefix: &Prefix<'t>,
    ) -> (Vec<Option<State<'t>>>, Option<State<'t>>) {
        let count = thread.statements.len();
        let mut states: Vec<Option<State<'_>>> = vec![None; count + 1];
        let written = prefix.written.iter().map(|name| (*name, None)).collect();
        states[prefix.next] = Some(State { excluded: BTreeSet::new(), written });
        let mut open = BTreeSet::from([prefix.next]);
        while let Some(at) = open.pop_first() {
            let (Some(statement), Some(state)) = (thread.statements.get(at), states[at].clone())
            else {
                continue;
            };
            for (to, state) in
                self.ways(statement, state, at, target(statement, self.labels, count))
            {
                let changed = match &mut states[to] {
                    Some(known) => known.meet(&state),
                    new => {
                        *new = Some(state);
                        true
                    }
                };
                if changed {
                    open.insert(to);
                }
            }
        }
        let end = states.pop().flatten();
        (states, end)
    }

    /// The facts after the writes of a statement.
    fn after(&self, mut state: State<'t>, statement: &'t Statement) -> State<'t> {
        let guard = statement.guard.as_ref().map(|guard| self.literal(guard));
        let happens = guard.is_none_or(|(name, holds)| state.excluded.contains(&(name, !holds)));
        let never = guard.is_some_and(|literal| state.excluded.contains(&literal));
        let written = if never { Vec::new() } else { Mentions::of(statement).writes };
        let in_doubt = written.iter().map(|register| register.value.as_str());
        for name in in_doubt.filter(|name| self.doubtful.contains(name)) {
            let implied_by = match (happens, state.implying(name)) {
                (true, _) | (_, None) => None,
                (false, Some(by)) if by.iter().any(|&(p, b)| guard == Some((p, !b))) => None,
                (false, Some(by)) => Some(by.iter().copied().chain(guard).collect()),
            };
            state.written.insert(name, implied_by);
        }
        // A predicate that is overwritten no longer tells which guarded statements have run.
        for register in written {
            let other = |literal: &Literal<'t>| literal.0 != register.value;
            state.excluded.retain(other);
            state.written.values_mut().flatten().for_each(|by| by.retain(other));
        }
        state
    }

    /// The successors of a statement, with the facts there.
    fn ways(
        &self,
        statement: &'t Statement,
        state: State<'t>,
        at: usize,
        target: Option<usize>,
    ) -> impl Iterator<Item = (usize, State<'t>)> {
        let compares = matches!(&statement.operation, Operation::Branch { condition: Some(_), .. });
        let (stays, goes) =
            match (target, statement.guard.as_ref().map(|guard| self.literal(guard))) {
                (None, _) => (Some(self.after(state, statement)), None),
                (Some(_), None) if !compares => (None, Some(state)),
                (Some(_), Some((name, holds))) if !compares => {
                    (state.clone().without((name, holds)), state.without((name, !holds)))
                }
                (Some(_), _) => (Some(state.clone()), Some(state)),
            };
        let stays = stays.map(|state| (at + 1, state));
        stays.into_iter().chain(target.zip(goes))
    }
}
