//! The reference engine on tests whose answers are known by hand.

use super::{Enumerate, every_candidate};
use crate::cat::{Options, builtin, parse_builtin};
use crate::check::{Settings, graph_of};
use crate::event::graph::EventGraph;
use crate::litmus::parse::parse_bytes;
use crate::relation::expr::Model;
use crate::solve::Cores;
use crate::solve::{Answer, Budget, Engine, Goal, Problem, Why};
use crate::source::Files;

fn model(name: &str) -> Model {
    let found = builtin(name).expect("a built-in model");
    parse_builtin(&mut Files::default(), found, &Options::default()).model
}

fn graph(rows: &str, model: &Model) -> EventGraph {
    let text = format!("PTX t\n{{ x=0; y=0; }}\n{rows}");
    let parsed = parse_bytes(&mut Files::default(), "t.litmus", text.as_bytes());
    let test = parsed.tests.first().expect("a test without errors");
    graph_of(test, model, Settings::default())
}

const STORE_BUFFERING: &str = " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1 | st.weak y, 1 ;
 fence.sc.gpu | fence.sc.gpu ;
 ld.weak r0, y | ld.weak r1, x ;
 exists (P0:r0 == 0 /\\ P1:r1 == 0)";

const LOAD_BUFFERING: &str = " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 ld.weak r0, x | ld.weak r1, y ;
 st.weak y, r0 | st.weak x, r1 ;
 exists (P0:r0 == 0)";

#[test]
fn a_core_names_the_axioms_that_are_needed() {
    let model = model("ptx-9.2");
    let graph = graph(STORE_BUFFERING, &model);
    let problem = Problem { graph: &graph, model: &model };
    let answer = Enumerate::default().find(problem, Goal::Condition(true), Budget::default());
    let Answer::No(core) = answer else { panic!("{answer:?}") };
    let names: Vec<&str> = core.axioms.iter().map(|&a| model.axioms[a].name.as_str()).collect();
    assert_eq!(names, ["Causality"]);
    assert!(core.minimal);
}

#[test]
fn states_are_sorted_and_complete() {
    let model = model("ptx-9.2");
    let graph = graph(STORE_BUFFERING, &model);
    let problem = Problem { graph: &graph, model: &model };
    let found = Enumerate::default().states(problem, Budget::default()).expect("an answer");
    let states: Vec<&[u128]> = found.states.iter().map(|(state, _)| state.as_slice()).collect();
    assert_eq!(states, [[0, 1], [1, 0], [1, 1]]);
}

#[test]
fn values_out_of_thin_air_are_not_the_reference_engines_to_find() {
    let mut model = model("ptx-9.2");
    let graph = graph(LOAD_BUFFERING, &model);
    let budget = Budget::default();
    let engine = Enumerate { cores: Cores::FirstProof };
    let ask = |model: &Model| {
        engine.find(Problem { graph: &graph, model }, Goal::Condition(false), budget)
    };
    assert!(matches!(ask(&model), Answer::No(_)));
    model.axioms.retain(|a| a.name != "No-Thin-Air");
    assert!(matches!(ask(&model), Answer::Unsupported(_)));
}

#[test]
fn a_budget_of_steps_is_kept() {
    let model = model("ptx-9.2");
    let graph = graph(STORE_BUFFERING, &model);
    let problem = Problem { graph: &graph, model: &model };
    let budget = Budget { steps: Some(2), ..Budget::default() };
    let answer = Enumerate::default().find(problem, Goal::Condition(true), budget);
    assert_eq!(answer, Answer::Unknown(Why::Steps));
}

#[test]
fn every_candidate_is_visited_once() {
    let graph = graph(STORE_BUFFERING, &Model::default());
    let mut count = 0;
    every_candidate(&graph, Budget::default(), |_| count += 1).expect("no limit");
    // Two reads of two writes each, and two orders of the fences.
    assert_eq!(count, 8);
}
