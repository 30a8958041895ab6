//! Sketches as text in the block format.

use super::forms::EXTRAS;
use super::{
    Choice, Control, Instruction, Item, PLACES, Part, Sketch, Source, Space, Target, Thread,
};
use std::fmt::{self, Debug, Write};

const NAMES: [&str; 3] = ["x", "y", "z"];
const ALIASES: [&str; 3] = ["ax", "ay", "az"];

impl Sketch {
    /// What final states consist of: registers that loads set, and variables; a shared variable
    /// once for every CTA.
    pub fn observed(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (variable, space) in self.variables.iter().enumerate() {
            let owners = match space {
                Space::Global => vec![String::new()],
                Space::Shared => self.first_threads().map(|t| format!("P{t}:")).collect(),
            };
            for owner in owners {
                let name = NAMES[variable];
                match self.is_array(variable) {
                    true => out.extend((0..2).map(|i| format!("{owner}{name}[{i}]"))),
                    false => out.push(format!("{owner}{name}")),
                }
            }
        }
        for (_, _, parts) in self.extras() {
            out.extend(parts.iter().map(|part| (*part).to_owned()));
        }
        for thread in 0..self.threads.len() {
            let printed = self.thread(thread);
            out.extend(printed.all.iter().map(|r| format!("P{thread}:{r}")));
        }
        out
    }

    /// The test that asks this of the program.
    pub fn asking(&self, condition: &str) -> String {
        let mut out = String::from("PTX random\n");
        for (variable, space) in self.variables.iter().enumerate() {
            let space = match space {
                Space::Global => "global",
                Space::Shared => "shared",
            };
            let name = NAMES[variable];
            let _ = match self.is_array(variable) {
                true => writeln!(out, ".{space} .align 8 .u32 {name}[2] = {{0, 0}};"),
                false => writeln!(out, ".{space} .u32 {name} = 0;"),
            };
        }
        if self.items().flat_map(Item::instructions).any(Instruction::uses_mbarrier) {
            out.push_str(".shared .align 8 .b64 bar;\n");
        }
        if self.items().any(|item| matches!(item.control, Some(Control::Lock(..)))) {
            out.push_str(".global .u32 m = 0;\n");
        }
        for alias in 0..self.variables.len() {
            if self.accesses(alias).any(|part| part == Part::Alias) {
                let _ = writeln!(out, ".alias {} = {};", ALIASES[alias], NAMES[alias]);
            }
        }
        for (_, declaration, _) in self.extras() {
            let _ = writeln!(out, "{declaration}");
        }
        self.tasks(&mut out);
        for (index, thread) in self.threads.iter().enumerate() {
            let task = thread.task.map_or(String::new(), |task| format!(", task K{task}"));
            if thread.host {
                let _ = writeln!(out, "P{index} @ host{task} {{\n{}}}", self.thread(index).out);
                continue;
            }
            let (_, cluster, cta) = PLACES[thread.place];
            let gpu = self.gpu(thread);
            let warp = if thread.first_warp { 0 } else { index };
            let place = format!("gpu {gpu}, cluster {cluster}, cta {cta}, warp {warp}{task}");
            let _ = writeln!(out, "P{index} @ {place} {{\n{}}}", self.thread(index).out);
        }
        out + condition + "\n"
    }

    /// The device of a thread; a task has one.
    fn gpu(&self, thread: &Thread) -> u32 {
        let same_task = |t: &&Thread| t.task.is_some() && t.task == thread.task && !t.host;
        PLACES[self.threads.iter().find(same_task).unwrap_or(thread).place].0
    }

    /// The test that asks for one final state, given as a value for each observed name.
    pub fn asking_for(&self, state: &[(String, u128)]) -> String {
        let atoms: Vec<String> = state.iter().map(|(n, v)| format!("{n} == {v}")).collect();
        match atoms.is_empty() {
            true => self.asking("exists (true)"),
            false => self.asking(&format!("exists ({})", atoms.join(" /\\ "))),
        }
    }

