//! `ptxmc generate`: tests from specifications, with their verdicts.

use super::args::{
    Checking, FenceName, GenerateArguments, OrderName, PlaceName, ScopeName, SpaceName, WidthName,
};
use super::check::jobs;
use super::models::Setup;
use super::output::{Console, print};
use super::status::Status;
use crate::batch::{Case, in_order, judge};
use crate::collections::Permutation;
use crate::diagnostic::Diagnostic;
use crate::generate::edge::{FenceOrder, Link};
use crate::generate::family::Places;
use crate::generate::frontier::{MOST, Side, is_frontier};
use crate::generate::place::{Apart, Levels};
use crate::generate::specification::is_part_of_cycle;
use crate::generate::variation::{Memory, Through, Width};
use crate::generate::{Choices, Collection, Family, Member, Specification, Variation};
use crate::litmus::ast::{Metadata, Test};
use crate::litmus::parse::parse_bytes;
use crate::litmus::print::print_blocks;
use crate::ptx::operation::{Order, Scope};
use crate::solve::Cores;
use crate::source::{Files, Spanned};
use crate::verdict::Kind;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// How many variations are made at a time.
const CHUNK: u64 = 4096;

/// From how many variations on a search for the border says that it begins.
const MANY: u64 = 50_000;

pub(super) fn run(arguments: &GenerateArguments, console: &Console) -> Result<Status> {
    let specifications = specifications(&arguments.specs)?;
    let collection = Collection::new(specifications, &choices(arguments));
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
        counts: BTreeMap::new(),
        failed: Vec::new(),
        start: Instant::now(),
    };
    match arguments.frontier {
        true => generation.frontiers(&collection, console)?,
        false => generation.all(&collection)?,
    }
    generation.tell(console);
    Ok(generation.status(console))
}

/// Words that are edges are one cycle together; else each word is a specification, or a file of them.
fn specifications(words: &[String]) -> Result<Vec<Specification>> {
    if words.iter().all(|word| is_part_of_cycle(word)) {
        return Ok(vec![Specification::parse(&words.join(" "))?]);
    }
    let mut specifications = Vec::new();
    for word in words {
        if Path::new(word).is_file() {
            let text = fs::read_to_string(word).with_context(|| format!("cannot read `{word}`"))?;
            for (number, line) in text.lines().enumerate() {
                let line = line.split('#').next().unwrap_or("").trim();
                if !line.is_empty() {
                    let parsed = Specification::parse(line);
                    specifications.push(parsed.with_context(|| format!("{word}:{}", number + 1))?);
                }
            }
            continue;
        }
        specifications.push(Specification::parse(word)?);
    }
    Ok(specifications)
}

/// The key of the metadata that says a verdict: it names the model and the readings that were chosen.
fn expectation(arguments: &GenerateArguments, setup: &Setup) -> String {
    let model = arguments.model.as_ref().map(|_| setup.models[0].name.clone());
    let said: Vec<String> = model.into_iter().chain(arguments.readings.iter().cloned()).collect();
    match said.is_empty() {
        true => "Expect".to_owned(),
        false => format!("Expect[{}]", said.join(",")),
    }
}

/// The choices given by the options.
fn choices(arguments: &GenerateArguments) -> Choices {
    let order = |name: &OrderName| match name {
        OrderName::Weak => Order::Weak,
        OrderName::Relaxed => Order::Relaxed,
        OrderName::Acquire => Order::Acquire,
        OrderName::Release => Order::Release,
    };
    let scope = |name: &ScopeName| match name {
        ScopeName::Cta => Scope::Cta,
        ScopeName::Cluster => Scope::Cluster,
        ScopeName::Gpu => Scope::Gpu,
        ScopeName::Sys => Scope::Sys,
    };
    let mut orders: Vec<Order> = arguments.orders.iter().map(order).collect();
    let mut scopes: Vec<Scope> = arguments.scopes.iter().map(scope).collect();
    let mut fences = arguments.fences.clone();
    if arguments.frontier {
        if orders.is_empty() {
            orders = vec![Order::Weak, Order::Relaxed, Order::Acquire, Order::Release];
        }
        if scopes.is_empty() {
            scopes = vec![Scope::Cta, Scope::Gpu];
        }
        if fences.is_empty() {
            fences = vec![FenceName::None, FenceName::AcqRel, FenceName::Sc];
        }
    }
    let scopes = if scopes.is_empty() { vec![Scope::Gpu] } else { scopes };
    let orders = if orders.is_empty() { vec![Order::Relaxed] } else { orders };
    let fence_scopes: Vec<Scope> = match arguments.fence_scopes.is_empty() {
        true => scopes.clone(),
        false => arguments.fence_scopes.iter().map(scope).collect(),
    };
    let mut links = Vec::new();
    for fence in &fences {
        let with = |order| fence_scopes.iter().map(move |scope| Link::Fence(order, *scope));
        match fence {
            FenceName::None => links.push(Link::Plain),
            FenceName::AcqRel => links.extend(with(FenceOrder::AcqRel)),
            FenceName::Sc => links.extend(with(FenceOrder::Sc)),
            FenceName::Alias => links.push(Link::Alias),
            FenceName::Data => links.push(Link::Data),
            FenceName::Ctrl => links.push(Link::Control),
        }
    }
    let links = if links.is_empty() { vec![Link::Plain] } else { links };
    let memory = match arguments.space {
        SpaceName::Global => Memory::Global,
        SpaceName::Shared => Memory::Shared,
    };
    let names = match arguments.aliases && memory == Memory::Global {
        true => vec![Through::Name, Through::Alias],
        false => vec![Through::Name],
    };
    let width = |name: &WidthName| match name {
        WidthName::W16 => Width::W16,
        WidthName::W32 => Width::W32,
        WidthName::W64 => Width::W64,
    };
    let widths = arguments.widths.iter().map(width).collect();
    let places = places(&arguments.places);
    Choices { orders, scopes, links, names, places, widths, memory }
}

