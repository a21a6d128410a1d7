// What model training runs: softmax, normalisation, attention, activation, half precision.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void softmax_online(const float* in, float* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    float v = row[i], previous = top;
    if (v > top) top = v, sum = sum * expf(previous - top);
    sum += expf(v - top);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, top, offset), other_sum = __shfl_xor_sync(0xffffffffu, sum, offset);
    if (other > top) {
      sum = sum * expf(top - other) + other_sum;
      top = other;
    } else {
      sum += other_sum * expf(other - top);
    }
  }
  for (int i = threadIdx.x; i < columns; i += 32) __stcs(out + blockIdx.x * columns + i, expf(row[i] - top) / sum);
}

extern "C" __global__ void layer_norm(const float* in, const float* gain, const float* bias, float* out, int columns) {
  __shared__ float2 partial[8];
  const float* row = in + blockIdx.x * columns;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    float v = __ldcs(row + i);
    s += v, q += v * v;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    s += __shfl_xor_sync(0xffffffffu, s, offset);
    q += __shfl_xor_sync(0xffffffffu, q, offset);
  }
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = make_float2(s, q);
  __syncthreads();
  s = 0, q = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) s += partial[w].x, q += partial[w].y;
  float mean = s / columns, rstd = rsqrtf(q / columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = (row[i] - mean) * rstd * gain[i] + bias[i];
}

extern "C" __global__ void gelu_vector(const float4* in, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = in[i];
  float* p = &v.x;
  for (int j = 0; j < 4; ++j) {
    float x = p[j], cube = 0.044715f * x * x * x;
    p[j] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + cube)));
  }
  out[i] = v;
}

extern "C" __global__ void attention_rows(const float* q, const float* k, const float* v, float* out, int t) {
  __shared__ float scores[128];
  int row = blockIdx.x, lane = threadIdx.x;
  float score = -INFINITY;
  if (lane <= row && lane < t) {
    score = 0;
    for (int d = 0; d < 16; ++d) score += q[row * 16 + d] * k[lane * 16 + d];
    score *= 0.25f;
  }
  scores[lane] = score;
  __syncthreads();
  float top = -INFINITY;
  for (int j = 0; j < t; ++j) top = fmaxf(top, scores[j]);
  __syncthreads();
  float e = lane <= row ? __expf(score - top) : 0.f;
  scores[lane] = e;
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < t; ++j) sum += scores[j];
  if (lane < 16) {
    float acc = 0;
    for (int j = 0; j < t; ++j) acc += scores[j] * v[j * 16 + lane];
    out[row * 16 + lane] = __fdividef(acc, sum);
  }
}

extern "C" __global__ void half_axpy(const __half2* x, __half2* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

extern "C" __global__ void bf16_rows(const __nv_bfloat16* in, float* out, __nv_bfloat16* back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = __bfloat162float(in[i]);
    out[i] = v * 1.5f + 0.25f;
    back[i] = __float2bfloat16(v * v - 1.f);
  }
}

extern "C" __global__ void adam(float* w, const float* g, float* m, float* v, float rate, float c1, float c2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float grad = g[i];
  m[i] = 0.9f * m[i] + 0.1f * grad;
  v[i] = 0.999f * v[i] + 0.001f * grad * grad;
  w[i] -= rate * ((m[i] / c1) / (sqrtf(v[i] / c2) + 1e-8f) + 0.01f * w[i]);
}

extern "C" __global__ void dropout(const float* in, float* out, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = seed ^ (unsigned)i * 0x9E3779B9u;
  s ^= s >> 16, s *= 0x7feb352dU, s ^= s >> 15, s *= 0x846ca68bU, s ^= s >> 16;
  float u = (s >> 8) * (1.f / 16777216.f);
  out[i] = u < 0.3f ? 0.f : in[i] / 0.7f;
}

extern "C" __global__ void embedding(const int* tokens, const float4* table, float4* out, int width) {
  int token = tokens[blockIdx.x];
  for (int i = threadIdx.x; i < width; i += blockDim.x) out[blockIdx.x * width + i] = __ldg(&table[token * width + i]);
}
