//! What words of an instruction ask of each other: a demand that is not met becomes an error.

use super::Decoder;
use crate::ptx::demand::{Demand, Place, Says, elements};
use crate::ptx::error::DecodeError;
use crate::ptx::form::Form;
use crate::ptx::names;
use crate::ptx::value::Type;
use crate::ptx::words::type_of;
use crate::source::Spanned;
use smallvec::SmallVec;

impl Decoder<'_> {
    /// Checks what the words of a form ask of each other.
    pub(super) fn check_demands(&self, form: &'static Form) -> Result<(), DecodeError> {
        let mut demands = form.row.demands.iter();
        let words = self.instruction.qualifiers.iter().map(|word| word.value.as_str());
        let words: SmallVec<[&str; 8]> = words.collect();
        demands.try_for_each(|demand| self.check_demand(demand, &words, form.row.section))
    }

    fn check_demand(
        &self,
        demand: &Demand,
        words: &[&str],
        section: &'static str,
    ) -> Result<(), DecodeError> {
        let Some(breach) = demand.breach(words) else { return Ok(()) };
        let (instruction, head) = (self.instruction, self.head_span());
        let written = |at: usize| instruction.qualifiers[at].clone();
        let word = breach.word.map_or_else(|| Spanned::new(String::new(), head), written);
        let other = breach.other.map(written);
        Err(match demand.says {
            Says::Rule(message, help) => {
                let vector = words.iter().position(|word| elements(word).is_some());
                let span = match demand.place {
                    Place::Word => word.span,
                    Place::Head => head,
                    Place::Vector => vector.map_or(head, |at| written(at).span),
                };
                let op = words.iter().find(|word| names::atomic(word).is_some());
                let ty = words.iter().find(|word| type_of(word).is_some());
                let parts = [
                    ("{form}", instruction.full_name()),
                    ("{word}", word.value),
                    ("{other}", other.map(|other| other.value).unwrap_or_default()),
                    ("{op}", op.copied().unwrap_or_default().to_owned()),
                    ("{type}", ty.map_or_else(|| Type::UNTYPED.to_string(), |ty| (*ty).to_owned())),
                    (
                        "{elements}",
                        vector.and_then(|at| elements(words[at])).unwrap_or(1).to_string(),
                    ),
                ];
                let fill = |text: String, (part, is): &(&str, String)| text.replace(part, is);
                let message = parts.iter().fold(message.to_owned(), fill);
                DecodeError::Rule { message, help, section, span }
            }
            Says::Space(legal) => {
                DecodeError::Space { form: instruction.full_name(), found: word, legal, section }
            }
            Says::Conflict => {
                let other = other.unwrap_or_else(|| word.clone());
                let (first, second) =
                    if other.span < word.span { (other, word) } else { (word, other) };
                DecodeError::Conflict { first, second }
            }
        })
    }
}
