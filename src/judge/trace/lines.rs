//! The parser from lines of text into a trace.
//! ```text
//! # a comment
//! thread 0 @ gpu 0, cluster 0, cta 0, warp 0
//! threads 1-31 @ gpu 0, cluster 0, cta 1
//! init x = 5
//! 0: st.release.gpu.u32 x := 1 @ 10:20
//! 1: ld.acquire.gpu.u32 x == 1 @ 15:30
//! 1: fence.acq_rel.gpu
//! 1: atom.relaxed.gpu.u32 { x == 1; x := 2 }
//! 1: M[3] := 7
//! 1: sync
//! ```
//!
//! The operations of a thread appear in program order; lines of different threads may be
//! interleaved. A thread without a place is alone in a CTA and a cluster of GPU 0. Accesses without
//! an instruction are weak. `{ ... }` without an instruction is a relaxed atomic operation of scope
//! `.sys`, and `sync` is `fence.sc.sys`.

use super::{Cell, Op, OpKind, Thread, Trace, Waits};
use crate::diagnostic::Diagnostic;
use crate::id::{CellId, FileId, ThreadId};
use crate::judge::log::Value;
use crate::ptx::bits::mask;
use crate::ptx::operation::{Order, Scope};
use crate::ptx::side::fits;
use crate::source::Span;
use itertools::Itertools;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashMap};

/// An error in a line: the message, and a correct form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct LineError {
    what: String,
    help: &'static str,
    span: Span,
}

impl LineError {
    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error("trace-line", self.span, self.what.clone()).help(self.help)
    }
}

/// Whether a text is a trace: the first line that is not a comment is a line of a trace.
#[must_use]
pub fn is_trace(text: &str) -> bool {
    let first = text.lines().map(content).find(|line| !line.is_empty()).unwrap_or("");
    if first
        .split_whitespace()
        .next()
        .is_some_and(|word| ["thread", "threads", "init"].contains(&word))
    {
        return true;
    }
    let Some((name, rest)) = first.split_once(':') else { return false };
    let operation = rest.trim_start();
    let starts = [
        "ld.", "st.", "ld ", "st ", "atom", "red.", "fence", "membar", "sync", "bar.", "barrier",
        "{",
    ];
    is_name(name.trim())
        && (starts.iter().any(|start| operation.starts_with(start))
            || operation.contains(":=")
            || operation.contains("=="))
}

/// Reads a trace; lines with errors are left out.
#[must_use]
pub fn parse(text: &str, file: FileId) -> (Trace, Vec<LineError>) {
    let mut reader = Reader::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = content(line);
        let lead = line.len() - line.trim_start().len();
        let span = Span::new(file, start + lead, start + lead + bare.len());
        start += line.len();
        if bare.is_empty() {
            continue;
        }
        if let Err((what, help)) = reader.line(bare, span) {
            reader.errors.push(LineError { what, help, span });
        }
    }
    reader.finish()
}

