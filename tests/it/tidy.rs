//! The rules of the source tree: layers, who may name which crate, sizes, first lines.

use crate::support::command::ptxmc;
use crate::support::litmus_files;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What a module belongs to; programs and models do not know each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Program,
    Model,
    Both,
}

/// The top-level modules, lowest first: each may import from those before it.
const LAYERS: &[(&str, Side)] = &[
    ("collections", Side::Both),
    ("budget", Side::Both),
    ("progress", Side::Both),
    ("rule", Side::Both),
    ("id", Side::Both),
    ("source", Side::Both),
    ("diagnostic", Side::Both),
    ("bitrel", Side::Both),
    ("vocabulary", Side::Both),
    ("ptx", Side::Program),
    ("litmus", Side::Program),
    ("relation", Side::Model),
    ("program", Side::Program),
    ("waiting", Side::Program),
    ("event", Side::Program),
    ("module", Side::Program),
    ("cat", Side::Model),
    ("execution", Side::Both),
    ("question", Side::Both),
    ("bounds", Side::Both),
    ("encode", Side::Both),
    ("solve", Side::Both),
    ("verdict", Side::Both),
    ("explain", Side::Both),
    ("defect", Side::Both),
    ("race", Side::Both),
    ("engines", Side::Both),
    ("check", Side::Both),
    ("batch", Side::Both),
    ("judge", Side::Both),
    ("generate", Side::Both),
    ("hardware", Side::Both),
    ("workbench", Side::Both),
    ("advise", Side::Both),
    ("report", Side::Both),
    ("checker", Side::Both),
    ("cli", Side::Both),
];

/// Who may name a crate or a part of the standard library: everything below these paths.
const NAMED_ONLY_IN: &[(&str, &[&str])] = &[
    ("egg::", &["relation/simplify", "relation/equal"]),
    ("z3::", &["solve/z3"]),
    ("rayon::", &["batch"]),
    ("annotate_snippets::", &["report/diagnostics"]),
    ("anstyle::", &["report/paint"]),
    ("quick_junit::", &["report/junit"]),
    ("serde_json::", &["report", "cli/isolate", "judge/log/json"]),
    ("serde::", &["judge/log/json"]),
    ("csv::", &["judge/log/table"]),
    ("include_dir::", &["cat/mutant"]),
    ("cudarc::", &["hardware/driver"]),
    ("unsafe ", &["hardware/driver"]),
    ("unsafe_code", &["hardware/driver"]),
    ("clap::", &["cli"]),
    ("anyhow::", &["cli"]),
    ("indicatif::", &["cli"]),
    ("ctrlc::", &["cli/interrupt"]),
    ("std::time::Instant", &["budget", "cli"]),
    ("std::time::{Duration, Instant}", &["budget", "cli"]),
    ("Instant::now", &["budget", "cli"]),
    ("SystemTime", &["cli"]),
    ("Clock::monotonic", &["cli"]),
    ("std::thread::", &["cli", "hardware/driver"]),
    ("std::net::", &["cli"]),
    ("std::env::", &["cli"]),
    ("std::fs::", &["cli"]),
    ("std::process::", &["cli", "main"]),
    ("io::stdout", &["cli"]),
    ("io::stderr", &["cli"]),
    ("print!", &[]),
    ("println!", &[]),
    ("eprint!", &[]),
    ("eprintln!", &[]),
];

/// No file has more lines of code than this, comments, empty lines and tests aside.
///
/// The aim is near 150; beyond 400 a file is looked at again.
const MOST_LINES: usize = 600;

/// Files above [`MOST_LINES`] that are still to be split.
const TOO_LONG: &[&str] = &[];

struct SourceFile {
    /// Relative to `src`.
    path: String,
    text: String,
}

impl SourceFile {
    fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/")
    }

    /// The top-level module that it belongs to.
    fn module(&self) -> &str {
        self.path.split(['/', '.']).next().expect("split gives at least one part")
    }

    /// Lines with their numbers, without comments, empty lines and unit tests.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .take_while(|(_, line)| *line != "#[cfg(test)]")
            .map(|(index, line)| (index + 1, line))
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with("//"))
    }
}

fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let sources: Vec<SourceFile> = paths
        .iter()
        .map(|path| SourceFile {
            path: path.strip_prefix(&root).expect("found below the root").display().to_string(),
            text: fs::read_to_string(path).expect("sources are readable"),
        })
        .collect();
    assert!(sources.len() > 50, "found only {} source files", sources.len());
    sources
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folders are readable") {
        let path = entry.expect("folders are readable").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|e| e == "rs") {
            paths.push(path);
        }
    }
}

fn assert_none(complaints: &str) {
    assert!(complaints.is_empty(), "\n{complaints}");
}

fn layer(module: &str) -> Option<(usize, Side)> {
    LAYERS.iter().position(|(name, _)| *name == module).map(|rank| (rank, LAYERS[rank].1))
}

/// The top-level modules that a line names through `crate::`.
fn named_modules(line: &str) -> Vec<&str> {
    let mut modules = Vec::new();
    for (at, start) in line.match_indices("crate::") {
        let rest = &line[at + start.len()..];
        let names = match rest.strip_prefix('{') {
            Some(group) => first_names(group),
            None => vec![rest],
        };
        for name in names {
            let name = name.trim();
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
            modules.push(&name[..end]);
        }
    }
    modules
}

/// The modules that a file names, as paths relative to `src` without endings: its neighbours through
/// `super::`, and all others through `crate::`. What is no module of the list is one of its parents.
fn imports(file: &SourceFile, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let code: String = file.code().map(|(_, line)| format!("{line}\n")).collect();
    let own = module_path(&file.path);
    let mut found = BTreeSet::new();
    for (root, start) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let (at, before) = (root + start.len(), &code[..root]);
        if before.ends_with("super::") {
            continue;
        }
        let (mut rest, mut base) = (&code[at..], String::new());
        if start == "super::" {
            base = parent(&own);
            while let Some(further) = rest.strip_prefix("super::") {
                (rest, base) = (further, parent(&base));
            }
        }
        let names = match rest.strip_prefix('{') {
            Some(group) => first_names(group),
            None => vec![rest],
        };
        for name in names {
            let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
            let name = name.trim();
            let end = name.find(|c| !is_path(c)).unwrap_or(name.len());
            let parts = name[..end].split("::").filter(|part| !part.is_empty());
            let path: Vec<&str> = base.split('/').filter(|p| !p.is_empty()).chain(parts).collect();
            let mut prefixes = (1..=path.len()).rev().map(|count| path[..count].join("/"));
            found.extend(prefixes.find(|prefix| modules.contains(prefix)));
        }
    }
    found.remove(&own);
    found
}

/// `a/b` for `a/b.rs` and `a/b/mod.rs`.
fn module_path(file: &str) -> String {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    path.strip_suffix("/mod").unwrap_or(path).to_owned()
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned())
}

/// Neighbours in a folder that import each other in a circle, by the names of their files. The list may
/// only shrink: who makes another circle mends it.
const CIRCLES: &[(&str, &[&str])] = &[
    ("litmus", &["check", "memory", "parse"]),
    (
        "litmus/parse",
        &["blocks", "body", "condition", "declaration", "draft", "init", "kernel", "place", "tail"],
    ),
    ("program", &["expr", "known_bits"]),
    (
        "program",
        &["fp8", "layout", "lower", "mbarrier", "micro", "registers", "rotate", "special", "term"],
    ),
    ("relation", &["deletion", "expr", "plan"]),
    (
        "solve/search",
        &[
            "barrier_phases",
            "candidates",
            "free_values",
            "reads",
            "state",
            "value_sets",
            "well_founded",
        ],
    ),
    ("solve/z3", &["float", "terms"]),
];

