//! Processes that tests start, and end whatever becomes of the test.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;
use wait_timeout::ChildExt;

/// A process that is killed when its owner is done with it, also by a panic.
pub struct Started(Child);

impl Started {
    /// Starts a process with pipes for its output.
    pub fn new(command: &mut Command) -> Self {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(piped.spawn().expect("the command starts"))
    }

    /// How the process ended, with what it wrote that nobody has read; `None` if it runs for longer
    /// than `patience`.
    pub fn output(mut self, patience: Duration) -> Option<(ExitStatus, Vec<u8>, Vec<u8>)> {
        let out = self.stdout.take().map(reader);
        let err = self.stderr.take().map(reader);
        let status = self.wait_timeout(patience).expect("it can be waited for")?;
        let bytes = |reader: Option<JoinHandle<Vec<u8>>>| {
            reader.map(|r| r.join().expect("readers do not panic")).unwrap_or_default()
        };
        Some((status, bytes(out), bytes(err)))
    }
}

/// Reads a pipe to its end, beside whatever else is done.
fn reader(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Both fail only where the process has ended and was waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
