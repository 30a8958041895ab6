// launch: buf ready of .u32; buf value of .u32; buf out[2] of .u32; k<<<2, 1>>>(ready, value, out)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_acquire
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* ready, unsigned* value, unsigned* out) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(*ready);
    if (blockIdx.x == 0) {
        *value = 5;
        r.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 1 && r.load(ORDER)) out[1] = *value;
}
