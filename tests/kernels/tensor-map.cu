// launch: buf data[4] of .u32; .tensormap map = { data, .u32, {4}, {4} }; buf out[2] of .u32; k<<<1, 2>>>(map, out)
// expect: fine
// broken: race
#include <cuda/ptx>

struct alignas(64) Map {
    char opaque[128];
};

extern "C" __global__ void k(const __grid_constant__ Map map, unsigned* out) {
    __shared__ alignas(128) unsigned tile[4];
    __shared__ alignas(8) unsigned long long full;
    const int at[1] = {0};
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&full, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_arrive_expect_tx(
            cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &full, 16);
        cuda::ptx::cp_async_bulk_tensor(
            cuda::ptx::space_cluster, cuda::ptx::space_global, tile, &map, at, &full);
    }
#ifndef BROKEN
    while (!cuda::ptx::mbarrier_try_wait_parity(&full, 0)) {}
#endif
    out[threadIdx.x] = tile[threadIdx.x];
}
