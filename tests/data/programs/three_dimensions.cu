// laplace: grid=3,5,3 block=8,4,4 size=i32x3:20,18,10 in=f32[3600]:value:1 out=f32[3600]
__global__ void laplace(const float* in, float* out, int3 size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= size.x - 1 || y >= size.y - 1 || z >= size.z - 1) return;
  int i = (z * size.y + y) * size.x + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - size.x] + in[i + size.x] + in[i - size.x * size.y] +
           in[i + size.x * size.y] - 6 * in[i];
}
static inline unsigned div_up(unsigned a, unsigned b) {
  return a / b + (a % b != 0);
}
int main() {
  int3 size = make_int3(20, 18, 10);
  size_t bytes = size_t(size.x) * size.y * size.z * sizeof(float);
  float *in, *out;
  cudaMallocManaged(&in, bytes);
  cudaMallocManaged(&out, bytes);
  for (size_t i = 0; i < bytes / sizeof(float); ++i)
    in[i] = 1.0f;
  dim3 block(8, 4, 4), grid(div_up(size.x, block.x), div_up(size.y, block.y), div_up(size.z, block.z));
  laplace<<<grid, block>>>(in, out, size);
}
