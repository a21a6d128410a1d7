// warplens: grid=2 block=128 n=256 out=i32[n*4] in=i32[n]:iota
__global__ void jump(int* out, const int* in, int n) {
  int i = blockIdx.x * 128 + threadIdx.x, v = in[i] * 7 % 11, r = 0;
  switch (v) {
    case 0: r = i * 3; break;
    case 1: out[n + i] = 1; r = 5; break;
    case 2: r = i ^ 21; break;
    case 3: out[2 * n + i] = 2; r = 8; break;
    case 4: r = -i; break;
    case 5: out[3 * n + i] = 3; r = i / 3; break;
    case 6: r = i % 5; break;
    case 7: out[n + i] = 4; r = i << 2; break;
    case 8: r = ~i; break;
    default: r = v;
  }
  out[i] = r;
}
