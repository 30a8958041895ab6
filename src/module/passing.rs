//! The promotion of `.param` variables of the caller, which hold arguments and results of calls, to
//! registers.
//!
//! A variable whose parts are each stored and loaded as a whole, by the name of the variable, holds
//! numbers like registers. It becomes one register for each part. Other variables stay in the
//! memory of the thread.

use super::ast::{Body, Code};
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::operation::{Type, TypeKind};
use crate::source::{Span, Spanned};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a variable: the size in bytes by offset.
type Parts = BTreeMap<i64, u32>;

/// Turns arguments and results of calls into registers.
pub(crate) fn registers(body: &mut Body) {
    let scalar = scalars(body);
    let mut stored: BTreeSet<String> = BTreeSet::new();
    for line in &body.lines {
        match &line.code {
            Code::Instruction(instruction) if instruction.opcode.value == "st" => {
                if let Some(access) = Access::of(instruction) {
                    stored.extend(access.parts().map(|(at, _)| part_name(access.variable, at)));
                }
            }
            Code::Unknown { definitions, .. } => {
                for definition in definitions {
                    let parts = scalar.get(&definition.value).into_iter().flatten();
                    stored.extend(parts.map(|(at, _)| part_name(&definition.value, *at)));
                }
            }
            _ => {}
        }
    }
    for (variable, parts) in &scalar {
        let at = body.variables.iter().find(|v| v.name.value == *variable);
        let span = at.map_or_else(|| body.lines[0].span, |v| v.span);
        for (&at, &bytes) in parts {
            let ty = Type::new(TypeKind::Bits, bytes * 8);
            body.registers.push((Spanned::new(part_name(variable, at), span), ty));
        }
    }
    for line in &mut body.lines {
        if let Code::Unknown { definitions, .. } = &mut line.code {
            let parts = |name: &Spanned<String>| -> Vec<Spanned<String>> {
                let span = name.span;
                match scalar.get(&name.value) {
                    Some(parts) => parts
                        .keys()
                        .map(|at| Spanned::new(part_name(&name.value, *at), span))
                        .collect(),
                    None if body.passed.contains(&name.value) => Vec::new(),
                    None => vec![name.clone()],
                }
            };
            *definitions = definitions.iter().flat_map(parts).collect();
        }
    }
    let lines = std::mem::take(&mut body.lines);
    for mut line in lines {
        let moves = match &line.code {
            Code::Instruction(instruction) => moves(instruction, &scalar, &stored),
            _ => None,
        };
        let Some(moves) = moves else {
            body.lines.push(line);
            continue;
        };
        for (at, code) in moves.into_iter().enumerate() {
            let labels = if at == 0 { std::mem::take(&mut line.labels) } else { Vec::new() };
            body.lines.push(super::ast::Line { labels, code, ..line.clone() });
        }
    }
    body.variables.retain(|variable| !scalar.contains_key(&variable.name.value));
    body.passed.retain(|name| !scalar.contains_key(name));
}

fn part_name(variable: &str, at: i64) -> String {
    format!("{variable}+{at}")
}

/// The variables that become registers.
fn scalars(body: &Body) -> FxHashMap<String, Parts> {
    let mut found: FxHashMap<String, Option<Parts>> =
        body.passed.iter().map(|name| (name.clone(), Some(Parts::new()))).collect();
    for line in &body.lines {
        let Code::Instruction(instruction) = &line.code else { continue };
        let access = Access::of(instruction);
        let mut mentioned = Vec::new();
        super::body::for_each_name(&mut instruction.clone(), &mut |name| {
            mentioned.push(name.clone());
        });
        for name in mentioned {
            let Some(parts) = found.get_mut(&name) else { continue };
            match &access {
                Some(access) if access.variable == name => {
                    let fits = parts.as_mut().is_some_and(|parts| {
                        access.parts().all(|(at, bytes)| add(parts, at, bytes))
                    });
                    if !fits {
                        *parts = None;
                    }
                }
                _ => *parts = None,
            }
        }
    }
    found.into_iter().filter_map(|(name, parts)| Some((name, parts?))).collect()
}

