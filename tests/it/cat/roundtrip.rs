//! Trees and models survive being printed and read again.

use super::read;
use proptest::prelude::*;
use ptxmc::testing::bitrel::{EventSet, Rel};
use ptxmc::testing::cat::ast::{
    BinaryOp, Binding, Bindings, Condition, Expr, ExprKind, File, Name, Pattern, Statement,
    StatementKind, Test, TestRole, UnaryOp,
};
use ptxmc::testing::cat::parse::parse;
use ptxmc::testing::cat::render::model_text;
use ptxmc::testing::cat::{BUILTIN, Options, parse_builtin};
use ptxmc::testing::id::{EventId, FileId};
use ptxmc::testing::relation::assignment::Assignment;
use ptxmc::testing::relation::axiom::check_axioms;
use ptxmc::testing::relation::classify::{Fragment, fragment};
use ptxmc::testing::relation::deletion::sensitive_axiom;
use ptxmc::testing::relation::expr::{AxiomKind, Model, Node};
use ptxmc::testing::relation::simplify::simplify;
use ptxmc::testing::relation::specialize::specialize;
use ptxmc::testing::source::{Files, Span, Spanned};
use ptxmc::testing::vocabulary::{BaseRel, BaseSet, Sort};
use std::sync::LazyLock;

fn nowhere() -> Span {
    Span::new(FileId::new(0), 0, 0)
}

fn name() -> impl Strategy<Value = Name> {
    "[a-z][a-z0-9]{0,2}(-[a-z0-9]|\\.[a-z])?z'?"
        .prop_map(|text| Name(Spanned::new(text, nowhere())))
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        name().prop_map(Pattern::Single),
        prop::collection::vec(name(), 0..3).prop_map(Pattern::Tuple)
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    name().prop_map(Condition::Variant).prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| Condition::Not(Box::new(c))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Condition::All(vec![a, b])),
            (inner.clone(), inner).prop_map(|(a, b)| Condition::Any(vec![a, b])),
        ]
    })
}

fn bindings(value: impl Strategy<Value = Expr> + Clone + 'static) -> BoxedStrategy<Bindings> {
    let binding = (name(), prop::option::of(pattern()), value)
        .prop_map(|(name, parameters, value)| Binding { name, parameters, value });
    (any::<bool>(), prop::collection::vec(binding, 1..3))
        .prop_map(|(recursive, list)| Bindings { recursive, list })
        .boxed()
}

fn expr() -> impl Strategy<Value = Expr> + Clone {
    let leaf = prop_oneof![
        4 => name().prop_map(|n| ExprKind::Name(n.text().to_owned())),
        1 => Just(ExprKind::Zero),
        1 => Just(ExprKind::EmptySet),
        1 => Just(ExprKind::Universe),
    ]
    .prop_map(|kind| Expr { kind, span: nowhere() });
    leaf.prop_recursive(5, 40, 3, |inner| {
        let unary = prop::sample::select(vec![
            UnaryOp::Complement,
            UnaryOp::Inverse,
            UnaryOp::Plus,
            UnaryOp::Star,
            UnaryOp::Optional,
        ]);
        let binary = prop::sample::select(vec![
            BinaryOp::Union,
            BinaryOp::Seq,
            BinaryOp::Diff,
            BinaryOp::Inter,
            BinaryOp::Cross,
        ]);
        let boxed = || inner.clone().prop_map(Box::new);
        let tuple = prop_oneof![Just(0usize), 2..4usize].prop_flat_map({
            let inner = inner.clone();
            move |n| prop::collection::vec(inner.clone(), n)
        });
        prop_oneof![
            3 => (unary, boxed()).prop_map(|(op, a)| ExprKind::Unary(op, a)),
            6 => (binary, boxed(), boxed()).prop_map(|(op, a, b)| ExprKind::Binary(op, a, b)),
            1 => boxed().prop_map(ExprKind::Identity),
            1 => tuple.prop_map(ExprKind::Tuple),
            1 => (boxed(), boxed()).prop_map(|(f, a)| ExprKind::Apply(f, a)),
            1 => (pattern(), boxed()).prop_map(|(p, e)| ExprKind::Function(p, e)),
            1 => (bindings(inner.clone()), boxed()).prop_map(|(b, e)| ExprKind::Let(b, e)),
            1 => (condition(), boxed(), boxed()).prop_map(|(c, a, b)| ExprKind::If(c, a, b)),
            1 => (boxed(), boxed()).prop_map(|(a, b)| ExprKind::Try(a, b)),
        ]
        .prop_map(|kind| Expr { kind, span: nowhere() })
    })
}

