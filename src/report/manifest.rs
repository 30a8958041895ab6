//! Emitted kernels described for host programs, as JSON; `paper-notes/json.md` documents the format.

use super::json::SCHEMA;
use crate::hardware::argument::Argument;
use crate::hardware::fields::{Field, Source};
use crate::hardware::geometry::{Bases, Geometry, shared_image};
use crate::hardware::kernel::{COLLECT, Kernel, TEST};
use crate::hardware::plan::{Alias, Arrangement, Clustered, Plan, Slot};
use crate::litmus::ast::{Quantifier, Test};
use crate::litmus::print::print_condition;
use crate::ptx::side::is_unsigned;
use serde_json::{Map, Value, json};

/// A test with its emitted kernel.
pub struct Emitted<'e> {
    /// The name that identifies the test.
    pub path: &'e str,
    /// The test.
    pub test: &'e Test,
    /// The plan of the kernel.
    pub plan: &'e Plan,
    /// The kernel of the test.
    pub kernel: &'e Kernel,
    /// The file name of the module.
    pub file: &'e str,
    /// An example launch.
    pub launch: &'e Geometry,
}

/// The start of a manifest; tests follow, separated by commas.
#[must_use]
pub fn head() -> String {
    let tool = json!(concat!("ptxmc ", env!("CARGO_PKG_VERSION")));
    format!("{{\n\"schema\": {SCHEMA},\n\"tool\": {tool},\n\"tests\": [")
}

/// The end of a manifest, with the tests without kernels and the reasons.
#[must_use]
pub fn tail(refused: &[(String, String)]) -> String {
    let lines: Vec<String> = refused
        .iter()
        .map(|(path, why)| format!("\n{}", json!({ "path": path, "why": why })))
        .collect();
    format!("\n],\n\"refused\": [{}\n]\n}}\n", lines.join(","))
}

/// A test as one line.
#[must_use]
pub fn test(emitted: &Emitted<'_>) -> String {
    let Emitted { path, test, plan, kernel, file, launch } = emitted;
    let roles: Vec<Value> = plan
        .roles
        .iter()
        .map(|role| {
            json!({
                "thread": test.threads[role.thread].name.value,
                "cluster": role.cluster,
                "rank": role.rank,
                "warp": role.warp,
                "lane": role.lane,
            })
        })
        .collect();
    let quantifier = match test.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let (major, minor) = kernel.target.version;
    let value = json!({
        "path": path,
        "name": test.name,
        "condition": format!("{quantifier} ({})", print_condition(test, &test.condition)),
        "ptx": file,
        "version": format!("{major}.{minor}"),
        "target": kernel.target.arch,
        "arrangement": match plan.arrangement {
            Arrangement::Dense => "dense",
            Arrangement::Exclusive => "exclusive",
        },
        "waits": plan.waits,
        "clustered": plan.clustered == Clustered::Explicitly,
        "cluster_size": plan.cluster_size,
        "clusters": plan.clusters,
        "warps": plan.warps,
        "lanes": plan.lanes,
        "roles": roles,
        "globals": plan.globals.iter().map(|slot| variable(slot, test)).collect::<Vec<_>>(),
        "aliases": aliases(plan),
        "shared": plan.shared.iter().map(|slot| variable(slot, test)).collect::<Vec<_>>(),
        "shared_image": hexadecimal(&shared_image(test, plan)),
        "row_bytes": plan.row_bytes,
        "fields": plan.fields.iter().map(|f| field(f, test)).collect::<Vec<_>>(),
        "kernel": { "name": TEST, "arguments": described(&kernel.arguments) },
        "collect": { "name": COLLECT, "arguments": collecting(kernel) },
        "launch": example(launch, plan, kernel),
    });
    format!("\n{value}")
}

fn variable(slot: &Slot, test: &Test) -> Value {
    let declared = &test.variables[slot.variable];
    let initial = declared.initial.as_deref().unwrap_or_default();
    let addresses: Vec<Value> = declared
        .initial_addresses
        .iter()
        .map(|a| {
            json!({
                "element": a.element,
                "of": a.name.value,
                "offset": a.offset,
                "mask": a.bits.mask(),
            })
        })
        .collect();
    json!({
        "name": slot.name,
        "bytes": slot.bytes,
        "align": slot.align,
        "offset": slot.offset,
        "element_bytes": declared.ty.bytes(),
        "initial": initial.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "initial_addresses": addresses,
    })
}

fn aliases(plan: &Plan) -> Vec<Value> {
    let alias = |alias: &Alias| {
        let of = &plan.globals[alias.slot].name;
        json!({ "name": alias.name, "of": of, "mapping": alias.mapping })
    };
    plan.aliases.iter().map(alias).collect()
}

fn field(field: &Field, test: &Test) -> Value {
    let from = match &field.source {
        Source::Register { .. } => "register",
        Source::Global { .. } => "global",
        Source::Shared { .. } => "shared",
        Source::Local { .. } => "local",
    };
    let of = match &field.source {
        Source::Register { register, .. } => register.clone(),
        Source::Global { variable, .. }
        | Source::Shared { variable, .. }
        | Source::Local { variable, .. } => test.variables[*variable].name.value.clone(),
    };
    json!({
        "name": field.name,
        "from": from,
        "of": of,
        "offset": field.offset,
        "bytes": field.bytes,
        "bits": field.ty.bits,
        "signed": !is_unsigned(field.ty),
    })
}

fn described(arguments: &[Argument]) -> Vec<Value> {
    let one = |a: &Argument| json!({ "name": a.to_string(), "what": a.description() });
    arguments.iter().map(one).collect()
}

fn collecting(kernel: &Kernel) -> Vec<Value> {
    let mut all = described(&[Argument::Memory, Argument::Stride, Argument::Results]);
    all.push(json!({ "name": "count", "what": "instances of all rounds; a thread for each" }));
    all.extend(described(
        &kernel.collected.iter().map(|&slot| Argument::Offset(slot)).collect::<Vec<_>>(),
    ));
    all
}

/// A launch with placeholders for addresses.
fn example(launch: &Geometry, plan: &Plan, kernel: &Kernel) -> Value {
    let mut values = Map::new();
    for argument in &kernel.arguments {
        let address = matches!(
            argument,
            Argument::Memory
                | Argument::Distance
                | Argument::Results
                | Argument::Starts
                | Argument::Scratch
                | Argument::Image
        );
        if !address {
            let value = launch.argument(*argument, &Bases::default());
            values.insert(argument.to_string(), json!(value));
        }
    }
    let instances = launch.instances();
    json!({
        "grid": launch.ctas(plan),
        "block": launch.block.threads(),
        "shared_bytes": launch.block.shared_bytes,
        "instances": instances,
        "arguments": values,
        "buffers": {
            "memory": launch.memory_bytes,
            "results": instances * u64::from(plan.row_bytes),
            "starts": instances * 4,
            "scratch": crate::hardware::Parameters::SCRATCH,
            "image": plan.shared_bytes,
        },
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
