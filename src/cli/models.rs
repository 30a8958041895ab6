//! `--model` and `--reading` into models.

use super::args::{Checking, TEARING};
use super::output::Console;
use crate::budget::Clock;
use crate::cat::{BUILTIN, Loader, Options, builtin, parse_builtin, parse_model};
use crate::check::Settings;
use crate::diagnostic::{Diagnostic, closest};
use crate::engines::Choice;
use crate::event::unfold::Tearing;
use crate::program::reading::Readings as ProgramReadings;
use crate::relation::expr::Model;
use crate::solve::{Cores, Engine};
use crate::source::Files;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// What tests are checked with.
pub(super) struct Setup {
    /// The texts of the models.
    pub(super) files: Files,
    /// The models, in the order of the options.
    pub(super) models: Vec<Model>,
    /// The engines to ask.
    pub(super) engines: Vec<Box<dyn Engine>>,
    /// How they are asked.
    pub(super) settings: Settings,
    /// The readings that the models ask about.
    pub(super) variants: BTreeSet<String>,
}

impl Setup {
    /// Loads models by name or path, and what else the options say.
    pub(super) fn load(
        names: &[String],
        checking: &Checking,
        cores: Cores,
        console: &Console,
    ) -> Result<Self> {
        let engines = Choice::named(&checking.engine)?.engines_with(cores);
        let mut files = Files::default();
        let loaded = Models::load(names, &checking.readings, &mut files, console)?;
        let settings = checking
            .bound
            .map_or_else(Settings::default, |bound| Settings::default().with_bound(bound));
        let clock = Clock::monotonic();
        let budget = match checking.timeout {
            Some(time) => settings.budget.timed(clock, Duration::from_millis(time)),
            None => settings.budget.measured_by(clock),
        };
        let settings = Settings {
            budget,
            tearing: loaded.tearing.unwrap_or(settings.tearing),
            readings: loaded.readings,
            ..settings
        };
        let Models { models, variants, .. } = loaded;
        Ok(Self { files, models, engines, settings, variants })
    }
}

/// Models as the user asked for them.
#[derive(Debug, Default)]
pub(super) struct Models {
    /// The models, in the order of the options.
    pub(super) models: Vec<Model>,
    /// Where accesses tear.
    pub(super) tearing: Option<Tearing>,
    /// What instructions are taken to do.
    pub(super) readings: ProgramReadings,
    /// The readings that the models ask about.
    pub(super) variants: BTreeSet<String>,
}

impl Models {
    /// Loads models by name or path; the default one when there are none.
    pub(super) fn load(
        names: &[String],
        readings: &[String],
        files: &mut Files,
        console: &Console,
    ) -> Result<Self> {
        let readings = Readings::parse(readings)?;
        let default = [BUILTIN[0].name.to_owned()];
        let names = if names.is_empty() { &default } else { names };
        let mut known = BTreeSet::new();
        let mut models: Vec<Model> = Vec::new();
        for name in names {
            let mut model = load(name, &readings.options, &mut known, files, console)?;
            if models.iter().any(|other| other.name == model.name) {
                model.name.clone_from(name);
            }
            models.push(model);
        }
        readings.check(&known)?;
        let Readings { tearing, program, .. } = readings;
        Ok(Self { models, tearing, readings: program, variants: known })
    }
}

fn load(
    name: &str,
    options: &Options,
    known: &mut BTreeSet<String>,
    files: &mut Files,
    console: &Console,
) -> Result<Model> {
    let loaded = match builtin(name) {
        Some(builtin) => parse_builtin(files, builtin, options),
        None => {
            let text = std::fs::read_to_string(name).with_context(|| unknown(name))?;
            let file = files.add(name, text);
            match parse_model(files, file, &Folder, options) {
                Ok(loaded) => loaded,
                Err(diagnostics) => {
                    console.diagnostics(&diagnostics, files);
                    bail!("the model `{name}` cannot be used");
                }
            }
        }
    };
    console.diagnostics(&loaded.warnings, files);
    known.extend(loaded.variants);
    Ok(loaded.model)
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = BUILTIN.iter().map(|b| b.name).collect();
    let hint = match closest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("built-in models are {}", names.join(", ")),
    };
    format!("`{name}` is no built-in model and cannot be read as a file ({hint})")
}

