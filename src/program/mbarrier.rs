//! Operations on mbarrier objects (PTX-9.7.13.15) as accesses to a 64-bit state.
//!
//! The object is opaque; the bits here are, from the lowest: pending arrivals, expected arrivals,
//! pending transactions (21, signed), phase, initialized (1). A count has 15 bits and the phase 12;
//! in programs that write down greater counts these are 20 and 2 bits, and more than four phases of
//! an object are outside the model. A token is the state before the arrival, reduced to its phase
//! and pending count; the bits in between identify the object, and the top bit marks a
//! `.noComplete` arrival.

use super::expr::{Binary, ExprArena};
use super::layout::SHARED_CTA_BITS;
use super::lower::Lowering;
use super::micro::{Confined, Marks, Micro, PhaseUse, Restriction, Signal, SignalKind, Target};
use super::reading::{EarlyArrival, Edition};
use super::term::{Extension, Term};
use crate::id::ExprId;
use crate::litmus::ast::{Test, ThreadPlace};
use crate::ptx::bits::signed;
use crate::ptx::operation::{
    AccessForm, Destination, MbarrierOp, Operation, Order, Type, TypeKind, Value, WaitPhase,
};
use crate::ptx::written::Written;
use crate::rule::Rule;

/// The bits of the greatest count allowed.
const LONGEST_COUNT: u32 = 20;
/// The bits of a count in programs that write down no greater one.
const USUAL_COUNT: u32 = 15;
const TX_BITS: u32 = 21;
/// The bit of an object's state that marks it as initialized. Ordinary data may have the bit set as
/// well.
pub const VALID_AT: u32 = 63;
/// The width of the state.
pub const OBJECT_BITS: u32 = 64;
const OBJECT: Type = Type::new(TypeKind::Bits, OBJECT_BITS);
const WORD: Type = Type::new(TypeKind::Unsigned, 32);
/// The state after `mbarrier.inval`: no object.
pub const INVALID: u128 = 0;

/// The layout of an object's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The width of the two counts of arrivals.
    count_bits: u32,
}

impl Fields {
    /// The fields that the counts in a test need.
    #[must_use]
    pub fn of(test: &Test) -> Self {
        let is_long =
            |count: &Value| matches!(count, Value::Immediate(n) if n.value >> USUAL_COUNT != 0);
        let mut statements = test.threads.iter().flat_map(|thread| &thread.statements);
        let long = statements.any(|statement| match &statement.operation {
            Operation::Mbarrier { op: MbarrierOp::Init { count }, .. } => is_long(count),
            _ => false,
        });
        Self { count_bits: if long { LONGEST_COUNT } else { USUAL_COUNT } }
    }

    /// The lowest bit of the phase.
    #[must_use]
    pub const fn phase_at(self) -> u32 {
        2 * self.count_bits + TX_BITS
    }

    /// The width of the phase.
    #[must_use]
    pub const fn phase_bits(self) -> u32 {
        VALID_AT - self.phase_at()
    }

    /// The width of a token's identity: a bit that is set, the number of the CTA, and the offset in
    /// its shared memory.
    const fn identity_bits(self) -> u32 {
        self.phase_at() - self.count_bits
    }

    fn phase(self, object: &Term) -> Term {
        object.clone().bits(self.phase_at(), self.phase_bits())
    }

    /// The result of an arrival with this old state.
    fn token(self, old: &Term, identity: Term, no_complete: bool) -> Term {
        let kept = above(Term::truth(no_complete), self.phase(old));
        above(above(kept, identity), old.clone().bits(0, self.count_bits))
    }

    /// The part of a token that identifies the object.
    fn identity(self, token: &Term) -> Term {
        token.clone().bits(self.count_bits, self.identity_bits())
    }

    /// The phase in an object's value.
    pub fn phase_in(self, exprs: &mut ExprArena, object: ExprId) -> ExprId {
        exprs.extract(object, self.phase_at(), self.phase_bits())
    }

    /// Whether the phase of an arrival is complete when the object has the value `found`. The phase
    /// is given by the object's value before the arrival. Waits cover all phases before the
    /// observed one (PTX-9.7.13.15.4).
    pub fn finds_complete(self, exprs: &mut ExprArena, arrived: ExprId, found: ExprId) -> ExprId {
        let [before, after] = [arrived, found].map(|object| self.phase_in(exprs, object));
        exprs.binary(Binary::ULt, before, after)
    }

