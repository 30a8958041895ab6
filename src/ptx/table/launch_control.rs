//! Cancellation of clusters that have not been launched (PTX-9.7.13.17, PTX-9.7.13.18).

use crate::ptx::asynchronous::AsyncOp;
use crate::ptx::row::{Asks, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Space, Type, TypeKind};

const QUERY: &str = "PTX-9.7.13.18";

/// An instruction that decodes an answer.
const fn query(text: &'static str, op: Op) -> Row {
    form(text, QUERY, [8, 6, 100], op).operands(&[("answer", ANSWER)]).leading(1).exact()
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    form("clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [a], [m]", "PTX-9.7.13.17", [8, 6, 100], Op::Async(AsyncOp::Cancel))
        .device("an asynchronous operation").operands(REQUEST).slots(COMPLETION).changed(LATER).leading(2),
    query("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer", Op::IsCanceled),
    query("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {d}, answer", Op::FirstCta)
        .operands(&[("d", Takes::Vector(0)), ("answer", ANSWER)]),
    query("clusterlaunchcontrol.query_cancel.{get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z}.b32.b128 d, answer", Op::FirstCta),
];

const ANSWER: Takes = Takes::Fixed(Type::new(TypeKind::Bits, 128));
const REQUEST: &[(&str, Takes)] =
    &[("a", Takes::Bytes(Space::SharedCta, 16)), ("m", Takes::Bytes(Space::SharedCta, 8))];
const COMPLETION: &[(&str, Asks)] = &[(
    ".mbarrier::complete_tx::bytes",
    Asks::missing("a completion mechanism: `.mbarrier::complete_tx::bytes`"),
)];
const LATER: &[Later] = &[Later::with(&[&["multicast::cluster::all"]], [8, 6, 100]).special()];
