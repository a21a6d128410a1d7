// Kernels of Python files: CUDA C++ in CuPy's strings, and PTX in Triton's cache.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cli_fixture.h"
#include "kernels/compile/compile.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class PythonFile : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    setenv("TRITON_CACHE_DIR", path("cache").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TRITON_CACHE_DIR");
    Cli::TearDown();
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  /// PTX as Triton makes it of `scale` in scale.py, whose first line of code has that number.
  void write_cached(const std::string& folder, int line, const std::string& value = "0f40000000") const {
    const std::string name = "cache/" + folder + "/scale";
    write(name + ".ptx",
          ".version 8.0\n.target sm_80\n.address_size 64\n"
          ".visible .entry scale(\n\t.param .u64 .ptr .global .align 1 scale_param_0,\n"
          "\t.param .u32 scale_param_1,\n\t.param .u64 .ptr .global .align 1 scale_param_2,\n"
          "\t.param .u64 .ptr .global .align 1 scale_param_3\n)\n.reqntid 64\n{\n"
          "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n\t.reg .f32 %f<3>;\n"
          "\t.loc\t1 " +
              std::to_string(line) +
              " 0\n"
              "\tld.param.u64 %rd1, [scale_param_0];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd2, %r1, 4;\n"
              "\tadd.s64 %rd3, %rd1, %rd2;\n\t.loc\t1 " +
              std::to_string(line + 2) +
              " 4\n"
              "\tld.global.f32 %f1, [%rd3];\n\tmul.f32 %f2, %f1, " +
              value +
              ";\n\tst.global.f32 [%rd3], %f2;\n"
              "\tret;\n}\n\t.file\t1 \"/somewhere/else/scale.py\"\n");
    write(name + ".json",
          R"({"target": {"backend": "cuda", "arch": 80, "warp_size": 32}, "num_warps": 2, "shared": 0,)"
          R"( "global_scratch_size": 0, "profile_scratch_size": 0, "triton_version": "3.9.0"})");
    write(name + ".ttir",
          "module {\n  tt.func public @scale(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} "
          "loc(\"x_ptr\"(#loc)), %n: i32 loc(\"n\"(#loc))) attributes {noinline = false} {\n");
  }
};

constexpr const char* kCupy =
    "import cupy as cp\n\n"
    "add = cp.RawKernel(r'''\n"
    "// warplens: grid=2 block=32 n=64 a=f32[n]:ints b=f32[n]\n"
    "extern \"C\" __global__ void add(const float* a, float* b, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  b[i] = a[i] + 1;\n"
    "}\n''', 'add')\n"
    "broken = cp.RawKernel(r'''\n"
    "extern \"C\" __global__ void broken(float* a) {\n"
    "  a[0] = unknown;\n"
    "}\n''', 'broken')\n";

TEST_F(PythonFile, CudaInCupysStringsHasTheLinesOfThePythonFile) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  write("k.py", kCupy);
  const Output output = run({"report", path("k.py"), "--entry", "add", "--json"});
  ASSERT_EQ(output.status, kDone) << output.err;
  const ordered_json report = output.json();
  EXPECT_EQ(report["kernel"], "add");
  ASSERT_EQ(report["sites"].size(), 2u);
  for (const ordered_json& site : report["sites"]) {
    EXPECT_EQ(site["file"], "k.py");
    EXPECT_EQ(site["line"], 7);
  }
}

TEST_F(PythonFile, CompilerErrorsNameLinesOfThePythonFile) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  write("k.py", kCupy);
  const Output output =
      run({"report", path("k.py"), "--entry", "broken", "--grid", "1", "--block", "1", "--arg", "a=f32[1]"});
  EXPECT_EQ(output.status, kFailed);
  EXPECT_NE(output.err.find("k.py:12: "), std::string::npos) << output.err;
}

TEST_F(PythonFile, WithoutEntryTheKernelThatSaysItsLaunchIsMeant) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  write("k.py", kCupy);
  EXPECT_EQ(run({"report", path("k.py"), "--json"}).json()["kernel"], "add");
}

