//! Random programs of basic blocks in any order: jumps forward and back, into the middle of loops
//! and out of them, blocks laid out far from where they are used, loops that wait.

use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write;

/// A program over the variables `x` and `y`; every thread has the registers `%r0` and `%r1`, the
/// predicate `%p` and the count `%n`, which nobody observes, all zero at first.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// The blocks of each thread in the order of the text; the first is where it begins.
    pub threads: Vec<Vec<Block>>,
    /// Whether the threads are in one CTA, where they may meet at barriers.
    pub together: bool,
    /// Whether they are the lanes of one warp there, and meet by instructions of the warp: barrier 0 is
    /// that of the warp, barrier 1 adds up all `%r0` into `%r1`, and votes are those of the warp.
    pub warp: bool,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What it does.
    pub body: Vec<Guarded>,
    /// Where control goes then.
    pub end: End,
}

/// An instruction, under `%p` or its negation or always.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarded {
    pub guard: Option<bool>,
    pub act: Act,
}

/// An instruction; registers and variables by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    Load(usize, usize),
    Store(usize, Source),
    Exchange(usize, usize, u32),
    Add(usize, usize, u32),
    Swap(usize, usize, u32, u32),
    Move(usize, Source),
    Sum(usize, usize, u32),
    /// `%p` becomes whether the register is (`true`) or is not the number.
    Test(bool, usize, u32),
    /// `%p` becomes whether the count is (`true`) or is not less than the number.
    Below(bool, u32),
    /// The count goes up by a number, modulo 4.
    Count(u32),
    /// The count becomes a number.
    Restart(u32),
    /// A register becomes the count.
    Take(usize),
    /// A barrier of the CTA: 0 waits for all threads that have not ended, 1 for this many threads.
    Barrier(usize),
    /// The predicate becomes whether those of all threads at barrier 3, or of some at barrier 2, hold.
    Vote(bool),
}

/// A number or a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    Number(u32),
    Register(usize),
}

/// How a block ends; blocks are counted modulo one more than there are, the last is the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// With the next block in the text.
    Fall,
    Jump(usize),
    /// Jumps if `%p` has this value.
    Branch(bool, usize),
    /// Ends the thread if `%p` has this value.
    Leave(bool),
    /// Begins again, or goes to the block, until the register that it loads is the number.
    Until(usize, usize, u32, Option<usize>),
}

const VARIABLES: [&str; 2] = ["x", "y"];

impl Source {
    fn text(self) -> String {
        match self {
            Self::Number(n) => n.to_string(),
            Self::Register(r) => format!("%r{r}"),
        }
    }
}

impl Act {
    /// The statement in a warp.
    fn text_in_warp(self) -> String {
        match self {
            Self::Barrier(0) => "bar.warp.sync 0xffffffff".to_owned(),
            Self::Barrier(_) => "redux.sync.add.u32 %r1, %r0, 0xffffffff".to_owned(),
            Self::Vote(true) => "vote.sync.all.pred %p, %p, 0xffffffff".to_owned(),
            Self::Vote(false) => "vote.sync.any.pred %p, %p, 0xffffffff".to_owned(),
            other => other.text(1),
        }
    }

    /// The statement in a CTA of so many threads, each of which is a warp.
    fn text(self, threads: usize) -> String {
        let (memory, v) = (".relaxed.gpu.global", |v: usize| VARIABLES[v]);
        match self {
            Self::Load(r, a) => format!("ld{memory}.u32 %r{r}, [{}]", v(a)),
            Self::Store(a, s) => format!("st{memory}.u32 [{}], {}", v(a), s.text()),
            Self::Exchange(r, a, n) => format!("atom{memory}.exch.b32 %r{r}, [{}], {n}", v(a)),
            Self::Add(r, a, n) => format!("atom{memory}.add.u32 %r{r}, [{}], {n}", v(a)),
            Self::Swap(r, a, old, new) => {
                format!("atom{memory}.cas.b32 %r{r}, [{}], {old}, {new}", v(a))
            }
            Self::Move(r, s) => format!("mov.u32 %r{r}, {}", s.text()),
            Self::Sum(r, a, n) => format!("add.u32 %r{r}, %r{a}, {n}"),
            Self::Test(is, r, n) => {
                format!("setp.{}.u32 %p, %r{r}, {n}", if is { "eq" } else { "ne" })
            }
            Self::Below(is, n) => {
                format!("setp.{}.u32 %p, %n, {n}", if is { "lt" } else { "ge" })
            }
            Self::Count(n) => format!("add.u32 %n, %n, {n}; and.b32 %n, %n, 3"),
            Self::Restart(n) => format!("mov.u32 %n, {n}"),
            Self::Take(r) => format!("mov.u32 %r{r}, %n"),
            Self::Barrier(0) => "bar.sync 0".to_owned(),
            Self::Barrier(id) => format!("bar.sync {id}, {}", 32 * threads),
            Self::Vote(true) => "bar.red.and.pred %p, 3, %p".to_owned(),
            Self::Vote(false) => "bar.red.or.pred %p, 2, %p".to_owned(),
        }
    }
}