    /// A test whose condition mentions all that can be observed.
    pub fn text(&self) -> String {
        let zeros: Vec<(String, u128)> = self.observed().into_iter().map(|n| (n, 0)).collect();
        self.asking_for(&zeros)
    }

    /// The tasks that there are, and their order.
    fn tasks(&self, out: &mut String) {
        let mut tasks: Vec<usize> = self.threads.iter().filter_map(|t| t.task).collect();
        if tasks.is_empty() {
            return;
        }
        tasks.extend(self.edges.iter().flat_map(|&(from, to, _)| [from, to]));
        tasks.sort_unstable();
        tasks.dedup();
        let names: Vec<String> = tasks.iter().map(|task| format!("K{task}")).collect();
        let _ = writeln!(out, "task {};", names.join(", "));
        for (from, to, programmatic) in &self.edges {
            let word = if *programmatic { "pdl" } else { "order" };
            let _ = writeln!(out, "{word} K{from} -> K{to};");
        }
    }

    /// The variables of templates that are used.
    pub(super) fn extras(
        &self,
    ) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static [&'static str])> {
        let forms = self.items().flat_map(Item::instructions);
        let forms: Vec<&str> = forms
            .filter_map(|i| match i {
                Instruction::Form(text, ..) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let word = |c: char| !c.is_ascii_alphanumeric();
        EXTRAS.iter().filter(move |(name, ..)| {
            let operands = |text: &str| {
                text.split("; ").any(|part| {
                    part.split_once(' ')
                        .is_some_and(|(_, rest)| rest.split(word).any(|w| w == *name))
                })
            };
            forms.iter().any(|text| operands(text))
        })
    }

    /// The parts by which a variable is accessed.
    fn accesses(&self, variable: usize) -> impl Iterator<Item = Part> {
        let targets = self.items().flat_map(Item::instructions).filter_map(Instruction::target);
        let count = self.variables.len();
        targets.filter(move |t| t.variable % count == variable).map(|t| t.part)
    }

    fn is_array(&self, variable: usize) -> bool {
        let array = [Part::Second, Part::Double, Part::Vector];
        self.accesses(variable).any(|p| array.contains(&p) || matches!(p, Part::Chosen(_)))
    }

    /// The first thread of every CTA.
    fn first_threads(&self) -> impl Iterator<Item = usize> {
        let cta = |t: usize| (self.threads[t].place, self.threads[t].task);
        let on_device = (0..self.threads.len()).filter(|&t| !self.threads[t].host);
        on_device.filter(move |&t| (0..t).all(|o| self.threads[o].host || cta(o) != cta(t)))
    }

    fn thread(&self, index: usize) -> Printer<'_> {
        let mut printer = Printer {
            out: String::new(),
            sketch: self,
            words: Vec::new(),
            all: Vec::new(),
            token: None,
            next: 0,
        };
        let body = self.body(index);
        self.prepare(index, &mut printer);
        if self.kept.0 {
            self.keep(index, &mut printer);
        }
        let middle = body.len() / 2;
        for (at, item) in body.iter().enumerate() {
            if let Some(phase) = &self.phase
                && at == middle
            {
                printer.instruction(phase, "");
            }
            printer.item(item);
        }
        if body.iter().any(|item| matches!(item.control, Some(Control::Exit(..)))) {
            printer.out.push_str("END:\n");
        }
        if self.kept.1 {
            self.keep(index, &mut printer);
        }
        printer
    }

    /// All threads of the cluster meet, where some access each other's shared memory.
    fn keep(&self, index: usize, printer: &mut Printer<'_>) {
        let peers = self.items().flat_map(Item::instructions).any(Instruction::uses_peers);
        if peers && !self.threads[index].host {
            printer.line("barrier.cluster.arrive");
            printer.line("barrier.cluster.wait");
        }
    }

    /// The first thread of a CTA initializes its mbarrier before all of them go on.
    fn prepare(&self, index: usize, printer: &mut Printer<'_>) {
        if !self.items().flat_map(Item::instructions).any(Instruction::uses_mbarrier) {
            return;
        }
        let place = self.threads[index].place;
        if self.first_threads().any(|t| t == index) {
            let arrivals = self.arrivals;
            printer.line(&format!("mbarrier.init.shared::cta.b64 [bar], {arrivals}"));
        }
        if self.threads.iter().filter(|t| t.place == place).count() > 1 {
            printer.line("bar.sync 15");
        }
    }
}

impl Debug for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Prints one thread.
struct Printer<'a> {
    out: String,
    sketch: &'a Sketch,
    /// The registers with 32 bits that are set so far.
    words: Vec<String>,
    /// The registers that are set so far, all sizes.
    all: Vec<String>,
    /// The register with the token of the last arrival.
    token: Option<String>,
    /// Numbers of predicates, labels and registers that nobody looks at.
    next: usize,
}

