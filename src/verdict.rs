//! Verdicts: the answers to a test's question about its outcome.

use crate::collections::IndexSet;
use crate::execution::build::Choices;
use crate::litmus::ast::Quantifier;
use crate::relation::expr::Model;
use crate::rule::{Rule, Silence, Unsupported};
use crate::solve::{Answer, Core, Why};
use crate::source::Span;

/// The answer to a litmus test under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An execution has the outcome; it has been re-checked.
    Allowed(Box<Choices>),
    /// No execution has the outcome.
    Forbidden(Core),
    /// The program's behaviour is undefined, with an execution that shows it.
    Undefined(Reason),
    /// The standard gives no meaning to the program.
    OutOfModel(Reason),
    /// No execution completes: threads wait for each other.
    Deadlock(Reason),
    /// The verdict could not be decided.
    Unknown(Undecided),
    /// The tool failed: a witness that does not hold, engines that disagree, a panic.
    Error(String),
}

/// A rule with the place where it is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The rule; its text is what [`Display`](std::fmt::Display) gives.
    pub rule: Rule,
    /// The statements concerned.
    pub spans: Vec<Span>,
    /// An execution that shows it, if there is one.
    pub choices: Option<Box<Choices>>,
}

/// The reason why a verdict is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// A loop was cut: a longer execution might have the outcome.
    Bound(Bounded),
    /// The engine could not tell.
    Engine(Why),
    /// No engine handles the model or program.
    Unsupported(Unsupported),
}

/// The answer of an engine that can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Such an execution exists, with these choices.
    Yes(Box<Choices>),
    /// There is none.
    No(Core),
}

impl Answer {
    /// The engine's answer, if it can tell.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn decided(self) -> Result<Decided, Undecided> {
        match self {
            Self::Yes(choices) => Ok(Decided::Yes(choices)),
            Self::No(core) => Ok(Decided::No(core)),
            Self::Unknown(why) => Err(Undecided::Engine(why)),
            Self::Unsupported(why) => Err(Undecided::Unsupported(why)),
        }
    }
}

/// A loop that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounded {
    /// The number of rounds that were followed.
    pub rounds: u8,
    /// The branch that closes the loop; `None` if the loop is unknown.
    pub branch: Option<Span>,
    /// The effect of more rounds.
    pub beyond: BoundKind,
}

/// The effect of more rounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundKind {
    /// The loop may end.
    Higher,
    /// The loop counts, but further than any bound follows it.
    Counts,
    /// The program would be too large with the rounds that were asked for.
    TooLarge,
    /// A round may repeat without end: the loop is cut at any bound.
    Never,
    /// Nothing leads out of the loop.
    NoWayOut,
}

impl Undecided {
    /// The code of the reason, such as `bound`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Bound(bounded) => match bounded.beyond {
                BoundKind::Higher => "bound",
                BoundKind::Counts => "bound-of-counter",
                BoundKind::TooLarge => "bound-of-size",
                BoundKind::Never => "endless-loop",
                BoundKind::NoWayOut => "no-way-out",
            },
            Self::Engine(why) => why.code(),
            Self::Unsupported(why) => why.code(),
        }
    }
}

