//! The fields of a row of results, one for each observed value of a test, with one row for each
//! instance.

use super::refusal::Refusal;
use crate::litmus::ast::{Condition, DeclaredSpace, Place, Quantifier, Term, Test};
use crate::program::layout::Layout;
use crate::program::lower::lower;
use crate::program::micro::RegisterInfo;
use crate::program::reading::Readings;
use crate::ptx::operation::Type;

/// Where the value of a field comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register of a thread.
    Register {
        /// The thread, as an index.
        thread: usize,
        /// The register's name without `%`.
        register: String,
    },
    /// An element of a global variable.
    Global {
        /// Index into the test's variables.
        variable: usize,
        /// The element.
        element: u64,
    },
    /// An element of a CTA's instance of a shared variable.
    Shared {
        /// Index into the test's variables.
        variable: usize,
        /// The element.
        element: u64,
        /// The cluster, counted from 0 in order of the text.
        cluster: usize,
        /// The rank of the CTA in the cluster.
        rank: usize,
    },
    /// An element of a thread's instance of a local variable.
    Local {
        /// The thread, as an index.
        thread: usize,
        /// Index into the test's variables.
        variable: usize,
        /// The element.
        element: u64,
    },
}

/// An observed value of a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in lists of final states: `P1:r1`, `x`, `x[1]`, `P1:s`.
    pub name: String,
    /// The source of the value.
    pub source: Source,
    /// Its type.
    pub ty: Type,
    /// The offset in the row, in bytes.
    pub offset: u32,
    /// The size in the row in bytes: 4, 8 or 16.
    pub bytes: u32,
}

/// The fields of a test in order of their names, and the size of a row in bytes.
pub(super) fn observed(test: &Test, places: &[Place]) -> Result<(Vec<Field>, u32), Refusal> {
    let layout = Layout::new(test);
    let registers: Vec<Vec<RegisterInfo>> =
        lower(test, Readings::default()).threads.into_iter().map(|t| t.registers).collect();
    let mut fields: Vec<Field> = Vec::new();
    for term in terms(test) {
        let Some((name, source, ty)) = field(term, test, places, &layout, &registers)? else {
            continue;
        };
        if fields.iter().all(|field| field.name != name) {
            let bytes = (ty.bits.div_ceil(8)).next_power_of_two().clamp(4, 16);
            fields.push(Field { name, source, ty, offset: 0, bytes });
        }
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    let mut next = 0_u32;
    for field in &mut fields {
        field.offset = next.next_multiple_of(field.bytes);
        next = field.offset + field.bytes;
    }
    Ok((fields, next.next_multiple_of(16).max(16)))
}

fn field(
    term: &Term,
    test: &Test,
    places: &[Place],
    layout: &Layout,
    registers: &[Vec<RegisterInfo>],
) -> Result<Option<(String, Source, Type)>, Refusal> {
    let thread_name = |thread: usize| &test.threads[thread].name.value;
    Ok(Some(match term {
        Term::Number(_) | Term::Float(_) => return Ok(None),
        Term::AddressOf(name) => return Err(Refusal::Address(name.value.clone())),
        Term::Register { thread, register, .. } => {
            let name = format!("{}:{register}", thread_name(*thread));
            let known = registers[*thread].iter().find(|info| info.name == *register);
            let Some(info) = known else { return Err(Refusal::Final(name)) };
            (name, Source::Register { thread: *thread, register: register.clone() }, info.ty)
        }
        Term::Memory { variable: name, index, instance, .. } => {
            let Some(variable) = root(test, name) else {
                return Err(Refusal::Final(name.clone()));
            };
            let declared = &test.variables[variable];
            let element = *index;
            let own = if declared.elements > 1 { format!("{name}[{index}]") } else { name.clone() };
            let full = match instance {
                Some(thread) => format!("{}:{own}", thread_name(*thread)),
                None => own,
            };
            let thread = instance.unwrap_or(0);
            let source = match declared.space {
                DeclaredSpace::Global => Source::Global { variable, element },
                DeclaredSpace::Local => Source::Local { thread, variable, element },
                DeclaredSpace::Shared => {
                    let place = places[thread];
                    let mut clusters: Vec<u32> = Vec::new();
                    for other in places {
                        if !clusters.contains(&other.cluster) {
                            clusters.push(other.cluster);
                        }
                    }
                    let cluster = clusters.iter().position(|&c| c == place.cluster).unwrap_or(0);
                    let rank = usize::try_from(layout.rank(place)).unwrap_or(0);
                    Source::Shared { variable, element, cluster, rank }
                }
                DeclaredSpace::Const | DeclaredSpace::Param | DeclaredSpace::Multimem => {
                    return Err(Refusal::Final(full));
                }
            };
            (full, source, declared.ty)
        }
    }))
}

/// The variable of a name, which may be an alias.
pub(super) fn root(test: &Test, name: &str) -> Option<usize> {
    let mut name = name;
    // An alias names a variable or an alias that is declared before it.
    for _ in 0..=test.aliases.len() {
        if let Some(at) = test.variables.iter().position(|v| v.name.value == name) {
            return Some(at);
        }
        name = &test.aliases.iter().find(|alias| alias.name.value == name)?.target.value;
    }
    None
}

/// All terms that a test observes, in its condition, its filter and its `locations`.
pub(super) fn terms(test: &Test) -> Vec<&Term> {
    let mut all = Vec::new();
    collect(&test.condition, &mut all);
    test.filter.iter().for_each(|filter| collect(filter, &mut all));
    all.extend(&test.locations);
    all
}

fn collect<'t>(condition: &'t Condition, all: &mut Vec<&'t Term>) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Compare(_, a, b) => all.extend([a, b]),
        Condition::Not(inner) => collect(inner, all),
        Condition::And(list) | Condition::Or(list) => list.iter().for_each(|c| collect(c, all)),
        Condition::Implies(a, b) => {
            collect(a, all);
            collect(b, all);
        }
    }
}

/// The word for a quantifier in logs, called the kind of a test in herd.
#[must_use]
pub fn kind_word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    }
}
