// Kernels of one's own: opened, launched, edited wrong and right again, saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "gui/source_gui_test.h"
#include "session/exercises.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSwapped = R"cu(// warplens: grid=(n+15)/16,(n+15)/16 block=16,16 n=64
//   A=f32[n][n]:ints B=f32[n][n]:ints C=f32[n][n] product=A*B->C
__global__ void mm(const float* A, const float* B, float* C, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[x][y] = A[row * n + k + x];
    bs[y][x] = B[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[i][y] * bs[i][x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
__global__ void clear(float* C, int n) { C[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
)cu";

class OwnKernel : public SourceGuiTest {
 protected:
  void open(const fs::path& path) {
    start();
    app().open(path);
    settle();
  }
  void type_into(const std::string& field, const std::string& text) {
    drive([&](ImGuiTestContext& context) {
      context.ItemClick(("//Warplens/Launch/" + field + "/##value").c_str());
      context.KeyCharsReplaceEnter(text.c_str());
    });
    settle();
  }
  /// Wavefronts of shared stores a request, of all of the launch.
  [[nodiscard]] double shared_store_cost() {
    const auto& totals = app().loaded()->report.shared_store;
    return static_cast<double>(totals.cost.wavefronts) / static_cast<double>(totals.requests);
  }
};

TEST_F(OwnKernel, OpensAsItsCommentSays) {
  open(write("own.cu", kSwapped));
  EXPECT_EQ(recording().kernel, "mm");
  EXPECT_EQ(recording().grid, (Dim3{4, 4, 1}));
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_EQ(app().settings().recent.front().filename(), "own.cu");
  type_into("n", "128");
  EXPECT_EQ(recording().grid, (Dim3{8, 8, 1}));
  EXPECT_EQ(recording().verified, true);
  keep_picture("own_kernel");
}

TEST_F(OwnKernel, CompilerOptionsAreKeptForTheProject) {
  const std::string text =
      "#ifndef N\n#define N 3\n#endif\n// warplens: grid=1 block=32 a=i32[32]\n"
      "__global__ void k(int* a) { a[threadIdx.x] = N; }\n";
  fs::create_directories(config() / "one" / "src");
  fs::create_directories(config() / "other");
  write("one/Makefile", "");
  write("other/Makefile", "");
  write("one/src/b.cu", text);
  write("other/c.cu", text);
  open(write("one/a.cu", text));
  type_into("options", "-DWIDE -DN=7 -Isrc");
  type_into("options", "-DWIDE -DN=7 -Isrc --compiler-bindir=evil");
  ASSERT_EQ(app().settings().compiler_options.size(), 1u);
  EXPECT_EQ(app().settings().compiler_options[0].project, config() / "one");
  app().save_state();
  stop();
  open(config() / "one" / "src" / "b.cu");
  ASSERT_TRUE(app().menus().launch.form);
  EXPECT_EQ(app().menus().launch.form->options, "-I" + (config() / "one" / "src").string() + " -DWIDE -DN=7");
  EXPECT_EQ(recording().kernel, "k");
  app().open(config() / "other" / "c.cu");
  settle();
  ASSERT_TRUE(app().menus().launch.form);
  EXPECT_EQ(app().menus().launch.form->options, "");
  app().open(config() / "one" / "src" / "b.cu");
  settle();
  type_into("options", " ");
  EXPECT_TRUE(app().settings().compiler_options.empty()) << "none are kept where none are written";
}

TEST_F(OwnKernel, OptionsThatTheCompilerIsNotGivenAreNotTakenFromTheSettings) {
  write("settings.json", R"({"compiler_options": [{"project": ")" + config().string() +
                             R"(", "options": "--compiler-bindir=evil -DN=2"}]})");
  write("Makefile", "");
  open(write("a.cu",
             "// warplens: grid=1 block=32 a=i32[32]\n__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"));
  ASSERT_TRUE(app().menus().launch.form);
  EXPECT_EQ(app().menus().launch.form->options, "");
  EXPECT_EQ(recording().kernel, "k");
}

constexpr const char* kReadsOutside =
    "__global__ void k(const unsigned char* a, unsigned char* b) { b[threadIdx.x] = a[threadIdx.x]; }\n";

