//! The expansion of launches into a litmus test, with a thread of the test for each launched
//! thread.
//!
//! Special registers become numbers in each thread, and kernel parameters become variables with an
//! initial value. Later phases do not distinguish such a test from a handwritten test.

use super::arguments::{Passed, parameters};
use super::ast::{Body, Code, Function, FunctionKind, Line, Module};
use super::body::for_each_name;
use super::geometry::{Geometry, Index};
use super::inline::inlined;
use super::launch::{Launch, Launches};
use super::passing;
use super::threads::Choice;
use super::tracer;
use super::workspace;
use crate::litmus::ast::{Task, TaskEdge, Thread, ThreadPlace, Variable};
use crate::litmus::check;
use crate::litmus::error::LitmusError;
use crate::litmus::parse::draft::Draft;
use crate::litmus::tensor::TensorMap;
use crate::ptx::decode::{self, Names};
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Operation, PredicateUse, Reach, Space, Statement};
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The threads of all launches, with their launches and variables.
pub(crate) struct Instances {
    /// The threads, in order of launches, CTAs and threads.
    pub(crate) threads: Vec<Thread>,
    /// The tasks, one for each launch.
    pub(crate) tasks: Vec<Task>,
    /// Which launch waits for which.
    pub(crate) edges: Vec<TaskEdge>,
    /// Everything that the threads name.
    pub(crate) variables: Vec<Variable>,
    /// The tensor maps that are parameters.
    pub(crate) tensor_maps: Vec<TensorMap>,
    /// The launch number of each thread, and the index of the thread in that launch.
    pub(crate) indices: Vec<(usize, Index)>,
    /// The sizes of the launches.
    pub(crate) geometries: Vec<Geometry>,
}

/// Creates the threads of launches and reports errors to the draft.
pub(crate) fn instances(
    module: &Module,
    launches: &Launches,
    draft: &mut Draft,
    choices: &[Choice],
) -> Option<Instances> {
    let labels = labels(launches);
    let short = short_names(module, draft);
    let mut made = Maker {
        module,
        draft,
        short: &short,
        several: launches.list.len() > 1,
        reported: FxHashSet::default(),
    };
    let mut all = Instances {
        threads: Vec::new(),
        tasks: labels.iter().map(|name| Task { name: name.clone() }).collect(),
        edges: Vec::new(),
        variables: module
            .variables
            .iter()
            .filter(|v| v.elements > 0)
            .map(|variable| renamed(variable, &short))
            .collect(),
        tensor_maps: Vec::new(),
        indices: Vec::new(),
        geometries: Vec::new(),
    };
    let mut known = true;
    for (number, launch) in launches.list.iter().enumerate() {
        if let Err(error) =
            made.launch(number, launch, &labels[number].value, &mut all, &choices[number])
        {
            made.draft.error(&error);
            known = false;
        }
    }
    edges(launches, &labels, draft, &mut all.edges);
    known.then_some(all)
}

/// The names of launches: the label, the name of the kernel if it is launched once, or the name
/// with a number.
fn labels(launches: &Launches) -> Vec<Spanned<String>> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    let mut names = Vec::new();
    for launch in &launches.list {
        let name = &launch.kernel;
        let count = counts.entry(&name.value).or_default();
        *count += 1;
        let numbered = match *count {
            1 => name.value.clone(),
            n => format!("{}_{n}", name.value),
        };
        names.push(launch.label.clone().unwrap_or(Spanned::new(numbered, name.span)));
    }
    names
}

/// The order of launches: a launch waits for the earlier launches in its stream and for all
/// launches before a `sync`.
///
/// A launch with `pdl` waits only for the launches for which its predecessor waits. Its
/// `griddepcontrol.wait` waits for the predecessor (PTX-8.9.4).
fn edges(
    launches: &Launches,
    labels: &[Spanned<String>],
    draft: &mut Draft,
    edges: &mut Vec<TaskEdge>,
) {
    for (later, launch) in launches.list.iter().enumerate() {
        let earlier = || launches.list[..later].iter().enumerate();
        let in_stream = |other: &Launch| (other.gpu, other.stream) == (launch.gpu, launch.stream);
        // An early launch waits for the one before it alone: that may be complete without having
        // waited for those before (PTX-9.7.13.13).
        let last = launches.list[..later].iter().rposition(in_stream);
        for (at, other) in earlier() {
            // An ordinary launch in the stream between the two waits for the first.
            let waits = |(m, one): (usize, &Launch)| m > at && in_stream(one) && !one.programmatic;
            let between = earlier().any(waits) || !launch.programmatic;
            let ordered = other.epoch < launch.epoch || in_stream(other) && between;
            let beside = !ordered && last == Some(at);
            if ordered || beside {
                let (from, to) = (labels[at].clone(), labels[later].clone());
                edges.push(TaskEdge { from, to, programmatic: beside });
            }
        }
    }
    for (from, to) in &launches.orders {
        let unknown = [from, to].into_iter().find(|n| labels.iter().all(|l| l.value != n.value));
        match unknown {
            Some(name) => {
                let known: Vec<_> = labels.iter().map(|l| format!("`{}`", l.value)).collect();
                let (name, known) = (name.clone(), known.join(", "));
                draft.error(&LitmusError::UnknownTask { name, known });
            }
            None => {
                let (from, to) = (from.clone(), to.clone());
                edges.push(TaskEdge { from, to, programmatic: false });
            }
        }
    }
}

