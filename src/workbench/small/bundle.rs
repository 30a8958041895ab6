//! How both models stand to many executions of a cell at once.
//!
//! The executions of a bundle have one order of fences. What depends on coherence is evaluated for all
//! of them together, in [`lanes`]; first that on which the models may disagree, then, if they do, what
//! is common to them.

use super::cell::Frame;
use super::evaluation::Stand;
use super::lanes::{self, EVERY, LANES, Lanes};
use super::orders::Execution;
use super::pair::{Demand, Stage};
use super::rows::bits;
use super::stands::is_early;
use crate::id::NodeId;
use crate::relation::expr::{AxiomKind, Node};
use crate::relation::plan::{Step, dependencies};
use crate::vocabulary::Sort;

/// How the models stand to an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// Alike.
    Agreed,
    /// Both forbid it.
    Forbidden,
    /// Perhaps not alike.
    Disputed([Stand; 2]),
}

impl Judged {
    /// The same where some of the models forbid the execution anyway.
    pub(super) fn without(self, forbid: [bool; 2]) -> Self {
        let stands = match self {
            Self::Agreed | Self::Forbidden if forbid == [true; 2] => [Stand::Broken; 2],
            Self::Agreed | Self::Forbidden => return self,
            Self::Disputed(stands) => stands,
        };
        match [0, 1].map(|model| if forbid[model] { Stand::Broken } else { stands[model] }) {
            [Stand::Broken, Stand::Broken] => Self::Forbidden,
            stands => Self::Disputed(stands),
        }
    }
}

/// The lanes in which an axiom, or a model, certainly holds, and those in which it certainly fails.
#[derive(Clone, Copy)]
struct Known {
    kept: u64,
    broken: u64,
}

impl Known {
    fn stand(self, lane: usize) -> Stand {
        match (self.kept >> lane & 1, self.broken >> lane & 1) {
            (_, 1) => Stand::Broken,
            (1, _) => Stand::Kept,
            _ => Stand::Open,
        }
    }
}

