// The outside of a recording's file: a header with the version, then sections, each with its name, lengths
// and checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/bytes.h"
#include "kernels/recording/file.h"

namespace warplens {

/// A reader of this version reads every file of the same major version. A higher minor version has more
/// sections, which older readers pass over.
inline constexpr std::uint16_t kFormatMajor = 1, kFormatMinor = 10;
/// Version 1.10 also has AccessOp::bulk_load and those behind it.
///
/// The minor versions from which on there are sections `origin`, `args`, `followed`, `messages`, `ended`,
/// `accessed`, `waits`, `landings`, `tensor` and `cluster`.
inline constexpr std::uint16_t kOriginSince = 1, kArgumentsSince = 2, kFollowedSince = 3, kMessagesSince = 4,
                               kEndedSince = 5, kAccessedSince = 6, kWaitsSince = 7, kLandingsSince = 8,
                               kTensorSince = 9, kClusterSince = 10;

inline constexpr std::size_t kFileHeaderBytes = 16, kSectionHeaderBytes = 32;

/// What a section's header says. The payload follows it.
struct SectionHeader {
  std::string name;                ///< At most 8 characters
  bool compressed = false;         ///< One zstd frame; else the bytes as they are
  std::uint64_t stored_bytes = 0;  ///< In the file
  std::uint64_t bytes = 0;         ///< Once decompressed
};

class SectionWriter {
 public:
  explicit SectionWriter(Compression compression);
  void add(std::string_view name, const ByteWriter& content) { add(name, content, compression_); }
  void add(std::string_view name, const ByteWriter& content, Compression compression);
  [[nodiscard]] std::size_t size() const { return file_.size(); }
  /// Adds the section that ends every file.
  [[nodiscard]] std::vector<std::byte> finish() &&;

 private:
  Compression compression_;
  std::vector<std::byte> file_;
};

/// Walks through a file's sections in order. Every step checks what it is about to rely on.
class SectionReader {
 public:
  SectionReader(std::span<const std::byte> file, Checksums checksums, Budget& budget)
      : file_(file), checksums_(checksums), budget_(&budget) {}

  /// Reads the file's header, before anything else: whether it is a recording, and of a version that is
  /// understood here.
  [[nodiscard]] Result<Done> read_file_header();
  /// Returns the minor version of the file, once its header has been read.
  [[nodiscard]] std::uint16_t minor() const { return minor_; }
  /// The content of the next section, which must be called `name`. Sections that only newer minor versions
  /// know are passed over.
  [[nodiscard]] Result<std::vector<std::byte>> read(std::string_view name);
  /// Passes over the next section, which must be called `name`, without reading its content.
  [[nodiscard]] Result<Done> skip(std::string_view name);
  /// The most bytes of content that the sections to come can hold.
  [[nodiscard]] std::uint64_t max_content() const;
  /// The section that ends the file comes next, and nothing after it.
  [[nodiscard]] Result<Done> finish();

 private:
  struct Section {
    SectionHeader header;
    std::span<const std::byte> payload;
    std::uint64_t offset = 0;  ///< Of its header in the file
  };
  [[nodiscard]] Result<Section> next();
  [[nodiscard]] Result<Section> find(std::string_view name);
  [[nodiscard]] Result<Done> verify(const Section& section) const;
  [[nodiscard]] Result<std::vector<std::byte>> unpack(const Section& section);

  std::span<const std::byte> file_;
  Checksums checksums_;
  Budget* budget_;
  std::uint64_t at_ = 0;
  std::uint16_t minor_ = 0;
};

}  // namespace warplens
