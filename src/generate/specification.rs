//! A specification into the cycle whose family it stands for, or into the one test that it names.

use super::annotation::Annotation;
use super::cycle::{Cycle, CycleError};
use super::edge::{Direction, Edge};
use super::name::{NameError, Named, named};
use super::shape::{SHAPES, shape};
use crate::diagnostic::closest;

/// What a specification says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Specification {
    /// A cycle, which has a family.
    Cycle(Cycle),
    /// A test by its name.
    Test(Named),
}

/// Why a text is no specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecificationError {
    /// One word that is no shape, no edge and no name of a test.
    #[error("`{word}` is no shape and no edge; {}", hint(.close.as_deref()))]
    Unknown {
        /// The word.
        word: String,
        /// The shape or edge that is spelled most like the word.
        close: Option<String>,
    },
    /// A word of a cycle that is no edge and no annotation.
    #[error("`{word}` is no edge; {}", hint(.close.as_deref()))]
    NoEdge {
        /// The word.
        word: String,
        /// The edge or annotation that is spelled most like the word.
        close: Option<String>,
    },
    /// A name that begins with no shape.
    #[error("`{word}` begins with no shape and no cycle; {}", hint(.close.as_deref()))]
    NoShape {
        /// The name.
        word: String,
        /// The shape that is spelled most like the start of the name.
        close: Option<String>,
    },
    /// Edges that are no cycle.
    #[error(transparent)]
    Cycle(CycleError),
    /// A name that no generated test has.
    #[error(transparent)]
    Name(NameError),
}

impl Specification {
    /// Reads a shape (`MP`), a cycle (`PodWW Rfe PodRR Fre`) or the name of a generated test
    /// (`MP+weak.weak+weak.weak+01`).
    ///
    /// # Errors
    /// When the text is none of them.
    pub fn parse(text: &str) -> Result<Self, SpecificationError> {
        if let Some(cycle) = shape(text) {
            return Ok(Self::Cycle(cycle));
        }
        let is_one_word = !text.contains([' ', '\t', ',']);
        if is_one_word && let Some((first, _)) = text.split_once('+') {
            return named(text).map(Self::Test).map_err(|error| match error {
                NameError::Shape(word) => {
                    let close = closest(first, names()).map(ToOwned::to_owned);
                    SpecificationError::NoShape { word, close }
                }
                error => SpecificationError::Name(error),
            });
        }
        Cycle::parse(text).map(Self::Cycle).map_err(|error| {
            let CycleError::NoEdge(word) = error else { return SpecificationError::Cycle(error) };
            let mut known = words();
            if is_one_word {
                known.extend(names().map(ToOwned::to_owned));
            }
            let close = closest(&word, known.iter().map(String::as_str)).map(ToOwned::to_owned);
            match is_one_word {
                true => SpecificationError::Unknown { word, close },
                false => SpecificationError::NoEdge { word, close },
            }
        })
    }
}

/// Whether a word is an edge or an annotation, which are specifications only with others.
#[must_use]
pub fn is_part_of_cycle(word: &str) -> bool {
    Edge::named(word).is_some() || Annotation::named(word).is_some()
}

/// Words that cycles consist of, to find what somebody meant.
fn words() -> Vec<String> {
    const PREFIXES: [&str; 13] = [
        "Pod",
        "Pos",
        "Bard",
        "Bars",
        "DpDatad",
        "DpDatas",
        "DpCtrld",
        "DpCtrls",
        "FenceAliass",
        "FenceScCtad",
        "FenceScGpud",
        "FenceAcqRelCtad",
        "FenceAcqRelGpud",
    ];
    const WORDS: [&str; 11] =
        ["Rfe", "Fre", "Coe", "Rfi", "Fri", "Coi", "Weak", "RlxGpu", "AcqGpu", "RelGpu", "RlxCta"];
    let directions = [Direction::Read, Direction::Write];
    let pairs = directions.map(|from| directions.map(|to| format!("{from}{to}")));
    let edges = PREFIXES
        .iter()
        .flat_map(|prefix| pairs.iter().flatten().map(move |pair| format!("{prefix}{pair}")));
    let edges = edges.filter(|word| Edge::named(word).is_some());
    WORDS.iter().map(|word| (*word).to_owned()).chain(edges).collect()
}

/// What was meant, or else all that can be.
fn hint(close: Option<&str>) -> String {
    match close {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!(
            "shapes are {}; edges of a cycle are Rfe, Fre, Coe, PodWR, PosRR, FenceScGpudWW, DpDatadRW, \
             BardWR and so on, with annotations Weak, RlxGpu, AcqCta, RelSys between them",
            names().collect::<Vec<_>>().join(", ")
        ),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Specification::parse(text).expect_err("no specification").to_string()
    }

    #[test]
    fn the_cause_comes_first_and_what_was_meant_behind() {
        assert_eq!(message("IRWI"), "`IRWI` is no shape and no edge; did you mean `IRIW`?");
        let edge = message("PodWW Rfi FenceScGpudXR Fre");
        assert_eq!(edge, "`FenceScGpudXR` is no edge; did you mean `FenceScGpudRR`?");
        let name = message("IRWI+weak+weak.weak+weak+weak.weak+0123");
        assert!(
            name.ends_with("begins with no shape and no cycle; did you mean `IRIW`?"),
            "{name}"
        );
        assert!(message("zzzzzz").contains("; shapes are MP, SB"));
        assert!(!message("PodWW Rfe").contains("did you mean"));
    }

    #[test]
    fn words_of_cycles_are_words_of_cycles() {
        for word in words() {
            assert!(is_part_of_cycle(&word), "{word}");
        }
    }
}
