//! What can be wrong with a PTX statement, and how a user is told.

use crate::diagnostic::{Diagnostic, closest};
use crate::source::{Span, Spanned};
use thiserror::Error;

/// A text that is no statement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the parts of the messages")]
pub enum SyntaxError {
    /// Something else should stand here.
    #[error("expected {what}, found {found}")]
    Expected { what: &'static str, found: String, span: Span },
    /// A character that starts no token.
    #[error("unexpected character `{found}`")]
    Character { found: String, span: Span },
    /// A comment that runs to the end of the file.
    #[error("the comment has no end")]
    UnterminatedComment(Span),
    /// A string that runs to the end of the file.
    #[error("the string has no end")]
    UnterminatedText(Span),
    /// A malformed number.
    #[error("`{found}` is not a number")]
    Literal { found: String, span: Span },
    /// A number that does not fit.
    #[error("{what} is out of range")]
    Range { what: &'static str, span: Span },
    /// Nesting beyond a fixed bound.
    #[error("{what} nest deeper than {limit} levels")]
    TooDeep { what: &'static str, limit: usize, span: Span },
}

impl SyntaxError {
    /// Where it is.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Expected { span, .. }
            | Self::Character { span, .. }
            | Self::UnterminatedComment(span)
            | Self::UnterminatedText(span)
            | Self::Literal { span, .. }
            | Self::Range { span, .. }
            | Self::TooDeep { span, .. } => *span,
        }
    }

    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, label, help) = match self {
            Self::Expected { what, .. } => ("syntax-expected", format!("{what} belongs here"), ""),
            Self::Character { .. } => ("syntax-character", String::new(), "remove it"),
            Self::UnterminatedComment(_) => {
                ("syntax-comment", "it starts here".into(), "end it with `*/` or `*)`")
            }
            Self::UnterminatedText(_) => {
                ("syntax-string", "it starts here".into(), "end it with `\"`")
            }
            Self::Literal { .. } => (
                "syntax-number",
                String::new(),
                "numbers are decimal, `0x` hexadecimal, `0` octal, `0b` binary, or the bits of a \
                 float after `0f` (8 digits) and `0d` (16 digits)",
            ),
            Self::Range { .. } => {
                ("syntax-range", String::new(), "write a number within its range")
            }
            Self::TooDeep { .. } => ("syntax-depth", String::new(), "write it with less nesting"),
        };
        let diagnostic = Diagnostic::error(code, self.span(), self.to_string()).label(label);
        if help.is_empty() { diagnostic } else { diagnostic.help(help) }
    }
}

