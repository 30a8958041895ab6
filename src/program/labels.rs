//! Labels of a thread into the steps at which they stand.

use crate::ptx::operation::{Operation, Statement};
use rustc_hash::FxHashMap;

/// The step of each label. Two labels of one statement get separate steps, so that two loops with one
/// first statement are nested; all but the last of these steps are empty. The label with the farthest
/// branch back comes first.
pub(super) fn label_positions(statements: &[Statement]) -> FxHashMap<String, usize> {
    let mut farthest: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, statement) in statements.iter().enumerate() {
        if let Operation::Branch { target, .. } = &statement.operation {
            farthest.insert(&target.value, at);
        }
    }
    let mut labels = FxHashMap::default();
    let mut at = 0;
    for statement in statements {
        let mut own: Vec<&str> = statement.labels.iter().map(|l| l.value.as_str()).collect();
        own.sort_by_key(|&label| std::cmp::Reverse(farthest.get(label).copied()));
        let steps = further_labels(statement);
        let own = own.into_iter().enumerate();
        labels.extend(own.map(|(more, label)| (label.to_owned(), at + more.min(steps))));
        at += steps + 1;
    }
    labels
}

/// The number of additional steps for a statement's labels. With more than two labels, the loops with
/// this first statement stay one loop, since a nest of them would have very many rounds.
pub(super) fn further_labels(statement: &Statement) -> usize {
    usize::from(statement.labels.len() == 2)
}
