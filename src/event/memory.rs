//! Memory accesses: an address becomes the places that it may point to, with one guarded access for
//! each.

use super::access::{DraftAccess, union};
use super::facts::Place;
use super::graph::Violation;
use super::symbolic::{Cell, Effect, EffectKind, State, SymbolicThread, mentions_old};
use crate::id::{AccessId, ExprId, ObjectId};
use crate::litmus::ast::DeclaredSpace;
use crate::program::expr::Expr;
use crate::program::layout::{Resolved, VariableInfo};
use crate::program::micro::{Confined, Micro, Target};
use crate::program::term::Extension;
use crate::ptx::operation::{Order, Space};
use crate::rule::Rule;
use crate::source::Span;

/// The widest access of a thread, in bytes.
const WIDEST: u32 = 16;

/// How far from a variable an address is told to be beside it, in bytes.
const NEAR: u64 = 1 << 16;

/// The places that an address may point to.
pub(super) struct Places {
    /// Each place with its guard, except places that the address is known never to point to.
    pub(super) list: Vec<(ExprId, Resolved)>,
    /// The value of a read that hits no place: zero. `None` if the address, by its form, always is
    /// one of the listed places: then no read may miss all of them. (A value read depends on the
    /// address all the same, V9.)
    nowhere: Option<ExprId>,
    /// Whether the address may, by its form, point to several places.
    several: bool,
}

/// How an access touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Read,
    Write,
    Update,
}

