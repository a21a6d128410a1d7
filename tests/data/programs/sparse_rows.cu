// spmv: grid=1 block=32 n=8 rowptr=i32[n+1]:list:0,2,5,8,11,14,17,20,22 col=i32[22]:list:0,1,0,1,2,1,2,3,2,3,4,3,4,5,4,5,6,5,6,7,6,7 val=f64[22]:value:2 x=f64[n]:value:1 y=f64[n]
__global__ void spmv(int n, const int* rowptr, const int* col, const double* val, const double* x,
                     double* y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    double s = 0;
    for (int j = rowptr[r]; j < rowptr[r + 1]; j++)
      s += val[j] * x[col[j]];
    y[r] = s;
  }
}
int main() {
  const int n = 8, nnz = 22;
  int rowptr[n + 1] = {0, 2, 5, 8, 11, 14, 17, 20, 22};
  int col[nnz] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6, 5, 6, 7, 6, 7};
  double val[nnz], x[n];
  for (int i = 0; i < nnz; ++i)
    val[i] = 2.0;
  for (double& v : x)
    v = 1.0;
  int *dr, *dc;
  double *dv, *dx, *dy;
  cudaMalloc(&dr, sizeof(rowptr));
  cudaMalloc(&dc, sizeof(col));
  cudaMalloc(&dv, sizeof(val));
  cudaMalloc(&dx, sizeof(x));
  cudaMalloc(&dy, sizeof(x));
  cudaMemcpy(dr, rowptr, sizeof(rowptr), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, col, sizeof(col), cudaMemcpyHostToDevice);
  cudaMemcpy(dv, val, sizeof(val), cudaMemcpyHostToDevice);
  cudaMemcpy(dx, x, sizeof(x), cudaMemcpyHostToDevice);
  spmv<<<1, 32>>>(n, dr, dc, dv, dx, dy);
}
