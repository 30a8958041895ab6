//! How large the programs are that the search looks at, and what they are made of.

use crate::workbench::small::shape::Kind;
use clap::{Args, ValueEnum};

/// How large the programs are that are looked at.
#[derive(Clone, Debug, Args)]
pub(super) struct Sizes {
    /// How many instructions a program has at most.
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub(super) events: u8,
    /// How many instructions a program has at most that uses barriers, aliases or stores of what was
    /// read; 3 unless given, or as many as others where models differ on no program without these.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6))]
    pub(super) special_events: Option<u8>,
    /// The instructions that programs have beside barriers and fences of aliases; all unless given.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) instructions: Vec<Instruction>,
    /// How many threads a program has at most.
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(super) threads: u8,
    /// How many thousand sets of orders, scopes and places are looked at before the search ends without an
    /// answer; 0 for no end.
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(super) budget: u64,
    /// How many programs are looked at at a time; the number of cores unless given.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
}

/// An instruction that small programs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Instruction {
    /// Loads.
    Ld,
    /// Stores.
    St,
    /// `atom.exch`.
    Atom,
    /// `red.add`.
    Red,
    /// Memory fences.
    Fence,
}

impl Sizes {
    /// The kinds of instructions that programs are made of; none is no limit.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let kind = |instruction: &Instruction| match instruction {
            Instruction::Ld => Kind::Load,
            Instruction::St => Kind::Store,
            Instruction::Atom => Kind::Atom,
            Instruction::Red => Kind::Red,
            Instruction::Fence => Kind::Fence,
        };
        self.instructions.iter().map(kind).collect()
    }

    /// How many sets of programs are looked at.
    pub(super) fn budget(&self) -> u64 {
        if self.budget == 0 { u64::MAX } else { self.budget.saturating_mul(1_000) }
    }
}
