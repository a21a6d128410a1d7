// Prefix sums, histograms and sorting networks.
extern "C" __global__ void scan_hillis_steele(const int* in, int* out, int n) {
  extern __shared__ int buffer[];
  int tid = threadIdx.x, from = 1, to = 0;
  buffer[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    to = 1 - to, from = 1 - to;
    buffer[to * blockDim.x + tid] = buffer[from * blockDim.x + tid] + (tid >= offset ? buffer[from * blockDim.x + tid - offset] : 0);
    __syncthreads();
  }
  if (tid < n) out[blockIdx.x * n + tid] = buffer[to * blockDim.x + tid];
}

#define PAD(i) ((i) + ((i) >> 5))
extern "C" __global__ void scan_blelloch(const int* in, int* out, int n) {
  __shared__ int data[PAD(1024) + 1];
  int tid = threadIdx.x, offset = 1;
  data[PAD(2 * tid)] = in[blockIdx.x * n + 2 * tid];
  data[PAD(2 * tid + 1)] = in[blockIdx.x * n + 2 * tid + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) data[PAD(offset * (2 * tid + 2) - 1)] += data[PAD(offset * (2 * tid + 1) - 1)];
    offset *= 2;
  }
  if (tid == 0) data[PAD(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int a = PAD(offset * (2 * tid + 1) - 1), b = PAD(offset * (2 * tid + 2) - 1);
      int t = data[a];
      data[a] = data[b];
      data[b] += t;
    }
  }
  __syncthreads();
  out[blockIdx.x * n + 2 * tid] = data[PAD(2 * tid)];
  out[blockIdx.x * n + 2 * tid + 1] = data[PAD(2 * tid + 1)];
}

extern "C" __global__ void scan_warp(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float v = i < n ? in[i] : 0.f;
  for (int d = 1; d < 32; d <<= 1) {
    float up = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += up;
  }
  __shared__ float sums[32];
  if (lane == 31) sums[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    float s = threadIdx.x < (blockDim.x >> 5) ? sums[threadIdx.x] : 0.f;
    for (int d = 1; d < 32; d <<= 1) {
      float up = __shfl_up_sync(0xffffffffu, s, d);
      if (threadIdx.x >= d) s += up;
    }
    sums[threadIdx.x] = s;
  }
  __syncthreads();
  if (threadIdx.x >= 32) v += sums[(threadIdx.x >> 5) - 1];
  if (i < n) out[i] = v;
}

extern "C" __global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void histogram_words(const uchar4* in, unsigned* bins, int n) {
  __shared__ unsigned char local[64 * 64];
  for (int i = 0; i < 64; ++i) local[i * 64 + threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 64) {
    uchar4 v = in[i];
    local[(v.x >> 2) * 64 + threadIdx.x]++;
    local[(v.y >> 2) * 64 + threadIdx.x]++;
    local[(v.z >> 2) * 64 + threadIdx.x]++;
    local[(v.w >> 2) * 64 + threadIdx.x]++;
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum += local[threadIdx.x * 64 + (i + threadIdx.x) % 64];
  bins[threadIdx.x] = sum;
}

extern "C" __global__ void sort_bitonic(int* data, int n) {
  __shared__ int s[512];
  int tid = threadIdx.x;
  s[tid] = data[blockIdx.x * 512 + tid];
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      int other = tid ^ j;
      if (other > tid) {
        bool up = (tid & k) == 0;
        if ((s[tid] > s[other]) == up) {
          int t = s[tid];
          s[tid] = s[other];
          s[other] = t;
        }
      }
    }
  __syncthreads();
  data[blockIdx.x * 512 + tid] = s[tid];
}

extern "C" __global__ void sort_odd_even(unsigned* data, int n) {
  extern __shared__ unsigned v[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) v[i] = data[i];
  __syncthreads();
  for (int pass = 0; pass < n; ++pass) {
    for (int i = 2 * threadIdx.x + (pass & 1); i + 1 < n; i += 2 * blockDim.x) {
      unsigned a = v[i], b = v[i + 1];
      v[i] = min(a, b), v[i + 1] = max(a, b);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = v[i];
}

extern "C" __global__ void compact_ballot(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && (in[i] & 3) == 1;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  int lane = threadIdx.x & 31, base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}

extern "C" __global__ void votes(const int* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  unsigned all = __all_sync(0xffffffffu, v > -3), any = __any_sync(0xffffffffu, v == 7);
  unsigned same = __match_any_sync(0xffffffffu, v & 3);
  int uniform;
  unsigned whole = __match_all_sync(0xffffffffu, v >> 6, &uniform);
  unsigned odd = 0;
  if (v & 1) odd = __activemask();
  int wide = __shfl_sync(0xffffffffu, v, threadIdx.x * 7 + 3, 8);
  int up = __shfl_up_sync(0xffffffffu, v, 3, 16), down = __shfl_down_sync(0xffffffffu, v, 5, 16);
  out[i * 8] = all, out[i * 8 + 1] = any, out[i * 8 + 2] = same, out[i * 8 + 3] = whole + uniform;
  out[i * 8 + 4] = odd, out[i * 8 + 5] = wide, out[i * 8 + 6] = up, out[i * 8 + 7] = down;
}
