//! Random programs with asynchronous operations: pipelines of copies, from whoever touches the source to
//! whoever uses the destination, in which steps are weak, of the wrong kind, or missing.
//!
//! A program is thrown with dice: each choice looks at the next die, and a die of zero chooses what is
//! simplest. Making dice zero or fewer makes programs small.

use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Write;

/// A program.
#[derive(Clone, PartialEq)]
pub struct Pipeline {
    pub layout: Layout,
    /// What each thread does.
    pub threads: Vec<Vec<Step>>,
    /// Which of its registers has which value or another one, and whether some or no execution should
    /// reach that.
    asks: Vec<(usize, &'static str, u32)>,
    denies: bool,
}

/// Where threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Warps of one CTA.
    Warps,
    /// Lanes of one warp.
    Lanes,
    /// CTAs of one cluster; a third thread is another warp of the second.
    Cluster,
}

/// One instruction, or a few that belong together. In its text, `$0` and `$1` stand for the addresses
/// of its places, `$s` for the space of the first, `$v` for the number, `$r` for a register of its own and
/// `$l` for a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub text: &'static str,
    pub places: [Place; 2],
    pub number: u32,
}

/// A word of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub variable: Variable,
    pub word: u32,
    /// The CTA whose instance it is, where that is another one.
    pub cta: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Four words of global memory to load from.
    Source,
    /// Four words of global memory to store to.
    Out,
    /// Four words of shared memory.
    Tile,
    /// Others.
    Spare,
    /// The mbarrier of completions.
    Full,
    /// The mbarrier of hand-overs.
    Empty,
    /// A word of global memory.
    Flag,
}

impl Variable {
    fn name(self) -> &'static str {
        match self {
            Self::Source => "g",
            Self::Out => "o",
            Self::Tile => "s",
            Self::Spare => "t",
            Self::Full => "full",
            Self::Empty => "empty",
            Self::Flag => "x",
        }
    }

    fn is_global(self) -> bool {
        matches!(self, Self::Source | Self::Out | Self::Flag)
    }

    fn at(self, word: u32) -> Place {
        Place { variable: self, word, cta: None }
    }
}

/// The variables of every program, but for flags.
const VARIABLES: &str = ".global .align 16 .u32 g[4] = {5, 5, 5, 5};
.global .align 16 .u32 o[4] = {0, 0, 0, 0};
.global .u32 x = 0;
.shared .align 16 .u32 s[4] = {1, 1, 1, 1};
.shared .align 16 .u32 t[4] = {2, 2, 2, 2};
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
";

