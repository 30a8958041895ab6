//! Exchanges within a warp: whether the lanes of a membermask have threads.

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{Place, Test, Thread, ThreadPlace};
use crate::litmus::error::LitmusWarning;
use crate::ptx::operation::{Operation, Value};
use crate::ptx::row::Op;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The membermask of a whole warp, which code uses even if a test has fewer threads in the warp.
const ALL: u32 = u32::MAX;

/// Warns of misleading exchanges. They are executed by a thread without a declared warp, which is
/// alone in its warp, or use lanes that no thread of the test has. Each thread is reported once.
pub(super) fn check(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let warp = |p: Place| p.warp.map(|warp| (p.gpu, p.grid, p.cta, warp));
    let mut lanes: FxHashMap<_, u32> = FxHashMap::default();
    for thread in &test.threads {
        if let ThreadPlace::Device(place) = thread.place
            && let Some(warp) = warp(place)
        {
            *lanes.entry(warp).or_default() += 1;
        }
    }
    for thread in &test.threads {
        let ThreadPlace::Device(place) = thread.place else { continue };
        let known = warp(place).and_then(|warp| lanes.get(&warp)).copied();
        let stray = masks(thread).find_map(|(mask, span)| {
            let named = |count: u32| mask.checked_shr(count).unwrap_or(0) != 0;
            match known {
                None => named(1)
                    .then(|| LitmusWarning::NoWarp { thread: thread.name.value.clone(), span }),
                Some(count) => (mask != ALL && named(count)).then(|| LitmusWarning::NoLane {
                    lane: mask.ilog2(),
                    count,
                    span,
                }),
            }
        });
        diagnostics.extend(stray.map(|warning| warning.diagnostic()));
    }
}

/// The constant membermasks of a thread, with their statements.
fn masks(thread: &Thread) -> impl Iterator<Item = (u32, Span)> {
    thread.statements.iter().filter_map(|statement| match &statement.operation {
        // The mask is the last operand.
        Operation::Form(written) if matches!(written.op(), Op::Warp(_)) => {
            match written.sources().last()?.0 {
                // A mask of 32 bits may be written as a negative number.
                Value::Immediate(mask) => {
                    Some((u32::try_from(mask.value & i128::from(ALL)).ok()?, statement.span))
                }
                _ => None,
            }
        }
        _ => None,
    })
}
