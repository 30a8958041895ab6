//! Maps and sets that keep the order of insertion, with a hash for short keys; permutations of numbers.

use rustc_hash::FxBuildHasher;

/// A map in the order of insertion.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;

/// A set in the order of insertion.
pub type IndexSet<T> = indexmap::IndexSet<T, FxBuildHasher>;

/// A permutation of the numbers below a count, represented by two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// The multiplier, coprime to the count.
    pub factor: u64,
    /// The number added after multiplication.
    pub shift: u64,
}

impl Permutation {
    /// The identity.
    pub const NONE: Self = Self { factor: 1, shift: 0 };

    /// A random permutation of so many numbers.
    #[must_use]
    pub fn draw(count: u64, random: &mut fastrand::Rng) -> Self {
        if count < 2 {
            return Self::NONE;
        }
        let mut factor = random.u64(1..count);
        while gcd(factor, count) != 1 {
            factor = random.u64(1..count);
        }
        Self { factor, shift: random.u64(..count) }
    }

    /// The image of a number below the count.
    #[must_use]
    pub fn at(self, number: u64, count: u64) -> u64 {
        let [number, factor, shift, count] =
            [number, self.factor, self.shift, count.max(1)].map(u128::from);
        u64::try_from((number * factor + shift) % count).expect("the count has 64 bits")
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