/// The kinds of verdicts, as `Expect=` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "described at Verdict")]
pub enum Kind {
    Allowed,
    Forbidden,
    Undefined,
    OutOfModel,
    Deadlock,
    Unknown,
    Error,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Allowed,
        Self::Forbidden,
        Self::Undefined,
        Self::OutOfModel,
        Self::Deadlock,
        Self::Unknown,
        Self::Error,
    ];

    /// All [words](Self::word) for verdicts: those of kinds, then those of a `forall`.
    #[must_use]
    pub fn words() -> Vec<&'static str> {
        Self::ALL.iter().map(|kind| kind.name()).chain(Self::words_of_forall()).collect()
    }

    /// The words for a `forall` whose condition holds, and for one whose condition does not.
    #[must_use]
    pub fn words_of_forall() -> [&'static str; 2] {
        [Self::Forbidden, Self::Allowed].map(|kind| kind.word(Quantifier::Forall))
    }

    /// The word for the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Forbidden => "forbidden",
            Self::Undefined => "undefined",
            Self::OutOfModel => "out-of-model",
            Self::Deadlock => "deadlock",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }

    /// The word for a verdict of this kind on a test with this quantifier. A `forall` condition,
    /// whose negation is the outcome in question, `holds` or `fails`.
    #[must_use]
    pub fn word(self, quantifier: Quantifier) -> &'static str {
        match (quantifier, self) {
            (Quantifier::Forall, Self::Forbidden) => "holds",
            (Quantifier::Forall, Self::Allowed) => "fails",
            _ => self.name(),
        }
    }

    /// The kind of a word in a test with this quantifier: by its [name](Self::named), or by its
    /// [word](Self::word) for the quantifier.
    #[must_use]
    pub fn worded(word: &str, quantifier: Quantifier) -> Option<Self> {
        let wanted = word.trim().to_ascii_lowercase();
        let own = Self::ALL.into_iter().find(|kind| kind.word(quantifier) == wanted);
        own.or_else(|| Self::named(word))
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let wanted = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        Self::ALL.into_iter().find(|k| k.name() == wanted)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl Verdict {
    /// For a program that is outside the model, the reason why.
    #[must_use]
    pub fn silence(&self) -> Option<Silence> {
        match self {
            Self::OutOfModel(reason) => reason.rule.silence(),
            _ => None,
        }
    }

    /// The kind of the verdict.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Allowed(_) => Kind::Allowed,
            Self::Forbidden(_) => Kind::Forbidden,
            Self::Undefined(_) => Kind::Undefined,
            Self::OutOfModel(_) => Kind::OutOfModel,
            Self::Deadlock(_) => Kind::Deadlock,
            Self::Unknown(_) => Kind::Unknown,
            Self::Error(_) => Kind::Error,
        }
    }

    /// The stable code of the reason: of the rule, of the core, or of the undecided question.
    /// `None` for an allowed outcome, which an execution shows.
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Allowed(_) => None,
            Self::Forbidden(core) => Some(core.code()),
            Self::Undefined(reason) | Self::OutOfModel(reason) | Self::Deadlock(reason) => {
                Some(reason.rule.code())
            }
            Self::Unknown(why) => Some(why.code()),
            Self::Error(_) => Some("bug"),
        }
    }

    /// The clauses of the standard that decide, each once: those of the rule or of the axioms that
    /// exclude the outcome.
    #[must_use]
    pub fn clauses(&self, model: &Model) -> Vec<String> {
        let owned = |clauses: &[&str]| clauses.iter().map(|&clause| clause.to_owned()).collect();
        let clauses: Vec<String> = match self {
            Self::Forbidden(core) if core.torn && core.axioms.is_empty() => owned(&["PTX-8.10.3"]),
            Self::Forbidden(core) => {
                let axioms = core.axioms.iter().filter_map(|&index| model.axioms.get(index));
                axioms.flat_map(|axiom| axiom.clauses.iter().cloned()).collect()
            }
            Self::Undefined(reason) | Self::OutOfModel(reason) | Self::Deadlock(reason) => {
                owned(&reason.rule.clauses())
            }
            Self::Unknown(Undecided::Unsupported(why)) => owned(why.clauses()),
            Self::Allowed(_) | Self::Unknown(_) | Self::Error(_) => Vec::new(),
        };
        let distinct: IndexSet<String> = clauses.into_iter().collect();
        distinct.into_iter().collect()
    }

    /// The execution that shows the verdict, if there is one.
    #[must_use]
    pub fn choices(&self) -> Option<&Choices> {
        match self {
            Self::Allowed(choices) => Some(choices),
            Self::Undefined(reason) | Self::OutOfModel(reason) | Self::Deadlock(reason) => {
                reason.choices.as_deref()
            }
            Self::Forbidden(_) | Self::Unknown(_) | Self::Error(_) => None,
        }
    }

    /// Whether the quantified condition is satisfied; `None` if the verdict does not tell.
    ///
    /// A deadlock has no final state: `exists` fails, and `forall` holds vacuously.
    #[must_use]
    pub fn holds(&self, quantifier: Quantifier) -> Option<bool> {
        let reached = match self {
            Self::Allowed(_) => true,
            Self::Forbidden(_) | Self::Deadlock(_) => false,
            _ => return None,
        };
        Some(match quantifier {
            Quantifier::Exists => reached,
            Quantifier::NotExists | Quantifier::Forall => !reached,
        })
    }
}
