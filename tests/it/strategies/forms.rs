//! Instructions written down from the forms of the table.

use ptxmc::testing::ptx::cursor::Cursor;
use ptxmc::testing::ptx::decode::{Dialect, Names, decode};
use ptxmc::testing::ptx::error::DecodeError;
use ptxmc::testing::ptx::form::{Choices, Filled, Form, OperandForm, Presence, Role};
use ptxmc::testing::ptx::instruction::instruction;
use ptxmc::testing::ptx::operation::{Operation, Type};
use ptxmc::testing::ptx::row::{Op, Takes};
use ptxmc::testing::ptx::table;
use ptxmc::testing::ptx::token::lex;
use ptxmc::testing::ptx::words::type_of;
use ptxmc::testing::source::{Files, Span};

/// All forms of the table that are read as it says.
pub fn all() -> impl Iterator<Item = &'static Form> {
    let forms = table::opcodes().iter().flat_map(|opcode| table::forms(opcode));
    forms.filter(|form| !matches!(form.row.op, Op::Outside | Op::Unchecked))
}

/// Those whose operands are registers and constants; columns have no pairs of destinations.
pub fn register_forms(columns: bool) -> Vec<&'static Form> {
    let fits = |operand: &OperandForm| {
        let pair = columns && operand.role == Role::Pair;
        let braces = matches!(operand.role, Role::Matrix | Role::Into | Role::Elements);
        !(pair || braces || matches!(operand.role, Role::Memory | Role::Tensor | Role::Label))
    };
    let plain = |form: &&Form| {
        let kept = match form.row.op {
            Op::Nothing | Op::Exit | Op::CtaBarrier | Op::WarpBarrier => false,
            // A carry that is read has to be written somewhere.
            Op::Carry(_) => form.row.text.contains(".cc"),
            _ => true,
        };
        kept && form.operands.iter().all(fits)
    };
    all().filter(plain).collect()
}

/// An instruction of a form; `pick` chooses one of so many, again and again.
pub fn text(form: &Form, pick: &mut dyn FnMut(usize) -> usize) -> String {
    let (mut words, mut shift) = (words(form, pick), 0);
    // Optional words that demand something else are left out, and others are chosen anew.
    while let Some(demand) =
        form.row.demands.iter().find(|demand| !demand.is_met(&in_slots(&words)))
    {
        let is_optional = |at: &usize| form.slots[*at].filled == Filled::Optionally;
        let mends = |at: &usize| {
            let mut fewer = words.clone();
            fewer[*at] = None;
            words[*at].is_some() && demand.is_met(&in_slots(&fewer))
        };
        match (0..words.len()).rev().find(|at| is_optional(at) && mends(at)) {
            Some(at) => words[at] = None,
            None => {
                shift += 1;
                words = self::words(form, &mut |count| (pick(count) + shift) % count);
            }
        }
    }
    let words = in_slots(&words);
    let types: Vec<Type> = words.iter().filter_map(|word| type_of(word)).collect();
    let head = std::iter::once(form.opcode).chain(words).collect::<Vec<_>>().join(".");
    let has = |word: &str| head.split('.').any(|found| found == word);
    let mut optional = true;
    let mut operands: Vec<String> = Vec::new();
    for part in &form.operands {
        match part.presence {
            Presence::Optional if pick(2) == 0 => optional = false,
            Presence::Optional if !optional => {}
            Presence::With(word) if !has(word) => {}
            _ if part.role == Role::Tensor => operands.push(tensor(&head, pick)),
            _ if matches!(part.role, Role::Into | Role::Elements)
                || matches!(part.takes, Takes::Vector(_))
                || matches!(part.takes, Takes::Data(_) | Takes::Lanes(_))
                    && ["v2", "v4", "v8"].iter().any(|v| has(v)) =>
            {
                operands.push(braced(&head, part, types.first().copied(), pick));
            }
            _ => operands.push(operand(form, part, &types, pick)),
        }
    }
    if operands.is_empty() { head } else { format!("{head} {}", operands.join(", ")) }
}

/// A word for each slot of a form, if one is there.
fn words(form: &Form, pick: &mut dyn FnMut(usize) -> usize) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = Vec::new();
    for slot in &form.slots {
        let words: Vec<String> = match &slot.choices {
            Choices::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Choices::Types(types) => types.iter().map(ToString::to_string).collect(),
            Choices::Spaces(spaces) => spaces.iter().map(ToString::to_string).collect(),
            Choices::Scopes(scopes) => scopes.iter().map(ToString::to_string).collect(),
        };
        assert!(!words.is_empty(), "{form:?} has a slot without words");
        let has = |word: &str| found.iter().flatten().any(|found| found == word);
        let is_filled = slot.needs(has).unwrap_or_else(|| pick(2) == 0);
        found.push(is_filled.then(|| words[pick(words.len())].clone()));
    }
    found
}

/// The words that are there.
fn in_slots(words: &[Option<String>]) -> Vec<&str> {
    words.iter().flatten().flat_map(|words| words.split('.')).collect()
}

