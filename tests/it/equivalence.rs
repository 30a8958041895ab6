//! Proofs that models are equivalent, and that nothing is proved of models that are not.

use crate::support::command::ptxmc;
use ptxmc::testing::cat::ast::{
    BinaryOp, Binding, Bindings, Expr, ExprKind, File, StatementKind, Test,
};
use ptxmc::testing::cat::{BUILTIN, NoFiles, Options, parse_builtin, parse_model};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::source::Files;
use ptxmc::testing::workbench::equiv::derive;

fn model(text: &str) -> Model {
    let mut files = Files::default();
    let file = files.add("m.cat", text);
    match parse_model(&mut files, file, &NoFiles, &Options::default()) {
        Ok(loaded) => loaded.model,
        Err(errors) => panic!("{}: {text}", errors[0].message),
    }
}

/// Whether the axioms of each are proved from those of the other, by proofs that hold.
fn are_proved_equivalent(one: &Model, other: &Model) -> bool {
    [(one, other), (other, one)].into_iter().all(|(strong, weak)| {
        let derived = derive(strong, weak);
        let mut proofs = derived.follows.iter().flat_map(|follows| &follows.proofs);
        assert!(proofs.all(|proof| proof.check()), "a proof does not hold");
        derived.is_complete()
    })
}

#[test]
fn laws_make_models_equivalent() {
    let pairs = [
        ("acyclic po | rf", "irreflexive (po | rf)+"),
        ("acyclic po | rf", "irreflexive (rf | po)+"),
        ("empty (po & rf) | co", "empty co\nempty rf & po"),
        ("irreflexive (po ; rf)", "irreflexive (rf ; po)"),
        ("irreflexive (po ; rf ; co)", "irreflexive (co ; po ; rf)"),
        ("irreflexive (po ; rf?)", "irreflexive po\nirreflexive (rf ; po)"),
        ("irreflexive ((rf | fr) ; po)", "irreflexive (po ; rf)\nirreflexive (po ; fr)"),
        ("empty (po ; (rf | co))", "empty (po ; rf) | (po ; co)"),
        ("empty ((po | co) ; rf)", "empty (po ; rf) | (co ; rf)"),
        ("empty (po+)+ & rf", "empty po+ & rf"),
        ("empty (po* ; po*) & rf", "empty po* & rf"),
        ("empty (po?)+ & rf", "empty po* & rf"),
        ("empty (po ; po*) & rf", "empty po+ & rf"),
        ("empty (po | po ; po+) & rf", "empty po+ & rf"),
        ("empty [W] ; [R & M] ; po", "empty [W & R & M] ; po"),
        ("empty po & (W * R)", "empty [W] ; po ; [R]"),
        ("empty (po ; rf)^-1 & co", "empty (rf^-1 ; po^-1) & co"),
        ("empty (po | rf)^-1 & co", "empty (rf^-1 | po^-1) & co"),
        ("empty (po ; rf)+ ; po", "empty po ; (rf ; po)+"),
        ("empty (po \\ rf) \\ co", "empty po \\ (co | rf)"),
        ("empty po \\ (po \\ rf)", "empty rf & po"),
        ("empty (po & rf) | (po & co)", "empty po & (co | rf)"),
        ("empty [domain([W] ; po)] ; rf", "empty [W & domain(po)] ; rf"),
        ("empty [domain(po+)] ; rf", "empty [domain(po)] ; rf"),
        ("empty [range(po^-1)] ; rf", "empty [domain(po)] ; rf"),
        ("let rec x = rf | x ; po\nempty x & co", "empty (rf ; po*) & co"),
        ("let rec x = rf | po ; x\nempty x & co", "empty (po* ; rf) & co"),
        ("let rec x = rf | x ; x\nempty x & co", "empty rf+ & co"),
        (
            "let o = let rec o = rf | (o ; rmw ; rf) in o\nirreflexive (o ; po)",
            "irreflexive (rf ; (rmw ; rf)* ; po)",
        ),
        ("acyclic ((W * W) & po) | rf", "acyclic rf | [W] ; po ; [W]"),
    ];
    for (one, other) in pairs {
        let proved = are_proved_equivalent(&model(one), &model(other));
        assert!(proved, "no proof that these are one:\n{one}\n{other}");
    }
}

