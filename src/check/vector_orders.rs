//! Vectors with acquire or release order and too many orders of their elements (reading V1). The
//! verdict follows from a single order and from the unordered program.
//!
//! An execution in one order of the elements is an execution of the program. Without an order among
//! elements, program order is smaller. If the axioms are monotone in program order, and races and what
//! conditions exclude antitone, all executions are among those without an order, and an outcome that none of these has
//! is in no order.

use super::definedness::is_vacuous;
use super::{Outcome, Settings};
use crate::event::graph::EventGraph;
use crate::program::reading::{LongVectors, Readings};
use crate::relation::expr::{Axiom, AxiomKind, AxiomRole, Model};
use crate::relation::polarity::{Polarity, Variance};
use crate::rule::Unsupported;
use crate::solve::Pairs;
use crate::verdict::{Undecided, Verdict};
use crate::vocabulary::BaseRel;

/// The settings under which elements of a program with these events have no order; `None` if
/// conclusions from that are not sound.
pub(super) fn without_order(
    model: &Model,
    graph: &EventGraph,
    settings: Settings,
) -> Option<Settings> {
    let polarity = Polarity::new(&model.arena);
    let changes = |node, as_wanted: Variance| {
        [Variance::Constant, as_wanted].contains(&polarity.in_relation(node, BaseRel::Po))
    };
    let races = model.definition(Pairs::RACE);
    let counts = |axiom: &&Axiom| match axiom.role {
        AxiomRole::Flag => false,
        AxiomRole::UndefinedUnless => !is_vacuous(graph, model, axiom),
        AxiomRole::Required => true,
    };
    let mut axioms = model.axioms.iter().filter(counts);
    let relied_on = races.is_none_or(|races| changes(races, Variance::Antitone))
        && axioms.all(|axiom| {
            !axiom.negated
                && match axiom.role {
                    AxiomRole::UndefinedUnless => {
                        axiom.kind == AxiomKind::Empty && changes(axiom.node, Variance::Antitone)
                    }
                    AxiomRole::Required | AxiomRole::Flag => {
                        changes(axiom.node, Variance::Monotone)
                    }
                }
        });
    let readings = Readings { long_vectors: LongVectors::NoOrder, ..settings.readings };
    relied_on.then_some(Settings { readings, ..settings })
}

/// The outcome, given that in one order of the elements, and that without any order if it is sound.
pub(super) fn decided_by_orders(one: Outcome, none: Option<Outcome>) -> Outcome {
    use crate::verdict::Kind::{Deadlock, Error, Forbidden, OutOfModel, Undefined, Unknown};
    let kind = none.as_ref().map(|none| none.verdict.kind());
    match (one.verdict.kind(), kind, none) {
        (Error | Undefined | OutOfModel, ..) => one,
        (_, Some(Forbidden | Deadlock), Some(none)) => none,
        (Unknown, ..) => one,
        (found, Some(other), _) if found == other => one,
        _ => {
            let why = Undecided::Unsupported(Unsupported::ManyOrders);
            Outcome { verdict: Verdict::Unknown(why), holds: None, ..one }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cat::{self, Options, library};
    use crate::check::check;
    use crate::litmus::parse::parse_bytes;
    use crate::solve::search::SearchEngine;
    use crate::source::Files;
    use crate::verdict::Kind;

    fn kind(condition: &str) -> Kind {
        of(&format!(
            "PTX eight\n.global .align 32 .u32 x[8] = {{0, 0, 0, 0, 0, 0, 0, 0}};\n\
             P0 @ cta 0 {{ st.release.gpu.global.v8.b32 [x], {{1, 1, 1, 1, 1, 1, 1, 1}}; }}\n\
             P1 @ cta 1 {{ ld.acquire.gpu.global.u32 %r1, [x]; \
             ld.acquire.gpu.global.u32 %r2, [x+4]; ld.acquire.gpu.global.u32 %r3, [x]; }}\n\
             exists ({condition})\n"
        ))
    }

    fn of(text: &str) -> Kind {
        let mut files = Files::default();
        let builtin = library::builtin("ptx-9.2").expect("a built-in model");
        let model = cat::parse_builtin(&mut files, builtin, &Options::default()).model;
        let parsed = parse_bytes(&mut files, "eight.litmus", text.as_bytes());
        let [test] = &parsed.tests[..] else { panic!("{:?}", parsed.diagnostics) };
        check(test, &model, &SearchEngine::default(), Settings::default()).verdict.kind()
    }

    #[test]
    fn what_only_another_order_shows_is_not_excluded() {
        assert_eq!(kind("P1:%r1 == 1 /\\ P1:%r2 == 0"), Kind::Allowed);
        assert_eq!(kind("P1:%r2 == 1 /\\ P1:%r3 == 0"), Kind::Unknown);
        assert_eq!(kind("P1:%r1 == 1 /\\ P1:%r3 == 0"), Kind::Forbidden);
    }

    /// Without order, no element's read is before another's write.
    #[test]
    fn elements_of_atomics_have_no_order_either() {
        let text = "PTX eight\n.global .align 16 .b16 x[8] = {0, 0, 0, 0, 0, 0, 0, 0};\n\
            P0 @ cta 0 { mov.b16 %h1, 0x3c00; red.release.gpu.global.add.noftz.v8.f16 [x], \
            {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1}; }\n\
            P1 @ cta 1 { ld.acquire.gpu.global.b16 %h2, [x+2]; mov.b16 %h1, 0x4000; \
            st.relaxed.gpu.global.b16 [x], %h1; }\n\
            exists (P1:%h2 == 0x3c00 /\\ x[0] == 0x4200)\n";
        assert_eq!(of(text), Kind::Unknown);
    }
}