TEST_F(PythonFile, ARecordingKeepsThePythonFileAsItsSource) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  write("k.py", kCupy);
  ASSERT_EQ(run({"record", path("k.py"), "--entry", "add", "-o", path("k.wlr")}).status, kDone);
  const Output report = run({"report", path("k.wlr")});
  ASSERT_EQ(report.status, kDone) << report.err;
  EXPECT_NE(report.out.find("b[i] = a[i] + 1;"), std::string::npos) << report.out;
}

TEST_F(PythonFile, SeveralKernelsWithoutEntryAreNamed) {
  write("k.py", "import triton\n@triton.jit\ndef a(x): pass\n@triton.jit\ndef b(x): pass\n");
  const Output output = run({"report", path("k.py")});
  EXPECT_EQ(output.status, kFailed);
  EXPECT_NE(output.err.find("Its kernels: a, b."), std::string::npos) << output.err;
}

TEST_F(PythonFile, KernelsWithoutSourceSayWhatToDo) {
  write("k.py",
        "import cupy as cp\nfrom numba import cuda\n"
        "e = cp.ElementwiseKernel('float32 x', 'float32 y', 'y = x', 'e')\n"
        "g = cp.RawKernel(f'extern \"C\" __global__ void g(int* p) {{ *p = {N}; }}', 'g')\n"
        "@cuda.jit\ndef n(x): pass\n");
  const auto error = [&](const char* entry) {
    const Output output = run({"report", path("k.py"), "--entry", entry, "--grid", "1", "--block", "1"});
    EXPECT_EQ(output.status, kFailed);
    return output.err;
  };
  EXPECT_NE(error("e").find("k.py:3: `e` is an ElementwiseKernel"), std::string::npos) << error("e");
  EXPECT_NE(error("g").find("k.py:4: the source of `g` is made when the program runs"), std::string::npos);
  EXPECT_NE(error("n").find("k.py:6: there is no PTX of `n`"), std::string::npos) << error("n");
  EXPECT_NE(error("other").find("no kernel in it is called `other`"), std::string::npos);
}

constexpr const char* kTriton =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def scale(x_ptr, n, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + i)\n"
    "    tl.store(x_ptr + i, x * 2)\n";

TEST_F(PythonFile, PtxOfTritonComesFromItsCache) {
  write("scale.py", kTriton);
  write_cached("AAAA", 6);
  const Output output = run(
      {"report", path("scale.py"), "--grid", "1", "--arg", "x_ptr=f32[64]:ints", "--arg", "n=64", "--json"});
  ASSERT_EQ(output.status, kDone) << output.err;
  const ordered_json report = output.json();
  EXPECT_EQ(report["block"], (ordered_json{64, 1, 1})) << "as it was compiled";
  ASSERT_EQ(report["sites"].size(), 2u);
  EXPECT_EQ(report["sites"][0]["file"], "scale.py");
  EXPECT_EQ(report["sites"][0]["line"], 8);
}

TEST_F(PythonFile, TheNewestPtxWhoseLinesFitIsTaken) {
  write("scale.py", kTriton);
  write_cached("OLD", 6, "0f40000000");
  write_cached("NEW", 6, "0f40400000");
  write_cached("MOVED", 60, "0f40800000");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(path("cache/OLD/scale.ptx"), now - std::chrono::hours(2));
  fs::last_write_time(path("cache/NEW/scale.ptx"), now - std::chrono::hours(1));
  const Output output = run({"replay", path("scale.py"), "--grid", "1", "--arg", "x_ptr=f32[64]:value:1",
                             "--arg", "n=64", "--dump", "x_ptr:" + path("x.bin")});
  ASSERT_EQ(output.status, kDone) << output.err;
  const std::string bytes = contents("x.bin");
  ASSERT_EQ(bytes.size(), 256u);
  float first = 0;
  std::memcpy(&first, bytes.data(), sizeof first);
  EXPECT_EQ(first, 3.0f);
}

