//! The oldest version of PTX and the oldest architecture that have the instructions of a test.

use super::plan::{Clustered, Plan};
use super::refusal::Refusal;
use crate::litmus::ast::{DeclaredSpace, Test};
use crate::ptx::operation::{
    AccessForm, AtomicOp, FenceRestriction, MbarrierOp, Operation, Order, ProxyFenceKind, Scope,
    Space, Statement, Type, TypeKind,
};
use crate::ptx::row::{Op, Since, Variants};
use crate::ptx::written::Written;

/// The values of `.version` and `.target` in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The version of PTX, major and minor.
    pub version: (u32, u32),
    /// The architecture, such as `sm_70`.
    pub arch: String,
}

/// A version of PTX and a number of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    version: (u32, u32),
    arch: u32,
    /// Whether only a variant of the architecture is sufficient, which later architectures need not
    /// support.
    variant: bool,
}

impl Target {
    /// The number of the architecture; zero for one that is named otherwise.
    #[must_use]
    pub fn number(&self) -> u32 {
        number_of(&self.arch).unwrap_or(0)
    }
}

/// The needs of the memory model (PTX-8) for its orders and scopes.
const MODEL: Needs = Needs { version: (6, 4), arch: 70, variant: false };

impl Needs {
    fn at_least(self, major: u32, minor: u32, arch: u32) -> Self {
        Self { version: self.version.max((major, minor)), arch: self.arch.max(arch), ..self }
    }

    /// The target with the architecture that the user names, if any.
    ///
    /// # Errors
    /// When that lacks a form of the test.
    pub(super) fn named(self, arch: Option<&str>) -> Result<Target, Refusal> {
        let number = arch.and_then(number_of);
        if let Some(arch) = arch.filter(|_| number.is_some_and(|number| number < self.arch)) {
            return Err(Refusal::Arch { named: arch.to_owned(), needed: self.arch });
        }
        // The versions in which the assembler learnt these architectures.
        let known = match number.unwrap_or(self.arch) {
            ..=75 => (6, 4),
            76..=80 => (7, 0),
            81..=86 => (7, 1),
            87 => (7, 4),
            88..=90 => (7, 8),
            91..=101 => (8, 6),
            102..=120 => (8, 7),
            _ => (9, 0),
        };
        let special = arch.is_some_and(|name| name.ends_with('a'));
        let known = if special && known == (7, 8) { (8, 0) } else { known };
        let known =
            if arch.is_some_and(|name| name.ends_with('f')) { known.max((8, 8)) } else { known };
        let own = || format!("sm_{}{}", self.arch, if self.variant { "a" } else { "" });
        let arch = arch.map_or_else(own, ToOwned::to_owned);
        Ok(Target { version: self.version.max(known), arch })
    }
}

/// The number of an architecture, such as 90 of `sm_90a`.
fn number_of(arch: &str) -> Option<u32> {
    arch.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse().ok()
}

/// The needs of a test's kernel.
pub(super) fn needed(test: &Test, plan: &Plan) -> Needs {
    let mut needs = MODEL;
    if plan.clustered == Clustered::Explicitly {
        needs = needs.at_least(8, 0, 90);
    }
    let wide = |ty: Type| ty.bits > 64;
    let registers = test.threads.iter().flat_map(|thread| &thread.registers);
    let variables = test.variables.iter().filter(|v| v.space != DeclaredSpace::Param);
    if registers.map(|r| r.1).chain(variables.map(|v| v.ty)).any(wide) {
        needs = needs.at_least(8, 3, 70);
    }
    let statements = test.threads.iter().flat_map(|thread| &thread.statements);
    statements.fold(needs, statement)
}

