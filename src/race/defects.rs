//! The kinds of defects of a race: those on the way between the two accesses.

use super::{ExplainedRace, Gap, Missing};
use crate::defect::Defect;
use std::collections::BTreeSet;

/// The kinds of defects that let two accesses race, each once. They lie on the path that comes
/// closest to ordering the accesses. Without such a path, they are the reasons why the accesses are
/// not morally strong.
#[must_use]
pub fn defects(race: &ExplainedRace) -> Vec<Defect> {
    let is_weak = |missing: &&Missing| matches!(missing, Missing::Weak(_));
    // Data is weak and need not be otherwise; a weak access beside a strong one is a mistake.
    let data = race.missing.iter().filter(is_weak).count() != 1 || race.near.is_some();
    let told = race.missing.iter().filter(|missing| !(data && is_weak(missing)));
    let told = told.filter(|missing| race.near.is_none() || !missing.is_told_by_path());
    let mut out: BTreeSet<Defect> = told.filter_map(|missing| of(*missing)).collect();
    if let Some(near) = &race.near {
        out.extend(near.defects());
    }
    // The absence of any path is not worth a mention beside another defect.
    if out.len() > 1 {
        out.remove(&Defect::NoSynchronization);
    }
    out.into_iter().collect()
}

/// The kind of a missing part.
fn of(missing: Missing) -> Option<Defect> {
    Some(match missing {
        Missing::Weak(_) => Defect::WeakAccess,
        Missing::Scope(..) => Defect::ScopeTooNarrow,
        Missing::Overlap => Defect::PartialOverlap,
        Missing::Address | Missing::Proxy { alias: true, .. } => Defect::NoAliasFence,
        Missing::Proxy { alias: false, .. } => Defect::NoProxyFence,
        // The scopes are listed themselves.
        Missing::Ends(..) => return None,
        Missing::Link { gap, .. } => match gap {
            Gap::WeakWrite | Gap::WeakRead => Defect::WeakAccess,
            Gap::ScopeOfWrite | Gap::ScopeOfRead => Defect::ScopeTooNarrow,
            Gap::Release => Defect::NoRelease,
            Gap::Acquire => Defect::NoAcquire,
            Gap::Reduction | Gap::Arrival => Defect::ThroughReduction,
            Gap::Uncovered { .. } => Defect::RestrictedFence,
            Gap::Unread => Defect::NoSynchronization,
        },
        Missing::Early(_) | Missing::After { .. } => Defect::WrongSide,
        Missing::NotBefore { .. } | Missing::NotBehind { .. } => Defect::NoBarrier,
        Missing::Synchronization => Defect::NoSynchronization,
    })
}
