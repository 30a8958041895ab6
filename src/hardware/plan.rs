//! The plan of a test's launch: the roles of threads, the layout of variables, and the values read
//! at the end.

use super::fields::{Field, Source, observed, root};
use super::refusal::Refusal;
use crate::litmus::ast::{
    AddressBits, AliasDeclaration, DeclaredSpace, InitialAddress, Place, Test, ThreadPlace,
    Variable,
};
use crate::program::layout::Layout;
use crate::ptx::operation::{Operation, Proxy, Statement};
use crate::ptx::row::Op;

/// Bytes of global variables that an instance may have.
const MOST_GLOBAL: u64 = 1 << 20;
/// The most bytes of shared variables that an instance may have in a CTA. Every device provides as
/// much without a request.
const MOST_SHARED: u64 = 40 << 10;
/// Shared memory that the kernel has for itself in front of the variables of an instance.
pub(crate) const SHARED_HEAD: u64 = 16;
/// The largest cluster that every device with clusters has.
const MOST_CTAS: usize = 8;
/// Threads of a warp.
pub(crate) const LANES: usize = 32;

/// How instances share CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Many instances in each CTA: a lane, or a few neighbouring ones, for each.
    Dense,
    /// A CTA belongs to one instance, and its other threads have ended. CTA barriers, cluster
    /// barriers and exchanges within warps need this, since they involve all existing threads.
    Exclusive,
}

/// Whether a launch has clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clustered {
    /// The launch has explicit clusters.
    Explicitly,
    /// Each CTA is a cluster of its own, and no instruction depends on clusters.
    Implicitly,
}

/// The action of threads before they end, for reading the final values of shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No action, since there are no such values.
    Plain,
    /// All threads of the CTA meet.
    CtaBarrier,
    /// A barrier of all threads of the cluster, so that no CTA ends while another one accesses its
    /// memory.
    ClusterBarrier,
    /// The last thread of the CTA to finish reads the values.
    LastThread,
}

/// The role of a launched thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// The thread of the test, as an index.
    pub thread: usize,
    /// The cluster of the test, counted from 0.
    pub cluster: usize,
    /// The rank of the CTA in its cluster.
    pub rank: usize,
    /// The warp in the CTA.
    pub warp: usize,
    /// The lane in the warp.
    pub lane: usize,
    /// The warp among all warps of the test.
    pub any_warp: usize,
}

/// A variable of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Index into [`Test::variables`].
    pub variable: usize,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// The offset among the variables of an instance in a CTA. For global variables, this is the
    /// offset if all variables of an instance are adjacent.
    pub offset: u64,
}

/// A second address of a global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Its name.
    pub name: String,
    /// The variable, as an index into [`Plan::globals`].
    pub slot: usize,
    /// The number of its additional memory mapping, from 1.
    pub mapping: u64,
}

/// The roles of the threads of a launch, and the layout of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How instances share CTAs.
    pub arrangement: Arrangement,
    /// The roles of the test's threads, in their order.
    pub roles: Vec<Role>,
    /// How many clusters the test has.
    pub clusters: usize,
    /// The number of CTAs in a cluster of the launch, as in the largest cluster of the test; 1
    /// means no clusters.
    pub cluster_size: usize,
    /// Whether the launch has clusters, possibly of one CTA. Cluster barriers need this: in a
    /// launch without clusters, they are compiled to barriers of the CTA.
    pub clustered: Clustered,
    /// How many warps a CTA needs for one instance.
    pub warps: usize,
    /// How many warps the test has.
    pub all_warps: usize,
    /// How many lanes of a warp an instance takes.
    pub lanes: usize,
    /// The global variables.
    pub globals: Vec<Slot>,
    /// The shared variables.
    pub shared: Vec<Slot>,
    /// Second addresses of global variables, each in a separate mapping of their memory.
    pub aliases: Vec<Alias>,
    /// The bytes of the global variables of an instance, if they are adjacent.
    pub global_bytes: u64,
    /// Bytes of shared memory of an instance in a CTA, the kernel's own included; 0 without variables.
    pub shared_bytes: u64,
    /// Whether threads may wait for others by polling, so that all have to run concurrently.
    pub waits: bool,
    /// The action of threads before they end.
    pub ending: Ending,
    /// The observed values, in order of their names.
    pub fields: Vec<Field>,
    /// Bytes of the results of an instance.
    pub row_bytes: u32,
}

