// launch: buf p[2] of .u32; k<<<1, 2>>>(p)
// expect: fine
// broken: race
#include <cuda/barrier>

extern "C" __global__ void k(unsigned* p) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    p[threadIdx.x] = 1;
#ifndef BROKEN
    b.arrive_and_wait();
#else
    (void)b.arrive();
#endif
    p[threadIdx.x ^ 1] = 2;
}
