//! A test under construction: declarations by name, and the diagnostics so far.

use super::condition::Resolver;
use super::header::Header;
use super::kernel::Unread;
use super::place::{CLUSTERS, PlaceDraft, PlaceError, later_parts, named_cluster, resolve};
use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{
    AliasDeclaration, Condition, DeclaredSpace, Dialect, InitialValue, LaunchSize, Quantifier,
    RegisterInit, Task, TaskEdge, Term, Test, Thread, Variable,
};
use crate::litmus::error::{LitmusError, LitmusWarning};
use crate::litmus::tensor::TensorMap;
use crate::ptx::decode::{self, Names};
use crate::ptx::error::SyntaxError;
use crate::ptx::legacy;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Register, Statement, Type};
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};

/// A thread under construction.
#[derive(Debug)]
pub(crate) struct ThreadDraft {
    pub(crate) name: Spanned<String>,
    pub(crate) place: PlaceDraft,
    pub(crate) registers: Vec<(Register, Type)>,
    pub(crate) statements: Vec<Statement>,
}

impl ThreadDraft {
    /// Whether the thread declares, reads or writes a register, named without `%`.
    pub(crate) fn has_register(&self, name: &str) -> bool {
        let mentioned = |statement: &Statement| {
            let Mentions { reads, writes, .. } = Mentions::of(statement);
            reads.into_iter().chain(writes).any(|register| register.value == name)
        };
        self.registers.iter().any(|(register, _)| register.value == name)
            || self.statements.iter().any(mentioned)
    }
}

/// `P0:r0 = value` before the threads are known.
#[derive(Debug)]
pub(crate) struct RegisterInitDraft {
    pub(crate) thread: Spanned<String>,
    pub(crate) register: Register,
    pub(crate) value: InitialValue,
}

/// Where the size of a `.shared` array stands that is declared without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SharedSizes {
    /// Nowhere, which is an error.
    #[default]
    Declared,
    /// In the launch: the variable has no elements until then.
    OfLaunch,
}

/// Everything read so far.
#[derive(Debug)]
pub(crate) struct Draft {
    header: Header,
    pub(crate) dialect: Dialect,
    whole: Span,
    pub(crate) version: Option<(u32, u32)>,
    /// Where the version is named.
    pub(crate) version_at: Option<Span>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) tensor_maps: Vec<TensorMap>,
    pub(crate) tensor_memory: Vec<String>,
    pub(crate) aliases: Vec<AliasDeclaration>,
    declared: FxHashMap<String, Span>,
    /// Variables that threads declare, each with the last thread that does.
    of_threads: FxHashMap<String, usize>,
    pub(crate) register_inits: Vec<RegisterInitDraft>,
    pub(crate) launch: Vec<LaunchSize>,
    pub(crate) threads: Vec<ThreadDraft>,
    thread_index: FxHashMap<String, usize>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) task_edges: Vec<TaskEdge>,
    pub(crate) locations: Vec<Term>,
    pub(crate) filter: Option<Condition>,
    pub(crate) judgement: Option<(Quantifier, Condition, Span)>,
    /// A kernel or function that was passed over.
    pub(crate) unread: Option<Unread>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Where sizes of `.shared` arrays stand.
    pub(crate) sizes: SharedSizes,
}

impl Draft {
    pub(crate) fn new(
        header: Header,
        dialect: Dialect,
        whole: Span,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        Self {
            header,
            dialect,
            whole,
            version: None,
            version_at: None,
            variables: Vec::new(),
            tensor_maps: Vec::new(),
            tensor_memory: Vec::new(),
            aliases: Vec::new(),
            declared: FxHashMap::default(),
            of_threads: FxHashMap::default(),
            register_inits: Vec::new(),
            launch: Vec::new(),
            threads: Vec::new(),
            thread_index: FxHashMap::default(),
            tasks: Vec::new(),
            task_edges: Vec::new(),
            locations: Vec::new(),
            filter: None,
            judgement: None,
            unread: None,
            diagnostics,
            sizes: SharedSizes::default(),
        }
    }

    pub(crate) fn syntax(&mut self, error: &SyntaxError) {
        self.diagnostics.push(error.diagnostic());
    }

    pub(crate) fn error(&mut self, error: &LitmusError) {
        self.diagnostics.push(error.diagnostic());
    }

    /// Reports an error in a place. The thread is still read, with some place, so that its parts
    /// cause no further errors.
    pub(crate) fn place(&mut self, error: &PlaceError) {
        match error {
            PlaceError::Syntax(error) => self.syntax(error),
            PlaceError::Litmus(error) => self.error(error),
        }
    }

