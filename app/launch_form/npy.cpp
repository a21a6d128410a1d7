#include "app/launch_form/npy.h"

#include <fmt/core.h>

#include <cstring>
#include <string_view>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kMostHeader = 64u << 10;

/// What the header calls a type: "<f4".
std::string_view descriptor_of(ElementType type) {
  switch (type) {
    case ElementType::f32: return "<f4";
    case ElementType::f64: return "<f8";
    case ElementType::f16: return "<f2";
    case ElementType::i8: return "|i1";
    case ElementType::u8: return "|u1";
    case ElementType::i16: return "<i2";
    case ElementType::u16: return "<u2";
    case ElementType::i32: return "<i4";
    case ElementType::u32: return "<u4";
    case ElementType::i64: return "<i8";
    case ElementType::u64: return "<u8";
    case ElementType::tf32: return "<f4";
    case ElementType::bf16: return "<V2";  // NumPy has no such types: those of ml_dtypes are bytes to it
    case ElementType::e4m3:
    case ElementType::e5m2:
    case ElementType::i4:  // One a byte
    case ElementType::u4: break;
  }
  return "|V1";
}

bool is_of_four_bits(ElementType type) {
  return type == ElementType::i4 || type == ElementType::u4;
}

/// Packs values that have a byte each, two a byte: `count` of them, from an even place on.
void pack_pairs(const std::byte* from, std::uint64_t count, std::byte* to) {
  constexpr std::byte kLower{0xf};
  for (std::uint64_t i = 0; i < count; i += 2) {
    const std::byte upper = i + 1 < count ? from[i + 1] & kLower : std::byte{0};
    to[i / 2] = (from[i] & kLower) | upper << 4;
  }
}

/// Compares descriptors; the byte order is ignored for raw bytes ('V').
bool is_of(std::string_view type, ElementType wanted) {
  const std::string_view descriptor = descriptor_of(wanted);
  return type == descriptor ||
         (descriptor[1] == 'V' && type.size() == descriptor.size() && type.substr(1) == descriptor.substr(1));
}

/// Returns what follows a key, up to the comma or brace that ends it, in "{'descr': '<f4', 'fortran_order':
/// False, 'shape': (3, 4), }".
std::string_view field(std::string_view header, std::string_view key, char end) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(header.find(':', at) + 1);
  rest = rest.substr(0, rest.find(end));
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\'')) rest.remove_prefix(1);
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\'')) rest.remove_suffix(1);
  return rest;
}

std::uint64_t little_endian(const std::byte* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace

Result<std::vector<std::byte>> read_npy(const BufferSpec& buffer) {
  const auto each = static_cast<std::uint64_t>(size_of(buffer.type));  // In the file
  const std::uint64_t columns = buffer.columns == 0 ? buffer.count : buffer.columns,
                      pitch = buffer.columns == 0 ? buffer.count : buffer.pitch;
  const std::uint64_t needed = buffer.rows * columns * each;
  const auto bad = [&](const std::string& what) {
    return Error{
        what, buffer.file.string(),
        tr("numpy.save writes such files; the array must be in C order, and of the buffer's type and size.")};
  };
  const Result<std::vector<std::byte>> file = read_file(buffer.file, needed + kMostHeader);
  if (!file.ok()) return file.error();
  constexpr std::size_t kMagic = 8;
  if (file->size() < 12 || std::memcmp(file->data(), "\x93NUMPY", 6) != 0)
    return bad(tr("it is not a .npy file"));
  const bool first_version = std::to_integer<int>((*file)[6]) == 1;
  const std::size_t begin = kMagic + (first_version ? 2 : 4);
  const std::uint64_t length = little_endian(file->data() + kMagic, first_version ? 2 : 4);
  if (length > file->size() - begin) return bad(tr("its header is cut off"));
  const std::string_view header(reinterpret_cast<const char*>(file->data()) + begin, length);
  const std::string_view type = field(header, "'descr'", ',');
  if (!is_of(type, buffer.type)) {
    return bad(tr("its elements are `{type}`, the buffer's are {wanted}", "type"_a = std::string(type),
                  "wanted"_a = name_of(buffer.type)));
  }
  if (field(header, "'fortran_order'", ',') != "False" && buffer.rows > 1)
    return bad(tr("it lies by columns"));
  const std::size_t data = begin + length;
  if (file->size() - data != needed) {
    return bad(tr("it has {bytes} bytes of elements, the buffer {needed}", "bytes"_a = file->size() - data,
                  "needed"_a = needed));
  }
  std::vector<std::byte> bytes(bytes_of(buffer.type, buffer.count));
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    const std::byte* const from = file->data() + data + row * columns * each;
    std::byte* const to = bytes.data() + bytes_of(buffer.type, row * pitch);
    if (is_of_four_bits(buffer.type)) {
      pack_pairs(from, columns, to);
    } else {
      std::memcpy(to, from, columns * each);
    }
  }
  return bytes;
}

}  // namespace warplens::app
