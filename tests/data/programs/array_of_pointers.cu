// square: grid=n/128 block=128 n=512 x=f32[n]:value:2
#define N_STREAMS 3
#define CHUNK 512
__global__ void square(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}
int main() {
  float *h[N_STREAMS], *d[N_STREAMS];
  for (int s = 0; s < N_STREAMS; s++) {
    h[s] = (float*)malloc(CHUNK * sizeof(float));
    for (int i = 0; i < CHUNK; i++)
      h[s][i] = 2.0f;
    cudaMalloc(&d[s], CHUNK * sizeof(float));
    cudaMemcpy(d[s], h[s], CHUNK * sizeof(float), cudaMemcpyHostToDevice);
  }
  for (int s = 0; s < N_STREAMS; s++)
    square<<<CHUNK / 128, 128>>>(d[s], CHUNK);
}
