//! Two models over one arena, ready to be evaluated on small programs.
//!
//! Relations that small programs lack are folded away. Equal expressions of the two models are one
//! node, so that common parts are evaluated once and the differing parts are known. Evaluation
//! proceeds in stages by the dependencies of a node, since most nodes do not change between the
//! coherence orders of a candidate or between the candidates of a shape.

use super::label::orders;
use super::place::Asked;
use super::shape::{Alphabet, Kind};
use super::twins::{Inputs, Twin, Twins};
use crate::id::NodeId;
use crate::ptx::operation::Order;
use crate::relation::deletion::{Effect, effects};
use crate::relation::expr::{Arena, AxiomKind, AxiomRole, Model, Node};
use crate::relation::plan::{Step, dependencies, plan};
use crate::relation::specialize::import;
use crate::vocabulary::{BaseRel, BaseSet, Sort};

/// The dependencies of nodes, smallest first. Each stage is evaluated when one of its dependencies
/// has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// On the shape alone.
    Shape,
    /// On reads-from.
    Reads,
    /// On orders, scopes and places.
    Labels,
    /// On both.
    Both,
    /// On the order of `fence.sc`.
    FenceOrder,
    /// On coherence.
    Coherence,
}

impl Stage {
    /// All stages, in the order of evaluation.
    pub const ALL: [Self; 6] =
        [Self::Shape, Self::Reads, Self::Labels, Self::Both, Self::FenceOrder, Self::Coherence];

    fn of(bits: u8) -> Self {
        match bits {
            _ if bits & COHERENCE > 0 => Self::Coherence,
            _ if bits & FENCE_ORDER > 0 => Self::FenceOrder,
            _ if bits & (LABELS | READS) == LABELS | READS => Self::Both,
            LABELS => Self::Labels,
            READS => Self::Reads,
            _ => Self::Shape,
        }
    }
}

const READS: u8 = 1;
const LABELS: u8 = 2;
const FENCE_ORDER: u8 = 4;
const COHERENCE: u8 = 8;

/// An axiom of one of the models, or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The kind of axiom.
    pub kind: AxiomKind,
    /// Whether the demand is negated.
    pub negated: bool,
    /// The constrained expression.
    pub node: NodeId,
    /// The stage at which the demand can be checked.
    pub stage: Stage,
    /// For each model, whether it has the axiom.
    pub of: [bool; 2],
    /// The name of the axiom.
    pub name: String,
    /// The twin that bounds the difference to the counterpart in the other model.
    pub twin: Option<usize>,
}

impl Demand {
    /// Whether both models have the axiom.
    #[must_use]
    pub fn is_common(&self) -> bool {
        self.of == [true, true]
    }
}

/// The steps of a stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// All steps, operands first; those come before the others on which an axiom depends that is not
    /// common to the models.
    pub(super) list: Vec<Timed>,
    /// How many come before the others.
    pub(super) own: usize,
}

/// A step, and from what it is evaluated.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    pub(super) step: Step,
    /// The node that tells when the step was evaluated last.
    pub(super) clock: NodeId,
    /// What the nodes of the step are evaluated from; none for what the program supplies.
    pub(super) operands: Vec<NodeId>,
}

/// What the evaluation in lanes takes from the frame as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    pub(super) nodes: Vec<NodeId>,
    pub(super) twins: Vec<usize>,
}

/// Two models over one arena.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The expressions of both.
    pub arena: Arena,
    /// The axioms of both, each once.
    pub demands: Vec<Demand>,
    /// The steps of each stage, in the order of [`Stage::ALL`].
    pub(super) steps: Vec<Steps>,
    /// The pairs of corresponding expressions that may differ, by stage.
    pub(super) twins: Vec<Vec<(usize, Twin, Inputs)>>,
    /// What is taken as it is where executions are looked at together.
    pub(super) taken: Taken,
    /// Whether a node has one value for all orders, scopes and places.
    pub(super) exact: Vec<bool>,
    /// The properties of placements that the models distinguish.
    pub asked: Asked,
    /// Which of the models has total coherence.
    pub total: [bool; 2],
    /// Which of the models surely allows what is left of an execution that it allows when an
    /// instruction is left out.
    pub(super) sheds: [bool; 2],
}

