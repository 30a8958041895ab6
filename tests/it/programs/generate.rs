//! Strategies for sketches.

use super::forms::{self, Forms};
use super::{
    Choice, Control, Instruction, Item, PLACES, Part, Sketch, Source, Space, Target, Thread,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use std::ops::RangeInclusive;

/// How large programs are.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Threads of a program.
    pub threads: RangeInclusive<usize>,
    /// Instructions of a thread.
    pub instructions: RangeInclusive<usize>,
    /// Variables of a program.
    pub variables: RangeInclusive<usize>,
    /// What programs are about, each with its weight.
    pub themes: &'static [(u32, Theme)],
}

/// What a program is about: a program in which everything meets everything deadlocks, is undefined
/// or says little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Accesses of one size to variables of one name, atomics, fences.
    Uniform,
    /// Aliases of variables too, with proxy fences.
    Aliases,
    /// Parts of variables, vectors, words of several sizes.
    Mixed,
    /// Addresses and values that depend on what was loaded.
    Dependent,
    /// Barriers of CTA, cluster and warp, with reductions; shared variables.
    Barriers,
    /// Barriers with counts, under branches and out of registers.
    Counts,
    /// An mbarrier in each CTA.
    Mbarriers,
    /// Loops that wait, and locks.
    Loops,
    /// Words of 32, 64, 128 and 16 bits, and vectors: one of these.
    Sizes(usize),
    /// State spaces and addresses.
    Spaces,
    /// Addresses that stand for a replica on each device.
    Multimem,
    /// Kernels one after the other, and the host.
    Tasks,
    /// Arithmetic on registers.
    Registers,
    /// Fields, permutations and counts of bits, saturation, carries.
    Integers,
    /// Unknown initial values, whole or in part.
    Unknown(usize),
    /// Two accesses in each thread, the second to what the next thread accesses first: the shapes
    /// that weak memory is about.
    Cycles,
}

const THEMES: &[(u32, Theme)] = &[
    (6, Theme::Cycles),
    (5, Theme::Uniform),
    (2, Theme::Aliases),
    (2, Theme::Mixed),
    (3, Theme::Dependent),
    (3, Theme::Barriers),
    (3, Theme::Counts),
    (1, Theme::Mbarriers),
    (2, Theme::Loops),
    (1, Theme::Sizes(0)),
    (1, Theme::Sizes(1)),
    (1, Theme::Sizes(2)),
    (1, Theme::Sizes(3)),
    (1, Theme::Sizes(4)),
    (2, Theme::Spaces),
    (1, Theme::Multimem),
    (2, Theme::Tasks),
    (2, Theme::Registers),
    (2, Theme::Integers),
    (2, Theme::Unknown(0)),
    (2, Theme::Unknown(1)),
];

/// The templates of a theme, with the weight that they have beside 12 for everything else.
fn templates(theme: Theme) -> Option<(u32, Forms)> {
    const SIZES: [Forms; 5] =
        [forms::WORDS, forms::DOUBLES, forms::QUADS, forms::HALVES, forms::VECTORS];
    Some(match theme {
        Theme::Sizes(which) => (24, SIZES[which]),
        Theme::Spaces => (12, forms::SPACES),
        Theme::Multimem => (24, forms::MULTIMEM),
        Theme::Tasks => (6, forms::TASKS),
        Theme::Registers => (12, forms::REGISTERS),
        Theme::Integers => (12, forms::INTEGERS),
        Theme::Unknown(which) => (36, [forms::UNKNOWN, forms::UNKNOWN_PARTS][which]),
        Theme::Counts => (6, forms::COUNTS),
        Theme::Mbarriers => (4, forms::MBARRIERS),
        Theme::Dependent => (1, forms::ENDS),
        _ => return None,
    })
}

/// Programs that the reference engine decides quickly.
pub fn small() -> Profile {
    Profile { threads: 2..=3, instructions: 1..=3, variables: 1..=2, themes: THEMES }
}

/// Programs for engines that do better.
pub fn large() -> Profile {
    Profile { threads: 2..=4, instructions: 1..=5, variables: 1..=3, themes: THEMES }
}

