//! `ptxmc generate`: tests from specifications, with their verdicts.

use super::args::{Checking, GenerateArguments};
use super::check::jobs;
use super::choices::{choices, nothing_fits, unused};
use super::models::Setup;
use super::output::{Console, print, write_file};
use super::status::Status;
use crate::batch::{Case, in_order, judge};
use crate::collections::Permutation;
use crate::diagnostic::Diagnostic;
use crate::generate::frontier::{MOST, Side, is_frontier};
use crate::generate::specification::is_part_of_cycle;
use crate::generate::{Collection, Family, Member, Specification, Variation};
use crate::litmus::ast::{Metadata, Test};
use crate::litmus::parse::parse_bytes;
use crate::litmus::print::print_blocks;
use crate::solve::Cores;
use crate::source::{Files, Spanned};
use crate::verdict::Kind;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// The number of variations that are generated at a time.
const CHUNK: u64 = 4096;

/// The number of variations from which on a search for the border reports its start.
const MANY: u64 = 50_000;

pub(super) fn run(arguments: &GenerateArguments, console: &Console) -> Result<Status> {
    let specifications = specifications(&arguments.specs)?;
    let collection = Collection::new(specifications, &choices(arguments));
    unused(arguments, &collection).iter().for_each(|line| console.remark(line));
    if let Some(folder) = &arguments.output {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    }
    let checking = Checking { readings: arguments.readings.clone(), ..Checking::plain() };
    let model = arguments.model.as_slice();
    let setup = Setup::load(model, &checking, Cores::FirstProof, console)?;
    let mut generation = Generation {
        arguments,
        setup: &setup,
        expectation: expectation(arguments, &setup),
        left: arguments.limit.unwrap_or(u64::MAX),
        made: 0,
        counts: BTreeMap::new(),
        failed: Vec::new(),
        start: Instant::now(),
    };
    match arguments.frontier {
        true => generation.frontiers(&collection, console)?,
        false => generation.all(&collection)?,
    }
    generation.report_counts(console);
    Ok(generation.status(console))
}

/// If all words are edges, they form one cycle; else each word is a specification or the name of a file of
/// specifications.
fn specifications(words: &[String]) -> Result<Vec<Specification>> {
    if words.iter().all(|word| is_part_of_cycle(word)) {
        return Ok(vec![Specification::parse(&words.join(" "))?]);
    }
    let mut specifications = Vec::new();
    for word in words {
        if word == "-" || Path::new(word).is_file() {
            let (word, text) = match word.as_str() {
                "-" => ("<stdin>", io::read_to_string(io::stdin().lock())),
                file => (file, fs::read_to_string(file)),
            };
            let text = text.with_context(|| format!("cannot read `{word}`"))?;
            for (number, line) in text.lines().enumerate() {
                let line = line.split('#').next().unwrap_or("").trim();
                if !line.is_empty() {
                    let parsed = Specification::parse(line);
                    specifications.push(parsed.with_context(|| format!("{word}:{}", number + 1))?);
                }
            }
            continue;
        }
        let parsed = Specification::parse(word);
        if parsed.is_err() && is_like_a_file(word) {
            bail!("`{word}`: no such file");
        }
        specifications.push(parsed?);
    }
    Ok(specifications)
}

/// Whether an invalid specification looks like a path. Names of tests contain dots only together with a
/// `+`.
fn is_like_a_file(word: &str) -> bool {
    word.contains(['/', '\\']) || word.contains('.') && !word.contains(['+', ' '])
}

/// The metadata key for verdicts, which names the model and the chosen readings.
fn expectation(arguments: &GenerateArguments, setup: &Setup) -> String {
    let model = arguments.model.as_ref().map(|_| setup.models[0].name.clone());
    let said: Vec<String> = model.into_iter().chain(arguments.readings.iter().cloned()).collect();
    match said.is_empty() {
        true => "Expect".to_owned(),
        false => format!("Expect[{}]", said.join(",")),
    }
}

