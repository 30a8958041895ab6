// launch: buf in[2] of .u32 = 1; buf sums[2] of .u32; buf flags[2] of .u32; buf out[2] of .u32; k<<<2, 1>>>(in, sums, flags, out)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_release
#endif
#include <cuda/atomic>

extern "C" __global__ void k(const unsigned* in, unsigned* sums, unsigned* flags, unsigned* out) {
    unsigned b = blockIdx.x, before = 0;
    if (b > 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(flags[b - 1]);
        while (f.load(cuda::memory_order_acquire) == 0) {}
        before = sums[b - 1];
    }
    sums[b] = before + in[b];
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(flags[b]).store(1, ORDER);
    out[b] = before;
}