/// Programs of which formulas have to say more than who reads from whom: how threads meet at
/// barriers, and what floating-point sums are.
pub fn barriers_and_sums() -> Profile {
    const THEMES: &[(u32, Theme)] = &[
        (8, Theme::Counts),
        (2, Theme::Barriers),
        (1, Theme::Registers),
        (1, Theme::Sizes(0)),
        (1, Theme::Sizes(3)),
        (1, Theme::Sizes(4)),
        (1, Theme::Multimem),
    ];
    Profile { themes: THEMES, ..small() }
}

/// Programs in which a change is likely to matter.
pub fn cyclic() -> Profile {
    const THEMES: &[(u32, Theme)] =
        &[(6, Theme::Cycles), (1, Theme::Uniform), (1, Theme::Dependent), (1, Theme::Mixed)];
    Profile { themes: THEMES, ..small() }
}

/// A program of this profile.
pub fn sketch(profile: Profile) -> impl Strategy<Value = Sketch> {
    let of_theme = |&(weight, theme): &(u32, Theme)| match theme {
        Theme::Cycles => (weight, cycle(&profile).boxed()),
        _ => (weight, themed(&profile, theme).boxed()),
    };
    Union::new_weighted(profile.themes.iter().map(of_theme).collect())
}

fn themed(profile: &Profile, theme: Theme) -> impl Strategy<Value = Sketch> + use<> {
    let control = option::weighted(
        match theme {
            Theme::Loops => 0.45,
            Theme::Mbarriers | Theme::Dependent | Theme::Counts | Theme::Tasks => 0.3,
            Theme::Unknown(_) => 0.2,
            _ => 0.12,
        },
        control(theme),
    );
    let item = (instruction(theme), control)
        .prop_map(|(instruction, control)| Item { instruction, control });
    let together =
        matches!(theme, Theme::Barriers | Theme::Counts | Theme::Mbarriers | Theme::Unknown(_));
    let tasks = theme == Theme::Tasks;
    let replicated = theme == Theme::Multimem;
    let place = match together {
        _ if replicated => select(&[0, 3, 1][..]).boxed(),
        true => prop_oneof![6 => Just(0), 2 => 0..2_usize, 1 => 0..PLACES.len()].boxed(),
        false => prop_oneof![3 => 0..2_usize, 2 => 0..PLACES.len()].boxed(),
    };
    let thread = (
        place,
        proptest::bool::weighted(if together { 0.2 } else { 0.05 }),
        option::weighted(0.25, 0..4_usize),
        if tasks { (0..3_usize).prop_map(Some).boxed() } else { Just(None).boxed() },
        if tasks { proptest::bool::weighted(0.2).boxed() } else { Just(false).boxed() },
        vec(item, profile.instructions.clone()),
    )
        .prop_map(|(place, first_warp, copy_of, task, host, body)| Thread {
            place,
            first_warp,
            copy_of,
            task,
            host,
            body,
        });
    let shared = match theme {
        Theme::Barriers | Theme::Counts | Theme::Mbarriers => 0.4,
        // Templates name the space of their variable, and the host has no other.
        Theme::Spaces | Theme::Tasks | Theme::Dependent => 0.0,
        _ => 0.1,
    };
    let space = proptest::bool::weighted(shared)
        .prop_map(|shared| if shared { Space::Shared } else { Space::Global });
    let phase = match theme {
        Theme::Unknown(_) => {
            option::weighted(0.4, Just(Instruction::Plain("bar.sync 0".into()))).boxed()
        }
        Theme::Barriers => option::weighted(0.6, barrier()).boxed(),
        _ => option::weighted(0.04, barrier()).boxed(),
    };
    let edge = (0..3_usize, 0..3_usize, proptest::bool::weighted(0.3))
        .prop_filter_map("tasks come one after the other", |(from, to, programmatic)| {
            (from < to).then_some((from, to, programmatic))
        });
    let edges = vec(edge, if tasks { 0..3 } else { 0..1 });
    let threads = vec(thread, profile.threads.clone());
    let kept = || proptest::bool::weighted(0.8);
    let kept = (kept(), kept());
    (vec(space, profile.variables.clone()), threads, phase, 1..3_u32, edges, kept).prop_map(
        |(variables, threads, phase, arrivals, edges, kept)| Sketch {
            variables,
            threads,
            phase,
            arrivals,
            edges,
            kept,
        },
    )
}

