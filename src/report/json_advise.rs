//! Advice as a JSON document.

use super::advise::{About, failure_text, headline};
use super::cuda;
use super::json::{SCHEMA, picture, place};
use super::json_single::{circle, defect_of};
use super::reason::{Place, undecided};
use crate::advise::program::lines;
use crate::advise::property::{Failure, Probe};
use crate::advise::{Advice, Change, Residency, Set, Sets, Wish, defects};
use crate::relation::expr::Model;
use serde_json::{Value, json};

/// Advice as data.
#[must_use]
pub fn render(about: About<'_>, advice: &Advice) -> String {
    let model = about.model;
    let tests = about.cases.iter().map(|case| json!({ "path": case.path, "name": case.test.name }));
    let mut value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "tests": tests.collect::<Vec<_>>(),
        "model": model.name,
        "wish": match about.wish {
            Wish::ExcludeOutcome => "exclude-outcome",
            Wish::ExcludeRaces => "exclude-races",
            Wish::ExcludeHangs => "exclude-hangs",
            Wish::Relax => "relax",
        },
        "answer": match advice {
            Advice::Nothing => "nothing-to-repair",
            Advice::Fails(_) => "nothing-to-relax",
            Advice::Sets(_) => "sets",
            Advice::None(..) => "none",
            Advice::Void(_) => "void",
            Advice::Unknown(_) | Advice::TooLarge(_) => "unknown",
        },
        "text": headline(about, advice),
        "costs": Value::Object(about.costs.iter().map(|(name, cost)| (name.to_owned(), json!(cost))).collect()),
        "sets": [],
        "more": false,
        "undecided": null,
    });
    let looked_at = match advice {
        Advice::Sets(sets) | Advice::None(sets) => Some(sets),
        _ => None,
    };
    if let Some(sets) = looked_at {
        value["sites"] = json!(sets.sites.len());
        value["programs"] = json!(sets.programs);
        value["lawful"] = json!(sets.lawful);
        value["passed_over"] = json!(sets.passed_over);
        value["written"] = json!(sets.written);
        value["more"] = json!(sets.more);
        value["sets"] = sets.sets.iter().map(|set| set_json(about, sets, set, model)).collect();
        if let Some(hanging) = sets.failure.as_ref().and_then(|failure| failure.hanging()) {
            value["circle"] = circle(&hanging, about.files);
            value["cooperative"] = json!(sets.residency.map(|launch| launch == Residency::Cures));
        }
        if let Some((cost, why)) = &sets.undecided {
            let text = undecided(why, about.files);
            value["undecided"] = json!({ "cost": cost, "code": why.code(), "text": text });
        }
    }
    match advice {
        Advice::Fails(failure) => value["failure"] = failure_json(about, failure, model),
        Advice::Unknown(why) => {
            let text = undecided(why, about.files);
            value["undecided"] = json!({ "cost": null, "code": why.code(), "text": text });
        }
        Advice::TooLarge(why) => {
            value["undecided"] =
                json!({ "cost": null, "code": "too-many-sites", "text": why.to_string() });
        }
        Advice::None(sets) => {
            if let Some(failure) = &sets.failure {
                value["failure"] = failure_json(about, failure, model);
            }
        }
        Advice::Sets(_) | Advice::Nothing | Advice::Void(_) => {}
    }
    format!("{value:#}\n")
}

fn set_json(about: About<'_>, sets: &Sets, set: &Set, model: &Model) -> Value {
    let all = |changes: &[Change]| -> Value {
        changes.iter().map(|change| change_json(about, sets, change, model)).collect()
    };
    // A relaxation cures nothing.
    let kinds = if about.wish == Wish::Relax { Vec::new() } else { defects(sets, set) };
    json!({
        "cost": set.cost,
        "defects": kinds.iter().map(|kind| defect_of(*kind, kind.clause())).collect::<Vec<_>>(),
        "changes": all(&set.changes),
        "needed": all(&set.needed),
    })
}

fn change_json(about: About<'_>, sets: &Sets, change: &Change, model: &Model) -> Value {
    let site = &sets.sites[change.site];
    let test = &about.cases[0].test;
    let to = if change.to == change.from { 0 } else { change.to };
    let line = |line: crate::advise::program::Line| {
        let names = line.threads.iter().map(|&thread| test.threads[thread].name.value.clone());
        json!({
            "threads": names.collect::<Vec<_>>(),
            "place": Place::of(line.span, about.files).as_ref().map(place),
            "before": line.before,
            "after": line.after,
            "cuda": line.operation.as_ref().and_then(cuda::spelling),
        })
    };
    let weaker = change.weaker.iter().filter_map(|(level, probe)| {
        let Probe::Fails(failure) = probe else { return None };
        let mut value = failure_json(about, failure, model);
        value["level"] = json!(site.levels[*level].to_string());
        Some(value)
    });
    let open = change.weaker.iter().filter_map(|(level, probe)| {
        let Probe::Unknown(why) = probe else { return None };
        let (level, text) = (site.levels[*level].to_string(), undecided(why, about.files));
        Some(json!({ "level": level, "code": why.code(), "text": text }))
    });
    json!({
        "from": site.levels[change.from].to_string(),
        "to": site.levels[change.to].to_string(),
        "lines": lines(test, site, to).into_iter().map(line).collect::<Vec<_>>(),
        "weaker": weaker.collect::<Vec<_>>(),
        "undecided": open.collect::<Vec<_>>(),
    })
}

/// What goes wrong, with the execution.
fn failure_json(about: About<'_>, failure: &Failure, model: &Model) -> Value {
    let case = &about.cases[failure.test];
    json!({
        "test": case.path,
        "fault": failure.fault.code(),
        "text": failure_text(about, failure),
        "witness": failure.choices.as_ref().map(|choices| picture(case, &failure.graph, choices, model)),
    })
}
