//! Test files in columns and blocks.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ptxmc_fuzz::litmus("fuzz.litmus", bytes);
});