fn test() -> impl Strategy<Value = StatementKind> {
    let role = prop::sample::select(vec![
        TestRole::Required,
        TestRole::Flag,
        TestRole::UndefinedUnless,
        TestRole::Assert,
    ]);
    let kind =
        prop::sample::select(vec![AxiomKind::Acyclic, AxiomKind::Irreflexive, AxiomKind::Empty]);
    (role, any::<bool>(), kind, expr(), prop::option::of(name())).prop_map(
        |(role, negated, kind, expr, name)| {
            StatementKind::Test(Test { role, negated, kind, expr, name })
        },
    )
}

/// `include`, with amendments or without.
fn include() -> impl Strategy<Value = StatementKind> {
    let plain = |kind| Statement { kind, clauses: Vec::new(), span: nowhere() };
    let amendment = prop_oneof![
        (name(), prop::option::of(pattern()), expr()).prop_map(|(name, parameters, value)| {
            StatementKind::Redefine(Binding { name, parameters, value })
        }),
        prop::collection::vec(name(), 1..3).prop_map(StatementKind::Drop),
        (name(), test()).prop_filter_map("a test", |(name, test)| match test {
            StatementKind::Test(test) => Some(StatementKind::Replace { name, test }),
            _ => None,
        }),
    ];
    (name(), prop::collection::vec(amendment.prop_map(plain), 0..3))
        .prop_map(|(file, amendments)| StatementKind::Include { file, amendments })
}

fn statement() -> impl Strategy<Value = Statement> {
    let clauses = prop::collection::vec("PTX-[1-9](\\.[1-9]){0,2}", 0..3).prop_map(|mut ids| {
        ids.sort();
        ids.dedup();
        ids
    });
    let simple = prop_oneof![
        bindings(expr()).prop_map(StatementKind::Let),
        test(),
        prop::collection::vec((expr(), prop::option::of(name())), 1..3)
            .prop_map(StatementKind::Show),
        prop::collection::vec(name(), 1..3).prop_map(StatementKind::Unshow),
        include(),
        (name(), expr()).prop_map(|(name, argument)| StatementKind::Call { name, argument }),
    ];
    let simple =
        (simple, clauses).prop_map(|(kind, clauses)| Statement { kind, clauses, span: nowhere() });
    simple.prop_recursive(2, 8, 3, |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (name(), pattern(), body()).prop_map(|(name, parameters, body)| {
                StatementKind::Procedure { name, parameters, body }
            }),
            (condition(), body(), prop_oneof![Just(Vec::new()), body().boxed()]).prop_map(
                |(condition, then, otherwise)| StatementKind::If { condition, then, otherwise }
            ),
        ]
        .prop_map(|kind| Statement { kind, clauses: Vec::new(), span: nowhere() })
    })
}

proptest! {
    #[test]
    fn printed_trees_parse_to_themselves(
        title in prop::option::of("[a-z ]{1,8}"),
        statements in prop::collection::vec(statement(), 0..4),
    ) {
        let tree = File { title, statements };
        let text = tree.to_string();
        let (again, errors) = parse(&text, FileId::new(0));
        prop_assert!(errors.is_empty(), "{}\n{:?}", text, errors);
        prop_assert_eq!(&again, &tree, "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n]{0,80}") {
        let _ = super::read_with(&text, &[], &[]);
    }

    #[test]
    fn any_tokens_are_read_or_refused(
        tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..30)
    ) {
        let _ = super::read_with(&tokens.join(" "), &[], &[]);
    }

    #[test]
    fn printed_models_judge_alike(seed in any::<u64>(), density in 1..40u64) {
        let execution = execution(seed, density);
        for builtin in BUILTIN {
            let loaded = parse_builtin(&mut Files::default(), builtin, &Options::default());
            let again = read(&model_text(&loaded.model));
            prop_assert_eq!(
                check_axioms(&loaded.model, &execution),
                check_axioms(&again.model, &execution),
                "{}", builtin.name
            );
        }
    }
}

