//! The verification of single proof steps: a step applies its law at one place and leaves the rest
//! unchanged.

use super::{Step, Term};
use crate::relation::simplify::rules::LAWS;
use std::collections::BTreeMap;

/// Whether a step applies its law.
pub(super) fn applies(step: &Step) -> bool {
    let Some(&(_, left, right)) = LAWS.iter().find(|(name, ..)| *name == step.law) else {
        return false;
    };
    let (Some(left), Some(right)) = (pattern(left), pattern(right)) else { return false };
    let (from, to) = if step.backwards { (right, left) } else { (left, right) };
    somewhere(&step.before, &step.after, &from, &to)
}

/// Whether two terms differ by a law at one place.
fn somewhere(before: &Term, after: &Term, from: &Term, to: &Term) -> bool {
    let mut bound = BTreeMap::new();
    if matches(from, before, &mut bound) && matches(to, after, &mut bound) {
        return true;
    }
    if before.head != after.head || before.operands.len() != after.operands.len() {
        return false;
    }
    let mut differing = before.operands.iter().zip(&after.operands).filter(|(a, b)| a != b);
    match (differing.next(), differing.next()) {
        (Some((a, b)), None) => somewhere(a, b, from, to),
        // A law may map a term to itself, such as commutativity of union for `a | a`.
        (None, _) => before.operands.iter().any(|one| somewhere(one, one, from, to)),
        _ => false,
    }
}

/// Whether a term is an instance of a pattern; variables, which start with `?`, stand for one term each.
fn matches<'t>(pattern: &Term, term: &'t Term, bound: &mut BTreeMap<String, &'t Term>) -> bool {
    if pattern.head.starts_with('?') {
        return *bound.entry(pattern.head.clone()).or_insert(term) == term;
    }
    pattern.head == term.head
        && pattern.operands.len() == term.operands.len()
        && pattern.operands.iter().zip(&term.operands).all(|(p, t)| matches(p, t, bound))
}

/// A pattern from its text: a name, or an operator with its operands in parentheses.
fn pattern(text: &str) -> Option<Term> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let term = read(&tokens, &mut at)?;
    (at == tokens.len()).then_some(term)
}

fn read(tokens: &[&str], at: &mut usize) -> Option<Term> {
    let token = *tokens.get(*at)?;
    *at += 1;
    if token != "(" {
        return Some(Term { head: token.to_owned(), operands: Vec::new() });
    }
    let head = (*tokens.get(*at)?).to_owned();
    *at += 1;
    let mut operands = Vec::new();
    while *tokens.get(*at)? != ")" {
        operands.push(read(tokens, at)?);
    }
    *at += 1;
    Some(Term { head, operands })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(law: &str, before: &str, after: &str) -> Step {
        let term = |text| pattern(text).expect("a term");
        Step { law: law.to_owned(), backwards: false, before: term(before), after: term(after) }
    }

    #[test]
    fn steps_are_believed_only_where_their_law_applies() {
        assert!(applies(&step("union-commutes", "(; a (| b c))", "(; a (| c b))")));
        assert!(!applies(&step("union-commutes", "(; a (| b c))", "(; a (& c b))")));
        assert!(!applies(&step("union-commutes", "(| (| a b) (| c d))", "(| (| b a) (| d c))")));
        assert!(!applies(&step("no-such-law", "a", "a")));
        assert!(!applies(&step("plus-twice", "(+ (+ a))", "(+ b)")));
        let back = Step { backwards: true, ..step("plus-twice", "(+ a)", "(+ (+ a))") };
        assert!(applies(&back));
    }
}
