// launch: buf out[64] of .u32; k<<<1, 64>>>(out)
// expect: fine
// broken: deadlock

extern "C" __global__ void k(unsigned* out) {
#ifdef BROKEN
    asm volatile("bar.sync 1, 96;" ::: "memory");
#else
    asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
    out[threadIdx.x] = 1;
}
