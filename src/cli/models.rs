//! `--model` and `--reading` into models.

use super::args::{Checking, Color, TEARING};
use super::output::{Console, Messages};
use crate::batch::WITHOUT;
use crate::budget::Clock;
use crate::cat::ast::{File, Statement, StatementKind};
use crate::cat::edit::{self, EditFile};
use crate::cat::{
    BUILTIN, Hole, Loaded, Loader, Options, builtin, filling, parse_builtin, parse_model,
};
use crate::check::Settings;
use crate::diagnostic::{Diagnostic, closest};
use crate::engines::Choice;
use crate::event::unfold::Tearing;
use crate::id::FileId;
use crate::program::reading::Readings as ProgramReadings;
use crate::relation::expr::Model;
use crate::solve::{Cores, Engine};
use crate::source::Files;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The models, engines and settings for checking tests.
pub(super) struct Setup {
    /// The texts of the models.
    pub(super) files: Files,
    /// The models, in the order of the options.
    pub(super) models: Vec<Model>,
    /// The engines to ask.
    pub(super) engines: Vec<Box<dyn Engine>>,
    /// The settings of the queries.
    pub(super) settings: Settings,
    /// The readings that the models ask about.
    pub(super) variants: BTreeSet<String>,
}

impl Setup {
    /// Loads models by name or path, and applies the other options.
    pub(super) fn load(
        names: &[String],
        checking: &Checking,
        cores: Cores,
        console: &Console,
    ) -> Result<Self> {
        let engines = Choice::named(&checking.engine)?.engines_with(cores);
        let mut files = Files::default();
        let chosen = Chosen { readings: &checking.readings, without: &checking.without };
        let loaded = Models::load(names, chosen, &mut files, console)?;
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
            progress: checking.progress,
            ..settings
        };
        let Models { models, variants, .. } = loaded;
        Ok(Self { files, models, engines, settings, variants })
    }
}

/// The choices for models.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen<'a> {
    /// The readings, as given in the options.
    pub(super) readings: &'a [String],
    /// The axioms that are left out.
    pub(super) without: &'a [String],
}

/// The requested models.
#[derive(Debug, Default)]
pub(super) struct Models {
    /// The models, in the order of the options.
    pub(super) models: Vec<Model>,
    /// The models without simplification, in the same order.
    pub(super) flat: Vec<File>,
    /// Where accesses tear.
    pub(super) tearing: Option<Tearing>,
    /// The readings for instructions.
    pub(super) readings: ProgramReadings,
    /// The readings that the models ask about.
    pub(super) variants: BTreeSet<String>,
}

impl Models {
    /// Loads models by name or path; the default one when there are none.
    pub(super) fn load(
        names: &[String],
        chosen: Chosen<'_>,
        files: &mut Files,
        console: &Console,
    ) -> Result<Self> {
        let readings = Readings::parse(chosen.readings)?;
        let default = [BUILTIN[0].name.to_owned()];
        let names = if names.is_empty() { &default } else { names };
        let mut known = BTreeSet::new();
        let mut models: Vec<Model> = Vec::new();
        let mut flat = Vec::new();
        for name in names {
            let (bare, own) = own_readings(name);
            let mine = Readings::parse(&own)?;
            if let Some(reading) = own.iter().find(|reading| program_readings().contains(reading)) {
                bail!(
                    "`{reading}` is a reading of programs, for all models: `--reading {reading}`"
                );
            }
            let mut asked = BTreeSet::new();
            let options = readings.options.overridden(&mine.options);
            let Loaded { mut model, flat: text, .. } =
                load(bare, &options, &mut asked, files, console)?;
            mine.check(&asked)?;
            known.extend(asked);
            own.iter().for_each(|reading| model.name.push_str(&format!("+{reading}")));
            if models.iter().any(|other| other.name == model.name) {
                model.name.clone_from(name);
            }
            models.push(model);
            flat.push(text);
        }
        readings.check(&known)?;
        ablate(&mut models, chosen.without)?;
        let is_out = |statement: &Statement| match &statement.kind {
            StatementKind::Test(test) => {
                test.name.as_ref().is_some_and(|n| chosen.without.iter().any(|w| w == n.text()))
            }
            _ => false,
        };
        flat.iter_mut().for_each(|file: &mut File| file.statements.retain(|s| !is_out(s)));
        let Readings { tearing, program, .. } = readings;
        Ok(Self { models, flat, tearing, readings: program, variants: known })
    }
}