/// Neighbours in a folder do not import each other in a circle, but for those that do so already. What a
/// folder itself has, in `mod.rs` or beside it, all of its files may use.
#[test]
fn files_of_a_folder_import_in_one_direction() {
    let sources: Vec<SourceFile> = sources().into_iter().filter(|file| !file.is_test()).collect();
    let modules: BTreeSet<String> = sources.iter().map(|file| module_path(&file.path)).collect();
    let mut folders: BTreeMap<String, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for file in &sources {
        let own = modules.get(&module_path(&file.path)).expect("every file is a module");
        for other in imports(file, &modules) {
            // An import of something below a neighbour is one of the neighbour.
            let folder = parent(own);
            let below = format!("{folder}/");
            let Some(rest) = other.strip_prefix(&below) else { continue };
            let neighbour = format!("{below}{}", rest.split('/').next().unwrap_or(rest));
            if let Some(neighbour) = modules.get(&neighbour).filter(|neighbour| *neighbour != own) {
                folders.entry(folder).or_default().insert((own, neighbour));
            }
        }
    }
    let edges: usize = folders.values().map(BTreeSet::len).sum();
    assert!(edges > 100, "found only {edges} imports between neighbours");
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for (folder, edges) in &folders {
        let mut nodes = BTreeMap::new();
        let mut graph = DiGraph::<&str, ()>::new();
        for &(from, to) in edges {
            let [from, to] =
                [from, to].map(|at| *nodes.entry(at).or_insert_with(|| graph.add_node(at)));
            graph.add_edge(from, to, ());
        }
        for circle in kosaraju_scc(&graph).into_iter().filter(|circle| circle.len() > 1) {
            let name = |&node: &NodeIndex| graph[node][folder.len() + 1..].to_owned();
            let mut names: Vec<String> = circle.iter().map(name).collect();
            names.sort();
            found.push((folder.clone(), names));
        }
    }
    found.sort();
    let listed: Vec<(String, Vec<String>)> = CIRCLES
        .iter()
        .map(|(folder, names)| {
            ((*folder).to_owned(), names.iter().map(|&name| name.to_owned()).collect())
        })
        .collect();
    let mut complaints = String::new();
    for (folder, names) in &found {
        let fits = |(at, known): &(String, Vec<String>)| {
            at == folder && names.iter().all(|name| known.contains(name))
        };
        if !listed.iter().any(fits) {
            let _ = writeln!(complaints, "in {folder}, a circle: {}", names.join(" "));
        }
    }
    for circle in listed.iter().filter(|circle| !found.contains(circle)) {
        let (folder, names) = circle;
        let _ = writeln!(complaints, "in {folder}, the list has too many: {}", names.join(" "));
    }
    assert_none(&complaints);
}

#[test]
fn imports_are_read() {
    let modules = ["a", "a/b", "a/c", "a/c/d", "e"].map(str::to_owned).into();
    let text = "use super::c::{d::X, Y};\nuse crate::{e::Z, a};\nfn f() { super::super::e::g() }\n";
    let file = SourceFile { path: "a/b.rs".to_owned(), text: text.to_owned() };
    let found: Vec<String> = imports(&file, &modules).into_iter().collect();
    assert_eq!(found, ["a", "a/c", "e"]);
}

/// What stands first in each entry of a group, up to its closing brace.
fn first_names(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut names) = (0_usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                names.push(&group[start..at]);
                start = at + 1;
            }
            '}' => {
                names.push(&group[start..at]);
                break;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.trim().is_empty());
    names
}

#[test]
fn groups_of_imports_are_read() {
    assert_eq!(named_modules("use crate::{a::{b, c}, d};"), ["a", "d"]);
    assert_eq!(named_modules("use crate::x::y;"), ["x"]);
}

#[test]
fn modules_import_only_from_below() {
    let mut complaints = String::new();
    let mut imports = 0;
    for file in sources() {
        if file.is_test() || matches!(file.path.as_str(), "lib.rs" | "main.rs") {
            continue;
        }
        let Some((rank, side)) = layer(file.module()) else {
            let _ = writeln!(complaints, "{}: its module has no layer", file.path);
            continue;
        };
        for (number, line) in file.code() {
            for module in named_modules(line) {
                imports += 1;
                if module.is_empty() {
                    let _ =
                        writeln!(complaints, "{}:{number}: a group over several lines", file.path);
                }
                let allowed = layer(module).is_none_or(|(other, its_side)| {
                    let strangers =
                        side != its_side && side != Side::Both && its_side != Side::Both;
                    other <= rank && !strangers
                });
                if !allowed {
                    let _ = writeln!(complaints, "{}:{number}: imports `{module}`", file.path);
                }
            }
        }
    }
    assert!(imports > 100, "found only {imports} imports");
    assert_none(&complaints);
}

