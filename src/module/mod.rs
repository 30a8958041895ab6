//! PTX modules and the launches of their kernels as litmus tests.
//!
//! A kernel is written once and run by many threads, whereas a test has a block for each thread.
//! The test of a launch is an ordinary test: each question about a test can be asked about a
//! kernel. Statements keep their source positions in the module, so that reports refer to the
//! module.

mod arguments;
mod ast;
mod body;
mod choices;
mod companions;
mod fold;
mod geometry;
mod inline;
mod instance;
mod kinship;
mod known;
mod launch;
mod passing;
mod read;
mod representatives;
mod residual;
mod siblings;
mod slice;
mod specialize;
mod threads;
mod trace;
mod tracer;
mod workspace;

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{COOPERATIVE, Condition, Dialect, Metadata, Quantifier, Test, Thread};
use crate::litmus::check;
use crate::litmus::error::LitmusError;
use crate::litmus::parse::draft::Draft;
use crate::litmus::parse::header::{self, Header};
use crate::litmus::parse::place::PlaceDraft;
use crate::litmus::parse::{self, Parsed, Source, tail};
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::token::{TokenKind, lex};
use crate::source::{Files, Span, Spanned};
use ast::Module;
use instance::Instances;
use launch::Launches;
use rustc_hash::FxHashSet;

use representatives::Representatives;
use threads::Choice;
use tracer::Templates;

pub use slice::sliced;
pub use specialize::specialized;
pub(crate) use threads::Selection;

/// Reads the tests in a file: as [`parse::parse_version`] does, or the tests of the kernels that
/// the file contains and launches.
pub fn parse_version(
    files: &mut Files,
    name: &str,
    bytes: &[u8],
    version: Option<(u32, u32)>,
) -> Parsed {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return parse::parse_version(files, name, bytes, version);
    };
    if is_module(name, text) {
        return without_launch(files, name, text);
    }
    match launches_kernels(text) {
        true => of_test(files, name, text),
        false => parse::parse_version(files, name, bytes, version),
    }
}

/// A launch that the user asks for beside a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The launches, with buffers before and perhaps a condition behind.
    pub(crate) text: &'a str,
    /// The threads that are looked at.
    pub(crate) threads: &'a Selection,
}

/// Reads a module and launches its kernels.
pub(crate) fn parse_launched(
    files: &mut Files,
    name: &str,
    bytes: &[u8],
    asked: Asked<'_>,
) -> Parsed {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return parse::parse_version(files, name, bytes, None);
    };
    let module_file = files.add(name, text);
    let file = files.add("--launch", asked.text);
    let whole = Span::new(file, 0, asked.text.len());
    let title = asked.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let header = Header { name: title, ..Header::default() };
    let mut draft = Draft::new(header, Dialect::Blocks, whole, Vec::new());
    let (tokens, errors) = lex(text, Span::new(module_file, 0, text.len()));
    draft.diagnostics.extend(errors.iter().map(SyntaxError::diagnostic));
    let end = Span::new(module_file, text.len(), text.len());
    let mut module = Module::default();
    draft.sizes = parse::draft::SharedSizes::OfLaunch;
    let mut cursor = Cursor::new(text, &tokens, end);
    read::module(&mut cursor, &mut draft, &mut module);
    if !cursor.is_at_end() {
        draft.syntax(&cursor.expected("a declaration, a kernel or a function"));
    }
    let (tokens, errors) = lex(asked.text, whole);
    draft.diagnostics.extend(errors.iter().map(SyntaxError::diagnostic));
    let end = Span::new(file, asked.text.len(), asked.text.len());
    let mut cursor = Cursor::new(asked.text, &tokens, end);
    let parsed = launched(&module, &mut cursor, draft, asked.threads);
    relate(files, module_file, &module);
    parsed
}

/// The test of a text that contains kernels and launches.
fn of_test(files: &mut Files, name: &str, text: &str) -> Parsed {
    let file = files.add(name, text);
    let source = Source { text, whole: Span::new(file, 0, text.len()), name };
    let mut diagnostics = Vec::new();
    let header = header::header(&source, &mut diagnostics);
    let (tokens, errors) = lex(text, source.at(header.body, text.len()));
    diagnostics.extend(errors.iter().map(SyntaxError::diagnostic));
    let mut draft = Draft::new(header, Dialect::Blocks, source.whole, diagnostics);
    draft.sizes = parse::draft::SharedSizes::OfLaunch;
    let mut cursor = Cursor::new(text, &tokens, source.at(text.len(), text.len()));
    let mut module = Module::default();
    read::module(&mut cursor, &mut draft, &mut module);
    let parsed = launched(&module, &mut cursor, draft, &Selection::default());
    relate(files, file, &module);
    parsed
}

