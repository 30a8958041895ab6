//! The command as a user meets it: exit statuses, reports, diagnostics.

use crate::support::command::{command, finish, path, ptxmc, ptxmc_reading};
use std::fs;
use std::path::Path;

const MP: &str = "tests/cli/MP.litmus";
const RELAXED: &str = "tests/cli/MP-relaxed.litmus";
const COLUMNS: &str = "tests/cli/CoWW-columns.litmus";
const LOOP: &str = "tests/cli/count-to-five.litmus";
const WRONG: &str = "tests/cli/wrong.litmus";
const DEADLOCK: &str = "tests/cli/waits-for-ever.litmus";
const HOST: &str = "litmus/api/host-adds.litmus";
const PARTS: &str = "tests/cli/parts.litmus";
const SPINLOCK: &str = "tests/cli/spinlock.litmus";
const NO_WAY_OUT: &str = "tests/cli/no-way-out.litmus";
const SHARED_BARRIER: &str = "tests/cli/shared-barrier.litmus";
const OUTSIDE: &str = "litmus/api/host-griddepcontrol.litmus";
const LOCKED: &str = "litmus/realworld/R26-no-fences.litmus";
const BAD: &str = "tests/cli/bad/opcode.litmus";

#[test]
fn the_status_says_how_a_run_ended() {
    let cases: &[(&[&str], i32)] = &[
        (&["check", MP], 0),
        (&["check", COLUMNS], 0),
        (&["check", DEADLOCK], 0),
        (&["check", MP, WRONG], 1),
        (&["check", "tests/cli/no-such.litmus"], 2),
        (&["check", BAD], 2),
        (&["check", "--no-such-option", MP], 2),
        (&["check", "--model", "ptx-9.3", MP], 2),
        (&["check", "--engine", "alloy", MP], 2),
        (&["check", "--reading", "co=partial", MP], 2),
        (&["check", "--bless", MP], 2),
        (&["check", LOOP], 3),
        (&["check", "--bound", "6", LOOP], 0),
    ];
    for (arguments, status) in cases {
        let run = ptxmc(arguments);
        assert_eq!(run.status, *status, "{arguments:?}\n{}", run.transcript());
    }
}

#[test]
fn of_several_statuses_the_worst_counts() {
    assert_eq!(ptxmc(&["check", WRONG, LOOP, MP]).status, 1);
    assert_eq!(ptxmc(&["check", BAD, WRONG, LOOP, MP]).status, 2);
}

#[test]
fn bad_input_loses_nothing_else() {
    let run = ptxmc(&["check", BAD, "tests/cli/no-such.litmus", MP]);
    assert!(run.out.contains("MP.litmus  forbidden  as expected"), "{}", run.transcript());
    insta::assert_snapshot!(run.transcript());
    let run = ptxmc(&["check", "--format", "junit", BAD, "tests/cli/no-such.litmus", MP]);
    insta::assert_snapshot!("unread_junit", run.out);
    let run = ptxmc(&["check", "--format", "json", BAD, "tests/cli/no-such.litmus", MP]);
    assert!(run.out.contains("\"unread\":2"), "{}", run.transcript());
}

#[test]
fn a_peer_that_may_not_live_is_named() {
    let tests = ["litmus/dsmem/no-first-barrier.litmus", "litmus/dsmem/no-last-barrier.litmus"];
    let told = |test: &str| ptxmc(&["explain", test]).transcript();
    insta::assert_snapshot!("peers", tests.map(told).concat());
}

#[test]
fn reports_have_their_forms() {
    let tests = [MP, RELAXED, COLUMNS, LOOP, WRONG, DEADLOCK];
    let report = |options: &[&str]| {
        let arguments: Vec<&str> = ["check"].iter().chain(options).chain(&tests).copied().collect();
        ptxmc(&arguments).transcript()
    };
    insta::assert_snapshot!("check_text", report(&[]));
    insta::assert_snapshot!("check_models", report(&["--model", "ptx-9.2", "--model", "sc"]));
    insta::assert_snapshot!("check_json", report(&["--format", "json"]));
    insta::assert_snapshot!("check_herd", report(&["--format", "herd"]));
    insta::assert_snapshot!("check_junit", report(&["--format", "junit"]));
    insta::assert_snapshot!("check_witness", report(&["--witness"]));
    insta::assert_snapshot!("check_engines", report(&["--engine", "all"]));
}

