//! Errors in a litmus test beyond single statements, and their messages.

use crate::diagnostic::{Diagnostic, closest};
use crate::ptx::operation::{Proxy, Type};
use crate::source::{Span, Spanned};
use thiserror::Error;

/// The code of a block for several threads, which leaves those without statements.
pub(super) const SHARED_BLOCK: &str = "litmus-shared-block";

/// An unusable test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the parts of the messages")]
pub enum LitmusError {
    #[error("the file is empty")]
    Empty(Span),
    #[error("the file is not UTF-8 text")]
    NotUtf8(Span),
    #[error("the test has no header")]
    NoHeader { first: String, span: Span },
    #[error("this line is neither a doc string nor `Key=value`")]
    HeaderLine { declares: bool, span: Span },
    #[error("the test has no threads")]
    NoThreads(Span),
    #[error("a kernel is not read as such")]
    Kernel { parameter: Option<String>, span: Span },
    #[error("a function is not read as such")]
    Function(Span),
    #[error("one block is written for {} threads", threads.len())]
    SharedBlock { threads: Vec<String>, span: Span },
    #[error("the `{{` has no matching `}}`")]
    Unbalanced(Span),
    #[error("the row has {}, but {} {}", counted(*found, "cell"), if *expected == 1 { "there is" } else { "there are" }, counted(*expected, "thread"))]
    Ragged { found: usize, expected: usize, header: Span, span: Span },
    #[error("{what} `{}` is declared twice", name.value)]
    Duplicate { what: &'static str, name: Spanned<String>, first: Span },
    #[error("`{}` is given twice", key.value)]
    ExpectedTwice { key: Spanned<String>, first: Span },
    #[error("there is no thread `{}`", name.value)]
    UnknownThread { name: Spanned<String>, known: String },
    #[error("there is no task `{}`", name.value)]
    UnknownTask { name: Spanned<String>, known: String },
    #[error("`{}` is not declared", name.value)]
    Undeclared { name: Spanned<String>, near: Option<String>, declaration: Option<String> },
    #[error("`{}` is no variable, and no thread is named with it", name.value)]
    LooseRegister { name: Spanned<String>, choices: Vec<String> },
    #[error("there is no label `{}` in this thread", name.value)]
    UnknownLabel { name: Spanned<String>, near: Option<String> },
    #[error("`{}` is read, but nothing ever writes it", name.value)]
    NeverWritten { thread: String, name: Spanned<String>, near: Option<String> },
    #[error("`{}` is not declared with `.reg`, as other registers of this thread are", name.value)]
    UndeclaredRegister { name: Spanned<String>, ty: Type },
    #[error("`{}` is declared `.{declared}`, which does not fit `.{needed}` here", name.value)]
    RegisterType { name: Spanned<String>, declared: Type, needed: Type },
    #[error("thread `{thread}` never writes `{}`", name.value)]
    NeverWrittenByThread {
        thread: String,
        name: Spanned<String>,
        near: Option<String>,
        is_variable: bool,
    },
    #[error("unknown directive `{}`", name.value)]
    Directive { name: Spanned<String>, near: Option<String> },
    #[error("unknown part `{}` of a place", name.value)]
    Place { name: Spanned<String> },
    #[error("the thread `{}` has no place", name.value)]
    NoPlace { name: Spanned<String> },
    #[error("CTA {cta} lies in two clusters")]
    TwoClusters { cta: u32, first: Span, span: Span },
    #[error("the access covers bytes {from} to {to} of `{name}`, which has {size}")]
    OutOfRange { name: String, from: i128, to: i128, size: u64, span: Span },
    #[error(
        "the access of {bytes} bytes at `{name}+{offset}` is misaligned: `{name}` is aligned to {align}"
    )]
    Misaligned { name: String, offset: i128, bytes: u64, align: u64, span: Span },
    #[error("`{}` does not say how many elements it has", name.value)]
    UnsizedShared { name: Spanned<String> },
    #[error("`{name}` is declared in `.{declared}`, which this instruction does not access")]
    WrongSpace { name: String, declared: &'static str, only: Option<&'static str>, span: Span },
    #[error("`{}` is an alias of itself", name.value)]
    AliasCycle { name: Spanned<String> },
    #[error("`{}` is an alias of a kernel parameter", name.value)]
    ParameterAlias { name: Spanned<String> },
    #[error("no access of a block goes through the {proxy} proxy")]
    AliasProxy { proxy: Proxy, span: Span },
    #[error("the test has two conditions")]
    TwoConditions { first: Span, span: Span },
    #[error("`{name}` has an instance per {per}, so its name alone says none of them")]
    SeveralInstances { name: String, per: &'static str, choices: Vec<String>, span: Span },
    #[error("{message}")]
    Other { code: &'static str, message: String, help: String, span: Span },
}

/// `1 cell`, `2 cells`.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

impl LitmusError {
    /// The place of the error.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Empty(span)
            | Self::NotUtf8(span)
            | Self::NoHeader { span, .. }
            | Self::HeaderLine { span, .. }
            | Self::NoThreads(span)
            | Self::Kernel { span, .. }
            | Self::Function(span)
            | Self::SharedBlock { span, .. }
            | Self::Unbalanced(span)
            | Self::Ragged { span, .. }
            | Self::TwoClusters { span, .. }
            | Self::OutOfRange { span, .. }
            | Self::WrongSpace { span, .. }
            | Self::AliasProxy { span, .. }
            | Self::TwoConditions { span, .. }
            | Self::Misaligned { span, .. }
            | Self::SeveralInstances { span, .. }
            | Self::Other { span, .. } => *span,
            Self::ExpectedTwice { key, .. } => key.span,
            Self::Duplicate { name, .. }
            | Self::UnknownThread { name, .. }
            | Self::UnknownTask { name, .. }
            | Self::AliasCycle { name }
            | Self::ParameterAlias { name }
            | Self::Undeclared { name, .. }
            | Self::LooseRegister { name, .. }
            | Self::UnknownLabel { name, .. }
            | Self::NeverWritten { name, .. }
            | Self::UndeclaredRegister { name, .. }
            | Self::RegisterType { name, .. }
            | Self::NeverWrittenByThread { name, .. }
            | Self::Directive { name, .. }
            | Self::UnsizedShared { name }
            | Self::NoPlace { name }
            | Self::Place { name } => name.span,
        }
    }

    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let at = |code| Diagnostic::error(code, self.span(), self.to_string());
        match self {
            Self::Empty(_) => at("litmus-empty").help("a test starts with `PTX name`"),
            Self::NotUtf8(_) => at("litmus-utf8")
                .label("the first byte that is not")
                .help("save the file as UTF-8; binary files cannot be read"),
            Self::NoHeader { first, .. } => at("litmus-header").help(match first.as_str() {
                "AArch64" | "ARM" | "C" | "Bell" | "BPF" | "LISA" | "MIPS" | "PPC" | "RISCV"
                | "X86" | "X86_64" => format!("only tests of PTX are read, none of {first}"),
                word if word.starts_with('.') || word.starts_with('#') || word.starts_with('/') => {
                    "start it with `PTX name`; of a kernel, write what each thread does as a block \
                     `P0 @ cta 0 { ... }`"
                        .to_owned()
                }
                _ => "start it with `PTX name`".to_owned(),
            }),
            Self::HeaderLine { declares: true, .. } => at("litmus-header-line")
                .help("variables are declared as `.global .u32 x = 0;`, by state space and type"),
            Self::HeaderLine { .. } => {
                at("litmus-header-line").help("quote it, or write it as `Key=value`")
            }
            Self::NoThreads(_) => at("litmus-threads").help(
                "write `P0@cta 0,gpu 0 | ... ;` and rows of cells, or `P0 @ gpu 0, cta 0 { ... }`",
            ),
            Self::Kernel { parameter, .. } => {
                let statements = "write a block for each thread that runs it, `P0 @ gpu 0, cluster 0, \
                                  cta 0, warp 0 { ... }`, with what stands between the braces";
                at("litmus-kernel").help(match parameter {
                    Some(parameter) => format!(
                        "{statements}, and a line before them for each parameter, with the address \
                         or number that is passed: `{parameter}`"
                    ),
                    None => statements.to_owned(),
                })
            }
            Self::Function(_) => at("litmus-kernel")
                .help("write its statements where it is called: calls are not followed"),
            Self::SharedBlock { threads, .. } => {
                let own = threads.iter().take(2).map(|name| format!("`{name} @ ... {{ ... }}`"));
                at(SHARED_BLOCK).help(format!(
                    "every thread has a block of its own: {}",
                    own.collect::<Vec<_>>().join(" and ")
                ))
            }
            Self::Unbalanced(_) => at("litmus-braces").help("close it with `}`"),
            Self::Ragged { header, expected, .. } => at("litmus-ragged-row")
                .also(*header, counted(*expected, "thread"))
                .help("write one cell per thread, empty ones included, with `|` between them"),
            Self::Duplicate { first, .. } => {
                at("litmus-duplicate").also(*first, "the first one").help("rename one of them")
            }
            Self::ExpectedTwice { first, .. } => {
                at("litmus-expected-twice").also(*first, "the first one").help("keep one of them")
            }
            Self::UnknownThread { known, .. } => {
                at("litmus-unknown-thread").help(if known.is_empty() {
                    "the test has no threads: declare one, `P0 @ cta 0 { ... }`".to_owned()
                } else {
                    format!("the threads are {known}")
                })
            }
            Self::UnknownTask { known, .. } => at("litmus-unknown-task").help(if known.is_empty() {
                "declare it with `task NAME;`".to_owned()
            } else {
                format!("the tasks are {known}")
            }),
            Self::Undeclared { name, near, declaration } => {
                let declare = match declaration {
                    Some(declaration) => format!("declare it: `{declaration}`"),
                    None => format!("declare it, for example `.global .u32 {} = 0;`", name.value),
                };
                at("litmus-undeclared").help(suggest(near.as_ref(), &declare))
            }
            Self::LooseRegister { name, choices } if choices.is_empty() => at("litmus-undeclared")
                .help(format!("declare it, or name the thread of a register: `P0:{}`", name.value)),
            Self::LooseRegister { choices, .. } => at("litmus-undeclared").help(format!(
                "name the thread whose register is meant: {}",
                choices.join(" or ")
            )),
            Self::UnknownLabel { near, .. } => at("litmus-unknown-label")
                .help(suggest(near.as_ref(), "labels are per thread: write `NAME:` before a statement")),
            Self::NeverWritten { name, .. } if name.value.contains('.') => {
                at("litmus-never-written").help("write it first; it is local to its block")
            }
            Self::NeverWritten { thread, name, near } => {
                at("litmus-never-written").help(suggest(
                    near.as_ref(),
                    &format!(
                        "write it first, or give it an initial value: `{{ {thread}:%{} = 0; }}`",
                        name.value
                    ),
                ))
            }
            Self::NeverWrittenByThread { name, is_variable: true, .. } => {
                at("litmus-never-written").help(format!(
                    "the variable belongs to no thread: write `{}` alone",
                    name.value
                ))
            }
            Self::NeverWrittenByThread { near, .. } => at("litmus-never-written").help(suggest(
                near.as_ref(),
                "name a register that the thread writes, or give it an initial value",
            )),
            Self::UndeclaredRegister { name, ty } => at("litmus-register").help(format!(
                "declare it: `.reg .{ty} %{};` (PTX-5.1.1)",
                name.value
            )),
            Self::RegisterType { .. } => at("litmus-register").help(
                "types of one width and kind fit, and `.b` with all of its width; only `ld`, `st` and \
                 `cvt` take wider registers (PTX-9.4)",
            ),
            Self::Directive { name, .. } if name.value == ".reg" => at("litmus-directive").help(
                "registers belong to a thread: declare them inside of its braces (PTX-5.1.1)",
            ),
            Self::Directive { near, .. } => at("litmus-directive").help(suggest(
                near.as_ref(),
                "variables are `.global`, `.shared`, `.const`, `.local`, `.param` or `.multimem`",
            )),
            Self::Place { name } => {
                let parts = "a place is `host`, or made of `gpu N`, `grid N`, `cluster N`, `cta N`, \
                             `warp N` and `task NAME`";
                at("litmus-place").help(match part_meant(&name.value) {
                    Some(meant) => format!("did you mean `{meant}`? {parts}"),
                    None => parts.to_owned(),
                })
            }
            Self::NoPlace { name } => at("litmus-place").help(format!(
                "say where it runs: `{} @ gpu 0, cta 0 {{ ... }}`",
                name.value
            )),
            Self::TwoClusters { first, .. } => at("litmus-place")
                .also(*first, "here in another cluster")
                .help("number CTAs within the grid, not within their cluster"),
            Self::AliasCycle { .. } => {
                at("litmus-alias-cycle").help("an alias leads to a declared variable in the end")
            }
            Self::ParameterAlias { .. } => at("litmus-parameter-alias").help(
                "a parameter has one address, which the launch gives it; aliases are other \
                 addresses of variables that live as long as the program (PTX-8.2.3)",
            ),
            Self::AliasProxy { .. } => at("litmus-alias-proxy").help(
                "the memory model does not apply to texture and surface accesses and has no clause \
                 for constant ones (PTX-8.1); for the model of the literature that has, \
                 `--model ptx-7.5`, write the test in columns, with `tld`, `suld`, `sust` or `cld`",
            ),
            Self::TwoConditions { first, .. } => {
                at("litmus-two-conditions").also(*first, "the first one").help("keep one of them")
            }
            Self::WrongSpace { only: Some(space), .. } => at("litmus-space")
                .help(format!("it works on `.{space}` variables: declare it with `.{space}`")),
            Self::WrongSpace { declared: "multimem", .. } => at("litmus-space").help(
                "multimem addresses are accessed by `multimem` instructions only (PTX-9.7.9.14)",
            ),
            Self::WrongSpace { declared, .. } => at("litmus-space").help(format!(
                "write `.{declared}` in the instruction, or declare the variable elsewhere \
                 (PTX-6.4.1)"
            )),
            Self::UnsizedShared { name } => at("litmus-unsized").help(format!(
                "a kernel's launch says how much dynamic shared memory there is, a test does so \
                 here: `{}[256]`",
                name.value
            )),
            Self::OutOfRange { .. } => {
                at("litmus-out-of-range").help("declare a larger variable, or use a smaller offset")
            }
            Self::Misaligned { bytes, .. } => at("litmus-misaligned").help(format!(
                "an address is a multiple of the access size (PTX-6.4.1): align the variable with \
                 `.align {bytes}`, or change the offset"
            )),
            Self::SeveralInstances { choices, .. } => at("litmus-instance").help(format!(
                "name a thread whose instance is meant: {} (PTX-5.1)",
                choices.join(" or ")
            )),
            Self::Other { code, help, .. } => at(code).help(help.clone()),
        }
    }
}

