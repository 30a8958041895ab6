//! Instructions that become several micro-operations: bulk stores, multimem, mbarrier.

use super::lower::Lowering;
use super::micro::Micro;
use super::term::Term;
use crate::ptx::operation::Operation;

impl Lowering<'_> {
    /// Lowers an instruction that has no single micro-operation.
    pub(super) fn special_operation(&mut self, operation: &Operation) {
        let name = match operation {
            Operation::StoreBulk { .. } => "st.bulk",
            Operation::Discard { .. } => "discard",
            _ => "multimem",
        };
        self.out.push(Micro::Require {
            condition: Term::truth(false),
            rule: format!("`{name}` is outside the supported subset"),
            out_of_model: true,
        });
    }
}
