// damp: grid=min((length+223)/224,8) block=224 length=2500 factor=0.5 wave=f32[length]
#include <getopt.h>

#include <algorithm>
#include <cstdlib>

struct Options {
  int length = 2500;
  int threads = 224;
  float factor = 0.5f;
};

Options parse(int argc, char* argv[]) {
  Options options;
  int letter;
  while ((letter = getopt(argc, argv, "n:t:f:")) != -1) {
    switch (letter) {
      case 'n': options.length = std::atoi(optarg); break;
      case 't': options.threads = std::min(1024, std::atoi(optarg)); break;
      case 'f': options.factor = std::atof(optarg); break;
      default: exit(1);
    }
  }
  return options;
}

__global__ void damp(float* wave, int length, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) wave[i] *= factor;
}

int main(int argc, char* argv[]) {
  const Options options = parse(argc, argv);
  float* wave;
  cudaMalloc(&wave, sizeof(float) * options.length);
  cudaMemset(wave, 0, sizeof(float) * options.length);
  const int blocks = std::min((options.length + options.threads - 1) / options.threads, 8);
  damp<<<blocks, options.threads>>>(wave, options.length, options.factor);
  cudaDeviceSynchronize();
}