const TOKENS: &[&str] = &[
    "let",
    "rec",
    "and",
    "in",
    "fun",
    "if",
    "then",
    "else",
    "end",
    "\"v\"",
    "acyclic",
    "empty",
    "as",
    "flag",
    "show",
    "include",
    "procedure",
    "call",
    "0",
    "_",
    "|",
    ";",
    "\\",
    "&",
    "*",
    "+",
    "?",
    "^-1",
    "~",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    "po",
    "rf",
    "W",
    "x",
    "f",
    "x",
    "f",
    "try",
    "with",
    "match",
    "begin",
    "not",
    "->",
];

/// An arbitrary execution of six events, from a small generator of numbers.
fn execution(seed: u64, density: u64) -> Assignment {
    let mut state = seed | 1;
    let mut chance = move |percent: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % 100 < percent
    };
    let mut execution = Assignment::new(6);
    let events: Vec<EventId> = (0..6).map(EventId::new).collect();
    for &set in BaseSet::ALL.iter().filter(|s| **s != BaseSet::All) {
        let target: &mut EventSet = execution.set_mut(set);
        for &e in events.iter().filter(|_| chance(50)) {
            target.insert(e);
        }
    }
    for &base in BaseRel::ALL.iter().filter(|r| **r != BaseRel::Id) {
        let target: &mut Rel = execution.relation_mut(base);
        for &a in &events {
            for &b in events.iter().filter(|_| chance(density)) {
                target.insert(a, b);
            }
        }
    }
    execution
}

#[test]
fn expectation_of_a_printed_model() {
    let text = "let rec a = po | b ; a and b = rf | a^-1
let twice = (co ; co) | (co ; co)^-1
let twice = twice & a
flag ~empty twice as strange
acyclic a? \\ (po ; [W])* as order
show twice, ~po";
    insta::assert_snapshot!(model_text(&read(text).model));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cheaper_models_judge_alike(seed in any::<u64>(), density in 1..40u64) {
        let execution = execution(seed, density);
        for (model, simplified) in simplified() {
            let fails = |model: &Model| {
                check_axioms(model, &execution).into_iter().map(|f| f.axiom).collect::<Vec<_>>()
            };
            prop_assert_eq!(fails(model), fails(simplified), "{}", model.name);
        }
    }

    #[test]
    fn specialized_models_judge_alike(seed in any::<u64>(), density in 1..40u64) {
        let mut execution = execution(seed, density);
        *execution.relation_mut(BaseRel::SameAccess) = Rel::identity(6);
        *execution.relation_mut(BaseRel::Issue) = Rel::empty(6);
        execution.set_mut(BaseSet::ProxyFence).clear();
        for builtin in BUILTIN {
            let model =
                parse_builtin(&mut Files::default(), builtin, &Options::default()).model;
            let special = specialize(&model, |node| match node {
                Node::Rel(BaseRel::SameAccess) => Some(Node::Rel(BaseRel::Id)),
                Node::Rel(BaseRel::Issue) => Some(Node::Empty(Sort::Relation)),
                Node::Set(BaseSet::ProxyFence) => Some(Node::Empty(Sort::Set)),
                _ => None,
            });
            prop_assert_eq!(
                check_axioms(&model, &execution),
                check_axioms(&special, &execution),
                "{}", model.name
            );
        }
    }
}

/// The built-in models with their simplified forms, which take a while to find.
fn simplified() -> &'static [(Model, Model)] {
    static MODELS: LazyLock<Vec<(Model, Model)>> = LazyLock::new(|| {
        let read = |b| parse_builtin(&mut Files::default(), b, &Options::default()).model;
        BUILTIN
            .iter()
            .map(read)
            .map(|model| (simplify(&model), model))
            .map(|(s, m)| (m, s))
            .collect()
    });
    &MODELS
}

#[test]
fn simplified_models_stay_in_the_fragment() {
    for (model, simplified) in simplified() {
        assert_eq!(fragment(simplified), Fragment::Minimal, "{}", model.name);
        assert_eq!(sensitive_axiom(simplified), None, "{}", model.name);
        assert_eq!(model.axioms.len(), simplified.axioms.len());
    }
}
