//! Engines by name: what this build can run, and how several of them answer together.

use crate::solve::{Answer, Budget, Engine, Goal, Problem, States, Why};

/// Which engines answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first engine that handles the question.
    #[default]
    Auto,
    /// Every engine; they have to agree.
    All,
    /// The engine of this name.
    One(&'static str),
}

/// A name that stands for no engine of this build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{name}` in this build; it has {}", available.join(", "))]
pub struct Unavailable {
    /// The name.
    pub name: String,
    /// What would do.
    pub available: Vec<&'static str>,
}

/// The engines of this build, the quickest first.
#[must_use]
pub fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(crate::solve::search::SearchEngine::default()),
        #[cfg(feature = "z3")]
        Box::new(crate::solve::z3::Z3Engine::default()),
        Box::new(crate::solve::enumerate::Enumerate::default()),
    ]
}

/// The engines that an automatic choice is made among: all but the reference engine, which is no
/// match for large programs.
fn quick() -> Vec<Box<dyn Engine>> {
    engines().into_iter().filter(|e| e.name() != "enumerate").collect()
}

/// The names of the engines of this build and of their combinations.
#[must_use]
pub fn available() -> Vec<&'static str> {
    engines().iter().map(|e| e.name()).chain(["auto", "all"]).collect()
}

impl Choice {
    /// The choice that a name stands for.
    ///
    /// # Errors
    /// When this build has no such engine.
    pub fn named(name: &str) -> Result<Self, Unavailable> {
        match name {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            _ => match engines().iter().find(|e| e.name() == name) {
                Some(engine) => Ok(Self::One(engine.name())),
                None => Err(Unavailable { name: name.to_owned(), available: available() }),
            },
        }
    }

    /// The engines to ask; the answers of several have to agree.
    #[must_use]
    pub fn engines(self) -> Vec<Box<dyn Engine>> {
        match self {
            Self::Auto => vec![Box::new(First(quick()))],
            Self::All => engines().into_iter().map(patient).collect(),
            Self::One(name) => engines().into_iter().filter(|e| e.name() == name).collect(),
        }
    }
}

/// How many steps an engine may take before the next one is asked, times the number of events: a
/// step takes longer the larger the program is.
const PATIENCE: u64 = 1_000_000;

/// A budget with as many steps as there is patience for, if it says nothing of steps.
fn limited(problem: Problem<'_>, budget: Budget) -> Budget {
    let patience = PATIENCE / (problem.graph.events.len() as u64).max(1);
    Budget { steps: budget.steps.or(Some(patience)), ..budget }
}

/// An engine that is asked beside others: the reference engine gives up after a while, since it
/// would take for ever on large programs.
fn patient(engine: Box<dyn Engine>) -> Box<dyn Engine> {
    if engine.name() == "enumerate" { Box::new(Limited(engine)) } else { engine }
}

/// An engine with a budget of steps.
struct Limited(Box<dyn Engine>);

impl Engine for Limited {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        self.0.find(problem, goal, limited(problem, budget))
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, String> {
        self.0.states(problem, limited(problem, budget))
    }
}

/// Asks engines in turn until one answers; each but the last has a budget of steps.
struct First(Vec<Box<dyn Engine>>);

impl First {
    fn budget(&self, position: usize, problem: Problem<'_>, budget: Budget) -> Budget {
        let last = position + 1 == self.0.len();
        if last { budget } else { limited(problem, budget) }
    }
}

impl Engine for First {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        let mut last = Answer::Unsupported("this build has no engine".to_owned());
        for (position, engine) in self.0.iter().enumerate() {
            last = engine.find(problem, goal, self.budget(position, problem, budget));
            if !matches!(last, Answer::Unsupported(_) | Answer::Unknown(Why::Steps)) {
                break;
            }
        }
        last
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, String> {
        let mut last = Err("this build has no engine".to_owned());
        for (position, engine) in self.0.iter().enumerate() {
            last = engine.states(problem, self.budget(position, problem, budget));
            if last.as_ref().is_ok_and(|s| s.incomplete != Some(Why::Steps)) {
                break;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_engines_are_named() {
        let error = Choice::named("alloy").unwrap_err();
        assert!(error.to_string().contains("`alloy`"));
        assert!(error.to_string().ends_with("auto, all"));
    }
}
