//! The mutants of the model that come with the tool.

pub use ptxmc::testing::cat::mutant::{EXCUSES, Mutant, ORIGINAL};
use ptxmc::testing::relation::expr::Model;

/// All mutants, by clause and name.
pub fn mutants() -> Vec<Mutant> {
    ptxmc::testing::cat::mutant::mutants().unwrap_or_else(|why| panic!("{why}"))
}

/// The changed model of a mutant.
pub fn model_of(mutant: &Mutant) -> Model {
    mutant.model().unwrap_or_else(|why| panic!("{} is no model: {why}", mutant.name))
}
