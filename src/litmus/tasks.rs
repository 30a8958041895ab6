//! Tasks of the API (PTX-8.9.4): kernel launches and host operations, and the order between them.

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{TaskEdge, Test, ThreadPlace};
use crate::litmus::error::{LitmusError, LitmusWarning};
use crate::ptx::operation::Operation;
use crate::source::Spanned;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks that every kernel launch has its own grid, that edges connect declared tasks, and that no
/// task waits for itself.
pub(super) fn check(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    grids(test, diagnostics);
    edges(test, diagnostics);
    dependencies(test, diagnostics);
}

/// Checks for `griddepcontrol` in kernels without the `pdl` edge that gives it a meaning
/// (PTX-9.7.13.13).
fn dependencies(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    for thread in test.threads.iter().filter(|thread| thread.place != ThreadPlace::Host) {
        let task = thread.task.map(|task| test.tasks[task].name.value.as_str());
        let mut said = [false; 2];
        for statement in &thread.statements {
            let (what, leads, index) = match statement.operation {
                Operation::GridDependencyWait => ("waits for no kernel", "to", 0),
                Operation::LaunchDependents => ("lets no kernel start", "from", 1),
                _ => continue,
            };
            let end = |edge: &TaskEdge| match index {
                0 => Some(edge.to.value.as_str()) == task,
                _ => Some(edge.from.value.as_str()) == task,
            };
            let mut pdl = test.task_edges.iter().filter(|edge| edge.programmatic);
            if !std::mem::replace(&mut said[index], true) && !pdl.any(end) {
                let thread = thread.name.value.clone();
                let span = statement.span;
                let warning = LitmusWarning::NoDependency { what, leads, thread, span };
                diagnostics.push(warning.diagnostic());
            }
        }
    }
}

/// Checks that tasks and grids are one to one (PTX-2.2.3).
fn grids(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let mut grid_of: FxHashMap<usize, (u32, u32)> = FxHashMap::default();
    let mut task_of: FxHashMap<(u32, u32), Option<usize>> = FxHashMap::default();
    for thread in &test.threads {
        let ThreadPlace::Device(place) = thread.place else { continue };
        let here = (place.gpu, place.grid);
        let name = |task: Option<usize>| match task {
            Some(task) => format!("task `{}`", test.tasks[task].name.value),
            None => "a thread without a task".to_owned(),
        };
        let elsewhere = thread.task.is_some_and(|t| *grid_of.entry(t).or_insert(here) != here);
        let other = *task_of.entry(here).or_insert(thread.task);
        let message = if elsewhere {
            format!("the threads of {} are in two grids", name(thread.task))
        } else if other != thread.task {
            let (gpu, grid) = here;
            let (other, own) = (name(other), name(thread.task));
            format!("{other} and {own} are both in grid {grid} of gpu {gpu}")
        } else {
            continue;
        };
        let help = "a task is one kernel launch, which is one grid on one device (PTX-2.2.3); leave \
                    out `grid`, and each task has its own";
        let (code, help, span) = ("litmus-task-grid", help.to_owned(), thread.name.span);
        diagnostics.push(LitmusError::Other { code, message, help, span }.diagnostic());
    }
}

fn edges(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let known: FxHashSet<&str> = test.tasks.iter().map(|t| t.name.value.as_str()).collect();
    let names: Vec<_> = test.tasks.iter().map(|t| format!("`{}`", t.name.value)).collect();
    for end in test.task_edges.iter().flat_map(|edge| [&edge.from, &edge.to]) {
        if !known.contains(end.value.as_str()) {
            let (name, known) = (end.clone(), names.join(", "));
            diagnostics.push(LitmusError::UnknownTask { name, known }.diagnostic());
        }
    }
    let mut order = DiGraph::<(), ()>::new();
    let mut nodes = FxHashMap::default();
    for edge in &test.task_edges {
        let [from, to] = [&edge.from, &edge.to]
            .map(|end| *nodes.entry(end.value.as_str()).or_insert_with(|| order.add_node(())));
        order.add_edge(from, to, ());
    }
    // An edge within a component is on a cycle, and of one cycle the last edge closes it.
    let mut component = vec![0; order.node_count()];
    for (number, tasks) in kosaraju_scc(&order).iter().enumerate() {
        tasks.iter().for_each(|task| component[task.index()] = number);
    }
    let of = |end: &Spanned<String>| component[nodes[end.value.as_str()].index()];
    if let Some(edge) = test.task_edges.iter().rfind(|edge| of(&edge.from) == of(&edge.to)) {
        let (code, name) = ("litmus-task-cycle", &edge.to.value);
        let message = format!("the tasks wait for each other: `{name}` would start after itself");
        let help = "a task starts after those that lead to it; leave out one edge".to_owned();
        let error = LitmusError::Other { code, message, help, span: edge.to.span };
        diagnostics.push(error.diagnostic());
    }
}
