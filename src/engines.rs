//! Engines by name: those in this build, and combinations of several.

mod agreeing;
#[cfg(feature = "cli")]
mod recalling;

pub use agreeing::Agreeing;
#[cfg(feature = "cli")]
pub(crate) use recalling::Memory;

use crate::rule::Unsupported;
use crate::solve::cost_estimate::candidates;
use crate::solve::{Answer, Budget, Cores, Engine, Goal, Problem, States, Why};
use std::time::Duration;

/// The engines that answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// The first engine that answers.
    #[default]
    Auto,
    /// Every engine; they have to agree.
    All,
    /// The engine of this name.
    One(&'static str),
}

/// The error that a name stands for no engine of this build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{name}` in this build; it has {}", available.join(", "))]
pub struct Unavailable {
    /// The name.
    pub name: String,
    /// The names that stand for one.
    pub available: Vec<&'static str>,
}

/// The kinds of engines in this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Search,
    #[cfg(feature = "z3")]
    Z3,
    Enumerate,
}

impl Kind {
    const ALL: &[Self] = &[
        Self::Search,
        #[cfg(feature = "z3")]
        Self::Z3,
        Self::Enumerate,
    ];

    fn engine(self, cores: Cores) -> Box<dyn Engine> {
        match self {
            Self::Search => Box::new(crate::solve::search::SearchEngine::with_cores(cores)),
            #[cfg(feature = "z3")]
            Self::Z3 => Box::new(crate::solve::z3::Z3Engine::with_cores(cores)),
            Self::Enumerate => Box::new(crate::solve::enumerate::Enumerate { cores }),
        }
    }

    /// Whether the engine has begun before so many steps are worth nothing any more.
    fn begins_within(self, budget: Budget) -> bool {
        let least = match self {
            Self::Search | Self::Enumerate => 0,
            #[cfg(feature = "z3")]
            Self::Z3 => TOO_FEW_FOR_Z3,
        };
        budget.steps.is_none_or(|steps| steps > least)
    }

    /// The engine for use beside others: the reference engine gets a limit, since it would take for
    /// ever on large programs.
    fn beside_others(self, cores: Cores) -> Box<dyn Engine> {
        match self {
            Self::Enumerate => Box::new(Limited(self.engine(cores))),
            _ => self.engine(cores),
        }
    }
}

/// The engines of this build.
#[must_use]
pub fn engines() -> Vec<Box<dyn Engine>> {
    Kind::ALL.iter().map(|kind| kind.engine(Cores::default())).collect()
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

    /// The choice as one engine; the answers of several have to agree.
    #[must_use]
    pub fn engine(self) -> Box<dyn Engine> {
        let mut engines = self.engines();
        match engines.len() {
            1 => engines.remove(0),
            _ => Box::new(Agreeing::new(engines)),
        }
    }

    /// The engines to ask; the answers of several have to [agree](Agreeing).
    #[must_use]
    pub fn engines(self) -> Vec<Box<dyn Engine>> {
        self.engines_with(Cores::default())
    }

    /// As [`engines`](Self::engines), with engines that put this much work into cores.
    #[must_use]
    pub fn engines_with(self, cores: Cores) -> Vec<Box<dyn Engine>> {
        let all = || Kind::ALL.iter();
        match self {
            Self::Auto => vec![Box::new(First::new(cores))],
            Self::All => all().map(|kind| kind.beside_others(cores)).collect(),
            Self::One(name) => {
                all().map(|kind| kind.engine(cores)).filter(|e| e.name() == name).collect()
            }
        }
    }
}

/// The steps of an engine before the next one is asked, for a program of one event. The number is
/// divided by the number of events, since a step takes longer in larger programs.
const PATIENCE: u64 = 1_000_000;

/// As [`PATIENCE`], for the search in its second turn.
const PATIENCE_WITH_SEARCH: u64 = 5_000_000;

/// As [`PATIENCE`], for the search in its first turn, about a second. Beyond that, Z3 is sometimes
/// faster, for pipelines above all.
const FIRST_PATIENCE_WITH_SEARCH: u64 = PATIENCE_WITH_SEARCH / 8;

/// The steps of Z3 in its first turn, independent of the program: some seconds.
#[cfg(feature = "z3")]
const FIRST_PATIENCE_WITH_Z3: u64 = 10_000;

