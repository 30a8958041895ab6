// launch: buf count of .u32; buf data[2] of .u32; buf out[2] of .u32; k<<<2, 1>>>(count, data, out) cooperative
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_release
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* count, unsigned* data, unsigned* out) {
    data[blockIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
        c.fetch_add(1, ORDER);
        while (c.load(cuda::memory_order_acquire) != gridDim.x) {}
    }
    __syncthreads();
    out[blockIdx.x] = data[blockIdx.x ^ 1];
}
