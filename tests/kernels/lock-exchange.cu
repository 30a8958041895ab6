// launch: buf lock of .u32; buf counter of .u32; k<<<2, 1>>>(lock, counter)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_release
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* lock, unsigned* counter) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> l(*lock);
    while (l.exchange(1, cuda::memory_order_acquire) != 0) {}
    *counter = *counter + 1;
    l.store(0, ORDER);
}
