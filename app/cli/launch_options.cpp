#include "app/cli/launch_options.h"

namespace warplens::app {
namespace {

constexpr const char* kOfFile = "A kernel of a file";

}  // namespace

Option add_compile_timeout(const CliCommand& command, std::optional<std::uint64_t>& seconds) {
  return command
      .add_number("--compile-timeout", seconds, "Stop a compiler that takes longer: 120, if not given",
                  {.least = 1, .most = 86400})
      .value_name("SECONDS");
}

Option add_run_python(const CliCommand& command, bool& run) {
  return command.add_flag("--run-python", run,
                          "Import a .py file, which runs it, to compile its kernel of Triton or Numba");
}

void add_compiler_options(const CliCommand& command, CompilerWords& words, const std::string& group) {
  const Option options[] = {
      command.add_option("-I", words.folders, "A folder where includes are looked for, and read")
          .value_name("FOLDER"),
      command.add_option("-D", words.definitions, "A macro that is defined before the source")
          .value_name("NAME[=VALUE]"),
      command.add_option("-U", words.undefined, "A macro that is undefined before the source")
          .value_name("NAME"),
      command.add_option("--include", words.headers, "A header that is read before the source; -include too")
          .value_name("HEADER"),
      command.add_option("--std", words.standard, "The standard of C++: c++17, if not given; -std= too")
          .value_name("c++17|c++20"),
      command
          .add_number("--maxrregcount", words.most_registers,
                      "At most so many registers a thread; -maxrregcount= too", {.least = 1, .most = 255})
          .value_name("N"),
      command.add_flag("--use_fast_math", words.fast_math, "Fast, less exact functions; -use_fast_math too"),
      command.add_flag("--extended-lambda", words.extended_lambda, "Lambdas with __device__"),
      command.add_flag("--expt-relaxed-constexpr", words.relaxed_constexpr,
                       "constexpr functions are of the device, too: they always are here")};
  if (group.empty()) return;
  for (const Option& option : options) option.group(group);
}

void LaunchOptions::add_problem_to(const CliCommand& command) {
  const Option square =
      command
          .add_number(
              "--size", size,
              "All of the kernel's sizes, such as m = p = n; what is not given is as `warplens list` says")
          .value_name("N");
  command.add_number("-m", m, "Rows of A and C; what else it is for a demonstrator, `warplens list` says")
      .value_name("M")
      .excludes(square);
  command.add_number("-p", p, "Columns of A, rows of B").value_name("P").excludes(square);
  command.add_number("-n", n, "Columns of B and C").value_name("N").excludes(square);
  command.add_option("--set", parameters, "A parameter of the kernel, such as T=16").value_name("NAME=VALUE");
  command
      .add_option("--type", value_type,
                  "Type of the elements: f32, f64, i32, f16, bf16, tf32; of the last three C is f32")
      .value_name("TYPE");
}

void LaunchOptions::add_file_to(const CliCommand& command, bool group) {
  const Option of_file[] = {
      command
          .add_option("--entry", entry,
                      "The kernel: mangled, or plain where that is unique; not needed if there is one")
          .value_name("NAME"),
      command.add_option("--grid", grid, "Blocks").value_name("X[,Y[,Z]]"),
      command.add_option("--block", block, "Threads a block").value_name("X[,Y[,Z]]"),
      command.add_option("--cluster", cluster, "Blocks of a cluster, where the kernel itself requires none")
          .value_name("X[,Y[,Z]]"),
      command.add_number("--shared", shared_bytes, "Dynamic shared memory per block", {.most = UINT32_MAX})
          .value_name("BYTES"),
      command
          .add_option("--arg", arguments,
                      "An argument, in the kernel's order or by the parameter's name: TYPE:VALUE, such as "
                      "i32:256, or buf:TYPE:COUNT[:INIT]")
          .value_name("[NAME=]SPEC"),
      command
          .add_option("--var", variables,
                      "What a __constant__ or __device__ variable is set to before the launch: SPEC as of "
                      "--arg, or an array's buffer")
          .value_name("NAME=SPEC"),
      command
          .add_number(
              "--launch", source_launch,
              "Of the launches that CUDA C++ makes of the kernel, from its `main` on: 1, if not given",
              {.least = 1})
          .value_name("N"),
      command
          .add_option("--arch", architecture,
                      "What CUDA C++ is compiled for, instead of the compute capability of the memory rules")
          .value_name("compute_XX"),
      add_compile_timeout(command, compile_seconds),
      add_run_python(command, run_python),
      command
          .add_option("--sources", source_folders,
                      "A folder that includes, and sources named by the PTX, may be read from, and those "
                      "below it; the file's own always is")
          .value_name("FOLDER")
          .existing_folder()};
  add_compiler_options(command, compiler, group ? kOfFile : "");
  if (group) {
    for (const Option& option : of_file) option.group(kOfFile);
  }
}

void LaunchOptions::add_engine_to(const CliCommand& command) {
  command.add_option("--engine", engine, "Where it runs").one_of({"cpu", "gpu"}).value_name("cpu|gpu");
  command.add_option("--blocks", blocks, "Only these blocks: all, or X,Y[;X,Y]...").value_name("BLOCKS");
  command.add_flag(
      "--whole", whole,
      "Run every block and verify the whole result, even where others are proved to behave alike");
  command
      .add_number("--limit", limit, "End the launch after so many warp instructions, and say where it was",
                  {.least = 1})
      .value_name("N");
}

void LaunchOptions::add_to(const CliCommand& command) {
  add_problem_to(command);
  add_engine_to(command);
  add_file_to(command, true);
}

}  // namespace warplens::app
