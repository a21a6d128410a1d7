#include "kernels/recording/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "kernels/base/crc32.h"
#include "kernels/base/files.h"
#include "kernels/recording/event_store.h"
#include "kernels/recording/sections.h"
#include "kernels/recording/validate.h"
#include "recording/sample.h"

namespace warplens {
namespace {

using Bytes = std::vector<std::byte>;

/// Few bytes, so that all of them can be changed in turn: 4 blocks of 2 partial or whole warps.
Recording small_recording() {
  return sample::make({.tile = 6, .size = 12, .event_blocks = 2, .reads = 1});
}

/// The whole reason why some bytes are refused; empty if they are not.
std::string refusal(const Bytes& bytes, std::uint64_t max_bytes = kMaxLoadBytes) {
  const auto result = decode(bytes, max_bytes);
  return result ? "" : result.error().message();
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Makes the checksums right again after a change, as someone does who means harm.
void restore_checksums(Bytes& bytes) {
  const std::span<const std::byte> file(bytes);
  put(bytes, 12, crc32(file.first(12)));
  std::size_t at = kFileHeaderBytes;
  while (at + kSectionHeaderBytes <= bytes.size()) {
    std::uint64_t stored = 0;
    std::memcpy(&stored, bytes.data() + at + 12, sizeof stored);
    if (stored > bytes.size() - at - kSectionHeaderBytes) return;
    put(bytes, at + 28, crc32(file.subspan(at + kSectionHeaderBytes, stored), crc32(file.subspan(at, 28))));
    at += kSectionHeaderBytes + stored;
  }
}

/// Where a section's header begins.
std::size_t find_section(const Bytes& bytes, const std::string& name) {
  std::size_t at = kFileHeaderBytes;
  while (at + kSectionHeaderBytes <= bytes.size()) {
    if (std::strncmp(reinterpret_cast<const char*>(bytes.data() + at), name.c_str(), 8) == 0) return at;
    std::uint64_t stored = 0;
    std::memcpy(&stored, bytes.data() + at + 12, sizeof stored);
    at += kSectionHeaderBytes + stored;
  }
  ADD_FAILURE() << "no section " << name;
  return 0;
}

TEST(RecordingFile, RoundTrips) {
  for (const Compression compression : {Compression::zstd, Compression::none}) {
    for (const sample::Options& options : {sample::Options{}, sample::Options{.tile = 6, .size = 12},
                                           sample::Options{.tile = 4, .size = 4, .event_blocks = 0}}) {
      const Recording recording = sample::make(options);
      const auto loaded = decode(encode(recording, compression));
      ASSERT_TRUE(loaded.ok()) << loaded.error().message();
      EXPECT_EQ(*loaded, recording);
    }
  }
}

TEST(RecordingFile, AnEmptyRecordingIsARecording) {
  const auto loaded = decode(encode(Recording{}));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(*loaded, Recording{});
}

TEST(RecordingFile, KeepsEveryFieldThatTheSampleLeavesAtItsDefault) {
  Recording recording = small_recording();
  recording.dynamic_shared_bytes = 16;
  recording.shared_base = 1024;
  recording.origin = Origin::file;
  recording.origin_file = "mine.ptx";
  recording.value_type = "f64";
  recording.phases_are_barriers = false;
  recording.verified = false;
  recording.sites[3].op = AccessOp::ldmatrix;
  recording.sites[3].matrices = 4;
  recording.sites[3].bytes = 16;
  recording.totals[0].unkept_requests = 7;
  recording.totals[0].requests += 7;
  recording.totals[0].thread_accesses += 7;
  recording.totals[0].unkept_cost = {1, 2, 3, 4, 5, 6};
  recording.phases[0].other = 7;
  recording.parameters.push_back({"negative", -5});
  recording.buffers[0].type = ElementType::u8;
  recording.tensor = {
      {.instruction = 3, .line = 9, .kind = "mma.m8n8k4", .operations = 2048, .instructions = 5},
      {.instruction = 8, .kind = "wmma.mma", .operations = 512, .instructions = 1}};
  recording.files.push_back({"other.cuh", std::string("a\0b", 3)});
  for (std::uint64_t i = 0; i < recording.shapes.size(); ++i)
    recording.shapes[i][31] = i % 2 == 0 ? kMaxOffset : -kMaxOffset;
  for (const std::optional<bool> verified :
       {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    recording.verified = verified;
    const auto loaded = decode(encode(recording));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(*loaded, recording);
  }
}

TEST(RecordingFile, EqualRecordingsGiveEqualBytes) {
  EXPECT_EQ(encode(sample::make()), encode(sample::make()));
}

TEST(RecordingFile, FilesOfVersion10StayReadable) {
  const auto loaded = load(std::filesystem::path(WARPLENS_TEST_DATA) / "recordings" / "sample_1_0.wlr");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(*loaded, small_recording());
  EXPECT_EQ(loaded->origin, Origin::unknown);
  EXPECT_EQ(loaded->shared_base, 0u);
}

// A reader of an older version walks through the sections that it knows in this order, and passes over the
// others.
TEST(RecordingFile, MinorVersionsAddSections) {
  const auto erase = [](Bytes& bytes, const char* from, const char* until) {
    const std::size_t first = find_section(bytes, from), after = find_section(bytes, until);
    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                bytes.begin() + static_cast<std::ptrdiff_t>(after));
  };
  for (const auto& [minor, added] : {std::pair{std::uint16_t{6}, "waits"},
                                     {std::uint16_t{5}, "accessed"},
                                     {std::uint16_t{4}, "ended"},
                                     {std::uint16_t{3}, "messages"},
                                     {std::uint16_t{1}, "args"},
                                     {std::uint16_t{0}, "origin"}}) {
    SCOPED_TRACE(minor);
    Bytes bytes = encode(small_recording());
    erase(bytes, minor == 6 ? added : "accessed", "index");
    if (minor < 5) erase(bytes, added, "sites");
    EXPECT_NE(refusal(bytes), "") << "its version says that there is one";
    put(bytes, 10, minor);
    restore_checksums(bytes);
    const auto loaded = decode(bytes);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(*loaded, small_recording());
  }
}

TEST(RecordingFile, KeepsMessages) {
  Recording recording = small_recording();
  recording.messages = {{0, 9, {0, 0, 0}, 3, "one\n"}, {0, 9, {0, 0, 0}, 0, ""}};
  recording.messages_left_out = 17;
  const auto loaded = decode(encode(recording));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->messages, recording.messages);
  EXPECT_EQ(loaded->messages_left_out, 17u);
}

TEST(RecordingFile, KeepsTheAccessesOfFindings) {
  Recording recording = small_recording();
  Finding& race = recording.findings[0];
  race.lanes = 0x11;
  race.access = FoundAccess{.instruction = 90,
                            .space = Space::shared,
                            .op = AccessOp::atomic,
                            .bytes = 8,
                            .phase = 3,
                            .tried = 0xff,
                            .addresses = {16, std::uint64_t{1} << 32}};
  race.other = OtherAccess{
      .instruction = 60, .op = AccessOp::store, .block = {1, 0, 0}, .warp = 1, .lane = 31, .address = 20};
  const auto loaded = decode(encode(recording));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->findings, recording.findings);
}

TEST(RecordingFile, KeepsWhereALaunchWasEnded) {
  Recording recording = small_recording();
  recording.ended = EarlyEnd{.limit = 1'000'000, .file = 0, .line = 12, .block = {0, 1, 0}, .warp = 1};
  const auto loaded = decode(encode(recording));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->ended, recording.ended);
}

