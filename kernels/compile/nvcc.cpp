#include "kernels/compile/nvcc.h"

#include <fmt/core.h>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/compile/program.h"
#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

/// nvcc makes an instance of a template where host code takes its address. A cast says in its errors what is wrong with the name; `auto` hides it.
std::string with_instances(const Source& source) {
  std::string text = source.text;
  for (std::size_t i = 0; i < source.instances.size(); ++i) {
    text += fmt::format("\n#line {} \"{}\"\n[[maybe_unused]] static void* const warplens_instance_{} = (void*)({});\n", i + 1, kFileOfInstances, i,
                        source.instances[i]);
  }
  return text;
}

}  // namespace

bool has_nvcc() {
  return !tool_path("nvcc").empty();
}

std::string nvcc_name() {
  const fs::path nvcc = tool_path("nvcc");
  return nvcc.empty() ? std::string() : fmt::format("nvcc ({})", nvcc.string());
}

Result<Compiled> compile_with_nvcc(const Source& source) {
  const ScratchFolder scratch;
  const fs::path nvcc = tool_path("nvcc"), cuda = scratch.path() / fs::path(source.name).filename().replace_extension(".cu"),
                 ptx = scratch.path() / "out.ptx", log = scratch.path() / "log";
  if (scratch.path().empty()) return Error{tr("nvcc has no folder to work in"), fs::path("/tmp").string(), tr("Make room there, or set TMPDIR.")};
  if (const Result<Done> written = write_text(cuda, with_instances(source)); !written.ok()) return written.error();
  std::vector<std::string> command{nvcc.string(), "-O3", "-lineinfo", "-ptx", "-arch=" + source.architecture, "-std=c++17"};
  if (!source.folder.empty()) command.insert(command.end(), {"-I", source.folder.string()});
  command.insert(command.end(), {"-o", ptx.string(), cuda.string()});

  const Result<int> status = run_program(command, log, source.cancelled);
  if (!status.ok()) return status.error();
  if (source.cancelled != nullptr && *source.cancelled) return stopped();
  const std::string said = without(text_of(log), scratch.path().string() + "/");
  Compiled compiled{.messages = parse_messages(said), .compiler = "nvcc"};
  if (*status == 0) compiled.ptx = text_of(ptx);
  if (*status != 0 && compiled.messages.empty()) compiled.messages.push_back({Severity::error, "", 0, said.empty() ? "nvcc failed" : said});
  return compiled;
}

}  // namespace warplens::compile
