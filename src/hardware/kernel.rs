//! The PTX module of a plan: a kernel that runs instances of a test, and a kernel that collects
//! final values.
//!
//! In `ptxmc_test`, each thread computes its role (see [`super::geometry`]). For each of its
//! instances, the thread executes a prologue (stress, a common start), the statements between `//
//! begin NAME` and `// end NAME`, and the stores of observed registers. `ptxmc_collect`, launched
//! afterwards, copies final values of global variables to the results. All arguments have 64 bits.

use super::argument::{Argument, arguments};
use super::body::{Body, END, address_register, as_declared, body};
use super::fields::{Field, Source};
use super::plan::{Arrangement, Clustered, Ending, Plan, Role, Slot};
use super::refusal::Refusal;
use super::target::{Target, needed};
use crate::litmus::ast::{DeclaredSpace, Test};
use crate::litmus::print::block_variable;
use crate::ptx::operation::{Operation, TypeKind};
use crate::ptx::print::word;
use std::fmt::Write;

/// The kernel that runs instances.
pub const TEST: &str = "ptxmc_test";
/// The kernel that collects final values.
pub const COLLECT: &str = "ptxmc_collect";

/// A test as a PTX module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The text of the module.
    pub ptx: String,
    /// The PTX version and the target.
    pub target: Target,
    /// The arguments of [`TEST`], in order.
    pub arguments: Vec<Argument>,
    /// The global variables whose offsets are arguments of [`COLLECT`], as indices into
    /// [`Plan::globals`]. The arguments are memory, stride, results, the number of instances of all
    /// rounds, and then these offsets.
    pub collected: Vec<usize>,
}

impl Kernel {
    /// A fingerprint of the text, which distinguishes the results of different kernels.
    #[must_use]
    pub fn digest(&self) -> String {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", self.ptx.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
    }
}

/// Writes the module of a test for the given target, by default the oldest target with all forms of
/// the test.
///
/// # Errors
/// When the test has a feature that no kernel supports.
pub fn kernel(test: &Test, plan: &Plan, target: Option<&str>) -> Result<Kernel, Refusal> {
    let bodies: Vec<Body> =
        plan.roles.iter().map(|&role| body(test, plan, role)).collect::<Result<_, _>>()?;
    let target = needed(test, plan).named(target)?;
    let arguments = arguments(plan);
    let mut ptx = head(test, plan, &target);
    let mut writer = Writer { test, plan, out: String::new() };
    writer.entry(&arguments);
    writer.shared_memory();
    writer.parts();
    for (&role, body) in plan.roles.iter().zip(&bodies) {
        writer.role(role, body);
    }
    writer.others();
    ptx += &writer.out;
    let collected = collected(plan);
    ptx += &collect(plan, &collected);
    Ok(Kernel { ptx, target, arguments, collected })
}

fn head(test: &Test, plan: &Plan, target: &Target) -> String {
    let mut text = format!("// {}: many instances in one launch, see manifest.json\n", test.name);
    let _ = writeln!(text, ".version {}.{}", target.version.0, target.version.1);
    let _ = writeln!(text, ".target {}\n.address_size 64\n", target.arch);
    for variable in test.variables.iter().filter(|v| v.space == DeclaredSpace::Const) {
        text += &block_variable(variable);
    }
    if !plan.shared.is_empty() {
        text += ".extern .shared .align 128 .b8 ptxmc_shared[];\n";
    }
    text
}