impl<'p> SymbolicThread<'_, 'p> {
    pub(super) fn places(
        &mut self,
        target: &Target,
        does: Does,
        state: &State,
        span: Span,
    ) -> Places {
        let address = match target.lane {
            None => self.term(&target.address, state, None),
            Some(lane) => match self.row_of(lane, state, span) {
                Some(row) => {
                    self.exprs().number(u128::from(row.wrapping_add(u64::from(target.within))), 64)
                }
                None => {
                    let zero = self.exprs().number(0, target.bytes.min(WIDEST) * 8);
                    return Places { list: Vec::new(), nowhere: Some(zero), several: false };
                }
            },
        };
        self.places_at(address, target, does, state, span)
    }

    /// The places that a given address may point to.
    pub(super) fn places_at(
        &mut self,
        address: ExprId,
        target: &Target,
        does: Does,
        state: &State,
        span: Span,
    ) -> Places {
        // No instruction uses the value of a whole range.
        let zero = self.exprs().number(0, target.bytes.min(WIDEST) * 8);
        let address = self.with_tables(address);
        let place = self.code.place;
        let bytes = u64::from(target.bytes);
        let layout = &self.builder.program.layout;
        if let Some(at) = self.builder.exprs.constant(address) {
            let at = at as u64;
            let found = layout.resolve(target.space, at, bytes, self.index, place);
            let aligned = is_aligned(target, at, found.as_ref());
            let refused = found.as_ref().and_then(|place| refusal(target, does, place));
            return match found.filter(|_| aligned && refused.is_none()) {
                Some(resolved) => {
                    let list = vec![(state.guard, resolved)];
                    Places { list, nowhere: None, several: false }
                }
                None => {
                    let rule = if let Some(rule) = refused {
                        rule
                    } else if let Some(rule) = not_understood(target) {
                        rule
                    } else if aligned {
                        let other = self.of_another_space(target.space, at, bytes);
                        let hint = other.or_else(|| beside(&layout.variables, target.space, at));
                        Rule::Outside { hint }
                    } else {
                        Rule::Misaligned
                    };
                    self.bad_address(state.guard, rule, span);
                    Places { list: Vec::new(), nowhere: Some(zero), several: false }
                }
            };
        }
        let step = bytes.min(u64::from(target.whole.max(1)));
        let candidates = layout.candidates(target.space, (bytes, step), place);
        let (mut out, mut never) = (Vec::new(), 0);
        let mut elsewhere = state.guard;
        for at in candidates {
            let number = self.exprs().number(u128::from(at), 64);
            let here = self.exprs().equal(address, number);
            let guard = self.exprs().and(state.guard, here);
            if self.builder.exprs.is_false(guard) {
                continue;
            }
            let layout = &self.builder.program.layout;
            let resolved = layout.resolve(target.space, at, bytes, self.index, place);
            let aligned = is_aligned(target, at, resolved.as_ref());
            if let Some(resolved) =
                resolved.filter(|r| aligned && refusal(target, does, r).is_none())
            {
                let not = self.exprs().not(here);
                elsewhere = self.exprs().and(elsewhere, not);
                match self.is_never_meant(target, &resolved) {
                    true => never += 1,
                    false => out.push((guard, resolved)),
                }
            }
        }
        let complete = self.builder.exprs.is_false(elsewhere);
        if !complete {
            let rule = not_understood(target)
                .unwrap_or_else(|| Rule::PerhapsOutside { from: self.without_value(address) });
            self.bad_address(elsewhere, rule, span);
        }
        let (several, listed) = (out.len() + never > 1, complete && never == 0);
        Places { list: out, nowhere: (!listed).then_some(zero), several }
    }

    /// A hint for an address outside its space that is an address of another space: a conversion
    /// (PTX-6.4.1.1) may be missing.
    fn of_another_space(&self, space: Space, at: u64, bytes: u64) -> Option<String> {
        let layout = &self.builder.program.layout;
        let place = self.code.place;
        let find = |space: Space| layout.resolve(space, at, bytes, self.index, place);
        let is_own = |found: &Resolved| match space {
            Space::SharedCta => found.space == DeclaredSpace::Shared && !found.remote,
            Space::SharedCluster => found.space == DeclaredSpace::Shared,
            Space::Local => found.space == DeclaredSpace::Local,
            _ => false,
        };
        if find(Space::Generic).is_some_and(|found| is_own(&found)) {
            let hint =
                format!("it is a generic address, which `cvta.to.{space}` makes one of `.{space}`");
            return Some(hint);
        }
        let windows = [Space::SharedCta, Space::Local, Space::Const, Space::ParamEntry];
        match windows.into_iter().find(|&space| at != 0 && find(space).is_some()) {
            Some(of) if space == Space::Generic => {
                Some(format!("it may be an address of `.{of}`, which `cvta.{of}` makes generic"))
            }
            _ => None,
        }
    }

    /// The name of a leaf of a value that the test leaves open and no thread writes: a parameter, a
    /// constant or a special register.
    fn without_value(&self, value: ExprId) -> Option<String> {
        let layout = &self.builder.program.layout;
        let name = |leaf: Expr| match leaf {
            Expr::Symbol(id) => Some(self.builder.symbols.list[id.index()].name.clone()),
            Expr::Read(id) => {
                let access = &self.builder.accesses[id.index()];
                let variable = &layout.variables[layout.objects[access.object.index()].variable];
                let read_only =
                    matches!(variable.space, DeclaredSpace::Param | DeclaredSpace::Const);
                let index = access.offset / u64::from(variable.ty.bytes());
                (read_only && variable.given(index).is_none()).then(|| variable.name.clone())
            }
            _ => None,
        };
        self.builder.exprs.leaves(value).into_iter().find_map(name)
    }

    /// Whether the step is known never to access a place.
    fn is_never_meant(&self, target: &Target, resolved: &Resolved) -> bool {
        let object = accessed(target, resolved);
        let (thread, node, bytes) = (self.index, self.node, target.bytes);
        let place = Place { thread, node, object, offset: resolved.offset, bytes };
        self.builder.facts.never.contains(&place)
    }

    /// Reports an address once, though several elements of one access may have it.
    pub(super) fn bad_address(&mut self, guard: ExprId, rule: Rule, span: Span) {
        let same =
            |v: &Violation| v.span == span && v.guard == guard && v.rule.as_ref() == Some(&rule);
        if !self.builder.violations.last().is_some_and(same) {
            self.violate(guard, span, rule);
        }
    }

    pub(super) fn access(
        &mut self,
        target: &Target,
        resolved: &Resolved,
        state: &State,
        guard: ExprId,
        span: Span,
    ) -> DraftAccess {
        DraftAccess {
            thread: self.index,
            node: self.node,
            guard,
            object: accessed(target, resolved),
            virt: resolved.virt,
            offset: resolved.offset,
            bytes: target.bytes,
            order: target.order,
            scope: target.scope,
            proxy: target.proxy,
            marks: target.marks,
            write: false,
            value: guard,
            address_reads: self.term_reads(&target.address, state),
            control_reads: state.control.clone(),
            data_reads: Vec::new(),
            rmw_read: None,
            disjunct_of: None,
            chosen_by: Vec::new(),
            alone: false,
            position: self.position,
            span,
            part: None,
        }
    }

    pub(super) fn load(
        &mut self,
        target: &Target,
        destination: Option<(usize, Extension)>,
        state: &mut State,
        span: Span,
    ) {
        let width = target.bytes * 8;
        let places = self.places(target, Does::Read, state, span);
        let (mut value, mut reads) = (places.nowhere, Vec::new());
        let mut found = Vec::new();
        for (guard, resolved) in places.list {
            let access = self.access(target, &resolved, state, guard, span);
            let object = access.object;
            let id = self.builder.push_access(access);
            found.push((guard, id));
            if let Some(value) = self.fixed(object, resolved.offset, target.bytes) {
                self.builder.fixed.insert(id, value);
            }
            let read = self.exprs().leaf(Expr::Read(id), width);
            reads.push(id);
            value = Some(match value {
                None => read,
                Some(other) => self.exprs().ite(guard, read, other),
            });
        }
        self.check_object(target.marks, &found, span);
        let Some((register, extension)) = destination else { return };
        let value = value.unwrap_or_else(|| self.builder.exprs.number(0, width));
        let wide = self.code.registers[register].ty.bits;
        let value = self.exprs().resize(value, wide, extension == Extension::Sign);
        let reads = union(&reads, &self.term_reads(&target.address, state));
        state.cells[register] = Cell { value, reads };
    }

    pub(super) fn store(
        &mut self,
        node: usize,
        target: &Target,
        value: ExprId,
        reads: &[AccessId],
        state: &State,
        span: Span,
    ) {
        let value = self.exprs().resize(value, target.bytes * 8, false);
        let places = self.places(target, Does::Write, state, span);
        let alone = !places.several && !self.in_elements;
        for (guard, resolved) in places.list {
            let mut access = self.access(target, &resolved, state, guard, span);
            access.write = true;
            access.alone = alone;
            access.value = value;
            access.data_reads = reads.to_vec();
            self.builder.push_access(access);
            self.effects.push(Effect { node, guard, kind: EffectKind::Change });
        }
    }

    pub(super) fn rmw(&mut self, node: usize, micro: &Micro, state: &mut State, span: Span) {
        let Micro::Rmw { target, write_order, destination, writes, value } = micro else { return };
        let width = target.bytes * 8;
        let places = self.places(target, Does::Update, state, span);
        let (mut result, mut reads) = (places.nowhere, Vec::new());
        let mut found = Vec::new();
        for (guard, resolved) in &places.list {
            let access = self.access(target, resolved, state, *guard, span);
            let read = self.builder.push_access(access);
            found.push((*guard, read));
            let old = self.exprs().leaf(Expr::Read(read), width);
            let happens = self.term(writes, state, Some(old));
            let happens = self.exprs().and(*guard, happens);
            let new = self.term(value, state, Some(old));
            if !self.builder.exprs.is_false(happens) {
                let mut write = self.access(target, resolved, state, happens, span);
                write.position += 1;
                write.order = *write_order;
                write.marks.releasing_read = false;
                write.write = true;
                write.value = self.exprs().resize(new, width, false);
                let transparent = self.builder.facts.transparent.contains(&write.object)
                    && !(write.marks.red || write.marks.mbarrier);
                let kind = EffectKind::Update { transparent, old, new: write.value };
                write.data_reads = self.term_reads(value, state);
                if mentions_old(value) || mentions_old(writes) {
                    write.data_reads = union(&write.data_reads, &[read]);
                }
                write.rmw_read = Some(read);
                self.builder.push_access(write);
                self.effects.push(Effect { node, guard: happens, kind });
            }
            reads.push(read);
            result = Some(match result {
                None => old,
                Some(other) => self.exprs().ite(*guard, old, other),
            });
        }
        self.check_object(target.marks, &found, span);
        let Some((register, extension)) = destination else { return };
        let result = result.unwrap_or_else(|| self.builder.exprs.number(0, width));
        let wide = self.code.registers[*register].ty.bits;
        let result = self.exprs().resize(result, wide, *extension == Extension::Sign);
        let reads = union(&reads, &self.term_reads(&target.address, state));
        state.cells[*register] = Cell { value: result, reads };
    }
}

