// Exercise 2: transpose a matrix, with shared memory and without.
#define TILE 32

void transpose_on_host(const float* in, float* out, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) out[j * rows + i] = in[i * columns + j];
}

// warplens: grid=(columns+31)/32,(rows+31)/32 block=32,8 rows=100 columns=70
//   in=f32[rows][columns]:iota out=f32[columns][rows] expect=cpu:transpose_on_host
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += blockDim.y) {
    int y = blockIdx.y * TILE + j;
    if (x < columns && y < rows) tile[j][threadIdx.x] = in[y * columns + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += blockDim.y) {
    int y = blockIdx.x * TILE + j;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][j];
  }
}

// warplens: grid=(columns+31)/32,(rows+31)/32 block=32,8 rows=100 columns=70
//   in=f32[rows][columns]:iota out=f32[columns][rows] expect=cpu:transpose_on_host
__global__ void transpose_naive(const float* in, float* out, int rows, int columns) {
  int x = blockIdx.x * TILE + threadIdx.x;
  for (int y = blockIdx.y * TILE + threadIdx.y; y < (blockIdx.y + 1) * TILE; y += blockDim.y)
    if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}