/// Ways to write models of the literature, whose equality Kokologiannakis, Lahav and Vafeiadis decide by
/// automata ("Kater: Automating Weak Memory Model Metatheory and Consistency Checking", POPL 2023): those that
/// need nothing of `co` and `rf` but relation algebra.
#[test]
fn formulations_of_known_models_are_one() {
    let hb = "let sw = [REL] ; rf ; [ACQ]\nlet hb = (po | sw)+\n";
    let with_hb = |text: &str| format!("{hb}{text}");
    let pairs = [
        // Sequential consistency, with program order closed or not.
        ("acyclic po | rf | co | fr".to_owned(), "irreflexive (fr | (co | (rf | po+)))+".to_owned()),
        // Coherence: one axiom of four kinds of cycles, or four axioms.
        (
            "irreflexive ((po & loc) ; (rf | co | fr)?)".to_owned(),
            "irreflexive (po & loc)\nirreflexive ((po & loc) ; rf)\nirreflexive (co ; (po & loc))\n\
             irreflexive ((po & loc) ; fr)"
                .to_owned(),
        ),
        // Release-acquire, with coherence as one axiom or three.
        (
            with_hb("irreflexive (hb ; (co | fr)?)"),
            with_hb("irreflexive hb\nirreflexive (co ; hb)\nirreflexive (hb ; fr)"),
        ),
        // Strong release-acquire: happens-before closed before coherence joins it, or with it.
        (
            with_hb("acyclic hb | co\nirreflexive (fr ; hb)"),
            with_hb("irreflexive (hb ; fr)\nacyclic po | sw | co"),
        ),
        // Total store order: fences as a link of their own, or of the two halves around them.
        (
            "acyclic ([R] ; po) | (po ; [W]) | ([W] ; po ; [F] ; po ; [R]) | (rf & ext) | co | fr"
                .to_owned(),
            "acyclic (po ; [W]) | ([R] ; po) | (([W] ; po ; [F]) ; (po ; [R])) | fr | (ext & rf) | co"
                .to_owned(),
        ),
        // RC11: release sequences as a closure, or as a recursion.
        (
            "let rs = [W] ; (rf ; rmw)*\nirreflexive ([REL] ; rs ; rf ; [ACQ] ; po)".to_owned(),
            "let rec rs = [W] | (rs ; (rf ; rmw))\nirreflexive ([REL] ; (rs ; (rf ; [ACQ])) ; po)"
                .to_owned(),
        ),
        // RC11: fences between which communication lies, or nothing.
        (
            with_hb("let eco = rf | co | fr\nacyclic [F & SC] ; (hb | (hb ; eco ; hb)) ; [F & SC]"),
            with_hb("let eco = fr | rf | co\nacyclic [SC & F] ; hb ; (eco ; hb)? ; [F & SC]"),
        ),
    ];
    for (one, other) in &pairs {
        let proved = are_proved_equivalent(&model(one), &model(other));
        assert!(proved, "no proof that these are one:\n{one}\n{other}");
    }
}

/// Expressions that are rewritten at each of several depths.
#[test]
fn laws_apply_at_every_depth() {
    let mut pair = ("rf".to_owned(), "rf".to_owned());
    for depth in 1..=24 {
        let (one, other) = pair;
        pair = match depth % 4 {
            0 => (format!("[W] ; ({one})"), format!("([W] ; [W]) ; ({other})")),
            1 => (format!("(({one}) | co) & loc"), format!("loc & (co | ({other}))")),
            2 => (format!("(({one}) ; po) ; co"), format!("({other}) ; (po ; co)")),
            _ => (format!("(({one})+)+"), format!("({other})+")),
        };
        let texts = [&pair.0, &pair.1].map(|text| format!("acyclic po | ({text})"));
        let proved = are_proved_equivalent(&model(&texts[0]), &model(&texts[1]));
        assert!(proved, "no proof at depth {depth}:\n{}\n{}", texts[0], texts[1]);
    }
}

