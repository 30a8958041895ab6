//! The GPU driver of this machine, loaded at run time: runs kernels and returns rows of results.
//!
//! This is the only module with `unsafe` code. Kernels come from [`super::kernel`], and their
//! arguments from [`super::geometry`]. A launch therefore accesses only its own memory, as far as
//! the statements of the test do; the model decides whether they do, see [`crate::check`].

use super::geometry::{Bases, Block, Geometry, shared_image};
use super::kernel::{COLLECT, Kernel, TEST};
use super::parameters::Parameters;
use super::plan::Plan;
use crate::budget::Clock;
use crate::litmus::ast::Test;
use cudarc::driver::sys::{self, CUdevice_attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError,
    LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Threads of a CTA of the kernel that collects.
const COLLECTORS: u64 = 256;
/// How long to look for the end of a launch without a pause.
const EAGER: Duration = Duration::from_millis(20);

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GpuError {
    /// No driver.
    #[error("there is no NVIDIA driver on this machine (no library `cuda` to load)")]
    NoDriver,
    /// No device.
    #[error("there is no NVIDIA GPU of number {0} on this machine: {1}")]
    NoDevice(usize, String),
    /// The driver does not take the module.
    #[error("the driver rejects the kernel: {0}")]
    Rejected(String),
    /// The kernel needs a later architecture than the device has.
    #[error("the kernel needs {needed}, and the device is sm_{}{}", .has.0, .has.1)]
    TooOld {
        /// The target that the module names.
        needed: String,
        /// The compute capability of the device.
        has: (i32, i32),
    },
    /// The module is of a later version of PTX than the driver assembles.
    #[error("the kernel needs PTX {}.{}, which this driver does not know", .0.0, .0.1)]
    OldDriver((u32, u32)),
    /// The device cannot run one instance.
    #[error("the device has no room for one instance of the test")]
    NoRoom,
    /// A launch does not end.
    #[error("the launch has not ended after {} s: threads wait for ever", .0.as_secs())]
    Hangs(Duration),
    /// Something failed.
    #[error("{0}")]
    Driver(String),
}

impl From<DriverError> for GpuError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error.to_string())
    }
}

/// A GPU.
#[derive(Clone, Debug)]
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// The name of the GPU.
    pub name: String,
    /// The version of the driver, such as 13000.
    pub driver: i32,
    multiprocessors: u64,
    /// Its compute capability.
    pub capability: (i32, i32),
}

impl Gpu {
    /// The GPU of a number, from 0.
    ///
    /// # Errors
    /// When there is no driver, or no such GPU.
    #[expect(unsafe_code, reason = "looking for a library loads it, which runs what it does first")]
    pub fn open(number: usize) -> Result<Self, GpuError> {
        // SAFETY: the library is that of the driver, and made to be loaded.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        let missing = |error: DriverError| GpuError::NoDevice(number, error.to_string());
        let context = CudaContext::new(number).map_err(missing)?;
        let stream = context.new_stream()?;
        let count =
            context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(Self {
            name: context.name()?,
            driver: version()?,
            multiprocessors: u64::try_from(count).unwrap_or(1),
            capability: context.compute_capability()?,
            stream,
            context,
        })
    }

    /// Loads the module of a test.
    ///
    /// # Errors
    /// When the device is too old for the module, or when the driver rejects it.
    pub fn load(&self, kernel: &Kernel) -> Result<Loaded, GpuError> {
        let has = self.capability;
        if kernel.target.number() > u32::try_from(10 * has.0 + has.1).unwrap_or(0) {
            return Err(GpuError::TooOld { needed: kernel.target.arch.clone(), has });
        }
        let rejected = |error: DriverError| match error.0 {
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
                GpuError::OldDriver(kernel.target.version)
            }
            _ => GpuError::Rejected(error.to_string()),
        };
        let module =
            self.context.load_module(Ptx::from_src(kernel.ptx.clone())).map_err(rejected)?;
        Ok(Loaded {
            gpu: self.clone(),
            test: module.load_function(TEST).map_err(rejected)?,
            collect: module.load_function(COLLECT).map_err(rejected)?,
            buffers: Buffers::default(),
        })
    }
}

/// The version of the driver.
#[expect(unsafe_code, reason = "the library has no other way to ask")]
fn version() -> Result<i32, GpuError> {
    let mut version = 0;
    // SAFETY: the driver is loaded, and writes one number to where the pointer says.
    unsafe { sys::cuDriverGetVersion(&raw mut version).result()? };
    Ok(version)
}

