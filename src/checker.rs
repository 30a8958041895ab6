//! The interface for programs that use the library. Tests from text, verdicts with reasons, final
//! states and executions are available by one call each.

use crate::batch::{self, Case, Listing, Unlisted};
use crate::cat::{self, Loaded, Loader, NoFiles, Options, builtin, parse_builtin};
use crate::check::{self, Hang, Outcome, Settings};
use crate::diagnostic::Diagnostic;
use crate::engines::Choice;
use crate::litmus::ast::Test;
use crate::litmus::parse::Parsed;
use crate::module::{Asked, Selection, parse_launched, parse_version};
use crate::race::{self, Race};
use crate::relation::expr::Model;
use crate::report::reason;
use crate::report::witness::{Picture, observed_value};
use crate::solve::Engine;
use crate::source::{Files, Span};
use crate::verdict::Verdict;
use std::fmt;

/// Reads the litmus tests in a text, in any of the formats that `paper-notes/language.md` describes.
///
/// `name` stands for the text in diagnostics; NVIDIA's format is recognized by a name that ends in
/// `.test`. The text is added to `files`, to which the places of the result refer.
///
/// ```
/// let mut files = ptxmc::Files::default();
/// let parsed = ptxmc::parse_tests(&mut files, "typo.litmus", "PTX typo { st.weka [x], 1; }");
/// assert!(parsed.tests.is_empty());
/// assert!(parsed.diagnostics[0].location(&files).starts_with("typo.litmus:1:"));
/// ```
pub fn parse_tests(files: &mut Files, name: &str, text: &str) -> Parsed {
    parse_version(files, name, text.as_bytes(), None)
}

/// A built-in model, such as `ptx-9.2`, the default one, or `sc`; `None` if there is none of this
/// name. [`BUILTIN`](crate::models::BUILTIN) lists them.
///
/// ```
/// let model = ptxmc::builtin_model(&mut ptxmc::Files::default(), "ptx-9.2").expect("it is built in");
/// assert!(model.axioms.iter().any(|axiom| axiom.name == "Causality"));
/// ```
pub fn builtin_model(files: &mut Files, name: &str) -> Option<Model> {
    builtin(name).map(|builtin| parse_builtin(files, builtin, &Options::default()).model)
}

/// Reads a PTX module and makes the test of a launch of its kernels.
///
/// `launch` is written as for the command, `buf x[2] of .u32 = 0; k<<<1, 2>>>(x)`, with an optional
/// condition at its end. Without a condition, the verdict only tells whether the launch is defined.
/// The test has all threads if they are few, otherwise representatives, as
/// [`Test::launched`](crate::litmus::ast::Test::launched) tells.
///
/// ```
/// let module = ".version 8.5
/// .target sm_90
/// .visible .entry k(.param .u64 p) {
///   .reg .b64 %rd<2>;
///   ld.param.u64 %rd1, [p];
///   st.global.u32 [%rd1+4], 1;
///   ret;
/// }";
/// let mut files = ptxmc::Files::default();
/// let launch = "buf x[1] of .u32; k<<<1, 1>>>(x)";
/// let parsed = ptxmc::parse_launch(&mut files, "k.ptx", module, launch);
/// let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
/// let outcome = ptxmc::check(&parsed.tests[0], &model);
/// assert_eq!(outcome.verdict.kind(), ptxmc::Kind::Undefined);
/// ```
#[must_use]
pub fn parse_launch(files: &mut Files, name: &str, text: &str, launch: &str) -> Parsed {
    let asked = Asked { text: launch, threads: &Selection::Affordable };
    parse_launched(files, name, text.as_bytes(), asked)
}

/// Reads a model in the cat language, which may include the built-in ones and their libraries;
/// [`models::parse`](crate::models::parse) finds other files, too.
///
/// # Errors
/// Every error in the model, in order of place.
///
/// ```
/// let mut files = ptxmc::Files::default();
/// let model = ptxmc::parse_model(&mut files, "mine.cat", "acyclic po | rf | co | fr as mine").unwrap();
/// assert_eq!(model.axioms[0].name, "mine");
/// ```
pub fn parse_model(files: &mut Files, name: &str, text: &str) -> Result<Model, Vec<Diagnostic>> {
    let loaded = parse_model_with(files, name, text, &NoFiles, &Options::default());
    loaded.map(|loaded| loaded.model)
}

/// As [`parse_model`], with a loader for the files that the model includes, and with readings of
/// the standard that it asks about.
///
/// # Errors
/// As [`parse_model`].
pub fn parse_model_with(
    files: &mut Files,
    name: &str,
    text: &str,
    loader: &dyn Loader,
    options: &Options,
) -> Result<Loaded, Vec<Diagnostic>> {
    let file = files.add(name, text);
    cat::parse_model(files, file, loader, options)
}