TEST_F(PythonFile, WithoutFittingPtxTheErrorSaysWhatToDo) {
  write("scale.py", kTriton);
  const std::vector<std::string> command{"report", path("scale.py"), "--grid", "1"};
  EXPECT_NE(run(command).err.find("scale.py:6: Triton's cache has no PTX of `scale`"), std::string::npos)
      << run(command).err;
  EXPECT_NE(run(command).err.find(path("cache")), std::string::npos);
  write_cached("MOVED", 60);
  EXPECT_NE(run(command).err.find("of one that was changed since"), std::string::npos) << run(command).err;
  write("cache/MOVED/scale.json", "[damaged");
  EXPECT_EQ(run(command).status, kFailed);
}

TEST_F(PythonFile, CheckReadsTheKernelsOfPython) {
  write("scale.py", kTriton);
  write_cached("AAAA", 6);
  const Output output = run({"check", path("scale.py"), "--json"});
  ASSERT_EQ(output.status, kDone) << output.err;
  EXPECT_EQ(column(output.json()["entries"][0]["parameters"], "name"),
            (std::vector<std::string>{"x_ptr", "n", "global_scratch", "profile_scratch"}));
}

/// An environment whose interpreter does what the runner does in its folder: the request lies there, and the
/// files that it makes are taken from there.
class ImportedPython : public PythonFile {
 protected:
  void SetUp() override {
    PythonFile::SetUp();
    setenv("VIRTUAL_ENV", path("environment").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("VIRTUAL_ENV");
    PythonFile::TearDown();
  }
  void write_interpreter(const std::string& script) const {
    write("environment/bin/python3", "#!/bin/sh\n" + script);
    fs::permissions(path("environment/bin/python3"), fs::perms::owner_all);
  }
  /// As Triton would make it of scale.py.
  void write_compiling_interpreter() const {
    write_cached("AAAA", 6);
    fs::create_directories(path("environment"));
    for (const char* const extension : {".ptx", ".json", ".ttir"})
      fs::copy(path(std::string("cache/AAAA/scale") + extension),
               path(std::string("environment/kernel") + extension));
    fs::remove_all(path("cache"));
    write_interpreter("cp \"$(dirname \"$0\")\"/../kernel.* . && cat request.json\n");
  }
  [[nodiscard]] std::vector<std::string> report(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"report", path("scale.py"), "--grid", "1", "--arg", "x_ptr=f32[64]:ints",
                                 "--arg",  "n=64",           "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(ImportedPython, IsNotRunWithoutConsent) {
  write("scale.py", kTriton);
  write_compiling_interpreter();
  const Output without = run(report());
  EXPECT_EQ(without.status, kFailed);
  EXPECT_NE(without.err.find("--run-python"), std::string::npos) << without.err;
  const Output with = run(report({"--run-python"}));
  ASSERT_EQ(with.status, kDone) << with.err;
  EXPECT_EQ(with.json()["sites"][0]["line"], 8);
  EXPECT_EQ(with.json()["block"], (ordered_json{64, 1, 1}));
}

TEST_F(ImportedPython, LastLineThatPythonPrintsIsTheError) {
  write("scale.py", kTriton);
  write_interpreter("echo something; echo 'importing the file failed: no torch' >&2; exit 3\n");
  const Output output = run(report({"--run-python"}));
  EXPECT_EQ(output.status, kFailed);
  EXPECT_NE(output.err.find("scale.py: importing the file failed: no torch"), std::string::npos)
      << output.err;
  EXPECT_NE(output.err.find("VIRTUAL_ENV"), std::string::npos) << output.err;
}

TEST_F(ImportedPython, TakesNoLongerThanCompilersMay) {
  write("scale.py", kTriton);
  write_interpreter("sleep 60\n");
  const Output output = run(report({"--run-python", "--compile-timeout", "1"}));
  EXPECT_EQ(output.status, kFailed);
  EXPECT_NE(output.err.find("was stopped after 1 s"), std::string::npos) << output.err;
}

TEST_F(ImportedPython, TypesAndConstantsAreThoseOfTheComment) {
  write("scale.py",
        "import triton\nimport triton.language as tl\n# warplens: n=64 x_ptr=f16[n] BLOCK=128\n@triton.jit\n"
        "def scale(x_ptr, n, BLOCK: tl.constexpr): pass\n");
  write_interpreter("tr -d '\\n' < request.json; exit 3\n");
  const Output output =
      run({"report", path("scale.py"), "--grid", "1", "--run-python", "--arch", "compute_80"});
  for (const char* const words :
       {R"("x_ptr":"*fp16")", R"("n":"i32")", R"("BLOCK":"128")", R"("architecture":"80")"})
    EXPECT_NE(output.err.find(words), std::string::npos) << output.err;
}

TEST_F(ImportedPython, NumbaArraysTakeOneParameterPerMember) {
  write("s.py", "from numba import cuda\n@cuda.jit('void(float32[:], int32)')\ndef s(x, n):\n    x[0] = n\n");
  write("environment/kernel.ptx",
        ".version 7.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry s(.param .u64 s_param_0, .param .u64 s_param_1, .param .u64 s_param_2, .param .u32 "
        "s_param_3)"
        "\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n\tld.param.u64 %rd1, [s_param_1];\n"
        "\tld.param.u64 %rd2, [s_param_2];\n\tld.param.u32 %r1, [s_param_3];\n\t.loc\t1 4 0\n"
        "\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n\t.file\t1 \"/somewhere/s.py\"\n");
  write("environment/kernel.json",
        R"({"parameters": [{"name": "x_meminfo", "type": "u8", "pointer": true, "value": "null"},)"
        R"( {"name": "x", "type": "f32", "pointer": true, "value": ""},)"
        R"( {"name": "x_stride0", "type": "i64", "pointer": false, "value": "4"},)"
        R"( {"name": "n", "type": "i32", "pointer": false, "value": ""}]})");
  write_interpreter("cp \"$(dirname \"$0\")\"/../kernel.* .\n");
  const std::vector<std::string> command{"report", path("s.py"), "--grid", "1",   "--block", "1",
                                         "--arg",  "x=f32[8]",   "--arg",  "n=3", "--json"};
  EXPECT_NE(run(command).err.find("s.py:3: there is no PTX of `s`"), std::string::npos) << run(command).err;
  std::vector<std::string> allowed = command;
  allowed.emplace_back("--run-python");
  const Output output = run(allowed);
  ASSERT_EQ(output.status, kDone) << output.err;
  EXPECT_EQ(output.json()["sites"][0]["file"], "s.py");
  EXPECT_EQ(output.json()["sites"][0]["line"], 4);
}

TEST_F(PythonFile, EntrySelectsOneOfSeveralKernels) {
  write("scale.py",
        "import triton\n\n@triton.jit\ndef other(x_ptr, n):\n    pass\n\n@triton.jit\ndef scale(x_ptr, n):\n"
        "    x = load(x_ptr)\n    y = 2 * x\n    store(x_ptr, y)\n");
  write_cached("AAAA", 9);
  EXPECT_NE(run({"check", path("scale.py")}).err.find("Its kernels: other, scale"), std::string::npos);
  const Output one = run({"check", path("scale.py"), "--entry", "scale"});
  EXPECT_EQ(one.status, kDone) << one.err;
  EXPECT_NE(one.out.find("the replay can run all of it"), std::string::npos) << one.out;
}

TEST_F(PythonFile, EntrySelectsOneKernelOfAPtxFile) {
  write("two.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry a() { ret; }\n.entry b() { ret; }\n");
  EXPECT_EQ(run({"check", path("two.ptx"), "--json"}).json()["entries"].size(), 2u);
  const ordered_json one = run({"check", path("two.ptx"), "--entry", "b", "--json"}).json();
  ASSERT_EQ(one["entries"].size(), 1u);
  EXPECT_EQ(one["entries"][0]["entry"], "b");
  EXPECT_NE(run({"check", path("two.ptx"), "--entry", "c"}).err.find("is called `c`"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
