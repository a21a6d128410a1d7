// A folder is opened, and a kernel of its files chosen: by words, by keys and by the mouse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gui/harness.h"
#include "kernels/compile/compile.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums =
    "// warplens: grid=2 block=32 x=f32[64]:ints\n"
    "__global__ void first_of_file(float* x) { x[blockIdx.x * 32 + threadIdx.x] += 1; }\n"
    "// warplens: grid=1 block=32 x=f32[32]:ints\n"
    "__global__ void row_sum(float* x) { x[threadIdx.x] *= 2; }\n"
    "template <int T> __global__ void tiled_copy(float* x) { x[threadIdx.x] = T; }\n";

class KernelList : public GuiTest {
 protected:
  [[nodiscard]] fs::path folder() const { return config() / "tree"; }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name) << text;
  }
  void open_tree(WindowSize size = {}) {
    write("src/sums.cu", kSums);
    write("other/alone.cu", "__global__ void alone(int* p) { *p = 1; }\n");
    start({}, size);
    app().open(folder());
    await([this] { return !app().kernel_list().reading(); });
    draw(2);
    ASSERT_TRUE(app().kernel_list().active());
  }
  void press(ImGuiKeyChord key) {
    drive([key](ImGuiTestContext& context) { context.KeyPress(key); });
  }
  void type(const char* words) {
    drive([words](ImGuiTestContext& context) { context.KeyChars(words); });
  }
  [[nodiscard]] std::string name_of_row(std::size_t row) {
    const KernelListWindow& list = app().kernel_list();
    return list.kernels().at(list.rows().at(row)).name;
  }
  [[nodiscard]] std::string entry_shown() { return app().menus().launch.file_kernel()->entry; }
};

TEST_F(KernelList, AFolderListsTheKernelsOfItsFiles) {
  open_tree();
  ASSERT_EQ(app().kernel_list().rows().size(), 4u);
  EXPECT_EQ(name_of_row(0), "alone");
  for (const char* words :
       {"Kernels of tree", "row_sum", "sums.cu:4", "launch comment", "4 kernels, 2 files read"})
    EXPECT_TRUE(shows(words)) << words;
  keep_picture("kernel_list");
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().kernel_list().active());
  EXPECT_TRUE(app().messages().all().empty());
  EXPECT_EQ(app().settings().recent.front(), folder());
}

TEST_F(KernelList, TypingFiltersAndEnterOpens) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  open_tree();
  type("sum");
  ASSERT_EQ(app().kernel_list().rows().size(), 3u) << "by their names and their file's";
  EXPECT_EQ(name_of_row(0), "row_sum");
  press(ImGuiKey_DownArrow);
  EXPECT_EQ(app().kernel_list().selected(), 1u);
  press(ImGuiKey_UpArrow);
  press(ImGuiKey_Enter);
  settle();
  EXPECT_FALSE(app().kernel_list().active());
  EXPECT_EQ(entry_shown(), "row_sum");
  EXPECT_EQ(recording().grid.x, 1u) << "as its own comment says, and not the file's first";
  EXPECT_TRUE(app().row_is_shown());
}

TEST_F(KernelList, ADoubleClickOpensAKernelAndTheListComesBack) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  open_tree();
  drive([](ImGuiTestContext& context) { context.ItemDoubleClick("//kernels/**/$$0/##kernel"); });
  settle();
  EXPECT_EQ(entry_shown(), "alone");
  command("file.kernels");
  EXPECT_TRUE(app().kernel_list().active());
  EXPECT_EQ(app().kernel_list().rows().size(), 4u);
}

TEST_F(KernelList, ATemplateIsOpenedAsAnInstance) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  open_tree();
  type("tiled");
  press(ImGuiKey_Enter);
  settle();
  EXPECT_EQ(entry_shown(), "tiled_copy<16>");
}

TEST_F(KernelList, UnreadableFilesAreReported) {
  fs::create_directories(folder());
  fs::create_symlink("/etc/hostname", folder() / "out.cu");
  open_tree();
  EXPECT_TRUE(shows("1 file was not read: out.cu"));
}

TEST_F(KernelList, AFolderIsChosenInTheDialogue) {
  write("src/sums.cu", kSums);
  start();
  command("file.open_folder");
  ASSERT_TRUE(app().file_dialog().active());
  enter_path(folder());
  drive([](ImGuiTestContext& context) { context.ItemClick("//file/###accept"); });
  await([this] { return app().kernel_list().active() && !app().kernel_list().reading(); });
  EXPECT_EQ(app().kernel_list().path(), folder());
  EXPECT_EQ(app().kernel_list().kernels().size(), 3u);
}

