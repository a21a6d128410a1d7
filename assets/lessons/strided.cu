// A load and a store, thread by thread, to see where the lanes of a warp stand and what that costs: thread i reads element offset + i * stride.
// stride 1 is coalesced; 2 and more leave bytes of each sector unused; 0 is a broadcast; an offset moves all lanes off the sectors' edges.
//
// warplens: grid=n/256 block=256 n=1024 stride=1 offset=0 in=f32[n*stride+offset+1]:ints out=f32[n]

__global__ void strided(const float* in, float* out, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[offset + i * stride];
}
