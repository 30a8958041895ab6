// launch: buf out[4] of .u32; k<<<1, 4>>>(out)
// expect: fine
// broken: race

__constant__ unsigned order[4] = {3, 1, 2, 0};
__constant__ unsigned same[4] = {3, 1, 1, 0};
extern "C" __global__ void k(unsigned* out) {
#ifndef BROKEN
    out[order[threadIdx.x]] = threadIdx.x;
#else
    out[same[threadIdx.x]] = threadIdx.x;
#endif
}
