//! Operations on mbarrier objects (PTX-9.7.13.15) as accesses to a 64-bit state.
//!
//! The object is opaque; here its bits are, from the lowest: pending arrivals (20), expected
//! arrivals (20), pending transactions (21, signed), phase (2), initialized (1). Phases are told
//! apart modulo four: a token that is two or three phases old is seen to be too old, one that is
//! four phases old is taken for a new one. A token is the state before the arrival, cut down to its
//! phase and pending count; between them it says which object it is of, and its top bit that the
//! arrival was a `.noComplete` one.

use super::expr::{Binary, ExprArena, signed};
use super::layout::SHARED_CTA_BITS;
use super::lower::Lowering;
use super::micro::{Confined, Marks, Micro, PhaseUse, Restriction, Target};
use super::reading::EarlyArrival;
use super::term::{Extension, Term};
use crate::id::ExprId;
use crate::litmus::ast::ThreadPlace;
use crate::ptx::operation::{
    AccessForm, Destination, MbarrierOp, Order, Type, TypeKind, Value, WaitPhase,
};

const COUNT_BITS: u32 = 20;
const EXPECTED_AT: u32 = 20;
const TX_AT: u32 = 40;
const TX_BITS: u32 = 21;
const PHASE_AT: u32 = 61;
const PHASE_BITS: u32 = 2;
/// A bit that is set, the number of the CTA, and the place in its shared memory.
const IDENTITY_BITS: u32 = PHASE_AT - COUNT_BITS;
const CTA_BITS: u32 = IDENTITY_BITS - 1 - SHARED_CTA_BITS;
/// The bit of an object's state that says that it is initialized. Ordinary data may have it as well.
pub const VALID_AT: u32 = 63;
/// How wide the state is.
pub const OBJECT_BITS: u32 = 64;
const OBJECT: Type = Type::new(TypeKind::Bits, OBJECT_BITS);
const WORD: Type = Type::new(TypeKind::Unsigned, 32);
/// What `mbarrier.inval` leaves behind: no object.
pub const INVALID: u128 = 0;

/// The parts of an object's state.
#[derive(Clone)]
struct State {
    /// Whether the object is initialized.
    valid: Term,
    pending: Term,
    expected: Term,
    tx: Term,
    phase: Term,
}

impl State {
    fn of(object: &Term) -> Self {
        let part = |at, bits| object.clone().bits(at, bits);
        Self {
            valid: part(VALID_AT, 1),
            pending: part(0, COUNT_BITS),
            expected: part(EXPECTED_AT, COUNT_BITS),
            tx: part(TX_AT, TX_BITS),
            phase: part(PHASE_AT, PHASE_BITS),
        }
    }

    /// Whether nothing is left to wait for.
    fn is_complete(&self) -> Term {
        let none = |part: &Term, bits| part.clone().equals(Term::Const(0, bits));
        none(&self.pending, COUNT_BITS).and(none(&self.tx, TX_BITS))
    }

    /// The object's value, with the next phase started where this one is complete. An operation on
    /// an object that is not initialized leaves it so: the misuse is that operation's alone.
    fn packed(self) -> Term {
        let complete = self.is_complete();
        let next = self.phase.clone().binary(Binary::Add, Term::Const(1, PHASE_BITS));
        let phase = complete.clone().choose(next, self.phase);
        let pending = complete.choose(self.expected.clone(), self.pending);
        [phase, self.tx, self.expected, pending].into_iter().fold(self.valid, above)
    }
}

fn marks() -> Marks {
    Marks { mbarrier: true, ..Marks::default() }
}

fn above(high: Term, low: Term) -> Term {
    Term::Concat(Box::new(high), Box::new(low))
}

fn phase_of(object: &Term) -> Term {
    object.clone().bits(PHASE_AT, PHASE_BITS)
}

/// What an arrival with this old state returns.
fn token(old: &Term, identity: Term, no_complete: bool) -> Term {
    let kept = above(Term::truth(no_complete), phase_of(old));
    above(above(kept, identity), old.clone().bits(0, COUNT_BITS))
}

