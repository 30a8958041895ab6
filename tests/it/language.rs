//! The description of the test language is true: its examples parse, its instructions are those
//! that the decoder knows.

use ptxmc::testing::diagnostic::Diagnostic;
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::ptx::table::{COLUMN_OPCODES, opcodes};
use ptxmc::testing::source::Files;
use std::collections::BTreeSet;
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes/language.md");
    std::fs::read_to_string(path).unwrap()
}

/// The fenced examples whose fence has this word.
fn examples(page: &str, word: &str) -> Vec<String> {
    let fence = format!("```{word}\n");
    let blocks = page.split(&fence).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or("").to_owned()).collect()
}

#[test]
fn examples_parse() {
    let page = page();
    for (word, name) in [("ptx", "example.litmus"), ("nvlitmus", "example.test")] {
        let examples = examples(&page, word);
        assert!(!examples.is_empty(), "no example in ```{word}");
        for text in examples {
            let mut files = Files::default();
            let parsed = parse_bytes(&mut files, name, text.as_bytes());
            let messages: Vec<&str> =
                parsed.diagnostics.iter().map(|d: &Diagnostic| d.message.as_str()).collect();
            assert!(messages.is_empty(), "{messages:?} in\n{text}");
            assert_eq!(parsed.tests.len(), 1, "{text}");
        }
    }
}

#[test]
fn the_instructions_are_those_of_the_decoder() {
    let page = page();
    let section = page.split("\n## Instructions\n").nth(1).expect("a section on instructions");
    let section = section.split("\n## ").next().unwrap_or(section);
    // The first column of the table names the opcodes.
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cells: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
    let listed: BTreeSet<&str> =
        cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let known: BTreeSet<&str> = opcodes().iter().chain(COLUMN_OPCODES).copied().collect();
    assert_eq!(listed, known);
}
