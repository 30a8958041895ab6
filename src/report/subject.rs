//! A verdict with the inputs of its explanation.

use super::proof::Depth;
use crate::batch::{Case, Judgement};
use crate::relation::expr::Model;
use crate::source::Files;

/// The inputs of an explanation.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The test.
    pub case: &'a Case,
    /// The verdict on the test.
    pub judgement: &'a Judgement,
    /// The model of the verdict.
    pub model: &'a Model,
    /// The texts of test and model.
    pub files: &'a Files,
    /// The depth to which the steps of a forbidden outcome are unfolded.
    pub unfold: Depth,
}
