//! `ld`, `ldu`, `st` and their research counterparts.

use super::hint::HintUse;
use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::operation::{AccessForm, Operation, Order, Proxy, Scope, Space, Type, TypeKind};
use crate::source::{Span, Spanned};

/// The differences between loads and stores.
struct Direction {
    takes: &'static str,
    section: &'static str,
    orders: &'static [Order],
    order_rule: &'static str,
    cache_operators: &'static [&'static str],
}

const LOAD: Direction = Direction {
    takes: "ld{.weak|.volatile|.relaxed.scope|.acquire.scope}{.space}{.vec}.type d, [a]",
    section: "PTX-9.7.9.8",
    orders: &[Order::Weak, Order::Relaxed, Order::Acquire],
    order_rule: "a load is `.weak`, `.volatile`, `.relaxed` or `.acquire`",
    cache_operators: &["ca", "cg", "cs", "lu", "cv"],
};

const STORE: Direction = Direction {
    takes: "st{.weak|.volatile|.relaxed.scope|.release.scope}{.space}{.vec}.type [a], b",
    section: "PTX-9.7.9.11",
    orders: &[Order::Weak, Order::Relaxed, Order::Release],
    order_rule: "a store is `.weak`, `.volatile`, `.relaxed` or `.release`",
    cache_operators: &["wb", "cg", "cs", "wt"],
};

/// The types of [`is_memory_type`], in words.
const MEMORY_TYPES: &str = ".b8 to .b128, .u8 to .u64, .s8 to .s64, .f32 and .f64";

