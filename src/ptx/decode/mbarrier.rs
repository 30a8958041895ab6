//! `mbarrier.*`.

use super::access::range;
use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::Operand;
use crate::ptx::operation::{
    AccessForm, Destination, MbarrierOp, Operation, Order, Proxy, Scope, Space, Type, TypeKind,
    Value, WaitPhase,
};
use crate::source::Spanned;

const SECTION: &str = "PTX-9.7.13.15";
const OBJECT: Type = Type::new(TypeKind::Bits, 64);
const COUNT: Type = Type::new(TypeKind::Unsigned, 32);
const OPERATIONS: &[&str] = &[
    "init",
    "inval",
    "expect_tx",
    "complete_tx",
    "arrive",
    "arrive_drop",
    "test_wait",
    "try_wait",
    "pending_count",
];

impl Decoder<'_> {
    pub(super) fn mbarrier(&mut self) -> Decoded {
        let name = self.instruction.qualifiers.first();
        let known = name.and_then(|name| OPERATIONS.iter().copied().find(|op| *op == name.value));
        let operation = known.ok_or_else(|| {
            let what = "its operation as first qualifier";
            let choices = "the operations are `.init`, `.inval`, `.expect_tx`, `.complete_tx`, \
                           `.arrive`, `.arrive_drop`, `.test_wait`, `.try_wait` and `.pending_count`";
            let choices = match name.map(|name| name.value.as_str()) {
                Some("wait") => {
                    "did you mean `.test_wait`, or `.try_wait`, which may wait for some time? The other \
                     operations are `.init`, `.inval`, `.expect_tx`, `.complete_tx`, `.arrive`, \
                     `.arrive_drop` and `.pending_count`"
                }
                _ => choices,
            };
            let mut words = self.instruction.qualifiers.iter();
            match words.any(|word| OPERATIONS.contains(&word.value.as_str())) {
                true => self.missing_of(what, choices.to_owned(), SECTION),
                false => self.no_such_word("mbarrier", what, choices, SECTION),
            }
        })?;
        let expects = operation.starts_with("arrive")
            && self.instruction.qualifiers.get(1).is_some_and(|word| word.value == "expect_tx");
        self.qualifiers.take_first(1 + usize::from(expects));
        match operation {
            "init" => self.mbarrier_init(),
            "inval" => self.mbarrier_inval(),
            "expect_tx" | "complete_tx" => self.mbarrier_transaction(operation),
            "arrive" | "arrive_drop" => self.mbarrier_arrive(operation == "arrive_drop", expects),
            "pending_count" => self.tabled("mbarrier"),
            _ => self.mbarrier_wait(operation == "try_wait"),
        }
    }

    fn mbarrier_init(&mut self) -> Decoded {
        const SHAPE: &str = "mbarrier.init{.shared{::cta}}.b64 [a], count";
        let operands = self.operands(2, 2, SHAPE)?;
        let access = self.object(&operands[0], SHAPE, &[], Order::Weak, false)?;
        let count = self.value(&operands[1], COUNT)?;
        if let Value::Immediate(number) = &count
            && !(1..=0xf_ffff).contains(&number.value)
        {
            return Err(range("the arrival count", number, "1 to 1048575"));
        }
        Ok(Operation::Mbarrier { access, op: MbarrierOp::Init { count } })
    }

    fn mbarrier_inval(&mut self) -> Decoded {
        const SHAPE: &str = "mbarrier.inval{.shared{::cta}}.b64 [a]";
        let operands = self.operands(1, 1, SHAPE)?;
        let access = self.object(&operands[0], SHAPE, &[], Order::Weak, false)?;
        Ok(Operation::Mbarrier { access, op: MbarrierOp::Inval })
    }

    fn mbarrier_transaction(&mut self, operation: &str) -> Decoded {
        const SHAPE: &str =
            "mbarrier.{expect_tx|complete_tx}{.relaxed}{.scope}{.space}.b64 [a], bytes";
        let operands = self.operands(2, 2, SHAPE)?;
        let access = self.object(&operands[0], SHAPE, &[Order::Relaxed], Order::Relaxed, true)?;
        let bytes = self.value(&operands[1], COUNT)?;
        let op = match operation {
            "expect_tx" => MbarrierOp::ExpectTx { bytes },
            _ => MbarrierOp::CompleteTx { bytes },
        };
        Ok(Operation::Mbarrier { access, op })
    }

    fn mbarrier_arrive(&mut self, drop: bool, expects: bool) -> Decoded {
        const SHAPE: &str = "mbarrier.arrive{.expect_tx|.noComplete}{.release|.relaxed}{.scope}{.space}.b64 state, [a]{, count}";
        let no_complete = self.qualifiers.flag("noComplete")?;
        let least = if expects || no_complete.is_some() { 3 } else { 2 };
        let operands = self.operands(least, 3, SHAPE)?;
        let orders: &[Order] = match no_complete {
            Some(_) => &[Order::Release],
            None => &[Order::Release, Order::Relaxed],
        };
        let access =
            self.object(&operands[1], SHAPE, orders, Order::Release, no_complete.is_none())?;
        if let Some(span) = no_complete.filter(|_| expects || access.scope != Some(Scope::Cta)) {
            return Err(DecodeError::Rule {
                message: "`.noComplete` goes with neither `.expect_tx` nor a wider scope"
                    .to_owned(),
                help: "write `mbarrier.arrive.noComplete{.release}{.cta}{.shared{::cta}}.b64 state, [a], count`",
                section: SECTION,
                span,
            });
        }
        let state = self.arrival_token(&operands[0], access.space)?;
        let written = operands.get(2).map(|operand| self.value(operand, COUNT)).transpose()?;
        if let Some(Value::Immediate(number)) = written.as_ref().filter(|_| !expects)
            && number.value < 1
        {
            return Err(range("the arrival count", number, "1 to 1048575"));
        }
        let one = || Value::Immediate(Spanned::new(1, self.head_span()));
        let (count, expect_tx) =
            if expects { (one(), written) } else { (written.unwrap_or_else(one), None) };
        let op = MbarrierOp::Arrive {
            state,
            count,
            expect_tx,
            no_complete: no_complete.is_some(),
            drop,
        };
        Ok(Operation::Mbarrier { access, op })
    }

    /// Remote arrivals return nothing.
    fn arrival_token(&self, operand: &Operand, space: Space) -> Result<Destination, DecodeError> {
        match self.destination(operand)? {
            Some(register) if space == Space::SharedCluster => Err(DecodeError::Rule {
                message: "an arrival through `.shared::cluster` returns no state".to_owned(),
                help: "write `_` as the destination",
                section: SECTION,
                span: register.span,
            }),
            state => Ok(state),
        }
    }

    fn mbarrier_wait(&mut self, may_time_out: bool) -> Decoded {
        const SHAPE: &str = "mbarrier.{test_wait|try_wait}{.parity}{.acquire|.relaxed}{.scope}{.shared{::cta}}.b64 p, [a], state";
        let parity = self.qualifiers.flag("parity")?.is_some();
        let operands = self.operands(3, 3 + usize::from(may_time_out), SHAPE)?;
        let orders = &[Order::Acquire, Order::Relaxed];
        let access = self.object(&operands[1], SHAPE, orders, Order::Acquire, false)?;
        let done = self.real_destination(&operands[0])?;
        let phase = if parity {
            let value = self.value(&operands[2], COUNT)?;
            if let Value::Immediate(number) = &value
                && !(0..=1).contains(&number.value)
            {
                return Err(range("the parity", number, "0 to 1"));
            }
            WaitPhase::Parity(value)
        } else {
            WaitPhase::State(self.value(&operands[2], OBJECT)?)
        };
        if let Some(hint) = operands.get(3) {
            self.value(hint, COUNT)?;
        }
        Ok(Operation::Mbarrier { access, op: MbarrierOp::Wait { done, phase, may_time_out } })
    }

    /// Takes order, scope, space and type of the access to the object; `orders` are those that may
    /// be written, `default` is the one that holds otherwise. An order and a scope may each stand
    /// alone; the scope of what is not weak is the CTA's where none is written.
    fn object(
        &mut self,
        operand: &Operand,
        takes: &'static str,
        orders: &[Order],
        default: Order,
        remote: bool,
    ) -> Result<AccessForm, DecodeError> {
        let written = self
            .qualifiers
            .take(|word| crate::ptx::names::order(word).filter(|order| orders.contains(order)))?;
        let scope = self.qualifiers.scope()?;
        let space = self.qualifiers.space()?.map_or(Space::Generic, |space| space.value);
        self.object_type()?;
        self.finish(takes)?;
        let scope = match scope {
            Some(scope) if orders.is_empty() => {
                return Err(self.superfluous_scope(&scope, SECTION));
            }
            Some(scope) if !matches!(scope.value, Scope::Cta | Scope::Cluster) => {
                return Err(DecodeError::Rule {
                    message: format!("mbarrier operations have no scope `.{}`", scope.value),
                    help: "the scopes are `.cta` and `.cluster`",
                    section: SECTION,
                    span: scope.span,
                });
            }
            Some(scope) => Some(scope.value),
            None => (default != Order::Weak).then_some(Scope::Cta),
        };
        match space {
            Space::Generic | Space::SharedCta => {}
            Space::SharedCluster if remote => {}
            space => {
                let legal = if remote { "shared::cta and shared::cluster" } else { "shared::cta" };
                return Err(self.illegal_space(space, legal, SECTION));
            }
        }
        Ok(AccessForm {
            order: written.map_or(default, |order| order.value),
            scope,
            space,
            ty: OBJECT,
            elements: 1,
            proxy: Proxy::Generic,
            address: self.address(operand)?,
            mmio: false,
            volatile: false,
        })
    }

    fn object_type(&mut self) -> Result<(), DecodeError> {
        match self.qualifiers.ty()? {
            Some(ty) if ty.value == OBJECT => Ok(()),
            Some(ty) => Err(self.illegal_type(ty, ".b64", SECTION)),
            None => Err(self.missing("the type `.b64`", SECTION)),
        }
    }
}
