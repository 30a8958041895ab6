//! Workers in separate processes: a crash of one worker affects only its current test.
//!
//! A worker is this program with the command `worker`: it reads a request per line and answers each request
//! with a line, until its input ends. Requests and answers are JSON objects.

use super::args::{CheckArguments, WitnessForm, WorkerArguments};
use super::inputs::identify;
use super::models::Setup;
use super::output::{Console, print};
use super::render::{Form, Listed, Pages, Rendered, Renderer};
use super::status::Status;
use crate::batch::{Case, Refusal, in_order};
use crate::check::HangKind;
use crate::id::FileId;
use crate::litmus::ast::{Quantifier, Test};
use crate::module::parse_version;
use crate::report::json;
use crate::report::paint::Paint;
use crate::report::reason::{Cause, Place};
use crate::report::summary::Stated;
use crate::report::text;
use crate::source::Files;
use crate::verdict::Kind;
use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};

/// The command that starts a worker process.
pub(super) const WORKER: &str = "worker";

/// A pool of worker processes; contains the idle ones.
pub(super) struct Pool<'a> {
    files: &'a Files,
    arguments: Vec<String>,
    idle: Mutex<Vec<Worker>>,
}

impl<'a> Pool<'a> {
    /// A pool of workers for the given arguments.
    pub(super) fn new(
        arguments: &CheckArguments,
        width: usize,
        paint: Paint,
        files: &'a Files,
    ) -> Self {
        let arguments = worker_arguments(arguments, width, paint);
        Self { files, arguments, idle: Mutex::default() }
    }

    /// Checks a test in a worker.
    ///
    /// # Errors
    /// When the worker dies; the message gives the cause.
    pub(super) fn check(&self, case: &Case) -> Result<Rendered, String> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = match idle {
            Some(worker) => worker,
            None => Worker::start(&self.arguments)
                .map_err(|error| format!("cannot start a worker process: {error}"))?,
        };
        match worker.ask(case, self.files) {
            Some(rendered) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                Ok(rendered)
            }
            None => Err(worker.end()),
        }
    }
}

/// The command line of a worker.
fn worker_arguments(arguments: &CheckArguments, width: usize, paint: Paint) -> Vec<String> {
    let checking = &arguments.checking;
    let mut list = vec![WORKER.to_owned()];
    let mut option = |name: &str, value: &str| list.push(format!("--{name}={value}"));
    arguments.models.iter().for_each(|model| option("model", model));
    checking.readings.iter().for_each(|reading| option("reading", reading));
    checking.without.iter().for_each(|axiom| option("without", axiom));
    option("engine", &checking.engine);
    option("progress", checking.progress.name());
    if let Some(bound) = checking.bound {
        option("bound", &bound.to_string());
    }
    if let Some(milliseconds) = checking.timeout {
        option("timeout", &format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000));
    }
    if let Some(format) = arguments.format.to_possible_value() {
        option("format", format.get_name());
    }
    if let Some(form) = arguments.witness.as_ref().and_then(WitnessForm::to_possible_value) {
        option("witness", form.get_name());
    }
    arguments.fail_on.iter().for_each(|refused| option("fail-on", refused.name()));
    option("width", &width.to_string());
    option("color", if paint == Paint::Ansi { "always" } else { "never" });
    if checking.legacy {
        list.push("--legacy".to_owned());
    }
    list
}

/// A worker process.
struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The file that the worker knows.
    file: Option<FileId>,
}

impl Worker {
    fn start(arguments: &[String]) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pipe = || io::Error::other("it has no pipe");
        let input = child.stdin.take().ok_or_else(pipe)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(pipe)?);
        Ok(Self { child, input, output, file: None })
    }

    /// Sends a test and waits for the result; `None` if the worker failed.
    fn ask(&mut self, case: &Case, files: &Files) -> Option<Rendered> {
        let file = case.test.condition_span.file;
        let source = files.get(file)?;
        let expected: Vec<_> = case.expected.iter().map(|kind| kind.map(Kind::name)).collect();
        let mut request = json!({ "path": case.path, "expected": expected });
        if self.file.replace(file) != Some(file) {
            request["file"] = json!(source.name);
            request["text"] = json!(source.text);
        }
        writeln!(self.input, "{request}").and_then(|()| self.input.flush()).ok()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).ok()?;
        parse_answer(&serde_json::from_str(&answer).ok()?, case.test.quantifier)
    }

    /// Ends the worker if it is still running; gives the cause of its end.
    fn end(mut self) -> String {
        drop(self.input);
        match self.child.wait() {
            Ok(status) => format!("the worker process died of {}", cause(status)),
            Err(error) => format!("the worker process is lost: {error}"),
        }
    }
}

