// launch: buf out[4] of .u32; k<<<2, 2>>>(out) cluster(2)
// expect: fine
// broken: race
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2) k(unsigned* out) {
    __shared__ unsigned s[2];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = cluster.block_rank();
#ifndef BROKEN
    cluster.sync();
#else
    __syncthreads();
#endif
    unsigned* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 2 + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
