// launch: buf x[4] of .f32 = 2.0; k<<<1, 4>>>(x)
// expect: fine
// broken: race

extern "C" __global__ void k(float* x) {
#ifndef BROKEN
    float v = x[threadIdx.x];
    x[threadIdx.x] = sinf(v) * rsqrtf(v) + v * v;
#else
    float v = x[threadIdx.x ^ 1];
    x[threadIdx.x] = sqrtf(v) * rsqrtf(v) + v * v;
#endif
}
