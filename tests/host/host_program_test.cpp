#include "kernels/host/host_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warplens::host {
namespace {

std::string text(const FormulaPtr& formula) {
  return formula == nullptr ? "?" : text_of(formula).value_or("?" + formula->text);
}

std::string text(const std::array<FormulaPtr, 3>& extent) {
  std::string result = text(extent[0]);
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (extent[axis] != nullptr && extent[axis]->integer != std::optional<std::int64_t>(1)) {
      for (std::size_t i = 1; i <= axis; ++i) result += (i == 1 && axis == 2 ? "," : ",") + text(extent[i]);
      if (axis == 1 && (extent[2] == nullptr || extent[2]->integer == std::optional<std::int64_t>(1))) break;
      break;
    }
  }
  return result;
}

std::string text(const Contents& contents) {
  switch (contents.kind) {
    case Contents::Kind::uninitialized: return "";
    case Contents::Kind::zero: return ":zero";
    case Contents::Kind::value: return fmt::format(":value {}", contents.value);
    case Contents::Kind::iota: return ":iota";
    case Contents::Kind::listed: return fmt::format(":{}", fmt::join(contents.values, ","));
    case Contents::Kind::bytes: return fmt::format(":bytes {}", fmt::join(contents.values, ","));
    case Contents::Kind::addresses: return fmt::format(":{} addresses", contents.allocations.size());
    case Contents::Kind::uniform: return ":uniform";
    case Contents::Kind::below: return fmt::format(":below {}", contents.limit);
    case Contents::Kind::unknown: return ":?";
  }
  return "";
}

std::string text(const HostProgram& program, const Launch& launch, const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::unknown: return "?";
    case Argument::Kind::number:
      return argument.number->integer || !argument.number->real ? text(argument.number)
                                                                : fmt::format("{}", *argument.number->real);
    case Argument::Kind::null: return "null";
    case Argument::Kind::address: {
      const Allocation& allocation = program.allocations[argument.allocation];
      const std::string offset = text(argument.number);
      const auto contents = launch.contents.find(argument.allocation);
      return fmt::format("{}{}[{}]{}", allocation.name, offset == "0" ? "" : "+" + offset,
                         text(allocation.bytes),
                         contents == launch.contents.end() ? "" : text(contents->second));
    }
    case Argument::Kind::structure: {
      std::string fields;
      for (const auto& [name, value] : argument.fields)
        fields += (fields.empty() ? "" : " ") + name + "=" + text(program, launch, value);
      return "{" + fields + "}";
    }
  }
  return "";
}

/// "tile<16><<<64,32 256 0>>>(d_in[1024], 256)", a line each.
std::string launches(const std::string& source, const HeaderReader& read_header = {}) {
  const HostProgram program = interpret(source, read_header);
  std::string result;
  for (const Launch& launch : program.launches) {
    std::string arguments;
    for (const Argument& argument : launch.arguments)
      arguments += (arguments.empty() ? "" : ", ") + text(program, launch, argument);
    result += fmt::format("{}{}{}{}{}<<<{} {} {}>>>({}){}", result.empty() ? "" : "\n", launch.kernel,
                          launch.template_arguments.empty() ? "" : "<", launch.template_arguments,
                          launch.template_arguments.empty() ? "" : ">", text(launch.grid), text(launch.block),
                          text(launch.shared_bytes), arguments,
                          launch.count > 1 ? fmt::format(" x{}", launch.count) : "");
    if (launch.is_conditional) result += " ?";
  }
  return result;
}

std::string in_main(const std::string& body) {
  return "#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf(\"%s\", "
         "cudaGetErrorString(e)); "
         "exit(1); } } while (0)\n__global__ void k(float* a, int n) { a[0] = n; }\nint main(int argc, "
         "char** argv) {\n" +
         body + "\n}\n";
}

