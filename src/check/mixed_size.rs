//! Races of accesses of different sizes, and the verdicts that remain in spite of them (PTX-8.7.1,
//! 8.7.2).

use super::asked::{Asked, Found, undecided_before_waits};
use super::condition::{goal_of, reached, witnessed};
use super::events::{graph_of, graph_with_rounds};
use super::{Settings, prefix};
use crate::event::graph::EventGraph;
use crate::event::unfold::Tearing;
use crate::program::reading::MixedRace;
use crate::race::{self, Race};
use crate::relation::expr::{Axiom, AxiomKind, AxiomRole, Model, Node};
use crate::rule::Rule;
use crate::solve::{Core, Pairs, Problem};
use crate::verdict::{Decided, Reason, Undecided, Verdict};
use crate::vocabulary::{BaseRel, BaseSet, Sort};

/// The verdict if accesses of different sizes race, with the events of the verdict if these are not
/// the problem's.
pub(super) fn verdict(asked: Asked<'_>) -> Option<Found> {
    let Problem { graph, model } = asked.problem;
    if model.definition("race").is_none() || !graph.has_partial_overlap() {
        return None;
    }
    let (race, racing) = match race(asked) {
        Err(verdict) => return Some(Found::here(verdict)),
        Ok(race) => race?,
    };
    Some(match in_spite_of_a_race(asked) {
        Voided::Yes => Found::elsewhere((voided(&racing, race), racing)),
        Voided::But(verdict) => Found::here(verdict),
    })
}

/// A mixed-size race of the program, or of a prefix before threads may wait for ever, with its
/// events.
fn race(asked: Asked<'_>) -> Result<Option<(Race, EventGraph)>, Verdict> {
    let Asked { test, problem: Problem { model, .. }, engine, settings } = asked;
    let whole = graph_with_rounds(test, model, settings);
    let find = |graph: &EventGraph| {
        race::find(Problem { graph, model }, Pairs::MixedRace, engine, settings.budget)
    };
    if let Some(race) = find(&whole)? {
        return Ok(Some((race, whole)));
    }
    let before = prefix::before_waits(&whole);
    let undecided = || Err(undecided_before_waits());
    let found = prefix::first_found(before, |graph| find(graph).transpose(), undecided);
    found.map(|(race, graph)| Ok((race?, graph))).transpose()
}

/// The verdicts that a mixed-size race leaves.
enum Voided {
    /// None: the program is undefined.
    Yes,
    /// This verdict.
    But(Verdict),
}

/// The verdict despite a mixed-size race, which voids all axioms but the axiom for atomics
/// (PTX-8.7.2).
fn in_spite_of_a_race(asked: Asked<'_>) -> Voided {
    if asked.settings.readings.mixed_race == MixedRace::Execution {
        return Voided::But(racing_executions(asked).unwrap_or_else(|| reached(asked)));
    }
    Voided::But(match excluded_by_atomics(asked) {
        Ok(Some(core)) => Verdict::Forbidden(Core { despite_race: true, ..core }),
        Ok(None) => return Voided::Yes,
        Err(why) => Verdict::Unknown(why),
    })
}

/// The verdict if a mixed-size race leaves an execution undefined.
fn voided(graph: &EventGraph, race: Race) -> Verdict {
    let accesses = [race.accesses.0, race.accesses.1].map(|access| race::describe(graph, access));
    Verdict::Undefined(Reason {
        rule: Rule::MixedRace { accesses },
        spans: race::spans(graph, &race).to_vec(),
        choices: Some(race.choices),
    })
}

/// The verdict if a mixed-size race voids only its own executions (the other side of reading V24).
/// Allowed by an execution without a race, undefined if every execution with the outcome has a
/// race. `None` if no execution has the outcome.
fn racing_executions(asked: Asked<'_>) -> Option<Verdict> {
    let (problem, goal) = (asked.problem, goal_of(asked.test.quantifier));
    let calm = without_mixed_races(problem.model)?;
    let racing = match asked.under(&calm).find(goal) {
        Ok(Decided::Yes(choices)) => return Some(witnessed(problem, goal, *choices)),
        Ok(Decided::No(_)) => asked.find(goal),
        Err(why) => Err(why),
    };
    match racing {
        Ok(Decided::Yes(choices)) => {
            Some(match race::confirm(problem, Pairs::MixedRace, choices) {
                Ok(race) => voided(problem.graph, race),
                Err(verdict) => verdict,
            })
        }
        Ok(Decided::No(_)) => None,
        Err(why) => Some(Verdict::Unknown(why)),
    }
}

/// The model with an axiom that no accesses of different sizes race.
fn without_mixed_races(model: &Model) -> Option<Model> {
    let race = model.definitions.iter().rev().find(|d| d.name == "race")?;
    let mut calm = model.clone();
    // Pieces overlap completely or not at all: one of the two accesses has a piece that no piece
    // of the other is on.
    let mut add = |node| calm.arena.add(node);
    let (access, overlap) = (add(Node::Rel(BaseRel::SameAccess)), add(Node::Rel(BaseRel::Loc)));
    let memory = add(Node::Set(BaseSet::Memory));
    let (pairs, covered) = (add(Node::Cross(memory, memory)), add(Node::Comp(overlap, access)));
    let bare = add(Node::Diff(pairs, covered));
    let partial = add(Node::Comp(access, bare));
    let back = add(Node::Inverse(partial));
    let partly = add(Node::Union(partial, back));
    let node = add(Node::Inter(race.node, partly));
    calm.axioms.push(Axiom {
        kind: AxiomKind::Empty,
        negated: false,
        role: AxiomRole::Required,
        node,
        name: "no mixed-size race".to_owned(),
        clauses: Vec::new(),
        span: race.span,
    });
    Some(calm)
}

/// Whether the clause on overlapping atomics, which holds in spite of mixed-size races, alone
/// excludes the outcome (reading V24). `None` too if values exclude it without any axiom.
///
/// No other axiom holds, so every access may tear at every byte.
fn excluded_by_atomics(asked: Asked<'_>) -> Result<Option<Core>, Undecided> {
    let Asked { test, problem: Problem { model, .. }, settings, .. } = asked;
    let settings = Settings { tearing: Tearing::Byte, ..settings };
    let graph = graph_of(test, model, settings);
    let excluded = |keep: fn(&Axiom) -> bool| {
        let mut model = model.clone();
        let nothing = model.arena.add(Node::Empty(Sort::Relation));
        for axiom in model.axioms.iter_mut().filter(|axiom| !keep(axiom)) {
            (axiom.node, axiom.kind, axiom.negated) = (nothing, AxiomKind::Empty, false);
        }
        let asked = Asked { settings, ..asked.on(&graph).under(&model) };
        match asked.find(goal_of(test.quantifier))? {
            Decided::No(core) => match asked.cut() {
                Some(why) => Err(why),
                None => Ok(Some(core)),
            },
            Decided::Yes(_) => Ok(None),
        }
    };
    let core = excluded(|axiom| axiom.clauses.iter().any(|clause| clause == "PTX-8.7.2"))?;
    Ok(if core.is_some() && excluded(|_| false)?.is_none() { core } else { None })
}