impl Plan {
    /// Plans the launch of a test.
    ///
    /// # Errors
    /// When many instances of the test cannot run as one launch of one kernel.
    pub fn new(test: &Test) -> Result<Self, Refusal> {
        let places = places(test)?;
        let roles = roles(test, &places)?;
        let most = |of: fn(&Role) -> usize| roles.iter().map(of).max().map_or(0, |most| most + 1);
        let (globals, shared) =
            (slots(test, DeclaredSpace::Global)?, slots(test, DeclaredSpace::Shared)?);
        other_variables(test)?;
        if let Some(map) = test.tensor_maps.first() {
            return Err(Refusal::TensorMap(map.name.value.clone()));
        }
        if let Some(opcode) = statements(test).find_map(of_tensor_cores) {
            return Err(Refusal::TensorCores(opcode));
        }
        let aliases = aliases(test, &globals)?;
        let (global_bytes, shared_bytes) = (end(&globals), end(&shared));
        limited(global_bytes, "global", MOST_GLOBAL)?;
        limited(shared_bytes, "shared", MOST_SHARED)?;
        let arrangement = match statements(test).any(is_about_all_threads) {
            true => Arrangement::Exclusive,
            false => Arrangement::Dense,
        };
        let (fields, row_bytes) = observed(test, &places)?;
        let mut plan = Self {
            arrangement,
            clusters: most(|role| role.cluster),
            cluster_size: most(|role| role.rank),
            clustered: match most(|role| role.rank) > 1 || statements(test).any(is_of_clusters) {
                true => Clustered::Explicitly,
                false => Clustered::Implicitly,
            },
            warps: most(|role| role.warp),
            all_warps: most(|role| role.any_warp),
            lanes: most(|role| role.lane),
            roles,
            globals,
            shared_bytes: if shared.is_empty() { 0 } else { shared_bytes },
            shared,
            aliases,
            global_bytes,
            waits: test.threads.iter().any(|thread| goes_back(&thread.statements)),
            ending: Ending::Plain,
            fields,
            row_bytes,
        };
        plan.ending = plan.choose_ending(test)?;
        Ok(plan)
    }

    /// Whether each thread may run several instances in sequence. Shared memory is initialized only
    /// once, and barriers do not wait for ended threads.
    #[must_use]
    pub fn has_rounds(&self) -> bool {
        self.arrangement == Arrangement::Dense && self.shared.is_empty()
    }

    /// How many instances fit into the lanes of a warp.
    #[must_use]
    pub fn per_warp(&self) -> usize {
        match self.arrangement {
            Arrangement::Dense => LANES / self.lanes,
            Arrangement::Exclusive => 1,
        }
    }

    /// The roles in the CTA of one.
    pub(crate) fn mates(&self, role: Role) -> impl Iterator<Item = &Role> {
        self.roles.iter().filter(move |r| (r.cluster, r.rank) == (role.cluster, role.rank))
    }

    /// Whether a role is the first of its CTA.
    pub(crate) fn leads(&self, role: Role) -> bool {
        self.mates(role).next() == Some(&role)
    }

    /// The observed shared variables of the CTA of a role.
    pub(crate) fn finals(&self, role: Role) -> impl Iterator<Item = (&Field, usize, u64)> {
        self.fields.iter().filter_map(move |field| match field.source {
            Source::Shared { variable, element, cluster, rank }
                if (cluster, rank) == (role.cluster, role.rank) =>
            {
                Some((field, variable, element))
            }
            _ => None,
        })
    }

    fn choose_ending(&self, test: &Test) -> Result<Ending, Refusal> {
        if self.shared.is_empty() {
            return Ok(Ending::Plain);
        }
        let clusters = self.cluster_size > 1;
        let is_shared = |field: &Field| matches!(field.source, Source::Shared { .. });
        Ok(match self.arrangement {
            Arrangement::Dense if clusters => Ending::ClusterBarrier,
            Arrangement::Dense => Ending::CtaBarrier,
            // The test itself determines whether a CTA exists while others access its memory.
            Arrangement::Exclusive if !self.fields.iter().any(is_shared) => Ending::Plain,
            Arrangement::Exclusive if clusters && !is_even(test) => {
                return Err(Refusal::UnevenBarriers);
            }
            Arrangement::Exclusive if clusters => Ending::ClusterBarrier,
            Arrangement::Exclusive => Ending::LastThread,
        })
    }
}