/// All programs.
pub fn pipelines() -> impl Strategy<Value = Pipeline> {
    vec(any::<u16>(), 96).prop_map(|dice| Draft::thrown(Dice { dice, at: 0 }))
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl Pipeline {
    /// The CTA of a thread.
    pub fn cta(&self, thread: usize) -> usize {
        if self.layout == Layout::Cluster { thread.min(1) } else { 0 }
    }

    /// The program as a litmus test.
    pub fn text(&self) -> String {
        let mut out = format!("PTX pipeline\n{VARIABLES}");
        let mut registers = Vec::new();
        for (thread, steps) in self.threads.iter().enumerate() {
            let warp = match self.layout {
                Layout::Warps => thread,
                Layout::Lanes => 0,
                Layout::Cluster => thread / 2,
            };
            let cta = self.cta(thread);
            writeln!(out, "P{thread} @ gpu 0, cluster 0, cta {cta}, warp {warp} {{").unwrap();
            let mut own = 0;
            for (at, step) in steps.iter().enumerate() {
                if step.text.contains("$r") {
                    own += 1;
                    registers.push(format!("P{thread}:%r{own}"));
                }
                writeln!(out, "{}", step.written(at, own)).unwrap();
            }
            out += "}\n";
        }
        let is_stored_to = self
            .threads
            .iter()
            .flatten()
            .any(|step| step.places[0].variable == Variable::Out && step.text.contains("$0"));
        if is_stored_to || registers.is_empty() {
            registers.extend(["o[0]", "o[1]"].map(str::to_owned));
        }
        let atom = |&(which, compares, value): &(usize, &str, u32)| {
            format!("{} {compares} {value}", registers[which % registers.len()])
        };
        let atoms: Vec<String> = self.asks.iter().map(atom).collect();
        let quantifier = if self.denies { "~exists" } else { "exists" };
        out + &format!("{quantifier} ({})\n", atoms.join(" /\\ "))
    }

    /// The program with as few steps as leave what is found of it.
    pub fn smallest(&self, is_found: impl Fn(&Self) -> bool) -> Self {
        let mut smallest = self.clone();
        loop {
            let less = smallest.smaller().find(&is_found);
            match less {
                Some(less) => smallest = less,
                None => return smallest,
            }
        }
    }

    /// Programs with a step less.
    fn smaller(&self) -> impl Iterator<Item = Self> {
        let all = |thread: usize| (0..self.threads[thread].len()).map(move |at| (thread, at));
        let places: Vec<_> = (0..self.threads.len()).flat_map(all).collect();
        let whole = self.clone();
        places.into_iter().map(move |(thread, at)| {
            let mut less = whole.clone();
            less.threads[thread].remove(at);
            less
        })
    }

    /// What it has, for a table.
    pub fn features(&self) -> Vec<&'static str> {
        const FEATURES: [(&str, &str); 21] = [
            ("cp.async.cg", "cp.async"),
            ("cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive"),
            ("cp.async.wait_", "cp.async.wait"),
            ("cp.async.bulk.shared::cta.global", "bulk load"),
            ("cp.async.bulk.global", "bulk store"),
            ("cp.reduce", "bulk reduction"),
            ("multicast", "multicast"),
            ("cp.async.bulk.shared::cluster.shared::cta", "push"),
            ("st.async.shared", "st.async"),
            ("red.async.relaxed", "red.async"),
            (".async.release", "async release"),
            ("wait_group.read", "wait for reads"),
            ("fence.proxy.async", "proxy fence"),
            ("sync_restrict", "one-way fence"),
            ("try_wait.parity.relaxed", "relaxed wait"),
            ("mbarrier.try_wait", "mbarrier wait"),
            ("bar.sync", "CTA barrier"),
            ("bar.warp", "warp barrier"),
            ("barrier.cluster.arrive", "cluster barrier"),
            ("[x]", "flag"),
            ("tcgen05", "tcgen05"),
        ];
        let text = self.text();
        FEATURES.iter().filter(|(part, _)| text.contains(part)).map(|(_, name)| *name).collect()
    }
}

impl Step {
    /// The instructions, of the step at a place of its thread, with the number of its register.
    fn written(&self, at: usize, own: usize) -> String {
        let mut out = String::new();
        let mut text =
            self.text.replace("$l", &format!("L{at}")).replace("$v", &self.number.to_string());
        for (index, place) in self.places.iter().enumerate() {
            let mark = format!("${index}");
            if !self.text.contains(&mark) {
                continue;
            }
            let name = place.variable.name();
            let base = match place.cta {
                None => name.to_owned(),
                Some(cta) => {
                    let register = 20 + index;
                    writeln!(out, "  mapa.shared::cluster.u32 %r{register}, {name}, {cta};")
                        .unwrap();
                    format!("%r{register}")
                }
            };
            let address = match place.word {
                0 => format!("[{base}]"),
                word => format!("[{base}+{}]", 4 * word),
            };
            text = text.replace(&mark, &address);
        }
        let space = match self.places[0] {
            place if place.variable.is_global() => "global",
            Place { cta: None, .. } => "shared::cta",
            _ => "shared::cluster",
        };
        let text = text.replace("$s", space).replace("$r", &format!("%r{own}"));
        for line in text.lines() {
            writeln!(out, "  {line}").unwrap();
        }
        out.trim_end().to_owned()
    }
}

/// Numbers that choices are made with; zeros when they are used up.
struct Dice {
    dice: Vec<u16>,
    at: usize,
}

impl Dice {
    fn throw(&mut self) -> usize {
        self.at += 1;
        self.dice.get(self.at - 1).copied().map_or(0, usize::from)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.throw() % from.len()]
    }

    /// Whether something happens that does so in this many of a hundred cases, and never at zero.
    fn happens(&mut self, percent: usize) -> bool {
        self.throw() % 100 >= 100 - percent
    }
}

/// What moves data, or arrives, beside its thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transfer {
    /// `cp.async`, in a group.
    Copy,
    /// `cp.async`, with an arrival.
    CopyArriving,
    /// From global to shared memory, with the mbarrier of the own CTA.
    Load,
    /// From shared to global memory, in a group.
    Store,
    Reduce,
    /// From global memory to the shared memory of several CTAs.
    Multicast,
    /// From shared memory to that of another CTA.
    Push,
    /// A word to the shared memory of another CTA.
    Word,
    Add,
}

