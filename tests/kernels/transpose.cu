// launch: buf in[16] of .u32 = 1; buf out[16] of .u32; k<<<1, dim3(4, 4)>>>(in, out)
// expect: fine
// broken: race

extern "C" __global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[4][5];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 4 + threadIdx.x];
#ifndef BROKEN
    __syncthreads();
#endif
    out[threadIdx.y * 4 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
