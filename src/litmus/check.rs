//! Checks of a whole test: labels, registers, locations and addresses name something.

use crate::diagnostic::{Diagnostic, closest};
use crate::litmus::ast::{
    AliasDeclaration, Condition, DeclaredSpace, Dialect, Term, Test, Thread, ThreadPlace, Variable,
};
use crate::litmus::error::{LitmusError, LitmusWarning, SHARED_BLOCK};
use crate::litmus::initial;
use crate::litmus::lanes;
use crate::litmus::launch;
use crate::litmus::memory;
use crate::litmus::parse::init::column_variable;
use crate::litmus::proposal::{self, Proposal};
use crate::litmus::tasks;
use crate::litmus::written;
use crate::ptx::integer::CARRY;
use crate::ptx::names::component_name;
use crate::ptx::need::Fit;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{AccessForm, Operation, Space, Statement, Type, Value};
use crate::ptx::spelling::for_each_register;
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};

/// After this many diagnostics about a test, names are no longer compared.
const MOST_SUGGESTIONS: usize = 50;

/// Checks a test; in columns, adds the locations that are only used.
pub(crate) fn check(test: &mut Test, diagnostics: &mut Vec<Diagnostic>) {
    // An unreadable statement may be the writer of a register.
    let unread = |code: &str| code.starts_with("syntax-") || code == SHARED_BLOCK;
    let complete = !diagnostics.iter().any(|found| unread(found.code));
    locations(test, diagnostics);
    let test = &*test;
    let variables = variables_by_name(test, diagnostics);
    let written = if complete { written_registers(test) } else { Vec::new() };
    warps(test, diagnostics);
    for (at, thread) in test.threads.iter().enumerate() {
        labels(thread, diagnostics);
        if let Some(written) = written.get(at) {
            registers(test.dialect, thread, written, diagnostics);
        }
        declared_registers(test, at, diagnostics);
        if test.dialect == Dialect::Blocks {
            addresses(thread, &variables, diagnostics);
        }
    }
    memory::declarations(test, &variables, diagnostics);
    for condition in std::iter::once(&test.condition).chain(&test.filter) {
        memory::literals(test, &variables, condition, diagnostics);
    }
    initial::check(test, diagnostics);
    tasks::check(test, diagnostics);
    launch::check(test, diagnostics);
    lanes::check(test, diagnostics);
    let mut terms = test.locations.iter().collect::<Vec<_>>();
    terms_of(&test.condition, &mut terms);
    if let Some(filter) = &test.filter {
        terms_of(filter, &mut terms);
    }
    if complete && test.dialect == Dialect::Blocks {
        written::check(test, &written, &terms, diagnostics);
    }
    for term in terms {
        condition_term(test, &written, &variables, term, diagnostics);
    }
}

/// Checks the names in the conditions of a test, and nothing else.
pub(crate) fn conditions(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let variables = variables_by_name(test, diagnostics);
    let written = written_registers(test);
    for condition in std::iter::once(&test.condition).chain(&test.filter) {
        memory::literals(test, &variables, condition, diagnostics);
    }
    let mut terms = test.locations.iter().collect::<Vec<_>>();
    terms_of(&test.condition, &mut terms);
    test.filter.iter().for_each(|filter| terms_of(filter, &mut terms));
    for term in terms {
        condition_term(test, &written, &variables, term, diagnostics);
    }
}

/// All terms of a condition.
pub(super) fn terms_of<'c>(condition: &'c Condition, terms: &mut Vec<&'c Term>) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Compare(_, left, right) => terms.extend([left, right]),
        Condition::Not(inner) => terms_of(inner, terms),
        Condition::And(list) | Condition::Or(list) => {
            list.iter().for_each(|inner| terms_of(inner, terms));
        }
        Condition::Implies(left, right) => {
            terms_of(left, terms);
            terms_of(right, terms);
        }
    }
}