impl Transfer {
    fn is_remote(self) -> bool {
        matches!(self, Self::Multicast | Self::Push | Self::Word | Self::Add)
    }

    fn is_through_async_proxy(self) -> bool {
        !matches!(self, Self::Copy | Self::CopyArriving | Self::Word | Self::Add)
    }

    fn has_group(self) -> bool {
        matches!(self, Self::Copy | Self::Store | Self::Reduce)
    }

    fn source(self) -> Variable {
        match self {
            Self::Store | Self::Reduce | Self::Push => Variable::Tile,
            _ => Variable::Source,
        }
    }

    fn destination(self) -> Variable {
        match self {
            Self::Store | Self::Reduce => Variable::Out,
            Self::Push | Self::Word | Self::Add => Variable::Spare,
            _ => Variable::Tile,
        }
    }
}

/// A program that is being written from front to back.
struct Draft {
    dice: Dice,
    layout: Layout,
    threads: Vec<Vec<Step>>,
    /// How many phases of the two mbarriers, of each CTA, have been used.
    full: [u32; 2],
    empty: [u32; 2],
    /// The number of hand-overs by the flag.
    flags: u32,
}

const FENCES_OF_PROXIES: &[&str] = &[
    "fence.proxy.async;",
    "fence.proxy.async;",
    "fence.proxy.async;",
    "fence.proxy.async;",
    "fence.proxy.async;",
    "fence.proxy.async.shared::cta;",
    "fence.proxy.async.shared::cta;",
    "fence.proxy.async.shared::cluster;",
    "fence.proxy.async.global;",
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
];

const RELEASES: &[&str] = &[
    "st.release.gpu.global.u32 $0, $v;",
    "st.release.gpu.global.u32 $0, $v;",
    "st.release.gpu.global.u32 $0, $v;",
    "st.release.gpu.global.u32 $0, $v;",
    "st.release.cta.global.u32 $0, $v;",
    "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 $0, $v;",
    "fence.sc.cta;\nst.relaxed.gpu.global.u32 $0, $v;",
    "st.async.release.gpu.global.u32 $0, $v;",
    "red.async.release.gpu.global.add.u32 $0, 1;",
    "red.release.gpu.global.max.u32 $0, $v;",
    "st.relaxed.gpu.global.u32 $0, $v;",
];

const ACQUIRES: &[&str] = &[
    "$l: ld.acquire.gpu.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;",
    "$l: ld.acquire.gpu.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;",
    "$l: ld.acquire.gpu.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;",
    "$l: ld.acquire.gpu.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;",
    "$l: ld.acquire.cta.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;",
    "$l: ld.relaxed.gpu.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;\nfence.acq_rel.gpu;",
    "$l: ld.relaxed.gpu.global.u32 %r19, $0;\nsetp.lt.u32 %p1, %r19, $v;\n@%p1 bra $l;",
    "ld.acquire.gpu.global.u32 $r, $0;",
];

const WAITS: &[&str] = &[
    "$l: mbarrier.try_wait.parity.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "$l: mbarrier.try_wait.parity.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "$l: mbarrier.try_wait.parity.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "$l: mbarrier.try_wait.parity.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "$l: mbarrier.try_wait.parity.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "$l: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "$l: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;\nfence.acq_rel.cta;",
    "$l: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, $0, $v;\n@!%p1 bra $l;",
    "mbarrier.test_wait.parity.shared::cta.b64 %p1, $0, $v;",
];

const LOADS: &[&str] = &[
    "ld.$s.u32 $r, $0;",
    "ld.$s.u32 $r, $0;",
    "ld.$s.u32 $r, $0;",
    "ld.relaxed.gpu.$s.u32 $r, $0;",
    "ld.acquire.cta.$s.u32 $r, $0;",
];

const STORES: &[&str] = &[
    "st.$s.u32 $0, $v;",
    "st.$s.u32 $0, $v;",
    "st.$s.u32 $0, $v;",
    "st.relaxed.gpu.$s.u32 $0, $v;",
];

/// What has nothing to do with the pipeline.
const NOISE: &[&str] = &[
    "fence.acq_rel.gpu;",
    "fence.sc.cta;",
    "fence.proxy.async;",
    "cp.async.bulk.commit_group;",
    "cp.async.commit_group;",
    "cp.async.bulk.wait_group.read 0;",
    "cp.async.wait_all;",
];