TEST(HostProgram, ReadsSizesThroughVariables) {
  EXPECT_EQ(
      launches(in_main(
          "int n = 1 << 20; size_t bytes = n * sizeof(float); float* d_a; CHECK(cudaMalloc((void**)&d_a, "
          "bytes));\n"
          "int threads = 256; int blocks = (n + threads - 1) / threads; k<<<blocks, threads>>>(d_a, n);")),
      "k<<<4096 256 0>>>(d_a[4194304], 1048576)");
}

TEST(HostProgram, AssignmentsTakeEffectInOrder) {
  EXPECT_EQ(launches(in_main("int n = 64; n *= 2; n += 1; float* d; cudaMalloc(&d, n * 4); k<<<1, n>>>(d, "
                             "n); n = 7; k<<<1, n>>>(d, n);")),
            "k<<<1 129 0>>>(d[516], 129)\nk<<<1 7 0>>>(d[516]:?, 7)");
}

TEST(HostProgram, RunsWithoutArguments) {
  EXPECT_EQ(
      launches(in_main(
          "int n = argc > 1 ? atoi(argv[1]) : 1000; int t = 128; if (argc > 2) t = atoi(argv[2]); float* d;\n"
          "cudaMalloc(&d, n * sizeof(float)); k<<<(n + t - 1) / t, t>>>(d, n);")),
      "k<<<8 128 0>>>(d[4000], 1000)");
}

TEST(HostProgram, ArgumentsThatAreNeededAreUnknown) {
  EXPECT_EQ(launches(in_main(
                "if (argc != 2) { fprintf(stderr, \"usage\"); return 1; } int n = atoi(argv[1]); float* d;\n"
                "cudaMalloc(&d, n * sizeof(float)); k<<<n / 64, 64>>>(d, n);")),
            "k<<<?/ 64 0>>>(d[?*], ?atoi(argv[1]))");
}

TEST(HostProgram, MacrosAreExpanded) {
  EXPECT_EQ(
      launches(
          "#define N 512\n#define BLOCK (16)\n#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n#if N > "
          "256\n#define BIG 1\n#else\n"
          "#define BIG 2\n#endif\n#define REAL float\n" +
          in_main(
              "dim3 block(BLOCK, BLOCK); dim3 grid(CEIL_DIV(N, BLOCK), CEIL_DIV(N, block.y), BIG); REAL* d;\n"
              "cudaMalloc(&d, N * N * sizeof(REAL)); k<<<grid, block>>>(d, N);")),
      "k<<<32,32 16,16 0>>>(d[1048576], 512)");
}

TEST(HostProgram, CallsTakeTheirArguments) {
  EXPECT_EQ(
      launches(
          "__global__ void k(float* a, int n) {}\n"
          "float* device_array(size_t count) { float* p; cudaMalloc(&p, count * sizeof(float)); return p; }\n"
          "void allocate(float** p, int count) { cudaMalloc((void**)p, count * sizeof(float)); }\n"
          "void sizes(int& n) { n = 96; }\n"
          "template <int T> void run(float* a, int n) { k<<<n / T, T, T * sizeof(float)>>>(a, n); }\n"
          "int main() { int n; sizes(n); float* a = device_array(n); float* b; allocate(&b, 2 * n); "
          "run<32>(a, n); run<16>(b, n); }"),
      "k<<<3 32 128>>>(p[384], 96)\nk<<<6 16 64>>>(b[768], 96)");
}

TEST(HostProgram, TemplateArgumentsAreEvaluated) {
  EXPECT_EQ(launches("template <typename T, int TILE, bool FAST> __global__ void k(T* a) {}\nconstexpr int "
                     "kTile = 8 * 2; using Real = double;\n"
                     "int main() { double* d; cudaMalloc(&d, 80); k<Real, kTile, true><<<1, kTile>>>(d); "
                     "auto f = k<float, 4, false>; f<<<2, 4>>>((float*)d); }"),
            "k<double,16,true><<<1 16 0>>>(d[80])\nk<float,4,false><<<2 4 0>>>(d[80]:?)");
}

