// One query a warp, online softmax over the keys.
template <int D>
__global__ void attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* out, int keys, float scale) {
  const int lane = threadIdx.x & 31, query = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float mine[D / 32], sum[D / 32] = {};
  for (int i = 0; i < D / 32; ++i) mine[i] = q[query * D + i * 32 + lane] * scale;
  float highest = -INFINITY, denominator = 0;
  for (int key = 0; key < keys; ++key) {
    float dot = 0;
    for (int i = 0; i < D / 32; ++i) dot += mine[i] * k[key * D + i * 32 + lane];
    for (int o = 16; o > 0; o >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, o);
    const float next = fmaxf(highest, dot), shrink = __expf(highest - next), weight = __expf(dot - next);
    denominator = denominator * shrink + weight;
    for (int i = 0; i < D / 32; ++i) sum[i] = sum[i] * shrink + weight * v[key * D + i * 32 + lane];
    highest = next;
  }
  for (int i = 0; i < D / 32; ++i) out[query * D + i * 32 + lane] = __fdividef(sum[i], denominator);
}
template __global__ void attention<64>(const float*, const float*, const float*, float*, int, float);
