// launch: buf data[2] of .u32; a<<<1, 2>>>(data); b<<<1, 2>>>(data)
// expect: fine
// broken: race

extern "C" __global__ void a(unsigned* data) { data[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void b(unsigned* data) {
#ifdef BROKEN
    data[0] += 1;
#else
    data[threadIdx.x ^ 1] += 1;
#endif
}
