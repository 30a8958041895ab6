// launch: buf data[32] of .u32; buf out[32] of .u32; k<<<1, 64>>>(data, out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* data, unsigned* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        data[t] = t;
#ifndef BROKEN
        asm volatile("bar.arrive 1, 64;" ::: "memory");
#endif
    } else {
#ifndef BROKEN
        asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
        out[t - 32] = data[(t + 1) & 31];
    }
}
