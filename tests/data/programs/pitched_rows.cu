// fill: grid=(w+31)/32,h block=32 pitch=512 w=100 h=40 d=f32[ceil(w*4,512)*128*h]
__global__ void fill(float* d, size_t pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < w && y < h) ((float*)((char*)d + y * pitch))[x] = x + y;
}
int main() {
  int w = 100, h = 40;
  float* d;
  size_t pitch;
  cudaMallocPitch((void**)&d, &pitch, w * sizeof(float), h);
  fill<<<dim3((w + 31) / 32, h), 32>>>(d, pitch, w, h);
}
