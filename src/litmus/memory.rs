//! Checks of declarations. They cover initializers, types of a state space, variables that address
//! instructions may name, and numbers that conditions may compare with variables.

use super::ast::{AddressBits, Condition, DeclaredSpace, Dialect, Term, Test, Thread, Variable};
use super::check::space_by_name;
use super::error::{LitmusError, LitmusWarning};
use super::initial::is_wide;
use crate::diagnostic::Diagnostic;
use crate::ptx::literal::Float;
use crate::ptx::operation::{Comparison, Element, Operation, Space, Type, TypeKind, Value};
use crate::ptx::row::Op;
use crate::ptx::spelling::for_each_register;
use crate::source::Spanned;
use rustc_hash::FxHashMap;

/// The most bytes of the variables of a state space together, each of which may waste `GRAIN`.
const MOST: &[(DeclaredSpace, u64)] = &[
    (DeclaredSpace::Shared, 1 << 20),
    (DeclaredSpace::Local, 1 << 28),
    (DeclaredSpace::Const, 1 << 28),
    (DeclaredSpace::Param, 1 << 28),
];
const GRAIN: u64 = 1 << 10;

/// Checks the declarations of a test.
pub(super) fn declarations(
    test: &Test,
    variables: &FxHashMap<&str, &Variable>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if test.dialect != Dialect::Blocks {
        return;
    }
    for variable in &test.variables {
        initializer(variable, variables, diagnostics);
    }
    for &(space, most) in MOST {
        let mut taken = GRAIN;
        let mut beyond = test.variables.iter().filter(|v| v.space == space).filter(|v| {
            taken += (u64::from(v.ty.bytes()) * v.elements) / GRAIN * GRAIN + GRAIN;
            taken > most
        });
        if let Some(variable) = beyond.next() {
            let error = LitmusError::Other {
                code: "litmus-size",
                message: format!("the variables in `.{}` are too large", space.directive()),
                help: format!("{most} bytes are more than any device has; declare smaller ones"),
                span: variable.name.span,
            };
            diagnostics.push(error.diagnostic());
        }
    }
    for thread in &test.threads {
        address_instructions(thread, variables, diagnostics);
        further_addresses(thread, variables, diagnostics);
    }
}

/// Checks that addresses in initializers are those of global and constant variables, in types that
/// hold them (PTX-5.4.4).
fn initializer(
    variable: &Variable,
    variables: &FxHashMap<&str, &Variable>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let integer = match variable.space {
        DeclaredSpace::Param => matches!(variable.ty.kind, TypeKind::Unsigned | TypeKind::Bits),
        _ => variable.ty.kind == TypeKind::Unsigned,
    };
    for address in &variable.initial_addresses {
        let mut refuse = |message: String, help: &str| {
            let (code, help, span) = ("litmus-initializer", help.to_owned(), address.name.span);
            diagnostics.push(LitmusError::Other { code, message, help, span }.diagnostic());
        };
        let whole = address.bits == AddressBits::All;
        let fits =
            integer && (matches!(variable.ty.bits, 32 | 64) || !whole && variable.ty.bits == 8);
        if !fits {
            refuse(
                format!("a `.{}` does not hold an address", variable.ty),
                "`.u32` and `.u64` do, and `.u8` a byte of one: `0xff(x)` (PTX-5.4.4)",
            );
        }
        let named = variables.get(address.name.value.as_str());
        let known = |v: &Variable| match v.space {
            DeclaredSpace::Global | DeclaredSpace::Const => true,
            // The host, which makes multicast addresses, passes them as parameters (PTX-8.2.3).
            DeclaredSpace::Multimem => variable.space == DeclaredSpace::Param,
            DeclaredSpace::Shared | DeclaredSpace::Local | DeclaredSpace::Param => false,
        };
        if named.is_some_and(|v| !known(v)) {
            refuse(
                format!("the address of `{}` is no initial value", address.name.value),
                "initializers name variables in `.global` and `.const` only (PTX-5.4.4), those of \
                 parameters multimem variables too",
            );
        }
    }
}