/// The verdict on a test under a model, as the command gives it.
///
/// To check many tests, make a [`Checker`], which keeps the compiled model.
///
/// ```
/// # let text = include_str!("../litmus/mp/MP+acquire+ctrl.litmus");
/// let mut files = ptxmc::Files::default();
/// let parsed = ptxmc::parse_tests(&mut files, "mp.litmus", text);
/// let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
/// let outcome = ptxmc::check(&parsed.tests[0], &model);
/// assert_eq!(outcome.verdict.kind(), ptxmc::Kind::Forbidden);
/// assert_eq!(outcome.reason(&model, &files), "Causality (PTX-8.10.6)");
/// ```
#[must_use]
pub fn check(test: &Test, model: &Model) -> Outcome {
    Checker::new(model).check(test)
}

/// Checks tests under one model.
///
/// ```
/// # let text = include_str!("../litmus/mp/MP+acquire+ctrl.litmus");
/// # let mut files = ptxmc::Files::default();
/// # let parsed = ptxmc::parse_tests(&mut files, "mp.litmus", text);
/// let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
/// let checker = ptxmc::Checker::new(&model).with_engine(ptxmc::Choice::All);
/// for test in &parsed.tests {
///     println!("{}: {}", test.name, checker.check(test).verdict.kind());
/// }
/// ```
pub struct Checker<'m> {
    model: &'m Model,
    engine: Box<dyn Engine>,
    settings: Settings,
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, engine, settings } = self;
        f.debug_struct("Checker")
            .field("model", &model.name)
            .field("engine", &engine.name())
            .field("settings", settings)
            .finish()
    }
}

impl<'m> Checker<'m> {
    /// A checker with the default engine and settings of the command.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, engine: Choice::Auto.engine(), settings: Settings::default() }
    }

    /// With another engine.
    #[must_use]
    pub fn with_engine(self, choice: Choice) -> Self {
        Self { engine: choice.engine(), ..self }
    }

    /// With other settings.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// The verdict on a test.
    #[must_use]
    pub fn check(&self, test: &Test) -> Outcome {
        check::check(test, self.model, self.engine.as_ref(), self.settings)
    }

    /// Whether a test may hang: an execution does not go on though some thread has not ended.
    ///
    /// ```
    /// # let text = include_str!("../litmus/locks/ticket-lock.litmus");
    /// # let mut files = ptxmc::Files::default();
    /// # let parsed = ptxmc::parse_tests(&mut files, "lock.litmus", text);
    /// # let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    /// let settings = ptxmc::Settings::default().with_progress(ptxmc::Progress::Fair);
    /// let checker = ptxmc::Checker::new(&model).with_settings(settings);
    /// if let ptxmc::Hang::Possible(hanging) = checker.hang(&parsed.tests[0]) {
    ///     println!("{:?}", hanging.threads);
    /// }
    /// ```
    #[must_use]
    pub fn hang(&self, test: &Test) -> Hang {
        let engine = self.engine.as_ref();
        let hang = check::hang(test, self.model, engine, self.settings, &self.check(test));
        check::of_part(test, hang.among()).map_or(hang, Hang::Unknown)
    }

    /// The data races of a test (PTX-8.7.1), one for each pair of statements that race in some
    /// execution.
    ///
    /// # Errors
    /// The verdict if there may be more: the engine cannot tell, or the model defines no `race`.
    ///
    /// ```
    /// # let text = include_str!("../tests/cli/MP-relaxed.litmus");
    /// # let mut files = ptxmc::Files::default();
    /// # let parsed = ptxmc::parse_tests(&mut files, "mp.litmus", text);
    /// # let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    /// let races = ptxmc::Checker::new(&model).races(&parsed.tests[0]).expect("it is decided");
    /// for race in &races {
    ///     println!("{} and {} race", race.accesses[0], race.accesses[1]);
    /// }
    /// # assert_eq!(races.len(), 1);
    /// ```
    pub fn races(&self, test: &Test) -> Result<Vec<DataRace>, Verdict> {
        let settings = self.settings.with_bound(self.check(test).bound);
        let (races, graph) = check::races(test, self.model, self.engine.as_ref(), settings)?;
        let data = |race: &Race| {
            let accesses = [race.accesses.0, race.accesses.1];
            DataRace {
                accesses: accesses.map(|access| race::describe(&graph, access)),
                spans: race::spans(&graph, race),
                mixed: race.mixed,
                witness: Picture::of(&test.name, &graph, &race.choices, self.model).ok(),
            }
        };
        let all = races.all()?;
        if let Some(why) = check::of_part(test, "no race").filter(|_| all.is_empty()) {
            return Err(Verdict::Unknown(why));
        }
        Ok(all.iter().map(data).collect())
    }

    /// All final states of a test, each with an execution that ends in it.
    ///
    /// # Errors
    /// When the engine cannot list them, or lists an impossible one.
    ///
    /// ```
    /// # let text = include_str!("../litmus/mp/MP+all-relaxed.litmus");
    /// # let mut files = ptxmc::Files::default();
    /// # let parsed = ptxmc::parse_tests(&mut files, "mp.litmus", text);
    /// # let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    /// let states = ptxmc::Checker::new(&model).outcomes(&parsed.tests[0])?;
    /// for state in states.iter() {
    ///     println!("{state}{}", if state.matches { "  <- the condition" } else { "" });
    /// }
    /// # assert_eq!(states.iter().count(), 4);
    /// # Ok::<(), ptxmc::Unlisted>(())
    /// ```
    pub fn outcomes(&self, test: &Test) -> Result<Listing, Unlisted> {
        let outcome = self.check(test);
        let settings = self.settings.with_bound(outcome.bound);
        batch::listed(&Case::of(test.clone()), self.model, self.engine.as_ref(), settings)
    }
}

