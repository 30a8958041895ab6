//! The levels of a place in a program. A level is the order and scope of an access or a fence, or
//! the presence of a fence or a barrier. Levels are partially ordered by strength.
//!
//! The order of levels is that of the [laws](../../paper-notes/laws.md): behaviour allowed at a
//! level is allowed at each level below. Levels of edits without such a law, that is, barriers and
//! exchanges of statements, are incomparable.

use crate::program::micro::TensorFence;
use crate::ptx::operation::{Order, ProxyFenceKind, Scope};

/// The level of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// No fence, no barrier, or statements in their original order.
    Absent,
    /// A weak access.
    Weak,
    /// A strong access, or a fence.
    Strong(Order, Scope),
    /// A proxy fence.
    Proxy(ProxyFenceKind),
    /// A fence of the tensor cores.
    Tensor(TensorFence),
    /// An indivisible edit, by its number among the edits of its place.
    Edit(u8),
}

impl Level {
    /// Whether the other level is equal or stronger.
    #[must_use]
    pub fn is_below(self, other: Self) -> bool {
        match (self, other) {
            (Self::Absent, _) | (Self::Weak, Self::Strong(..)) => true,
            (Self::Strong(order, scope), Self::Strong(stronger, wider)) => {
                is_weaker(order, stronger) && scope <= wider
            }
            (Self::Proxy(ProxyFenceKind::Async(Some(_))), Self::Proxy(all)) => {
                self == other || all == ProxyFenceKind::Async(None)
            }
            _ => self == other,
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => f.write_str("nothing"),
            Self::Weak => f.write_str(".weak"),
            Self::Strong(order, scope) => write!(f, ".{order}.{scope}"),
            Self::Proxy(ProxyFenceKind::Async(Some(space))) => {
                write!(f, "fence.proxy.async.{space}")
            }
            Self::Proxy(ProxyFenceKind::Async(None)) => f.write_str("fence.proxy.async"),
            Self::Proxy(ProxyFenceKind::Alias) => f.write_str("fence.proxy.alias"),
            Self::Proxy(_) => f.write_str("another proxy fence"),
            Self::Tensor(TensorFence::Warpgroup) => f.write_str("wgmma.fence.sync.aligned"),
            Self::Tensor(TensorFence::Before) => f.write_str("tcgen05.fence::before_thread_sync"),
            Self::Tensor(TensorFence::After) => f.write_str("tcgen05.fence::after_thread_sync"),
            Self::Edit(number) => write!(f, "edit {number}"),
        }
    }
}

/// Whether an order is equal to or weaker than another one (PTX-8.4); acquire and release are
/// incomparable.
fn is_weaker(order: Order, other: Order) -> bool {
    match (order, other) {
        (Order::Acquire, Order::Release) => false,
        (one, other) => one <= other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::operation::Space;

    const ORDERS: [Order; 5] =
        [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::Sc];

    fn all() -> Vec<Level> {
        let kinds = [None, Some(Space::Global), Some(Space::SharedCta)].map(ProxyFenceKind::Async);
        let mut all = vec![Level::Absent, Level::Weak, Level::Edit(0), Level::Edit(1)];
        all.extend(kinds.map(Level::Proxy));
        for order in ORDERS {
            all.extend([Scope::Cta, Scope::Gpu].map(|scope| Level::Strong(order, scope)));
        }
        all
    }

    #[test]
    fn levels_are_partially_ordered() {
        for a in all() {
            assert!(a.is_below(a), "{a}");
            for b in all() {
                assert!(a == b || !(a.is_below(b) && b.is_below(a)), "{a} {b}");
                for c in all() {
                    assert!(!(a.is_below(b) && b.is_below(c)) || a.is_below(c), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn acquire_and_release_are_apart() {
        let at = |order| Level::Strong(order, Scope::Gpu);
        assert!(!at(Order::Acquire).is_below(at(Order::Release)));
        assert!(!at(Order::Release).is_below(at(Order::Acquire)));
        assert!(at(Order::Release).is_below(at(Order::AcqRel)));
        assert!(!Level::Edit(0).is_below(Level::Edit(1)));
    }
}
