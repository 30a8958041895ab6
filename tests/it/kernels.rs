//! Kernels that a compiler has written, and launches of them.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

use crate::support::command::ptxmc;
use std::fs;
use std::path::{Path, PathBuf};

/// What the comment at the head of a kernel's source says.
struct Sample {
    name: String,
    launch: String,
    /// What is found of the kernel with one thing taken away.
    broken: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())
        .expect("there are kernels")
        .map(|entry| entry.expect("they can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).expect("it can be read");
        let line = |key: &str| {
            let start = format!("// {key}: ");
            let line = text.lines().find_map(|line| line.strip_prefix(&start));
            line.unwrap_or_else(|| panic!("{} says `{key}`", path.display())).to_owned()
        };
        samples.push(Sample {
            name: path.file_stem().expect("it has a name").to_string_lossy().into_owned(),
            launch: line("launch"),
            broken: line("broken"),
        });
    }
    assert!(samples.len() >= 40, "only {} kernels", samples.len());
    samples
}

/// The questions that find something, and the exit status.
fn found(ptx: &Path, launch: &str) -> (Vec<String>, i32) {
    let path = ptx.display().to_string();
    let run = ptxmc(&["check", "--format", "json", &path, "--launch", launch]);
    let report: serde_json::Value = serde_json::from_str(&run.out)
        .unwrap_or_else(|why| panic!("{path}: {why}\n{}{}", run.out, run.err));
    let answers = report["answers"].as_array().expect("there are answers");
    let found = answers.iter().filter(|answer| answer["answer"] == "found");
    (found.map(|a| a["question"].as_str().expect("a word").to_owned()).collect(), run.status)
}

/// Holds what is found in a folder of compiled kernels against what their sources say.
fn hold(ptx: &Path) -> usize {
    let mut held = 0;
    for Sample { name, launch, broken } in samples() {
        let file = ptx.join(format!("{name}.ptx"));
        if !file.exists() {
            continue;
        }
        let (questions, status) = found(&file, &launch);
        // CTAs that wait for each other may do so for ever where the scheduler starts them one by one.
        let wrong = |question: &&String| *question != "hang" || broken == "hang";
        assert_eq!(questions.iter().find(wrong), None, "{name} is fine");
        assert!([0, 1, 3].contains(&status), "{name}: {status}");
        let twin = ptx.join(format!("{name}+broken.ptx"));
        let (questions, status) = found(&twin, &launch);
        let wanted = match broken.as_str() {
            "race" => "races",
            other => other,
        };
        assert!(questions.iter().any(|q| q == wanted), "{name}+broken: {questions:?}");
        assert_eq!(status, 1, "{name}+broken");
        held += 1;
    }
    held
}

#[test]
fn samples_are_as_their_authors_say() {
    assert!(hold(&folder()) >= 12, "there are samples");
}

/// The kernels of `tests/kernels`, compiled by `scripts/kernels` into the folder that `PTXMC_KERNELS`
/// names.
#[test]
#[ignore = "needs compiled kernels"]
fn all_kernels_are_as_their_authors_say() {
    let Ok(folder) = std::env::var("PTXMC_KERNELS") else {
        println!("skipped: PTXMC_KERNELS names no folder of compiled kernels");
        return;
    };
    assert!(hold(Path::new(&folder)) >= 40, "all kernels are compiled");
}

/// What a launch of a module that is written here gives.
pub(crate) fn launched(name: &str, module: &str, launch: &str) -> (String, i32) {
    asked("check", name, module, launch)
}

/// What a command says of a launch of a module that is written here.
pub(crate) fn asked(command: &str, name: &str, module: &str, launch: &str) -> (String, i32) {
    let path = std::env::temp_dir().join(format!("ptxmc-{}-{name}.ptx", std::process::id()));
    fs::write(&path, module).expect("the folder is there");
    let shown = path.display().to_string();
    let run = ptxmc(&[command, &shown, "--launch", launch]);
    fs::remove_file(&path).expect("it was written");
    ((run.out + &run.err).replace(&shown, "k.ptx"), run.status)
}

