//! An engine that recalls its answers where another model leaves what they rest on as it was.
//!
//! A report asks the same questions under every other reading of the standard, and most readings change nothing
//! for the program at hand. An execution found under one model is one under another that admits it, which is
//! evaluated. That there is none holds under every model whose axioms imply those that exclude it. Axioms are compared
//! after names that are empty in the program have been folded away.

use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::execution::refine::refined;
use crate::id::NodeId;
use crate::relation::expr::{Arena, Axiom, AxiomKind, AxiomRole, Model, Node};
use crate::relation::inclusion::Inclusion;
use crate::relation::specialize::import;
use crate::rule::Unsupported;
use crate::solve::search::Shape;
use crate::solve::{Answer, Budget, Core, Engine, Goal, Pairs, Problem, States};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An engine with a memory, which it may share with others of its name.
pub(crate) struct Recalling {
    engine: Box<dyn Engine>,
    memory: Memory,
}

/// The answers of an engine.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Answers>>);

impl Memory {
    /// Engines that recall what is in these memories, in the same order, and keep there what they answer.
    pub(crate) fn behind(memories: &[Self], engines: Vec<Box<dyn Engine>>) -> Vec<Box<dyn Engine>> {
        let recalling = |(engine, memory): (Box<dyn Engine>, &Self)| {
            Box::new(Recalling { engine, memory: memory.clone() }) as Box<dyn Engine>
        };
        engines.into_iter().zip(memories).map(recalling).collect()
    }

    /// The events that questions have been about.
    pub(crate) fn graphs(&self) -> Vec<EventGraph> {
        self.answers(|answers| answers.graphs.clone())
    }

    fn answers<T>(&self, look: impl FnOnce(&mut Answers) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Engine for Recalling {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        let (asked, known) = self.memory.answers(|answers| {
            let asked = answers.asked(problem, goal);
            let known = answers.recalled(&asked, problem);
            (asked, known)
        });
        known.unwrap_or_else(|| {
            let answer = self.engine.find(problem, goal, budget);
            self.memory.answers(|answers| answers.keep(asked, &answer));
            answer
        })
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        self.engine.states(problem, budget)
    }
}

/// What an axiom demands, as a node of the common arena.
type Demand = (AxiomKind, bool, NodeId);

/// A question about one graph.
struct Asked {
    /// The index of the graph among those that are kept.
    graph: usize,
    goal: Goal,
    /// The goal, where a relation is a node of the common arena.
    common: Goal,
    /// The relation whose pairs are looked for.
    relation: Option<NodeId>,
    /// The demand of each axiom; `None` for one that restricts no execution.
    demands: Vec<Option<Demand>>,
    total_co: bool,
}

/// An answer, and what it rests on.
enum Kept {
    Yes(Box<Choices>),
    No(Vec<Demand>),
}

#[derive(Default)]
struct Answers {
    graphs: Vec<EventGraph>,
    arena: Arena,
    inclusion: Inclusion,
    /// Where the nodes of each arena are in the common one, for programs of one shape.
    imported: FxHashMap<(u64, Shape), Arc<Vec<NodeId>>>,
    kept: Vec<(Asked, Kept)>,
}

impl Answers {
    fn asked(&mut self, Problem { graph, model }: Problem<'_>, goal: Goal) -> Asked {
        let nodes = self.nodes(graph, model);
        let demand = |axiom: &Axiom| {
            let node = nodes[axiom.node.index()];
            let holds = !axiom.negated && matches!(self.arena.node(node), Node::Empty(_));
            (axiom.role == AxiomRole::Required && !holds).then_some((
                axiom.kind,
                axiom.negated,
                node,
            ))
        };
        let demands = model.axioms.iter().map(demand).collect();
        let relation = match goal {
            Goal::Related(pairs) => pairs.relation(model).ok().map(|node| nodes[node.index()]),
            _ => None,
        };
        let common = match (goal, relation) {
            (Goal::Related(Pairs::Member(_, lasting)), Some(node)) => {
                Goal::Related(Pairs::Member(node, lasting))
            }
            _ => goal,
        };
        let graph = self.graphs.iter().position(|known| known == graph).unwrap_or_else(|| {
            self.graphs.push(graph.clone());
            self.graphs.len() - 1
        });
        Asked { graph, goal, common, relation, demands, total_co: model.total_co }
    }

    fn nodes(&mut self, graph: &EventGraph, model: &Model) -> Arc<Vec<NodeId>> {
        let shape = Shape::of(graph);
        let imported = self.imported.entry((model.arena.digest(), shape));
        let import = || {
            let leaf = |node| shape.replacement(node).unwrap_or(node);
            Arc::new(import(&mut self.arena, &model.arena, leaf))
        };
        Arc::clone(imported.or_insert_with(import))
    }