impl Decoder<'_> {
    pub(super) fn load(&mut self) -> Decoded {
        let policy = self.cache_policy();
        let operands = self.operands(2 + policy, 2 + policy, "ld d, [a]")?;
        self.check_policies(&operands[2..])?;
        if self.in_columns()
            && self.instruction.qualifiers.is_empty()
            && self.is_plain_value(&operands[1])
        {
            let destination = self.destination(&operands[0])?;
            let source = self.value(&operands[1], Type::UNTYPED)?;
            return Ok(Operation::Move { ty: Type::UNTYPED, destination, source });
        }
        if matches!(operands[0].kind, OperandKind::Bracket(_)) {
            self.destination(&operands[0])?;
        }
        let non_coherent = self.qualifiers.flag("nc")?;
        let coherent = self.qualifiers.has_any(&["weak", "lu", "cv"]);
        let access = self.access(&LOAD, &operands[1])?;
        if let Some(span) = non_coherent
            && (access.space != Space::Global || access.order != Order::Weak || coherent)
        {
            return Err(DecodeError::Rule {
                message: "`.nc` loads are weak and global".to_owned(),
                help: "write `ld.global{.ca|.cg|.cs}.nc.type d, [a]`, without `.weak`",
                section: "PTX-9.7.9.9",
                span,
            });
        }
        let destinations = self.loaded(&operands[0], access.elements)?;
        Ok(Operation::Load { access, destinations, non_coherent: non_coherent.is_some() })
    }

    pub(super) fn load_uniform(&mut self) -> Decoded {
        const SHAPE: &str = "ldu{.global}{.v2|.v4}.type d, [a]";
        let operands = self.operands(2, 2, SHAPE)?;
        let other = self.instruction.qualifiers.iter().find(|word| {
            let word = word.value.as_str();
            matches!(word, "weak" | "v8")
                || names::is_hint(word)
                || LOAD.cache_operators.contains(&word)
        });
        if let Some(other) = other {
            return Err(DecodeError::Qualifier {
                form: "ldu".to_owned(),
                qualifier: other.clone(),
                takes: SHAPE,
            });
        }
        let access = self.access(&LOAD, &operands[1])?;
        if access.elements * access.ty.bits > 128 {
            return Err(self.rule(
                "`ldu` loads at most 128 bits",
                "write two instructions",
                "PTX-9.7.9.10",
            ));
        }
        if access.order != Order::Weak || !matches!(access.space, Space::Global | Space::Generic) {
            return Err(self.rule(
                "`ldu` is weak and global",
                "write `ldu{.global}.type d, [a]`",
                "PTX-9.7.9.10",
            ));
        }
        let destinations = self.loaded(&operands[0], access.elements)?;
        Ok(Operation::Load { access, destinations, non_coherent: true })
    }

    pub(super) fn store(&mut self) -> Decoded {
        let policy = self.cache_policy();
        let operands = self.operands(2 + policy, 2 + policy, "st [a], b")?;
        self.check_policies(&operands[2..])?;
        let entry = self.qualifiers.has("param::entry");
        let mut access = self.access(&STORE, &operands[0])?;
        match access.space {
            Space::ParamEntry if !entry => access.space = Space::ParamFunc,
            Space::Const | Space::ParamEntry => {
                return Err(self.illegal_space(
                    access.space,
                    "global, local, shared and param::func",
                    STORE.section,
                ));
            }
            _ => {}
        }
        let sources = self.values(&operands[1], access.elements, access.ty)?;
        Ok(Operation::Store { access, sources })
    }

    /// 1 when a cache-policy operand follows the others.
    pub(super) fn cache_policy(&self) -> usize {
        usize::from(self.qualifiers.has("L2::cache_hint"))
    }

    /// The proxy that the opcode stands for.
    pub(super) fn proxy(&self) -> Proxy {
        match self.instruction.opcode.value.as_str() {
            "tld" => Proxy::Texture,
            "suld" | "sust" | "suatom" | "sured" => Proxy::Surface,
            "cold" => Proxy::Constant,
            _ => Proxy::Generic,
        }
    }

    /// Takes the qualifiers of a load or store and rejects the others.
    fn access(
        &mut self,
        direction: &Direction,
        operand: &Operand,
    ) -> Result<AccessForm, DecodeError> {
        let volatile = self.qualifiers.flag("volatile")?;
        let mmio = self.qualifiers.flag("mmio")?;
        let written = self.qualifiers.order()?;
        let scope = self.qualifiers.scope()?;
        let space = self.qualifiers.space()?;
        let cache_operator = self.qualifiers.one_of(direction.cache_operators)?;
        let elements = self.qualifiers.elements()?;
        let ty = self.qualifiers.ty()?;
        self.qualifiers.hints();
        self.finish(direction.takes)?;
        if let Some(order) = written.filter(|o| !direction.orders.contains(&o.value)) {
            return Err(DecodeError::Rule {
                message: format!(
                    "`{}` cannot be `.{}`",
                    self.instruction.opcode.value, order.value
                ),
                help: direction.order_rule,
                section: direction.section,
                span: order.span,
            });
        }
        if let (Some(first), Some(second)) = (volatile, written) {
            return Err(DecodeError::Conflict {
                first: Spanned::new("volatile".to_owned(), first),
                second: Spanned::new(second.value.to_string(), second.span),
            });
        }
        if let (Some(first), Some(second)) = (volatile, mmio) {
            return Err(DecodeError::Conflict {
                first: Spanned::new("volatile".to_owned(), first),
                second: Spanned::new("mmio".to_owned(), second),
            });
        }
        if let Some(span) = mmio {
            self.check_mmio(written, scope, space.map(|space| space.value), span, direction)?;
        }
        let (order, scope) = match written {
            None if volatile.is_some() => (Order::Relaxed, self.volatile_scope(scope, direction)?),
            None => (Order::Weak, self.no_scope(scope, direction.section)?),
            Some(Spanned { value: Order::Weak, .. }) => {
                (Order::Weak, self.no_scope(scope, direction.section)?)
            }
            Some(order) => match scope {
                Some(scope) => (order.value, Some(scope.value)),
                None => return Err(self.missing_scope(direction.section)),
            },
        };
        if let Some(operator) = cache_operator.filter(|_| order != Order::Weak) {
            return Err(DecodeError::Rule {
                message: format!(
                    "only weak accesses have a cache operator such as `.{}`",
                    operator.value
                ),
                help: "remove it",
                section: direction.section,
                span: operator.span,
            });
        }
        let space = space.map_or(Space::Generic, |space| space.value);
        let shared = matches!(space, Space::SharedCta | Space::SharedCluster);
        let private = volatile.is_some() && space == Space::Local;
        let strong = matches!(space, Space::Generic | Space::Global) || shared || private;
        if order != Order::Weak && !strong {
            return Err(self.illegal_space(
                space,
                "global and shared (or none, for generic addresses) where the access is strong",
                direction.section,
            ));
        }
        let address = self.address(operand)?;
        let ty = self.memory_type(ty, direction.section)?;
        if let Some(vector) = elements.filter(|_| mmio.is_some()) {
            return Err(DecodeError::Rule {
                message: "`.mmio` accesses have no vector forms".to_owned(),
                help: "access the elements one by one",
                section: direction.section,
                span: vector.span,
            });
        }
        let elements = self.vector_length(elements, ty, space, direction.section)?;
        self.check_hints(&HintUse {
            space,
            bits: elements * ty.bits,
            cache_operator: cache_operator.is_some(),
            volatile: volatile.is_some(),
            mmio: mmio.is_some(),
            section: direction.section,
        })?;
        Ok(AccessForm {
            order,
            scope,
            space,
            ty,
            elements,
            proxy: self.proxy(),
            address,
            mmio: mmio.is_some(),
            volatile: volatile.is_some(),
        })
    }

    fn volatile_scope(
        &self,
        written: Option<Spanned<Scope>>,
        direction: &Direction,
    ) -> Result<Option<Scope>, DecodeError> {
        self.no_scope(written, direction.section)?;
        Ok(Some(Scope::Sys))
    }

    pub(super) fn no_scope(
        &self,
        written: Option<Spanned<Scope>>,
        section: &'static str,
    ) -> Result<Option<Scope>, DecodeError> {
        written.map_or(Ok(None), |scope| Err(self.superfluous_scope(&scope, section)))
    }

    /// Checks that the qualifiers required by `.mmio` are written.
    fn check_mmio(
        &self,
        order: Option<Spanned<Order>>,
        scope: Option<Spanned<Scope>>,
        space: Option<Space>,
        span: Span,
        direction: &Direction,
    ) -> Result<(), DecodeError> {
        let form = self.form();
        let message = match (order.map(|o| o.value), scope.map(|s| s.value)) {
            (None, None) => format!("`{form}` needs `.relaxed.sys`"),
            (None, Some(_)) => format!("`{form}` needs `.relaxed`"),
            (Some(Order::Weak), _) => "`.mmio` accesses are not weak".to_owned(),
            (Some(_), None) => format!("`{form}` needs `.sys`"),
            (Some(_), Some(Scope::Sys)) if matches!(space, None | Some(Space::Global)) => {
                return Ok(());
            }
            (Some(_), Some(Scope::Sys)) => "`.mmio` accesses are global".to_owned(),
            (Some(_), Some(other)) => {
                format!("`.mmio` accesses have the scope `.sys`, not `.{other}`")
            }
        };
        Err(DecodeError::Rule {
            message,
            help: "write `.mmio.relaxed.sys{.global}`: the order, the scope and the space of such \
                   accesses",
            section: direction.section,
            span,
        })
    }

    pub(super) fn illegal_space(
        &self,
        found: Space,
        legal: &'static str,
        section: &'static str,
    ) -> DecodeError {
        let words = &self.instruction.qualifiers;
        let word = words.iter().find(|word| names::space(&word.value) == Some(found));
        let span = word.map_or(self.head_span(), |word| word.span);
        let found = Spanned::new(found.to_string(), span);
        DecodeError::Space { form: self.form(), found, legal, section }
    }

    /// The element type of a memory access, which only the column dialect leaves out.
    pub(super) fn memory_type(
        &self,
        written: Option<Spanned<Type>>,
        section: &'static str,
    ) -> Result<Type, DecodeError> {
        match written {
            Some(ty) if is_memory_type(ty.value) => Ok(ty.value),
            Some(ty) => Err(self.illegal_type(ty, MEMORY_TYPES, section)),
            None if self.in_columns() => Ok(Type::UNTYPED),
            None => Err(self.missing_type(MEMORY_TYPES, section)),
        }
    }

    /// Vectors have at most 128 bits, or 256 in global memory; `.b128` is no element.
    fn vector_length(
        &self,
        written: Option<Spanned<u32>>,
        ty: Type,
        space: Space,
        section: &'static str,
    ) -> Result<u32, DecodeError> {
        let Some(elements) = written else { return Ok(1) };
        let most = match space {
            Space::Generic | Space::Global => 256,
            _ => 128,
        };
        if ty.bits < 128 && elements.value * ty.bits <= most {
            return Ok(elements.value);
        }
        Err(DecodeError::Rule {
            message: format!("there is no vector of {} elements of `.{ty}` here", elements.value),
            help: "vectors have at most 128 bits, or 256 in global memory",
            section,
            span: elements.span,
        })
    }
}

/// The error that a constant operand is outside the legal range.
pub(super) fn range(what: &'static str, found: &Spanned<i128>, legal: &'static str) -> DecodeError {
    DecodeError::Range { what, found: found.value, legal, span: found.span }
}

/// Types that memory holds and scalar accesses have.
fn is_memory_type(ty: Type) -> bool {
    match ty.kind {
        TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed => true,
        TypeKind::Float => ty.bits >= 32,
        _ => false,
    }
}