/// Every location is declared; columns declare by use.
fn locations(test: &mut Test, diagnostics: &mut Vec<Diagnostic>) {
    let declared = test.variables.iter().map(|v| v.name.value.clone());
    let mut known: FxHashSet<String> =
        declared.chain(test.aliases.iter().map(|alias| alias.name.value.clone())).collect();
    let mut used: Vec<Spanned<String>> = Vec::new();
    // The declarations that first accesses to undeclared names propose.
    let mut proposals: FxHashMap<String, Proposal> = FxHashMap::default();
    for statement in test.threads.iter().flat_map(|thread| &thread.statements) {
        for name in Mentions::of(statement).variables {
            used.push(name.clone());
            if test.dialect == Dialect::Blocks
                && !known.contains(&name.value)
                && !proposals.contains_key(&name.value)
                && let Some(proposal) = proposal::of_access(statement, &name.value)
            {
                proposals.insert(name.value.clone(), proposal);
            }
        }
    }
    used.extend(test.aliases.iter().map(|alias| alias.target.clone()));
    let initial = test.variables.iter().flat_map(|v| &v.initial_addresses);
    used.extend(initial.map(|address| address.name.clone()));
    let inits = test.register_inits.iter().filter_map(|init| match &init.value {
        crate::litmus::ast::InitialValue::Address(name) => Some(name.clone()),
        crate::litmus::ast::InitialValue::Number(_)
        | crate::litmus::ast::InitialValue::Float(_) => None,
    });
    used.extend(inits);
    let mut terms = test.locations.iter().collect::<Vec<_>>();
    terms_of(&test.condition, &mut terms);
    test.filter.iter().for_each(|filter| terms_of(filter, &mut terms));
    used.extend(terms.into_iter().filter_map(|term| match term {
        Term::Memory { variable, span, .. } => Some(Spanned::new(variable.clone(), *span)),
        Term::AddressOf(name) => Some(name.clone()),
        _ => None,
    }));
    for name in used {
        if known.contains(&name.value) {
            continue;
        }
        if test.dialect == Dialect::Blocks {
            known.insert(name.value.clone());
            let (space, declaration) = match proposals.remove(&name.value) {
                Some(Proposal { space, declaration }) => (space, Some(declaration)),
                None => (None, None),
            };
            let reached = test.variables.iter().filter(|v| space.is_none_or(|s| s == v.space));
            let aliases = test.aliases.iter().map(|alias| alias.name.value.as_str());
            let meant = reached.map(|variable| variable.name.value.as_str()).chain(aliases);
            let meant = meant.filter(|other| !differ_in_number(&name.value, other));
            let near = suggestion(diagnostics, &name.value, meant);
            diagnostics.push(LitmusError::Undeclared { name, near, declaration }.diagnostic());
        } else {
            known.insert(name.value.clone());
            let declaration = match test.dialect {
                Dialect::Nvlitmus => format!("as `.global {};`", name.value),
                Dialect::Blocks | Dialect::Columns => "in `{ ... }`".to_owned(),
            };

            let warning = LitmusWarning::Undeclared { name: name.clone(), declaration };
            diagnostics.push(warning.diagnostic());
            test.variables.push(column_variable(name));
        }
    }
}

/// Whether names belong to a series, `x_param_0` and `x_param_1`: a typing error is unlikely
/// between them.
fn differ_in_number(name: &str, other: &str) -> bool {
    let [stem, others] =
        [name, other].map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()));
    stem == others && stem.len() < name.len() && others.len() < other.len()
}

/// Checks that labels are unique in a thread, and that jumps go to one of them.
pub(crate) fn labels(thread: &Thread, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: FxHashMap<&str, Span> = FxHashMap::default();
    for label in thread.statements.iter().flat_map(|statement| &statement.labels) {
        if let Some(&first) = known.get(label.value.as_str()) {
            let error = LitmusError::Duplicate { what: "the label", name: label.clone(), first };
            diagnostics.push(error.diagnostic());
        } else {
            known.insert(&label.value, label.span);
        }
    }
    for statement in &thread.statements {
        let Operation::Branch { target, .. } = &statement.operation else { continue };
        if !known.contains_key(target.value.as_str()) {
            // A label inside a block is out of reach.
            let near = known.keys().copied().filter(|name| !name.contains('.'));
            let near = suggestion(diagnostics, &target.value, near);
            diagnostics.push(LitmusError::UnknownLabel { name: target.clone(), near }.diagnostic());
        }
    }
}