#[test]
fn every_layer_is_a_module() {
    let lib = sources().into_iter().find(|f| f.path == "lib.rs").expect("there is a library");
    let declared: Vec<&str> = lib
        .text
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let unknown: Vec<&&str> = declared.iter().filter(|m| layer(m).is_none()).collect();
    assert!(unknown.is_empty(), "modules without a layer: {unknown:?}");
    let stale: Vec<&str> =
        LAYERS.iter().map(|(name, _)| *name).filter(|name| !declared.contains(name)).collect();
    assert!(stale.is_empty(), "layers without a module: {stale:?}");
}

#[test]
fn crates_are_named_only_where_they_belong() {
    let mut complaints = String::new();
    for file in sources() {
        if file.is_test() {
            continue;
        }
        for (number, line) in file.code() {
            for (name, places) in NAMED_ONLY_IN {
                let names = line.match_indices(name).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                });
                if names && !places.iter().any(|place| file.path.starts_with(place)) {
                    let _ = writeln!(complaints, "{}:{number}: names `{name}`", file.path);
                }
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn every_module_says_what_it_is() {
    let mut complaints = String::new();
    for file in sources() {
        if !file.text.starts_with("//! ") {
            let _ = writeln!(complaints, "{}: the first line is no `//!`", file.path);
        }
    }
    assert_none(&complaints);
}

#[test]
fn files_are_short() {
    let mut complaints = String::new();
    for file in sources() {
        let lines = file.code().count();
        let excused = TOO_LONG.contains(&file.path.as_str());
        if !file.is_test() && lines > MOST_LINES && !excused {
            let _ = writeln!(complaints, "{}: {lines} lines of code", file.path);
        }
        if excused && lines <= MOST_LINES {
            let _ = writeln!(complaints, "{}: is short enough, needs no excuse", file.path);
        }
    }
    assert_none(&complaints);
}

#[test]
fn nothing_is_left_to_do_in_comments() {
    let mut complaints = String::new();
    for file in sources() {
        for (index, line) in file.text.lines().enumerate() {
            if ["TODO", "FIXME", "XXX", "HACK"].iter().any(|word| line.contains(word)) {
                let _ = writeln!(complaints, "{}:{}: {}", file.path, index + 1, line.trim());
            }
        }
    }
    assert_none(&complaints);
}

/// Every `file.rs::test` in the table of invariants is a test of that file.
#[test]
fn invariants_are_checked_by_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let notes = fs::read_to_string(root.join("paper-notes/architecture.md")).expect("it is there");
    let mut complaints = String::new();
    let mut checked = 0;
    for (file, test) in notes.split('`').filter_map(|word| word.split_once(".rs::")) {
        checked += 1;
        let texts =
            ["tests/it", "tests", "src"].map(|folder| root.join(folder).join(format!("{file}.rs")));
        let text: String = texts.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
        if !text.contains(&format!("fn {test}(")) {
            let _ = writeln!(complaints, "{file}.rs has no test `{test}`");
        }
    }
    assert!(checked > 10, "found only {checked} tests in the notes");
    assert_none(&complaints);
}

#[test]
fn notes_name_shipped_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let notes = fs::read_to_string(root.join("paper-notes/examples.md")).expect("it is there");
    let words = notes.split('`').skip(1).step_by(2);
    let named: Vec<&str> = words
        .filter(|w| w.contains('/') && !w.starts_with("tests/") && !w.ends_with(['*', '/']))
        .collect();
    assert!(named.len() > 50, "found only {} tests in the notes", named.len());
    for name in named {
        assert!(root.join("litmus").join(format!("{name}.litmus")).is_file(), "no test {name}");
    }
}

/// Text without the line numbers in models, which change with every edit of a model.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(".cat:");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str(".cat:");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

/// The index lists every note beside itself, and the README leads to the index.
#[test]
fn every_note_is_listed() {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes");
    let index = fs::read_to_string(notes.join("README.md")).expect("it is there");
    let (mut count, mut complaints) = (0, String::new());
    for entry in fs::read_dir(&notes).expect("the folder is there") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        if name != "README.md" && !index.contains(&format!("- [{name}]({name}): ")) {
            let _ = writeln!(complaints, "{name}");
        }
        count += 1;
    }
    assert!(count > 5, "the notes are elsewhere");
    assert_none(&complaints);
    let readme = fs::read_to_string(notes.join("../README.md")).expect("it is there");
    assert!(readme.contains("(paper-notes/README.md)"), "the README does not name the index");
}

