//! The code of a kernel into what each thread of a launch does.
//!
//! The code is lowered once for all threads of a launch: special registers that the indices of a
//! thread decide are registers of the code, which have values when a thread begins. Following a
//! thread costs no more than evaluating the branches and addresses that indices, arguments and
//! constant memory decide.

use super::ast::{Body, Code};
use super::body::for_each_name;
use super::fold::Registers;
use super::geometry::{Geometry, Index};
use super::specialize::{Specializer, one_label_each};
use super::trace::Trace;
use crate::litmus::ast::Test;
use crate::program::lower::unrotated;
use crate::program::micro::Program;
use crate::program::reading::Readings;
use crate::ptx::operation::{Type, TypeKind};
use crate::source::Spanned;
use std::collections::BTreeMap;

/// The start of the names of registers that stand for special ones.
const INPUT: &str = "launch:";

/// The name of the register that stands for a special one, such as `%tid.x`, if the indices of a
/// thread decide its value.
pub(super) fn input(special: &str, geometry: &Geometry) -> Option<String> {
    let special = special.strip_prefix('%')?;
    geometry.special(special, Index { cta: 0, thread: 0 })?;
    Some(format!("{INPUT}{special}"))
}

/// The registers that stand for the special ones that a kernel reads.
pub(super) fn inputs(body: &Body, geometry: &Geometry) -> Vec<(Spanned<String>, Type)> {
    let mut found = BTreeMap::new();
    for line in &body.lines {
        let Code::Instruction(instruction) = &line.code else { continue };
        for_each_name(&mut instruction.clone(), &mut |name| {
            if let Some(input) = input(name, geometry) {
                found.entry(input).or_insert(instruction.span);
            }
        });
    }
    let ty = Type::new(TypeKind::Unsigned, 32);
    found.into_iter().map(|(name, span)| (Spanned::new(name, span), ty)).collect()
}

/// The code of each launch, lowered once.
pub(super) struct Templates {
    test: Test,
    program: Program,
}

impl Templates {
    /// The launches of a test that has one thread for each, with inputs for special registers.
    pub(super) fn new(mut test: Test) -> Self {
        test.threads.iter_mut().for_each(|t| one_label_each(&mut t.statements));
        let program = unrotated(&test, Readings::default());
        Self { test, program }
    }

    /// What follows the threads of a launch.
    pub(super) fn of(&self, launch: usize, geometry: Geometry) -> Tracer<'_> {
        let code = &self.program.threads[launch];
        let statements = &self.test.threads[launch].statements;
        let specializer = Specializer::new(statements, code, &self.program.layout);
        let registers = code.registers.iter().enumerate();
        let inputs = registers
            .filter_map(|(at, register)| Some((at, register.name.strip_prefix(INPUT)?.to_owned())));
        Tracer { inputs: inputs.collect(), specializer, geometry, count: code.registers.len() }
    }
}

/// Follows threads of a launch.
pub(super) struct Tracer<'t> {
    specializer: Specializer<'t>,
    /// The registers that stand for special ones.
    inputs: Vec<(usize, String)>,
    geometry: Geometry,
    count: usize,
}

impl Tracer<'_> {
    /// What a thread does.
    pub(super) fn trace(&mut self, index: Index) -> Trace {
        let mut registers: Registers = vec![None; self.count];
        for (register, name) in &self.inputs {
            registers[*register] = self.geometry.special(name, index);
        }
        self.specializer.traced(registers)
    }
}