/// The object that an address points to, for the replica that the access is for.
pub(super) fn accessed(target: &Target, resolved: &Resolved) -> ObjectId {
    resolved.objects[target.replica.unwrap_or(0).min(resolved.objects.len() - 1)]
}

/// Whether an access whose element lies at `at` is aligned to its size, as far as the variable's
/// declaration tells.
fn is_aligned(target: &Target, at: u64, found: Option<&Resolved>) -> bool {
    let whole = u64::from(target.whole.max(1));
    let start = at.wrapping_sub(u64::from(target.within));
    start.is_multiple_of(whole) && found.is_none_or(|place| place.align.is_multiple_of(whole))
}

/// The rule for an address outside of all variables, for accesses where it need not be a mistake.
fn not_understood(target: &Target) -> Option<Rule> {
    match target.confined {
        Some(Confined::Matrix) => Some(Rule::OpaqueDescriptor),
        Some(Confined::TensorMemory) => Some(Rule::OpaqueColumns),
        _ => None,
    }
}

/// The rule that forbids an instruction to access a variable at any address.
fn refusal(target: &Target, does: Does, place: &Resolved) -> Option<Rule> {
    use DeclaredSpace::{Const, Global, Local, Multimem, Param, Shared};
    if (place.space == Multimem) != target.replica.is_some() {
        return Some(Rule::MultimemAddress);
    }
    let outside = match &target.confined {
        Some(Confined::TensorMemory) => (!place.tensor_memory).then_some(Rule::OpaqueColumns),
        _ if place.tensor_memory => Some(Rule::OpaqueColumns),
        None => None,
        Some(Confined::OwnShared) => place.remote.then_some(Rule::MbarrierOfAnotherCta),
        Some(Confined::Shared) => (place.space != Shared).then_some(Rule::BulkOutsideShared),
        Some(Confined::Global(rule)) => {
            (!matches!(place.space, Global | Multimem)).then(|| rule.clone())
        }
        Some(Confined::Matrix) => (place.space != Shared).then_some(Rule::OpaqueDescriptor),
        Some(Confined::Own(rule)) => (place.space != Shared || place.remote).then(|| rule.clone()),
        Some(Confined::GlobalOrShared(rule)) => {
            (!matches!(place.space, Global | Shared) || place.remote).then(|| rule.clone())
        }
        Some(Confined::AnyShared(rule)) => (place.space != Shared).then(|| rule.clone()),
        Some(Confined::Other(rule)) => {
            (place.space != Shared || !place.remote).then(|| rule.clone())
        }
    };
    if outside.is_some() {
        return outside;
    }
    if place.tensor_map != target.marks.tensor_map && place.tensor_map {
        return Some(Rule::OpaqueMap);
    }
    match (place.space, does) {
        (Global | Const | Local | Param, _) if target.marks.mbarrier => {
            Some(Rule::MbarrierOutsideShared)
        }
        (Const | Param, Does::Write | Does::Update) => Some(Rule::WriteToReadOnly),
        (Local, Does::Update) => Some(Rule::AtomicOutside),
        // Volatile accesses to local memory are seen by the thread alone, and compilers emit them.
        (Local, Does::Read | Does::Write) if target.marks.volatile => None,
        (Const | Param | Local, Does::Read) if target.order != Order::Weak => {
            Some(Rule::StrongLoadOutside)
        }
        (Local, Does::Write) if target.order != Order::Weak => Some(Rule::StrongStoreOutside),
        (Global | Shared | Local | Multimem | Const | Param, _) => None,
    }
}

