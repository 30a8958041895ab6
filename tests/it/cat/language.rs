//! What constructs mean, each against an equal model that does without.

use super::{read, read_with};
use ptxmc::testing::relation::assignment::Assignment;
use ptxmc::testing::relation::axiom::check_axioms;
use ptxmc::testing::relation::expr::{AxiomRole, Model};

/// The last axiom's expression, as text without definitions.
fn last(model: &Model) -> String {
    let axiom = model.axioms.last().expect("an axiom");
    ptxmc::testing::cat::render::node_text(
        &model.arena,
        axiom.node,
        &std::collections::BTreeMap::new(),
    )
}

#[track_caller]
fn same(left: &str, right: &str) {
    assert_eq!(last(&read(left).model), last(&read(right).model));
}

#[test]
fn precedence_is_herds() {
    same("acyclic po;rf\\co", "acyclic po;(rf\\co)");
    same("acyclic po\\rf&co", "acyclic po\\(rf&co)");
    same("acyclic po\\rf\\co", "acyclic (po\\rf)\\co");
    same("acyclic [R];po;[W] & loc", "acyclic [R];(po;([W] & loc))");
    same("acyclic po | rf ; co", "acyclic po | (rf ; co)");
    same("acyclic po^-1+", "acyclic (po^-1)+");
    same("acyclic ~po+", "acyclic ~(po+)");
    same("acyclic ~po & rf", "acyclic (~po) & rf");
    same("acyclic W*R & po", "acyclic (W*R) & po");
    same("acyclic ~W*R", "acyclic ~(W*R)");
    same("acyclic po* ; rf", "acyclic (po*) ; rf");
    same("let f(x) = x acyclic f rf^-1", "acyclic rf^-1");
}

#[test]
fn postfix_star_before_a_negated_test() {
    let model = read("let a = po*\n~acyclic a").model;
    assert!(model.axioms[0].negated);
}

#[test]
fn functions_are_inlined() {
    same("let f(a, b) = a ; b acyclic f(po, rf)", "acyclic po ; rf");
    same("let f p = p+ acyclic f po", "acyclic po+");
    same("let f = fun (a, b) -> a \\ b acyclic f(po, rf)", "acyclic po \\ rf");
    same("let pair = (po, rf) let f(a, b) = a ; b acyclic f pair", "acyclic po ; rf");
    same("acyclic fencerel(F & SC)", "acyclic (po & (_ * (F & SC))) ; po");
    same("acyclic let x = po in x ; x", "acyclic po ; po");
}

#[test]
fn definitions_hide_earlier_ones() {
    same("let co = co+ let f(x) = co ; x let co = rf acyclic f(co)", "acyclic co+ ; rf");
}

#[test]
fn zero_is_of_either_sort() {
    same("empty W | 0", "empty W");
    same("acyclic po | 0", "acyclic po");
    same("acyclic 0 ; po", "acyclic 0");
}

#[test]
fn variants_select() {
    let text = "if \"a\" && not \"b\" let x = po else let x = rf end acyclic x";
    for (variants, expected) in [(&["a"][..], "po"), (&[], "rf"), (&["a", "b"], "rf")] {
        let loaded = read_with(text, &[], variants).1.expect("it reads");
        assert_eq!(last(&loaded.model), expected);
        assert_eq!(loaded.variants.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }
    same("acyclic if \"a\" then po else rf", "acyclic rf");
    same("acyclic try nowhere with rf", "acyclic rf");
    same("acyclic try po with rf", "acyclic po");
}

#[test]
fn includes_happen_once_and_nest() {
    let others = &[("a.cat", "include \"b.cat\" let a = b"), ("b.cat", "acyclic po let b = rf")];
    let text = "include \"a.cat\" include \"b.cat\" acyclic a";
    let loaded = read_with(text, others, &[]).1.expect("it reads");
    assert_eq!(loaded.model.axioms.len(), 2);
    assert!(!loaded.model.total_co);
    assert!(read("include \"cos.cat\" acyclic fre").model.total_co);
}

#[test]
fn procedures_are_inlined() {
    let model = read("procedure p(x, y) = acyclic x as first empty y end call p(po, W)").model;
    let names: Vec<&str> = model.axioms.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["first", "axiom-2"]);
}

