// warplens: grid=2 block=128 n=256 out=f64[n] in=f64[n]:uniform index=i64[n]:iota
__global__ void pick(double* out, const double* in, const long long* index, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; double v = in[index[i] * 5 % n];
  for (int k = 0; k < 4 && v > 0.1; ++k) v = in[(index[i] + (long long)(v * 100)) % n] / 3.0;
  out[i] = v;
}