/// Memory at one address, or at several.
#[derive(Debug)]
enum Memory {
    /// An ordinary allocation.
    Plain(CudaSlice<u8>),
    /// Consecutive mappings of the same memory; the slice covers the first mapping.
    Mapped(ManuallyDrop<CudaSlice<u8>>, Mapping),
}

impl Memory {
    fn slice(&self) -> &CudaSlice<u8> {
        match self {
            Self::Plain(slice) => slice,
            Self::Mapped(slice, _) => slice,
        }
    }

    fn slice_mut(&mut self) -> &mut CudaSlice<u8> {
        match self {
            Self::Plain(slice) => slice,
            Self::Mapped(slice, _) => slice,
        }
    }
}

/// Device memory that is mapped several times, and released on drop.
#[derive(Debug)]
struct Mapping {
    stream: Arc<CudaStream>,
    handle: sys::CUmemGenericAllocationHandle,
    address: u64,
    bytes: usize,
    count: usize,
}

impl Mapping {
    /// At least so many bytes, mapped so many times.
    #[expect(unsafe_code, reason = "the library maps memory by plain calls of the driver only")]
    fn new(stream: &Arc<CudaStream>, bytes: u64, count: usize) -> Result<Self, GpuError> {
        let context = stream.context();
        context.bind_to_thread()?;
        let location = sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: i32::try_from(context.ordinal()).unwrap_or(0),
        };
        let mut properties = sys::CUmemAllocationProp {
            type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location,
            win32HandleMetaData: std::ptr::null_mut(),
            allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
                compressionType: 0,
                gpuDirectRDMACapable: 0,
                usage: 0,
                reserved: [0; 4],
            },
        };
        let (mut unit, mut handle, mut address) = (0, 0, 0);
        let access = sys::CUmemAccessDesc {
            location,
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: each call gets pointers to values of the expected types, which outlive the call.
        // The mapped addresses are reserved before, in multiples of the size that the driver
        // requires.
        unsafe {
            let least = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
            sys::cuMemGetAllocationGranularity(&raw mut unit, &raw const properties, least)
                .result()?;
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).next_multiple_of(unit.max(1));
            sys::cuMemCreate(&raw mut handle, bytes, &raw mut properties, 0).result()?;
            let mut mapping = Self { stream: stream.clone(), handle, address, bytes, count: 0 };
            sys::cuMemAddressReserve(&raw mut address, bytes * count, 0, 0, 0).result()?;
            mapping.address = address;
            for number in 0..count {
                let at = address + (bytes * number) as u64;
                sys::cuMemMap(at, bytes, 0, handle, 0).result()?;
                mapping.count += 1;
            }
            sys::cuMemSetAccess(address, bytes * count, &raw const access, 1).result()?;
            Ok(mapping)
        }
    }

    /// The first mapping as an ordinary slice.
    #[expect(unsafe_code, reason = "only what is known of this memory says that it is there")]
    fn slice(&self) -> ManuallyDrop<CudaSlice<u8>> {
        // SAFETY: so many bytes are mapped there as long as the mapping is, and the slice is not
        // dropped, which would give them back in another way.
        ManuallyDrop::new(unsafe { self.stream.upgrade_device_ptr(self.address, self.bytes) })
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code, reason = "the library gives mapped memory back by plain calls only")]
    fn drop(&mut self) {
        // Memory that cannot be released here is released when the process ends.
        let _ = self.stream.synchronize();
        // SAFETY: `new` created, reserved and mapped these, and they are no longer in use.
        unsafe {
            for number in 0..self.count {
                let at = self.address + (self.bytes * number) as u64;
                let _ = sys::cuMemUnmap(at, self.bytes);
            }
            if self.address != 0 {
                let _ = sys::cuMemAddressFree(self.address, self.bytes * self.count);
            }
            let _ = sys::cuMemRelease(self.handle);
        }
    }
}

/// The buffers of launches, reused as long as they are large enough.
#[derive(Debug, Default)]
struct Buffers {
    memory: Option<Memory>,
    initial: Option<CudaSlice<u8>>,
    results: Option<CudaSlice<u8>>,
    starts: Option<CudaSlice<u8>>,
    scratch: Option<CudaSlice<u8>>,
    image: Option<CudaSlice<u8>>,
}

