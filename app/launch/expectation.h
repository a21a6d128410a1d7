// What a launch is to leave in its buffers, by a file or by a function of the source. Private to app/launch.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/launch_form/arguments.h"
#include "kernels/catalog/workload.h"
#include "kernels/replay/replay.h"

namespace warplens::app {

/// A launch, as far as what it leaves can depend on it.
struct Expected {
  std::span<const NamedArgument> arguments;
  const Workload& workload;                     ///< That they make
  std::vector<NamedValue> values;               ///< Sizes, which a function may take too
  std::filesystem::path file;                   ///< The kernel's: others lie beside it
  std::vector<std::filesystem::path> readable;  ///< Folders that files may be read from
  std::string source;                           ///< Its CUDA C++; empty: it is PTX
};

/// What one buffer holds when all is right.
struct ExpectedBuffer {
  std::uint32_t argument = 0;
  std::vector<std::byte> bytes;
  double tolerance = 0;  ///< Of the largest magnitude; 0: that of the type
};

/// "FILE.npy" or "BUFFER:FILE.npy", an array as numpy.save writes it: of the buffer named, or the only one
/// that the kernel can write; "cpu:FUNCTION", a function of the source, which leaves what is expected in
/// those of its parameters that are pointers to what is not const, and in buffers that it reaches by
/// structures, where it changes them. Its parameters are called as the kernel's, or as sizes. The function is
/// run by the replay, as one thread, on copies of the buffers: it can do no more than a kernel.
/// "~1e-4" behind either: how far values may be from what is expected, of the largest of these.
///
/// Blocking, as a replay. The error says what is missing or does not compile.
[[nodiscard]] Result<std::vector<ExpectedBuffer>> parse_expectation(const std::string& text,
                                                                    const Expected& launch,
                                                                    replay::Progress* progress);

/// Integers are equal, whatever the type; else values are as near as the tolerance says, by default 64
/// roundings of the largest.
[[nodiscard]] bool is_as_expected(const ExpectedBuffer& expected, const BufferSpec& buffer,
                                  std::span<const std::byte> bytes);

/// The same of the elements alone that a part of the blocks changed; nullopt: they changed none.
[[nodiscard]] std::optional<bool> is_as_expected_in_part(const ExpectedBuffer& expected,
                                                         const BufferSpec& buffer,
                                                         std::span<const std::byte> before,
                                                         std::span<const std::byte> after);

}  // namespace warplens::app
