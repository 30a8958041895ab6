//! Whether the axioms that an engine names exclude an outcome, and each of them is needed.

use ptxmc::testing::relation::expr::{AxiomRole, Model};
use ptxmc::testing::solve::{Answer, Budget, Core, Engine, Goal, Problem};

/// An engine with what it may spend on a question.
pub type Asked<'e> = (&'e dyn Engine, Budget);

/// What is known of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It excludes the outcome, and is minimal if it says so.
    All,
    /// Some question about it was too hard.
    Part,
}

/// Asks engines about the axioms of a core alone, and about all of them but one.
///
/// # Errors
/// What is wrong with the core.
pub fn confirm(
    problem: Problem<'_>,
    goal: Goal,
    core: &Core,
    engines: &[Asked<'_>],
) -> Result<Known, String> {
    let name = |&axiom: &usize| problem.model.axioms[axiom].name.as_str();
    let named = || core.axioms.iter().map(name).collect::<Vec<_>>().join(", ");
    let mut known = Known::All;
    match excluded(problem, goal, &core.axioms, engines)? {
        Some(true) => {}
        Some(false) => return Err(format!("[{}] do not exclude the outcome", named())),
        None => known = Known::Part,
    }
    for &needless in core.axioms.iter().filter(|_| core.minimal) {
        let rest: Vec<usize> = core.axioms.iter().copied().filter(|&a| a != needless).collect();
        match excluded(problem, goal, &rest, engines)? {
            Some(false) => {}
            Some(true) => return Err(format!("[{}] without {} do", named(), name(&needless))),
            None => known = Known::Part,
        }
    }
    Ok(known)
}

/// Whether these axioms exclude an outcome, if an engine knows.
fn excluded(
    problem: Problem<'_>,
    goal: Goal,
    axioms: &[usize],
    engines: &[Asked<'_>],
) -> Result<Option<bool>, String> {
    let part = restricted(problem.model, axioms);
    let problem = Problem { model: &part, ..problem };
    let mut known = None;
    for (engine, budget) in engines {
        let no = match engine.find(problem, goal, *budget) {
            Answer::Yes(_) => false,
            Answer::No(_) => true,
            Answer::Unknown(_) | Answer::Unsupported(_) => continue,
        };
        if known.is_some_and(|other| other != no) {
            let name = engine.name();
            return Err(format!("with the axioms {axioms:?} alone, {name} disagrees on {goal:?}"));
        }
        known = Some(no);
    }
    Ok(known)
}

/// The model that requires only some of its axioms.
pub fn restricted(model: &Model, axioms: &[usize]) -> Model {
    let mut part = model.clone();
    let required =
        part.axioms.iter_mut().enumerate().filter(|(_, a)| a.role == AxiomRole::Required);
    for (_, axiom) in required.filter(|(index, _)| !axioms.contains(index)) {
        axiom.role = AxiomRole::Flag;
    }
    part
}
