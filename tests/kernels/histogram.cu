// launch: buf in[8] of .u32 = {3, 2, 1, 0, 3, 2, 1, 0}; buf out[4] of .u32; k<<<2, 4>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned bins[4];
    unsigned t = threadIdx.x;
    bins[t] = 0;
#ifndef BROKEN
    __syncthreads();
#endif
    atomicAdd(&bins[in[blockIdx.x * 4 + t] & 3], 1);
    __syncthreads();
    atomicAdd(&out[t], bins[t]);
}
