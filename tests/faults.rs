//! What happens when something dies: the process, a worker of it, who reads its output, the disk.
#![cfg(unix)]

#[path = "it/support/process.rs"]
mod process;

use process::Started;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const MP: &str = "tests/cli/MP.litmus";
const BAD: &str = "tests/cli/bad";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxmc"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// Sends a signal to a process.
fn send(process: u32, signal: Signal) {
    let id = i32::try_from(process).ok().and_then(Pid::from_raw).expect("it is a process");
    kill_process(id, signal).expect("the process is there");
}

/// A test that takes longer than anybody waits: so many orders of so many writes.
fn endless() -> tempfile::NamedTempFile {
    let mut text = String::from("PTX endless\n.global .u32 x = 0;\n");
    for thread in 0..9 {
        let stores: String = (0..4)
            .map(|n| format!("st.relaxed.sys.global.u32 [x], {};", thread * 4 + n + 1))
            .collect();
        let load = "ld.relaxed.sys.global.u32 %r1, [x]; ld.relaxed.sys.global.u32 %r2, [x];";
        text += &format!("P{thread} @ gpu 0, cta {thread}, warp 0 {{ {stores} {load} }}\n");
    }
    text += "exists (x == 99)\n";
    let file = tempfile::Builder::new().suffix(".litmus").tempfile().expect("there is room");
    std::fs::write(file.path(), text).expect("there is room");
    file
}

