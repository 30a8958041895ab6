//! Errors in PTX statements, and their messages.

use super::mismatch::instead;
pub use super::mismatch::{Expected, Found};
use crate::diagnostic::{Diagnostic, closest};
use crate::ptx::names;
use crate::ptx::value::Type;
use crate::source::{Span, Spanned};
use std::fmt;
use thiserror::Error;

/// A text that is no statement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the parts of the messages")]
pub enum SyntaxError {
    /// Something else should stand here.
    #[error("expected {what}, found {found}")]
    Expected { what: &'static str, found: String, place: Place, span: Span },
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
    /// An initial value of another kind than the variable's type.
    #[error("{what} is no initial value of a `.{ty}`")]
    Initializer { what: &'static str, ty: Type, help: &'static str, span: Span },
    /// A constant expression without a value.
    #[error("{message}")]
    Constant { message: &'static str, span: Span },
    /// A number that does not fit.
    #[error("{what} is out of range")]
    Range { what: &'static str, span: Span },
    /// A statement of CUDA C++.
    #[error("`{found}` is CUDA C++, not PTX")]
    Foreign { found: String, help: String, span: Span },
    /// Nesting beyond a fixed bound.
    #[error("{what} nest deeper than {limit} levels")]
    TooDeep { what: &'static str, limit: usize, span: Span },
}

/// The place of a syntax error, as far as it tells the intention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Anywhere else.
    Elsewhere,
    /// Where a condition begins or ends.
    Condition,
    /// Where an instruction begins.
    Instruction,
    /// Before the bracket that ends an address or an index.
    Bracket,
    /// Where a number belongs.
    Number,
}

impl SyntaxError {
    /// The same error, at a place that tells the intention.
    #[must_use]
    pub fn at(mut self, at: Place) -> Self {
        if let Self::Expected { place, .. } = &mut self {
            *place = at;
        }
        self
    }

    /// The place of the error.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Expected { span, .. }
            | Self::Character { span, .. }
            | Self::UnterminatedComment(span)
            | Self::UnterminatedText(span)
            | Self::Literal { span, .. }
            | Self::Constant { span, .. }
            | Self::Initializer { span, .. }
            | Self::Range { span, .. }
            | Self::Foreign { span, .. }
            | Self::TooDeep { span, .. } => *span,
        }
    }

    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, label, help) = match self {
            Self::Expected { what, found, place, .. } => {
                ("syntax-expected", format!("{what} belongs here"), likely(*place, found))
            }
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
            Self::Constant { .. } => (
                "syntax-constant",
                String::new(),
                "constant expressions have integers of 64 bits with the operators of C, or \
                 floating-point numbers with `+ - * /` and comparisons (PTX-4.5.4)",
            ),
            Self::Initializer { help, .. } => ("syntax-initializer", String::new(), *help),
            Self::Range { .. } => {
                ("syntax-range", String::new(), "write a number within its range")
            }
            Self::Foreign { help, .. } => ("syntax-cuda", String::new(), help.as_str()),
            Self::TooDeep { .. } => ("syntax-depth", String::new(), "write it with less nesting"),
        };
        let diagnostic = Diagnostic::error(code, self.span(), self.to_string()).label(label);
        if help.is_empty() { diagnostic } else { diagnostic.help(help) }
    }
}

/// How an operation with a superfluous scope becomes one that has a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// No change helps: none of the instruction's forms has a scope.
    Nothing,
    /// An order is added.
    Add,
    /// An order replaces this word.
    Replace(&'static str),
}

/// Why there are too few operands or too many, as far as that can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miscount {
    /// Only the shape is known.
    Unclear,
    /// The instruction has no operands.
    NoneTaken,
    /// `.L2::cache_hint` requires one more operand, which is missing.
    PolicyMissing,
    /// `.L2::cache_hint` asks for one more, and others are missing or superfluous.
    Policy,
    /// A name and the brackets after it were read as an array element; this was meant.
    Comma(String),
    /// An `atom` starts with its address: the destination of the old value is missing.
    Destination {
        /// Whether a `red` does the same.
        reduces: bool,
    },
}