/// The opcode of an instruction of the tensor cores.
fn of_tensor_cores(statement: &Statement) -> Option<&'static str> {
    match &statement.operation {
        Operation::Form(written) => {
            Some(written.form.opcode).filter(|opcode| ["wgmma", "tcgen05"].contains(opcode))
        }
        _ => None,
    }
}

fn statements(test: &Test) -> impl Iterator<Item = &Statement> {
    test.threads.iter().flat_map(|thread| &thread.statements)
}

/// The places of the threads, which are in one grid of one device.
fn places(test: &Test) -> Result<Vec<Place>, Refusal> {
    if test.threads.is_empty() {
        return Err(Refusal::Empty);
    }
    if !test.tasks.is_empty() {
        return Err(Refusal::Tasks);
    }
    if !test.launch.is_empty() {
        return Err(Refusal::LaunchSize);
    }
    let place = |place| match place {
        ThreadPlace::Device(place) => Ok(place),
        ThreadPlace::Host => Err(Refusal::Host),
    };
    let places: Vec<Place> =
        test.threads.iter().map(|t| place(t.place)).collect::<Result<_, _>>()?;
    if places.iter().any(|p| p.gpu != places[0].gpu) {
        return Err(Refusal::Devices);
    }
    if places.iter().any(|p| p.grid != places[0].grid) {
        return Err(Refusal::Tasks);
    }
    Ok(places)
}

