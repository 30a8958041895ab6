// launch: buf box of .u32; buf data of .u32; buf out of .u32; k<<<2, 1>>>(box, data, out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* box, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        atomicExch(box, 1);
    } else {
        while (atomicAdd(box, 0) == 0) {}
#ifndef BROKEN
        __threadfence();
#endif
        *out = *data;
    }
}