/// Included files, relative to the folder of the file that includes them.
struct Folder;

impl Loader for Folder {
    fn load(&self, name: &str, from: Option<&str>) -> Option<(String, String)> {
        let folder = from.and_then(|from| Path::new(from).parent()).unwrap_or(Path::new(""));
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path.display().to_string(), text))
    }
}

/// The readings of the standard that the user chose.
struct Readings {
    tearing: Option<Tearing>,
    program: ProgramReadings,
    options: Options,
}

impl Readings {
    fn parse(readings: &[String]) -> Result<Self> {
        let (mut tearing, mut program) = (None, ProgramReadings::default());
        let mut variants = BTreeSet::new();
        let mut chosen: BTreeMap<&str, &str> = BTreeMap::new();
        for reading in readings {
            let Some((name, value)) = reading.split_once('=') else {
                bail!(
                    "`--reading {reading}` lacks a value; readings are written NAME=VALUE, and \
                       `ptxmc model` lists them"
                );
            };
            if value.contains(',') {
                let each = reading.split(',').map(|one| format!("`--reading {}`", one.trim()));
                let each = each.collect::<Vec<_>>().join(" ");
                bail!("`--reading {reading}` is several readings; each has its option: {each}");
            }
            if let Some(other) = chosen.insert(name, value).filter(|other| *other != value) {
                bail!("the reading `{name}` cannot be both `{other}` and `{value}`");
            }
            if let Some((_, values)) = ProgramReadings::NAMES.iter().find(|(n, _)| *n == name) {
                program = program.with(name, value).with_context(|| {
                    format!("the reading `{name}` is {}, not `{value}`", alternatives(values))
                })?;
                continue;
            }
            if name != "tearing" {
                variants.insert(reading.clone());
                continue;
            }
            let Some((_, chosen)) = TEARING.iter().find(|(word, _)| *word == value) else {
                bail!("the reading `tearing` is `overlap` or `byte`, not `{value}`");
            };
            tearing = Some(*chosen);
        }
        Ok(Self { tearing, program, options: Options { variants } })
    }

    /// Every reading has to be one that some model asks about.
    fn check(&self, known: &BTreeSet<String>) -> Result<()> {
        let Some(stray) = self.options.variants.difference(known).next() else { return Ok(()) };
        let others = program_readings();
        let names = known.iter().chain(&others).map(String::as_str);
        let name = stray.split_once('=').map_or(stray.as_str(), |(name, _)| name);
        let values = names.clone().filter_map(|other| other.strip_prefix(name)?.strip_prefix('='));
        let values: Vec<&str> = values.collect();
        if let (Some(value), [_, ..]) = (stray.strip_prefix(name), &values[..]) {
            let value = value.trim_start_matches('=');
            bail!("the reading `{name}` is {}, not `{value}`", alternatives(&values));
        }
        let hint = match closest(stray, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`ptxmc model` lists the readings".to_owned(),
        };
        bail!("no model in use has a reading `{stray}` ({hint})")
    }
}

/// `a`, or `a`, `b` or `c`.
fn alternatives(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    match quoted.split_last() {
        Some((last, first @ [_, ..])) => format!("{} or {last}", first.join(", ")),
        _ => quoted.concat(),
    }
}

/// The readings that concern programs, as they are written.
pub(super) fn program_readings() -> Vec<String> {
    let tearing = TEARING.iter().map(|(value, _)| format!("tearing={value}"));
    let others = ProgramReadings::NAMES
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| format!("{name}={value}")));
    tearing.chain(others).collect()
}

/// Whether a reading of programs is the one that holds without `--reading`.
pub(super) fn is_default(reading: &str) -> bool {
    let name = reading.split_once('=').map_or(reading, |(name, _)| name);
    let of_name = |other: &String| other.split_once('=').is_some_and(|(own, _)| own == name);
    program_readings().iter().find(|other| of_name(other)).is_some_and(|first| first == reading)
}

/// The readings that a built-in model offers.
pub(super) fn readings_of(builtin: &crate::cat::Builtin) -> BTreeSet<String> {
    parse_builtin(&mut Files::default(), builtin, &Options::default()).variants
}

/// Whether some diagnostic forbids using the input.
pub(super) fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
