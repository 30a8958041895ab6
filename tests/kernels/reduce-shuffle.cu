// launch: buf in[32] of .u32 = 1; buf out of .u32; k<<<1, 32>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
#ifndef BROKEN
    unsigned v = in[threadIdx.x];
    for (int n = 16; n > 0; n /= 2) v += __shfl_down_sync(0xffffffff, v, n);
    if (threadIdx.x == 0) *out = v;
#else
    __shared__ unsigned s[32];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) *out = s[0] + s[1];
#endif
}
