//! Address arithmetic: `cvta`, `mapa`, `isspacep`, `getctarank`.

use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::operation::{AddressDirection, Operation, Space, Type, TypeKind};

const CVTA_SPACES: &str = "const, global, local, param, shared, shared::cta and shared::cluster";
const ISSPACEP_SPACES: &str =
    "const, global, local, param::entry, shared, shared::cta and shared::cluster";

impl Decoder<'_> {
    fn missing_space(&self, legal: &str, section: &'static str) -> DecodeError {
        self.missing_of("a state space", format!("the state spaces are {legal}"), section)
    }

    pub(super) fn cvta(&mut self) -> Decoded {
        const SHAPE: &str = "cvta{.to}.space.u64 p, a";
        let operands = self.operands(2, 2, SHAPE)?;
        let direction = match self.qualifiers.flag("to")? {
            Some(_) => AddressDirection::FromGeneric,
            None => AddressDirection::ToGeneric,
        };
        let space = match self.qualifiers.space()?.map(|space| space.value) {
            None => return Err(self.missing_space(CVTA_SPACES, "PTX-9.7.9.20")),
            Some(Space::ParamFunc) => {
                return Err(self.illegal_space(Space::ParamFunc, CVTA_SPACES, "PTX-9.7.9.20"));
            }
            Some(space) => space,
        };
        let ty = self.address_type("PTX-9.7.9.20", false)?;
        self.finish(SHAPE)?;
        let destination = self.real_destination(&operands[0])?;
        let source = match direction {
            AddressDirection::ToGeneric => self.any_value(&operands[1], ty)?,
            AddressDirection::FromGeneric => self.value(&operands[1], ty)?,
        };
        Ok(Operation::ConvertAddress { direction, space, ty, destination, source })
    }

    pub(super) fn map_address(&mut self) -> Decoded {
        const SHAPE: &str = "mapa{.shared::cluster}.type d, a, b";
        let operands = self.operands(3, 3, SHAPE)?;
        let generic = self.qualifiers.flag("shared::cluster")?.is_none();
        let ty = self.address_type("PTX-9.7.9.23", true)?;
        self.finish(SHAPE)?;
        Ok(Operation::MapAddress {
            ty,
            destination: self.real_destination(&operands[0])?,
            source: self.any_value(&operands[1], ty)?,
            rank: self.value(&operands[2], Type::new(TypeKind::Unsigned, 32))?,
            generic,
        })
    }

    pub(super) fn is_space(&mut self) -> Decoded {
        const SHAPE: &str = "isspacep.space p, a";
        let operands = self.operands(2, 2, SHAPE)?;
        let space = self.qualifiers.space()?;
        let space = space.ok_or_else(|| self.missing_space(ISSPACEP_SPACES, "PTX-9.7.9.19"))?.value;
        self.finish(SHAPE)?;
        if space == Space::ParamFunc {
            return Err(self.illegal_space(space, ISSPACEP_SPACES, "PTX-9.7.9.19"));
        }
        Ok(Operation::IsSpace {
            destination: self.real_destination(&operands[0])?,
            space,
            address: self.value(&operands[1], Type::new(TypeKind::Unsigned, 64))?,
        })
    }

    pub(super) fn cta_rank(&mut self) -> Decoded {
        const SHAPE: &str = "getctarank{.shared::cluster}.type d, a";
        let operands = self.operands(2, 2, SHAPE)?;
        let generic = self.qualifiers.flag("shared::cluster")?.is_none();
        let ty = self.address_type("PTX-9.7.9.24", true)?;
        self.finish(SHAPE)?;
        Ok(Operation::CtaRank {
            ty,
            destination: self.real_destination(&operands[0])?,
            address: self.any_value(&operands[1], ty)?,
            generic,
        })
    }

    fn address_type(&mut self, section: &'static str, signed: bool) -> Result<Type, DecodeError> {
        self.register_type(section, ".u32 and .u64", |ty| {
            (ty.kind == TypeKind::Unsigned && matches!(ty.bits, 32 | 64))
                || (signed && ty == Type::new(TypeKind::Signed, 32))
        })
    }
}
