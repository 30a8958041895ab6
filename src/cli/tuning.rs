//! The file that keeps which parameters show most on which device.
//!
//! A line for each device and test, with tabs between: device, test, outcomes in a second, and then the
//! parameters as NAME=VALUE. Lines that begin with `#` are comments.

use crate::hardware::Parameters;
use crate::hardware::campaign::Tuned;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The best parameters known.
#[derive(Default)]
pub(super) struct Tuning {
    path: Option<PathBuf>,
    /// By device and test.
    best: BTreeMap<(String, String), Tuned>,
}

impl Tuning {
    /// Reads a file, which need not exist yet.
    pub(super) fn read(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.with_context(|| format!("cannot read `{}`", path.display()))?,
        };
        let mut tuning = Self { path: Some(path.to_owned()), ..Self::default() };
        for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#')) {
            let Some((key, tuned)) = entry(line) else {
                bail!("{}:{}: this is no line of a tuning file", path.display(), number + 1);
            };
            tuning.best.insert(key, tuned);
        }
        Ok(tuning)
    }

    /// The parameters to begin a test with: its own, else the best of any test on the device.
    pub(super) fn find(&self, device: &str, test: &str) -> Option<Parameters> {
        let own = self.best.get(&(device.to_owned(), test.to_owned()));
        let others = || self.best.iter().filter(|((d, _), _)| d == device).map(|(_, best)| best);
        let best = own.or_else(|| others().max_by(|a, b| a.rate.total_cmp(&b.rate)))?;
        Some(best.parameters)
    }

    /// Notes what showed the outcome of a test more often than what is known.
    pub(super) fn learn(&mut self, device: &str, test: &str, tuned: Tuned) {
        let key = (device.to_owned(), test.to_owned());
        if self.best.get(&key).is_none_or(|known| known.rate < tuned.rate) {
            self.best.insert(key, tuned);
        }
    }

    /// Writes the file, if there is one to keep.
    pub(super) fn write(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut text = "# device\ttest\toutcomes in a second\tparameters\n".to_owned();
        for ((device, test), tuned) in &self.best {
            let _ = write!(text, "{device}\t{test}\t{:.3}", tuned.rate);
            for (name, value) in tuned.parameters.named() {
                let _ = write!(text, "\t{name}={value}");
            }
            text.push('\n');
        }
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

fn entry(line: &str) -> Option<((String, String), Tuned)> {
    let mut parts = line.split('\t');
    let key = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let rate = parts.next()?.parse().ok()?;
    let mut parameters = Parameters::default();
    for part in parts {
        let (name, value) = part.split_once('=')?;
        parameters.set(name, value.parse().ok()?).ok()?;
    }
    Some((key, Tuned { parameters, rate }))
}