/// The part of a token that says which object it is of.
fn identity_of(token: &Term) -> Term {
    token.clone().bits(COUNT_BITS, IDENTITY_BITS)
}

/// Whether the phase of an arrival, by the object's value before it, is over where an object has the
/// value `found`, and the next one is not.
pub fn finds_complete(exprs: &mut ExprArena, arrived: ExprId, found: ExprId) -> ExprId {
    let [before, after] =
        [arrived, found].map(|object| exprs.extract(object, PHASE_AT, PHASE_BITS));
    let one = exprs.number(1, PHASE_BITS);
    let next = exprs.binary(Binary::Add, before, one);
    exprs.eq(next, after)
}

/// Where the phase is in an object's state, and how wide it is.
#[must_use]
pub const fn phase_bits() -> (u32, u32) {
    (PHASE_AT, PHASE_BITS)
}

/// The state of an mbarrier object in words, from its value.
#[must_use]
pub fn describe(object: u128) -> String {
    let part = |at: u32, bits: u32| object >> at & ((1 << bits) - 1);
    if part(VALID_AT, 1) == 0 {
        return "not initialized".to_owned();
    }
    let (pending, expected) = (part(0, COUNT_BITS), part(EXPECTED_AT, COUNT_BITS));
    let mut out = format!("phase {}, {pending} of {expected} pending", part(PHASE_AT, PHASE_BITS));
    let tx = signed(part(TX_AT, TX_BITS), TX_BITS);
    if tx != 0 {
        out.push_str(&format!(", {tx} bytes to come"));
    }
    out
}

