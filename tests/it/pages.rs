//! Pages: that they are well formed and small, that what they refer to is there, and, where there is a
//! browser, that they do what they promise when somebody clicks.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

use crate::support::command::{path, ptxmc};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LARGEST: usize = 200_000;

/// Elements without an end in HTML.
const VOID: [&str; 3] = ["meta", "input", "br"];

/// Checks that elements are closed in order, that ids are told apart, and that whatever is referred to
/// is there. Gives how many elements there are.
fn well_formed(name: &str, text: &str) -> usize {
    assert!(text.starts_with("<!DOCTYPE html>"), "{name}");
    let raw = Regex::new(r"(?s)<(style|script)>.*?</(style|script)>").expect("a pattern");
    let text = raw.replace_all(text, "");
    let tag = Regex::new(r#"<(/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z-]+(?:="[^"<]*")?)*)\s*(/?)>"#)
        .expect("a pattern");
    let (mut open, mut count) = (Vec::new(), 0);
    let mut behind = 0;
    for found in tag.captures_iter(&text) {
        let all = found.get(0).expect("the whole");
        let between = &text[behind..all.start()];
        assert!(!between.contains('<') || behind == 0, "{name}: stray `<` in {between:?}");
        behind = all.end();
        count += 1;
        let element = found[2].to_owned();
        match (&found[1], &found[4]) {
            ("/", _) => assert_eq!(open.pop().as_deref(), Some(&*element), "{name}"),
            (_, "/") => {}
            _ if VOID.contains(&&*element) => {}
            _ => open.push(element),
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} are open");
    let values = |attribute: &str| -> Vec<String> {
        let pattern = Regex::new(&format!(" {attribute}=\"([^\"]*)\"")).expect("a pattern");
        let words = pattern.captures_iter(&text).map(|found| found[1].to_owned());
        words.flat_map(|list| list.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let ids = values("id");
    let known: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(known.len(), ids.len(), "{name}: ids are used twice");
    let events: BTreeSet<String> = values("data-events").into_iter().collect();
    for end in values("data-from").into_iter().chain(values("data-to")) {
        assert!(events.contains(&end) || end.is_empty(), "{name}: no event {end}");
    }
    for line in values("data-lines").into_iter().filter(|line| !line.is_empty()) {
        let id = format!("L{line}");
        assert!(known.contains(&id), "{name}: no line {line}");
    }
    for outside in ["http://", "https://", "src=", "@import"] {
        let allowed = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!allowed.contains(outside), "{name} refers to {outside}");
    }
    count
}

fn report(tests: &[&str], folder: &Path) -> PathBuf {
    let out = folder.join("report");
    let run = ptxmc(&[&["check", "-j2", "--report", path(&out)], tests].concat());
    assert_eq!(run.status, 0, "{}", run.transcript());
    out
}

#[test]
fn pages_are_well_formed_and_small() {
    let folder = tempfile::tempdir().expect("there is room");
    let tests = ["litmus/iriw", "litmus/isa2", "litmus/bulk/load.litmus", "litmus/mixed-size"];
    let out = report(&tests, folder.path());
    let index = fs::read_to_string(out.join("index.html")).expect("a list");
    well_formed("index.html", &index);
    let row = Regex::new(r#"\[\d+,"([^"]*)\.litmus","([^"]*)",(\d+,?)+\]"#).expect("a pattern");
    let page = |(at, found): (usize, regex::Captures<'_>)| match &found[2] {
        "" => format!("tests/{:04}-{}.html", at + 1, &found[1]),
        page => page.to_owned(),
    };
    let links: Vec<String> = row.captures_iter(&index).enumerate().map(page).collect();
    assert!(links.len() > 30, "{links:?}");
    for link in links {
        let text = fs::read_to_string(out.join(&link)).expect("the page is there");
        assert!(text.len() < LARGEST, "{link} has {} bytes", text.len());
        assert!(well_formed(&link, &text) > 40, "{link}");
        assert!(text.contains("<a href=\"../index.html\">"), "{link}");
    }
}

/// What tests say is shown as it is.
/// A page says what is wrong with an outcome that its author wants excluded, and why each step of what is
/// forbidden holds.
#[test]
fn pages_have_kinds_and_proofs() {
    let folder = tempfile::tempdir().expect("there is room");
    let page = |test: &str| {
        let out = folder.path().join("page.html");
        let run = ptxmc(&["draw", test, "-o", path(&out)]);
        assert_eq!(run.status, 0, "{}", run.err);
        let text = fs::read_to_string(&out).expect("a page");
        well_formed(test, &text);
        text
    };
    let racy = page("litmus/realworld/R06-missing-acquire-fence.litmus");
    assert!(
        racy.contains("id=\"kinds\"") && racy.contains("<li>no acquire (PTX-8.8)</li>"),
        "{racy}"
    );
    let excluded = page("tests/cli/MP.litmus");
    assert!(!excluded.contains("id=\"kinds\""), "{excluded}");
    let proof = excluded.split("<details>").nth(1).expect("a step with a proof");
    assert!(proof.contains("<summary>why</summary>") && proof.contains("-rf-"), "{proof}");
}

#[test]
fn texts_are_escaped() {
    let folder = tempfile::tempdir().expect("there is room");
    let (test, page) = (folder.path().join("a.litmus"), folder.path().join("a.html"));
    let text = "PTX <b>&\"x\"\n\"doc <script>alert(1)</script>\"\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n \
                st.relaxed.gpu x, 1 ;\nexists (x == 1)\n";
    fs::write(&test, text).expect("there is room");
    let run = ptxmc(&["draw", path(&test), "-o", path(&page)]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    let text = fs::read_to_string(&page).expect("the page is there");
    well_formed("a.html", &text);
    assert!(text.contains("doc &lt;script&gt;alert(1)"), "{text}");
    assert!(!text.contains("<script>alert"), "{text}");
}

/// Where programs that show pages are.
fn browser() -> Option<&'static str> {
    let starts = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|run| run.status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(starts)
}

/// Opens a page with a script more, and gives what that leaves in the title.
fn told(browser: &str, page: &Path, script: &str) -> String {
    let text = fs::read_to_string(page).expect("the page is there");
    let told = format!(
        "<script>try {{ document.title = JSON.stringify((() => {{ {script} }})()); }} \
                        catch (error) {{ document.title = 'failed: ' + error; }}</script></body>"
    );
    let copy = page.with_extension("clicked.html");
    fs::write(&copy, text.replace("</body>", &told)).expect("there is room");
    let profile = tempfile::tempdir().expect("there is room");
    let run = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", copy.display()))
        .output()
        .expect("the browser starts");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let title = Regex::new("(?s)<title>(.*?)</title>").expect("a pattern");
    let found = title.captures(&text).unwrap_or_else(|| panic!("no page: {text}"));
    found[1].replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn pages_answer_clicks() {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium");
        return;
    };
    let folder = tempfile::tempdir().expect("there is room");
    let out = report(&["litmus/isa2"], folder.path());
    let page = out.join("tests/0001-ISA2+bar+gpu.html");
    let lit = told(
        browser,
        &page,
        "const count = (selector) => document.querySelectorAll(selector).length;
         const steps = document.querySelectorAll('.steps button');
         const before = count('.lit');
         steps[2].click();
         const one = [count('#deciding .cell.lit'), count('#deciding .wire.lit'), count('.source .lit')];
         const pressed = count('[aria-pressed=true]');
         steps[2].focus();
         steps[2].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
         const next = [document.activeElement === steps[3], count('#deciding .step.lit')];
         document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
         return [before, one, pressed, next, count('.lit')];",
    );
    assert_eq!(lit, "[0,[2,1,2],1,[true,1],0]");
    let relations = told(
        browser,
        &page,
        "const full = document.getElementById('full');
         const hidden = full.hidden;
         document.querySelector('input[value=full]').click();
         const shown = () => [...full.querySelectorAll('.wire')]
             .filter((wire) => wire.style.display !== 'none').length;
         const some = shown();
         for (const box of document.querySelectorAll('input[data-relation]')) {
           if (box.checked) box.click();
         }
         const none = shown();
         document.querySelector('input[data-relation=causality]').click();
         const labels = [...full.querySelectorAll('.wire')]
             .filter((wire) => wire.style.display !== 'none')
             .map((wire) => wire.querySelector('text').textContent);
         return [hidden, full.hidden, document.getElementById('deciding').hidden,
                 some > 2, none, new Set(labels).size, labels[0]];",
    );
    assert_eq!(relations, "[true,false,true,true,0,1,\"causality\"]");
    let cell = told(
        browser,
        &page,
        "const cell = document.querySelector('#deciding .cell[data-lines]');
         cell.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
         return [cell.classList.contains('lit'), document.querySelectorAll('.source .lit').length];",
    );
    assert_eq!(cell, "[true,1]");
    let list = told(
        browser,
        &out.join("index.html"),
        "const shown = () => [...document.querySelectorAll('tbody tr')].filter((r) => !r.hidden).length;
         const set = (id, value) => {
           const input = document.getElementById(id);
           input.value = value;
           input.dispatchEvent(new Event('input'));
         };
         const all = shown();
         set('verdict', 'allowed');
         const allowed = shown();
         set('search', 'middle load');
         const found = shown();
         return [all, allowed, found, document.getElementById('count').textContent];",
    );
    assert_eq!(list, "[9,4,1,\"1 of 9 tests\"]");
}
