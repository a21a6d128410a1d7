// scale: grid=(n+127)/128 block=128 n=256 f=1 x=f32[n]; guessed: n f
__global__ void scale(float* x, int n, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= f;
}
int main(int argc, char** argv) {
  if (argc < 3) {
    printf("usage: %s n f\n", argv[0]);
    return 1;
  }
  int n = atoi(argv[1]);
  float f = atof(argv[2]);
  float* d;
  cudaMalloc(&d, n * sizeof(float));
  scale<<<(n + 127) / 128, 128>>>(d, n, f);
}