struct Maker<'m, 'd> {
    module: &'m Module,
    draft: &'d mut Draft,
    /// Short names of variables with compiler-generated names.
    short: &'m FxHashMap<String, String>,
    /// Whether there are several launches, so that variables per launch are named after the launch.
    several: bool,
    /// Statements that were reported.
    reported: FxHashSet<Span>,
}

impl Maker<'_, '_> {
    fn launch(
        &mut self,
        number: usize,
        launch: &Launch,
        label: &str,
        all: &mut Instances,
        choice: &Choice,
    ) -> Result<(), LitmusError> {
        let kernel = self.kernel(launch)?;
        let geometry = Geometry::new(launch, kernel.required_cluster);
        fits(kernel, launch, &geometry)?;
        let mut body = inlined(self.module, kernel)?;
        passing::registers(&mut body);
        let mut own = self.own_variables(kernel, launch, label, all)?;
        for variable in &body.variables {
            let mut variable = renamed(variable, self.short);
            self.distinguish(&mut variable, &kernel.name.value, &mut own);
            if all.variables.iter().all(|known| known.name.value != variable.name.value) {
                all.variables.push(variable);
            }
        }
        let workspace = self.workspace(launch, label, all);
        let inputs = match choice {
            Choice::Template => tracer::inputs(&body, &geometry),
            Choice::All | Choice::Some(_) => Vec::new(),
        };
        body.registers.extend(inputs);
        let names = self.names(&body, all);
        let mut code =
            Coder { names, body: &body, own, reported: &mut self.reported, draft: self.draft };
        let prepared: Vec<Prepared> = body.lines.iter().map(|line| code.prepare(line)).collect();
        all.geometries.push(geometry);
        for index in choice.of(&geometry) {
            let place =
                geometry.place(index, launch.gpu, u32::try_from(number).unwrap_or(u32::MAX));
            let name = match self.several {
                true => format!("{label} cta {} thread {}", index.cta, index.thread),
                false => format!("cta {} thread {}", index.cta, index.thread),
            };
            let special = |name: &str| {
                if let Choice::Template = choice
                    && let Some(input) = tracer::input(name, &geometry)
                {
                    return Some(OperandKind::Name(format!("%{input}"), 0));
                }
                let number = geometry.special(name, index);
                let number = number.map(|number| OperandKind::Integer(number as i128));
                number.or_else(|| workspace::half(name, workspace.as_deref()?))
            };
            all.threads.push(Thread {
                name: Spanned::new(name, launch.span),
                place: ThreadPlace::Device(place),
                registers: body.registers.clone(),
                statements: prepared.iter().map(|line| code.statement(line, &special)).collect(),
                task: Some(number),
            });
            all.indices.push((number, index));
        }
        // All threads have the same labels and branches.
        if let Some(thread) = all.threads.last() {
            check::labels(thread, &mut self.draft.diagnostics);
        }
        Ok(())
    }

