//! Models.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ptxmc_fuzz::cat(bytes);
});
