//! Several engines as one: every question goes to all of them, and those that can tell have to
//! agree.

use crate::rule::Unsupported;
use crate::solve::{Answer, Budget, Engine, Goal, Problem, States};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Engines that have to agree on every question about one test.
///
/// The answer is that of the first engine that can tell. A disagreement, and engines that could not
/// tell when another could, are recorded: [`Self::disagreement`] and [`Self::silent`] are to be
/// read when the test is decided, since a question on which engines disagree may serve only a
/// sentence of the report.
#[derive(Debug)]
pub struct Agreeing<E> {
    engines: Vec<E>,
    /// The step budget of a deciding question; other questions have smaller ones.
    steps: Option<u64>,
    seen: Mutex<Evidence>,
}

/// The record of past questions.
#[derive(Debug, Default)]
struct Evidence {
    silent: BTreeSet<&'static str>,
    disagreement: Option<String>,
}

impl<E: Deref<Target: Engine>> Agreeing<E> {
    /// These engines, in the order in which they are asked.
    #[must_use]
    pub fn new(engines: impl IntoIterator<Item = E>) -> Self {
        Self { engines: engines.into_iter().collect(), steps: None, seen: Mutex::default() }
    }

    /// With this step budget for deciding questions. A question with a smaller budget serves only a
    /// sentence or a higher bound, and no engine counts as silent on it.
    #[must_use]
    pub fn with_steps(self, steps: Option<u64>) -> Self {
        Self { steps, ..self }
    }

