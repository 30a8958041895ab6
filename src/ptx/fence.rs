//! Kinds of fences and the words that ask for them, both ways (PTX-9.7.13.4).

use super::names;
use super::operation::{FenceRestriction, ProxyFenceKind, Space};
use super::words::Words;
use smallvec::{SmallVec, smallvec};

const RESTRICTIONS: [(FenceRestriction, &str); 3] = [
    (FenceRestriction::MbarrierInit, "mbarrier_init"),
    (FenceRestriction::AcquireSharedCluster, CLUSTER),
    (FenceRestriction::ReleaseSharedCta, CTA),
];
const CLUSTER: &str = "sync_restrict::shared::cluster";
const CLUSTER_READS: &str = "sync_restrict::shared::cluster::read";
const CTA: &str = "sync_restrict::shared::cta";

/// The proxy fences that have neither a scope nor a state space to choose; of several whose words an
/// instruction has, the first is meant.
const PROXY_FENCES: [(ProxyFenceKind, &[&str]); 6] = {
    use ProxyFenceKind as K;
    [
        (K::AliasAcquire, &["alias", "acquire", "sys"]),
        (K::AliasRelease, &["alias", "release", "sys"]),
        (K::Alias, &["alias"]),
        (K::AsyncGenericAcquire, &["async::generic", "acquire", CLUSTER, "cluster"]),
        (K::AsyncGenericReleaseReads, &["async::generic", "release", CLUSTER_READS, "cluster"]),
        (K::AsyncGenericRelease, &["async::generic", "release", CTA, "cluster"]),
    ]
};

impl FenceRestriction {
    /// The restriction that an instruction has.
    pub(crate) fn of(words: &Words) -> Self {
        let found = RESTRICTIONS.iter().find(|(_, word)| words.has(word));
        found.map_or(Self::None, |(restriction, _)| *restriction)
    }

    /// The word that asks for it.
    pub(crate) fn word(self) -> Option<&'static str> {
        let found = RESTRICTIONS.iter().find(|(restriction, _)| *restriction == self);
        found.map(|(_, word)| *word)
    }
}

impl ProxyFenceKind {
    /// The kind of an instruction.
    pub(crate) fn of(words: &Words) -> Self {
        let fits = |(_, wanted): &&(Self, &[&str])| wanted.iter().all(|word| words.has(word));
        let fixed = PROXY_FENCES.iter().find(fits).map(|(kind, _)| *kind);
        let research = || words.plain().find_map(names::proxy).map(Self::Research);
        match (fixed.or_else(research), words.scope()) {
            (Some(kind), _) => kind,
            (None, Some(scope)) if words.has("release") => Self::TensormapRelease(scope),
            (None, Some(scope)) => Self::TensormapAcquire(scope),
            (None, None) => {
                let space = words.space();
                Self::Async(Some(space).filter(|space| *space != Space::Generic))
            }
        }
    }

    /// The words behind `.proxy`.
    pub(crate) fn words(self) -> SmallVec<[&'static str; 4]> {
        match self {
            Self::Async(space) => {
                ["async"].into_iter().chain(space.map(|space| space.word())).collect()
            }
            Self::TensormapAcquire(scope) => {
                smallvec!["tensormap::generic", "acquire", scope.word()]
            }
            Self::TensormapRelease(scope) => {
                smallvec!["tensormap::generic", "release", scope.word()]
            }
            Self::Research(proxy) => smallvec![proxy.word()],
            fixed => {
                let found = PROXY_FENCES.iter().find(|(kind, _)| *kind == fixed);
                found.map_or_else(SmallVec::new, |(_, words)| words.iter().copied().collect())
            }
        }
    }
}
