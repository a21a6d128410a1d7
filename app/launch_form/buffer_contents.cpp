#include "app/launch_form/buffer_contents.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <type_traits>

#include "app/launch_form/arguments.h"
#include "app/launch_form/npy.h"
#include "kernels/arithmetic/float8.h"
#include "kernels/arithmetic/half.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

/// A narrow float as it lies in memory; `Format` is of kernels/arithmetic.
template <class Format>
struct Narrow {
  decltype(Format::narrow(0)) bits;
  static Narrow from(double value) { return {Format::narrow(value)}; }
  [[nodiscard]] double wide() const { return Format::widen(bits); }
};

/// An integer of 4 bits, of which two lie in a byte.
template <bool kIsSigned>
struct FourBits {
  std::uint8_t bits;
  static FourBits from(double value) {
    const auto whole = static_cast<std::int64_t>(std::clamp(value, -0x1p62, 0x1p62));
    return {static_cast<std::uint8_t>(whole & 0xf)};
  }
  [[nodiscard]] double wide() const { return kIsSigned ? ((bits & 0xf) ^ 8) - 8 : bits & 0xf; }
};
template <class T>
constexpr bool kIsPacked = std::is_same_v<T, FourBits<true>> || std::is_same_v<T, FourBits<false>>;

/// f32 with 10 bits of fraction, rounded as cvt.rna.tf32.f32 does.
struct Tf32Bits {
  std::uint32_t bits;
  static Tf32Bits from(double value) {
    const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return {std::isfinite(value) ? (wide + 0x1000) & ~0x1fffu : wide};
  }
  [[nodiscard]] double wide() const { return static_cast<double>(std::bit_cast<float>(bits)); }
};

/// Calls a function template with a value of the type that stands for `type`.
template <class Function>
auto with_type(ElementType type, Function function) {
  switch (type) {
    case ElementType::f32: return function(float{});
    case ElementType::f64: return function(double{});
    case ElementType::i32: return function(std::int32_t{});
    case ElementType::u8: return function(std::uint8_t{});
    case ElementType::i8: return function(std::int8_t{});
    case ElementType::u16: return function(std::uint16_t{});
    case ElementType::i16: return function(std::int16_t{});
    case ElementType::u32: return function(std::uint32_t{});
    case ElementType::i64: return function(std::int64_t{});
    case ElementType::u64: return function(std::uint64_t{});
    case ElementType::f16: return function(Narrow<arithmetic::Float16>{});
    case ElementType::bf16: return function(Narrow<arithmetic::Bfloat16>{});
    case ElementType::tf32: return function(Tf32Bits{});
    case ElementType::e4m3: return function(Narrow<arithmetic::E4m3>{});
    case ElementType::e5m2: return function(Narrow<arithmetic::E5m2>{});
    case ElementType::i4: return function(FourBits<true>{});
    case ElementType::u4: break;
  }
  return function(FourBits<false>{});
}