TEST(HostProgram, LoopsLaunchAgain) {
  EXPECT_EQ(launches(in_main(
                "float* d; cudaMalloc(&d, 4096); for (int s = 512; s > 64; s >>= 1) k<<<1, s>>>(d, s);\n"
                "for (int i = 0; i < 100; ++i) k<<<2, 32>>>(d, 5);")),
            "k<<<1 512 0>>>(d[4096], 512)\nk<<<1 256 0>>>(d[4096]:?, 256)\nk<<<1 128 0>>>(d[4096]:?, "
            "128)\nk<<<2 32 0>>>(d[4096]:?, 5) x64");
}

TEST(HostProgram, ContentsAreReadFromLoops) {
  EXPECT_EQ(
      launches(
          "__global__ void k(float* a, float* b, int* c, float* d, int* e, float* f, int* g) {}\n"
          "void fill(float* p, int n, float v) { for (int i = 0; i < n; i++) p[i] = v; }\n"
          "int main() { const int n = 1000; float *h = (float*)malloc(n * 4), *h2 = new float[n]; int* h3 = "
          "(int*)calloc(n, sizeof(int)); std::vector<int> v(n);\n"
          "for (int i = 0; i < n; ++i) { h[i] = 1.5f; v[i] = i; h3[i] = rand() % 256; } fill(h2, n, 2.0f);\n"
          "float *a, *b, *d, *f; int *c, *e, *g; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); "
          "cudaMalloc(&c, n * 4); cudaMalloc(&d, n * 4); cudaMalloc(&e, n * 4); cudaMalloc(&f, n * 4); "
          "cudaMalloc(&g, 16);\n"
          "cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(b, h2, n * 4, "
          "cudaMemcpyHostToDevice); cudaMemcpy(c, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);\n"
          "cudaMemset(d, 0, n * 4); cudaMemcpy(e, h3, n * 4, cudaMemcpyHostToDevice); for (int i = 0; i < n; "
          "i++) h[i] = (float)rand() / RAND_MAX;\n"
          "cudaMemcpy(f, h, n * 4, cudaMemcpyHostToDevice); int list[] = {0, 3, 5, 9}; cudaMemcpy(g, list, "
          "sizeof(list), cudaMemcpyHostToDevice); k<<<1, 32>>>(a, b, c, d, e, f, g); }"),
      "k<<<1 32 0>>>(a[4000]:value 1.5, b[4000]:value 2, c[4000]:iota, d[4000]:zero, e[4000]:below 256, "
      "f[4000]:uniform, g[16]:0,3,5,9)");
}

TEST(HostProgram, ContentsThatAreComputedFromTheIndexAreListed) {
  EXPECT_EQ(
      launches(
          "__global__ void k(int* a, float* b, int* c) {}\nint main() { int h[80], *a, *c; float g[70], *b; "
          "for (int i = 0; i < 80; i++) h[i] = 3 * i % 7; for (int i = 0; i < 70; i++) g[i] = i / 2.0f;\n"
          "cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof g); cudaMalloc(&c, 16); cudaMemcpy(a, h, sizeof "
          "h, cudaMemcpyHostToDevice); cudaMemcpy(b, g, sizeof g, cudaMemcpyHostToDevice);\n"
          "int list[4]; for (int i = 0; i < 4; i++) list[i] = list[i > 0 ? i - 1 : 0] + i; cudaMemcpy(c, "
          "list, 16, cudaMemcpyHostToDevice); k<<<1, 1>>>(a, b, c); }")
          .substr(0, 60),
      "k<<<1 1 0>>>(a[320]:0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,");
}

