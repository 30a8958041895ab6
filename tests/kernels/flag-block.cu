// launch: buf data of .u32; buf flag of .u32; buf out of .u32; k<<<1, 2>>>(data, flag, out)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_release
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* data, unsigned* flag, unsigned* out) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> ready(*flag);
    if (threadIdx.x == 0) {
        *data = 42;
        ready.store(1, ORDER);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        *out = *data;
    }
}
