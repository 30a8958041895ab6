// launch: buf in[32] of .u32; buf out[32] of .u32; k<<<1, 32>>>(in, out)
// expect: fine
// broken: undefined

// Copies that are waited for before the warp loads the matrix.
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ __align__(16) unsigned tile[32];
    unsigned lane = threadIdx.x;
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane % 8 * 4]);
    if (lane < 8) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(row), "l"(in + lane * 4) : "memory");
    }
#ifndef BROKEN
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncwarp();
    unsigned fragment;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(fragment) : "r"(row) : "memory");
    out[lane] = fragment;
}
