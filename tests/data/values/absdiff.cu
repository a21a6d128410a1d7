// warplens: grid=4 block=128 n=512 out=u32[128] in=u32[n]:iota other=i32[n]:ints y=200
__global__ void near(unsigned* out, const unsigned* in, const int* other, int y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  unsigned far = __usad(in[i], (unsigned)y, 1), also = __sad(other[i], other[(i + 1) % n], 2);
  if (far < 64) atomicAdd(&out[far], also);
  if (also < 64) atomicAdd(&out[64 + also], far);
}