TEST(HostProgram, PartlyOverwrittenBuffersHaveUnknownContents) {
  EXPECT_EQ(launches(in_main("int n = 1000; float *h = (float*)malloc(n * 4), *d; cudaMalloc(&d, n * 4); for "
                             "(int i = 0; i < n; i++) h[i] = 1; for (int i = 0; i < n / 2; i++) h[i] = 2;\n"
                             "cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(d, n); for (int y "
                             "= 0; y < 100; y++) for (int x = 0; x < 10; x++) h[y * 10 + x] = 3;\n"
                             "cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(d, 1);")),
            "k<<<1 1 0>>>(d[4000]:?, 1000)\nk<<<1 1 0>>>(d[4000]:value 3, 1)");
}

TEST(HostProgram, StructuresAreReadByField) {
  EXPECT_EQ(
      launches("typedef struct { int width; int height; float* elements; } Matrix;\n__global__ void k(Matrix "
               "a, const Matrix b) {}\n"
               "void multiply(const Matrix A) { Matrix d_A; d_A.width = A.width; d_A.height = A.height; "
               "size_t size = A.width * A.height * sizeof(float);\n"
               "cudaMalloc(&d_A.elements, size); cudaMemcpy(d_A.elements, A.elements, size, "
               "cudaMemcpyHostToDevice); dim3 block(16, 16); k<<<dim3(A.width / block.x, A.height / "
               "block.y), block>>>(d_A, d_A); }\n"
               "int main() { Matrix A; A.width = 64; A.height = 32; A.elements = (float*)malloc(64 * 32 * "
               "4); for (int i = 0; i < A.width * A.height; i++) A.elements[i] = 1; multiply(A); }"),
      "k<<<4,2 16,16 0>>>({width=64 height=32 elements=d_A.elements[8192]:value 1}, {width=64 height=32 "
      "elements=d_A.elements[8192]:value 1})");
}

TEST(HostProgram, ContainersAndClassesHaveSizes) {
  EXPECT_EQ(
      launches("__global__ void k(int* a, int n) {}\nstruct Buffer { int* data; int n; Buffer(int count) : "
               "n(count) { cudaMalloc(&data, n * sizeof(int)); } int* get() { return data; } int size() "
               "const { return n; } };\n"
               "int main() { std::vector<int> h(300, 7); thrust::device_vector<int> d = h; k<<<(h.size() + "
               "63) / 64, 64>>>(thrust::raw_pointer_cast(d.data()), h.size());\n"
               "Buffer b(50); k<<<1, 64>>>(b.get(), b.size()); std::vector<int> e; for (int i = 0; i < 5; "
               "++i) e.push_back(i); k<<<e.size(), 1>>>(b.data, e.size()); }"),
      "k<<<5 64 0>>>(d[1200]:value 7, 300)\nk<<<1 64 0>>>(Buffer.data[200], 50)\nk<<<5 1 "
      "0>>>(Buffer.data[200]:?, 5)");
}

TEST(HostProgram, MethodsCallOthersAndTypesAreDeduced) {
  EXPECT_EQ(launches("__global__ void k(float* a, int* b) {}\n"
                     "class Image { public: Image(int w, int h) : width(w), height(h) { cudaMalloc(&data, "
                     "bytes()); } size_t bytes() const { return width * height * sizeof *data; } int width, "
                     "height; float* data; };\n"
                     "template <class T> T* upload(const std::vector<T>& v) { T* d = nullptr; cudaMalloc(&d, "
                     "v.size() * sizeof(T)); return d; }\n"
                     "int main() { Image image(12, 10); std::vector<int> v(7); int* d = upload(v); k<<<1, "
                     "1>>>(image.data, d); }"),
            "k<<<1 1 0>>>(Image.data[480], d[28])");
}

TEST(HostProgram, RuntimeLaunchesAreRead) {
  EXPECT_EQ(launches(in_main(
                "float* d; int n = 100; cudaMalloc(&d, 400); void* args[] = {&d, &n}; dim3 g(4), b(32);\n"
                "cudaLaunchKernel((void*)k, g, b, args, 64, 0);")),
            "k<<<4 32 64>>>(d[400], 100)");
}