/// A generated test with the verdict of the model.
struct Generated {
    name: String,
    shape: String,
    text: Result<String, String>,
    kind: Option<Kind>,
}

/// Generates and counts tests.
struct Generation<'g> {
    arguments: &'g GenerateArguments,
    setup: &'g Setup,
    /// The key of the metadata for verdicts.
    expectation: String,
    /// The number of tests that are still requested.
    left: u64,
    /// The number of tests that were made, including unrequested ones.
    made: u64,
    /// The number of tests by shape and kind of verdict.
    counts: BTreeMap<String, BTreeMap<&'static str, u64>>,
    failed: Vec<String>,
    start: Instant,
}

impl Generation<'_> {
    /// Generates all variations of all specifications in chunks.
    fn all(&mut self, collection: &Collection) -> Result<()> {
        let length = collection.len();
        let order = self.arguments.seed.map_or(Permutation::NONE, |seed| {
            Permutation::draw(length, &mut fastrand::Rng::with_seed(seed))
        });
        let mut begin = 0;
        while begin < length && self.left > 0 {
            let count = CHUNK.min(length - begin);
            let this = &*self;
            let mut batch = Vec::new();
            let work = |index: usize| {
                let variation = collection.get(order.at(begin + index as u64, length))?;
                Some(this.generate(&variation))
            };
            in_order(usize::try_from(count)?, jobs(self.arguments.jobs), work, |_, made| {
                batch.extend(made);
                ControlFlow::Continue(())
            });
            for made in batch {
                if self.write_if_requested(made)?.is_break() {
                    return Ok(());
                }
            }
            begin += count;
        }
        Ok(())
    }

    /// Generates the border of each family, and the single tests.
    fn frontiers(&mut self, collection: &Collection, console: &Console) -> Result<()> {
        for member in collection.members() {
            match member {
                _ if self.left == 0 => break,
                Member::Family(family) => self.frontier(family, console)?,
                Member::Test(test) => {
                    let made = self.generate(&test.variation());
                    let _ = self.write_if_requested(made)?;
                }
            }
        }
        Ok(())
    }

    /// Generates the variations of a family at the border.
    fn frontier(&mut self, family: &Family, console: &Console) -> Result<()> {
        let size = family.class_len();
        if size > MOST {
            bail!(
                "{size} variations of one placement are more than {MOST}; name fewer orders, scopes or \
                 fences"
            );
        }
        let (shape, all) = (crate::generate::base(&family.cycle), family.len());
        if all > MANY {
            console.remark(&format!("{shape}: looking for the border among {all} variations"));
        }
        for class in 0..family.classes() {
            let first = class * size;
            let this = &*self;
            let mut sides = Vec::new();
            let work = |index: usize| match family.any(first + index as u64) {
                Some(variation) => {
                    match this.with_verdict(&variation).ok().and_then(|(_, kind)| kind) {
                        Some(Kind::Allowed) => Side::Allowed,
                        Some(Kind::Forbidden) => Side::Forbidden,
                        _ => Side::Other,
                    }
                }
                None => Side::Other,
            };
            in_order(usize::try_from(size)?, jobs(self.arguments.jobs), work, |_, side| {
                sides.push(side);
                ControlFlow::Continue(())
            });
            for number in (0..size).filter(|&number| is_frontier(family, number, &sides)) {
                let Some(variation) = family.get(first + number) else { continue };
                let made = self.generate(&variation);
                if self.write_if_requested(made)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Generates a test and writes it with the verdict of the model.
    fn generate(&self, variation: &Variation<'_>) -> Generated {
        let (text, kind) = match self.with_verdict(variation) {
            Ok((test, kind)) => (print_blocks(&test).map_err(|error| error.to_string()), kind),
            Err(why) => (Err(why), None),
        };
        let shape = crate::generate::base(variation.cycle);
        Generated { name: variation.to_string(), shape, text, kind }
    }

    /// Generates a test and asks the model for its verdict.
    fn with_verdict(&self, variation: &Variation<'_>) -> Result<(Test, Option<Kind>), String> {
        let name = variation.to_string();
        let mut files = Files::default();
        let parsed = parse_bytes(&mut files, &name, variation.text().as_bytes());
        let wrong = parsed.diagnostics.iter().find(|d| Diagnostic::is_error(d));
        let (Some(test), None) = (parsed.tests.into_iter().next(), wrong) else {
            let why = wrong.map_or("no test", |diagnostic| &diagnostic.message);
            return Err(format!("{name} cannot be read: {why}"));
        };
        Ok(self.with_expectation(test))
    }

    /// The test with its verdict as expectation.
    fn with_expectation(&self, test: Test) -> (Test, Option<Kind>) {
        if self.arguments.unchecked {
            return (test, None);
        }
        let Setup { models, engines, settings, .. } = self.setup;
        let mut case = Case { path: test.name.clone(), test, expected: Vec::new() };
        let judgement = judge(&case, models, engines, *settings).into_iter().next();
        let kind = judgement.map(|judgement| judgement.verdict.kind());
        if let Some(kind) = kind {
            let span = case.test.span;
            let key = self.expectation.clone();
            let value = Spanned::new(kind.name().to_owned(), span);
            case.test.metadata.push(Metadata { key: Spanned::new(key, span), value });
        }
        (case.test, kind)
    }

    /// Writes a test if it is requested.
    fn write_if_requested(&mut self, made: Generated) -> Result<ControlFlow<()>> {
        self.made += 1;
        let text = match made.text {
            Ok(text) => text,
            Err(why) => {
                self.failed.push(why);
                return Ok(ControlFlow::Continue(()));
            }
        };
        let wanted = match (self.arguments.forbidden, self.arguments.allowed) {
            (true, _) => made.kind == Some(Kind::Forbidden),
            (_, true) => made.kind == Some(Kind::Allowed),
            (false, false) => true,
        };
        if !wanted {
            return Ok(ControlFlow::Continue(()));
        }
        if made.kind == Some(Kind::Error) {
            self.failed.push(format!("{}: the engines failed", made.name));
        }
        match &self.arguments.output {
            Some(folder) => {
                write_file(&folder.join(format!("{}.litmus", made.name)), &text)?;
            }
            None => print(&format!("{text}\n"))?,
        }
        let kind = made.kind.map_or("unchecked", Kind::name);
        *self.counts.entry(made.shape).or_default().entry(kind).or_default() += 1;
        self.left -= 1;
        Ok(if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Reports the number of tests of each shape.
    fn report_counts(&self, console: &Console) {
        let mut all = 0;
        for (shape, kinds) in &self.counts {
            let parts: Vec<String> =
                kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            all += kinds.values().sum::<u64>();
            console.remark(&format!("{shape}: {}", parts.join(", ")));
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let tests = if all == 1 { "test" } else { "tests" };
        console.remark(&format!("{all} {tests} in {seconds:.1} s"));
        if all == 0 && self.left > 0 && self.failed.is_empty() {
            match self.made {
                _ if self.arguments.frontier => {}
                0 => console.remark(nothing_fits(self.arguments)),
                made => {
                    console.remark(&format!("of {made} tests none has the verdict that is wanted"))
                }
            }
        }
    }

    fn status(&self, console: &Console) -> Status {
        self.failed.iter().for_each(|why| console.complain(&format!("bug: {why}")));
        let count = |kind: Kind| {
            self.counts.values().filter_map(|kinds| kinds.get(kind.name())).sum::<u64>()
        };
        match (self.failed.is_empty(), self.counts.is_empty() || count(Kind::Unknown) > 0) {
            (false, _) => Status::Bug,
            (true, true) => Status::Unknown,
            (true, false) => Status::Expected,
        }
    }
}
