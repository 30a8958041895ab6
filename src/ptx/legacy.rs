//! The instructions of PTX 1.4, for tests of that version. Later instructions are rejected, and the
//! others have the meaning that the current memory consistency model gives them.
//!
//! That model applies to programs of any ISA version on sm_70 and later (PTX-8.1). There `membar`
//! means `fence.sc`, and `atom` and `red` are relaxed operations at device scope.

use crate::diagnostic::Diagnostic;
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::table;
use crate::source::{Span, Spanned};

/// The document that rejections refer to.
const SECTION: &str = "PTX 1.4";

/// The last version whose instructions are checked here.
const LAST: (u32, u32) = (1, 4);

/// Whether a version is one whose instructions are checked here.
#[must_use]
pub fn applies(version: Option<(u32, u32)>) -> bool {
    version.is_some_and(|(major, _)| major == 1)
}

/// The remark that belongs to every test of this version.
#[must_use]
pub fn note(span: Span) -> Diagnostic {
    Diagnostic::note("legacy-hardware", span, "the model describes sm_70 and later").help(
        "what sm_1x to sm_6x did is outside the memory consistency model, whatever the ISA version \
         (PTX-8.1)",
    )
}

/// Checks that an instruction is one of PTX 1.4.
///
/// # Errors
/// The rule that the instruction breaks.
pub fn check(instruction: &Instruction) -> Result<(), DecodeError> {
    let opcode = instruction.opcode.value.as_str();
    // Its `vote` is no form of the subset, and gets a remark of its own.
    if opcode != "vote" && !table::has(opcode, LAST) {
        let message = format!("PTX 1.4 has no `{opcode}`");
        return Err(rule(message, "write a later `.version`", instruction.opcode.span));
    }
    if opcode == "vote" {
        let help = "sm_70 and later need `vote.sync`, which PTX 1.4 lacks";
        let sync = instruction.qualifiers.iter().any(|word| word.value == "sync");
        let message = if sync { "PTX 1.4 has no `vote.sync`" } else { "`vote` without `.sync`" };
        return Err(rule(message.to_owned(), help, instruction.span));
    }
    // Barriers have one form, which is checked as a whole.
    for word in instruction.qualifiers.iter().filter(|_| opcode != "bar") {
        qualifier(opcode, word)?;
    }
    if let Some(span) = instruction.operands.iter().find_map(|operand| operand.unified) {
        let help = "leave it out, or write a later `.version`";
        return Err(rule("PTX 1.4 has no `.unified`".to_owned(), help, span));
    }
    instruction.operands.iter().try_for_each(special_register)?;
    let has = |wanted: &[&str]| instruction.qualifiers.iter().any(|q| wanted.contains(&&*q.value));
    match opcode {
        "ld" | "st" if !has(&["const", "global", "local", "param", "shared"]) => {
            Err(no_space(instruction))
        }
        "ld" | "st" if has(&["volatile"]) && !has(&["global", "shared"]) => {
            let help = "only `.global` and `.shared` accesses are `.volatile`";
            let message = "PTX 1.4 has no such volatile access".to_owned();
            Err(rule(message, help, instruction.span))
        }
        "ld" | "st" if has(&["v4"]) && lacks(instruction) => {
            let help = "its vectors have 128 bits at most: write two accesses to `.v2`";
            let message = format!("PTX 1.4 has no `{}`", instruction.full_name());
            Err(rule(message, help, instruction.span))
        }
        "atom" | "red" if !has(&["global", "shared"]) => Err(no_space(instruction)),
        "atom" | "red" => atomic(instruction),
        "bar" => barrier(instruction),
        "mad" if has(&["cc"]) => {
            let help = "only `add` and `sub` set the carry";
            Err(rule("PTX 1.4 has no `mad.cc`".to_owned(), help, instruction.span))
        }
        "add" | "addc" | "sub" | "subc"
            if (opcode.ends_with('c') || has(&["cc"])) && lacks(instruction) =>
        {
            let help = "arithmetic with a carry has 32 bits: `.u32` or `.s32`";
            let message = format!("PTX 1.4 has no `{}`", instruction.full_name());
            Err(rule(message, help, instruction.span))
        }
        "add" | "sub" if has(&["sat"]) && !has(&["f32", "f64"]) && lacks(instruction) => {
            let help = "of integer sums and differences, those of `.s32` saturate";
            let message = format!("PTX 1.4 has no `{}`", instruction.full_name());
            Err(rule(message, help, instruction.span))
        }
        _ => Ok(()),
    }
}