pub(crate) fn module(kernels: &str) -> String {
    format!(".version 8.5\n.target sm_90\n.address_size 64\n{kernels}")
}

const STORES: &str = "
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, %r2;
  @%p1 bra $END;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
$END:
  ret;
}
";

#[test]
fn threads_have_their_indices() {
    let stores = module(STORES);
    let (text, status) = launched("own", &stores, "buf x[4] of .u32; k<<<1, 4>>>(x, 4)");
    assert_eq!(status, 0, "{text}");
    // Both CTAs write the same elements.
    let (text, status) = launched("twice", &stores, "buf x[4] of .u32; k<<<2, 4>>>(x, 4)");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("4-byte write to x[0] by cta 0 thread 0"), "{text}");
    // The fifth thread leaves the buffer, unless the argument keeps it from that.
    let (text, status) = launched("five", &stores, "buf x[4] of .u32; k<<<1, 5>>>(x, 5)");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("it begins at byte 16 of `x`, which has 16 bytes"), "{text}");
    let (text, status) = launched("kept", &stores, "buf x[4] of .u32; k<<<1, 5>>>(x, 4)");
    assert_eq!(status, 0, "{text}");
}

#[test]
fn conditions_name_threads_and_memory() {
    let stores = module(STORES);
    let launch =
        r"buf x[2] of .u32; k<<<1, 2>>>(x, 2); forall (x[1] == 1 /\ cta 0 thread 1: %r1 == 1)";
    let (text, status) = launched("holds", &stores, launch);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("outcome    holds"), "{text}");
    let launch = "buf x[2] of .u32; k<<<1, 2>>>(x, 2); forall (x[1] == 2)";
    let (text, status) = launched("fails", &stores, launch);
    assert_eq!(status, 1, "{text}");
    let launch = "buf x[2] of .u32; k<<<1, 2>>>(x, 2); forall (cta 0 thread 7: %r1 == 2)";
    let (text, status) = launched("nobody", &stores, launch);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("there is no thread `cta 0 thread 7`"), "{text}");
}

#[test]
fn launches_of_a_stream_follow_each_other() {
    let stores = module(STORES);
    let one = "buf x[4] of .u32; k<<<1, 4>>>(x, 4); k<<<1, 4>>>(x, 4)";
    assert_eq!(launched("stream", &stores, one).1, 0);
    let two = "buf x[4] of .u32; k<<<1, 4, 0, 1>>>(x, 4); k<<<1, 4, 0, 2>>>(x, 4)";
    assert_eq!(launched("streams", &stores, two).1, 1);
    let event = "buf x[4] of .u32; A: k<<<1, 4, 0, 1>>>(x, 4); B: k<<<1, 4, 0, 2>>>(x, 4); A -> B";
    assert_eq!(launched("event", &stores, event).1, 0);
    let host = "buf x[4] of .u32; k<<<1, 4, 0, 1>>>(x, 4); sync; k<<<1, 4, 0, 2>>>(x, 4)";
    assert_eq!(launched("sync", &stores, host).1, 0);
    let beside = "buf x[4] of .u32; k<<<1, 4>>>(x, 4); k<<<1, 4>>>(x, 4) pdl";
    assert_eq!(launched("pdl", &stores, beside).1, 1);
}