TEST_F(OwnKernel, FilesOutsideItsFolderAreReadOnceTheUserAllowsIt) {
  fs::create_directory(config() / "source");
  std::ofstream(config() / "bytes.bin") << std::string(32, 'x');
  open(write(
      "source/a.cu",
      std::string("// warplens: grid=1 block=32 a=u8[32]:file=../bytes.bin b=u8[32]\n") + kReadsOutside));
  EXPECT_EQ(recording().kernel, "tiled");
  EXPECT_FALSE(app().row_is_shown());
  draw(2);
  keep_picture("allow_reading");
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###allow_reading"); });
  settle();
  EXPECT_EQ(recording().kernel, "k");
  EXPECT_TRUE(app().row_is_shown());
  drive([](ImGuiTestContext& context) {
    EXPECT_FALSE(context.ItemExists("//Warplens/Launch/###allow_reading"));
  });
}

TEST_F(OwnKernel, AnErrorOffersToAllowReadingTheFolder) {
  fs::create_directory(config() / "source");
  std::ofstream(config() / "size.h") << "#define SIZE 32\n";
  const fs::path file = write("source/a.cu",
                              "#include \"../size.h\"\n// warplens: grid=1 block=32 a=f32[32]\n"
                              "__global__ void k(float* a) { a[threadIdx.x] = SIZE; }\n");
  open(file);
  ASSERT_TRUE(app().messages().showing());
  EXPECT_EQ(app().messages().all().back().error.unreadable_folder, fs::canonical(config()));
  await([this] { return app().messages().can_be_closed(now()); });
  keep_picture("allow_reading_message");
  drive([](ImGuiTestContext& context) { context.ItemClick("//message/###allow_reading"); });
  settle();
  EXPECT_EQ(recording().kernel, "k");
  EXPECT_EQ(app().messages().all().size(), 1u);
}

TEST_F(OwnKernel, AHeaderOutsideItsFolderIsReadInTheEditorOnceTheUserAllowsIt) {
  fs::create_directory(config() / "source");
  std::ofstream(config() / "size.h") << "#define SIZE 32\n";
  open(write("source/a.cu",
             "// warplens: grid=1 block=32 a=f32[32]\n"
             "__global__ void k(float* a) { a[threadIdx.x] = 1; }\n"));
  press(ImGuiKey_F2);
  settle();
  go_to(1);
  type("\n#include \"../size.h\"\n");
  ASSERT_EQ(app().editing().messages.size(), 1u);
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###allow_reading"); });
  settle();
  EXPECT_TRUE(app().editing().messages.empty());
}

TEST_F(OwnKernel, WhatItPrintsIsListed) {
  const auto in_front = [&](std::string_view id) {
    draw(4);
    return std::ranges::any_of(app().panels().all(),
                               [&](const Panel& panel) { return panel.view->id == id && panel.visible; });
  };
  open(write("prints.cu",
             "#include <cstdio>\n// warplens: grid=3 block=64 n=180 a=f32[n]:ints\n__global__ void k(float* "
             "a, int n) {\n"
             "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n  a[i] *= 2;\n"
             "  if (i % 25 == 3) printf(\"a[%d] = %.1f\\n\", i, a[i]);\n}\n"));
  ASSERT_EQ(recording().messages.size(), 8u);
  EXPECT_EQ(recording().messages[4].text.substr(0, 9), "a[103] = ");
  EXPECT_TRUE(in_front("output"));
  keep_picture("output");
  drive([](ImGuiTestContext& context) { context.ItemClick("**/##message 4"); });
  EXPECT_EQ(recording().event_blocks[app().selection().event_block], (Dim3{1, 0, 0}));
  EXPECT_EQ(app().selection().warp, 1u);
  EXPECT_EQ(app().selection().lane, 7);
  EXPECT_EQ(app().selection().line, 7u);

  press(ImGuiKey_F2);
  settle();
  go_to(7);
  type(" /* quiet */");
  EXPECT_TRUE(in_front("output"));
  go_to(7);
  press(ImGuiKey_Backspace,
        static_cast<int>(std::string(R"(printf("a[%d] = %.1f\n", i, a[i]); /* quiet */)").size()));
  type("a[i] += 1;");
  EXPECT_TRUE(recording().messages.empty()) << app().editing().text;
  EXPECT_TRUE(in_front("coalescing"));
  EXPECT_TRUE(app().editing().focused) << "the keys stay with the editor";
}

