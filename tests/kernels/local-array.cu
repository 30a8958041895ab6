// launch: buf in[4] of .u32 = {0, 1, 2, 3}; buf out[2] of .u32; k<<<1, 2>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    unsigned a[4];
    for (int i = 0; i < 4; i++) a[i] = in[i] + threadIdx.x;
    unsigned v = a[in[threadIdx.x] & 3];
#ifndef BROKEN
    out[threadIdx.x] = v;
#else
    out[0] = v;
#endif
}
