// launch: buf x[4] of .u32; k<<<1, 4>>>(x)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* x) {
    unsigned t = threadIdx.x, v = x[(t + 1) & 3];
#ifndef BROKEN
    __syncthreads();
#endif
    x[t] = v;
}