TEST_F(KernelList, AFolderGivenAtTheStartIsListedOverTheFirstRecording) {
  write("src/sums.cu", kSums);
  start(folder());
  await([this] { return !app().kernel_list().reading(); });
  EXPECT_TRUE(app().kernel_list().active());
  EXPECT_EQ(recording().kernel, "tiled");
}

TEST_F(KernelList, ALongScanIsCancelledByEscape) {
  for (int i = 0; i < 3000; ++i) write("many/" + std::to_string(i) + ".cu", kSums);
  start();
  app().open(folder());
  draw(2);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app().kernel_list().active());
  EXPECT_FALSE(app().kernel_list().reading());
  command("file.kernels");
  await([this] { return !app().kernel_list().reading(); });
  EXPECT_EQ(app().kernel_list().kernels().size(), 9000u);
}

TEST_F(KernelList, APythonFileWithSeveralKernelsIsListedFirst) {
  write("k.py",
        "import cupy as cp\n"
        "a = cp.RawKernel(r'''\nextern \"C\" __global__ void a(float* x) { x[threadIdx.x] = 1; }\n''', 'a')\n"
        "b = cp.RawKernel(r'''\n// warplens: grid=1 block=32 x=f32[32]\n"
        "extern \"C\" __global__ void b(float* x) { x[threadIdx.x] = 2; }\n''', 'b')\n");
  start();
  app().open(folder() / "k.py");
  await([this] { return !app().kernel_list().reading(); });
  draw(2);
  ASSERT_TRUE(app().kernel_list().active());
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  type("b");
  press(ImGuiKey_Enter);
  settle();
  EXPECT_EQ(entry_shown(), "b");
  EXPECT_EQ(recording().sites.front().line, 7u) << "of the Python file";
}

TEST_F(KernelList, APythonFileWithOneKernelIsOpenedAtOnce) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  write("one.py",
        "import cupy\nk = cupy.RawKernel('extern \"C\" __global__ void one(int* p) { p[threadIdx.x] = 1; }', "
        "'one')\n");
  start();
  app().open(folder() / "one.py");
  settle();
  EXPECT_FALSE(app().kernel_list().active());
  EXPECT_EQ(entry_shown(), "one");
}

TEST_F(KernelList, AKernelOfTritonIsCompiledOnceTheUserAgreesToRunItsFile) {
  write("one.py",
        "import triton\nimport triton.language as tl\n@triton.jit\ndef one(x):\n    tl.store(x, 1.0)\n");
  write("environment/kernel.ptx",
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry one(.param .u64 one_param_0)\n"
        "{\n\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [one_param_0];\n\t.loc\t1 5 4\n"
        "\tst.global.f32 [%rd1], 0f3F800000;\n\tret;\n}\n\t.file\t1 \"/somewhere/one.py\"\n");
  write("environment/kernel.json", "{\"num_warps\": 1}");
  write("environment/kernel.ttir", "tt.func public @one(%x: !tt.ptr<f32> loc(\"x\"(#loc)))");
  write("environment/bin/python3", "#!/bin/sh\ncp \"$(dirname \"$0\")\"/../kernel.* .\n");
  fs::permissions(folder() / "environment" / "bin" / "python3", fs::perms::owner_all);
  setenv("VIRTUAL_ENV", (folder() / "environment").c_str(), 1);
  setenv("TRITON_CACHE_DIR", (folder() / "no_cache").c_str(), 1);
  start();
  app().open(folder() / "one.py");
  settle();
  draw(2);
  keep_picture("run_python");
  EXPECT_TRUE(app().messages().all().empty());
  EXPECT_EQ(app().menus().launch.file_kernel(), nullptr) << "nothing is run before the answer";
  press(ImGuiKey_Escape);
  EXPECT_EQ(app().menus().launch.file_kernel(), nullptr);
  app().open(folder() / "one.py");
  settle();
  drive([](ImGuiTestContext& context) { context.ItemClick("//run_python/###run"); });
  settle();
  unsetenv("VIRTUAL_ENV");
  unsetenv("TRITON_CACHE_DIR");
  ASSERT_NE(app().menus().launch.file_kernel(), nullptr);
  EXPECT_EQ(entry_shown(), "one");
  EXPECT_EQ(recording().sites.front().line, 5u);
  EXPECT_EQ(recording().block.x, 32u);
}

}  // namespace
}  // namespace warplens::app
