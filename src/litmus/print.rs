//! Tests back into text; reading the text again gives the same test, spans aside.

use crate::litmus::ast::{
    Condition, DeclaredSpace, InitialValue, LaunchSize, Place, Quantifier, Term, Test, Thread,
    ThreadPlace, Variable,
};
use crate::litmus::initial::is_wide;
use crate::litmus::tensor::{Swizzle, TensorMap};
use crate::litmus::tensor_memory::COLUMN;
use crate::ptx::legacy;
use crate::ptx::names::component;
use crate::ptx::operation::{Operation, Proxy, Register, Statement, Type};
use crate::ptx::print::{PrintError, Style, constant, statement, word};

/// Writes a test in columns.
///
/// # Errors
/// When the dialect has no form for a part of the test, such as a typed variable.
pub fn print_columns(test: &Test) -> Result<String, PrintError> {
    let mut text = header(test);
    text += "{\n";
    for variable in &test.variables {
        text += &column_variable(variable)?;
    }
    for alias in &test.aliases {
        text +=
            &format!("{} @ {} aliases {};\n", alias.name.value, alias.proxy, alias.target.value);
    }
    text += &register_inits(test, Style::Columns);
    text += &launch(test);
    text += "}\n";
    if test.version.is_some() || !test.tasks.is_empty() {
        return cannot("a version or tasks");
    }
    let mut columns = Vec::new();
    for thread in &test.threads {
        if !thread.registers.is_empty() {
            return cannot("declared registers");
        }
        let place = place(test, thread, Style::Columns);
        let mut column = vec![format!("{}{place}", thread_word(thread))];
        let last = thread.statements.len();
        for (at, code) in thread.statements.iter().enumerate() {
            column.push(cell(code, at + 1 == last, Style::Columns)?);
        }
        columns.push(column);
    }
    text += &rows(&columns);
    text += &tail(test, Style::Columns);
    Ok(text)
}

/// Writes a test in blocks of PTX statements.
///
/// # Errors
/// When PTX has no form for a part of the test, such as a compare-and-branch.
pub fn print_blocks(test: &Test) -> Result<String, PrintError> {
    let mut text = header(test);
    // Parts that PTX 1.4 leaves implicit are written, so the text is of a later version.
    if let Some((major, minor)) = test.version.filter(|&version| !legacy::applies(Some(version))) {
        text += &format!(".version {major}.{minor}\n");
    }
    for variable in &test.variables {
        text += &match test.tensor_map(&variable.name.value) {
            Some(map) => tensor_map(map),
            None if test.is_tensor_memory(&variable.name.value) => tensor_memory(variable),
            None => block_variable(variable),
        };
    }
    for alias in &test.aliases {
        if alias.proxy != Proxy::Generic {
            let what = format!("an alias of the {} proxy", alias.proxy);
            return Err(PrintError { style: Style::Ptx, what });
        }
        text += &format!(".alias {} = {};\n", alias.name.value, alias.target.value);
    }
    for task in &test.tasks {
        text += &format!("task {};\n", task.name.value);
    }
    for edge in &test.task_edges {
        let word = if edge.programmatic { "pdl" } else { "order" };
        text += &format!("{word} {} -> {};\n", edge.from.value, edge.to.value);
    }
    let initial = register_inits(test, Style::Ptx) + &launch(test);
    if !initial.is_empty() {
        text += &format!("{{\n{initial}}}\n");
    }
    for thread in &test.threads {
        text += &format!("{} {} {{\n", thread_word(thread), place(test, thread, Style::Ptx));
        text += &registers(thread);
        let last = thread.statements.len();
        for (at, code) in thread.statements.iter().enumerate() {
            let cell = cell(code, at + 1 == last, Style::Ptx)?;
            let end = if cell.ends_with(':') { "" } else { ";" };
            text += &format!("  {cell}{end}\n");
        }
        text += "}\n";
    }
    text += &tail(test, Style::Ptx);
    Ok(text)
}