TEST(RecordingFile, KeepsLoopsThatWait) {
  Recording recording = small_recording();
  recording.waiting_loops = {{.file = 0, .line = 9, .polls = 16'387}};
  const auto loaded = decode(encode(recording));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->waiting_loops, recording.waiting_loops);
}

TEST(RecordingFile, KeepsTheArguments) {
  Recording recording = small_recording();
  recording.arguments = {{"a", "buf:f32:64:random"}, {"n", "i32:-5"}};
  const auto loaded = decode(encode(recording));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->arguments, recording.arguments);
}

TEST(RecordingFile, EveryTruncationIsRefusedWithAReason) {
  for (const Compression compression : {Compression::zstd, Compression::none}) {
    const Bytes whole = encode(small_recording(), compression);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto result = decode(std::span(whole).first(size));
      ASSERT_FALSE(result.ok()) << "cut to " << size << " of " << whole.size();
      ASSERT_FALSE(result.error().what.empty());
      ASSERT_FALSE(result.error().where.empty());
      ASSERT_FALSE(result.error().hint.empty());
    }
  }
}

TEST(RecordingFile, EveryChangeOfOneByteIsRefused) {
  const Bytes whole = encode(small_recording());
  Bytes changed = whole;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      changed[at] = whole[at] ^ static_cast<std::byte>(flip);
      ASSERT_FALSE(decode(changed).ok()) << "byte " << at << " changed by " << flip;
    }
    changed[at] = whole[at];
  }
}