/// A test on a GPU.
#[derive(Debug)]
pub struct Loaded {
    gpu: Gpu,
    test: CudaFunction,
    collect: CudaFunction,
    buffers: Buffers,
}

/// A launch that is ready to be repeated.
#[derive(Debug)]
pub struct Launch<'l> {
    loaded: &'l mut Loaded,
    plan: &'l Plan,
    geometry: &'l Geometry,
    arguments: Vec<u64>,
    collecting: Option<Vec<u64>>,
    has_initial: bool,
    rows: Vec<u8>,
}

impl Loaded {
    /// The number of clusters, or of CTAs in a launch without clusters, that run concurrently with
    /// these parameters.
    ///
    /// # Errors
    /// When not even one cluster or CTA fits.
    pub fn resident(&self, plan: &Plan, parameters: &Parameters) -> Result<u64, GpuError> {
        let block = Block::new(plan, parameters);
        let threads = narrow(block.threads());
        let bytes = usize::try_from(block.shared_bytes).unwrap_or(usize::MAX);
        let each =
            self.test.occupancy_max_active_blocks_per_multiprocessor(threads, bytes, None)?;
        let ctas = u64::from(each) * self.gpu.multiprocessors;
        let count = match plan.cluster_size as u64 {
            1 => ctas,
            size => {
                let config = LaunchConfig {
                    grid_dim: (narrow(size), 1, 1),
                    block_dim: (threads, 1, 1),
                    shared_mem_bytes: narrow(block.shared_bytes),
                };
                // A driver that cannot tell has room for less than all CTAs, as clusters do not
                // spread over all multiprocessors.
                let told = self.test.occupancy_max_active_clusters(config, &self.gpu.stream);
                told.map_or(ctas / size / 2, u64::from)
            }
        };
        let needed = if plan.waits { plan.clusters as u64 } else { 1 };
        if count < needed { Err(GpuError::NoRoom) } else { Ok(count) }
    }

    /// Gets everything ready for a launch.
    ///
    /// # Errors
    /// When memory is short.
    pub fn prepare<'l>(
        &'l mut self,
        test: &Test,
        plan: &'l Plan,
        kernel: &Kernel,
        geometry: &'l Geometry,
    ) -> Result<Launch<'l>, GpuError> {
        let stream = self.gpu.stream.clone();
        let instances = geometry.instances();
        let row_bytes = instances * u64::from(plan.row_bytes);
        let buffers = &mut self.buffers;
        let bases = Bases {
            memory: address(&stream, &mut buffers.memory, plan, geometry.memory_bytes)?,
            distance: match &buffers.memory {
                Some(Memory::Mapped(_, mapping)) => mapping.bytes as u64,
                _ => 0,
            },
            results: room(&stream, &mut buffers.results, row_bytes)?,
            starts: room(&stream, &mut buffers.starts, instances * 4)?,
            scratch: room(&stream, &mut buffers.scratch, Parameters::SCRATCH)?,
            image: room(&stream, &mut buffers.image, plan.shared_bytes)?,
        };
        let image = shared_image(test, plan);
        if let (Some(buffer), false) = (&mut buffers.image, image.is_empty()) {
            stream.memcpy_htod(&image, buffer)?;
        }
        let initial = geometry.initial_memory(test, plan, bases.memory);
        if let Some(bytes) = &initial {
            room(&stream, &mut buffers.initial, geometry.memory_bytes)?;
            if let Some(buffer) = &mut buffers.initial {
                stream.memcpy_htod(bytes, buffer)?;
            }
        }
        stream.synchronize()?;
        let value = |argument: &_| geometry.argument(*argument, &bases);
        let arguments = kernel.arguments.iter().map(value).collect();
        let collecting = (!kernel.collected.is_empty()).then(|| {
            let offsets = kernel.collected.iter().map(|&slot| geometry.offsets[slot]);
            [bases.memory, geometry.stride, bases.results, instances]
                .into_iter()
                .chain(offsets)
                .collect()
        });
        let rows = vec![0; usize::try_from(row_bytes).unwrap_or(0)];
        let has_initial = initial.is_some();
        Ok(Launch { loaded: self, plan, geometry, arguments, collecting, has_initial, rows })
    }
}

