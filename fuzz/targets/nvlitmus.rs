//! Test files in NVIDIA's format.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ptxmc_fuzz::litmus("fuzz.test", bytes);
});