impl Miscount {
    /// The shape, with the operand that a hint adds.
    fn quoted(&self, shape: &str) -> String {
        match self {
            Self::NoneTaken => "without operands".to_owned(),
            Self::Policy | Self::PolicyMissing => format!("`{shape}, cache-policy`"),
            Self::Unclear | Self::Comma(_) | Self::Destination { .. } => format!("`{shape}`"),
        }
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
    /// A qualifier that no form has beside the others.
    #[error("`{form}` does not exist")]
    Form { form: String, qualifier: Spanned<String>, takes: &'static str, section: &'static str },
    /// Two qualifiers of one class.
    #[error("`.{}` contradicts `.{}`", second.value, first.value)]
    Conflict { first: Spanned<String>, second: Spanned<String> },
    /// A qualifier that is written twice.
    #[error("`.{}` is written twice", second.value)]
    Duplicate { first: Span, second: Spanned<String> },
    /// A strong access or a fence without a scope.
    #[error("`{form}` needs a scope")]
    MissingScope { form: String, section: &'static str, span: Span },
    /// A scope on an operation that is not strong.
    #[error("`{form}` takes no scope")]
    SuperfluousScope {
        form: String,
        scope: Spanned<String>,
        instead: Instead,
        section: &'static str,
    },
    /// A qualifier that cannot be left out.
    #[error("`{form}` needs {what}")]
    Missing {
        form: String,
        what: String,
        /// The alternatives; empty if `what` lists them.
        choices: String,
        section: &'static str,
        span: Span,
    },
    /// A type that cannot be left out.
    #[error("`{form}` needs a type")]
    MissingType { form: String, legal: String, section: &'static str, span: Span },
    /// A type that the operation is not defined for.
    #[error("`{form}` is not defined for `.{}`", found.value)]
    Type { form: String, found: Spanned<String>, legal: String, section: &'static str },
    /// A state space that the operation does not reach.
    #[error("`{form}` does not access `.{}`", found.value)]
    Space { form: String, found: Spanned<String>, legal: &'static str, section: &'static str },
    /// A scope that the operation does not have.
    #[error("{opcode} operations have no scope `.{}`", found.value)]
    Scope {
        opcode: &'static str,
        found: Spanned<String>,
        legal: &'static str,
        section: &'static str,
    },
    /// Too few or too many operands.
    #[error("`{form}` is written {}, not with {found} operand{}", cause.quoted(shape), if *found == 1 { "" } else { "s" })]
    OperandCount { form: String, shape: &'static str, found: usize, cause: Miscount, span: Span },
    /// An operand of the wrong kind.
    #[error("expected {expected}, found {found}")]
    Operand { expected: Expected, found: Found, span: Span },
    /// An operand outside its range.
    #[error("{what} is {found}, {legal}")]
    Range { what: &'static str, found: i128, legal: Legal, span: Span },
    /// Any other rule of the standard.
    #[error("{message}")]
    Rule { message: String, help: &'static str, section: &'static str, span: Span },
}

impl DecodeError {
    /// The place of the error.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::UnknownOpcode { opcode: at, .. }
            | Self::Qualifier { qualifier: at, .. }
            | Self::Form { qualifier: at, .. }
            | Self::Conflict { second: at, .. }
            | Self::Duplicate { second: at, .. }
            | Self::SuperfluousScope { scope: at, .. }
            | Self::Type { found: at, .. }
            | Self::Scope { found: at, .. }
            | Self::Space { found: at, .. } => at.span,
            Self::MissingScope { span, .. }
            | Self::Missing { span, .. }
            | Self::MissingType { span, .. }
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
            Self::Qualifier { form, qualifier, takes } => {
                let near = misspelt(&qualifier.value);
                at("ptx-qualifier").help(match (remark(form, &qualifier.value), near) {
                    (Some(remark), _) => format!("{remark}; the form is `{takes}`"),
                    (None, Some(near)) => format!("did you mean `.{near}`? The form is `{takes}`"),
                    (None, None) => format!("the form is `{takes}`"),
                })
            }
            Self::Form { qualifier, takes, section, .. } => at("ptx-form").help(format!(
                "`.{}` has no place in it; the nearest form is `{takes}` ({section})",
                qualifier.value
            )),
            Self::Conflict { first, .. } => at("ptx-qualifier-conflict")
                .also(first.span, "the first one")
                .help("keep one of the two"),
            Self::Duplicate { first, .. } => {
                at("ptx-qualifier-duplicate").also(*first, "the first one").help("remove one")
            }
            Self::MissingScope { section, .. } => at("ptx-missing-scope").help(format!(
                "add `.cta`, `.cluster`, `.gpu` or `.sys`: a strong operation names the threads that it \
                 synchronizes with ({section})"
            )),
            Self::SuperfluousScope { scope, instead, section, .. } => {
                let scope = &scope.value;
                at("ptx-superfluous-scope").help(match instead {
                    Instead::Nothing => {
                        format!("remove `.{scope}`: such operations never have a scope ({section})")
                    }
                    Instead::Add => format!(
                        "remove `.{scope}`, or make the operation strong with an order such as \
                         `.relaxed`: weak and volatile operations have no scope ({section})"
                    ),
                    Instead::Replace(word) => format!(
                        "remove `.{scope}`, or write `.relaxed.{scope}` for `.{word}`: weak and \
                         volatile operations have no scope ({section})"
                    ),
                })
            }
            Self::Missing { choices, section, .. } if choices.is_empty() => {
                at("ptx-missing-qualifier").help(format!("see {section}"))
            }
            Self::Missing { choices, section, .. } => {
                at("ptx-missing-qualifier").help(format!("{choices} ({section})"))
            }
            Self::MissingType { form, legal, section, .. } => {
                let foreign = form.split('.').skip(1).find_map(foreign_type);
                let foreign = foreign.map_or_else(String::new, |word| format!("{word}; "));
                at("ptx-missing-qualifier")
                    .help(format!("{foreign}the types are {legal} ({section})"))
            }
            Self::Type { found, legal, section, .. } => {
                let known = names::narrow_type(&found.value).is_some();
                let foreign = foreign_type(&found.value).filter(|_| !known);
                let foreign = foreign.map_or_else(String::new, |word| format!("{word}; "));
                at("ptx-type").help(format!("{foreign}the types are {legal} ({section})"))
            }
            Self::Space { legal, section, .. } => {
                at("ptx-space").help(format!("the state spaces are {legal} ({section})"))
            }
            Self::Scope { legal, section, .. } => {
                at("ptx-rule").help(format!("the scopes are {legal} ({section})"))
            }
            Self::OperandCount { shape, cause, .. } => {
                let written = cause.quoted(shape);
                at("ptx-operand-count").help(match cause {
                    Miscount::PolicyMissing => format!(
                        "the cache policy of `.L2::cache_hint` is missing: write {written}, or leave \
                         the hint out"
                    ),
                    Miscount::Comma(meant) => format!("a comma is missing: write `{meant}`"),
                    Miscount::NoneTaken => format!("write `{shape}`, without operands"),
                    Miscount::Destination { reduces } => format!(
                        "write {written}, where `d` takes the old value; if nobody wants it, write \
                         `_` for `d`{}",
                        if *reduces { ", or `red` for `atom`" } else { "" }
                    ),
                    Miscount::Unclear | Miscount::Policy => format!("write {written}"),
                })
            }
            Self::Operand { expected, found, .. } => {
                at("ptx-operand").help(instead(*expected, found))
            }
            Self::Range { legal: Legal::Interval(legal), .. } => {
                at("ptx-operand-range").help(format!("use a value in {legal}"))
            }
            Self::Range { legal: Legal::Values(legal), .. } => {
                at("ptx-operand-range").help(format!("use {legal}"))
            }
            Self::Rule { help, section, .. } => at("ptx-rule").help(format!("{help} ({section})")),
        }
    }
}

/// The legal values of an operand, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legal {
    /// All values between two limits, such as `0 to 15`.
    Interval(&'static str),
    /// Other values, such as `4, 8 and 16`.
    Values(&'static str),
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interval(legal) => write!(f, "outside {legal}"),
            Self::Values(legal) => write!(f, "not {legal}"),
        }
    }
}

/// The probable intention, if the text found tells it.
fn likely(place: Place, found: &str) -> &'static str {
    match (place, found.trim_matches('`')) {
        (Place::Condition, found) => quantifier_meant(found),
        (Place::Instruction, "@") => {
            "an instruction has one guard at most: combine the predicates first, `and.pred %p3, %p1, \
             %p2`"
        }
        (Place::Bracket, "-") => "the offset of an address is added: write `[x+-4]`",
        (Place::Number, found) if found.starts_with('%') => {
            "an address is a variable or register and a constant: add registers before the access"
        }
        _ => "",
    }
}

/// The word before a condition that another one is spelled nearly as, or says elsewhere.
fn quantifier_meant(word: &str) -> &'static str {
    match word {
        "never" | "forbid" | "forbidden" | "unreachable" | "not" => {
            "write `~exists (...)` for what no execution may have"
        }
        "assert" | "always" | "check" | "ensure" | "require" => {
            "write `forall (...)` for what every execution has to have"
        }
        "allow" | "allowed" | "permit" | "sometimes" | "reachable" => {
            "write `exists (...)` for what some execution may have"
        }
        _ => misspelt_quantifier(word),
    }
}

fn misspelt_quantifier(word: &str) -> &'static str {
    match closest(word, ["exists", "forall", "filter", "locations"]) {
        Some("exists") => "did you mean `exists`?",
        Some("forall") => "did you mean `forall`?",
        Some("filter") => "did you mean `filter`?",
        Some("locations") => "did you mean `locations`?",
        _ => "",
    }
}

