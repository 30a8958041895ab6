// launch: buf out[2] of .u32; k<<<1, 2>>>(out)
// expect: fine
// broken: race

extern "C" __device__ int printf(const char*, ...);
extern "C" __global__ void k(unsigned* out) {
    out[threadIdx.x] = 1;
#ifdef BROKEN
    if (threadIdx.x == 1) printf("%u\n", out[0]);
#else
    printf("%u\n", out[threadIdx.x]);
#endif
}
