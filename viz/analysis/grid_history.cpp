#include "viz/analysis/grid_history.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "viz/analysis/lanes.h"
#include "viz/analysis/launch_sites.h"

namespace warplens::analysis {
namespace {

constexpr std::size_t kRequestsAtOnce = 1 << 16;  ///< Requests between two looks at the stop token
constexpr std::ptrdiff_t kFewMoves = 8;           ///< That are tried one by one

std::int64_t distance(std::uint32_t to, std::uint32_t from) {
  return std::int64_t{to} - std::int64_t{from};
}

/// How much further lies what the row's block x = alike.like.x accesses.
std::int64_t move_of_row(const BlockClass& alike, const BlockRun& run, const Shift& shift) {
  return shift.y * distance(run.y, alike.like.y) + shift.z * distance(run.z, alike.like.z);
}

}  // namespace

bool GridHistory::add(const Recording& recording, std::uint32_t event_block, const BlockClass& alike,
                      std::span<const Shift> shifts) {
  begin(recording);
  std::vector<std::uint32_t> sites(recording.sites.size());
  std::iota(sites.begin(), sites.end(), 0u);
  return add_class(recording, event_block, alike, shifts, sites);
}

bool GridHistory::add(const Recording& recording, const Recording& launch) {
  begin(launch);
  const std::vector<std::uint32_t> sites = sites_in(launch, recording);
  if (std::ranges::any_of(sites, [&](std::uint32_t site) { return site >= launch.sites.size(); }))
    return false;
  const std::vector<Shift> unmoved(recording.sites.size());
  for (std::uint32_t b = 0; b < recording.event_blocks.size(); ++b) {
    const Dim3 block = recording.event_blocks[b];
    const BlockClass itself{.like = block,
                            .runs = {{.first = block.x, .end = block.x + 1, .y = block.y, .z = block.z}}};
    if (!add_class(recording, b, itself, unmoved, sites)) return false;
  }
  return true;
}

void GridHistory::begin(const Recording& launch) {
  if (!classes_.empty()) return;
  buffers_ = launch.buffers;
  for (const Site& site : launch.sites) sites_.push_back({site.bytes, reads(site), writes(site)});
}

bool GridHistory::add_class(const Recording& recording, std::uint32_t event_block, const BlockClass& alike,
                            std::span<const Shift> shifts, std::span<const std::uint32_t> sites) {
  Class& added = classes_.emplace_back();
  added.alike = alike;
  bytes_ += sizeof(Class) + alike.runs.size() * sizeof(BlockRun);
  std::map<Shift, std::size_t> known;
  std::map<std::uint32_t, std::uint32_t> shapes;
  const EventColumns& events = recording.events;
  const EventRange range = events_of_block(recording, event_block);
  std::size_t first_of_phase = range.begin;
  for (std::size_t event = range.begin; event < range.end; ++event) {
    const bool same = events.warp[event] == events.warp[first_of_phase] &&
                      events.phase[event] == events.phase[first_of_phase];
    if (!same) first_of_phase = event;
    const std::uint32_t site = events.site[event];
    if (recording.sites[site].space != Space::global) continue;
    const auto [group, is_new] = known.try_emplace(shifts[site], added.moving.size());
    if (is_new) {
      const std::uint64_t max = shifts[site].x == 0 ? alike.runs.size() : alike.count();
      bytes_ += sizeof(Moving) + max * sizeof(std::int64_t);
      if (bytes_ > kMaxBytes) return false;
      added.moving.push_back({.shift = shifts[site], .moves = moves_of(alike, shifts[site]), .requests = {}});
    }
    const auto [shape, is_new_shape] = shapes.try_emplace(events.shape[event], 0);
    if (is_new_shape) shape->second = index_of(recording.shapes[events.shape[event]]);
    bytes_ += sizeof(Request);
    if (bytes_ > kMaxBytes) return false;
    added.moving[group->second].requests.push_back(
        {.base = events.base[event],
         .warp = events.warp[event],
         .phase = events.phase[event],
         .step = static_cast<std::uint32_t>(event - first_of_phase),
         .site = sites[site],
         .mask = events.mask[event],
         .shape = shape->second});
  }
  blocks_ += alike.count();
  return true;
}

std::uint32_t GridHistory::index_of(const Shape& shape) {
  const auto [entry, is_new] = shape_index_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new) {
    const auto [low, high] = std::ranges::minmax(shape);
    shapes_.push_back({shape, low, high});
    bytes_ += 2 * sizeof(KnownShape);
  }
  return entry->second;
}

std::vector<std::int64_t> GridHistory::moves_of(const BlockClass& alike, const Shift& shift) {
  std::vector<std::int64_t> moves;
  for (const BlockRun& run : alike.runs) {
    const std::int64_t of_row = move_of_row(alike, run, shift);
    const std::uint32_t end = shift.x == 0 ? run.first + 1 : run.end;
    for (std::uint32_t x = run.first; x < end; ++x)
      moves.push_back(of_row + shift.x * distance(x, alike.like.x));
  }
  std::ranges::sort(moves);
  moves.erase(std::unique(moves.begin(), moves.end()), moves.end());
  return moves;
}