    /// A description of an mbarrier object's state, from its value.
    #[must_use]
    pub fn describe(self, object: u128) -> String {
        let part = |at: u32, bits: u32| object >> at & ((1 << bits) - 1);
        if part(VALID_AT, 1) == 0 {
            return "not initialized".to_owned();
        }
        let count = self.count_bits;
        let (pending, expected) = (part(0, count), part(count, count));
        let phase = part(self.phase_at(), self.phase_bits());
        let mut out = format!("phase {phase}, {pending} of {expected} pending");
        let tx = signed(part(2 * count, TX_BITS), TX_BITS);
        if tx != 0 {
            out.push_str(&format!(", {tx} bytes to come"));
        }
        out
    }
}

/// The parts of an object's state.
#[derive(Clone)]
struct State {
    fields: Fields,
    /// Whether the object is initialized.
    valid: Term,
    pending: Term,
    expected: Term,
    tx: Term,
    phase: Term,
}

impl State {
    fn of(object: &Term, fields: Fields) -> Self {
        let part = |at, bits| object.clone().bits(at, bits);
        let count = fields.count_bits;
        Self {
            fields,
            valid: part(VALID_AT, 1),
            pending: part(0, count),
            expected: part(count, count),
            tx: part(2 * count, TX_BITS),
            phase: fields.phase(object),
        }
    }

    /// Whether the phase is complete.
    fn is_complete(&self) -> Term {
        let none = |part: &Term, bits| part.clone().equals(Term::Const(0, bits));
        none(&self.pending, self.fields.count_bits).and(none(&self.tx, TX_BITS))
    }

