// launch: buf in[4] of .u32 = 1; buf part[2] of .u32; buf count of .u32; buf out of .u32; k<<<2, 2>>>(in, part, count, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* part, unsigned* count, unsigned* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x * 2] + in[blockIdx.x * 2 + 1];
#ifndef BROKEN
        __threadfence();
#endif
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 1) *out = part[0] + part[1];
}
