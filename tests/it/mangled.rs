//! Shipped tests and models with random damage: nothing panics, engines agree on what is left.
//!
//! The same functions as in `fuzz/`, without a fuzzer. `PTXMC_MANGLED_CASES` and
//! `PTXMC_MANGLED_SEED` make a run longer or another one.

#![allow(clippy::print_stdout, reason = "what was tried, for whoever looks")]

#[path = "../../fuzz/src/lib.rs"]
mod harness;

use crate::support::litmus_files;
use harness::Decided;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

fn parameter(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
}

fn cases() -> u64 {
    parameter("PTXMC_MANGLED_CASES", 3_000)
}

/// Random numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn new(salt: u64) -> Self {
        Self(parameter("PTXMC_MANGLED_SEED", 1).wrapping_mul(1 << 32) ^ salt)
    }

    /// A number below `limit`, or 0.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % limit.max(1)
    }
}

/// Words, numbers and single other characters.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.chunk_by(|&a, &b| plain(a) && plain(b)).collect()
}

/// Numbers at which something changes.
const NUMBERS: &[&str] =
    &["0", "1", "-1", "3", "31", "32", "64", "255", "65535", "4294967295", "18446744073709551615"];

/// Changes some words or bytes of `text`; other words come from `donor`.
fn mangled(text: &[u8], donor: &[u8], random: &mut Random) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = words(text).into_iter().map(<[u8]>::to_vec).collect();
    let other = words(donor);
    for _ in 0..=random.below(4) {
        let at = random.below(parts.len());
        let Some(part) = parts.get_mut(at) else { break };
        match random.below(7) {
            0 => part.clear(),
            1 => *part = other[random.below(other.len())].to_vec(),
            2 => part.extend_from_slice(other[random.below(other.len())]),
            3 => *part = NUMBERS[random.below(NUMBERS.len())].as_bytes().to_vec(),
            4 if !part.is_empty() => {
                let byte = random.below(part.len());
                part[byte] = u8::try_from(random.below(256)).expect("it is below 256");
            }
            5 => {
                let end = (at + 1 + random.below(20)).min(parts.len());
                let copied = parts[at..end].to_vec();
                parts.splice(at..at, copied);
            }
            _ => {
                let end = (at + 1 + random.below(10)).min(parts.len());
                parts.drain(at..end);
            }
        }
    }
    parts.concat()
}

/// Mangles texts and hands them to `run`, which must not panic.
fn try_all<T>(texts: &[Vec<u8>], salt: u64, count: u64, mut run: impl FnMut(&[u8]) -> T) -> Vec<T> {
    assert!(!texts.is_empty(), "nothing to mangle");
    let mut random = Random::new(salt);
    let mut results = Vec::new();
    for _ in 0..count {
        let text = &texts[random.below(texts.len())];
        let donor = &texts[random.below(texts.len())];
        let bytes = mangled(text, donor, &mut random);
        match catch_unwind(AssertUnwindSafe(|| run(&bytes))) {
            Ok(result) => results.push(result),
            Err(_) => panic!("failed on\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
    results
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn litmus_texts() -> Vec<Vec<u8>> {
    let read = |path| std::fs::read(path).expect("tests are readable");
    litmus_files(&root().join("litmus")).into_iter().map(read).collect()
}

#[test]
fn mangled_tests_are_read_or_refused() {
    let tests = try_all(&litmus_texts(), 1, cases(), |bytes| {
        harness::litmus("mangled.litmus", bytes).len()
    });
    let read = tests.iter().filter(|&&count| count > 0).count();
    println!("{} texts, {read} of them tests", tests.len());
    assert!(read > 0 && read < tests.len());
}

#[test]
fn mangled_nvlitmus_is_read_or_refused() {
    let template = b"d0.b0.t0 {\n  st.weak x, $0; // a\n  fence.sc.sys;\n}\nd0.b1.t0 {\n  ld.weak r0, \
        [x] == 1;\n  $1;\n}\nassert (r0 == 1 && x != 2) as a;\npermit (r0 == 0);\n$$\n1 | fence.sc.gpu\n\
        2 | atom.add.relaxed.gpu r1, x, 1\n";
    let tests =
        try_all(&[template.to_vec()], 2, cases(), |bytes| harness::litmus("m.test", bytes).len());
    assert!(tests.iter().any(|&count| count > 0));
}

#[test]
fn mangled_models_are_read_or_refused() {
    let mut texts = Vec::new();
    for folder in ["models", "models/lib"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("there are models") {
            let path = entry.expect("models are readable").path();
            if path.extension().is_some_and(|e| e == "cat") {
                texts.push(std::fs::read(path).expect("models are readable"));
            }
        }
    }
    try_all(&texts, 3, cases() / 4, harness::cat);
}

#[test]
fn engines_agree_on_mangled_tests() {
    let results = try_all(&litmus_texts(), 4, cases(), |bytes| harness::decide("m.litmus", bytes));
    let compared = results.iter().filter(|&&r| r == Decided::Compared).count();
    println!("{} texts, {compared} of them decided twice", results.len());
    assert!(compared > 0, "nothing to compare");
}

/// Texts on which something once failed.
#[test]
fn what_was_found_stays_fixed() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("tests/found")).expect("the folder is there") {
        let path = entry.expect("it is readable").path();
        let bytes = std::fs::read(&path).expect("it is readable");
        harness::decide(&path.to_string_lossy(), &bytes);
        count += 1;
    }
    assert!(count > 0, "nothing to try");
}