#[test]
fn flags_fail_where_their_test_succeeds() {
    let model = read("flag ~empty rf as racy undefined_unless empty co assert acyclic po").model;
    let roles: Vec<_> = model.axioms.iter().map(|a| (a.role, a.negated)).collect();
    assert_eq!(
        roles,
        [(AxiomRole::Flag, false), (AxiomRole::UndefinedUnless, false), (AxiomRole::Flag, false)]
    );
}

#[test]
fn comments_give_clauses() {
    let text = "\
(* PTX-8.1 is far away. *)

(* PTX-8.2, PTX-8.3. *)
// PTX-8.4
let a = po (* PTX-8.5 *) (* PTX-8.6 *)
let b = (* PTX-8.7.13.4 *)
  rf
acyclic a | b // PTX-8.10.1.";
    let model = read(text).model;
    let clauses: Vec<String> = model.definitions.iter().map(|d| d.clauses.join(" ")).collect();
    assert_eq!(clauses, ["PTX-8.2 PTX-8.3 PTX-8.4 PTX-8.5 PTX-8.6", "PTX-8.7.13.4"]);
    assert_eq!(model.axioms[0].clauses, ["PTX-8.10.1"]);
}

#[test]
fn titles_and_declarations_are_accepted() {
    for (text, title) in [
        ("PTX \"a title\" acyclic po", Some("a title")),
        ("\"a title\" catdep acyclic po", Some("a title")),
        ("PTX acyclic po", Some("PTX")),
        ("acyclic po", None),
    ] {
        assert_eq!(read(text).model.title.as_deref(), title);
    }
    read("enum scopes = 'cta || 'gpu\ninstructions R[{'weak}, scopes]\nacyclic po");
}

#[test]
fn show_and_unshow() {
    let model = read("let a = po show a, rf as reads, co unshow co acyclic a").model;
    let shown: Vec<&str> = model.shown.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(shown, ["a", "reads"]);
}

/// The names and constructs of Dat3M's PTX models and of simple models of herd.
#[test]
fn dialects_run_unmodified() {
    read(
        "PTX
let co = co+
let strong-op = ~WEAK & (RLX | ACQ | REL | (F & (SC | ACQ_REL)))
let ms = (po | po^-1 | ((strong-op * strong-op) & sr)) & ((_ * F) | (F * _) | vloc)
let rec observation = (ms & rf) | (observation ; rmw ; observation)
let proxy = (GEN * GEN) | (TEX * TEX) | (SUR * SUR) | (CON * CON) | ([ALIAS] ; po)
let fr = rf^-1 ; co
let cause = (po? ; ((syncbar & scta) | sync_fence) ; po?)+ & (CTA | GPU | SYS) * _
empty ((([W] ; cause ; [W]) & loc) \\ co) as Coherence
irreflexive (rf | fr) ; cause as Causality
empty (((ms & fr) ; (ms & co)) & amo) as Atomicity
acyclic rf | addr | data | ctrl as No-Thin-Air
flag ~empty lxsx & rfe & rfi & fre & fri & coe & coi & IW * RMW as none",
    );
    read(
        "\"TSO\"
include \"cos.cat\"
let com = rf | fr | co
acyclic po-loc | com as uniproc
empty rmw & (fre;coe) as atom
let ppo = po \\ (W*R)
let implied = [F];po | po;[F] | (_ * domain(rmw)) & po | (range(rmw) * _) & po
acyclic ppo | implied | rfe | fr | co as tso
show ppo, rfe as external
unshow rf",
    );
}

/// Text that is deep or long is refused before it exhausts the stack, or read.
#[test]
fn hostile_text_exhausts_nothing() {
    let many = |text: &str| text.repeat(50_000);
    for text in [
        format!("acyclic {}po", many("(")),
        format!("acyclic {}po", many("~")),
        format!("acyclic po{}", many(" ; po")),
        format!("acyclic po{}", many(" \\ po")),
        format!("acyclic po{}", many("+")),
        format!("acyclic po{}", many(" po")),
        format!("acyclic {}", many("let x = ")),
        format!("if {} \"a\" acyclic po end", many("not ")),
        many("if \"a\" "),
        format!("let f(x) = x {} acyclic po", many("let f(x) = f(x) ")),
    ] {
        assert!(read_with(&text, &[], &[]).1.is_err());
    }
    let mut chain = "let a = po\n".to_owned();
    (0..2_000).for_each(|_| chain += "let a = (a ; po) | rf\n");
    let model = read(&(chain + "acyclic a")).model;
    assert_eq!(check_axioms(&model, &Assignment::new(2)), []);
}
