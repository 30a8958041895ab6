//! Instructions as written: a form of the table with the words and operands of one statement.

use super::form::{Choices, Form, OperandForm, Slot};
use super::need::Need;
use super::row::{Implied, Op, Takes};
use super::value::{Address, ArithmeticOp, Destination, Register, Space, Type, Value};
use super::words::{Word, Words};
use crate::source::Spanned;

/// A written instruction of one form of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The form.
    pub form: &'static Form,
    /// The word in each slot.
    pub words: Words,
    /// The operands; `None` for those omitted.
    pub(crate) operands: Vec<Option<Arg>>,
    /// The registers that are no operands.
    pub(crate) implied: Vec<Register>,
}

/// An operand of a written instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    Destination(Destination),
    Pair(Destination, Destination),
    Value(Value),
    Memory(Address),
    /// A tensor map and coordinates of a box, innermost first.
    Tensor(Address, Vec<Value>),
    /// Registers in braces that are written.
    Into(Vec<Destination>),
    /// Registers in braces that are read.
    Elements(Vec<Value>),
    Label(Spanned<String>),
    Constant(i128),
}

impl Written {
    /// The operation of the form.
    #[must_use]
    pub fn op(&self) -> Op {
        self.form.row.op
    }

    /// The operands with their forms.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static OperandForm, &Arg)> {
        let form: &'static Form = self.form;
        let written = form.operands.iter().zip(&self.operands);
        written.filter_map(|(form, operand)| Some((form, operand.as_ref()?)))
    }

    /// Whether the instruction accesses memory through the asynchronous proxy (PTX-8.6).
    pub(crate) fn is_of_async_proxy(&self) -> bool {
        matches!(self.op(), Op::Async(op) if op.is_of_async_proxy())
    }

    /// The mutable operands, each with its requirement on a register.
    pub(crate) fn parts_mut(&mut self) -> impl Iterator<Item = (Need, &mut Arg)> {
        let Self { form, words, operands, .. } = self;
        form.operands.iter().zip(operands).filter_map(|(form, operand)| {
            let operand = operand.as_mut()?;
            Some((need(form, words, operand), operand))
        })
    }

    /// Puts a word into the empty slot that accepts it, if there is one.
    pub(crate) fn fill(&mut self, word: &'static str) {
        let takes = |slot: &Slot| match &slot.choices {
            Choices::Words(words) => words.contains(&word),
            _ => false,
        };
        let slot = self.form.slots.iter().zip(&mut self.words.0).find(|(slot, _)| takes(slot));
        if let Some((_, empty @ None)) = slot {
            *empty = Some(Word::Plain(word));
        }
    }

    /// The requirement of an operand on a register.
    pub(crate) fn need(&self, operand: &OperandForm) -> Need {
        operand.need(&self.words)
    }

    /// The requirement of what is written on its registers.
    pub(crate) fn need_of(&self, operand: &OperandForm, written: &Arg) -> Need {
        need(operand, &self.words, written)
    }

    /// The registers that are no operands, each with whether it is read or written.
    pub(crate) fn implied(&self) -> impl Iterator<Item = (&Register, Implied)> {
        self.implied
            .iter()
            .zip(self.form.row.implied)
            .map(|(register, (_, role))| (register, *role))
    }

    /// The function of integer arithmetic with one or two operands, and of products with a sum.
    #[must_use]
    pub fn arithmetic(&self) -> Option<ArithmeticOp> {
        let has = |word: &str| self.words.has(word);
        match self.op() {
            Op::Arithmetic(op) => Some(op),
            Op::Product | Op::MultiplyAdd if has("hi") => Some(ArithmeticOp::MulHi),
            Op::Product | Op::MultiplyAdd if has("wide") => Some(ArithmeticOp::MulWide),
            Op::Product | Op::MultiplyAdd => Some(ArithmeticOp::MulLo),
            _ => None,
        }
    }

    /// The destination register.
    #[must_use]
    pub fn destination(&self) -> &Destination {
        let written = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Destination(register) | Arg::Pair(register, _) => Some(register),
            _ => None,
        });
        written.unwrap_or(&None)
    }

    /// The meaning of the first word that has one, which the form needs.
    ///
    /// # Panics
    /// When the form has no such word.
    pub(crate) fn one_of<T>(&self, meaning: fn(&str) -> Option<T>) -> T {
        let found = self.words.plain().find_map(meaning);
        found.expect("a form has the words that its operation asks for")
    }

    /// The type of the destination register.
    ///
    /// # Panics
    /// When the form has no destination.
    #[must_use]
    pub fn result(&self) -> Type {
        let written = self.form.operands.first().expect("the destination is the first operand");
        self.need(written).ty
    }

    /// The predicate that is written beside another register.
    #[must_use]
    pub fn predicate(&self) -> &Destination {
        let written = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Pair(_, predicate) => Some(predicate),
            _ => None,
        });
        written.unwrap_or(&None)
    }

    /// The values read, in order, each with its type.
    pub fn sources(&self) -> impl Iterator<Item = (&Value, Type)> {
        self.parts().filter_map(|(form, operand)| match operand {
            Arg::Value(value) => Some((value, self.need(form).ty)),
            _ => None,
        })
    }

    /// The value of the operand with this name.
    ///
    /// # Panics
    /// When the form has no such operand.
    #[must_use]
    pub fn value(&self, name: &str) -> &Value {
        self.optional(name).expect("a form has the operands that its lowering asks for")
    }

    /// The constant of the operand with this name.
    ///
    /// # Panics
    /// When the form has no such operand.
    #[must_use]
    pub fn constant(&self, name: &str) -> i128 {
        let found = self.parts().find_map(|(form, operand)| match operand {
            Arg::Constant(number) if form.name == name => Some(*number),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The address accessed.
    ///
    /// # Panics
    /// When the form has none.
    #[must_use]
    pub fn address(&self) -> &Address {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Memory(address) => Some(address),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The label that is jumped to.
    ///
    /// # Panics
    /// When the form has none.
    #[must_use]
    pub fn label(&self) -> &Spanned<String> {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Label(label) => Some(label),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The tensor map and the coordinates of the box.
    ///
    /// # Panics
    /// When the form has none.
    #[must_use]
    pub fn tensor(&self) -> (&Address, &[Value]) {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Tensor(map, coordinates) => Some((map, coordinates.as_slice())),
            _ => None,
        });
        found.expect("a form has the operands that its lowering asks for")
    }

    /// The address in brackets that is the operand of this name, if it is one.
    #[must_use]
    pub fn memory(&self, name: &str) -> Option<&Address> {
        self.parts().find_map(|(form, operand)| match operand {
            Arg::Memory(address) if form.name == name => Some(address),
            _ => None,
        })
    }

    /// The registers in braces that it writes.
    #[must_use]
    pub fn registers(&self) -> &[Destination] {
        let found = self.operands.iter().flatten().find_map(|operand| match operand {
            Arg::Into(registers) => Some(registers.as_slice()),
            _ => None,
        });
        found.unwrap_or(&[])
    }

    /// The registers in braces that are the operand of this name, if they are.
    #[must_use]
    pub fn elements(&self, name: &str) -> Option<&[Value]> {
        self.parts().find_map(|(form, operand)| match operand {
            Arg::Elements(values) if form.name == name => Some(values.as_slice()),
            _ => None,
        })
    }

    /// All values in braces that are read.
    pub(crate) fn elements_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.operands.iter_mut().flatten().flat_map(|operand| match operand {
            Arg::Elements(values) => values.as_mut_slice(),
            _ => &mut [],
        })
    }

    /// The value of the operand with this name, if it is written.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<&Value> {
        self.parts().find_map(|(form, operand)| match operand {
            Arg::Value(value) if form.name == name => Some(value),
            _ => None,
        })
    }

    /// The addresses accessed, each with its state space and the required alignment in bytes.
    pub fn accesses(&self) -> impl Iterator<Item = (&Address, Space, u64)> {
        self.parts().filter_map(|(form, operand)| match (operand, form.takes) {
            (Arg::Memory(address), Takes::Bytes(space, bytes)) => Some((address, space, bytes)),
            _ => None,
        })
    }
}

/// The requirement on the registers of an operand; those of parts are parts of its type.
fn need(form: &OperandForm, words: &Words, written: &Arg) -> Need {
    let parts = match written {
        Arg::Into(list) => list.len(),
        Arg::Elements(list) => list.len(),
        _ => 1,
    };
    match (form.takes, written) {
        (Takes::Parts(_), _) => Need::exact(form.need(words).ty.part(parts)),
        (_, Arg::Elements(_)) => form.need_of_each(words),
        _ => form.need(words),
    }
}
