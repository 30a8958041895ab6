// launch: buf p[2] of .u32 = 3; buf out[2] of .u32; k<<<1, 2>>>(p, out, 5)
// expect: fine
// broken: race

__device__ __noinline__ unsigned helper(unsigned a, const unsigned* p) { return a + *p; }
extern "C" __global__ void k(unsigned* p, unsigned* out, unsigned n) {
    out[threadIdx.x] = helper(n, p + threadIdx.x);
#ifdef BROKEN
    p[0] = 1;
#endif
}