/// `@%p` or `@!%p`.
fn guard(on: bool) -> &'static str {
    if on { "@%p " } else { "@!%p " }
}

impl Blocks {
    /// The block that a jump goes to; one past the last is the end of the thread.
    pub fn target(&self, thread: usize, block: usize) -> usize {
        block % (self.threads[thread].len() + 1)
    }

    /// As a test that asks whether all that is observed may be zero in the end.
    pub fn text(&self) -> String {
        let mut out = "PTX blocks\n.global .u32 x = 0;\n.global .u32 y = 0;\n".to_owned();
        for (t, blocks) in self.threads.iter().enumerate() {
            let (cta, in_cta) = if self.together { (0, self.threads.len()) } else { (t, 1) };
            let warp = if self.warp { 0 } else { t };
            let _ = writeln!(out, "P{t} @ gpu 0, cluster 0, cta {cta}, warp {warp} {{");
            let text = |act: Act| if self.warp { act.text_in_warp() } else { act.text(in_cta) };
            out.push_str("  .reg .u32 %r0, %r1, %n; .reg .pred %p;\n");
            out.push_str(
                "  mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %n, 0; setp.ne.u32 %p, %r0, 0;\n",
            );
            for (b, block) in blocks.iter().enumerate() {
                let _ = write!(out, "  B{b}:");
                for Guarded { guard: on, act } in &block.body {
                    let _ = write!(out, " {}{};", on.map_or("", guard), text(*act));
                }
                let to = |target: usize| self.target(t, target);
                let _ = match block.end {
                    End::Fall => writeln!(out),
                    End::Jump(target) => writeln!(out, " bra B{};", to(target)),
                    End::Branch(on, target) => writeln!(out, " {}bra B{};", guard(on), to(target)),
                    End::Leave(on) => writeln!(out, " {}exit;", guard(on)),
                    End::Until(r, a, n, other) => writeln!(
                        out,
                        " {}; {}; @%p bra B{};",
                        text(Act::Load(r, a)),
                        text(Act::Test(false, r, n)),
                        other.map_or(b, to)
                    ),
                };
            }
            let _ = writeln!(out, "  B{}: ret;\n}}", blocks.len());
        }
        let registers =
            (0..self.threads.len()).flat_map(|t| (0..2).map(move |r| format!("P{t}:%r{r}")));
        let atoms: Vec<String> = registers
            .chain(VARIABLES.map(str::to_owned))
            .map(|name| format!("{name} == 0"))
            .collect();
        let _ = writeln!(out, "exists ({})", atoms.join(" /\\ "));
        out
    }
}

fn act() -> impl Strategy<Value = Act> {
    let (r, v, n) = (0..2_usize, 0..2_usize, 0..3_u32);
    let source = prop_oneof![
        3 => (1..3_u32).prop_map(Source::Number),
        2 => r.clone().prop_map(Source::Register),
    ];
    prop_oneof![
        8 => (r.clone(), v.clone()).prop_map(|(r, v)| Act::Load(r, v)),
        7 => (v.clone(), source.clone()).prop_map(|(v, s)| Act::Store(v, s)),
        1 => (r.clone(), v.clone(), n.clone()).prop_map(|(r, v, n)| Act::Exchange(r, v, n)),
        1 => (r.clone(), v.clone(), n.clone()).prop_map(|(r, v, n)| Act::Add(r, v, n)),
        1 => (r.clone(), v, n.clone(), 1..3_u32).prop_map(|(r, v, a, b)| Act::Swap(r, v, a, b)),
        2 => (r.clone(), source).prop_map(|(r, s)| Act::Move(r, s)),
        1 => (r.clone(), r.clone(), 1..3_u32).prop_map(|(r, a, n)| Act::Sum(r, a, n)),
        6 => (any::<bool>(), r.clone(), n.clone()).prop_map(|(is, r, n)| Act::Test(is, r, n)),
        1 => (any::<bool>(), 1..3_u32).prop_map(|(is, n)| Act::Below(is, n)),
        1 => n.prop_map(Act::Count),
        1 => r.prop_map(Act::Take),
    ]
}

fn block(barriers: u32, jumps: u32) -> impl Strategy<Value = Block> {
    let on = select(&[None, None, None, None, Some(true), Some(false)][..]);
    let act = prop_oneof![
        60 => act(),
        2 * barriers => select(&[0, 0, 0, 0, 1][..]).prop_map(Act::Barrier),
        barriers => any::<bool>().prop_map(Act::Vote),
    ];
    let guarded = (on, act).prop_map(|(guard, act)| {
        // A barrier under a predicate would make most programs deadlocks.
        let guard = guard.filter(|_| !matches!(act, Act::Barrier(_) | Act::Vote(_)));
        Guarded { guard, act }
    });
    let end = prop_oneof![
        3 => Just(End::Fall),
        jumps => (0..8_usize).prop_map(End::Jump),
        2 * jumps => (any::<bool>(), 0..8_usize).prop_map(|(on, to)| End::Branch(on, to)),
        1 => any::<bool>().prop_map(End::Leave),
        1 => (0..2_usize, 0..2_usize, 0..3_u32, proptest::option::of(0..8_usize))
            .prop_map(|(r, v, n, to)| End::Until(r, v, n, to)),
    ];
    (proptest::collection::vec(guarded, 0..4), end).prop_map(|(body, end)| Block { body, end })
}

