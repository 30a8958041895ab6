//! The sizes of grids that a test gives have room for its threads.

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
    let given = |name: &str| test.launch.iter().find(|size| size.register.value == name);
    for size in &test.launch {
        let name = &size.register.value;
        let (base, component) = name.split_once('.').unwrap_or((name, "x"));
        let first = match base {
            "ntid" => threads,
            "nctaid" => ctas,
            "nclusterid" => clusters,
            _ => 0,
        };
        let across = format!("{base}.x");
        let (shown, value, least) = match component {
            "x" => (name, size.value, first),
            // The dimensions that a test leaves out are 1.
            "y" | "z" if given(&across).is_none() => (&across, 1, first),
            "y" | "z" => (name, size.value, 1),
            _ => (name, 0, 0),
        };
        if first == 0 || least == 0 {
            let message = format!("`%{name}` is no size that a launch gives");
            let help = "`%ntid`, `%nctaid` and `%nclusterid` are, with `.x`, `.y` or `.z`";
            refuse(size, message, help);
        } else if value < least {
            let message = format!("`%{shown}` is {value}, but the test needs {least}");
            let help = "threads of a CTA, CTAs and clusters are numbered along `.x`, from 0";
            refuse(size, message, help);
        }
    }
    if let (Some(clusters), Some(ctas)) = (given("nclusterid.x"), given("nctaid.x"))
        && clusters.value > ctas.value
    {
        let message = format!("{} clusters of {} CTAs", clusters.value, ctas.value);
        refuse(clusters, message, "a cluster has at least one CTA");
    }
}
