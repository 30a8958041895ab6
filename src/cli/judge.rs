//! `ptxmc judge`: comparison of machine results with the model.

mod logs;
mod traces;

use super::args::JudgeArguments;
use super::inputs::unreadable;
use super::models::Setup;
use super::output::Console;
use super::status::Status;
use crate::diagnostic::Diagnostic;
use crate::id::FileId;
use crate::judge::log::{Form, LogError};
use crate::judge::trace;
use crate::solve::Cores;
use crate::source::{Files, Span};
use anyhow::{Result, bail};
use std::io::{self, Read};

pub(super) fn run(arguments: &JudgeArguments, console: &Console) -> Result<Status> {
    let models = arguments.model.as_slice();
    let mut setup = Setup::load(models, &arguments.checking, Cores::Minimal, console)?;
    let mut texts = Texts::default();
    for name in &arguments.logs {
        texts.add(name, &mut setup.files);
    }
    let (mut traces, mut logs) = (Vec::new(), Vec::new());
    for &file in &texts.files {
        let text = text(&setup.files, file);
        match (trace::is_trace(text), Form::of(text)) {
            (true, _) => traces.push(file),
            (false, Some(_)) => logs.push(file),
            (false, None) => {
                let start = Span::new(file, 0, 0);
                texts.diagnostics.push(LogError::Unknown(start).diagnostic());
            }
        }
    }
    console.diagnostics(&texts.diagnostics, &setup.files);
    let unread = if texts.diagnostics.is_empty() { Status::Expected } else { Status::Unusable };
    match (&traces[..], &logs[..]) {
        ([], []) => Ok(Status::Unusable),
        ([], logs) if arguments.tests.is_empty() => {
            let name = setup.files.get(logs[0]).map_or("", |file| file.name.as_str());
            bail!("`{name}` is a log of tests, which --tests has to name");
        }
        ([], logs) => {
            Ok(unread.max(logs::run(arguments, (logs, texts.diagnostics), setup, console)?))
        }
        (traces, []) => Ok(unread.max(traces::run(arguments, traces, setup, console)?)),
        _ => bail!("logs and traces are judged in runs of their own"),
    }
}

/// The log files, and the errors of reading them.
#[derive(Default)]
struct Texts {
    files: Vec<FileId>,
    diagnostics: Vec<Diagnostic>,
}

impl Texts {
    fn add(&mut self, name: &str, files: &mut Files) {
        let (name, bytes) = match name {
            "-" => {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                ("<stdin>", read.map(|_| bytes))
            }
            _ => (name, std::fs::read(name)),
        };
        match bytes {
            // Bytes that are not text can only occur between tests.
            Ok(bytes) => self.files.push(files.add(name, String::from_utf8_lossy(&bytes))),
            Err(error) => self.diagnostics.push(unreadable(name, &error)),
        }
    }
}

fn text(files: &Files, file: FileId) -> &str {
    files.get(file).map_or("", |file| file.text.as_str())
}
