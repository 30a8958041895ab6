// launch: buf x[4] of .f32 = 2.0; k<<<1, 4>>>(x)
// expect: fine
// broken: race

extern "C" __global__ void k(float* x) {
    float v = x[threadIdx.x];
#ifdef BROKEN
    v = x[threadIdx.x ^ 1];
#endif
    x[threadIdx.x] = sinf(v) * rsqrtf(v) + v * v;
}