fn cycle(profile: &Profile) -> impl Strategy<Value = Sketch> + use<> {
    let access = || {
        let atomic = (qualifiers(ANY, &[]), select(&["add.u32", "exch.b32", "cas.b32"][..]));
        prop_oneof![
            4 => qualifiers(&["relaxed", "acquire"], &["weak"])
                .prop_map(|q| Instruction::Load(q, CYCLIC)),
            4 => (qualifiers(&["relaxed", "release"], &["weak"]), 1..3_u32)
                .prop_map(|(q, n)| Instruction::Store(q, CYCLIC, Source::Number(n))),
            1 => atomic
                .prop_map(|(q, f)| Instruction::Atomic(q, f, CYCLIC, Source::Number(1), 0)),
        ]
    };
    let copied = prop_oneof![5 => Just(None), 1 => (1..3_u32).prop_map(Some)];
    let thread = (access(), option::weighted(0.4, fence()), access(), copied, 0..4_usize);
    let most = *profile.threads.end();
    (vec(thread, 2..=most), 0..4_usize).prop_map(|(threads, spread)| {
        let count = threads.len();
        let thread = |(at, (first, fence, second, copied, place))| {
            let first = access_to(first, at, None);
            let second = access_to(second, (at + 1) % count, copied);
            let body = [Some(first), fence, Some(second)].into_iter().flatten();
            let body = body.map(|instruction| Item { instruction, control: None }).collect();
            // Mostly in one CTA, or mostly in two.
            let place = if spread == 0 { place } else { place % (1 + spread % 2) };
            Thread { place, first_warp: false, copy_of: None, task: None, host: false, body }
        };
        let threads = threads.into_iter().enumerate().map(thread).collect();
        Sketch {
            variables: vec![Space::Global; count.min(3)],
            threads,
            phase: None,
            arrivals: 1,
            edges: Vec::new(),
            kept: (false, false),
        }
    })
}

/// The orders of atomics.
const ANY: &[&str] = &["relaxed", "acquire", "release", "acq_rel"];

/// Where an access of a cycle goes until its place in the cycle is known.
const CYCLIC: Target = Target { variable: 0, part: Part::Whole };

/// The access to a variable of the cycle, storing what was loaded before it where `copied` says so.
fn access_to(access: Instruction, variable: usize, copied: Option<u32>) -> Instruction {
    let target = Target { variable, ..CYCLIC };
    match access {
        Instruction::Load(q, _) => Instruction::Load(q, target),
        Instruction::Store(q, _, source) => {
            Instruction::Store(q, target, copied.map_or(source, |n| Source::Sum(0, n)))
        }
        Instruction::Atomic(q, f, _, source, c) => Instruction::Atomic(q, f, target, source, c),
        other => other,
    }
}

fn scope() -> impl Strategy<Value = &'static str> {
    select(&["gpu", "cta", "cluster", "sys"][..])
}

/// One of these orders with a scope, or a form without one.
fn qualifiers(
    scoped: &'static [&'static str],
    bare: &'static [&'static str],
) -> BoxedStrategy<String> {
    let scoped = (select(scoped), scope()).prop_map(|(order, scope)| format!("{order}.{scope}"));
    if bare.is_empty() {
        return scoped.boxed();
    }
    // The first of the bare forms is the usual one.
    let rare = select(bare).prop_map(str::to_owned);
    prop_oneof![3 => Just(bare[0].to_owned()), 1 => rare, 7 => scoped].boxed()
}

fn target(theme: Theme) -> BoxedStrategy<Target> {
    let parts = match theme {
        Theme::Aliases => vec![(3, Part::Whole), (2, Part::Alias)],
        Theme::Mixed => vec![
            (12, Part::Whole),
            (1, Part::Alias),
            (1, Part::LowHalf),
            (1, Part::HighHalf),
            (3, Part::Second),
            (1, Part::Double),
            (3, Part::Vector),
        ],
        Theme::Dependent => vec![
            (8, Part::Whole),
            (1, Part::Second),
            (2, Part::Chosen(0)),
            (1, Part::Chosen(1)),
            (2, Part::Computed(0)),
        ],
        _ => vec![(1, Part::Whole)],
    };
    let part = Union::new_weighted(parts.into_iter().map(|(w, p)| (w, Just(p))).collect());
    (0..3_usize, part).prop_map(|(variable, part)| Target { variable, part }).boxed()
}

/// Atomics work on elements.
fn element(theme: Theme) -> BoxedStrategy<Target> {
    let whole = |target: Target| match target.part {
        Part::LowHalf | Part::HighHalf | Part::Double | Part::Vector => {
            Target { part: Part::Whole, ..target }
        }
        _ => target,
    };
    target(theme).prop_map(whole).boxed()
}