impl Printer<'_> {
    fn item(&mut self, item: &Item) {
        let instruction = &item.instruction;
        match &item.control {
            Some(Control::If(back, number)) => match self.compare("eq", *back, *number) {
                Some(predicate) => self.instruction(instruction, &format!("@{predicate} ")),
                None => self.instruction(instruction, ""),
            },
            Some(Control::Else(back, number, other)) => match self.compare("eq", *back, *number) {
                Some(predicate) => self.branch(&predicate, instruction, other),
                None => self.instruction(instruction, ""),
            },
            Some(Control::Exit(back, number)) => {
                if let Some(predicate) = self.compare("ne", *back, *number) {
                    self.line(&format!("@{predicate} bra END"));
                }
                self.instruction(instruction, "");
            }
            Some(Control::Until(number)) => self.until(instruction, *number),
            Some(Control::Lock(acquire, release)) => {
                let (label, register) = (format!("LOCK{}", self.fresh()), self.word());
                self.line(&format!("{label}: atom.{acquire}.global.cas.b32 {register}, [m], 0, 1"));
                if let Some(predicate) = self.compare("ne", 0, 0) {
                    self.line(&format!("@{predicate} bra {label}"));
                }
                self.instruction(instruction, "");
                let ignored = format!("%t{}", self.fresh());
                self.line(&format!("atom.{release}.global.exch.b32 {ignored}, [m], 0"));
            }
            None => self.instruction(instruction, ""),
        }
    }

    /// One instruction or the other; what both set is one register.
    fn branch(&mut self, predicate: &str, one: &Instruction, other: &Instruction) {
        let number = self.fresh();
        let before = (self.words.clone(), self.all.clone(), self.token.clone());
        self.line(&format!("@{predicate} bra ELSE{number}"));
        self.instruction(one, "");
        self.line(&format!("bra JOIN{number}"));
        let first = (self.words.clone(), self.all.clone());
        (self.words, self.all, self.token) = before;
        let _ = writeln!(self.out, "ELSE{number}:");
        self.instruction(other, "");
        let _ = writeln!(self.out, "JOIN{number}:");
        if first.0.len() > self.words.len() {
            self.words = first.0;
        }
        for register in first.1 {
            if !self.all.contains(&register) {
                self.all.push(register);
            }
        }
    }

    fn until(&mut self, instruction: &Instruction, number: u32) {
        let words = self.words.len();
        if !instruction.sets_register() {
            return self.instruction(instruction, "");
        }
        let label = self.fresh();
        self.instruction(instruction, &format!("L{label}: "));
        if self.words.len() == words {
            return;
        }
        let wait = matches!(instruction, Instruction::Wait(..) | Instruction::WaitToken(..));
        let number = if wait { 1 } else { number };
        if let Some(predicate) = self.compare("ne", 0, number) {
            self.line(&format!("@{predicate} bra L{label}"));
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text};");
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// A new register with 32 bits.
    fn word(&mut self) -> String {
        let register = format!("%r{}", self.all.len());
        self.words.push(register.clone());
        self.all.push(register.clone());
        register
    }

    /// A new register with 64 bits.
    fn double(&mut self) -> String {
        self.observed("rd")
    }

    /// A new register of another size.
    fn observed(&mut self, kind: &str) -> String {
        let register = format!("%{kind}{}", self.all.len());
        self.all.push(register.clone());
        register
    }

    /// The register that many loads ago, if there is one.
    fn earlier(&self, back: usize) -> Option<String> {
        let at = self.words.len().checked_sub(back + 1)?;
        Some(self.words[at].clone())
    }

    /// Compares the register that many loads ago, if there is one.
    fn compare(&mut self, comparison: &str, back: usize, number: u32) -> Option<String> {
        let register = self.earlier(back)?;
        let predicate = format!("%p{}", self.fresh());
        self.line(&format!("setp.{comparison}.u32 {predicate}, {register}, {number}"));
        Some(predicate)
    }

    /// Prints an instruction after a label or with a guard.
    fn instruction(&mut self, instruction: &Instruction, prefix: &str) {
        let label = !prefix.is_empty() && !prefix.starts_with('@');
        // What computes an operand is part of the loop, but is not guarded.
        if label {
            let _ = writeln!(self.out, "{}", prefix.trim_end());
        }
        let guard = if label { "" } else { prefix };
        let mut after = String::new();
        let text = match instruction {
            Instruction::Load(qualifiers, target) => {
                let (space, ty, address) = self.address(*target);
                let destination = match target.part {
                    Part::Double => self.double(),
                    Part::Vector => format!("{{{}, {}}}", self.word(), self.word()),
                    _ => self.word(),
                };
                format!("ld.{}.{space}.{ty} {destination}, {address}", fit(qualifiers, space, ty))
            }
            Instruction::Store(qualifiers, target, source) => {
                let (space, ty, address) = self.address(*target);
                let source = self.source(*source, target.part);
                format!("st.{}.{space}.{ty} {address}, {source}", fit(qualifiers, space, ty))
            }
            Instruction::Atomic(qualifiers, function, target, source, third) => {
                let (space, _, address) = self.address(*target);
                let source = self.source(*source, Part::Whole);
                let operands = match function.strip_prefix("cas") {
                    Some(_) => format!("{third}, {source}"),
                    None => source,
                };
                let result = self.word();
                format!("atom.{qualifiers}.{space}.{function} {result}, {address}, {operands}")
            }
            Instruction::Reduce(qualifiers, function, target, source) => {
                let (space, _, address) = self.address(*target);
                let source = self.source(*source, Part::Whole);
                format!("red.{qualifiers}.{space}.{function} {address}, {source}")
            }
            Instruction::Plain(text) => text.clone(),
            Instruction::Form(text, variable, source) => self.form(text, *variable, *source),
            Instruction::Vote(op, barrier, back, number) => {
                let vote = self.vote(*back, *number);
                match *op {
                    "popc" => format!("bar.red.popc.u32 {}, {barrier}, {vote}", self.word()),
                    "ballot" => format!("vote.sync.ballot.b32 {}, {vote}, -1", self.word()),
                    "lane" => {
                        let voted = format!("%t{}", self.fresh());
                        self.line(&format!("selp.u32 {voted}, 2, 1, {vote}"));
                        format!("shfl.sync.idx.b32 {}, {voted}, 0, 31, -1", self.word())
                    }
                    "all.sync" | "any.sync" => {
                        let mode = op.trim_end_matches(".sync");
                        let result = format!("%p{}", self.fresh());
                        after = format!("selp.u32 {}, 1, 0, {result}", self.word());
                        format!("vote.sync.{mode}.pred {result}, {vote}, -1")
                    }
                    _ => {
                        let result = format!("%p{}", self.fresh());
                        after = format!("selp.u32 {}, 1, 0, {result}", self.word());
                        format!("bar.red.{op}.pred {result}, {barrier}, {vote}")
                    }
                }
            }
            Instruction::Arrive(qualifiers) => {
                let token = format!("%tok{}", self.fresh());
                self.token = Some(token.clone());
                format!("mbarrier.arrive{qualifiers}.shared::cta.b64 {token}, [bar]")
            }
            Instruction::ArriveThere(qualifiers) => {
                let there = format!("%t{}", self.fresh());
                self.line(&format!("mapa.shared::cluster.u32 {there}, bar, 0"));
                format!("mbarrier.arrive.{qualifiers}.shared::cluster.b64 _, [{there}]")
            }
            Instruction::Wait(wait, qualifiers, parity) => {
                let done = format!("%p{}", self.fresh());
                after = format!("selp.u32 {}, 1, 0, {done}", self.word());
                format!(
                    "mbarrier.{wait}.parity{qualifiers}.shared::cta.b64 {done}, [bar], {parity}"
                )
            }
            Instruction::WaitToken(wait, qualifiers) => {
                let done = format!("%p{}", self.fresh());
                after = format!("selp.u32 {}, 1, 0, {done}", self.word());
                match self.token.clone() {
                    Some(token) => format!(
                        "mbarrier.{wait}{qualifiers}.shared::cta.b64 {done}, [bar], {token}"
                    ),
                    None => format!(
                        "mbarrier.{wait}.parity{qualifiers}.shared::cta.b64 {done}, [bar], 0"
                    ),
                }
            }
        };
        for part in text.split("; ") {
            self.line(&format!("{guard}{part}"));
        }
        if !after.is_empty() {
            self.line(&after);
        }
    }

    /// A template with its names filled in.
    fn form(&mut self, text: &str, variable: usize, source: Source) -> String {
        let value = if text.contains("$v") { self.value(source) } else { String::new() };
        let variable = variable % self.sketch.variables.len();
        let space = match self.sketch.variables[variable] {
            Space::Global => "global",
            Space::Shared => "shared",
        };
        let number = self.fresh();
        let mut pieces = text.split('$');
        let mut out = pieces.next().unwrap_or_default().to_owned();
        let mut named: Vec<(char, String)> = Vec::new();
        for piece in pieces {
            let letter = piece.chars().next().expect("a name stands behind `$`");
            let known = named.iter().find(|(other, _)| *other == letter).map(|(_, n)| n.clone());
            let name = known.unwrap_or_else(|| match letter {
                'd' => self.word(),
                'D' => self.double(),
                'Q' => self.observed("rq"),
                'H' => self.observed("rh"),
                'x' => NAMES[variable].to_owned(),
                's' => space.to_owned(),
                'v' => value.clone(),
                'm' => format!("%tok{number}"),
                other => format!("%{other}{number}"),
            });
            if letter == 'm' {
                self.token = Some(name.clone());
            }
            out += &name;
            out += &piece[1..];
            named.push((letter, name));
        }
        out
    }

    /// What a thread votes at a barrier.
    fn vote(&mut self, back: usize, number: u32) -> String {
        if let Some(predicate) = self.compare("eq", back, number) {
            return predicate;
        }
        let predicate = format!("%p{}", self.fresh());
        self.line(&format!("setp.eq.u32 {predicate}, {number}, 1"));
        predicate
    }

    fn address(&mut self, target: Target) -> (&'static str, &'static str, String) {
        let variable = target.variable % self.sketch.variables.len();
        let name = NAMES[variable];
        let space = match self.sketch.variables[variable] {
            Space::Global => "global",
            Space::Shared => "shared",
        };
        let (ty, address) = match target.part {
            Part::Whole => ("u32", format!("[{name}]")),
            Part::Alias => ("u32", format!("[{}]", ALIASES[variable])),
            Part::LowHalf => ("u16", format!("[{name}]")),
            Part::HighHalf => ("u16", format!("[{name}+2]")),
            Part::Second => ("u32", format!("[{name}+4]")),
            Part::Chosen(back) => ("u32", self.computed(name, back, 1, "+4")),
            Part::Computed(back) => ("u32", self.computed(name, back, 0, "")),
            Part::Double => ("u64", format!("[{name}]")),
            Part::Vector => ("v2.u32", format!("[{name}]")),
        };
        (space, ty, address)
    }

    /// The element that these bits of a register name; without a register the one at an offset.
    fn computed(&mut self, name: &str, back: usize, mask: u32, otherwise: &str) -> String {
        let Some(register) = self.earlier(back) else { return format!("[{name}{otherwise}]") };
        let number = self.fresh();
        self.line(&format!("and.b32 %i{number}, {register}, {mask}"));
        self.line(&format!("mul.wide.u32 %o{number}, %i{number}, 4"));
        self.line(&format!("mov.u64 %b{number}, {name}"));
        self.line(&format!("add.u64 %a{number}, %b{number}, %o{number}"));
        format!("[%a{number}]")
    }

    /// An operand for an access of this size.
    fn source(&mut self, source: Source, part: Part) -> String {
        let word = self.value(source);
        match part {
            Part::Vector => format!("{{{word}, 1}}"),
            Part::Double if word.starts_with('%') => {
                let wide = format!("%w{}", self.fresh());
                self.line(&format!("cvt.u64.u32 {wide}, {word}"));
                wide
            }
            _ => word,
        }
    }

    fn value(&mut self, source: Source) -> String {
        let (Source::Copy(back, number)
        | Source::Sum(back, number)
        | Source::False(back, number)
        | Source::Chosen(back, number, _)) = source
        else {
            let Source::Number(number) = source else { unreachable!("the other forms are above") };
            return number.to_string();
        };
        let Some(register) = self.earlier(back) else { return number.to_string() };
        let temporary = format!("%t{}", self.fresh());
        match source {
            Source::Sum(..) => {
                self.line(&format!("add.u32 {temporary}, {register}, {number}"));
                temporary
            }
            Source::False(..) => {
                let zero = format!("%t{}", self.fresh());
                self.line(&format!("xor.b32 {zero}, {register}, {register}"));
                self.line(&format!("add.u32 {temporary}, {zero}, {number}"));
                temporary
            }
            Source::Chosen(_, _, choice) => {
                let predicate = self.compare("eq", back, number).expect("it has this register");
                let one = self.earlier(back + 1).unwrap_or_else(|| number.to_string());
                let other = self.earlier(0).expect("it has a later register");
                self.choose(&temporary, choice, &predicate, &one, &other);
                temporary
            }
            _ => register,
        }
    }

    /// Sets a register to one of two operands.
    fn choose(&mut self, out: &str, choice: Choice, predicate: &str, one: &str, other: &str) {
        match choice {
            Choice::Select => self.line(&format!("selp.u32 {out}, {one}, {other}, {predicate}")),
            Choice::Overwrite => {
                self.line(&format!("mov.u32 {out}, {other}"));
                self.line(&format!("@{predicate} mov.u32 {out}, {one}"));
            }
            Choice::Branch => {
                let number = self.fresh();
                self.line(&format!("@{predicate} bra ONE{number}"));
                self.line(&format!("mov.u32 {out}, {other}"));
                self.line(&format!("bra CHOSEN{number}"));
                let _ = writeln!(self.out, "ONE{number}:");
                self.line(&format!("mov.u32 {out}, {one}"));
                let _ = writeln!(self.out, "CHOSEN{number}:");
            }
        }
    }
}

/// Qualifiers that go with a state space and type: `.mmio` is for scalars in global memory.
fn fit(qualifiers: &str, space: &str, ty: &str) -> String {
    match space == "shared" || ty.starts_with('v') {
        true => qualifiers.replace("mmio.", ""),
        false => qualifiers.to_owned(),
    }
}
