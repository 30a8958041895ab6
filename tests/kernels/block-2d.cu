// launch: buf out[8] of .u32; k<<<dim3(1, 2), dim3(2, 2)>>>(out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* out) {
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef BROKEN
    y = threadIdx.y;
#endif
    out[y * 2 + threadIdx.x] = y;
}