/// The name of a thread as one word: names from launches have several, `cta 0 thread 3`.
fn thread_word(thread: &Thread) -> String {
    thread.name.value.replace(' ', "_")
}

fn cannot<T>(what: &str) -> Result<T, PrintError> {
    Err(PrintError { style: Style::Columns, what: what.to_owned() })
}

fn header(test: &Test) -> String {
    let mut text = format!("PTX {}\n", test.name);
    for doc in &test.docs {
        text += &format!("\"{doc}\"\n");
    }
    for line in &test.metadata {
        text += &format!("{}={}\n", line.key.value, line.value.value);
    }
    text
}

/// The declarations of a thread's registers; components are declared with their vector.
pub(crate) fn registers(thread: &Thread) -> String {
    let declared = |(name, ty): &(Register, Type)| {
        let (vector, at) = name.value.rsplit_once('.').unwrap_or((&name.value, ""));
        let at = component(at);
        let vector = if at.is_some() { vector } else { &name.value };
        (vector.to_owned(), at.is_some(), *ty)
    };
    let mut text = String::new();
    let all: Vec<_> = thread.registers.iter().map(declared).collect();
    for group in all.chunk_by(|a, b| a.2 == b.2 && a.1 == b.1 && (!a.1 || a.0 == b.0)) {
        let (first, is_vector, ty) = &group[0];
        let names: Vec<_> = group.iter().map(|(name, ..)| format!("%{}", word(name))).collect();
        text += &match is_vector {
            true => format!("  .reg .v{} .{ty} %{};\n", group.len(), word(first)),
            false => format!("  .reg .{ty} {};\n", names.join(", ")),
        };
    }
    text
}

fn column_variable(variable: &Variable) -> Result<String, PrintError> {
    let plain = variable.space == DeclaredSpace::Global
        && variable.ty == Type::UNTYPED
        && variable.align == 8
        && variable.initial_addresses.is_empty();
    if !plain {
        return cannot(&format!(
            "the declaration of `{}`: columns have global 64-bit variables only",
            variable.name.value
        ));
    }
    Ok(format!("{}{};\n", variable.name.value, array(variable)))
}

pub(crate) fn block_variable(variable: &Variable) -> String {
    let space = variable.space.directive();
    let align = if variable.align == u64::from(variable.ty.bytes()) {
        String::new()
    } else {
        format!(" .align {}", variable.align)
    };
    let initial = array(variable);
    format!(".{space}{align} .{} {}{initial};\n", variable.ty, variable.name.value)
}

/// `.tmem .b32 d[4];`
fn tensor_memory(variable: &Variable) -> String {
    let columns = variable.elements * u64::from(variable.ty.bytes()) / u64::from(COLUMN);
    match columns {
        1 => format!(".tmem .b32 {};\n", variable.name.value),
        columns => format!(".tmem .b32 {}[{columns}];\n", variable.name.value),
    }
}

/// `.tensormap tm = { x, .u32, {8, 4}, {4, 2} };`
fn tensor_map(map: &TensorMap) -> String {
    let list = |numbers: &[u64]| {
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        format!("{{{}}}", texts.join(", "))
    };
    let (dimensions, extents) = (list(&map.dimensions), list(&map.extents));
    let mut fields = format!("{}, .{}, {dimensions}, {extents}", map.tensor.value, map.ty);
    if !map.strides.is_empty() && !map.is_packed() {
        fields += &format!(", .strides {}", list(&map.strides));
    }
    if map.swizzle != Swizzle::None {
        fields += &format!(", .swizzle {}", map.swizzle.name());
    }
    format!(".tensormap {} = {{ {fields} }};\n", map.name.value)
}