type Wrong = (String, &'static str);

/// The line without its comment.
fn content(line: &str) -> &str {
    let line = line.split('#').next().unwrap_or("");
    line.split("//").next().unwrap_or("").trim()
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

const FORMS: &str =
    "a line is `THREAD: OPERATION`, `thread N @ gpu 0, cluster 0, cta 0`, or `init x = 5`";
const VALUE: &str = "values are integers, such as `1`, `-1` or `0x10`";
const ACCESS: &str = "accesses are `x := 1`, `x == 1` and `{ x == 1; x := 2 }`";

#[derive(Default)]
struct Reader {
    trace: Trace,
    errors: Vec<LineError>,
    threads: FxHashMap<String, ThreadId>,
    cells: FxHashMap<String, CellId>,
    places: HashMap<String, Place>,
    /// For each location the line with its initial value.
    initials: Vec<Option<Span>>,
    /// How often each thread has been at each barrier.
    turns: FxHashMap<(ThreadId, u32), u32>,
    /// The accessed bytes of each variable or address space, where sizes are known: first byte, size
    /// and line.
    ranges: BTreeMap<String, BTreeMap<i128, (u32, Span)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    gpu: u32,
    cluster: Option<u32>,
    cta: u32,
    warp: Option<u32>,
}

impl Reader {
    fn line(&mut self, line: &str, span: Span) -> Result<(), Wrong> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "thread" | "threads" => self.place(rest),
            "init" => self.initial(rest, span),
            _ => match line.split_once(':') {
                Some((thread, operation)) if is_name(thread.trim()) => {
                    self.operation(thread.trim(), operation.trim(), span)
                }
                _ => Err((format!("`{line}` is no line of a trace"), FORMS)),
            },
        }
    }

    /// `0 @ gpu 0, cluster 0, cta 0, warp 0`, `0-31 @ ...`.
    fn place(&mut self, rest: &str) -> Result<(), Wrong> {
        const HELP: &str = "it is `thread 0 @ gpu 0, cluster 0, cta 0, warp 0`";
        let wrong = |what: &str| (what.to_owned(), HELP);
        let (names, place) =
            rest.split_once('@').ok_or_else(|| wrong("a thread without a place"))?;
        let mut found = Place { gpu: 0, cluster: None, cta: 0, warp: None };
        let mut has_cta = false;
        for part in place.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (level, number) = part
                .split_once(char::is_whitespace)
                .ok_or_else(|| wrong("a level without a number"))?;
            let number: u32 =
                number.trim().parse().map_err(|_| (format!("`{number}` is no number"), HELP))?;
            match level {
                "gpu" => found.gpu = number,
                "cluster" => found.cluster = Some(number),
                "cta" => (found.cta, has_cta) = (number, true),
                "warp" => found.warp = Some(number),
                _ => return Err((format!("there is no level `{level}`"), HELP)),
            }
        }
        if !has_cta {
            return Err(wrong("a place without a CTA"));
        }
        for name in named(names.trim()).ok_or_else(|| wrong("a place of no thread"))? {
            if self.threads.contains_key(&name) {
                return Err((format!("thread {name} has done something before this"), HELP));
            }
            if self.places.insert(name.clone(), found).is_some_and(|other| other != found) {
                return Err((format!("thread {name} has two places"), HELP));
            }
        }
        Ok(())
    }

    /// `x = 5`.
    fn initial(&mut self, rest: &str, span: Span) -> Result<(), Wrong> {
        const HELP: &str = "it is `init x = 5`, before anything is done";
        if !self.trace.ops.is_empty() {
            return Err(("an initial value behind operations".to_owned(), HELP));
        }
        let split = rest
            .split_once(":=")
            .or_else(|| rest.split_once("=="))
            .or_else(|| rest.split_once('='));
        let (cell, value) = split.ok_or_else(|| ("no initial value".to_owned(), HELP))?;
        let value = number(value)?;
        let cell = self.cell(cell, None, None, span)?;
        if self.initials[cell.index()].is_some() {
            let name = &self.trace.cells[cell.index()].name;
            return Err((format!("`{name}` has two initial values"), HELP));
        }
        self.trace.cells[cell.index()].initial = value;
        self.initials[cell.index()] = Some(span);
        Ok(())
    }

    fn thread(&mut self, name: &str) -> ThreadId {
        if let Some(&known) = self.threads.get(name) {
            return known;
        }
        let id = ThreadId::new(self.trace.threads.len());
        self.threads.insert(name.to_owned(), id);
        // Groups get their numbers when all places are known.
        let (gpu, cluster, cta, warp) = (0, 0, 0, None);
        self.trace.threads.push(Thread { name: name.to_owned(), gpu, cluster, cta, warp });
        id
    }

    /// Reads an operation, with its times if given.
    fn operation(&mut self, thread: &str, text: &str, span: Span) -> Result<(), Wrong> {
        let (text, times) = match text.split_once('@') {
            Some((text, times)) => (text.trim(), Some(times)),
            None => (text, None),
        };
        let (begin, end) = times.map_or(Ok((None, None)), times_of)?;
        let instruction = text.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or("");
        let is_plain = text.starts_with('{') || !is_instruction(instruction);
        let (instruction, operands) =
            if is_plain { ("", text) } else { (instruction, text[instruction.len()..].trim()) };
        let form = Form::of(instruction)?;
        let name = thread.to_owned();
        let thread = self.thread(thread);
        let (mut read, mut write, mut cell) = (None, None, None);
        let inner = operands.strip_prefix('{').map(|rest| rest.strip_suffix('}').unwrap_or(rest));
        let parts = inner.unwrap_or(operands).split([';', ',']).map(str::trim);
        for part in parts.filter(|part| !part.is_empty() && form.has_access()) {
            let (place, value, target) = match (part.split_once(":="), part.split_once("==")) {
                (Some((place, value)), None) => (place, value, &mut write),
                (None, Some((place, value))) => (place, value, &mut read),
                _ => return Err((format!("`{part}` is no access"), ACCESS)),
            };
            if target.replace(sized(number(value)?, form.bytes)?).is_some() {
                return Err(("two accesses of one kind in one operation".to_owned(), ACCESS));
            }
            let shared = form.shared.then_some(name.as_str());
            let found = self.cell(place, form.bytes, shared, span)?;
            if cell.replace(found).is_some_and(|other| other != found) {
                return Err(("one operation at two locations".to_owned(), ACCESS));
            }
        }
        let (mut kind, order, scope) =
            form.resolve(read.is_some(), write.is_some(), inner.is_some(), operands)?;
        if let OpKind::Barrier(barrier) = &mut kind {
            let turn = self.turns.entry((thread, barrier.number)).or_insert(0);
            barrier.turn = *turn;
            *turn += 1;
        }
        self.trace.ops.push(Op { thread, kind, order, scope, cell, read, write, begin, end, span });
        Ok(())
    }

    /// The location of a name, such as `x`, `x+4`, `[x]`, `M[1]` or `0x7f00`.
    fn cell(
        &mut self,
        text: &str,
        bytes: Option<u32>,
        shared: Option<&str>,
        span: Span,
    ) -> Result<CellId, Wrong> {
        const HELP: &str = "a location is `x`, `x+4`, `M[1]` or an address such as `0x7f00`";
        let text = text.trim();
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let mut words = inner.split_whitespace().tuple_windows();
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_$%.".contains(c);
        if words.any(|(one, other)| one.ends_with(is_name) && other.starts_with(is_name)) {
            return Err((format!("`{text}` is no location, and begins with no operation"), FORM));
        }
        let bare: String = inner.chars().filter(|c| !c.is_whitespace()).collect();
        if bare.is_empty()
            || bare.contains(|c: char| !(c.is_ascii_alphanumeric() || "_$.+[]%-".contains(c)))
        {
            return Err((format!("`{text}` is no location"), HELP));
        }
        let name = match shared {
            // Each CTA has its own.
            Some(thread) => format!("{bare}@{}", self.cta_name(thread)),
            None => bare.clone(),
        };
        if let Some(bytes) = bytes {
            self.range(&bare, &name, bytes, span)?;
        }
        if let Some(&known) = self.cells.get(&name) {
            let cell = &mut self.trace.cells[known.index()];
            cell.bytes = cell.bytes.or(bytes);
            return Ok(known);
        }
        let id = CellId::new(self.trace.cells.len());
        self.trace.cells.push(Cell { name: name.clone(), bytes, initial: 0 });
        self.initials.push(None);
        self.cells.insert(name, id);
        Ok(id)
    }

    fn cta_name(&self, thread: &str) -> String {
        match self.places.get(thread) {
            Some(place) => format!("{}.{}", place.gpu, place.cta),
            None => format!("own{thread}"),
        }
    }

    /// Notes which bytes an access takes: none of another size or in part.
    fn range(&mut self, bare: &str, name: &str, bytes: u32, span: Span) -> Result<(), Wrong> {
        const HELP: &str = "accesses of several sizes to the same bytes are not judged";
        let instance = &name[bare.len()..];
        let (base, offset) = match (Value::of(bare), bare.rsplit_once('+')) {
            (Value::Number(address), _) => (String::new(), address),
            (_, Some((base, offset))) => match Value::of(offset) {
                Value::Number(offset) => (base.to_owned(), offset),
                Value::Symbol(_) => return Ok(()),
            },
            // An element of an array is as large as every access to it.
            _ => (bare.to_owned(), 0),
        };
        let ranges = self.ranges.entry(format!("{base}{instance}")).or_default();
        let end = offset + i128::from(bytes);
        let before = ranges.range(..end).next_back();
        let clash = before.is_some_and(|(&start, &(size, _))| {
            (start, size) != (offset, bytes) && start + i128::from(size) > offset
        });
        if clash {
            return Err((format!("`{bare}` overlaps an access of another size or in part"), HELP));
        }
        ranges.insert(offset, (bytes, span));
        Ok(())
    }

    /// Numbers the groups that threads belong to.
    fn finish(mut self) -> (Trace, Vec<LineError>) {
        for (cell, span) in self.trace.cells.iter_mut().zip(&self.initials) {
            match sized(cell.initial, cell.bytes) {
                Ok(value) => cell.initial = value,
                Err((what, help)) => {
                    let span = span.expect("a value other than 0 has a line");
                    self.errors.push(LineError { what, help, span });
                }
            }
        }
        let mut ctas: HashMap<(u32, u32), (u32, Option<u32>)> = HashMap::new();
        let mut clusters: HashMap<(u32, Option<u32>, u32), u32> = HashMap::new();
        let mut count = 0;
        for thread in &mut self.trace.threads {
            let Some(place) = self.places.get(&thread.name) else {
                (thread.cluster, thread.cta) = (u32::MAX, u32::MAX);
                continue;
            };
            let (cta, cluster) = *ctas.entry((place.gpu, place.cta)).or_insert_with(|| {
                count += 1;
                (count - 1, place.cluster)
            });
            if cluster != place.cluster
                && let Some(op) = self.trace.ops.first()
            {
                let what = format!("CTA {} of GPU {} is in two clusters", place.cta, place.gpu);
                let help = "all threads of a CTA name the same cluster";
                self.errors.push(LineError { what, help, span: op.span });
            }
            let own = if place.cluster.is_some() { u32::MAX } else { place.cta };
            let next = clusters.len() as u32;
            thread.cluster = *clusters.entry((place.gpu, place.cluster, own)).or_insert(next);
            (thread.gpu, thread.cta, thread.warp) = (place.gpu, cta, place.warp);
        }
        let mut cluster = clusters.len() as u32;
        for thread in self.trace.threads.iter_mut().filter(|thread| thread.cta == u32::MAX) {
            (thread.cta, thread.cluster) = (count, cluster);
            (count, cluster) = (count + 1, cluster + 1);
        }
        (self.trace, self.errors)
    }
}