/// The test of launches, read from the cursor together with the text behind them.
fn launched(
    module: &Module,
    cursor: &mut Cursor<'_>,
    mut draft: Draft,
    selection: &Selection,
) -> Parsed {
    let launches = launch::launches(cursor, &mut draft);
    if launches.list.is_empty() && !draft.has_error() {
        draft.error(&no_launch(module, cursor.span()));
    }
    let chosen = representatives(module, &launches, &mut draft, selection);
    let all = vec![Choice::All; launches.list.len()];
    let (choices, found) = match &chosen {
        Ok(None) => (&all, None),
        Ok(Some(found)) => (&found.choices, Some(found)),
        Err(error) => {
            draft.error(error);
            return parsed(None, draft.diagnostics);
        }
    };
    let instances = instance::instances(module, &launches, &mut draft, choices);
    let Some(instances) = instances.filter(|all| !all.threads.is_empty()) else {
        return parsed(None, draft.diagnostics);
    };
    let mut words = FxHashSet::default();
    let mut rest = cursor.clone();
    while let Some(token) = rest.advance() {
        if token.kind == TokenKind::Word {
            words.insert(cursor.text(token.span).to_owned());
        }
    }
    for variable in instance::used(&instances, &words) {
        draft.add_variable(variable);
    }
    for thread in &instances.threads {
        draft.add_thread(thread.name.clone(), PlaceDraft::open(thread.name.span));
    }
    tail::tail(cursor, &mut draft);
    if draft.judgement.is_none() {
        let span = whole(&launches);
        draft.judgement = Some((Quantifier::Forall, Condition::True, span));
    }
    let (test, mut diagnostics) = draft.finish();
    let test = test.map(|mut test| {
        test.threads = instances.threads;
        test.tasks = instances.tasks;
        test.tensor_maps.extend(instances.tensor_maps);
        test.task_edges = instances.edges;
        test.metadata.extend(cooperative(&launches));
        test.launched = Some(representatives::launched(&launches, &instances.indices, found));
        // Compiler-generated code is not checked; only the condition comes from the user.
        let mut found = Vec::new();
        check::conditions(&test, &mut found);
        diagnostics.extend(found);
        test
    });
    let test = match diagnostics.iter().any(Diagnostic::is_error) {
        true => None,
        false => test.map(specialize::specialized),
    };
    parsed(test, diagnostics)
}

/// The threads that represent all others, if there are too many threads for a complete check or the
/// user selects threads.
fn representatives(
    module: &Module,
    launches: &Launches,
    draft: &mut Draft,
    selection: &Selection,
) -> Result<Option<Representatives>, LitmusError> {
    if launches.list.is_empty() || !threads::wants_some(launches, selection)? {
        return Ok(None);
    }
    let told = draft.diagnostics.len();
    let templates = vec![Choice::Template; launches.list.len()];
    let instances = instance::instances(module, launches, draft, &templates);
    // Errors are reported for the chosen threads.
    draft.diagnostics.truncate(told);
    let Some(instances) = instances else { return Ok(None) };
    let mut variables = draft.variables.clone();
    variables.extend(instance::used(&instances, &FxHashSet::default()));
    let Instances { threads, geometries, .. } = instances;
    let aliases = draft.aliases.clone();
    let test = Test { variables, aliases, ..bare(threads, whole(launches)) };
    let templates = Templates::new(test);
    representatives::representatives(launches, &geometries, &templates, selection).map(Some)
}

