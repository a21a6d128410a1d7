// scale: grid=n/128 block=128 by=3 n=2048 a=f64[n]:ints b=f64[n]
enum Mode { kCopy, kScale, kAdd };
__global__ void copy(const double* a, double* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
}
__global__ void scale(const double* a, double* b, double by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = by * a[i];
}
int main(int argc, char** argv) {
  Mode mode = argc > 1 ? (Mode)atoi(argv[1]) : kScale;
  long n = 1L << 11;
  double *a, *b;
  cudaMalloc(&a, sizeof(*a) * n);
  cudaMalloc(&b, sizeof(b[0]) * n);
  switch (mode) {
    case kCopy:
      copy<<<n / 256, 256>>>(a, b, n);
      break;
    case kScale:
      scale<<<n / 128, 128>>>(a, b, 3.0, n);
      break;
    default:
      return 1;
  }
}