#[test]
fn json_is_json() {
    let run = ptxmc(&["check", "--format", "json", "--witness", MP, RELAXED, BAD, WRONG]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("the report parses");
    assert_eq!(report["schema"], 1);
    assert_eq!(report["tests"].as_array().map(Vec::len), Some(3));
    assert_eq!(report["tests"][1]["verdicts"][0]["witness"]["state"]["P1:r1"], "1");
    assert_eq!(report["diagnostics"][0]["place"]["line"], 3);
    assert_eq!(report["summary"]["unexpected"], 1);
}

#[test]
fn output_does_not_depend_on_the_number_of_workers() {
    for format in ["text", "json", "junit", "herd"] {
        let report = |jobs: &str| {
            ptxmc(&["check", "-j", jobs, "--format", format, "litmus/mp", "litmus/sb"]).transcript()
        };
        let alone = report("1");
        assert!(alone.lines().count() > 20, "{alone}");
        assert_eq!(alone, report("7"));
    }
}

#[test]
fn endless_waits_are_said_of_states() {
    let told = ptxmc(&["outcomes", "litmus/control/endless-wait.litmus"]).transcript();
    assert!(told.contains("no execution ends: a thread waits for ever at"), "{told}");
}

#[test]
fn one_test_can_be_looked_at() {
    insta::assert_snapshot!("outcomes_text", ptxmc(&["outcomes", RELAXED]).transcript());
    insta::assert_snapshot!("outcomes_witness", ptxmc(&["outcomes", MP, "--witness"]).transcript());
    insta::assert_snapshot!(
        "outcomes_json",
        ptxmc(&["outcomes", COLUMNS, "--format", "json"]).transcript()
    );
    insta::assert_snapshot!("explain_forbidden", ptxmc(&["explain", MP]).transcript());
    insta::assert_snapshot!("explain_allowed", ptxmc(&["explain", RELAXED]).transcript());
    insta::assert_snapshot!("explain_host", ptxmc(&["explain", HOST]).transcript());
    insta::assert_snapshot!("explain_deadlock", ptxmc(&["explain", DEADLOCK]).transcript());
    let stuck = "tests/cli/sometimes-stuck.litmus";
    insta::assert_snapshot!("explain_stuck", ptxmc(&["explain", stuck]).transcript());
    insta::assert_snapshot!("explain_unknown", ptxmc(&["explain", LOOP]).transcript());
    insta::assert_snapshot!("explain_cycle", ptxmc(&["explain", MP, "--model", "sc"]).transcript());
    insta::assert_snapshot!("explain_outside", ptxmc(&["explain", OUTSIDE]).transcript());
}

#[test]
fn parts_have_names() {
    let told = ["check --witness", "outcomes", "races"].map(|command| {
        let arguments: Vec<&str> = command.split(' ').chain([PARTS]).collect();
        ptxmc(&arguments).transcript()
    });
    insta::assert_snapshot!(told.concat());
}

/// A sequence around a call is about the call, where an execution comes to it.
#[test]
fn calls_are_not_followed() {
    let tests = ["call", "assertion", "indirect", "pointer"];
    let paths = tests.map(|name| format!("tests/cli/{name}.litmus"));
    let arguments: Vec<&str> =
        ["check", "--engine", "all"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    insta::assert_snapshot!(ptxmc(&arguments).transcript());
}

#[test]
fn a_loop_that_is_cut_is_named() {
    let told = ["1", "3"].map(|bound| {
        let tests = [SPINLOCK, NO_WAY_OUT, SHARED_BARRIER, LOOP, "tests/cli/counted.litmus"];
        let options = ["check", "--engine", "all", "--bound", bound];
        ptxmc(&[&options[..], &tests].concat()).transcript()
    });
    let more = ["outcomes", "races"].map(|command| ptxmc(&[command, LOOP]).transcript());
    insta::assert_snapshot!([told, more].concat().concat());
}

/// There is an outcome for every value of the variable, more than can be listed.
#[test]
fn states_that_satisfy_the_condition_come_first() {
    let text = "PTX unknown\n.shared .u32 s;\nP0 @ cta 0 { ld.shared.u32 %r1, [s]; }\n\
                exists (P0:%r1 == 77)\n";
    let run = ptxmc_reading(&["outcomes", "--engine", "z3", "--timeout", "2", "-"], text);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[1], "* P0:r1=77;", "{}", run.transcript());
    assert!(lines[2].starts_with("  P0:r1="), "{}", run.transcript());
    assert!(run.out.contains("\n1 of these "), "{}", run.transcript());
    assert_eq!(run.status, 3);
}

#[test]
fn pictures_are_written() {
    let folder = tempfile::tempdir().expect("there is room");
    let draw = |test: &str, name: &str| {
        let file = folder.path().join(name);
        (ptxmc(&["draw", test, "-o", path(&file)]), fs::read_to_string(&file))
    };
    let (run, text) = draw(RELAXED, "a.dot");
    assert_eq!(run.status, 0, "{}", run.transcript());
    insta::assert_snapshot!("draw_dot", text.expect("the picture is there"));
    let (run, text) = draw(MP, "b.dot");
    assert_eq!(run.status, 0, "{}", run.transcript());
    let text = text.expect("the picture is there");
    assert!(text.contains("(forbidden: breaks Causality)"), "{text}");
    assert_eq!(draw(LOOP, "b.dot").0.status, 3);
    assert_eq!(draw(RELAXED, "c.png").0.status, 2);
    let (run, text) = draw(RELAXED, "d.html");
    let text = text.expect("the page is there");
    assert_eq!(run.status, 0, "{}", run.transcript());
    assert!(text.starts_with("<!DOCTYPE html>") && text.contains("<svg"), "{text}");
    let run = ptxmc(&["draw", RELAXED, "-o", "-"]);
    assert!(run.out.starts_with("<svg") && run.out.ends_with("</svg>\n"), "{}", run.transcript());
    let run = ptxmc(&["draw", RELAXED, "-o", "-", "--format", "text", "--relation", "rf,fr"]);
    insta::assert_snapshot!("draw_text", run.transcript());
    let run = ptxmc(&["draw", RELAXED, "-o", "-", "--relation", "rff"]);
    insta::assert_snapshot!("draw_no_relation", run.transcript());
}

#[test]
fn models_are_listed_and_shown() {
    insta::assert_snapshot!("model_list", ptxmc(&["model"]).transcript());
    insta::assert_snapshot!("model_axioms", ptxmc(&["model", "ptx-9.2"]).transcript());
    let shown = ptxmc(&["model", "sc", "--show"]);
    insta::assert_snapshot!("model_shown", shown.transcript());
}

#[test]
fn a_model_can_be_a_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let model = folder.path().join("mine.cat");
    fs::write(folder.path().join("part.cat"), "let order = po | rf | co | fr\n").expect("room");
    fs::write(&model, "include \"part.cat\"\nacyclic order as mine\n").expect("room");
    let run = ptxmc(&["check", "--model", path(&model), RELAXED]);
    assert!(run.out.contains("forbidden") && run.out.contains("mine"), "{}", run.transcript());
    fs::write(&model, "acyclic poo as mine\n").expect("room");
    let run = ptxmc(&["model", path(&model)]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("mine.cat:1"), "{}", run.err);
}