    /// The engines that could not answer some deciding question that another one answered, in the order
    /// in which they are asked.
    #[must_use]
    pub fn silent(&self) -> Vec<&'static str> {
        let silent = self.seen(|seen| seen.silent.clone());
        let names = self.engines.iter().map(|engine| engine.name());
        names.filter(|name| silent.contains(name)).collect()
    }

    /// The first disagreement, if any.
    #[must_use]
    pub fn disagreement(&self) -> Option<String> {
        self.seen(|seen| seen.disagreement.clone())
    }

    fn seen<T>(&self, look: impl FnOnce(&mut Evidence) -> T) -> T {
        look(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The answers of all engines. An engine that answers early leaves its time to the later ones.
    fn all<T>(
        &self,
        budget: Budget,
        ask: impl Fn(&E::Target, Budget) -> T,
    ) -> Vec<(&'static str, T)> {
        let end = budget.end();
        let mut answers = Vec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let rest = budget.until(end).unwrap_or(budget.within(Duration::from_millis(1)));
            let waiting = (self.engines.len() - index) as u64;
            answers.push((engine.name(), ask(engine, rest.shared_by(waiting))));
        }
        answers
    }

    /// Records the engines that cannot tell if another can.
    fn note_silent<T>(
        &self,
        budget: Budget,
        answers: &[(&'static str, T)],
        tells: impl Fn(&T) -> bool,
    ) {
        if budget.steps == self.steps && answers.iter().any(|(_, answer)| tells(answer)) {
            let silent = answers.iter().filter(|(_, answer)| !tells(answer));
            self.seen(|seen| seen.silent.extend(silent.map(|(name, _)| *name)));
        }
    }

    /// Records a disagreement, unless there is one already; gives the first.
    fn note_disagreement(&self, said: &[String]) -> Unsupported {
        let message = format!("engines disagree: {}", said.join(", "));
        let first = self.seen(|seen| seen.disagreement.get_or_insert(message).clone());
        Unsupported::Disagreement(first)
    }
}

impl<E: Deref<Target: Engine> + Send + Sync> Engine for Agreeing<E> {
    fn name(&self) -> &'static str {
        match &self.engines[..] {
            [only] => only.name(),
            _ => "all",
        }
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        if let [only] = &self.engines[..] {
            return only.find(problem, goal, budget);
        }
        let answers = self.all(budget, |engine, budget| engine.find(problem, goal, budget));
        let tells = |answer: &Answer| matches!(answer, Answer::Yes(_) | Answer::No(_));
        self.note_silent(budget, &answers, tells);
        let found = |answer: &Answer| matches!(answer, Answer::Yes(_));
        let told: Vec<&(&str, Answer)> = answers.iter().filter(|(_, a)| tells(a)).collect();
        if told.iter().any(|(_, answer)| found(answer) != found(&told[0].1)) {
            let said: Vec<String> = told
                .iter()
                .map(|(name, answer)| {
                    let what = if found(answer) { "finds an execution" } else { "finds none" };
                    format!("{name} {what}")
                })
                .collect();
            return Answer::Unsupported(self.note_disagreement(&said));
        }
        let first = answers.iter().position(|(_, answer)| tells(answer)).unwrap_or(0);
        let answer = answers.into_iter().nth(first).map(|(_, answer)| answer);
        answer.unwrap_or(Answer::Unsupported(Unsupported::NoEngine))
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        if let [only] = &self.engines[..] {
            return only.states(problem, budget);
        }
        let answers = self.all(budget, |engine, budget| engine.states(problem, budget));
        let is_whole = |answer: &Result<States, Unsupported>| {
            answer.as_ref().is_ok_and(|states| states.incomplete.is_none())
        };
        self.note_silent(budget, &answers, is_whole);
        let values = |states: &States| -> BTreeSet<Vec<u128>> {
            states.states.iter().map(|(values, _)| values.clone()).collect()
        };
        let whole = answers.iter().position(|(_, answer)| is_whole(answer));
        if let Some((one, Ok(first))) = whole.map(|index| &answers[index]) {
            let all = values(first);
            for (other, answer) in &answers {
                let Ok(states) = answer else { continue };
                let found = values(states);
                // An incomplete list has to be a subset.
                let agrees =
                    if states.incomplete.is_none() { found == all } else { found.is_subset(&all) };
                if !agrees {
                    let said = |name: &str, count: usize| format!("{name} lists {count} states");
                    let said = [said(one, all.len()), said(other, found.len())];
                    return Err(self.note_disagreement(&said));
                }
            }
        }
        let some = || answers.iter().position(|(_, answer)| answer.is_ok());
        let best = whole.or_else(some).or(answers.len().checked_sub(1));
        let answer = best.and_then(|index| answers.into_iter().nth(index));
        answer.map_or_else(|| Err(Unsupported::NoEngine), |(_, answer)| answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::unfold::{Unfolding, unfold};
    use crate::litmus::parse::parse_bytes;
    use crate::program::lower::lower;
    use crate::program::reading::Readings;
    use crate::relation::expr::Model;
    use crate::solve::{Core, Why};
    use crate::source::Files;

    struct Says(&'static str, Answer, Result<States, Unsupported>);

    impl Engine for Says {
        fn name(&self) -> &'static str {
            self.0
        }

        fn find(&self, _: Problem<'_>, _: Goal, _: Budget) -> Answer {
            self.1.clone()
        }

        fn states(&self, _: Problem<'_>, _: Budget) -> Result<States, Unsupported> {
            self.2.clone()
        }
    }

    type Engines = Agreeing<Box<dyn Engine>>;

    fn agreeing(says: Vec<(&'static str, Answer, Result<States, Unsupported>)>) -> Engines {
        let boxed =
            |(name, answer, states)| -> Box<dyn Engine> { Box::new(Says(name, answer, states)) };
        Agreeing::new(says.into_iter().map(boxed))
    }

    fn ask(engines: &Engines) -> (Answer, Result<States, Unsupported>) {
        let text = b"PTX t\n.global .u32 x = 0;\nP0 @ gpu 0, cta 0 { ld.weak.global.u32 %r0, [x]; }\nexists (x == 0)";
        let test = &parse_bytes(&mut Files::default(), "t.litmus", text).tests[0];
        let program = lower(test, Readings::default());
        let graph = unfold(&program, Unfolding::default(), &BTreeSet::new());
        let model = Model::default();
        let problem = Problem { graph: &graph, model: &model };
        let budget = Budget::default();
        (engines.find(problem, Goal::Complete, budget), engines.states(problem, budget))
    }

    fn listed(values: &[u128], incomplete: Option<Why>) -> Result<States, Unsupported> {
        let states =
            values.iter().map(|&value| (vec![value], crate::execution::build::Choices::default()));
        Ok(States { states: states.collect(), incomplete })
    }

    #[test]
    fn who_cannot_tell_is_silent() {
        let no = Answer::No(Core::default());
        let engines = agreeing(vec![
            ("lost", Answer::Unknown(Why::Steps), listed(&[1], Some(Why::Steps))),
            ("sure", no.clone(), listed(&[1, 2], None)),
        ]);
        assert_eq!(ask(&engines), (no, listed(&[1, 2], None)));
        assert_eq!(engines.silent(), ["lost"]);
        assert_eq!(engines.disagreement(), None);
    }

    #[test]
    fn who_cannot_tell_of_an_aside_is_not_silent() {
        let no = Answer::No(Core::default());
        let states = || listed(&[1], None);
        let engines = vec![("lost", Answer::Unknown(Why::Steps), states()), ("sure", no, states())];
        let engines = agreeing(engines).with_steps(Some(1_000_000));
        let _ = ask(&engines);
        assert!(engines.silent().is_empty());
    }

    #[test]
    fn nobody_is_silent_where_nobody_can_tell() {
        let lost = |name| (name, Answer::Unknown(Why::Steps), Err(Unsupported::Recursion));
        let engines = agreeing(vec![lost("a"), lost("b")]);
        assert_eq!(ask(&engines), (Answer::Unknown(Why::Steps), Err(Unsupported::Recursion)));
        assert!(engines.silent().is_empty());
    }

    #[test]
    fn what_one_finds_and_another_one_does_not_is_a_disagreement() {
        let states = || listed(&[1], None);
        let no = Answer::No(Core::default());
        let engines =
            agreeing(vec![("a", no, states()), ("b", Answer::Yes(Box::default()), states())]);
        assert!(matches!(ask(&engines), (Answer::Unsupported(_), Ok(_))));
        let message = "engines disagree: a finds none, b finds an execution";
        assert_eq!(engines.disagreement().as_deref(), Some(message));
    }

    #[test]
    fn a_list_that_lacks_states_has_no_others() {
        let unknown = || Answer::Unknown(Why::Steps);
        let part = listed(&[3], Some(Why::Steps));
        let engines =
            agreeing(vec![("a", unknown(), listed(&[1, 2], None)), ("b", unknown(), part)]);
        let message = "engines disagree: a lists 2 states, b lists 1 states";
        assert_eq!(ask(&engines).1, Err(Unsupported::Disagreement(message.to_owned())));
        assert_eq!(engines.disagreement().as_deref(), Some(message));
    }
}