impl Lowering<'_> {
    /// Lowers an operation on an mbarrier object.
    pub(super) fn mbarrier(&mut self, access: &AccessForm, op: &MbarrierOp) {
        match op {
            MbarrierOp::Init { count } => {
                let count = self.count(count);
                self.in_range(&count);
                let count = count.bits(0, COUNT_BITS);
                let object = State {
                    valid: Term::truth(true),
                    pending: count.clone(),
                    expected: count,
                    tx: Term::Const(0, TX_BITS),
                    phase: Term::Const(0, PHASE_BITS),
                };
                let marks = Marks { mbarrier_init: true, ..marks() };
                self.look(access, Order::Weak, marks);
                self.put(access, object.packed(), marks);
            }
            MbarrierOp::Inval => {
                self.look(access, Order::Weak, marks());
                self.put(access, Term::Const(INVALID, 64), marks());
            }
            MbarrierOp::ExpectTx { bytes } => self.transaction(access, bytes, Binary::Add),
            MbarrierOp::CompleteTx { bytes } => self.transaction(access, bytes, Binary::Sub),
            MbarrierOp::Arrive { state, count, expect_tx, no_complete, drop } => {
                if let Some(bytes) = expect_tx {
                    self.transaction(access, bytes, Binary::Add);
                    self.out.push(Micro::Then);
                }
                let count = self.count(count);
                self.in_range(&count);
                let kind = ArrivalKind { no_complete: *no_complete, drop: *drop };
                self.arrive(access, state, &count.bits(0, COUNT_BITS), kind);
            }
            MbarrierOp::Wait { done, phase, may_time_out } => {
                self.wait(access, done, phase, *may_time_out);
            }
        }
    }

    /// `mbarrier.pending_count`: the count before the arrival that returned the token.
    pub(super) fn pending_count(&mut self, destination: &Destination, state: &Value) {
        let state = self.value(state, OBJECT);
        let is_token = state.clone().bits(PHASE_AT - 1, 1).and(state.clone().bits(VALID_AT, 1));
        self.require(
            is_token,
            "mbarrier.pending_count of a token that no `.noComplete` arrival returned",
        );
        let count = state.bits(0, COUNT_BITS).resize(32, Extension::Zero);
        self.assign(destination, count, Extension::Zero);
    }

    fn transaction(&mut self, access: &AccessForm, bytes: &Value, op: Binary) {
        let bytes = self.count(bytes);
        let small = bytes.clone().binary(Binary::ULt, Term::Const(1 << COUNT_BITS, 32));
        self.require(small, "a transaction count above 1048575 (PTX-9.7.13.15)");
        let mut state = State::of(&Term::Old(64));
        let change = bytes.bits(0, TX_BITS);
        let wide = |tx: Term| tx.resize(TX_BITS + 1, Extension::Sign);
        let exact =
            |tx: Term| wide(tx).binary(op, change.clone().resize(TX_BITS + 1, Extension::Zero));
        state.tx = state.tx.binary(op, change.clone());
        let old = self.update(access, Order::Relaxed, state.packed(), None);
        let before = State::of(&old).tx;
        let after = before.clone().binary(op, change.clone());
        // The count is symmetric: of 21 bits, the least number is none.
        let least = after.clone().equals(Term::Const(1 << COUNT_BITS, TX_BITS));
        let fits = exact(before).equals(wide(after)).and(least.not());
        self.require(fits, "a pending transaction count out of range (PTX-9.7.13.15)");
    }

    fn arrive(
        &mut self,
        access: &AccessForm,
        destination: &Destination,
        count: &Term,
        kind: ArrivalKind,
    ) {
        let after = |object: &Term| {
            let mut state = State::of(object);
            state.pending = state.pending.binary(Binary::Sub, count.clone());
            if kind.drop {
                state.expected = state.expected.binary(Binary::Sub, count.clone());
            }
            state
        };
        // An arrival at another CTA's object returns no state (PTX-9.7.13.15.13).
        let returns = destination.is_some() || kind.no_complete;
        let confined = returns.then_some(Confined::OwnShared);
        let old = self.update(access, access.order, after(&Term::Old(64)).packed(), confined);
        self.in_phase(PhaseUse::Arrival);
        let before = State::of(&old);
        let enough = |there: Term| there.binary(Binary::ULt, count.clone()).not();
        self.require(
            enough(before.pending),
            "more arrivals at an mbarrier than are pending (PTX-9.7.13.15)",
        );
        if kind.drop {
            self.require(
                enough(before.expected),
                "more arrivals dropped from an mbarrier than are expected (PTX-9.7.13.15)",
            );
        }
        if kind.no_complete {
            self.require(
                after(&old).is_complete().not(),
                "a `.noComplete` arrival that completes the phase (PTX-9.7.13.15)",
            );
        }
        let token = token(&old, self.identity(access), kind.no_complete);
        self.assign(destination, token, Extension::Zero);
    }

    fn wait(
        &mut self,
        access: &AccessForm,
        done: &Destination,
        phase: &WaitPhase,
        may_time_out: bool,
    ) {
        let wanted = match phase {
            WaitPhase::State(token) => {
                let token = self.value(token, OBJECT);
                let own = identity_of(&token).equals(self.identity(access));
                self.require(
                    own,
                    "a wait with a state that no arrival on this object returned (PTX-9.7.13.15.16)",
                );
                phase_of(&token)
            }
            WaitPhase::Parity(parity) => {
                let parity = self.count(parity);
                let known = parity.clone().binary(Binary::ULt, Term::Const(2, 32));
                self.require(known, "a phase parity other than 0 and 1 (PTX-9.7.13.15)");
                parity.bits(0, 1)
            }
        };
        let object = self.look(access, Order::Relaxed, marks());
        let now = phase_of(&object);
        let complete = match phase {
            WaitPhase::Parity(_) => now.bits(0, 1).equals(wanted).not(),
            WaitPhase::State(_) => {
                let next = wanted.clone().binary(Binary::Add, Term::Const(1, PHASE_BITS));
                let complete = now.clone().equals(next);
                self.require(
                    now.equals(wanted).or(complete.clone()),
                    "a wait for a phase that is neither current nor the one before (PTX-9.7.13.15)",
                );
                complete
            }
        };
        let lasts = Term::Free("whether the wait times out".to_owned(), 1);
        let complete = if may_time_out { complete.and(lasts) } else { complete };
        let temporary = self.registers.temporary(1);
        let wide = complete.resize(64, Extension::Zero);
        self.out.push(Micro::Assign { register: temporary, value: wide });
        let complete = Term::Register(temporary).resize(1, Extension::Zero);
        self.in_phase(PhaseUse::Wait { done: complete.clone() });
        self.assign(done, complete, Extension::Zero);
        let register = done.as_ref().and_then(|d| self.registers.index(&d.value));
        if let (Order::Acquire, Some(scope), Some(register)) =
            (access.order, access.scope, register)
        {
            self.out.push(Micro::Fence {
                order: Order::Acquire,
                scope,
                restriction: Restriction::Wait,
                when: Some(Term::Register(register).resize(1, Extension::Zero)),
            });
        }
    }

    /// Notes what the access before is to the phases of its object.
    fn in_phase(&mut self, what: PhaseUse) {
        if self.readings.early_arrival == EarlyArrival::Undefined {
            self.out.push(Micro::Phase(what));
        }
    }

    fn count(&self, value: &Value) -> Term {
        self.value(value, WORD)
    }

    /// What tells an object of the thread's own CTA from others; those of other CTAs return no token.
    fn identity(&self, access: &AccessForm) -> Term {
        let cta = match self.place {
            ThreadPlace::Device(place) => u128::from(self.layout.cta_number(place)),
            ThreadPlace::Host => 0,
        };
        let (address, _) = self.address(&access.address, access.space, 0);
        above(Term::Const(1 << CTA_BITS | cta, CTA_BITS + 1), address.bits(0, SHARED_CTA_BITS))
    }

    fn in_range(&mut self, count: &Term) {
        let positive = count.clone().equals(Term::Const(0, 32)).not();
        let small = count.clone().binary(Binary::ULt, Term::Const(1 << COUNT_BITS, 32));
        self.require(positive.and(small), "an arrival count outside 1 to 1048575 (PTX-9.7.13.15)");
    }

    /// Undefined unless the condition holds.
    pub(super) fn require(&mut self, condition: Term, rule: &str) {
        if condition != Term::truth(true) {
            let rule = rule.to_owned();
            self.out.push(Micro::Require { condition, rule, out_of_model: false });
        }
    }

    /// Reads the object; that it is one, or none yet, is asked of every such read.
    fn look(&mut self, access: &AccessForm, order: Order, marks: Marks) -> Term {
        let mut target = self.target(access, 0, order, marks);
        target.confined = Some(Confined::OwnShared);
        let register = self.registers.temporary(0);
        self.out.push(Micro::Load { target, destination: Some((register, Extension::Zero)) });
        Term::Register(register)
    }

    /// Writes the object without looking at it.
    fn put(&mut self, access: &AccessForm, value: Term, marks: Marks) {
        let mut target = self.target(access, 0, Order::Weak, marks);
        target.confined = Some(Confined::OwnShared);
        self.out.push(Micro::Then);
        self.out.push(Micro::Store { target, value });
    }

    /// Changes the object, which has to be initialized, in one step; gives what it was before.
    fn update(
        &mut self,
        access: &AccessForm,
        write_order: Order,
        value: Term,
        confined: Option<Confined>,
    ) -> Term {
        let marks = Marks { rmw: true, ..marks() };
        let target = Target { confined, ..self.target(access, 0, Order::Relaxed, marks) };
        let register = self.registers.temporary(0);
        self.out.push(Micro::Rmw {
            target,
            write_order,
            destination: Some((register, Extension::Zero)),
            writes: Term::truth(true),
            value,
        });
        Term::Register(register)
    }
}

/// The forms of an arrival.
#[derive(Clone, Copy)]
struct ArrivalKind {
    /// `.noComplete`
    no_complete: bool,
    /// `arrive_drop`
    drop: bool,
}
