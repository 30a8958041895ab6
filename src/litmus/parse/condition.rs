//! Conditions over final states.
//!
//! Precedence as in herd: `~`, then `=>`, then `/\`, then `\/`. A location denotes its final value
//! on either side of a comparison; its address is written `&x`.

use super::draft::ThreadDraft;
use super::init::{register_number, thread_by_index, thread_name};
use crate::diagnostic::closest;
use crate::litmus::ast::{Condition, DeclaredSpace, Dialect, Term};
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::{float, integer, without_percent};
use crate::ptx::names::{component, component_name};
use crate::ptx::operation::Comparison;
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};
use rustc_hash::FxHashMap;

/// How deep conditions may nest.
const DEEPEST_CONDITION: usize = 128;

/// How many names that mean nothing are reported of one condition.
const MOST_FAULTS: usize = 16;

/// How many threads a message names.
const MOST_CHOICES: usize = 4;

/// The meaning of the names in a condition.
pub(crate) struct Resolver<'a> {
    pub(crate) threads: &'a FxHashMap<String, usize>,
    /// Variables with their space; `None` for aliases.
    pub(crate) spaces: FxHashMap<&'a str, Option<DeclaredSpace>>,
    pub(crate) dialect: Dialect,
    /// The threads with their statements, for messages.
    pub(crate) bodies: &'a [ThreadDraft],
    /// The names found so far that mean nothing.
    pub(crate) faults: Vec<LitmusError>,
}

impl Resolver<'_> {
    /// Records a name without a meaning, and gives a term in its place, so that reading goes on.
    fn fault(&mut self, error: LitmusError, span: Span) -> Term {
        let is_new = || self.faults.iter().all(|known| known.to_string() != error.to_string());
        if self.faults.len() < MOST_FAULTS && is_new() {
            self.faults.push(error);
        }
        Term::Number(Spanned::new(0, span))
    }
}

/// Why a condition cannot be read.
pub(crate) enum ConditionError {
    Syntax(SyntaxError),
    Litmus(LitmusError),
}

