// copy: grid=8,8 block=32,8 odata=f32[65536] idata=f32[65536]:ints
const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;
__global__ void copy(float *odata, const float *idata) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y,
      width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * width + x] = idata[(y + j) * width + x];
}
__global__ void transposeNaive(float *odata, const float *idata) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y,
      width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[x * width + (y + j)] = idata[(y + j) * width + x];
}
int main(int argc, char **argv) {
  const int nx = 256, ny = 256;
  const int mem_size = nx * ny * sizeof(float);
  dim3 dimGrid(nx / TILE_DIM, ny / TILE_DIM, 1), dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  int devId = 0;
  if (argc > 1) devId = atoi(argv[1]);
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, devId);
  float *d_idata, *d_cdata;
  cudaMalloc(&d_idata, mem_size);
  cudaMalloc(&d_cdata, mem_size);
  if (nx % TILE_DIM || ny % TILE_DIM) {
    printf("bad\n");
    goto error_exit;
  }
  cudaMemset(d_cdata, 0, mem_size);
  copy<<<dimGrid, dimBlock>>>(d_cdata, d_idata);
  transposeNaive<<<dimGrid, dimBlock>>>(d_cdata, d_idata);
error_exit:
  cudaFree(d_cdata);
}
