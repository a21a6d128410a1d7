// Sixteen bytes a lane: a warp asks for four times as much as the banks deliver at a time, and is served by quarters.
//
// warplens: grid=1 block=32 in=f32[128]:ints out=f32[128]

__global__ void wide(const float4* in, float4* out) {
  __shared__ float4 words[32];

  const int lane = threadIdx.x;
  words[lane] = in[lane];
  __syncthreads();
  out[lane] = words[31 - lane];
}