impl Draft {
    fn thrown(mut dice: Dice) -> Pipeline {
        use Layout::{Cluster, Lanes, Warps};
        let layout = dice.pick(&[Warps, Warps, Warps, Lanes, Cluster, Cluster]);
        let count = dice.pick(&[2, 2, 2, 1, 3]).max(if layout == Cluster { 2 } else { 1 });
        let threads = vec![Vec::new(); count];
        let mut draft = Self { dice, layout, threads, full: [0; 2], empty: [0; 2], flags: 0 };
        draft.start();
        draft.round();
        if draft.dice.happens(35) {
            draft.round();
        }
        if layout == Cluster {
            draft.barrier();
        }
        draft.damage();
        let asks = (0..draft.dice.pick(&[1, 1, 2]))
            .map(|_| {
                let dice = &mut draft.dice;
                let compares = dice.pick(&["!=", "=="]);
                (dice.throw(), compares, dice.pick(&[5, 5, 7, 7, 1, 0, 2, 8, 6]))
            })
            .collect();
        let denies = draft.dice.happens(20);
        Pipeline { layout, threads: draft.threads, asks, denies }
    }

    fn cta(&self, thread: usize) -> usize {
        if self.layout == Layout::Cluster { thread.min(1) } else { 0 }
    }

    fn thread(&mut self) -> usize {
        self.dice.throw() % self.threads.len()
    }

    fn push(&mut self, thread: usize, text: &'static str, place: Place, number: u32) {
        let places = [place, Variable::Full.at(0)];
        self.threads[thread].push(Step { text, places, number });
    }

    fn say(&mut self, thread: usize, text: &'static str) {
        self.push(thread, text, Variable::Flag.at(0), 0);
    }

    /// A place as a thread of one CTA names it that is in another one.
    fn seen(&self, thread: usize, mut place: Place, cta: usize) -> Place {
        if !place.variable.is_global() && self.cta(thread) != cta {
            place.cta = Some(cta);
        }
        place
    }

    /// Initializes the mbarriers of all CTAs.
    fn start(&mut self) {
        let init = "mbarrier.init.shared::cta.b64 $0, 1;";
        for thread in 0..self.threads.len() {
            if thread == 0 || (thread == 1 && self.layout == Layout::Cluster) {
                self.push(thread, init, Variable::Full.at(0), 0);
                self.push(thread, init, Variable::Empty.at(0), 0);
                if self.dice.happens(15) {
                    self.say(thread, "fence.mbarrier_init.release.cluster;");
                }
            }
        }
        if self.threads.len() > 1 {
            self.barrier();
        }
    }

    /// A barrier of all threads.
    fn barrier(&mut self) {
        let texts: &[&str] = match self.layout {
            Layout::Warps => &["bar.sync 0;"],
            Layout::Lanes => &["bar.warp.sync 0xffffffff;", "bar.sync 0;"],
            Layout::Cluster => &[
                "barrier.cluster.arrive;\nbarrier.cluster.wait;",
                "barrier.cluster.arrive;\nbarrier.cluster.wait;",
                "barrier.cluster.arrive;\nbarrier.cluster.wait;",
                "barrier.cluster.arrive;\nbarrier.cluster.wait;",
                "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;",
            ],
        };
        let text = self.dice.pick(texts);
        (0..self.threads.len()).for_each(|thread| self.say(thread, text));
    }

    /// One thread hands over to another one.
    fn hand_over(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        match self.dice.pick(&[0, 0, 1, 1, 2, 2, 3]) {
            0 => self.barrier(),
            1 => {
                self.flags += 1;
                let (flag, number) = (Variable::Flag.at(0), self.flags);
                let (release, acquire) = (self.dice.pick(RELEASES), self.dice.pick(ACQUIRES));
                self.push(from, release, flag, number);
                self.push(to, acquire, flag, number);
            }
            2 => {
                let cta = self.cta(to);
                let place = self.seen(from, Variable::Empty.at(0), cta);
                let arrive = self.dice.pick(match place.cta {
                    None => &[
                        "mbarrier.arrive.shared::cta.b64 _, $0;",
                        "mbarrier.arrive.shared::cta.b64 _, $0;",
                        "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, $0;",
                    ],
                    Some(_) => &[
                        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, $0;",
                        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, $0;",
                        "mbarrier.arrive.shared::cluster.b64 _, $0;",
                    ],
                });
                self.push(from, arrive, place, 0);
                let wait = self.dice.pick(WAITS);
                self.push(to, wait, Variable::Empty.at(0), self.empty[cta] % 2);
                self.empty[cta] += 1;
            }
            _ => {}
        }
    }

