//! The index of diagnostic codes, `paper-notes/diagnostics.md`, against the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How codes of diagnostics begin.
const FAMILIES: [&str; 13] = [
    "syntax-",
    "ptx-",
    "litmus-",
    "columns-",
    "nvlitmus-",
    "legacy-",
    "launch-",
    "module-",
    "cat-",
    "expect-",
    "hang-",
    "log-",
    "trace-",
];

/// Codes that stand alone.
const ALONE: [&str; 3] = ["cannot-read", "list-too-deep", "no-tests"];

/// What begins in the same way and is none: models, engines, words of other lists.
const OTHERS: [&str; 1] = ["hang-unknown"];

fn is_code(word: &str) -> bool {
    let family =
        FAMILIES.iter().any(|family| word.len() > family.len() && word.starts_with(family));
    let plain = word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let is_model = word.strip_prefix("ptx-").is_some_and(|rest| rest.starts_with(char::is_numeric));
    plain && (family || ALONE.contains(&word)) && !is_model && !OTHERS.contains(&word)
}

/// The string literals of a source file, without those of its tests.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('"').skip(1).step_by(2))
}

fn collect(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            out.extend(literals(&text).filter(|word| is_code(word)).map(str::to_owned));
        }
    }
}

/// Every code has a row, and every row is of a code.
#[test]
fn every_code_is_in_the_index() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut codes = BTreeSet::new();
    collect(&root.join("src"), &mut codes);
    let page = fs::read_to_string(root.join("paper-notes/diagnostics.md")).expect("the index");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rows: BTreeSet<String> = rows.map(str::to_owned).collect();
    let missing: Vec<_> = codes.difference(&rows).collect();
    let stale: Vec<_> = rows.difference(&codes).collect();
    assert!(missing.is_empty(), "no row in paper-notes/diagnostics.md: {missing:?}");
    assert!(stale.is_empty(), "rows of paper-notes/diagnostics.md of no code: {stale:?}");
}