/// Writes `ptxmc_test`.
struct Writer<'t> {
    test: &'t Test,
    plan: &'t Plan,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push('\t');
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| match line.trim() {
            line if line.ends_with(':') => self.label(line.trim_end_matches(':')),
            line => self.line(line),
        });
    }

    fn label(&mut self, name: &str) {
        let _ = writeln!(self.out, "{name}:");
    }

    /// Loads an argument into a register of the same name.
    fn argument(&mut self, argument: Argument) -> String {
        let register = format!("%ptxmc_a_{argument}");
        self.line(format!("ld.param.u64 {register}, [ptxmc_{argument}];"));
        register
    }

    fn entry(&mut self, arguments: &[Argument]) {
        let list: Vec<String> =
            arguments.iter().map(|a| format!("\t.param .u64 ptxmc_{a}")).collect();
        let _ = write!(self.out, "\n.visible .entry {TEST}(\n{}\n)\n", list.join(",\n"));
        if self.plan.clustered == Clustered::Explicitly {
            let size = self.plan.cluster_size;
            let _ = writeln!(self.out, ".explicitcluster\n.reqnctapercluster {size}, 1, 1");
        }
        self.out.push_str("{\n");
        for argument in arguments {
            self.line(format!(".reg .b64 %ptxmc_a_{argument};"));
        }
        for slot in self.plan.globals.iter().chain(&self.plan.shared) {
            self.line(format!(".reg .b64 %{};", address_register(&slot.name)));
        }
        for alias in &self.plan.aliases {
            self.line(format!(".reg .b64 %{};", address_register(&alias.name)));
        }
        // One address denotes the same variable of each thread (PTX-5.1.5).
        for variable in self.test.variables.iter().filter(|v| v.space == DeclaredSpace::Local) {
            let (name, align) = (word(&variable.name.value), variable.align);
            let (ty, elements) = (variable.ty, variable.elements);
            self.line(format!(".local .align {align} .{ty} {name}[{elements}];"));
        }
        self.lines(
            ".reg .pred %ptxmc_p, %ptxmc_q;
            .reg .b32 %ptxmc_thread, %ptxmc_lane, %ptxmc_word, %ptxmc_seen;
            .reg .b64 %ptxmc_unit, %ptxmc_rank, %ptxmc_warp, %ptxmc_part, %ptxmc_member;
            .reg .b64 %ptxmc_group, %ptxmc_x, %ptxmc_slot, %ptxmc_instance, %ptxmc_round, %ptxmc_row;
            .reg .b64 %ptxmc_d, %ptxmc_e, %ptxmc_f, %ptxmc_line, %ptxmc_own;",
        );
        self.lines(
            "mov.u32 %ptxmc_thread, %tid.x;
            and.b32 %ptxmc_lane, %ptxmc_thread, 31;
            shr.u32 %ptxmc_word, %ptxmc_thread, 5;
            cvt.u64.u32 %ptxmc_warp, %ptxmc_word;",
        );
        match self.plan.clustered {
            Clustered::Implicitly => self.lines(
                "mov.u32 %ptxmc_word, %ctaid.x;
                cvt.u64.u32 %ptxmc_unit, %ptxmc_word;
                mov.u64 %ptxmc_rank, 0;",
            ),
            Clustered::Explicitly => self.lines(
                "mov.u32 %ptxmc_word, %clusterid.x;
                cvt.u64.u32 %ptxmc_unit, %ptxmc_word;
                mov.u32 %ptxmc_word, %cluster_ctarank;
                cvt.u64.u32 %ptxmc_rank, %ptxmc_word;",
            ),
        }
    }

    /// Copies the initial bytes of shared memory to the place of each instance before the start.
    fn shared_memory(&mut self) {
        if self.plan.shared.is_empty() {
            return;
        }
        self.line("// Initial values of shared variables.");
        let image = self.argument(Argument::Image);
        let stride = self.argument(Argument::SharedStride);
        let slots = self.argument(Argument::Slots);
        self.lines(&format!(
            "mul.lo.u64 %ptxmc_e, {stride}, {slots};
            mul.wide.u32 %ptxmc_d, %ptxmc_thread, 4;
            ptxmc_fill:
            setp.ge.u64 %ptxmc_p, %ptxmc_d, %ptxmc_e;
            @%ptxmc_p bra ptxmc_filled;
            rem.u64 %ptxmc_f, %ptxmc_d, {stride};
            add.u64 %ptxmc_f, %ptxmc_f, {image};
            ld.global.u32 %ptxmc_word, [%ptxmc_f];
            mov.u64 %ptxmc_f, ptxmc_shared;
            add.u64 %ptxmc_f, %ptxmc_f, %ptxmc_d;
            st.shared.u32 [%ptxmc_f], %ptxmc_word;
            mov.u32 %ptxmc_word, %ntid.x;
            mul.wide.u32 %ptxmc_f, %ptxmc_word, 4;
            add.u64 %ptxmc_d, %ptxmc_d, %ptxmc_f;
            bra ptxmc_fill;
            ptxmc_filled:",
        ));
        let mut statements = self.test.threads.iter().flat_map(|thread| &thread.statements);
        if statements.any(|statement| {
            matches!(&statement.operation, Operation::Form(form) if form.is_of_async_proxy())
        }) {
            // The initial values are generic stores, which copies read through another proxy.
            self.line("fence.proxy.async;");
        }
        match self.plan.cluster_size {
            1 => self.line("barrier.sync 0;"),
            _ => self.cluster_barrier(),
        }
    }

    fn cluster_barrier(&mut self) {
        self.line("barrier.cluster.arrive.release;");
        self.line("barrier.cluster.wait.acquire;");
    }

    /// Finds out which part a thread plays, and goes there.
    fn parts(&mut self) {
        let plan = self.plan;
        self.line("// Which part of an instance this thread plays.");
        let (factor, shift) =
            (self.argument(Argument::UnitFactor), self.argument(Argument::UnitShift));
        let (units, test) = (self.argument(Argument::Units), self.argument(Argument::TestUnits));
        let warp_groups = self.argument(Argument::WarpGroups);
        let slots = self.argument(Argument::Slots);
        self.lines(&format!(
            "mad.lo.u64 %ptxmc_d, %ptxmc_unit, {factor}, {shift};
            rem.u64 %ptxmc_d, %ptxmc_d, {units};
            setp.ge.u64 %ptxmc_p, %ptxmc_d, {test};
            @%ptxmc_p bra ptxmc_stress;
            div.u64 %ptxmc_group, %ptxmc_d, {clusters};
            rem.u64 %ptxmc_part, %ptxmc_d, {clusters};
            div.u64 %ptxmc_e, %ptxmc_warp, {warps};
            rem.u64 %ptxmc_warp, %ptxmc_warp, {warps};
            setp.ge.u64 %ptxmc_p, %ptxmc_e, {warp_groups};
            @%ptxmc_p bra ptxmc_idle;
            cvt.u64.u32 %ptxmc_f, %ptxmc_lane;
            div.u64 %ptxmc_x, %ptxmc_f, {lanes};
            rem.u64 %ptxmc_member, %ptxmc_f, {lanes};
            setp.ge.u64 %ptxmc_p, %ptxmc_x, {per_warp};
            @%ptxmc_p bra ptxmc_idle;
            mad.lo.u64 %ptxmc_x, %ptxmc_e, {per_warp}, %ptxmc_x;
            setp.ge.u64 %ptxmc_p, %ptxmc_x, {slots};
            @%ptxmc_p bra ptxmc_idle;
            mad.lo.u64 %ptxmc_part, %ptxmc_part, {size}, %ptxmc_rank;
            mad.lo.u64 %ptxmc_part, %ptxmc_part, {warps}, %ptxmc_warp;
            mad.lo.u64 %ptxmc_part, %ptxmc_part, {lanes}, %ptxmc_member;",
            clusters = plan.clusters,
            warps = plan.warps,
            lanes = plan.lanes,
            per_warp = plan.per_warp(),
            size = plan.cluster_size,
        ));
        for role in &plan.roles {
            let part = ((role.cluster * plan.cluster_size + role.rank) * plan.warps + role.warp)
                * plan.lanes
                + role.lane;
            self.line(format!("setp.eq.u64 %ptxmc_p, %ptxmc_part, {part};"));
            self.line(format!("@%ptxmc_p bra ptxmc_role_{};", role.thread));
        }
        self.line("bra ptxmc_idle;");
    }

    fn role(&mut self, role: Role, body: &Body) {
        let (thread, name) = (role.thread, &self.test.threads[role.thread].name.value);
        self.label(&format!("ptxmc_role_{thread}"));
        self.instance(role);
        let rounds = self.plan.has_rounds();
        if rounds {
            self.line("mov.u64 %ptxmc_round, 0;");
            self.label(&format!("ptxmc_round_{thread}"));
        }
        self.addresses(body);
        self.before(thread);
        self.line("{");
        self.out.push_str(&body.local);
        self.line(format!("// begin {name}"));
        self.out.push_str(&body.text);
        self.label(END);
        self.line(format!("// end {name}"));
        self.registers(role);
        self.line("}");
        if rounds {
            let instances = self.argument(Argument::Instances);
            let count = self.argument(Argument::Rounds);
            self.lines(&format!(
                "add.u64 %ptxmc_instance, %ptxmc_instance, {instances};
                add.u64 %ptxmc_round, %ptxmc_round, 1;
                setp.lt.u64 %ptxmc_p, %ptxmc_round, {count};
                @%ptxmc_p bra ptxmc_round_{thread};",
            ));
        }
        self.ending(role);
        self.line("ret;");
    }

    /// The instance that a thread begins with.
    fn instance(&mut self, role: Role) {
        let factor = self.argument(Argument::SlotFactor(role.any_warp));
        let shift = self.argument(Argument::SlotShift(role.any_warp));
        let mix = self.argument(Argument::Mix(role.cluster));
        let (slots, groups) = (self.argument(Argument::Slots), self.argument(Argument::Groups));
        self.lines(&format!(
            "mad.lo.u64 %ptxmc_slot, %ptxmc_x, {factor}, {shift};
            rem.u64 %ptxmc_slot, %ptxmc_slot, {slots};
            mad.lo.u64 %ptxmc_d, %ptxmc_slot, {mix}, %ptxmc_group;
            rem.u64 %ptxmc_d, %ptxmc_d, {groups};
            mad.lo.u64 %ptxmc_instance, %ptxmc_d, {slots}, %ptxmc_slot;",
        ));
    }

    /// The addresses of the instance's variables and of its row of results.
    fn addresses(&mut self, body: &Body) {
        let plan = self.plan;
        let needs = |name: &String| body.names.contains(name);
        let of = |slot: usize| plan.aliases.iter().filter(move |alias| alias.slot == slot);
        let global =
            |(at, slot): (usize, &Slot)| needs(&slot.name) || of(at).any(|a| needs(&a.name));
        if plan.globals.iter().enumerate().any(global) {
            let stride = self.argument(Argument::Stride);
            let memory = self.argument(Argument::Memory);
            self.line(format!("mad.lo.u64 %ptxmc_d, %ptxmc_instance, {stride}, {memory};"));
        }
        for (number, slot) in
            plan.globals.iter().enumerate().filter(|&(at, slot)| global((at, slot)))
        {
            let offset = self.argument(Argument::Offset(number));
            let at = address_register(&slot.name);
            self.line(format!("add.u64 %{at}, %ptxmc_d, {offset};"));
            for alias in of(number).filter(|alias| needs(&alias.name)) {
                let distance = self.argument(Argument::Distance);
                let (second, mapping) = (address_register(&alias.name), alias.mapping);
                self.line(format!("mad.lo.u64 %{second}, {distance}, {mapping}, %{at};"));
            }
        }
        if !self.plan.shared.is_empty() {
            let stride = self.argument(Argument::SharedStride);
            self.lines(&format!(
                "mov.u64 %ptxmc_own, ptxmc_shared;
                mad.lo.u64 %ptxmc_own, %ptxmc_slot, {stride}, %ptxmc_own;",
            ));
        }
        for slot in plan.shared.iter().filter(|slot| needs(&slot.name)) {
            let at = address_register(&slot.name);
            self.line(format!("add.u64 %{at}, %ptxmc_own, {};", slot.offset));
        }
        let results = self.argument(Argument::Results);
        let bytes = self.plan.row_bytes;
        self.line(format!("mad.lo.u64 %ptxmc_row, %ptxmc_instance, {bytes}, {results};"));
    }

    /// Loads the memory system, then waits a while for the other threads of the instance.
    fn before(&mut self, thread: usize) {
        let (rounds, pattern) =
            (self.argument(Argument::PreRounds), self.argument(Argument::PrePattern));
        self.line("add.u64 %ptxmc_d, %ptxmc_instance, %ptxmc_group;");
        self.accesses(&format!("pre_{thread}"), &rounds, &pattern);
        let percent = self.argument(Argument::StartPercent);
        let polls = self.argument(Argument::StartPolls);
        let starts = self.argument(Argument::Starts);
        let threads = self.plan.roles.len();
        self.lines(&format!(
            "mul.lo.u64 %ptxmc_d, %ptxmc_instance, 2654435761;
            shr.u64 %ptxmc_d, %ptxmc_d, 16;
            and.b64 %ptxmc_d, %ptxmc_d, 65535;
            rem.u64 %ptxmc_d, %ptxmc_d, 100;
            setp.ge.u64 %ptxmc_p, %ptxmc_d, {percent};
            @%ptxmc_p bra ptxmc_begin_{thread};
            shl.b64 %ptxmc_d, %ptxmc_instance, 2;
            add.u64 %ptxmc_d, %ptxmc_d, {starts};
            red.relaxed.gpu.global.add.u32 [%ptxmc_d], 1;
            mov.u64 %ptxmc_e, 0;
            ptxmc_wait_{thread}:
            setp.ge.u64 %ptxmc_p, %ptxmc_e, {polls};
            @%ptxmc_p bra ptxmc_begin_{thread};
            add.u64 %ptxmc_e, %ptxmc_e, 1;
            ld.relaxed.gpu.global.u32 %ptxmc_seen, [%ptxmc_d];
            setp.lt.u32 %ptxmc_p, %ptxmc_seen, {threads};
            @%ptxmc_p bra ptxmc_wait_{thread};
            ptxmc_begin_{thread}:",
        ));
    }

    /// Writes a loop of access pairs to the line of scratch memory that `%ptxmc_d` selects.
    fn accesses(&mut self, name: &str, rounds: &str, pattern: &str) {
        let (lines, stride) = (self.argument(Argument::Lines), self.argument(Argument::LineStride));
        let scratch = self.argument(Argument::Scratch);
        self.lines(&format!(
            "rem.u64 %ptxmc_d, %ptxmc_d, {lines};
            mad.lo.u64 %ptxmc_line, %ptxmc_d, {stride}, {scratch};
            mov.u64 %ptxmc_e, 0;
            ptxmc_again_{name}:
            setp.ge.u64 %ptxmc_p, %ptxmc_e, {rounds};
            @%ptxmc_p bra ptxmc_enough_{name};
            add.u64 %ptxmc_e, %ptxmc_e, 1;
            and.b64 %ptxmc_f, {pattern}, 1;
            setp.ne.u64 %ptxmc_q, %ptxmc_f, 0;
            @!%ptxmc_q st.volatile.global.u32 [%ptxmc_line], %ptxmc_lane;
            @%ptxmc_q ld.volatile.global.u32 %ptxmc_seen, [%ptxmc_line];
            and.b64 %ptxmc_f, {pattern}, 2;
            setp.ne.u64 %ptxmc_q, %ptxmc_f, 0;
            @!%ptxmc_q st.volatile.global.u32 [%ptxmc_line], %ptxmc_thread;
            @%ptxmc_q ld.volatile.global.u32 %ptxmc_seen, [%ptxmc_line];
            bra ptxmc_again_{name};
            ptxmc_enough_{name}:",
        ));
    }

    /// Stores the observed registers and the thread's own observed variables.
    fn registers(&mut self, role: Role) {
        self.lines(".reg .b32 %ptxmc_v;\n.reg .b64 %ptxmc_w, %ptxmc_z;");
        for field in &self.plan.fields {
            let at = format!("[%ptxmc_row+{}]", field.offset);
            match &field.source {
                Source::Register { thread, register } if *thread == role.thread => {
                    self.register(field, &format!("%{}", word(register)), &at);
                }
                Source::Local { thread, variable, element } if *thread == role.thread => {
                    let name = word(&self.test.variables[*variable].name.value);
                    let from = element * u64::from(field.ty.bytes());
                    self.copy(field, ".local", &format!("{name}+{from}"));
                }
                _ => {}
            }
        }
    }

    fn register(&mut self, field: &Field, register: &str, at: &str) {
        let ty = as_declared(field.ty);
        match (ty.kind, ty.bits) {
            (TypeKind::Predicate, _) => self.lines(&format!(
                "selp.u32 %ptxmc_v, 1, 0, {register};
                st.global.u32 {at}, %ptxmc_v;"
            )),
            (_, 16) => self.lines(&format!(
                "cvt.u32.u16 %ptxmc_v, {register};
                st.global.u32 {at}, %ptxmc_v;"
            )),
            (_, 128) => self.lines(&format!(
                "mov.b128 {{%ptxmc_w, %ptxmc_z}}, {register};
                st.global.v2.b64 {at}, {{%ptxmc_w, %ptxmc_z}};"
            )),
            (_, bits) => self.line(format!("st.global.b{bits} {at}, {register};")),
        }
    }

    /// Copies an element from memory to its field.
    fn copy(&mut self, field: &Field, space: &str, from: &str) {
        copy(&mut self.out, field, space, from);
    }

    /// The epilogue after the instances of a thread.
    fn ending(&mut self, role: Role) {
        let plan = self.plan;
        let finals: Vec<_> = plan.finals(role).collect();
        match plan.ending {
            Ending::Plain => return,
            Ending::CtaBarrier => self.line("barrier.sync 0;"),
            Ending::ClusterBarrier => self.cluster_barrier(),
            Ending::LastThread => {
                let before = plan.mates(role).count() - 1;
                self.lines(&format!(
                    "atom.acq_rel.cta.shared.add.u32 %ptxmc_seen, [%ptxmc_own], 1;
                    setp.ne.u32 %ptxmc_p, %ptxmc_seen, {before};
                    @%ptxmc_p ret;"
                ));
            }
        }
        if plan.ending != Ending::LastThread && !plan.leads(role) {
            return;
        }
        self.lines("{\n.reg .b32 %ptxmc_v;\n.reg .b64 %ptxmc_w, %ptxmc_z;");
        for (field, variable, element) in finals {
            let slot = plan.shared.iter().find(|slot| slot.variable == variable);
            let offset = slot.map_or(0, |slot| slot.offset);
            let from = offset + element * u64::from(field.ty.bytes());
            self.copy(field, ".shared", &format!("%ptxmc_own+{from}"));
        }
        self.line("}");
    }

    /// Threads that stand for none of the test.
    fn others(&mut self) {
        self.label("ptxmc_stress");
        let (rounds, pattern) =
            (self.argument(Argument::StressRounds), self.argument(Argument::StressPattern));
        self.line("add.u64 %ptxmc_d, %ptxmc_unit, %ptxmc_warp;");
        self.accesses("stress", &rounds, &pattern);
        self.label("ptxmc_idle");
        // Where barriers are about all threads that are there, the others are not.
        if self.plan.arrangement == Arrangement::Dense {
            match self.plan.ending {
                Ending::CtaBarrier => self.line("barrier.sync 0;"),
                Ending::ClusterBarrier => self.cluster_barrier(),
                Ending::Plain | Ending::LastThread => {}
            }
        }
        self.line("ret;");
        self.out.push_str("}\n");
    }
}