TEST(HostProgram, BothBranchesOfUnknownConditionsAreExecuted) {
  EXPECT_EQ(launches(in_main("float* d; cudaMalloc(&d, 400); cudaDeviceProp p; cudaGetDeviceProperties(&p, "
                             "0); int t = 64; if (p.major < 3) { printf(\"old\"); return 0; }\n"
                             "if (p.major >= 8) { t = 128; k<<<1, t>>>(d, 1); } else { k<<<1, t>>>(d, 2); } "
                             "k<<<p.multiProcessorCount, t>>>(d, 3);")),
            "k<<<1 128 0>>>(d[400], 1) ?\nk<<<1 64 0>>>(d[400], 2) ?\nk<<<?p.multiProcessorCount ?t "
            "0>>>(d[400]:?, 3)");
}

TEST(HostProgram, ValuesThatBranchesStoreDifferentlyAreUnknown) {
  EXPECT_EQ(
      launches("__global__ void k(int* a, int n) {}\nint main(int argc, char** argv) { int h[2] = {7, 7}, n "
               "= 3, *a; cudaMalloc(&a, 8); cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\n"
               "if (p.major > 8) h[0] = 1; else h[0] = 2; switch (p.minor) { case 0: n = 4; break; case 1: n "
               "= 5; break; } cudaMemcpy(a, h, 8, cudaMemcpyHostToDevice); k<<<1, 1>>>(a, n); }"),
      "k<<<1 1 0>>>(a[8]:?, ?n)");
}

TEST(HostProgram, VariablesThatIterationsChangeAreUnknownAfterTheLoop) {
  EXPECT_EQ(launches("struct Sizes { int n, m; };\n__global__ void k(int* a, int sum, int n, int m) {}\nint "
                     "main() { Sizes s = {1, 8}; int count[1] = {0}, sum = 0, *a; cudaMalloc(&a, 4);\n"
                     "for (int i = 0; i < 1000; ++i) { s.n += 2; s.m = 8; count[0]++; sum += 1; } "
                     "cudaMemcpy(a, count, 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(a, sum, s.n, s.m); }"),
            "k<<<1 1 0>>>(a[4]:?, ?sum, ?n, 8)");
}

TEST(HostProgram, OffsetsAndPitchesAreRead) {
  EXPECT_EQ(
      launches(
          "__global__ void k(float* a, float* b, size_t pitch) {}\nint main() { float *d, *m; size_t pitch; "
          "cudaMalloc(&d, 1024 * sizeof(float)); cudaMallocPitch(&m, &pitch, 100 * sizeof(float), 64);\n"
          "k<<<1, 32>>>(d + 256, m, pitch / sizeof(float)); k<<<1, 32>>>(&d[512], nullptr, 0); }"),
      "k<<<1 32 0>>>(d+1024[4096], m[32768], 128)\nk<<<1 32 0>>>(d+2048[4096]:?, null, 0)");
}

TEST(HostProgram, HeadersOfTheProjectAreRead) {
  EXPECT_EQ(launches("#include \"sizes.h\"\n__global__ void k(int n) {}\nint main() { k<<<BLOCKS, "
                     "kThreads>>>(twice(5)); }",
                     [](const std::string& name, bool is_quoted, const std::string& includer) {
                       if (name == "sizes.h" && is_quoted)
                         return std::optional<Header>(
                             {"lib/sizes.h",
                              "#define BLOCKS 12\n#include <more/threads.h>\ninline int twice(int "
                              "x) { return 2 * x; }\n#include \"sizes.h\"\n"});
                       if (name == "more/threads.h" && !is_quoted && includer == "lib/sizes.h")
                         return std::optional<Header>({"lib/more/threads.h", "const int kThreads = 96;"});
                       return std::optional<Header>();
                     }),
            "k<<<12 96 0>>>(10)");
}

