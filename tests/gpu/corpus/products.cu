// Matrix products and their neighbours: transposes, convolutions, stencils.
extern "C" __global__ void sgemm_simple(int m, int n, int k, float alpha, const float* A, const float* B, float beta, float* C) {
  const unsigned row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
  if (row < m && column < n) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = alpha * sum + beta * C[row * n + column];
  }
}

template <int BM, int BN, int BK, int TM, int TN>
__device__ void block_tile(int n, int k, const float* A, const float* B, float* C) {
  __shared__ float as[BK * BM];
  __shared__ float bs[BK * BN];
  constexpr int threads = BM * BN / (TM * TN);
  int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * k, B += blockIdx.x * BN, C += blockIdx.y * BM * n + blockIdx.x * BN;
  float acc[TM][TN] = {}, ra[TM], rb[TN];
  for (int t = 0; t < k; t += BK) {
    for (int i = threadIdx.x * 4; i < BM * BK; i += threads * 4) {
      float4 v = *reinterpret_cast<const float4*>(&A[(i / BK) * k + i % BK]);
      as[(i % BK + 0) * BM + i / BK] = v.x;
      as[(i % BK + 1) * BM + i / BK] = v.y;
      as[(i % BK + 2) * BM + i / BK] = v.z;
      as[(i % BK + 3) * BM + i / BK] = v.w;
    }
    for (int i = threadIdx.x * 4; i < BK * BN; i += threads * 4)
      *reinterpret_cast<float4*>(&bs[i]) = *reinterpret_cast<const float4*>(&B[(i / BN) * n + i % BN]);
    __syncthreads();
    A += BK, B += BK * n;
    for (int d = 0; d < BK; ++d) {
      for (int i = 0; i < TM; ++i) ra[i] = as[d * BM + ty * TM + i];
      for (int j = 0; j < TN; ++j) rb[j] = bs[d * BN + tx * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; j += 4) {
      float4 v = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
      *reinterpret_cast<float4*>(&C[(ty * TM + i) * n + tx * TN + j]) = v;
    }
}
extern "C" __global__ void sgemm_vectorised(int n, int k, const float* A, const float* B, float* C) { block_tile<64, 64, 8, 8, 4>(n, k, A, B, C); }

extern "C" __global__ void gemm_double_tiled(const double* A, const double* B, double* C, int n) {
  __shared__ double as[16][16], bs[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  double sum = 0;
  for (int t = 0; t < (n + 15) / 16; ++t) {
    as[threadIdx.y][threadIdx.x] = row < n && t * 16 + threadIdx.x < n ? A[row * n + t * 16 + threadIdx.x] : 0.0;
    bs[threadIdx.y][threadIdx.x] = column < n && t * 16 + threadIdx.y < n ? B[(t * 16 + threadIdx.y) * n + column] : 0.0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) C[row * n + column] = sum;
}

extern "C" __global__ void gemm_int(const int* A, const int* B, int* C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * n + column];
  C[row * n + column] = sum;
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_diagonal(const float* in, float* out, int width) {
  __shared__ float tile[16][17];
  int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[x + y * width];
  __syncthreads();
  out[(by * 16 + threadIdx.x) + (bx * 16 + threadIdx.y) * width] = tile[threadIdx.x][threadIdx.y];
}

__constant__ float filter[9] = {1.f, 2.f, 1.f, 2.f, 4.f, 2.f, 1.f, 2.f, 1.f};
extern "C" __global__ void convolve(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      int u = min(max(x + i, 0), width - 1), v = min(max(y + j, 0), height - 1);
      sum += filter[(j + 1) * 3 + i + 1] * in[v * width + u];
    }
  out[y * width + x] = sum / 16.f;
}

extern "C" __global__ void stencil_halo(const float* in, float* out, int n) {
  __shared__ float s[256 + 6];
  int i = blockIdx.x * 256 + threadIdx.x, l = threadIdx.x + 3;
  s[l] = i < n ? in[i] : 0;
  if (threadIdx.x < 3) {
    s[l - 3] = i >= 3 ? in[i - 3] : 0;
    s[l + 256] = i + 256 < n ? in[i + 256] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int d = -3; d <= 3; ++d) sum += s[l + d];
  if (i < n) out[i] = sum;
}

extern "C" __global__ void grey_image(const uchar3* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uchar3 p = in[i];
    out[i] = (unsigned char)(0.21f * p.x + 0.71f * p.y + 0.07f * p.z);
  }
}

extern "C" __global__ void sparse_rows(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (int j = starts[row]; j < starts[row + 1]; ++j) sum += values[j] * x[columns[j]];
    y[row] = sum;
  }
}
