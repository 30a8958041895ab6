//! Models as data: the built-in ones, erroneous ones with their messages, and round trips.

mod builtin;
mod errors;
mod executions;
mod language;
mod roundtrip;

use ptxmc::testing::cat::{Loaded, Loader, Options, parse_model};
use ptxmc::testing::diagnostic::Diagnostic;
use ptxmc::testing::source::Files;

/// Files in memory.
struct Memory(Vec<(&'static str, &'static str)>);

impl Loader for Memory {
    fn load(&self, name: &str, _from: Option<&str>) -> Option<(String, String)> {
        let found = self.0.iter().find(|(known, _)| *known == name)?;
        Some((found.0.to_owned(), found.1.to_owned()))
    }
}

/// Reads `text` as `test.cat`, with what it may include.
fn read_with(
    text: &str,
    others: &[(&'static str, &'static str)],
    variants: &[&str],
) -> (Files, Result<Loaded, Vec<Diagnostic>>) {
    let mut files = Files::default();
    let file = files.add("test.cat", text);
    let options = Options { variants: variants.iter().map(|&v| v.to_owned()).collect() };
    let result = parse_model(&mut files, file, &Memory(others.to_vec()), &options);
    (files, result)
}

/// Reads a model that is expected to be right.
fn read(text: &str) -> Loaded {
    let (files, result) = read_with(text, &[], &[]);
    result.unwrap_or_else(|errors| panic!("{}", rendered(&files, &errors)))
}

/// Diagnostics in plain text.
fn rendered(files: &Files, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let place = d.primary.as_ref().map_or(String::new(), |l| files.location(l.span));
        out += &format!("{place} {:?}[{}] {}\n", d.severity, d.code, d.message);
        let label = d.primary.iter().map(|l| ("^", l));
        for (mark, l) in label.chain(d.secondary.iter().map(|l| ("-", l))) {
            let text = files.text(l.span).replace('\n', " ");
            out += &format!("  {mark} {} `{text}` {}\n", files.location(l.span), l.text);
        }
        d.help.iter().for_each(|help| out += &format!("  = {help}\n"));
    }
    out
}