TEST(HostProgram, MacrosOfTheBuildStandBeforeTheSource) {
  const HostProgram program =
      interpret("#ifndef N\n#define N 5\n#endif\n__global__ void k(int n) {}\nint main() { k<<<1, N>>>(N); }",
                {}, "#define N 96\n");
  ASSERT_EQ(program.launches.size(), 1u);
  EXPECT_EQ(program.launches[0].block[0]->integer, 96);
  EXPECT_EQ(program.launches[0].line, 5u);
}

TEST(HostProgram, WithoutMainUncalledFunctionsAreExecuted) {
  EXPECT_EQ(launches("__global__ void k(float* a, int n) {}\nvoid helper(float* a, int n) { k<<<(n + 255) / "
                     "256, 256>>>(a, n); }\nvoid forward(float* a, int n) { helper(a, 2 * n); }"),
            "k<<<?/ 256 0>>>(a[?]:?, ?named)");
}

TEST(HostProgram, GotosAreFollowed) {
  EXPECT_EQ(launches(in_main("int n = 5; goto middle; n = 7; middle: k<<<1, n>>>(0, n); int i = 0;\n"
                             "again: ++i; if (i < 3) goto again; k<<<i, 32>>>(0, i);")),
            "k<<<1 5 0>>>(0, 5)\nk<<<3 32 0>>>(0, 3)");
}

TEST(HostProgram, WhatAJumpUnderAnUnknownConditionSkipsIsUnknown) {
  EXPECT_EQ(launches(in_main("int n = 64, b = 2; if (scan()) goto skip; n = 128; skip: k<<<b, n>>>(0, b);")),
            "k<<<2 ?n 0>>>(0, 2)");
  EXPECT_EQ(launches(in_main("int n = 64; again: n = n / 2; if (scan()) goto again; k<<<1, n>>>(0, 1);")),
            "k<<<1 ?n 0>>>(0, 1)");
}

TEST(HostProgram, RangeLoopsVisitAllElements) {
  EXPECT_EQ(
      launches(in_main("std::vector<int> v(100, 2); int sum = 0; for (int& x : v) x = 3; for (int x : v) "
                       "sum += x; k<<<1, sum>>>(0, v.size());")),
      "k<<<1 300 0>>>(0, 100)");
  EXPECT_EQ(launches(in_main("std::vector<int> v(5000, 2); int sum = 0; for (int x : v) sum += x; k<<<1, "
                             "sum>>>(0, 1);")),
            "k<<<1 ?sum 0>>>(0, 1)");
}

TEST(HostProgram, ListsInBracesAreElements) {
  EXPECT_EQ(launches(in_main("std::vector<int> v{5, 7}; std::array<int, 4> a = {1, 2}; k<<<v.size(), "
                             "v[1]>>>(0, a.size());")),
            "k<<<2 7 0>>>(0, 4)");
}

TEST(HostProgram, StreamsReadUnknownNumbers) {
  EXPECT_EQ(
      launches(in_main("int n = 5, m = 6, s = 2; std::ifstream in(\"n.txt\"); in >> n >> m; k<<<n, m>>>(0, "
                       "64 >> s);")),
      "k<<<?n ?m 0>>>(0, 16)");
}

TEST(HostProgram, ReferencesMayBeChangedByFunctionsThatAreNotKnown) {
  const HostProgram program = interpret(
      "__global__ void k(int a, int b, int c, int d) {}\nvoid read(int& n, int m);\n"
      "int main() { int a = 1, b = 2, c = 3; const int d = 4; read(a, b); parse(c, d); k<<<1, 32>>>(a, b, c, "
      "d); }");
  ASSERT_EQ(program.launches.size(), 1u);
  const auto& arguments = program.launches[0].arguments;
  EXPECT_FALSE(arguments[0].number->is_known());
  EXPECT_EQ(text(arguments[1].number), "2");
  EXPECT_EQ(text(arguments[2].number), "3");
  EXPECT_TRUE(is_doubtful(arguments[2].number, {}));
  EXPECT_FALSE(is_doubtful(arguments[1].number, {}) || is_doubtful(arguments[3].number, {}));
}

