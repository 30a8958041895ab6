//! The file that stores the most successful parameters for each device and test.
//!
//! Each line contains, separated by tabs: device, test, outcomes per second, and then the
//! parameters as NAME=VALUE. Lines that start with `#` are comments.

use super::output::write_file;
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
        match parse(&text) {
            Ok(best) => Ok(Self { path: Some(path.to_owned()), best }),
            Err(line) => bail!("{}:{line}: this is no line of a tuning file", path.display()),
        }
    }

    /// The first parameters for a test: its own, else the best of any test on the device.
    pub(super) fn find(&self, device: &str, test: &str) -> Option<Parameters> {
        let own = self.best.get(&(device.to_owned(), test.to_owned()));
        let others = || self.best.iter().filter(|((d, _), _)| d == device).map(|(_, best)| best);
        let best = own.or_else(|| others().max_by(|a, b| a.rate.total_cmp(&b.rate)))?;
        Some(best.parameters)
    }

    /// Stores parameters with a higher rate than the known ones of a test.
    pub(super) fn learn(&mut self, device: &str, test: &str, tuned: Tuned) {
        let key = (device.to_owned(), test.to_owned());
        if self.best.get(&key).is_none_or(|known| known.rate < tuned.rate) {
            self.best.insert(key, tuned);
        }
    }

    /// Writes the file, if there is one to keep.
    pub(super) fn write(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        write_file(path, &self.text())
    }

    fn text(&self) -> String {
        let mut text = "# device\ttest\toutcomes in a second\tparameters\n".to_owned();
        for ((device, test), tuned) in &self.best {
            let _ = write!(text, "{device}\t{test}\t{:.3}", tuned.rate);
            for (name, value) in tuned.parameters.named() {
                let _ = write!(text, "\t{name}={value}");
            }
            text.push('\n');
        }
        text
    }
}

/// The content of a file, or the number of its first invalid line.
fn parse(text: &str) -> Result<BTreeMap<(String, String), Tuned>, usize> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(number, line)| entry(line).ok_or(number + 1)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tuned(rate: f64, warps: u32) -> Tuned {
        Tuned { parameters: Parameters { warps, ..Parameters::default() }, rate }
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let mut tuning = Tuning::default();
        tuning.learn("GPU 1", "MP", tuned(10.0, 4));
        tuning.learn("GPU 1", "MP", tuned(5.0, 8));
        tuning.learn("GPU 1", "SB", tuned(20.0, 16));
        tuning.learn("GPU 2", "SB", tuned(99.0, 32));
        let again = Tuning { path: None, best: parse(&tuning.text()).expect("a tuning file") };
        assert_eq!(again.text(), tuning.text());
        let warps = |device, test| again.find(device, test).map(|p| p.warps);
        assert_eq!(warps("GPU 1", "MP"), Some(4), "the better one is kept");
        assert_eq!(warps("GPU 1", "LB"), Some(16), "without its own, the best of the device");
        assert_eq!(warps("GPU 3", "LB"), None);
        assert_eq!(parse("# comment\nGPU 1\tMP\tfast\n"), Err(2));
    }
}
