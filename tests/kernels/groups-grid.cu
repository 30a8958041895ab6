// launch: buf data[2] of .u32; buf out[2] of .u32; k<<<2, 1>>>(data, out) cooperative
// expect: fine
// broken: race
#include <cooperative_groups.h>

extern "C" __global__ void k(unsigned* data, unsigned* out) {
    auto grid = cooperative_groups::this_grid();
    data[grid.thread_rank()] = 1;
#ifndef BROKEN
    grid.sync();
#endif
    out[grid.thread_rank()] = data[grid.thread_rank() ^ 1];
}