/// The readings behind the name of a model, `ptx-9.2+co=total`, that hold for this model alone.
fn own_readings(name: &str) -> (&str, Vec<String>) {
    if builtin(name).is_some() || Path::new(name).exists() {
        return (name, Vec::new());
    }
    let mut parts = name.split('+');
    let bare = parts.next().unwrap_or(name);
    (bare, parts.map(str::to_owned).collect())
}

impl Options {
    /// The options with the readings of `others`, except for those with a name that occurs in these
    /// options.
    fn overridden(&self, others: &Self) -> Self {
        let named = |reading: &str| reading.split_once('=').map(|(name, _)| name.to_owned());
        let names: Vec<String> = others.variants.iter().filter_map(|r| named(r)).collect();
        let stays = |own: &&String| named(own).is_none_or(|name| !names.contains(&name));
        let own = self.variants.iter().filter(stays).chain(&others.variants);
        Self { variants: own.cloned().collect() }
    }
}

/// A model with holes, and the model for each way to fill them.
#[derive(Debug)]
pub(super) struct Sketch {
    /// The holes.
    pub(super) holes: Vec<Hole>,
    /// The chosen alternatives, and the resulting model.
    pub(super) fillings: Vec<(Vec<usize>, Model)>,
}

/// The most fillings of a sketch that are tried.
const MOST_FILLINGS: usize = 10_000;

impl Sketch {
    /// Loads a model with every filling of its holes.
    pub(super) fn load(
        name: &str,
        readings: &[String],
        files: &mut Files,
        console: &Console,
    ) -> Result<Self> {
        let readings = Readings::parse(readings)?;
        let silent = Console::new(Color::Never, Messages::Errors);
        let mut known = BTreeSet::new();
        let plain = load(name, &readings.options, &mut known, files, console)?;
        readings.check(&known)?;
        let holes = plain.holes;
        let count = holes.iter().try_fold(1, |n: usize, h| n.checked_mul(h.alternatives.len()));
        let Some(count) = count.filter(|&count| count <= MOST_FILLINGS) else {
            bail!("there are more than {MOST_FILLINGS} ways to fill the holes of `{name}`");
        };
        let mut fillings = Vec::new();
        for mut index in 0..count {
            let mut choice = Vec::new();
            let mut options = readings.options.clone();
            for hole in &holes {
                let at = index % hole.alternatives.len();
                index /= hole.alternatives.len();
                options.variants.insert(filling(&hole.name, at));
                choice.push(at);
            }
            let filled = load(name, &options, &mut known, &mut Files::default(), &silent)?;
            fillings.push((choice, filled.model));
        }
        Ok(Self { holes, fillings })
    }
}

/// Removes axioms from all models that have them. Each axiom must occur in some model.
fn ablate(models: &mut [Model], without: &[String]) -> Result<()> {
    let known = |models: &[Model]| -> Vec<String> {
        models.iter().flat_map(|m| m.axioms.iter().map(|a| a.name.clone())).collect()
    };
    let all = known(models);
    if let Some(stray) = without.iter().find(|axiom| !all.contains(axiom)) {
        let hint = match closest(stray, all.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`ptxmc model FILE` prints the axioms of a model".to_owned(),
        };
        bail!("no model in use has an axiom `{stray}` ({hint})");
    }
    for model in models {
        let is_out = |index: &usize| without.contains(&model.axioms[*index].name);
        let out: Vec<usize> = (0..model.axioms.len()).filter(is_out).collect();
        if !out.is_empty() {
            let names: Vec<&str> = out.iter().map(|&i| model.axioms[i].name.as_str()).collect();
            let name = format!("{}{WITHOUT}{}", model.name, names.join(", "));
            *model = model.without_axioms(&out);
            model.name = name;
        }
    }
    Ok(())
}

