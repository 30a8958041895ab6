// launch: buf out[8] of .u32; k<<<1, 8>>>(out)
// expect: fine
// broken: hang

extern "C" __global__ void k(unsigned* out) {
#ifdef BROKEN
    if (threadIdx.x > 0) {
        asm volatile("bar.sync 2;" ::: "memory");
        asm volatile("bar.sync 1;" ::: "memory");
    } else {
        asm volatile("bar.sync 1;" ::: "memory");
        asm volatile("bar.sync 2;" ::: "memory");
    }
#else
    asm volatile("bar.sync 1;" ::: "memory");
    asm volatile("bar.sync 2;" ::: "memory");
#endif
    out[threadIdx.x] = 1;
}