TEST_F(OwnKernel, AFieldThatIsWrongIsNamedInTheRow) {
  open(write("own.cu", kSwapped));
  const auto before = app().loaded()->recording;
  type_into("grid", "(k+15)/16");
  EXPECT_FALSE(app().row_is_shown());
  EXPECT_EQ(app().loaded()->recording, before) << "what was on screen stays";
  type_into("grid", "4,4");
  EXPECT_TRUE(app().row_is_shown());
}

TEST_F(OwnKernel, PointersInStructuresAndToPointersHaveFields) {
  open(
      write("view.cu",
            "struct View { const float* data; float** rows; int n; };\n"
            "void shifted(View v) { for (int i = 0; i < v.n; ++i) v.rows[i / 32][i % 32] = v.data[i] + 1; }\n"
            "// warplens: block=32 grid=v.n/32 expect=cpu:shifted\n"
            "__global__ void shift(View v) {\n"
            "  int i = blockIdx.x * 32 + threadIdx.x;\n"
            "  if (i < v.n) v.rows[i / 32][i % 32] = v.data[i] + 1;\n}\n"));
  const auto text_of = [&](const char* name) { return app().menus().launch.form->find(name)->text; };
  EXPECT_EQ(text_of("v.data"), "f32[v.n]");
  EXPECT_EQ(text_of("v.rows"), "f32*[8][32]");
  EXPECT_EQ(recording().verified, true);
  type_into("v.data", "f32[v.n]:iota");
  EXPECT_EQ(recording().arguments[1].value, "buf:f32:256:iota");
  EXPECT_EQ(recording().verified, true);
  // The rows become pieces of the first buffer, each begun where the last ends, which no function of that
  // form leaves so
  type_into("v.rows", "ptr[8]:&v.data[i*32+1]");
  EXPECT_FALSE(app().row_is_shown()) << "v.data has no 257th element";
  type_into("v.rows", "ptr[8]:&v.data[i*32]");
  EXPECT_TRUE(app().row_is_shown());
  EXPECT_EQ(recording().verified, true);
  EXPECT_EQ(recording().buffers.size(), 2u);
}

TEST_F(OwnKernel, AnotherKernelOfTheFileIsChosenInTheMenu) {
  open(write("own.cu", kSwapped));
  drive([&](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.ItemClick("//$FOCUSED/###_Z5clearPfi");
  });
  settle();
  EXPECT_EQ(recording().kernel, "clear");
  EXPECT_TRUE(recording().findings.empty()) << "the buffer is as large as the kernel reaches";
  ASSERT_TRUE(app().menus().launch.form);
  EXPECT_TRUE(app().menus().launch.form->grid.guessed);
}

TEST_F(OwnKernel, LaunchesOfMainAreListedAndTheFirstIsShown) {
  open(write(
      "own.cu",
      R"cu(__global__ void clear(float* data, int n) { data[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
__global__ void halve(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] /= 2;
}
int main() {
  int n = 1 << 10;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  for (; n > 256; n /= 2) halve<<<n / 128, 128>>>(data, n);
  clear<<<4, 256>>>(data, n);
}
)cu"));
  EXPECT_EQ(recording().kernel, "halve");
  EXPECT_EQ(recording().grid, (Dim3{8, 1, 1}));
  ASSERT_TRUE(app().menus().launch.form);
  EXPECT_FALSE(app().menus().launch.form->grid.guessed);
  drive([&](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/kernel/##value");
    context.Yield(2);
    EXPECT_TRUE(shows("line 10: grid 4, block 128"));
    context.ItemClick("//$FOCUSED/###_Z5halvePfi#1");
  });
  settle();
  EXPECT_EQ(recording().grid, (Dim3{4, 1, 1}));
}

