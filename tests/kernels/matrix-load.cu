// launch: buf out[32] of .u32; k<<<1, 64>>>(out)
// expect: fine
// broken: race

// A warp loads a matrix that another one has stored.
extern "C" __global__ void k(unsigned* out) {
    __shared__ __align__(16) unsigned tile[32];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        tile[lane] = lane;
    }
#ifndef BROKEN
    __syncthreads();
#endif
    if (threadIdx.x >= 32) {
        unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane % 8 * 4]);
        unsigned fragment;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(fragment) : "r"(row) : "memory");
        out[lane] = fragment;
    }
}
