//! A verdict with all that its explanation is made from.

use super::proof::Depth;
use crate::batch::{Case, Judgement};
use crate::relation::expr::Model;
use crate::source::Files;

/// What an explanation is made from.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The test.
    pub case: &'a Case,
    /// Its verdict.
    pub judgement: &'a Judgement,
    /// The model that gave it.
    pub model: &'a Model,
    /// The texts of both.
    pub files: &'a Files,
    /// How far the steps of a forbidden outcome are unfolded.
    pub unfold: Depth,
}