#[test]
fn mistakes_have_their_places() {
    let stores = module(STORES);
    let mut told = String::new();
    for (name, launch) in [
        ("kernel", "buf x[4] of .u32; other<<<1, 4>>>(x, 4)"),
        ("few", "buf x[4] of .u32; k<<<1, 4>>>(x)"),
        ("buffer", "k<<<1, 4>>>(x, 4)"),
        ("number", "buf x[4] of .u32; k<<<1, 4>>>(x, 0x100000000)"),
        ("pointer", "buf x[4] of .u32; k<<<1, 4>>>(x, x)"),
        ("threads", "buf x[4] of .u32; k<<<1, 1025>>>(x, 4)"),
        ("clusters", "buf x[4] of .u32; k<<<3, 4>>>(x, 4) cluster(2)"),
        ("form", "buf x[4] of .u32; k<<1, 4>>(x, 4)"),
    ] {
        let (text, status) = launched(name, &stores, launch);
        assert_eq!(status, 2, "{name}: {text}");
        told.push_str(&text);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn functions_are_followed_and_recursion_is_not() {
    let called = "
.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [a];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 21;
  {
    .param .b32 a0;
    st.param.b32 [a0], %r1;
    .param .b32 r0;
    call.uni (r0), twice, (a0);
    ld.param.b32 %r2, [r0];
  }
  st.global.u32 [%rd1], %r2;
  ret;
}
";
    let launch = "buf x[1] of .u32; k<<<1, 1>>>(x); forall (x == 42)";
    let (text, status) = launched("call", &module(called), launch);
    assert_eq!(status, 0, "{text}");
    let recursive = "
.func again() { call again; ret; }
.visible .entry k() { call again; ret; }
";
    let (text, status) = launched("again", &module(recursive), "k<<<1, 1>>>()");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("`again` calls itself"), "{text}");
}

#[test]
fn one_mistake_loses_nothing_else() {
    let wrong = STORES.replace(
        "mul.wide.u32 %rd2, %r1, 4;",
        "mul.wide.u32 %rd2, %r1, 4;\n  ` ;\n  st.global.u32 [%rd3 %r1;",
    );
    let (text, status) = launched("lexed", &module(&wrong), "buf x[4] of .u32; k<<<1, 4>>>(x, 4)");
    assert_eq!(status, 2, "{text}");
    assert_eq!(text.matches("error[").count(), 2, "{text}");
}

#[test]
fn a_module_alone_says_how_it_is_launched() {
    let path = folder().join("flag-block.ptx").display().to_string();
    let run = ptxmc(&["check", &path]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("`k<<<1, 32>>>(k_param_0, k_param_1, k_param_2)`"), "{}", run.err);
}

#[test]
fn reports_name_lines_of_the_source() {
    let Sample { launch, .. } = samples().into_iter().find(|s| s.name == "flag-block").expect("it");
    let path = folder().join("flag-block+broken.ptx").display().to_string();
    let run = ptxmc(&["check", &path, "--launch", &launch]);
    let shown = run.out.replace(&format!("{}/", folder().display()), "");
    insta::assert_snapshot!(shown);
}

#[test]
fn commands_about_one_test_take_launches() {
    let Sample { launch, .. } = samples().into_iter().find(|s| s.name == "flag-block").expect("it");
    let path = folder().join("flag-block+broken.ptx").display().to_string();
    for (command, status) in [("races", 1), ("explain", 0), ("outcomes", 0)] {
        let run = ptxmc(&[command, &path, "--launch", &launch]);
        assert_eq!(run.status, status, "{command}: {}{}", run.out, run.err);
    }
}

#[test]
fn a_block_may_stand_for_several_threads() {
    let test = "PTX replicas
.global .u32 x[4];
P0..P3 @ cta 0, warp 0 {
  mov.u32 %r1, %laneid;
  mul.wide.u32 %rd1, %r1, 4;
  mov.u64 %rd2, x;
  add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], %r1;
}
forall (x[3] == 3 /\\ P2:%r1 == 2)
";
    let mut files = ptxmc::Files::default();
    let parsed = ptxmc::parse_tests(&mut files, "replicas.litmus", test);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let names: Vec<&str> = parsed.tests[0].threads.iter().map(|t| t.name.value.as_str()).collect();
    assert_eq!(names, ["P0", "P1", "P2", "P3"]);
    let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    assert_eq!(ptxmc::check(&parsed.tests[0], &model).holds, Some(true));
    let wrong = test.replace("P0..P3", "P3..P0");
    let parsed = ptxmc::parse_tests(&mut files, "replicas.litmus", &wrong);
    assert!(parsed.tests.is_empty());
}