/// For the bytes [begin, end): which requests touch them once they are moved, and in which blocks they are
/// moved so.
class GridHistory::Search {
 public:
  Search(const GridHistory& grid, std::uint64_t begin, std::uint64_t end, const std::stop_token& stop)
      : grid_(grid),
        begin_(static_cast<std::int64_t>(begin)),
        end_(static_cast<std::int64_t>(end)),
        stop_(stop) {}

  WordHistory first(std::size_t limit) {
    for (const Class& one : grid_.classes_) {
      if (!stop_.stop_requested()) look_through(one);
    }
    list(limit);
    history_.of_blocks = grid_.blocks_;
    return std::move(history_);
  }

 private:
  struct Hit {
    const Request* request = nullptr;
    std::uint32_t lanes = 0;
  };
  struct MovedHit {
    std::int64_t move = 0;
    Hit hit;
  };
  /// Neighbours, as linear indices, that make the same hits.
  struct Blocks {
    std::uint64_t first = 0, end = 0;
    std::size_t hits = 0;  ///< Index into hits_
    friend bool operator>(const Blocks& a, const Blocks& b) {
      return std::tie(a.first, a.hits) > std::tie(b.first, b.hits);
    }
  };

  static std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> time(const Hit& hit) {
    return {hit.request->phase, hit.request->warp, hit.request->step};
  }

  void look_through(const Class& one) {
    const std::size_t first_blocks = blocks_.size();
    std::size_t moving_alike = 0;
    std::uint64_t blocks = 0, warps = 0;
    for (const Moving& moving : one.moving) {
      std::vector<MovedHit> found = hits_of(moving);
      if (found.empty()) continue;
      ++moving_alike;
      std::ranges::sort(found, {},
                        [](const MovedHit& moved) { return std::pair(moved.move, time(moved.hit)); });
      for (auto from = found.begin(); from != found.end();) {
        const auto to = std::ranges::find_if(from, found.end(),
                                             [&](const MovedHit& moved) { return moved.move != from->move; });
        std::vector<Hit>& hits = hits_.emplace_back();
        for (auto at = from; at != to; ++at) hits.push_back(at->hit);
        const std::uint64_t moved_so = add_blocks(one.alike, moving.shift, from->move);
        count(hits, moved_so);
        blocks += moved_so;
        warps += moved_so * warps_of(hits).size();
        from = to;
      }
    }
    // By different moves the same block may come to the word twice.
    if (moving_alike > 1) std::tie(blocks, warps) = each_once(first_blocks);
    history_.blocks += blocks;
    history_.warps += warps;
  }

  std::vector<MovedHit> hits_of(const Moving& moving) {
    std::vector<MovedHit> found;
    for (std::size_t i = 0; i < moving.requests.size(); ++i) {
      if (i % kRequestsAtOnce == 0 && stop_.stop_requested()) break;
      const Request& request = moving.requests[i];
      const KnownShape& shape = grid_.shapes_[request.shape];
      const auto [from, to] =
          moves_between(moving, first_move(request, shape.high), last_move(request, shape.low));
      if (from == to) continue;
      if (to - from <= kFewMoves) {
        for (auto move = from; move != to; ++move) {
          if (const std::uint32_t lanes = touching(request, *move); lanes != 0)
            found.push_back({*move, {&request, lanes}});
        }
      } else {
        add_by_lane(moving, request, found);
      }
    }
    return found;
  }

  /// The least and the greatest move with which a lane at this offset touches the bytes.
  [[nodiscard]] std::int64_t first_move(const Request& request, std::int64_t offset) const {
    return begin_ - static_cast<std::int64_t>(request.base) - offset - grid_.sites_[request.site].bytes + 1;
  }
  [[nodiscard]] std::int64_t last_move(const Request& request, std::int64_t offset) const {
    return end_ - static_cast<std::int64_t>(request.base) - offset - 1;
  }

  using Move = std::vector<std::int64_t>::const_iterator;
  [[nodiscard]] static std::pair<Move, Move> moves_between(const Moving& moving, std::int64_t min,
                                                           std::int64_t greatest) {
    const Move from = std::ranges::lower_bound(moving.moves, min);
    if (from == moving.moves.end() || *from > greatest) return {from, from};
    return {from, std::upper_bound(from, moving.moves.end(), greatest)};
  }

  [[nodiscard]] std::uint32_t touching(const Request& request, std::int64_t move) const {
    const Shape& offsets = grid_.shapes_[request.shape].offsets;
    std::uint32_t lanes = 0;
    for_each_lane(request.mask, [&](int lane) {
      const std::int64_t offset = offsets[static_cast<std::size_t>(lane)];
      if (move >= first_move(request, offset) && move <= last_move(request, offset)) lanes |= 1u << lane;
    });
    return lanes;
  }

