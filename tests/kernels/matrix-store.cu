// launch: buf out[32] of .u32; k<<<1, 32>>>(out)
// expect: fine
// broken: race

// The lanes of a warp store their fragments to rows and load whole rows.
extern "C" __global__ void k(unsigned* out) {
    __shared__ __align__(16) unsigned tile[32];
    unsigned lane = threadIdx.x;
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane % 8 * 4]);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"
                 :: "r"(row), "r"(lane) : "memory");
#ifndef BROKEN
    __syncwarp();
#endif
    out[lane] = tile[(lane + 4) % 32];
}