    fn kernel(&self, launch: &Launch) -> Result<&'_ Function, LitmusError> {
        let name = &launch.kernel;
        let exact = self.module.function(&name.value);
        // C++ puts the parts of a name behind their lengths: `_Z4flagPi`.
        let inside = format!("{}{}", name.value.len(), name.value);
        let mangled: Vec<_> =
            self.module.kernels().filter(|k| k.name.value.contains(&inside)).collect();
        let found = exact.or(match mangled[..] {
            [one] => Some(one),
            _ => None,
        });
        match found {
            Some(function) if function.kind == FunctionKind::Kernel => Ok(function),
            Some(_) => Err(self.no_kernel(launch, "is a function, which kernels call")),
            None => Err(self.no_kernel(launch, "is no kernel of the module")),
        }
    }

    fn no_kernel(&self, launch: &Launch, what: &str) -> LitmusError {
        let name = &launch.kernel;
        let known: Vec<_> = self.module.kernels().map(|k| format!("`{}`", k.name.value)).collect();
        LitmusError::Other {
            code: "launch-kernel",
            message: format!("`{}` {what}", name.value),
            help: match known.is_empty() {
                true => "the module has no kernels".to_owned(),
                false => format!("its kernels are {}", known.join(", ")),
            },
            span: name.span,
        }
    }

    /// Declares the parameters and the dynamic shared memory of a launch; gives the new names of
    /// the kernel's own names.
    fn own_variables(
        &self,
        kernel: &Function,
        launch: &Launch,
        label: &str,
        all: &mut Instances,
    ) -> Result<FxHashMap<String, String>, LitmusError> {
        let mut own = self.short.clone();
        let mut dynamic = self.module.variables.iter().filter(|v| v.elements == 0);
        let first = dynamic.next().map(|variable| {
            let align = dynamic.clone().map(|other| other.align).max();
            let align = variable.align.max(align.unwrap_or(1));
            let elements = u64::from(launch.shared) / u64::from(variable.ty.bytes().max(1));
            Passed { variable: Variable { align, elements, ..variable.clone() }, map: None }
        });
        let written = first.as_ref().map(|first| first.variable.name.value.clone());
        let passed = parameters(kernel, launch, &self.draft.tensor_maps)?;
        for Passed { mut variable, map } in passed.into_iter().chain(first) {
            if self.several {
                rename(&mut variable, label, &mut own);
            } else {
                self.distinguish(&mut variable, label, &mut own);
            }
            for address in &variable.initial_addresses {
                self.buffer(&address.name, all)?;
            }
            let name = variable.name.clone();
            all.tensor_maps.extend(map.map(|map| TensorMap { name, ..map }));
            all.variables.push(variable);
        }
        // All arrays in dynamic shared memory begin at its beginning: they are one variable.
        if let Some(written) = written {
            let name = own.get(&written).unwrap_or(&written).clone();
            own.extend(dynamic.map(|other| (other.name.value.clone(), name.clone())));
        }
        Ok(own)
    }

    /// Declares the workspace of a cooperative launch; gives its name.
    fn workspace(&self, launch: &Launch, label: &str, all: &mut Instances) -> Option<String> {
        let mut variable = workspace::variable(launch)?;
        let taken = |v: &Variable| v.name.value == variable.name.value;
        if self.several
            || self.draft.is_declared(&variable.name.value)
            || all.variables.iter().any(taken)
        {
            rename(&mut variable, label, &mut FxHashMap::default());
        }
        let name = variable.name.value.clone();
        all.variables.push(variable);
        Some(name)
    }

    /// Names a variable of a kernel after its owner if a buffer has the same name: inside of the
    /// kernel the name stands for the variable, and in launches and conditions for the buffer.
    fn distinguish(
        &self,
        variable: &mut Variable,
        owner: &str,
        own: &mut FxHashMap<String, String>,
    ) {
        if self.draft.is_declared(&variable.name.value) {
            rename(variable, owner, own);
        }
    }

    /// A buffer that an argument names has to be there.
    fn buffer(&self, name: &Spanned<String>, all: &Instances) -> Result<(), LitmusError> {
        let known = self.draft.is_declared(&name.value)
            || all.variables.iter().any(|v| v.name.value == name.value);
        if known {
            return Ok(());
        }
        Err(LitmusError::Other {
            code: "launch-arguments",
            message: format!("there is no buffer `{}`", name.value),
            help: format!("declare it before the launch: `buf {}[1] of .u32 = 0;`", name.value),
            span: name.span,
        })
    }

    fn names(&self, body: &Body, all: &Instances) -> Names {
        let mut names = self.draft.names();
        names.variables.extend(all.variables.iter().map(|v| (v.name.value.clone(), v.ty)));
        names.registers = body.registers.iter().map(|(name, _)| name.value.clone()).collect();
        names.with_percent.clone_from(&names.registers);
        names
    }
}

/// Names a variable after its owner, and notes the new name by the written one.
fn rename(variable: &mut Variable, owner: &str, own: &mut FxHashMap<String, String>) {
    let written = variable.name.value.clone();
    variable.name.value = format!("{written}.{owner}");
    own.insert(written, variable.name.value.clone());
}