/// The part of a place that a word stands for elsewhere, or that is spelled nearly so.
fn part_meant(word: &str) -> Option<&'static str> {
    const PARTS: [&str; 7] = ["gpu", "grid", "cluster", "cta", "warp", "task", "host"];
    match word.to_ascii_lowercase().as_str() {
        "block" | "threadblock" | "workgroup" => Some("cta"),
        "device" | "dev" => Some("gpu"),
        "cpu" => Some("host"),
        "stream" | "kernel" => Some("task"),
        lower => closest(lower, PARTS),
    }
}

fn suggest(near: Option<&String>, otherwise: &str) -> String {
    near.map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}

/// Something that is read in a way the user should know of.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are the parts of the messages")]
pub enum LitmusWarning {
    #[error("`{}` is not declared", name.value)]
    Undeclared { name: Spanned<String>, declaration: String },
    #[error("`{}` is read, but nothing ever writes it", name.value)]
    NeverWritten { name: Spanned<String> },
    #[error("`{}` is read here, but not every way here writes it", name.value)]
    MayBeUnwritten { name: Spanned<String> },
    #[error("not every way to the end of `{thread}` writes `{}`", name.value)]
    MayEndUnwritten { thread: String, name: Spanned<String> },
    #[error("the test has no condition")]
    NoCondition(Span),
    #[error("`{}` means nothing here", name.value)]
    Metadata { name: Spanned<String>, near: String },
    #[error("`{name}` is never {number}: it has {bits} bit{}", if *bits == 1 { "" } else { "s" })]
    Literal { name: String, number: i128, bits: u32, range: String, span: Span },
    #[error("this {what}")]
    NoDependency { what: &'static str, leads: &'static str, thread: String, span: Span },
    #[error("a test in columns has no version")]
    LegacyColumns(Span),
    #[error("`{thread}` has no warp, so that it is alone in one of its own")]
    NoWarp { thread: String, span: Span },
    #[error("no thread of the test is lane {lane} of this warp")]
    NoLane { lane: u32, count: u32, span: Span },
}

