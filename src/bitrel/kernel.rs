//! Composition and closure of rows of a known width. Most programs have at most 256 events, so that
//! a row of one to four words stays in registers.

use super::{BITS, locate, ones};

/// `out |= a ; b` for rows of `W` words; whether that added a pair.
pub(super) fn compose<const W: usize>(a: &[u64], b: &[u64], out: &mut [u64]) -> bool {
    let (a, b, out) = (rows::<W>(a), rows::<W>(b), out.as_chunks_mut::<W>().0);
    let mut added = false;
    for (row, target) in a.iter().zip(out) {
        let mut sum = *target;
        for (word, &bits) in row.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let via = &b[word * BITS + bits.trailing_zeros() as usize];
                sum.iter_mut().zip(via).for_each(|(s, &v)| *s |= v);
                bits &= bits - 1;
            }
        }
        added |= sum != *target;
        *target = sum;
    }
    added
}

/// `out |= a^-1 ; b` for rows of `W` words.
pub(super) fn compose_inverted<const W: usize>(a: &[u64], b: &[u64], out: &mut [u64]) {
    let (a, b, out) = (rows::<W>(a), rows::<W>(b), out.as_chunks_mut::<W>().0);
    for (row, to) in a.iter().zip(b).filter(|(_, to)| **to != [0; W]) {
        for (word, &bits) in row.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let target = &mut out[word * BITS + bits.trailing_zeros() as usize];
                target.iter_mut().zip(to).for_each(|(t, &w)| *t |= w);
                bits &= bits - 1;
            }
        }
    }
}

/// `row |= a | b | c | d`, which reads and writes the row once; whether that added a bit.
pub(super) fn union_four(row: &mut [u64], [a, b, c, d]: [&[u64]; 4]) -> bool {
    let mut added = 0;
    for ((((row, a), b), c), d) in row.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let more = (a | b | c | d) & !*row;
        added |= more;
        *row |= more;
    }
    added != 0
}

/// The transitive closure of rows of `W` words: Warshall's algorithm, a row at a time.
pub(super) fn close<const W: usize>(words: &mut [u64]) {
    let rows = words.as_chunks_mut::<W>().0;
    for via in 0..rows.len() {
        let reached = rows[via];
        if reached == [0; W] {
            continue;
        }
        let (word, mask) = locate(via);
        for row in rows.iter_mut().filter(|row| row[word] & mask != 0) {
            row.iter_mut().zip(reached).for_each(|(r, v)| *r |= v);
        }
    }
}

/// The transitive closure of wide rows without a cycle; false if there is one.
///
/// Rows are completed after those that they lead to. An event that a row already reaches through
/// another event adds nothing to the row. A long order therefore costs one or two rows for each
/// event, whereas Warshall's algorithm takes all pairs.
pub(super) fn close_acyclic(words: &mut [u64], width: usize) -> bool {
    let Some(order) = successors_first(words, width) else { return false };
    let mut reached = vec![0; width];
    for a in order {
        reached.fill(0);
        for b in ones(&words[a * width..][..width]) {
            let (word, mask) = locate(b);
            if reached[word] & mask == 0 {
                reached.iter_mut().zip(&words[b * width..][..width]).for_each(|(r, &w)| *r |= w);
            }
        }
        words[a * width..][..width].iter_mut().zip(&reached).for_each(|(w, &r)| *w |= r);
    }
    true
}

/// All events with successors, each after its successors; `None` if there is a cycle.
fn successors_first(words: &[u64], width: usize) -> Option<Vec<usize>> {
    let row = |a: usize| &words[a * width..][..width];
    let count = words.len() / width;
    let (mut order, mut path) = (Vec::new(), Vec::new());
    // Bits of the events that have not been visited, and of those on the path.
    let mut fresh: Vec<u64> = vec![0; width];
    super::fill(&mut fresh, count);
    let mut active = vec![0_u64; width];
    for start in 0..count {
        path.push(start);
        while let Some(&a) = path.last() {
            let (word, mask) = locate(a);
            if fresh[word] & mask != 0 {
                fresh[word] &= !mask;
                active[word] |= mask;
            } else if active[word] & mask == 0 {
                path.pop();
                continue;
            }
            if row(a).iter().zip(&active).any(|(&r, &p)| r & p != 0) {
                return None;
            }
            let next = row(a).iter().zip(&fresh).position(|(&r, &f)| r & f != 0);
            if let Some(at) = next {
                path.push(at * BITS + (row(a)[at] & fresh[at]).trailing_zeros() as usize);
            } else {
                active[word] &= !mask;
                path.pop();
                order.push(a);
            }
        }
    }
    Some(order)
}

fn rows<const W: usize>(words: &[u64]) -> &[[u64; W]] {
    words.as_chunks::<W>().0
}
