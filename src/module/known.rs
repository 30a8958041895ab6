//! What functions of the run-time system mean that kernels call and modules only declare.

/// What a call of such a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It ends the thread, as `trap` does: a failed assertion.
    Trap,
    /// It does nothing that other threads see, and what it returns is not known.
    Ignored,
    /// What it does is not followed: a thread that calls it leaves the model.
    Unfollowed,
}

/// What a function means, by its name.
pub(crate) fn known(name: &str) -> Option<Known> {
    Some(match name {
        "__assertfail" | "__assert_fail" | "abort" => Known::Trap,
        // It reads the arguments, which are the thread's own.
        "vprintf" | "free" => Known::Ignored,
        "malloc" | "cudaLaunchDeviceV2" | "cudaGetParameterBufferV2" => Known::Unfollowed,
        _ => return None,
    })
}