impl LitmusWarning {
    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, span, help) = match self {
            Self::Metadata { name, near } => {
                let help = format!("did you mean `{near}`?");
                return Diagnostic::warning("litmus-metadata", name.span, self.to_string())
                    .help(help);
            }
            Self::Literal { range, span, .. } => {
                let help =
                    format!("it has values {range}; the comparison never changes its result");
                return Diagnostic::warning("litmus-literal", *span, self.to_string()).help(help);
            }
            Self::NoDependency { leads, thread, span, .. } => {
                let help = format!(
                    "no `pdl` edge leads {leads} the kernel of `{thread}`: write `task K1, K2;` and \
                     `pdl K1 -> K2;` before the threads, and `task` in their places"
                );
                return Diagnostic::warning("litmus-pdl", *span, self.to_string()).help(help);
            }
            Self::NoWarp { thread, span } => {
                let help = format!(
                    "nobody else takes part: give the threads that meet here one warp, \
                     `{thread} @ cta 0, warp 0 {{ ... }}`"
                );
                return Diagnostic::warning("litmus-lanes", *span, self.to_string()).help(help);
            }
            Self::NoLane { count, span, .. } => {
                let help = format!(
                    "it has {}, its lanes from 0 in the order of the test; others contribute nothing",
                    counted(*count as usize, "thread")
                );
                return Diagnostic::warning("litmus-lanes", *span, self.to_string()).help(help);
            }
            Self::Undeclared { name, declaration } => {
                let help = format!("it starts as 0; declare it {declaration}");
                return Diagnostic::warning("columns-undeclared", name.span, self.to_string())
                    .help(help);
            }
            Self::NeverWritten { name } => {
                ("columns-never-written", name.span, "it reads as 0 in this dialect")
            }
            Self::MayBeUnwritten { name } | Self::MayEndUnwritten { name, .. } => (
                "litmus-unwritten",
                name.span,
                "on the others it counts as 0; write it first, or give it an initial value",
            ),
            Self::LegacyColumns(span) => (
                "legacy-columns",
                *span,
                "its instructions are not checked against PTX 1.4; write the test in blocks",
            ),
            Self::NoCondition(span) => {
                ("litmus-no-condition", *span, "it is read as `forall (true)`")
            }
        };
        Diagnostic::warning(code, span, self.to_string()).help(help)
    }
}