TEST(RecordingFile, WithoutChecksumsEveryChangeGivesAReasonOrAUsableRecording) {
  const Bytes whole = encode(small_recording(), Compression::none);
  Bytes changed = whole;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u}) {
      changed[at] = whole[at] ^ static_cast<std::byte>(flip);
      const auto result = decode(changed, std::uint64_t{1} << 26, Checksums::ignored);
      if (result) {
        const auto again = decode(encode(*result, Compression::none));
        ASSERT_TRUE(again.ok()) << "byte " << at << ": " << again.error().message();
        ASSERT_EQ(*again, *result);
      } else {
        ASSERT_FALSE(result.error().what.empty());
      }
    }
    changed[at] = whole[at];
  }
}

TEST(RecordingFile, OtherFilesAreNotRecordings) {
  const std::string text = "// a source file, not a recording\n";
  const auto bytes = std::as_bytes(std::span(text));
  expect_contains(refusal({bytes.begin(), bytes.end()}), "is not a recording");
  expect_contains(refusal({}), "is not a recording");
}

TEST(RecordingFile, BytesAfterTheEndAreRefused) {
  Bytes bytes = encode(small_recording());
  bytes.push_back(std::byte{0});
  expect_contains(refusal(bytes), "1 bytes follow the end");
}

TEST(RecordingFile, ANewerMajorVersionIsRefusedWithWhatToDo) {
  Bytes bytes = encode(small_recording());
  put(bytes, 8, std::uint16_t{kFormatMajor + 1});
  restore_checksums(bytes);
  expect_contains(refusal(bytes),
                  "has format version 2.10, and this program reads 1.x. Open it with a newer Warplens");
  put(bytes, 8, std::uint16_t{0});
  restore_checksums(bytes);
  expect_contains(refusal(bytes), "has format version 0.10");
}

TEST(RecordingFile, SectionsOfANewerMinorVersionArePassedOver) {
  Bytes bytes = encode(small_recording());
  ByteWriter content;
  content.text("what a later version adds");
  SectionWriter other(Compression::none);
  other.add("later", content);
  const Bytes later = std::move(other).finish();
  const auto section =
      std::span(later).subspan(kFileHeaderBytes, later.size() - kFileHeaderBytes - kSectionHeaderBytes);
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(find_section(bytes, "totals")), section.begin(),
               section.end());
  expect_contains(refusal(bytes), "section `later` where `totals` should be");
  put(bytes, 10, std::uint16_t{kFormatMinor + 1});
  restore_checksums(bytes);
  const auto loaded = decode(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(*loaded, small_recording());
}

