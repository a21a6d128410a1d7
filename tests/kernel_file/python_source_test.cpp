// The kernels that a Python file has, read out of its text.
#include "app/kernel_file/python_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warplens::app {
namespace {

std::vector<std::string> names_of(const PythonSource& source) {
  std::vector<std::string> names;
  for (const PythonKernel& kernel : source.kernels) names.push_back(kernel.name);
  return names;
}

/// The line of that number, from 1.
std::string line_of(const std::string& text, std::size_t number) {
  std::size_t at = 0;
  for (std::size_t line = 1; line < number; ++line) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(PythonSource, DecoratorsAreRecognizedUnderImportAliases) {
  const PythonSource source = read_python(
      "from triton import jit as t\nimport numba.cuda as nc\nimport triton as tr, os\n"
      "from numba import (cuda as c,\n                   prange)\n"
      "@t\ndef a(x): pass\n"
      "@nc.jit('void(float32[:], int32)')\ndef b(x, n): pass\n"
      "@tr.autotune(configs=[], key=['n'])\n@tr.jit(do_not_specialize=['n'])\ndef d(x, n=3): pass\n"
      "@c.jit(fastmath=True)\ndef e(x): pass\n"
      "@c.jit(device=True)\ndef device(x): pass\n"
      "@os.jit\ndef other(x): pass\n"
      "def plain(x): pass\n");
  EXPECT_EQ(names_of(source), (std::vector<std::string>{"a", "b", "d", "e"}));
  EXPECT_EQ(source.kernels[1].parameters,
            (std::vector<compile::SourceParameter>{{"float32[:]", "x"}, {"int32", "n"}}));
  EXPECT_EQ(source.kernels[2].line, 12u);
}

TEST(PythonSource, StringsAndCommentsDeclareNoKernels) {
  const PythonSource source = read_python(
      "import triton\n'''\n@triton.jit\ndef in_string(x): pass\n'''\n# @triton.jit\ndef f(x): pass\n"
      "text = \"@triton.jit\\\ndef g(x)\"\n@triton.jit\ndef real(x): pass\n");
  EXPECT_EQ(names_of(source), std::vector<std::string>{"real"});
  EXPECT_EQ(source.kernels[0].line, 11u);
}

TEST(PythonSource, LaunchesAndCallsAreDistinguished) {
  const PythonSource source = read_python(
      "import triton\n@triton.jit\ndef inner(x): return x\n@triton.jit\ndef outer(x): inner(x)\n"
      "@triton.jit\ndef unused(x): pass\ngrid = lambda meta: (4,)\nouter[grid](x)\n");
  EXPECT_TRUE(source.kernels[0].is_called);
  EXPECT_TRUE(source.kernels[1].is_launched);
  EXPECT_FALSE(source.kernels[2].is_called || source.kernels[2].is_launched);
}

TEST(PythonSource, LaunchCommentsBelongToTheNextKernel) {
  const PythonSource source = read_python(
      "import triton\n# warplens: grid=4 block=128\n#   n=100 x=f32[n]\n@triton.jit\ndef a(x, n): pass\n"
      "@triton.jit\ndef b(x): pass\n");
  EXPECT_EQ(source.kernels[0].launch, "grid=4 block=128 n=100 x=f32[n]");
  EXPECT_EQ(source.kernels[1].launch, "");
}

TEST(PythonSource, CudaKeepsTheLinesOfThePythonFile) {
  const PythonSource source = read_python(
      "import cupy\nk = cupy.RawKernel(r'''\nextern \"C\" __global__\nvoid k(int* p) {\n  p[0] = "
      "'\\n';\n}\n'''"
      ", 'k')\n");
  ASSERT_EQ(source.cuda.size(), 1u);
  EXPECT_EQ(source.kernels[0].line, 4u);
  EXPECT_EQ(source.kernels[0].cuda, 0u);
  EXPECT_EQ(line_of(source.cuda[0].text, 1), "");
  EXPECT_EQ(line_of(source.cuda[0].text, 4), "void k(int* p) {");
  EXPECT_EQ(line_of(source.cuda[0].text, 5), "  p[0] = '\\n';") << "a raw string has no escapes";
}

TEST(PythonSource, StringsThatPythonJoinsAreOneSource) {
  const PythonSource source = read_python(
      "from cupy import RawKernel as RK\n"
      "code = ('#define N 4\\n'\n"
      "        'extern \"C\" __global__ void k(int* p) {\\n'\n"
      "        '  p[0] = N; // \\x41\\n  p[1] = 1;\\n'\n"
      "        '}\\n')\n"
      "k = RK(code, 'k')\ncode = None\n");
  ASSERT_EQ(source.cuda.size(), 1u);
  const PythonCuda& cuda = source.cuda[0];
  EXPECT_EQ(source.kernels[0].line, 3u);
  EXPECT_EQ(line_of(cuda.text, 2).substr(9), "#define N 4");
  EXPECT_NE(cuda.text.find("// A\n"), std::string::npos) << cuda.text;
  const std::size_t second = cuda.text.find("p[1]");
  ASSERT_NE(second, std::string::npos);
  const auto line = static_cast<std::size_t>(
      std::count(cuda.text.begin(), cuda.text.begin() + static_cast<std::ptrdiff_t>(second), '\n'));
  EXPECT_EQ(cuda.lines.at(line), 4u);
  EXPECT_EQ(line_of(cuda.text, line), "#line 4");
}

TEST(PythonSource, InstancesOfTemplatesAreTheModulesNameExpressions) {
  const PythonSource source = read_python(
      "import cupy as cp\n"
      "m = cp.RawModule(code=r'template<int T> __global__ void t(int* p) { *p = T; }',\n"
      "                 name_expressions=['t<4>', \"t<8>\"], options=('-std=c++14',))\n");
  ASSERT_EQ(source.cuda.size(), 1u);
  EXPECT_EQ(source.cuda[0].instances, (std::vector<std::string>{"t<4>", "t<8>"}));
  EXPECT_EQ(source.kernels[0].template_arguments, "int T");
}

TEST(PythonSource, KernelsWhoseSourceIsMadeAtRunTimeAreListed) {
  const PythonSource source = read_python(
      "import cupy as cp\n"
      "a = cp.RawKernel(f'extern \"C\" __global__ void a(int* p) {{ *p = {N}; }}', 'a')\n"
      "b = cp.RawKernel(open('b.cu').read(), 'b')\n"
      "c = cp.RawKernel(text.replace('X', 'Y'), 'c')\n");
  EXPECT_EQ(names_of(source), (std::vector<std::string>{"a", "b", "c"}));
  for (const PythonKernel& kernel : source.kernels) EXPECT_FALSE(kernel.cuda.has_value()) << kernel.name;
}

TEST(PythonSource, InvalidPythonIsReadSafely) {
  const std::string pieces[] = {"@triton.jit", "def",           "f(", "(",  ")",           "[",       "]",
                                "'",           "\"\"\"",        "\\", "\n", ",",           "import ", "from ",
                                "as",          "cp.RawKernel(", "=",  "x",  "# warplens:", "\xff",    "*"};
  std::uint32_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    std::string text = "import triton\nimport cupy as cp\n";
    for (int i = 0; i < 12; ++i) {
      state = state * 1664525u + 1013904223u;
      text += pieces[(state >> 16) % std::size(pieces)];
    }
    static_cast<void>(read_python(text));
  }
}

}  // namespace
}  // namespace warplens::app
