//! Mutants of the model: each file of `models/mutants` says which text of `ptx-9.2.cat` to replace.
//!
//! A file starts with comments, `(* PTX-8.8: what changes and why one might. *)`, of which a second
//! one excuses a mutant that no test can kill. Then come edits: a line `replace`, the old text, a
//! line `with`, the new text. The old text has to occur once in the model, so that an edit of the
//! model is either in the mutant too or noticed.

use ptxmc::testing::cat::{NoFiles, Options, builtin, parse_model};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::source::Files;
use std::fs;
use std::path::Path;

/// The model that the mutants change.
pub const ORIGINAL: &str = "ptx-9.2";

/// A changed model.
pub struct Mutant {
    /// The file's name without its ending.
    pub name: String,
    /// The clause that is changed, such as `PTX-8.8`.
    pub clause: String,
    /// What changes, and why someone might write it so.
    pub change: String,
    /// Why no test kills it, starting with one of [`EXCUSES`].
    pub excuse: Option<String>,
    /// The whole changed model.
    pub text: String,
}

/// How an excuse starts: the mutant is another way to write the model, or programs that tell them
/// apart cannot be written yet.
pub const EXCUSES: [&str; 2] = ["Equivalent", "Out of reach"];

impl Mutant {
    /// The changed model, read.
    pub fn model(&self) -> Model {
        let mut files = Files::default();
        let file = files.add(format!("{}.cat", self.name), self.text.as_str());
        match parse_model(&mut files, file, &NoFiles, &Options::default()) {
            Ok(loaded) => loaded.model,
            Err(errors) => panic!("{} is no model: {}", self.name, errors[0].message),
        }
    }
}

/// All mutants, by clause and name.
pub fn mutants() -> Vec<Mutant> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/mutants");
    let mut mutants: Vec<Mutant> = fs::read_dir(&folder)
        .expect("there are mutants")
        .map(|entry| entry.expect("a readable entry").path())
        .map(|path| {
            assert!(
                path.extension().is_some_and(|e| e == "edit"),
                "{}: what is it?",
                path.display()
            );
            let name = path.file_stem().expect("it has an ending").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("mutants are readable");
            read(&name, &text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
        })
        .collect();
    mutants.sort_by_key(|m| (super::clauses::order(&m.clause), m.name.clone()));
    mutants
}

fn read(name: &str, text: &str) -> Result<Mutant, String> {
    let (head, body) = text.split_once("\nreplace\n").ok_or("it replaces nothing")?;
    let mut comments = head.split("(*").skip(1).map(|comment| {
        let inner = comment.trim_end().strip_suffix("*)").unwrap_or(comment);
        inner.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let first = comments.next().ok_or("it says nothing about itself")?;
    let (clause, change) = first.split_once(": ").ok_or("it names no clause")?;
    let excuse = comments.next();
    if let Some(excuse) = &excuse
        && !EXCUSES.iter().any(|start| excuse.starts_with(start))
    {
        return Err(format!("an excuse starts with one of {EXCUSES:?}"));
    }
    let mut model = builtin(ORIGINAL).expect("it is built in").text.to_owned();
    for edit in body.split("\nreplace\n") {
        let (old, new) = edit.split_once("\nwith").ok_or("an edit has no `with`")?;
        let new = new.strip_prefix('\n').unwrap_or(new);
        let new = new.strip_suffix('\n').unwrap_or(new);
        match model.matches(old).count() {
            1 => model = model.replace(old, new),
            count => return Err(format!("`{old}` occurs {count} times in {ORIGINAL}")),
        }
    }
    Ok(Mutant {
        name: name.to_owned(),
        clause: clause.to_owned(),
        change: change.to_owned(),
        excuse,
        text: model,
    })
}
