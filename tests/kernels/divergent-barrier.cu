// launch: buf out[4] of .u32; k<<<1, 4>>>(out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* out) {
    __shared__ unsigned s[4];
    s[threadIdx.x] = threadIdx.x;
#ifdef BROKEN
    if (threadIdx.x < 2)
#endif
    __syncthreads();
    out[threadIdx.x] = s[3 - threadIdx.x];
}