/// A variable under the name that reports use.
fn renamed(variable: &Variable, short: &FxHashMap<String, String>) -> Variable {
    let mut variable = variable.clone();
    if let Some(name) = short.get(&variable.name.value) {
        variable.name.value.clone_from(name);
    }
    variable
}

/// The C++ names of static variables in functions, such as `tile` for `_ZZ1kE4tile`, if no other
/// variable has the same name.
fn short_names(module: &Module, draft: &Draft) -> FxHashMap<String, String> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let declared = bodies.flat_map(|body| &body.variables).chain(&module.variables);
    let all: BTreeSet<&str> = declared.map(|variable| variable.name.value.as_str()).collect();
    let mut by_short: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for &name in &all {
        if let Some(short) = written_name(name) {
            by_short.entry(short).or_default().push(name);
        }
    }
    let free = |short: &str| !draft.is_declared(short) && !all.contains(short);
    let unique = by_short.into_iter().filter_map(|(short, names)| match names[..] {
        [name] if free(short) => Some((name.to_owned(), short.to_owned())),
        _ => None,
    });
    unique.collect()
}

/// The name behind its length at the end of the mangled name of a static variable.
fn written_name(mangled: &str) -> Option<&str> {
    let rest = mangled.strip_prefix("_ZZ")?;
    let ends = rest.match_indices('E').map(|(at, _)| &rest[at + 1..]);
    let mut named = ends.rev().filter_map(|end| {
        let digits = end.bytes().take_while(u8::is_ascii_digit).count();
        let (length, name) = end.split_at(digits);
        (length.parse() == Ok(name.len()) && !name.is_empty()).then_some(name)
    });
    named.next()
}

/// The sizes of a launch are such as the kernel asks for.
fn fits(kernel: &Function, launch: &Launch, geometry: &Geometry) -> Result<(), LitmusError> {
    let refuse = |message: String, help: &str| {
        let (code, help, span) = ("launch-size", help.to_owned(), launch.span);
        Err(LitmusError::Other { code, message, help, span })
    };
    let name = &kernel.name.value;
    if geometry.threads() > 1024 {
        let message = format!("a CTA has at most 1024 threads, not {}", geometry.threads());
        return refuse(message, "PTX-2.2.1");
    }
    if geometry.ctas() > 1 << 31 {
        return refuse(format!("a grid of {} CTAs", geometry.ctas()), "PTX-10.7");
    }
    if let Some(required) = kernel.required_threads.filter(|&size| size != launch.block) {
        let [x, y, z] = required;
        let message = format!("`{name}` demands CTAs of ({x}, {y}, {z}) threads");
        return refuse(message, "`.reqntid` says so (PTX-11.4.3)");
    }
    if let Some(most) = kernel.most_threads.filter(|&most| geometry.threads() > u64::from(most)) {
        let message =
            format!("`{name}` allows {most} threads in a CTA, not {}", geometry.threads());
        return refuse(message, "`.maxntid` says so (PTX-11.4.2)");
    }
    if (0..3).any(|d| !geometry.grid[d].is_multiple_of(geometry.cluster[d])) {
        return refuse("the grid is not made of whole clusters".to_owned(), "PTX-2.2.2");
    }
    Ok(())
}

/// A statement, decoded as far as the result is the same in all threads.
enum Prepared<'b> {
    Same(Box<Statement>),
    /// A statement that reads special registers.
    Special(&'b Line, Instruction),
}

/// Decodes the statements of a kernel.
struct Coder<'c> {
    names: Names,
    body: &'c Body,
    own: FxHashMap<String, String>,
    reported: &'c mut FxHashSet<Span>,
    draft: &'c mut Draft,
}