    /// A fence between the proxies, more often than not.
    fn fence(&mut self, thread: usize, percent: usize) {
        if !self.dice.happens(100 - percent) {
            let text = self.dice.pick(FENCES_OF_PROXIES);
            self.say(thread, text);
        }
    }

    /// Someone touches the source or the destination, the data move, and someone uses them.
    fn round(&mut self) {
        use Transfer::{Add, Copy, CopyArriving, Load, Multicast, Push, Reduce, Store, Word};
        let transfer = self.dice.pick(match self.layout {
            Layout::Cluster => &[Push, Multicast, Push, Word, Add, Multicast, Load, Store],
            _ => &[Load, Store, Load, Copy, Store, Reduce, CopyArriving, Load],
        });
        let issuer = self.thread();
        let receiver = match transfer {
            _ if !transfer.is_remote() => self.cta(issuer),
            Multicast => self.dice.pick(&[1, 0]),
            _ => 1 - self.cta(issuer),
        };
        self.touch(transfer, issuer, receiver);
        self.transfer(transfer, issuer, receiver);
        self.use_data(transfer, issuer, receiver);
    }

    /// Someone touches what is going to be moved, or the place that it is moved to, and hands over.
    fn touch(&mut self, transfer: Transfer, issuer: usize, receiver: usize) {
        if !self.dice.happens(65) {
            return;
        }
        let writer = self.thread();
        let (source, word) = (self.dice.happens(65), self.dice.pick(&[0, 0, 1]));
        let (place, cta) = match source {
            true => (transfer.source().at(word), self.cta(issuer)),
            false => (transfer.destination().at(word), receiver),
        };
        let place = self.seen(writer, place, cta);
        if source || self.dice.happens(30) {
            let store = self.dice.pick(STORES);
            self.push(writer, store, place, 7);
        } else {
            let load = self.dice.pick(LOADS);
            self.push(writer, load, place, 0);
        }
        if transfer.is_through_async_proxy() {
            self.fence(writer, 85);
        }
        self.hand_over(writer, issuer);
        if transfer.is_through_async_proxy() && self.dice.happens(35) {
            self.fence(issuer, 100);
        }
    }

    /// A thread issues a transfer.
    fn transfer(&mut self, transfer: Transfer, issuer: usize, receiver: usize) {
        let (source, full) = (transfer.source().at(0), Variable::Full.at(0));
        let to = self.seen(issuer, transfer.destination().at(0), receiver);
        let signal = self.seen(issuer, full, receiver);
        let number = if transfer == Transfer::Load { 16 } else { 4 };
        let expects = self.dice.pick(&[
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, $0, $v;",
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, $0, $v;",
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 $0, $v;\nmbarrier.arrive.shared::cta.b64 _, $0;",
        ]);
        match transfer {
            Transfer::Load => self.push(issuer, expects, full, number),
            Transfer::Multicast => {
                for cta in 0..2 {
                    self.push(cta, expects, full, 16);
                    self.full[cta] += 1;
                }
            }
            Transfer::Push => self.push(receiver, expects, full, 16),
            Transfer::Word | Transfer::Add => self.push(receiver, expects, full, 4),
            _ => {}
        }
        let bytes = self.dice.pick(&[16, 16, 4]);
        let (text, places): (&'static str, [Place; 2]) = match transfer {
            Transfer::Copy | Transfer::CopyArriving if bytes == 4 => {
                ("cp.async.ca.shared.global $0, $1, 4;", [to, source])
            }
            Transfer::Copy | Transfer::CopyArriving => {
                ("cp.async.cg.shared.global $0, $1, 16;", [to, source])
            }
            Transfer::Load => (
                "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes $0, [g], 16, $1;",
                [to, signal],
            ),
            Transfer::Store => {
                ("cp.async.bulk.global.shared::cta.bulk_group $0, $1, 16;", [to, source])
            }
            Transfer::Reduce => (
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 $0, $1, 16;",
                [to, source],
            ),
            Transfer::Multicast => (
                "mov.u16 %rs1, 3;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\
                 .multicast::cluster [s], [g], 16, [full], %rs1;",
                [to, signal],
            ),
            Transfer::Push => (
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes $0, [s], 16, $1;",
                [to, signal],
            ),
            Transfer::Word => (
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 $0, 7, $1;",
                [to, signal],
            ),
            Transfer::Add => (
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 $0, 5, $1;",
                [to, signal],
            ),
        };
        self.threads[issuer].push(Step { text, places, number: 0 });
        match transfer {
            Transfer::Copy => self.say(issuer, "cp.async.commit_group;"),
            Transfer::Store | Transfer::Reduce => self.say(issuer, "cp.async.bulk.commit_group;"),
            Transfer::CopyArriving => {
                let arrive = self.dice.pick(&[
                    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 $0;",
                    "cp.async.mbarrier.arrive.shared::cta.b64 $0;\nmbarrier.arrive.shared::cta.b64 _, $0;",
                ]);
                self.push(issuer, arrive, full, 0);
            }
            _ => {}
        }
        if matches!(transfer, Transfer::Load | Transfer::CopyArriving | Transfer::Push)
            || matches!(transfer, Transfer::Word | Transfer::Add)
        {
            self.full[receiver] += 1;
        }
    }

