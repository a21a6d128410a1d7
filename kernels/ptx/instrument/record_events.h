// Code that logs each execution of a segment in the chosen blocks. Where the whole warp goes together, knows
// where its log goes on, and has room there, the code writes it itself; else the recorder does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ptx/instrument/record_code.h"
#include "kernels/ptx/instrument/record_values.h"

namespace warplens::ptx {

class RecordEvents {
 public:
  explicit RecordEvents(RecordCode& code) : code_(code) {}

  /// Returns the code at the begin of the kernel, behind the call of `warplens_begin`, with the declarations
  /// that it needs.
  [[nodiscard]] std::string begin();
  void log(std::uint32_t s, const std::vector<Sampled>& values);
  /// A call that needs to know where the log goes on, and says so afterwards.
  [[nodiscard]] static std::string around_log(const std::string& call);
  /// Returns the code where those of `awaited`, a register, reconverge that have not left: %wl_q says that
  /// some have. `name` as for if_rare.
  [[nodiscard]] static std::string say_who_met(RecordCode& code, const std::string& name,
                                               const std::string& awaited);
  /// Returns the code before threads leave: how much of the log the whole warp has written. Parts of it have
  /// said so already.
  [[nodiscard]] std::string say_what_log_takes() const;

 private:
  [[nodiscard]] std::string log_directly(std::uint32_t s, const std::vector<Sampled>& values);

  RecordCode& code_;
  std::uint32_t told_ = 0;  ///< Bits of %wl_told in use: segments whose distances the recorder has noted
};

}  // namespace warplens::ptx