/// Questions that are worth no more steps than this are not put to Z3, which takes longer to begin: they
/// are asked for a sentence in a reason.
#[cfg(feature = "z3")]
const TOO_FEW_FOR_Z3: u64 = 1_000;

/// As [`FIRST_PATIENCE_WITH_Z3`], for its second turn.
#[cfg(feature = "z3")]
const PATIENCE_WITH_Z3: u64 = 4 * FIRST_PATIENCE_WITH_Z3;

/// The factor by which patience grows from one round of all engines to the next.
const MORE_PATIENCE: u64 = 4;

/// As [`PATIENCE`], for the search for pairs in a relation. After a second of enumerating
/// executions, Z3 is the better choice and mostly answers at once.
const PATIENCE_WITH_PAIRS: u64 = 50_000;

/// A budget with steps by this patience, unless it has a step limit.
fn limited(problem: Problem<'_>, patience: u64, budget: Budget) -> Budget {
    let patience = patience / (problem.graph.events.len() as u64).max(1);
    Budget { steps: budget.steps.or(Some(patience)), ..budget }
}

/// An engine with a budget of steps.
struct Limited(Box<dyn Engine>);

impl Engine for Limited {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        self.0.find(problem, goal, limited(problem, PATIENCE, budget))
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        self.0.states(problem, limited(problem, PATIENCE, budget))
    }
}

/// Asks engines in turn until one answers, by [`ATTEMPTS`]. Each has a step budget; in the end,
/// those that have run out of steps get ever larger budgets, so that no other engine alone would
/// have been many times faster.
struct First(Vec<(Kind, Box<dyn Engine>)>);

impl First {
    fn new(cores: Cores) -> Self {
        Self(Kind::ALL.iter().map(|&kind| (kind, kind.engine(cores))).collect())
    }

    fn engine(&self, wanted: Kind) -> &dyn Engine {
        let found = self.0.iter().find(|(kind, _)| *kind == wanted);
        found.expect("there is one of every kind").1.as_ref()
    }

    fn ask<T>(
        &self,
        problem: Problem<'_>,
        goal: Option<Goal>,
        budget: Budget,
        ask: impl Fn(&dyn Engine, Budget) -> T,
        is_open: impl Fn(&T) -> Option<Open>,
    ) -> Option<T> {
        let end = budget.end();
        let left = |steps: Option<u64>| {
            let limited = Budget { steps: budget.steps.or(steps), ..budget };
            // An engine that is asked without time left reports that itself.
            limited.until(end).unwrap_or(limited.within(Duration::from_millis(1)))
        };
        let mut tired: Vec<Kind> = Vec::new();
        let mut first = None;
        for turn in ATTEMPTS.iter().filter(|turn| turn.is_due(problem)) {
            if !turn.engine.begins_within(budget) {
                continue;
            }
            if turn.again && (budget.steps.is_some() || !turn.is_worth_it(goal, &tired)) {
                continue;
            }
            let answer = ask(self.engine(turn.engine), left(turn.steps(problem, goal)));
            match is_open(&answer) {
                None => return Some(answer),
                Some(Open::Steps) => tired.push(turn.engine),
                Some(Open::Unsupported) => {}
            }
            first.get_or_insert(answer);
        }
        if budget.steps.is_some() {
            return first;
        }
        let insists = |turn: &&Attempt| turn.again && turn.is_worth_it(goal, &tired);
        let insisting: Vec<&Attempt> = ATTEMPTS.iter().filter(insists).collect();
        let mut patience = 1_u64;
        loop {
            patience = patience.saturating_mul(MORE_PATIENCE);
            for turn in &insisting {
                let more = turn.steps(problem, goal).map(|steps| steps.saturating_mul(patience));
                let steps = more.filter(|_| insisting.len() > 1);
                let answer = ask(self.engine(turn.engine), left(steps));
                if is_open(&answer) != Some(Open::Steps) {
                    return Some(answer);
                }
            }
            if insisting.is_empty() {
                return first;
            }
        }
    }
}

/// A turn of an engine.
struct Attempt {
    engine: Kind,
    /// The range of candidate executions of programs for which it is asked, as binary logarithms;
    /// `None` for all.
    candidates: Option<std::ops::Range<f64>>,
    /// The most events of programs for which it is asked.
    most_events: usize,
    /// Whether this is another try, after one that ran out of steps. In the end such engines are
    /// asked with ever more steps.
    again: bool,
}

