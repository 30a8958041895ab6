//! The table of instructions: each form can be written, is read as itself and printed as it was
//! written; the page of all forms is current.

use crate::strategies::forms::{all, decoded, text};
use crate::support::table::assert_current;
use ptxmc::testing::ptx::decode::Dialect;
use ptxmc::testing::ptx::form::{Choices, Filled, OperandForm, Presence};
use ptxmc::testing::ptx::operation::{Operation, Statement};
use ptxmc::testing::ptx::print::{Style, statement};
use ptxmc::testing::ptx::row::{Op, Row, Takes};
use ptxmc::testing::ptx::since::Later;
use ptxmc::testing::ptx::table::{forms, opcodes, rows};
use ptxmc::testing::source::{Files, Span};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Choices that differ from one another in every way for some time: the digits of a number.
fn picks(mut seed: usize) -> impl FnMut(usize) -> usize {
    move |count| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % count
    }
}

fn printed(operation: Operation) -> String {
    let span = Span::new(Files::default().add("line", ""), 0, 0);
    let statement_of = Statement { labels: Vec::new(), guard: None, operation, span };
    statement(&statement_of, Style::Ptx).expect("PTX has all that is read from it")
}

#[test]
fn forms_are_read_as_themselves_and_printed_as_written() {
    let mut seen = BTreeSet::new();
    for form in all() {
        for seed in 0..200 {
            let line = text(form, &mut picks(seed));
            let operation = decoded(&line, Dialect::Ptx);
            let operation = operation.unwrap_or_else(|error| panic!("{line}: {error}"));
            // The components of a special register are read as elements.
            let is_whole = form.operands.iter().any(|o| matches!(o.takes, Takes::Components(_)));
            if let Operation::Form(written) = &operation
                && !is_whole
            {
                assert_eq!(written.form, form, "{line}");
                seen.insert(form.row.text);
            }
            let once = printed(operation);
            let again = decoded(&once, Dialect::Ptx).unwrap_or_else(|e| panic!("{once}: {e}"));
            assert_eq!(printed(again), once, "{line}");
        }
    }
    assert!(seen.len() > 70, "only {} forms are kept as they are written", seen.len());
}

#[test]
fn words_that_are_not_needed_may_be_left_out_and_others_not() {
    for form in all() {
        let line = text(form, &mut |_| 0);
        let (head, operands) = line.split_once(' ').unwrap_or((&line, ""));
        for (at, slot) in form.slots.iter().enumerate() {
            let mut words: Vec<&str> = head.split('.').collect();
            // Words that go together have one slot.
            if words.len() != form.slots.len() + 1 {
                continue;
            }
            // Words that ask for an operand go with it.
            let asks = |operand: &OperandForm| match (operand.presence, &slot.choices) {
                (Presence::With(word), Choices::Words(choices)) => choices.contains(&word),
                _ => false,
            };
            // A vector has braces, which a scalar of several registers has not.
            let is_length = matches!(&slot.choices, Choices::Words(words) if words.contains(&"v2"));
            if is_length || form.operands.iter().any(asks) {
                continue;
            }
            words.remove(at + 1);
            let without = format!("{} {operands}", words.join("."));
            let same = match decoded(without.trim(), Dialect::Ptx) {
                Ok(Operation::Form(written)) => written.form == form,
                Ok(_) => continue,
                Err(_) => false,
            };
            assert_eq!(same, slot.filled != Filled::Always, "{without} for {line}");
        }
    }
}

/// The page of all forms.
fn page() -> String {
    let mut page =
        "# The forms of instructions\n\nEvery form that is read, as the table in `src/ptx/table` \
        has it: its section, the first version of the ISA and the first target that have it, and \
        the words that came later than the form. `{.a|.b}` and `{, c}` may be left out, `.{a|b}` may not; [language.md](language.md) says \
        what is supported of each. Tests take any form in any version but those of PTX 1.x, \
        and for any target. `tests/it/table.rs` writes this page.\n"
            .to_owned();
    for opcode in opcodes() {
        let _ = write!(
            page,
            "\n## {opcode}\n\n| form | types, state spaces | section | PTX | later |\n|---|---|---|---|---|\n"
        );
        for form in forms(opcode) {
            let Row { text, section, op, types, spaces, .. } = form.row;
            let text = text.replace('|', "\\|");
            let outside = if matches!(op, Op::Outside) { " (checked only)" } else { "" };
            let between = if types.is_empty() || spaces.is_empty() { "" } else { "; " };
            let since = form.since();
            let among = |later: &Later| later.among(since, &|word| form.may_have(word));
            let later: Vec<String> = form.row.later().filter_map(among).collect();
            let _ = writeln!(
                page,
                "| `{text}`{outside} | {types}{between}{spaces} | {section} | {since} | {} |",
                later.join("; ")
            );
        }
    }
    page
}

#[test]
fn the_page_of_forms_is_current() {
    assert_current("instructions.md", &page());
}

#[test]
fn rows_cite_sections_and_versions() {
    for row in rows() {
        let sections = row.section.split(", ");
        assert!(sections.clone().all(|section| section.starts_with("PTX-9.7.")), "{}", row.text);
        assert!(((1, 0)..=(9, 4)).contains(&row.since.version), "{}", row.text);
        assert!((10..=120).contains(&row.since.target), "{}", row.text);
    }
    let texts: BTreeSet<(&str, &str)> = rows().map(|row| (row.text, row.types)).collect();
    assert_eq!(texts.len(), rows().count(), "some form has two rows");
}
