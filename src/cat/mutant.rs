//! Wrong models: each file of `models/mutants` is an edit file of a built-in model.
//!
//! A mutant's file starts with comments, `(* PTX-8.8: what changes and why one might. *)`; a second
//! comment excuses a mutant that no test can kill.

use super::edit::EditFile;
use super::library::builtin;
use super::{NoFiles, Options, parse_model};
use crate::relation::expr::Model;
use crate::source::Files;
use include_dir::{Dir, include_dir};

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/models/mutants");

/// The model that the mutants change.
pub const ORIGINAL: &str = "ptx-9.2";

/// A changed model.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The file's name without its ending.
    pub name: String,
    /// The clause that is changed, such as `PTX-8.8`.
    pub clause: String,
    /// The change, and why someone might make it.
    pub change: String,
    /// The reason why no test kills it, starting with one of [`EXCUSES`].
    pub excuse: Option<String>,
    /// The whole changed model.
    pub text: String,
}

/// The beginnings of excuses: the mutant is another way to write the model, or programs that
/// distinguish them cannot be written yet.
pub const EXCUSES: [&str; 2] = ["Equivalent", "Out of reach"];

impl Mutant {
    /// The changed model, parsed.
    ///
    /// # Errors
    /// When the changed text is no model: the message of the first error.
    pub fn model(&self) -> Result<Model, String> {
        let mut files = Files::default();
        let file = files.add(format!("{}.cat", self.name), self.text.as_str());
        match parse_model(&mut files, file, &NoFiles, &Options::default()) {
            Ok(loaded) => Ok(loaded.model),
            Err(errors) => Err(errors.first().map_or(String::new(), |error| error.message.clone())),
        }
    }
}

/// The mutants that come with the tool, by clause and name.
///
/// # Errors
/// The error in a mutant's file, with the file's name.
pub fn mutants() -> Result<Vec<Mutant>, String> {
    let mut mutants = Vec::new();
    for file in FOLDER.files() {
        let path = file.path().display();
        let name = file.path().file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let is_edit = file.path().extension().is_some_and(|ending| ending == "edit");
        let text = file.contents_utf8().filter(|_| is_edit);
        let (Some(name), Some(text)) = (name, text) else {
            return Err(format!("{path}: this is no edit of a model"));
        };
        mutants.push(read(&name, text).map_err(|why| format!("{path}: {why}"))?);
    }
    mutants.sort_by_key(|mutant| (order(&mutant.clause), mutant.name.clone()));
    Ok(mutants)
}

/// The numbers of a clause id, for sorting; empty if it is none.
#[must_use]
pub fn order(clause: &str) -> Vec<u32> {
    let numbers = clause.strip_prefix("PTX-").unwrap_or_default().split('.');
    numbers.map_while(|number| number.parse().ok()).collect()
}

fn read(name: &str, text: &str) -> Result<Mutant, String> {
    let file = EditFile::parse(text).map_err(|why| why.to_string())?;
    if file.base != format!("{ORIGINAL}.cat") {
        return Err(format!("it changes {}", file.base));
    }
    let mut comments = file.comments.iter();
    let first = comments.next().ok_or("it says nothing about itself")?;
    let (clause, change) = first.split_once(": ").ok_or("it names no clause")?;
    let excuse = comments.next().cloned();
    if let Some(excuse) = &excuse
        && !EXCUSES.iter().any(|start| excuse.starts_with(start))
    {
        return Err(format!("an excuse starts with one of {EXCUSES:?}"));
    }
    let original = builtin(ORIGINAL).ok_or("the model that it changes is missing")?.text;
    let text = file.apply(original).map_err(|why| why.to_string())?;
    let (name, clause, change) = (name.to_owned(), clause.to_owned(), change.to_owned());
    Ok(Mutant { name, clause, change, excuse, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mutants_in_the_tool_are_models() {
        let mutants = mutants().expect("each file is an edit");
        assert!(mutants.len() > 100);
        for mutant in &mutants[..3] {
            mutant.model().expect("a model");
        }
    }
}