/// Checks that `cvta`, `mapa` and `getctarank` name variables of their space.
fn address_instructions(
    thread: &Thread,
    variables: &FxHashMap<&str, &Variable>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for statement in &thread.statements {
        let Operation::Form(written) = &statement.operation else { continue };
        let (space, only) = match written.op() {
            Op::ToGeneric | Op::FromGeneric => (written.words.space(), None),
            Op::MapAddress | Op::CtaRank => (Space::SharedCluster, Some("shared")),
            _ => continue,
        };
        let source = written.value("a");
        let (Value::AddressOf(name, _) | Value::ElementOf(Element { variable: name, .. })) = source
        else {
            continue;
        };
        let Some(variable) = variables.get(name.value.as_str()) else { continue };
        let declared = space_by_name(&name.value, variable);
        if !is_in(space, declared) {
            let error = LitmusError::WrongSpace {
                name: name.value.clone(),
                declared: declared.directive(),
                only,
                span: name.span,
            };
            diagnostics.push(error.diagnostic());
        }
    }
}

/// Checks that the addresses behind the first, those of a source and of an mbarrier object, are in the
/// state space that the instruction names.
fn further_addresses(
    thread: &Thread,
    variables: &FxHashMap<&str, &Variable>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let forms = thread.statements.iter().filter_map(|statement| match &statement.operation {
        Operation::Form(written) => Some(written),
        _ => None,
    });
    for (address, space, _) in forms.flat_map(|written| written.accesses().skip(1)) {
        let (Value::AddressOf(name, _) | Value::ElementOf(Element { variable: name, .. })) =
            &address.base
        else {
            continue;
        };
        let Some(variable) = variables.get(name.value.as_str()) else { continue };
        let declared = space_by_name(&name.value, variable);
        if !is_in(space, declared) {
            let (name, declared, only) = (name.value.clone(), declared.directive(), None);
            let span = address.span;
            diagnostics.push(LitmusError::WrongSpace { name, declared, only, span }.diagnostic());
        }
    }
}

fn is_in(space: Space, declared: DeclaredSpace) -> bool {
    match space {
        Space::Generic => true,
        Space::Global => matches!(declared, DeclaredSpace::Global | DeclaredSpace::Multimem),
        Space::SharedCta | Space::SharedCluster => declared == DeclaredSpace::Shared,
        Space::Local => declared == DeclaredSpace::Local,
        Space::Const => declared == DeclaredSpace::Const,
        Space::ParamEntry | Space::ParamFunc => declared == DeclaredSpace::Param,
    }
}

/// Checks for numbers in a condition outside the range of the other side.
pub(super) fn literals(
    test: &Test,
    variables: &FxHashMap<&str, &Variable>,
    condition: &Condition,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Not(inner) => literals(test, variables, inner, diagnostics),
        Condition::And(list) | Condition::Or(list) => {
            list.iter().for_each(|inner| literals(test, variables, inner, diagnostics));
        }
        Condition::Implies(left, right) => {
            literals(test, variables, left, diagnostics);
            literals(test, variables, right, diagnostics);
        }
        Condition::Compare(comparison, Term::Float(number), other)
        | Condition::Compare(comparison, other, Term::Float(number)) => {
            if let Some(error) = float_literal(test, variables, *comparison, number, other) {
                diagnostics.push(error.diagnostic());
            }
        }
        Condition::Compare(comparison, Term::Number(number), other)
        | Condition::Compare(comparison, other, Term::Number(number))
            if is_wide(number.value) =>
        {
            let equal = matches!(comparison, Comparison::Eq | Comparison::Ne);
            if !equal || !has_128_bits(test, variables, other) {
                diagnostics.push(wide_literal(number).diagnostic());
            }
        }
        Condition::Compare(_, Term::Number(number), other)
        | Condition::Compare(_, other, Term::Number(number)) => {
            let known = typed(test, variables, other).or_else(|| used(test, other));
            let Some((name, ty)) = known else { return };
            if ty.bits >= 64 {
                return;
            }
            let legal = -(1_i128 << (ty.bits - 1))..(1_i128 << ty.bits);
            if !legal.contains(&number.value) {
                let range = match ty.is_signed() {
                    true => format!("from {} to {}", legal.start, -legal.start - 1),
                    false => format!("from 0 to {}", legal.end - 1),
                };
                let (number, span, bits) = (number.value, number.span, ty.bits);
                let warning = LitmusWarning::Literal { name, number, bits, range, span };
                diagnostics.push(warning.diagnostic());
            }
        }
        Condition::Compare(..) => {}
    }
}