#[test]
fn flags_of_a_model_are_shown() {
    let folder = tempfile::tempdir().expect("there is room");
    let model = folder.path().join("flags.cat");
    let text = "acyclic rf as order\nflag ~empty rf as reads\nflag empty rf as quiet\n";
    fs::write(&model, text).expect("room");
    let axioms = ptxmc(&["model", path(&model)]).out;
    assert!(axioms.contains("flag ~empty") && axioms.contains("flag empty "), "{axioms}");
    for arguments in [&["check", "--witness"][..], &["explain"], &["outcomes", "--witness"]] {
        let all: Vec<&str> =
            arguments.iter().chain(&["--model", path(&model), RELAXED]).copied().collect();
        let run = ptxmc(&all);
        assert!(run.out.contains("flag   reads"), "{}", run.transcript());
        assert!(!run.out.contains("quiet"), "{}", run.transcript());
    }
    let run = ptxmc(&["outcomes", "--model", path(&model), RELAXED]);
    assert!(run.out.contains("(flag reads)"), "{}", run.transcript());
    let json = ["check", "--witness", "--format", "json", "--model", path(&model), RELAXED];
    assert!(ptxmc(&json).out.contains("\"flags\":[\"reads\"]"));
}

/// Whatever a model says, the read half of an atomic operation comes before its write half.
#[test]
fn an_atomic_does_not_read_its_own_write() {
    let folder = tempfile::tempdir().expect("there is room");
    let (model, test) = (folder.path().join("none.cat"), folder.path().join("own.litmus"));
    fs::write(&model, "acyclic rf \\ rf as nothing\n").expect("room");
    let text = "PTX own\nExpect=forbidden\n.global .u32 x = 0;\n\
                P0 @ gpu 0, cta 0 { atom.global.exch.b32 %r1, [x], 1; }\nexists (P0:%r1 == 1)\n";
    fs::write(&test, text).expect("room");
    for engine in ["search", "z3", "enumerate"] {
        let run = ptxmc(&["check", "--engine", engine, "--model", path(&model), path(&test)]);
        assert_eq!(run.status, 0, "{engine}: {}", run.transcript());
    }
}