/// Every shipped test in blocks, or one of `every`.
fn shipped(every: usize) -> Vec<ptxmc::Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let files = crate::support::litmus_files(&folder);
    let chosen = files.iter().step_by(every);
    let tests: Vec<ptxmc::Test> =
        chosen.map(|path| crate::support::read(path).expect("shipped tests are read")).collect();
    assert!(tests.len() * every > 1_000, "only {} tests", tests.len());
    tests
}

/// How many of the shipped tests may be decided as they are written and not by their residual program,
/// whose loops have another form.
const MOST_UNDECIDED: usize = 4;

/// A test whose threads are specialized has the verdict that it has as it is written.
fn residual_programs_agree(every: usize) {
    let model = crate::support::model("ptx-9.2");
    let checker = ptxmc::Checker::new(&model);
    let (mut changed, mut wrong, mut undecided) = (0, Vec::new(), Vec::new());
    for test in shipped(every) {
        let residual = ptxmc::testing::module::specialized(test.clone());
        changed += usize::from(residual != test);
        let [written, residual] = [&test, &residual].map(|t| checker.check(t).verdict.kind());
        let told = format!("{}: {written}, and {residual} of the residual program", test.name);
        match (written, residual) {
            // What the residual program lacks may be all that was in the way.
            (ptxmc::Kind::Unknown, _) => {}
            (_, ptxmc::Kind::Unknown) => undecided.push(told),
            _ if written != residual => wrong.push(told),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(undecided.len() <= MOST_UNDECIDED, "{undecided:#?}");
    assert!(changed * every > 400, "only {changed} tests have another residual program");
}

#[test]
fn residual_programs_have_the_verdicts_of_their_tests() {
    residual_programs_agree(10);
}

#[test]
#[ignore = "every shipped test"]
fn all_residual_programs_have_the_verdicts_of_their_tests() {
    residual_programs_agree(1);
}

/// What nobody does without the values that decide nothing, nobody does. Programs with more races than
/// few steps list are left to others.
fn slices_have_all_races(every: usize) {
    use ptxmc::testing::check::{Settings, races};
    use ptxmc::testing::engines::Choice;
    let settings = Settings::default().with_budget(crate::support::limit(Some(2_000), 2_000));
    let model = crate::support::model("ptx-9.2");
    let engines = Choice::named("search").expect("it is there").engines();
    let mut looked_at = 0;
    for mut test in shipped(every) {
        test.condition = ptxmc::testing::litmus::ast::Condition::True;
        test.quantifier = ptxmc::Quantifier::Forall;
        test.filter = None;
        test.locations.clear();
        let Some(sliced) = ptxmc::testing::module::sliced(&test) else { continue };
        let found = |test: &ptxmc::Test| races(test, &model, &*engines[0], settings);
        let (Ok((whole, _)), Ok((part, _))) = (found(&test), found(&sliced)) else { continue };
        looked_at += 1;
        if part.open.is_none() && part.list.is_empty() {
            assert!(whole.list.is_empty(), "{} has a race that its slice lacks", test.name);
        }
    }
    assert!(looked_at * every > 300, "only {looked_at} tests have a slice");
}

#[test]
fn slices_lose_no_race() {
    slices_have_all_races(10);
}

#[test]
#[ignore = "every shipped test"]
fn no_slice_loses_a_race() {
    slices_have_all_races(1);
}

#[test]
fn answers_about_some_threads_say_so() {
    let stores = module(STORES);
    let launch = "buf x[100000] of .u32; k<<<400, 256>>>(x, 100000)";
    let (text, status) = launched("many", &stores, launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("of 102,400: the answers speak of these threads alone"), "{text}");
    assert!(
        text.contains("cta 0 thread 0 and the 4-byte write to x[0] by cta 1 thread 0"),
        "{text}"
    );
    let (text, status) = launched("few", &stores, "buf x[2048] of .u32; k<<<1, 1024>>>(x, 1024)");
    assert_eq!(status, 0, "{text}");
    let apart = "none: no two of all 1,024 threads access the same bytes";
    assert!(text.contains(apart), "{text}");
    // A condition is decided for all threads or not at all.
    let launch = "buf x[2048] of .u32; k<<<1, 1024>>>(x, 1024); exists (x[1] == 2)";
    let (text, status) = launched("condition", &stores, launch);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("forbidden among"), "{text}");
}

#[test]
fn results_that_nobody_knows_may_be_anything() {
    let kernel = |place: &str| {
        module(&format!(
            "
.visible .entry k(.param .u64 p, .param .u64 q) {{
  .reg .pred %p<2>;
  .reg .f32 %f<3>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  ld.global.f32 %f1, [%rd1];
  setp.gt.f32 %p1, %f1, 0f3F800000;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  @%p1 st.global.u32 [{place}], 1;
  ret;
}}
"
        ))
    };
    let launch = "buf x[2] of .f32; buf y[4] of .u32; k<<<1, 2>>>(x, y)";
    let add = |text: String| text.replace("  @%p1", "  add.s64 %rd4, %rd2, %rd3;\n  @%p1");
    let (text, status) = launched("each", &add(kernel("%rd4")), launch);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("none, whatever `setp.gt.f32` gives"), "{text}");
    let (text, status) = launched("both", &kernel("%rd2"), launch);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("what `setp.gt.f32` gives is not known"), "{text}");
}

