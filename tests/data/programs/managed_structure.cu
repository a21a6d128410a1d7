// move: grid=11 block=64 dt=0.1 bodies=u8[24]:ints; guessed: bodies
struct Bodies {
  float *x, *v;
  int count;
};

__global__ void move(Bodies* bodies, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < bodies->count) bodies->x[i] += dt * bodies->v[i];
}

static Bodies* makeBodies(int count) {
  Bodies* bodies;
  cudaMallocManaged(&bodies, sizeof(Bodies));
  bodies->count = count;
  cudaMallocManaged(&bodies->x, count * sizeof(float));
  cudaMallocManaged(&bodies->v, count * sizeof(float));
  for (int i = 0; i < count; ++i) {
    bodies->x[i] = 0.0f;
    bodies->v[i] = 1.0f;
  }
  return bodies;
}

int main() {
  Bodies* bodies = makeBodies(700);
  move<<<(bodies->count + 63) / 64, 64>>>(bodies, 0.1f);
  cudaDeviceSynchronize();
}
