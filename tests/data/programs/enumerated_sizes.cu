// process: grid=width/16,(height+15)/16 block=16,16 width=96 height=48 mode=2 image=u8[width*height*4]:value:255
#ifndef TILE
#ifdef SMALL
#define TILE 8
#else
#define TILE 16
#endif
#endif

enum Extent { kWidth = TILE * 6, kHeight = kWidth / 2, kPixels = kWidth * kHeight };
enum class Mode : int { copy = 1, invert = 2 };

union Pixel {
  unsigned char channel[4];
  unsigned int all;
};

__global__ void process(Pixel* image, int width, int height, int mode) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x >= width || y >= height) return;
  if (mode == 2) image[y * width + x].all = ~image[y * width + x].all;
}

int main() {
  Pixel* image;
  cudaMalloc(&image, kPixels * sizeof(Pixel));
  cudaMemset(image, 255, kPixels * sizeof(Pixel));
  dim3 threads(TILE, TILE);
  dim3 blocks(kWidth / threads.x, (kHeight + threads.y - 1) / threads.y);
  process<<<blocks, threads>>>(image, kWidth, kHeight, static_cast<int>(Mode::invert));
  cudaDeviceSynchronize();
}
