//! The sizes of a test's grids, which have to have room for its threads.

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{LaunchSize, Test, ThreadPlace};
use crate::litmus::error::LitmusError;
use rustc_hash::FxHashMap;

/// How large a grid is at least, going by the threads of the test.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GridSize {
    /// The number of threads in its largest CTA.
    pub(crate) threads: u64,
    /// One more than the largest CTA number.
    pub(crate) ctas: u64,
    /// One more than the largest cluster number.
    pub(crate) clusters: u64,
}

/// The least size of every grid, by gpu and grid number.
pub(crate) fn grid_sizes(test: &Test) -> FxHashMap<(u32, u32), GridSize> {
    let mut in_cta: FxHashMap<(u32, u32, u32), u64> = FxHashMap::default();
    let mut sizes: FxHashMap<(u32, u32), GridSize> = FxHashMap::default();
    for thread in &test.threads {
        let ThreadPlace::Device(p) = thread.place else { continue };
        let threads = in_cta.entry((p.gpu, p.grid, p.cta)).or_default();
        *threads += 1;
        let size = sizes.entry((p.gpu, p.grid)).or_default();
        size.threads = size.threads.max(*threads);
        size.ctas = size.ctas.max(u64::from(p.cta) + 1);
        size.clusters = size.clusters.max(u64::from(p.cluster) + 1);
    }
    sizes
}

pub(super) fn check(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let mut refuse = |size: &LaunchSize, message: String, help: &str| {
        let (code, help, span) = ("litmus-launch", help.to_owned(), size.register.span);
        diagnostics.push(LitmusError::Other { code, message, help, span }.diagnostic());
    };
    // A launch size is given for every grid of the test.
    let mut needed = GridSize::default();
    for size in grid_sizes(test).into_values() {
        needed.threads = needed.threads.max(size.threads);
        needed.ctas = needed.ctas.max(size.ctas);
        needed.clusters = needed.clusters.max(size.clusters);
    }
    let given = |name: &str| test.launch.iter().find(|size| size.register.value == name);
    for size in &test.launch {
        let name = &size.register.value;
        let (base, component) = name.split_once('.').unwrap_or((name, "x"));
        let first = match base {
            "ntid" => needed.threads,
            "nctaid" => needed.ctas,
            "nclusterid" => needed.clusters,
            _ => 0,
        };
        let across = format!("{base}.x");
        let (shown, value, least) = match component {
            "x" => (name, u64::from(size.value), first),
            // The dimensions that a test leaves out are 1.
            "y" | "z" if given(&across).is_none() => (&across, 1, first),
            "y" | "z" => (name, u64::from(size.value), 1),
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
