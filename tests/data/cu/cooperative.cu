#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int value = out[block.thread_rank()];
  value = cg::reduce(tile, value, cg::plus<int>());
  block.sync();
  if (tile.thread_rank() == 0) out[block.group_index().x] = value;
  if (value & 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(&out[0], int(active.size()));
  }
  out[1] = tile.shfl_down(value, 3) + tile.ballot(value > 2);
}
