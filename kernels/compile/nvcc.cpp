#include "kernels/compile/nvcc.h"

#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/compile/job.h"
#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

/// Names of the job's files. No header of the user's has the first of them.
constexpr const char *kTranslationUnit = "warplens_translation_unit.cu", *kNvccPtx = "ptx", *kNvccLog = "log",
                     *kOptionsHeader = "warplens_options.h";

/// nvcc makes an instance of a template where host code takes its address. A cast says in its errors what is
/// wrong with the name; `auto` hides it.
std::string with_instances(const Source& source) {
  std::string text = fmt::format("#line 1 \"{}\"\n{}", source.name, source.text);
  for (std::size_t i = 0; i < source.instances.size(); ++i) {
    text += fmt::format(
        "\n#line {} \"{}\"\n[[maybe_unused]] static void* const warplens_instance_{} = (void*)({});\n", i + 1,
        kFileOfInstances, i, source.instances[i]);
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
  const std::string nvcc = tool_path("nvcc").string();
  const Options& asked = source.options;
  Job job{.files = {{kTranslationUnit, with_instances(source)}, {kOptionsHeader, prelude_of(asked)}},
          .links = {},
          .commands = {{.arguments = {nvcc, "-O3", "-lineinfo", "-ptx", "-arch=" + source.architecture,
                                      "-std=" + (asked.standard.empty() ? "c++17" : asked.standard),
                                      "--expt-relaxed-constexpr", "-o", kNvccPtx},
                        .log = kNvccLog}},
          .outputs = {kNvccPtx, kNvccLog},
          .readable = source.readable,
          .limits = source.limits};
  std::vector<std::string>& arguments = job.commands.front().arguments;
  if (!source.folder.empty()) {
    job.links.emplace(kIncludeLink, source.folder);
    job.readable.push_back(source.folder);
    arguments.insert(arguments.end(), {"-I", kIncludeLink});
  }
  for (std::size_t i = 0; i < asked.folders.size(); ++i) {
    const std::string link = fmt::format("{}_{}", kIncludeLink, i + 1);
    job.links.emplace(link, asked.folders[i]);
    arguments.insert(arguments.end(), {"-I", link});
  }
  if (!asked.macros.empty() || !asked.includes.empty())
    arguments.insert(arguments.end(), {"-include", kOptionsHeader});
  if (asked.fast_math) arguments.emplace_back("-use_fast_math");
  if (asked.extended_lambda) arguments.emplace_back("--extended-lambda");
  if (asked.most_registers != 0) arguments.push_back(fmt::format("-maxrregcount={}", asked.most_registers));
  if (source.runs_host_functions)
    arguments.insert(arguments.end(), {"--Werror", "cross-execution-space-call"});
  arguments.emplace_back(kTranslationUnit);

  Result<JobResult> result = run_job(job, source.cancelled);
  if (!result.ok()) return result.error();
  const std::string& said = result->outputs[kNvccLog];
  Compiled compiled{.messages = parse_messages(said), .compiler = "nvcc"};
  if (result->status == 0) compiled.ptx = std::move(result->outputs[kNvccPtx]);
  if (result->status != 0 && compiled.messages.empty())
    compiled.messages.push_back({Severity::error, "", 0, said.empty() ? "nvcc failed" : said});
  return compiled;
}

}  // namespace warplens::compile
