#include "kernels/compile/python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kernels/base/texts.h"
#include "kernels/compile/job.h"
#include "kernels/compile/python_runner.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRunnerFile = "warplens_runner.py", *kRequestFile = "request.json",
                     *kRunnerLog = "python_log";

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The first of PATH's folders that has it.
fs::path program_in_path(const char* name) {
  const char* const variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path program = fs::path(rest.substr(0, end)) / name;
    if (program.is_absolute() && is_program(program)) return program;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

/// What the interpreter reads of itself: its environment, and the installation that this was made of, which
/// `home` in pyvenv.cfg names ("venv", Python's documentation).
std::vector<fs::path> folders_of_python(const fs::path& python) {
  std::error_code error;
  const fs::path environment = python.parent_path().parent_path();
  std::vector<fs::path> folders{environment, fs::canonical(python, error).parent_path().parent_path()};
  std::ifstream settings(environment / "pyvenv.cfg");
  for (std::string line; std::getline(settings, line);) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with("home") || equals == std::string::npos) continue;
    const std::size_t from = line.find_first_not_of(' ', equals + 1);
    if (from != std::string::npos) folders.push_back(fs::path(line.substr(from)).parent_path());
  }
  std::erase_if(folders, [](const fs::path& folder) { return !folder.has_relative_path(); });
  return folders;
}

std::string last_line_of(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

}  // namespace

fs::path python_for(const std::vector<fs::path>& folders) {
  if (const char* const active = std::getenv("VIRTUAL_ENV"); active != nullptr && *active != '\0') {
    if (const fs::path python = fs::path(active) / "bin" / "python3"; is_program(python)) return python;
  }
  for (const fs::path& folder : folders) {
    for (const char* const environment : {".venv", "venv"}) {
      std::error_code error;
      const fs::path python = fs::absolute(folder, error) / environment / "bin" / "python3";
      if (is_program(python)) return python;
    }
  }
  return program_in_path("python3");
}

Result<PythonPtx> compile_python(const PythonRequest& request) {
  const std::string where = request.file.filename().string();
  const std::string digits = request.architecture.substr(request.architecture.find('_') + 1);
  const std::size_t end_of_digits = std::min(digits.find_first_not_of("0123456789"), digits.size());
  std::error_code error;
  const nlohmann::json wanted{
      {"kind", request.kind},     {"file", fs::absolute(request.file, error).string()},
      {"kernel", request.kernel}, {"architecture", digits.substr(0, end_of_digits)},
      {"types", request.types},   {"constants", request.constants}};
  Job job{.files = {{kRunnerFile, kPythonRunner},
                    {kRequestFile, wanted.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)}},
          .links = {},
          .commands = {{.arguments = {request.python.string(), "-s", "-B", kRunnerFile}, .log = kRunnerLog}},
          .outputs = {"kernel.ptx", "kernel.ttir", "kernel.json", kRunnerLog},
          .readable = request.readable,
          .limits = request.limits};
  for (fs::path& folder : folders_of_python(request.python)) job.readable.push_back(std::move(folder));
  Result<JobResult> result = run_job(job, request.cancelled);
  if (!result.ok()) return result.error();
  std::map<std::string, std::string>& outputs = result->outputs;
  if (result->status != 0 || outputs["kernel.ptx"].empty()) {
    const std::string said = last_line_of(outputs[kRunnerLog]);
    return Error{said.empty() ? tr("Python made no PTX of it") : said, where,
                 tr("It was imported with {python}; VIRTUAL_ENV names the environment that has its packages.",
                    "python"_a = request.python.string())};
  }
  return PythonPtx{.ptx = std::move(outputs["kernel.ptx"]),
                   .ttir = std::move(outputs["kernel.ttir"]),
                   .metadata = std::move(outputs["kernel.json"])};
}

}  // namespace warplens::compile
