// Runs NVIDIA's compilers in a child process that is confined to the folders it may read and limited in time,
// memory and processes. Private to kernels/compile, but for run_as_compiler_process.
//
//   run_job ── starts this program again ──> supervisor: makes a temporary folder, writes the job's files
//   into it
//      │                                        └─ forks one child for each command: nvcc, ptxas, nvdisasm,
//      or NVRTC └───────── a socket: the job ──>, <── exit statuses and output files
//
// The supervisor watches the socket. When it closes, because the job is cancelled or because the program has
// ended in whatever way, the supervisor kills what runs and removes the folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/compile/limits.h"

namespace warplens::compile {

/// A program that runs in the job's folder. All its arguments must be safe for a shell (is_safe_for_shell):
/// nvcc hands them to one.
struct Command {
  std::vector<std::string>
      arguments;    ///< The program's path first; kNvrtcProgram stands for NVRTC in the child itself
  std::string log;  ///< The file that takes what it prints
};
inline constexpr const char* kNvrtcProgram = "nvrtc";

struct Job {
  std::map<std::string, std::string> files;  ///< Name to contents, written before the first command
  std::map<std::string, std::filesystem::path>
      links;                         ///< Name to the folder that a symbolic link of that name leads to
  std::vector<Command> commands;     ///< Run one after another, until one fails
  std::vector<std::string> outputs;  ///< Files to return, where they exist
  std::vector<std::filesystem::path> readable;  ///< Folders that may be read with all below them, besides
                                                ///< those of the system and the toolkit
  Limits limits;
};

struct JobResult {
  int status = 0;  ///< Exit status of the command that was run last
  std::map<std::string, std::string> outputs;
};

/// Runs a job and waits for it. An error: a program cannot be started or exceeds a limit, there is no folder
/// to work in, or `cancelled` was set.
[[nodiscard]] Result<JobResult> run_job(const Job& job, const std::atomic<bool>* cancelled = nullptr);

/// The error of what was cancelled.
[[nodiscard]] Error cancelled_error();

/// Whether a shell reads the text as it stands, also between double quotes: letters, digits, space and
/// `/._-+=,:@%#`, no dash in front.
[[nodiscard]] bool is_safe_for_shell(const std::string& text);

}  // namespace warplens::compile
