// launch: buf out[64] of .u32; k<<<1, 64>>>(out)
// expect: fine
// broken: deadlock

extern "C" __global__ void k(unsigned* out) {
#ifdef BROKEN
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
#else
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
#endif
    out[threadIdx.x] = 1;
}