/// Compilers put `.pragma "nounroll"` between the label of a loop and its first statement.
#[test]
fn a_label_before_a_hint_is_a_place() {
    let rounds = "
.visible .entry k(.param .u64 p) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 3;
$LOOP:
  .pragma \"nounroll\";
  atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
  add.s32 %r1, %r1, -1;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra $LOOP;
  ret;
}
";
    let launch = "buf x[1] of .u32; k<<<1, 1>>>(x); forall (x == 3)";
    let (text, status) = launched("rounds", &module(rounds), launch);
    assert_eq!(status, 0, "{text}");
    let astray = module(&rounds.replace("bra $LOOP", "bra $LOST"));
    let (text, status) = launched("astray", &astray, launch);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("there is no label `$LOST` in this thread"), "{text}");
}

/// The examples of kernels.md in PTX are tests that meet their expectations.
#[test]
fn examples_of_the_notes_are_as_they_say() {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes/kernels.md");
    let text = fs::read_to_string(notes).expect("it can be read");
    let examples = text.split("```ptx\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut looked_at = 0;
    for (at, example) in examples.enumerate() {
        let path = std::env::temp_dir().join(format!("ptxmc-{}-{at}.litmus", std::process::id()));
        fs::write(&path, example).expect("the folder is there");
        let run = ptxmc(&["check", &path.display().to_string()]);
        fs::remove_file(&path).expect("it was written");
        assert_eq!(run.status, 0, "{example}{}{}", run.out, run.err);
        looked_at += 1;
    }
    assert!(looked_at > 0, "there are examples");
}

#[test]
fn names_inside_of_a_kernel_are_its_own() {
    let kernel = "
.visible .entry k(.param .u64 data, .param .u32 value) {
  .shared .u32 tile;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [value];
  st.shared.u32 [tile], %r1;
  ld.shared.u32 %r2, [tile];
  st.global.u32 [%rd1], %r2;
  ret;
}
";
    let buffers = "buf data of .u32; buf value of .u32; buf tile of .u32";
    for (name, launches) in [
        ("one", "k<<<1, 1>>>(data, 5); forall (data == 5 /\\ value == 0 /\\ tile == 0)"),
        ("two", "k<<<1, 1>>>(data, 5); k<<<1, 1>>>(value, 6); forall (data == 5 /\\ value == 6)"),
    ] {
        let (text, status) = launched(name, &module(kernel), &format!("{buffers}; {launches}"));
        assert_eq!(status, 0, "{text}");
        assert!(text.contains("outcome    holds"), "{text}");
    }
}

/// The first CTA waits for the second one.
const WAITS: &str = "
.visible .entry k(.param .u64 p) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra $POLL;
  st.release.gpu.global.u32 [%rd1], 1;
  ret;
$POLL:
  ld.acquire.gpu.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra $POLL;
  ret;
}
.visible .entry plain() { ret; }
";

