// launch: buf out[4] of .u32; k<<<1, 4>>>(out)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* out) {
    switch (threadIdx.x) {
        case 0: out[3] = 1; break;
        case 1: out[2] = 5; break;
        case 2: out[1] = 9; break;
#ifndef BROKEN
        case 3: out[0] = 2; break;
#else
        case 3: out[1] = 2; break;
#endif
    }
}
