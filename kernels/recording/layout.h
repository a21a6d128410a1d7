// The layout of a recording's records in its file, field by field in order, stated once for ByteWriter and
// ByteReader. A change here is a change of the format: see docs/wlr.md on versions.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/recording/bytes.h"
#include "kernels/recording/recording.h"

namespace warplens::layout {

/// What the archive works on: T itself where it reads, a const T where it writes.
template <class Archive, class T>
using Of = std::conditional_t<Archive::kReads, T, const T>;

template <class Archive>
void fields(Archive& archive, Of<Archive, Dim3>& dim) {
  archive.number(dim.x);
  archive.number(dim.y);
  archive.number(dim.z);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, SourceFile>& file) {
  archive.text(file.name);
  archive.text(file.text);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, NamedValue>& parameter) {
  archive.text(parameter.name);
  archive.number(parameter.value);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, RecordedArgument>& argument) {
  archive.text(argument.name);
  archive.text(argument.value);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, Buffer>& buffer) {
  archive.text(buffer.name);
  archive.enumerator(buffer.type, ElementType::u4);
  archive.number(buffer.base);
  archive.number(buffer.bytes);
  archive.number(buffer.rows);
  archive.number(buffer.columns);
  archive.number(buffer.pitch);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, SharedArray>& array) {
  archive.text(array.name);
  archive.number(array.offset);
  archive.number(array.bytes);
  archive.number(array.element_bytes);
  archive.number(array.rows);
  archive.number(array.pitch);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, Site>& site) {
  archive.number(site.instruction);
  archive.number(site.ptx_line);
  archive.number(site.file);
  archive.number(site.line);
  archive.enumerator(site.space, Space::local);
  archive.enumerator(site.op, AccessOp::wgmma);
  archive.number(site.bytes);
  archive.number(site.matrices);
  archive.number(site.value_from);
  archive.text(site.text);
}

/// All fields but the patterns, which are stored in columns.
template <class Archive>
void fields(Archive& archive, Of<Archive, SiteTotals>& totals) {
  archive.number(totals.requests);
  archive.number(totals.thread_accesses);
  archive.number(totals.divergent_requests);
  archive.number(totals.unkept_requests);
  archive.number(totals.unkept_cost.sectors);
  archive.number(totals.unkept_cost.ideal_sectors);
  archive.number(totals.unkept_cost.lines);
  archive.number(totals.unkept_cost.wavefronts);
  archive.number(totals.unkept_cost.ideal_wavefronts);
  archive.number(totals.unkept_cost.bank_conflicts);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, PhaseTotals>& phase) {
  archive.number(phase.global_loads);
  archive.number(phase.global_stores);
  archive.number(phase.shared_loads);
  archive.number(phase.shared_stores);
  archive.number(phase.other);
  archive.number(phase.fills);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, Finding>& finding) {
  archive.enumerator(finding.kind, FindingKind::exited_block);
  archive.number(finding.file);
  archive.number(finding.line);
  archive.number(finding.other_line);
  archive.number(finding.count);
  fields(archive, finding.block);
  archive.number(finding.warp);
  archive.number(finding.lanes);
  archive.text(finding.text);
}

/// `lanes`: how many have an address.
template <class Archive>
void fields(Archive& archive, Of<Archive, FoundAccess>& access, std::size_t lanes) {
  archive.number(access.instruction);
  archive.enumerator(access.space, Space::local);
  archive.enumerator(access.op, AccessOp::wgmma);
  archive.number(access.bytes);
  archive.number(access.phase);
  archive.number(access.tried);
  if constexpr (Archive::kReads) access.addresses.resize(lanes);
  for (auto& address : access.addresses) archive.number(address);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, OtherAccess>& other) {
  archive.number(other.instruction);
  archive.enumerator(other.op, AccessOp::wgmma);
  fields(archive, other.block);
  archive.number(other.warp);
  archive.number(other.lane);
  archive.number(other.address);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, Message>& message) {
  archive.number(message.file);
  archive.number(message.line);
  fields(archive, message.block);
  archive.number(message.thread);
  archive.text(message.text);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, WaitingLoop>& loop) {
  archive.number(loop.file);
  archive.number(loop.line);
  archive.number(loop.polls);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, TensorTotals>& totals) {
  archive.number(totals.instruction);
  archive.number(totals.ptx_line);
  archive.number(totals.file);
  archive.number(totals.line);
  archive.text(totals.kind);
  archive.number(totals.operations);
  archive.number(totals.instructions);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, CopyLanding>& landing) {
  archive.number(landing.block);
  archive.number(landing.warp);
  archive.number(landing.order);
  archive.number(landing.landed_phase);
  archive.number(landing.landed_order);
}

template <class Archive>
void fields(Archive& archive, Of<Archive, EarlyEnd>& end) {
  archive.number(end.limit);
  archive.number(end.file);
  archive.number(end.line);
  fields(archive, end.block);
  archive.number(end.warp);
}

/// Bytes that an item takes: of a file at least, and of memory at most, together with what reports and views
/// make of it. Texts and patterns apart, which are asked for as they are read.
struct ItemSize {
  std::uint64_t stored = 1, held = 1;
};
template <class T>
inline constexpr ItemSize kItemSize;
template <>
inline constexpr ItemSize kItemSize<Dim3>{12, 24};
template <>
inline constexpr ItemSize kItemSize<SourceFile>{8, 1024};
template <>
inline constexpr ItemSize kItemSize<NamedValue>{12, 256};
template <>
inline constexpr ItemSize kItemSize<RecordedArgument>{8, 256};
template <>
inline constexpr ItemSize kItemSize<Buffer>{41, 2048};
template <>
inline constexpr ItemSize kItemSize<SharedArray>{24, 512};
template <>
inline constexpr ItemSize kItemSize<Site>{28, 2048};
template <>
inline constexpr ItemSize kItemSize<SiteTotals>{80, 512};
template <>
inline constexpr ItemSize kItemSize<PhaseTotals>{48, 192};
template <>
inline constexpr ItemSize kItemSize<Finding>{45, 2304};
template <>
inline constexpr ItemSize kItemSize<Message>{28, 512};
template <>
inline constexpr ItemSize kItemSize<WaitingLoop>{16, 64};
template <>
inline constexpr ItemSize kItemSize<CopyLanding>{20, sizeof(CopyLanding)};
template <>
inline constexpr ItemSize kItemSize<TensorTotals>{36, 96};

template <class T>
void list(ByteWriter& writer, const std::vector<T>& items) {
  writer.number(std::uint64_t{items.size()});
  for (const T& item : items) fields(writer, item);
}

template <class T>
void list(ByteReader& reader, std::vector<T>& items) {
  items.resize(reader.count(kItemSize<T>.stored, kItemSize<T>.held));
  for (T& item : items) {
    fields(reader, item);
    if (!reader.ok()) return;
  }
}

/// Section `launch`: what ran, on what, and how it ended.
template <class Archive>
void launch(Archive& archive, Of<Archive, Recording>& recording) {
  archive.text(recording.kernel);
  archive.text(recording.entry);
  archive.text(recording.engine);
  archive.text(recording.device);
  fields(archive, recording.grid);
  fields(archive, recording.block);
  archive.number(recording.shared_bytes);
  archive.number(recording.dynamic_shared_bytes);
  archive.number(recording.m);
  archive.number(recording.p);
  archive.number(recording.n);
  list(archive, recording.parameters);
  archive.text(recording.value_type);
  list(archive, recording.buffers);
  list(archive, recording.shared_arrays);
  archive.text(recording.unkept_cc);
  archive.flag(recording.phases_are_barriers);
  archive.number(recording.blocks_total);
  archive.number(recording.blocks_counted);
  list(archive, recording.event_blocks);
  archive.number(recording.warp_instructions);
  archive.number(recording.thread_instructions);
  archive.flag(recording.verified);
  archive.number(recording.seconds);
}

/// Section `cluster`: how many blocks a cluster had each way.
template <class Archive>
void cluster(Archive& archive, Of<Archive, Recording>& recording) {
  fields(archive, recording.cluster);
}

/// Section `source`: the files that sites point into, and the PTX.
template <class Archive>
void source(Archive& archive, Of<Archive, Recording>& recording) {
  list(archive, recording.files);
  archive.text(recording.ptx);
}

/// Section `origin`: whose kernel it is, and where its shared memory began.
template <class Archive>
void origin(Archive& archive, Of<Archive, Recording>& recording) {
  archive.enumerator(recording.origin, Origin::file);
  archive.text(recording.origin_file);
  archive.number(recording.shared_base);
}

/// Section `args`: with what it was launched.
template <class Archive>
void arguments(Archive& archive, Of<Archive, Recording>& recording) {
  list(archive, recording.arguments);
}

/// Section `followed`: blocks that were counted without being run.
template <class Archive>
void followed(Archive& archive, Of<Archive, Recording>& recording) {
  archive.number(recording.blocks_extrapolated);
  archive.text(recording.not_extrapolated);
}

/// Section `messages`: what the kernel printed.
template <class Archive>
void messages(Archive& archive, Of<Archive, Recording>& recording) {
  list(archive, recording.messages);
  archive.number(recording.messages_left_out);
}

/// Section `accessed`: of each finding its access and the other one, where it has them.
template <class Archive>
void accessed(Archive& archive, Of<Archive, Recording>& recording) {
  const auto maybe = [&](auto& part, const auto&... more) {
    bool known = part.has_value();
    archive.flag(known);
    if constexpr (Archive::kReads) {
      if (known) part.emplace();
    }
    if (known) fields(archive, *part, more...);
  };
  for (auto& finding : recording.findings) {
    maybe(finding.access, static_cast<std::size_t>(std::popcount(finding.lanes)));
    maybe(finding.other);
  }
}

/// Section `ended`: where a launch was ended before its end.
template <class Archive>
void ended(Archive& archive, Of<Archive, Recording>& recording) {
  bool early = recording.ended.has_value();
  archive.flag(early);
  if constexpr (Archive::kReads) {
    if (early) recording.ended.emplace();
  }
  if (early) fields(archive, *recording.ended);
}

/// Section `tensor`: what tensor cores computed.
template <class Archive>
void tensor(Archive& archive, Of<Archive, Recording>& recording) {
  list(archive, recording.tensor);
}

/// Section `landings`: when asynchronous copies had landed.
template <class Archive>
void landings(Archive& archive, Of<Archive, Recording>& recording) {
  list(archive, recording.landings);
}

/// Section `waits`: loops that wait for memory to change.
template <class Archive>
void waits(Archive& archive, Of<Archive, Recording>& recording) {
  list(archive, recording.waiting_loops);
}

}  // namespace warplens::layout
