//! Sizes of grids that a test gives: of those that a launch decides, and large enough for its threads.

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{LaunchSize, Test, ThreadPlace};
use crate::litmus::error::LitmusError;
use rustc_hash::FxHashMap;

pub(super) fn check(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let mut refuse = |size: &LaunchSize, message: String, help: &str| {
        let (code, help, span) = ("litmus-launch", help.to_owned(), size.register.span);
        diagnostics.push(LitmusError::Other { code, message, help, span }.diagnostic());
    };
    let mut threads: FxHashMap<_, u32> = FxHashMap::default();
    let (mut ctas, mut clusters) = (0, 0);
    for thread in &test.threads {
        if let ThreadPlace::Device(place) = thread.place {
            *threads.entry((place.gpu, place.grid, place.cta)).or_default() += 1;
            ctas = ctas.max(place.cta.saturating_add(1));
            clusters = clusters.max(place.cluster.saturating_add(1));
        }
    }
    let threads = threads.into_values().max().unwrap_or(0);
    for size in &test.launch {
        let name = &size.register.value;
        let (base, component) = name.split_once('.').unwrap_or((name, "x"));
        let least = match (base, component) {
            ("ntid", "x") => threads,
            ("nctaid", "x") => ctas,
            ("nclusterid", "x") => clusters,
            ("ntid" | "nctaid" | "nclusterid", "y" | "z") => 1,
            _ => {
                let message = format!("`%{name}` is no size that a launch gives");
                let help = "`%ntid`, `%nctaid` and `%nclusterid` are, with `.x`, `.y` or `.z`";
                refuse(size, message, help);
                continue;
            }
        };
        if size.value < least {
            let message = format!("`%{name}` is {}, but the test needs {least}", size.value);
            let help = "threads of a CTA, CTAs and clusters are numbered along `.x`, from 0";
            refuse(size, message, help);
        }
    }
}