/// The search mostly answers before Z3 has begun, or says at once that it does not support the
/// question. Enumerating thousands of candidates takes a millisecond, while Z3 takes ten and more
/// to begin; if Z3 cannot tell either, more candidates are worth enumerating.
const ATTEMPTS: &[Attempt] = &[
    Attempt { engine: Kind::Search, candidates: None, most_events: usize::MAX, again: false },
    Attempt {
        engine: Kind::Enumerate,
        candidates: Some(0.0..FEW),
        most_events: MOST_ENUMERATED,
        again: false,
    },
    #[cfg(feature = "z3")]
    Attempt { engine: Kind::Z3, candidates: None, most_events: usize::MAX, again: false },
    Attempt { engine: Kind::Search, candidates: None, most_events: usize::MAX, again: true },
    #[cfg(feature = "z3")]
    Attempt { engine: Kind::Z3, candidates: None, most_events: usize::MAX, again: true },
    Attempt {
        engine: Kind::Enumerate,
        candidates: Some(FEW..f64::INFINITY),
        most_events: MOST_ENUMERATED,
        again: false,
    },
];

/// Few candidate executions, as a binary logarithm.
const FEW: f64 = 12.0;

/// The most events of a program for which the reference engine is asked.
const MOST_ENUMERATED: usize = 100;

impl Attempt {
    /// The steps of the engine before the next one is asked; without a goal, for all states.
    fn steps(&self, Problem { graph, .. }: Problem<'_>, goal: Option<Goal>) -> Option<u64> {
        let patience = match (self.engine, goal) {
            (Kind::Search, Some(Goal::Related(_))) => PATIENCE_WITH_PAIRS,
            (Kind::Search, _) if self.again => PATIENCE_WITH_SEARCH,
            (Kind::Search, _) => FIRST_PATIENCE_WITH_SEARCH,
            #[cfg(feature = "z3")]
            (Kind::Z3, _) if self.again => return Some(PATIENCE_WITH_Z3),
            #[cfg(feature = "z3")]
            (Kind::Z3, _) => return Some(FIRST_PATIENCE_WITH_Z3),
            (Kind::Enumerate, _) => PATIENCE,
        };
        Some(patience / (graph.events.len() as u64).max(1))
    }

    /// Whether another try may tell, given the engines that ran out of steps. For pairs, the search
    /// spends its whole budget in the first turn.
    fn is_worth_it(&self, goal: Option<Goal>, tired: &[Kind]) -> bool {
        let pairs = matches!(goal, Some(Goal::Related(_)));
        tired.contains(&self.engine) && !(pairs && self.engine == Kind::Search)
    }

    fn is_due(&self, Problem { graph, .. }: Problem<'_>) -> bool {
        let fits = |range: &std::ops::Range<f64>| range.contains(&candidates(graph));
        graph.events.len() <= self.most_events && self.candidates.as_ref().is_none_or(fits)
    }
}

/// The reason why the next engine is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// The engine ran out of steps.
    Steps,
    /// The engine does not handle the question.
    Unsupported,
}

impl Engine for First {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        let ask = |engine: &dyn Engine, budget| engine.find(problem, goal, budget);
        let answer = self.ask(problem, Some(goal), budget, ask, |answer| match answer {
            Answer::Unknown(Why::Steps) => Some(Open::Steps),
            Answer::Unsupported(_) => Some(Open::Unsupported),
            _ => None,
        });
        answer.unwrap_or(Answer::Unsupported(Unsupported::NoEngine))
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        let ask = |engine: &dyn Engine, budget| engine.states(problem, budget);
        let answer = self.ask(problem, None, budget, ask, |states| match states {
            Ok(states) if states.incomplete == Some(Why::Steps) => Some(Open::Steps),
            Ok(_) => None,
            Err(_) => Some(Open::Unsupported),
        });
        answer.unwrap_or(Err(Unsupported::NoEngine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_turn() {
        let has_turn = |kind: &Kind| ATTEMPTS.iter().any(|turn| turn.engine == *kind);
        assert!(Kind::ALL.iter().all(has_turn));
    }

    #[test]
    fn unknown_engines_are_named() {
        let error = Choice::named("alloy").unwrap_err();
        assert!(error.to_string().contains("`alloy`"));
        assert!(error.to_string().ends_with("auto, all"));
    }
}