/// The cause of a process's death.
fn cause(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            2 => " (SIGINT)",
            6 => " (SIGABRT: an abort, such as for want of stack or memory)",
            9 => " (SIGKILL: killed, such as for want of memory)",
            11 => " (SIGSEGV)",
            15 => " (SIGTERM)",
            _ => "",
        };
        return format!("signal {signal}{name}");
    }
    status.to_string()
}

/// The JSON form of an answer.
fn answer(rendered: &Rendered) -> Value {
    let verdict = |stated: &Stated| {
        json!({
            "kind": stated.kind.name(),
            "expected": stated.expected.map(Kind::name),
            "refused": stated.refused.map(Refusal::name),
            "hang": stated.hang.map(HangKind::name),
            "reason": stated.reason,
            "code": stated.cause.code,
            "clauses": stated.cause.clauses,
            "places": stated.cause.places.iter().map(json::place).collect::<Vec<_>>(),
        })
    };
    let verdicts: Vec<Value> = rendered.verdicts.iter().map(verdict).collect();
    json!({ "verdicts": verdicts, "text": rendered.text, "complaints": rendered.complaints, "listed": rendered.listed.name() })
}

/// Reads an answer from its JSON form.
fn parse_answer(answer: &Value, quantifier: Quantifier) -> Option<Rendered> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let place = |value: &Value| {
        let (line, column) = (number(&value["line"])?, number(&value["column"])?);
        Some(Place { file: text(&value["file"])?, line, column })
    };
    let cause = |value: &Value| {
        Some(Cause {
            code: text(&value["code"]),
            clauses: value["clauses"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            places: value["places"].as_array()?.iter().map(place).collect::<Option<_>>()?,
        })
    };
    let verdict = |value: &Value| {
        Some(Stated {
            kind: Kind::named(value["kind"].as_str()?)?,
            quantifier,
            expected: value["expected"].as_str().and_then(Kind::named),
            refused: value["refused"].as_str().and_then(Refusal::named),
            hang: value["hang"].as_str().and_then(HangKind::named),
            reason: text(&value["reason"])?,
            cause: cause(value)?,
        })
    };
    Some(Rendered {
        verdicts: answer["verdicts"].as_array()?.iter().map(verdict).collect::<Option<_>>()?,
        text: text(&answer["text"])?,
        complaints: answer["complaints"].as_array()?.iter().map(text).collect::<Option<_>>()?,
        page: None,
        listed: Listed::named(answer["listed"].as_str()?)?,
    })
}

/// The lines of standard input. After the last line no process waits for an answer, so that this process
/// exits immediately.
fn requests() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        std::process::exit(0);
    });
    receiver
}

/// The command `worker`: answers requests until the input ends.
pub(super) fn work(arguments: &WorkerArguments, console: &Console) -> Result<Status> {
    let Setup { files: model_files, models, engines, settings, .. } =
        Setup::load(&arguments.models, &arguments.checking, arguments.format.cores(), console)?;
    let teller = Renderer {
        models: &models,
        engines: &engines,
        settings,
        fail_on: &arguments.fail_on,
        form: Form { format: arguments.format, witness: arguments.witness },
        table: text::Table::new(arguments.width, &models, console.paint()),
        pages: Pages::None,
    };
    // A pool's thread has the stack size that checking may need.
    let mut outcome = Ok(());
    let serve = |_| {
        let mut tests: Vec<(String, Test)> = Vec::new();
        let mut files = model_files.clone();
        for line in requests() {
            let request: Value = serde_json::from_str(&line)?;
            if let (Some(name), Some(text)) = (request["file"].as_str(), request["text"].as_str()) {
                files = model_files.clone();
                let version = arguments.checking.version();
                let parsed = parse_version(&mut files, name, text.as_bytes(), version).tests;
                tests = identify(name, &parsed).into_iter().zip(parsed).collect();
            }
            let path = request["path"].as_str().unwrap_or("");
            let (_, test) = tests
                .iter()
                .find(|(known, _)| known == path)
                .context("a test that is not there")?;
            let expected = request["expected"].as_array().map_or(&[][..], Vec::as_slice);
            let expected = expected.iter().map(|kind| kind.as_str().and_then(Kind::named));
            let case =
                Case { path: path.to_owned(), test: test.clone(), expected: expected.collect() };
            print(&format!("{}\n", answer(&teller.check(&case, &files))))?;
        }
        Ok(())
    };
    in_order(1, 1, serve, |_, result| {
        outcome = result;
        ControlFlow::Break(())
    });
    outcome.map(|()| Status::Expected)
}
