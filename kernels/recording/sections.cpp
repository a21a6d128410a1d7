#include "kernels/recording/sections.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "kernels/base/crc32.h"
#include "kernels/base/texts.h"

namespace warplens {
namespace {

/// Magic number as in PNG: a byte that occurs in no text, the name, and line ends that a transfer in text
/// mode would change.
constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'W', 'L', 'R', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kNameBytes = 8;
constexpr std::string_view kEnd = "end";
constexpr int kCompressionLevel = 3;
/// The most that zstd can compress: its smallest block, of 4 bytes, repeats one byte 128 Ki times.
constexpr std::uint64_t kMaxCompressionRatio = (std::uint64_t{128} << 10) / 4;

template <class T>
T load_number(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < sizeof(T); ++byte)
    value |= std::to_integer<std::uint64_t>(bytes[at + byte]) << (8 * byte);
  return static_cast<T>(value);
}

std::vector<std::byte> compress(std::span<const std::byte> bytes) {
  std::vector<std::byte> compressed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(compressed.data(), compressed.size(), bytes.data(), bytes.size(), kCompressionLevel);
  assert(!ZSTD_isError(size));
  compressed.resize(size);
  return compressed;
}

Error damaged(std::uint64_t offset, std::string what) {
  return {std::move(what), tr("byte {byte}", "byte"_a = offset),
          tr("The file is damaged or cut short: make the recording again, or copy it again")};
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

SectionWriter::SectionWriter(Compression compression) : compression_(compression) {
  ByteWriter header;
  for (const std::uint8_t byte : kMagic) header.number(byte);
  header.number(kFormatMajor);
  header.number(kFormatMinor);
  header.number(crc32(header.bytes()));
  file_ = header.bytes();
}

void SectionWriter::add(std::string_view name, const ByteWriter& content, Compression compression) {
  assert(is_name(name) && name.size() <= kNameBytes);
  const std::vector<std::byte> compressed =
      compression == Compression::zstd ? compress(content.bytes()) : std::vector<std::byte>{};
  const bool smaller = !compressed.empty() && compressed.size() < content.bytes().size();
  const std::vector<std::byte>& stored = smaller ? compressed : content.bytes();

  ByteWriter header;
  for (std::size_t i = 0; i < kNameBytes; ++i)
    header.number(static_cast<std::uint8_t>(i < name.size() ? name[i] : 0));
  header.number(static_cast<std::uint32_t>(smaller));
  header.number(std::uint64_t{stored.size()});
  header.number(std::uint64_t{content.bytes().size()});
  header.number(crc32(stored, crc32(header.bytes())));
  file_.insert(file_.end(), header.bytes().begin(), header.bytes().end());
  file_.insert(file_.end(), stored.begin(), stored.end());
}

std::vector<std::byte> SectionWriter::finish() && {
  add(kEnd, {});
  return std::move(file_);
}

Result<Done> SectionReader::read_file_header() {
  static constexpr std::size_t kVersionAt = kMagic.size(), kChecksumAt = 12;
  const std::size_t shown = std::min(file_.size(), kMagic.size());
  if (shown == 0 || std::memcmp(file_.data(), kMagic.data(), shown) != 0) {
    return Error{tr("is not a recording"), tr("byte {byte}", "byte"_a = 0),
                 tr("Choose a .wlr file that `warplens record -o` wrote")};
  }
  if (file_.size() < kFileHeaderBytes) return damaged(file_.size(), tr("ends within the header"));
  if (checksums_ == Checksums::verified &&
      load_number<std::uint32_t>(file_, kChecksumAt) != crc32(file_.first(kChecksumAt))) {
    return damaged(kVersionAt, tr("the header's checksum does not match"));
  }
  const auto major = load_number<std::uint16_t>(file_, kVersionAt);
  minor_ = load_number<std::uint16_t>(file_, kVersionAt + 2);
  if (major != kFormatMajor) {
    return Error{tr("has format version {major}.{minor}, and this program reads {read}.x", "major"_a = major,
                    "minor"_a = minor_, "read"_a = kFormatMajor),
                 tr("byte {byte}", "byte"_a = kVersionAt),
                 major > kFormatMajor
                     ? tr("Open it with a newer Warplens, or make the recording again with this one")
                     : tr("Make the recording again")};
  }
  at_ = kFileHeaderBytes;
  return Done{};
}

Result<SectionReader::Section> SectionReader::next() {
  const auto rest = file_.subspan(at_);
  if (rest.size() < kSectionHeaderBytes)
    return damaged(at_,
                   tr("ends where a section should begin: {left} bytes are left", "left"_a = rest.size()));
  Section section;
  section.offset = at_;
  const char* name = reinterpret_cast<const char*>(rest.data());
  section.header.name.assign(name, std::find(name, name + kNameBytes, '\0'));
  const auto codec = load_number<std::uint32_t>(rest, kNameBytes);
  section.header.compressed = codec == 1;
  section.header.stored_bytes = load_number<std::uint64_t>(rest, 12);
  section.header.bytes = load_number<std::uint64_t>(rest, 20);
  if (!is_name(section.header.name)) return damaged(at_, tr("there is no section where one should begin"));
  if (codec > 1)
    return damaged(at_, tr("section `{section}` is stored in an unknown way ({way})",
                           "section"_a = section.header.name, "way"_a = codec));
  if (section.header.stored_bytes > rest.size() - kSectionHeaderBytes) {
    return damaged(at_, tr("section `{section}` declares {size} bytes, and {left} are left",
                           "section"_a = section.header.name, "size"_a = section.header.stored_bytes,
                           "left"_a = rest.size() - kSectionHeaderBytes));
  }
  section.payload = rest.subspan(kSectionHeaderBytes, static_cast<std::size_t>(section.header.stored_bytes));
  at_ += kSectionHeaderBytes + section.header.stored_bytes;
  return section;
}

Result<Done> SectionReader::verify(const Section& section) const {
  static constexpr std::size_t kChecksumAt = kSectionHeaderBytes - 4;
  if (checksums_ == Checksums::ignored) return Done{};
  const auto header = file_.subspan(static_cast<std::size_t>(section.offset), kSectionHeaderBytes);
  if (crc32(section.payload, crc32(header.first(kChecksumAt))) ==
      load_number<std::uint32_t>(header, kChecksumAt))
    return Done{};
  return damaged(section.offset,
                 tr("the checksum of section `{section}` does not match", "section"_a = section.header.name));
}

Result<SectionReader::Section> SectionReader::find(std::string_view name) {
  while (true) {
    Result<Section> section = next();
    if (!section || section->header.name == name) return section;
    if (minor_ <= kFormatMinor || section->header.name == kEnd) {
      return damaged(section->offset, tr("section `{found}` where `{wanted}` should be",
                                         "found"_a = section->header.name, "wanted"_a = name));
    }
    if (const auto verified = verify(*section); !verified) return verified.error();
  }
}

Result<std::vector<std::byte>> SectionReader::unpack(const Section& section) {
  const std::uint64_t bytes = section.header.bytes;
  const std::uint64_t max =
      section.header.compressed ? section.payload.size() * kMaxCompressionRatio : section.payload.size();
  const bool possible = section.header.compressed ? bytes <= max : bytes == max;
  if (!possible)
    return damaged(section.offset,
                   tr("section `{section}` declares {size} bytes of content, which it cannot hold",
                      "section"_a = section.header.name, "size"_a = bytes));
  if (!budget_->take(bytes, 1)) {
    return damaged(section.offset, tr("section `{section}` of {size} bytes needs more memory than is allowed",
                                      "section"_a = section.header.name, "size"_a = bytes));
  }
  if (!section.header.compressed)
    return std::vector<std::byte>(section.payload.begin(), section.payload.end());

  const auto& packed = section.payload;
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != bytes ||
      ZSTD_findFrameCompressedSize(packed.data(), packed.size()) != packed.size()) {
    return damaged(section.offset,
                   tr("section `{section}` is not what its header says", "section"_a = section.header.name));
  }
  std::vector<std::byte> content(static_cast<std::size_t>(bytes));
  if (ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size()) == bytes) return content;
  return damaged(section.offset,
                 tr("section `{section}` does not decompress", "section"_a = section.header.name));
}

Result<std::vector<std::byte>> SectionReader::read(std::string_view name) {
  const Result<Section> section = find(name);
  if (!section) return section.error();
  if (const auto verified = verify(*section); !verified) return verified.error();
  return unpack(*section);
}

Result<Done> SectionReader::skip(std::string_view name) {
  const Result<Section> section = find(name);
  if (!section) return section.error();
  return Done{};
}

std::uint64_t SectionReader::max_content() const {
  return (file_.size() - at_) * kMaxCompressionRatio;
}

Result<Done> SectionReader::finish() {
  if (const auto end = read(kEnd); !end) return end.error();
  if (at_ < file_.size())
    return damaged(at_, tr("{left} bytes follow the end", "left"_a = file_.size() - at_));
  return Done{};
}

}  // namespace warplens