TEST_F(OwnKernel, WhatIsTypedIsRecorded) {
  open(write("own.cu", kSwapped));
  EXPECT_GT(shared_store_cost(), 4);
  press(ImGuiKey_F2);
  settle();
  ASSERT_TRUE(app().editing().on);
  go_to(4);
  app().selection().phase = 3;
  press(ImGuiKey_Backspace, static_cast<int>(std::string("[16][16], bs[16][16];").size()));
  type("[16][17], bs[16][16];");
  EXPECT_LT(shared_store_cost(), 2.1) << app().editing().text;
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(app().editing().unsaved());
  EXPECT_EQ(app().selection().phase, 3u) << "what became of the same place";
  keep_picture("own_kernel_edited");

  const auto before = app().loaded()->recording;
  type(" nonsense");
  ASSERT_FALSE(app().editing().messages.empty());
  EXPECT_EQ(app().editing().messages[0].line, 4u) << app().editing().messages[0].text;
  EXPECT_EQ(app().loaded()->recording, before) << "the last good picture stays";
  keep_picture("own_kernel_wrong");
  press(ImGuiMod_Ctrl | ImGuiKey_Z, 9);
  settle();
  EXPECT_TRUE(app().editing().messages.empty() ||
              app().editing().messages[0].severity != compile::Severity::error);

  press(ImGuiMod_Ctrl | ImGuiKey_S);
  settle();
  EXPECT_FALSE(app().editing().unsaved());
  EXPECT_EQ(read(config() / "own.cu"), app().editing().text);
  press(ImGuiKey_F2);
  EXPECT_FALSE(app().editing().on);
  EXPECT_LT(shared_store_cost(), 2.1);
}

TEST_F(OwnKernel, LettersInTheEditorAreNoCommands) {
  open(write("own.cu", kSwapped));
  press(ImGuiKey_F2);
  settle();
  go_to(1);
  const Selection before = app().selection();
  type(" x [ ] space");
  press(ImGuiKey_LeftArrow, 3);
  EXPECT_EQ(app().selection(), before);
  EXPECT_NE(app().editing().text.find("n=64 x [ ] space"), std::string::npos)
      << app().editing().text.substr(0, 120);
}

TEST_F(OwnKernel, ALaunchTypedIntoTheCommentIsTheRows) {
  open(write("own.cu", kSwapped));
  press(ImGuiKey_F2);
  settle();
  go_to(1);
  press(ImGuiKey_Backspace, 2);
  type("96");
  EXPECT_EQ(app().menus().launch.form->find("n")->text, "96");
  EXPECT_EQ(recording().grid, (Dim3{6, 6, 1}));
}

TEST_F(OwnKernel, CatalogKernelIsEditedAsACopyAndSavedWithItsLaunch) {
  start();
  const auto catalog_kernel = app().loaded();
  press(ImGuiKey_F2);
  settle();
  ASSERT_TRUE(app().editing().on);
  ASSERT_NE(app().loaded(), catalog_kernel);
  EXPECT_EQ(recording().origin, Origin::file);
  EXPECT_EQ(recording().verified, true);
  EXPECT_EQ(app().loaded()->report.shared_load.cost, catalog_kernel->report.shared_load.cost);
  EXPECT_TRUE(recording().shared_arrays == catalog_kernel->recording->shared_arrays)
      << "with the dimensions that the source gives them";
  press(ImGuiMod_Ctrl | ImGuiKey_S);
  draw(3);
  enter_path(config() / "mine.cu");
  settle();
  const std::string saved = read(config() / "mine.cu");
  EXPECT_NE(saved.find("\n// warplens: kernel=tiled<32> grid=(n+31)/32,(m+31)/32 block=32,32 m=256 p=256 "
                       "n=256 A=f32[m][p]:ints:1"),
            std::string::npos)
      << saved.substr(0, 160);
  stop();
  start(config() / "mine.cu");
  EXPECT_EQ(recording().kernel, "tiled<32>");
  EXPECT_EQ(recording().verified, true);
}

TEST_F(OwnKernel, WhatAnotherProgramChangesIsReadAgain) {
  const fs::path path = write("own.cu", kSwapped);
  open(path);
  std::string text = kSwapped;
  text.replace(text.find("as[16][16]"), 10, "as[16][17]");
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(10));
  await([&] { return true; });
  write("own.cu", text);
  await([&] { return app().editing().text == text; });
  settle();
  EXPECT_LT(shared_store_cost(), 2.1);
}