    fn recalled(&mut self, asked: &Asked, problem: Problem<'_>) -> Option<Answer> {
        let Self { graphs, arena, kept, inclusion, .. } = self;
        let arena = &*arena;
        let alike = |known: &&(Asked, Kept)| known.0.common == asked.common;
        kept.iter().filter(alike).find_map(|(known, answer)| match answer {
            Kept::Yes(choices) => {
                let choices = match known.graph == asked.graph {
                    true => Some((**choices).clone()),
                    false => refined(&graphs[known.graph], problem.graph, choices),
                };
                let found = choices.filter(|choices| is_answer(problem, asked.goal, choices));
                found.map(|choices| Answer::Yes(Box::new(choices)))
            }
            Kept::No(needed) => {
                let same = known.graph == asked.graph && known.relation == asked.relation;
                let stays = same && known.total_co <= asked.total_co;
                let axiom = |demand: &Demand| {
                    let mut is = |own: &Option<Demand>| {
                        own.is_some_and(|own| implies(arena, inclusion, own, *demand))
                    };
                    asked.demands.iter().position(&mut is)
                };
                let axioms: Option<Vec<usize>> =
                    stays.then(|| needed.iter().map(axiom).collect()).flatten();
                axioms.map(|axioms| Answer::No(Core { axioms, ..Core::default() }))
            }
        })
    }

    fn keep(&mut self, asked: Asked, answer: &Answer) {
        let kept = match answer {
            Answer::Yes(choices) => Kept::Yes(choices.clone()),
            Answer::No(core) if asked.goal.wants_core() => {
                Kept::No(core.axioms.iter().filter_map(|&axiom| asked.demands[axiom]).collect())
            }
            Answer::No(_) => Kept::No(asked.demands.iter().flatten().copied().collect()),
            Answer::Unknown(_) | Answer::Unsupported(_) => return,
        };
        self.kept.push((asked, kept));
    }
}

/// Whether what meets the first demand meets the second: no cycle, no loop and no member is in part of what has
/// none.
fn implies(arena: &Arena, inclusion: &mut Inclusion, demand: Demand, other: Demand) -> bool {
    let ((kind, negated, node), (same_kind, other_negated, part)) = (demand, other);
    let grows = kind == same_kind && !negated && !other_negated;
    demand == other || grows && inclusion.holds(arena, part, node)
}

/// Whether choices make an execution that the model admits and that reaches the goal.
fn is_answer(Problem { graph, model }: Problem<'_>, goal: Goal, choices: &Choices) -> bool {
    Execution::build(graph, choices.clone()).is_ok_and(|execution| {
        goal.is_reached(model, &execution) && recheck(model, &execution).is_consistent()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cat::{Options, builtin, parse_builtin};
    use crate::check::{Settings, check};
    use crate::engines::Choice;
    use crate::litmus::parse::parse_bytes;
    use crate::source::Files;
    use crate::verdict::Kind;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// An engine that counts what it is asked.
    struct Counting(Box<dyn Engine>, Arc<AtomicUsize>);

    impl Engine for Counting {
        fn name(&self) -> &'static str {
            self.0.name()
        }

        fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.find(problem, goal, budget)
        }

        fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
            self.0.states(problem, budget)
        }
    }

    #[test]
    fn only_readings_that_may_matter_are_asked_about() {
        let text = include_bytes!("../../litmus/mp/MP+acquire+ctrl.litmus");
        let test = parse_bytes(&mut Files::default(), "mp.litmus", text).tests.remove(0);
        let model = |reading: Option<&str>| {
            let variants = reading.into_iter().map(str::to_owned).collect();
            let builtin = builtin("ptx-9.2").expect("it is built in");
            parse_builtin(&mut Files::default(), builtin, &Options { variants }).model
        };
        let (asked, memory) = (Arc::new(AtomicUsize::new(0)), vec![Memory::default()]);
        let verdict = |reading: Option<&str>| {
            let engine = Counting(Choice::Auto.engine(), Arc::clone(&asked));
            let engines = Memory::behind(&memory, vec![Box::new(engine)]);
            let before = asked.load(Ordering::Relaxed);
            let outcome = check(&test, &model(reading), engines[0].as_ref(), Settings::default());
            (outcome.verdict.kind(), asked.load(Ordering::Relaxed) - before)
        };
        let (kind, first) = verdict(None);
        assert!(kind == Kind::Forbidden && first > 0);
        // No fence, no barrier, no proxy: nothing of the model for this program changes, or what forbids the
        // outcome stays.
        for reading in ["warp-sync=none", "one-way=alone", "nta=syntactic", "scloc=pairwise"] {
            assert_eq!(verdict(Some(reading)), (Kind::Forbidden, 0), "{reading}");
        }
        let (kind, again) = verdict(Some("fence-proxy=required"));
        assert!(kind == Kind::Forbidden && again <= first);
    }
}