fn qualifier(opcode: &str, word: &Spanned<String>) -> Result<(), DecodeError> {
    let text = word.value.as_str();
    let level = opcode == "membar";
    let message = || format!("PTX 1.4 has no `.{text}`");
    if level {
        return match text {
            "cta" | "gl" => Ok(()),
            _ => Err(rule(message(), "`membar` is `.cta` or `.gl`", word.span)),
        };
    }
    if names::order(text).is_some() || names::scope(text).is_some() {
        let help = "accesses are plain or `.volatile`, atomics have neither order nor scope: write \
                    `membar`, or a later `.version`";
        return Err(rule(message(), help, word.span));
    }
    // A word that no version has is not rejected for its version; the words of `tex` are not checked.
    let later = match table::first_with(text) {
        Some(first) => first > LAST,
        None => text.contains("::") || names::ty(text).is_some(),
    };
    if later && opcode != "tex" {
        return Err(rule(message(), "leave it out, or write a later `.version`", word.span));
    }
    let float = matches!(text, "f16" | "bf16" | "f16x2" | "bf16x2" | "f64");
    if float && matches!(opcode, "atom" | "red") {
        let help = "its floating-point atomics are those of `.f32`";
        return Err(rule(format!("PTX 1.4 has no `{opcode}` on `.{text}`"), help, word.span));
    }
    Ok(())
}

/// Whether PTX 1.4 lacks an instruction with all its words: a later version has it first, or none has.
fn lacks(instruction: &Instruction) -> bool {
    let words: Vec<&str> = instruction.qualifiers.iter().map(|word| word.value.as_str()).collect();
    let forms = table::forms(&instruction.opcode.value).iter();
    let mut exact = forms.filter(|form| form.fill(&words, false, 0).is_some());
    !exact.any(|form| form.row.since(&words).version <= LAST)
}

/// The special registers of PTX 1.4 (its chapter 8).
const SPECIAL: &[&str] = &[
    "tid", "ntid", "laneid", "warpid", "ctaid", "nctaid", "smid", "gridid", "clock", "pm0", "pm1",
    "pm2", "pm3",
];

fn special_register(operand: &Operand) -> Result<(), DecodeError> {
    let OperandKind::Name(name, _) = &operand.kind else { return Ok(()) };
    let Some(special) = names::special_register(name) else { return Ok(()) };
    let base = special.split('.').next().unwrap_or(special);
    if SPECIAL.contains(&base.trim_start_matches('%')) {
        return Ok(());
    }
    Err(rule(format!("PTX 1.4 has no `{name}`"), "write a later `.version`", operand.span))
}

/// The note that a place names a cluster of one CTA, which changes nothing.
#[must_use]
pub fn cluster(span: Span) -> Diagnostic {
    Diagnostic::note("legacy-cluster", span, "PTX 1.4 has no clusters")
        .help("leave `cluster` out: each CTA is one of its own")
}

/// Rejects a part of a test that has no counterpart in PTX 1.4.
#[must_use]
pub fn later(what: &str, span: Span) -> Diagnostic {
    rule(format!("PTX 1.4 has no {what}"), "write a later `.version`", span).diagnostic()
}

/// `bar.sync d`, for all threads of the CTA.
fn barrier(instruction: &Instruction) -> Result<(), DecodeError> {
    let help = "the only form is `bar.sync d` with a constant d from 0 to 15, for all threads of \
                the CTA";
    let words: Vec<&str> = instruction.qualifiers.iter().map(|q| q.value.as_str()).collect();
    let constant = |kind: &OperandKind| matches!(kind, OperandKind::Integer(0..=15));
    match (words.as_slice(), instruction.operands.as_slice()) {
        (["sync"], [only]) if constant(&only.kind) => Ok(()),
        _ => {
            let message = "PTX 1.4 has no such barrier".to_owned();
            Err(rule(message, help, instruction.span))
        }
    }
}