template <class T>
T element_from(double value) {
  if constexpr (std::is_class_v<T>) {
    return T::from(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {  // Wraps round, as conversions between integers do; what no 64-bit integer holds is no value of
            // theirs
    constexpr double kEnd = 9223372036854775808.0;
    return value >= kEnd ? static_cast<T>(static_cast<std::uint64_t>(std::min(value, 2 * kEnd - 2048)))
                         : static_cast<T>(static_cast<std::int64_t>(std::max(value, -kEnd)));
  }
}

template <class T>
double number_of(T value) {
  if constexpr (std::is_class_v<T>) {
    return value.wide();
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
void put(std::vector<std::byte>& bytes, std::uint64_t index, T value) {
  if constexpr (kIsPacked<T>) {
    std::byte& pair = bytes[index / 2];
    const int shift = index % 2 == 0 ? 0 : 4;
    pair = (pair & ~(std::byte{0xf} << shift)) | std::byte{value.bits} << shift;
  } else {
    std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
  }
}

template <class T>
T taken(std::span<const std::byte> bytes, std::uint64_t index) {
  T value{};
  if constexpr (kIsPacked<T>) {
    value.bits = static_cast<std::uint8_t>(bytes[index / 2] >> (index % 2 == 0 ? 0 : 4) & std::byte{0xf});
  } else {
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  }
  return value;
}

/// `of(i, row, column)` for every element that is in a column, from the first on.
template <class T, class Value>
void fill_with(const BufferSpec& buffer, std::vector<std::byte>& bytes, Value of) {
  const std::uint64_t columns = buffer.columns == 0 ? buffer.count : buffer.columns,
                      pitch = buffer.columns == 0 ? buffer.count : buffer.pitch;
  std::uint64_t index = 0;
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    for (std::uint64_t column = 0; column < columns; ++column)
      put(bytes, row * pitch + column, element_from<T>(of(index++, row, column)));
  }
}

template <class T>
std::vector<std::byte> filled(const BufferSpec& buffer, std::uint64_t seed) {
  std::vector<std::byte> bytes(bytes_of(buffer.type, buffer.count));
  std::mt19937_64 random(seed);
  switch (buffer.fill) {
    case Fill::iota:
      fill_with<T>(buffer, bytes, [](std::uint64_t i, auto, auto) { return static_cast<double>(i); });
      break;
    case Fill::random: {
      constexpr bool kUnsigned = std::is_unsigned_v<T> || std::is_same_v<T, FourBits<false>>;
      constexpr std::uint64_t kAtOnce = 1u << 20;
      std::vector<float> values;
      fill_with<T>(buffer, bytes, [&](std::uint64_t i, auto, auto) {
        if (i % kAtOnce == 0)
          values = integer_matrix_part(0, 1, i, std::min(kAtOnce, buffer.count - i), buffer.count, seed);
        return values[i % kAtOnce] + (kUnsigned ? 3.0f : 0.0f);
      });
      break;
    }
    case Fill::uniform: {  // Of 24 bits: in f32 each of them is exact
      fill_with<T>(buffer, bytes,
                   [&](auto, auto, auto) { return static_cast<double>(random() >> 40) * 0x1p-24; });
      break;
    }
    case Fill::normal: {
      std::normal_distribution<double> normal;
      fill_with<T>(buffer, bytes, [&](auto, auto, auto) { return normal(random); });
      break;
    }
    case Fill::identity:
      fill_with<T>(buffer, bytes,
                   [](auto, std::uint64_t row, std::uint64_t column) { return row == column ? 1.0 : 0.0; });
      break;
    case Fill::value: fill_with<T>(buffer, bytes, [&](auto, auto, auto) { return buffer.value; }); break;
    case Fill::below:
      fill_with<T>(buffer, bytes, [&](auto, auto, auto) {
        return static_cast<double>((random() >> 1) % static_cast<std::uint64_t>(buffer.value));
      });
      break;
    case Fill::list:
      fill_with<T>(buffer, bytes, [&](std::uint64_t i, auto, auto) {
        return i < buffer.values.size() ? buffer.values[i] : 0.0;
      });
      break;
    case Fill::zero:
    case Fill::file: break;
  }
  return bytes;
}

/// Where files were read from, by their names: recordings name them without their folders, which are nobody's
/// business.
class FoundFiles {
 public:
  void add(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(file, error);
    const std::lock_guard lock(mutex_);
    if (error) return;
    const auto [known, is_new] = whole_.try_emplace(file.filename(), whole);
    if (!is_new && known->second != whole)
      known->second.clear();  // Two of one name: which is meant is not known
  }
  /// The file itself where it is there.
  [[nodiscard]] std::filesystem::path find(const std::filesystem::path& file) const {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
    const std::lock_guard lock(mutex_);
    const auto known = whole_.find(file);
    return known != whole_.end() && !known->second.empty() ? known->second : file;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::filesystem::path, std::filesystem::path> whole_;
};

Result<std::vector<std::byte>> read_found(const BufferSpec& buffer, std::uint64_t bytes) {
  if (buffer.file.extension() == ".npy") return read_npy(buffer);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(buffer.file, error);
  if (error)
    return Error{tr("cannot read it: {reason}", "reason"_a = error.message()), buffer.file.string(),
                 tr("Check the path behind `file=`.")};
  if (size != bytes) {
    return Error{tr("it has {size} bytes; {count} elements of {type} are {needed}", "size"_a = size,
                    "count"_a = buffer.count, "type"_a = name_of(buffer.type), "needed"_a = bytes),
                 buffer.file.string(), tr("The file holds exactly the buffer's bytes, little-endian.")};
  }
  return read_file(buffer.file, bytes);
}

Result<std::vector<std::byte>> read_contents(const BufferSpec& buffer, std::uint64_t bytes) {
  static FoundFiles found;
  BufferSpec there = buffer;
  there.file = found.find(buffer.file);
  Result<std::vector<std::byte>> contents = read_found(there, bytes);
  if (contents.ok()) found.add(there.file);
  return contents;
}

}  // namespace

bool holds(ElementType type, std::int64_t value) {
  switch (type) {
    case ElementType::i4: return value >= -8 && value <= 7;
    case ElementType::u4: return value >= 0 && value <= 15;
    case ElementType::i8: return value >= INT8_MIN && value <= INT8_MAX;
    case ElementType::u8: return value >= 0 && value <= UINT8_MAX;
    case ElementType::i16: return value >= INT16_MIN && value <= INT16_MAX;
    case ElementType::u16: return value >= 0 && value <= UINT16_MAX;
    case ElementType::i32: return value >= INT32_MIN && value <= INT32_MAX;
    case ElementType::u32: return value >= 0 && value <= UINT32_MAX;
    case ElementType::u64: return value >= 0;
    default: return true;
  }
}

std::vector<std::byte> integer_bytes(ElementType type, std::int64_t value) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_of(type)));
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes;
}