/// A warp has at most 32 threads (PTX-2.2.1).
fn warps(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let mut lanes: FxHashMap<_, u32> = FxHashMap::default();
    for thread in &test.threads {
        let ThreadPlace::Device(place) = thread.place else { continue };
        let Some(warp) = place.warp else { continue };
        let lane = lanes.entry((place.gpu, place.grid, place.cta, warp)).or_default();
        *lane += 1;
        if *lane == 33 {
            let error = LitmusError::Other {
                code: "litmus-warp",
                message: format!("`{}` is thread 33 of its warp", thread.name.value),
                help: "a warp has 32 threads; put it into another warp".to_owned(),
                span: thread.name.span,
            };
            diagnostics.push(error.diagnostic());
        }
    }
}

/// The registers that each thread writes or starts with.
fn written_registers(test: &Test) -> Vec<FxHashSet<&str>> {
    let mut written: Vec<FxHashSet<&str>> = Vec::with_capacity(test.threads.len());
    for thread in &test.threads {
        let statements = thread.statements.iter();
        let writes = statements.flat_map(|statement| Mentions::of(statement).writes);
        written.push(writes.map(|register| register.value.as_str()).collect());
    }
    for init in &test.register_inits {
        written[init.thread].insert(init.register.value.as_str());
    }
    written
}

/// A register that is read is written somewhere in the thread, or has an initial value.
fn registers(
    dialect: Dialect,
    thread: &Thread,
    written: &FxHashSet<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut reported: FxHashSet<&str> = FxHashSet::default();
    // An instruction outside the subset has no meaning that a register's value could change.
    let known = |s: &&Statement| !matches!(s.operation, Operation::Unknown { .. });
    for statement in thread.statements.iter().filter(known) {
        for register in Mentions::of(statement).reads {
            let name = register.value.as_str();
            if written.contains(name) || !reported.insert(name) {
                continue;
            }
            let name = register.clone();
            if name.value == CARRY {
                diagnostics.push(no_carry(thread, name.span));
                continue;
            }
            diagnostics.push(if dialect == Dialect::Blocks {
                // One-letter names are all similar.
                let long = written.iter().copied().filter(|other| other.len() > 2);
                let near = suggestion(diagnostics, &name.value, long);
                let thread = thread.name.value.clone();
                LitmusError::NeverWritten { thread, name, near }.diagnostic()
            } else {
                LitmusWarning::NeverWritten { name }.diagnostic()
            });
        }
    }
}

fn no_pair(register: &Spanned<String>, declared: Type) -> LitmusError {
    let name = &register.value;
    LitmusError::Other {
        code: "litmus-register",
        message: format!("`{name}` is declared `.{declared}`, which does not hold a pair"),
        help: format!("pairs of 16 bits are in `.b32` registers: `.reg .b32 %{name};` (PTX-9.4)"),
        span: register.span,
    }
}

fn no_carry(thread: &Thread, span: Span) -> Diagnostic {
    let error = LitmusError::Other {
        code: "litmus-never-written",
        message: format!("no instruction of `{}` sets the carry", thread.name.value),
        help: "`add.cc`, `sub.cc` or `mad.lo.cc` comes first (PTX-9.7.2)".to_owned(),
        span,
    };
    error.diagnostic()
}

/// Checks that a thread that declares registers declares all that it uses, with fitting types
/// (PTX-9.4).
fn declared_registers(test: &Test, index: usize, diagnostics: &mut Vec<Diagnostic>) {
    let thread = &test.threads[index];
    if thread.registers.is_empty() {
        if test.dialect == Dialect::Blocks {
            predicates(thread, diagnostics);
        }
        return;
    }
    let declared: FxHashMap<&str, Type> =
        thread.registers.iter().map(|(name, ty)| (name.value.as_str(), *ty)).collect();
    let inits = test.register_inits.iter().filter(|init| init.thread == index);
    let initial: FxHashSet<&str> = inits.map(|init| init.register.value.as_str()).collect();
    let mut reported: FxHashSet<String> = FxHashSet::default();
    // A vector stands for all its components.
    let mut wrong: FxHashSet<Span> = FxHashSet::default();
    // Statements outside the subset, or in error, have no types to check.
    let known = |s: &&Statement| !matches!(s.operation, Operation::Unknown { .. });
    for statement in thread.statements.iter().filter(known) {
        for_each_register(statement, &mut |register, need| {
            let name = register.value.as_str();
            let error = match declared.get(name) {
                Some(&ty) if need.fits(ty) => return,
                Some(_) if !wrong.insert(register.span) => return,
                Some(&ty) if need.fit == Fit::Bits => no_pair(register, ty),
                Some(&ty) => {
                    let (declared, needed) = (ty, need.ty);
                    LitmusError::RegisterType { name: register.clone(), declared, needed }
                }
                None if name == CARRY
                    || initial.contains(name)
                    || !reported.insert(name.to_owned()) =>
                {
                    return;
                }
                None => LitmusError::UndeclaredRegister { name: register.clone(), ty: need.ty },
            };
            diagnostics.push(error.diagnostic());
        });
    }
}

