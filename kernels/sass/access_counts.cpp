#include "kernels/sass/access_counts.h"

#include <bit>

namespace warplens::sass {

namespace {

/// All bits of a lane if it is active.
std::uint64_t if_active(std::uint32_t mask, std::size_t lane) {
  return 0 - std::uint64_t{mask >> lane & 1};
}

/// Whether the active lanes lie about `base` as the shape has it.
bool has_shape(const Shape& shape, const AccessCounts::Addresses& addresses, std::uint64_t base,
               std::uint32_t mask) {
  std::uint64_t different = 0;
  if (mask == 0xffffffffu) {
    for (std::size_t lane = 0; lane < shape.size(); ++lane)
      different |= addresses[lane] - base - static_cast<std::uint64_t>(shape[lane]);
  } else {
    for (std::size_t lane = 0; lane < shape.size(); ++lane) {
      different |= (addresses[lane] - base - static_cast<std::uint64_t>(shape[lane])) & if_active(mask, lane);
    }
  }
  return different == 0;
}

}  // namespace

std::uint64_t& AccessCounts::add(ShapeTable& shapes, const Addresses& addresses, std::uint32_t mask,
                                 std::uint32_t warp) {
  const std::uint64_t base = addresses[static_cast<std::size_t>(std::countr_zero(mask))];
  const bool as_before = last_ != nullptr && last_->mask == mask && last_->warp == warp &&
                         has_shape(shapes.shapes()[last_->shape], addresses, base, mask);
  if (!as_before) {
    Shape shape;
    for (std::size_t lane = 0; lane < shape.size(); ++lane)
      shape[lane] = static_cast<std::int64_t>((addresses[lane] - base) & if_active(mask, lane));
    const std::uint32_t index = shapes.intern(shape);
    last_ = &patterns_.try_emplace({index, mask, warp}, Patterns{.shape = index, .mask = mask, .warp = warp})
                 .first->second;
  }
  std::uint64_t& count = last_->count[base % kPatternAlignment];
  ++count;
  return count;
}

void AccessCounts::add_to(SiteTotals& totals, const std::vector<Shape>& from, ShapeTable& to) const {
  add_to(totals, from, to, {1});
}

void AccessCounts::add_to(SiteTotals& totals, const std::vector<Shape>& from, ShapeTable& to,
                          const std::array<std::uint64_t, kPatternAlignment>& blocks) const {
  for (const auto& [key, patterns] : patterns_) {
    const std::uint32_t shape = to.intern(from[patterns.shape]);
    for (std::uint32_t alignment = 0; alignment < kPatternAlignment; ++alignment) {
      for (std::uint32_t further = 0; patterns.count[alignment] != 0 && further < kPatternAlignment;
           ++further) {
        const std::uint64_t count = patterns.count[alignment] * blocks[further];
        if (count == 0) continue;
        totals.patterns.push_back({shape, patterns.mask,
                                   (alignment + further) % static_cast<std::uint32_t>(kPatternAlignment),
                                   count});
        totals.requests += count;
        totals.thread_accesses += count * static_cast<std::uint64_t>(std::popcount(patterns.mask));
        if (patterns.mask != patterns.warp) totals.divergent_requests += count;
      }
    }
  }
}

}  // namespace warplens::sass