/// Registers in braces: one for each element of a vector or part of a scalar, otherwise up to four.
fn braced(
    head: &str,
    operand: &OperandForm,
    ty: Option<Type>,
    pick: &mut dyn FnMut(usize) -> usize,
) -> String {
    let vector = head.split('.').find_map(|word| word.strip_prefix('v')?.parse().ok());
    let parts = matches!(operand.takes, Takes::Parts(_));
    let has = |word: &str| head.split('.').any(|found| found == word);
    let matrices = [("x1", 1), ("x2", 2), ("x4", 4)].into_iter().find(|(word, _)| has(word));
    let matrices = matrices.filter(|_| head.contains("matrix."));
    let count = match (vector, ty) {
        (Some(elements), _) => elements,
        // A scalar of 16 bits has two parts, one of 128 bits at least as many.
        (None, Some(ty)) if parts && ty.bits < 32 => 2,
        (None, _) if parts => 2 << pick(2),
        (None, _) => 1 + pick(4),
    };
    let count = matrices.map_or(count, |(_, number)| number << usize::from(has("m16n16")));
    let list: Vec<String> = (0..count).map(|at| format!("%r{at}")).collect();
    format!("{{{}}}", list.join(", "))
}

/// A map with as many coordinates as the words of an instruction ask for.
fn tensor(head: &str, pick: &mut dyn FnMut(usize) -> usize) -> String {
    let dimensions = head.split('.').find_map(|word| word.strip_suffix('d')?.parse().ok());
    let rows = head.contains("::gather4") || head.contains("::scatter4");
    let count = if rows { 5 } else { dimensions.expect("tensor copies say how many dimensions") };
    let mut coordinate = |_| ["%r0", "%r1", "-3", "7"][pick(4)];
    let list: Vec<&str> = (0..count).map(&mut coordinate).collect();
    format!("[x, {{{}}}]", list.join(", "))
}

fn operand(
    form: &Form,
    operand: &OperandForm,
    types: &[Type],
    pick: &mut dyn FnMut(usize) -> usize,
) -> String {
    const REGISTERS: &[&str] = &["%r0", "%r1", "%rd2", "%foo"];
    const PREDICATES: &[&str] = &["%p0", "%p1"];
    let ty = operand.ty(types);
    let register = |pick: &mut dyn FnMut(usize) -> usize| match ty == Type::PREDICATE {
        true => PREDICATES[pick(PREDICATES.len())],
        false => REGISTERS[pick(REGISTERS.len())],
    };
    let constant = match operand.takes {
        Takes::Packed | Takes::Register(_) | Takes::Pointer | Takes::Name(_) => None,
        Takes::Within(limits) => Some(limits.least),
        Takes::Table => return pick(256).to_string(),
        Takes::Size => Some(16),
        // Floating-point numbers are written in many ways, of which registers are one.
        _ if ty.is_float() => None,
        _ => Some(if ty == Type::PREDICATE { 1 } else { 20 }),
    };
    match (operand.role, constant) {
        (Role::Constant(number), _) => number.to_string(),
        (Role::Label, _) => "L".to_owned(),
        (Role::Into | Role::Elements, _) => unreachable!("how many they are is in the words"),
        (Role::Source, _) if matches!(operand.takes, Takes::Components(_)) => "%tid".to_owned(),
        (Role::Matrix, _) if operand.takes == Takes::Factor => {
            if pick(2) == 0 { "[%r1]" } else { "%rd2" }.to_owned()
        }
        (Role::Matrix, _) => {
            if pick(2) == 0 {
                braced("", operand, None, pick)
            } else {
                "%rd2".to_owned()
            }
        }
        (Role::Tensor, _) => unreachable!("it is written by the words of the instruction"),
        (Role::Memory, _) if operand.takes == Takes::Columns => "[%r0]".to_owned(),
        (Role::Memory, _) => if form.opcode == "mbarrier" { "[m]" } else { "[x]" }.to_owned(),
        (Role::Pair, _) => format!("{}|%p{}", register(pick), pick(2)),
        // Arrivals at other CTAs give no token.
        (Role::Destination, _) if operand.takes == Takes::Token => "_".to_owned(),
        (Role::Destination, _) => register(pick).to_owned(),
        (Role::Truth, _) if pick(3) == 0 => format!("!{}", register(pick)),
        (Role::Source | Role::Truth, Some(number)) if pick(3) == 0 => number.to_string(),
        (Role::Source | Role::Truth, _) => register(pick).to_owned(),
    }
}

/// What an instruction is decoded to.
pub fn decoded(line: &str, dialect: Dialect) -> Result<Operation, DecodeError> {
    let file = Files::default().add("line", line);
    let whole = Span::new(file, 0, line.len());
    let (tokens, errors) = lex(line, whole);
    assert!(errors.is_empty(), "{line}: {errors:?}");
    let mut cursor = Cursor::new(line, &tokens, whole);
    let instruction = instruction(&mut cursor).unwrap_or_else(|error| panic!("{line}: {error}"));
    let mut names = Names::default();
    names.variables.extend(["x", "m"].map(|name| (name.to_owned(), Type::B64)));
    decode(&instruction, &names, dialect, &mut Vec::new())
}