#[test]
fn what_does_not_follow_is_not_proved() {
    let pairs = [
        ("acyclic po | rf", "acyclic po"),
        ("irreflexive (po ; rf)", "irreflexive (po ; co)"),
        ("empty po & rf", "empty po \\ rf"),
        ("acyclic po", "irreflexive po"),
        ("empty (po ; rf)", "empty (rf ; po)"),
        ("let rec x = rf | x ; po\nempty x", "empty rf ; po+"),
        ("include \"cos.cat\"\nacyclic po", "acyclic po"),
    ];
    for (one, other) in pairs {
        let proved = are_proved_equivalent(&model(one), &model(other));
        assert!(!proved, "a proof that these are one:\n{one}\n{other}");
    }
}

#[test]
fn an_axiom_may_follow_from_another_one() {
    let strong = model("acyclic po as A\nempty (po | rf) ; co as B");
    let weak = model("irreflexive po as C\nempty po ; co as D");
    assert!(derive(&strong, &weak).is_complete());
    assert!(!derive(&weak, &strong).is_complete());
}

#[test]
fn built_in_models_are_equivalent_to_rearranged_copies() {
    for builtin in BUILTIN {
        let mut files = Files::default();
        let loaded = parse_builtin(&mut files, builtin, &Options::default());
        let copy = mirrored(&loaded.flat);
        let copy = model(&copy.to_string());
        assert_ne!(loaded.model.fingerprint(), copy.fingerprint());
        assert!(are_proved_equivalent(&loaded.model, &copy), "{}", builtin.name);
    }
}

/// A file with the operands of every union and intersection in the other order, compositions grouped to
/// the left, and every definition under another name.
fn mirrored(file: &File) -> File {
    let mut file = file.clone();
    for statement in &mut file.statements {
        match &mut statement.kind {
            StatementKind::Let(Bindings { list, .. }) => {
                list.iter_mut().for_each(|Binding { value, .. }| mirror(value));
            }
            StatementKind::Test(Test { expr, .. }) => mirror(expr),
            _ => {}
        }
    }
    file
}

fn mirror(expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Binary(op, a, b) => {
            mirror(a);
            mirror(b);
            match op {
                BinaryOp::Union | BinaryOp::Inter => std::mem::swap(a, b),
                BinaryOp::Seq => {
                    if let ExprKind::Binary(BinaryOp::Seq, first, last) = &b.kind {
                        let (a, first, last) = (a.clone(), first.clone(), last.clone());
                        let kind = ExprKind::Binary(BinaryOp::Seq, a, first);
                        let left = Box::new(Expr { kind, span: expr.span });
                        expr.kind = ExprKind::Binary(BinaryOp::Seq, left, last);
                    }
                }
                BinaryOp::Diff | BinaryOp::Cross => {}
            }
        }
        ExprKind::Identity(a) | ExprKind::Unary(_, a) => mirror(a),
        ExprKind::Apply(_, argument) => mirror(argument),
        ExprKind::If(_, a, b) | ExprKind::Try(a, b) => {
            mirror(a);
            mirror(b);
        }
        _ => {}
    }
}

#[test]
fn the_command_says_how_models_stand_to_each_other() {
    let folder = tempfile::tempdir().expect("there is room");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("room");
        file.to_str().expect("a path").to_owned()
    };
    let plus = write("plus.cat", "irreflexive (po | rf | co | fr)+ as A");
    let acyclic = write("acyclic.cat", "acyclic (fr | (co | (rf | po))) as A");
    let run = ptxmc(&["equiv", &plus, &acyclic]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    assert!(run.out.contains("are equivalent, by proof"), "{}", run.out);
    let weak = write("weak.cat", "acyclic (rf | po | co) as A");
    let run = ptxmc(&["equiv", &plus, &weak, "--events", "3"]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.out.contains("is stronger than"), "{}", run.out);
}