impl Outcome {
    /// The reason for the verdict, in a line; empty if the verdict needs none.
    #[must_use]
    pub fn reason(&self, model: &Model, files: &Files) -> String {
        reason::line(&self.verdict, model, files)
    }

    /// The execution that shows the verdict, if there is one: of an allowed outcome, or of
    /// undefined behaviour.
    ///
    /// ```
    /// # let text = include_str!("../litmus/mp/MP+all-relaxed.litmus");
    /// # let mut files = ptxmc::Files::default();
    /// # let test = ptxmc::parse_tests(&mut files, "mp.litmus", text).tests.remove(0);
    /// # let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    /// let outcome = ptxmc::check(&test, &model);
    /// let witness = outcome.witness(&test.name, &model).expect("the outcome is allowed");
    /// for event in witness.columns.iter().flat_map(|thread| &thread.nodes) {
    ///     println!("{}: {}", event.label, event.text);
    /// }
    /// for edge in &witness.edges {
    ///     println!("{} -{}-> {}", witness.label(edge.from), edge.relation, witness.label(edge.to));
    /// }
    /// ```
    #[must_use]
    pub fn witness(&self, title: &str, model: &Model) -> Option<Picture> {
        let choices = self.verdict.choices()?;
        Picture::of(title, &self.graph, choices, model).ok()
    }
}

/// Two statements that race in some execution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DataRace {
    /// The two accesses in words.
    pub accesses: [String; 2],
    /// The two statements, the first in the source first.
    pub spans: [Span; 2],
    /// Whether the accesses overlap only in part, which makes the program undefined (PTX-8.7.2).
    pub mixed: bool,
    /// An execution in which they race.
    pub witness: Option<Picture>,
}

/// One final state of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FinalState {
    /// The observed names, with their values as a test writes them.
    pub values: Vec<(String, String)>,
    /// Whether the condition's proposition holds.
    pub matches: bool,
}

impl fmt::Display for FinalState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.values.iter().map(|(name, value)| format!("{name}={value};")).collect();
        f.write_str(&parts.join(" "))
    }
}

impl Listing {
    /// The states, in order.
    pub fn iter(&self) -> impl Iterator<Item = FinalState> + '_ {
        let named = |values: &[u128]| {
            let observed = self.graph.observed.iter().zip(values).enumerate();
            let value = |(i, (o, &bits)): (usize, (&crate::event::graph::Observed, &u128))| {
                (o.name.clone(), observed_value(&self.graph, i, bits))
            };
            observed.map(value).collect()
        };
        let states = self.states.states.iter().zip(&self.matching);
        states.map(move |((values, _), &matches)| FinalState { values: named(values), matches })
    }

    /// An execution that ends in the state with this index; `None` beyond the last one.
    #[must_use]
    pub fn witness(&self, state: usize, title: &str, model: &Model) -> Option<Picture> {
        let (_, choices) = self.states.states.get(state)?;
        Picture::of(title, &self.graph, choices, model).ok()
    }
}

impl Diagnostic {
    /// The location, such as `mp.litmus:3:5`; empty if the diagnostic is about a whole file.
    #[must_use]
    pub fn location(&self, files: &Files) -> String {
        self.primary.as_ref().map_or_else(String::new, |label| files.location(label.span))
    }

    /// The diagnostic as text, with the source lines, and a line feed at the end.
    #[cfg(feature = "diagnostics")]
    #[must_use]
    pub fn render(&self, files: &Files) -> String {
        crate::report::diagnostics::render(self, files, crate::report::paint::Paint::Plain)
    }
}

impl Picture {
    /// The execution as text: threads side by side, edges by relation, the final state.
    #[must_use]
    pub fn to_text(&self) -> String {
        crate::report::witness::text::render(self)
    }

    /// The execution as a graph in the language of Graphviz.
    #[must_use]
    pub fn to_dot(&self) -> String {
        crate::report::witness::dot::render(self)
    }
}