    /// The object's value; a complete phase starts the next one. An operation on an uninitialized
    /// object leaves it so: the misuse is that operation's alone.
    fn packed(self) -> Term {
        let complete = self.is_complete();
        let one = Term::Const(1, self.fields.phase_bits());
        let next = self.phase.clone().binary(Binary::Add, one);
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

impl Lowering<'_> {
    /// Lowers an operation on an mbarrier object.
    pub(super) fn mbarrier(&mut self, access: &AccessForm, op: &MbarrierOp) {
        match op {
            MbarrierOp::Init { count } => {
                let count = self.count(count);
                self.in_range(&count);
                let fields = self.fields();
                self.countable(&count);
                let count = count.bits(0, fields.count_bits);
                let object = State {
                    fields,
                    valid: Term::truth(true),
                    pending: count.clone(),
                    expected: count,
                    tx: Term::Const(0, TX_BITS),
                    phase: Term::Const(0, fields.phase_bits()),
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
                self.arrive(access, state, &count, kind);
            }
            MbarrierOp::Wait { done, phase, may_time_out } => {
                self.wait(access, done, phase, *may_time_out);
            }
        }
    }

    /// `mbarrier.pending_count`: the pending count before the arrival that returned the token.
    pub(super) fn pending_count(&mut self, written: &Written) {
        let state = self.value(written.value("state"), OBJECT);
        let fields = self.fields();
        let is_of_object = state.clone().bits(fields.phase_at() - 1, 1);
        let is_token = is_of_object.and(state.clone().bits(VALID_AT, 1));
        self.require(is_token, Rule::PendingCountToken);
        let count = state.bits(0, fields.count_bits).resize(32, Extension::Zero);
        self.assign(written.destination(), count, Extension::Zero);
    }

    /// The signal of an asynchronous operation at an object.
    pub(super) fn signal(&self, target: Target, kind: SignalKind, destination: usize) -> Signal {
        let fields = self.fields();
        let old = Term::Old(OBJECT_BITS);
        let before = State::of(&old, fields);
        let (after, arrives, mut requires) = match kind {
            SignalKind::Bytes(bytes) => {
                let small = bytes.clone().binary(Binary::ULt, Term::Const(1 << LONGEST_COUNT, 32));
                let (after, fits) = transacted(&before, &bytes, Binary::Sub);
                let requires =
                    vec![(small, Rule::TransactionCount), (fits, Rule::PendingTransactions)];
                (after, false, requires)
            }
            SignalKind::Arrival => {
                let mut after = before.clone();
                let one = Term::Const(1, fields.count_bits);
                after.pending = after.pending.binary(Binary::Sub, one);
                let none = Term::Const(0, fields.count_bits);
                let expected = before.pending.clone().equals(none).not();
                (after, true, vec![(expected, Rule::TooManyArrivals)])
            }
        };
        if let Some(fits) = fits_phases(fields, &before, &after) {
            requires.push((fits, Rule::FifthPhase));
        }
        Signal {
            target,
            value: after.packed(),
            requires,
            needs_wait: arrives && self.readings.early_arrival == EarlyArrival::Undefined,
            destination,
            order: Order::Release,
            when: Term::truth(true),
        }
    }

    /// The value of an object with one more pending arrival, and whether the count fits.
    pub(super) fn raised(&self) -> (Term, Term) {
        let fields = self.fields();
        let mut state = State::of(&Term::Old(OBJECT_BITS), fields);
        let most = Term::Const((1 << fields.count_bits) - 1, fields.count_bits);
        let fits = state.pending.clone().equals(most).not();
        let one = Term::Const(1, fields.count_bits);
        state.pending = state.pending.binary(Binary::Add, one);
        (state.packed(), fits)
    }

    fn transaction(&mut self, access: &AccessForm, bytes: &Value, op: Binary) {
        let bytes = self.count(bytes);
        let small = bytes.clone().binary(Binary::ULt, Term::Const(1 << LONGEST_COUNT, 32));
        self.require(small, Rule::TransactionCount);
        let fields = self.fields();
        let state = |object: &Term| State::of(object, fields);
        let (value, _) = transacted(&state(&Term::Old(OBJECT_BITS)), &bytes, op);
        let marks = Marks { mbarrier_tx: true, ..marks() };
        let old = self.update(access, Order::Relaxed, value.packed(), None, marks);
        let before = state(&old);
        let (after, fits) = transacted(&before, &bytes, op);
        self.in_new_phase(&before, &after);
        self.require(fits, Rule::PendingTransactions);
    }

    fn arrive(
        &mut self,
        access: &AccessForm,
        destination: &Destination,
        count: &Term,
        kind: ArrivalKind,
    ) {
        let fields = self.fields();
        let after = |object: &Term| {
            let mut state = State::of(object, fields);
            let count = count.clone().bits(0, fields.count_bits);
            state.pending = state.pending.binary(Binary::Sub, count.clone());
            if kind.drop {
                state.expected = state.expected.binary(Binary::Sub, count);
            }
            state
        };
        // An arrival at an object of another CTA returns no state (PTX-9.7.13.15.13).
        let returns = destination.is_some() || kind.no_complete;
        let confined = returns.then_some(Confined::OwnShared);
        let value = after(&Term::Old(OBJECT_BITS)).packed();
        let old = self.update(access, access.order, value, confined, marks());
        if self.readings.early_arrival == EarlyArrival::Undefined {
            self.out.push(Micro::Phase(PhaseUse::Arrival));
        }
        let before = State::of(&old, fields);
        let enough = |there: &Term| {
            there.clone().resize(32, Extension::Zero).binary(Binary::ULt, count.clone()).not()
        };
        self.require(enough(&before.pending), Rule::TooManyArrivals);
        if kind.drop {
            self.require(enough(&before.expected), Rule::TooManyDropped);
            if self.readings.edition == Edition::Ptx94 {
                let expected = before.expected.clone().resize(32, Extension::Zero);
                self.require(expected.equals(count.clone()).not(), Rule::DroppedToNone);
            }
        }
        if kind.no_complete {
            self.require(after(&old).is_complete().not(), Rule::NoComplete);
        }
        let identity = self.identity(access);
        self.in_new_phase(&before, &after(&old));
        let token = fields.token(&old, identity, kind.no_complete);
        self.assign(destination, token, Extension::Zero);
    }

    fn wait(
        &mut self,
        access: &AccessForm,
        done: &Destination,
        phase: &WaitPhase,
        may_time_out: bool,
    ) {
        let fields = self.fields();
        let wanted = match phase {
            WaitPhase::State(token) => {
                let token = self.value(token, OBJECT);
                let own = fields.identity(&token).equals(self.identity(access));
                self.require(own, Rule::WaitToken);
                fields.phase(&token)
            }
            WaitPhase::Parity(parity) => {
                let parity = self.count(parity);
                let known = parity.clone().binary(Binary::ULt, Term::Const(2, 32));
                self.require(known, Rule::PhaseParity);
                parity.bits(0, 1)
            }
        };
        let object = self.look(access, Order::Relaxed, marks());
        let now = fields.phase(&object);
        let complete = match phase {
            WaitPhase::Parity(_) => now.bits(0, 1).equals(wanted).not(),
            WaitPhase::State(_) => {
                let one = Term::Const(1, fields.phase_bits());
                let next = wanted.clone().binary(Binary::Add, one);
                let complete = now.clone().equals(next);
                self.require(now.equals(wanted).or(complete.clone()), Rule::WaitPhase);
                complete
            }
        };
        let complete = if may_time_out { complete.and(Term::Patience) } else { complete };
        let temporary = self.registers.temporary(1);
        let wide = complete.resize(64, Extension::Zero);
        self.out.push(Micro::Assign { register: temporary, value: wide });
        let complete = Term::Register(temporary).resize(1, Extension::Zero);
        let counts = self.readings.early_arrival == EarlyArrival::Undefined;
        self.out.push(Micro::Phase(PhaseUse::Wait { done: complete.clone(), counts }));
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

    fn count(&self, value: &Value) -> Term {
        self.value(value, WORD)
    }

    /// The identity of an object among those of the thread's own CTA; objects of other CTAs return
    /// no token.
    fn identity(&self, access: &AccessForm) -> Term {
        let cta = match self.place {
            ThreadPlace::Device(place) => u128::from(self.layout.cta_number(place)),
            ThreadPlace::Host => 0,
        };
        let (address, _) = self.address(&access.address, access.space, 0);
        let cta_bits = self.fields().identity_bits() - 1 - SHARED_CTA_BITS;
        above(Term::Const(1 << cta_bits | cta, cta_bits + 1), address.bits(0, SHARED_CTA_BITS))
    }

    fn in_range(&mut self, count: &Term) {
        let positive = count.clone().equals(Term::Const(0, 32)).not();
        let small = count.clone().binary(Binary::ULt, Term::Const(1 << LONGEST_COUNT, 32));
        self.require(positive.and(small), Rule::ArrivalCount);
    }

    fn fields(&self) -> Fields {
        self.layout.mbarriers
    }

    /// Leaves the model if an object's count is allowed but does not fit.
    fn countable(&mut self, count: &Term) {
        let below = |bits| count.clone().binary(Binary::ULt, Term::Const(1_u128 << bits, 32));
        let condition = below(self.fields().count_bits).or(below(LONGEST_COUNT).not());
        self.out.push(Micro::Require { condition, rule: Rule::LargeMbarrierCount });
    }

    /// Leaves the model if the next phase could not be distinguished from the first.
    fn in_new_phase(&mut self, old: &State, new: &State) {
        if let Some(condition) = fits_phases(self.fields(), old, new) {
            self.out.push(Micro::Require { condition, rule: Rule::FifthPhase });
        }
    }

    /// Adds the rule that executions break unless the condition holds.
    pub(super) fn require(&mut self, condition: Term, rule: Rule) {
        if condition != Term::truth(true) {
            self.out.push(Micro::Require { condition, rule });
        }
    }

    /// Reads the object; every such read is checked for an object, or for its absence.
    fn look(&mut self, access: &AccessForm, order: Order, marks: Marks) -> Term {
        let mut target = self.target(access, 0, order, marks);
        target.confined = Some(Confined::OwnShared);
        let register = self.registers.temporary(0);
        self.out.push(Micro::Load { target, destination: Some((register, Extension::Zero)) });
        Term::Register(register)
    }

    /// Writes the object without reading it.
    fn put(&mut self, access: &AccessForm, value: Term, marks: Marks) {
        let mut target = self.target(access, 0, Order::Weak, marks);
        target.confined = Some(Confined::OwnShared);
        self.out.push(Micro::Then);
        self.out.push(Micro::Store { target, value });
    }

    /// Updates the object, which has to be initialized, in one step; gives its old value.
    fn update(
        &mut self,
        access: &AccessForm,
        write_order: Order,
        value: Term,
        confined: Option<Confined>,
        marks: Marks,
    ) -> Term {
        let marks = Marks { rmw: true, ..marks };
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

/// The state after a transaction, and whether the transaction count is in range.
fn transacted(before: &State, bytes: &Term, op: Binary) -> (State, Term) {
    let mut after = before.clone();
    let change = bytes.clone().bits(0, TX_BITS);
    after.tx = after.tx.binary(op, change.clone());
    let wide = |tx: &Term| tx.clone().resize(TX_BITS + 1, Extension::Sign);
    let exact = wide(&before.tx).binary(op, change.resize(TX_BITS + 1, Extension::Zero));
    // The range is symmetric: the least 21-bit number is not in it.
    let least = after.tx.clone().equals(Term::Const(1 << (TX_BITS - 1), TX_BITS));
    let fits = exact.equals(wide(&after.tx)).and(least.not());
    (after, fits)
}

/// The condition that the phase after an operation is distinguishable from the first, if not all
/// are.
fn fits_phases(fields: Fields, old: &State, new: &State) -> Option<Term> {
    let last = Term::Const((1 << fields.phase_bits()) - 1, fields.phase_bits());
    let short = fields.count_bits >= LONGEST_COUNT;
    short.then(|| old.phase.clone().equals(last).and(new.is_complete()).not())
}

/// The forms of an arrival.
#[derive(Clone, Copy)]
struct ArrivalKind {
    /// `.noComplete`
    no_complete: bool,
    /// `arrive_drop`
    drop: bool,
}