impl Launch<'_> {
    /// Runs all instances once, and returns their rows of results.
    ///
    /// # Errors
    /// When the launch does not end in time, or when the driver fails.
    pub fn run(&mut self, clock: Clock, patience: Duration) -> Result<&[u8], GpuError> {
        let stream = self.loaded.gpu.stream.clone();
        let buffers = &mut self.loaded.buffers;
        let used = usize::try_from(self.geometry.memory_bytes).unwrap_or(usize::MAX);
        if let Some(memory) = &mut buffers.memory {
            let mut memory = memory.slice_mut().slice_mut(..used);
            match buffers.initial.as_ref().filter(|_| self.has_initial) {
                Some(initial) => stream.memcpy_dtod(&initial.slice(..used), &mut memory)?,
                None => stream.memset_zeros(&mut memory)?,
            }
        }
        if let Some(starts) = &mut buffers.starts {
            stream.memset_zeros(starts)?;
        }
        let block = &self.geometry.block;
        let config = LaunchConfig {
            grid_dim: (narrow(self.geometry.ctas(self.plan)), 1, 1),
            block_dim: (narrow(block.threads()), 1, 1),
            shared_mem_bytes: narrow(block.shared_bytes),
        };
        launch(&stream, &self.loaded.test, &self.arguments, config)?;
        if let Some(arguments) = &self.collecting {
            let ctas = self.geometry.instances().div_ceil(COLLECTORS);
            let config = LaunchConfig {
                grid_dim: (narrow(ctas), 1, 1),
                block_dim: (narrow(COLLECTORS), 1, 1),
                shared_mem_bytes: 0,
            };
            launch(&stream, &self.loaded.collect, arguments, config)?;
        }
        wait(&stream.record_event(None)?, clock, patience)?;
        if let Some(results) = &self.loaded.buffers.results {
            let results = results.slice(..self.rows.len());
            stream.memcpy_dtoh(&results, &mut self.rows)?;
            stream.synchronize()?;
        }
        Ok(&self.rows)
    }
}

/// Launches a kernel whose arguments have 64 bits each.
#[expect(unsafe_code, reason = "nobody but the kernel knows what its arguments are")]
fn launch(
    stream: &Arc<CudaStream>,
    function: &CudaFunction,
    arguments: &[u64],
    config: LaunchConfig,
) -> Result<(), GpuError> {
    let mut builder = stream.launch_builder(function);
    for argument in arguments {
        builder.arg(argument);
    }
    // SAFETY: the arguments match the kernel in number and width. Addresses among them belong to
    // buffers that are at least as large as the geometry requires and that live until the stream is
    // synchronized. The kernel accesses only these buffers, unless the test itself goes astray,
    // which the device notices.
    unsafe { builder.launch(config)? };
    Ok(())
}

/// The address of the memory of the global variables, mapped once for each address that the test
/// uses.
fn address(
    stream: &Arc<CudaStream>,
    memory: &mut Option<Memory>,
    plan: &Plan,
    bytes: u64,
) -> Result<u64, GpuError> {
    let wanted = usize::try_from(bytes).unwrap_or(usize::MAX);
    if memory.as_ref().is_none_or(|known| known.slice().len() < wanted) {
        *memory = None;
        *memory = Some(match plan.aliases.len() {
            0 => Memory::Plain(stream.alloc_zeros(wanted.max(16))?),
            others => {
                let mapping = Mapping::new(stream, bytes, others + 1)?;
                Memory::Mapped(mapping.slice(), mapping)
            }
        });
    }
    Ok(memory.as_ref().map_or(0, |known| known.slice().device_ptr(stream).0))
}

/// The address of a buffer of at least so many bytes.
fn room(
    stream: &Arc<CudaStream>,
    buffer: &mut Option<CudaSlice<u8>>,
    bytes: u64,
) -> Result<u64, GpuError> {
    let bytes = usize::try_from(bytes.max(16)).unwrap_or(usize::MAX);
    if buffer.as_ref().is_none_or(|known| known.len() < bytes) {
        *buffer = None;
        *buffer = Some(stream.alloc_zeros(bytes)?);
    }
    Ok(buffer.as_ref().map_or(0, |known| known.device_ptr(stream).0))
}

/// Waits for the work in a stream, with a time limit.
fn wait(event: &CudaEvent, clock: Clock, patience: Duration) -> Result<(), GpuError> {
    let start = clock.now();
    loop {
        if event.try_is_complete()? {
            return Ok(());
        }
        match clock.now().saturating_sub(start) {
            passed if passed > patience => return Err(GpuError::Hangs(patience)),
            passed if passed > EAGER => std::thread::sleep(Duration::from_millis(1)),
            _ => std::thread::yield_now(),
        }
    }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
