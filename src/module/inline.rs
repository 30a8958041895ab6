//! Inlining: the statements of a kernel, in which each call is replaced by the body of the called
//! function.
//!
//! Each inlined call has its own registers, labels and `.local` variables. Arguments and results in
//! the `.param` space are variables of the caller (PTX-5.1.6). Their names replace the parameter
//! names in the callee. A `.param` variable that is only accessed as a whole becomes a register.

use super::ast::{Body, Code, Function, Line, Module, Parameter};
use super::body::for_each_name;
use super::known::{Known, known};
use crate::litmus::ast::{DeclaredSpace, Variable};
use crate::litmus::error::LitmusError;
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::operation::{PredicateUse, Register, Type};
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of statements of a kernel, including those of called functions.
const MOST_LINES: usize = 200_000;

/// The code of a kernel with the inlined code of its calls.
///
/// # Errors
/// When functions are recursive, or when the code grows too large.
pub(crate) fn inlined(module: &Module, kernel: &Function) -> Result<Body, LitmusError> {
    let mut inliner = Inliner { module, out: Body::default(), calls: 0, open: Vec::new() };
    let empty = Body::default();
    let body = kernel.body.as_ref().unwrap_or(&empty);
    inliner.open.push(kernel.name.value.clone());
    inliner.function(body, &Naming::plain())?;
    Ok(inliner.out)
}

struct Inliner<'m> {
    module: &'m Module,
    out: Body,
    /// How many calls have been inlined.
    calls: usize,
    /// The functions that are being inlined.
    open: Vec<String>,
}

/// The names that the registers, labels and variables of a function get in the inlined code.
struct Naming {
    /// The suffix of register and label names; empty in the kernel itself.
    suffix: String,
    registers: FxHashSet<String>,
    variables: FxHashMap<String, String>,
    /// The label behind the call, where `ret` goes.
    after: Option<Spanned<String>>,
}

impl Naming {
    fn plain() -> Self {
        Self {
            suffix: String::new(),
            registers: FxHashSet::default(),
            variables: FxHashMap::default(),
            after: None,
        }
    }

    fn register(&self, name: &str) -> String {
        let bare = name.strip_prefix('%').unwrap_or(name);
        if self.suffix.is_empty() || !self.registers.contains(bare) {
            return name.to_owned();
        }
        format!("{name}{}", self.suffix)
    }

    fn label(&self, name: &str) -> String {
        format!("{name}{}", self.suffix)
    }

    fn instruction(&self, instruction: &Instruction) -> Instruction {
        let mut instruction = instruction.clone();
        let jumps = instruction.opcode.value == "bra";
        for_each_name(&mut instruction, &mut |name| {
            *name = match self.variables.get(name.as_str()) {
                _ if jumps => self.label(name),
                Some(variable) => variable.clone(),
                None => self.register(name),
            };
        });
        instruction
    }

    fn guard(&self, guard: Option<&PredicateUse>) -> Option<PredicateUse> {
        let mut guard = guard?.clone();
        guard.register.value = self.register(&guard.register.value);
        Some(guard)
    }
}