/// In a thread without `.reg`, no register is a predicate and a number (PTX-5.2.1).
fn predicates(thread: &Thread, diagnostics: &mut Vec<Diagnostic>) {
    let mut numbers: FxHashMap<String, Type> = FxHashMap::default();
    let mut mixed: Vec<(Spanned<String>, Type)> = Vec::new();
    for statement in &thread.statements {
        for_each_register(statement, &mut |register, need| {
            let known = numbers.contains_key(&register.value);
            let says = !matches!(need.fit, Fit::Any | Fit::Amount);
            if need.ty != Type::PREDICATE && says && !known {
                numbers.insert(register.value.clone(), need.ty);
            }
        });
    }
    let mut reported: FxHashSet<String> = FxHashSet::default();
    for statement in &thread.statements {
        for_each_register(statement, &mut |register, need| {
            let number = numbers.get(register.value.as_str());
            if let (Some(&number), Type::PREDICATE) = (number, need.ty)
                && need.fit != Fit::Amount
                && reported.insert(register.value.clone())
            {
                mixed.push((register.clone(), number));
            }
        });
    }
    for (register, number) in mixed {
        let error = LitmusError::Other {
            code: "litmus-register",
            message: format!(
                "`{}` is used as a `.{number}` and cannot be a predicate",
                register.value
            ),
            help: "set a predicate register: `setp.ne.u32 %p1, ..., 0` (PTX-9.3)".to_owned(),
            span: register.span,
        };
        diagnostics.push(error.diagnostic());
    }
}

/// The name that was probably meant. Where there is much to say already, nothing is suggested: all
/// names are tried each time.
fn suggestion<'a>(
    said: &[Diagnostic],
    typed: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let near = if said.len() < MOST_SUGGESTIONS { closest(typed, known) } else { None };
    near.map(str::to_owned)
}

/// Checks that a register in a condition belongs to a thread that writes it, and that an element
/// lies in its array.
fn condition_term(
    test: &Test,
    written: &[FxHashSet<&str>],
    variables: &FxHashMap<&str, &Variable>,
    term: &Term,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match term {
        Term::Register { thread, register, span } => {
            let Some(known) = written.get(*thread).filter(|k| !k.contains(register.as_str()))
            else {
                return;
            };
            let name = Spanned::new(register.clone(), *span);
            let long = known.iter().copied().filter(|other| other.len() > 2);
            let component = component_name(register, 0);
            let near = match known.contains(component.as_str()) {
                true => Some(component),
                false => suggestion(diagnostics, &name.value, long),
            };
            let thread = test.threads[*thread].name.value.clone();
            let is_variable = variables.contains_key(register.as_str());
            let error = LitmusError::NeverWrittenByThread { thread, name, near, is_variable };
            diagnostics.push(error.diagnostic());
        }
        Term::Memory { variable, index, instance, span } => {
            let Some(found) = variables.get(variable.as_str()) else { return };
            let host = |&thread: &usize| test.threads[thread].place == ThreadPlace::Host;
            if instance.is_none() || instance.as_ref().is_some_and(host) {
                several_instances(test, found, *span, diagnostics);
            }
            if *index >= found.elements {
                let size = u64::from(found.ty.bytes());
                let from = i128::from(*index) * i128::from(size);
                let error = LitmusError::OutOfRange {
                    name: variable.clone(),
                    from,
                    to: from + i128::from(size) - 1,
                    size: size * found.elements,
                    span: *span,
                };
                diagnostics.push(error.diagnostic());
            }
        }
        Term::Number(_) | Term::Float(_) | Term::AddressOf(_) => {}
    }
}