/// Copies an element from memory to its field of the row.
fn copy(out: &mut String, field: &Field, space: &str, from: &str) {
    let at = format!("%ptxmc_row+{}", field.offset);
    let _ = match field.ty.bits {
        bits @ (8 | 16) => write!(
            out,
            "\tld{space}.u{bits} %ptxmc_v, [{from}];\n\tst.global.u32 [{at}], %ptxmc_v;\n"
        ),
        32 => {
            write!(out, "\tld{space}.u32 %ptxmc_v, [{from}];\n\tst.global.u32 [{at}], %ptxmc_v;\n")
        }
        64 => {
            write!(out, "\tld{space}.u64 %ptxmc_w, [{from}];\n\tst.global.u64 [{at}], %ptxmc_w;\n")
        }
        _ => write!(
            out,
            "\tld{space}.v2.u64 {{%ptxmc_w, %ptxmc_z}}, [{from}];\n\
             \tst.global.v2.u64 [{at}], {{%ptxmc_w, %ptxmc_z}};\n"
        ),
    };
}

/// The global variables with observed elements, as indices into [`Plan::globals`].
fn collected(plan: &Plan) -> Vec<usize> {
    let observed = |variable: usize| {
        plan.fields
            .iter()
            .any(|f| matches!(f.source, Source::Global { variable: v, .. } if v == variable))
    };
    let all = plan.globals.iter().enumerate();
    all.filter(|(_, slot)| observed(slot.variable)).map(|(number, _)| number).collect()
}

