#include "viz/analysis/grid_sectors.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {
namespace {

constexpr std::int64_t kSector = kSectorBytes;
constexpr std::size_t kMaxSectorRuns = std::size_t{1} << 21;      ///< 32 MiB
constexpr std::uint64_t kMaxLookedAt = std::uint64_t{1} << 24;    ///< Sites and buffers, block by block
constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 34;  ///< Bytes: 64 MiB for its sectors
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 28;       ///< A second or less

}  // namespace

/// A bit for each sector of a buffer.
class GridSectors::SectorSet {
 public:
  explicit SectorSet(std::uint64_t bytes) : words_((bytes / kSectorBytes + 64) / 64 + 1) {}

  /// The sectors that hold the bytes [first, end), as far as the buffer reaches.
  void add(std::int64_t first, std::int64_t end) {
    const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(first, 0) / kSector);
    const auto to = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(std::max<std::int64_t>(end + kSector - 1, 0) / kSector),
        words_.size() * 64);
    if (from >= to) return;
    const std::size_t begin = from / 64, last = (to - 1) / 64;
    const std::uint64_t head = ~std::uint64_t{0} << from % 64,
                        tail = ~std::uint64_t{0} >> (63 - (to - 1) % 64);
    low_ = std::min(low_, begin), high_ = std::max(high_, last + 1);
    if (begin == last) {
      words_[begin] |= head & tail;
      return;
    }
    words_[begin] |= head;
    for (std::size_t word = begin + 1; word < last; ++word) words_[word] = ~std::uint64_t{0};
    words_[last] |= tail;
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sectors = 0;
    for (std::size_t word = low_; word < high_; ++word)
      sectors += static_cast<std::uint64_t>(std::popcount(words_[word]));
    return sectors;
  }
  [[nodiscard]] std::uint64_t count_without(const SectorSet& other) const {
    std::uint64_t sectors = 0;
    for (std::size_t word = low_; word < high_; ++word)
      sectors += static_cast<std::uint64_t>(std::popcount(words_[word] & ~other.words_[word]));
    return sectors;
  }
  /// What one of the above goes over.
  [[nodiscard]] std::uint64_t words() const { return low_ < high_ ? high_ - low_ : 0; }
  void clear() {
    if (low_ < high_)
      std::fill(words_.begin() + static_cast<std::ptrdiff_t>(low_),
                words_.begin() + static_cast<std::ptrdiff_t>(high_), 0);
    low_ = std::numeric_limits<std::size_t>::max(), high_ = 0;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t low_ = std::numeric_limits<std::size_t>::max(), high_ = 0;  ///< Words outside are 0
};

/// Counts what groups of blocks touch. Groups whose blocks lie alike touch as many sectors: they are counted
/// once.
class GridSectors::Counter {
 public:
  Counter(const GridSectors& of, std::uint64_t bytes)
      : of_(of), buffers_(of.buffers_.size()), read_(bytes), written_(bytes) {}

  [[nodiscard]] std::optional<Sectors> count(std::uint64_t blocks) {
    const std::uint64_t width = of_.grid_.x, all = of_.grid_.count();
    std::size_t part = 0;
    for (std::uint64_t first = 0; first < all; first += blocks) {
      const std::uint64_t end = std::min(first + blocks, all);
      for (; part < of_.parts_.size(); ++part) {
        const RowPart& here = of_.parts_[part];
        const std::uint64_t begins = here.row * width + here.first, ends = here.row * width + here.end;
        if (begins >= end) break;
        add(here, std::max(first, begins) - here.row * width, std::min(end, ends) - here.row * width);
        if (ends > end) break;  // The rest is of the next group
      }
      if (!take_group()) return std::nullopt;
    }
    return sectors_;
  }

 private:
  /// The same piece of so many blocks, each so many bytes further than the one before.
  struct Series {
    std::int64_t start = 0, step = 0, count = 1;
    const Piece* piece = nullptr;
    [[nodiscard]] auto key() const { return std::tie(piece, step, count, start); }
    bool operator<(const Series& other) const { return key() < other.key(); }
    bool operator==(const Series& other) const { return key() == other.key(); }
  };
  using Signature = std::vector<std::int64_t>;
  struct OfBuffer {
    std::vector<Series> series;
    std::map<Signature, Sectors> known;
  };

  void add(const RowPart& part, std::uint64_t first, std::uint64_t end) {
    const Class& of_class = of_.classes_[part.of_class];
    const auto distance = [](std::uint64_t to, std::uint64_t from) {
      return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
    };
    const std::int64_t x = distance(first, of_class.like.x),
                       y = distance(part.row % of_.grid_.y, of_class.like.y),
                       z = distance(part.row / of_.grid_.y, of_class.like.z);
    for (const Piece& piece : of_class.pieces) {
      const Shift& by = piece.shift;
      buffers_[piece.buffer].series.push_back(
          {.start = by.x * x + by.y * y + by.z * z,
           .step = by.x,
           .count = by.x == 0 ? 1 : static_cast<std::int64_t>(end - first),
           .piece = &piece});
    }
  }

  /// False: there is no time for more.
  bool take_group() {
    for (std::size_t buffer = 0; buffer < buffers_.size(); ++buffer) {
      OfBuffer& here = buffers_[buffer];
      if (here.series.empty()) continue;
      std::sort(here.series.begin(), here.series.end());
      here.series.erase(std::unique(here.series.begin(), here.series.end()), here.series.end());
      const auto [at, is_new] = here.known.try_emplace(signature_of(here.series));
      if (is_new) at->second = count(here.series);
      steps_ += here.series.size();
      if (steps_ > kMaxSteps) return false;
      here.series.clear();
      sectors_.read += at->second.read;
      sectors_.written += at->second.written;
      sectors_.only_read += at->second.only_read;
    }
    return true;
  }

