//! Model files that come with the tool: built-in models, and files for models to include.

/// A model that comes with the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name for `--model`.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The cat text.
    pub text: &'static str,
}

/// The built-in models, the default first.
pub const BUILTIN: &[Builtin] = &[
    Builtin {
        name: "ptx-9.2",
        summary: "PTX ISA 9.2, chapter 8",
        text: include_str!("../../models/ptx-9.2.cat"),
    },
    Builtin {
        name: "ptx-9.4",
        summary: "PTX ISA 9.4: strong asynchronous copies, alias fences with an order",
        text: include_str!("../../models/ptx-9.4.cat"),
    },
    Builtin {
        name: "ptx-8.7",
        summary: "PTX ISA 8.7: the read of a `red` may start an acquire pattern",
        text: include_str!("../../models/ptx-8.7.cat"),
    },
    Builtin {
        name: "ptx-7.5",
        summary: "PTX ISA 7.5 with proxies, after Lustig et al., ISCA 2022",
        text: include_str!("../../models/ptx-7.5.cat"),
    },
    Builtin {
        name: "ptx-6.0",
        summary: "PTX ISA 6.0, after Lustig et al., ASPLOS 2019",
        text: include_str!("../../models/ptx-6.0.cat"),
    },
    Builtin {
        name: "sc",
        summary: "sequential consistency, for comparison",
        text: include_str!("../../models/sc.cat"),
    },
];

/// The built-in model of a name.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|b| b.name == name)
}

/// The text of a library file, always from the tool and never from the file system.
pub(super) fn library(name: &str) -> Option<&'static str> {
    match name {
        "stdlib.cat" => Some(include_str!("../../models/lib/stdlib.cat")),
        "cos.cat" => Some(include_str!("../../models/lib/cos.cat")),
        "fences.cat" => Some(include_str!("../../models/lib/fences.cat")),
        "filters.cat" => Some(include_str!("../../models/lib/filters.cat")),
        "time.cat" => Some(include_str!("../../models/lib/time.cat")),
        _ => None,
    }
}

/// The name and text of a built-in model that is included as a file.
pub(super) fn included(name: &str) -> Option<(String, String)> {
    let found = builtin(name.strip_suffix(".cat")?)?;
    Some((name.to_owned(), found.text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_versions_have_the_order_in_time_of_the_default_model() {
        let part = library("time.cat").expect("a library file");
        let (_, part) = part.split_once("*)\n\n").expect("a comment before the part");
        assert!(BUILTIN[0].text.contains(part));
    }
}
