// warplens: grid=4 block=128 n=512 table=u32[2048] key=u32[n]:iota
__global__ void insert(unsigned* table, const unsigned* key, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; unsigned k = key[i] % 300 + 1, at = k * 2654435761u >> 21;
  while (true) { unsigned was = atomicCAS(&table[at], 0u, k); if (was == 0u || was == k) break; at = (at + 1) & 2047; }
}
