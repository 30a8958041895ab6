// launch: buf data of .u32; buf flag of .u32; buf out of .u32; k<<<2, 1>>>(data, flag, out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* data, volatile unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
#ifndef BROKEN
        __threadfence();
#endif
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        *out = *data;
    }
}
