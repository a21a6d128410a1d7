// Exercise 10: particles that fall and bounce in a box.
struct Particle {
  float x, y, z;
  float vx, vy, vz;
};
struct Step {
  float dt, gravity;
  int bounces;
};

__host__ __device__ void move(Particle& one, const Step& step) {
  one.vz -= step.gravity * step.dt;
  one.x += one.vx * step.dt;
  one.y += one.vy * step.dt;
  one.z += one.vz * step.dt;
  if (step.bounces && one.z < 0) {
    one.z = -one.z;
    one.vz = -one.vz;
  }
}

void fall_on_host(Particle* particles, Step step, int n) {
  for (int i = 0; i < n; ++i) move(particles[i], step);
}

// warplens: grid=(n+63)/64 block=64 n=500 particles=f32[n][6]:uniform
//   step.dt=0.5 step.gravity=9.81 step.bounces=1 expect=cpu:fall_on_host
__global__ void fall(Particle* particles, Step step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) move(particles[i], step);
}