impl From<SyntaxError> for ConditionError {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

/// Reads a condition.
pub(crate) fn condition(
    cursor: &mut Cursor<'_>,
    names: &mut Resolver<'_>,
) -> Result<Condition, SyntaxError> {
    disjunction(cursor, names, 0)
}

fn disjunction(
    cursor: &mut Cursor<'_>,
    names: &mut Resolver<'_>,
    depth: usize,
) -> Result<Condition, SyntaxError> {
    let mut list = vec![conjunction(cursor, names, depth)?];
    while cursor.eat(TokenKind::Or).is_some() {
        list.push(conjunction(cursor, names, depth)?);
    }
    Ok(if list.len() > 1 { Condition::Or(list) } else { list.remove(0) })
}

fn conjunction(
    cursor: &mut Cursor<'_>,
    names: &mut Resolver<'_>,
    depth: usize,
) -> Result<Condition, SyntaxError> {
    let mut list = vec![implication(cursor, names, depth)?];
    while cursor.eat(TokenKind::And).is_some() {
        list.push(implication(cursor, names, depth)?);
    }
    if matches!(cursor.peek_text(), "and" | "or" | "&" | "|") {
        return Err(cursor.expected("`/\\` or `&&` for and, `\\/` or `||` for or"));
    }
    if cursor.peek_text() == "->" {
        return Err(cursor.expected("`=>` for an implication"));
    }
    Ok(if list.len() > 1 { Condition::And(list) } else { list.remove(0) })
}

fn implication(
    cursor: &mut Cursor<'_>,
    names: &mut Resolver<'_>,
    depth: usize,
) -> Result<Condition, SyntaxError> {
    let left = atom(cursor, names, depth)?;
    if cursor.eat(TokenKind::Implies).is_none() {
        return Ok(left);
    }
    let right = implication(cursor, names, depth + 1)?;
    Ok(Condition::Implies(Box::new(left), Box::new(right)))
}

fn atom(
    cursor: &mut Cursor<'_>,
    names: &mut Resolver<'_>,
    depth: usize,
) -> Result<Condition, SyntaxError> {
    if depth > DEEPEST_CONDITION {
        let (what, limit) = ("conditions", DEEPEST_CONDITION);
        return Err(SyntaxError::TooDeep { what, limit, span: cursor.span() });
    }
    if cursor.eat(TokenKind::OpenParen).is_some() {
        let inner = disjunction(cursor, names, depth + 1)?;
        cursor.expect(TokenKind::CloseParen, "`)`")?;
        return Ok(inner);
    }
    let negated = cursor.eat(TokenKind::Tilde).or_else(|| cursor.eat(TokenKind::Bang));
    if negated.or_else(|| cursor.eat_word("not")).is_some() {
        return Ok(Condition::Not(Box::new(atom(cursor, names, depth + 1)?)));
    }
    if cursor.eat_word("true").is_some() {
        return Ok(Condition::True);
    }
    if cursor.eat_word("false").is_some() {
        return Ok(Condition::False);
    }
    let left = term(cursor, names)?;
    let comparison = comparison(cursor.peek()).ok_or_else(|| {
        cursor.expected(match cursor.peek_text() {
            "and" | "&" | "or" | "|" => {
                "a comparison such as `== 1` (`/\\` or `&&` is and, `\\/` or `||` is or)"
            }
            "+" | "-" | "*" | "/" | "%" => {
                "a comparison such as `== 1` (conditions compute nothing: let the thread do it)"
            }
            _ => "a comparison: `==`, `!=`, `<`, `<=`, `>` or `>=`",
        })
    })?;
    cursor.advance();
    Ok(Condition::Compare(comparison, left, term(cursor, names)?))
}

/// The comparison that a token stands for.
pub(crate) fn comparison(kind: Option<TokenKind>) -> Option<Comparison> {
    Some(match kind? {
        TokenKind::Assign | TokenKind::Equal => Comparison::Eq,
        TokenKind::NotEqual => Comparison::Ne,
        TokenKind::Less => Comparison::Lt,
        TokenKind::LessEqual => Comparison::Le,
        TokenKind::Greater => Comparison::Gt,
        TokenKind::GreaterEqual => Comparison::Ge,
        _ => return None,
    })
}

/// Reads a register, a location, a number or an address.
pub(crate) fn term(cursor: &mut Cursor<'_>, names: &mut Resolver<'_>) -> Result<Term, SyntaxError> {
    match cursor.peek() {
        Some(TokenKind::Ampersand) => {
            cursor.advance();
            Ok(Term::AddressOf(cursor.word("a location after `&`")?))
        }
        _ if cursor.peek_at(1) == Some(TokenKind::Colon) || thread_by_index(cursor).is_some() => {
            of_thread(cursor, names)
        }
        Some(TokenKind::Word)
            if cursor.peek_at(1) == Some(TokenKind::Qualifier)
                && names.threads.contains_key(cursor.peek_text()) =>
        {
            Ok(dotted(cursor, names))
        }
        Some(TokenKind::Number | TokenKind::Decimal | TokenKind::Minus | TokenKind::Plus) => {
            match float(cursor)? {
                Some(number) => Ok(Term::Float(number)),
                None => Ok(Term::Number(register_number(cursor)?)),
            }
        }
        Some(TokenKind::OpenBracket) => {
            cursor.advance();
            let name = cursor.word("a location")?;
            let term = memory(cursor, names, name, None)?;
            cursor.expect(TokenKind::CloseBracket, "`]`")?;
            Ok(term)
        }
        Some(TokenKind::Word) if matches!(cursor.peek_text(), "true" | "false") => {
            Err(cursor.expected("a number: predicates are 1 and 0"))
        }
        _ => {
            let name = cursor.word("a register, a location or a number")?;
            memory(cursor, names, name, None)
        }
    }
}

/// `P0.r1`, which is no register of a thread.
fn dotted(cursor: &mut Cursor<'_>, names: &mut Resolver<'_>) -> Term {
    let thread = cursor.span();
    cursor.advance();
    let span = thread.to(cursor.span());
    let register = cursor.peek_text().trim_start_matches('.');
    let name = cursor.text(thread);
    let error = LitmusError::Other {
        code: "litmus-register",
        message: format!("`{}` names no register", cursor.text(span)),
        help: format!("a colon stands between a thread and its register: `{name}:{register}`"),
        span,
    };
    cursor.advance();
    names.fault(error, span)
}

/// `P0:r0`, `P0:%r0`, `1:r0`; `P0:x` for a variable with several instances.
fn of_thread(cursor: &mut Cursor<'_>, names: &mut Resolver<'_>) -> Result<Term, SyntaxError> {
    let thread = thread_name(cursor)?;
    let name = register(cursor)?;
    let Some(&index) = names.threads.get(&thread.value) else {
        let mut known: Vec<_> = names.threads.iter().map(|(name, at)| (*at, name)).collect();
        known.sort_unstable();
        let known: Vec<_> = known.iter().map(|(_, name)| format!("`{name}`")).collect();
        let known = known.join(", ");
        let span = thread.span;
        return Ok(names.fault(LitmusError::UnknownThread { name: thread, known }, span));
    };
    let space = names.spaces.get(name.value.as_str()).copied().flatten();
    if matches!(space, Some(DeclaredSpace::Shared | DeclaredSpace::Local | DeclaredSpace::Multimem))
    {
        let mut term = memory(cursor, names, name, Some(index))?;
        if let Term::Memory { span, .. } = &mut term {
            *span = thread.span.to(*span);
        }
        return Ok(term);
    }
    let span = thread.span.to(name.span);
    Ok(Term::Register { thread: index, register: without_percent(name).value, span })
}

/// `%r1`, or `V.x` for a component.
pub(crate) fn register(cursor: &mut Cursor<'_>) -> Result<Spanned<String>, SyntaxError> {
    let mut register = cursor.word("a register")?;
    if let Some(at) = cursor.peek_text().strip_prefix('.').and_then(component) {
        register.value = component_name(&register.value, at);
        register.span = register.span.to(cursor.span());
        cursor.advance();
    }
    Ok(register)
}

/// `x`, `x[1]`
fn memory(
    cursor: &mut Cursor<'_>,
    names: &mut Resolver<'_>,
    name: Spanned<String>,
    instance: Option<usize>,
) -> Result<Term, SyntaxError> {
    let mut index = 0;
    if cursor.eat(TokenKind::OpenBracket).is_some() {
        let number = integer(cursor)?;
        index = u64::try_from(number.value)
            .map_err(|_| SyntaxError::Range { what: "an array index", span: number.span })?;
        cursor.expect(TokenKind::CloseBracket, "`]`")?;
    }
    let known = names.spaces.contains_key(name.value.as_str());
    if !known && names.dialect == Dialect::Blocks {
        let span = name.span;
        return Ok(names.fault(undeclared(name, names), span));
    }
    let span = name.span.to(cursor.last_span());
    Ok(Term::Memory { variable: name.value, index, instance, span })
}

/// The error that nothing has this name, or that it is a register of some thread.
fn undeclared(name: Spanned<String>, names: &Resolver<'_>) -> LitmusError {
    let bare = name.value.strip_prefix('%').unwrap_or(&name.value);
    let having = names.bodies.iter().filter(|thread| thread.has_register(bare));
    let choices: Vec<String> =
        having.take(MOST_CHOICES).map(|thread| format!("`{}:{bare}`", thread.name.value)).collect();
    let near = closest(&name.value, names.spaces.keys().copied()).map(str::to_owned);
    if !choices.is_empty() || near.is_none() && looks_like_register(&name.value) {
        return LitmusError::LooseRegister { name, choices };
    }
    LitmusError::Undeclared { name, near, declaration: None }
}

/// Whether a name looks like a register from a compiler: `%x`, `r1`, `rd1`.
fn looks_like_register(name: &str) -> bool {
    let numbered = |prefix| {
        let number = name.strip_prefix(prefix);
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    name.starts_with('%') || ["r", "rs", "rd", "f", "fd", "p"].into_iter().any(numbered)
}
