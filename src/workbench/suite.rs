//! The tests that characterize a model: each is forbidden, and becomes allowed by any single
//! weakening. See Lustig et al., "Automated Synthesis of Comprehensive Memory Model Litmus Test
//! Suites", ASPLOS 2017.
//!
//! A weakening is: a weaker order of one instruction, a scope that reaches fewer threads, a larger
//! distance of threads, a final value omitted from the condition, or the removal of an instruction without
//! readers. Tests that differ only in names are equal.

use super::diff::Said;
use super::family::{Family, Prepared, SPECIAL_EVENTS, prepare, verdict_of};
use super::small::border::border;
use super::small::cell::{Part, events};
use super::small::difference::Difference;
use super::small::label::{Label, scopes_told_apart};
use super::small::place::Placement;
use super::small::realise::{Wording, contested, text};
use super::small::search::{Border, Effort, Space, allowed};
use super::small::shape::{Kind, Op, Shape};
use super::small::skeleton::{Skeleton, skeletons};
use crate::batch::in_order;
use crate::check::Settings;
use crate::relation::expr::Model;
use crate::solve::Engine;
use crate::verdict::Kind as Verdict;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The parameters of the suite.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// The model.
    pub model: &'a Model,
    /// The engine that decides tests.
    pub engine: &'a dyn Engine,
    /// How tests are decided.
    pub settings: Settings,
    /// How many instructions programs have at most.
    pub events: usize,
    /// The most instructions of programs with barriers, aliases or copied values; a few unless given.
    pub special_events: Option<usize>,
    /// The kinds of instructions beside barriers and fences of aliases; none is no limit.
    pub kinds: &'a [Kind],
    /// How many threads programs have at most.
    pub threads: usize,
    /// How many shapes are searched at a time.
    pub jobs: usize,
}

/// A test that pins a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its name: that of a known shape, or of the instructions, with orders and scopes.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The number of instructions.
    pub events: usize,
    /// How many threads.
    pub threads: usize,
    /// The axioms that forbid the outcome.
    pub axioms: Vec<String>,
    /// The name of the shape.
    pub shape: String,
    /// Its orders, scopes and places in short.
    pub wording: String,
}

/// The tests, with statistics of the search.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The tests, small ones first.
    pub tests: Vec<Pin>,
    /// How many shapes were looked at.
    pub shapes: usize,
    /// How many kinds of programs were not looked at, since they have more events than are evaluated.
    pub too_large: usize,
    /// The instructions that programs have beside barriers and fences of aliases; none is no limit.
    pub only: Vec<&'static str>,
    /// Tests that the search forbids and the pipeline allows: other reads-from choices give the
    /// same values.
    pub unconfirmed: usize,
}