#[test]
fn launches_are_cooperative_one_by_one() {
    let buffers = "buf x of .u32; buf y of .u32";
    for (name, launches, hangs) in [
        ("before", "plain<<<1, 1>>>(); k<<<2, 1>>>(x) cooperative", false),
        ("behind", "k<<<2, 1>>>(x) cooperative; plain<<<1, 1>>>()", false),
        ("both", "k<<<2, 1>>>(x) cooperative; k<<<2, 1>>>(y) cooperative", false),
        ("first", "k<<<2, 1>>>(x) cooperative; k<<<2, 1>>>(y)", true),
        ("none", "plain<<<1, 1>>>() cooperative; k<<<2, 1>>>(x)", true),
    ] {
        let launch = format!("{buffers}; {launches}");
        let (text, status) = launched(name, &module(WAITS), &launch);
        assert_eq!(status, i32::from(hangs), "{name}: {text}");
        assert_eq!(!text.contains("hang       none"), hangs, "{name}: {text}");
    }
}

/// A kernel in which thread `%r4` of the grid has the address of its element in `%rd2`.
fn elements(body: &str) -> String {
    module(&format!(
        "
.visible .entry k(.param .u64 p) {{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mad.wide.u32 %rd2, %r4, 4, %rd1;
{body}
  ret;
}}
"
    ))
}

const LARGE: &str = "buf x[4096] of .u32; k<<<4, 1024>>>(x)";

#[test]
fn threads_far_apart_meet() {
    let far = "setp.gt.u32 %p1, %r4, 3000;\n @%p1 bra $L;\n st.global.u32 [%rd2], 1;\n
        ld.global.u32 %r5, [%rd2+400];\n$L:";
    let (text, status) = launched("far", &elements(far), LARGE);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("write to x[100]"), "{text}");
    let hashed = "mul.lo.u32 %r5, %r4, 1103515245;\n shr.u32 %r5, %r5, 20;\n
        mad.wide.u32 %rd3, %r5, 4, %rd1;\n st.global.u32 [%rd3], %r4;";
    let (text, status) = launched("hashed", &elements(hashed), LARGE);
    assert_eq!(status, 1, "{text}");
}

#[test]
fn every_thread_has_a_role() {
    let odd = "setp.eq.u32 %p1, %r2, 77;\n @%p1 bra $ODD;\n st.global.u32 [%rd2], 1;\n ret;\n
$ODD: st.global.u32 [%rd1], 2;";
    let launch = "buf x[16384] of .u32; k<<<128, 128>>>(x)";
    let (text, status) = launched("odd", &elements(odd), launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("CTA 77: cta 77 thread 0"), "{text}");
    // One thread in the middle leaves the buffer.
    let outside = "setp.eq.u32 %p1, %r4, 5000;\n selp.u64 %rd3, 4000000, 0, %p1;\n
        add.u64 %rd2, %rd2, %rd3;\n st.global.u32 [%rd2], 1;";
    let (text, status) = launched("outside", &elements(outside), launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("outside every variable"), "{text}");
}