impl Pair {
    /// Two models, for programs of an alphabet; `has_clusters` says whether clusters are in question.
    #[must_use]
    pub fn new(models: [&Model; 2], alphabet: &Alphabet, has_clusters: bool) -> Self {
        let mut arena = Arena::default();
        let mut demands: Vec<Demand> = Vec::new();
        for (index, model) in models.into_iter().enumerate() {
            let map = import(&mut arena, &model.arena, |node| in_alphabet(node, alphabet));
            for axiom in model.axioms.iter().filter(|axiom| axiom.role == AxiomRole::Required) {
                let (kind, negated) = (axiom.kind, axiom.negated);
                let node = map[axiom.node.index()];
                // An axiom about an empty relation is trivial in these programs.
                if !negated && matches!(arena.node(node), Node::Empty(_)) {
                    continue;
                }
                let same = |d: &&mut Demand| (d.kind, d.negated, d.node) == (kind, negated, node);
                match demands.iter_mut().find(same) {
                    Some(known) => known.of[index] = true,
                    None => {
                        let (stage, name, twin) = (Stage::Shape, axiom.name.clone(), None);
                        let mut of = [false; 2];
                        of[index] = true;
                        demands.push(Demand { kind, negated, node, stage, of, name, twin });
                    }
                }
            }
        }
        let roots: Vec<NodeId> = demands.iter().map(|demand| demand.node).collect();
        let mut bits = vec![0; arena.len()];
        let mut steps = vec![Vec::new(); Stage::ALL.len()];
        for (step, _) in plan(&arena, &roots) {
            let own = step.nodes().fold(0, |all, id| all | depends(&arena, id, &bits));
            step.nodes().for_each(|id| bits[id.index()] = own);
            steps[Stage::of(own) as usize].push(step);
        }
        let owned = owned(&arena, &demands);
        let steps: Vec<Steps> = steps.into_iter().map(|s| Steps::new(&arena, s, &owned)).collect();
        demands.iter_mut().for_each(|d| d.stage = Stage::of(bits[d.node.index()]));
        let twins = twins(&arena, &mut demands, &bits);
        let all = steps.iter().flat_map(|steps| &steps.list);
        let used: Vec<Node> =
            all.flat_map(|timed| timed.step.nodes()).map(|id| arena.node(id)).collect();
        let mentions = |node: Node| used.contains(&node);
        let scopes =
            [BaseSet::ScopeCta, BaseSet::ScopeCluster, BaseSet::ScopeGpu, BaseSet::ScopeSys];
        let asked = Asked {
            clusters: mentions(Node::Rel(BaseRel::SameCluster))
                || alphabet.kinds.contains(&Kind::ClusterBarrier),
            gpus: mentions(Node::Rel(BaseRel::SameGpu)),
            scopes: scopes.iter().any(|&scope| mentions(Node::Set(scope))),
            has_clusters,
        };
        let exact = bits.iter().map(|bits| bits & LABELS == 0).collect();
        let total = models.map(|model| model.total_co);
        let taken = Taken::default();
        let sheds = [0, 1].map(|model| sheds(&arena, demands.iter().filter(|d| d.of[model])));
        let mut pair = Self { arena, demands, steps, twins, taken, exact, asked, total, sheds };
        pair.taken = Taken::new(&pair);
        pair
    }

    /// Whether a twin is one of sets.
    pub(super) fn is_set_twin(&self, index: usize) -> bool {
        let twin = self.twins.iter().flatten().find(|(own, ..)| *own == index);
        twin.is_some_and(|(_, twin, _)| self.arena.sort(twin.nodes[0]) == Sort::Set)
    }

    /// Whether the models are equal for these programs.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.demands.iter().all(Demand::is_common) && self.total[0] == self.total[1]
    }
}

/// Whether axioms that hold of an execution surely hold of what is left of it without an instruction.
fn sheds<'d>(arena: &Arena, mut demands: impl Iterator<Item = &'d Demand>) -> bool {
    let effects = effects(arena);
    demands.all(|d| !d.negated && effects[d.node.index()] != Effect::MayGrow)
}

/// The nodes on which axioms depend that are not common to the models.
fn owned(arena: &Arena, demands: &[Demand]) -> Vec<bool> {
    let roots: Vec<NodeId> = demands.iter().filter(|d| !d.is_common()).map(|d| d.node).collect();
    let mut owned = vec![false; arena.len()];
    for (step, _) in plan(arena, &roots) {
        step.nodes().for_each(|id| owned[id.index()] = true);
    }
    owned
}

