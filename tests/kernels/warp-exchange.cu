// launch: buf out[4] of .u32; k<<<1, 4>>>(out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* out) {
    __shared__ unsigned s[4];
    s[threadIdx.x] = threadIdx.x;
#ifndef BROKEN
    __syncwarp(0xf);
#endif
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
