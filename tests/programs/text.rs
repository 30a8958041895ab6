//! Sketches as text in the block format.

use super::{Control, Instruction, Item, PLACES, Part, Sketch, Source, Target};
use std::fmt::{self, Debug, Write};

const NAMES: [&str; 3] = ["x", "y", "z"];
const ALIASES: [&str; 3] = ["ax", "ay", "az"];

impl Sketch {
    /// What final states consist of: registers that loads set, and variables.
    pub fn observed(&self) -> Vec<String> {
        let mut out: Vec<String> =
            NAMES[..self.variables].iter().map(|n| (*n).to_owned()).collect();
        for (index, thread) in self.threads.iter().enumerate() {
            let loads = thread.body.iter().filter(|item| item.sets_register()).count();
            out.extend((0..loads).map(|r| format!("P{index}:%r{r}")));
        }
        out
    }

    /// The test that asks this of the program.
    pub fn asking(&self, condition: &str) -> String {
        let mut out = String::from("PTX random\n");
        for name in &NAMES[..self.variables] {
            let _ = writeln!(out, ".global .u32 {name} = 0;");
        }
        for alias in 0..self.variables {
            if self.uses_alias(alias) {
                let _ = writeln!(out, ".alias {} = {};", ALIASES[alias], NAMES[alias]);
            }
        }
        for (index, thread) in self.threads.iter().enumerate() {
            let (gpu, cluster, cta) = PLACES[thread.place];
            let place = format!("gpu {gpu}, cluster {cluster}, cta {cta}, warp {index}");
            let _ = writeln!(out, "P{index} @ {place} {{");
            let mut printer =
                Printer { out: &mut out, variables: self.variables, loads: 0, next: 0 };
            thread.body.iter().for_each(|item| printer.item(item));
            if thread.body.iter().any(|item| matches!(item.control, Some(Control::Exit(..)))) {
                out.push_str("END:\n");
            }
            out.push_str("}\n");
        }
        out + condition + "\n"
    }

    /// The test that asks for one final state, given as a value for each observed name.
    pub fn asking_for(&self, state: &[(String, u128)]) -> String {
        let atoms: Vec<String> = state.iter().map(|(n, v)| format!("{n} == {v}")).collect();
        self.asking(&format!("exists ({})", atoms.join(" /\\ ")))
    }

    /// A test whose condition mentions all that can be observed.
    pub fn text(&self) -> String {
        let zeros: Vec<(String, u128)> = self.observed().into_iter().map(|n| (n, 0)).collect();
        self.asking_for(&zeros)
    }

    fn uses_alias(&self, variable: usize) -> bool {
        let items = self.threads.iter().flat_map(|t| &t.body);
        items
            .filter_map(Item::target)
            .any(|t| t.part == Part::Alias && t.variable % self.variables == variable)
    }
}

impl Debug for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Item {
    fn sets_register(&self) -> bool {
        matches!(self.instruction, Instruction::Load(..) | Instruction::Atomic(..))
    }

    fn target(&self) -> Option<Target> {
        match self.instruction {
            Instruction::Load(_, target)
            | Instruction::Store(_, target, _)
            | Instruction::Atomic(_, _, target, ..)
            | Instruction::Reduce(_, _, target, _) => Some(target),
            Instruction::Plain(_) => None,
        }
    }
}

/// Prints one thread.
struct Printer<'a> {
    out: &'a mut String,
    variables: usize,
    /// Loads so far: the registers `%r0` to `%r{loads - 1}` are set.
    loads: usize,
    /// Numbers of predicates and labels.
    next: usize,
}

impl Printer<'_> {
    fn item(&mut self, item: &Item) {
        let mut prefix = String::new();
        match item.control {
            Some(Control::If(back, number)) => {
                if let Some(predicate) = self.compare("eq", back, number) {
                    prefix = format!("@{predicate} ");
                }
            }
            Some(Control::Exit(back, number)) => {
                if let Some(predicate) = self.compare("ne", back, number) {
                    self.line(&format!("@{predicate} bra END"));
                }
            }
            Some(Control::Until(_)) if item.sets_register() => {
                prefix = format!("L{}: ", self.next);
            }
            _ => {}
        }
        for (at, text) in self.instruction(&item.instruction).split("; ").enumerate() {
            let prefix = if at == 0 || prefix.starts_with('@') { prefix.as_str() } else { "" };
            self.line(&format!("{prefix}{text}"));
        }
        self.loads += usize::from(item.sets_register());
        if let Some(Control::Until(number)) = item.control
            && item.sets_register()
        {
            let label = self.next;
            if let Some(predicate) = self.compare("ne", 0, number) {
                self.line(&format!("@{predicate} bra L{label}"));
            }
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text};");
    }

    /// Compares the register that many loads ago, if there is one.
    fn compare(&mut self, comparison: &str, back: usize, number: u32) -> Option<String> {
        let register = self.loads.checked_sub(back + 1)?;
        let predicate = format!("%p{}", self.next);
        self.next += 1;
        self.line(&format!("setp.{comparison}.u32 {predicate}, %r{register}, {number}"));
        Some(predicate)
    }

    fn instruction(&self, instruction: &Instruction) -> String {
        let result = self.loads;
        match instruction {
            Instruction::Load(qualifiers, target) => {
                let (ty, address) = self.address(*target);
                format!("ld.{qualifiers}.global.{ty} %r{result}, {address}")
            }
            Instruction::Store(qualifiers, target, source) => {
                let (ty, address) = self.address(*target);
                format!("st.{qualifiers}.global.{ty} {address}, {}", self.source(*source))
            }
            Instruction::Atomic(qualifiers, function, target, source, third) => {
                let (_, address) = self.address(*target);
                let source = self.source(*source);
                let operands = match function.strip_prefix("cas") {
                    Some(_) => format!("{third}, {source}"),
                    None => source,
                };
                format!("atom.{qualifiers}.global.{function} %r{result}, {address}, {operands}")
            }
            Instruction::Reduce(qualifiers, function, target, source) => {
                let (_, address) = self.address(*target);
                format!("red.{qualifiers}.global.{function} {address}, {}", self.source(*source))
            }
            Instruction::Plain(text) => text.clone(),
        }
    }

    fn address(&self, target: Target) -> (&'static str, String) {
        let variable = target.variable % self.variables;
        let name = NAMES[variable];
        match target.part {
            Part::Whole => ("u32", format!("[{name}]")),
            Part::Alias => ("u32", format!("[{}]", ALIASES[variable])),
            Part::LowHalf => ("u16", format!("[{name}]")),
            Part::HighHalf => ("u16", format!("[{name}+2]")),
        }
    }

    fn source(&self, source: Source) -> String {
        match source {
            Source::Number(number) => number.to_string(),
            Source::Copy(back, number) => match self.loads.checked_sub(back + 1) {
                Some(register) => format!("%r{register}"),
                None => number.to_string(),
            },
        }
    }
}
