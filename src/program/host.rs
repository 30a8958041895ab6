//! Operations that a host thread cannot execute. A host thread takes part in the memory model with
//! system scope (PTX-8.5), and has neither a CTA nor a grid.

use crate::ptx::operation::{AccessForm, Operation, Space};

/// The feature of an operation that only device threads have. (Barriers are checked with their
/// participants.)
pub(super) fn needs_device(operation: &Operation) -> Option<&'static str> {
    match operation {
        Operation::Load { access, .. }
        | Operation::Store { access, .. }
        | Operation::Atomic { access, .. }
        | Operation::Reduce { access, .. } => needs_kernel(access),
        Operation::MultimemLoadReduce { .. }
        | Operation::MultimemStore { .. }
        | Operation::MultimemReduce { .. } => Some("`multimem`"),
        Operation::Mbarrier { .. } => Some("an mbarrier operation"),
        Operation::GridDependencyWait | Operation::LaunchDependents => Some("`griddepcontrol`"),
        Operation::Form(written) => written.form.row.device,
        _ => None,
    }
}

fn needs_kernel(access: &AccessForm) -> Option<&'static str> {
    match access.space {
        Space::SharedCta | Space::SharedCluster => Some("an access to `.shared`"),
        Space::Local => Some("an access to `.local`"),
        Space::Const => Some("an access to `.const`"),
        Space::ParamEntry | Space::ParamFunc => Some("an access to `.param`"),
        Space::Generic | Space::Global => None,
    }
}