  /// Adds the lanes of a request that spans many moves, most of which lie between its lanes.
  void add_by_lane(const Moving& moving, const Request& request, std::vector<MovedHit>& found) const {
    std::map<std::int64_t, std::uint32_t> lanes;
    for_each_lane(request.mask, [&](int lane) {
      const std::int64_t offset = grid_.shapes_[request.shape].offsets[static_cast<std::size_t>(lane)];
      const auto [from, to] = moves_between(moving, first_move(request, offset), last_move(request, offset));
      for (auto move = from; move != to; ++move) lanes[*move] |= 1u << lane;
    });
    for (const auto& [move, touching] : lanes) found.push_back({move, {&request, touching}});
  }

  /// Those of the class in which what moves so has moved that far; for the hits added last. How many they
  /// are.
  std::uint64_t add_blocks(const BlockClass& alike, const Shift& shift, std::int64_t move) {
    std::uint64_t count = 0;
    for (const BlockRun& run : alike.runs) {
      const std::int64_t rest = move - move_of_row(alike, run, shift);
      std::int64_t first = run.first, end = run.end;
      if (shift.x == 0) {
        if (rest != 0) continue;
      } else {
        if (rest % shift.x != 0) continue;
        const std::int64_t x = alike.like.x + rest / shift.x;
        if (x < first || x >= end) continue;
        first = x;
        end = x + 1;
      }
      const std::uint64_t row = linear_index(grid_.grid_, {0, run.y, run.z});
      blocks_.push_back(
          {row + static_cast<std::uint64_t>(first), row + static_cast<std::uint64_t>(end), hits_.size() - 1});
      count += static_cast<std::uint64_t>(end - first);
    }
    return count;
  }

  void count(const std::vector<Hit>& hits, std::uint64_t blocks) {
    for (const Hit& hit : hits) {
      const SiteKind& site = grid_.sites_[hit.request->site];
      const std::uint64_t lanes = static_cast<std::uint64_t>(std::popcount(hit.lanes)) * blocks;
      history_.requests += blocks;
      if (site.reads) history_.reads += lanes, history_.read_requests += blocks;
      if (site.writes) history_.writes += lanes, history_.write_requests += blocks;
    }
  }

  [[nodiscard]] static std::vector<std::uint32_t> warps_of(const std::vector<Hit>& hits) {
    std::vector<std::uint32_t> warps;
    for (const Hit& hit : hits) warps.push_back(hit.request->warp);
    std::ranges::sort(warps);
    warps.erase(std::unique(warps.begin(), warps.end()), warps.end());
    return warps;
  }

  /// How many blocks and warps there are in blocks_ from there on.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> each_once(std::size_t from) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> all;  // Block, hits
    for (std::size_t i = from; i < blocks_.size(); ++i) {
      for (std::uint64_t block = blocks_[i].first; block < blocks_[i].end; ++block)
        all.emplace_back(block, blocks_[i].hits);
    }
    std::ranges::sort(all);
    std::uint64_t blocks = 0, warps = 0;
    for (auto at = all.begin(); at != all.end(); ++blocks) {
      const std::uint64_t block = at->first;
      std::vector<Hit> hits;
      for (; at != all.end() && at->first == block; ++at)
        hits.insert(hits.end(), hits_[at->second].begin(), hits_[at->second].end());
      warps += warps_of(hits).size();
    }
    return {blocks, warps};
  }

  /// Block after block, those of one together.
  void list(std::size_t limit) {
    std::priority_queue<Blocks, std::vector<Blocks>, std::greater<>> next(std::greater<>(),
                                                                          std::move(blocks_));
    while (!next.empty() && history_.touches.size() < limit) {
      const std::uint64_t block = next.top().first;
      std::vector<Hit> hits;
      while (!next.empty() && next.top().first == block) {
        Blocks of = next.top();
        next.pop();
        hits.insert(hits.end(), hits_[of.hits].begin(), hits_[of.hits].end());
        if (++of.first < of.end) next.push(of);
      }
      std::ranges::sort(hits, {}, &Search::time);
      for (const Hit& hit : hits) {
        if (history_.touches.size() == limit) break;
        const Request& request = *hit.request;
        history_.touches.push_back({.block = index_from_linear(grid_.grid_, block),
                                    .warp = request.warp,
                                    .phase = request.phase,
                                    .step = request.step,
                                    .site = request.site,
                                    .lanes = hit.lanes});
      }
    }
  }

  const GridHistory& grid_;
  std::int64_t begin_, end_;
  const std::stop_token& stop_;
  std::vector<std::vector<Hit>> hits_;  ///< By phase, warp and step
  std::vector<Blocks> blocks_;
  WordHistory history_;
};

WordHistory GridHistory::of(std::uint32_t buffer, std::uint64_t element, std::size_t limit,
                            const std::stop_token& stop) const {
  if (buffer >= buffers_.size()) return {};
  const auto bytes = static_cast<std::uint64_t>(size_of(buffers_[buffer].type));
  const std::uint64_t begin = buffers_[buffer].base + element * bytes;
  return Search(*this, begin, begin + bytes, stop).first(limit);
}

}  // namespace warplens::analysis