#[test]
fn threads_that_share_nothing_are_no_answer() {
    let far = elements("st.global.u32 [%rd2], 1;\n ld.global.u32 %r5, [%rd2];");
    // Each thread reads the first element, too, which the first thread writes.
    let first = far.replace("ld.global.u32 %r5, [%rd2];", "ld.global.u32 %r5, [%rd1];");
    let path = std::env::temp_dir().join(format!("ptxmc-{}-nothing.ptx", std::process::id()));
    fs::write(&path, first).expect("the folder is there");
    let shown = path.display().to_string();
    let with = |more: &[&str]| ptxmc(&[&["check", &shown, "--launch", LARGE], more].concat());
    let run = with(&["--threads", "0:5,1:7"]);
    assert_eq!(run.status, 3, "{}{}", run.out, run.err);
    assert!(run.out.contains("not looked at"), "{}", run.out);
    let run = with(&["--threads", "0:0,5,1:7"]);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("3 of 4,096"), "{}", run.out);
    let run = with(&["--threads", "4:0"]);
    fs::remove_file(&path).expect("it was written");
    assert_eq!(run.status, 2, "{}{}", run.out, run.err);
    assert!(run.err.contains("no launch has the threads 0-0 of the CTAs 4-4"), "{}", run.err);
    let (text, status) = launched("own", &far, LARGE);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("none: no two of all 4,096 threads"), "{text}");
}

#[test]
fn metadata_behind_directives_is_one_mistake() {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes/kernels.md");
    let text = fs::read_to_string(notes).expect("it can be read");
    let example = text.split("```ptx\n").nth(1).and_then(|rest| rest.split("```").next());
    let test = example.expect("there is an example");
    let test = test.replace("Expect=", ".version 8.0\n.target sm_80\nExpect=");
    let path = std::env::temp_dir().join(format!("ptxmc-{}-late.litmus", std::process::id()));
    fs::write(&path, test).expect("the folder is there");
    let run = ptxmc(&["check", &path.display().to_string()]);
    fs::remove_file(&path).expect("it was written");
    assert_eq!(run.status, 2, "{}", run.err);
    assert_eq!(run.err.matches("error[").count(), 1, "{}", run.err);
    assert!(run.err.contains("`Expect` stands behind the first directive"), "{}", run.err);
}

/// What a thread gets from its lanes, from its place in the cluster and from the other arrays in
/// dynamic shared memory is not what the first thread of the launch gets.
#[test]
fn threads_of_one_launch_are_not_taken_for_the_first() {
    let lanes = "
.visible .entry k(.param .u64 p) {
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %laneid;
  shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, -1;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  @%p1 st.global.u32 [%rd1], %r1;
  ret;
}
";
    let (text, status) =
        launched("lanes", &module(lanes), "buf x[32] of .u32 = 0; k<<<1, 512>>>(x)");
    assert_eq!(status, 1, "{text}");
    let ranks = "
.visible .entry k(.param .u64 p) {
  .shared .u32 s;
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, s;
  getctarank.shared::cluster.u32 %r2, %r1;
  mov.u32 %r3, %ctaid.x;
  sub.u32 %r3, %r3, %r2;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r4, %r3, 512, %r4;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], 1;
  ret;
}
";
    let launch = "buf x[1024] of .u32 = 0; k<<<2, 512>>>(x) cluster(2)";
    let (text, status) = launched("ranks", &module(ranks), launch);
    assert_ne!(status, 0, "{text}");
    let dynamic = "
.extern .shared .align 16 .b8 a[];
.extern .shared .align 16 .b8 b[];
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.shared.u32 [a], 1;
  @!%p1 ld.shared.u32 %r2, [b];
  ret;
}
";
    let (text, status) = launched("dynamic", &module(dynamic), "k<<<1, 2, 64>>>()");
    assert_eq!(status, 1, "{text}");
}

/// A kernel of these statements, with registers and a buffer.
fn of_statements(statements: &str) -> String {
    module(&format!(
        ".visible .entry k(.param .u64 p) {{\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<4>;\n  \
         .shared .align 16 .b8 tile[512];\n  ld.param.u64 %rd1, [p];\n  {statements}\n  ret;\n}}\n"
    ))
}