fn statement(needs: Needs, statement: &Statement) -> Needs {
    use Operation as O;
    match &statement.operation {
        O::Load { access, non_coherent, .. } => {
            let needs = if *non_coherent { needs } else { accessed(needs, access) };
            wide(needs, access)
        }
        O::Store { access, .. } => wide(accessed(needs, access), access),
        O::Atomic { access, op, .. } | O::Reduce { access, op, .. } => {
            atomic(accessed(needs, access), access, *op)
        }
        O::Fence { order, scope, restriction } => {
            let needs = scoped(needs, Some(*scope));
            match (restriction, order) {
                (FenceRestriction::MbarrierInit, _) => needs.at_least(8, 0, 90),
                (FenceRestriction::None, Order::AcqRel | Order::Sc) => needs,
                _ => needs.at_least(8, 6, 90),
            }
        }
        O::ProxyFence { kind, .. } => match kind {
            ProxyFenceKind::Alias => needs.at_least(7, 5, 70),
            ProxyFenceKind::Async(_) => needs.at_least(8, 0, 90),
            ProxyFenceKind::TensormapAcquire(scope) | ProxyFenceKind::TensormapRelease(scope) => {
                scoped(needs.at_least(8, 3, 90), Some(*scope))
            }
            ProxyFenceKind::AsyncGenericAcquire | ProxyFenceKind::AsyncGenericRelease => {
                needs.at_least(8, 6, 90)
            }
            ProxyFenceKind::AliasAcquire | ProxyFenceKind::AliasRelease => needs.at_least(9, 4, 90),
            ProxyFenceKind::AsyncGenericReleaseReads => needs.at_least(9, 4, 90),
            ProxyFenceKind::Research(_) => needs,
        },
        O::ClusterArrive { .. } | O::ClusterWait => needs.at_least(8, 0, 90),
        O::Mbarrier { access, op } => mbarrier(needs, access, op),
        O::Form(written) => form(needs, written),
        O::Arithmetic { ty, .. } if ty.is_float() => needs.at_least(7, 8, 90),
        O::Pack { ty, .. } | O::Unpack { ty, .. } | O::Move { ty, .. } if ty.bits > 64 => {
            needs.at_least(8, 3, 70)
        }
        O::Unknown { .. } => needs.at_least(8, 0, 90),
        _ => needs,
    }
}

fn scoped(needs: Needs, scope: Option<Scope>) -> Needs {
    if scope == Some(Scope::Cluster) { needs.at_least(7, 8, 90) } else { needs }
}

fn accessed(needs: Needs, access: &AccessForm) -> Needs {
    let needs = scoped(needs, access.scope);
    let needs = if access.mmio { needs.at_least(8, 2, 70) } else { needs };
    let needs = match access.space {
        Space::Local if access.volatile => needs.at_least(9, 1, 70),
        Space::SharedCluster => needs.at_least(7, 8, 90),
        Space::ParamFunc => needs.at_least(8, 3, 70),
        _ => needs,
    };
    if access.elements * access.ty.bits > 128 { needs.at_least(8, 8, 100) } else { needs }
}

fn wide(needs: Needs, access: &AccessForm) -> Needs {
    if access.ty.bits > 64 { needs.at_least(8, 3, 70) } else { needs }
}

fn atomic(needs: Needs, access: &AccessForm, op: AtomicOp) -> Needs {
    let needs = match access.ty.kind {
        TypeKind::Bfloat | TypeKind::BfloatX2 => needs.at_least(7, 8, 90),
        _ => needs,
    };
    let needs = if access.elements > 1 { needs.at_least(8, 1, 90) } else { needs };
    match op {
        _ if access.ty.bits > 64 => needs.at_least(8, 4, 90),
        _ => needs,
    }
}

fn mbarrier(needs: Needs, access: &AccessForm, op: &MbarrierOp) -> Needs {
    let needs = accessed(needs.at_least(7, 0, 80), access);
    let scoped = access.scope.is_some_and(|scope| scope == Scope::Cluster);
    let needs = match op {
        MbarrierOp::ExpectTx { .. } | MbarrierOp::CompleteTx { .. } => needs.at_least(8, 0, 90),
        MbarrierOp::Arrive { expect_tx: Some(_), .. } => needs.at_least(8, 0, 90),
        MbarrierOp::Arrive { .. } => needs.at_least(8, 0, 90),
        MbarrierOp::Wait { .. } => needs.at_least(8, 0, 90),
        MbarrierOp::Init { .. } | MbarrierOp::Inval => needs,
    };
    match (access.order, op) {
        (_, MbarrierOp::Init { .. } | MbarrierOp::Inval) => needs,
        (Order::Relaxed, MbarrierOp::ExpectTx { .. } | MbarrierOp::CompleteTx { .. }) => needs,
        (Order::Relaxed, _) => needs.at_least(8, 7, 90),
        _ if scoped => needs.at_least(8, 0, 90),
        _ => needs,
    }
}

/// The needs of a form according to the table, and the additional needs of its words.
fn form(needs: Needs, written: &Written) -> Needs {
    let Since { version: (major, minor), target, variants } = written.form.row.since;
    let needs = needs.at_least(major, minor, target);
    let needs = Needs { variant: needs.variant || variants == Variants::Special, ..needs };
    let needs = match (written.op(), written.words.space()) {
        (_, Space::SharedCluster) => needs.at_least(7, 8, 90),
        (Op::IsSpace, Space::SharedCta) => needs.at_least(7, 8, 70),
        (_, Space::ParamEntry | Space::ParamFunc) => needs.at_least(7, 7, 70),
        _ => needs,
    };
    let needs = if written.words.has("NaN") { needs.at_least(7, 0, 80) } else { needs };
    if written.words.has("xorsign") { needs.at_least(7, 2, 86) } else { needs }
}
