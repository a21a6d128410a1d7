// subtract: grid=24 block=40 a=f32[960]:value:5 b=f32[960]:value:1 c=f32[960]
const int M = 24, N = 40;
float A[M][N], B[M][N];
__global__ void subtract(const float* a, const float* b, float* c) {
  int i = blockIdx.x * N + threadIdx.x;
  c[i] = a[i] - b[i];
}
int main(void) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = 5;
      B[i][j] = 1;
    }
  float *dA, *dB, *dC;
  cudaMalloc((void**)&dA, sizeof(A));
  cudaMalloc((void**)&dB, sizeof(B));
  cudaMalloc((void**)&dC, M * N * sizeof(float));
  cudaMemcpy(dA, A, sizeof(A), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B, sizeof(B), cudaMemcpyHostToDevice);
  subtract<<<M, N>>>(dA, dB, dC);
}
