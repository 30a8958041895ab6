//! `fence` and `membar`: forms of the table as fences, and errors for other forms.

use super::{Decoded, Decoder};
use crate::ptx::names;
use crate::ptx::operation::{FenceRestriction, Operation, Order, ProxyFenceKind, Scope};
use crate::ptx::written::Written;

const SECTION: &str = "PTX-9.7.13.4";

impl Decoder<'_> {
    /// The instructions that look like fences; columns have fences of the research proxies.
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
        match proxy() {
            Some(_) if self.in_columns() && self.instruction.qualifiers.len() == 2 => None,
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
        Operation::Fence { order, scope, restriction: FenceRestriction::of(&written.words) }
    }

    /// A proxy fence.
    pub(super) fn proxy_fence(&self, written: &Written) -> Operation {
        let kind = ProxyFenceKind::of(&written.words);
        let acquires = matches!(kind, ProxyFenceKind::TensormapAcquire(_));
        Operation::ProxyFence { kind, address: acquires.then(|| written.address().clone()) }
    }
}