/// `[4] = {1, 2}`, ` = 1`, or nothing.
fn array(variable: &Variable) -> String {
    let size =
        if variable.elements == 1 { String::new() } else { format!("[{}]", variable.elements) };
    match variable.initial.as_deref() {
        None => size,
        Some([_]) if variable.elements == 1 => format!(" = {}", initial(variable, 0)),
        Some(values) => {
            let values: Vec<_> = (0..values.len()).map(|at| initial(variable, at)).collect();
            format!("{size} = {{{}}}", values.join(", "))
        }
    }
}

/// The initial value of an element, as written in a test.
fn initial(variable: &Variable, element: usize) -> String {
    let address = variable.initial_addresses.iter().find(|a| a.element == element);
    let Some(address) = address else {
        let values = variable.initial.as_deref().unwrap_or_default();
        return constant(values.get(element).copied().unwrap_or(0), variable.ty);
    };
    let name = &address.name.value;
    let mut text = if address.generic { format!("generic({name})") } else { name.clone() };
    if address.offset != 0 {
        text += &format!("+{}", address.offset);
    }
    match address.bits.mask() {
        Some(mask) => format!("{mask:#x}({text})"),
        None => text,
    }
}

/// An integer as a test may write it: one of more than 64 bits by its bits.
pub(crate) fn integer(number: i128) -> String {
    if is_wide(number) { format!("{:#X}", number as u128) } else { number.to_string() }
}

fn register_inits(test: &Test, style: Style) -> String {
    let percent = percent(style);
    let line = |init: &crate::litmus::ast::RegisterInit| {
        let thread = thread_word(&test.threads[init.thread]);
        let value = match &init.value {
            InitialValue::Number(number) => integer(*number),
            InitialValue::Float(literal) => literal.to_string(),
            InitialValue::Address(name) => format!("&{}", name.value),
        };
        format!("{thread}:{percent}{}={value};\n", init.register.value)
    };
    test.register_inits.iter().map(line).collect()
}

fn launch(test: &Test) -> String {
    let line = |size: &LaunchSize| format!("%{}={};\n", size.register.value, size.value);
    test.launch.iter().map(line).collect()
}

fn percent(style: Style) -> &'static str {
    match style {
        Style::Ptx => "%",
        Style::Columns => "",
    }
}

/// `@cta 0,gpu 0`: parts with default values are omitted, except device and CTA. Clusters are
/// written if some thread's is not the default.
pub(crate) fn place(test: &Test, thread: &Thread, style: Style) -> String {
    let mut parts = Vec::new();
    if let Some(task) = thread.task.and_then(|task| test.tasks.get(task)) {
        parts.push(format!("task {}", task.name.value));
    }
    match thread.place {
        ThreadPlace::Host => parts.push("host".to_owned()),
        ThreadPlace::Device(Place { gpu, grid, cluster, cta, warp }) => {
            let own = |other: &Thread| match other.place {
                ThreadPlace::Device(place) => place.cluster == place.cta,
                ThreadPlace::Host => true,
            };
            let clusters = !test.threads.iter().all(own);
            let cluster = clusters.then(|| format!("cluster {cluster}"));
            let grid = (grid as usize != thread.task.unwrap_or(0)).then(|| format!("grid {grid}"));
            let (cta, gpu) = (format!("cta {cta}"), format!("gpu {gpu}"));
            match style {
                Style::Ptx => {
                    parts.extend([Some(gpu), grid, cluster, Some(cta)].into_iter().flatten())
                }
                Style::Columns => {
                    parts.extend([Some(cta), cluster, Some(gpu), grid].into_iter().flatten());
                }
            }
            parts.extend(warp.map(|warp| format!("warp {warp}")));
        }
    }
    match style {
        Style::Ptx => format!("@ {}", parts.join(", ")),
        Style::Columns => format!("@{}", parts.join(",")),
    }
}

