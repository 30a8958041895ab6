//! `ptxmc explain --clause`: the text of a clause of the standard, its places in models, and its
//! tests.

use super::args::{ExplainArguments, SingleFormat};
use super::inputs::Inputs;
use super::models::{Chosen, Models, any_error};
use super::output::{Console, print};
use super::status::Status;
use crate::diagnostic::closest;
use crate::report::clauses::{Account, Clause, render};
use crate::report::json_clause;
use crate::source::Files;
use anyhow::{Result, bail};

pub(super) fn run(id: &str, arguments: &ExplainArguments, console: &Console) -> Result<Status> {
    let Some(clause) = Clause::named(id) else {
        match closest(id, Clause::ids()) {
            Some(near) => bail!("no clause `{id}` is explained; did you mean `{near}`?"),
            None => bail!("no clause `{id}` is explained; those that are: {}", listed()),
        }
    };
    let checking = &arguments.checking;
    let mut files = Files::default();
    let chosen = Chosen { readings: &checking.readings, without: &[] };
    let loaded = Models::load(arguments.model.as_slice(), chosen, &mut files, console)?;
    let paths: Vec<String> = arguments.path.iter().cloned().collect();
    let inputs = Inputs::parse_all(&paths, checking.version(), None, &mut files);
    console.diagnostics(&inputs.diagnostics, &files);
    if any_error(&inputs.diagnostics) {
        bail!("the tests cannot be used");
    }
    let tests = inputs.cases.iter().map(|case| (case.path.as_str(), &case.test));
    let account = Account::of(clause, &loaded.flat[0].statements, &files, tests);
    let model = &loaded.models[0].name;
    print(&match arguments.format {
        SingleFormat::Text => render(clause, model, &account),
        SingleFormat::Json => json_clause::render(clause, model, &account),
    })?;
    Ok(Status::Expected)
}

/// The ids in a line.
fn listed() -> String {
    Clause::ids().collect::<Vec<_>>().join(", ")
}