fn source(theme: Theme) -> BoxedStrategy<Source> {
    let dependent = if theme == Theme::Dependent { 5 } else { 1 };
    prop_oneof![
        4 => (1..4_u32).prop_map(Source::Number),
        dependent => (0..2_usize, 1..4_u32, 0..8_u8).prop_map(|(back, n, kind)| match kind {
            0 => Source::Sum(back, n),
            1 => Source::False(back, n),
            2 => Source::Chosen(back, 1, Choice::Select),
            3 => Source::Chosen(back, 1, Choice::Overwrite),
            4 => Source::Chosen(back, 1, Choice::Branch),
            _ => Source::Copy(back, n),
        }),
    ]
    .boxed()
}

fn fence() -> impl Strategy<Value = Instruction> {
    let fence = (select(&["sc", "acq_rel", "acquire", "release"][..]), scope())
        .prop_map(|(order, scope)| format!("fence.{order}.{scope}"));
    let other = select(
        &[
            "fence.proxy.alias",
            "membar.gl",
            "membar.cta",
            "membar.sys",
            "fence.proxy.async",
            "fence.acquire.sync_restrict::shared::cluster.cluster",
            "fence.release.sync_restrict::shared::cta.cluster",
            "fence.mbarrier_init.release.cluster",
        ][..],
    );
    // Some global memory or other.
    let ends = select(&[("release", ""), ("acquire", " [128], 128")][..]);
    let tensormap = (ends, scope()).prop_map(|((order, range), scope)| {
        format!("fence.proxy.tensormap::generic.{order}.{scope}{range}")
    });
    prop_oneof![15 => fence, 3 => other.prop_map(str::to_owned), 1 => tensormap]
        .prop_map(Instruction::Plain)
}

/// Barriers, most of them such that they complete when every thread of the CTA has one.
fn barrier() -> impl Strategy<Value = Instruction> {
    let plain = select(
        &[
            "bar.sync 0",
            "bar.sync 0",
            "bar.sync 1",
            "bar.sync 1, 64",
            "bar.arrive 1, 64",
            "bar.warp.sync 0xffffffff",
            "barrier.cluster.arrive; barrier.cluster.wait",
            "barrier.cluster.arrive.relaxed; barrier.cluster.wait",
            "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned",
            "barrier.cta.sync.aligned 0",
            "barrier.sync 1, 64",
            "barrier.arrive 1, 64",
        ][..],
    );
    let vote = (
        select(&["popc", "and", "or", "all.sync", "any.sync", "ballot", "lane"][..]),
        select(&["0", "0", "1", "1, 64"][..]),
        0..2_usize,
        0..3_u32,
    );
    prop_oneof![
        3 => plain.prop_map(|text| Instruction::Plain(text.to_owned())),
        2 => vote.prop_map(|(op, id, back, number)| Instruction::Vote(op, id, back, number)),
    ]
}

fn alias_fence() -> Instruction {
    Instruction::Plain("fence.proxy.alias".to_owned())
}

fn mbarrier() -> impl Strategy<Value = Instruction> {
    let arrive = select(&["", ".release.cta", ".relaxed.cta", ".release.cluster"][..]);
    let there = select(&["release.cluster", "relaxed.cluster"][..]);
    let wait = select(&["test_wait", "try_wait"][..]);
    let order = || select(&["", ".acquire.cta", ".relaxed.cta", ".acquire.cluster"][..]);
    prop_oneof![
        6 => arrive.prop_map(|q| Instruction::Arrive(q.to_owned())),
        1 => there.prop_map(Instruction::ArriveThere),
        5 => (wait.clone(), order(), 0..2_u32).prop_map(|(w, q, p)| Instruction::Wait(w, q, p)),
        2 => (wait, order()).prop_map(|(w, q)| Instruction::WaitToken(w, q)),
    ]
}

