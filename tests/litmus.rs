//! Each shipped litmus test by name: it has the verdict that it expects, under the default model and
//! under every built-in model that it has an expectation of its own for.

#[path = "it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other test program takes the rest")]
mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use ptxmc::batch::expectation;
use ptxmc::models::BUILTIN;
use ptxmc::{Checker, Model};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// The model whose verdicts a bare `Expect=` states.
const DEFAULT: &str = "ptx-9.2";

/// The built-in models by name, the default one first.
type Models = Vec<(&'static str, Model)>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut models: Models =
        BUILTIN.iter().map(|builtin| (builtin.name, support::model(builtin.name))).collect();
    models.sort_by_key(|(name, _)| *name != DEFAULT);
    let models = Arc::new(models);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let trials: Vec<Trial> = support::litmus_files(&folder)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&folder).expect("found below it").with_extension("");
            let models = Arc::clone(&models);
            Trial::test(name.display().to_string(), move || verdicts(&path, &models))
        })
        .collect();
    assert!(trials.len() > 1_000, "found only {} tests", trials.len());
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Checks a test under the models that it speaks of.
fn verdicts(path: &Path, models: &Models) -> Result<(), Failed> {
    let test = support::read(path)?;
    let mut complaints = Vec::new();
    for (name, model) in models {
        if *name != DEFAULT && test.metadata(&format!("Expect[{name}]")).is_none() {
            continue;
        }
        let expected = expectation(&test, name, &[]).map_err(|error| error.message.clone())?;
        let expected = expected.ok_or("a shipped test expects something")?;
        let found = Checker::new(model).check(&test).verdict.kind();
        if found != expected {
            complaints.push(format!(
                "under {name} it is {}, expected is {}",
                found.name(),
                expected.name()
            ));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("; ").into()) }
}
