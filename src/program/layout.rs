//! Memory layout: variables to instances, instances to addresses, addresses back to bytes.
//!
//! Addresses are concrete 64-bit numbers so that pointer arithmetic, `cvta`, `mapa` and
//! `isspacep` are ordinary arithmetic. No variable touches the next; `.shared`, `.local`, `.const`
//! and `.param` have windows in the generic space (PTX-5.1, PTX-6.4.1.1).

use crate::collections::IndexMap;
use crate::id::{ObjectId, VirtualId};
use crate::litmus::ast::{DeclaredSpace, Dialect, Place, Test, ThreadPlace};
use crate::litmus::tensor::TensorMap;
use crate::program::mbarrier::Fields;
use crate::ptx::bits::mask;
use crate::ptx::operation::{Proxy, Space, Type};

/// The stride of global variables.
const GLOBAL_STRIDE: u64 = 1 << 20;
/// The first generic address of global variables.
const GLOBAL_BASE: u64 = 1 << 28;
/// The first address of global variables that do not fit below the windows.
const GLOBAL_HIGH: u64 = 1 << 32;
/// Bits of a shared address inside one CTA; the CTA's rank plus one stands above.
pub(crate) const SHARED_CTA_BITS: u32 = 20;
/// The stride of variables within a window.
const WINDOW_STRIDE: u64 = 1 << 10;

/// The generic addresses of a state space (PTX-6.4.1.1). All windows lie below 4 GiB, so that
/// 32-bit generic addresses work like 64-bit ones. An address of one space minus the base of
/// another's window is no variable's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first address.
    pub base: u64,
    /// The number of addresses.
    pub size: u64,
}

impl Window {
    pub(crate) const SHARED: Self = Self { base: 0x8000_0000, size: 0x4000_0000 };
    pub(crate) const LOCAL: Self = Self { base: 0xc000_0000, size: 0x1000_0000 };
    pub(crate) const CONST: Self = Self { base: 0xd000_0000, size: 0x1000_0000 };
    /// Inside the window of `.global` (PTX-5.1.6).
    pub(crate) const PARAM: Self = Self { base: 0xe000_0000, size: 0x1000_0000 };

    /// The window of a space, if its addresses are not generic ones already.
    pub(crate) fn of(space: Space) -> Option<Self> {
        Some(match space {
            Space::SharedCta | Space::SharedCluster => Self::SHARED,
            Space::Local => Self::LOCAL,
            Space::Const => Self::CONST,
            Space::ParamEntry | Space::ParamFunc => Self::PARAM,
            Space::Generic | Space::Global => return None,
        })
    }

    fn of_declared(space: DeclaredSpace) -> Option<Self> {
        Some(match space {
            DeclaredSpace::Shared => Self::SHARED,
            DeclaredSpace::Local => Self::LOCAL,
            DeclaredSpace::Const => Self::CONST,
            DeclaredSpace::Param => Self::PARAM,
            DeclaredSpace::Global | DeclaredSpace::Multimem => return None,
        })
    }

    fn contains(self, address: u64) -> bool {
        (self.base..self.base + self.size).contains(&address)
    }
}

/// The next free address of each space; the first addresses of a window stay unused.
#[derive(Clone, Debug)]
struct Free {
    global: u64,
    windows: IndexMap<DeclaredSpace, u64>,
}

impl Free {
    /// The address of the next variable of a space, which does not touch the variable before.
    fn take(&mut self, space: DeclaredSpace, bytes: u64) -> u64 {
        let (next, stride) = match Window::of_declared(space) {
            None => (&mut self.global, GLOBAL_STRIDE),
            Some(_) => (self.windows.entry(space).or_insert(WINDOW_STRIDE), WINDOW_STRIDE),
        };
        let low = GLOBAL_BASE..Window::SHARED.base;
        if stride == GLOBAL_STRIDE && low.contains(next) && !low.contains(&(*next + bytes)) {
            *next = GLOBAL_HIGH;
        }
        let address = *next;
        *next = next_multiple(address + bytes, stride);
        address
    }
}

