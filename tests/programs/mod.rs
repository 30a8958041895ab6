//! Random litmus tests: what every property test and benchmark draws its programs from.
//!
//! A [`Sketch`] is a short program in a form that shrinks well: registers and labels get their
//! names when it is printed, so that any instruction can be left out. Its text is the block format.
#![allow(dead_code, reason = "every user takes a part of it")]

mod text;

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
    /// What accesses may look like.
    pub shapes: Shapes,
}

/// What accesses may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
    /// One size, one name for each variable.
    Uniform,
    /// Aliases too.
    Aliases,
    /// Aliases, and halves of variables.
    Mixed,
}

/// Programs that the reference engine decides quickly.
pub fn small() -> Profile {
    Profile { threads: 2..=3, instructions: 1..=3, variables: 1..=2, shapes: Shapes::Aliases }
}

/// Programs for engines that do better.
pub fn large() -> Profile {
    Profile { threads: 2..=4, instructions: 1..=4, variables: 1..=3, shapes: Shapes::Mixed }
}

/// A program.
#[derive(Clone, PartialEq)]
pub struct Sketch {
    /// How many variables there are.
    pub variables: usize,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// An index into [`PLACES`].
    pub place: usize,
    /// What it does.
    pub body: Vec<Item>,
}

/// Device, cluster and CTA of threads.
pub const PLACES: [(u32, u32, u32); 4] = [(0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 0, 0)];

/// An instruction with the control flow around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it does.
    pub instruction: Instruction,
    /// Whether it is executed; `None` always.
    pub control: Option<Control>,
}

/// Control flow that depends on a register.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Only if the register that many loads ago has this value.
    If(usize, u32),
    /// Jumps to the end of the thread unless the register that many loads ago has this value.
    Exit(usize, u32),
    /// Repeated until the register that it sets has this value.
    Until(u32),
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The variable, modulo how many there are.
    pub variable: usize,
    /// By which name and which part.
    pub part: Part,
}

/// A name or part of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    Whole,
    Alias,
    LowHalf,
    HighHalf,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    Number(u32),
    /// The register that many loads ago; the number where there is none.
    Copy(usize, u32),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// The qualifiers as written, such as `acquire.gpu`.
    Load(String, Target),
    Store(String, Target, Source),
    /// Qualifiers, operation with type, operands.
    Atomic(String, &'static str, Target, Source, u32),
    Reduce(String, &'static str, Target, Source),
    /// A fence or barrier, as written.
    Plain(String),
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
    prop_oneof![1 => select(bare).prop_map(str::to_owned), 2 => scoped].boxed()
}

fn target(shapes: Shapes) -> BoxedStrategy<Target> {
    let parts = match shapes {
        Shapes::Uniform => vec![(1, Part::Whole)],
        Shapes::Aliases => vec![(6, Part::Whole), (1, Part::Alias)],
        Shapes::Mixed => {
            vec![(16, Part::Whole), (2, Part::Alias), (1, Part::LowHalf), (1, Part::HighHalf)]
        }
    };
    let part = Union::new_weighted(parts.into_iter().map(|(w, p)| (w, Just(p))).collect());
    (0..3_usize, part).prop_map(|(variable, part)| Target { variable, part }).boxed()
}

/// Atomics work on whole variables.
fn whole(shapes: Shapes) -> BoxedStrategy<Target> {
    target(if shapes == Shapes::Uniform { shapes } else { Shapes::Aliases })
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        3 => (1..4_u32).prop_map(Source::Number),
        1 => (0..2_usize, 1..4_u32).prop_map(|(back, n)| Source::Copy(back, n)),
    ]
}

fn plain() -> impl Strategy<Value = Instruction> {
    let fence = (select(&["sc", "acq_rel", "acquire", "release"][..]), scope())
        .prop_map(|(order, scope)| format!("fence.{order}.{scope}"));
    let other = select(
        &[
            "fence.proxy.alias",
            "membar.gl",
            "membar.cta",
            "bar.sync 0",
            "bar.sync 0",
            "bar.sync 1, 64",
            "bar.arrive 1, 64",
            "barrier.cluster.arrive; barrier.cluster.wait",
            "barrier.cluster.arrive.relaxed; barrier.cluster.wait",
        ][..],
    );
    prop_oneof![2 => fence, 1 => other.prop_map(str::to_owned)].prop_map(Instruction::Plain)
}

fn instruction(shapes: Shapes) -> impl Strategy<Value = Instruction> {
    let any = &["relaxed", "acquire", "release", "acq_rel"][..];
    let load = (qualifiers(&["relaxed", "acquire"], &["weak", "volatile"]), target(shapes));
    let store =
        (qualifiers(&["relaxed", "release"], &["weak", "volatile"]), target(shapes), source());
    let functions = &[
        "add.u32", "exch.b32", "cas.b32", "and.b32", "or.b32", "xor.b32", "inc.u32", "dec.u32",
        "min.u32", "max.u32",
    ][..];
    let atomic = (qualifiers(any, &[]), select(functions), whole(shapes), source(), 0..3_u32);
    let reductions = &["add.u32", "and.b32", "or.b32", "xor.b32", "inc.u32", "min.u32", "max.u32"];
    let reduce = (qualifiers(&["relaxed", "release"], &[]), select(&reductions[..]), whole(shapes));
    prop_oneof![
        6 => load.prop_map(|(q, t)| Instruction::Load(q, t)),
        6 => store.prop_map(|(q, t, s)| Instruction::Store(q, t, s)),
        2 => atomic.prop_map(|(q, f, t, s, c)| Instruction::Atomic(q, f, t, s, c)),
        1 => (reduce, source()).prop_map(|((q, f, t), s)| Instruction::Reduce(q, f, t, s)),
        4 => plain(),
    ]
}

fn control() -> impl Strategy<Value = Control> {
    prop_oneof![
        2 => (0..2_usize, 0..3_u32).prop_map(|(back, n)| Control::If(back, n)),
        1 => (0..2_usize, 0..3_u32).prop_map(|(back, n)| Control::Exit(back, n)),
        1 => (0..3_u32).prop_map(Control::Until),
    ]
}

/// A program of this profile.
pub fn sketch(profile: Profile) -> impl Strategy<Value = Sketch> {
    let item = (instruction(profile.shapes), option::weighted(0.12, control()))
        .prop_map(|(instruction, control)| Item { instruction, control });
    let place = prop_oneof![3 => 0..2_usize, 2 => 0..PLACES.len()];
    let thread =
        (place, vec(item, profile.instructions)).prop_map(|(place, body)| Thread { place, body });
    (profile.variables, vec(thread, profile.threads))
        .prop_map(|(variables, threads)| Sketch { variables, threads })
}
