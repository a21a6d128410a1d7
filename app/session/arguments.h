// The arguments of a kernel, as one writes them: "i32:256", "buf:f32:65536:random".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

struct ScalarSpec {
  std::string type;              ///< "i32", "u32", "i64", "u64", "f32", "f64"
  std::vector<std::byte> bytes;  ///< Little-endian
  friend bool operator==(const ScalarSpec&, const ScalarSpec&) = default;
};

enum class Fill : std::uint8_t { zero, iota, random, file };

struct BufferSpec {
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;
  Fill fill = Fill::zero;
  std::filesystem::path file;  ///< Raw little-endian; exactly `count` elements
  friend bool operator==(const BufferSpec&, const BufferSpec&) = default;
};

using ArgumentSpec = std::variant<ScalarSpec, BufferSpec>;

/// An argument and the parameter that it is for.
struct NamedArgument {
  std::string name;  ///< As the PTX names the parameter, without the entry's name before it; empty: the next one that is not named
  ArgumentSpec value;
  friend bool operator==(const NamedArgument&, const NamedArgument&) = default;
};

/// "i32:256", "f64:0.5", "buf:f32:65536:random", "buf:u8:100:file=PATH".
[[nodiscard]] Result<ArgumentSpec> parse_argument(const std::string& text);
/// The same, and "NAME=SPEC".
[[nodiscard]] Result<NamedArgument> parse_named_argument(const std::string& text);
/// What parse_argument makes the same of. Of a file only its name is given: where it lies is the user's own.
[[nodiscard]] std::string text_of(const ArgumentSpec& argument);

/// What a buffer holds at the start. iota: 0, 1, 2, .. (u8 wraps round); random: integers of -3 to 3 (u8: 0 to 6), the same for the same `seed`.
/// An error where the buffer is empty or has no address, and what reading its file says.
[[nodiscard]] Result<std::vector<std::byte>> initial_contents(const BufferSpec& buffer, std::uint64_t seed);

/// The memory that it takes to make them; UINT64_MAX for what has no address.
[[nodiscard]] std::uint64_t bytes_to_fill(const BufferSpec& buffer);

}  // namespace warplens::app