/// `0`, or `0-31`.
fn named(names: &str) -> Option<Vec<String>> {
    if let Some((first, last)) = names.split_once('-')
        && let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
    {
        return (first <= last && last - first < 1_000_000)
            .then(|| (first..=last).map(|n| n.to_string()).collect());
    }
    is_name(names).then(|| vec![names.to_owned()])
}

fn number(text: &str) -> Result<i128, Wrong> {
    match Value::of(text) {
        Value::Number(number) => Ok(number),
        Value::Symbol(text) => Err((format!("`{text}` is no value"), VALUE)),
    }
}

/// A value of so many bytes, where the size is known, as an unsigned number: `-1` of two bytes is `0xffff`.
fn sized(value: i128, bytes: Option<u32>) -> Result<i128, Wrong> {
    const HELP: &str = "the value of an access is within its type, signed or unsigned";
    let Some(bits) = bytes.map(|bytes| 8 * bytes) else { return Ok(value) };
    fits(value, bits)
        .then_some((value as u128 & mask(bits)) as i128)
        .ok_or_else(|| (format!("{value} is no value of {bits} bits"), HELP))
}

/// `10:20`, `10:` or `:20`.
fn times_of(text: &str) -> Result<(Option<u64>, Option<u64>), Wrong> {
    const HELP: &str = "times are `@ 10:20`, `@ 10:` or `@ :20`";
    let (begin, end) =
        text.split_once(':').ok_or_else(|| (format!("`{}` is no time", text.trim()), HELP))?;
    let time = |text: &str| match text.trim() {
        "" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| (format!("`{digits}` is no time"), HELP)),
    };
    let (begin, end): (Option<u64>, Option<u64>) = (time(begin)?, time(end)?);
    match (begin, end) {
        (Some(begin), Some(end)) if begin > end => {
            Err(("the operation ends before it begins".to_owned(), HELP))
        }
        times => Ok(times),
    }
}