fn places(names: &[PlaceName]) -> Places {
    if names.contains(&PlaceName::Separate) {
        return Places::Separate;
    }
    let apart = |wanted: &[PlaceName]| match names.iter().any(|name| wanted.contains(name)) {
        true => Apart::May,
        false => Apart::Never,
    };
    Places::All(Levels {
        ctas: apart(&[PlaceName::Cta, PlaceName::Cluster]),
        clusters: apart(&[PlaceName::Cluster]),
        gpus: apart(&[PlaceName::Gpu]),
    })
}

/// A generated test with the verdict of the model.
struct Made {
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
    /// How many more are wanted.
    left: u64,
    /// How many of each shape there are of each kind.
    counts: BTreeMap<String, BTreeMap<&'static str, u64>>,
    failed: Vec<String>,
    start: Instant,
}

impl Generation<'_> {
    /// Makes all variations of all specifications, some thousands at a time.
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
                Some(this.made(&variation))
            };
            in_order(usize::try_from(count)?, jobs(self.arguments.jobs), work, |_, made| {
                batch.extend(made);
                ControlFlow::Continue(())
            });
            for made in batch {
                if self.give(made)?.is_break() {
                    return Ok(());
                }
            }
            begin += count;
        }
        Ok(())
    }

    /// Makes what lies at the border of each family, and the single tests.
    fn frontiers(&mut self, collection: &Collection, console: &Console) -> Result<()> {
        for member in collection.members() {
            match member {
                _ if self.left == 0 => break,
                Member::Family(family) => self.frontier(family, console)?,
                Member::Test(test) => {
                    let made = self.made(&test.variation());
                    let _ = self.give(made)?;
                }
            }
        }
        Ok(())
    }

    /// Makes the variations of a family that lie at the border.
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
                Some(variation) => match this.made(&variation).kind {
                    Some(Kind::Allowed) => Side::Allowed,
                    Some(Kind::Forbidden) => Side::Forbidden,
                    _ => Side::Other,
                },
                None => Side::Other,
            };
            in_order(usize::try_from(size)?, jobs(self.arguments.jobs), work, |_, side| {
                sides.push(side);
                ControlFlow::Continue(())
            });
            for number in (0..size).filter(|&number| is_frontier(family, number, &sides)) {
                let Some(variation) = family.get(first + number) else { continue };
                let made = self.made(&variation);
                if self.give(made)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Makes a test and asks the model.
    fn made(&self, variation: &Variation<'_>) -> Made {
        let name = variation.to_string();
        let shape = crate::generate::base(variation.cycle);
        let mut files = Files::default();
        let parsed = parse_bytes(&mut files, &name, variation.text().as_bytes());
        let wrong = parsed.diagnostics.iter().find(|d| Diagnostic::is_error(d));
        let (Some(test), None) = (parsed.tests.into_iter().next(), wrong) else {
            let why = wrong.map_or("no test", |diagnostic| &diagnostic.message);
            let text = Err(format!("{name} cannot be read: {why}"));
            return Made { name, shape, text, kind: None };
        };
        let (test, kind) = self.judged(test);
        Made { text: print_blocks(&test).map_err(|error| error.to_string()), name, shape, kind }
    }

    /// The test with its verdict as expectation.
    fn judged(&self, test: Test) -> (Test, Option<Kind>) {
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
    fn give(&mut self, made: Made) -> Result<ControlFlow<()>> {
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
                let path = folder.join(format!("{}.litmus", made.name));
                fs::write(&path, text)
                    .with_context(|| format!("cannot write `{}`", path.display()))?;
            }
            None => print(&format!("{text}\n"))?,
        }
        let kind = made.kind.map_or("unchecked", Kind::name);
        *self.counts.entry(made.shape).or_default().entry(kind).or_default() += 1;
        self.left -= 1;
        Ok(if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// How many tests there are of each shape.
    fn tell(&self, console: &Console) {
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