    pub(crate) fn warn(&mut self, warning: &LitmusWarning) {
        self.diagnostics.push(warning.diagnostic());
    }

    /// Whether there is an error so far.
    pub(crate) fn has_error(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Whether the statements are those of PTX 1.4.
    pub(crate) fn is_legacy(&self) -> bool {
        self.dialect == Dialect::Blocks && legacy::applies(self.version)
    }

    /// Notes once that a test is checked against PTX 1.4; in columns the version has no effect.
    pub(crate) fn note_legacy(&mut self) {
        let at = self.version_at.unwrap_or(Span { end: self.whole.start, ..self.whole });
        if self.is_legacy() {
            self.diagnostics.push(legacy::note(at));
            let places = later_parts(&self.threads);
            let multimem = self.variables.iter().filter(|v| v.space == DeclaredSpace::Multimem);
            let multimem = multimem.map(|variable| ("multimem addresses", variable.span));
            let generic = self.variables.iter().flat_map(|v| &v.initial_addresses);
            let generic = generic.filter(|address| address.generic);
            let generic = generic.map(|address| ("generic addresses", address.name.span));
            let early = self.task_edges.iter().filter(|edge| edge.programmatic);
            let early = early.map(|edge| ("programmatic launches", edge.from.span));
            let later: Vec<_> =
                places.into_iter().chain(multimem).chain(generic).chain(early).collect();
            let clusters = named_cluster(&self.threads)
                .filter(|_| later.iter().all(|&(what, _)| what != CLUSTERS));
            self.diagnostics.extend(clusters.map(legacy::cluster));
            self.diagnostics.extend(later.iter().map(|&(what, at)| legacy::later(what, at)));
        } else if legacy::applies(self.version) {
            self.warn(&LitmusWarning::LegacyColumns(at));
        }
    }

    /// Whether a variable or alias has this name.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains_key(name)
    }

    /// Records a new name of memory, or reports that it exists.
    fn declare(&mut self, name: &Spanned<String>) -> bool {
        if let Some(first) = self.declared.insert(name.value.clone(), name.span) {
            self.declared.insert(name.value.clone(), first);
            self.error(&LitmusError::Duplicate { what: "the variable", name: name.clone(), first });
            return false;
        }
        true
    }

    pub(crate) fn add_variable(&mut self, variable: Variable) {
        if self.declare(&variable.name) {
            self.variables.push(variable);
        }
    }

    /// Adds a variable that a thread declares. Threads of one kernel declare the same variables,
    /// with an instance for each CTA or thread. One thread declares a name once.
    pub(crate) fn add_variable_of_thread(&mut self, variable: Variable, thread: usize) {
        let form = |v: &Variable| (v.space, v.ty, v.elements, v.align, v.initial.clone());
        let known = self.variables.iter().find(|v| v.name.value == variable.name.value);
        let last = self.of_threads.insert(variable.name.value.clone(), thread);
        let another = last.is_some_and(|last| last != thread);
        if !(another && known.is_some_and(|known| form(known) == form(&variable))) {
            self.add_variable(variable);
        }
    }

    pub(crate) fn add_alias(&mut self, alias: AliasDeclaration) {
        if self.declare(&alias.name) {
            self.aliases.push(alias);
        }
    }

    pub(crate) fn add_thread(&mut self, name: Spanned<String>, place: PlaceDraft) {
        if let Some(&first) = self.thread_index.get(&name.value) {
            let first = self.threads[first].name.span;
            self.error(&LitmusError::Duplicate { what: "the thread", name: name.clone(), first });
        } else {
            self.thread_index.insert(name.value.clone(), self.threads.len());
        }
        self.threads.push(ThreadDraft {
            name,
            place,
            registers: Vec::new(),
            statements: Vec::new(),
        });
    }

    pub(crate) fn thread_named(&self, name: &str) -> Option<usize> {
        self.thread_index.get(name).copied()
    }

    /// The meaning of the names in the threads; registers are filled in per thread.
    pub(crate) fn names(&self) -> Names {
        let mut variables: FxHashMap<String, Type> =
            self.variables.iter().map(|v| (v.name.value.clone(), v.ty)).collect();
        for alias in &self.aliases {
            let ty = variables.get(&alias.target.value).copied().unwrap_or(Type::UNTYPED);
            variables.insert(alias.name.value.clone(), ty);
        }
        Names { variables, ..Names::default() }
    }

