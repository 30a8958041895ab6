// launch: buf count of .u32 = 2; buf data[2] of .u32; buf out of .u32; k<<<2, 1>>>(count, data, out)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_acq_rel
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* count, unsigned* data, unsigned* out) {
    data[blockIdx.x] = 1;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
    if (c.fetch_sub(1, ORDER) == 1) *out = data[0] + data[1];
}