/// The meaning of a word that an instruction does not take.
fn remark(form: &str, word: &str) -> Option<String> {
    let text = match (form, word) {
        ("bar", "aligned") => "`bar` is aligned by itself, `barrier` where it says so",
        ("bar" | "barrier", "all") => {
            "no barrier of the ISA has `.all` (PTX-9.7.13.1): without a count it is for all threads"
        }
        ("cvt", "sat") => {
            "the type of the result has every number of the source, so that none is clamped"
        }
        ("cvt", "ftz") => "`.ftz` is for conversions from or to `.f32`",
        ("cvt", "rn" | "rz" | "rm" | "rp") => {
            "to integers, numbers are rounded by `.rni`, `.rzi`, `.rmi` or `.rpi`, and integers not at all"
        }
        ("cvt", "rni" | "rzi" | "rmi" | "rpi") => {
            "to a shorter format, numbers are rounded by `.rn`, `.rz`, `.rm` or `.rp`"
        }
        ("atom", "weak" | "sc") => {
            "an atomic operation is `.relaxed`, `.acquire`, `.release` or `.acq_rel`"
        }
        ("red", "acquire" | "acq_rel" | "weak" | "sc") => {
            "a reduction is `.relaxed` or `.release`; use `atom` to acquire"
        }
        ("atom" | "red", word) if names::is_hint(word) => {
            "the hint of global atomic operations is `.L2::cache_hint`, which `.cas` has with `.b128` \
             only"
        }
        ("atom" | "red", "noftz") => {
            "`.f16`, `.bf16`, pairs of them and sums of `.f32` have `.noftz`"
        }
        ("atom" | "red", "v2" | "v4" | "v8") => {
            "vector atomics are global, of at most 8 16-bit or 4 32-bit elements"
        }
        ("multimem", "acc::f32" | "acc::f16") => {
            "only `multimem.ld_reduce` has a result whose precision could be chosen (PTX-9.7.9.14)"
        }
        ("fence", "sync_restrict::shared::cta" | "sync_restrict::shared::cluster") => {
            "`.sync_restrict` goes with `fence.acquire`, `fence.release` and \
             `fence.proxy.async::generic` (PTX-9.7.13.4)"
        }
        ("bar", "cluster") => "the barrier of a cluster is `barrier.cluster`",
        ("mbarrier", "expect_tx") => "`.expect_tx` stands right after `mbarrier.arrive`",
        (_, "gl") => "`.gl` is a scope of `membar` alone; elsewhere it is `.gpu`",
        ("membar", "gpu") => "of `membar`, the scope is written `.gl`",
        (_, "system") => "the scope is written `.sys`",
        (_, "device") => "the scope is written `.gpu`",
        (_, "block") => "the scope is written `.cta`",
        ("fence", "seq_cst") => "the order is written `.sc`",
        (_, "seq_cst") => {
            "no access is sequentially consistent: put `fence.sc` before one that is `.acquire`, \
             `.release` or `.relaxed` (PTX-9.7.13.4)"
        }
        (_, "consume") => "PTX has no such order; `.acquire` is stronger",
        ("st", "ca" | "lu" | "cv") => "this is a cache operator of loads",
        ("ld", "wb" | "wt") => "this is a cache operator of stores",
        ("ld", "cg" | "cs" | "ca" | "lu" | "cv") | ("st", "cg" | "cs" | "wb" | "wt") => {
            "there is one cache operator at most"
        }
        _ => return foreign_type(word),
    };
    Some(text.to_owned())
}