/// Loads a model by its name or path, with the chosen readings and axioms.
fn load(
    name: &str,
    options: &Options,
    known: &mut BTreeSet<String>,
    files: &mut Files,
    console: &Console,
) -> Result<Loaded> {
    let mut loaded = match builtin(name) {
        Some(builtin) => parse_builtin(files, builtin, options),
        None => {
            let text = std::fs::read_to_string(name).with_context(|| unknown(name))?;
            let file = match name.ends_with(edit::ENDING) {
                true => edited(name, &text, files)?,
                false => files.add(name, text),
            };
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
    known.extend(loaded.variants.iter().cloned());
    if let Some(stem) = name.strip_suffix(edit::ENDING) {
        stem.rsplit('/').next().unwrap_or(stem).clone_into(&mut loaded.model.name);
    }
    Ok(loaded)
}

/// The text that results from applying an edit file to its base model.
fn edited(name: &str, text: &str, files: &mut Files) -> Result<FileId> {
    let edits = EditFile::parse(text).with_context(|| format!("`{name}` is no edit file"))?;
    let own = Path::new(name).file_name().map_or(name.into(), |own| own.to_string_lossy());
    let found = Folder.load(&edits.base, Some(name));
    let (base, place) = match (found, edits.base.strip_suffix(".cat").and_then(builtin)) {
        // Files that the base includes stand beside it.
        (Some((path, text)), _) => (text, format!("{path} with {own}")),
        (None, Some(builtin)) => (builtin.text.to_owned(), format!("{name} on {}", edits.base)),
        (None, None) => bail!("`{name}` changes `{}`, which cannot be read", edits.base),
    };
    let changed = edits.apply(&base).with_context(|| format!("`{name}` cannot be applied"))?;
    Ok(files.add(place, changed))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = BUILTIN.iter().map(|b| b.name).collect();
    let hint = match closest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("built-in models are {}", names.join(", ")),
    };
    format!("`{name}` is no built-in model and cannot be read as a file ({hint})")
}

/// Included files, relative to the folder of the including file.
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
                // Some models ask about plain words.
                variants.insert(reading.clone());
                continue;
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

    /// Checks that some model asks about every chosen reading.
    fn check(&self, known: &BTreeSet<String>) -> Result<()> {
        let Some(stray) = self.options.variants.difference(known).next() else { return Ok(()) };
        let mut words = known.iter().filter(|known| !known.contains('='));
        if !stray.contains('=') && words.next().is_none() {
            bail!(
                "`--reading {stray}` lacks a value; readings are written NAME=VALUE, and \
                 `ptxmc model` lists them"
            );
        }
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

/// The settings with the given readings for programs, and with defaults for the others.
///
/// # Errors
///
/// When a word is no such reading, or two readings have the same name.
pub(super) fn program_settings(readings: &[String], settings: Settings) -> Result<Settings> {
    let Readings { tearing, program, .. } = Readings::parse(readings)?;
    let tearing = tearing.unwrap_or(Settings::default().tearing);
    Ok(Settings { tearing, readings: program, ..settings })
}

/// The readings for programs, in the syntax of options.
pub(super) fn program_readings() -> Vec<String> {
    let tearing = TEARING.iter().map(|(value, _)| format!("tearing={value}"));
    let others = ProgramReadings::NAMES
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| format!("{name}={value}")));
    tearing.chain(others).collect()
}

/// Whether a reading for programs is the default without `--reading`.
pub(super) fn is_default(reading: &str) -> bool {
    let name = reading.split_once('=').map_or(reading, |(name, _)| name);
    let of_name = |other: &String| other.split_once('=').is_some_and(|(own, _)| own == name);
    program_readings().iter().find(|other| of_name(other)).is_some_and(|first| first == reading)
}

/// The readings that a built-in model offers.
pub(super) fn readings_of(builtin: &crate::cat::Builtin) -> BTreeSet<String> {
    parse_builtin(&mut Files::default(), builtin, &Options::default()).variants
}

/// Whether some diagnostic is an error, so that the input is unusable.
pub(super) fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
