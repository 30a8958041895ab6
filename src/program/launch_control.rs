//! Cancellation of clusters that have not been launched (PTX-9.7.13.17, PTX-9.7.13.18): requests, and
//! their answers.
//!
//! An answer is 16 bytes, and opaque. Here, the first word is [`MARK`], with the bit [`CANCELED`] where the
//! request succeeded; the others are any numbers. Whether a request succeeds is open. Which cluster it cancels
//! is not known: clusters that are canceled run no threads, so that those of a test are others.

use super::asynchronous::{Multicast, addresses};
use super::lower::Lowering;
use super::micro::{Align, AsyncEffect, AsyncMicro, Confined, Micro, SignalPlace, Tracked};
use super::special::opaque_results;
use super::term::{Extension, Term};
use crate::ptx::operation::{Proxy, Space, Type, TypeKind};
use crate::ptx::written::Written;
use crate::rule::Rule;

/// An answer.
const ANSWER: Type = Type::new(TypeKind::Bits, 128);
/// What the first word of every answer has, so that it is told from memory without an answer.
const MARK: u128 = 7;
/// The bit of a success.
const CANCELED: u32 = 3;

impl Lowering<'_> {
    /// `clusterlaunchcontrol.try_cancel`: one answer, written to the same place of each CTA.
    pub(super) fn request_cancellation(&mut self, written: &Written) {
        let list = addresses(written);
        let ((to, space), object) = (list[0], list[1]);
        let answer = self.registers.wide_temporary(0);
        let value = self.answer();
        self.out.push(Micro::Assign { register: answer, value });
        let own = Confined::Own(Rule::CopyToAnotherCta);
        let (ctas, space, confined) = match written.words.has("multicast::cluster::all") {
            true => {
                (self.whole_cluster(), Space::SharedCluster, Confined::AnyShared(Rule::CopySpace))
            }
            false => (Multicast(Vec::new()), space, own),
        };
        let place = self.range((to, space), confined, Align::Bytes(16));
        let places = ctas.everywhere(place);
        let object = (object.0, if ctas.0.is_empty() { object.1 } else { space });
        let bytes = Term::Const(16, 32);
        let signals = self.signals(object, &ctas, &bytes);
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name: "clusterlaunchcontrol.try_cancel",
            effect: AsyncEffect::Answer(places, Term::Register(answer)),
            signals,
            group: None,
            proxy: Proxy::Async,
            is_copy: true,
            tracked: Tracked::Whole,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// `clusterlaunchcontrol.query_cancel.is_canceled`
    pub(super) fn is_canceled(&mut self, written: &Written) {
        let answer = self.value(written.value("answer"), ANSWER);
        self.assign(written.destination(), answer.bits(CANCELED, 1), Extension::Zero);
    }

    /// `clusterlaunchcontrol.query_cancel.get_first_ctaid`: undefined of a request that failed. Which
    /// cluster is canceled is not known.
    pub(super) fn first_cta(&mut self, written: &Written) {
        let answer = self.value(written.value("answer"), ANSWER);
        self.require(answer.bits(CANCELED, 1), Rule::NotCanceled);
        let single = [written.destination().clone()];
        let destinations = match written.registers() {
            [] => &single[..],
            registers => registers,
        };
        let index = |name: &str| self.registers.index(name);
        let results = destinations.iter().flatten().filter_map(|d| index(&d.value)).collect();
        let name = "clusterlaunchcontrol.query_cancel.get_first_ctaid";
        self.out.push(opaque_results(name, results, Vec::new()));
    }

    /// Any answer.
    fn answer(&self) -> Term {
        let free = |name: &str, bits| Term::Free(format!("{name} of a canceled cluster"), bits);
        let above = |high: Term, low: Term| Term::Concat(Box::new(high), Box::new(low));
        let marked = above(free("existence", 1), Term::Const(MARK, CANCELED));
        let first = marked.resize(32, Extension::Zero);
        ["first CTA x", "first CTA y", "first CTA z"]
            .into_iter()
            .fold(first, |low, name| above(free(name, 32), low))
    }

    /// All CTAs of the thread's cluster in the test.
    fn whole_cluster(&self) -> Multicast {
        Multicast((0..).take(self.cluster_size()).map(|rank| (rank, Term::truth(true))).collect())
    }
}