TEST_F(OwnKernel, AFileThatDoesNotCompileOpensInTheEditor) {
  std::string wrong = kSwapped;
  wrong.replace(wrong.find("float sum = 0;"), 14, "float sun = 0;");
  open(write("wrong.cu", wrong));
  ASSERT_TRUE(app().editing().on);
  ASSERT_FALSE(app().editing().messages.empty());
  go_to(7);
  press(ImGuiKey_Backspace, 6);
  type("m = 0;");
  EXPECT_EQ(recording().kernel, "mm");
  EXPECT_EQ(recording().verified, true);
}

TEST_F(OwnKernel, FilesWithoutKernelsAreRefused) {
  start();
  const auto before = app().loaded()->recording;
  app().open(write("host.cu", "int main() { return 0; }\n"));
  settle();
  ASSERT_FALSE(app().messages().all().empty());
  EXPECT_NE(app().messages().all().back().error.what.find("no kernel"), std::string::npos)
      << app().messages().all().back().error.message();
  close_message();
  app().open(write("broken.ptx", "this is no PTX"));
  settle();
  close_message();
  app().open(config() / "missing.cu");
  settle();
  close_message();
  EXPECT_EQ(app().messages().all().size(), 3u);
  EXPECT_EQ(app().loaded()->recording, before);
}

TEST_F(OwnKernel, RunsOnTheGpuLikeACatalogKernel) {
  start_with_gpu();
  app().open(write("own.cu", kSwapped));
  settle();
  drive([](ImGuiTestContext& context) { context.ItemClick("//Warplens/Launch/###run_once"); });
  settle();
  ASSERT_TRUE(app().messages().all().empty()) << app().messages().all().back().error.message();
  ASSERT_TRUE(app().model().gpu.last_run);
  EXPECT_EQ(app().model().gpu.last_run->kernel, "mm");
  EXPECT_EQ(app().model().gpu.last_run->p, 64u);
  EXPECT_TRUE(app().model().gpu.last_run->cublas) << "it is a product";
  keep_picture("own_kernel_run");
  drive([](ImGuiTestContext& context) {
    context.ItemClick("//Warplens/Launch/engine/##value");
    context.ItemClick("//$FOCUSED/###gpu");
  });
  settle();
  EXPECT_EQ(recording().engine, "gpu");
  EXPECT_EQ(recording().verified, true);
}

constexpr const char* kTranspose = R"cu(#define TILE 32
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < TILE; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
)cu";

TEST_F(OwnKernel, FindingsOfGuessedLaunchAreMarked) {
  open(write("transpose.cu", kTranspose));  // It is right with the 32 x 8 threads that nobody wrote here
  ASSERT_TRUE(app().loaded()->guesses.shape()) << text_of(*app().menus().launch.form);
  EXPECT_TRUE(recording().findings.empty());
  EXPECT_FALSE(app().loaded()->doubtful.empty());
  draw(4);
  EXPECT_TRUE(shows("bounds not checked")) << "in the launch row";
  EXPECT_TRUE(shows("launch guessed")) << "beside the figures";
  command("show.findings");
  draw(3);
  EXPECT_TRUE(shows("Perhaps only because of the guess"));
  EXPECT_FALSE(shows("Nothing wrong"));
  keep_picture("guessed_findings");
  type_into("block", "32,8");
  type_into("grid", "n/32,n/32");
  type_into("n", "128");
  EXPECT_FALSE(app().loaded()->guesses.shape());
  EXPECT_TRUE(app().loaded()->guesses.buffers);
  EXPECT_TRUE(app().loaded()->doubtful.empty());
  EXPECT_FALSE(shows("launch guessed"));
  type_into("out", "f32[n][n]");
  type_into("in", "f32[n][n]:ints");
  EXPECT_TRUE(shows("Nothing wrong was found"));
  EXPECT_TRUE(recording().findings.empty());
}

