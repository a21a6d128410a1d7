// brighten: grid=(width+31)/32,(height+7)/8 block=32,8 width=64 height=96 channels=3 by=1.25 image=f32[width*height*channels]
struct Config {
  int width = 64;
  int height = 48;
  int channels = 3;
  size_t bytes() const {
    return sizeof(float) * width * height * channels;
  }
};
__global__ void brighten(float* image, int width, int height, int channels, float by) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  for (int c = 0; c < channels; ++c)
    image[(y * width + x) * channels + c] *= by;
}
void run(const Config& config, float* image) {
  const dim3 threads(32, 8);
  const dim3 blocks((config.width + threads.x - 1) / threads.x, (config.height + threads.y - 1) / threads.y);
  brighten<<<blocks, threads>>>(image, config.width, config.height, config.channels, 1.25f);
}
int main() {
  Config config;
  config.height *= 2;
  float* image = nullptr;
  cudaMalloc(&image, config.bytes());
  run(config, image);
}
