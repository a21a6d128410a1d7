// Instances of the templates of kernels that a source asks for no instance of by itself: those that its host
// code launches, else plausible ones. Private to kernels/compile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

/// The arguments to try for a template of a kernel, in turn, until the compiler takes an instance.
struct InstanceCandidates {
  std::string kernel;  ///< With its namespaces: "lib::mm"
  /// "lib::mm<16,float>", several that are tried together; the next ones are tried where none of them can be
  /// made.
  std::vector<std::vector<std::string>> attempts;
};

[[nodiscard]] std::vector<InstanceCandidates> instance_candidates(std::string_view source);

}  // namespace warplens::compile
