// `warplens list FOLDER`: the kernels of a folder's files, by their texts alone.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cli_fixture.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class FolderList : public Cli {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] ordered_json listed() const {
    const Output output = run({"list", path(""), "--json"});
    EXPECT_EQ(output.status, kDone) << output.err;
    return output.json();
  }
};

constexpr const char* kCuda =
    "// warplens: grid=4 block=32\n"
    "__global__ void said(float* x, int n) { x[0] = n; }\n"
    "__global__ void launched(float* x) {}\n"
    "template <int T, typename U> __global__ void tile(U* x) {}\n"
    "__global__ void alone() {}\n"
    "__global__ void declared(int);\n"
    "int main() { launched<<<1, 32>>>(nullptr); }\n";

TEST_F(FolderList, KernelsOfAllFilesAreListedWithWhatIsKnownOfTheirLaunch) {
  write("src/k.cu", kCuda);
  write("src/more.cuh", "#pragma once\n__global__ void of_header(int* p) { *p = 1; }\n");
  write("ptx/add.ptx",
        ".version 7.0\n.target sm_75\n.address_size 64\n// .entry none()\n"
        ".visible .entry _Z3addPfi(\n  .param .u64 .ptr .global .align 1 _Z3addPfi_param_0,\n"
        "  .param .u32 _Z3addPfi_param_1\n)\n{\n  ret;\n}\n");
  write("notes.txt", "__global__ void not_a_source() {}\n");
  const ordered_json list = listed();
  EXPECT_EQ(keys(list), (std::vector<std::string>{"folder", "files", "kernels", "unread"}));
  EXPECT_EQ(list["files"], 3);
  EXPECT_EQ(column(list["kernels"], "name"),
            (std::vector<std::string>{"add", "said", "launched", "tile", "alone", "of_header"}));
  EXPECT_EQ(column(list["kernels"], "launch"),
            (std::vector<std::string>{"unknown", "comment", "in_file", "template", "unknown", "unknown"}));
  EXPECT_EQ(list["kernels"][0]["language"], "ptx");
  EXPECT_EQ(list["kernels"][0]["line"], 5);
  EXPECT_EQ(list["kernels"][0]["parameters"][1], (ordered_json{{"type", "u32"}, {"name", "param_1"}}));
  EXPECT_EQ(list["kernels"][1]["file"], "src/k.cu");
  EXPECT_EQ(list["kernels"][1]["line"], 2);
  EXPECT_EQ(list["kernels"][1]["parameters"][0], (ordered_json{{"type", "float*"}, {"name", "x"}}));
  EXPECT_EQ(list["kernels"][3]["template_arguments"], "int T, typename U");
}

TEST_F(FolderList, TextOutputIsATable) {
  write("k.cu", kCuda);
  const Output output = run({"list", path("")});
  EXPECT_EQ(output.status, kDone);
  for (const char* words : {"KERNEL", "said", "k.cu:2", "CUDA C++", "launch comment", "float* x, int n",
                            "tile<int T, typename U>", "4 kernels in 1 file\n"})
    EXPECT_NE(output.out.find(words), std::string::npos) << words;
  EXPECT_EQ(output.err, "");
}