/// Whether a term is a variable or register of 128 bits, by declaration or by use.
fn has_128_bits(test: &Test, variables: &FxHashMap<&str, &Variable>, term: &Term) -> bool {
    if let Some((_, ty)) = typed(test, variables, term) {
        return ty.bits == 128;
    }
    let Term::Register { thread, register, .. } = term else { return false };
    type_by_use(&test.threads[*thread], register).is_some_and(|ty| ty.bits == 128)
}

fn wide_literal(number: &Spanned<i128>) -> LitmusError {
    LitmusError::Other {
        code: "litmus-wide",
        message: "the number has more than 64 bits".to_owned(),
        help:
            "only `.b128` variables and registers have as many, and are compared by `==` and `!=`"
                .to_owned(),
        span: number.span,
    }
}

/// The name and type of a term that is declared with one.
fn typed(
    test: &Test,
    variables: &FxHashMap<&str, &Variable>,
    term: &Term,
) -> Option<(String, Type)> {
    let (name, ty) = match term {
        Term::Memory { variable, .. } => (variable.clone(), variables.get(variable.as_str())?.ty),
        Term::Register { thread, register, .. } => {
            let declared = &test.threads[*thread].registers;
            let found = declared.iter().find(|(name, _)| name.value == *register)?;
            (format!("%{register}"), found.1)
        }
        Term::Number(_) | Term::Float(_) | Term::AddressOf(_) => return None,
    };
    Some((name, ty))
}

/// The name of a register that is neither declared nor initialized, with its type by use.
fn used(test: &Test, term: &Term) -> Option<(String, Type)> {
    let Term::Register { thread, register, .. } = term else { return None };
    let mut inits = test.register_inits.iter().filter(|init| init.thread == *thread);
    if test.dialect != Dialect::Blocks || inits.any(|init| init.register.value == *register) {
        return None;
    }
    type_by_use(&test.threads[*thread], register).map(|ty| (format!("%{register}"), ty))
}

/// The type of a register by its uses: as wide as the widest use in the thread, of the kind first
/// written.
fn type_by_use(thread: &Thread, register: &str) -> Option<Type> {
    let mut found: Option<Type> = None;
    for statement in &thread.statements {
        for_each_register(statement, &mut |used, need| {
            if used.value == register {
                let first = found.unwrap_or(need.ty);
                found = Some(Type::new(first.kind, first.bits.max(need.ty.bits)));
            }
        });
    }
    found
}

/// Checks a floating-point number in a condition: its comparison, and the type of the other side.
fn float_literal(
    test: &Test,
    variables: &FxHashMap<&str, &Variable>,
    comparison: Comparison,
    number: &Spanned<Float>,
    other: &Term,
) -> Option<LitmusError> {
    let error = |message: String, help: &str| {
        let (code, help, span) = ("litmus-float", help.to_owned(), number.span);
        Some(LitmusError::Other { code, message, help, span })
    };
    if !matches!(comparison, Comparison::Eq | Comparison::Ne) {
        let message = format!("conditions put `{}` in no order", number.value);
        return error(message, "they compare the bits of such numbers: `==` and `!=`");
    }
    if matches!(other, Term::Number(_) | Term::Float(_) | Term::AddressOf(_)) {
        let message = format!("`{}` is compared with a constant", number.value);
        return error(message, "compare it with a register or a variable");
    }
    let (name, ty) = typed(test, variables, other)?;
    if number.value.converted(ty).is_some() {
        return None;
    }
    let message = format!("`{name}` is a `.{ty}`, which `{}` is no value of", number.value);
    error(message, "such numbers are values of `.f16`, `.bf16`, `.f32`, `.f64`, `.b32` and `.b64`")
}
