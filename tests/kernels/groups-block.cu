// launch: buf data[4] of .u32; buf out[4] of .u32; k<<<1, 4>>>(data, out)
// expect: fine
// broken: race
#include <cooperative_groups.h>

extern "C" __global__ void k(unsigned* data, unsigned* out) {
    auto block = cooperative_groups::this_thread_block();
    data[block.thread_rank()] = block.thread_rank();
#ifndef BROKEN
    block.sync();
#endif
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}