/// An instruction that the ISA rejects.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the parts of the messages")]
pub enum DecodeError {
    /// No instruction has this name.
    #[error("unknown instruction `{}`", opcode.value)]
    UnknownOpcode { opcode: Spanned<String>, near: Option<&'static str> },
    /// A qualifier that this instruction never has, or has elsewhere already.
    #[error("`{form}` does not take `.{}`", qualifier.value)]
    Qualifier { form: String, qualifier: Spanned<String>, takes: &'static str },
    /// Two qualifiers of one class.
    #[error("`.{}` contradicts `.{}`", second.value, first.value)]
    Conflict { first: Spanned<String>, second: Spanned<String> },
    /// One qualifier twice.
    #[error("`.{}` is written twice", second.value)]
    Duplicate { first: Span, second: Spanned<String> },
    /// A strong access or a fence without a scope.
    #[error("`{form}` needs a scope")]
    MissingScope { form: String, section: &'static str, span: Span },
    /// A scope on an operation that is not strong.
    #[error("`{form}` takes no scope")]
    SuperfluousScope { form: String, scope: Spanned<String>, section: &'static str },
    /// A qualifier that cannot be left out.
    #[error("`{form}` needs {what}")]
    Missing { form: String, what: &'static str, section: &'static str, span: Span },
    /// A type that the operation is not defined for.
    #[error("`{form}` is not defined for `.{}`", found.value)]
    Type { form: String, found: Spanned<String>, legal: &'static str, section: &'static str },
    /// A state space that the operation does not reach.
    #[error("`{form}` does not access `.{}`", found.value)]
    Space { form: String, found: Spanned<String>, legal: &'static str, section: &'static str },
    /// Too few or too many operands.
    #[error("`{form}` is written `{shape}`, not with {found} operand{}", if *found == 1 { "" } else { "s" })]
    OperandCount { form: String, shape: &'static str, found: usize, span: Span },
    /// An operand of the wrong kind.
    #[error("expected {expected}, found {found}")]
    Operand { expected: &'static str, found: String, span: Span },
    /// An operand outside its range.
    #[error("{what} is {found}, outside {legal}")]
    Range { what: &'static str, found: i128, legal: &'static str, span: Span },
    /// Any other rule of the standard.
    #[error("{message}")]
    Rule { message: String, help: &'static str, section: &'static str, span: Span },
}

impl DecodeError {
    /// Where it is.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::UnknownOpcode { opcode: at, .. }
            | Self::Qualifier { qualifier: at, .. }
            | Self::Conflict { second: at, .. }
            | Self::Duplicate { second: at, .. }
            | Self::SuperfluousScope { scope: at, .. }
            | Self::Type { found: at, .. }
            | Self::Space { found: at, .. } => at.span,
            Self::MissingScope { span, .. }
            | Self::Missing { span, .. }
            | Self::OperandCount { span, .. }
            | Self::Operand { span, .. }
            | Self::Range { span, .. }
            | Self::Rule { span, .. } => *span,
        }
    }

    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let at = |code| Diagnostic::error(code, self.span(), self.to_string());
        match self {
            Self::UnknownOpcode { near: Some(near), .. } => {
                at("ptx-unknown-opcode").help(format!("did you mean `{near}`?"))
            }
            Self::UnknownOpcode { near: None, .. } => {
                at("ptx-unknown-opcode").help("no PTX instruction starts like this")
            }
            Self::Qualifier { qualifier, takes, .. } => {
                let near = misspelt(&qualifier.value);
                at("ptx-qualifier").help(match near {
                    Some(near) => format!("did you mean `.{near}`? The form is `{takes}`"),
                    None => format!("the form is `{takes}`"),
                })
            }
            Self::Conflict { first, .. } => at("ptx-qualifier-conflict")
                .also(first.span, "the first one")
                .help("keep one of the two"),
            Self::Duplicate { first, .. } => {
                at("ptx-qualifier-duplicate").also(*first, "the first one").help("remove one")
            }
            Self::MissingScope { section, .. } => at("ptx-missing-scope").help(format!(
                "add `.cta`, `.cluster`, `.gpu` or `.sys`: a strong operation names the threads \
                 that it synchronizes with ({section})"
            )),
            Self::SuperfluousScope { scope, section, .. } => {
                at("ptx-superfluous-scope").help(format!(
                    "remove `.{}`, or make the operation strong with an order such as `.relaxed`: weak and \
                     volatile operations have no scope ({section})",
                    scope.value
                ))
            }
            Self::Missing { section, .. } => {
                at("ptx-missing-qualifier").help(format!("see {section}"))
            }
            Self::Type { legal, section, .. } => {
                at("ptx-type").help(format!("the types are {legal} ({section})"))
            }
            Self::Space { legal, section, .. } => {
                at("ptx-space").help(format!("the state spaces are {legal} ({section})"))
            }
            Self::OperandCount { shape, .. } => {
                at("ptx-operand-count").help(format!("write `{shape}`"))
            }
            Self::Operand { expected, found, .. } => {
                let help = match found.as_str() {
                    "the sink `_`" => {
                        "`_` stands for a result that nobody wants; other operands are registers or \
                         values"
                    }
                    "an address" => "brackets stand around the address of an access: leave them out",
                    "a number" if expected.contains("destination") => "a number is a value, no place for a result",
                    _ if found.starts_with("a vector") => {
                        "a vector has as many elements as `.v2`, `.v4` or `.v8` says"
                    }
                    _ => return at("ptx-operand"),
                };
                at("ptx-operand").help(help)
            }
            Self::Range { legal, .. } => {
                at("ptx-operand-range").help(format!("use a value in {legal}"))
            }
            Self::Rule { help, section, .. } => at("ptx-rule").help(format!("{help} ({section})")),
        }
    }
}

/// The qualifier that a word which is none was probably meant to be.
fn misspelt(word: &str) -> Option<&'static str> {
    const COMMON: &[&str] = &[
        "weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio", "cta", "cluster",
        "gpu", "sys", "global", "shared", "local", "const", "param", "sync", "arrive", "wait",
        "proxy", "alias", "async", "add", "exch", "cas", "inc", "dec", "min", "max",
    ];
    if COMMON.contains(&word) { None } else { closest(word, COMMON.iter().copied()) }
}

/// A form that only the column dialect accepts, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the parts of the messages")]
pub enum DecodeWarning {
    /// An atomic function that PTX lacks.
    #[error("PTX has no `{form}`")]
    NoSuchAtomic { form: String, span: Span },
    /// An order that `red` cannot have.
    #[error("PTX has no `{form}`")]
    ReductionOrder { form: String, span: Span },
    /// A proxy instruction of the research models.
    #[error("`{form}` is an instruction of research models, not of PTX")]
    ResearchProxy { form: String, span: Span },
}

impl DecodeWarning {
    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, span, help) = match self {
            Self::NoSuchAtomic { span, .. } => (
                "columns-atomic",
                *span,
                "the column dialect accepts it as a 64-bit atomic of that function",
            ),
            Self::ReductionOrder { span, .. } => (
                "columns-reduction-order",
                *span,
                "`red` is relaxed or release (PTX-9.7.13.6); acquire is read as relaxed and \
                 acq_rel as release",
            ),
            Self::ResearchProxy { span, .. } => (
                "columns-research-proxy",
                *span,
                "texture, surface and constant accesses are outside chapter 8 (PTX-8)",
            ),
        };
        Diagnostic::warning(code, span, self.to_string()).help(help)
    }
}