/// Checks that a variable with several instances is named with a thread.
fn several_instances(
    test: &Test,
    variable: &Variable,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut instances: Vec<(InstanceOf, &str)> = Vec::new();
    for (index, thread) in test.threads.iter().enumerate() {
        let instance = match (variable.space, thread.place) {
            (DeclaredSpace::Shared, ThreadPlace::Device(p)) => {
                InstanceOf::Cta(p.gpu, p.grid, p.cta)
            }
            (DeclaredSpace::Multimem, ThreadPlace::Device(p)) => InstanceOf::Gpu(p.gpu),
            (DeclaredSpace::Local, _) => InstanceOf::Thread(index),
            _ => continue,
        };
        if instances.iter().all(|(known, _)| *known != instance) {
            instances.push((instance, &thread.name.value));
        }
    }
    if instances.len() < 2 {
        return;
    }
    let name = variable.name.value.clone();
    let choices = instances.iter().map(|(_, thread)| format!("`{thread}:{name}`")).collect();
    let per = match variable.space {
        DeclaredSpace::Shared => "CTA",
        DeclaredSpace::Local => "thread",
        _ => "device",
    };
    diagnostics.push(LitmusError::SeveralInstances { name, per, choices, span }.diagnostic());
}

/// The owner of an instance of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InstanceOf {
    Cta(u32, u32, u32),
    Gpu(u32),
    Thread(usize),
}

/// The variable behind each name, through aliases in any order. An alias that leads back to itself
/// is an error.
fn variables_by_name<'t>(
    test: &'t Test,
    diagnostics: &mut Vec<Diagnostic>,
) -> FxHashMap<&'t str, &'t Variable> {
    let mut known: FxHashMap<&str, Option<&Variable>> =
        test.variables.iter().map(|v| (v.name.value.as_str(), Some(v))).collect();
    let aliases = test.aliases.iter().map(|alias| (alias.name.value.as_str(), alias));
    let aliases: FxHashMap<&str, &AliasDeclaration> = aliases.collect();
    for alias in &test.aliases {
        let mut chain = Vec::new();
        let mut name = alias.name.value.as_str();
        let variable = loop {
            if let Some(&variable) = known.get(name) {
                break variable;
            }
            known.insert(name, None);
            chain.push(name);
            match aliases.get(name) {
                Some(alias) => name = alias.target.value.as_str(),
                None => break None,
            }
        };
        if variable.is_none() && chain.contains(&name) && aliases.contains_key(name) {
            let name = alias.name.clone();
            diagnostics.push(LitmusError::AliasCycle { name }.diagnostic());
        }
        if variable.is_some_and(|variable| variable.space == DeclaredSpace::Param) {
            let name = alias.name.clone();
            diagnostics.push(LitmusError::ParameterAlias { name }.diagnostic());
        }
        known.extend(chain.into_iter().map(|name| (name, variable)));
    }
    known.into_iter().filter_map(|(name, variable)| Some((name, variable?))).collect()
}

/// The state space of a variable's name, its own or that of an alias.
pub(super) fn space_by_name(name: &str, variable: &Variable) -> DeclaredSpace {
    let own = variable.name.value == name;
    if own { variable.space } else { variable.space.of_alias() }
}

