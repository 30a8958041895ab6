//! `fence` and `membar`, proxy fences included.

use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::names;
use crate::ptx::operation::{FenceRestriction, Operation, Order, ProxyFenceKind, Scope, Space};
use crate::source::Spanned;

const SECTION: &str = "PTX-9.7.13.4";
const FENCE: &str = "fence{.sc|.acq_rel|.acquire|.release}.scope";
const PROXY_FENCE: &str = "fence.proxy.{alias|async|async.global|async.shared::{cta,cluster}}";
const RESTRICT_CLUSTER: &str = "sync_restrict::shared::cluster";
const RESTRICT_CTA: &str = "sync_restrict::shared::cta";

const RESTRICTED_FENCES: &str = "fence.{acquire.sync_restrict::shared::cluster|\
                                 release.sync_restrict::shared::cta}.cluster";

/// Whether a word means to restrict a fence to some objects.
fn is_restriction(word: &str) -> bool {
    word.starts_with("sync_restrict")
}

impl Decoder<'_> {
    pub(super) fn fence(&mut self) -> Decoded {
        if self.qualifiers.flag("proxy")?.is_some() {
            return self.proxy_fence();
        }
        self.operands(0, 0, FENCE)?;
        if let Some(span) = self.qualifiers.flag("op_restrict")? {
            return Err(DecodeError::Rule {
                message: format!("`{}` is no fence", self.form()),
                help: "in the grammar, `.op_restrict` stands for `.mbarrier_init`: write \
                       `fence.mbarrier_init.release.cluster`",
                section: SECTION,
                span,
            });
        }
        let restriction =
            self.qualifiers.one_of(&["mbarrier_init", RESTRICT_CLUSTER, RESTRICT_CTA])?;
        let order = self.qualifiers.order()?;
        let scope = self.qualifiers.scope()?;
        let restricted = self.instruction.qualifiers.iter().any(|word| is_restriction(&word.value));
        self.finish(if restricted { RESTRICTED_FENCES } else { FENCE })?;
        if let Some(restriction) = restriction {
            return self.restricted_fence(restriction, order, scope);
        }
        let order = match order {
            None => Order::AcqRel,
            Some(Spanned { value: Order::Weak | Order::Relaxed, span }) => {
                return Err(DecodeError::Rule {
                    message: "a fence is neither weak nor relaxed".to_owned(),
                    help: "a fence is `.sc`, `.acq_rel` (the default), `.acquire` or `.release`",
                    section: SECTION,
                    span,
                });
            }
            Some(order) => order.value,
        };
        let scope = scope.ok_or_else(|| self.missing_scope(SECTION))?.value;
        Ok(Operation::Fence { order, scope, restriction: FenceRestriction::None })
    }

    /// Fences for some objects only, all at cluster scope.
    fn restricted_fence(
        &self,
        restriction: Spanned<&'static str>,
        order: Option<Spanned<Order>>,
        scope: Option<Spanned<Scope>>,
    ) -> Decoded {
        let (order_wanted, restriction_kind, help) = match restriction.value {
            "mbarrier_init" => (
                Order::Release,
                FenceRestriction::MbarrierInit,
                "write `fence.mbarrier_init.release.cluster`",
            ),
            RESTRICT_CLUSTER => (
                Order::Acquire,
                FenceRestriction::AcquireSharedCluster,
                "write `fence.acquire.sync_restrict::shared::cluster.cluster`",
            ),
            _ => (
                Order::Release,
                FenceRestriction::ReleaseSharedCta,
                "write `fence.release.sync_restrict::shared::cta.cluster`",
            ),
        };
        let order = order.map(|order| order.value);
        let scope = scope.map(|scope| scope.value);
        if order != Some(order_wanted) || scope != Some(Scope::Cluster) {
            return Err(DecodeError::Rule {
                message: format!("`{}` is no fence", self.form()),
                help,
                section: SECTION,
                span: restriction.span,
            });
        }
        Ok(Operation::Fence {
            order: order_wanted,
            scope: Scope::Cluster,
            restriction: restriction_kind,
        })
    }

    fn proxy_fence(&mut self) -> Decoded {
        if let Some(uni) = self.qualifiers.one_of(&["tensormap::generic", "async::generic"])? {
            return if uni.value == "async::generic" {
                self.async_generic_fence()
            } else {
                self.tensormap_fence()
            };
        }
        self.operands(0, 0, PROXY_FENCE)?;
        let kind = self.bidirectional_kind()?;
        self.finish(PROXY_FENCE)?;
        Ok(Operation::ProxyFence { kind, address: None })
    }

    fn bidirectional_kind(&mut self) -> Result<ProxyFenceKind, DecodeError> {
        if self.in_columns()
            && let Some(proxy) = self.qualifiers.take(names::proxy)?
        {
            return Ok(ProxyFenceKind::Research(proxy.value));
        }
        match self.qualifiers.one_of(&["alias", "async"])? {
            Some(Spanned { value: "alias", .. }) => Ok(ProxyFenceKind::Alias),
            Some(_) if self.qualifiers.has("shared") => Err(self.rule(
                "`.shared` is ambiguous here",
                "write `.shared::cta` or `.shared::cluster`",
                SECTION,
            )),
            Some(_) => match self.qualifiers.space()?.map(|space| space.value) {
                None => Ok(ProxyFenceKind::Async(None)),
                Some(space @ (Space::Global | Space::SharedCta | Space::SharedCluster)) => {
                    Ok(ProxyFenceKind::Async(Some(space)))
                }
                Some(space) => Err(self.illegal_space(
                    space,
                    "global, shared::cta and shared::cluster",
                    SECTION,
                )),
            },
            None if self.qualifiers.take(names::proxy)?.is_some() => Err(self.rule(
                "PTX has no fence for this proxy",
                "the proxies with a fence are alias, async and tensormap",
                SECTION,
            )),
            None => {
                Err(self.missing("a proxy: `.alias`, `.async` or `.tensormap::generic`", SECTION))
            }
        }
    }

    fn tensormap_fence(&mut self) -> Decoded {
        const SHAPE: &str =
            "fence.proxy.tensormap::generic.{release.scope | acquire.scope [a], 128}";
        let order = self.qualifiers.order()?.map(|order| order.value);
        let scope = self.qualifiers.scope()?;
        self.finish(SHAPE)?;
        let scope = scope.ok_or_else(|| self.missing_scope(SECTION))?.value;
        match order {
            Some(Order::Release) => {
                self.operands(0, 0, SHAPE)?;
                Ok(Operation::ProxyFence {
                    kind: ProxyFenceKind::TensormapRelease(scope),
                    address: None,
                })
            }
            Some(Order::Acquire) => {
                let operands = self.operands(2, 2, SHAPE)?;
                let address = Some(self.address(&operands[0])?);
                self.constant(&operands[1], 128)?;
                let kind = ProxyFenceKind::TensormapAcquire(scope);
                Ok(Operation::ProxyFence { kind, address })
            }
            _ => Err(self.missing("`.release` or `.acquire`", SECTION)),
        }
    }

    fn async_generic_fence(&mut self) -> Decoded {
        const SHAPE: &str = "fence.proxy.async::generic.{acquire.sync_restrict::shared::cluster | \
                             release.sync_restrict::shared::cta}.cluster";
        self.operands(0, 0, SHAPE)?;
        let order = self.qualifiers.order()?.map(|order| order.value);
        let restriction = self.qualifiers.one_of(&[RESTRICT_CLUSTER, RESTRICT_CTA])?;
        let scope = self.qualifiers.scope()?.map(|scope| scope.value);
        self.finish(SHAPE)?;
        let kind = match (order, restriction.map(|r| r.value), scope) {
            (Some(Order::Acquire), Some(RESTRICT_CLUSTER), Some(Scope::Cluster)) => {
                ProxyFenceKind::AsyncGenericAcquire
            }
            (Some(Order::Release), Some(RESTRICT_CTA), Some(Scope::Cluster)) => {
                ProxyFenceKind::AsyncGenericRelease
            }
            _ => {
                return Err(self.rule(
                    format!("`{}` is no fence", self.form()),
                    "write `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster` \
                     or `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster`",
                    SECTION,
                ));
            }
        };
        Ok(Operation::ProxyFence { kind, address: None })
    }

    pub(super) fn membar(&mut self) -> Decoded {
        const SHAPE: &str = "membar.{cta|gl|sys} or \
                             membar.proxy.{alias|async|async.global|async.shared::{cta|cluster}}";
        self.operands(0, 0, SHAPE)?;
        if self.qualifiers.flag("proxy")?.is_some() {
            let kind = self.bidirectional_kind()?;
            self.finish(SHAPE)?;
            return Ok(Operation::ProxyFence { kind, address: None });
        }
        let level = self.qualifiers.one_of(&["cta", "gl", "sys"])?;
        self.finish(SHAPE)?;
        let scope = match level.map(|level| level.value) {
            Some("cta") => Scope::Cta,
            Some("gl") => Scope::Gpu,
            Some(_) => Scope::Sys,
            None => return Err(self.missing("a level: `.cta`, `.gl` or `.sys`", SECTION)),
        };
        Ok(Operation::Fence { order: Order::Sc, scope, restriction: FenceRestriction::None })
    }
}