/// The least multiple of a stride above an address.
fn next_multiple(address: u64, stride: u64) -> u64 {
    address / stride * stride + stride
}

/// A variable or an alias: a range of virtual addresses.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// Its name.
    pub name: String,
    /// Its state space.
    pub space: DeclaredSpace,
    /// The element type.
    pub ty: Type,
    /// Number of elements.
    pub elements: u64,
    /// The guaranteed alignment of its address, in bytes.
    pub align: u64,
    /// Initial element values; `None` when unknown but constant.
    pub initial: Option<Vec<i128>>,
    /// Whether memory without an initial value is zero (as by default for global and const).
    pub zeroed: bool,
    /// The address within its space.
    pub address: u64,
    /// For unicast names of multimem memory, the distance between the addresses of two replicas;
    /// else 0.
    pub spacing: u64,
    /// For aliases, the variable whose memory the alias names.
    pub alias_of: Option<usize>,
    /// The proxy named in an alias declaration.
    pub proxy: Proxy,
    /// The variable or alias whose virtual addresses these are: a name for another proxy shares the
    /// generic addresses of its variable.
    pub virtual_of: usize,
    /// The tensor that it describes, if it is declared as a tensor map.
    pub tensor_map: Option<TensorMap>,
    /// Whether it is columns of Tensor Memory.
    pub tensor_memory: bool,
    /// Instances: by CTA for `.shared`, by thread for `.local`, by device for multimem.
    pub instances: IndexMap<InstanceKey, ObjectId>,
}

impl VariableInfo {
    /// The bits of an element's initial value, if known. Values that a list leaves out are zero,
    /// and so is zeroed memory.
    #[must_use]
    pub fn given(&self, element: u64) -> Option<u128> {
        let Some(values) = &self.initial else { return self.zeroed.then_some(0) };
        let value = usize::try_from(element).ok().and_then(|index| values.get(index));
        Some(value.copied().unwrap_or(0) as u128 & mask(self.ty.bits))
    }

    /// The generic address; in `.shared`, of the instance of the thread's own CTA (PTX-6.4.1.1).
    pub(crate) fn generic_address(&self) -> u64 {
        self.address + Window::of_declared(self.space).map_or(0, |window| window.base)
    }

    /// The index of the replica on the device of a thread.
    fn own_replica(&self, place: ThreadPlace) -> Option<usize> {
        let ThreadPlace::Device(place) = place else { return None };
        self.instances.get_index_of(&InstanceKey::Gpu(place.gpu))
    }

    /// Whether the variable has a replica on each device.
    fn is_replicated(&self) -> bool {
        matches!(self.instances.first(), Some((InstanceKey::Gpu(_), _)))
    }

    /// The addresses at which the replicas begin.
    fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        let replicas = if self.spacing == 0 { 1 } else { self.instances.len() as u64 };
        (0..replicas).map(|replica| self.address + replica * self.spacing)
    }

    /// The index of the replica that contains some bytes at an address, and their offset in it.
    fn inside(&self, address: u64, bytes: u64) -> Option<(usize, u64)> {
        let end = address.checked_add(bytes)?;
        self.addresses().enumerate().find_map(|(replica, base)| {
            let offset = address.checked_sub(base)?;
            (end <= base + self.bytes()).then_some((replica, offset))
        })
    }

    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * self.elements
    }
}

/// The instance of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstanceKey {
    /// There is only one.
    Whole,
    /// The instance of a CTA: gpu, grid, cta.
    Cta(u32, u32, u32),
    /// The instance of a thread.
    Thread(usize),
    /// The replica on a device.
    Gpu(u32),
}

/// A variable instance.
#[derive(Clone, Debug)]
pub struct ObjectInfo {
    /// The name to print.
    pub name: String,
    /// The variable it belongs to.
    pub variable: usize,
    /// Which instance.
    pub key: InstanceKey,
}

