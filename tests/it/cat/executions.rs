//! The built-in models on executions written down by hand: reads-from is given, and every partial
//! coherence order and every Fence-SC order is tried.

use ptxmc::testing::cat::{Options, builtin, parse_builtin};
use ptxmc::testing::id::EventId;
use ptxmc::testing::relation::assignment::Assignment;
use ptxmc::testing::relation::axiom::check_axioms;
use ptxmc::testing::relation::eval::Interpretation;
use ptxmc::testing::source::Files;
use ptxmc::testing::vocabulary::{BaseRel, BaseSet};

/// Thread, tags and location; threads 1 to 3 share a CTA, thread 0 has the initial writes.
type Event = (usize, &'static str, char);

/// A candidate execution without its chosen orders.
struct Candidate {
    events: &'static [Event],
    rmw: &'static [(usize, usize)],
    rf: &'static [(usize, usize)],
}

fn e(index: usize) -> EventId {
    EventId::new(index)
}

impl Candidate {
    fn has(&self, event: usize, tag: &str) -> bool {
        self.events[event].1.split(' ').any(|t| t == tag)
    }

    fn cta(&self, event: usize) -> usize {
        self.events[event].0.max(3)
    }

    fn is_memory(&self, event: usize) -> bool {
        !self.has(event, "F")
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n = self.events.len();
        (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)))
    }

    /// Whether the scope of `a` includes the thread of `b`.
    fn includes(&self, a: usize, b: usize) -> bool {
        self.has(a, "GPU") || (self.has(a, "CTA") && self.cta(a) == self.cta(b))
    }

    fn assignment(&self) -> Assignment {
        let mut base = Assignment::new(self.events.len());
        for (at, (_, tags, _)) in self.events.iter().enumerate() {
            let sort = if self.is_memory(at) { "M" } else { "F" };
            for tag in tags.split(' ').chain(["GEN", sort]) {
                base.set_mut(BaseSet::named(tag).expect("a base set")).insert(e(at));
            }
        }
        for (a, b) in self.pairs() {
            let (first, second) = (self.events[a], self.events[b]);
            let overlap = self.is_memory(a) && self.is_memory(b) && first.2 == second.2;
            let same_thread = first.0 == second.0;
            let mutual = self.includes(a, b) && self.includes(b, a);
            for (relation, holds) in [
                (BaseRel::Po, same_thread && first.0 > 0 && a < b),
                (BaseRel::Internal, same_thread),
                (BaseRel::External, !same_thread),
                (BaseRel::Loc, overlap),
                (BaseRel::Vloc, overlap),
                (BaseRel::Same, overlap),
                (BaseRel::SameCta, self.cta(a) == self.cta(b)),
                (BaseRel::Includes, self.includes(a, b)),
                (BaseRel::SameScope, mutual),
                (BaseRel::Rmw, self.rmw.contains(&(a, b))),
                (BaseRel::Dep, self.rmw.contains(&(a, b))),
                (BaseRel::Rf, self.rf.contains(&(a, b))),
                (BaseRel::Co, self.has(a, "IW") && self.has(b, "W") && overlap && a != b),
            ] {
                if holds {
                    base.relation_mut(relation).insert(e(a), e(b));
                }
            }
        }
        base
    }

    /// All pairs that coherence or the Fence-SC order may relate, each once.
    fn open_pairs(&self, base: &Assignment) -> Vec<(BaseRel, EventId, EventId)> {
        let open = |&(a, b): &(usize, usize)| {
            let writes =
                self.has(a, "W") && self.has(b, "W") && self.events[a].2 == self.events[b].2;
            let fences = self.has(a, "SC") && self.has(b, "SC");
            let ordered = base.relation(BaseRel::Co).contains(e(a), e(b));
            a < b
                && !ordered
                && if self.is_memory(a) {
                    writes
                } else {
                    fences && self.includes(a, b) && self.includes(b, a)
                }
        };
        let order = |a| if self.is_memory(a) { BaseRel::Co } else { BaseRel::FenceSc };
        self.pairs().filter(open).map(|(a, b)| (order(a), e(a), e(b))).collect()
    }

    /// Whether some orders make the execution consistent.
    fn is_allowed(&self, model: &str, readings: &[&str]) -> bool {
        let options = Options { variants: readings.iter().map(|&v| v.to_owned()).collect() };
        let builtin = builtin(model).expect("a built-in model");
        let model = parse_builtin(&mut Files::default(), builtin, &options).model;
        let base = self.assignment();
        let open = self.open_pairs(&base);
        let count = 3usize.pow(u32::try_from(open.len()).expect("few pairs"));
        (0..count).any(|code| {
            let mut chosen = base.clone();
            let mut complete = true;
            let mut rest = code;
            for &(order, a, b) in &open {
                match rest % 3 {
                    0 => _ = chosen.relation_mut(order).insert(a, b),
                    1 => _ = chosen.relation_mut(order).insert(b, a),
                    _ => complete &= order == BaseRel::Co && !model.total_co,
                }
                rest /= 3;
            }
            chosen.relation_mut(BaseRel::Co).transitive_closure_in_place();
            complete
                && chosen.relation(BaseRel::Co).is_irreflexive()
                && chosen.relation(BaseRel::FenceSc).is_acyclic()
                && check_axioms(&model, &chosen).is_empty()
        })
    }
}