TEST_F(FolderList, OneFileIsListedToo) {
  write("k.cu", kCuda);
  const Output output = run({"list", path("k.cu"), "--json"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_EQ(output.json()["kernels"].size(), 4u);
  EXPECT_EQ(output.json()["kernels"][0]["file"], "k.cu");
}

TEST_F(FolderList, VersionControlAndBuildOutputsAreLeftOut) {
  const std::string kernel = "__global__ void k() {}\n";
  for (const char* name : {".git/a.cu", "build/a.cu", "out/a.cu", "venv/lib/a.py", "__pycache__/a.cu"})
    write(name, kernel);
  write("out/CMakeCache.txt", "");
  write("venv/pyvenv.cfg", "");
  write("kept/a.cu", kernel);
  const ordered_json list = listed();
  EXPECT_EQ(column(list["kernels"], "file"), std::vector<std::string>{"kept/a.cu"});
  EXPECT_EQ(list["files"], 1);
}

TEST_F(FolderList, LinksOutOfTheFolderAreReportedAndNotFollowed) {
  write("inside/in/a.cu", "__global__ void a() {}\n");
  write("outside/secret.cu", "__global__ void secret() {}\n");
  fs::create_directory_symlink(path("outside"), path("inside/folder"));
  fs::create_symlink(path("outside/secret.cu"), path("inside/file.cu"));
  fs::create_directory_symlink("..", path("inside/in/loop"));
  fs::create_symlink("a.cu", path("inside/in/same.cu"));
  const Output output = run({"list", path("inside"), "--json"});
  EXPECT_EQ(output.status, kDone);
  const ordered_json list = output.json();
  EXPECT_EQ(column(list["kernels"], "name"), std::vector<std::string>{"a"});
  EXPECT_EQ(column(list["unread"], "file"), (std::vector<std::string>{"file.cu", "folder"}));
  EXPECT_NE(output.err.find("file.cu: the symbolic link leads out of the folder"), std::string::npos)
      << output.err;
}

TEST_F(FolderList, UnreadableFilesAreReportedAndTheRestIsListed) {
  write("a.cu", "__global__ void a() {}\n");
  ASSERT_EQ(mkfifo(path("pipe.cu").c_str(), 0600), 0);
  const Output output = run({"list", path("")});
  EXPECT_EQ(output.status, kDone);
  EXPECT_NE(output.out.find("1 kernel in 1 file\n"), std::string::npos) << output.out;
  EXPECT_NE(output.err.find("warplens: pipe.cu: "), std::string::npos) << output.err;
}

TEST_F(FolderList, NamesAreEscapedOnTheTerminalAndInJson) {
  write("a\x1b[31m\nb.cu", "__global__ void a() {}\n");
  const Output text = run({"list", path("")});
  EXPECT_NE(text.out.find("a\\x1b[31m\\nb.cu:1"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  const Output json = run({"list", path(""), "--json"});
  EXPECT_EQ(json.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(json.json()["kernels"][0]["file"], "a\x1b[31m\nb.cu");
}

TEST_F(FolderList, AFolderThatIsMissingIsAFailure) {
  const Output output = run({"list", path("nowhere")});
  EXPECT_EQ(output.status, kFailed);
  EXPECT_EQ(output.out, "");
  EXPECT_NE(output.err.find("there is no such file or folder"), std::string::npos) << output.err;
}

TEST_F(FolderList, AFolderWithoutKernelsIsAnEmptyList) {
  EXPECT_TRUE(listed()["kernels"].empty());
}

TEST_F(FolderList, KernelsOfPythonAreListed) {
  write("k.py",
        "import cupy as cp\nfrom numba import cuda\nimport triton\nimport triton.language as tl\n\n"
        "add = cp.RawKernel(r'''\n"
        "extern \"C\" __global__ void add(const float* a, float* b) { b[0] = a[0]; }\n"
        "''', 'add')\n"
        "half = cp.ElementwiseKernel('float32 x', 'float32 y', 'y = x / 2', 'half')\n\n"
        "@cuda.jit\ndef saxpy(x, a):\n    pass\n\n"
        "@triton.jit\ndef copy(x_ptr, n, BLOCK: tl.constexpr):\n    pass\n\n"
        "copy[(4,)](x, 5, BLOCK=64)\n");
  const ordered_json kernels = listed()["kernels"];
  EXPECT_EQ(column(kernels, "name"), (std::vector<std::string>{"add", "half", "saxpy", "copy"}));
  EXPECT_EQ(column(kernels, "language"), (std::vector<std::string>{"cupy", "cupy", "numba", "triton"}));
  EXPECT_EQ(column(kernels, "launch"),
            (std::vector<std::string>{"unknown", "unknown", "unknown", "in_file"}));
  EXPECT_EQ(kernels[0]["line"], 7);
  EXPECT_EQ(kernels[3]["line"], 16);
  EXPECT_EQ(kernels[3]["parameters"][2], (ordered_json{{"type", "tl.constexpr"}, {"name", "BLOCK"}}));
}

}  // namespace
}  // namespace warplens::app
