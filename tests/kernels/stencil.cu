// launch: buf in[6] of .u32 = 1; buf out[4] of .u32; k<<<1, 4>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[6];
    unsigned t = threadIdx.x;
    s[t + 1] = in[t + 1];
    if (t == 0) s[0] = in[0];
    if (t == 3) s[5] = in[5];
#ifndef BROKEN
    __syncthreads();
#endif
    out[t] = s[t] + s[t + 1] + s[t + 2];
}
