// What a source that somebody else wrote can make the program read and do.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/cli_fixture.h"
#include "kernels/compile/compile.h"
#include "kernels/compile/confinement.h"

namespace warplens::app {
namespace {

class Confinement : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (compile::compilers().empty())
      GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
    std::filesystem::create_directories(path("project/sources"));
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
};

constexpr const char* kBytes =
    "__global__ void k(const unsigned char* a, unsigned char* b, int n) { if (threadIdx.x < n) "
    "b[threadIdx.x] = a[threadIdx.x]; }\n";

TEST_F(Confinement, FilesThatACommentNamesLieBesideTheSource) {
  write("secret.bin", "0123");
  write("project/sources/own.bin", "4567");
  const std::string outside =
      write("project/sources/a.cu",
            "// warplens: grid=1 block=32 n=4 a=u8[n]:file=" + path("secret.bin") + " b=u8[n]\n" + kBytes);
  const Output refused = run({"report", outside});
  EXPECT_EQ(refused.status, kFailed);
  EXPECT_NE(refused.err.find("the source names a file outside its folder and its project"), std::string::npos)
      << refused.err;
  EXPECT_EQ(run({"report", outside, "--sources", path("")}).status, kDone);
  EXPECT_EQ(run({"report", outside, "--arg", "a=u8[n]:file=" + path("secret.bin")}).status, kDone);
  const std::string up =
      write("project/sources/b.cu",
            std::string("// warplens: grid=1 block=32 n=4 a=u8[n]:file=../../secret.bin b=u8[n]\n") + kBytes);
  EXPECT_EQ(run({"report", up}).status, kFailed);
  const std::string own =
      write("project/sources/c.cu",
            std::string("// warplens: grid=1 block=32 n=4 a=u8[n]:file=own.bin b=u8[n]\n") + kBytes);
  EXPECT_EQ(run({"replay", own, "--dump", "b:" + path("b.bin")}).status, kDone);
  EXPECT_EQ(contents("b.bin"), "4567");
  const std::string linked =
      write("project/sources/d.cu",
            std::string("// warplens: grid=1 block=32 n=4 a=u8[n]:file=link b=u8[n]\n") + kBytes);
  std::filesystem::create_symlink(path("secret.bin"), path("project/sources/link"));
  EXPECT_EQ(run({"report", linked}).status, kFailed);
}

TEST_F(Confinement, IncludesLieInTheSourcesFolderOrItsProject) {
  if (!compile::can_confine()) GTEST_SKIP() << "skipped: this kernel has no Landlock";
  const std::string kernel =
      "// warplens: grid=1 block=1 a=i32[1]\n__global__ void k(int* a) { *a = ONE; }\n";
  write("project/one.h", "#define ONE 1\n");
  const std::string source = write("project/sources/k.cu", "#include \"../one.h\"\n" + kernel);
  const Output refused = run({"report", source});
  EXPECT_EQ(refused.status, kFailed);
  EXPECT_NE(refused.err.find("k.cu:1: \"../one.h\" lies outside the folders that may be read"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run({"report", source, "--sources", path("project")}).status, kDone);
  EXPECT_EQ(run({"check", source, "--sources", path("project")}).status, kDone);
  const std::string by_option =
      write("project/sources/n.cu",
            "#include \"one.h\"\n// warplens: -I " + path("project") + kernel.substr(kernel.find(" grid")));
  const Output named = run({"report", by_option});
  EXPECT_NE(named.err.find("\"one.h\" lies outside the folders that may be read"), std::string::npos)
      << named.err;
  std::filesystem::create_directories(path("project/.git"));
  EXPECT_EQ(run({"report", source}).status, kDone);
  EXPECT_EQ(run({"report", write("project/sources/l.cu", "#include \"/etc/passwd\"\n" + kernel)}).status,
            kFailed);
  EXPECT_EQ(run({"report", write("project/sources/m.cu", "#include \"/dev/zero\"\n" + kernel)}).status,
            kFailed);
}

TEST_F(Confinement, CompilersEndAtTheirTimeLimit) {
  std::string macros = "#define A0 a[0] += 1;\n";
  for (int i = 1; i < 40; ++i)
    macros +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  const std::string source = write("macros.cu", macros + "__global__ void k(int* a) { A39 }\n");
  const Output output = run({"check", source, "--compile-timeout", "1"});
  EXPECT_EQ(output.status, kFailed);
  EXPECT_NE(output.err.find("was stopped after 1 s, its limit"), std::string::npos) << output.err;
}

TEST_F(Confinement, SourcesAreCompiledForTheChosenComputeCapability) {
  const std::string text = "__global__ void k(int* a) { *a = __CUDA_ARCH__; }\n";
  const std::string plain = write("plain.cu", "// warplens: grid=1 block=1 a=i32[1]\n" + text);
  const std::string said = write("said.cu", "// warplens: grid=1 block=1 a=i32[1] arch=compute_86\n" + text);
  const auto architecture = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "replay");
    arguments.insert(arguments.end(), {"--json", "--dump", "0:" + path("a.bin")});
    const Output output = run(arguments);
    EXPECT_EQ(output.status, kDone) << output.err;
    std::int32_t value = 0;
    const std::string bytes = contents("a.bin");
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    EXPECT_EQ(output.json()["target"], "sm_" + std::to_string(value / 10));
    return value;
  };
  EXPECT_EQ(architecture({plain}), 900);
  EXPECT_EQ(architecture({plain, "--cc", "8.0"}), 800);
  EXPECT_EQ(architecture({plain, "--cc", "6.1"}), 750);
  EXPECT_EQ(architecture({plain, "--arch", "compute_89"}), 890);
  EXPECT_EQ(architecture({said}), 860);
  EXPECT_EQ(architecture({said, "--arch", "compute_75"}), 750);
  EXPECT_EQ(run({"check", plain, "--json"}).json()["target"], "sm_90");
  EXPECT_EQ(run({"check", plain, "--json", "--arch", "compute_100"}).json()["target"], "sm_100");
  EXPECT_EQ(run({"check", plain, "--arch", "compute_75;touch"}).status, kFailed);
}

TEST_F(Confinement, DoctorClearsTheCache) {
  const std::string before = std::getenv("XDG_CACHE_HOME") != nullptr ? std::getenv("XDG_CACHE_HOME") : "";
  setenv("XDG_CACHE_HOME", path("").c_str(), 1);
  const std::string source = write(
      "k.cu", "// warplens: grid=1 block=32 a=i32[32]\n__global__ void k(int* a) { a[threadIdx.x] = 1; }\n");
  const Output first = run({"report", source, "--json"}), second = run({"report", source, "--json"});
  EXPECT_EQ(first.json()["as_compiled"], second.json()["as_compiled"]);
  if (!first.json()["as_compiled"].is_null()) {
    EXPECT_NE(run({"doctor", "--clear-cache"}).out.find("1 listings removed"), std::string::npos);
    EXPECT_NE(run({"doctor", "--clear-cache"}).out.find("0 listings removed"), std::string::npos);
  }
  before.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace warplens::app
