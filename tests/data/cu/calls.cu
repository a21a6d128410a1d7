// Kernels that call functions: what they access in them is recorded by both engines.

// A function in a loop, with a structure by value, an array of its own and memory of its caller's.
struct Weights {
  int value[4];
  int bias;
};

__device__ __noinline__ int weigh(Weights weights, const int* at, int* sum, int step) {
  int own[8];
  for (int k = 0; k < 8; ++k) own[(k + step) & 7] = at[k * 32] * weights.value[k & 3];
  *sum += own[(step * 3) & 7];
  return own[step & 7] + weights.bias;
}

extern "C" __global__ void weigh_rows(const int* in, int* out, int steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Weights weights{{1, 2, 3, 4}, 5};
  int sum = 0, last = 0;
  for (int step = 0; step < steps; ++step) {
    weights.bias = last;
    last = weigh(weights, in + i, &sum, step);
    out[i] = last;
  }
  out[i] += sum;
}

// A tree in an array, depth first: the children of node n are 2n + 1 and 2n + 2. Lanes begin at different nodes.
__device__ __noinline__ int walk(const int* tree, int node, int nodes) {
  if (node >= nodes) return 0;
  int path[2];
  path[node & 1] = tree[node];
  path[~node & 1] = walk(tree, 2 * node + 1, nodes);
  return path[0] + path[1] + walk(tree, 2 * node + 2, nodes);
}

extern "C" __global__ void walk_tree(const int* tree, int* out, int nodes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = walk(tree, static_cast<int>(threadIdx.x % 5), nodes);
}

// A table of functions; each lane takes its own, and some none.
using Step = int (*)(int*, int);
__device__ int add_left(int* at, int by) { return at[0] += by; }
__device__ int add_right(int* at, int by) {
  at[1] += by;
  return at[1];
}
__device__ int add_both(int* at, int by) { return add_left(at, by) + add_right(at, by); }
__device__ Step steps_of_all[3] = {add_left, add_right, add_both};

extern "C" __global__ void take_steps(int* out, int steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int* const at = out + 2 * i;
  int last = 0;
  for (int step = 0; step < steps; ++step) {
    const Step function = steps_of_all[(threadIdx.x + step) % 3];
    if (threadIdx.x % 7 != 6) last = function(at, last + 1);
  }
  at[0] += last;
}

// Some lanes return early, from a loop, while others go on and meet.
__device__ __noinline__ int find(const int* in, int wanted, int n) {
  int passed = 0;
  for (int k = 0; k < n; ++k) {
    if (in[k] == wanted) return k;
    if (in[k] & 1) {
      passed += in[k + 1];
      if (passed > 40) return -passed;
    }
  }
  return passed;
}

extern "C" __global__ void find_some(const int* in, int* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 3 == 0) {
    out[i] = find(in, static_cast<int>(threadIdx.x), n);
  } else {
    out[i] = find(in + 1, static_cast<int>(threadIdx.x), n - 1) + 1;
  }
  out[i] += in[i % n];
}

// Shared memory of the kernel and of a function, with barriers in it: phases go on in what is called.
__device__ __noinline__ int turn(int* tile, int i) {
  __shared__ int seen[64];
  seen[i] = tile[63 - i];
  __syncthreads();
  const int left = seen[(i + 1) & 63];
  __syncthreads();
  tile[i] = left + i;
  __syncthreads();
  return left;
}

extern "C" __global__ void turn_tiles(const int* in, int* out, int turns) {
  __shared__ int tile[64];
  extern __shared__ int sums[];
  const int i = static_cast<int>(threadIdx.x);
  tile[i] = in[blockIdx.x * 64 + i];
  sums[i] = 0;
  __syncthreads();
  for (int k = 0; k < turns; ++k) sums[i] += turn(tile, i);
  out[blockIdx.x * 64 + i] = tile[i] + sums[i];
}

// Some lanes end in what is called, up to two calls deep, in loops and by address, and of one block all do: whatever called them has counted already.
__device__ __noinline__ int look(const int* in, int* seen, int k) {
  for (int j = 0; j < k; ++j) {
    if (in[j] + blockIdx.x * 50 >= threadIdx.x + 70 - k) asm volatile("exit;");
    *seen += in[j + 1] & 1;
  }
  return in[k];
}
__device__ __noinline__ int look_twice(const int* in, int* seen, int k) {
  int sum = 0;
  for (int j = 0; j < 3; ++j) {
    *seen += j;
    if ((in[j] + k) % 5 != 0) sum += look(in + j, seen, k);
  }
  return sum;
}
using Look = int (*)(const int*, int*, int);
__device__ Look looks[2] = {look, look_twice};

extern "C" __global__ void end_early(const int* in, int* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    out[i] += in[k];
    out[i] += look(in, out + i, k);
    if (threadIdx.x % 3 != 0) out[i] += looks[(threadIdx.x + k) & 1](in, out + i, k);
  }
  out[i] = -out[i];
}

// A list of its own for each thread, from the heap.
struct Node {
  Node* next;
  int value;
};

__device__ __noinline__ Node* push(Node* head, int value) {
  Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
  if (node == nullptr) return head;
  node->next = head;
  node->value = value;
  return node;
}

extern "C" __global__ void keep_list(const int* in, int* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k < n; ++k) {
    if ((in[i] >> k & 1) != 0) head = push(head, k);
  }
  int sum = 0;
  while (head != nullptr) {
    Node* const next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  out[i] = sum;
}

// Where each thread's memory lies is told, so that accesses can be compared by allocation and offset.
extern "C" __global__ void keep_array(int* out, unsigned long long* where, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int* const own = static_cast<int*>(malloc(4 * n));
  where[i] = reinterpret_cast<unsigned long long>(own);
  if (own == nullptr) return;
  for (int k = 0; k < n; ++k) own[k] = static_cast<int>(i) * k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += own[(k * 5) % n];
  out[i] = sum;
  free(own);
}
