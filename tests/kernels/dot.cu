// launch: buf a[4] of .f32 = 1.0; buf b[4] of .f32 = 1.0; buf out of .f32; k<<<2, 2>>>(a, b, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const float* a, const float* b, float* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i] * b[i];
#ifndef BROKEN
    atomicAdd(out, v);
#else
    *out += v;
#endif
}