TEST(RecordingFile, AbsurdSizesAreRefusedBeforeAnythingIsAllocated) {
  static constexpr std::uint64_t kAbsurd[] = {~std::uint64_t{0}, std::uint64_t{1} << 62,
                                              std::uint64_t{1} << 40, std::uint64_t{1} << 33};
  const Bytes whole = encode(small_recording(), Compression::none);
  for (const std::uint64_t size : kAbsurd) {
    for (const char* name :
         {"launch", "sites", "shapes", "totals", "phases", "findings", "index", "events", "end"}) {
      const std::size_t at = find_section(whole, name);
      Bytes stored = whole, declared = whole, compressed = whole;
      put(stored, at + 12, size);
      expect_contains(refusal(stored), "declares");
      put(declared, at + 20, size);
      restore_checksums(declared);
      expect_contains(refusal(declared), "which it cannot hold");
      put(compressed, at + 8, std::uint32_t{1});
      put(compressed, at + 20, size);
      restore_checksums(compressed);
      EXPECT_NE(refusal(compressed), "");
    }
    for (const char* name : {"sites", "shapes", "totals", "phases", "findings", "index"}) {
      Bytes counted = whole;
      put(counted, find_section(whole, name) + kSectionHeaderBytes, size);
      restore_checksums(counted);
      expect_contains(refusal(counted), "items, more than its remaining");
    }
  }
}

TEST(RecordingFile, AnIndexThatCountsMoreEventsThanTheFileCanHoldIsRefused) {
  Recording recording = sample::make({.tile = 4, .size = 4, .event_blocks = 1});
  Bytes bytes = encode(recording, Compression::none);
  // The index: its number of runs, then columns of block, warp, phase and count; the count's byte planes lie
  // at the end, highest last.
  const std::size_t at = find_section(bytes, "index");
  const auto runs = static_cast<std::size_t>(bytes[at + kSectionHeaderBytes]);
  const std::size_t counts = at + kSectionHeaderBytes + 8 + runs * 12;
  for (const std::size_t plane : {3u, 4u, 6u}) {
    Bytes changed = bytes;
    changed[counts + plane * runs] = std::byte{1};
    restore_checksums(changed);
    EXPECT_NE(refusal(changed), "") << "plane " << plane;
  }
}

TEST(RecordingFile, MemoryKeepsToTheLimit) {
  const Bytes bytes = encode(sample::make());
  expect_contains(refusal(bytes, 1000), "more memory than is allowed");
  expect_contains(refusal(bytes, 40000), "more memory than is allowed");
  EXPECT_EQ(refusal(bytes, std::uint64_t{1} << 22), "");
}