const IX: Event = (0, "IW W", 'x');
const IF: Event = (0, "IW W", 'f');

#[track_caller]
fn allowed(candidate: &Candidate, model: &str, readings: &[&str]) {
    assert!(candidate.is_allowed(model, readings), "{model} {readings:?} forbids it");
}

#[track_caller]
fn forbidden(candidate: &Candidate, model: &str, readings: &[&str]) {
    assert!(!candidate.is_allowed(model, readings), "{model} {readings:?} allows it");
}

/// The models with scopes and fences.
const PTX: [&str; 4] = ["ptx-9.2", "ptx-8.7", "ptx-7.5", "ptx-6.0"];

/// Message passing with the given tags: the flag is seen, the data is stale.
macro_rules! message {
    ($write:literal, $read:literal) => {
        &Candidate {
            events: &[
                IX,
                IF,
                (1, "W WEAK", 'x'),
                (1, $write, 'f'),
                (4, $read, 'f'),
                (4, "R WEAK", 'x'),
            ],
            rmw: &[],
            rf: &[(3, 4), (0, 5)],
        }
    };
}

#[test]
fn message_passing_needs_release_acquire_and_scope() {
    for model in PTX {
        forbidden(message!("W REL GPU", "R ACQ GPU"), model, &[]);
        allowed(message!("W RLX GPU", "R ACQ GPU"), model, &[]);
        allowed(message!("W REL GPU", "R RLX GPU"), model, &[]);
        allowed(message!("W REL CTA", "R ACQ GPU"), model, &[]);
        allowed(message!("W REL GPU", "R ACQ CTA"), model, &[]);
        allowed(message!("W WEAK", "R WEAK"), model, &[]);
    }
    forbidden(message!("W WEAK", "R WEAK"), "sc", &[]);
}

/// A fence.sc releases (X2).
const FENCED: Candidate = Candidate {
    events: &[
        IX,
        IF,
        (1, "W WEAK", 'x'),
        (1, "F SC GPU", ' '),
        (1, "W RLX GPU", 'f'),
        (4, "R ACQ GPU", 'f'),
        (4, "R WEAK", 'x'),
    ],
    rmw: &[],
    rf: &[(4, 5), (0, 6)],
};

#[test]
fn fence_sc_releases() {
    PTX.iter().for_each(|model| forbidden(&FENCED, model, &[]));
    allowed(&FENCED, "ptx-9.2", &["sc-fence=not-acq-rel"]);
}

/// The ends of the patterns have to be morally strong (X5).
const ENDS: Candidate = Candidate {
    events: &[
        IX,
        IF,
        (1, "W WEAK", 'x'),
        (1, "W REL CTA", 'f'),
        (1, "W RLX GPU", 'f'),
        (4, "R ACQ GPU", 'f'),
        (4, "R WEAK", 'x'),
    ],
    rmw: &[],
    rf: &[(4, 5), (0, 6)],
};

#[test]
fn pattern_ends_are_morally_strong() {
    PTX.iter().for_each(|model| allowed(&ENDS, model, &[]));
    forbidden(&ENDS, "ptx-9.2", &["pattern-ends=any"]);
}

/// Store buffering with fences (L8, L9).
macro_rules! buffering {
    ($fence:literal) => {
        &Candidate {
            events: &[
                IX,
                IF,
                (1, "W WEAK", 'x'),
                (1, $fence, ' '),
                (1, "R WEAK", 'f'),
                (4, "W WEAK", 'f'),
                (4, $fence, ' '),
                (4, "R WEAK", 'x'),
            ],
            rmw: &[],
            rf: &[(1, 4), (0, 7)],
        }
    };
}

#[test]
fn store_buffering_needs_fence_sc() {
    for model in PTX {
        forbidden(buffering!("F SC GPU"), model, &[]);
        allowed(buffering!("F ACQ_REL GPU"), model, &[]);
        allowed(buffering!("F SC CTA"), model, &[]);
    }
}

