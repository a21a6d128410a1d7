// The arguments of a kernel, as one writes them: "i32:256", "buf:f32:65536:random", "f32[m][n]:ints".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/base/tensor_map.h"
#include "kernels/base/texture.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// Where a buffer of the launch begins, or an element of it lies: "&A", "&A[64]" in elements of A's type,
/// "&A[2][0]" by A's shape. Where A is passed by rows, "&A[2]" lies in the table of rows, and "&A[2][0]"
/// among the elements.
struct AddressSpec {
  std::string buffer;  ///< The argument that makes it, by its name
  std::optional<std::uint64_t> row, element;
  friend bool operator==(const AddressSpec&, const AddressSpec&) = default;
};
/// An address, and its place among the bytes that hold it.
struct PlacedSpec {
  std::uint64_t at = 0;
  AddressSpec to;
  friend bool operator==(const PlacedSpec&, const PlacedSpec&) = default;
};

struct ScalarSpec {
  std::string type;  ///< "i32" and the like, "f32x4" for a vector of such, "ptr", "bytes" for anything else
  std::vector<std::byte> bytes;                 ///< Little-endian
  std::vector<PlacedSpec> addresses = {};       ///< That are to lie among them, each within
  std::optional<TensorMap> map = std::nullopt;  ///< That the bytes encode, of the type "tensormap"
  friend bool operator==(const ScalarSpec&, const ScalarSpec&) = default;
};

enum class Fill : std::uint8_t { zero, iota, random, file, uniform, normal, identity, value, below, list };

struct BufferSpec {
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;  ///< Elements in all
  Fill fill = Fill::zero;
  std::filesystem::path file;  ///< Raw little-endian, exactly `count` elements; or NumPy's .npy, of as many
                               ///< elements of the same type
  std::uint32_t rows =
      1;  ///< More than 1: a matrix, of `columns` in rows `pitch` elements apart; count = rows x pitch
  std::uint64_t columns = 0, pitch = 0;
  std::uint64_t seed = 0;           ///< Of what is random; 0: by the argument's place
  double value = 0;                 ///< For Fill::value, and the limit of Fill::below
  std::vector<double> values = {};  ///< For Fill::list: of the first elements; those behind are zero
  /// Passed as an object of this texture or surface, whose texels it holds; nullopt: its address is passed.
  std::optional<Texture> texture = std::nullopt;
  bool by_rows =
      false;  ///< Passed is the address of a table with the addresses of its rows, as a `float**` takes them
  std::vector<PlacedSpec> addresses = {};       ///< Of u64: that it holds at the start
  std::optional<TensorMap> map = std::nullopt;  ///< That it holds encoded, with the tensor's address
  friend bool operator==(const BufferSpec&, const BufferSpec&) = default;
};

using ArgumentSpec = std::variant<ScalarSpec, BufferSpec>;

/// An argument and the parameter that it is for.
struct NamedArgument {
  std::string name;  ///< As the source names the parameter, or the PTX, without the entry's name before it;
                     ///< empty: the next one that is not named
  ArgumentSpec value;
  friend bool operator==(const NamedArgument&, const NamedArgument&) = default;
};

/// What numbers in an argument may be written with.
struct ArgumentScope {
  std::span<const NamedValue> values;  ///< Sizes that expressions know
  std::string_view type;  ///< Of a scalar that is written without one: "i32"; empty: it must have one
};

/// "i32:256", "f64:0.5", "f32x4:1,2,3,4", "bytes:00ff", "buf:f32:65536:random", "buf:u8:100:file=PATH",
/// "f32[m][n]:ints:7", "f32[m][n,n+1]" (with a pitch), "f32*[m][n]" (by rows),
/// "tex2d:f32x4[h][w]:uniform,linear" and other textures and surfaces (texture_spec.h); "&A[64]", "null",
/// "tensormap:bf16[m][k]@A:box=64x64:swizzle=128B" (tensor_map_spec.h),
/// "ptr[3]:&A,&B[n],null", "ptr[m]:&A[i*n]" (address_spec.h); "bytes:00ff@8=&A" (with an address among them).
/// Integers, extents and indices are expressions (expression.h).
[[nodiscard]] Result<ArgumentSpec> parse_argument(const std::string& text, const ArgumentScope& scope = {});
/// The same, and "NAME=SPEC".
[[nodiscard]] Result<NamedArgument> parse_named_argument(const std::string& text,
                                                         const ArgumentScope& scope = {});
/// What parse_argument makes the same of. Of a file only its name is given: where it lies is the user's own.
[[nodiscard]] std::string text_of(const ArgumentSpec& argument);

/// What a buffer holds at the start. iota: 0, 1, 2, .. (small types wrap round); random: integers of -3 to 3
/// (0 to 6 where the type has no sign); below:N: integers of 0 to N-1; list:1,2: those; uniform: 0 to 1;
/// normal: of mean 0 and deviation 1; identity: 1 where row and column are the same. What is random is the
/// same for the same seed: the buffer's, or else `seed`. What lies between a row's columns and the next row
/// is zero. An error where the buffer is empty or has no address, the type cannot hold it, and what reading
/// its file says.
[[nodiscard]] Result<std::vector<std::byte>> initial_contents(const BufferSpec& buffer, std::uint64_t seed);

/// The memory that it takes to make them; UINT64_MAX for what has no address.
[[nodiscard]] std::uint64_t bytes_to_fill(const BufferSpec& buffer);

/// The elements of a buffer as numbers, each exactly where a double holds it, row by row without what lies
/// between.
[[nodiscard]] std::vector<double> elements_of(const BufferSpec& buffer, std::span<const std::byte> bytes);

[[nodiscard]] bool is_float(ElementType type);
/// The type of a word, "f32"; nullopt: there is none.
[[nodiscard]] std::optional<ElementType> parse_element_type(std::string_view text);

}  // namespace warplens::app