#[test]
fn misuse_is_explained() {
    let misuses: &[&[&str]] = &[
        &["check", "--model", "ptx-9.3", MP],
        &["check", "--engine", "alloy", MP],
        &["check", "--reading", "co=ttal", MP],
        &["check", "--reading", "tearing=bit", MP],
        &["check", "--reading", "tearing", MP],
        &["check", "--format", "herd", "--model", "sc", "--model", "ptx-9.2", MP],
        &["check", "--format", "junit", "--witness", MP],
        &["check", "--timeout", "-1", MP],
        &["check", "--bound", "0", MP],
        &["check", "scripts"],
        &["check", "@tests/cli/no-such-list"],
        &["check", "tests/cli/bad/expectation.litmus"],
        &["outcomes", MP, "--name", "SB"],
        &["draw", MP, "-o", "mp.png"],
        &["draw", LOOP, "-o", "loop.dot"],
    ];
    let mut text = String::new();
    for arguments in misuses {
        text.push_str(&format!(
            "$ ptxmc {}\n{}\n",
            arguments.join(" "),
            ptxmc(arguments).transcript()
        ));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn tests_come_from_files_folders_lists_and_standard_input() {
    let folder = tempfile::tempdir().expect("there is room");
    let sub = folder.path().join("sub");
    fs::create_dir(&sub).expect("room");
    for (name, from) in [("b.litmus", MP), ("sub/a.litmus", RELAXED), ("sub/notes.txt", MP)] {
        fs::copy(from, folder.path().join(name)).expect("room");
    }
    let list = folder.path().join("list");
    fs::write(&list, "# both\nsub\nb.litmus # again\n\nsub/a.litmus\n").expect("room");
    let names = |argument: &str| -> Vec<String> {
        let run = ptxmc(&["check", argument]);
        assert_eq!(run.status, 0, "{}", run.transcript());
        let lines = run.out.lines().filter(|line| line.contains(".litmus"));
        lines
            .map(|l| l.split(' ').next().unwrap_or("").rsplit('/').next().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(names(path(folder.path())), ["b.litmus", "a.litmus"]);
    assert_eq!(names(&format!("@{}", path(&list))), ["a.litmus", "b.litmus"]);
    let (plain, dotted) = (folder.path().join("b.litmus"), folder.path().join("sub/../b.litmus"));
    let run = ptxmc(&["check", path(&plain), path(&dotted), path(&folder.path().join("."))]);
    assert!(run.out.contains("2 tests") && run.err.is_empty(), "{}", run.transcript());
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(MP)).expect("there");
    let run = ptxmc_reading(&["check", "-"], &text);
    assert!(run.out.starts_with("<stdin>  forbidden  as expected"), "{}", run.transcript());
}

#[test]
fn a_baseline_takes_precedence() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("baseline");
    let baseline = path(&file);
    let check = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["check", "--baseline", baseline, MP, WRONG].iter().chain(more).copied().collect();
        ptxmc(&arguments)
    };
    assert_eq!(check(&[]).status, 2, "there is no baseline yet");
    assert_eq!(check(&["--bless"]).status, 0);
    assert_eq!(check(&[]).status, 0, "the baseline knows better than the test");
    let text = fs::read_to_string(&file).expect("it was written");
    insta::assert_snapshot!("baseline", text);
    fs::write(
        &file,
        text.replace("forbidden\tptx-9.2\ttests/cli/MP", "allowed\tptx-9.2\ttests/cli/MP"),
    )
    .expect("room");
    let run = check(&[]);
    assert_eq!(run.status, 1);
    assert!(run.out.contains("NOT EXPECTED: expected allowed"), "{}", run.transcript());
    let respelled = MP.replace("tests/", "./tests//");
    let run = ptxmc(&["check", "--baseline", baseline, &respelled]);
    assert_eq!(run.status, 1, "a test is known however its path is spelled: {}", run.transcript());
    assert!(check(&[LOOP]).err.contains("verdicts that the baseline lacks: 1"));
    fs::write(&file, "forbidden ptx-9.2\n").expect("room");
    assert_eq!(check(&[]).status, 2);
}

#[test]
fn a_baseline_tells_readings_apart() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("baseline");
    let check = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["check", "--baseline", path(&file), MP].iter().chain(more).copied().collect();
        ptxmc(&arguments)
    };
    let total = ["--reading", "tearing=byte", "--reading", "co=total", "--bless"];
    assert_eq!(check(&total).status, 0);
    let lacks = "verdicts that the baseline lacks: 1 (it has verdicts under ";
    let told = format!("{lacks}`--reading co=total` `--reading tearing=byte`)\n");
    let run = check(&[]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.err.contains(&told), "{}", run.transcript());
    assert_eq!(check(&total[..4]).err, "");
    assert_eq!(check(&["--bless", "--reading", "vector=ordered"]).err, "");
    assert_eq!(check(&[]).err, "", "a default that is chosen is the default");
    insta::assert_snapshot!(
        "baseline_readings",
        fs::read_to_string(&file).expect("it was written")
    );
    assert!(check(&total[2..4]).err.contains(&format!("{lacks}the default readings, and under ")));
}