impl Coder<'_> {
    fn prepare<'b>(&mut self, line: &'b Line) -> Prepared<'b> {
        let Code::Instruction(instruction) = &line.code else {
            let operation = match &line.code {
                Code::Unknown { name, definitions, computes } => Operation::Unknown {
                    name: name.clone(),
                    operands: Vec::new(),
                    definitions: definitions.clone(),
                    uses: Vec::new(),
                    reach: if *computes { Reach::Registers } else { Reach::Anything },
                },
                _ => Operation::Nothing,
            };
            return Prepared::Same(Box::new(statement(line, operation)));
        };
        let mut instruction = instruction.clone();
        let mut special = false;
        for_each_name(&mut instruction, &mut |name| {
            special |= name.starts_with('%') && crate::ptx::names::special_register(name).is_some()
                || name == "WARP_SZ";
            if let Some(own) = self.own.get(name.as_str()) {
                own.clone_into(name);
            }
        });
        match special {
            true => Prepared::Special(line, instruction),
            false => Prepared::Same(Box::new(statement(line, self.decode(&instruction)))),
        }
    }

    fn statement(
        &mut self,
        prepared: &Prepared<'_>,
        special: &dyn Fn(&str) -> Option<OperandKind>,
    ) -> Statement {
        match prepared {
            Prepared::Same(statement) => (**statement).clone(),
            Prepared::Special(line, instruction) => {
                let mut instruction = instruction.clone();
                instruction.operands.iter_mut().for_each(|operand| given(operand, special));
                self.warn_of_workspace(&instruction);
                statement(line, self.decode(&instruction))
            }
        }
    }

    /// Reports a read of the address of a workspace that the launch does not have.
    fn warn_of_workspace(&mut self, instruction: &Instruction) {
        let mut missing = None;
        for_each_name(&mut instruction.clone(), &mut |name| {
            missing = workspace::missing(name, instruction.span).or(missing.take());
        });
        if let Some(diagnostic) = missing.filter(|_| self.reported.insert(instruction.span)) {
            self.draft.diagnostics.push(diagnostic);
        }
    }

    /// The operation of an instruction. An unknown instruction is kept and matters only if its
    /// result is used.
    fn decode(&mut self, instruction: &Instruction) -> Operation {
        let mut warnings = Vec::new();
        let decoded = decode::decode(instruction, &self.names, decode::Dialect::Ptx, &mut warnings);
        let operation = decoded.unwrap_or_else(|error| {
            if self.reported.insert(instruction.span) {
                let mut diagnostic = error.diagnostic();
                diagnostic.severity = crate::diagnostic::Severity::Warning;
                self.draft.diagnostics.push(diagnostic);
            }
            decode::undecoded(instruction, &self.names, decode::Dialect::Ptx)
        });
        self.local(operation)
    }

    /// Moves call parameters in memory to the memory of the thread.
    fn local(&self, mut operation: Operation) -> Operation {
        if self.body.passed.is_empty() {
            return operation;
        }
        let mut mentions = Mentions::default();
        mentions.operation(&operation);
        let passes = mentions.variables.iter().any(|name| self.body.passed.contains(&name.value));
        if let Operation::Load { access, .. } | Operation::Store { access, .. } = &mut operation
            && passes
        {
            access.space = Space::Local;
        }
        operation
    }
}

/// Puts what the special registers of a thread hold in their places.
fn given(operand: &mut Operand, special: &dyn Fn(&str) -> Option<OperandKind>) {
    match &mut operand.kind {
        OperandKind::Name(name, 0) if name == "WARP_SZ" => {
            operand.kind = OperandKind::Integer(i128::from(super::geometry::WARP));
        }
        OperandKind::Name(name, 0) if name.starts_with('%') => {
            if let Some(given) = special(name) {
                operand.kind = given;
            }
        }
        OperandKind::Vector(list) => list.iter_mut().for_each(|inner| given(inner, special)),
        _ => {}
    }
}

fn statement(line: &Line, operation: Operation) -> Statement {
    let guard: Option<PredicateUse> = line.guard.clone();
    Statement { labels: line.labels.clone(), guard, operation, span: line.span }
}

/// The variables named in the threads of launches or in `more`, and the variables to which their
/// initial values point.
pub(crate) fn used(instances: &Instances, more: &FxHashSet<String>) -> Vec<Variable> {
    let mut wanted = more.clone();
    for number in 0..instances.tasks.len() {
        // The threads of one launch name the same variables.
        let first = instances.threads.iter().find(|thread| thread.task == Some(number));
        for statement in first.iter().flat_map(|thread| &thread.statements) {
            let names = Mentions::of(statement).variables;
            wanted.extend(names.into_iter().map(|name| name.value.clone()));
        }
    }
    loop {
        let known = wanted.len();
        let variables = instances.variables.iter().filter(|v| wanted.contains(&v.name.value));
        let pointed = variables.flat_map(|variable| &variable.initial_addresses);
        let pointed: Vec<String> = pointed.map(|address| address.name.value.clone()).collect();
        wanted.extend(pointed);
        if wanted.len() == known {
            break;
        }
    }
    let wanted = |v: &&Variable| wanted.contains(&v.name.value);
    instances.variables.iter().filter(wanted).cloned().collect()
}
