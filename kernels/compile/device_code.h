// The device code of a source: what only the host needs is left out as far as the compiler does not take it,
// headers are looked for, and templates get the instances that somebody launches. Private to
// kernels/compile; runs in the compilers' process.
//
// First the source is compiled as it is, without the functions of its host. If that fails, what is not said
// to be of the device is read as if it were (`-default-device`), and declarations with errors are left out,
// round by round. Kernels themselves, and what they need, are left out only where something is missing that
// is not here, such as a header of another project.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/declarations.h"
#include "kernels/compile/instances.h"
#include "kernels/compile/source_tree.h"

namespace warplens::compile {

/// What NVRTC made of a source.
struct CompileResult {
  int status = 0;
  std::string ptx, log;
};

/// What NVRTC is to compile.
struct CompileRequest {
  std::string text, name;
  std::vector<std::string> options, instances;
  std::map<std::string, std::string> headers;  ///< Besides those of the host, by the name of their includes
};
using Compiler = std::function<CompileResult(const CompileRequest&)>;

/// An error as NVRTC prints it.
struct Problem {
  std::string file;  ///< As it names it
  std::size_t line = 0;
  std::optional<std::size_t> column;
  std::string text;                         ///< Of the message
  std::string log;                          ///< All that it printed of it
  std::vector<std::string> instantiations;  ///< The innermost first: "void k<T>(T *) [with T=float]"
};
[[nodiscard]] std::vector<Problem> problems_in(const std::string& log);

class DeviceCode {
 public:
  struct Task {
    SourcePlan plan;
    std::string text;
    std::vector<std::string> options;
    std::vector<std::string> instances;  ///< That are asked for
    std::string prelude;                 ///< Of the options' macros and headers
    bool is_strict = false;              ///< What the compiler does not take is an error
  };
  DeviceCode(Task task, Compiler compiler);

  [[nodiscard]] CompileResult compile();
  /// Headers that were given empty, or as stand-ins.
  [[nodiscard]] const std::set<std::string>& missing() const { return missing_; }
  [[nodiscard]] const SourceTree& tree() const { return tree_; }

  struct LeftOut {
    std::string name, reason;
    std::size_t line = 0;  ///< Of the source, from 1
  };
  /// Kernels and functions of the device that were left out of the source.
  [[nodiscard]] const std::vector<LeftOut>& left_out() const { return left_out_; }
  struct Place {
    std::string file;  ///< Without folders
    std::size_t line = 0;
  };
  /// The first declaration of a texture reference, `texture<float> t`, which CUDA 12 removed.
  [[nodiscard]] const std::optional<Place>& texture_reference() const { return texture_reference_; }
  /// Whether what only the host needs was left out.
  [[nodiscard]] bool is_device_code_alone() const { return is_device_code_alone_; }

 private:
  struct Structure {
    std::string code;
    std::vector<Declaration> declarations;
    std::set<std::size_t> gone;  ///< Begins of declarations that are left out
  };
  struct Offer {
    InstanceCandidates of;
    std::size_t attempt = 0;
    std::vector<std::string> active;  ///< Of the attempt, those that can be made as far as is known
    std::vector<std::string> asked;   ///< Of the last round
  };

  [[nodiscard]] CompileRequest request() const;
  bool mend(const std::vector<Problem>& problems);
  bool bring_header(const Problem& problem);
  [[nodiscard]] std::string with_namespaces(const std::string& instance) const;
  bool drop_instance(const Problem& problem);
  static void drop(Offer& offer, const std::string& instance);
  void make_next_attempts();
  bool read_what_stands_before();
  void stand_in_for_libraries();
  void leave_out_host_library();
  void stand_in_for_missing(const std::string& header);
  void note_missing(const std::string& log);
  bool leave_out_cause(const Problem& problem);
  bool leave_out_of_toolkit(const std::string& named);
  void become_device_code_alone();
  [[nodiscard]] Structure& structure_of_file(const std::filesystem::path& original);
  [[nodiscard]] bool is_of_device(std::string_view text) const;
  void note_macros();
  void note_texture_reference();
  [[nodiscard]] CompileResult failure(const CompileResult& last) const;

  Task task_;
  Compiler compiler_;
  SourceTree tree_;
  std::vector<Offer> offers_;
  std::set<std::string> missing_;
  std::map<std::string, std::string> stand_ins_;
  std::map<std::filesystem::path, Structure> structures_;
  std::set<std::string> device_macros_{"__global__", "__device__",  "__constant__",
                                       "__shared__", "__managed__", "constexpr"};
  std::set<std::string> macros_;  ///< That the source and its headers define
  std::vector<LeftOut> left_out_;
  std::optional<Place> texture_reference_;
  std::vector<Problem> blocking_;          ///< Errors in device code that may not be left out
  std::vector<Problem> error_directives_;  ///< `#error`: what sources say of themselves
  std::vector<Problem> causes_;            ///< Of the source, for which something of it was left out
  std::size_t generation_ = 0;             ///< Of the headers that are read: counts their changes
  bool may_be_part_ = true;                ///< Of a file that includes it: not looked for yet
  bool headers_are_settled_ = false;       ///< The last round changed none
  bool is_device_code_alone_ = false, needs_library_ = false, something_is_missing_ = false,
       kernels_are_left_out_ = false;
};

}  // namespace warplens::compile