/// Writes `ptxmc_collect`: thread i copies the final values of instance i.
fn collect(plan: &Plan, collected: &[usize]) -> String {
    let mut out = format!(
        "\n.visible .entry {COLLECT}(\n\t.param .u64 ptxmc_memory,\n\t.param .u64 ptxmc_stride,\n\
         \t.param .u64 ptxmc_results,\n\t.param .u64 ptxmc_count"
    );
    for number in collected {
        let _ = write!(out, ",\n\t.param .u64 ptxmc_offset_{number}");
    }
    out += "\n)\n{\n";
    for line in [
        ".reg .pred %ptxmc_p;",
        ".reg .b32 %ptxmc_v, %ptxmc_i, %ptxmc_n;",
        ".reg .b64 %ptxmc_w, %ptxmc_z, %ptxmc_d, %ptxmc_e, %ptxmc_f, %ptxmc_row, %ptxmc_instance;",
        "mov.u32 %ptxmc_i, %ctaid.x;",
        "mov.u32 %ptxmc_n, %ntid.x;",
        "mov.u32 %ptxmc_v, %tid.x;",
        "mad.lo.u32 %ptxmc_i, %ptxmc_i, %ptxmc_n, %ptxmc_v;",
        "cvt.u64.u32 %ptxmc_instance, %ptxmc_i;",
        "ld.param.u64 %ptxmc_d, [ptxmc_count];",
        "setp.ge.u64 %ptxmc_p, %ptxmc_instance, %ptxmc_d;",
        "@%ptxmc_p ret;",
        "ld.param.u64 %ptxmc_d, [ptxmc_stride];",
        "ld.param.u64 %ptxmc_e, [ptxmc_memory];",
        "mad.lo.u64 %ptxmc_d, %ptxmc_instance, %ptxmc_d, %ptxmc_e;",
        "ld.param.u64 %ptxmc_e, [ptxmc_results];",
    ] {
        let _ = writeln!(out, "\t{line}");
    }
    let _ =
        writeln!(out, "\tmad.lo.u64 %ptxmc_row, %ptxmc_instance, {}, %ptxmc_e;", plan.row_bytes);
    for &number in collected {
        let slot = &plan.globals[number];
        let _ = writeln!(out, "\tld.param.u64 %ptxmc_f, [ptxmc_offset_{number}];");
        let _ = writeln!(out, "\tadd.u64 %ptxmc_f, %ptxmc_f, %ptxmc_d;");
        for field in &plan.fields {
            if let Source::Global { variable, element } = field.source
                && variable == slot.variable
            {
                let from = element * u64::from(field.ty.bytes());
                copy(&mut out, field, ".global", &format!("%ptxmc_f+{from}"));
            }
        }
    }
    out + "\tret;\n}\n"
}
