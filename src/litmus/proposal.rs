//! Declarations that messages propose for names that nothing declares.

use super::ast::DeclaredSpace;
use crate::ptx::operation::{AccessForm, Operation, Space, Statement, Type, TypeKind, Value};

/// How a variable is declared that is accessed with a type, some elements at once.
pub(super) fn declaration(space: DeclaredSpace, ty: Type, elements: u32, name: &str) -> String {
    // No variable has a packed type.
    let ty = match ty.kind {
        TypeKind::FloatX2 | TypeKind::BfloatX2 | TypeKind::E4m3 | TypeKind::E5m2 => {
            Type::new(TypeKind::Bits, ty.bits)
        }
        _ => ty,
    };
    let head = format!(".{}", space.directive());
    if elements > 1 {
        // As the widest access to it needs.
        let align = ty.bytes().saturating_mul(elements).min(32).next_power_of_two();
        return format!("{head} .align {align} .{ty} {name}[{elements}];");
    }
    let value = match (space, ty.kind, ty.bits) {
        (DeclaredSpace::Shared | DeclaredSpace::Local | DeclaredSpace::Multimem, ..) => "",
        (_, _, 128..) => "",
        // Most parameters of this size are addresses.
        (DeclaredSpace::Param, TypeKind::Unsigned | TypeKind::Bits, 64) => " = x",
        (_, TypeKind::Float, 32 | 64) => " = 0.0",
        _ => " = 0",
    };
    format!("{head} .{ty} {name}{value};")
}

/// A declaration for a name that a statement accesses.
#[derive(Debug)]
pub(super) struct Proposal {
    /// The state space that the variable has to be in; `None` where it may be in several.
    pub(super) space: Option<DeclaredSpace>,
    pub(super) declaration: String,
}

/// The declaration of a variable as a statement accesses it; `None` if the statement only takes its
/// address.
pub(super) fn of_access(statement: &Statement, name: &str) -> Option<Proposal> {
    use Operation as O;
    let of = |access: &AccessForm, space: Option<DeclaredSpace>| {
        let named = matches!(&access.address.base, Value::AddressOf(base, _) if base.value == name);
        let declared = space.unwrap_or(DeclaredSpace::Global);
        let declaration = || declaration(declared, access.ty, access.elements, name);
        named.then(|| Proposal { space, declaration: declaration() })
    };
    match &statement.operation {
        O::MultimemLoadReduce { access, .. }
        | O::MultimemStore { access, .. }
        | O::MultimemReduce { access, .. } => of(access, Some(DeclaredSpace::Multimem)),
        O::Mbarrier { access, .. } => of(access, Some(DeclaredSpace::Shared)),
        O::Load { access, .. }
        | O::Store { access, .. }
        | O::Atomic { access, .. }
        | O::Reduce { access, .. } => of(access, reached(access.space)),
        _ => None,
    }
}

/// The state space of the variables that an access reaches, if there is only one.
fn reached(space: Space) -> Option<DeclaredSpace> {
    Some(match space {
        Space::Generic => return None,
        Space::Global => DeclaredSpace::Global,
        Space::SharedCta | Space::SharedCluster => DeclaredSpace::Shared,
        Space::Local => DeclaredSpace::Local,
        Space::Const => DeclaredSpace::Const,
        Space::ParamEntry | Space::ParamFunc => DeclaredSpace::Param,
    })
}
