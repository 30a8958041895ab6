// launch: buf x[8] of .f32; k<<<2, 2>>>(x, 8)
// expect: fine
// broken: race

extern "C" __global__ void k(float* x, int n) {
#ifndef BROKEN
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
#else
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= 2;
#endif
}
