// launch: buf in[8] of .u32 = 1; buf out of .u32; k<<<1, 8>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[8];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned n = blockDim.x / 2; n > 0; n /= 2) {
        if (t < n) s[t] += s[t + n];
#ifndef BROKEN
        __syncthreads();
#endif
    }
    if (t == 0) *out = s[0];
}
