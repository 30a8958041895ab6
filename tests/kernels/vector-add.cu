// launch: buf a[8] of .f32; buf b[8] of .f32; buf c[8] of .f32; k<<<2, 4>>>(a, b, c, 8)
// expect: fine
// broken: undefined

extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BROKEN
    i += 1;
#endif
    if (i <= n) c[i] = a[i] + b[i];
}
