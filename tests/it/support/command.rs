//! Runs of the command, for tests that look at it as a user does.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run of the command gave.
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Everything, for a snapshot.
    pub fn transcript(&self) -> String {
        let mut text = self.out.clone();
        if !self.err.is_empty() {
            text.push_str("---- standard error ----\n");
            text.push_str(&self.err);
        }
        format!("{text}---- status {} ----\n", self.status)
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxmc"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).env_remove("RUST_BACKTRACE");
    command
}

pub fn ptxmc(arguments: &[&str]) -> Run {
    finish(command(arguments).stdin(Stdio::null()))
}

pub fn finish(command: &mut Command) -> Run {
    ended(command.output().expect("the command starts"))
}

fn ended(output: Output) -> Run {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Run {
        status: output.status.code().expect("the command exits"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Runs the command with `input` on standard input.
pub fn ptxmc_reading(arguments: &[&str], input: &str) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    ended(child.wait_with_output().expect("the command ends"))
}

pub fn path(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}