TEST(RecordingFile, WhatAFileMayCostGrowsWithWhatItHolds) {
  EXPECT_EQ(max_cost(0), std::uint64_t{256} << 20);
  EXPECT_EQ(max_cost(2'000'000), std::uint64_t{256} << 20);
  EXPECT_EQ(max_cost(100'000'000), 10'000'000'000u);

  // What compresses to nearly nothing, more of it than its size allows: each a file of a few kB.
  const auto refused = [](const std::function<void(Recording&)>& swell) {
    Recording recording = small_recording();
    swell(recording);
    const Bytes bytes = encode(recording);
    EXPECT_LT(bytes.size(), 100000u);
    return refusal(bytes);
  };
  expect_contains(refused([](Recording& r) { r.ptx.assign(70'000'000, ' '); }),
                  "more memory than is allowed");
  expect_contains(refused([](Recording& r) { r.ptx.assign(3'000'000, '\n'); }),
                  "more memory than is allowed");
  expect_contains(refused([](Recording& r) { r.findings.assign(200'000, r.findings.front()); }),
                  "more memory than is allowed");
  expect_contains(refused([](Recording& r) { r.files.resize(300'000); }), "more memory than is allowed");
  expect_contains(refused([](Recording& r) { r.shapes.resize(500'000); }), "more memory than is allowed");
  expect_contains(refused([](Recording& r) {
                    r.shared_bytes = 1 << 20;
                    r.shared_arrays.assign(100, {"s", 0, 1 << 20, 4, 1, 0});
                  }),
                  "its 3 buffers and 100 shared arrays need more memory than is allowed");
  EXPECT_EQ(refused([](Recording& r) { r.ptx.assign(10'000'000, ' '); }), "");
}

/// The same sections, all of them compressed.
Bytes compressed(const Bytes& file) {
  Budget budget(kMaxLoadBytes);
  SectionReader from(file, Checksums::verified, budget);
  EXPECT_TRUE(from.read_file_header());
  SectionWriter to(Compression::zstd);
  std::size_t at = kFileHeaderBytes;
  for (std::string name(8, '\0');; at += kSectionHeaderBytes) {
    std::memcpy(name.data(), file.data() + at, name.size());
    const std::string section = name.c_str();
    if (section == "end") return std::move(to).finish();
    const auto content = from.read(section);
    if (!content) {
      ADD_FAILURE() << content.error().message();
      return {};
    }
    ByteWriter bytes;
    for (const std::byte byte : *content) bytes.number(std::to_integer<std::uint8_t>(byte));
    to.add(section, bytes);
    std::uint64_t stored = 0;
    std::memcpy(&stored, file.data() + at + 12, sizeof stored);
    at += stored;
  }
}

TEST(RecordingFile, ManyEventsAreStoredAtALengthThatMayCostThem) {
  // 256 blocks of 32 warps and 1,088 accesses: 320 MB once they are loaded, and so regular that they compress
  // to a few kB.
  const Recording recording = sample::make({.tile = 32, .size = 512, .event_blocks = 256, .reads = 32});
  ASSERT_GT(recording.events.size() * kHeldEvent, kCostOfAnyFile);
  const Bytes bytes = encode(recording);
  EXPECT_GE(max_cost(bytes.size()), kCostOfAnyFile + recording.events.size() * kHeldEvent);
  EXPECT_LT(bytes.size(), 8'000'000u);
  EXPECT_EQ(refusal(bytes), "");

  const Bytes bomb = compressed(bytes);
  EXPECT_LT(bomb.size(), kCostOfAnyFile / kCostOfAByte);
  expect_contains(refusal(bomb), "events need more memory than is allowed");
}

TEST(RecordingFile, ItemsAreNotDeclaredWithoutBeingHeld) {
  Bytes bytes = encode(small_recording(), Compression::none);
  const std::size_t at = find_section(bytes, "findings");
  put(bytes, at + kSectionHeaderBytes,
      std::uint64_t{20});  // There are two. Were a finding no longer than a byte, the section might hold them
  restore_checksums(bytes);
  expect_contains(refusal(bytes), "items, more than its remaining");
}

TEST(RecordingFile, InvalidUtf8IsReplaced) {
  Recording recording = small_recording();
  recording.kernel = "ti\xffled";
  recording.files[0].name = "\xe4\xb8.cu";
  recording.findings[0].text = "fa\xc3";
  const auto loaded = decode(encode(recording));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->kernel, "ti\ufffdled");
  EXPECT_EQ(loaded->files[0].name, "\ufffd\ufffd.cu");
  EXPECT_EQ(loaded->findings[0].text, "fa\ufffd");
}

TEST(RecordingFile, OneBlocksEventsAreFoundThroughTheIndex) {
  // 9 blocks of 32 warps and 242 accesses: they straddle the borders of groups.
  const Recording whole = sample::make({.tile = 32, .size = 96, .event_blocks = 9, .reads = 38});
  ASSERT_GT(whole.events.size(), std::size_t{1} << 16);
  const Bytes bytes = encode(whole);
  for (std::uint32_t block = 0; block < 9; ++block) {
    const auto part = decode_block(bytes, [&](const Recording&) { return block; });
    ASSERT_TRUE(part.ok()) << part.error().message();
    EXPECT_EQ(part->event_blocks, std::vector<Dim3>{whole.event_blocks[block]});
    EXPECT_EQ(part->totals, whole.totals);
    const EventRange range = events_of_block(whole, block);
    ASSERT_EQ(part->events.size(), range.size());
    for (std::size_t i = 0; i < range.size(); ++i) {
      ASSERT_EQ(part->events.site[i], whole.events.site[range.begin + i]);
      ASSERT_EQ(part->events.warp[i], whole.events.warp[range.begin + i]);
      ASSERT_EQ(part->events.phase[i], whole.events.phase[range.begin + i]);
      ASSERT_EQ(part->events.order[i], whole.events.order[range.begin + i]);
      ASSERT_EQ(part->events.base[i], whole.events.base[range.begin + i]);
      ASSERT_EQ(part->events.mask[i], whole.events.mask[range.begin + i]);
      ASSERT_EQ(part->events.shape[i], whole.events.shape[range.begin + i]);
    }
  }
  EXPECT_FALSE(decode_block(bytes, [](const Recording&) { return 9u; }).ok());
}

TEST(RecordingFile, ALargeOneIsGivenWithOneBlockBeforeItIsRead) {
  const Recording whole = sample::make({.tile = 32, .size = 96, .event_blocks = 9, .reads = 38});
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "large.wlr";
  const auto choose = [](const Recording& recording) {
    EXPECT_EQ(recording.event_blocks.size(), 9u);
    EXPECT_EQ(recording.events.size(), 0u);
    return 4u;
  };
  std::optional<Recording> part;
  const auto first = [&](Recording one) { part = std::move(one); };
  ASSERT_TRUE(write_file(path, encode(whole, Compression::none)).ok());
  Result<Recording> loaded = load(path, choose, first);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(*loaded, whole);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->event_blocks, std::vector<Dim3>{whole.event_blocks[4]});

  part.reset();
  ASSERT_TRUE(write_file(path, encode(whole)).ok());
  ASSERT_TRUE(load(path, choose, first).ok());
  EXPECT_FALSE(part) << "a small file is there at once";
  std::filesystem::remove(path);
}

TEST(RecordingFile, AMillionEventsTakeLittleSpace) {
  // As `tiled` with T = 32 at 256^3, all 64 blocks kept.
  const Recording recording = sample::make({.tile = 32, .size = 256, .event_blocks = 64, .reads = 32});
  ASSERT_GT(recording.events.size(), 1000000u);
  const Bytes bytes = encode(recording);
  EXPECT_LT(bytes.size(), 500000u);
  const auto loaded = decode(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(*loaded, recording);
}

TEST(RecordingFile, IsSavedAndLoaded) {
  const auto path =
      std::filesystem::temp_directory_path() / ("warplens-save-" + std::to_string(::getpid()) + ".wlr");
  const Recording recording = sample::make();
  const auto saved = save(recording, path);
  ASSERT_TRUE(saved.ok()) << saved.error().message();
  const auto loaded = load(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(*loaded, recording);
  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(load(path).error().where.rfind(path.string() + ": ", 0), 0u) << load(path).error().message();
  std::filesystem::remove(path);
  EXPECT_FALSE(load(path).ok());
}

TEST(RecordingFile, AnInconsistentRecordingIsNotSaved) {
  Recording recording = sample::make();
  recording.events.site[5] = 99;
  const auto saved = save(recording, "/nowhere/x.wlr");
  ASSERT_FALSE(saved.ok());
  expect_contains(
      saved.error().message(),
      "/nowhere/x.wlr: the recording is inconsistent and was not written: event 5: it names site 99 of 8");
}

}  // namespace
}  // namespace warplens
