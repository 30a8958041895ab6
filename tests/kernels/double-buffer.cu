// launch: buf in[8] of .u32 = 1; buf out[2] of .u32; k<<<1, 2>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[2][2];
    unsigned t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        s[i & 1][t] = in[2 * i + t];
#ifndef BROKEN
        __syncthreads();
#endif
        sum += s[i & 1][t ^ 1];
    }
    out[t] = sum;
}
