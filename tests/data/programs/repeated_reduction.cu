// reduce: grid=(n+255)/256 block=128 shared=512 n=100000 in=i32[n]:value:1 out=i32[(n+255)/256]
__global__ void reduce(const int* in, int* out, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  s[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
static int divUp(int a, int b) {
  return (a + b - 1) / b;
}
int main() {
  int n = 100000;
  const int threads = 128;
  int* h = new int[n];
  for (int i = 0; i < n; i++)
    h[i] = 1;
  int *a, *b;
  cudaMalloc(&a, n * sizeof *a);
  cudaMalloc(&b, divUp(n, threads * 2) * sizeof(int));
  cudaMemcpy(a, h, n * sizeof(int), cudaMemcpyHostToDevice);
  while (n > 1) {
    int blocks = divUp(n, 2 * threads);
    reduce<<<blocks, threads, threads * sizeof(int)>>>(a, b, n);
    int* t = a;
    a = b;
    b = t;
    n = blocks;
  }
}