TEST(HostProgram, SizesOfStructuresAreThoseOfTheCompiler) {
  EXPECT_EQ(
      launches(
          "union U { char c[5]; int i; }; struct V { float3 a, b; }; struct A { char c; float4 v; };\n"
          "struct __align__(16) B { float x, y, z; }; struct Base { int n; }; struct D : Base { int m; };\n"
          "struct C { static constexpr int kN = 3; int n; }; __global__ void k(int a, int b, int c, int d, "
          "int "
          "e, int f) {}\n"
          "int main() { k<<<1, C::kN>>>(sizeof(U), sizeof(V), sizeof(A), sizeof(B), sizeof(C), sizeof(D)); "
          "}"),
      "k<<<1 3 0>>>(8, 24, 32, 16, 4, ?sizeof(D))");
}

TEST(HostProgram, PacksAreExpanded) {
  EXPECT_EQ(launches("__global__ void k(int a, float b, int c) {}\n"
                     "template <class F, class... T> void run(F f, int n, T&&... more) { f<<<1, "
                     "n>>>(std::forward<T>(more)..., n); }\nint main() { run(k, 32, 5, 1.5f); }"),
            "k<<<1 32 0>>>(5, 1.5, 32)");
}

TEST(HostProgram, ArraysOfAddressesNameTheirAllocations) {
  EXPECT_EQ(
      launches("__global__ void k(float** rows) {}\nint main() { float *h[3], **d; for (int i = 0; i < 3; "
               "++i) cudaMalloc(&h[i], 64); cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, "
               "cudaMemcpyHostToDevice); k<<<1, 32>>>(d); }"),
      "k<<<1 32 0>>>(d[24]:3 addresses)");
}

TEST(HostProgram, InvalidSourcesDoNotHang) {
  for (const char* source : {"int main() { k<<<", "int main() { for (;;) k<<<1, 2>>>(); }", "{{{{((((",
                             "#define A A\nint main() { A; k<<<A, 1>>>(); }",
                             "int f() { return f(); } int main() { k<<<f(), 1>>>(); }",
                             "#define X(a) X(a a)\nint main(){ X(X(1)); k<<<1,1>>>(); }",
                             "int main() { while (1) while (1) while (1) while (1) k<<<1, 1>>>(); }",
                             "template <template <int main() { }"}) {
    (void)launches(source);
  }
  EXPECT_EQ(
      launches("int main() { int x = ; k<<<1, 2>>>(); broken(1 2); k<<<3, 4>>>(); }\n__global__ void k() {}"),
      "k<<<1 2 0>>>()\nk<<<3 4 0>>>()");
}

TEST(Formulas, UseTheNamesOfParameters) {
  const FormulaPtr n = unknown_formula("n"), m = unknown_formula("m");
  const std::map<const Formula*, std::string> names{{n.get(), "n"}, {m.get(), "m"}};
  const auto in_names = [&](const FormulaPtr& formula) { return text_of(formula, names).value_or("?"); };
  EXPECT_EQ(in_names(applied("/", applied("-", applied("+", n, named_formula(formula_of(32))), formula_of(1)),
                             formula_of(32))),
            "(n+31)/32");
  EXPECT_EQ(in_names(applied("*", n, applied("+", m, formula_of(1)))), "n*(m+1)");
  EXPECT_EQ(in_names(rounded_up(applied("/", as_real(n), formula_of(16)))), "ceil(n,16)");
  EXPECT_EQ(in_names(divided(applied("*", applied("*", n, m), formula_of(4)), 4)), "n*m");
  EXPECT_EQ(in_names(divided(applied("+", n, formula_of(4)), 4)), "(n+4)/4");
  EXPECT_EQ(in_names(applied("-", n, applied("-", m, formula_of(1)))), "n-(m-1)");
  EXPECT_EQ(in_names(formula_of(256)), "256");
}

}  // namespace
}  // namespace warplens::host
