//! Slots of forms in messages: the words that may fill one.

use crate::ptx::words::type_of;

/// A list of words for messages: `.b32`, `.b32 and .b64`, `.u16, .u32 and .u64`.
pub(super) fn in_words(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!(".{word}")).collect();
    match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// The requirement of a slot for some words.
pub(super) fn need(words: &[&str], leads: bool) -> String {
    let what = match words {
        ["rn", "rz", "rm", "rp"] => "a rounding mode: ",
        ["rni", ..] => "a rounding mode to integers: ",
        ["up", ..] => "a mode: ",
        ["L1", "L2"] | ["cta", "gl", "sys"] => "a level: ",
        ["L1" | "L2"] => "the level ",
        ["L2::evict_normal"] => "the priority ",
        ["sync"] => return "`.sync`: the forms without it do not exist since sm_70".to_owned(),
        [word] if type_of(word).is_some() => "the type ",
        _ => "",
    };
    let words: Vec<String> = words.iter().map(|word| format!("`.{word}`")).collect();
    let list = match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    };
    format!("{what}{list}{}", if leads { " first" } else { "" })
}
