// launch: buf lock of .u32; buf counter of .u32; k<<<2, 1>>>(lock, counter)
// expect: fine
// broken: race

extern "C" __global__ void k(unsigned* lock, unsigned* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *counter = *counter + 1;
#ifndef BROKEN
    __threadfence();
#endif
    atomicExch(lock, 0);
}
