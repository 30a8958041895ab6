//! Errors in a cat file, and their messages.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::vocabulary::Sort;
use thiserror::Error;

/// One error in a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CatError {
    #[error("`{text}` starts no token of the cat language")]
    Character { span: Span, text: String },
    #[error("this {what} is not closed")]
    Unclosed { span: Span, what: &'static str },
    #[error("expected {expected}, found {found}")]
    Unexpected { span: Span, expected: &'static str, found: String },
    #[error("this is nested too deeply")]
    TooDeep { span: Span },
    #[error("`{name}` is not defined")]
    Unbound { span: Span, name: String, closest: Option<String> },
    #[error("{what} needs a {needed}, this is a {found}")]
    Sort { span: Span, what: &'static str, needed: &'static str, found: &'static str },
    #[error("{what} joins a set and a relation")]
    MixedSorts { span: Span, what: &'static str, left: (Span, Sort), right: (Span, Sort) },
    #[error("{function} takes {expected} argument{}, here it gets {found}", plural(*.expected))]
    Arity { span: Span, function: String, expected: usize, found: usize, defined: Option<Span> },
    #[error("`{name}` is not a procedure")]
    NotAProcedure { span: Span, name: String },
    #[error("there is no model file `{name}`")]
    MissingInclude { span: Span, name: String },
    #[error("`{name}` includes itself")]
    IncludeCycle { span: Span, name: String, chain: Vec<Span> },
    #[error("{what} is not supported")]
    Unsupported { span: Span, what: String, instead: Option<&'static str> },
    #[error("`{name}` occurs under a complement in its own definition")]
    NotStratified { span: Span, name: String, defined: Span },
    #[error("the model is too large: more than {limit} {what}")]
    TooLarge { span: Span, limit: usize, what: &'static str },
    #[error("{error}")]
    InCall { call: Span, error: Box<CatError> },
    #[error("there are two axioms named `{name}`")]
    SameAxiomName { span: Span, name: String, first: Span, renamed: String },
    #[error("there is no {what} `{name}` to {verb} in what is included here")]
    NothingToAmend {
        span: Span,
        what: &'static str,
        verb: &'static str,
        name: String,
        closest: Option<String>,
    },
    #[error("`{name}` is defined more than once in what is included here")]
    AmendedTwice { span: Span, name: String, first: Span, second: Span },
    #[error("`{name}` is included already, so that it cannot be amended any more")]
    AmendedTooLate { span: Span, name: String },
    #[error("`{name}` was a {old} and is redefined as a {new}")]
    RedefinedSort { span: Span, name: String, old: &'static str, new: &'static str, defined: Span },
    #[error("this `{name}` has no effect: nothing after it uses it")]
    HidesInVain { span: Span, name: String, hidden: Span },
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// How messages call a sort.
pub(super) fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Set => "set",
        Sort::Relation => "relation",
    }
}

impl CatError {
    /// The place.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Character { span, .. }
            | Self::Unclosed { span, .. }
            | Self::Unexpected { span, .. }
            | Self::TooDeep { span }
            | Self::Unbound { span, .. }
            | Self::Sort { span, .. }
            | Self::MixedSorts { span, .. }
            | Self::Arity { span, .. }
            | Self::NotAProcedure { span, .. }
            | Self::MissingInclude { span, .. }
            | Self::IncludeCycle { span, .. }
            | Self::Unsupported { span, .. }
            | Self::NotStratified { span, .. }
            | Self::TooLarge { span, .. }
            | Self::SameAxiomName { span, .. }
            | Self::NothingToAmend { span, .. }
            | Self::AmendedTwice { span, .. }
            | Self::AmendedTooLate { span, .. }
            | Self::RedefinedSort { span, .. }
            | Self::HidesInVain { span, .. } => *span,
            Self::InCall { error, .. } => error.span(),
        }
    }

    /// The stable code of the error's diagnostic.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Character { .. } => "cat-character",
            Self::Unclosed { .. } => "cat-unclosed",
            Self::Unexpected { .. } => "cat-syntax",
            Self::TooDeep { .. } => "cat-too-deep",
            Self::Unbound { .. } => "cat-unbound",
            Self::Sort { .. } => "cat-sort",
            Self::MixedSorts { .. } => "cat-mixed-sorts",
            Self::Arity { .. } => "cat-arity",
            Self::NotAProcedure { .. } => "cat-not-a-procedure",
            Self::MissingInclude { .. } => "cat-missing-include",
            Self::IncludeCycle { .. } => "cat-include-cycle",
            Self::Unsupported { .. } => "cat-unsupported",
            Self::NotStratified { .. } => "cat-not-stratified",
            Self::TooLarge { .. } => "cat-too-large",
            Self::SameAxiomName { .. } => "cat-same-axiom-name",
            Self::NothingToAmend { .. } => "cat-nothing-to-amend",
            Self::AmendedTwice { .. } => "cat-amended-twice",
            Self::AmendedTooLate { .. } => "cat-amended-too-late",
            Self::RedefinedSort { .. } => "cat-redefined-sort",
            Self::HidesInVain { .. } => "cat-hides-in-vain",
            Self::InCall { error, .. } => error.code(),
        }
    }

    /// Whether the text is not even a sequence of tokens.
    #[must_use]
    pub fn is_lexical(&self) -> bool {
        matches!(self, Self::Character { .. } | Self::Unclosed { .. })
    }

    /// The message to show; [`CatError::SameAxiomName`] and [`CatError::HidesInVain`] are warnings.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, span, message) = (self.code(), self.span(), self.to_string());
        if let Self::SameAxiomName { first, renamed, .. } = self {
            return Diagnostic::warning(code, span, message)
                .label(format!("known as `{renamed}`"))
                .also(*first, "the first one")
                .help("give each axiom a name of its own with `as`");
        }
        if let Self::HidesInVain { hidden, .. } = self {
            return Diagnostic::warning(code, span, message)
                .label("hides another definition")
                .also(*hidden, "which is what the axioms use")
                .help(
                    "`include \"FILE\" with redefine NAME = ... end` changes it for all that use it",
                );
        }
        self.explain(Diagnostic::error(code, span, message))
    }

    /// Adds labels and help.
    fn explain(&self, plain: Diagnostic) -> Diagnostic {
        match self {
            Self::Unbound { closest: Some(name), .. } => {
                plain.label("no such name").help(format!("did you mean `{name}`?"))
            }
            Self::Unbound { .. } => plain
                .label("no such name")
                .help("names are defined by `let` before they are used, or come from the program"),
            Self::Sort { needed: "relation", found: "set", .. } => {
                plain.label("a set").help("`[S]` is the identity relation on the set S")
            }
            Self::Sort { needed: "set", found: "relation", .. } => plain
                .label("a relation")
                .help("`domain(r)` and `range(r)` are the sets that the relation r joins"),
            Self::Sort { found, .. } => plain.label(format!("a {found}")),
            Self::MixedSorts { left, right, .. } => plain
                .also(left.0, format!("a {}", sort_name(left.1)))
                .also(right.0, format!("a {}", sort_name(right.1)))
                .help("write `[S]` for the identity on the set S, or `S * S` for all pairs"),
            Self::Arity { defined: Some(defined), .. } => plain.also(*defined, "defined here"),
            Self::NotAProcedure { .. } => plain.help("`procedure name(x) = ... end` defines one"),
            Self::MissingInclude { .. } => {
                plain.help("included files are looked up beside the file that includes them")
            }
            Self::IncludeCycle { chain, .. } => {
                chain.iter().fold(plain, |d, &span| d.also(span, "included from here"))
            }
            Self::Unsupported { instead: Some(instead), .. } => plain.help(*instead),
            Self::NotStratified { defined, name, .. } => plain
                .label("has to be known before it can be complemented")
                .also(*defined, format!("`{name}` is defined by this recursion"))
                .help(
                    "a recursive definition denotes its least solution, which exists only when \
                     every recursive use makes the result larger; subtract outside the recursion",
                ),
            Self::NothingToAmend { closest: Some(name), .. } => {
                plain.help(format!("did you mean `{name}`?"))
            }
            Self::NothingToAmend { .. } => plain
                .help("`ptxmc model FILE` prints the names that a model defines, and its axioms"),
            Self::AmendedTwice { first, second, .. } => plain
                .label("which one?")
                .also(*first, "the first one")
                .also(*second, "the second one")
                .help("give them different names in the included file"),
            Self::AmendedTooLate { .. } => plain.help("amend it at the `include` that comes first"),
            Self::RedefinedSort { defined, old, .. } => {
                plain.label(format!("needs a {old}")).also(*defined, "defined here")
            }
            Self::InCall { call, error } => error.explain(plain).also(*call, "in this call"),
            _ => plain,
        }
    }
}