impl Inliner<'_> {
    fn function(&mut self, body: &Body, naming: &Naming) -> Result<(), LitmusError> {
        for (register, ty) in &body.registers {
            let name = naming.register(&register.value);
            self.out.registers.push((Spanned::new(name, register.span), *ty));
        }
        for variable in &body.variables {
            let mut variable = variable.clone();
            if let Some(name) = naming.variables.get(&variable.name.value) {
                variable.name.value.clone_from(name);
            }
            // A `.shared` or `.global` variable of a function is shared by all its calls.
            if self.out.variables.iter().all(|known| known.name.value != variable.name.value) {
                self.out.variables.push(variable);
            }
        }
        let passed = body.passed.iter().map(|name| naming.variables.get(name).unwrap_or(name));
        self.out.passed.extend(passed.cloned());
        for line in &body.lines {
            self.line(line, naming)?;
        }
        Ok(())
    }

    fn line(&mut self, line: &Line, naming: &Naming) -> Result<(), LitmusError> {
        let labels = line.labels.iter();
        let labels = labels.map(|label| Spanned::new(naming.label(&label.value), label.span));
        let mut line = Line {
            labels: labels.collect(),
            guard: naming.guard(line.guard.as_ref()),
            code: line.code.clone(),
            span: line.span,
            origin: line.origin,
        };
        if let Code::Instruction(instruction) = &line.code {
            let instruction = naming.instruction(instruction);
            if let Some(call) = Call::of(&instruction) {
                return self.call(line, &instruction, &call);
            }
            line.code = Code::Instruction(match &naming.after {
                Some(after) if instruction.opcode.value == "ret" => jump(after, instruction.span),
                _ => instruction,
            });
        }
        self.push(line)
    }

    fn push(&mut self, line: Line) -> Result<(), LitmusError> {
        if self.out.lines.len() >= MOST_LINES {
            return Err(LitmusError::Other {
                code: "module-size",
                message: format!("the kernel has more than {MOST_LINES} statements with its calls"),
                help: "calls are followed by putting the function in their place".to_owned(),
                span: line.span,
            });
        }
        self.out.lines.push(line);
        Ok(())
    }

    fn call(
        &mut self,
        line: Line,
        instruction: &Instruction,
        call: &Call<'_>,
    ) -> Result<(), LitmusError> {
        let Some(function) = self.module.function(call.name) else {
            // An indirect call names no function. The call is not modelled, which matters only if
            // it is executed.
            return self.push(Line { code: Code::Instruction(instruction.clone()), ..line });
        };
        if let Some(meaning) = known(call.name) {
            return self.known(line, call, meaning);
        }
        let Some(body) = &function.body else {
            return self.push(Line { code: Code::Instruction(instruction.clone()), ..line });
        };
        if self.open.iter().any(|open| open == call.name) {
            let path = self.open.iter().skip_while(|open| *open != call.name);
            let path: Vec<_> = path.map(|name| format!("`{name}`")).collect();
            return Err(LitmusError::Other {
                code: "module-recursion",
                message: format!("{} calls itself", path.join(" calls ")),
                help:
                    "calls are followed by putting the function in their place, which has no end \
                       here"
                        .to_owned(),
                span: line.span,
            });
        }
        self.calls += 1;
        let suffix = format!(".{}#{}", call.name, self.calls);
        let after = Spanned::new(format!("ret{suffix}"), line.span);
        let mut naming = Naming {
            registers: body.registers.iter().map(|(name, _)| name.value.clone()).collect(),
            variables: FxHashMap::default(),
            after: Some(after.clone()),
            suffix,
        };
        for variable in body.variables.iter().filter(|v| v.space == DeclaredSpace::Local) {
            let name = format!("{}{}", variable.name.value, naming.suffix);
            naming.variables.insert(variable.name.value.clone(), name);
        }
        let Line { labels, guard, span, origin, .. } = line;
        // A call under a predicate is a jump over it.
        let skip = guard.map(|mut guard| {
            guard.negated = !guard.negated;
            guard
        });
        let code = match &skip {
            Some(_) => Code::Instruction(jump(&after, span)),
            None => Code::Nothing,
        };
        self.push(Line { labels, guard: skip, code, span, origin })?;
        let moves = bind(&mut naming, &mut self.out, function, call, span);
        for code in moves.before {
            self.push(Line { labels: Vec::new(), guard: None, code, span, origin })?;
        }
        self.open.push(call.name.to_owned());
        self.function(body, &naming)?;
        self.open.pop();
        let end = Line { labels: vec![after], guard: None, code: Code::Nothing, span, origin };
        self.push(end)?;
        for code in moves.after {
            self.push(Line { labels: Vec::new(), guard: None, code, span, origin })?;
        }
        Ok(())
    }

    /// A call of a function of the run-time system.
    fn known(&mut self, line: Line, call: &Call<'_>, meaning: Known) -> Result<(), LitmusError> {
        let definitions = call.returns.iter().filter_map(|operand| operand_name(operand));
        let definitions: Vec<Register> = definitions
            .map(|name| {
                let bare = name.strip_prefix('%').unwrap_or(name);
                Spanned::new(bare.to_owned(), line.span)
            })
            .collect();
        let name = call.name.to_owned();
        let code = match meaning {
            Known::Trap => {
                let opcode = Spanned::new("trap".to_owned(), line.span);
                let (qualifiers, operands) = (Vec::new(), Vec::new());
                let span = line.span;
                Code::Instruction(Instruction { opcode, qualifiers, operands, span })
            }
            Known::Ignored => Code::Unknown { name, definitions, computes: true },
            Known::Unfollowed => Code::Unknown { name, definitions, computes: false },
        };
        self.push(Line { code, ..line })
    }
}

/// A call by name (PTX-9.7.12.5).
struct Call<'i> {
    name: &'i str,
    returns: &'i [Operand],
    arguments: &'i [Operand],
}

