// Kernels that are given pointers in other ways than as a buffer for each parameter.
struct View {
  float* data;
  int n;
};
struct Pair {
  View from;
  const float* weights[2];
};
template <class T>
struct Matrix {
  int rows, columns;
  const T* __restrict__ in;
  T* out;
};

__global__ void neighbours(const float* a, const float* next, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + next[i];
}

__global__ void in_place(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

__global__ void batched(const float* const* in, float** out) {
  out[blockIdx.x][threadIdx.x] = 2 * in[blockIdx.x][threadIdx.x];
}

__global__ void fill(View view, const float* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.n) view.data[i] = from[i];
}

__global__ void weighted(Pair pair, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pair.from.n) return;
  float sum = pair.from.data[i] * pair.weights[0][i % 4];
  if (pair.weights[1] != nullptr) sum += pair.weights[1][0];
  out[i] = sum;
}

__global__ void transposed(Matrix<float> matrix) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / matrix.columns, column = i % matrix.columns;
  if (row < matrix.rows) matrix.out[column * matrix.rows + row] = matrix.in[i];
}

__device__ float* target;
__constant__ const float* tables[3];

__global__ void by_module(float add) {
  const float* from = tables[threadIdx.x / 32];
  target[threadIdx.x] = from != nullptr ? from[threadIdx.x % 32] + add : -1.0f;
}

// The table's first two entries change places.
__global__ void by_table(float** rows, float* out, int count) {
  int t = threadIdx.x;
  out[t] = rows[t % count][t / count];
  __syncwarp();
  if (t == 0) {
    float* first = rows[0];
    rows[0] = rows[1];
    rows[1] = first;
  }
}