/// The target of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Physical storage; several for a multimem address.
    pub objects: Vec<ObjectId>,
    /// The virtual range.
    pub virt: VirtualId,
    /// Byte in the object.
    pub offset: u64,
    /// The alignment of the variable in bytes.
    pub align: u64,
    /// The state space that it is declared in.
    pub space: DeclaredSpace,
    /// Whether the instance belongs to another CTA.
    pub remote: bool,
    /// Whether the variable is a declared tensor map.
    pub tensor_map: bool,
    /// Whether it is in Tensor Memory.
    pub tensor_memory: bool,
}

/// All variables of a test.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Variables, then aliases, in order of declaration.
    pub variables: Vec<VariableInfo>,
    /// Instances.
    pub objects: Vec<ObjectInfo>,
    /// The layout of mbarrier objects.
    pub mbarriers: Fields,
    /// CTAs by (gpu, grid, cluster): their CTA numbers in order; the rank is the position.
    clusters: IndexMap<(u32, u32, u32), Vec<u32>>,
}

impl Layout {
    /// Lays out the variables of a test.
    #[must_use]
    pub fn new(test: &Test) -> Self {
        let mut clusters: IndexMap<(u32, u32, u32), Vec<u32>> = IndexMap::default();
        for thread in &test.threads {
            if let ThreadPlace::Device(p) = thread.place {
                let ctas = clusters.entry((p.gpu, p.grid, p.cluster)).or_default();
                if !ctas.contains(&p.cta) {
                    ctas.push(p.cta);
                }
            }
        }
        clusters.values_mut().for_each(|ctas| ctas.sort_unstable());
        let mbarriers = Fields::of(test);
        let mut layout = Self { variables: Vec::new(), objects: Vec::new(), mbarriers, clusters };
        let mut free = Free { global: GLOBAL_BASE, windows: IndexMap::default() };
        for (index, variable) in test.variables.iter().enumerate() {
            let bytes = u64::from(variable.ty.bytes()) * variable.elements;
            let address = free.take(variable.space, bytes);
            layout.variables.push(VariableInfo {
                name: variable.name.value.clone(),
                space: variable.space,
                ty: variable.ty,
                elements: variable.elements,
                // Only PTX declarations specify an alignment.
                align: match test.dialect {
                    Dialect::Blocks => variable.align,
                    Dialect::Columns | Dialect::Nvlitmus => WINDOW_STRIDE,
                },
                initial: variable.initial.clone(),
                zeroed: matches!(
                    variable.space,
                    DeclaredSpace::Global | DeclaredSpace::Const | DeclaredSpace::Multimem
                ),
                address,
                spacing: 0,
                alias_of: None,
                proxy: Proxy::Generic,
                virtual_of: index,
                tensor_map: test.tensor_map(&variable.name.value).cloned(),
                tensor_memory: test.is_tensor_memory(&variable.name.value),
                instances: IndexMap::default(),
            });
            layout.add_instances(index, test);
        }
        for alias in &test.aliases {
            let Some(target) = layout.variable(&alias.target.value) else { continue };
            let root = layout.variables[target].alias_of.unwrap_or(target);
            let mut info = layout.variables[root].clone();
            info.name.clone_from(&alias.name.value);
            info.space = info.space.of_alias();
            let others = match layout.variables[root].space {
                // Each device has its own memory, and an address names that of one device.
                DeclaredSpace::Multimem => (info.instances.len() as u64).saturating_sub(1),
                _ => 0,
            };
            info.spacing = if others > 0 { next_multiple(info.bytes(), GLOBAL_STRIDE) } else { 0 };
            info.address = free.take(info.space, info.spacing * others + info.bytes());
            info.alias_of = Some(root);
            info.proxy = alias.proxy;
            info.virtual_of = match alias.proxy {
                Proxy::Generic => layout.variables.len(),
                _ => layout.variables[target].virtual_of,
            };
            layout.variables.push(info);
        }
        layout.initial_addresses(test);
        layout
    }

