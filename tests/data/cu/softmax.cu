#include <cfloat>

__global__ void softmax_rows(const float* in, float* out, int columns) {
  __shared__ float shared_max[32], shared_sum[32];
  const float* row = in + blockIdx.x * columns;
  float highest = -FLT_MAX;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) highest = fmaxf(highest, row[i]);
  for (int o = 16; o > 0; o >>= 1) highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, o));
  if (threadIdx.x % 32 == 0) shared_max[threadIdx.x / 32] = highest;
  __syncthreads();
  highest = shared_max[0];
  for (int i = 1; i < blockDim.x / 32; ++i) highest = fmaxf(highest, shared_max[i]);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - highest);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x % 32 == 0) shared_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) sum += shared_sum[i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = expf(row[i] - highest) / sum;
}

__global__ void layer_norm(const float* in, float* out, const float* weight, const float* bias, int columns) {
  float mean = 0, square = 0;
  const float4* row = reinterpret_cast<const float4*>(in + blockIdx.x * columns);
  for (int i = threadIdx.x; i < columns / 4; i += 32) {
    const float4 v = __ldcs(row + i);
    mean += v.x + v.y + v.z + v.w;
    square += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int o = 16; o > 0; o >>= 1) {
    mean += __shfl_xor_sync(0xffffffffu, mean, o);
    square += __shfl_xor_sync(0xffffffffu, square, o);
  }
  mean /= columns;
  const float scale = rsqrtf(square / columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += 32) __stcs(out + blockIdx.x * columns + i, (in[blockIdx.x * columns + i] - mean) * scale * weight[i] + bias[i]);
}