/// A test of threads that asks nothing.
fn bare(threads: Vec<Thread>, span: Span) -> Test {
    Test {
        name: String::new(),
        dialect: Dialect::Blocks,
        version: None,
        docs: Vec::new(),
        metadata: Vec::new(),
        variables: Vec::new(),
        tensor_maps: Vec::new(),
        tensor_memory: Vec::new(),
        aliases: Vec::new(),
        register_inits: Vec::new(),
        launch: Vec::new(),
        threads,
        launched: None,
        tasks: Vec::new(),
        task_edges: Vec::new(),
        locations: Vec::new(),
        filter: None,
        quantifier: Quantifier::Forall,
        condition: Condition::True,
        condition_span: span,
        span,
    }
}

fn parsed(test: Option<Test>, mut diagnostics: Vec<Diagnostic>) -> Parsed {
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|l| (l.span.file, l.span.start)));
    Parsed { tests: test.into_iter().collect(), diagnostics }
}

/// The line of metadata that names the cooperative grids, if there are any.
fn cooperative(launches: &Launches) -> Option<Metadata> {
    let grids = launches.list.iter().enumerate().filter(|(_, launch)| launch.cooperative);
    let grids: Vec<String> = grids.map(|(grid, _)| grid.to_string()).collect();
    let value = format!("{COOPERATIVE} {}", grids.join(", "));
    let [key, value] = ["Launch".to_owned(), value].map(|word| Spanned::new(word, whole(launches)));
    (!grids.is_empty()).then_some(Metadata { key, value })
}

/// From the first launch to the last.
fn whole(launches: &Launches) -> Span {
    let spans = launches.list.iter().map(|launch| launch.span);
    spans.reduce(Span::to).expect("a test of launches has one")
}

/// Whether a file contains a module and no test.
fn is_module(name: &str, text: &str) -> bool {
    let source = Source { text, whole: Span::new(crate::id::FileId::new(0), 0, text.len()), name };
    let word = header::first_word(&source);
    name.ends_with(".ptx") && word != "PTX" || matches!(word, ".version" | ".target" | ".entry")
}

/// Whether a test contains a kernel and a launch.
fn launches_kernels(text: &str) -> bool {
    text.contains(".entry") && text.contains("<<<")
}

/// The result for a module without any launch.
fn without_launch(files: &mut Files, name: &str, text: &str) -> Parsed {
    let file = files.add(name, text);
    let whole = Span::new(file, 0, text.len());
    let mut draft = Draft::new(Header::default(), Dialect::Blocks, whole, Vec::new());
    let (tokens, errors) = lex(text, whole);
    draft.diagnostics.extend(errors.iter().map(SyntaxError::diagnostic));
    draft.sizes = parse::draft::SharedSizes::OfLaunch;
    let mut module = Module::default();
    let mut cursor = Cursor::new(text, &tokens, Span::new(file, text.len(), text.len()));
    read::module(&mut cursor, &mut draft, &mut module);
    if !cursor.is_at_end() {
        draft.syntax(&cursor.expected("a declaration, a kernel or a function"));
    }
    let at = module.kernels().next().map_or(Span::new(file, 0, 0), |kernel| kernel.name.span);
    draft.error(&no_launch(&module, at));
    parsed(None, draft.diagnostics)
}

fn no_launch(module: &Module, span: Span) -> LitmusError {
    let kernels: Vec<String> = module
        .kernels()
        .map(|kernel| {
            let names = kernel.parameters.iter().map(ast::Parameter::name);
            format!("`{}<<<1, 32>>>({})`", kernel.name.value, names.collect::<Vec<_>>().join(", "))
        })
        .collect();
    LitmusError::Other {
        code: "module-launch",
        message: "no kernel is launched".to_owned(),
        help: match kernels.is_empty() {
            true => "the module has no kernels".to_owned(),
            false => format!(
                "say how: `--launch 'buf x[1] of .u32 = 0; k<<<1, 32>>>(x)'`, or in a test the same \
                 behind the kernels; the kernels are {}",
                kernels.join(", ")
            ),
        },
        span,
    }
}

/// Tells the table of files which lines of the source the statements of a module were made of.
fn relate(files: &mut Files, file: crate::id::FileId, module: &Module) {
    let lines = module.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|b| &b.lines);
    let mut origins: Vec<(u32, String)> = lines
        .filter_map(|line| {
            let origin = line.origin?;
            let name = module.files.get(&origin.file)?;
            let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
            Some((line.span.start, format!("{name}:{}", origin.line)))
        })
        .collect();
    origins.sort_unstable();
    files.relate(file, origins);
}