fn is_instruction(word: &str) -> bool {
    let opcode = word.split('.').next().unwrap_or("");
    ["ld", "st", "atom", "red", "fence", "membar", "sync", "bar", "barrier"].contains(&opcode)
}

/// An instruction's opcode and qualifiers.
#[derive(Default)]
struct Form<'t> {
    text: &'t str,
    opcode: &'t str,
    order: Option<Order>,
    scope: Option<Scope>,
    bytes: Option<u32>,
    shared: bool,
    arrives: bool,
}

/// Qualifiers that do not matter here: state spaces, functions of atomics, hints.
const IDLE: &[&str] = &[
    "global", "add", "and", "or", "xor", "exch", "cas", "inc", "dec", "min", "max", "ca", "cg",
    "cs", "lu", "cv", "wb", "wt", "aligned",
];

const FORM: &str =
    "operations are ld, st, atom, red, fence, membar, sync and bar.sync, with qualifiers as in PTX";

impl<'t> Form<'t> {
    fn of(text: &'t str) -> Result<Self, Wrong> {
        let mut parts = text.split('.');
        let opcode = parts.next().unwrap_or("");
        let mut form = Self { text, opcode, ..Self::default() };
        for part in parts {
            form.qualifier(part)?;
        }
        Ok(form)
    }

