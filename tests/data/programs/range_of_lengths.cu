// scatter: grid=(rows+31)/32 block=32 rows=100 total=304 starts=i32[101]:list:0,7,10,13,16,19,22,25,28,31,34,37,40,43,46,49,52,55,58,61,64,67,70,73,76,79,82,85,88,91,94,97,100,103,106,109,112,115,118,121,124,127,130,133,136,139,142,145,148,151,154,157,160,163,166,169,172,175,178,181,184,187,190,193,196,199,202,205,208,211,214,217,220,223,226,229,232,235,238,241,244,247,250,253,256,259,262,265,268,271,274,277,280,283,286,289,292,295,298,301,304 out=f32[total]
#include <numeric>
#include <vector>

__global__ void scatter(const int* starts, int rows, float* out, int total) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int i = starts[row]; i < starts[row + 1]; ++i) out[i] = row;
}

int main() {
  std::vector<int> lengths(100, 3);
  lengths[0] = 7;
  std::vector<int> starts(1, 0);
  int total = 0;
  for (int length : lengths) {
    total += length;
    starts.push_back(total);
  }
  int* d_starts;
  float* out;
  cudaMalloc(&d_starts, starts.size() * sizeof(int));
  cudaMalloc(&out, total * sizeof(float));
  cudaMemcpy(d_starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice);
  scatter<<<(lengths.size() + 31) / 32, 32>>>(d_starts, lengths.size(), out, total);
  cudaDeviceSynchronize();
}