/// A `red` reads the flag, an acquire fence follows (L10).
const REDUCTION: Candidate = Candidate {
    events: &[
        IX,
        IF,
        (1, "W WEAK", 'x'),
        (1, "W REL GPU", 'f'),
        (4, "R RLX GPU RMW RED", 'f'),
        (4, "W RLX GPU RMW RED", 'f'),
        (4, "F ACQ GPU", ' '),
        (4, "R WEAK", 'x'),
    ],
    rmw: &[(4, 5)],
    rf: &[(3, 4), (0, 7)],
};

#[test]
fn reductions_do_not_acquire() {
    allowed(&REDUCTION, "ptx-9.2", &[]);
    forbidden(&REDUCTION, "ptx-9.2", &["red-acq=yes"]);
    forbidden(&REDUCTION, "ptx-8.7", &[]);
}

/// A `red` between release and acquire (X3).
const CHAIN: Candidate = Candidate {
    events: &[
        IX,
        IF,
        (1, "W WEAK", 'x'),
        (1, "W REL GPU", 'f'),
        (5, "R RLX GPU RMW RED", 'f'),
        (5, "W RLX GPU RMW RED", 'f'),
        (4, "R ACQ GPU", 'f'),
        (4, "R WEAK", 'x'),
    ],
    rmw: &[(4, 5)],
    rf: &[(3, 4), (5, 6), (0, 7)],
};

#[test]
fn reductions_continue_observation() {
    PTX.iter().for_each(|model| forbidden(&CHAIN, model, &[]));
}

/// Coherence stays partial where writes race (X4).
const RACING: Candidate = Candidate {
    events: &[IX, (1, "W WEAK", 'x'), (1, "R WEAK", 'x'), (4, "W WEAK", 'x'), (4, "R WEAK", 'x')],
    rmw: &[],
    rf: &[(3, 2), (1, 4)],
};

#[test]
fn racing_writes_are_unrelated() {
    PTX.iter().for_each(|model| allowed(&RACING, model, &[]));
    forbidden(&RACING, "ptx-9.2", &["co=total"]);
    forbidden(&RACING, "sc", &[]);
}

/// Two atomics read a racing weak write (V33).
const ATOMICS: Candidate = Candidate {
    events: &[
        IX,
        (1, "R RLX GPU RMW", 'x'),
        (1, "W RLX GPU RMW", 'x'),
        (4, "R RLX GPU RMW", 'x'),
        (4, "W RLX GPU RMW", 'x'),
        (5, "W WEAK", 'x'),
    ],
    rmw: &[(1, 2), (3, 4)],
    rf: &[(5, 1), (5, 3)],
};

#[test]
fn atomics_are_serial() {
    forbidden(&ATOMICS, "ptx-9.2", &[]);
    allowed(&ATOMICS, "ptx-9.2", &["rmw=8.10.3"]);
    allowed(&ATOMICS, "ptx-7.5", &[]);
    allowed(&ATOMICS, "ptx-6.0", &[]);
    let other = Candidate { rf: &[(0, 1), (5, 3)], ..ATOMICS };
    allowed(&other, "ptx-9.2", &[]);
}

/// The discriminator of SC-per-Location (X22): values 3, 1 in one CTA, 4, 2 in another, and two
/// readers in the first that see 2 and then 3, 1 and then 4.
const PER_LOCATION: Candidate = Candidate {
    events: &[
        IX,
        (1, "W RLX CTA", 'x'),
        (1, "W RLX CTA", 'x'),
        (4, "W RLX GPU", 'x'),
        (4, "W RLX GPU", 'x'),
        (2, "R RLX GPU", 'x'),
        (2, "R RLX GPU", 'x'),
        (3, "R RLX GPU", 'x'),
        (3, "R RLX GPU", 'x'),
    ],
    rmw: &[],
    rf: &[(4, 5), (1, 6), (2, 7), (3, 8)],
};

#[test]
fn sc_per_location_is_about_more_than_pairs() {
    forbidden(&PER_LOCATION, "ptx-9.2", &[]);
    allowed(&PER_LOCATION, "ptx-9.2", &["scloc=pairwise"]);
    allowed(&PER_LOCATION, "ptx-7.5", &[]);
    forbidden(&PER_LOCATION, "ptx-6.0", &[]);
}

/// Two reads of one location in reverse (L5), for both readings of SC-per-Location.
#[test]
fn reads_agree_with_coherence() {
    let reverse = Candidate {
        events: &[IX, (1, "W RLX GPU", 'x'), (4, "R RLX GPU", 'x'), (4, "R RLX GPU", 'x')],
        rmw: &[],
        rf: &[(1, 2), (0, 3)],
    };
    PTX.iter().for_each(|model| forbidden(&reverse, model, &[]));
    forbidden(&reverse, "ptx-9.2", &["scloc=pairwise"]);
}