/// Where an address outside of all variables lies, by the variable that is nearest.
fn beside(variables: &[VariableInfo], space: Space, at: u64) -> Option<String> {
    let base = |variable: &VariableInfo| match (space, variable.space) {
        (Space::SharedCta, DeclaredSpace::Shared) => Some(variable.address),
        (Space::Generic, _) | (Space::Global, DeclaredSpace::Global | DeclaredSpace::Param) => {
            Some(variable.generic_address())
        }
        _ => None,
    };
    let near = |variable| {
        let base = base(variable)?;
        let behind = at.saturating_sub(base + variable.bytes());
        Some((base.saturating_sub(at).max(behind), base, variable))
    };
    let nearest = variables.iter().filter_map(near).min_by_key(|&(distance, ..)| distance);
    let (distance, base, variable) = nearest.filter(|&(distance, ..)| distance < NEAR)?;
    let (name, bytes) = (&variable.name, variable.bytes());
    Some(match (at.checked_sub(base), bytes) {
        (Some(_), 0) => format!(
            "`{name}` has 0 bytes; a launch says how many bytes of dynamic shared memory there are, \
             as in `k<<<1, 32, 1024>>>()`"
        ),
        (Some(byte), _) => format!("it begins at byte {byte} of `{name}`, which has {bytes} bytes"),
        (None, _) => format!("it begins {distance} bytes before `{name}`"),
    })
}
