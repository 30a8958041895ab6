//! Special registers (PTX-10) as values. A value is decided by the thread's place, is a constant
//! that the test leaves open, or may change between reads.

use super::expr::Binary;
use super::lower::Lowering;
use super::term::{Extension, Term};
use crate::litmus::ast::{LaunchSize, Place, ThreadPlace};

/// Lanes of a warp.
const LANE_BITS: u32 = 5;

impl Lowering<'_> {
    /// The value of a special register, as wide as the register is.
    pub(super) fn special(&self, name: &str) -> Term {
        let base = name.split('.').next().unwrap_or(name);
        let first = format!("{base}.x");
        // A vector without a component denotes its first.
        let name = if name == base && is_vector(base) { &first } else { name };
        // The fourth component is unused and zero.
        if is_vector(base) && name.ends_with(".w") {
            return Term::Const(0, width(base));
        }
        if base == "laneid" {
            return self.lane_id();
        }
        if let Some(which) = base.strip_prefix("lanemask_") {
            return self.lane_mask(which);
        }
        let width = width(base);
        let known = match self.place {
            ThreadPlace::Device(place) => self.by_place(name, place).or_else(|| self.size(name)),
            ThreadPlace::Host => None,
        };
        match (known, self.owner(base)) {
            (Some(number), _) => Term::Const(number, width),
            (None, Some(owner)) => {
                let value = Term::Fixed(format!("%{name} of {owner}"), width);
                match self.size_of(name) {
                    Some(Term::Const(1, _)) => return Term::Const(0, width),
                    Some(size) => {
                        let inside = value.clone().binary(Binary::ULt, size);
                        return inside.choose(value, Term::Const(0, width));
                    }
                    None => {}
                }
                match self.least(name) {
                    0 => value,
                    least => {
                        let least = Term::Const(least, width);
                        let too_small = value.clone().binary(Binary::ULt, least.clone());
                        too_small.choose(least, value)
                    }
                }
            }
            (None, None) if is_clock(base) => Term::Clock(format!("%{name}"), width),
            (None, None) => Term::Free(format!("%{name}"), width),
        }
    }

    /// The number of positions in a dimension, an exclusive bound on the position (PTX-10).
    fn size_of(&self, position: &str) -> Option<Term> {
        let (base, dimension) = position.split_once('.')?;
        let size = match base {
            "tid" | "ctaid" | "clusterid" => format!("n{position}"),
            "cluster_ctaid" => format!("cluster_nctaid.{dimension}"),
            _ => return None,
        };
        Some(self.special(&size))
    }

    /// The value that the place of a thread decides; `tid` counts the CTA's threads in the test.
    fn by_place(&self, name: &str, place: Place) -> Option<u128> {
        Some(match name {
            "ctaid.x" => u128::from(place.cta),
            "clusterid.x" => u128::from(place.cluster),
            "cluster_ctarank" | "cluster_ctaid.x" => u128::from(self.layout.rank(place)),
            "cluster_nctarank" | "cluster_nctaid.x" => {
                self.layout.cluster_ctas(place).len() as u128
            }
            "warpid" => u128::from(place.warp?),
            "tid.x" => self.at.in_cta,
            _ => return None,
        })
    }

    /// A size that the test states for the launch. If a size has one dimension stated, the others
    /// are 1.
    fn size(&self, name: &str) -> Option<u128> {
        let base = name.split('.').next();
        let mut same = self.launch.iter().filter(|s| s.register.value.split('.').next() == base);
        let exact = |size: &&LaunchSize| size.register.value == name;
        match self.launch.iter().find(exact) {
            Some(size) => Some(u128::from(size.value)),
            None => same.next().map(|_| 1),
        }
    }

    /// The least value of a size that has a place for everything that the test names (PTX-10).
    fn least(&self, name: &str) -> u128 {
        match name {
            "ntid.x" => u128::from(self.at.grid.threads),
            "nctaid.x" => u128::from(self.at.grid.ctas),
            "nclusterid.x" => u128::from(self.at.grid.clusters),
            "ntid.y" | "ntid.z" | "nctaid.y" | "nctaid.z" | "nclusterid.y" | "nclusterid.z"
            | "cluster_nctaid.y" | "cluster_nctaid.z" => 1,
            _ => 0,
        }
    }

    /// The owner of a register with one value throughout: a thread, CTA or wider group. `None` for
    /// registers whose value may change between reads: clocks, timers, counters, and where a thread
    /// currently runs.
    fn owner(&self, base: &str) -> Option<String> {
        let changes = matches!(base, "smid" | "warpid") || is_clock(base) || is_counter(base);
        if changes {
            return None;
        }
        let (name, ThreadPlace::Device(p)) = (&self.name, self.place) else {
            return Some(self.name.clone());
        };
        Some(match base {
            "nsmid" | "nwarpid" => format!("gpu {}", p.gpu),
            "tid" => name.clone(),
            "ctaid" | "cluster_ctaid" | "cluster_ctarank" => {
                format!("gpu {} grid {} cta {}", p.gpu, p.grid, p.cta)
            }
            "clusterid" => format!("gpu {} grid {} cluster {}", p.gpu, p.grid, p.cluster),
            _ => format!("gpu {} grid {}", p.gpu, p.grid),
        })
    }

    pub(super) fn lane_id(&self) -> Term {
        let lane = match self.at.lane {
            Some(lane) => Term::Const(u128::from(lane), LANE_BITS),
            None => Term::Fixed(format!("%laneid of {}", self.name), LANE_BITS),
        };
        lane.resize(32, Extension::Zero)
    }

    /// The mask of this lane and of the lanes below or above it (PTX-10.18).
    fn lane_mask(&self, which: &str) -> Term {
        let one = Term::Const(1, 32);
        let own = one.clone().binary(Binary::Shl, self.lane_id());
        let below = own.clone().binary(Binary::Sub, one);
        match which {
            "eq" => own,
            "lt" => below,
            "le" => below.binary(Binary::Or, own),
            "ge" => below.not(),
            _ => below.binary(Binary::Or, own).not(),
        }
    }
}

/// Whether a register has components.
fn is_vector(base: &str) -> bool {
    let of = base.strip_prefix("cluster_").unwrap_or(base);
    let of = of.strip_prefix('n').unwrap_or(of);
    matches!(of, "tid" | "ctaid" | "clusterid")
}

/// Whether a register counts cycles or time, without end and whatever threads do (PTX-10.23 to 10.28).
fn is_clock(base: &str) -> bool {
    base.starts_with("clock") || base.starts_with("globaltimer")
}

fn is_counter(base: &str) -> bool {
    base.strip_prefix("pm").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
}

/// The width of a special register in bits (PTX-10).
fn width(base: &str) -> u32 {
    match base {
        "is_explicit_cluster" => 1,
        "gridid" | "clock64" | "globaltimer" | "current_graph_exec" => 64,
        _ if base.ends_with("_64") => 64,
        _ => 32,
    }
}
