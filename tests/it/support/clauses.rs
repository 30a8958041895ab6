//! The clauses of the standard that tests, models and mutants may name: `tests/clauses.txt`.

use std::path::Path;

/// A section of the standard.
pub struct Clause {
    /// Its id, such as `PTX-8.10.6`.
    pub id: String,
    /// Its title, or the instruction.
    pub title: String,
    /// Why nothing can be observed of it.
    pub unobservable: Option<String>,
}

/// All clauses, in the order of the standard.
pub fn clauses() -> Vec<Clause> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clauses.txt");
    let text = std::fs::read_to_string(path).expect("there is a list of clauses");
    let clauses: Vec<Clause> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let mut fields = line.split(" | ").map(str::to_owned);
            let mut field = || fields.next().expect("id | title");
            Clause { id: field(), title: field(), unobservable: fields.next() }
        })
        .collect();
    assert!(clauses.is_sorted_by_key(|c| order(&c.id)), "the list of clauses is out of order");
    clauses
}

/// The numbers of an id, by which clauses are in the order of the standard.
pub fn order(id: &str) -> Vec<u32> {
    let numbers = id.strip_prefix("PTX-").unwrap_or_else(|| panic!("`{id}` is no clause id"));
    let number = |n: &str| n.parse().unwrap_or_else(|_| panic!("`{id}` is no clause id"));
    numbers.split('.').map(number).collect()
}

/// The ids in a `Clause=` line.
pub fn ids(value: &str) -> impl Iterator<Item = &str> {
    value.split([' ', ',']).filter(|id| !id.is_empty())
}