fn memory(theme: Theme) -> BoxedStrategy<Instruction> {
    let bare = &["weak", "volatile", "mmio.relaxed.sys"][..];
    let load = (qualifiers(&["relaxed", "acquire"], bare), target(theme));
    let store = (qualifiers(&["relaxed", "release"], bare), target(theme), source(theme));
    let functions = &[
        "add.u32", "exch.b32", "cas.b32", "and.b32", "or.b32", "xor.b32", "inc.u32", "dec.u32",
        "min.u32", "max.u32", "min.s32", "max.s32",
    ][..];
    let atomic = (qualifiers(ANY, &[]), select(functions), element(theme), source(theme), 0..3_u32);
    let reductions =
        &["add.u32", "and.b32", "or.b32", "xor.b32", "inc.u32", "dec.u32", "min.u32", "max.s32"];
    let reduce =
        (qualifiers(&["relaxed", "release"], &[]), select(&reductions[..]), element(theme));
    prop_oneof![
        6 => load.prop_map(|(q, t)| Instruction::Load(q, t)),
        6 => store.prop_map(|(q, t, s)| Instruction::Store(q, t, s)),
        2 => atomic.prop_map(|(q, f, t, s, c)| Instruction::Atomic(q, f, t, s, c)),
        1 => (reduce, source(theme)).prop_map(|((q, f, t), s)| Instruction::Reduce(q, f, t, s)),
    ]
    .boxed()
}

fn instruction(theme: Theme) -> BoxedStrategy<Instruction> {
    let usual = usual_instruction(theme);
    match templates(theme) {
        Some((weight, forms)) => prop_oneof![12 => usual, weight => form(forms, theme)].boxed(),
        None => usual,
    }
}

/// A template with one of the words at each alternative.
fn form(forms: Forms, theme: Theme) -> impl Strategy<Value = Instruction> {
    let orders = (
        qualifiers(&["relaxed", "acquire"], &[]),
        qualifiers(&["relaxed", "release"], &[]),
        qualifiers(ANY, &[]),
    );
    (select(forms), any::<u64>(), orders, 0..3_usize, source(theme)).prop_map(
        |(text, choices, (load, store, atomic), variable, source)| {
            let text = resolved(text, choices);
            let text = text.replace("$L", &load).replace("$S", &store).replace("$A", &atomic);
            Instruction::Form(text, variable, source)
        },
    )
}

/// A template without alternatives: the digits of a number say which word stands where.
fn resolved(text: &str, mut choices: u64) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        let (inside, after) = behind.split_once('>').expect("an alternative ends");
        let words: Vec<&str> = inside.split('|').collect();
        let count = words.len() as u64;
        out += before;
        out += words[usize::try_from(choices % count).expect("few words")];
        choices /= count;
        rest = after;
    }
    out + rest
}

fn usual_instruction(theme: Theme) -> BoxedStrategy<Instruction> {
    let memory = memory(theme);
    match theme {
        Theme::Counts => prop_oneof![10 => memory, 1 => fence(), 1 => barrier()].boxed(),
        Theme::Barriers => prop_oneof![10 => memory, 2 => fence(), 5 => barrier()].boxed(),
        Theme::Mbarriers => prop_oneof![8 => memory, 1 => fence(), 8 => mbarrier()].boxed(),
        Theme::Aliases => prop_oneof![12 => memory, 3 => fence(), 2 => Just(alias_fence())].boxed(),
        _ => prop_oneof![24 => memory, 6 => fence(), 1 => barrier()].boxed(),
    }
}

fn control(theme: Theme) -> BoxedStrategy<Control> {
    let other = || memory(theme).prop_map(Box::new);
    let locks = select(&["acquire.gpu", "acquire.cta", "relaxed.gpu", "acq_rel.sys"][..]);
    let unlocks = select(&["release.gpu", "release.cta", "relaxed.gpu", "acq_rel.sys"][..]);
    let loops = match theme {
        Theme::Loops | Theme::Mbarriers | Theme::Tasks => 4,
        _ => 1,
    };
    let lock = if theme == Theme::Loops { 1 } else { 0 };
    let mut all = vec![
        (2, (0..2_usize, 0..3_u32).prop_map(|(back, n)| Control::If(back, n)).boxed()),
        (
            1,
            (0..2_usize, 0..3_u32, other())
                .prop_map(|(back, n, other)| Control::Else(back, n, other))
                .boxed(),
        ),
        (1, (0..2_usize, 0..3_u32).prop_map(|(back, n)| Control::Exit(back, n)).boxed()),
        (loops, (0..3_u32).prop_map(Control::Until).boxed()),
    ];
    if lock > 0 {
        let pair = (locks, unlocks).prop_map(|(a, b)| Control::Lock(a.to_owned(), b.to_owned()));
        all.push((lock, pair.boxed()));
    }
    Union::new_weighted(all).boxed()
}
