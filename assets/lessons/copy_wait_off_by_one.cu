// piece_sums with a wait that lets one group too many be on its way: the piece that is added may be among them.
//
// Needs compute capability 8.0: cp.async.
//
// warplens: grid=2 block=128 n=16384 in=f32[n]:ints out=f32[256]

constexpr int kStages = 3;
constexpr int kThreads = 128;  // A piece is one float4 a thread

__device__ void copy(float4* to, const float4* from) {
  const unsigned shared = __nv_cvta_generic_to_shared_impl(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}

__global__ void copy_wait_off_by_one(const float4* in, float* out, int n) {
  __shared__ float4 stages[kStages][kThreads];
  const int x = threadIdx.x;
  const int pieces = n / 4 / kThreads / gridDim.x;
  in += blockIdx.x * pieces * kThreads;

  for (int piece = 0; piece < kStages - 1; ++piece) {
    copy(&stages[piece][x], &in[piece * kThreads + x]);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  float sum = 0.0f;
  for (int piece = 0; piece < pieces; ++piece) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
    __syncthreads();
    const int next = piece + kStages - 1;
    if (next < pieces) {
      copy(&stages[next % kStages][x], &in[next * kThreads + x]);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    const float4 part = stages[piece % kStages][kThreads - 1 - x];
    sum += part.x + part.y + part.z + part.w;
  }
  out[blockIdx.x * kThreads + x] = sum;
}