/// Adds a part; gives whether the part is already known or overlaps no other part.
fn add(parts: &mut Parts, at: i64, bytes: u32) -> bool {
    // Registers have 16 bits at least.
    if bytes < 2 {
        return false;
    }
    if let Some(&known) = parts.get(&at) {
        return known == bytes;
    }
    let before = parts.range(..at).next_back();
    let after = parts.range(at..).next();
    let clear = before.is_none_or(|(&start, &size)| start + i64::from(size) <= at)
        && after.is_none_or(|(&start, _)| at + i64::from(bytes) <= start);
    parts.insert(at, bytes);
    clear
}

/// A load or store of a `.param` variable by its name.
struct Access<'i> {
    variable: &'i str,
    offset: i64,
    ty: &'i str,
    bytes: u32,
    /// The loaded or stored values, one for each element.
    values: Vec<&'i Operand>,
}

impl<'i> Access<'i> {
    fn of(instruction: &'i Instruction) -> Option<Self> {
        let loads = match instruction.opcode.value.as_str() {
            "ld" => true,
            "st" => false,
            _ => return None,
        };
        let first = instruction.qualifiers.first()?.value.as_str();
        let ty = instruction.qualifiers.last()?.value.as_str();
        let [a, b] = &instruction.operands[..] else { return None };
        let (address, value) = if loads { (b, a) } else { (a, b) };
        let OperandKind::Bracket(inside) = &address.kind else { return None };
        let [Operand { kind: OperandKind::Name(variable, offset), .. }] = &inside[..] else {
            return None;
        };
        let values = match &value.kind {
            OperandKind::Vector(list) => list.iter().collect(),
            _ => vec![value],
        };
        let bytes = names::ty(ty)?.bytes();
        matches!(first, "param" | "param::func").then_some(Self {
            variable,
            offset: *offset,
            ty,
            bytes,
            values,
        })
    }

    /// The offset and the size of each element.
    fn parts(&self) -> impl Iterator<Item = (i64, u32)> + '_ {
        let bytes = self.bytes;
        (0..).zip(&self.values).map(move |(at, _)| (self.offset + at * i64::from(bytes), bytes))
    }
}

/// The register moves that replace an access.
fn moves(
    instruction: &Instruction,
    scalar: &FxHashMap<String, Parts>,
    stored: &BTreeSet<String>,
) -> Option<Vec<Code>> {
    let access = Access::of(instruction)?;
    scalar.get(access.variable)?;
    let loads = instruction.opcode.value == "ld";
    let span = instruction.span;
    let moves = access.parts().zip(&access.values).map(|((at, _), value)| {
        let part = part_name(access.variable, at);
        if loads && !stored.contains(&part) {
            // The callee stored no result.
            let name = "call".to_owned();
            let definitions = match &value.kind {
                OperandKind::Name(name, 0) => vec![Spanned::new(bare(name), span)],
                _ => Vec::new(),
            };
            return Code::Unknown { name, definitions, computes: true };
        }
        let part = Operand { kind: OperandKind::Name(format!("%{part}"), 0), unified: None, span };
        let value = (*value).clone();
        let operands = if loads { vec![value, part] } else { vec![part, value] };
        Code::Instruction(mov(&access, operands, span))
    });
    Some(moves.collect())
}

fn bare(name: &str) -> String {
    name.strip_prefix('%').unwrap_or(name).to_owned()
}

fn mov(access: &Access<'_>, operands: Vec<Operand>, span: Span) -> Instruction {
    let float = operands.iter().any(|operand| matches!(operand.kind, OperandKind::Float(_)));
    let ty = if float { access.ty.to_owned() } else { format!("b{}", access.bytes * 8) };
    let opcode = Spanned::new("mov".to_owned(), span);
    Instruction { opcode, qualifiers: vec![Spanned::new(ty, span)], operands, span }
}
