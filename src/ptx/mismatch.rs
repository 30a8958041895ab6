//! Mismatched operands: the expected operand, the operand found, and the remedy.

use thiserror::Error;

/// The operand expected at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Expected {
    /// A register that is written.
    #[error("a destination register")]
    Destination,
    /// One register, where two were found.
    #[error("one destination register")]
    OneDestination,
    /// A register that is read.
    #[error("a register")]
    Register,
    /// A value.
    #[error("a register or a constant")]
    Value,
    /// A predicate that is read.
    #[error("a predicate register")]
    Predicate,
    /// An address.
    #[error("an address such as `[x]` or `[%rd1+8]`")]
    Address,
    /// An address and nothing else between its brackets.
    #[error("one address between the brackets")]
    OneAddress,
    /// A tensor map and so many coordinates.
    #[error("a tensor map and {0} coordinates, `[tm, {{%r1, ...}}]`")]
    Box(usize),
    /// The index of an element.
    #[error("a register or a number as an index")]
    Index,
    /// The name of an array.
    #[error("a declared array")]
    Array,
    /// The name of a variable.
    #[error("a declared variable")]
    Variable,
    /// One element, without a vector length.
    #[error("a scalar operand (no `.v2`, `.v4` or `.v8` is written)")]
    Scalar,
    /// Elements in braces.
    #[error("a vector such as `{{%r1,%r2}}`")]
    Vector,
    /// This many elements in braces.
    #[error("a vector of {0} elements")]
    Elements(u32),
    /// The two destinations of `elect`.
    #[error("a predicate that says who is elected, `d|p`")]
    Elected,
    /// The two destinations of `lop3` with a test.
    #[error("a register and a predicate, `d|p` or `_|p`")]
    Tested,
    /// The function of `lop3`.
    #[error("the table, an integer constant from 0 to 255")]
    Table,
    /// A label.
    #[error("a label")]
    Label,
    /// A number that all instructions of a form have.
    #[error("the constant {0}")]
    Constant(i128),
}

/// The operand found in the place of another.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Found {
    /// `_`
    #[error("the sink `_`")]
    Sink,
    /// Several times `_`.
    #[error("only the sink `_`")]
    OnlySinks,
    /// A register.
    #[error("a register")]
    Register,
    /// A name that is no register.
    #[error("a name")]
    Name,
    /// `x[1]`
    #[error("an array element")]
    Element,
    /// A number.
    #[error("a number")]
    Number,
    /// A floating-point number.
    #[error("a floating-point number")]
    Float,
    /// `[x]`
    #[error("an address")]
    Address,
    /// `{a, b}`
    #[error("a vector")]
    Vector,
    /// This many elements in braces.
    #[error("a vector of {0}")]
    Elements(usize),
    /// `!p`
    #[error("a negated predicate")]
    Negation,
    /// `p|q`
    #[error("a pair of predicates")]
    Pair,
    /// A variable of this name.
    #[error("the variable `{0}`")]
    Variable(String),
    /// A name.
    #[error("`{0}`")]
    Named(String),
    /// An index beyond the range of addresses, of the array of this name.
    #[error("an index too large for `{0}`")]
    LargeIndex(String),
}

/// The remedy for an operand of one kind in the place of another.
pub(super) fn instead(expected: Expected, found: &Found) -> String {
    let help = match (expected, found) {
        (_, Found::Sink) => {
            "`_` stands for a result that nobody wants; other operands are registers or values"
        }
        (_, Found::OnlySinks) => "name a register for what is loaded",
        (Expected::Box(_), _) => {
            "write the map's address and, in braces, as many coordinates as the instruction has \
             dimensions, `.tile::gather4` and `.tile::scatter4` five"
        }
        (Expected::Address, Found::Name | Found::Register) => "write brackets around the address",
        (_, Found::Address) => "brackets stand around the address of an access: leave them out",
        (Expected::Destination | Expected::OneDestination, Found::Number) => {
            "a number is a value, no place for a result"
        }
        (_, Found::Vector | Found::Elements(_)) => {
            "a vector has as many elements as `.v2`, `.v4` or `.v8` says"
        }
        (_, Found::Variable(_)) => {
            "results go to registers: write one, and store it to the variable"
        }
        (Expected::Vector | Expected::Elements(_), _) => {
            "write as many elements in braces as `.v2`, `.v4` or `.v8` says, or leave that out"
        }
        (Expected::Variable | Expected::Array, _) => {
            "declare it before the threads, such as `.global .u32 x;` or `.global .u32 x[4];`"
        }
        (Expected::Elected | Expected::Tested, _) => {
            "write a register and a predicate, such as `%r1|%p1`, or `_|%p1`"
        }
        (Expected::OneDestination, _) => "leave out `|` and what stands behind it",
        (Expected::Predicate, _) => "a comparison such as `setp.eq.u32 %p1, a, b` gives one",
        _ => return format!("write {expected}"),
    };
    help.to_owned()
}
