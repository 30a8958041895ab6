// launch: buf data of .u32; buf flag of .u32; buf out of .u32; k<<<2, 1>>>(data, flag, out)
// expect: fine
// broken: race
#ifdef BROKEN
#define SCOPE cuda::thread_scope_block
#else
#define SCOPE cuda::thread_scope_device
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* data, unsigned* flag, unsigned* out) {
    cuda::atomic_ref<unsigned, SCOPE> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        *out = *data;
    }
}
