//! Vector registers (PTX-5.4.2, PTX-6.4.3): each becomes its components, which are ordinary
//! registers with names from `V.x` to `V.w`.

use super::scopes::Scopes;
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::names::{component, component_name, special_register};
use crate::ptx::operation::PredicateUse;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The vector registers of a thread.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    /// The number of components of each vector, by its unique name.
    lengths: FxHashMap<String, usize>,
}

/// The meaning of a name.
enum Meaning {
    /// No vector and no component.
    Other,
    /// All components of a vector, by their names.
    Whole(Vec<String>),
    /// A component, by its name.
    Component(String),
}

impl Vectors {
    /// Notes a vector of two or four components.
    pub(crate) fn declare(&mut self, name: String, length: usize) {
        self.lengths.insert(name, length);
    }

    /// Replaces the vectors in an instruction by their components.
    ///
    /// # Errors
    /// When a vector has no such component, when a name with a component is no vector, or when a
    /// vector stands for an address or a predicate.
    pub(crate) fn resolve(
        &self,
        instruction: &mut Instruction,
        guard: Option<&PredicateUse>,
        scopes: &Scopes,
    ) -> Result<(), DecodeError> {
        if let Some(PredicateUse { register, .. }) = guard {
            self.check_scalar(&register.value, register.span, "predicate", scopes)?;
        }
        instruction.operands.iter_mut().try_for_each(|operand| self.operand(operand, scopes))
    }

    fn operand(&self, operand: &mut Operand, scopes: &Scopes) -> Result<(), DecodeError> {
        let span = operand.span;
        match &mut operand.kind {
            OperandKind::Name(name, 0) => match self.meaning(name, span, scopes)? {
                Meaning::Other => {}
                Meaning::Component(register) => *name = register,
                Meaning::Whole(list) => {
                    let name = |name| OperandKind::Name(name, 0);
                    let part = |kind| Operand { kind, unified: None, span };
                    operand.kind =
                        OperandKind::Vector(list.into_iter().map(name).map(part).collect());
                }
            },
            OperandKind::Bracket(list) => {
                for inner in list {
                    match &inner.kind {
                        OperandKind::Name(name, _) => {
                            self.check_scalar(name, inner.span, "base of an address", scopes)?;
                        }
                        _ => self.operand(inner, scopes)?,
                    }
                }
            }
            OperandKind::Vector(list) => {
                list.iter_mut().try_for_each(|inner| self.operand(inner, scopes))?;
            }
            OperandKind::Not(name) => self.check_scalar(name, span, "predicate", scopes)?,
            OperandKind::Pair(first, second) => {
                for name in [first, second] {
                    self.check_scalar(&name.value, name.span, "register of a pair", scopes)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Rejects vectors and components where the grammar takes a plain name only.
    fn check_scalar(
        &self,
        name: &str,
        span: Span,
        what: &str,
        scopes: &Scopes,
    ) -> Result<(), DecodeError> {
        let is = match self.meaning(name, span, scopes)? {
            Meaning::Other => return Ok(()),
            Meaning::Whole(_) => "a vector register",
            Meaning::Component(_) => "a component of a vector",
        };
        Err(rule(format!("`{name}` is {is} and no {what}"), "use a scalar register here", span))
    }

    fn meaning(&self, name: &str, span: Span, scopes: &Scopes) -> Result<Meaning, DecodeError> {
        if special_register(name).is_some() {
            return Ok(Meaning::Other);
        }
        let bare = name.strip_prefix('%').unwrap_or(name);
        let percent = &name[..name.len() - bare.len()];
        let (vector, suffix) = match bare.split_once('.') {
            Some((vector, suffix)) => (vector, Some(suffix)),
            None => (bare, None),
        };
        let local = scopes.local(vector);
        let called = |at| format!("{percent}{}", component_name(local, at));
        match (self.lengths.get(local).copied(), suffix, suffix.and_then(component)) {
            (Some(length), None, _) => Ok(Meaning::Whole((0..length).map(called).collect())),
            (Some(length), _, Some(at)) if at < length => Ok(Meaning::Component(called(at))),
            (Some(length), suffix, _) => {
                let suffix = suffix.unwrap_or_default();
                let help = match length {
                    2 => "its two components are `.x` and `.y`, or `.r` and `.g`",
                    _ => "its components are `.x`, `.y`, `.z`, `.w`, or `.r`, `.g`, `.b`, `.a`",
                };
                Err(rule(format!("`{vector}` has no component `.{suffix}`"), help, span))
            }
            (None, _, Some(_)) => {
                let help = "only vectors have components: declare one, `.reg .v4 .b32 V;`";
                Err(rule(format!("`{vector}` is no vector register"), help, span))
            }
            (None, ..) => Ok(Meaning::Other),
        }
    }
}

fn rule(message: String, help: &'static str, span: Span) -> DecodeError {
    DecodeError::Rule { message, help, section: "PTX-6.4.3", span }
}
