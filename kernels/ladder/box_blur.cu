// One thread, one pixel: the mean of the pixels at most R rows and R columns away, as many as lie inside the image.
// Neighbours share most of what they load, and each loads it anew: (2 R + 1)^2 loads a pixel. A row's loads start at the pixel and at up to R to its
// left and right, so most of them straddle one sector more than they need. Along the edges lanes leave the loops early: control divergence.

__global__ void box_blur(const float* image, float* blurred, int rows, int columns, int R) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || col >= columns) return;

  float sum = 0.0f;
  int pixels = 0;
  for (int y = max(row - R, 0); y <= min(row + R, rows - 1); ++y) {
    for (int x = max(col - R, 0); x <= min(col + R, columns - 1); ++x) {
      sum += image[y * columns + x];
      ++pixels;
    }
  }
  blurred[row * columns + col] = sum / pixels;
}