/// All tests that pin a model, up to a size.
#[must_use]
pub fn suite(order: &Order<'_>) -> Suite {
    let only = order.kinds.iter().map(|kind| kind.name()).collect();
    let mut suite = Suite { only, ..Suite::default() };
    let models = [order.model; 2];
    let prepared = prepare(
        models,
        order.engine,
        order.settings,
        (order.threads, order.kinds),
        &mut Vec::new(),
    );
    let special_events = order.special_events.unwrap_or(SPECIAL_EVENTS);
    let mut seen = Seen::default();
    for events in 1..=order.events {
        for threads in 1..=order.threads.min(events) {
            for family in &prepared {
                if family.family == Family::Plain || events <= special_events {
                    group(order, family, (events, threads), &mut seen, &mut suite);
                }
            }
        }
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    for pin in &mut suite.tests {
        let mut name = pin.name.clone();
        let mut next = 2;
        while !names.insert(name.clone()) {
            name = format!("{}+{next}", pin.name);
            next += 1;
        }
        pin.text = pin.text.replacen(&format!("PTX {}\n", pin.name), &format!("PTX {name}\n"), 1);
        pin.name = name;
    }
    suite
}

/// The programs that a suite has.
#[derive(Default)]
struct Seen {
    /// Up to symmetry.
    keys: BTreeSet<Vec<usize>>,
    /// As texts: executions that differ in what no condition asks about make one test.
    texts: BTreeSet<String>,
}

impl Seen {
    /// Notes a program; whether it is another one than all before.
    fn is_new(&mut self, program: &Difference, pinned: &[bool]) -> bool {
        let program = first_by_plain_names(program);
        let mut key = program.key();
        key.extend(pinned.iter().map(|&p| usize::from(p)));
        let wording = Wording { name: "", about: "", metadata: &[], finals: pinned };
        self.keys.insert(key) && self.texts.insert(text(&program, &wording))
    }
}

/// A program with the name and the alias of a location exchanged where the alias is accessed first: which
/// of the two is called the alias makes no difference.
fn first_by_plain_names(program: &Difference) -> Difference {
    let mut program = program.clone();
    for loc in 0..program.shape.locations() {
        let is_here = |op: &Op| op.kind.is_access() && usize::from(op.loc) == loc;
        let first = program.shape.ops().map(|(_, op)| op).find(|op| is_here(op));
        if first.is_some_and(|op| op.alias) {
            let ops = program.shape.threads.iter_mut().flatten();
            ops.filter(|op| is_here(op)).for_each(|op| op.alias = !op.alias);
        }
    }
    program
}

/// How many skeletons a worker takes at a time.
const CHUNK: usize = 16;

fn group(
    order: &Order<'_>,
    family: &Prepared<'_>,
    (events, threads): (usize, usize),
    seen: &mut Seen,
    suite: &mut Suite,
) {
    let mut list = skeletons(events, threads, &family.alphabet);
    let all = list.len();
    list.retain(Skeleton::fits);
    suite.too_large += all - list.len();
    let chunks: Vec<&[Skeleton]> = list.chunks(CHUNK).collect();
    let work = |index: usize| {
        let (mut found, mut count) = (Vec::new(), 0);
        for skeleton in chunks[index] {
            let space = family.space(skeleton);
            for shape in family.shapes(skeleton) {
                count += 1;
                found.extend(pins(&space, &shape));
            }
        }
        (found, count)
    };
    type Found = (Vec<(Difference, Vec<bool>)>, usize);
    in_order(chunks.len(), order.jobs, work, |_, (found, count): Found| {
        suite.shapes += count;
        for (program, pinned) in found {
            if seen.is_new(&program, &pinned) {
                match confirmed(order, &program, &pinned) {
                    Some(pin) => suite.tests.push(pin),
                    None => suite.unconfirmed += 1,
                }
            }
        }
        ControlFlow::Continue(())
    });
}

/// The programs of a shape that forbid an outcome and allow it after any single weakening, each
/// with the locations whose final values describe the outcome.
fn pins(space: &Space<'_>, shape: &Shape) -> Vec<(Difference, Vec<bool>)> {
    let mut found: Vec<(Difference, Vec<bool>)> = Vec::new();
    let mut effort = Effort::up_to(u64::MAX);
    let mut visit = |program: Difference| {
        // Final values that need not be asked for are left out, the first ones first.
        let mut pinned = contested(shape);
        for loc in 0..pinned.len() {
            if std::mem::take(&mut pinned[loc]) && allows(space, &program, &pinned) {
                pinned[loc] = true;
            }
        }
        let weaker = weaker(space, &program);
        let is_minimal = weaker.iter().all(|less| allows(space, less, &pinned))
            && removals(&program, &pinned).iter().all(|(less, pinned)| allows(space, less, pinned));
        if is_minimal {
            found.push((program, pinned));
        }
        ControlFlow::Continue(())
    };
    let _ = border(*space, shape, Border::Forbidden, &mut effort, &mut visit);
    found
}

/// Whether the model allows an outcome that is described by the final values of some locations.
fn allows(space: &Space<'_>, program: &Difference, pinned: &[bool]) -> bool {
    allowed(space, program, pinned)[0]
}

/// The program with one label weaker, or with its threads further apart.
fn weaker(space: &Space<'_>, program: &Difference) -> Vec<Difference> {
    let mut all = Vec::new();
    for (at, (thread, op)) in program.shape.ops().enumerate() {
        let own = program.labels[at];
        // A scope with another name that reaches the same threads is no narrower one.
        let scopes = scopes_told_apart(&program.placement, thread, space.pair.asked.scopes);
        let is_own = |label: &&Label| {
            op.kind.has_one_scope() || label.scope.is_none_or(|s| scopes.contains(&s))
        };
        let labels = space.labels[op.kind as usize].iter().filter(is_own);
        let below = labels.filter(|label| own.is_above(label));
        let below: Vec<Label> = below.copied().collect();
        // Only the next weaker labels are needed.
        let next = below.iter().filter(|label| !below.iter().any(|other| other.is_above(label)));
        all.extend(next.map(|&label| {
            let mut less = program.clone();
            less.labels[at] = label;
            less
        }));
    }
    let placements = &space.placements[program.shape.threads.len()];
    let further = placements.iter().filter(|placement| placement.is_further(&program.placement));
    all.extend(
        further.map(|placement| Difference { placement: placement.clone(), ..program.clone() }),
    );
    all
}

/// The program without one of its instructions, if no event reads from the instruction and it
/// writes no pinned final value.
fn removals(program: &Difference, pinned: &[bool]) -> Vec<(Difference, Vec<bool>)> {
    let count = program.shape.ops().count();
    (0..count).filter_map(|op| without(program, pinned, op)).collect()
}

fn without(program: &Difference, pinned: &[bool], gone: usize) -> Option<(Difference, Vec<bool>)> {
    let old = events(&program.shape);
    let is_gone = |event: usize| old[event].part != Part::Init && old[event].op == gone;
    let readers: Vec<usize> = (0..old.len()).filter(|&at| old[at].part == Part::Read).collect();
    let kept = |reader: &usize| !is_gone(*reader);
    let sources = readers.iter().zip(&program.reads).filter(|(reader, _)| kept(reader));
    if sources.clone().any(|(_, &source)| is_gone(source)) {
        return None;
    }
    let is_last = |(last, pinned): (&usize, &bool)| *pinned && is_gone(*last);
    if program.finals.iter().zip(pinned).any(is_last) {
        return None;
    }
    let mut threads: Vec<Vec<Op>> = Vec::new();
    let (mut at, mut places) = (0, Vec::new());
    for (thread, ops) in program.shape.threads.iter().enumerate() {
        let first = at;
        at += ops.len();
        let position = gone.checked_sub(first).filter(|position| *position < ops.len());
        let mut ops = ops.clone();
        if let Some(position) = position {
            ops.remove(position);
            for op in &mut ops {
                match op.copies.map(usize::from) {
                    Some(source) if source == position => return None,
                    Some(source) if source > position => op.copies = op.copies.map(|c| c - 1),
                    _ => {}
                }
            }
        }
        if !ops.is_empty() {
            threads.push(ops);
            places.push(program.placement.of[thread]);
        }
    }
    if threads.is_empty() {
        return None;
    }
    let raw = Shape { threads };
    let order: Vec<usize> = (0..raw.threads.len()).collect();
    let shape = raw.reordered(&order);
    // Locations have other numbers where one is gone.
    let renamed: Vec<(u8, u8)> = raw
        .ops()
        .zip(shape.ops())
        .filter(|((_, op), _)| op.kind.is_access())
        .map(|((_, old), (_, new))| (old.loc, new.loc))
        .collect();
    let new = events(&shape);
    let moved = |event: usize| {
        let old = old[event];
        match old.part {
            Part::Init => {
                let (_, loc) = renamed.iter().find(|(from, _)| *from == old.loc)?;
                Some(usize::from(*loc))
            }
            part => {
                let op = old.op - usize::from(old.op > gone);
                new.iter().position(|e| e.part == part && e.op == op)
            }
        }
    };
    let reads = sources.map(|(_, &source)| moved(source)).collect::<Option<Vec<_>>>()?;
    let of_loc = |loc: u8| renamed.iter().find(|(_, to)| *to == loc).map(|(from, _)| *from);
    let locations = u8::try_from(shape.locations()).ok()?;
    let olds: Vec<usize> =
        (0..locations).map(|loc| of_loc(loc).map(usize::from)).collect::<Option<_>>()?;
    // A last write that is gone was not told; any other stands in its place.
    let finals =
        olds.iter().map(|&loc| moved(program.finals[loc]).filter(|_| pinned[loc]).unwrap_or(0));
    let labels = program.labels.iter().enumerate().filter(|(at, _)| *at != gone);
    let less = Difference {
        finals: finals.collect(),
        labels: labels.map(|(_, &label)| label).collect(),
        placement: Placement { of: places },
        reads,
        shape,
        allowed_by: 0,
    };
    Some((less, olds.iter().map(|&loc| pinned[loc]).collect()))
}

/// The test, if the pipeline forbids its outcome.
fn confirmed(order: &Order<'_>, program: &Difference, pinned: &[bool]) -> Option<Pin> {
    let (shape, wording) = (shape_name(program), words(program));
    let name = format!("{shape}+{wording}");
    let mut of = Wording { name: &name, about: "", metadata: &[], finals: pinned };
    let said: Said = verdict_of(order.engine, order.settings, order.model, &text(program, &of))?;
    if said.kind != Verdict::Forbidden {
        return None;
    }
    let metadata = [format!("Expect[{}]=forbidden", order.model.name)];
    let by = if said.axioms.is_empty() { "no execution" } else { &said.axioms.join(" and ") };
    let about = format!("Forbidden by {by}, and allowed with any one thing less.");
    of.metadata = &metadata;
    of.about = &about;
    Some(Pin {
        text: text(program, &of),
        events: program.shape.ops().count(),
        threads: program.shape.threads.len(),
        axioms: said.axioms,
        name,
        shape,
        wording,
    })
}

/// Shapes with established names: their loads and stores, and their reads-from sources.
const NAMED: [(&str, &str); 14] = [
    ("Wx0 Wy|Ry1 Rx0", "MP"),
    ("Wx Ry0|Wy Rx0", "SB"),
    ("Rx1 Wy|Ry1 Wx", "LB"),
    ("Wx Wy|Ry1 Wx", "S"),
    ("Wx Wy|Wy Rx0", "R"),
    ("Wx Wy|Wy Wx", "2+2W"),
    ("Rx1 Rx0|Wx", "CoRR"),
    ("Wx Wx", "CoWW"),
    ("Wx Rx0", "CoWR"),
    ("Rx1 Wx", "CoRW1"),
    ("Rx1 Wx|Wx", "CoRW2"),
    ("Rx1 Wy|Ry1 Rx0|Wx", "WRC"),
    ("Wx Wy|Ry1 Wz|Rz1 Rx0", "ISA2"),
    ("Rx1 Ry0|Wy Rx0|Wx", "RWC"),
];

/// The name of a shape: the established name, else its loads and stores.
fn shape_name(program: &Difference) -> String {
    let events = events(&program.shape);
    let mut reads = program.reads.iter();
    let mut threads = Vec::new();
    let mut ops = program.shape.ops().enumerate().peekable();
    for thread in 0..program.shape.threads.len() {
        let mut words = Vec::new();
        while let Some((_, (_, op))) = ops.next_if(|(_, (t, _))| *t == thread) {
            let loc = ["x", "y", "z", "w", "v", "u"][usize::from(op.loc).min(5)];
            let source = op.kind.reads().then(|| reads.next()).flatten();
            let read = source.map_or("", |&s| if events[s].part == Part::Init { "0" } else { "1" });
            match op.kind {
                Kind::Load => words.push(format!("R{loc}{read}")),
                Kind::Store => words.push(format!("W{loc}")),
                Kind::Atom | Kind::Red => words.push(format!("U{loc}{read}")),
                _ => {}
            }
        }
        threads.push(words.join(" "));
    }
    let code = threads.join("|");
    let known = NAMED.iter().find(|(text, _)| text.replace("Wx0", "Wx") == code);
    known.map_or_else(|| code.replace(' ', "").replace('|', "+"), |(_, name)| (*name).to_owned())
}

/// Orders, scopes and places in short: a word for each thread, and how far threads are apart.
fn words(program: &Difference) -> String {
    let mut words = Vec::new();
    let labels: Vec<((usize, Op), &Label)> = program.shape.ops().zip(&program.labels).collect();
    for thread in 0..program.shape.threads.len() {
        let own = labels.iter().copied().filter(|((t, _), _)| *t == thread);
        let word = |((_, op), label): ((usize, Op), &Label)| {
            let kind = match op.kind {
                Kind::Fence => "f.",
                Kind::Atom => "a.",
                Kind::Red => "red.",
                Kind::CtaBarrier => "bar",
                Kind::ClusterBarrier => "cluster-bar.",
                Kind::AliasFence => "alias-fence",
                Kind::OrderedAliasFence => "alias-fence.",
                Kind::Load | Kind::Store => "",
            };
            let order = label.order.map_or(String::new(), |o| format!("{o:?}").to_lowercase());
            let scope = label.scope.map_or(String::new(), |s| format!(".{s:?}").to_lowercase());
            format!("{kind}{order}{scope}")
        };
        words.push(own.map(word).collect::<Vec<_>>().join("-"));
    }
    let threads = 0..program.placement.of.len();
    let pairs = threads.clone().flat_map(|a| (a + 1..threads.end).map(move |b| (a, b)));
    let levels: Vec<String> =
        pairs.map(|(a, b)| format!("{:?}", program.placement.level(a, b)).to_lowercase()).collect();
    if !levels.is_empty() {
        words.push(levels.join("-"));
    }
    words.join("+")
}