/// The role of each thread. Clusters, warps and lanes are counted from 0 in order of the text;
/// ranks follow the test language.
fn roles(test: &Test, places: &[Place]) -> Result<Vec<Role>, Refusal> {
    let layout = Layout::new(test);
    let mut clusters: Vec<u32> = Vec::new();
    let mut warps: Vec<((u32, u32), usize, usize)> = Vec::new();
    let mut roles: Vec<Role> = Vec::new();
    for (thread, place) in places.iter().enumerate() {
        let cluster = position(&mut clusters, place.cluster);
        let rank = usize::try_from(layout.rank(*place)).unwrap_or(usize::MAX);
        if layout.cluster_ctas(*place).len() > MOST_CTAS {
            return Err(Refusal::LargeCluster(layout.cluster_ctas(*place).len()));
        }
        // A thread without a declared warp is a warp of its own.
        let own = (place.cta, place.warp.map_or(u32::MAX - narrow(thread), |warp| warp));
        let known = warps.iter().position(|(warp, ..)| *warp == own);
        let any_warp = known.unwrap_or(warps.len());
        if known.is_none() {
            let before = warps.iter().filter(|((cta, _), ..)| *cta == place.cta).count();
            warps.push((own, before, 0));
        }
        let (_, warp, lanes) = &mut warps[any_warp];
        let role = Role { thread, cluster, rank, warp: *warp, lane: *lanes, any_warp };
        *lanes += 1;
        if role.lane >= LANES {
            return Err(Refusal::LargeWarp(role.lane + 1));
        }
        if role.warp >= 32 {
            return Err(Refusal::LargeCta(role.warp + 1));
        }
        roles.push(role);
    }
    Ok(roles)
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The index of a number in a list, after adding the number if necessary.
fn position(known: &mut Vec<u32>, number: u32) -> usize {
    let found = known.iter().position(|&other| other == number);
    found.unwrap_or_else(|| {
        known.push(number);
        known.len() - 1
    })
}

/// The variables of a space, one behind the other.
fn slots(test: &Test, space: DeclaredSpace) -> Result<Vec<Slot>, Refusal> {
    let mut next = if space == DeclaredSpace::Shared { SHARED_HEAD } else { 0 };
    let mut slots = Vec::new();
    for (variable, declared) in test.variables.iter().enumerate().filter(|(_, v)| v.space == space)
    {
        let bytes = u64::from(declared.ty.bytes()) * declared.elements;
        let align = declared.align.max(u64::from(declared.ty.bytes())).max(4);
        if align > 1 << 16 {
            return Err(refused(declared, "with an alignment that nobody gives"));
        }
        let offset = next.next_multiple_of(align);
        next = offset + bytes.max(1);
        let name = declared.name.value.clone();
        slots.push(Slot { variable, name, bytes, align, offset });
    }
    Ok(slots)
}

/// The second addresses of global variables. Aliases for other proxies cannot be made by double
/// mapping.
fn aliases(test: &Test, globals: &[Slot]) -> Result<Vec<Alias>, Refusal> {
    let alias = |(mapping, alias): (u64, &AliasDeclaration)| {
        let refused = || Refusal::Alias(alias.name.value.clone());
        let variable = root(test, &alias.name.value).ok_or_else(refused)?;
        let slot = globals.iter().position(|slot| slot.variable == variable);
        let slot = slot.filter(|_| alias.proxy == Proxy::Generic).ok_or_else(refused)?;
        Ok(Alias { name: alias.name.value.clone(), slot, mapping })
    };
    (1..).zip(&test.aliases).map(alias).collect()
}

/// Where the last variable ends, as a multiple of all alignments.
fn end(slots: &[Slot]) -> u64 {
    let align = slots.iter().map(|slot| slot.align).max().unwrap_or(1).max(16);
    slots.last().map_or(0, |slot| (slot.offset + slot.bytes).next_multiple_of(align))
}

fn limited(bytes: u64, space: &'static str, most: u64) -> Result<(), Refusal> {
    if bytes > most { Err(Refusal::TooMuchMemory { bytes, space, most }) } else { Ok(()) }
}

fn refused(variable: &Variable, what: &'static str) -> Refusal {
    let (name, space) = (variable.name.value.clone(), variable.space.directive());
    Refusal::Variable { name, space, what }
}

/// Checks the variables outside instance memory, which are constants or local to a thread.
fn other_variables(test: &Test) -> Result<(), Refusal> {
    let is_global = |name: &str| {
        test.variables.iter().any(|v| v.space == DeclaredSpace::Global && v.name.value == name)
    };
    for variable in &test.variables {
        let addresses = !variable.initial_addresses.is_empty();
        // A variable of 32 bits or a byte cannot contain a device address.
        let is_part = |bits: AddressBits| bits != AddressBits::All || variable.ty.bits < 64;
        let stray = |a: &&InitialAddress| !is_global(&a.name.value) || is_part(a.bits);
        if let Some(stray) = variable.initial_addresses.iter().find(stray) {
            return Err(Refusal::Address(stray.name.value.clone()));
        }
        let what = match variable.space {
            DeclaredSpace::Multimem => "of several devices",
            DeclaredSpace::Const | DeclaredSpace::Local | DeclaredSpace::Shared if addresses => {
                "that holds an address, which differs from instance to instance"
            }
            DeclaredSpace::Param if variable.elements != 1 => "with several elements",
            DeclaredSpace::Param if variable.initial.is_none() && !addresses => {
                "of which nobody says what the host passes"
            }
            _ => continue,
        };
        return Err(refused(variable, what));
    }
    Ok(())
}

/// Whether an instruction involves all existing threads of a CTA, a cluster or a warp.
fn is_about_all_threads(statement: &Statement) -> bool {
    match &statement.operation {
        Operation::CtaBarrier { .. }
        | Operation::WarpBarrier { .. }
        | Operation::ClusterArrive { .. }
        | Operation::ClusterWait { .. } => true,
        Operation::Form(written) => matches!(written.op(), Op::Warp(_)),
        _ => false,
    }
}

/// Whether an instruction involves a cluster.
fn is_of_clusters(statement: &Statement) -> bool {
    match &statement.operation {
        Operation::ClusterArrive { .. } | Operation::ClusterWait { .. } => true,
        Operation::Form(written) => matches!(written.op(), Op::MapAddress),
        _ => false,
    }
}

/// Whether a thread may execute a statement repeatedly.
fn goes_back(statements: &[Statement]) -> bool {
    let label = |name: &str| {
        statements.iter().position(|s| s.labels.iter().any(|label| label.value == name))
    };
    statements.iter().enumerate().any(|(at, statement)| match &statement.operation {
        Operation::Branch { target, .. } => label(&target.value).is_some_and(|to| to <= at),
        _ => false,
    })
}

/// Whether all threads certainly execute equally many cluster barriers, so that another one can
/// follow.
fn is_even(test: &Test) -> bool {
    let barrier = |s: &&Statement| {
        matches!(s.operation, Operation::ClusterArrive { .. } | Operation::ClusterWait { .. })
    };
    let counts = test.threads.iter().map(|t| t.statements.iter().filter(barrier).count());
    let none = counts.clone().all(|count| count == 0);
    let first = counts.clone().next();
    let alike = counts.clone().all(|count| Some(count) == first);
    let straight = statements(test).all(|s| {
        !matches!(s.operation, Operation::Branch { .. } | Operation::Exit)
            && (s.guard.is_none() || !barrier(&s))
    });
    none || (alike && straight)
}