TEST_F(OwnKernel, WhatCouldNotBeGuessedHasAFieldWithTheKeyboard) {
  open(write("tensor.cu",
             "__global__ void k(float* a, int n) {\n  asm "
             "volatile(\"tcgen05.fence::before_thread_sync;\");\n  a[0] = "
             "n;\n}\n"));
  draw(3);
  EXPECT_FALSE(app().row_is_shown());
  EXPECT_TRUE(app().messages().all().empty()) << "the row says it";
  EXPECT_TRUE(shows("tensor cores"));
  keep_picture("missing_argument");
  drive([](ImGuiTestContext& context) { context.KeyCharsAppendEnter("f32[16]"); });
  settle();
  ASSERT_NE(app().menus().launch.form->find("a"), nullptr);
  EXPECT_EQ(app().menus().launch.form->find("a")->text, "f32[16]");
}

/// Of the exercises: opened, edited wrong, and right again.
class Exercises : public OwnKernel, public testing::WithParamInterface<Exercise> {
 protected:
  void replace_end_of_line(std::uint32_t line, const std::string& old, const std::string& text) {
    go_to(line);
    press(ImGuiKey_Backspace, static_cast<int>(old.size()));
    type(text);
  }
};

TEST_P(Exercises, AreOpenedEditedWrongAndRightAgain) {
  const std::string text = text_of(GetParam());
  open(write(std::string(GetParam().name) + ".cu", text));
  EXPECT_EQ(recording().kernel, GetParam().kernel);
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(app().messages().all().empty());
  keep_picture("exercise_" + std::string(GetParam().name));
  press(ImGuiKey_F2);
  settle();
  const std::size_t place = text.rfind(GetParam().right);
  const auto line = static_cast<std::uint32_t>(
                        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n')) +
                    1;
  replace_end_of_line(line, GetParam().right, GetParam().wrong);
  EXPECT_TRUE(recording().verified == false || !recording().findings.empty()) << app().editing().text;
  EXPECT_TRUE(std::ranges::any_of(recording().files,
                                  [&](const SourceFile& file) { return file.text == app().editing().text; }));
  keep_picture("exercise_" + std::string(GetParam().name) + "_wrong");
  replace_end_of_line(line, GetParam().wrong, GetParam().right);
  EXPECT_EQ(recording().verified, true);
  EXPECT_TRUE(recording().findings.empty());
  EXPECT_EQ(app().editing().text, text);
}

INSTANTIATE_TEST_SUITE_P(Courses, Exercises, testing::ValuesIn(kExercises),
                         [](const auto& one) { return std::string(one.param.name); });

/// Anything at all may be typed. Thousands of edits where WARPLENS_EDITS asks for them (tools/check-all.sh).
TEST_F(OwnKernel, AnyEditsLeaveTheWindowAlive) {
  const fs::path path = write("own.cu", kSwapped);
  open(path);
  press(ImGuiKey_F2);
  settle();
  const char* const wanted = std::getenv("WARPLENS_EDITS");
  std::mt19937 random(7);
  const std::string letters = "abn[](){};*/\"'<>=+-0123456789 \n\t#,._";
  const ImGuiKeyChord keys[] = {ImGuiKey_Enter,
                                ImGuiKey_Backspace,
                                ImGuiKey_Delete,
                                ImGuiKey_UpArrow,
                                ImGuiKey_DownArrow,
                                ImGuiKey_Home,
                                ImGuiKey_End,
                                ImGuiKey_PageDown,
                                ImGuiKey_PageUp,
                                ImGuiMod_Ctrl | ImGuiKey_Z,
                                ImGuiKey_Tab,
                                ImGuiMod_Ctrl | ImGuiKey_Y,
                                ImGuiMod_Ctrl | ImGuiKey_A,
                                ImGuiKey_F2};
  for (int left = wanted != nullptr ? std::atoi(wanted) : 60; left > 0; --left) {
    const auto what = random() % 10;
    if (what < 6) {
      drive([&](ImGuiTestContext& context) {
        context.KeyChars(std::string(1, letters[random() % letters.size()]).c_str());
      });
    } else if (what < 9) {
      press(keys[random() % std::size(keys)]);
    } else {
      app().editing().line_wanted = static_cast<std::uint32_t>(1 + random() % 30);
      draw();
    }
    if (left % 50 == 0) fs::remove(path);
    if (left % 50 == 25) write("own.cu", kSwapped);
    if (left % 20 == 0) settle();
  }
  settle();
  EXPECT_NE(app().loaded(), nullptr);
}

}  // namespace
}  // namespace warplens::app