#[test]
fn output_that_cannot_be_written_is_reported() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    for arguments in [&["check", MP][..], &["--help"], &["--version"]] {
        let full = full.try_clone().expect("an open file");
        let run = finish(command(arguments).stdout(full));
        assert_eq!(run.status, 2, "{arguments:?}");
        assert!(run.err.starts_with("error: cannot write to standard output"), "{}", run.err);
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let commands: &[&[&str]] = &[
        &["check", "litmus/mp"],
        &["check", "-j", "1", MP, RELAXED],
        &["check", "-j", "7", "litmus/mp", "litmus/sb"],
        &["check", "--format", "json", "litmus/mp"],
        &["check", "--format", "junit", MP],
        &["check", "--isolate", "-j", "2", MP, RELAXED],
        &["outcomes", MP],
        &["model"],
        &["--help"],
    ];
    for arguments in commands {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let run = finish(command(arguments).stdout(writer));
        assert_eq!((run.status, run.err.as_str()), (141, ""), "{arguments:?}");
    }
}

#[test]
fn the_version_names_the_solver() {
    let run = ptxmc(&["--version"]);
    assert!(run.out.starts_with("ptxmc ") && run.out.contains("Z3 "), "{}", run.out);
}

#[test]
fn shipped_tests_give_what_they_expect() {
    let run = ptxmc(&["check", "litmus"]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    assert!(run.out.lines().count() > 500, "{}", run.transcript());
}

#[test]
fn bad_files_are_refused() {
    let mut refused = String::new();
    for folder in ["tests/bad", "tests/cli/bad"] {
        let mut names: Vec<String> =
            fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
                .expect("the folder is there")
                .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
                .collect();
        names.sort();
        assert!(!names.is_empty());
        for name in names {
            let run = ptxmc(&["check", &format!("{folder}/{name}")]);
            assert!(!run.err.is_empty(), "{name} is accepted without a word");
            refused.push_str(&format!("{name}: status {}\n{}\n", run.status, run.err));
        }
    }
    insta::assert_snapshot!(refused);
}

#[test]
fn races_text() {
    insta::assert_snapshot!(ptxmc(&["races", RELAXED]).transcript());
    insta::assert_snapshot!("races_together", ptxmc(&["races", LOCKED]).transcript());
    assert_eq!(ptxmc(&["races", MP]).status, 1);
    let alias = ptxmc(&["races", "litmus/proxy/CoWR+alias.litmus"]);
    assert!(alias.out.contains("comes behind P0 `st.relaxed.gpu x, 1`"), "{}", alias.transcript());
    assert!(alias.out.contains("put `fence.proxy.alias` between"), "{}", alias.transcript());
    // What lies beyond the bound may race.
    let run = ptxmc(&["races", LOOP]);
    assert_eq!(run.status, 3, "{}", run.transcript());
    assert!(run.out.contains("no data race found"), "{}", run.transcript());
}

/// A program without a verdict on its outcome is no program without races.
#[test]
fn what_voids_states_races_and_hangs_is_said_first() {
    for (test, kind, races) in [
        ("litmus/api/host-shared.litmus", "out-of-model", 3),
        ("litmus/api/non-coherent-load-before-a-wait.litmus", "out-of-model", 1),
        ("litmus/mbarrier/parity-in-a-register.litmus", "undefined", 3),
    ] {
        for (command, end, status) in
            [("races", "\n", races), ("outcomes", "\n", 3), ("hangs", ", progress cuda\n", 3)]
        {
            let run = ptxmc(&[command, test]);
            let first = format!("{test}: {kind} under ptx-9.2{end}");
            assert!(run.out.starts_with(&first), "{}", run.transcript());
            assert!(!run.out.contains("no data race under"), "{}", run.transcript());
            assert!(!run.out.contains("never hangs"), "{}", run.transcript());
            assert_eq!(run.status, status, "{}", run.transcript());
        }
    }
}

#[test]
fn final_states_and_reports_say_that_a_program_may_hang() {
    let text = "PTX reset\n.global .u32 count = 0;\n\
        P0 @ cta 0 { atom.add.acq_rel.gpu.global.u32 %r0, [count], 1;\n\
        L: ld.acquire.gpu.global.u32 %r1, [count]; setp.ne.u32 %p1, %r1, 2; @%p1 bra L;\n\
        st.relaxed.gpu.global.u32 [count], 0; }\n\
        P1 @ cta 1 { atom.add.acq_rel.gpu.global.u32 %r0, [count], 1;\n\
        L: ld.acquire.gpu.global.u32 %r1, [count]; setp.ne.u32 %p1, %r1, 2; @%p1 bra L; }\n\
        exists (P0:%r1 == 7)\n";
    let run = ptxmc_reading(&["outcomes", "-"], text);
    assert!(run.out.contains("The program may hang (progress cuda)"), "{}", run.transcript());
    let run = ptxmc_reading(&["check", "--format", "junit", "-"], text);
    assert!(
        run.out.contains("<property name=\"hang\" value=\"possible\"/>"),
        "{}",
        run.transcript()
    );
}

#[test]
fn an_explanation_says_what_was_expected() {
    let run = ptxmc(&["explain", "tests/cli/wrong.litmus"]);
    let first = "forbidden under ptx-9.2, NOT EXPECTED: expected allowed\n";
    assert!(run.out.contains(first), "{}", run.transcript());
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(!ptxmc(&["explain", MP]).out.contains("EXPECTED"));
}

#[test]
fn a_deadlock_is_where_threads_may_wait() {
    let explained = |last: &str| {
        let test = format!(
            "PTX t\n.global .u32 x = 0;\n.global .u32 n = 64;\n\
             P0 @ gpu 0, cta 0, warp 0 {{ ld.relaxed.gpu.u32 %r1, [x]; ld.weak.u32 %r2, [n]; \
             setp.eq.u32 %p1, %r1, 0; bar.sync 0; {last} }}\n\
             P1 @ gpu 0, cta 0, warp 1 {{ bar.sync 0; }}\nexists (x == 0)\n"
        );
        ptxmc_reading(&["explain", "-"], &test)
    };
    for (last, waits) in [
        (
            "@%p1 bar.sync 1, 64;",
            "all barriers: P0 waits at barrier 1 of CTA 0 for 64 threads, in one execution\n",
        ),
        // Of a number that is read, it is not looked for.
        ("bar.sync 1, %r2;", "all barriers: P0 may wait at barrier 1 of CTA 0\n"),
    ] {
        let run = explained(last);
        assert!(run.out.contains(waits), "{}", run.transcript());
    }
}

#[test]
fn an_address_of_another_space_is_named() {
    let verdict = |of: &str, access: &str| {
        let test = format!(
            "PTX t\n.shared .u32 s = 0;\nP0 @ gpu 0, cta 0, warp 0 {{ {of}.u64 %rd1, s; \
             {access}.u32 %r1, [%rd1]; }}\nexists (P0:%r1 == 0)\n"
        );
        ptxmc_reading(&["check", "-"], &test)
    };
    for (of, access, told) in [
        (
            "mov",
            "ld",
            "may be an address of `.shared::cta`, which `cvta.shared::cta` makes generic",
        ),
        ("cvta.shared", "ld.shared", "a generic address, which `cvta.to.shared::cta` makes one of"),
        ("cvta.shared", "ld.local", "outside every variable of its state space (PTX-6.4.1) ("),
    ] {
        let run = verdict(of, access);
        assert!(run.out.contains(told), "{}", run.transcript());
    }
}

#[test]
fn a_variable_is_not_a_register_with_a_percent_sign() {
    // What one thread declares says nothing of the names of another.
    let test = "PTX t\n.global .u32 x = 3;\n.global .u32 r1 = 5;\n.param .u64 p0 = x;\n\
                { P1:r1 = x; }\n\
                P0 @ cta 0 { .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>; \
                ld.param.u64 %rd1, [p0]; ld.global.u32 %r1, [%rd1]; }\n\
                P1 @ cta 1 { .reg .b64 r1; .reg .b32 q; ld.global.u32 q, [r1]; }\n\
                exists (~(P0:%r1 == 3 /\\ P1:q == 3))\n";
    let run = ptxmc_reading(&["check", "-"], test);
    assert!(run.out.contains("forbidden"), "{}", run.transcript());
}

#[test]
fn a_lane_depends_on_the_lane_that_it_takes_its_value_from() {
    let tests =
        ["this", "another"].map(|lane| format!("tests/cli/opaque-value-of-{lane}-lane.litmus"));
    let run = ptxmc(&["check", &tests[0], &tests[1]]);
    assert!(run.out.ends_with("2 as expected\n"), "{}", run.transcript());
}

#[test]
fn chosen_initial_values_are_shown() {
    let test = "PTX t\n.shared .u32 s;\nP0 @ gpu 0, cta 0, warp 0 { ld.shared.u32 %r1, [s]; }\n\
                exists (P0:%r1 == 7)\n";
    let run = ptxmc_reading(&["check", "--witness", "-"], test);
    assert!(run.out.contains("chosen  s=7\n"), "{}", run.transcript());
}

#[test]
fn options_that_are_nearly_right_are_told_so() {
    for (arguments, told) in [
        (
            &["--reading", "nta=foo", MP][..],
            "the reading `nta` is `syntactic` or `value`, not `foo`",
        ),
        (&["--reading", "nta=value,co=total", MP], "`--reading nta=value` `--reading co=total`"),
        (&["--witness", "dot", MP], "`--witness=dot`"),
        (&["--reading", "fastest=yes", MP], "(`ptxmc model` lists the readings)"),
        (&["--reading", "fastest", MP], "written NAME=VALUE, and `ptxmc model` lists them"),
    ] {
        let run = ptxmc(&[&["check"], arguments].concat());
        assert_eq!(run.status, 2, "{}", run.transcript());
        assert!(run.err.contains(told), "{}", run.transcript());
    }
}

#[test]
fn an_option_of_another_command_is_told_so() {
    for (arguments, told) in [
        (&["explain", "--witness", MP][..], "`ptxmc check` and `ptxmc outcomes` have `--witness`"),
        (&["races", "--baseline", "FILE", MP], "`ptxmc check` has `--baseline`"),
        (&["draw", "--modle", "sc", MP], "a similar argument exists: '--model'"),
        (&["races", "--no-such", MP], "to pass '--no-such' as a value"),
    ] {
        let run = ptxmc(arguments);
        assert_eq!(run.status, 2, "{}", run.transcript());
        assert!(run.err.contains(&format!("  tip: {told}")), "{}", run.transcript());
    }
}

/// `tests/it/readings.rs` checks what each reading changes; here, that the option reaches the verdict.
#[test]
fn readings_are_chosen_by_option() {
    for reading in ["co=total", "vector=whole"] {
        let run = ptxmc(&["check", "litmus/readings", "--reading", reading]);
        assert_eq!(run.status, 0, "{reading}\n{}", run.transcript());
    }
    let list = ptxmc(&["model"]).out;
    let lines = list.lines().filter_map(|line| line.trim().strip_prefix("--reading "));
    for (name, what) in lines.map(|line| line.split_once(' ').expect("a name and more")) {
        assert!(!what.trim().is_empty(), "{name} has no description");
    }
}
