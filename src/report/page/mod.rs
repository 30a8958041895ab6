//! Verdicts into HTML pages: a page per test, with the picture, the deciding steps and the source, and an
//! index of tests. Each page is a self-contained file.

mod html;
mod index;
mod test;

pub use index::{Entry, index};
pub use test::{Page, test};