/// A statement; labels at the end of a thread stand alone.
fn cell(code: &Statement, is_last: bool, style: Style) -> Result<String, PrintError> {
    if is_last
        && code.operation == Operation::Nothing
        && code.guard.is_none()
        && !code.labels.is_empty()
    {
        let labels: Vec<_> =
            code.labels.iter().map(|label| format!("{}:", word(&label.value))).collect();
        return Ok(labels.join(" "));
    }
    statement(code, style)
}

/// Columns side by side, padded to equal widths.
fn rows(columns: &[Vec<String>]) -> String {
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = columns
        .iter()
        .map(|c| c.iter().map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in 0..height {
        let cells = columns.iter().zip(&widths).map(|(column, &width)| {
            format!(" {:width$} ", column.get(row).map_or("", String::as_str))
        });
        text += &format!("{};\n", cells.collect::<Vec<_>>().join("|"));
    }
    text
}

pub(crate) fn tail(test: &Test, style: Style) -> String {
    let mut text = String::new();
    let printer = Conditions { test, style };
    if !test.locations.is_empty() {
        let terms: Vec<_> =
            test.locations.iter().map(|t| format!("{};", printer.term(t))).collect();
        text += &format!("locations [{}]\n", terms.join(" "));
    }
    if let Some(filter) = &test.filter {
        text += &format!("filter ({})\n", printer.condition(filter, 0));
    }
    let quantifier = match test.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    text + &format!("{quantifier} ({})\n", printer.condition(&test.condition, 0))
}

/// A condition in the syntax of the formats.
#[must_use]
pub fn print_condition(test: &Test, condition: &Condition) -> String {
    Conditions { test, style: Style::Ptx }.condition(condition, 0)
}

struct Conditions<'t> {
    test: &'t Test,
    style: Style,
}

impl Conditions<'_> {
    /// `level` is the binding strength of the context: 0 none, 1 `\/`, 2 `/\`, 3 the left of `=>`
    /// and under `~`.
    fn condition(&self, condition: &Condition, level: u8) -> String {
        let (own, text) = match condition {
            Condition::True => return "true".to_owned(),
            Condition::False => return "false".to_owned(),
            Condition::Compare(comparison, left, right) => (
                // A comparison under `~` is parenthesized for the reader's sake.
                2,
                format!("{} {} {}", self.term(left), comparison.symbol(), self.term(right)),
            ),
            Condition::Not(inner) => return format!("~{}", self.condition(inner, 3)),
            Condition::And(list) => (1, self.list(list, r" /\ ", 2)),
            Condition::Or(list) => (0, self.list(list, r" \/ ", 1)),
            Condition::Implies(left, right) => {
                (2, format!("{} => {}", self.condition(left, 3), self.condition(right, 2)))
            }
        };
        if own < level { format!("({text})") } else { text }
    }

    fn list(&self, list: &[Condition], operator: &str, level: u8) -> String {
        let level = |inner: &Condition| match inner {
            // `a /\ (b /\ c)` keeps its parentheses.
            Condition::And(_) | Condition::Or(_) => level.max(2),
            // Few readers know that `=>` binds tighter.
            Condition::Implies(..) => 3,
            _ => level,
        };
        let parts: Vec<_> = list.iter().map(|inner| self.condition(inner, level(inner))).collect();
        parts.join(operator)
    }

    fn term(&self, term: &Term) -> String {
        let thread = |at: usize| self.test.threads.get(at).map_or_else(String::new, thread_word);
        match term {
            Term::Register { thread: at, register, .. } => {
                format!("{}:{}{register}", thread(*at), percent(self.style))
            }
            Term::Memory { variable, index, instance, .. } => {
                let owner = instance.map_or(String::new(), |at| format!("{}:", thread(at)));
                let index = if *index == 0 { String::new() } else { format!("[{index}]") };
                format!("{owner}{variable}{index}")
            }
            Term::Number(number) => integer(number.value),
            Term::Float(number) => number.value.to_string(),
            Term::AddressOf(name) => format!("&{}", name.value),
        }
    }
}