fn path(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

/// Starts a run over a quick test, an endless one, and a quick one; gives it when the first is
/// decided, with what it wrote until then.
fn started(arguments: &[&str], endless: &Path) -> (Started, BufReader<impl Read>, String) {
    // It ends by itself where nobody is left to end it.
    let mut all = vec!["check", "--engine", "enumerate", "-j1", "--timeout", "300"];
    all.extend(arguments);
    all.extend([MP, path(endless), "tests/cli/MP-relaxed.litmus"]);
    let mut child = Started::new(&mut command(&all));
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut seen = String::new();
    // In JSON a test's line ends only where the next one begins.
    while !seen.contains("MP.litmus") {
        let part = out.fill_buf().expect("it can be read").to_vec();
        assert!(!part.is_empty(), "it ended: {seen}");
        out.consume(part.len());
        seen += &text(&part);
    }
    (child, out, seen)
}

/// How long a run may take to end that was told to, or has lost a worker.
const PATIENCE: Duration = Duration::from_secs(60);

/// The status, standard output and standard error of a process that was started.
fn ended(child: Started, mut out: impl Read, mut seen: String) -> (Option<i32>, String, String) {
    out.read_to_string(&mut seen).expect("output is UTF-8");
    let (status, _, err) = child.output(PATIENCE).expect("it ends");
    (status.code(), seen, text(&err))
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let listed = Command::new("sh")
        .args(["-c", &format!("cat /proc/{process}/task/*/children")])
        .output()
        .expect("there is a shell");
    text(&listed.stdout).split_whitespace().map(|id| id.parse().expect("a number")).collect()
}

#[test]
fn what_a_killed_run_has_said_is_whole() {
    let endless = endless();
    let (child, out, seen) = started(&[], endless.path());
    send(child.id(), Signal::KILL);
    let (status, seen, _) = ended(child, out, seen);
    assert_eq!(status, None);
    assert!(
        seen.ends_with("as expected  Causality (PTX-8.10.6)\n") || seen.ends_with('\n'),
        "{seen}"
    );
    assert_eq!(seen.lines().count(), 1, "{seen}");
}

#[test]
fn an_interrupted_run_ends_its_report() {
    let endless = endless();
    for options in [&[][..], &["--isolate"]] {
        let (child, out, seen) = started(options, endless.path());
        send(child.id(), Signal::INT);
        let (status, seen, err) = ended(child, out, seen);
        assert_eq!(status, Some(130), "{seen}{err}");
        assert!(seen.ends_with("1 test: 1 forbidden; 1 as expected\n"), "{seen}");
        assert!(err.contains("interrupted: 1 of 3 tests are decided"), "{err}");
    }
}

#[test]
fn an_interrupted_run_leaves_valid_json_and_a_baseline() {
    let endless = endless();
    let folder = tempfile::tempdir().expect("there is room");
    let baseline = folder.path().join("baseline");
    let options = ["--format", "json", "--bless", "--baseline", path(&baseline)];
    let (child, out, seen) = started(&options, endless.path());
    send(child.id(), Signal::INT);
    let (_, seen, err) = ended(child, out, seen);
    let value: serde_json::Value = serde_json::from_str(&seen).expect("it is whole");
    assert_eq!(value["tests"].as_array().map(Vec::len), Some(1), "{seen}{err}");
    let kept = std::fs::read_to_string(&baseline).expect("it was written");
    assert!(kept.contains("forbidden\tptx-9.2\ttests/cli/MP.litmus"), "{kept}");
}

#[test]
fn a_dead_worker_costs_one_test() {
    let endless = endless();
    let (child, out, seen) = started(&["--isolate"], endless.path());
    // The worker has taken up the endless test as soon as the first one is told.
    std::thread::sleep(Duration::from_millis(300));
    let workers = children(child.id());
    assert_eq!(workers.len(), 1, "{workers:?}");
    send(workers[0], Signal::KILL);
    let (status, seen, err) = ended(child, out, seen);
    assert_eq!(status, Some(101), "{seen}{err}");
    let lines: Vec<&str> = seen.lines().collect();
    assert_eq!(lines.len(), 4, "{seen}");
    assert!(lines[1].contains("error") && lines[1].contains("signal 9 (SIGKILL"), "{seen}");
    assert!(lines[2].contains("MP-relaxed.litmus  allowed"), "{seen}");
    assert!(lines[3].starts_with("3 tests: 1 allowed, 1 forbidden, 1 error"), "{seen}");
}

#[test]
fn workers_end_with_who_asked_them() {
    let endless = endless();
    let (child, out, seen) = started(&["--isolate"], endless.path());
    let workers = children(child.id());
    send(child.id(), Signal::KILL);
    ended(child, out, seen);
    let start = Instant::now();
    let alive = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while workers.iter().any(alive) {
        assert!(start.elapsed() < Duration::from_secs(20), "{workers:?} are still there");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn isolation_changes_no_byte() {
    for format in ["text", "json", "junit", "herd"] {
        for more in [&[][..], &["--witness"], &["--model", "ptx-9.2", "--model", "ptx-6.0"]] {
            if !more.is_empty() && format == "herd" || format == "junit" && more == ["--witness"] {
                continue;
            }
            let mut arguments = vec!["check", "-j2", "--format", format, "litmus/barrier", MP, BAD];
            arguments.extend(more);
            let plain = output(&arguments);
            arguments.push("--isolate");
            let isolated = output(&arguments);
            assert_eq!(text(&plain.stdout), text(&isolated.stdout), "{arguments:?}");
            assert_eq!(text(&plain.stderr), text(&isolated.stderr), "{arguments:?}");
            assert_eq!(plain.status, isolated.status, "{arguments:?}");
            assert!(!plain.stdout.is_empty());
        }
    }
}

#[test]
fn a_test_that_takes_too_long_costs_itself() {
    let endless = endless();
    let arguments =
        ["check", "--engine", "enumerate", "--timeout", "0.5", path(endless.path()), MP];
    let run = output(&arguments);
    let out = text(&run.stdout);
    assert_eq!(run.status.code(), Some(3), "{out}");
    assert!(out.contains("out of time") && out.contains("MP.litmus"), "{out}");
}

#[test]
fn a_full_disk_is_told() {
    for arguments in [&["check", MP][..], &["outcomes", MP], &["explain", MP], &["model"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let run = command(arguments).stdout(full).output().expect("the command starts");
        let err = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains("cannot write to standard output"), "{arguments:?}: {err}");
    }
    let folder = tempfile::tempdir().expect("there is room");
    let picture = folder.path().join("full.dot");
    std::os::unix::fs::symlink("/dev/full", &picture).expect("links can be made");
    let run = output(&["draw", "tests/cli/MP-relaxed.litmus", "-o", path(&picture)]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("cannot write"), "{}", text(&run.stderr));
}

#[test]
fn a_closed_pipe_ends_the_run() {
    let mut child = Started::new(&mut command(&["check", "--format", "json", "litmus/mp"]));
    drop(child.stdout.take());
    let (status, _, err) = child.output(PATIENCE).expect("it ends");
    assert_ne!(status.code(), Some(0), "{}", text(&err));
    assert_ne!(status.code(), Some(101), "{}", text(&err));
}
