// step<float>: grid=(g.nx+29)/32,(g.ny+5)/8 block=32,8 g.nx=130 g.ny=66 alpha=0.1 g.now=f32[g.ny][g.nx] g.next=f32[g.ny][g.nx]
#include <algorithm>
template <typename Real>
struct Grid {
  Real* now;
  Real* next;
  int nx, ny;
};
template <typename Real>
__global__ void step(Grid<Real> g, Real alpha) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < g.nx - 1 && y < g.ny - 1) {
    int i = y * g.nx + x;
    g.next[i] =
        g.now[i] + alpha * (g.now[i - 1] + g.now[i + 1] + g.now[i - g.nx] + g.now[i + g.nx] - 4 * g.now[i]);
  }
}
int main(int argc, char* argv[]) {
  int nx = 130, ny = 66, steps = 10;
  Grid<float> g;
  g.nx = nx;
  g.ny = ny;
  cudaMalloc(&g.now, nx * ny * sizeof(float));
  cudaMalloc(&g.next, nx * ny * sizeof(float));
  cudaMemset(g.now, 0, nx * ny * sizeof(float));
  dim3 b(32, 8);
  dim3 gr((nx - 2 + b.x - 1) / b.x, (ny - 2 + b.y - 1) / b.y);
  for (int s = 0; s < steps; ++s) {
    step<float><<<gr, b>>>(g, 0.1f);
    std::swap(g.now, g.next);
  }
}