impl<'i> Call<'i> {
    fn of(instruction: &'i Instruction) -> Option<Self> {
        if instruction.opcode.value != "call" {
            return None;
        }
        let (returns, rest) = match instruction.operands.split_first() {
            Some((Operand { kind: OperandKind::Vector(list), .. }, rest)) => (&list[..], rest),
            _ => (&[][..], &instruction.operands[..]),
        };
        let (callee, rest) = rest.split_first()?;
        let arguments = match rest.first().map(|operand| &operand.kind) {
            Some(OperandKind::Vector(list)) => &list[..],
            _ => &[],
        };
        Some(Self { name: operand_name(callee)?, returns, arguments })
    }
}

fn operand_name(operand: &Operand) -> Option<&str> {
    match &operand.kind {
        OperandKind::Name(name, 0) => Some(name),
        _ => None,
    }
}

/// The copies before a call and behind a call.
#[derive(Default)]
struct Moves {
    before: Vec<Code>,
    after: Vec<Code>,
}

/// Binds the parameters of a function to the operands of a call. Parameters in memory become
/// variables of the caller; registers are copied.
fn bind(
    naming: &mut Naming,
    out: &mut Body,
    function: &Function,
    call: &Call<'_>,
    span: Span,
) -> Moves {
    let mut moves = Moves::default();
    let taken = function.parameters.iter().zip(call.arguments).map(|pair| (pair, true));
    let given = function.returns.iter().zip(call.returns).map(|pair| (pair, false));
    for ((formal, actual), before) in taken.chain(given) {
        match (formal, operand_name(actual)) {
            (Parameter::Memory(variable), Some(name)) if out.passed.iter().any(|p| p == name) => {
                naming.variables.insert(variable.name.value.clone(), name.to_owned());
            }
            (Parameter::Memory(variable), _) => {
                let local = fresh(naming, out, variable);
                let register = Operand { span, ..actual.clone() };
                let memory = bracket(&local, span);
                let ty = format!("b{}", variable.ty.bits);
                let (list, opcode, operands) = match before {
                    true => (&mut moves.before, "st", vec![memory, register]),
                    false => (&mut moves.after, "ld", vec![register, memory]),
                };
                list.push(simple(opcode, &["param", &ty], operands, span));
            }
            (Parameter::Register(register, ty), _) => {
                naming.registers.insert(register.value.clone());
                let local = naming.register(&register.value);
                out.registers.push((Spanned::new(local.clone(), register.span), *ty));
                let local = name(format!("%{local}"), span);
                let actual = Operand { span, ..actual.clone() };
                let ty = move_type(*ty);
                match before {
                    true => moves.before.push(simple("mov", &[&ty], vec![local, actual], span)),
                    false => moves.after.push(simple("mov", &[&ty], vec![actual, local], span)),
                }
            }
        }
    }
    moves
}

/// A variable of the caller for a parameter in memory that the call gives no variable for.
fn fresh(naming: &mut Naming, out: &mut Body, variable: &Variable) -> String {
    let name = format!("{}{}", variable.name.value, naming.suffix);
    naming.variables.insert(variable.name.value.clone(), name.clone());
    let mut local = variable.clone();
    local.name.value.clone_from(&name);
    local.space = DeclaredSpace::Local;
    out.variables.push(local);
    out.passed.push(name.clone());
    name
}

fn move_type(ty: Type) -> String {
    if ty == Type::PREDICATE { "pred".to_owned() } else { format!("b{}", ty.bits.max(16)) }
}

fn jump(label: &Spanned<String>, span: Span) -> Instruction {
    let target = name(label.value.clone(), span);
    match simple("bra", &[], vec![target], span) {
        Code::Instruction(instruction) => instruction,
        _ => unreachable!("a simple statement is an instruction"),
    }
}

fn name(name: String, span: Span) -> Operand {
    Operand { kind: OperandKind::Name(name, 0), unified: None, span }
}

fn bracket(variable: &str, span: Span) -> Operand {
    let inner = name(variable.to_owned(), span);
    Operand { kind: OperandKind::Bracket(vec![inner]), unified: None, span }
}

fn simple(opcode: &str, qualifiers: &[&str], operands: Vec<Operand>, span: Span) -> Code {
    let spanned = |word: &&str| Spanned::new((*word).to_owned(), span);
    Code::Instruction(Instruction {
        opcode: spanned(&opcode),
        qualifiers: qualifiers.iter().map(spanned).collect(),
        operands,
        span,
    })
}