/// A loop that waits and backs off, as the first blocks of a thread: a count chooses between ways
/// back to the poll. Some of what stands on these ways may be no mere waiting, and one way may lead
/// elsewhere.
fn back_off() -> impl Strategy<Value = Vec<Block>> {
    let other = || {
        prop_oneof![
            8 => Just(None),
            1 => act().prop_map(Some),
            1 => (0..2_u32).prop_map(|n| Some(Act::Restart(n))),
        ]
    };
    let elsewhere = prop_oneof![5 => Just(2), 1 => 0..8_usize];
    let poll = (0..2_usize, 0..2_usize, 0..3_u32);
    let ways = (any::<bool>(), any::<bool>(), 1..3_u32, elsewhere);
    let others = [other(), other(), other()];
    (poll, ways, others).prop_map(|((r, v, n), (first, is, cap, elsewhere), [a, b, c])| {
        let always = |act| Guarded { guard: None, act };
        let block = |acts: Vec<Option<Act>>, end| Block {
            body: acts.into_iter().flatten().map(always).collect(),
            end,
        };
        let count = |here: bool| here.then_some(Act::Count(1));
        vec![
            block(vec![a], End::Jump(2)),
            block(vec![count(!first), b], End::Fall),
            block(vec![Some(Act::Load(r, v)), Some(Act::Test(true, r, n))], End::Branch(true, 5)),
            block(vec![count(first), Some(Act::Below(is, cap))], End::Branch(true, 1)),
            block(vec![c], End::Jump(elsewhere)),
            block(Vec::new(), End::Fall),
        ]
    })
}

/// Threads of one CTA that go round together: all meet twice in each round, and what they have read or
/// counted behind these barriers, or how they have voted, says whether another round follows.
fn in_rounds() -> impl Strategy<Value = Vec<Vec<Block>>> {
    let meeting = || {
        prop_oneof![
            2 => Just(Act::Barrier(0)),
            1 => Just(Act::Barrier(1)),
            1 => any::<bool>().prop_map(Act::Vote),
        ]
    };
    let acts = || {
        let on = select(&[None, None, None, Some(true), Some(false)][..]);
        let guarded = (on, act()).prop_map(|(guard, act)| Guarded { guard, act });
        proptest::collection::vec(guarded, 0..3)
    };
    let decides = prop_oneof![
        2 => (any::<bool>(), 0..2_usize, 0..3_u32).prop_map(|(is, r, n)| Act::Test(is, r, n)),
        1 => (1..4_u32).prop_map(|n| Act::Below(true, n)),
    ];
    let thread = (any::<bool>(), acts(), acts(), acts(), decides);
    let threads = proptest::collection::vec(thread, 2..4);
    let votes = proptest::option::of(any::<bool>());
    let together = (meeting(), meeting(), votes, any::<bool>());
    (together, threads).prop_map(|((first, second, votes, on), threads)| {
        let round = |(counts, before, between, behind, decides): (bool, Vec<_>, Vec<_>, _, _)| {
            let always = |act| Guarded { guard: None, act };
            let mut body: Vec<Guarded> =
                counts.then_some(always(Act::Count(1))).into_iter().collect();
            body.extend(before);
            body.push(always(first));
            body.extend(between);
            // What is tested before a vote is decided together with the others.
            body.extend(match votes {
                Some(all) => vec![always(decides), always(Act::Vote(all))],
                None => [vec![always(second)], behind, vec![always(decides)]].concat(),
            });
            vec![Block { body, end: End::Branch(on, 0) }]
        };
        threads.into_iter().map(round).collect()
    })
}

/// Random programs: one thread with many jumps or with a wait that backs off, others with few.
pub fn blocks() -> impl Strategy<Value = Blocks> {
    let threads = |barriers| {
        let wild = proptest::collection::vec(block(barriers, 2), 1..6);
        let behind = proptest::collection::vec(block(barriers, 1), 0..3);
        let waiting = (back_off(), behind).prop_map(|(wait, behind)| [wait, behind].concat());
        let wild = prop_oneof![3 => wild, 1 => waiting];
        let tame = proptest::collection::vec(block(barriers, 1), 1..3);
        (wild, proptest::collection::vec(tame, 0..3))
            .prop_map(|(wild, tame)| std::iter::once(wild).chain(tame).collect::<Vec<_>>())
    };
    let together = prop_oneof![threads(4), in_rounds()];
    prop_oneof![
        4 => threads(0).prop_map(|threads| Blocks { threads, together: false, warp: false }),
        3 => (together, select(&[false, false, true][..]))
            .prop_map(|(threads, warp)| Blocks { threads, together: true, warp }),
    ]
}