#[test]
fn accesses_that_are_not_followed_are_told() {
    let not_followed = [
        ("tex", "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];"),
        ("tld4", "tld4.r.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6}];"),
        ("suld", "suld.b.1d.b32.trap {%r1}, [%rd1, {%r5}];"),
        ("sust", "sust.b.1d.b32.trap [%rd1, {%r5}], {%r1};"),
        ("sured", "sured.b.add.1d.u32.trap [%rd1, {%r5}], %r1;"),
        ("mma", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1}, [%rd1], {%r2}, {%r3};"),
        ("ldmatrix", "ldmatrix.sync.aligned.m8n8.x8.shared.b16 {%r1}, [%rd1];"),
        ("ld.unheard", "ld.unheard.global.u32 %r1, [%rd1];"),
    ];
    for (opcode, statement) in not_followed {
        let (text, status) =
            launched("followed", &of_statements(statement), "buf x[4] of .u32; k<<<1, 1>>>(x)");
        assert_eq!(status, 3, "{statement}\n{text}");
        assert!(text.contains(&format!("`{opcode}")), "{statement}\n{text}");
        assert!(text.contains("k.ptx:9:"), "{statement}\n{text}");
    }
}

#[test]
fn fields_of_structures_stand_where_they_are_said_to() {
    let kernel = module(
        ".visible .entry k(.param .align 8 .b8 s[32]) {\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<2>;\n  \
         ld.param.u64 %rd1, [s];\n  ld.param.u32 %r1, [s+24];\n  st.global.u32 [%rd1], %r1;\n  \
         ret;\n}\n",
    );
    let at = |field: &str| {
        let launch = format!("buf o[1] of .u32; k<<<1, 1>>>({{o, 7{field}}}) forall (o == 7)");
        launched("fields", &kernel, &launch)
    };
    let (text, status) = at(" at 24");
    assert_eq!(status, 0, "{text}");
    let (text, status) = at("");
    assert_eq!(status, 1, "{text}");
    for wrong in [" at 4", " at 32", " at 99999999999999999999"] {
        assert_eq!(at(wrong).1, 2, "{wrong}");
    }
}

#[test]
fn shared_memory_that_no_thread_writes_is_told() {
    let reads = "mov.u32 %r1, tile;\n  ld.shared.u32 %r2, [%r1+4];\n  st.global.u32 [%rd1], %r2;";
    let (text, status) =
        launched("unwritten", &of_statements(reads), "buf x[1] of .u32; k<<<1, 1>>>(x)");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("unwritten  the 4-byte read of tile+4 by"), "{text}");
    let writes = reads.replace("ld.shared.u32", "st.shared.u32 [%r1+4], 5;\n  ld.shared.u32");
    let (text, status) =
        launched("written", &of_statements(&writes), "buf x[1] of .u32; k<<<1, 1>>>(x)");
    assert_eq!(status, 0, "{text}");
}

#[test]
fn reports_say_which_threads_they_are_about() {
    let stores = module(STORES);
    let of = |threads: &str| {
        let path = std::env::temp_dir().join(format!("ptxmc-{}-about.ptx", std::process::id()));
        fs::write(&path, &stores).expect("the folder is there");
        let shown = path.display().to_string();
        let launch = "buf x[4] of .u32; k<<<1, 4>>>(x, 4)";
        let run =
            ptxmc(&["races", "--format", "json", &shown, "--launch", launch, "--threads", threads]);
        fs::remove_file(&path).expect("it was written");
        let report: serde_json::Value =
            serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{why}: {}", run.out));
        report["launch"].clone()
    };
    let all = of("all");
    assert_eq!((&all["checked"], &all["launched"]), (&4.into(), &4.into()));
    assert_eq!((&all["whole"], &all["followed"]), (&true.into(), &"all".into()));
    let some = of("0:0-1");
    assert_eq!((&some["checked"], &some["whole"]), (&2.into(), &false.into()));
    let names = some["representatives"].as_array().expect("a list");
    assert_eq!(names.len(), 2, "{some}");
}