    fn qualifier(&mut self, part: &str) -> Result<(), Wrong> {
        match part {
            "weak" => self.order = Some(Order::Weak),
            "relaxed" => self.order = Some(Order::Relaxed),
            "volatile" | "mmio" => {
                (self.order, self.scope) = (Some(Order::Relaxed), Some(Scope::Sys));
            }
            "acquire" => self.order = Some(Order::Acquire),
            "release" => self.order = Some(Order::Release),
            "acq_rel" => self.order = Some(Order::AcqRel),
            "sc" => self.order = Some(Order::Sc),
            "cta" => self.scope = Some(Scope::Cta),
            "cluster" => self.scope = Some(Scope::Cluster),
            "gpu" => self.scope = Some(Scope::Gpu),
            "gl" if self.opcode == "membar" => self.scope = Some(Scope::Gpu),
            "sys" => self.scope = Some(Scope::Sys),
            "shared" | "shared::cta" => self.shared = true,
            "sync" if self.is_barrier() => {}
            "arrive" if self.is_barrier() => self.arrives = true,
            "" => {}
            _ if IDLE.contains(&part) => {}
            _ => match part.get(1..).and_then(|bits| bits.parse::<u32>().ok()) {
                Some(bits @ (8 | 16 | 32 | 64 | 128)) if "busf".contains(&part[..1]) => {
                    self.bytes = Some(bits / 8);
                }
                _ => return Err((format!("`.{part}` of `{}` is not judged", self.text), FORM)),
            },
        }
        Ok(())
    }

    fn is_barrier(&self) -> bool {
        matches!(self.opcode, "bar" | "barrier")
    }

    fn has_access(&self) -> bool {
        matches!(self.opcode, "" | "ld" | "st" | "atom" | "red")
    }