std::vector<std::byte> element_bytes(ElementType type, double value) {
  return with_type(type, [value]<class T>(T) {
    std::vector<std::byte> bytes(sizeof(T));
    put(bytes, 0, element_from<T>(value));
    return bytes;
  });
}

std::string element_text(ElementType type, std::span<const std::byte> bytes) {
  return with_type(type, [bytes]<class T>(T value) {
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    if constexpr (std::is_class_v<T>) {
      return fmt::format("{}", value.wide());
    } else if constexpr (sizeof(T) == 1) {
      return fmt::format("{}", static_cast<int>(value));
    } else {
      return fmt::format("{}", value);
    }
  });
}

Result<std::vector<std::byte>> initial_contents(const BufferSpec& buffer, std::uint64_t seed) {
  if (bytes_to_fill(buffer) == UINT64_MAX || buffer.count == 0)
    return Error{tr("a buffer cannot have {count} elements", "count"_a = buffer.count), "",
                 tr("It has at least one, and has an address.")};
  if (buffer.map) {
    const auto bytes = encode_tensor_map(*buffer.map);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  if (buffer.fill == Fill::file) return read_contents(buffer, bytes_of(buffer.type, buffer.count));
  return with_type(buffer.type,
                   [&]<class T>(T) { return filled<T>(buffer, buffer.seed != 0 ? buffer.seed : seed); });
}

std::vector<double> elements_of(const BufferSpec& buffer, std::span<const std::byte> bytes) {
  const std::uint64_t columns = buffer.columns == 0 ? buffer.count : buffer.columns,
                      pitch = buffer.columns == 0 ? buffer.count : buffer.pitch;
  return with_type(buffer.type, [&]<class T>(T) {
    std::vector<double> elements;
    elements.reserve(buffer.rows * columns);
    for (std::uint64_t row = 0; row < buffer.rows; ++row) {
      for (std::uint64_t column = 0; column < columns; ++column) {
        elements.push_back(number_of(taken<T>(bytes, row * pitch + column)));
      }
    }
    return elements;
  });
}

}  // namespace warplens::app