    /// Resolves addresses in initial values (PTX-5.4.4).
    fn initial_addresses(&mut self, test: &Test) {
        for index in 0..self.variables.len() {
            let declaration = &test.variables[self.variables[index].alias_of.unwrap_or(index)];
            for init in &declaration.initial_addresses {
                let Some(target) = self.variable(&init.name.value) else { continue };
                let target = &self.variables[target];
                let base = if init.generic { target.generic_address() } else { target.address };
                let address = base.wrapping_add_signed(init.offset);
                let value = i128::from(init.bits.of(address));
                let values = self.variables[index].initial.get_or_insert_default();
                if values.len() <= init.element {
                    values.resize(init.element + 1, 0);
                }
                values[init.element] = value;
            }
        }
    }

    fn add_instances(&mut self, variable: usize, test: &Test) {
        let device = |place: ThreadPlace| match place {
            ThreadPlace::Device(p) => Some(p),
            ThreadPlace::Host => None,
        };
        let places = test.threads.iter().filter_map(|t| device(t.place));
        let mut keys: Vec<InstanceKey> = match self.variables[variable].space {
            DeclaredSpace::Global | DeclaredSpace::Const | DeclaredSpace::Param => {
                vec![InstanceKey::Whole]
            }
            DeclaredSpace::Shared => {
                places.map(|p| InstanceKey::Cta(p.gpu, p.grid, p.cta)).collect()
            }
            DeclaredSpace::Local => (0..test.threads.len()).map(InstanceKey::Thread).collect(),
            DeclaredSpace::Multimem => places.map(|p| InstanceKey::Gpu(p.gpu)).collect(),
        };
        keys.sort_unstable();
        keys.dedup();
        let several_gpus = keys.iter().any(|k| matches!(k, InstanceKey::Cta(g, ..) if *g > 0));
        for &key in &keys {
            let base = &self.variables[variable].name;
            let name = match key {
                InstanceKey::Whole => base.clone(),
                InstanceKey::Cta(..) if keys.len() == 1 => base.clone(),
                InstanceKey::Cta(gpu, grid, cta) if several_gpus || grid > 0 => {
                    format!("{base}@gpu{gpu}.grid{grid}.cta{cta}")
                }
                InstanceKey::Cta(_, _, cta) => format!("{base}@cta{cta}"),
                InstanceKey::Thread(t) => format!("{base}@{}", test.threads[t].name.value),
                InstanceKey::Gpu(gpu) => format!("{base}@gpu{gpu}"),
            };
            let id = ObjectId::new(self.objects.len());
            self.objects.push(ObjectInfo { name, variable, key });
            self.variables[variable].instances.insert(key, id);
        }
    }

