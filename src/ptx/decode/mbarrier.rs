//! `mbarrier.*`: forms of the table as operations on objects.

use super::Decoder;
use crate::ptx::error::DecodeError;
use crate::ptx::operation::{
    AccessForm, MbarrierOp, Operation, Order, Proxy, Scope, Space, Type, Value, WaitPhase,
};
use crate::ptx::row::Op;
use crate::ptx::written::Written;
use crate::source::Spanned;

const SECTION: &str = "PTX-9.7.13.15";
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
    /// Checks the first qualifier, which names the operation.
    pub(super) fn check_mbarrier(&self) -> Result<(), DecodeError> {
        let name = self.instruction.qualifiers.first().map(|name| name.value.as_str());
        if name.is_some_and(|name| OPERATIONS.contains(&name)) {
            return Ok(());
        }
        let what = "its operation as first qualifier";
        let choices = match name {
            Some("wait") => {
                "did you mean `.test_wait`, or `.try_wait`, which may wait for some time? The other \
                 operations are `.init`, `.inval`, `.expect_tx`, `.complete_tx`, `.arrive`, \
                 `.arrive_drop` and `.pending_count`"
            }
            _ => {
                "the operations are `.init`, `.inval`, `.expect_tx`, `.complete_tx`, `.arrive`, \
                 `.arrive_drop`, `.test_wait`, `.try_wait` and `.pending_count`"
            }
        };
        let mut words = self.instruction.qualifiers.iter();
        Err(match words.any(|word| OPERATIONS.contains(&word.value.as_str())) {
            true => self.missing_of(what, choices.to_owned(), SECTION),
            false => self.no_such_word("mbarrier", what, choices, SECTION),
        })
    }

    /// An operation on an object. An order and a scope may each be written alone; the default scope
    /// of a strong operation is that of the CTA.
    pub(super) fn mbarrier(&self, written: &Written) -> Result<Operation, DecodeError> {
        let value = |name: &str| written.value(name).clone();
        let (default, op) = match written.op() {
            Op::MbarrierInit => (Order::Weak, MbarrierOp::Init { count: value("count") }),
            Op::MbarrierInval => (Order::Weak, MbarrierOp::Inval),
            Op::MbarrierExpect => (Order::Relaxed, MbarrierOp::ExpectTx { bytes: value("bytes") }),
            Op::MbarrierComplete => {
                (Order::Relaxed, MbarrierOp::CompleteTx { bytes: value("bytes") })
            }
            Op::MbarrierArrive => (Order::Release, self.arrival(written)?),
            _ => (Order::Acquire, wait(written)),
        };
        let relaxed = written.words.has("relaxed");
        let access = AccessForm {
            order: if relaxed { Order::Relaxed } else { default },
            scope: (default != Order::Weak).then(|| written.words.scope().unwrap_or(Scope::Cta)),
            space: written.words.space(),
            ty: Type::B64,
            elements: 1,
            proxy: Proxy::Generic,
            address: written.address().clone(),
            mmio: false,
            volatile: false,
        };
        Ok(Operation::Mbarrier { access, op })
    }

    fn arrival(&self, written: &Written) -> Result<MbarrierOp, DecodeError> {
        let state = written.destination().clone();
        if let Some(register) = &state
            && written.words.space() == Space::SharedCluster
        {
            return Err(DecodeError::Rule {
                message: "an arrival through `.shared::cluster` returns no state".to_owned(),
                help: "write `_` as the destination",
                section: SECTION,
                span: register.span,
            });
        }
        let one = || Value::Immediate(Spanned::new(1, self.head_span()));
        Ok(MbarrierOp::Arrive {
            state,
            count: written.optional("count").cloned().unwrap_or_else(one),
            expect_tx: written.optional("bytes").cloned(),
            no_complete: written.words.has("noComplete"),
            drop: written.words.has("arrive_drop"),
        })
    }
}

fn wait(written: &Written) -> MbarrierOp {
    let phase = match written.optional("parity") {
        Some(parity) => WaitPhase::Parity(parity.clone()),
        None => WaitPhase::State(written.value("state").clone()),
    };
    let may_time_out = written.words.has("try_wait");
    MbarrierOp::Wait { done: written.destination().clone(), phase, may_time_out }
}