impl Steps {
    fn new(arena: &Arena, steps: Vec<Step>, owned: &[bool]) -> Self {
        let timed = |step: Step| {
            let own: Vec<NodeId> = step.nodes().collect();
            let mut operands: Vec<NodeId> =
                own.iter().flat_map(|&id| dependencies(arena, id)).collect();
            operands.retain(|id| !own.contains(id));
            operands.sort_unstable();
            operands.dedup();
            Timed { clock: own[0], operands, step }
        };
        let (mut list, others): (Vec<Timed>, Vec<Timed>) =
            steps.into_iter().map(timed).partition(|timed| owned[timed.clock.index()]);
        let own = list.len();
        list.extend(others);
        Self { list, own }
    }
}

impl Taken {
    /// What is taken for a pair.
    pub(super) fn new(pair: &Pair) -> Self {
        let steps = &pair.steps[Stage::Coherence as usize].list;
        let late: Vec<NodeId> = steps.iter().flat_map(|timed| timed.step.nodes()).collect();
        let twins = &pair.twins[Stage::Coherence as usize];
        let operands = steps.iter().flat_map(|timed| timed.operands.iter().copied());
        // A restriction is evaluated from its set.
        let sets = steps.iter().flat_map(|timed| &timed.operands);
        let sets = sets.filter(|&&id| matches!(pair.arena.node(id), Node::ToId(_)));
        let sets = sets.flat_map(|&id| dependencies(&pair.arena, id));
        let demanded = pair.demands.iter().filter(|d| d.stage == Stage::Coherence).map(|d| d.node);
        let compared = twins.iter().flat_map(|(_, _, (nodes, _))| nodes.iter().copied());
        let mut nodes: Vec<NodeId> = operands.chain(sets).chain(demanded).chain(compared).collect();
        nodes.retain(|id| !late.contains(id));
        nodes.sort_unstable();
        nodes.dedup();
        let used = twins.iter().flat_map(|(_, _, (_, twins))| twins.iter().copied());
        let mut used: Vec<usize> = used.collect();
        used.retain(|twin| twins.iter().all(|(own, ..)| own != twin));
        used.sort_unstable();
        used.dedup();
        Self { nodes, twins: used }
    }
}

/// Pairs the axioms of one name that each occur in only one model, and gives their twins by stage.
fn twins(arena: &Arena, demands: &mut [Demand], bits: &[u8]) -> Vec<Vec<(usize, Twin, Inputs)>> {
    let mut twins = Twins::default();
    let own = |demand: &Demand, model: usize| demand.of[model] && !demand.is_common();
    for at in 0..demands.len() {
        let one = demands[at].clone();
        let fits = |other: &Demand| {
            own(other, 1)
                && (other.kind, other.negated, &other.name) == (one.kind, one.negated, &one.name)
        };
        if let Some(other) = (0..demands.len()).find(|&o| own(&one, 0) && fits(&demands[o])) {
            let twin = twins.add(arena, one.node, demands[other].node);
            let stage = one.stage.max(demands[other].stage);
            for index in [at, other] {
                (demands[index].twin, demands[index].stage) = (twin, stage);
            }
        }
    }
    let mut staged = vec![Vec::new(); Stage::ALL.len()];
    for (index, twin) in twins.list.into_iter().enumerate() {
        let [a, b] = twin.nodes.map(|node| bits[node.index()]);
        let inputs = twin.inputs();
        staged[Stage::of(a | b) as usize].push((index, twin, inputs));
    }
    staged
}

/// The dependencies of a node, given those of its operands.
fn depends(arena: &Arena, id: NodeId, bits: &[u8]) -> u8 {
    let own = match arena.node(id) {
        Node::Set(
            BaseSet::Weak
            | BaseSet::Relaxed
            | BaseSet::Acquire
            | BaseSet::Release
            | BaseSet::AcqRel
            | BaseSet::Sc
            | BaseSet::ScopeCta
            | BaseSet::ScopeCluster
            | BaseSet::ScopeGpu
            | BaseSet::ScopeSys,
        )
        | Node::Rel(
            BaseRel::Includes
            | BaseRel::SameScope
            | BaseRel::SameCta
            | BaseRel::SameCluster
            | BaseRel::SameGpu
            | BaseRel::BarrierSync
            | BaseRel::ClusterSync,
        ) => LABELS,
        Node::Rel(BaseRel::FenceSc) => FENCE_ORDER | LABELS,
        Node::Rel(BaseRel::Rf) => READS,
        Node::Rel(BaseRel::Co) => COHERENCE,
        _ => 0,
    };
    dependencies(arena, id).iter().fold(own, |all, operand| all | bits[operand.index()])
}