impl Frame<'_> {
    /// Adds how the models stand to the executions of a bundle; `early` says how demands stand that
    /// depend on no order. How each model stands is only left out if `may_agree`.
    pub(super) fn judge(
        &mut self,
        bundle: &[Execution],
        early: &[Stand],
        may_agree: bool,
        out: &mut Vec<Judged>,
    ) {
        debug_assert!(bundle.len() <= LANES);
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0, 0));
        self.take(&mut lanes);
        let every = EVERY >> (LANES - bundle.len());
        let total = self.pair.total;
        let own_steps = self.pair.steps[Stage::Coherence as usize].own;
        self.steps_in_lanes(&mut lanes, bundle, 0..own_steps);
        self.twins_in_lanes(&mut lanes);
        let own = self.known(&lanes, early, |demand| !demand.is_common());
        let mut same = if total[0] == total[1] { self.same(&lanes, early) } else { 0 };
        same |= own[0].kept & own[1].kept & if total == [false; 2] { EVERY } else { 0 };
        if !may_agree {
            same = 0;
        }
        let open = every & !same & !(own[0].broken & own[1].broken);
        let mut all = own;
        if open != 0 {
            let count = self.pair.steps[Stage::Coherence as usize].list.len();
            self.steps_in_lanes(&mut lanes, bundle, own_steps..count);
            let common = self.known(&lanes, early, Demand::is_common);
            for (all, common) in all.iter_mut().zip(common) {
                all.kept &= common.kept;
                all.broken |= common.broken;
            }
        }
        out.extend((0..bundle.len()).map(|lane| match same >> lane & 1 {
            1 => Judged::Agreed,
            _ => match all.map(|known| known.stand(lane)) {
                [Stand::Broken, Stand::Broken] => Judged::Forbidden,
                stands => Judged::Disputed(stands),
            },
        }));
        self.lanes = lanes;
    }

    /// Copies what is the same in all lanes and has changed.
    fn take(&self, lanes: &mut Lanes) {
        let pair = self.pair;
        for &id in &pair.taken.nodes {
            let at = id.index();
            let changed = self.times[at][0];
            if lanes.times[at] != changed {
                lanes.times[at] = changed;
                let is_set = pair.arena.sort(id) == Sort::Set;
                for (to, from) in lanes.bounds.iter_mut().zip(&self.bounds) {
                    lanes::fill(&mut to[at], &from[at], self.len(), is_set);
                }
            }
        }
        for &twin in &pair.taken.twins {
            let changed = self.differ_times[twin][0];
            if lanes.differ_times[twin] != changed {
                lanes.differ_times[twin] = changed;
                let is_set = pair.is_set_twin(twin);
                lanes::fill(&mut lanes.differ[twin], &self.differ[twin], self.len(), is_set);
            }
        }
    }

    fn steps_in_lanes(
        &self,
        lanes: &mut Lanes,
        bundle: &[Execution],
        range: std::ops::Range<usize>,
    ) {
        for timed in &self.pair.steps[Stage::Coherence as usize].list[range] {
            match &timed.step {
                Step::Node(id) => self.node_in_lanes(lanes, bundle, *id),
                Step::Fixpoint { recursive, nodes } => {
                    let empty = vec![0; self.len() * self.len()];
                    for (id, _) in recursive {
                        lanes.bounds.iter_mut().for_each(|b| b[id.index()].clone_from(&empty));
                    }
                    let mut grew = true;
                    while grew {
                        nodes.iter().for_each(|&id| self.node_in_lanes(lanes, bundle, id));
                        grew = false;
                        for (id, body) in recursive.iter().filter(|(id, body)| id != body) {
                            for bound in &mut lanes.bounds {
                                let body = bound[body.index()].clone();
                                for (word, new) in bound[id.index()].iter_mut().zip(body) {
                                    grew |= new & !*word != 0;
                                    *word |= new;
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn node_in_lanes(&self, lanes: &mut Lanes, bundle: &[Execution], id: NodeId) {
        let arena = &self.pair.arena;
        let (at, n) = (id.index(), self.len());
        for bound in 0..2 {
            let mut out = std::mem::take(&mut lanes.bounds[bound][at]);
            let (own, other) = (&lanes.bounds[bound], &lanes.bounds[1 - bound]);
            match arena.node(id) {
                // What depends on coherence and has no operands is coherence.
                Node::Rel(_) => {
                    out.clear();
                    out.resize(n * n, 0);
                    for (lane, execution) in bundle.iter().enumerate() {
                        let mut co = execution.co;
                        self.leave_out(&mut co);
                        for (i, &row) in co[..n].iter().enumerate() {
                            bits(row).for_each(|j| out[i * n + j] |= 1 << lane);
                        }
                    }
                }
                Node::Rec(_) => out.clone_from(&own[dependencies(arena, id)[0].index()]),
                node => lanes::compute(&mut out, node, own, other, n, |id| arena.node(id)),
            }
            lanes.bounds[bound][at] = out;
        }
    }

    fn twins_in_lanes(&self, lanes: &mut Lanes) {
        for (index, twin, _) in &self.pair.twins[Stage::Coherence as usize] {
            let mut out = std::mem::take(&mut lanes.differ[*index]);
            twin.bound_in_lanes(&mut out, &lanes.bounds, &lanes.differ, self.len());
            lanes.differ[*index] = out;
        }
    }

    /// How each model stands by some of its demands.
    fn known(
        &self,
        lanes: &Lanes,
        early: &[Stand],
        counts: impl Fn(&Demand) -> bool,
    ) -> [Known; 2] {
        let mut all = [Known { kept: EVERY, broken: 0 }; 2];
        for (demand, early) in self.pair.demands.iter().zip(early).filter(|(d, _)| counts(d)) {
            let known = self.by_demand(lanes, demand, *early);
            for (all, _) in all.iter_mut().zip(demand.of).filter(|(_, is_of)| *is_of) {
                all.kept &= known.kept;
                all.broken |= known.broken;
            }
        }
        all
    }

    fn by_demand(&self, lanes: &Lanes, demand: &Demand, early: Stand) -> Known {
        if demand.stage == Stage::Coherence {
            let holds = |bound: usize| {
                lanes::holds(demand.kind, &lanes.bounds[bound][demand.node.index()], self.len())
            };
            return match demand.negated {
                false => Known { kept: holds(1), broken: !holds(0) },
                true => Known { kept: !holds(0), broken: holds(1) },
            };
        }
        match if is_early(demand) { early } else { self.stand(demand) } {
            Stand::Kept => Known { kept: EVERY, broken: 0 },
            Stand::Broken => Known { kept: 0, broken: EVERY },
            Stand::Open => Known { kept: 0, broken: 0 },
        }
    }

    /// The lanes in which the models certainly agree by the demands that are not common.
    fn same(&self, lanes: &Lanes, early: &[Stand]) -> u64 {
        let own = self.pair.demands.iter().zip(early).filter(|(demand, _)| !demand.is_common());
        own.fold(EVERY, |same, (demand, early)| {
            let alike = match demand.stage {
                Stage::Coherence => self.alike_in_lanes(lanes, demand),
                _ if self.is_alike(demand) => EVERY,
                _ => 0,
            };
            same & (alike | self.by_demand(lanes, demand, *early).kept)
        })
    }

    /// The lanes in which an axiom and its counterpart certainly have the same status.
    fn alike_in_lanes(&self, lanes: &Lanes, demand: &Demand) -> u64 {
        let Some(twin) = demand.twin else { return 0 };
        let differ = &lanes.differ[twin];
        let n = self.len();
        match demand.kind {
            AxiomKind::Empty | AxiomKind::Irreflexive => lanes::holds(demand.kind, differ, n),
            AxiomKind::Acyclic => {
                let mut reached = vec![0; n * n];
                for demand in self.pair.demands.iter().filter(|d| d.twin == Some(twin)) {
                    lanes::unite(&mut reached, &lanes.bounds[1][demand.node.index()]);
                }
                lanes::close(&mut reached, n);
                (0..n).for_each(|i| reached[i * n + i] = EVERY);
                let on_cycle = |at: usize| differ[at] & reached[at % n * n + at / n];
                !(0..n * n).fold(0, |all, at| all | on_cycle(at))
            }
        }
    }
}
