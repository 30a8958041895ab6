//! `fence` and `membar`: forms of the table as fences, and errors for other forms.

use super::{Decoded, Decoder};
use crate::ptx::names;
use crate::ptx::operation::{FenceRestriction, Operation, Order, ProxyFenceKind, Scope, Space};
use crate::ptx::written::Written;

const SECTION: &str = "PTX-9.7.13.4";
const RESTRICT_CLUSTER: &str = "sync_restrict::shared::cluster";
const RESTRICT_READS: &str = "sync_restrict::shared::cluster::read";
const RESTRICT_CTA: &str = "sync_restrict::shared::cta";

impl Decoder<'_> {
    /// The instructions that look like fences, and fences of the research proxies, which columns
    /// have.
    pub(super) fn unlike_fence(&self) -> Option<Decoded> {
        let word =
            |is: fn(&str) -> bool| self.instruction.qualifiers.iter().find(|word| is(&word.value));
        let proxy = || word(|word| names::proxy(word).is_some());
        let restricts = |word: &str| word == "op_restrict";
        let is_order = |word: &str| matches!(word, "weak" | "relaxed");
        if !self.qualifiers.has("proxy") {
            let (found, message, help) = match (word(restricts), word(is_order)) {
                (Some(found), _) => (
                    found,
                    format!("`{}` is no fence", self.form()),
                    "in the grammar, `.op_restrict` stands for `.mbarrier_init`: write \
                     `fence.mbarrier_init.release.cluster`",
                ),
                (None, Some(found)) if self.instruction.opcode.value == "fence" => (
                    found,
                    "a fence is neither weak nor relaxed".to_owned(),
                    "a fence is `.sc`, `.acq_rel` (the default), `.acquire` or `.release`",
                ),
                _ => return None,
            };
            let span = found.span;
            return Some(Err(super::DecodeError::Rule { message, help, section: SECTION, span }));
        }
        match proxy().and_then(|word| names::proxy(&word.value)) {
            Some(proxy) if self.in_columns() && self.instruction.qualifiers.len() == 2 => {
                let kind = ProxyFenceKind::Research(proxy);
                let operands = self.operands(0, 0, "fence.proxy.proxykind");
                Some(operands.map(|_| Operation::ProxyFence { kind, address: None }))
            }
            Some(_) => Some(Err(self.rule(
                "PTX has no fence for this proxy",
                "the proxies with a fence are alias, async and tensormap",
                SECTION,
            ))),
            None if self.qualifiers.has("async") && self.qualifiers.has("shared") => {
                Some(Err(self.rule(
                    "`.shared` is ambiguous here",
                    "write `.shared::cta` or `.shared::cluster`",
                    SECTION,
                )))
            }
            None => None,
        }
    }

    /// A fence; those of `membar` are sequentially consistent.
    pub(super) fn fence(&self, written: &Written) -> Operation {
        let has = |word: &str| written.words.has(word);
        let restriction = match () {
            () if has("mbarrier_init") => FenceRestriction::MbarrierInit,
            () if has(RESTRICT_CLUSTER) => FenceRestriction::AcquireSharedCluster,
            () if has(RESTRICT_CTA) => FenceRestriction::ReleaseSharedCta,
            () => FenceRestriction::None,
        };
        let order = match () {
            () if has("sc") || written.form.opcode == "membar" => Order::Sc,
            () if has("acquire") => Order::Acquire,
            () if has("release") => Order::Release,
            () => Order::AcqRel,
        };
        let scope = written.words.scope().unwrap_or(match () {
            () if has("cta") => Scope::Cta,
            () if has("gl") => Scope::Gpu,
            () if has("sys") => Scope::Sys,
            () => Scope::Cluster,
        });
        Operation::Fence { order, scope, restriction }
    }

    /// A proxy fence.
    pub(super) fn proxy_fence(&self, written: &Written) -> Operation {
        let has = |word: &str| written.words.has(word);
        let space = Some(written.words.space()).filter(|space| *space != Space::Generic);
        let kind = match written.words.scope() {
            Some(scope) if has("release") => ProxyFenceKind::TensormapRelease(scope),
            Some(scope) => {
                let address = Some(written.address().clone());
                let kind = ProxyFenceKind::TensormapAcquire(scope);
                return Operation::ProxyFence { kind, address };
            }
            None if has("alias") && has("acquire") => ProxyFenceKind::AliasAcquire,
            None if has("alias") && has("release") => ProxyFenceKind::AliasRelease,
            None if has("alias") => ProxyFenceKind::Alias,
            None if has(RESTRICT_READS) => ProxyFenceKind::AsyncGenericReleaseReads,
            None if has("async::generic") && has("acquire") => ProxyFenceKind::AsyncGenericAcquire,
            None if has("async::generic") => ProxyFenceKind::AsyncGenericRelease,
            None => ProxyFenceKind::Async(space),
        };
        Operation::ProxyFence { kind, address: None }
    }
}