/// What documents show is what the command prints, line numbers in models aside: in blocks that begin
/// with `$ ptxmc`, where `$ echo $?` asks how the command before has ended.
#[test]
fn documents_show_real_output() {
    let (mut examples, mut status) = (0, 0);
    for (document, text) in documents() {
        for block in text.split("```console\n$ ptxmc ").skip(1) {
            let block = block.split("```").next().expect("split gives at least one part");
            for example in format!("ptxmc {block}").split("\n$ ") {
                let (line, shown) = example.split_once('\n').unwrap_or((example, ""));
                let printed = match line.strip_prefix("ptxmc ") {
                    Some(arguments) => {
                        let run = ptxmc(&words(arguments));
                        status = run.status;
                        run.out + &run.err
                    }
                    None => {
                        assert_eq!(line, "echo $?", "{document} shows a command of others");
                        format!("{status}\n")
                    }
                };
                let [printed, shown] = [printed.as_str(), shown].map(without_lines);
                assert_eq!(printed.trim_end(), shown.trim_end(), "{document}: {line}");
                examples += 1;
            }
        }
    }
    assert!(examples > 10, "the documents have only {examples} examples");
}

/// The arguments of a command line, of which some may stand in quotes.
fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('\'').enumerate();
    let parts = quoted.flat_map(|(at, part)| match at % 2 {
        0 => part.split(' ').filter(|word| !word.is_empty()).collect(),
        _ => vec![part],
    });
    parts.collect()
}

/// Every test that documents show as a file is one of `tests/cli`, word for word.
#[test]
fn documents_show_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = litmus_files(&root.join("tests/cli"));
    let files: Vec<String> =
        files.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    let mut shown = 0;
    for (document, text) in documents() {
        for block in text.split("\n```\nPTX ").skip(1) {
            let block = block.split("```").next().expect("split gives at least one part");
            let test = format!("PTX {block}");
            assert!(files.contains(&test), "{document} shows a test that is no file:\n{test}");
            shown += 1;
        }
    }
    assert!(shown > 1, "the documents show only {shown} tests");
}

/// Every `file.rs::item` in documents is an item of that file.
#[test]
fn documents_name_items_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut complaints, mut checked) = (String::new(), 0);
    for (document, text) in documents() {
        for (file, item) in text.split('`').filter_map(|word| word.split_once(".rs::")) {
            checked += 1;
            let paths = ["tests/it", "tests", "src"]
                .map(|folder| root.join(folder).join(format!("{file}.rs")));
            let mut found = paths.iter().filter_map(|path| fs::read_to_string(path).ok());
            if !found.any(|code| defines(&code, item)) {
                let _ = writeln!(complaints, "{document}: {file}.rs has no `{item}`");
            }
        }
    }
    assert!(checked > 200, "found only {checked} items in the documents");
    assert_none(&complaints);
}

/// Whether code defines an item of this name.
fn defines(code: &str, item: &str) -> bool {
    let kinds = ["fn", "const", "static", "struct", "enum", "trait", "type"];
    kinds.iter().any(|kind| {
        let head = format!("{kind} {item}");
        let mut behind = code.match_indices(&head).map(|(at, _)| &code[at + head.len()..]);
        behind.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// The README, the guide for contributors and the notes, by path.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let notes = fs::read_dir(root.join("paper-notes")).expect("the folder is there");
    let mut paths: Vec<PathBuf> = notes.map(|entry| entry.expect("readable").path()).collect();
    paths.extend(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a readable document");
        (path.display().to_string(), text)
    };
    paths.into_iter().map(read).collect()
}

/// Where the package is unpacked, everything that the README links to or shows is there.
#[test]
fn the_package_has_what_the_readme_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("it is there");
    let listed = std::process::Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .output()
        .expect("there is cargo");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8_lossy(&listed.stdout);
    let packaged: BTreeSet<&str> = listed.lines().collect();
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let named =
        readme.split_whitespace().filter(|w| w.starts_with("tests/") || w.starts_with("scripts/"));
    let wanted: BTreeSet<&str> = links
        .chain(named)
        .map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|name| !name.contains("://") && !name.is_empty())
        .collect();
    assert!(wanted.len() > 10, "the README names only {wanted:?}");
    let missing: Vec<&&str> = wanted.iter().filter(|name| !packaged.contains(**name)).collect();
    assert!(missing.is_empty(), "not in the package: {missing:?}");
}
