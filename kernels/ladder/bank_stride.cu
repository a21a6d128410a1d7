// One warp writes 32 * stride words to shared memory side by side, and reads them `stride` apart.
// Written, the lanes are in 32 banks. Read, they are in 32 / gcd(stride, 32) of them: stride 2 makes two lanes wait for each other, stride 32 all of
// them, and any odd stride none. Two ways out, for the same words: `padding` unused words after each 32, or a swizzle, which needs no room but moves
// the words of each row about.
//
// The input is a multiple of 32 * stride words: the launcher pads with zeros.

// Where a word is kept: rows of 32 words.
__device__ int place_of(int word, int padding, int swizzle) {
  const int row = word / 32;
  const int column = word % 32;
  return row * (32 + padding) + (swizzle ? column ^ (row % 32) : column);
}

__global__ void bank_stride(const float* in, float* out, int stride, int padding, int swizzle) {
  extern __shared__ float words[];

  const int lane = threadIdx.x;
  const int first = blockIdx.x * 32 * stride;
  for (int i = 0; i < stride; ++i) {
    words[place_of(i * 32 + lane, padding, swizzle)] = in[first + i * 32 + lane];
  }
  __syncthreads();
  for (int i = 0; i < stride; ++i) {
    out[first + i * 32 + lane] = words[place_of(lane * stride + i, padding, swizzle)];
  }
}
