//! `ptxmc hangs`: whether a test may hang, with the execution.

use super::args::{HangsArguments, SingleFormat};
use super::output::{Console, print};
use super::single::Loaded;
use super::status::Status;
use crate::batch::{guarded, together};
use crate::check::{self, HangKind};
use crate::report::{caveat, hang, json_single};
use crate::verdict::Kind;
use anyhow::Result;

pub(super) fn run(arguments: &HangsArguments, console: &Console) -> Result<Status> {
    let loaded = Loaded::new(&arguments.single, console)?;
    let (engine, settings) = together(&loaded.engines, loaded.settings);
    let (case, model, files) = (&loaded.case, loaded.model(), &loaded.files);
    let found = guarded(|| {
        let outcome = check::check(&case.test, model, &engine, settings);
        let hang = check::hang(&case.test, model, &engine, settings, &outcome);
        (outcome.verdict, hang)
    });
    let broken = |message: &str| {
        console.complain(&format!("{}: {message}", case.path));
        Ok(Status::Bug)
    };
    let (verdict, answer) = match (engine.disagreement(), found) {
        (Some(message), _) | (None, Err(message)) => return broken(&message),
        (None, Ok(found)) => found,
    };
    let is_void = matches!(verdict.kind(), Kind::OutOfModel | Kind::Undefined);
    let part = caveat::of_part(&case.test);
    let void = caveat::of(&verdict, files).filter(|_| is_void).or(part);
    let void = void.as_ref();
    let progress = settings.progress;
    print(&match arguments.format {
        SingleFormat::Text => hang::render(case, &answer, model, progress, files, void),
        SingleFormat::Json => json_single::hang(case, &answer, model, progress, files, void),
    })?;
    Ok(match (verdict.kind(), answer.kind()) {
        (Kind::OutOfModel, _) | (_, HangKind::Unknown) => Status::Unknown,
        _ if void.is_some_and(|caveat| caveat.kind == Kind::Unknown) => Status::Unknown,
        (_, HangKind::Possible) => Status::Differs,
        // That nothing hangs says little of a program whose behaviour is undefined.
        (Kind::Undefined, HangKind::Never) => Status::Unknown,
        (_, HangKind::Never) => Status::Expected,
    })
}
