// Exercise 4: running sums, of as many elements as a block has threads.
#include <cstdio>

void scan_on_host(const float *in, float *out, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

// warplens: grid=1 block=n n=256 in=f32[n]:ints out=f32[n] shared=2*n*4 expect=cpu:scan_on_host
__global__ void scan(const float *in, float *out, int n)
{
    extern __shared__ float temp[];
    int t = threadIdx.x;
    int from = 0, to = 1;
    temp[t] = in[t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        if (t >= offset)
            temp[to * n + t] = temp[from * n + t] + temp[from * n + t - offset];
        else
            temp[to * n + t] = temp[from * n + t];
        from = 1 - from;
        to = 1 - to;
        __syncthreads();
    }
    out[t] = temp[from * n + t];
}

int main()
{
    const int n = 256;
    float h[n], *in, *out;
    for (int i = 0; i < n; i++) h[i] = 1.0f;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    scan<<<1, n, 2 * n * sizeof(float)>>>(in, out, n);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("last: %f\n", h[n - 1]);
    return 0;
}