    /// The registers of each thread that have an initial value.
    pub(crate) fn initialized_registers(&self) -> Vec<FxHashSet<String>> {
        let mut registers = vec![FxHashSet::default(); self.threads.len()];
        for init in &self.register_inits {
            if let Some(thread) = self.thread_named(&init.thread.value) {
                registers[thread].insert(init.register.value.clone());
            }
        }
        registers
    }

    /// The decoder's dialect.
    pub(crate) fn decode_dialect(&self) -> decode::Dialect {
        match self.dialect {
            Dialect::Blocks => decode::Dialect::Ptx,
            Dialect::Columns | Dialect::Nvlitmus => decode::Dialect::Columns,
        }
    }

    pub(crate) fn resolver(&self) -> Resolver<'_> {
        let spaces = self.variables.iter().map(|v| (v.name.value.as_str(), Some(v.space)));
        let aliases = self.aliases.iter().map(|a| (a.name.value.as_str(), None));
        Resolver {
            threads: &self.thread_index,
            spaces: spaces.chain(aliases).collect(),
            dialect: self.dialect,
            bodies: &self.threads,
            faults: Vec::new(),
        }
    }

    /// The names of all threads, for messages.
    pub(crate) fn thread_names(&self) -> String {
        let names: Vec<_> = self.threads.iter().map(|t| format!("`{}`", t.name.value)).collect();
        names.join(", ")
    }

    fn register_inits(&mut self) -> Vec<RegisterInit> {
        let mut resolved = Vec::new();
        for init in std::mem::take(&mut self.register_inits) {
            match self.thread_named(&init.thread.value) {
                Some(thread) => resolved.push(RegisterInit {
                    thread,
                    register: init.register,
                    value: init.value,
                }),
                None => {
                    let known = self.thread_names();
                    self.error(&LitmusError::UnknownThread { name: init.thread, known });
                }
            }
        }
        resolved
    }

    fn task_of(&mut self, place: &PlaceDraft) -> Option<usize> {
        let name = place.task.clone()?;
        let found = self.tasks.iter().position(|task| task.name.value == name.value);
        if found.is_none() {
            let known: Vec<_> = self.tasks.iter().map(|t| format!("`{}`", t.name.value)).collect();
            self.error(&LitmusError::UnknownTask { name, known: known.join(", ") });
        }
        found
    }

    /// As [`Self::finish`], for a format whose conditions are filled in later.
    pub(crate) fn finish_without_condition(mut self) -> (Option<Test>, Vec<Diagnostic>) {
        self.judgement = Some((Quantifier::Forall, Condition::True, self.whole));
        self.finish()
    }

    /// The test, when it has threads, and all diagnostics.
    pub(crate) fn finish(mut self) -> (Option<Test>, Vec<Diagnostic>) {
        if self.threads.is_empty() {
            if !self.has_error() {
                let end = Span { start: self.whole.end, ..self.whole };
                self.error(&LitmusError::NoThreads(end));
            }
            return (None, self.diagnostics);
        }
        let register_inits = self.register_inits();
        let drafts = std::mem::take(&mut self.threads);
        let tasks: Vec<_> = drafts.iter().map(|thread| self.task_of(&thread.place)).collect();
        let places = resolve(&drafts, &tasks, &mut self.diagnostics);
        let threads =
            drafts.into_iter().zip(places).zip(tasks).map(|((draft, place), task)| Thread {
                name: draft.name,
                place,
                registers: draft.registers,
                statements: draft.statements,
                task,
            });
        let threads = threads.collect();
        let (quantifier, condition, condition_span) = self.judgement.take().unwrap_or_else(|| {
            let end = Span { start: self.whole.end, ..self.whole };
            if !self.has_error() {
                self.warn(&LitmusWarning::NoCondition(end));
            }
            (Quantifier::Forall, Condition::True, end)
        });
        let test = Test {
            name: self.header.name,
            dialect: self.dialect,
            version: self.version,
            docs: self.header.docs,
            metadata: self.header.metadata,
            variables: self.variables,
            tensor_maps: self.tensor_maps,
            tensor_memory: self.tensor_memory,
            aliases: self.aliases,
            register_inits,
            launch: self.launch,
            threads,
            launched: None,
            tasks: self.tasks,
            task_edges: self.task_edges,
            locations: self.locations,
            filter: self.filter,
            quantifier,
            condition,
            condition_span,
            span: self.whole,
        };
        (Some(test), self.diagnostics)
    }
}