/// A base relation or set as programs of an alphabet have it; empty if they cannot have it.
fn in_alphabet(node: Node, alphabet: &Alphabet) -> Node {
    match node {
        Node::Set(set) if !has_set(set, alphabet) => Node::Empty(Sort::Set),
        Node::Rel(relation) if !has_relation(relation, alphabet) => Node::Empty(Sort::Relation),
        // Accesses do not overlap in part.
        Node::Rel(BaseRel::SameAccess | BaseRel::SameOperation) => Node::Rel(BaseRel::Id),
        Node::Rel(BaseRel::Vloc | BaseRel::Same) if !alphabet.aliases => Node::Rel(BaseRel::Loc),
        node => node,
    }
}

/// Whether a base set may have members.
#[must_use]
pub fn has_set(set: BaseSet, alphabet: &Alphabet) -> bool {
    let has = |kinds: &[Kind]| kinds.iter().any(|kind| alphabet.kinds.contains(kind));
    let is = |of: fn(Kind) -> bool| alphabet.kinds.iter().any(|&kind| of(kind));
    let has_order = |order: Order| {
        let fits = |&kind: &Kind| match (order, kind) {
            // A wait acquires; the halves of an atomic have its order or are relaxed.
            (Order::Acquire, Kind::ClusterBarrier) | (Order::Relaxed, Kind::Atom | Kind::Red) => {
                true
            }
            (Order::AcqRel, Kind::Atom) => false,
            _ => orders(kind).contains(&order),
        };
        alphabet.kinds.iter().any(fits)
    };
    match set {
        BaseSet::All => true,
        BaseSet::Read => is(Kind::reads),
        BaseSet::Write | BaseSet::Memory | BaseSet::InitialWrite | BaseSet::Generic => {
            is(Kind::is_access) || (set == BaseSet::Generic && has(&[Kind::Fence]))
        }
        BaseSet::Fence => is(|kind| !kind.is_access()),
        BaseSet::ProxyFence | BaseSet::Alias => is(Kind::is_alias_fence),
        BaseSet::Barrier => has(&[Kind::CtaBarrier, Kind::ClusterBarrier]),
        BaseSet::Arrive => has(&[Kind::ClusterBarrier]),
        BaseSet::Rmw => has(&[Kind::Atom, Kind::Red]),
        BaseSet::Red => has(&[Kind::Red]),
        BaseSet::Weak => has_order(Order::Weak),
        BaseSet::Relaxed => has_order(Order::Relaxed),
        BaseSet::Acquire => has_order(Order::Acquire),
        BaseSet::Release => has_order(Order::Release),
        BaseSet::AcqRel => has_order(Order::AcqRel),
        BaseSet::Sc => has_order(Order::Sc),
        BaseSet::ScopeCta | BaseSet::ScopeCluster | BaseSet::ScopeGpu | BaseSet::ScopeSys => true,
        _ => false,
    }
}

/// Whether a base relation may have pairs.
#[must_use]
pub fn has_relation(relation: BaseRel, alphabet: &Alphabet) -> bool {
    let has = |kinds: &[Kind]| kinds.iter().any(|kind| alphabet.kinds.contains(kind));
    let is = |of: fn(Kind) -> bool| alphabet.kinds.iter().any(|&kind| of(kind));
    match relation {
        BaseRel::Po
        | BaseRel::Id
        | BaseRel::SameAccess
        | BaseRel::SameOperation
        | BaseRel::Internal
        | BaseRel::External
        | BaseRel::SameCta
        | BaseRel::SameCluster
        | BaseRel::SameGpu
        | BaseRel::Includes
        | BaseRel::SameScope => true,
        BaseRel::Loc | BaseRel::Vloc | BaseRel::Same => is(Kind::is_access),
        BaseRel::Rf => is(Kind::reads),
        BaseRel::Co => is(Kind::writes),
        BaseRel::Rmw => has(&[Kind::Atom, Kind::Red]),
        BaseRel::Dep => alphabet.copies || has(&[Kind::Atom, Kind::Red]),
        BaseRel::Data | BaseRel::ValueDep => alphabet.copies || has(&[Kind::Red]),
        BaseRel::FenceSc => has(&[Kind::Fence]),
        BaseRel::Covers => is(Kind::is_alias_fence),
        BaseRel::BarrierSync => has(&[Kind::CtaBarrier]),
        BaseRel::ClusterSync => has(&[Kind::ClusterBarrier]),
        _ => false,
    }
}
