// launch: buf tail of .u32; buf slots[2] of .u32; buf full[2] of .u32; buf out of .u32; k<<<2, 1>>>(tail, slots, full, out)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_release
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* tail, unsigned* slots, unsigned* full, unsigned* out) {
    if (blockIdx.x == 0) {
        unsigned at = atomicAdd(tail, 1) & 1;
        slots[at] = 7;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(full[at]).store(1, ORDER);
    } else {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(full[0]);
        while (f.load(cuda::memory_order_acquire) == 0) {}
        *out = slots[0];
    }
}
