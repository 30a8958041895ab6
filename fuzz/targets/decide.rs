//! Test files, decided by two engines.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ptxmc_fuzz::decide("fuzz.litmus", bytes);
});
