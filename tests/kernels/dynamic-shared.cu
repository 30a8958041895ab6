// launch: buf out[4] of .u32; k<<<1, 4, 16>>>(out)
// expect: fine
// broken: undefined

extern "C" __global__ void k(unsigned* out) {
    extern __shared__ unsigned s[];
#ifndef BROKEN
    s[threadIdx.x] = 1;
#else
    s[threadIdx.x + 1] = 1;
#endif
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
