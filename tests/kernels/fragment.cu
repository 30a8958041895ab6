// launch: buf in[32] of .u32; buf out[64] of .u32; k<<<1, 64>>>(in, out)
// expect: fine
// broken: race

// A warp loads a matrix of bits that another one has stored, and stores one of counts.
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ __align__(32) unsigned tile[32];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        tile[lane] = in[lane];
    }
#ifndef BROKEN
    __syncthreads();
#endif
    if (threadIdx.x >= 32) {
        unsigned a, low, high;
        asm volatile("wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {%0}, [%1];"
                     : "=r"(a) : "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory");
        asm volatile("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 "
                     "{%0, %1}, {%2}, {%2}, {%3, %3};"
                     : "=r"(low), "=r"(high) : "r"(a), "r"(0));
        asm volatile("wmma.store.d.sync.aligned.row.m8n8k128.s32 [%0], {%1, %2};"
                     :: "l"(out), "r"(low), "r"(high) : "memory");
    }
}