/// A description of a word that looks like a type, if this tool does not know the type.
pub(crate) fn foreign_type(word: &str) -> Option<String> {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let kind = &word[..word.len() - digits.len()];
    let like = matches!(kind, "b" | "u" | "s" | "f" | "bf" | "tf" | "e" | "ue")
        && digits.starts_with(|c: char| c.is_ascii_digit());
    if !like || names::ty(word).is_some() {
        return None;
    }
    Some(match word {
        "u16x2" | "s16x2" => format!("`.{word}` is a type of `add`, `min` and `max` only"),
        "u8x4" => "`.u8x4` is a type of `add`, `sub`, `min` and `max` only".to_owned(),
        "s8x4" => "`.s8x4` is a type of `add`, `sub`, `min`, `max` and `neg` only".to_owned(),
        "b1024" => "`.b1024` is a type of `tensormap.replace` only".to_owned(),
        "tf32" => "`.tf32` is a type of conversions and matrices only".to_owned(),
        _ if digits.contains(['x', 'm']) => {
            format!("`.{word}` is a packed type of conversions and matrices, if it is one at all")
        }
        "u128" | "s128" | "f128" => "PTX has no such type: 128 bits are `.b128`".to_owned(),
        _ => format!("PTX has no type `.{word}`"),
    })
}

/// The qualifier that a word which is none was probably meant to be.
fn misspelt(word: &str) -> Option<&'static str> {
    const COMMON: &[&str] = &[
        "weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio", "cta", "cluster",
        "gpu", "sys", "global", "shared", "local", "const", "param", "sync", "arrive", "wait",
        "proxy", "alias", "async", "add", "exch", "cas", "inc", "dec", "min", "max",
    ];
    // Two letters are near to too many words, most of them cache operators.
    let guess = word.len() > 2 && !COMMON.contains(&word);
    guess.then(|| closest(word, COMMON.iter().copied())).flatten()
}

/// A form that only the column dialect accepts, with the reading chosen.
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
