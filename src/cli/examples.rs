//! The usage examples in the help of each command.

pub(super) const CHECK: &str = "\
Examples:
  ptxmc check litmus/mp                             all tests of a folder
  ptxmc check -q --fail-on allowed,race my.litmus   status 1 unless the outcome is excluded and
                                                    no data race is there
  ptxmc check --model ptx-9.2 --model ptx-7.5 DIR   a column for each model
  ptxmc check --format junit DIR > report.xml       for continuous integration
  ptxmc check --baseline verdicts.tsv DIR           what has changed since `--bless`
  ptxmc check --report pages DIR                    a page for each test, and pages/index.html
  ptxmc check k.ptx --launch 'buf x[2] of .u32 = 0; k<<<1, 2>>>(x)'
                                                    races, undefined behaviour and hangs of
                                                    a kernel that a compiler has written";

pub(super) const OUTCOMES: &str = "\
Examples:
  ptxmc outcomes mp.litmus                   every final state; those of the condition are marked
  ptxmc outcomes --witness mp.litmus         each with an execution
  ptxmc outcomes --format json mp.litmus     for a program that compares what hardware did";

pub(super) const EXPLAIN: &str = "\
Examples:
  ptxmc explain mp.litmus                    the verdict, an execution, and what decides
  ptxmc explain --model ptx-7.5 mp.litmus    under another model
  ptxmc explain --format json mp.litmus      the same as data
  ptxmc explain --unfold mp.litmus           each step down to the model's base relations
  ptxmc explain --clause PTX-8.10.6 litmus   what a clause says, its lines in the model, its tests";

pub(super) const DRAW: &str = "\
Examples:
  ptxmc draw mp.litmus -o mp.svg                    a picture of what decides
  ptxmc draw mp.litmus -o mp.html                   a page with it, the explanation and the source
  ptxmc draw --relation all mp.litmus -o mp.svg     all relations
  ptxmc draw --hang lock.litmus -o lock.svg         an execution that hangs
  ptxmc draw --format text mp.litmus -o -           text, on standard output";

pub(super) const HANGS: &str = "\
Examples:
  ptxmc hangs lock.litmus                    where the threads are, and for what they wait
  ptxmc hangs --progress fair lock.litmus    as if every thread were scheduled";

pub(super) const RACES: &str = "\
Examples:
  ptxmc races lock.litmus                    each race, with what is missing between the two
  ptxmc races --format json lock.litmus      the same as data, with a code for what is missing";

pub(super) const ADVISE: &str = "\
Examples:
  ptxmc advise lock.litmus                   the cheapest repairs, or what is redundant
  ptxmc advise --races lock.litmus           the cheapest changes after which nothing races
  ptxmc advise --apply new.litmus old.litmus the repaired test
  ptxmc advise --within 3 lock.litmus        dearer repairs, too
  ptxmc advise --all a.litmus b.litmus       one repair for two outcomes of a program";

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

pub(super) const GENERATE: &str = "Examples: ptxmc generate MP --orders weak,relaxed,acquire,release \
                                --scopes cta,gpu -o tests makes a test of every combination; ptxmc \
                                generate --frontier IRIW prints those at the border between allowed and \
                                forbidden; ptxmc generate 'PodWW RelGpu Rfe AcqGpu PodRR Fre' prints the \
                                tests of one cycle.";

pub(super) const EMIT: &str = "Example: ptxmc emit litmus/mp -o kernels writes kernels/MP.ptx and so on, \
                            and kernels/manifest.json, which says how to launch them.";

pub(super) const RUN: &str = "Example: ptxmc run litmus/sb --seconds 5 > sb.log runs each test for five \
                           seconds; ptxmc judge sb.log --tests litmus/sb compares what was seen with \
                           the model. Without a GPU the exit status is 3.";

pub(super) const DIFF: &str =
    "Example: ptxmc diff ptx-9.2 mine.cat litmus/ --states --format markdown";

pub(super) const DISTINGUISH: &str = "Example: ptxmc distinguish ptx-9.2 mine.cat --events 5";

pub(super) const SUITE: &str = "Example: ptxmc suite ptx-9.2 --events 4 --output pins/";

pub(super) const EQUIV: &str = "Example: ptxmc equiv ptx-9.2 rewritten.cat --proof";

pub(super) const FIT: &str = "Example: ptxmc fit sketch.cat measured/";
