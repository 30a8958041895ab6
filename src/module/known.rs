//! The semantics of run-time functions that kernels call and modules only declare.

/// The effect of a call of such a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The call ends the thread, as `trap` does: a failed assertion.
    Trap,
    /// The call has no effect that other threads see, and its result is unknown.
    Ignored,
    /// The call is not modelled: a thread that calls the function leaves the model.
    Unfollowed,
}

/// The semantics of a function, by its name.
pub(crate) fn known(name: &str) -> Option<Known> {
    Some(match name {
        "__assertfail" | "__assert_fail" | "abort" => Known::Trap,
        // The function reads only the arguments, which belong to the thread.
        "vprintf" | "free" => Known::Ignored,
        "malloc" | "cudaLaunchDeviceV2" | "cudaGetParameterBufferV2" => Known::Unfollowed,
        _ => return None,
    })
}