    /// The variable or alias of this name.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|v| v.name == name)
    }

    /// The address that the name of a variable denotes, within its state space. A unicast name of
    /// multimem memory denotes the replica on the device of a thread there, else the first.
    #[must_use]
    pub fn address_of(&self, variable: usize, place: ThreadPlace) -> u64 {
        let variable = &self.variables[variable];
        let replica = variable.own_replica(place).unwrap_or(0);
        variable.address + replica as u64 * variable.spacing
    }

    /// The rank of a CTA in its cluster.
    #[must_use]
    pub fn rank(&self, place: Place) -> u64 {
        self.clusters
            .get(&(place.gpu, place.grid, place.cluster))
            .and_then(|ctas| ctas.iter().position(|&c| c == place.cta))
            .unwrap_or(0) as u64
    }

    /// A number that distinguishes a CTA from all others of the test.
    #[must_use]
    pub fn cta_number(&self, place: Place) -> u64 {
        let of = |(&(gpu, grid, _), ctas): (&(u32, u32, u32), &Vec<u32>)| {
            ctas.iter().map(|&cta| (gpu, grid, cta)).collect::<Vec<_>>()
        };
        let mut all = self.clusters.iter().flat_map(of);
        all.position(|cta| cta == place.cta_of_test()).unwrap_or(0) as u64
    }

    /// The CTAs of a cluster that occur in the test, in order of rank.
    #[must_use]
    pub fn cluster_ctas(&self, place: Place) -> &[u32] {
        self.clusters.get(&(place.gpu, place.grid, place.cluster)).map_or(&[], Vec::as_slice)
    }

    /// The instance that the name of `variable` denotes for a thread.
    #[must_use]
    pub fn own_instance(
        &self,
        variable: usize,
        thread: usize,
        place: ThreadPlace,
    ) -> Option<ObjectId> {
        let info = &self.variables[variable];
        if let Some(replica) = info.own_replica(place) {
            return Some(info.instances[replica]);
        }
        let key = match (info.space, place) {
            (DeclaredSpace::Shared, ThreadPlace::Device(p)) => {
                InstanceKey::Cta(p.gpu, p.grid, p.cta)
            }
            (DeclaredSpace::Local, _) => InstanceKey::Thread(thread),
            (DeclaredSpace::Multimem, ThreadPlace::Device(p)) => InstanceKey::Gpu(p.gpu),
            (DeclaredSpace::Shared | DeclaredSpace::Multimem, ThreadPlace::Host) => return None,
            _ => InstanceKey::Whole,
        };
        info.instances.get(&key).copied()
    }

    /// The target of `bytes` bytes at `address` in `space` for a thread; `None` if there is no
    /// variable or the access crosses its end.
    #[must_use]
    pub fn resolve(
        &self,
        space: Space,
        address: u64,
        bytes: u64,
        thread: usize,
        place: ThreadPlace,
    ) -> Option<Resolved> {
        let own = space == Space::SharedCta;
        let (space, address) = to_space(space, address);
        match space {
            DeclaredSpace::Shared => self.resolve_shared(address, bytes, place, own),
            DeclaredSpace::Local => self.find(space, address, bytes, InstanceKey::Thread(thread)),
            DeclaredSpace::Multimem => unreachable!("multimem ranges lie in the global space"),
            _ => self.find(space, address, bytes, InstanceKey::Whole),
        }
    }

    /// The variable, and the byte offset in it, of some bytes at an address. Only for variables of
    /// which a thread reaches its own instance by name.
    pub(crate) fn named(&self, space: Space, address: u64, bytes: u64) -> Option<(usize, u64)> {
        let (space, address) = to_space(space, address);
        let mut found = self.variables.iter().enumerate().filter(|(_, v)| v.space == space);
        found.find_map(|(index, variable)| {
            let (_, offset) = variable.inside(address, bytes)?;
            (!variable.is_replicated()).then_some((index, offset))
        })
    }

    /// A shared address, which in `.shared::cta` has to belong to the thread's own CTA.
    fn resolve_shared(
        &self,
        address: u64,
        bytes: u64,
        place: ThreadPlace,
        own: bool,
    ) -> Option<Resolved> {
        let ThreadPlace::Device(place) = place else { return None };
        let cta = match address >> SHARED_CTA_BITS {
            0 => place.cta,
            rank => *self.cluster_ctas(place).get(usize::try_from(rank - 1).ok()?)?,
        };
        if own && cta != place.cta {
            return None;
        }
        let inside = address & ((1 << SHARED_CTA_BITS) - 1);
        let key = InstanceKey::Cta(place.gpu, place.grid, cta);
        let found = self.find(DeclaredSpace::Shared, inside, bytes, key)?;
        Some(Resolved { remote: cta != place.cta, ..found })
    }

    fn find(
        &self,
        space: DeclaredSpace,
        address: u64,
        bytes: u64,
        key: InstanceKey,
    ) -> Option<Resolved> {
        let matches = |v: &VariableInfo| {
            v.space == space
                || (space == DeclaredSpace::Global && v.space == DeclaredSpace::Multimem)
        };
        let mut reached = self.variables.iter().filter(|v| matches(v));
        let (variable, (replica, offset)) =
            reached.find_map(|v| Some((v, v.inside(address, bytes)?)))?;
        let objects: Vec<ObjectId> = if variable.space == DeclaredSpace::Multimem {
            variable.instances.values().copied().collect()
        } else if variable.is_replicated() {
            vec![variable.instances[replica]]
        } else {
            vec![*variable.instances.get(&key)?]
        };
        if objects.is_empty() {
            return None;
        }
        // Virtual identity: aliases have their own ranges; instances differ by their objects.
        Some(Resolved {
            objects,
            virt: VirtualId::new(variable.virtual_of),
            offset,
            align: variable.align,
            space: variable.space,
            remote: false,
            tensor_map: variable.tensor_map.is_some(),
            tensor_memory: variable.tensor_memory,
        })
    }

    /// Every address in `space` where an access of `bytes` bytes is possible for a thread.
    /// Addresses are multiples of `step` from the start of a variable.
    #[must_use]
    pub fn candidates(
        &self,
        space: Space,
        (bytes, step): (u64, u64),
        place: ThreadPlace,
    ) -> Vec<u64> {
        let mut out = Vec::new();
        for variable in &self.variables {
            let bases: Vec<u64> = match (variable.space, space, place) {
                (
                    DeclaredSpace::Global | DeclaredSpace::Multimem,
                    Space::Global | Space::Generic,
                    _,
                ) => variable.addresses().collect(),
                (
                    DeclaredSpace::Shared,
                    Space::SharedCta | Space::SharedCluster,
                    ThreadPlace::Device(p),
                ) => self.shared_addresses(variable.address, p),
                (DeclaredSpace::Shared, Space::Generic, ThreadPlace::Device(p)) => self
                    .shared_addresses(variable.address, p)
                    .into_iter()
                    .map(|a| Window::SHARED.base + a)
                    .collect(),
                (DeclaredSpace::Local, Space::Local, _)
                | (DeclaredSpace::Const, Space::Const, _)
                | (DeclaredSpace::Param, Space::ParamEntry | Space::ParamFunc, _) => {
                    vec![variable.address]
                }
                (DeclaredSpace::Local | DeclaredSpace::Const, Space::Generic, _)
                | (DeclaredSpace::Param, Space::Generic | Space::Global, _) => {
                    let window = Window::of_declared(variable.space);
                    vec![window.map_or(0, |w| w.base) + variable.address]
                }
                _ => Vec::new(),
            };
            for base in bases {
                let last = variable.bytes().saturating_sub(bytes);
                if variable.bytes() >= bytes {
                    let step = usize::try_from(step).unwrap_or(1);
                    out.extend((0..=last).step_by(step).map(|o| base + o));
                }
            }
        }
        out
    }

    fn shared_addresses(&self, address: u64, place: Place) -> Vec<u64> {
        let ranks = 1..=self.cluster_ctas(place).len() as u64;
        std::iter::once(address).chain(ranks.map(|r| (r << SHARED_CTA_BITS) + address)).collect()
    }
}

/// Maps a generic address to the space whose window contains it.
fn to_space(space: Space, address: u64) -> (DeclaredSpace, u64) {
    use DeclaredSpace::{Const, Global, Local, Param, Shared};
    let windows: &[DeclaredSpace] = match space {
        Space::Global => &[Param],
        Space::Generic => &[Shared, Local, Const, Param],
        Space::SharedCta | Space::SharedCluster => return (Shared, address),
        Space::Local => return (Local, address),
        Space::Const => return (Const, address),
        Space::ParamEntry | Space::ParamFunc => return (Param, address),
    };
    let found = windows.iter().find_map(|&inner| {
        let window = Window::of_declared(inner).filter(|w| w.contains(address))?;
        Some((inner, address - window.base))
    });
    found.unwrap_or((Global, address))
}
