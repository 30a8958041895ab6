//! Why a test has no kernel.

use crate::ptx::print::PrintError;
use thiserror::Error;

/// A feature of a test that no kernel supports.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Threads on several devices.
    #[error("threads on several devices: a launch runs on one")]
    Devices,
    /// Threads of the host.
    #[error("a host thread: kernels run on the device")]
    Host,
    /// Kernel launches that follow each other, or several grids.
    #[error("tasks or several grids: an instance is part of one launch")]
    Tasks,
    /// No thread at all.
    #[error("no threads")]
    Empty,
    /// More CTAs than a cluster of the device can have.
    #[error("a cluster of {0} CTAs, more than 8")]
    LargeCluster(usize),
    /// More threads in a warp than there are lanes.
    #[error("a warp of {0} threads, more than 32")]
    LargeWarp(usize),
    /// More warps than a CTA can have.
    #[error("a CTA of {0} warps, more than 32")]
    LargeCta(usize),
    /// A second name of a variable that double mapping of memory cannot provide.
    #[error("`{0}` is no second address of a global variable for ordinary accesses")]
    Alias(String),
    /// A tensor map, which the driver makes of an address that differs from instance to instance.
    #[error("`{0}` is a tensor map, which differs from instance to instance")]
    TensorMap(String),
    /// An instruction of the tensor cores, whose matrices tests name by their addresses.
    #[error(
        "`{0}` of the tensor cores: a test names matrices by addresses, hardware by descriptors"
    )]
    TensorCores(&'static str),
    /// A variable in a space that cannot have an instance for each run of the test.
    #[error("`{name}` is a `.{space}` variable {what}")]
    Variable {
        /// The variable.
        name: String,
        /// Its state space.
        space: &'static str,
        /// The unsupported property.
        what: &'static str,
    },
    /// The variables of one instance take too much memory.
    #[error("{bytes} bytes of `.{space}` for one instance, more than {most}")]
    TooMuchMemory {
        /// How many.
        bytes: u64,
        /// The state space.
        space: &'static str,
        /// How many there may be.
        most: u64,
    },
    /// The requested architecture is older than the test requires.
    #[error("the test needs sm_{needed}, and `{named}` is asked for")]
    Arch {
        /// The requested architecture.
        named: String,
        /// The number of the oldest architecture that has all forms.
        needed: u32,
    },
    /// An instruction that PTX does not have, or has in no such form.
    #[error("{0}")]
    Form(String),
    /// An instruction outside the subset that names variables, or of which nothing is known.
    #[error("`{0}`: outside the supported subset")]
    Unknown(String),
    /// An instruction of the subset whose operands cannot be moved to an instance.
    #[error("`{0}` needs what one launch of many instances does not have")]
    Unsupported(&'static str),
    /// Registers are used with several widths, which the assembler does not accept.
    #[error("%{register} is used as `.{one}` and as `.{other}`")]
    Widths {
        /// The register.
        register: String,
        /// One type at which the register is used.
        one: String,
        /// Another one.
        other: String,
    },
    /// The condition speaks of addresses, which differ between instances.
    #[error(
        "the condition or an initial value names the address of `{0}`, which differs from instance to instance"
    )]
    Address(String),
    /// The condition contains a value that cannot be read at the end.
    #[error("the final value of `{0}` cannot be read")]
    Final(String),
    /// Threads come to cluster barriers differently often, so that none can be put at the end.
    #[error(
        "final values of shared memory in a cluster whose threads come to its barriers differently \
         often: there is no time at which all have ended and the memory is there"
    )]
    UnevenBarriers,
    /// The test gives launch sizes, which differ from those of the kernel.
    #[error("the test says how large its launch is")]
    LaunchSize,
}

impl From<PrintError> for Refusal {
    fn from(error: PrintError) -> Self {
        Self::Form(error.to_string())
    }
}
