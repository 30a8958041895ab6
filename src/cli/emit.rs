//! `ptxmc emit`: tests into a folder of kernels.

use super::args::EmitArguments;
use super::fitness::{self, unfit};
use super::inputs::Inputs;
use super::models::any_error;
use super::output::{Console, print, write_file};
use super::status::Status;
use crate::batch::Case;
use crate::hardware::{Geometry, Parameters, Plan, Refusal, kernel};
use crate::report::manifest::{self, Emitted};
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::fs;

/// How many clusters or CTAs run at one time on the device of the launch that a manifest shows.
const RESIDENT: u64 = 264;

pub(super) fn run(arguments: &EmitArguments, console: &Console) -> Result<Status> {
    let setup = fitness::setup(console)?;
    let mut files = setup.files.clone();
    let inputs = Inputs::parse_all(&arguments.paths, None, None, &mut files);
    console.diagnostics(&inputs.diagnostics, &files);
    let folder = &arguments.output;
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    let write = |name: &str, text: &str| write_file(&folder.join(name), text);
    let mut parameters = Parameters::default();
    for (name, value) in &arguments.parameters {
        // Names and values were validated with the arguments.
        let _ = parameters.set(name, *value);
    }
    let (mut manifest, mut names, mut refused) = (manifest::head(), HashSet::new(), Vec::new());
    let mut count = 0;
    for case in &inputs.cases {
        let wanted = planned(case, arguments.arch.as_deref()).map_err(|why| why.to_string());
        let why = || if arguments.any { None } else { unfit(case, &setup) };
        let fit = wanted.and_then(|planned| match why() {
            Some(why) => Err(format!("{why}; --any writes it")),
            None => Ok(planned),
        });
        let (plan, kernel) = match fit {
            Ok(planned) => planned,
            Err(why) => {
                console.remark(&format!("{}: no kernel: {why}", case.path));
                refused.push((case.path.clone(), why));
                continue;
            }
        };
        let file = file_name(&case.test.name, &mut names);
        write(&file, &kernel.ptx)?;
        let mut random = fastrand::Rng::with_seed(1);
        let launch = &Geometry::new(&plan, &parameters, RESIDENT, &mut random);
        manifest += if count > 0 { "," } else { "" };
        let (path, test, plan, kernel) = (&case.path, &case.test, &plan, &kernel);
        manifest += &manifest::test(&Emitted { path, test, plan, kernel, file: &file, launch });
        count += 1;
    }
    write("manifest.json", &(manifest + &manifest::tail(&refused)))?;
    let kernels = if count == 1 { "kernel" } else { "kernels" };
    print(&format!("{count} {kernels} in {}, {} refused\n", folder.display(), refused.len()))?;
    let unreadable = any_error(&inputs.diagnostics) || !inputs.bugs.is_empty();
    Ok(match (unreadable, refused.is_empty()) {
        (true, _) => Status::Unusable,
        (false, false) => Status::Unknown,
        (false, true) => Status::Expected,
    })
}

/// The plan and the kernel of a test.
pub(super) fn planned(case: &Case, arch: Option<&str>) -> Result<(Plan, kernel::Kernel), Refusal> {
    let plan = Plan::new(&case.test)?;
    let kernel = kernel::kernel(&case.test, &plan, arch)?;
    Ok((plan, kernel))
}

/// A file name for a test that differs from all names in `known`.
fn file_name(test: &str, known: &mut HashSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "+-_.".contains(c) { c } else { '_' };
    let base: String = test.chars().map(plain).collect();
    let mut name = format!("{base}.ptx");
    let mut number = 1;
    while !known.insert(name.to_lowercase()) {
        number += 1;
        name = format!("{base}.{number}.ptx");
    }
    name
}
