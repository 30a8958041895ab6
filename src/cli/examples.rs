//! What the help of each command shows of its use.

pub(super) const CHECK: &str = "\
Examples:
  ptxmc check litmus/mp                             all tests of a folder
  ptxmc check -q --fail-on allowed,race my.litmus   status 1 unless the outcome is excluded and
                                                    no data race is there
  ptxmc check --model ptx-9.2 --model ptx-7.5 DIR   a column for each model
  ptxmc check --format junit DIR > report.xml       for continuous integration
  ptxmc check --baseline verdicts.tsv DIR           what has changed since `--bless`";

pub(super) const OUTCOMES: &str = "\
Examples:
  ptxmc outcomes mp.litmus                   every final state; those of the condition are marked
  ptxmc outcomes --witness mp.litmus         each with an execution
  ptxmc outcomes --format json mp.litmus     for a program that compares what hardware did";

pub(super) const EXPLAIN: &str = "\
Examples:
  ptxmc explain mp.litmus                    the verdict, an execution, and what decides
  ptxmc explain --model ptx-7.5 mp.litmus    under another model
  ptxmc explain --format json mp.litmus      the same as data";

pub(super) const DRAW: &str = "\
Examples:
  ptxmc draw mp.litmus -o mp.svg             a picture, laid out by Graphviz
  ptxmc draw mp.litmus -o mp.dot             its source";

pub(super) const RACES: &str = "\
Examples:
  ptxmc races lock.litmus                    each race, with what is missing between the two
  ptxmc races --format json lock.litmus      the same as data, with a code for what is missing";

pub(super) const JUDGE: &str = "\
Examples:
  ptxmc judge run.log --tests litmus/        what of a log the model allows
  ptxmc judge new.log --tests litmus/ --against old.log --format markdown
  ptxmc judge run.log --tests litmus/ --kills   which wrong models tests and log tell from the model
  ptxmc judge --model sc core.trace          whether a trace of values is consistent";

pub(super) const MODEL: &str = "\
Examples:
  ptxmc model                                the built-in models and readings
  ptxmc model ptx-9.2                        the axioms of one
  ptxmc model --show mine.cat                a model of your own, with functions expanded";

pub(super) const CONVERT: &str = "\
Examples:
  ptxmc convert --to columns mp.litmus       for tools that read tests as tables
  ptxmc convert --to blocks -o out tests     a file for each test of a folder";

pub(super) const COMPLETIONS: &str = "\
Example:
  ptxmc completions bash > ~/.local/share/bash-completion/completions/ptxmc";

pub(super) const MAN: &str = "\
Example:
  ptxmc man > ~/.local/share/man/man1/ptxmc.1";
