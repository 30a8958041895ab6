//! The costs of levels, which determine the ranking of suggestions: a table that users may replace.
//!
//! Costs are monotonic: a weaker level never costs more than a stronger one.

use super::level::Level;
use crate::diagnostic::closest;
use crate::program::micro::TensorFence;
use crate::ptx::operation::{Order, ProxyFenceKind, Scope};

/// The class of a place for cost computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An access.
    Access,
    /// A fence, including those of proxies and of the tensor cores.
    Fence,
    /// A barrier of a CTA.
    CtaBarrier,
    /// A barrier of a warp.
    WarpBarrier,
    /// The exchange of a statement with an adjacent barrier.
    Move,
}

/// The names of costs with their defaults, in the order of printing.
const DEFAULTS: [(&str, u32); 22] = [
    ("relaxed", 1),
    ("acquire", 3),
    ("release", 3),
    ("acq_rel", 4),
    ("fence.acquire", 4),
    ("fence.release", 4),
    ("fence.acq_rel", 5),
    ("fence.sc", 9),
    ("cta", 0),
    ("cluster", 1),
    ("gpu", 2),
    ("sys", 4),
    ("fence.proxy.async.shared::cta", 3),
    ("fence.proxy.async.global", 4),
    ("fence.proxy.async", 5),
    ("fence.proxy.alias", 5),
    ("fence.proxy", 5),
    ("tcgen05.fence", 3),
    ("wgmma.fence", 3),
    ("bar.warp.sync", 2),
    ("bar.sync", 6),
    ("move", 2),
];

/// Pairs of costs of which the first must not be above the second.
const RISING: [(&str, &str); 14] = [
    ("relaxed", "acquire"),
    ("relaxed", "release"),
    ("acquire", "acq_rel"),
    ("release", "acq_rel"),
    ("fence.acquire", "fence.acq_rel"),
    ("fence.release", "fence.acq_rel"),
    ("fence.acq_rel", "fence.sc"),
    ("cta", "cluster"),
    ("cluster", "gpu"),
    ("gpu", "sys"),
    ("fence.proxy.async.shared::cta", "fence.proxy.async"),
    ("fence.proxy.async.global", "fence.proxy.async"),
    ("bar.warp.sync", "bar.sync"),
    ("cta", "sys"),
];

/// A table of costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs([u32; DEFAULTS.len()]);

impl Default for Costs {
    fn default() -> Self {
        Self(DEFAULTS.map(|(_, cost)| cost))
    }
}

/// An error in a table of costs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// A line that is not `name = number`.
    #[error("line {line}: a cost is written `name = number`, as in `fence.sc = 9`")]
    Form {
        /// Its number, from 1.
        line: usize,
    },
    /// A name that no cost has.
    #[error("line {line}: there is no cost `{name}`; {help}")]
    Name {
        /// The number of the line, from 1.
        line: usize,
        /// The name.
        name: String,
        /// A suggestion of a name.
        help: String,
    },
    /// A stronger level that costs less than a weaker one.
    #[error("`{weak}` must not cost more than `{strong}`")]
    Falls {
        /// The weaker one.
        weak: &'static str,
        /// The stronger one.
        strong: &'static str,
    },
}

impl Costs {
    /// Reads lines `name = number`. Omitted names keep their costs. `#` starts a comment.
    ///
    /// # Errors
    /// With the first invalid line, or if a stronger level costs less than a weaker one.
    pub fn parse(text: &str) -> Result<Self, CostError> {
        let mut costs = Self::default();
        for (index, line) in text.lines().enumerate() {
            let (line, number) = (line.split('#').next().unwrap_or("").trim(), index + 1);
            if line.is_empty() {
                continue;
            }
            let form = CostError::Form { line: number };
            let (name, cost) = line.split_once('=').ok_or_else(|| form.clone())?;
            let (name, cost) = (name.trim(), cost.trim().parse().map_err(|_| form)?);
            let Some(at) = DEFAULTS.iter().position(|(known, _)| *known == name) else {
                let names = || DEFAULTS.iter().map(|(name, _)| *name);
                let help = match closest(name, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("costs are {}", names().collect::<Vec<_>>().join(", ")),
                };
                return Err(CostError::Name { line: number, name: name.to_owned(), help });
            };
            costs.0[at] = cost;
        }
        let falls = RISING.iter().find(|(weak, strong)| costs.named(weak) > costs.named(strong));
        match falls {
            Some(&(weak, strong)) => Err(CostError::Falls { weak, strong }),
            None => Ok(costs),
        }
    }

    /// The costs by name, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        DEFAULTS.iter().zip(self.0).map(|((name, _), cost)| (*name, cost))
    }

    /// The cost of a level at a place of a class.
    #[must_use]
    pub fn of(&self, class: Class, level: Level) -> u32 {
        match level {
            Level::Absent | Level::Weak => 0,
            Level::Strong(order, scope) => {
                self.named(order_name(class, order)).saturating_add(self.named(scope_name(scope)))
            }
            Level::Proxy(kind) => self.named(match kind {
                ProxyFenceKind::Alias => "fence.proxy.alias",
                ProxyFenceKind::Async(None) => "fence.proxy.async",
                ProxyFenceKind::Async(Some(crate::ptx::operation::Space::Global)) => {
                    "fence.proxy.async.global"
                }
                ProxyFenceKind::Async(Some(_)) => "fence.proxy.async.shared::cta",
                _ => "fence.proxy",
            }),
            Level::Tensor(TensorFence::Warpgroup) => self.named("wgmma.fence"),
            Level::Tensor(_) => self.named("tcgen05.fence"),
            Level::Edit(_) => self.named(match class {
                Class::CtaBarrier => "bar.sync",
                Class::WarpBarrier => "bar.warp.sync",
                Class::Access | Class::Fence | Class::Move => "move",
            }),
        }
    }

    fn named(&self, name: &str) -> u32 {
        self.iter().find(|(known, _)| *known == name).map_or(0, |(_, cost)| cost)
    }
}

fn order_name(class: Class, order: Order) -> &'static str {
    match (class == Class::Fence, order) {
        (true, Order::Sc) | (false, Order::Sc) => "fence.sc",
        (true, Order::Acquire) => "fence.acquire",
        (true, Order::Release) => "fence.release",
        (true, _) => "fence.acq_rel",
        (false, Order::Acquire) => "acquire",
        (false, Order::Release) => "release",
        (false, Order::AcqRel) => "acq_rel",
        (false, Order::Weak | Order::Relaxed) => "relaxed",
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_rise() {
        assert_eq!(Costs::parse(""), Ok(Costs::default()));
    }

    #[test]
    fn tables_are_read() {
        let costs = Costs::parse("# ours\nfence.sc = 20 # dear\n\nmove=0").expect("it is a table");
        let level = Level::Strong(Order::Sc, Scope::Cta);
        assert_eq!(costs.of(Class::Fence, level), 20);
        assert_eq!(costs.of(Class::Move, Level::Edit(0)), 0);
        assert_eq!(Costs::parse("fence.sc"), Err(CostError::Form { line: 1 }));
        assert_eq!(Costs::parse("sys = much"), Err(CostError::Form { line: 1 }));
        let falls = CostError::Falls { weak: "gpu", strong: "sys" };
        assert_eq!(Costs::parse("sys = 1"), Err(falls));
        let error = Costs::parse("fence.seq = 1").expect_err("no such cost").to_string();
        assert!(error.contains("line 1") && error.contains("did you mean"), "{error}");
    }
}