    /// Whoever waits uses the data, or hands them on.
    fn use_data(&mut self, transfer: Transfer, issuer: usize, receiver: usize) {
        let there: Vec<usize> =
            (0..self.threads.len()).filter(|&thread| self.cta(thread) == receiver).collect();
        let mut waiter = self.dice.pick(&there);
        if transfer.has_group() {
            waiter = issuer;
            let wait = self.dice.pick(match transfer {
                Transfer::Copy => &[
                    "cp.async.wait_group 0;",
                    "cp.async.wait_all;",
                    "cp.async.wait_group 0;",
                    "cp.async.wait_group 1;",
                ],
                _ => &[
                    "cp.async.bulk.wait_group 0;",
                    "cp.async.bulk.wait_group 0;",
                    "cp.async.bulk.wait_group.read 0;",
                    "cp.async.bulk.wait_group.read 0;",
                    "cp.async.bulk.wait_group 1;",
                ],
            });
            self.say(issuer, wait);
        } else {
            let wait = self.dice.pick(WAITS);
            self.push(waiter, wait, Variable::Full.at(0), (self.full[receiver] - 1) % 2);
        }
        let user = if self.dice.happens(35) { self.thread() } else { waiter };
        self.hand_over(waiter, user);
        for _ in 0..self.dice.pick(&[1, 1, 2]) {
            self.use_once(transfer, user, issuer, receiver);
        }
    }

    fn use_once(&mut self, transfer: Transfer, user: usize, issuer: usize, receiver: usize) {
        let word = self.dice.pick(&[0, 0, 1]);
        let destination = self.seen(user, transfer.destination().at(word), receiver);
        let source = self.seen(user, transfer.source().at(word), self.cta(issuer));
        match self.dice.pick(&[0, 0, 0, 1, 1, 2, 3]) {
            0 => {
                let load = self.dice.pick(LOADS);
                self.push(user, load, destination, 0);
            }
            1 => {
                let store = self.dice.pick(STORES);
                self.push(user, store, source, 8);
            }
            2 => {
                let store = self.dice.pick(STORES);
                self.push(user, store, destination, 8);
            }
            _ if transfer.destination() == Variable::Tile && self.cta(user) == receiver => {
                if self.dice.happens(30) {
                    self.fence(user, 100);
                }
                let text = "cp.async.bulk.global.shared::cta.bulk_group $0, $1, 16;";
                let places = [Variable::Out.at(0), Variable::Tile.at(0)];
                self.threads[user].push(Step { text, places, number: 0 });
                self.say(user, "cp.async.bulk.commit_group;");
                if self.dice.happens(50) {
                    self.say(user, "cp.async.bulk.wait_group 0;");
                }
            }
            _ => {
                let load = self.dice.pick(LOADS);
                self.push(user, load, source, 0);
            }
        }
    }

    /// Some steps get lost, change places, or have others beside them.
    fn damage(&mut self) {
        for _ in 0..self.dice.pick(&[0, 0, 0, 1, 1, 2]) {
            let thread = self.thread();
            let length = self.threads[thread].len();
            let at = self.dice.throw() % length.max(1);
            let noise = self.dice.pick(NOISE);
            let places = [Variable::Flag.at(0); 2];
            match self.dice.pick(&[0, 0, 1, 2]) {
                0 if at < length => _ = self.threads[thread].remove(at),
                1 if at + 1 < length => self.threads[thread].swap(at, at + 1),
                _ => self.threads[thread].insert(at, Step { text: noise, places, number: 0 }),
            }
        }
    }
}