/// Checks that accesses at constant addresses stay inside their variable and are aligned to their
/// size.
fn addresses(
    thread: &Thread,
    variables: &FxHashMap<&str, &Variable>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for statement in &thread.statements {
        let Some((address, bytes)) = constant_access(statement) else { continue };
        let (name, constant) = match &address.base {
            Value::AddressOf(name, extra) => (name, Some(extra)),
            Value::ElementOf(element) => (&element.variable, None),
            _ => continue,
        };
        let Some(variable) = variables.get(name.value.as_str()) else { continue };
        if let (Operation::Store { .. }, DeclaredSpace::Param) =
            (&statement.operation, variable.space)
        {
            diagnostics.push(stored_parameter(name, address.span).diagnostic());
            continue;
        }
        if let Some(space) = space_of(statement)
            && !reaches(space, space_by_name(&name.value, variable))
        {
            let error = LitmusError::WrongSpace {
                name: name.value.clone(),
                declared: space_by_name(&name.value, variable).directive(),
                only: match (space, &statement.operation) {
                    (_, Operation::Mbarrier { .. }) => Some("shared"),
                    (None, _) => Some("multimem"),
                    _ => None,
                },
                span: address.span,
            };
            diagnostics.push(error.diagnostic());
            continue;
        }
        let Some(extra) = constant else { continue };
        let size = u64::from(variable.ty.bytes()) * variable.elements;
        let offset = i128::from(address.offset) + i128::from(*extra);
        let end = offset + i128::from(bytes);
        if offset < 0 || end > i128::from(size) {
            let name = name.value.clone();
            let (from, to, span) = (offset, end - 1, address.span);
            diagnostics.push(LitmusError::OutOfRange { name, from, to, size, span }.diagnostic());
        } else if offset % i128::from(bytes) != 0 || !variable.align.is_multiple_of(bytes) {
            let error = LitmusError::Misaligned {
                name: name.value.clone(),
                offset,
                bytes,
                align: variable.align,
                span: address.span,
            };
            diagnostics.push(error.diagnostic());
        }
    }
}

fn stored_parameter(name: &Spanned<String>, span: Span) -> LitmusError {
    LitmusError::Other {
        code: "litmus-space",
        message: format!("`{}` is a kernel parameter, which nothing stores to", name.value),
        help: "kernel parameters are read-only (PTX-5.1.6): the `.param` of a store is \
               `.param::func` (PTX-9.7.9.11), a variable that the thread declares"
            .to_owned(),
        span,
    }
}

/// The address of an access with its size in bytes, which is also its alignment.
fn constant_access(statement: &Statement) -> Option<(&crate::ptx::operation::Address, u64)> {
    use Operation as O;
    let whole = |access: &AccessForm| u64::from(access.ty.bytes() * access.elements);
    let (access, bytes) = match &statement.operation {
        O::Load { access, .. }
        | O::Store { access, .. }
        | O::Atomic { access, .. }
        | O::Reduce { access, .. }
        | O::MultimemLoadReduce { access, .. }
        | O::MultimemStore { access, .. }
        | O::MultimemReduce { access, .. }
        | O::Mbarrier { access, .. } => (access, whole(access)),
        O::Form(written) => {
            return written.accesses().next().map(|(address, _, bytes)| (address, bytes));
        }
        _ => return None,
    };
    (bytes > 0).then_some((&access.address, bytes))
}

/// The state space that a statement accesses; `None` for multimem addresses.
fn space_of(statement: &Statement) -> Option<Option<Space>> {
    use Operation as O;
    match &statement.operation {
        O::MultimemLoadReduce { .. } | O::MultimemStore { .. } | O::MultimemReduce { .. } => {
            Some(None)
        }
        O::Load { access, .. }
        | O::Store { access, .. }
        | O::Atomic { access, .. }
        | O::Reduce { access, .. }
        | O::Mbarrier { access, .. } => Some(Some(access.space)),
        O::Form(written) => {
            let is_multimem = written.form.opcode == "multimem";
            written.accesses().next().map(|(_, space, _)| (!is_multimem).then_some(space))
        }
        _ => None,
    }
}

/// Whether an access can name a variable of this space. Generic addresses of named variables are
/// global, shared or local ones (PTX-6.4.1).
fn reaches(space: Option<Space>, declared: DeclaredSpace) -> bool {
    match (space, declared) {
        (None, _) => declared == DeclaredSpace::Multimem,
        (Some(Space::Generic | Space::Global), DeclaredSpace::Global)
        | (Some(Space::Generic | Space::SharedCta | Space::SharedCluster), DeclaredSpace::Shared)
        | (Some(Space::Generic | Space::Local), DeclaredSpace::Local)
        | (Some(Space::Const), DeclaredSpace::Const)
        | (Some(Space::ParamEntry | Space::ParamFunc), DeclaredSpace::Param) => true,
        _ => false,
    }
}
