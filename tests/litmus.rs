//! Each shipped litmus test by name: it has the verdict that it expects, under the default model and
//! under every built-in model that it has an expectation of its own for.

#[path = "it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other test program takes the rest")]
mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use ptxmc::batch::{expectation, hang_expectation};
use ptxmc::models::BUILTIN;
use ptxmc::{Checker, Model, Progress, Settings, Test};
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
    complaints.extend(hangs(&test, &models[0].1)?);
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("; ").into()) }
}

/// Whether a test may hang where it does not say so, or the other way round, under the models of progress
/// that it speaks of.
fn hangs(test: &Test, model: &Model) -> Result<Vec<String>, Failed> {
    let mut complaints = Vec::new();
    for progress in Progress::ALL {
        let is_default = progress == Progress::default() && test.metadata("Hang").is_some();
        if !is_default && test.metadata(&format!("Hang[{progress}]")).is_none() {
            continue;
        }
        let expected = hang_expectation(test, progress).map_err(|error| error.message.clone())?;
        let settings = Settings::default().with_progress(progress);
        let found = Checker::new(model).with_settings(settings).hang(test).kind();
        if Some(found) != expected {
            let expected = expected.map_or("nothing", |kind| kind.name());
            let found = found.name();
            complaints.push(format!("under {progress} a hang is {found}, expected is {expected}"));
        }
    }
    Ok(complaints)
}
