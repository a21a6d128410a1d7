// The child process in which compilers run. Every program that compiles calls run_as_compiler_process first
// in its main.
#pragma once

#include <optional>

namespace warplens::compile {

/// Runs the compilers if this process was started for that (kernels/compile/job.h), and returns its exit
/// status. nullopt: it was not.
///
/// Runs as the compilers' process if it was started as one. Compiling is an error until it has been called: a
/// main without the call would be started again and again.
[[nodiscard]] std::optional<int> run_as_compiler_process(int argc, const char* const* argv);

}  // namespace warplens::compile
