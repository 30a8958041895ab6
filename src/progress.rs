//! Models of forward progress: the steps that a scheduler owes to threads.
//!
//! A thread that is owed progress eventually takes a step, as long as it has one to take. Every
//! model owes at most as much as [`Progress::Fair`] and at least as much as [`Progress::Unfair`].
//! The models other than [`Progress::Cuda`] are those of Sorensen, Salvador, Raval, Evrard,
//! Wickerson, Martonosi and Donaldson, *Specifying and testing GPU workgroup progress models*
//! (OOPSLA 2021), for single threads.

use std::fmt;

/// A model of forward progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Progress {
    /// CUDA's model: once one thread of a cluster has made a step, all threads of the cluster are
    /// owed progress. In a cooperative grid, all threads of the grid are. Host threads are owed
    /// progress (CUDA C++ Programming Guide, execution model).
    #[default]
    Cuda,
    /// Every thread is owed progress.
    Fair,
    /// The occupancy-bound model: a thread that has made a step is owed progress.
    Obe,
    /// The linear occupancy-bound model: a thread that has made a step, and all threads before it
    /// in the test, are owed progress.
    Lobe,
    /// HSA's: the first thread, in the order of the test, that has not ended is owed progress.
    Hsa,
    /// The union of the obligations of [`Progress::Hsa`] and [`Progress::Obe`].
    HsaObe,
    /// No thread in particular is owed progress; some thread makes steps as long as one can.
    Unfair,
}

impl Progress {
    /// All models, the default first.
    pub const ALL: [Self; 7] =
        [Self::Cuda, Self::Fair, Self::Obe, Self::Lobe, Self::Hsa, Self::HsaObe, Self::Unfair];

    /// The model's name on the command line and in tests, such as `hsa-obe`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Fair => "fair",
            Self::Obe => "obe",
            Self::Lobe => "lobe",
            Self::Hsa => "hsa",
            Self::HsaObe => "hsa-obe",
            Self::Unfair => "unfair",
        }
    }

    /// The model of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|progress| progress.name() == name)
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
