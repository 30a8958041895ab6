//! The built-in models: they read, name their sections, and lie in the minimal fragment.

use ptxmc::testing::cat::{BUILTIN, Options, builtin, parse_builtin};
use ptxmc::testing::relation::classify::{Class, Fragment, classify, fragment};
use ptxmc::testing::relation::deletion::sensitive_axiom;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::source::Files;
use ptxmc::testing::vocabulary::BaseRel;

fn model(name: &str, variants: &[&str]) -> Model {
    let builtin = builtin(name).unwrap_or_else(|| panic!("no model {name}"));
    let options = Options { variants: variants.iter().map(|&v| v.to_owned()).collect() };
    let loaded = parse_builtin(&mut Files::default(), builtin, &options);
    assert_eq!(loaded.warnings, [], "{name} reads without a remark");
    loaded.model
}

/// Every reading that a model offers, alone, and none.
fn readings(name: &str) -> Vec<Vec<String>> {
    let builtin = builtin(name).unwrap_or_else(|| panic!("no model {name}"));
    let loaded = parse_builtin(&mut Files::default(), builtin, &Options::default());
    loaded.variants.into_iter().map(|v| vec![v]).chain([vec![]]).collect()
}

#[test]
fn every_model_reads_under_every_reading() {
    for known in BUILTIN {
        for reading in readings(known.name) {
            let reading: Vec<&str> = reading.iter().map(String::as_str).collect();
            let model = model(known.name, &reading);
            assert!(!model.axioms.is_empty() && model.title.is_some());
            assert_eq!(fragment(&model), Fragment::Minimal, "{} {reading:?}", known.name);
            assert_eq!(sensitive_axiom(&model), None, "{} {reading:?}", known.name);
        }
    }
}

#[test]
fn readings_are_known_by_name() {
    let all: Vec<String> = readings("ptx-9.2").into_iter().flatten().collect();
    insta::assert_snapshot!(all.join("\n"));
    assert_eq!(readings("ptx-8.7"), readings("ptx-9.2"));
}

#[test]
fn readings_change_the_model() {
    let plain = format!("{:?}", model("ptx-9.2", &[]));
    for reading in readings("ptx-9.2").into_iter().flatten() {
        let changed = format!("{:?}", model("ptx-9.2", &[&reading]));
        assert_ne!(plain, changed, "{reading} changes nothing");
    }
}

#[test]
fn ptx_clauses_name_their_sections() {
    for known in BUILTIN.iter().filter(|b| b.name.starts_with("ptx-")) {
        let model = model(known.name, &[]);
        for axiom in &model.axioms {
            assert!(!axiom.clauses.is_empty(), "{}: axiom {}", known.name, axiom.name);
        }
        for definition in &model.definitions {
            assert!(!definition.clauses.is_empty(), "{}: {}", known.name, definition.name);
        }
    }
}

#[test]
fn axioms_are_demands_or_prohibitions() {
    let mut listed = String::new();
    for known in BUILTIN {
        let mut model = model(known.name, &[]);
        let classes = classify(&mut model);
        listed += &format!("{}: {}\n", known.name, known.summary);
        for (axiom, class) in model.axioms.iter().zip(classes) {
            let class = match class {
                Class::Prohibition => "prohibition".to_owned(),
                Class::Production { order, .. } => format!("production of {}", order.name()),
                Class::Choice { order, .. } => format!("choice in {}", order.name()),
                Class::Other(reason) => format!("{reason:?}"),
            };
            listed += &format!("  {} ({}): {class}\n", axiom.name, axiom.clauses.join(" "));
        }
    }
    insta::assert_snapshot!(listed);
}

#[test]
fn only_some_models_make_coherence_total() {
    let totals: Vec<&str> =
        BUILTIN.iter().map(|b| b.name).filter(|name| model(name, &[]).total_co).collect();
    assert_eq!(totals, ["sc"]);
    assert!(model("ptx-9.2", &["co=total"]).total_co);
}

#[test]
fn demands_are_about_coherence() {
    let mut model = model("ptx-9.2", &[]);
    let orders: Vec<BaseRel> = classify(&mut model)
        .into_iter()
        .filter_map(|class| match class {
            Class::Production { order, .. } | Class::Choice { order, .. } => Some(order),
            _ => None,
        })
        .collect();
    assert_eq!(orders, [BaseRel::Co; 4]);
}
