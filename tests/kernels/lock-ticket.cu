// launch: buf next of .u32; buf serving of .u32; buf counter of .u32; k<<<2, 1>>>(next, serving, counter)
// expect: fine
// broken: race
#ifdef BROKEN
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_acquire
#endif
#include <cuda/atomic>

extern "C" __global__ void k(unsigned* next, unsigned* serving, unsigned* counter) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> n(*next), s(*serving);
    unsigned mine = n.fetch_add(1, cuda::memory_order_relaxed);
    while (s.load(ORDER) != mine) {}
    *counter = *counter + 1;
    s.store(mine + 1, cuda::memory_order_release);
}
