// warplens: grid=6 block=64 n=384 out=f64[n]:zero in=i32[n]:iota steps.by[0]=1 steps.by[1]=0 steps.by[2]=2 steps.by[3]=1 steps.by[4]=0 steps.by[5]=1 turn=i32[32]:iota
__constant__ signed char nudge[5] = {-2, 1, 0, -1, 2};  // Ends between words
__constant__ double weights[8] = {0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};
__constant__ int turn[32];
__constant__ unsigned short stride = 3;
__constant__ float unused_here[7] = {1};
struct Steps {
  int by[6];
};
extern "C" __global__ void look_up(double* out, const int* in, int n, Steps steps) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int from = i + nudge[threadIdx.x % 5] + turn[threadIdx.x & 31] * stride + turn[blockIdx.x] + steps.by[threadIdx.x % 6] + steps.by[blockIdx.x];
  out[i] = weights[threadIdx.x & 7] * weights[blockIdx.x] * in[(from + n) % n];
}
