//! Tables in `paper-notes` that tests generate, and keep current.

use std::path::Path;

/// Fails unless `paper-notes/NAME` is `text`; with `PTXMC_BLESS=1` it becomes so.
pub fn assert_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes").join(name);
    if std::env::var("PTXMC_BLESS").as_deref() == Ok("1") {
        std::fs::write(&path, text).expect("notes can be written");
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = there.lines().zip(text.lines()).find(|(old, new)| old != new);
    let (old, new) = differs.unwrap_or(("", "(a line more or less)"));
    assert!(
        there == text,
        "paper-notes/{name} is not current; PTXMC_BLESS=1 makes it so\n- {old}\n+ {new}"
    );
}

/// The first few names, and how many there are.
pub fn some(names: &[&str]) -> String {
    const FEW: usize = 3;
    let few: Vec<String> = names.iter().take(FEW).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        n if n <= FEW => few.join(", "),
        n => format!("{n}: {}, …", few.join(", ")),
    }
}
