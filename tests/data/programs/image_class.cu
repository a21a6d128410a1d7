// gray: grid=(w+15)/16,(h+15)/16 block=16,16 w=120 h=80 in=u8[w*h*4]:ints out=u8[h][w]
class Image {
 public:
  Image(int w, int h) : width(w), height(h) {
    cudaMalloc(&pixels, bytes());
  }
  ~Image() {
    cudaFree(pixels);
  }
  size_t bytes() const {
    return size_t(width) * height * sizeof(uchar4);
  }
  int width, height;
  uchar4* pixels;
};
__global__ void gray(const uchar4* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    uchar4 p = in[y * w + x];
    out[y * w + x] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;
  }
}
int main() {
  Image img(120, 80);
  unsigned char* out;
  cudaMalloc(&out, img.width * img.height);
  const dim3 block{16, 16};
  const dim3 grid{(unsigned)(img.width + 15) / 16, (unsigned)(img.height + 15) / 16};
  gray<<<grid, block>>>(img.pixels, out, img.width, img.height);
}
