// conv: grid=width/256 block=256 width=4096 in=f32[width]:iota out=f32[width] var:mask=f32[9]:value:0.1111111111111111
#define MASK 9
__constant__ float mask[MASK];
__global__ void conv(const float* in, float* out, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int j = 0; j < MASK; j++) {
    int k = i - MASK / 2 + j;
    if (k >= 0 && k < width) v += in[k] * mask[j];
  }
  if (i < width) out[i] = v;
}
int main() {
  int width = 1 << 12;
  float h_mask[MASK];
  for (int i = 0; i < MASK; i++)
    h_mask[i] = 1.0f / MASK;
  cudaMemcpyToSymbol(mask, h_mask, sizeof(h_mask));
  float *in, *out;
  cudaMallocManaged(&in, width * sizeof(float));
  cudaMallocManaged(&out, width * sizeof(float));
  for (int i = 0; i < width; i++)
    in[i] = i;
  conv<<<width / 256, 256>>>(in, out, width);
  cudaDeviceSynchronize();
}
