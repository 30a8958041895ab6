//! Sets of events and relations over them, as bit matrices.
//!
//! A value is made for one universe `0..len()` of events, and operations combine values of one
//! universe only. Bits beyond the universe are never set, so that whole words can be compared,
//! counted and joined. No other module sees words.
//!
//! Operations in place (`union_with`, `transitive_closure_in_place`) and operations into a given
//! value (`compose_into`) do not allocate, so that engines can reuse buffers.

mod kernel;
mod rel;
mod set;
#[cfg(test)]
mod tests;

pub use rel::Rel;
pub use set::EventSet;

/// Bits of one word.
const BITS: usize = u64::BITS as usize;

/// How many words hold one row of `n` bits.
fn words_for(n: usize) -> usize {
    n.div_ceil(BITS)
}

/// Splits a position into its word and the mask inside that word.
fn locate(index: usize) -> (usize, u64) {
    (index / BITS, 1 << (index % BITS))
}

/// Sets the first `n` bits of `words` and clears the rest.
fn fill(words: &mut [u64], n: usize) {
    for (at, word) in words.iter_mut().enumerate() {
        *word = match n.saturating_sub(at * BITS) {
            0 => 0,
            rest if rest >= BITS => u64::MAX,
            rest => (1 << rest) - 1,
        };
    }
}

/// Whether words are the same; for the few of small programs quicker than the library's comparison.
fn same_words(one: &[u64], other: &[u64]) -> bool {
    let different =
        |(a, b): (&[u64], &[u64])| a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) != 0;
    one.len() == other.len() && !one.chunks(BITS).zip(other.chunks(BITS)).any(different)
}

/// As many words as one page of memory holds.
///
/// Unwritten memory takes no space, and most relations over many events have most pairs in few
/// rows. No operation therefore writes to a page that would not change.
const PAGE: usize = 512;

/// `to |= from`; whether that added a bit.
fn union_words(to: &mut [u64], from: &[u64]) -> bool {
    let mut added = 0;
    for (to, from) in to.chunks_mut(PAGE).zip(from.chunks(PAGE)) {
        if to.len() == PAGE && to.iter().zip(from).all(|(&t, &f)| f & !t == 0) {
            continue;
        }
        for (t, &f) in to.iter_mut().zip(from) {
            added |= f & !*t;
            *t |= f;
        }
    }
    added != 0
}

/// `to &= from`.
fn intersect_words(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.chunks_mut(PAGE).zip(from.chunks(PAGE)) {
        if to.len() < PAGE || to.iter().any(|&w| w != 0) {
            to.iter_mut().zip(from).for_each(|(t, &f)| *t &= f);
        }
    }
}

/// `to &= !from`.
fn subtract_words(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.chunks_mut(PAGE).zip(from.chunks(PAGE)) {
        if to.len() < PAGE || to.iter().any(|&w| w != 0) {
            to.iter_mut().zip(from).for_each(|(t, &f)| *t &= !f);
        }
    }
}

/// `to = from`.
fn copy_words(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.chunks_mut(PAGE).zip(from.chunks(PAGE)) {
        if to.len() < PAGE || to != from {
            to.copy_from_slice(from);
        }
    }
}

/// `to = 0`.
fn clear_words(to: &mut [u64]) {
    for page in to.chunks_mut(PAGE) {
        if page.len() < PAGE || page.iter().any(|&w| w != 0) {
            page.fill(0);
        }
    }
}

fn is_subset_words(small: &[u64], large: &[u64]) -> bool {
    small.iter().zip(large).all(|(&s, &l)| s & !l == 0)
}

fn count_words(words: &[u64]) -> usize {
    words.iter().map(|w| w.count_ones() as usize).sum()
}

/// The positions of the set bits, ascending.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| ones_of(word).map(move |bit| at * BITS + bit))
}

/// The positions of the set bits of one word, ascending.
fn ones_of(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}
