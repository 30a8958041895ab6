// launch: buf in[4] of .u32 = 1; buf out[4] of .u32; k<<<1, 4>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[4];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned n = 1; n < 4; n *= 2) {
        unsigned v = t >= n ? s[t - n] : 0;
#ifndef BROKEN
        __syncthreads();
#endif
        s[t] += v;
        __syncthreads();
    }
    out[t] = s[t];
}
