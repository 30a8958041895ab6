//! Verdicts into pages: one for a test, with its picture, what decides and its source, and one that lists
//! tests. A page is one file, which needs nothing else and works where it lies.

mod html;
mod index;
mod test;

pub use index::{Entry, index};
pub use test::{Page, test};