    /// The operation, for given values read from and written to memory.
    fn resolve(
        &self,
        reads: bool,
        writes: bool,
        braces: bool,
        operands: &str,
    ) -> Result<(OpKind, Order, Scope), Wrong> {
        use OpKind::{Atomic, Barrier, Fence, Load, Reduction, Store};
        let wrong = |what: &str| (format!("{what}: `{}`", self.text), FORM);
        let kind = match (self.opcode, reads, writes) {
            ("ld", true, false) => Load,
            ("st", false, true) => Store,
            ("", true, false) if !braces => Load,
            ("", false, true) if !braces => Store,
            ("atom", true, _) | ("", true, true) => Atomic,
            ("red", true, true) => Reduction,
            ("fence" | "membar" | "sync", ..) if operands.is_empty() => Fence,
            ("bar" | "barrier", ..) => {
                let number = operands.split(',').next().unwrap_or("").trim();
                let number = number.parse().map_err(|_| wrong("a barrier without its number"))?;
                let waits = if self.arrives { Waits::No } else { Waits::Yes };
                let barrier = super::Barrier { number, turn: 0, waits };
                return Ok((Barrier(barrier), Order::Weak, Scope::Cta));
            }
            ("ld" | "st" | "atom" | "red" | "", ..) => {
                return Err((
                    format!("`{}` reads or writes what it should not", self.text),
                    ACCESS,
                ));
            }
            _ => return Err(wrong("no such operation")),
        };
        let (order, scope) = match (self.opcode, self.order, self.scope) {
            ("sync", None, None) => (Order::Sc, Scope::Sys),
            ("membar", None | Some(Order::Sc), Some(scope)) => (Order::Sc, scope),
            ("fence", order, Some(scope)) => (order.unwrap_or(Order::AcqRel), scope),
            ("fence" | "membar" | "sync", ..) => return Err(wrong("a fence without a scope")),
            ("", ..) if kind == Atomic => (Order::Relaxed, Scope::Sys),
            ("atom" | "red", order, scope) => {
                (order.unwrap_or(Order::Relaxed), scope.unwrap_or(Scope::Gpu))
            }
            (_, None | Some(Order::Weak), None) => (Order::Weak, Scope::Sys),
            (_, Some(order), Some(scope)) => (order, scope),
            _ => return Err(wrong("a strong access without a scope")),
        };
        let fits = match kind {
            Load => matches!(order, Order::Weak | Order::Relaxed | Order::Acquire),
            Store => matches!(order, Order::Weak | Order::Relaxed | Order::Release),
            Atomic => !matches!(order, Order::Weak | Order::Sc),
            Reduction => matches!(order, Order::Relaxed | Order::Release),
            Fence => !matches!(order, Order::Weak | Order::Relaxed),
            Barrier(..) => true,
        };
        if fits { Ok((kind, order, scope)) } else { Err(wrong("no such order")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let (_, errors) = parse(text, FileId::new(0));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn operations_have_their_defaults() {
        let text = "thread 0 @ gpu 0, cta 0\nthread 1 @ gpu 0, cta 0, warp 1\ninit x = 5\n\
                    0: st.release.gpu.u32 x := 1 @ 10:20 # comment\n1: ld.acquire.gpu x == 1 @ :30\n\
                    1: sync\n2: M[1] := 7\n2: { M[1] == 7; M[1] := 8 }\n1: membar.gl\n\
                    1: atom.cas.b32 x == 9\n0: bar.sync 3\n";
        let (trace, errors) = parse(text, FileId::new(0));
        assert_eq!(errors, []);
        assert_eq!(trace.ops.len(), 8);
        assert_eq!(trace.cells[0], Cell { name: "x".to_owned(), bytes: Some(4), initial: 5 });
        assert_eq!((trace.ops[0].begin, trace.ops[1].end), (Some(10), Some(30)));
        assert_eq!((trace.ops[2].order, trace.ops[2].scope), (Order::Sc, Scope::Sys));
        assert_eq!((trace.ops[4].kind, trace.ops[4].order), (OpKind::Atomic, Order::Relaxed));
        assert_eq!((trace.ops[5].order, trace.ops[5].scope), (Order::Sc, Scope::Gpu));
        assert_eq!((trace.ops[6].read, trace.ops[6].write), (Some(9), None));
        assert_eq!(trace.threads[0].cta, trace.threads[1].cta);
        assert_ne!(trace.threads[0].cluster, trace.threads[2].cluster);
    }

    #[test]
    fn wrong_lines_are_told() {
        for (text, message) in [
            ("hello", "`hello` is no line of a trace"),
            ("0: ld.relaxed.u32 x == 1", "a strong access without a scope: `ld.relaxed.u32`"),
            ("0: ld.gpu x := 1", "`ld.gpu` reads or writes what it should not"),
            ("0: st.acquire.gpu x := 1", "no such order: `st.acquire.gpu`"),
            ("0: x = 1", "`x = 1` is no access"),
            ("0: x := y", "`y` is no value"),
            ("0: fence.acq_rel", "a fence without a scope: `fence.acq_rel`"),
            (
                "0: st.u32 x := 1\n0: st.u64 x := 1",
                "`x` overlaps an access of another size or in part",
            ),
            (
                "0: st.u64 x := 1\n0: st.u32 x+4 := 1",
                "`x+4` overlaps an access of another size or in part",
            ),
            ("0: { x == 1; y := 2 }", "one operation at two locations"),
            ("0: foo x == 1", "`foo x` is no location, and begins with no operation"),
            ("0: cp.async x := 1", "`cp.async x` is no location, and begins with no operation"),
            ("0: x := 1 @ 5:2", "the operation ends before it begins"),
            ("0: x := 1 @ 10", "`10` is no time"),
            ("init x = 1\ninit x = 1", "`x` has two initial values"),
            ("thread 0 @ gpu 0", "a place without a CTA"),
            ("0: x := 1\nthread 0 @ gpu 0, cta 0", "thread 0 has done something before this"),
        ] {
            assert_eq!(errors(text), [message], "{text}");
        }
    }

    #[test]
    fn traces_are_told_from_logs() {
        assert!(is_trace("# a trace\n0: M[1] := 1\n"));
        assert!(is_trace("thread 0 @ gpu 0, cta 0\n"));
        assert!(is_trace("1: sync"));
        assert!(!is_trace("Test MP Allowed\nStates 1\n0:r1=0;\n"));
        assert!(!is_trace("{\"schema\": 1}"));
        assert!(!is_trace("%%%%%%%\nTest"));
        assert!(!is_trace("Generated assembler: 0:r1"));
    }
}