/// `atom` and `red`, whose operations have few types.
fn atomic(instruction: &Instruction) -> Result<(), DecodeError> {
    let span = instruction.span;
    let has = |wanted: &[&str]| instruction.qualifiers.iter().any(|q| wanted.contains(&&*q.value));
    if has(&["v2", "v4"]) {
        let help = "write an instruction for each element, or a later `.version`";
        return Err(rule("PTX 1.4 has no vector atomics".to_owned(), help, span));
    }
    // PTX 1.4 lists `.min` and `.max`, too, and says that neither is implemented; later versions
    // have `.add` alone.
    if has(&["f32"]) && !has(&["add"]) {
        let help = "of the floating-point atomics, `.add` became an instruction";
        let message = format!("PTX 1.4 does not implement `{}`", instruction.full_name());
        return Err(rule(message, help, span));
    }
    // Operations that `red` has in no version are rejected elsewhere.
    let exchanges = instruction.opcode.value == "atom" && has(&["cas", "exch"]);
    let help = match () {
        () if has(&["and", "or", "xor"]) => "its bit operations have `.b32`",
        () if exchanges => "its `.cas` and `.exch` have `.b32`, and in global memory `.b64`",
        () if has(&["add"]) => {
            "its `.add` has `.u32`, `.s32` and `.f32`, and in global memory `.u64`"
        }
        () if has(&["inc", "dec"]) => "its `.inc` and `.dec` have `.u32`",
        () if has(&["min", "max"]) => "its `.min` and `.max` have `.u32` and `.s32`",
        () => return Ok(()),
    };
    let written = instruction.qualifiers.iter().find(|word| names::ty(&word.value).is_some());
    // Later versions date `.add` of `.f32` later than the manual of PTX 1.4, which has it.
    if let Some(ty) = written.filter(|ty| ty.value != "f32" && lacks(instruction)) {
        let message = format!("PTX 1.4 has no `{}`", instruction.full_name());
        return Err(rule(message, help, ty.span));
    }
    // Examples of later versions leave the limit out.
    if instruction.opcode.value == "atom" && has(&["inc"]) && instruction.operands.len() == 2 {
        let message = "`atom.inc` without its limit".to_owned();
        return Err(rule(message, "write `atom.space.inc.u32 d, [a], b`", span));
    }
    Ok(())
}

fn no_space(instruction: &Instruction) -> DecodeError {
    let message = format!("`{}` names no state space", instruction.full_name());
    rule(
        message,
        "PTX 1.4 has no generic addresses: write `.global` or `.shared`",
        instruction.span,
    )
}

fn rule(message: String, help: &'static str, span: Span) -> DecodeError {
    DecodeError::Rule { message, help, section: SECTION, span }
}

/// The warning that an instruction had a meaning in PTX 1.4 that the model does not give it.
#[must_use]
pub fn warning(instruction: &Instruction) -> Option<Diagnostic> {
    let has = |word: &str| instruction.qualifiers.iter().any(|q| q.value == word);
    let span = instruction.span;
    match instruction.opcode.value.as_str() {
        "atom" | "red" if has("dec") => Some(
            Diagnostic::warning("legacy-dec", span, "`.dec` of 0 wraps to the operand").help(
                "the text of PTX 1.4 does not say so; today's does, and is followed \
                 (PTX-9.7.13.5)",
            ),
        ),
        "ld" | "st" if has("volatile") && has("shared") => Some(
            Diagnostic::warning("legacy-volatile", span, "`.volatile` gives no order").help(
                "PTX 1.4 offers it for sequential consistency in shared memory; the model makes it a \
                 relaxed access (PTX-8.4.2): add `membar` or `bar.sync`",
            ),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_versions_are_legacy() {
        assert!(applies(Some((1, 4))));
        assert!(!applies(Some((2, 0))) && !applies(None));
    }
}
