//! `ptxmc draw`: an execution as a picture.

use super::args::{DrawArguments, DrawFormat};
use super::output::{Console, print, write_file};
use super::page;
use super::single::{Loaded, without_axioms};
use super::status::Status;
use crate::batch::Judgement;
use crate::explain::Absent;
use crate::report::draw::svg::{self, Styles};
use crate::report::draw::{Drawing, Relations};
use crate::report::scene::{self, Scene};
use crate::report::witness::{dot, text};
use crate::report::{json_single, reason};
use crate::verdict::{Kind, Verdict};
use anyhow::{Result, bail};
use std::path::Path;

pub(super) fn run(arguments: &DrawArguments, console: &Console) -> Result<Status> {
    let format = format(arguments)?;
    let loaded = Loaded::new(&arguments.single, console)?;
    let judgement = loaded.judgement()?;
    if format == DrawFormat::Html {
        return page(arguments, &loaded, judgement);
    }
    let (excluded, absent) = match without_axioms(&loaded, &judgement) {
        Some(Ok(found)) => (Some(found), None),
        Some(Err(absent)) => (None, Some(absent)),
        None => (None, None),
    };
    let (case, model) = (&loaded.case, loaded.model());
    let scene = match arguments.hang {
        true => {
            let title =
                format!("{} (hangs, progress {})", case.test.name, loaded.settings.progress);
            scene::of_hang(&title, &judgement, model)
        }
        false => scene::of_verdict(case, &judgement, model, excluded.as_ref()),
    };
    let Some(mut scene) = scene.map_err(anyhow::Error::msg)? else {
        let why = match arguments.hang {
            true => "none is known that hangs (`ptxmc hangs` says more)".to_owned(),
            false => undrawn(&loaded, &judgement, absent),
        };
        console.complain(&format!("there is no execution to draw: {why}"));
        return Ok(match judgement.verdict.kind() {
            Kind::Error => Status::Bug,
            _ => Status::Unknown,
        });
    };
    let relations = relations(arguments, &scene)?;
    let text = match format {
        DrawFormat::Svg | DrawFormat::Html => {
            let drawing = Drawing::new(&scene.picture, &scene.focus, &relations);
            svg::render(&drawing, &loaded.files, Styles::Own)
        }
        DrawFormat::Dot => {
            keep(&mut scene, &relations);
            dot::render(&scene.picture)
        }
        DrawFormat::Text => {
            keep(&mut scene, &relations);
            format!("{}\n{}", scene.picture.name, text::render(&scene.picture))
        }
        DrawFormat::Json => {
            keep(&mut scene, &relations);
            json_single::drawing(case, model, &scene)
        }
    };
    put(arguments, &text)?;
    Ok(match judgement.verdict.kind() {
        Kind::OutOfModel => Status::Unknown,
        _ => Status::Expected,
    })
}

/// The page of the test, including tests without a picture.
fn page(arguments: &DrawArguments, loaded: &Loaded, judgement: Judgement) -> Result<Status> {
    if arguments.hang || !arguments.relations.is_empty() {
        bail!("a page has all relations; --hang and --relation go with the other forms");
    }
    let kind = judgement.verdict.kind();
    put(arguments, &page::of_test(loaded.checker(), &loaded.case, &[judgement], None))?;
    Ok(match kind {
        Kind::Error => Status::Bug,
        Kind::OutOfModel | Kind::Unknown => Status::Unknown,
        _ => Status::Expected,
    })
}

fn put(arguments: &DrawArguments, text: &str) -> Result<()> {
    let output = output(arguments);
    match output == Path::new("-") {
        true => print(text),
        false => write_file(output, text),
    }
}

/// The file for the picture; `-` is standard output.
fn output(arguments: &DrawArguments) -> &Path {
    arguments.output.as_deref().unwrap_or(Path::new("-"))
}

/// The form of the picture: the option, or else the extension of the file.
fn format(arguments: &DrawArguments) -> Result<DrawFormat> {
    if let Some(format) = arguments.format {
        return Ok(format);
    }
    let extension = output(arguments).extension().and_then(|e| e.to_str()).unwrap_or("");
    Ok(match extension {
        "svg" => DrawFormat::Svg,
        "html" => DrawFormat::Html,
        "dot" => DrawFormat::Dot,
        "txt" => DrawFormat::Text,
        "json" => DrawFormat::Json,
        "" if output(arguments) == Path::new("-") => DrawFormat::Svg,
        _ => bail!(
            "the name of a picture ends in .svg, .html, .dot, .txt or .json, or --format says what it is"
        ),
    })
}

/// The requested relations, each of which the picture must have.
fn relations(arguments: &DrawArguments, scene: &Scene) -> Result<Relations> {
    let wanted = &arguments.relations;
    if wanted.is_empty() {
        return Ok(Relations::Deciding);
    }
    if wanted.iter().any(|name| name == "all") {
        return Ok(Relations::All);
    }
    let known = scene.relations();
    match wanted.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => bail!("the picture has no relation `{name}`; it has {}", known.join(", ")),
        None => Ok(Relations::Named(wanted.clone())),
    }
}

/// Keeps only the edges that the user requested; without a request, keeps all.
fn keep(scene: &mut Scene, relations: &Relations) {
    if let Relations::Named(names) = relations {
        scene.picture.edges.retain(|edge| names.contains(&edge.relation));
    }
}

/// The reason why no execution can be drawn; the reasons agree with those of `explain`.
fn undrawn(loaded: &Loaded, judgement: &Judgement, absent: Option<Absent>) -> String {
    let verdict = &judgement.verdict;
    let kind = verdict.kind().name();
    let reason = reason::line(verdict, loaded.model(), &loaded.files);
    match (verdict, absent) {
        (Verdict::Forbidden(core), Some(Absent::NoCandidate)) if core.endless.is_empty() => {
            format!(
                "the outcome is {kind}, and no candidate execution has it, whatever the model \
             (`ptxmc outcomes --witness` shows the executions that there are)"
            )
        }
        (_, Some(Absent::Undecided)) => format!(
            "the outcome is {kind} ({reason}), and what execution would have it takes too long to find"
        ),
        _ if reason.is_empty() => format!("the outcome is {kind}"),
        _ => format!("the outcome is {kind}: {reason}"),
    }
}