  /// What their number of sectors follows from: how they lie to each other, and where in a sector.
  static Signature signature_of(const std::vector<Series>& series) {
    std::int64_t base = std::numeric_limits<std::int64_t>::max();
    for (const Series& one : series) base = std::min(base, one.start);
    Signature signature{(base % kSector + kSector) % kSector};
    signature.reserve(1 + series.size() * 4);
    for (const Series& one : series) {
      signature.insert(signature.end(),
                       {static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(one.piece)),
                        one.start - base, one.step, one.count});
    }
    return signature;
  }

  Sectors count(const std::vector<Series>& series) {
    for (const Series& one : series) add(one, one.piece->kind == Kind::read ? read_ : written_);
    steps_ += 4 * (read_.words() + written_.words());
    const Sectors sectors{
        .read = read_.count(), .written = written_.count(), .only_read = read_.count_without(written_)};
    read_.clear(), written_.clear();
    return sectors;
  }

  void add(const Series& series, SectorSet& to) {
    const std::int64_t further = series.step * (series.count - 1), low = std::min<std::int64_t>(further, 0),
                       high = std::max<std::int64_t>(further, 0);
    for (const Run& run : series.piece->runs) {
      const std::int64_t first = run.first + series.start, end = run.end + series.start;
      if (std::abs(series.step) <=
          run.end - run.first) {  // One block's bytes begin where another's end, or before
        to.add(first + low, end + high);
        steps_ += 1 + static_cast<std::uint64_t>(end + high - first - low) / (64 * kSectorBytes);
        continue;
      }
      for (std::int64_t block = 0; block < series.count; ++block)
        to.add(first + series.step * block, end + series.step * block);
      steps_ += static_cast<std::uint64_t>(series.count);
      if (steps_ > kMaxSteps) return;
    }
  }

  const GridSectors& of_;
  std::vector<OfBuffer> buffers_;
  SectorSet read_, written_;  ///< Empty between counts
  Sectors sectors_;
  std::uint64_t steps_ = 0;
};

GridSectors::GridSectors(Dim3 grid, const std::vector<Buffer>& buffers) : grid_(grid), buffers_(buffers) {}

bool GridSectors::add(const std::vector<ElementCounts>& counts, const BlockClass& alike, const Shift& shift) {
  Class& to = class_of(alike);
  for (const ElementCounts& one : counts) {
    if (!one.complete) return false;
    const std::int64_t bytes = size_of(buffers_[one.buffer].type);
    for (const auto& [kind, table] : {std::pair{Kind::read, &one.reads}, {Kind::written, &one.writes}}) {
      Piece piece{.buffer = one.buffer, .kind = kind, .shift = shift, .runs = {}};
      table->for_each([&](std::uint64_t element, std::uint32_t) {
        const std::int64_t first = static_cast<std::int64_t>(element) * bytes;
        if (!piece.runs.empty() && piece.runs.back().end == first) {
          piece.runs.back().end += bytes;
        } else {
          piece.runs.push_back({first, first + bytes});
        }
      });
      if (piece.runs.empty()) continue;
      runs_ += piece.runs.size();
      if (runs_ > kMaxSectorRuns) return false;
      to.pieces.push_back(std::move(piece));
    }
  }
  return true;
}

bool GridSectors::add(const Recording& recording, ElementSums* elements) {
  if (recording.event_blocks.size() * (recording.sites.size() + recording.buffers.size() + 1) > kMaxLookedAt)
    return false;
  const std::vector<bool> all_sites(recording.sites.size(), true);
  for (std::uint32_t i = 0; i < recording.event_blocks.size(); ++i) {
    const Dim3 block = recording.event_blocks[i];
    const BlockClass itself{.like = block,
                            .runs = {{.first = block.x, .end = block.x + 1, .y = block.y, .z = block.z}}};
    if (events_of_block(recording, i).empty()) {
      static_cast<void>(class_of(itself));
      continue;
    }
    const std::vector<ElementCounts> counts = element_counts(recording, i, all_sites);
    if (elements != nullptr) elements->add(counts);
    if (!add(counts, itself, {})) return false;
  }
  return true;
}

GridSectors::Class& GridSectors::class_of(const BlockClass& alike) {
  if (!classes_.empty() && classes_.back().like == alike.like) return classes_.back();
  for (const BlockRun& run : alike.runs) {
    parts_.push_back({.row = std::uint64_t{run.z} * grid_.y + run.y,
                      .first = run.first,
                      .end = run.end,
                      .of_class = static_cast<std::uint32_t>(classes_.size())});
  }
  blocks_added_ += alike.count();
  classes_.push_back({.like = alike.like, .pieces = {}});
  if (complete())
    std::ranges::sort(parts_, {}, [](const RowPart& part) { return std::pair(part.row, part.first); });
  return classes_.back();
}

std::optional<GridSectors::Sectors> GridSectors::once_each(std::uint64_t blocks) const {
  blocks = std::max<std::uint64_t>(blocks, 1);
  const std::lock_guard lock(counting_);
  if (const auto known = counted_.find(blocks); known != counted_.end()) return known->second;
  std::uint64_t largest = 0;
  for (const Buffer& buffer : buffers_) largest = std::max(largest, buffer.bytes);
  const std::optional<Sectors> sectors =
      largest <= kLargestBuffer ? Counter(*this, largest).count(blocks) : std::nullopt;
  counted_.emplace(blocks, sectors);
  return sectors;
}

}  // namespace warplens::analysis
