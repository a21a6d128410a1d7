#include "kernels/gpu/recorded_sites.h"

#include <algorithm>
#include <bit>

#include "kernels/base/texts.h"

namespace warplens::gpu {

std::uint32_t first_site(const std::vector<Site>& sites, std::uint32_t instruction) {
  const auto found = std::lower_bound(sites.begin(), sites.end(), instruction,
                                      [](const Site& site, std::uint32_t i) { return site.instruction < i; });
  return static_cast<std::uint32_t>(found - sites.begin());
}

std::uint32_t site_of(const std::vector<Site>& sites, const ptx::AccessGroup& group,
                      std::uint32_t instruction, std::uint32_t space) {
  std::uint32_t site = first_site(sites, instruction);
  if (group.space == ptx::StateSpace::generic) return site + space;
  const bool is_second = sites[site].op == AccessOp::cp_async && group.space == ptx::StateSpace::shared;
  return site + (is_second ? 1 : 0);
}

std::uint64_t base_of(const OperandAccess& access) {
  return access.addresses.at(static_cast<std::size_t>(std::countr_zero(access.mask)));
}
Shape shape_of(const OperandAccess& access) {
  Shape shape{};
  for (std::size_t piece = 0; piece < shape.size(); ++piece) {
    if ((access.mask >> piece & 1) != 0)
      shape[piece] = static_cast<std::int64_t>(access.addresses.at(piece) - base_of(access));
  }
  return shape;
}

Error no_map_error(const replay::Program::Code& code) {
  return {tr("a tensor map is neither a parameter of the kernel nor in one of its buffers"),
          code.function.plain_name, tr("Record on the CPU.")};
}

}  // namespace warplens::gpu
